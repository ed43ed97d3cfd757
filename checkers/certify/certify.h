/* certify.h -- B(S) as formulas.  checkers/query/query.h asks the same for concrete numbers; the
 * certifier proves it for all inputs at once.
 *
 * One walk over a filled program makes *obligations*: closed implications over the integers.  The
 * context of an obligation holds the facts where its statement stands.  These are assertions before
 * it, ranges of loops, values of lets, conditions, and the type ranges of values read.  Its goal is
 * one clause of B.
 *
 * Each obligation is discharged by the cheapest of three provers: rewrite rules, the decision tier,
 * Z3.  Otherwise it is refuted by a point that was evaluated.  Otherwise the certifier finds a
 * condition on sizes and parameters from which it follows: a check that is left to run time.
 * Otherwise it stays open, and the program is not certified.
 *
 * Machine integers are lifted to integers with their wrapping written out (lift.c), so all three
 * provers see one formula.  A value read from memory stands for every value of its type (5e).
 */
#ifndef HLC_CHECKERS_CERTIFY_CERTIFY_H
#define HLC_CHECKERS_CERTIFY_CERTIFY_H

#include "base/solver_process.h"
#include "ir/stmt.h"
#include "schedule/schedule.h"

typedef enum ClauseId {
#define CLAUSE(NAME, TEXT, SENTENCE) CLAUSE_##NAME,
#include "checkers/certify/clauses.def"
#undef CLAUSE
    CLAUSE_COUNT
} ClauseId;

typedef struct ClauseInfo {
    const char *text, *sentence;
} ClauseInfo;
const ClauseInfo *clause_info(ClauseId clause);

typedef enum ObligationFinding {
    FINDING_OPEN,    /* neither proved nor refuted */
    FINDING_PROVED,  /* holds for all inputs */
    FINDING_CHECK,   /* holds for all inputs for which `check` does; the entry can test that */
    FINDING_REFUTED, /* fails at `counterexample`, which was evaluated */
    FINDING_COUNT
} ObligationFinding;

/* How an obligation was proved or refuted. */
typedef enum Means { MEANS_TEXT, MEANS_RULES, MEANS_DECISION, MEANS_SOLVER, MEANS_COUNT } Means;
const char *means_text(Means means);

/* The facts where a statement stands: a list of all assumptions on the way there. */
typedef enum FactKind {
    FACT_ENTRY, /* an assertion */
    FACT_RANGE, /* an assertion that coordinates lie in 32 bits, arithmetic in 64 */
    FACT_PATH   /* a loop's range, a let's value, a condition; what the clause itself assumes */
} FactKind;

typedef struct ContextFact {
    const struct ContextFact *before; /* null: the first */
    Expr condition;                   /* of sort index and bool only */
    FactKind kind;
    uint32_t depth; /* 1 for the first */
    /* If it says that a variable lies between two values (a loop's), or has one (a let's): the
     * variable and these values; else null.  The variable may have no value. */
    Expr variable, least, greatest;
} ContextFact;

typedef struct Assignment {
    Expr variable;
    int64_t value;
} Assignment;

typedef struct Obligation {
    ClauseId clause;
    uint32_t number;       /* from 1, in program order */
    const char *text;      /* "f(x + r, y) in g, update 1: x" */
    Place place;           /* of the access or the stage */
    const char *directive; /* its origin; null: none */
    Place directive_place;
    Symbol func; /* the func whose memory, region or loops it is about; null: none */
    Stmt *stmt;  /* where it must hold */
    const ContextFact *context;
    Expr goal; /* of sort index and bool; null if only the program's text is examined */
    Expr
        steps; /* covered: implies the goal; each let's value has an equation of its own; or null */
    bool is_in_steps; /* what is proved is `steps` */
    bool is_exact; /* the goal is the clause: if it fails, the clause fails.  Else it is stronger */
    const struct Witness *witness; /* covered, once, race: the iteration in the goal (internal.h) */
    const Expr *touched;           /* race: the point that the loop's iteration writes or reads */
    const Stmt *loop;
    const char *rule; /* of a finding from the text: the reason */

    ObligationFinding finding;
    Means means;
    Vec(Assignment) counterexample;
    Expr check;         /* FINDING_CHECK: bool, in startup variables; FINDING_OPEN: a check that
                           the program cannot take, or null */
    const char *reason; /* FINDING_OPEN or FINDING_CHECK: why it is not proved */
} Obligation;

/* Returns the assumed value of a startup variable; false if none is assumed. */
typedef bool CertifyValue(void *data, Symbol name, Bits *bits);

typedef struct CertifyOptions {
    CertifyValue *value; /* null: nothing is assumed */
    void *data;
    const char *solver; /* the command Z3; null: Z3 is not used */
    uint32_t units;     /* Z3's resource limit for one question; 0: the default */
    bool is_brief;      /* the decision tier gets only the budget of a pass */
    /* Z3's process while it runs.  If the caller's memory runs out meanwhile, it stops this
     * process.  May be null. */
    SolverProcess **running;
} CertifyOptions;

typedef struct Certification {
    const Program *program;
    Vec(Obligation *) obligations;
    Map ranges;   /* Symbol -> Expr: the type's range of a variable that stands for a machine
                     integer */
    Map meanings; /* Symbol -> const char *: the meaning of a variable that stands for a read */
    size_t count[FINDING_COUNT], by[MEANS_COUNT];
    bool solver_missing; /* Z3 did not start, and was needed */
    bool is_vacuous;     /* all is proved, and also that no input with a point to compute passes
                            the entry */
} Certification;

/* Certifies a program that has no holes and is verified.  `pipeline` (null: not known, as for a
 * text form) says which dimensions of a stage are pure, and where accesses were written.
 * `primitives` (null: not known) are the schedule's directives. */
Certification *certify_program(Program *program, const Pipeline *pipeline,
                               const Directives *primitives, Arena *arena,
                               const CertifyOptions *options);

#endif

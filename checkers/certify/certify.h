/* certify.h -- B(S) as formulas: for all inputs at once, what checkers/query/query.h asks on concrete
 * numbers.
 *
 * One walk over a filled program makes *obligations*: closed implications over the integers.  The
 * context of each is what holds where its statement stands (assertions before it, ranges of loops,
 * values of lets, conditions, the type ranges of what is read), its goal is one clause of B.  Each
 * is discharged by the cheapest of three: rewrite rules, the decision tier, Z3.  Or it is refuted
 * by a point that was evaluated.  Or a condition on sizes and parameters is found from which it
 * follows: a check that is left to run time.  Or it is left open: then the program is not
 * certified.
 *
 * Machine integers are lifted to integers with their wrapping written out (lift.c), so that all
 * three see one formula.  What is read from memory stands for every value of its type (5e).
 */
#ifndef HLC_CERTIFY_CERTIFY_H
#define HLC_CERTIFY_CERTIFY_H

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
    FINDING_CHECK,   /* holds for all inputs for which `check` does, which the entry can ask */
    FINDING_REFUTED, /* fails at `counterexample`, which was evaluated */
    FINDING_COUNT
} ObligationFinding;

/* How it was proved or refuted. */
typedef enum Means { MEANS_TEXT, MEANS_RULES, MEANS_DECISION, MEANS_SOLVER, MEANS_COUNT } Means;
const char *means_text(Means means);

/* What holds where a statement stands: the list of all that was assumed on the way there. */
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
    /* Where it says that a variable lies between two values, as a loop's does, or has one, as a
     * let's does: the variable and these; else null.  It may lie nowhere. */
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
    const char *directive; /* that it comes from; null: none */
    Place directive_place;
    Symbol func; /* whose memory, region or loops it is about; null: none */
    Stmt *stmt;  /* where it must hold */
    const ContextFact *context;
    Expr goal;     /* of sort index and bool; null where only the program's text is looked at */
    bool is_exact; /* the goal is the clause: where it fails, the clause does.  Else it is more */
    const struct Witness *witness; /* covered, once, race: the iteration in the goal (internal.h) */
    const Expr *touched;           /* race: the point that the loop's iteration writes or reads */
    const Stmt *loop;
    const char *rule; /* of a finding from the text: what was seen there */

    ObligationFinding finding;
    Means means;
    Vec(Assignment) counterexample;
    Expr check;         /* of a FINDING_CHECK: bool, in startup variables; of a FINDING_OPEN one
                           that the program cannot take, or null */
    const char *reason; /* of a FINDING_OPEN or FINDING_CHECK: why it is not proved */
} Obligation;

/* The value of a startup variable that is assumed; false where none is. */
typedef bool CertifyValue(void *data, Symbol name, Bits *bits);

typedef struct CertifyOptions {
    CertifyValue *value; /* null: nothing is assumed */
    void *data;
    const char *solver; /* the command Z3; null: it is not asked */
    uint32_t units;     /* Z3's resource limit for one question; 0: the default */
    bool is_brief;      /* the decision tier is asked with the budget of a pass only */
    /* Where Z3's process is noted while it runs, for a caller whose memory runs out meanwhile: it
     * stops what stands there.  May be null. */
    SolverProcess **running;
} CertifyOptions;

typedef struct Certification {
    const Program *program;
    Vec(Obligation *) obligations;
    Map ranges; /* Symbol -> Expr: the type's range of a variable that stands for a machine integer
                 */
    Map meanings; /* Symbol -> const char *: what a variable that stands for a value read is */
    size_t count[FINDING_COUNT], by[MEANS_COUNT];
    bool solver_missing; /* it could not be started, and was needed */
    bool is_vacuous;     /* all is proved, and so is that no input with a point to compute passes
                            the entry */
} Certification;

/* `program` has no holes and is verified.  `pipeline` (null: not known, as of a text form) says
 * which dimensions of a stage are pure, and where accesses were written; `primitives` (null: not
 * known) are the schedule's directives. */
Certification *certify_program(Program *program, const Pipeline *pipeline,
                               const Directives *primitives, Arena *arena,
                               const CertifyOptions *options);

#endif

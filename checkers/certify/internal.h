/* internal.h -- what the files of checkers/certify/ share.
 *
 *   certify.c      the order of work
 *   certificate.c  what is proved, as SMT-LIB 2
 *
 *   walk.c         one walk over the program: what holds where, and the clauses on statements
 *   access.c       the clauses on reads and writes
 *   order.c        the clause on reads among loops that funcs share
 *   window.c       the clause on the windows of outputs
 *   held.c         the clause on what a slid compute statement holds
 *   fold.c         the clause on folded memory
 *   runs.c         whether there is a stage, and whether it runs
 *   stage.c        the clauses on the loops of one stage: covered, once, race, overlap
 *   partial.c      first stages that leave points to an update
 *   apart.c, commute.c, blend.c, tails.c   special cases of these clauses
 *
 *   pieces.c       the writes of a stage, whose loops may stand in several pieces
 *   reach.c        that an iteration runs, and reaches its point
 *   invert.c       which iteration reaches a point: splits and fuses inverted
 *   derived.c      variables of a stage that the algorithm has in two parts
 *   witness.c      expressions of a nest at that iteration
 *
 *   discharge.c    rules, decision tier, Z3
 *   refute.c       counterexamples, evaluated
 *   check.c        conditions on sizes and parameters, for what is left to run time
 *   divide.c       quotients by what is not a constant
 *   question.c     the facts of a question, Z3's answer, and what both may cost
 *   generalize.c   products and quotients of unknowns taken for anything
 *   smt_process.c  a process that runs Z3
 *
 *   origin.c       places, texts and directives
 *   state.c        goals, facts, obligations, and what is known of a func
 *   lift.c         expressions over machine integers as expressions over integers
 *
 * Each file uses those of its own group below it, and of the groups below.
 */
#ifndef HLC_CERTIFY_INTERNAL_H
#define HLC_CERTIFY_INTERNAL_H

#include "checkers/certify/certify.h"
#include "ir/smt.h"
#include "simplify/simplify.h"

/* ---- lift.c ---- */

typedef struct IntegerLifter {
    Pool *pool;
    Arena *arena;
    Map memo;           /* Expr -> Expr */
    Map *ranges;        /* Certification.ranges */
    Map *meanings;      /* Certification.meanings */
    Map inexact;        /* Symbol -> itself: variables that stand for more than the value can be */
    Map values;         /* Symbol of a let of a split or fuse -> its lifted value */
    Simplifier *limits; /* knows the ranges of variables that hold everywhere */
} IntegerLifter;

IntegerLifter lifter_create(Certification *certification, Arena *arena);
/* Of a bool, index or machine integer expression: bool or index, with the same value for all values
 * of the program's variables, where a variable of machine type has become one of sort index in that
 * type's range, and each value read a variable of its own. */
Expr lift(IntegerLifter *lifter, Expr expr);
/* From here on the binder stands for the value. */
void lift_bind(IntegerLifter *lifter, Symbol binder, Expr value);
/* Holds everywhere from here on: conversions that it shows to fit are the operand. */
void lift_learn(IntegerLifter *lifter, Expr lifted);
/* Does a variable of it stand for more than the program's value can be? */
bool lift_is_exact(const IntegerLifter *lifter, Expr lifted);

/* The expression with the nodes that are keys of `replacements` replaced by their values; the map
 * remembers what else was met. */
Expr lift_replace(Pool *pool, Arena *arena, Map *replacements, Expr expr);

/* ---- the walk ---- */

typedef Vec(const ContextFact *) Contexts;

/* What is known of a func at this place of the program; intervals in the program's variables. */
typedef struct FuncKnowledge {
    const FuncShape *shape;
    const Func *func;               /* null without a pipeline */
    const Extent *memory, *compute; /* null: not allocated, not computed */
    const Extent *held;             /* what is right once it is computed; `compute`, if not slid */
    Expr runs; /* null: its stages run where its compute statement does; else if this holds */
    const Stmt *allocate, *computing;
} FuncKnowledge;

typedef struct CertifyWalk {
    Certification *certification;
    Program *program;
    const Pipeline *pipeline;
    const Directives *primitives;
    Pool *pool;
    Arena *arena;
    IntegerLifter lifter;
    const ContextFact *context;
    Contexts entries; /* what holds where an output is computed whose window has points */
    Map states;       /* Symbol -> FuncState */
    Map binders;      /* Symbol of a loop or let -> Stmt */
    Map witnesses;    /* Stmt of a write -> Witness */
    Map partial;      /* partial.c: label of an update -> Pieces of the first stage */
    Map written;      /* origin.c: Expr -> Expr with the author's names */
} CertifyWalk;

/* ---- state.c ---- */

FuncKnowledge *walk_state(const CertifyWalk *walk, Symbol func);
/* The facts before, and a condition in the program's variables. */
const ContextFact *fact_add(CertifyWalk *walk, const ContextFact *before, Expr condition);
const ContextFact *fact_of_kind(CertifyWalk *walk, const ContextFact *before, Expr condition,
                                FactKind kind);
/* And that a variable lies in an interval, or is a value. */
const ContextFact *fact_bind(CertifyWalk *walk, const ContextFact *before, Expr variable,
                             Extent interval);
const ContextFact *fact_equal(CertifyWalk *walk, const ContextFact *before, Expr variable,
                              Expr value);
/* And that the box has points. */
const ContextFact *fact_has_points(CertifyWalk *walk, const ContextFact *before, const Extent *box,
                                   int dimensions);
/* Outermost first. */
Contexts facts_in_order(Arena *arena, const ContextFact *context);
/* A new obligation about `stmt` in the walk's context; the caller may set more.  `claim`, in the
 * program's variables, becomes its goal; null: it has none. */
Obligation *obligation_add(CertifyWalk *walk, ClauseId clause, Stmt *stmt, Symbol func, Expr claim,
                           const char *text);
/* The program's text shows whether it holds: what was seen is `rule`. */
void obligation_settle(Obligation *obligation, bool holds, const char *rule);
/* minimum <= at && at < minimum + length */
Expr interval_holds(Pool *pool, Extent interval, Expr at);
Expr goal_both(Pool *pool, Expr a, Expr b);
/* The conjuncts of a goal. */
void goal_parts(Arena *arena, Expr goal, Exprs *parts);
/* The context in which the write hits the compute region. */
const ContextFact *write_hits(CertifyWalk *walk, const Stmt *store, const FuncKnowledge *state);

/* Are coordinates of dimension k places in folded memory, and no longer points of the func?  -1: of
 * any dimension. */
bool state_has_places(const FuncKnowledge *state, int k);
/* What the store's values read of its own func. */
Exprs store_own_reads(const CertifyWalk *walk, const Stmt *store);
/* Does the store read a func of which they are? */
bool store_reads_places(const CertifyWalk *walk, const Stmt *store);
/* `expr` with the variables of lets around replaced by their values. */
Expr walk_expand(CertifyWalk *walk, Expr expr);
/* "s2"; false where the label is no stage's. */
bool stage_number(const Stmt *label, int *stage);
/* "f, update 2" */
const char *stage_text(const CertifyWalk *walk, const FuncShape *shape, int stage);

/* ---- walk.c ---- */

/* The values that the options say. */
void walk_assume(CertifyWalk *walk, const CertifyOptions *options);
void walk_program(CertifyWalk *walk);

/* ---- access.c ---- */

/* The reads in an expression of `stmt`; `counts`: they must be right in any case.  Else they must
 * be where `in_compute` (a fact list that goes on from the walk's context) holds; null: never. */
void read_clauses(CertifyWalk *walk, Stmt *stmt, Expr expr, bool counts,
                  const ContextFact *in_compute);
void write_clauses(CertifyWalk *walk, Stmt *store);

/* ---- commute.c ---- */

/* Does it not matter in which order iterations of a parallel loop come to an atomic store?  Else
 * `reason` says what is in the way. */
bool commute_at_store(CertifyWalk *walk, const Stmt *store, Stmt *loop, const char **reason);

/* ---- order.c ---- */

/* Does the statement, of another func, stand inside of the compute statement of what it reads? */
bool order_is_open(const Stmt *stmt, const FuncKnowledge *state);
/* Then what it reads must have been written, in this iteration of the common loops or before. */
void order_clause(CertifyWalk *walk, Stmt *stmt, Expr access, const FuncKnowledge *state,
                  const ContextFact *context);
/* Does `first` come before `second` in the innermost block that both stand in?  Not where one is or
 * holds the other, or an if chooses between them. */
bool order_stands_before(const Stmt *first, const Stmt *second);
/* The witness's iteration that writes the point at these indices comes before the statement. */
Expr order_is_before(CertifyWalk *walk, struct Witness *witness, const Stmt *stmt,
                     const Expr *indices);
/* They lie outside of what is computed now: an earlier run of the compute statement left them. */
Expr order_is_left_over(CertifyWalk *walk, const FuncKnowledge *state, const Expr *indices);

/* ---- window.c ---- */

/* At the compute statement of an output; at an if, outside of the context of its branches. */
void window_at_compute(CertifyWalk *walk, Stmt *compute);
void window_at_branch(CertifyWalk *walk, Stmt *branch);

/* ---- held.c ---- */

/* At a slid compute statement; at a write inside one. */
void held_clauses(CertifyWalk *walk, Stmt *compute);
void held_at_store(CertifyWalk *walk, Stmt *store);
/* Does what the compute statement holds in a dimension depend on the loop? */
bool held_depends(CertifyWalk *walk, const Stmt *compute, int dimension, const Stmt *loop);

/* ---- fold.c ---- */

/* At a compute statement; at a write. */
void fold_clauses(CertifyWalk *walk, Stmt *compute);
void fold_at_store(CertifyWalk *walk, Stmt *store);
/* At an allocate statement. */
void room_clauses(CertifyWalk *walk, Stmt *allocate);

/* ---- runs.c ---- */

/* At a compute statement: it has each stage of its func, in their order, or memory holds a table.
 * Finds out when they run. */
void runs_clauses(CertifyWalk *walk, Stmt *compute);
/* At a write: it stands in a stage. */
void runs_at_store(CertifyWalk *walk, Stmt *store);
/* Nothing is written in the stage: nothing may be needed of it. */
void runs_ask_empty(CertifyWalk *walk, Stmt *label, const FuncKnowledge *state, int stage);

/* ---- nests and witnesses ---- */

/* The nest between the label of a stage and its write. */
typedef struct StageNest {
    Stmt *label, *store;
    const FuncShape *shape;
    int stage;
    Vec(Stmt *) path; /* the statements between them, outermost first */
} StageNest;

/* A variable of the stage as its author knows it: a dimension, or a reduction variable. */
typedef struct Root {
    Symbol binder; /* a loop's or let's; null where an index is an expression */
    Expr index;    /* of the write, for a dimension; else null */
    int dimension; /* -1: a reduction variable */
    bool is_loop;  /* a reduction variable of which nothing is known but a loop */
    Extent range;  /* in the program's variables, loops of the nest further out among them */
    Expr base;     /* range.minimum; 0 where that depends on loops of the nest */
    Expr offset;   /* a fresh variable: how far the point lies from that */
    Expr point;    /* base + offset */
} Root;

/* What holds in the branch of the if that `inner` stands in. */
Expr branch_condition(Pool *pool, const Stmt *branch, const Stmt *inner);
/* What holds inside of the path's statement number `i`, an if: its condition, or that it does not
 * hold.  Null for other statements. */
Expr nest_condition(const CertifyWalk *walk, const StageNest *nest, size_t i);

/* A variable that is no root (derived.c). */
typedef struct Derived {
    Symbol binder;
    const ReductionSplit *split; /* null: the algorithm is not known */
} Derived;

typedef Vec(struct Witness *) StagePieces;

typedef struct Witness {
    CertifyWalk *walk;
    const StageNest *nest;
    const StagePieces *pieces; /* of all writes of the stage, this one's among them */
    Vec(Root) roots;
    Vec(Derived) derived;
    Map iteration; /* Symbol of a loop of the nest -> the iteration that reaches the point */
    Map replaced;  /* Expr -> Expr at that iteration */
    Map is_bound;  /* Symbol -> Stmt: bound in the nest */
} Witness;

/* Which iteration of the nest's loops reaches the point with these roots, in the points' variables
 * and those in scope at the label. */
Witness witness_find(CertifyWalk *walk, const StageNest *nest);
/* `expr`, which stands in the nest, at that iteration: in the points' variables and those in scope
 * at the label. */
Expr witness_at(Witness *witness, Expr expr);

/* The loop or let of the nest that binds the variable, or null. */
const Stmt *witness_binder(const Witness *witness, Expr variable);
/* The stage of the algorithm; null where that is not known. */
const Stage *witness_stage(const Witness *witness);
/* Does the expression mention a variable that is bound in the nest? */
bool witness_mentions(const Witness *witness, Expr expr);

/* The iteration's loops run it, its guards hold, and it reaches the point. */
Expr witness_reaches(Witness *witness);
/* The same, and it writes there: its predicate holds, too, and it is one of the algorithm's. */
Expr witness_writes(Witness *witness);

/* The root's value where the write has these indices; null where they do not tell. */
Expr witness_root_at(const Witness *witness, const Root *root, const Expr *indices);
/* The iteration of a loop of the nest that reaches these indices, and these values of the
 * reduction's variables; null where it depends on one that has no value. */
Expr witness_iteration(CertifyWalk *walk, Witness *witness, const Stmt *loop, const Expr *indices,
                       bool with_reduction);

/* ---- derived.c ---- */

/* Finds them among the nest's lets; the dimensions are roots by then, the reductions not yet. */
void derived_find(Witness *witness, const Stage *stage);
bool derived_is(const Witness *witness, Symbol binder);
/* Does the guard speak of one of which the algorithm says where it must hold? */
bool derived_decides(const Witness *witness, Expr guard);
/* Without the algorithm: that at the witness's iteration they lie in the domains of their lets. */
const ContextFact *derived_assume(Witness *witness, const ContextFact *context);
/* Does a text perhaps say of a reduction variable more values than it has?  Where loops have been
 * cut to what a guard let through, a let that is made of them still has the whole domain. */
bool derived_hides_domain(const Witness *witness);
/* They have the algorithm's values, and guards that speak of them hold where it says. */
Expr derived_holds(Witness *witness, const Stage *stage);

/* ---- pieces.c ---- */

typedef Vec(Stmt *) Stmts;
/* The writes of the func below the label; without `enters_all` none in other compute statements. */
Stmts stores_inside(CertifyWalk *walk, Stmt *label, const FuncShape *shape, bool enters_all);
/* The writes of the stage whose label this is. */
StagePieces *stage_pieces(CertifyWalk *walk, Stmt *label);
/* Does no piece before it have the same ranges? */
bool pieces_is_first(const Witness *witness);
/* One of the pieces reaches the witness's point. */
Expr pieces_reach(const Witness *witness);
/* No piece before this one reaches what the write's iteration reaches. */
Expr pieces_are_apart(const Witness *witness);
/* One of the pieces writes the point at these coordinates, one a dimension. */
Expr pieces_write(const StagePieces *pieces, CertifyWalk *walk, const Expr *coordinates);
/* The iteration of a loop of the piece's nest that writes them, if one does; null where they do not
 * tell, as it depends on a reduction variable. */
Expr pieces_iteration(Witness *piece, const Stmt *loop, const Expr *coordinates);

/* ---- partial.c ---- */

/* At the label of a first stage with these writes (perhaps none): where it leaves points to an
 * update, asks that one of both writes each.  False where it must write all itself. */
bool partial_ask(CertifyWalk *walk, Stmt *label, const StagePieces *pieces);
/* At a write of such an update: what it reads of its func was written before. */
void partial_at_store(CertifyWalk *walk, const Witness *witness, Stmt *store);

/* ---- apart.c ---- */

/* That iterations of the loop, which both nests have, do not meet where the one writes and the
 * other touches the point at `indices`, an expression of its nest's write. */
Obligation *apart_ask(CertifyWalk *walk, const StageNest *written, const StageNest *touched,
                      Stmt *loop, const Expr *indices, const char *text);

/* ---- tails.c ---- */

/* Does a tail reach points that are not in the loop that it replaces, or points twice? */
bool tails_add_points(const CertifyWalk *walk, const Witness *witness);
/* That no tail adds a point here, as in a piece of a loop that stays away from the ends. */
Expr tails_add_none(const CertifyWalk *walk, const Witness *witness);
/* Does such a tail write what another iteration holds?  So it may where the compute statement
 * slides. */
bool tails_overwrite(CertifyWalk *walk, const Witness *witness, const FuncKnowledge *state,
                     const Stmt *store);

/* ---- stage.c ---- */

/* At the label of a stage; at a write. */
void stage_clauses(CertifyWalk *walk, Stmt *label);
void stage_at_store(CertifyWalk *walk, Stmt *store);

/* ---- blend.c ---- */

/* The condition under which the store changes something, where else it writes what is there; null
 * where it is no such store. */
Expr blend_condition(CertifyWalk *walk, const Stmt *store);
/* Does it write what is there, as where that condition was never true? */
bool blend_is_idle(const Stmt *store);
/* Do the iterations of the loop that agree outside of it touch different points of the func, as is
 * seen in the text? */
bool blend_is_disjoint(CertifyWalk *walk, const StageNest *nest, const Stmt *store,
                       const Stmt *loop);

/* ---- origin.c ---- */

void origin_of_access(CertifyWalk *walk, Obligation *obligation, Expr access, int dimension);
void origin_of_write(CertifyWalk *walk, Obligation *obligation, int dimension);
void origin_of_directive(CertifyWalk *walk, Obligation *obligation, Place place);
void origin_of_level(CertifyWalk *walk, Obligation *obligation, Symbol func);
/* "x" */
const char *origin_dimension(const FuncShape *shape, int dimension);

/* ---- smt_process.c ---- */

typedef struct SmtProcess SmtProcess;

typedef enum SmtAnswer { SMT_UNKNOWN, SMT_SAT, SMT_UNSAT, SMT_GONE } SmtAnswer;

/* Null where the command cannot be started or does not answer.  `running` (may be null) is
 * CertifyOptions's. */
SmtProcess *smt_start(Arena *arena, const char *command, SolverProcess **running);
void smt_stop(SmtProcess *solver);
/* Forgets what was said before.  `fresh`: by (reset), which costs 20 ms, but then Z3 has all its
 * procedures; else by (push).  `units` limits what it spends on the question. */
void smt_begin(SmtProcess *solver, bool fresh, uint64_t units);
void smt_send(SmtProcess *solver, const char *text);
/* The next answer, all of its lines as one; null where the process has ended. */
const char *smt_receive(SmtProcess *solver, Arena *arena);
/* The answer to a (check-sat). */
SmtAnswer smt_answer(SmtProcess *solver, Arena *arena);
/* The resources that it has spent so far. */
int64_t smt_units(SmtProcess *solver, Arena *arena);

/* ---- question.c: budgets ---- */

typedef struct Budget {
    uint64_t limit, left; /* of one question, of all */
} Budget;

Budget budget_of(uint64_t limit);
/* What the next question may spend; 0: it is not asked. */
uint64_t budget_share(const Budget *budget);
void budget_charge(Budget *budget, uint64_t spent);

/* ---- generalize.c ---- */

typedef struct Generalization Generalization;

Generalization *generalization_create(Pool *pool, Arena *arena);
/* The bool expression with one variable for each term that is hard, the same in all expressions. */
Expr generalize(Generalization *generalization, Expr expr);
/* What each of the variables stands for, as SMT-LIB comments; "" where there are none. */
const char *generalization_text(const Generalization *generalization);

/* ---- discharge.c, question.c, divide.c, refute.c, check.c ---- */

typedef struct Discharge {
    Certification *certification;
    const CertifyOptions *options;
    Arena *arena;
    Pool *pool;
    IntegerLifter *lifter;
    Simplifier *simplifier;
    Vec(const ContextFact *) learned; /* facts that the simplifier knows, first to last */
    Vec(FactMark) marks;              /* before each of them */
    Map variables;                    /* Expr -> Exprs */
    Map by_goal;                      /* Expr -> the last Obligation with this goal */
    bool takes_checks;                /* can a condition become an assertion of the program? */
    Budget units, work;               /* of Z3; of the decision tier, where it is asked once more */
    SmtProcess *solver;
    int64_t units_spent; /* that it has spent so far */
    bool solver_tried;
} Discharge;

Discharge discharge_create(Certification *certification, const CertifyOptions *options,
                           Arena *arena);
void discharge_all(Discharge *discharge);
/* Is it proved that none of these contexts holds for any values?  False where there are none. */
bool discharge_refutes(Discharge *discharge, const Contexts *contexts);
/* Stops Z3, where it was started. */
void discharge_end(Discharge *discharge);
/* Z3, started at the first call; null where it cannot be. */
SmtProcess *discharge_solver(Discharge *discharge);
/* The variables of an expression. */
const Exprs *discharge_variables(Discharge *discharge, Expr expr);
/* Which facts of a context: small ones of the path (what is assumed since the entry) and small
 * assertions that speak of nothing else; all of these; or simply all. */
typedef enum FactReach { FACTS_NEAR, FACTS_PATH, FACTS_ALL } FactReach;
/* The facts of the obligation's context that are in reach; and that variables lie
 * in their types' ranges. */
void discharge_facts(Discharge *discharge, Arena *arena, const Obligation *obligation,
                     FactReach reach, Exprs *facts);
/* A goal with the same value where the context and what `prove` answers true to hold: (n*q + r)/n
 * and (n*q + r) % n without the product, and what such products are compared with decided. */
typedef bool ProveUnder(const void *data, Expr condition);
Expr divide_out(Discharge *discharge, Expr goal, const ContextFact *context, ProveUnder *prove,
                const void *data);
/* How Z3 is asked, one after another: within (push) with more and more facts, where what is not
 * linear is generalized; then likewise, but fresh and as it is. */
enum { QUICK_TRIES = FACTS_ALL + 1, SMT_TRIES = 2 * QUICK_TRIES };
/* Z3's answer to what was said to it since `smt_begin`, of which the budget is charged. */
SmtAnswer discharge_answer(Discharge *discharge, Arena *arena);
/* Does the claim follow from the obligation's context (unsat)?  `*script` is what was asked. */
SmtAnswer discharge_try(Discharge *discharge, Arena *arena, const Obligation *obligation,
                        Expr claim, int try, const char **script);
/* Looks for a point where the context holds and the clause does not, evaluates it, and keeps it. */
void refute(Discharge *discharge, Obligation *obligation);
/* Does the context hold somewhere, as a few guesses show? */
bool refute_impossible(Discharge *discharge, const ContextFact *context);
/* A condition on startup variables from which the obligation follows; null where none is found. */
Expr check_find(Discharge *discharge, const Obligation *obligation);

#endif

/* internal.h -- shared by the files of checkers/certify/.
 *
 *   certify.c      the order of work
 *   certificate.c  writes the proofs as SMT-LIB 2
 *
 *   walk.c         one walk over the program: the facts at each statement, the clauses on
 *   statements access.c       the clauses on reads and writes
 *   order.c        the clause on reads among loops that funcs share
 *   window.c       the clause on the windows of outputs
 *   held.c         the clause on the region that a slid compute statement holds
 *   fold.c         the clause on folded memory
 *   runs.c         does a stage exist, and does it run
 *   stage.c        the clauses on the loops of one stage: covered, once, race, overlap
 *   partial.c      first stages that leave points to an update
 *   apart.c, commute.c, blend.c, tails.c   special cases of these clauses
 *
 *   pieces.c       the writes of a stage, whose loops may stand in several pieces
 *   reach.c        an iteration runs, and reaches its point
 *   invert.c       the iteration that reaches a point: splits and fuses inverted
 *   derived.c      variables of a stage that the algorithm has in two parts
 *   witness.c      expressions of a nest at that iteration
 *
 *   discharge.c    rules, decision tier, Z3
 *   refute.c       counterexamples, evaluated
 *   check.c        conditions on sizes and parameters, left to run time
 *   divide.c       quotients by terms that are not constant
 *   question.c     the facts of a question, Z3's answer, and the budgets of both
 *   generalize.c   replaces products and quotients of unknowns by fresh variables
 *   smt_process.c  a process that runs Z3
 *
 *   origin.c       places, texts and directives
 *   state.c        goals, facts, obligations, and the knowledge of a func
 *   lift.c         expressions over machine integers as expressions over integers
 *
 * A file uses files of its own group below it, and of the groups below.
 */
#ifndef HLC_CHECKERS_CERTIFY_INTERNAL_H
#define HLC_CHECKERS_CERTIFY_INTERNAL_H

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
    Map inexact;        /* Symbol -> Expr: variables with more values than the program's value */
    Map values;         /* Symbol of a let of a split or fuse -> its lifted value */
    Map shapes;         /* Expr -> MonotoneFloat: the last of its shape */
    Simplifier *limits; /* knows the ranges of variables that hold everywhere */
} IntegerLifter;

IntegerLifter lifter_create(Certification *certification, Arena *arena);
/* Lifts a bool, index or machine integer expression to a bool or index with the same value, for all
 * values of the program's variables.  A variable of machine type becomes one of sort index in that
 * type's range.  Each value read becomes a variable of its own. */
Expr lift(IntegerLifter *lifter, Expr expr);
/* Makes the binder stand for the value from here on. */
void lift_bind(IntegerLifter *lifter, Symbol binder, Expr value);
/* Learns a fact that holds everywhere from here on.  A conversion that provably fits becomes its
 * operand. */
void lift_learn(IntegerLifter *lifter, Expr lifted);
/* Learns the ranges of float parameters, which the entry asserts. */
void lift_learn_parameters(IntegerLifter *lifter, const Pipeline *pipeline);
/* The same without the algorithm: those that the first assertions of a text say. */
void lift_learn_asserted(IntegerLifter *lifter, const Program *program);
/* Does none of its variables have more values than the program's value? */
bool lift_is_exact(const IntegerLifter *lifter, Expr lifted);
/* The expression, over lifted integers, that a variable stands for which has more values; null for
 * other variables. */
Expr lift_expression(const IntegerLifter *lifter, Symbol name);

/* Replaces each node of the expression that is a key of `replacements` by its value.  The map also
 * remembers the other nodes. */
Expr lift_replace(Pool *pool, Arena *arena, Map *replacements, Expr expr);

/* ---- the walk ---- */

typedef Vec(const ContextFact *) Contexts;

/* The knowledge of a func at this place of the program; intervals in the program's variables. */
typedef struct FuncKnowledge {
    const FuncShape *shape;
    const Func *func;               /* null without a pipeline */
    const Extent *memory, *compute; /* null: not allocated, not computed */
    const Extent *held;             /* right after it is computed; `compute`, if not slid */
    Expr runs; /* null: its stages run whenever its compute statement does; else if this holds */
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
    Contexts entries; /* the contexts in which an output with a point in its window is computed */
    Map states;       /* Symbol -> FuncState */
    Map binders;      /* Symbol of a loop or let -> Stmt */
    Map witnesses;    /* Stmt of a write -> Witness */
    Map partial;      /* partial.c: label of an update -> Pieces of the first stage */
    Map written;      /* origin.c: Expr -> Expr with the author's names */
} CertifyWalk;

/* ---- state.c ---- */

FuncKnowledge *walk_state(const CertifyWalk *walk, Symbol func);
/* Adds a condition in the program's variables to the facts before. */
const ContextFact *fact_add(CertifyWalk *walk, const ContextFact *before, Expr condition);
const ContextFact *fact_of_kind(CertifyWalk *walk, const ContextFact *before, Expr condition,
                                FactKind kind);
/* The same for the fact that a variable lies in an interval, or is a value. */
const ContextFact *fact_bind(CertifyWalk *walk, const ContextFact *before, Expr variable,
                             Extent interval);
const ContextFact *fact_equal(CertifyWalk *walk, const ContextFact *before, Expr variable,
                              Expr value);
/* The same for the fact that the box has points. */
const ContextFact *fact_has_points(CertifyWalk *walk, const ContextFact *before, const Extent *box,
                                   int dimensions);
/* Returns the facts, outermost first. */
Contexts facts_in_order(Arena *arena, const ContextFact *context);
/* Makes a new obligation about `stmt` in the walk's context.  The caller may set more.  `claim`, in
 * the program's variables, becomes its goal; null: it has none. */
Obligation *obligation_add(CertifyWalk *walk, ClauseId clause, Stmt *stmt, Symbol func, Expr claim,
                           const char *text);
/* Settles the obligation: the program's text shows whether it holds; `rule` is the reason. */
void obligation_settle(Obligation *obligation, bool holds, const char *rule);
/* Returns minimum <= at && at < minimum + length. */
Expr interval_holds(Pool *pool, Extent interval, Expr at);
Expr goal_both(Pool *pool, Expr a, Expr b);
/* Appends the conjuncts of a goal. */
void goal_parts(Arena *arena, Expr goal, Exprs *parts);
/* Returns the context in which the write hits the compute region. */
const ContextFact *write_hits(CertifyWalk *walk, const Stmt *store, const FuncKnowledge *state);

/* Are coordinates of dimension k places in folded memory, and no longer points of the func?  -1: of
 * any dimension. */
bool state_has_places(const FuncKnowledge *state, int k);
/* Returns the stored value, with what lets around it have read. */
Expr store_value(const CertifyWalk *walk, const Stmt *store, int component);
/* Returns the reads of its own func in the store's values. */
Exprs store_own_reads(const CertifyWalk *walk, const Stmt *store);
/* Does the store read a func whose coordinates are places? */
bool store_reads_places(const CertifyWalk *walk, const Stmt *store);
/* Returns `expr` with the variables of lets around replaced by their values. */
Expr walk_expand(CertifyWalk *walk, Expr expr);
/* Reads "s2"; false if the label is no stage's. */
bool stage_number(const Stmt *label, int *stage);
/* Returns "f, update 2". */
const char *stage_text(const CertifyWalk *walk, const FuncShape *shape, int stage);

/* ---- walk.c ---- */

/* Assumes the values in the options. */
void walk_assume(CertifyWalk *walk, const CertifyOptions *options);
void walk_program(CertifyWalk *walk);

/* ---- access.c ---- */

/* Makes obligations for the reads in an expression of `stmt`.  With `counts`, they must always be
 * right.  Otherwise they must be right if `in_compute` holds, a fact list that continues the walk's
 * context; null: never. */
void read_clauses(CertifyWalk *walk, Stmt *stmt, Expr expr, bool counts,
                  const ContextFact *in_compute);
void write_clauses(CertifyWalk *walk, Stmt *store);

/* ---- commute.c ---- */

/* May iterations of a parallel loop come to an atomic store in any order?  If not, `reason` is the
 * obstacle. */
bool commute_at_store(CertifyWalk *walk, const Stmt *store, Stmt *loop, const char **reason);

/* ---- order.c ---- */

/* Does the statement, of another func, stand inside the compute statement of the func that it
 * reads? */
bool order_is_open(const Stmt *stmt, const FuncKnowledge *state);
/* For such a statement: what it reads must have been written in this iteration of the common loops,
 * or before. */
void order_clause(CertifyWalk *walk, Stmt *stmt, Expr access, const FuncKnowledge *state,
                  const ContextFact *context);
/* Does `first` come before `second` in the innermost block that holds both?  No if one is or holds
 * the other, or if an `if` chooses between them. */
bool order_stands_before(const Stmt *first, const Stmt *second);
/* Returns the condition that the witness's iteration, which writes the point at these indices,
 * comes before the statement. */
Expr order_is_before(CertifyWalk *walk, struct Witness *witness, const Stmt *stmt,
                     const Expr *indices);
/* Returns the condition that the indices lie outside the region computed now: an earlier run of the
 * compute statement left them. */
Expr order_is_left_over(CertifyWalk *walk, const FuncKnowledge *state, const Expr *indices);

/* ---- window.c ---- */

/* Called at the compute statement of an output; at an if, outside the context of its branches. */
void window_at_compute(CertifyWalk *walk, Stmt *compute);
void window_at_branch(CertifyWalk *walk, Stmt *branch);

/* ---- held.c ---- */

/* Called at a slid compute statement; at a write inside one. */
void held_clauses(CertifyWalk *walk, Stmt *compute);
void held_at_store(CertifyWalk *walk, Stmt *store);
/* Does the region that the compute statement holds in a dimension depend on the loop? */
bool held_depends(CertifyWalk *walk, const Stmt *compute, int dimension, const Stmt *loop);

/* ---- fold.c ---- */

/* Called at a compute statement; at a write. */
void fold_clauses(CertifyWalk *walk, Stmt *compute);
void fold_at_store(CertifyWalk *walk, Stmt *store);
/* Called at an allocate statement. */
void room_clauses(CertifyWalk *walk, Stmt *allocate);

/* ---- runs.c ---- */

/* Called at a compute statement.  It must have each stage of its func, in order, or its memory
 * holds a table.  Finds out when the stages run. */
void runs_clauses(CertifyWalk *walk, Stmt *compute);
/* Called at a write: it must stand in a stage. */
void runs_at_store(CertifyWalk *walk, Stmt *store);
/* For a stage that writes nothing: nothing may be needed of it. */
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
    Symbol binder; /* a loop's or let's; null if an index is an expression */
    Expr index;    /* of the write, for a dimension; else null */
    int dimension; /* -1: a reduction variable */
    bool is_loop;  /* a reduction variable of which only a loop is known */
    Extent range;  /* in the program's variables, among them outer loops of the nest */
    Expr base;     /* range.minimum; 0 if that depends on loops of the nest */
    Expr offset;   /* a fresh variable: the distance of the point from the base */
    Expr point;    /* base + offset */
} Root;

/* Returns the condition that holds in the branch of the if that contains `inner`. */
Expr branch_condition(Pool *pool, const Stmt *branch, const Stmt *inner);
/* Returns the condition that holds inside the path's statement number `i`, an if: its condition or
 * the negation.  Null for other statements. */
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
    const StagePieces *pieces; /* of all writes of the stage, including this one */
    Vec(Root) roots;
    Vec(Derived) derived;
    bool is_guessed; /* the text does not say whether a dimension of the update is pure */
    bool is_partial; /* the text does not say what a reduction loop counts: it has lost a part */
    Map iteration;   /* Symbol of a loop of the nest -> the iteration that reaches the point */
    Map solved;      /* Symbol of a let of the nest -> the value from which its loops were solved */
    Map replaced;    /* Expr -> Expr at that iteration */
    Map stepped;     /* the same, with `solved` for each let */
    Map is_bound;    /* Symbol -> Stmt: bound in the nest */
} Witness;

/* Finds the iteration of the nest's loops that reaches the point with these roots.  The result is
 * over the points' variables and those in scope at the label. */
Witness witness_find(CertifyWalk *walk, const StageNest *nest);
/* Returns `expr`, which stands in the nest, at that iteration, over the points' variables and those
 * in scope at the label. */
Expr witness_at(Witness *witness, Expr expr);

/* Returns the loop or let of the nest that binds the variable, or null. */
const Stmt *witness_binder(const Witness *witness, Expr variable);
/* Returns the stage of the algorithm; null if it is not known. */
const Stage *witness_stage(const Witness *witness);
/* Does the expression mention a variable that is bound in the nest? */
bool witness_mentions(const Witness *witness, Expr expr);

/* The same, with the solved value in the place of each let that has one. */
Expr witness_step_at(Witness *witness, Expr expr);

/* Returns the condition that the loops run the iteration, its guards hold, and it reaches the
 * point. */
Expr witness_reaches(Witness *witness);
/* A condition that implies it: each let has its solved value, and with these the rest holds.  So no
 * formula nests the values of several lets. */
Expr witness_steps(Witness *witness);
/* The same, and the iteration writes there: its predicate holds, too, and it is in the
 * algorithm. */
Expr witness_writes(Witness *witness);

/* Returns the root's value if the write has these indices; null if they do not determine it. */
Expr witness_root_at(const Witness *witness, const Root *root, const Expr *indices);
/* Returns the iteration of a loop of the nest that reaches these indices.  The reduction's
 * variables have these values.  Null if it depends on a variable without a value. */
Expr witness_iteration(CertifyWalk *walk, Witness *witness, const Stmt *loop, const Expr *indices,
                       bool with_reduction);

/* ---- derived.c ---- */

/* Finds the derived variables among the nest's lets.  The dimensions are roots by then, the
 * reductions not yet. */
void derived_find(Witness *witness, const Stage *stage);
bool derived_is(const Witness *witness, Symbol binder);
/* Does the guard mention a derived variable for which the algorithm says where the guard holds? */
bool derived_decides(const Witness *witness, Expr guard);
/* Without the algorithm: assumes that at the witness's iteration the derived variables lie in the
 * domains of their lets. */
const ContextFact *derived_assume(Witness *witness, const ContextFact *context);
/* May a text give a reduction variable more values than it has?  If loops have been cut to the
 * iterations that a guard let through, a let made of them still has the whole domain. */
bool derived_hides_domain(const Witness *witness);
/* Returns the condition that they have the algorithm's values, and that guards that mention them
 * hold where the algorithm says. */
Expr derived_holds(Witness *witness, const Stage *stage);

/* ---- pieces.c ---- */

typedef Vec(Stmt *) Stmts;
/* Returns the writes of the func below the label; without `enters_all`, none in other compute
 * statements. */
Stmts stores_inside(CertifyWalk *walk, Stmt *label, const FuncShape *shape, bool enters_all);
/* Returns the writes of the stage with this label. */
StagePieces *stage_pieces(CertifyWalk *walk, Stmt *label);
/* Does no earlier piece have the same ranges? */
bool pieces_is_first(const Witness *witness);
/* Returns the condition that one of the pieces reaches the witness's point. */
Expr pieces_reach(const Witness *witness);
/* Returns the condition that no earlier piece reaches what the write's iteration reaches. */
Expr pieces_are_apart(const Witness *witness);
/* Returns the condition that one of the pieces writes the point at these coordinates, one a
 * dimension. */
Expr pieces_write(const StagePieces *pieces, CertifyWalk *walk, const Expr *coordinates);
/* Returns the iteration of a loop of the piece's nest that writes the coordinates, if one does.
 * Null if it depends on a reduction variable, so the coordinates do not determine it. */
Expr pieces_iteration(Witness *piece, const Stmt *loop, const Expr *coordinates);

/* ---- partial.c ---- */

/* Called at the label of a first stage with these writes (perhaps none).  If the stage leaves
 * points to an update, asks that one of the two writes each point.  False if it must write all
 * itself. */
bool partial_ask(CertifyWalk *walk, Stmt *label, const StagePieces *pieces);
/* Called at a write of such an update: what it reads of its func must have been written before. */
void partial_at_store(CertifyWalk *walk, const Witness *witness, Stmt *store);

/* ---- apart.c ---- */

/* Asks that iterations of the loop, which both nests have, do not meet.  One iteration writes; the
 * other touches the point at `indices`, an expression of its nest's write. */
Obligation *apart_ask(CertifyWalk *walk, const StageNest *written, const StageNest *touched,
                      Stmt *loop, const Expr *indices, const char *text);

/* ---- tails.c ---- */

/* Does a tail reach points outside the loop that it replaces, or points twice? */
bool tails_add_points(const CertifyWalk *walk, const Witness *witness);
/* Returns the condition that no tail adds a point here, as in a piece of a loop far from the
 * ends. */
Expr tails_add_none(const CertifyWalk *walk, const Witness *witness);
/* Does such a tail write what another iteration holds?  That may happen only if the compute
 * statement slides. */
bool tails_overwrite(CertifyWalk *walk, const Witness *witness, const FuncKnowledge *state,
                     const Stmt *store);

/* ---- stage.c ---- */

/* Called at the label of a stage; at a write. */
void stage_clauses(CertifyWalk *walk, Stmt *label);
void stage_at_store(CertifyWalk *walk, Stmt *store);

/* ---- blend.c ---- */

/* Returns the condition under which the store changes something, if it otherwise writes back the
 * old value; null if it is no such store. */
Expr blend_condition(CertifyWalk *walk, const Stmt *store);
/* Does the store write back the old value, as if that condition were never true? */
bool blend_is_idle(const Stmt *store);
/* Do the iterations of the loop that agree outside it touch different points of the func, as the
 * text shows? */
bool blend_is_disjoint(CertifyWalk *walk, const StageNest *nest, const Stmt *store,
                       const Stmt *loop);

/* ---- origin.c ---- */

void origin_of_access(CertifyWalk *walk, Obligation *obligation, Expr access, int dimension);
void origin_of_write(CertifyWalk *walk, Obligation *obligation, int dimension);
void origin_of_directive(CertifyWalk *walk, Obligation *obligation, Place place);
void origin_of_level(CertifyWalk *walk, Obligation *obligation, Symbol func);
/* Returns "x". */
const char *origin_dimension(const FuncShape *shape, int dimension);

/* ---- smt_process.c ---- */

typedef struct SmtProcess SmtProcess;

typedef enum SmtAnswer { SMT_UNKNOWN, SMT_SAT, SMT_UNSAT, SMT_GONE } SmtAnswer;

/* Starts Z3; null if the command cannot start or does not answer.  `running` (may be null) is that
 * of CertifyOptions. */
SmtProcess *smt_start(Arena *arena, const char *command, SolverProcess **running);
void smt_stop(SmtProcess *solver);
/* Forgets all earlier input.  `fresh`: by (reset), which costs 20 ms and gives Z3 all its
 * procedures; else by (push).  `units` limits the resources for the question. */
void smt_begin(SmtProcess *solver, bool fresh, uint64_t units);
void smt_send(SmtProcess *solver, const char *text);
/* Returns the next answer, all of its lines as one; null if the process has ended. */
const char *smt_receive(SmtProcess *solver, Arena *arena);
/* Returns the answer to a (check-sat). */
SmtAnswer smt_answer(SmtProcess *solver, Arena *arena);
/* Returns the resources spent so far. */
int64_t smt_units(SmtProcess *solver, Arena *arena);

/* ---- question.c: budgets ---- */

typedef struct Budget {
    uint64_t limit, left; /* for one question; for all */
} Budget;

Budget budget_of(uint64_t limit);
/* Returns the resources for the next question; 0: do not ask it. */
uint64_t budget_share(const Budget *budget);
void budget_charge(Budget *budget, uint64_t spent);

/* ---- generalize.c ---- */

typedef struct Generalization Generalization;

Generalization *generalization_create(Pool *pool, Arena *arena);
/* Replaces each hard term of the bool expression by a variable, the same in all expressions. */
Expr generalize(Generalization *generalization, Expr expr);
/* Returns the term of each variable, as SMT-LIB comments; "" if there are none. */
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
    Budget units, work;               /* of Z3; of the second try of the decision tier */
    SmtProcess *solver;
    int64_t units_spent; /* resources spent so far */
    bool solver_tried;
} Discharge;

Discharge discharge_create(Certification *certification, const CertifyOptions *options,
                           Arena *arena);
void discharge_all(Discharge *discharge);
/* Returns the obligation with one more fact in its context. */
Obligation *obligation_with(Arena *arena, const Obligation *obligation, Expr fact);
/* Is it proved that none of these contexts holds for any values?  False if there are none. */
bool discharge_refutes(Discharge *discharge, const Contexts *contexts);
/* Stops Z3 if it was started. */
void discharge_end(Discharge *discharge);
/* Returns Z3, started at the first call; null if it cannot start. */
SmtProcess *discharge_solver(Discharge *discharge);
/* Returns the variables of an expression. */
const Exprs *discharge_variables(Discharge *discharge, Expr expr);
/* The facts of a context to use.  NEAR: small facts of the path (assumed since the entry), and
 * small assertions that mention nothing else.  PATH: all facts of these kinds.  ALL: all facts. */
typedef enum FactReach { FACTS_NEAR, FACTS_PATH, FACTS_ALL } FactReach;
/* Appends the facts of the obligation's context that are in reach, and the facts that variables lie
 * in their types' ranges. */
void discharge_facts(Discharge *discharge, Arena *arena, const Obligation *obligation,
                     FactReach reach, Exprs *facts);
/* Rewrites a goal to one with the same value under the context and the facts that `prove` confirms.
 * (n*q + r)/n and (n*q + r) % n lose the product, and comparisons of such products are decided. */
typedef bool ProveUnder(const void *data, Expr condition);
Expr divide_out(Discharge *discharge, Expr goal, const ContextFact *context, ProveUnder *prove,
                const void *data);
/* The tries with Z3, one after another.  First within (push), with more and more facts; terms that
 * are not linear are generalized.  Then the same with (reset), without generalizing. */
enum { QUICK_TRIES = FACTS_ALL + 1, SMT_TRIES = 2 * QUICK_TRIES };
/* Returns Z3's answer to the input since `smt_begin`, and charges the budget. */
SmtAnswer discharge_answer(Discharge *discharge, Arena *arena);
/* Does the claim follow from the obligation's context (unsat)?  `*script` is the question. */
SmtAnswer discharge_try(Discharge *discharge, Arena *arena, const Obligation *obligation,
                        Expr claim, int try, const char **script);
/* Searches for a point where the context holds and the clause does not, evaluates and keeps it. */
void refute(Discharge *discharge, Obligation *obligation);
/* Does the context hold somewhere, as a few guesses show? */
bool refute_impossible(Discharge *discharge, const ContextFact *context);
/* Returns a condition on startup variables from which the obligation follows; null if none is
 * found. */
Expr check_find(Discharge *discharge, const Obligation *obligation);

#endif

/* internal.h -- what the files of the recogniser share; nothing outside associative/ includes it.
 *
 *   stage.c          an update of a func as a question
 *   operator.c       the entry: an update, and an operator as it stands
 *   decompose.c      which elements go together; groups again; merging
 *   recognise.c      one group against the table, by cases of conditions that are free of x
 *   quotients.c      one group against entries with divisions
 *   from_identity.c  and against what the update makes of an entry's identity
 *   unlisted.c       one group that the table does not have
 *   chosen.c         one that keeps the first or the last that is found
 *   saturating.c     a sum that stops at a limit
 *   scaled.c         sums of exponentials, scaled by the greatest
 *   counted.c        sums that cannot wrap, since there are so many iterations
 *   unwrapped.c      one that holds over the integers, where nothing wraps
 *   trial.c          what was found, tried
 *   remedy.c         how an operator would commute
 *   reasons.c        why an update is not recognised
 *   prove.c          that an operator which the table does not make is associative
 *   identity.c       and its right-neutral element
 *   equal.c          are two expressions the same?  same.c  by all values that matter
 *   match.c          one pattern against one tuple, modulo associativity and commutativity
 *   pattern.c        entries of the table as expressions
 *   canonical.c      the canonical form;  ring.c  of its sums and products
 *   refute.c         expressions at many points; values that show that one is not associative
 *   recogniser.c     the question, its variables, what mentions x
 */
#ifndef HLC_ASSOCIATIVE_INTERNAL_H
#define HLC_ASSOCIATIVE_INTERNAL_H

#include "associative/associative.h"
#include "associative/operator_table.h"

/* One question while it is answered. */
typedef struct Recogniser {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    const AssociativeUpdate *update;
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX];
    Map has_x;                 /* Expr -> whether an x.i stands in it: 1 + a bool, as a pointer */
    Map canonical;             /* Expr -> Expr */
    bool as_written;           /* y.i of a pattern stands for the variable y.i only: of operators */
    bool all_vary;             /* every variable counts as x */
    Symbol constant;           /* of an operator, the name that is any constant; or null */
    bool by_values_that_occur; /* chosen.c and saturating.c are asked, too */
    bool wants_trial;      /* something was recognised that is no instance of an entry (trial.c) */
    const char *near_miss; /* what is said where nothing is found: a clause; null: nothing known */
} Recogniser;

/* ---- recogniser.c ---- */

Recogniser recogniser_create(Pool *pool, Arena *arena, const AssociativeUpdate *update);

/* The elements of a group, in their order. */
typedef struct Elements {
    int elements[ASSOCIATIVE_MAX], count;
} Elements;

/* Those whose bit is set. */
Elements elements_of(const Recogniser *r, uint32_t elements);

bool has_x(Recogniser *r, Expr expr);
/* Appends the largest terms of `expr` that are free of x, but for constants, each once. */
void collect_free_terms(Recogniser *r, Expr expr, Exprs *terms);
/* Is it an operator whose nested uses are a chain of operands in any order? */
bool is_chain(Expr node);
/* Appends the operands of the chain `expr`; a subterm free of x is one. */
void chain_operands(Recogniser *r, Op op, Expr expr, Exprs *operands);
/* `expr` with the elements of the group, which are these variables, replaced by these values; both
 * by element. */
Expr with_elements(Recogniser *r, const Elements *group, const Expr *variables, const Expr *values,
                   Expr expr);

/* ---- canonical.c, ring.c ---- */

/* The canonical form: nothing free of x is changed, but that what is free of x in one chain is one
 * operand, the last; sums are of distinct products, comparisons of integers are `<` and `==`. */
Expr canonical_form(Recogniser *r, Expr expr);
/* The sum or product `node` of canonical operands; null where it is too long. */
Expr ring_form(Recogniser *r, Expr node);
/* -expr, where that can be said with the sign inside. */
Expr ring_negate(Pool *pool, Expr expr);
/* All select(p && c, a, b) in `expr`, where p is free of x and c is not, as select(p, select(c, a,
 * b), b), and so for ||. */
Expr separate_conditions(Recogniser *r, Expr expr);

/* ---- pattern.c ---- */

/* The number of this type, and the least and the greatest one (infinity for floats). */
Expr pattern_number(Pool *pool, Type type, int value);
Expr pattern_end(Pool *pool, Type type, bool highest);
/* The constant of an element's type that prefix code of one element says. */
Expr pattern_identity(Pool *pool, const OperatorEntry *entry, int element, Type type, Expr k);
/* The term of one element over these x, y and k (null where the entry has none). */
Expr pattern_element(Pool *pool, const OperatorEntry *entry, int element, const Expr *x,
                     const Expr *y, Expr k);
/* The same over x and y by the elements of the tuple, of which the entry's element i is
 * `group->elements[i]`; the entry has no k. */
Expr entry_merged(Recogniser *r, const OperatorEntry *entry, const Elements *group, int element,
                  const Expr *x_of, const Expr *y_of);
/* May elements of these types be those of the entry, which computes with floats only where
 * `reassociation`?  The type of its k, where it has one. */
bool entry_takes(const OperatorEntry *entry, const Type *types, bool reassociation, Type *constant);

/* ---- match.c ---- */

typedef struct PatternBinding {
    int8_t element[ASSOCIATIVE_MAX]; /* of the pattern's element i, the tuple's; -1: none yet */
    uint32_t taken;                  /* the tuple's elements that are bound */
    Expr y[ASSOCIATIVE_MAX];         /* by the pattern's element; null: none yet */
    Expr k;
} PatternBinding;

/* Is its value the same in all iterations, and whatever y stands for? */
bool is_the_same_always(const Recogniser *r, Expr expr);
/* Is the tuple of `count` elements `group` an instance of the patterns?  `values` by element of the
 * func, all canonical; what is bound already is kept. */
bool match_tuple(Recogniser *r, const Expr *patterns, const Expr *values, const int *group,
                 int count, PatternBinding *binding);

/* ---- recognise.c ---- */

/* One group, recognised. */
typedef struct Found {
    const OperatorEntry *entry; /* null: proved without the table */
    bool has_identity, lacks_identity, commutes;
    uint32_t not_negative, positive; /* elements of which all tuples must be so */
    Expr operator[ASSOCIATIVE_MAX], identity[ASSOCIATIVE_MAX], injected[ASSOCIATIVE_MAX];
} Found;

bool recognise_group(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* The condition, free of x, of some choice between what is not; null: there is none. */
Expr condition_of_cases(Recogniser *r, const Expr *values, const Elements *group);
/* Where the condition holds, or does not. */
void values_in_case(Recogniser *r, const Expr *values, const Elements *group, Expr condition,
                    bool holds, Expr *chosen);
bool changes_nothing(const Recogniser *r, const Expr *values, const Elements *group);

/* ---- quotients.c ---- */

/* The same against the entries with divisions, whose instances do not look alike. */
bool recognise_quotients(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- from_identity.c ---- */

/* The same of several elements against the entries made by hand, where an update says less than its
 * operator does. */
bool recognise_from_identity(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- unlisted.c ---- */

/* The same of a group that the table does not have. */
bool recognise_unlisted(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- chosen.c ---- */

/* The same of elements of which the first or the last that is found is kept. */
bool recognise_chosen(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- saturating.c ---- */

/* The same of a sum that stops at a limit. */
bool recognise_saturating(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- counted.c ---- */

/* The same of sums of integers that cannot wrap, as many iterations as there are. */
bool recognise_counted(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- scaled.c ---- */

/* The same of a sum of exponentials that is scaled by the greatest exponent. */
bool recognise_scaled(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- trial.c ---- */

/* Does the answer about an update hold where four iterations are run at drawn values?  True where
 * it is too long to try, or is about reals. */
bool stands_trial(Recogniser *r, const Associativity *answer);

/* ---- unwrapped.c ---- */

/* From the least integer to the greatest, of any type. */
typedef struct WideRange {
    __int128 least, most;
} WideRange;
/* What of the type is in the interval. */
WideRange range_of_interval(Type type, ConstantInterval interval);

/* The same of one element that may be associative where nothing wraps, and shows that nothing does:
 * fills in what prove_operator does. */
bool prove_unwrapped(Recogniser *r, Associativity *part, Expr injected);

/* The same of integers that do not wrap; `expr` is not deep. */
Expr integers_of(Recogniser *r, Expr expr);

/* ---- decompose.c ---- */

/* Fills in all of `result` but what is there already; false, with a reason, where some part is not
 * recognised. */
bool decompose(Recogniser *r, const Expr *values, Associativity *result);

/* ---- reasons.c ---- */

/* Why the update, with these values, was not recognised; null: nothing is known but that. */
const char *known_reason(Recogniser *r, const Expr *values);

/* ---- refute.c ---- */

/* Expressions evaluated at many points at once: a column of values for each node, in an order in
 * which arguments come first.  The columns of variables are the caller's to fill. */
#define PLAN_BATCH 64
typedef struct PlanNode {
    Expr node;
    Bits *column; /* PLAN_BATCH */
    const Bits *arguments[OP_MAX_ARITY];
} PlanNode;

typedef struct Plan {
    Arena *arena;
    Vec(PlanNode) variables, nodes; /* nodes: that are computed */
    Map columns;                    /* Expr -> Bits[PLAN_BATCH] */
} Plan;
Plan plan_create(Arena *arena);
Bits *plan_column(Plan *plan, Expr expr);
/* At the first `count` points. */
void plan_run(const Plan *plan, int count);
/* Fills a variable's column with values, the same ones from the same state. */
void plan_draw(uint64_t *state, Type type, Bits *column);

/* How many batches of points are tried: of what is to be refuted with its values, and before a
 * proof, which is what counts. */
enum { POINTS_TO_REFUTE = 8, POINTS_BEFORE_PROOF = 1 };
/* Values at which the operator over x, y (and `constant`) is not associative; false where none was
 * found.  It has no accesses. */
bool refute_associative(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                        const Expr *operator, Symbol constant, int rounds,
                        Counterexample *counterexample);
/* f(f(x, y), z) and f(x, f(y, z)), over variables `z.i`. */
void associative_sides(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                       const Expr *operator, Expr * left, Expr *right);

/* ---- same.c ---- */

/* Are the elements, of comparisons and choices alone, or of bits alone, the same?  False where they
 * are of another kind, or of too many unknowns. */
bool is_same_by_values(Recogniser *r, int count, const Expr *left, const Expr *right);

/* ---- identity.c ---- */

/* Looks for an identity of the operator `found`; says, too, where there is none. */
void find_identity(Recogniser *r, Associativity *found);

/* ---- equal.c ---- */

/* Are the two the same for all values of what they read?  Floats are the reals here, or are not
 * asked about.  Of a recogniser of which everything varies. */
bool is_same(Recogniser *r, Expr a, Expr b);
/* The same of two tuples. */
bool are_same(Recogniser *r, int arity, const Expr *left, const Expr *right);
/* The same of two expressions of this recogniser. */
bool is_same_update(Recogniser *asked, Expr a, Expr b);
/* A recogniser of the same question of which everything varies: all is multiplied out. */
Recogniser prover_create(const Recogniser *asked);

/* ---- prove.c ---- */

/* Shows without the table that `part`, of which arity, types, x, y and operator are there, is
 * associative, and fills in whether it commutes and its identity; false where it does not. */
bool prove_operator(Recogniser *asked, Associativity *part);

#endif

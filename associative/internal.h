/* internal.h -- the state and the functions that the files of the recogniser share; nothing outside
 * associative/ includes it.
 *
 *   stage.c          poses the question for an update of a func
 *   operator.c       the entries: for an update, and for a given operator
 *   decompose.c      groups the components; regroups; merges
 *   recognise.c      matches one group with the table, by cases of conditions free of x
 *   quotients.c      matches one group with entries with divisions
 *   from_identity.c  and with the update's value on an entry's identity
 *   unlisted.c       one group that is not in the table
 *   chosen.c         one that keeps the first or the last match
 *   saturating.c     a sum that stops at a limit
 *   scaled.c         sums of exponentials, scaled by the greatest
 *   counted.c        sums that cannot wrap, by the number of iterations
 *   unwrapped.c      one that holds over the integers, if nothing wraps
 *   trial.c          tries a result at values
 *   remedy.c         suggests how an operator would commute
 *   reasons.c        explains why an update is not recognised
 *   prove.c          proves an operator associative without the table
 *   identity.c       finds its right-neutral element
 *   equal.c          proves two expressions equal;  same.c  by all relevant values
 *   match.c          matches one pattern with one tuple, modulo associativity and commutativity
 *   pattern.c        entries of the table as expressions
 *   canonical.c      the canonical form;  ring.c  of its sums and products
 *   refute.c         evaluates expressions at many points; finds counterexamples
 *   recogniser.c     the question, its variables, the terms that contain x
 */
#ifndef HLC_ASSOCIATIVE_INTERNAL_H
#define HLC_ASSOCIATIVE_INTERNAL_H

#include "associative/associative.h"
#include "associative/operator_table.h"

/* The state of one question. */
typedef struct Recogniser {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    const AssociativeUpdate *update;
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX];
    Map has_x;                 /* Expr -> whether it contains an x.i: 1 + a bool, as a pointer */
    Map canonical;             /* Expr -> Expr */
    bool as_written;           /* for operators: y.i of a pattern matches only the variable y.i */
    bool all_vary;             /* every variable counts as x */
    Symbol constant;           /* for operators: the name that stands for any constant; or null */
    bool by_values_that_occur; /* also try chosen.c and saturating.c */
    bool wants_trial;          /* a result is not an instance of an entry (trial.c) */
    const char *near_miss;     /* the reason if nothing is found: a clause; null: unknown */
} Recogniser;

/* ---- recogniser.c ---- */

Recogniser recogniser_create(Pool *pool, Arena *arena, const AssociativeUpdate *update);

/* The components of a group, in order. */
typedef struct Elements {
    int elements[ASSOCIATIVE_MAX], count;
} Elements;

/* Returns the components whose bit is set. */
Elements elements_of(const Recogniser *r, uint32_t elements);

bool has_x(Recogniser *r, Expr expr);
/* Appends the largest terms of `expr` that are free of x and not constant, each once. */
void collect_free_terms(Recogniser *r, Expr expr, Exprs *terms);
/* Is it an operator whose nested uses form a chain of operands in any order? */
bool is_chain(Expr node);
/* Appends the operands of the chain `expr`; a subterm free of x is one. */
void chain_operands(Recogniser *r, Op op, Expr expr, Exprs *operands);
/* Replaces the components of the group, which are these variables, by these values in `expr`; both
 * arrays are by component. */
Expr with_elements(Recogniser *r, const Elements *group, const Expr *variables, const Expr *values,
                   Expr expr);

/* ---- canonical.c, ring.c ---- */

/* Returns the canonical form. Terms free of x do not change, but those in one chain become one
 * operand, the last. Sums have distinct products. Comparisons of integers are `<` and `==`. */
Expr canonical_form(Recogniser *r, Expr expr);
/* Returns the sum or product `node` of canonical operands; null if it is too long. */
Expr ring_form(Recogniser *r, Expr node);
/* Returns -expr, if the sign can move inside. */
Expr ring_negate(Pool *pool, Expr expr);
/* Rewrites each select(p && c, a, b) in `expr`, with p free of x and c not, to select(p, select(c,
 * a, b), b); likewise for ||. */
Expr separate_conditions(Recogniser *r, Expr expr);

/* ---- pattern.c ---- */

/* A number of this type; the least and the greatest one (infinity for floats). */
Expr pattern_number(Pool *pool, Type type, int value);
Expr pattern_end(Pool *pool, Type type, bool highest);
/* Returns the constant of a component's type that the prefix code of one component gives. */
Expr pattern_identity(Pool *pool, const OperatorEntry *entry, int element, Type type, Expr k);
/* Returns the term of one component over these x, y and k (null if the entry has none). */
Expr pattern_element(Pool *pool, const OperatorEntry *entry, int element, const Expr *x,
                     const Expr *y, Expr k);
/* Returns that term over x and y by the tuple's components; the entry's component i is
 * `group->elements[i]`. The entry has no k. */
Expr entry_merged(Recogniser *r, const OperatorEntry *entry, const Elements *group, int element,
                  const Expr *x_of, const Expr *y_of);
/* Does the entry accept components of these types? It computes with floats only with
 * `reassociation`. Also gives the type of its k, if it has one. */
bool entry_takes(const OperatorEntry *entry, const Type *types, bool reassociation, Type *constant);

/* ---- match.c ---- */

typedef struct PatternBinding {
    int8_t element[ASSOCIATIVE_MAX]; /* the tuple's component for the pattern's component i; -1:
                                        none yet */
    uint32_t taken;                  /* the tuple's elements that are bound */
    Expr y[ASSOCIATIVE_MAX];         /* by the pattern's element; null: none yet */
    Expr k;
} PatternBinding;

/* Is the expression loop-invariant, and independent of y? */
bool is_the_same_always(const Recogniser *r, Expr expr);
/* Is the tuple of `count` components `group` an instance of the patterns? `values` are by component
 * of the func, all canonical. Existing bindings stay. */
bool match_tuple(Recogniser *r, const Expr *patterns, const Expr *values, const int *group,
                 int count, PatternBinding *binding);

/* ---- recognise.c ---- */

/* One group, recognised. */
typedef struct Found {
    const OperatorEntry *entry; /* null: proved without the table */
    bool has_identity, lacks_identity, commutes;
    uint32_t not_negative, positive; /* components that must have this sign in all tuples */
    Expr operator[ASSOCIATIVE_MAX], identity[ASSOCIATIVE_MAX], injected[ASSOCIATIVE_MAX];
} Found;

bool recognise_group(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* Returns a condition free of x that selects between terms that are not; null: none. */
Expr condition_of_cases(Recogniser *r, const Expr *values, const Elements *group);
/* Returns the values in the case that the condition holds, or does not hold. */
void values_in_case(Recogniser *r, const Expr *values, const Elements *group, Expr condition,
                    bool holds, Expr *chosen);
bool changes_nothing(const Recogniser *r, const Expr *values, const Elements *group);

/* ---- quotients.c ---- */

/* Recognises a group by the entries with divisions, whose instances do not look alike. */
bool recognise_quotients(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- from_identity.c ---- */

/* Recognises a group of several components by the entries made by hand, if the update contains less
 * than its operator. */
bool recognise_from_identity(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- unlisted.c ---- */

/* Recognises a group that is not in the table. */
bool recognise_unlisted(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- chosen.c ---- */

/* Recognises components that keep the first or the last match. */
bool recognise_chosen(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- saturating.c ---- */

/* Recognises a sum that stops at a limit. */
bool recognise_saturating(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- counted.c ---- */

/* Recognises sums of integers that cannot wrap in the given number of iterations. */
bool recognise_counted(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- scaled.c ---- */

/* Recognises a sum of exponentials scaled by the greatest exponent. */
bool recognise_scaled(Recogniser *r, const Expr *values, uint32_t elements, Found *found);

/* ---- trial.c ---- */

/* Does the result for an update hold in four iterations at random values? True if it is too long to
 * try, or about reals. */
bool stands_trial(Recogniser *r, const Associativity *answer);

/* ---- unwrapped.c ---- */

/* The range of any integer type. */
typedef struct WideRange {
    __int128 least, most;
} WideRange;
/* Returns the part of the type's range in the interval. */
WideRange range_of_interval(Type type, ConstantInterval interval);

/* Proves one component associative if it is so without wrapping, and nothing wraps. Fills in the
 * same fields as prove_operator. */
bool prove_unwrapped(Recogniser *r, Associativity *part, Expr injected);

/* Returns the expression over integers that do not wrap; `expr` is not deep. */
Expr integers_of(Recogniser *r, Expr expr);

/* ---- decompose.c ---- */

/* Fills in the rest of `result`. False, with a reason, if a part is not recognised. */
bool decompose(Recogniser *r, const Expr *values, Associativity *result);

/* ---- reasons.c ---- */

/* Explains why the update, with these values, was not recognised; null: unknown. */
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
/* Evaluates at the first `count` points. */
void plan_run(const Plan *plan, int count);
/* Fills a variable's column with values that depend only on the state. */
void plan_draw(uint64_t *state, Type type, Bits *column);

/* The number of batches of points: for a refutation with values, and before a proof, to save its
 * cost. */
enum { POINTS_TO_REFUTE = 8, POINTS_BEFORE_PROOF = 1 };
/* Finds values at which the operator over x, y (and `constant`) is not associative; false if none
 * was found. The operator has no accesses. */
bool refute_associative(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                        const Expr *operator, Symbol constant, int rounds,
                        Counterexample *counterexample);
/* f(f(x, y), z) and f(x, f(y, z)), over variables `z.i`. */
void associative_sides(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                       const Expr *operator, Expr * left, Expr *right);

/* ---- same.c ---- */

/* Are the components equal, if they consist only of comparisons and choices, or only of bits? False
 * for other kinds, or too many unknowns. */
bool is_same_by_values(Recogniser *r, int count, const Expr *left, const Expr *right);

/* ---- identity.c ---- */

/* Looks for an identity of the operator `found`, or a proof that there is none. */
void find_identity(Recogniser *r, Associativity *found);

/* ---- equal.c ---- */

/* Are the two equal for all values of their variables and reads? Floats are treated as reals, or
 * not compared. Needs a recogniser with all_vary. */
bool is_same(Recogniser *r, Expr a, Expr b);
/* Are the two tuples equal, in the sense of is_same? */
bool are_same(Recogniser *r, int arity, const Expr *left, const Expr *right);
/* Are two expressions of this recogniser equal, in the sense of is_same? */
bool is_same_update(Recogniser *asked, Expr a, Expr b);
/* Creates a recogniser of the same question with all_vary, so all products are multiplied out. */
Recogniser prover_create(const Recogniser *asked);

/* ---- prove.c ---- */

/* Proves without the table that `part` is associative. Its arity, types, x, y and operator are set;
 * fills in its commutativity and identity. False if there is no proof. */
bool prove_operator(Recogniser *asked, Associativity *part);

#endif

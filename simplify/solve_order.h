/* solve_order.h -- the weights of each operator in each component of the solver's reduction order
 * (solve_order.def). tools/rulec/order_solve.c measures the sides of rules with them;
 * solve_decrease.c measures actual terms.
 *
 * Terms with the target variable have a value, from those of their operands t1, t2, ..:
 *
 * - SPLITS: the target and free numbers are 1, free conditions 0; t1 * t2 for + - * / % and for
 *   comparisons of numbers, t1 + t2 + 1 for min and max, 2 t1 + 1 for abs, t1 + t2 + t3 + 2 for a
 *   select of numbers and + 1 for one of conditions, t1 + t2 for && and ||;
 * - OCCURRENCES: the target is 1, what is free 0; t1 + t2;
 * - UP: the target and what is free are 0; t1 + t2 + 1 for operators that make a number, + 2 for a
 *   quotient, t1 + t2 for conditions.
 *
 * So SPLITS is an upper bound on the number of conditions after each min, max, select and abs is
 * split into a condition on its arms: p + min(q, r) <= s becomes p + q <= s || p + r <= s. This
 * duplicates p and s, which no count of occurrences allows.
 *
 * Each is a reduction order under these conditions, which tools/rulec/order_solve.c checks of every rule:
 *
 * - well-founded: values are natural numbers;
 * - compatible with contexts: each f is strictly monotone where its operands have their least
 *   values (1, 1 and 0 as above) or more.  If a rule's result no longer contains the target, it
 *   counts as free, which is no more than before;
 * - closed under substitution: a target-matching wildcard stands for any value from the least one
 *   of terms with the target on, a non-target-matching one for that of free terms.  So a value is a
 *   polynomial in what the target-matching wildcards exceed the least value by, and a side is not
 *   greater when no coefficient is, less when moreover its constant is.  In particular no
 *   target-matching wildcard may stand on the right more often than on the left, where nothing else
 *   goes down; non-target-matching ones may.
 *
 * A wildcard that matches either kind is both in turn.
 *
 * LEFT is not a polynomial. A term is written as the string of its leaves, `a` for the target, `b`
 * for others, up to the last `a`. Strings are compared as in a dictionary. This is a reduction
 * order if a rule permutes neither the target-matching wildcards among themselves nor the others,
 * and drops and adds none. Then the string keeps its letters, which have finitely many orders
 * (otherwise b > ab > aab > .. would never end). Consider the first place where the sides differ.
 * The left side has a non-target-matching n there. The right side has a target-matching t, which is
 * also the next t of the left side. Put b..b for n and b..ba.. for t. Before t's first `a` the left
 * string has more `b`s, so it is the greater one. A context adds the same letters before and
 * behind.
 */
#ifndef HLC_SIMPLIFY_SOLVE_ORDER_H
#define HLC_SIMPLIFY_SOLVE_ORDER_H

#include "simplify/rule.h"

/* The value of f(t1, ..): weight + factor * (t1 + t2 + ..), or the product of all. */
typedef struct SolveWeights {
    bool product;
    int64_t weight, factor;
} SolveWeights;

/* The least value of a term with the target: the target's own. */
static inline int64_t solve_order_target(SolveComponent component) {
    return component != SOLVE_UP;
}

static inline int64_t solve_order_free(SolveComponent component, bool is_bool) {
    return component == SOLVE_SPLITS && !is_bool;
}

static inline SolveWeights solve_order_splits(int op, bool of_bools) {
    switch (op) {
    case OP_MIN:
    case OP_MAX:
        return (SolveWeights){false, 1, 1};
    case OP_ABS:
        return (SolveWeights){false, 1, 2};
    case OP_SELECT:
        return (SolveWeights){false, of_bools ? 1 : 2, 1};
    default:
        return (SolveWeights){!of_bools, 0, 1};
    }
}

/* `of_bools`: its last operand is a bool; `is_bool`: it is one itself. */
static inline SolveWeights solve_order_weights(SolveComponent component, int op, bool of_bools,
                                               bool is_bool) {
    if (component == SOLVE_SPLITS)
        return solve_order_splits(op, of_bools);
    bool counts = component == SOLVE_UP && !is_bool;
    return (SolveWeights){false, !counts ? 0 : op == OP_DIV ? 2 : 1, 1};
}

#endif

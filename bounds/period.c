/* period.c -- closer ranges of coordinates that a boundary condition folds into an interval.
 *
 *     t = e % P                   repeat_image
 *     s + min(t, K - t)           mirror_image: P = 2n, K = 2n - 1;  mirror_interior: P = K = 2n - 2
 *
 * The rules of the operators give the whole interval, unless `e` provably stays in one period. Here
 * the ends ask for that at run time:
 *
 *     e in [a, b]     first == last           first != last        where first = a / P, last = b / P
 *     t               [a % P, b % P]          [0, P - 1]
 *
 * The mirrored coordinate is a triangular wave. It has its least value 0 where t is 0, and its
 * greatest, K / 2, where t is K - K / 2. Between such points it rises or falls. So its least value
 * in [a, b] is 0 if a multiple of P lies in (a, b], and else that of an end; likewise the greatest.
 *
 * These ranges cost divisions, and proofs about them are hard. They serve for the boxes of images in
 * the window form, where the whole interval may be larger than memory.
 */
#include "bounds/period.h"

#include "decide/decide.h"

/* Returns a expression without `term`, of which `sign` times it is a part; null if it keeps bound
 * variables. */
static Expr rest_of(Ranges *ranges, Expr expr, Expr term, int sign) {
    Pool *pool = ranges->pool;
    Expr rest = simplify(ranges->simplifier,
                         sign > 0 ? expr_sub(pool, expr, term) : expr_add(pool, expr, term));
    return ranges_is_fixed(ranges, rest) ? rest : NULL;
}

/* Is the divisor P one that goes with K? */
static bool is_period(const Ranges *ranges, Expr divisor, Expr k) {
    Pool *pool = ranges->pool;
    Expr beyond = simplify(ranges->simplifier, expr_sub(pool, divisor, k));
    Expr one = expr_index(pool, 1);
    int64_t difference;
    if (expr_constant_integer(beyond, &difference))
        return difference == 0 || difference == 1;
    Expr least_one = simplify(ranges->simplifier, expr_sub(pool, divisor, expr_max(pool, k, one)));
    return expr_constant_integer(least_one, &difference) && difference == 0;
}

/* Finds the remainder in min(s + t, u - t); null if there is none. */
static Expr find_remainder(Expr expr) {
    enum { MOST_NODES = 16 };
    Expr nodes[MOST_NODES] = {expr};
    int count = 1;
    for (int i = 0; i < count; i++) {
        Expr node = nodes[i];
        if (node->op == OP_MOD && type_is_index(node->type))
            return node;
        for (int a = 0; (node->op == OP_ADD || node->op == OP_SUB) && a < 2 && count < MOST_NODES;
             a++)
            nodes[count++] = node->arguments[a];
    }
    return NULL;
}

/* Are both divided by P into the same whole number? */
static Expr same_quotient(const Ranges *ranges, Expr a, Expr b, Expr p) {
    return expr_eq(ranges->pool, expr_div(ranges->pool, a, p), expr_div(ranges->pool, b, p));
}

static bool is_known(const Interval *range) {
    return range->lower && range->upper;
}

Interval period_of_remainder(Ranges *ranges, Expr node, const Interval *operands) {
    Pool *pool = ranges->pool;
    Interval e = operands[0];
    Expr p = operands[1].lower, one = expr_index(pool, 1);
    if (!is_known(&e) || !p || p != operands[1].upper || node->op != OP_MOD ||
        !decide_proves_le(ranges->simplifier, one, p))
        return (Interval){NULL, NULL, NULL};
    Expr same = same_quotient(ranges, e.lower, e.upper, p);
    return (Interval){expr_select(pool, same, expr_mod(pool, e.lower, p), expr_index(pool, 0)),
                      expr_select(pool, same, expr_mod(pool, e.upper, p), expr_sub(pool, p, one)),
                      NULL};
}

/* The wave at a point. */
static Expr wave(Pool *pool, Expr e, Expr p, Expr k) {
    Expr t = expr_mod(pool, e, p);
    return expr_min(pool, t, expr_sub(pool, k, t));
}

Interval period_of_mirror(Ranges *ranges, Expr node) {
    Interval unknown = {NULL, NULL, NULL};
    Pool *pool = ranges->pool;
    Expr t = find_remainder(node->arguments[0]);
    t = t ? t : find_remainder(node->arguments[1]);
    if (!t || !ranges_is_fixed(ranges, t->arguments[1]))
        return unknown;
    Expr p = t->arguments[1];
    for (int rising = 0; rising < 2; rising++) {
        Expr s = rest_of(ranges, node->arguments[rising], t, 1),
             u = rest_of(ranges, node->arguments[1 - rising], t, -1);
        if (!s || !u)
            continue;
        Expr k = simplify(ranges->simplifier, expr_sub(pool, u, s)), two = expr_index(pool, 2);
        Interval e = ranges_of(ranges, t->arguments[0]);
        if (!is_known(&e) || !is_period(ranges, p, k) ||
            !decide_proves_le(ranges->simplifier, expr_index(pool, 1), p))
            continue;
        Expr top = expr_div(pool, k, two), at = expr_sub(pool, k, top);
        Expr first = wave(pool, e.lower, p, k), last = wave(pool, e.upper, p, k);
        Expr no_bottom = same_quotient(ranges, e.lower, e.upper, p),
             no_top =
                 same_quotient(ranges, expr_sub(pool, e.lower, at), expr_sub(pool, e.upper, at), p);
        Expr least = expr_select(pool, no_bottom, expr_min(pool, first, last), expr_index(pool, 0));
        Expr greatest = expr_select(pool, no_top, expr_max(pool, first, last), top);
        return (Interval){expr_add(pool, s, least), expr_add(pool, s, greatest), NULL};
    }
    return unknown;
}

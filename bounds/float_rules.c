/* float_rules.c -- ranges of float expressions, for indices such as `i32(floor(f32(x)*0.75))`.
 *
 * The ends of a float range are float expressions of the node's type, and never NaN.  Every value of
 * the node that is no NaN lies between them.  Each operation here is monotone in each operand on the
 * operands' ranges, and its rounding is monotone, too.  So the same operation on the operands' ends
 * gives the ends of the result, to the last bit:
 *
 *     x in [lo, hi]:   i32(floor(f32(x)*0.75)) in [i32(floor(f32(lo)*0.75)), i32(floor(f32(hi)*0.75))]
 *
 * Whether a value or an end may be NaN, constant intervals say (simplify/float_interval.c).  An end
 * that may be NaN is dropped.
 */
#include "bounds/region.h"

static const Interval unknown = {NULL, NULL, NULL};

static bool never_nan(const Ranges *ranges, Expr expr) {
    return !simplify_float_interval(ranges->simplifier, expr).may_be_nan;
}

/* Returns the end, or null if it may be NaN. */
static Expr sure(const Ranges *ranges, Expr end) {
    return end && never_nan(ranges, end) ? end : NULL;
}

static Expr apply(const Ranges *ranges, Op op, Expr a, Expr b) {
    return a && b ? sure(ranges, expr_binary(ranges->pool, op, a, b)) : NULL;
}

static Expr apply_unary(const Ranges *ranges, Expr node, Expr a) {
    return a ? sure(ranges, expr_with_arguments(ranges->pool, node, &a)) : NULL;
}

static Expr negative(const Ranges *ranges, Expr a) {
    return a ? expr_unary(ranges->pool, OP_NEG, a) : NULL;
}

/* The ends of an operation that rises with its operand. */
static Interval rising(const Ranges *ranges, Expr node, Interval a) {
    return (Interval){apply_unary(ranges, node, a.lower), apply_unary(ranges, node, a.upper), NULL};
}

static Interval negated(const Ranges *ranges, Interval a) {
    return (Interval){negative(ranges, a.upper), negative(ranges, a.lower), NULL};
}

static Interval sum(const Ranges *ranges, Interval a, Interval b) {
    return (Interval){apply(ranges, OP_ADD, a.lower, b.lower),
                      apply(ranges, OP_ADD, a.upper, b.upper), NULL};
}

static Interval difference(const Ranges *ranges, Interval a, Interval b) {
    return (Interval){apply(ranges, OP_SUB, a.lower, b.upper),
                      apply(ranges, OP_SUB, a.upper, b.lower), NULL};
}

/* Products and quotients are monotone in each operand, so the extremes are at corners. */
static Interval corners(const Ranges *ranges, Op op, Interval a, Interval b) {
    Expr ends[] = {a.lower, a.upper}, others[] = {b.lower, b.upper};
    Interval hull = unknown;
    for (int i = 0; i < 4; i++) {
        Expr corner = apply(ranges, op, ends[i / 2], others[i % 2]);
        if (!corner)
            return unknown;
        hull.lower = !hull.lower || hull.lower == corner
                         ? corner
                         : expr_binary(ranges->pool, OP_MIN, hull.lower, corner);
        hull.upper = !hull.upper || hull.upper == corner
                         ? corner
                         : expr_binary(ranges->pool, OP_MAX, hull.upper, corner);
    }
    return hull;
}

/* Of `a` times (or divided by) one value, whose sign is known: each end has one corner. */
static Interval scaled(const Ranges *ranges, Op op, Interval a, Interval b) {
    FloatInterval factor = {0};
    if (b.lower && b.lower == b.upper)
        factor = simplify_float_interval(ranges->simplifier, b.lower);
    if (factor.low > 0)
        return (Interval){apply(ranges, op, a.lower, b.lower), apply(ranges, op, a.upper, b.lower),
                          NULL};
    if (factor.high < 0)
        return (Interval){apply(ranges, op, a.upper, b.lower), apply(ranges, op, a.lower, b.lower),
                          NULL};
    return corners(ranges, op, a, b);
}

static Interval product(const Ranges *ranges, Interval a, Interval b) {
    return a.lower && a.lower == a.upper ? scaled(ranges, OP_MUL, b, a)
                                         : scaled(ranges, OP_MUL, a, b);
}

/* The divisor must not change its sign between its ends. */
static Interval quotient(const Ranges *ranges, Interval a, Interval b) {
    if (range_is_unknown(b))
        return unknown;
    FloatInterval least = simplify_float_interval(ranges->simplifier, b.lower),
                  most = simplify_float_interval(ranges->simplifier, b.upper);
    return least.low > 0 || most.high < 0 ? scaled(ranges, OP_DIV, a, b) : unknown;
}

static Interval absolute(const Ranges *ranges, Expr node, Interval a) {
    Interval turned = negated(ranges, a);
    Expr zero = expr_cast(ranges->pool, node->type, expr_index(ranges->pool, 0));
    if (a.lower && simplify_float_interval(ranges->simplifier, a.lower).low >= 0)
        return a;
    if (a.upper && simplify_float_interval(ranges->simplifier, a.upper).high <= 0)
        return turned;
    Interval sizes = rising(ranges, node, a);
    return (Interval){zero, apply(ranges, OP_MAX, sizes.lower, sizes.upper), NULL};
}

/* A negative operand gives NaN. */
static Interval root(const Ranges *ranges, Expr node, Interval a) {
    Interval range = rising(ranges, node, a);
    if (!range.lower)
        range.lower = expr_cast(ranges->pool, node->type, expr_index(ranges->pool, 0));
    return range;
}

/* min(a, b) is `b < a ? b : a`: a NaN of b gives a, a NaN of a gives NaN. */
static Interval lesser(const Ranges *ranges, Expr node, Interval a, Interval b) {
    Expr upper = a.upper;
    if (b.upper && never_nan(ranges, node->arguments[1]))
        upper = upper ? apply(ranges, OP_MIN, upper, b.upper) : b.upper;
    return (Interval){apply(ranges, OP_MIN, a.lower, b.lower), upper, NULL};
}

static Interval greater(const Ranges *ranges, Expr node, Interval a, Interval b) {
    Expr lower = a.lower;
    if (b.lower && never_nan(ranges, node->arguments[1]))
        lower = lower ? apply(ranges, OP_MAX, lower, b.lower) : b.lower;
    return (Interval){lower, apply(ranges, OP_MAX, a.upper, b.upper), NULL};
}

/* a*b + c, rounded once, for one value b of known sign. */
static Interval fused(const Ranges *ranges, Expr node, Interval a, Interval b, Interval c) {
    if (!(b.lower && b.lower == b.upper)) {
        Interval other = a;
        a = b;
        b = other;
    }
    if (!(b.lower && b.lower == b.upper))
        return unknown;
    FloatInterval factor = simplify_float_interval(ranges->simplifier, b.lower);
    if (factor.low < 0 && factor.high > 0)
        return unknown;
    bool rises = factor.low >= 0;
    Expr ends[2] = {rises ? a.lower : a.upper, rises ? a.upper : a.lower},
         others[] = {c.lower, c.upper};
    for (int i = 0; i < 2; i++)
        ends[i] = ends[i] && others[i]
                      ? sure(ranges, expr_with_arguments(ranges->pool, node,
                                                         (Expr[]){ends[i], b.lower, others[i]}))
                      : NULL;
    return (Interval){ends[0], ends[1], NULL};
}

/* From an integer: the rounding rises. */
static Interval converted(const Ranges *ranges, Expr node, Interval a) {
    if (type_is_float(node->arguments[0]->type))
        return rising(ranges, node, a);
    return (Interval){a.lower ? expr_cast(ranges->pool, node->type, a.lower) : NULL,
                      a.upper ? expr_cast(ranges->pool, node->type, a.upper) : NULL, NULL};
}

Interval range_float_rule(const Ranges *ranges, Expr node, const Interval *operands) {
    switch ((int)node->op) {
    case OP_CAST:
        return converted(ranges, node, operands[0]);
    case OP_FLOOR:
    case OP_CEIL:
    case OP_TRUNC:
    case OP_ROUND:
        return rising(ranges, node, operands[0]);
    case OP_SQRT:
        return root(ranges, node, operands[0]);
    case OP_NEG:
        return negated(ranges, operands[0]);
    case OP_ABS:
        return absolute(ranges, node, operands[0]);
    case OP_ADD:
        return sum(ranges, operands[0], operands[1]);
    case OP_SUB:
        return difference(ranges, operands[0], operands[1]);
    case OP_MUL:
        return product(ranges, operands[0], operands[1]);
    case OP_DIV:
        return quotient(ranges, operands[0], operands[1]);
    case OP_MIN:
        return lesser(ranges, node, operands[0], operands[1]);
    case OP_MAX:
        return greater(ranges, node, operands[0], operands[1]);
    case OP_SELECT:
        return (Interval){apply(ranges, OP_MIN, operands[1].lower, operands[2].lower),
                          apply(ranges, OP_MAX, operands[1].upper, operands[2].upper), NULL};
    case OP_FMA:
        return fused(ranges, node, operands[0], operands[1], operands[2]);
    default: /* nothing is known */
        return unknown;
    }
}

Interval range_fixed_float(const Ranges *ranges, Expr node) {
    Expr end = sure(ranges, node);
    return (Interval){end, end, end ? NULL : node};
}

Interval range_truncated(const Ranges *ranges, Expr node, Interval a, Interval whole) {
    Pool *pool = ranges->pool;
    Interval range = whole;
    if (type_equal(node->type, U64))
        return whole;
    if (a.lower)
        range.lower = expr_cast(pool, INDEX, expr_with_arguments(pool, node, &a.lower));
    if (a.upper)
        range.upper = expr_cast(pool, INDEX, expr_with_arguments(pool, node, &a.upper));
    if (never_nan(ranges, node->arguments[0]))
        return range;
    Expr zero = expr_index(pool, 0);
    return (Interval){a.lower ? expr_min(pool, range.lower, zero) : whole.lower,
                      a.upper ? expr_max(pool, range.upper, zero) : whole.upper, NULL};
}

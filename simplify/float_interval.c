/* float_interval.c -- constant intervals of float expressions.
 *
 * Each end is computed in the type of its operation, with its rounding.  All operations here are
 * monotone on the operands' intervals, and rounding to nearest is monotone, so no value lies outside
 * of the ends.  A sum, product, quotient or root of f32 is exact in f64 before it is rounded to f32,
 * or rounds to the same f32 (53 bits are more than 2*24 + 1).  So it is with f16 and bf16.
 *
 * NaN lies in no interval: `may_be_nan` says whether it is a value, too.
 */
#include "simplify/internal.h"

#include <math.h>

enum { MOST_FLOATS = 64 }; /* different nodes in a question */

/* A question, and the intervals that it has found. */
typedef struct FloatWalk {
    Simplifier *simplifier;
    IntegerInterval *integer;
    Expr nodes[MOST_FLOATS];
    FloatInterval found[MOST_FLOATS];
    int count;
} FloatWalk;

static const FloatInterval anything = {-INFINITY, INFINITY, true};

static FloatInterval of(FloatWalk *walk, Expr expr);

static bool is_infinite(FloatInterval a) {
    return isinf(a.low) || isinf(a.high);
}

static bool holds_zero(FloatInterval a) {
    return a.low <= 0 && a.high >= 0;
}

static double rounded(Type type, double value) {
    return bits_to_double(type, bits_from_double(type, value));
}

/* The ends are values in the type after the rounding. */
static FloatInterval round_ends(Type type, FloatInterval a) {
    if (isnan(a.low) || isnan(a.high))
        return anything;
    return (FloatInterval){rounded(type, a.low), rounded(type, a.high), a.may_be_nan};
}

static FloatInterval negate(FloatInterval a) {
    return (FloatInterval){-a.high, -a.low, a.may_be_nan};
}

static FloatInterval add(FloatInterval a, FloatInterval b) {
    bool cancels =
        (a.high == INFINITY && b.low == -INFINITY) || (a.low == -INFINITY && b.high == INFINITY);
    return (FloatInterval){a.low + b.low, a.high + b.high, a.may_be_nan || b.may_be_nan || cancels};
}

/* The hull of the operation at the four corners. */
static FloatInterval corners(FloatInterval a, FloatInterval b, bool divides, bool may_be_nan) {
    double ends[] = {a.low, a.high}, others[] = {b.low, b.high};
    FloatInterval hull = {INFINITY, -INFINITY, may_be_nan};
    for (int i = 0; i < 4; i++) {
        double corner = divides ? ends[i / 2] / others[i % 2] : ends[i / 2] * others[i % 2];
        if (isnan(corner))
            return anything;
        hull.low = fmin(hull.low, corner);
        hull.high = fmax(hull.high, corner);
    }
    return hull;
}

static FloatInterval multiply(FloatInterval a, FloatInterval b) {
    bool may_be_nan = a.may_be_nan || b.may_be_nan || (holds_zero(a) && is_infinite(b)) ||
                      (holds_zero(b) && is_infinite(a));
    return corners(a, b, false, may_be_nan);
}

static FloatInterval divide(FloatInterval a, FloatInterval b) {
    if (holds_zero(b))
        return anything;
    return corners(a, b, true, a.may_be_nan || b.may_be_nan || (is_infinite(a) && is_infinite(b)));
}

static FloatInterval absolute(FloatInterval a) {
    FloatInterval turned = negate(a);
    if (a.low >= 0)
        return a;
    return a.high <= 0 ? turned : (FloatInterval){0, fmax(a.high, turned.high), a.may_be_nan};
}

static FloatInterval root(FloatInterval a) {
    return (FloatInterval){sqrt(fmax(a.low, 0)), sqrt(fmax(a.high, 0)), a.may_be_nan || a.low < 0};
}

/* min(a, b) is `b < a ? b : a`: a, unless b is a lesser number. */
static FloatInterval minimum(FloatInterval a, FloatInterval b) {
    return (FloatInterval){fmin(a.low, b.low), b.may_be_nan ? a.high : fmin(a.high, b.high),
                           a.may_be_nan};
}

static FloatInterval maximum(FloatInterval a, FloatInterval b) {
    return (FloatInterval){b.may_be_nan ? a.low : fmax(a.low, b.low), fmax(a.high, b.high),
                           a.may_be_nan};
}

static FloatInterval hull(FloatInterval a, FloatInterval b) {
    return (FloatInterval){fmin(a.low, b.low), fmax(a.high, b.high), a.may_be_nan || b.may_be_nan};
}

static FloatInterval each(double (*function)(double), FloatInterval a) {
    return (FloatInterval){function(a.low), function(a.high), a.may_be_nan};
}

/* The fused operation rounds once, so f64 is not precise enough for the corners of f32: they are
 * widened by one step. */
static FloatInterval fused(Type type, FloatInterval a, FloatInterval b, FloatInterval c) {
    FloatInterval product = multiply(a, b), sum = add(product, c);
    if (is_infinite(product) || is_infinite(c) || isnan(sum.low) || isnan(sum.high))
        return anything;
    sum = round_ends(type, sum);
    if (type_is_short_float(type))
        return anything;
    if (type.bits == 32)
        return (FloatInterval){nextafterf((float)sum.low, -INFINITY),
                               nextafterf((float)sum.high, INFINITY), sum.may_be_nan};
    /* The product was rounded, too: its error may be larger than the sum's last place. */
    double error = fmax(fabs(product.low), fabs(product.high)) * 0x1p-52;
    return (FloatInterval){nextafter(nextafter(sum.low - error, -INFINITY), -INFINITY),
                           nextafter(nextafter(sum.high + error, INFINITY), INFINITY),
                           sum.may_be_nan};
}

static double converted(Type type, int64_t whole) {
    return bits_to_double(type, value_apply(OP_CAST, type, &I64, &whole, NULL).bits);
}

static FloatInterval of_cast(FloatWalk *walk, Expr node) {
    Expr operand = node->arguments[0];
    if (type_is_float(operand->type))
        return round_ends(node->type, of(walk, operand));
    ConstantInterval whole = walk->integer(walk->simplifier, operand);
    /* Index arithmetic stays in 64 bits: the entry sees to that. */
    FloatInterval result = round_ends(node->type, (FloatInterval){-0x1p63, 0x1p64, false});
    if (whole.has_minimum)
        result.low = converted(node->type, whole.minimum);
    if (whole.has_maximum)
        result.high = converted(node->type, whole.maximum);
    return result;
}

static FloatInterval of_operator(FloatWalk *walk, Expr node) {
    FloatInterval a[OP_MAX_ARITY];
    if (node->op == OP_CAST)
        return of_cast(walk, node);
    if (node->op == OP_SELECT)
        return hull(of(walk, node->arguments[1]), of(walk, node->arguments[2]));
    for (int i = 0; i < node->arity; i++) {
        if (!type_equal(node->arguments[i]->type, node->type))
            return anything;
        a[i] = of(walk, node->arguments[i]);
    }
    switch ((int)node->op) {
    case OP_ADD:
        return round_ends(node->type, add(a[0], a[1]));
    case OP_SUB:
        return round_ends(node->type, add(a[0], negate(a[1])));
    case OP_MUL:
        return round_ends(node->type, multiply(a[0], a[1]));
    case OP_DIV:
        return round_ends(node->type, divide(a[0], a[1]));
    case OP_NEG:
        return negate(a[0]);
    case OP_ABS:
        return absolute(a[0]);
    case OP_ABSD:
        return round_ends(node->type, absolute(add(a[0], negate(a[1]))));
    case OP_MIN:
        return minimum(a[0], a[1]);
    case OP_MAX:
        return maximum(a[0], a[1]);
    case OP_SQRT:
        return round_ends(node->type, root(a[0]));
    case OP_FLOOR:
        return each(floor, a[0]);
    case OP_CEIL:
        return each(ceil, a[0]);
    case OP_TRUNC:
        return each(trunc, a[0]);
    case OP_ROUND:
        return each(roundeven, a[0]);
    case OP_FMA:
        return fused(node->type, a[0], a[1], a[2]);
    default: /* nothing is known */
        return anything;
    }
}

static FloatInterval of_leaf(const Simplifier *s, Expr expr) {
    if (expr->op == OP_CONSTANT) {
        double value = bits_to_double(expr->type, expr->bits);
        return isnan(value) ? anything : (FloatInterval){value, value, false};
    }
    const FloatInterval *known =
        expr->op == OP_VARIABLE ? map_get(&s->float_ranges, expr->name) : NULL;
    return known ? *known : anything;
}

static FloatInterval of(FloatWalk *walk, Expr expr) {
    if (expr->op >= OP_COUNT || expr->type.lanes > 1)
        return expr->type.lanes > 1 ? anything : of_leaf(walk->simplifier, expr);
    for (int i = 0; i < walk->count; i++)
        if (walk->nodes[i] == expr)
            return walk->found[i];
    if (walk->count == MOST_FLOATS)
        return anything;
    /* It takes its place before its operands do, so the recursion is limited, too. */
    int place = walk->count++;
    walk->nodes[place] = expr;
    walk->found[place] = anything;
    walk->found[place] = of_operator(walk, expr);
    return walk->found[place];
}

FloatInterval float_interval(Simplifier *s, IntegerInterval *integer, Expr expr) {
    hlc_assert(type_is_float(expr->type), "the interval of a float");
    FloatWalk walk;
    walk.simplifier = s;
    walk.integer = integer;
    walk.count = 0;
    return of(&walk, expr);
}

void simplifier_learn_float_range(Simplifier *s, Symbol variable, double low, double high) {
    FloatInterval *known = arena_new(s->arena, FloatInterval);
    *known = (FloatInterval){low, high, false};
    map_put(&s->float_ranges, variable, known);
}

static int64_t truncated(double value) {
    return value <= -0x1p63 ? INT64_MIN : value >= 0x1p63 ? INT64_MAX : (int64_t)value;
}

ConstantInterval float_cast_interval(FloatInterval from, Expr cast) {
    ConstantInterval type = interval_of_type(cast->type);
    int64_t low = truncated(from.low), high = truncated(from.high);
    if (from.may_be_nan) {
        low = low > 0 ? 0 : low;
        high = high < 0 ? 0 : high;
    }
    /* The cast saturates; u64 has no maximum here. */
    if (low < type.minimum)
        low = type.minimum;
    if (type.has_maximum && high > type.maximum)
        high = type.maximum;
    bool is_inside = low <= high && (type.has_maximum || high < INT64_MAX);
    return is_inside ? (ConstantInterval){true, true, low, high} : type;
}

/* interval.c -- constant intervals through every operator.
 *
 * Bounds are computed in 128 bits, where +-INFINITE stands for no bound; so nothing overflows, and
 * the result is cut to 64 bits at the end.  On a machine integer the interval of a result that may
 * wrap is the whole type's (semantics: interval arithmetic on a value gives the range of its type
 * wherever the operation can wrap).  A bool is 0 or 1.
 */
#include "simplify/internal.h"

typedef __int128 Wide;
#define INFINITE ((Wide)1 << 100)

typedef struct Range {
    Wide low, high;
} Range;

static const Range all = {-INFINITE, INFINITE};

static Wide least(Wide a, Wide b) {
    return a < b ? a : b;
}
static Wide most(Wide a, Wide b) {
    return a > b ? a : b;
}

static Range widen(ConstantInterval a) {
    return (Range){a.has_minimum ? a.minimum : -INFINITE, a.has_maximum ? a.maximum : INFINITE};
}

static ConstantInterval narrow(Range a) {
    ConstantInterval result = EVERYTHING;
    if (a.low >= INT64_MIN) {
        result.has_minimum = true;
        result.minimum = (int64_t)least(a.low, INT64_MAX);
    }
    if (a.high <= INT64_MAX) {
        result.has_maximum = true;
        result.maximum = (int64_t)most(a.high, INT64_MIN);
    }
    return result;
}

static Range type_range(Type type) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return (Range){0, 1};
    case TYPE_INT:
        return (Range){-((Wide)1 << (type.bits - 1)), ((Wide)1 << (type.bits - 1)) - 1};
    case TYPE_UINT:
        return (Range){0, ((Wide)1 << type.bits) - 1};
    case TYPE_FLOAT:
    case TYPE_INDEX:
        break;
    }
    return all;
}

ConstantInterval interval_point(int64_t value) {
    return (ConstantInterval){true, true, value, value};
}

ConstantInterval interval_of_type(Type type) {
    return narrow(type_range(type));
}

bool interval_fits(ConstantInterval a, Type type) {
    Range range = type_range(type), given = widen(a);
    return range.low <= given.low && given.high <= range.high;
}

/* Where the two contradict one another (unreachable code), the first is kept. */
ConstantInterval interval_intersect(ConstantInterval a, ConstantInterval b) {
    ConstantInterval both = a;
    if (b.has_minimum && (!a.has_minimum || b.minimum > a.minimum)) {
        both.has_minimum = true;
        both.minimum = b.minimum;
    }
    if (b.has_maximum && (!a.has_maximum || b.maximum < a.maximum)) {
        both.has_maximum = true;
        both.maximum = b.maximum;
    }
    bool is_empty = both.has_minimum && both.has_maximum && both.minimum > both.maximum;
    return is_empty ? a : both;
}

static Wide bound(Wide value) {
    return most(-INFINITE, least(INFINITE, value));
}

static Wide product(Wide a, Wide b) {
    if (a == 0 || b == 0)
        return 0;
    bool infinite = a <= -INFINITE || a >= INFINITE || b <= -INFINITE || b >= INFINITE;
    if (infinite)
        return (a < 0) == (b < 0) ? INFINITE : -INFINITE;
    /* Operands are within 65 bits: the product is exact. */
    return bound(a * b);
}

static Range hull4(Wide a, Wide b, Wide c, Wide d) {
    return (Range){least(least(a, b), least(c, d)), most(most(a, b), most(c, d))};
}

static Range add(Range a, Range b) {
    return (Range){bound(a.low <= -INFINITE || b.low <= -INFINITE ? -INFINITE : a.low + b.low),
                   bound(a.high >= INFINITE || b.high >= INFINITE ? INFINITE : a.high + b.high)};
}

static Range negate(Range a) {
    return (Range){-a.high, -a.low};
}

static Range multiply(Range a, Range b) {
    return hull4(product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                 product(a.high, b.high));
}

static Wide floor_quotient(Wide a, Wide b) {
    if (a <= -INFINITE || a >= INFINITE)
        return b >= INFINITE ? (a < 0 ? -INFINITE : INFINITE) : a;
    if (b >= INFINITE)
        return a < 0 ? -1 : 0;
    return a / b - (a % b < 0);
}

static Wide magnitude(Range a) {
    return most(a.high, -a.low);
}

/* Euclidean; a / 0 = 0.  For b > 0 the quotient is monotone in a, and in b for each a. */
static Range divide(Range a, Range b) {
    if (b.high < 0)
        return negate(divide(a, negate(b)));
    if (b.low > 0)
        return hull4(floor_quotient(a.low, b.low), floor_quotient(a.low, b.high),
                     floor_quotient(a.high, b.low), floor_quotient(a.high, b.high));
    return (Range){-magnitude(a), magnitude(a)};
}

static Range modulo(Range a, Range b) {
    Wide greatest = magnitude(b);
    if (greatest == 0)
        return (Range){0, 0};
    Wide smallest = b.low > 0 ? b.low : b.high < 0 ? -b.high : 1;
    /* a lies between two neighbouring multiples of a constant b. */
    if (smallest == greatest && greatest < INFINITE && a.low > -INFINITE && a.high < INFINITE) {
        Wide quotient = floor_quotient(a.low, greatest);
        if (quotient == floor_quotient(a.high, greatest))
            return (Range){a.low - quotient * greatest, a.high - quotient * greatest};
    }
    bool nonzero = b.low > 0 || b.high < 0;
    if (nonzero && a.low >= 0 && a.high < smallest)
        return a;
    Range result = {0, bound(greatest >= INFINITE ? INFINITE : greatest - 1)};
    if (a.low >= 0)
        result.high = least(result.high, a.high);
    return result;
}

static Range minimum(Range a, Range b) {
    return (Range){least(a.low, b.low), least(a.high, b.high)};
}
static Range maximum(Range a, Range b) {
    return (Range){most(a.low, b.low), most(a.high, b.high)};
}

static Range absolute(Range a) {
    if (a.low >= 0)
        return a;
    return a.high <= 0 ? negate(a) : (Range){0, magnitude(a)};
}

static Range truth(bool surely, bool surely_not) {
    return (Range){surely, !surely_not};
}

static Range clamp_range(Range a, Range limits) {
    return minimum(maximum(a, (Range){limits.low, limits.low}), (Range){limits.high, limits.high});
}

/* 2^k - 1, the least that is not below `value` >= 0. */
static Wide all_ones(Wide value) {
    Wide ones = 0;
    while (ones < value && ones < INFINITE)
        ones = ones * 2 + 1;
    return ones;
}

static Range bits(Op op, Range a, Range b, Range whole) {
    if (op == OP_BIT_AND) {
        if (a.low >= 0 || b.low >= 0)
            return (Range){0, a.low < 0 ? b.high : b.low < 0 ? a.high : least(a.high, b.high)};
        return whole;
    }
    if (a.low < 0 || b.low < 0)
        return whole;
    Wide low = op == OP_BIT_OR ? most(a.low, b.low) : 0;
    return (Range){low, all_ones(most(a.high, b.high))};
}

static Range shift(Op op, Type type, Range a, Range amount, Range whole) {
    if (amount.low < 0 || amount.high >= type.bits)
        return whole;
    Range power = {(Wide)1 << amount.low, (Wide)1 << amount.high};
    return op == OP_SHIFT_LEFT ? multiply(a, power) : divide(a, power);
}

static Range halve(Range a) {
    return divide(a, (Range){2, 2});
}

/* Comparisons and connectives. */
static Range logical(Op op, const Range *a) {
    bool same = a[0].low == a[0].high && a[1].low == a[1].high && a[0].low == a[1].low;
    bool apart = a[0].high < a[1].low || a[1].high < a[0].low;
    switch (op) {
    case OP_EQ:
        return truth(same, apart);
    case OP_NE:
        return truth(apart, same);
    case OP_LT:
        return truth(a[0].high < a[1].low, a[0].low >= a[1].high);
    case OP_LE:
        return truth(a[0].high <= a[1].low, a[0].low > a[1].high);
    case OP_AND:
        return minimum(a[0], a[1]);
    case OP_OR:
        return maximum(a[0], a[1]);
    default: /* is_nan and its kin */
        return (Range){0, 1};
    }
}

/* Operators on bits, and those whose names tell what becomes of the exact result. */
static Range practical(Op op, const Range *a, Type type) {
    Range whole = type_range(type);
    switch (op) {
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
        return bits(op, a[0], a[1], whole);
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
        return shift(op, type, a[0], a[1], whole);
    case OP_SATURATING_CAST:
        return clamp_range(a[0], whole);
    case OP_SATURATING_ADD:
        return clamp_range(add(a[0], a[1]), whole);
    case OP_SATURATING_SUB:
        return clamp_range(add(a[0], negate(a[1])), whole);
    case OP_HALVING_ADD:
        return halve(add(a[0], a[1]));
    case OP_HALVING_SUB:
        return halve(add(a[0], negate(a[1])));
    case OP_ROUNDING_HALVING_ADD:
        return halve(add(add(a[0], a[1]), (Range){1, 1}));
    case OP_POPCOUNT:
    case OP_CLZ:
    case OP_CTZ:
        return (Range){0, type.bits};
    default: /* nothing but the type */
        return whole;
    }
}

/* The range of the exact result, before wrapping. */
static Range exact(Op op, Type type, const Range *a) {
    switch (op) {
    case OP_ADD:
    case OP_WIDENING_ADD:
        return add(a[0], a[1]);
    case OP_SUB:
    case OP_WIDENING_SUB:
        return add(a[0], negate(a[1]));
    case OP_MUL:
    case OP_WIDENING_MUL:
        return multiply(a[0], a[1]);
    case OP_DIV:
        return divide(a[0], a[1]);
    case OP_MOD:
        return modulo(a[0], a[1]);
    case OP_NEG:
        return negate(a[0]);
    case OP_MIN:
        return minimum(a[0], a[1]);
    case OP_MAX:
        return maximum(a[0], a[1]);
    case OP_ABS:
        return absolute(a[0]);
    case OP_ABSD:
        return absolute(add(a[0], negate(a[1])));
    case OP_SELECT:
        if (a[0].low == a[0].high)
            return a[0].low ? a[1] : a[2];
        return (Range){least(a[1].low, a[2].low), most(a[1].high, a[2].high)};
    case OP_NOT:
        return (Range){1 - a[0].high, 1 - a[0].low};
    case OP_CAST:
        return a[0];
    default: /* the practical ones */
        return op_info(op)->arity == 2 && type_is_bool(type) ? logical(op, a)
                                                             : practical(op, a, type);
    }
}

ConstantInterval interval_apply(Op op, Type type, const ConstantInterval *arguments) {
    Range operands[OP_MAX_ARITY] = {widen(arguments[0])}, whole = type_range(type);
    for (int i = 1; i < op_info(op)->arity; i++)
        operands[i] = widen(arguments[i]);
    if (type_is_float(type))
        return EVERYTHING;
    Range result = exact(op, type, operands);
    if (!type_is_index(type) && (result.low < whole.low || result.high > whole.high))
        result = whole;
    return narrow(result);
}

/* Most ends are small: these two need the wide ones only where 64 bits do not do. */
ConstantInterval interval_add(ConstantInterval a, ConstantInterval b) {
    ConstantInterval sum = EVERYTHING;
    sum.has_minimum = a.has_minimum && b.has_minimum;
    sum.has_maximum = a.has_maximum && b.has_maximum;
    bool over = sum.has_minimum && __builtin_add_overflow(a.minimum, b.minimum, &sum.minimum);
    over |= sum.has_maximum && __builtin_add_overflow(a.maximum, b.maximum, &sum.maximum);
    return over ? narrow(add(widen(a), widen(b))) : sum;
}

ConstantInterval interval_scale(ConstantInterval a, int64_t factor) {
    if (factor == 0)
        return interval_point(0);
    ConstantInterval product = EVERYTHING;
    bool turned = factor < 0;
    product.has_minimum = turned ? a.has_maximum : a.has_minimum;
    product.has_maximum = turned ? a.has_minimum : a.has_maximum;
    bool over = product.has_minimum &&
                __builtin_mul_overflow(turned ? a.maximum : a.minimum, factor, &product.minimum);
    over |= product.has_maximum &&
            __builtin_mul_overflow(turned ? a.minimum : a.maximum, factor, &product.maximum);
    return over ? narrow(multiply(widen(a), (Range){factor, factor})) : product;
}

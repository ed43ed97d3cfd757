/* interval.c -- constant intervals through every operator.
 *
 * Bounds are computed in 128 bits, with +-INFINITE for no bound. So nothing overflows; the end of
 * the computation clamps the result to 64 bits. If the result of an operation on machine integers
 * may wrap, its interval is the whole type's. A bool is 0 or 1.
 */
#include "simplify/internal.h"

typedef __int128 WideEnd;
#define INFINITE ((WideEnd)1 << 100)

typedef struct WideInterval {
    WideEnd low, high;
} WideInterval;

static const WideInterval all = {-INFINITE, INFINITE};

static WideEnd least(WideEnd a, WideEnd b) {
    return a < b ? a : b;
}
static WideEnd most(WideEnd a, WideEnd b) {
    return a > b ? a : b;
}

static WideInterval widen(ConstantInterval a) {
    return (WideInterval){a.has_minimum ? a.minimum : -INFINITE,
                          a.has_maximum ? a.maximum : INFINITE};
}

static ConstantInterval narrow(WideInterval a) {
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

static WideInterval type_range(Type type) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return (WideInterval){0, 1};
    case TYPE_INT:
        return (WideInterval){-((WideEnd)1 << (type.bits - 1)),
                              ((WideEnd)1 << (type.bits - 1)) - 1};
    case TYPE_UINT:
        return (WideInterval){0, ((WideEnd)1 << type.bits) - 1};
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
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
    WideInterval range = type_range(type), given = widen(a);
    return range.low <= given.low && given.high <= range.high;
}

/* If the two contradict each other (unreachable code), the first is kept. */
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

ConstantInterval interval_join(ConstantInterval a, ConstantInterval b) {
    WideInterval x = widen(a), y = widen(b);
    return narrow((WideInterval){least(x.low, y.low), most(x.high, y.high)});
}

static WideEnd bound(WideEnd value) {
    return most(-INFINITE, least(INFINITE, value));
}

static WideEnd product(WideEnd a, WideEnd b) {
    if (a == 0 || b == 0)
        return 0;
    bool infinite = a <= -INFINITE || a >= INFINITE || b <= -INFINITE || b >= INFINITE;
    if (infinite)
        return (a < 0) == (b < 0) ? INFINITE : -INFINITE;
    /* Operands are within 65 bits: the product is exact. */
    return bound(a * b);
}

static WideInterval hull4(WideEnd a, WideEnd b, WideEnd c, WideEnd d) {
    return (WideInterval){least(least(a, b), least(c, d)), most(most(a, b), most(c, d))};
}

static WideInterval add(WideInterval a, WideInterval b) {
    return (WideInterval){
        bound(a.low <= -INFINITE || b.low <= -INFINITE ? -INFINITE : a.low + b.low),
        bound(a.high >= INFINITE || b.high >= INFINITE ? INFINITE : a.high + b.high)};
}

static WideInterval negate(WideInterval a) {
    return (WideInterval){-a.high, -a.low};
}

static WideInterval multiply(WideInterval a, WideInterval b) {
    return hull4(product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                 product(a.high, b.high));
}

static WideEnd floor_quotient(WideEnd a, WideEnd b) {
    if (a <= -INFINITE || a >= INFINITE)
        return b >= INFINITE ? (a < 0 ? -INFINITE : INFINITE) : a;
    if (b >= INFINITE)
        return a < 0 ? -1 : 0;
    return a / b - (a % b < 0);
}

static WideEnd magnitude(WideInterval a) {
    return most(a.high, -a.low);
}

/* Euclidean; a / 0 = 0.  For b > 0 the quotient is monotone in a, and in b for each a. */
static WideInterval divide(WideInterval a, WideInterval b) {
    if (b.high < 0)
        return negate(divide(a, negate(b)));
    if (b.low > 0)
        return hull4(floor_quotient(a.low, b.low), floor_quotient(a.low, b.high),
                     floor_quotient(a.high, b.low), floor_quotient(a.high, b.high));
    return (WideInterval){-magnitude(a), magnitude(a)};
}

static WideInterval modulo(WideInterval a, WideInterval b) {
    WideEnd greatest = magnitude(b);
    if (greatest == 0)
        return (WideInterval){0, 0};
    WideEnd smallest = b.low > 0 ? b.low : b.high < 0 ? -b.high : 1;
    /* a lies between two neighbouring multiples of a constant b. */
    if (smallest == greatest && greatest < INFINITE && a.low > -INFINITE && a.high < INFINITE) {
        WideEnd quotient = floor_quotient(a.low, greatest);
        if (quotient == floor_quotient(a.high, greatest))
            return (WideInterval){a.low - quotient * greatest, a.high - quotient * greatest};
    }
    bool nonzero = b.low > 0 || b.high < 0;
    if (nonzero && a.low >= 0 && a.high < smallest)
        return a;
    WideInterval result = {0, bound(greatest >= INFINITE ? INFINITE : greatest - 1)};
    if (a.low >= 0)
        result.high = least(result.high, a.high);
    return result;
}

static WideInterval minimum(WideInterval a, WideInterval b) {
    return (WideInterval){least(a.low, b.low), least(a.high, b.high)};
}
static WideInterval maximum(WideInterval a, WideInterval b) {
    return (WideInterval){most(a.low, b.low), most(a.high, b.high)};
}

static WideInterval absolute(WideInterval a) {
    if (a.low >= 0)
        return a;
    return a.high <= 0 ? negate(a) : (WideInterval){0, magnitude(a)};
}

static WideInterval truth(bool surely, bool surely_not) {
    return (WideInterval){surely, !surely_not};
}

static WideInterval clamp_range(WideInterval a, WideInterval limits) {
    return minimum(maximum(a, (WideInterval){limits.low, limits.low}),
                   (WideInterval){limits.high, limits.high});
}

/* 2^k - 1, the least that is not below `value` >= 0. */
static WideEnd all_ones(WideEnd value) {
    WideEnd ones = 0;
    while (ones < value && ones < INFINITE)
        ones = ones * 2 + 1;
    return ones;
}

static WideInterval halve(WideInterval a) {
    return divide(a, (WideInterval){2, 2});
}

static WideInterval subtract(WideInterval a, WideInterval b) {
    return add(a, negate(b));
}

/* ---- the operators: the interval of the exact result, before wrapping to `type` ---- */

typedef WideInterval IntervalRule(Type type, const WideInterval *a);

#define INTERVAL(NAME, ...)                                                                        \
    static WideInterval NAME##_interval(Type type, const WideInterval *a) {                        \
        (void)type, (void)a;                                                                       \
        return __VA_ARGS__;                                                                        \
    }

INTERVAL(add, add(a[0], a[1]))
INTERVAL(sub, subtract(a[0], a[1]))
INTERVAL(mul, multiply(a[0], a[1]))
INTERVAL(div, divide(a[0], a[1]))
INTERVAL(mod, modulo(a[0], a[1]))
INTERVAL(neg, negate(a[0]))
INTERVAL(min, minimum(a[0], a[1]))
INTERVAL(max, maximum(a[0], a[1]))
INTERVAL(abs, absolute(a[0]))
INTERVAL(absd, absolute(subtract(a[0], a[1])))
INTERVAL(cast, a[0])

static bool is_same_point(const WideInterval *a) {
    return a[0].low == a[0].high && a[1].low == a[1].high && a[0].low == a[1].low;
}

static bool is_apart(const WideInterval *a) {
    return a[0].high < a[1].low || a[1].high < a[0].low;
}

INTERVAL(eq, truth(is_same_point(a), is_apart(a)))
INTERVAL(ne, truth(is_apart(a), is_same_point(a)))
INTERVAL(lt, truth(a[0].high < a[1].low, a[0].low >= a[1].high))
INTERVAL(le, truth(a[0].high <= a[1].low, a[0].low > a[1].high))
INTERVAL(not, (WideInterval){1 - a[0].high, 1 - a[0].low})

static WideInterval select_interval(Type type, const WideInterval *a) {
    (void)type;
    if (a[0].low == a[0].high)
        return a[0].low ? a[1] : a[2];
    return (WideInterval){least(a[1].low, a[2].low), most(a[1].high, a[2].high)};
}

static WideInterval bit_and_interval(Type type, const WideInterval *a) {
    WideEnd x = a[0].high, y = a[1].high;
    if (a[0].low < 0 && a[1].low < 0)
        return type_range(type);
    return (WideInterval){0, a[0].low < 0 ? y : a[1].low < 0 ? x : least(x, y)};
}

static WideInterval bit_xor_interval(Type type, const WideInterval *a) {
    if (a[0].low < 0 || a[1].low < 0)
        return type_range(type);
    return (WideInterval){0, all_ones(most(a[0].high, a[1].high))};
}

static WideInterval bit_or_interval(Type type, const WideInterval *a) {
    if (a[0].low < 0 || a[1].low < 0)
        return type_range(type);
    return (WideInterval){most(a[0].low, a[1].low), all_ones(most(a[0].high, a[1].high))};
}

static bool shifts_inside(Type type, WideInterval amount) {
    return amount.low >= 0 && amount.high < type.bits;
}

static WideInterval powers(WideInterval amount) {
    return (WideInterval){(WideEnd)1 << amount.low, (WideEnd)1 << amount.high};
}

INTERVAL(shift_left, shifts_inside(type, a[1]) ? multiply(a[0], powers(a[1])) : type_range(type))
INTERVAL(shift_right, shifts_inside(type, a[1]) ? divide(a[0], powers(a[1])) : type_range(type))
INTERVAL(saturating_cast, clamp_range(a[0], type_range(type)))
INTERVAL(saturating_add, clamp_range(add(a[0], a[1]), type_range(type)))
INTERVAL(saturating_sub, clamp_range(subtract(a[0], a[1]), type_range(type)))
INTERVAL(halving_add, halve(add(a[0], a[1])))
INTERVAL(halving_sub, halve(subtract(a[0], a[1])))
INTERVAL(rounding_halving_add, halve(add(add(a[0], a[1]), (WideInterval){1, 1})))
INTERVAL(bit_count, (WideInterval){0, type.bits})

ConstantInterval interval_apply(Op op, Type type, const ConstantInterval *arguments) {
#define NONE_interval NULL
    static IntervalRule *const rules[OP_COUNT] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, INTERVAL, ...)           \
    [OP_##NAME] = INTERVAL##_interval,
#include "ir/ops.def"
#undef OP
    };
    if (type_is_float(type))
        return EVERYTHING;
    WideInterval operands[OP_MAX_ARITY] = {widen(arguments[0])}, whole = type_range(type);
    for (int i = 1; i < op_info(op)->arity; i++)
        operands[i] = widen(arguments[i]);
    WideInterval result = rules[op] ? rules[op](type, operands) : whole;
    if (!type_is_index(type) && (result.low < whole.low || result.high > whole.high))
        result = whole;
    return narrow(result);
}

/* Most ends are small: these two functions use wide numbers only if 64 bits do not suffice. */
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
    return over ? narrow(multiply(widen(a), (WideInterval){factor, factor})) : product;
}

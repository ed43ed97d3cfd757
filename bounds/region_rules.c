/* region_rules.c -- the rule of each operator: from ranges of its operands to a range.  ops.def
 * names the rules.
 *
 * A rule computes over the integers.  On sort index that is the operator's meaning.  On a machine
 * type the result is used only if both ends provably fit the type.  Otherwise the operation may
 * wrap, and its range is the whole type (semantics.md, section 1).  Operators without a rule give the
 * whole type; those on floats are in float_rules.c.  `/` and `%` are Euclidean and total:
 * a division by 0 gives 0.
 */
#include "bounds/region.h"

#include "decide/decide.h"

typedef Interval RegionRule(Ranges *ranges, Expr node, const Interval *operands);

static const Interval unknown = {NULL, NULL, NULL};

/* ---- arithmetic on ends, where null is unknown ---- */

static Expr both(const Ranges *ranges, Op op, Expr a, Expr b) {
    return a && b ? expr_binary(ranges->pool, op, a, b) : NULL;
}

static Expr negative(const Ranges *ranges, Expr a) {
    return a ? expr_unary(ranges->pool, OP_NEG, a) : NULL;
}

static Expr plus_constant(const Ranges *ranges, Expr a, int64_t c) {
    return a ? expr_add(ranges->pool, a, expr_index(ranges->pool, c)) : NULL;
}

/* Returns the least (greatest) of the known ends. */
static Expr either(const Ranges *ranges, Op op, Expr a, Expr b) {
    if (!a || !b)
        return a ? a : b;
    return a == b ? a : expr_binary(ranges->pool, op, a, b);
}

static Expr at_least(const Ranges *ranges, Expr a, int64_t c) {
    return a ? expr_max(ranges->pool, a, expr_index(ranges->pool, c)) : NULL;
}

/* Is the end provably at least `c`? */
static bool proves_at_least(const Ranges *ranges, Expr a, int64_t c) {
    return a && decide_proves_le(ranges->simplifier, expr_index(ranges->pool, c), a);
}

static bool proves_at_most(const Ranges *ranges, Expr a, int64_t c) {
    return a && decide_proves_le(ranges->simplifier, a, expr_index(ranges->pool, c));
}

static bool is_point(Interval a) {
    return a.lower && a.lower == a.upper;
}

static bool is_constant_point(Interval a, int64_t *value) {
    return is_point(a) && expr_constant_integer(a.lower, value);
}

/* Returns the interval from the least to the greatest corner; unknown if one corner is unknown. */
static Interval corners(const Ranges *ranges, const Expr *values, int count) {
    Interval hull = {values[0], values[0], NULL};
    for (int i = 1; i < count; i++) {
        hull.lower = both(ranges, OP_MIN, hull.lower, values[i]);
        hull.upper = both(ranges, OP_MAX, hull.upper, values[i]);
    }
    return hull;
}

static Interval four_corners(const Ranges *ranges, Op op, Interval a, Interval b) {
    return corners(ranges,
                   (Expr[]){both(ranges, op, a.lower, b.lower), both(ranges, op, a.lower, b.upper),
                            both(ranges, op, a.upper, b.lower), both(ranges, op, a.upper, b.upper)},
                   4);
}

/* ---- linear operators ---- */

static Interval add_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return (Interval){both(ranges, OP_ADD, operands[0].lower, operands[1].lower),
                      both(ranges, OP_ADD, operands[0].upper, operands[1].upper), NULL};
}

static Interval sub_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return (Interval){both(ranges, OP_SUB, operands[0].lower, operands[1].upper),
                      both(ranges, OP_SUB, operands[0].upper, operands[1].lower), NULL};
}

static Interval neg_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return (Interval){negative(ranges, operands[0].upper), negative(ranges, operands[0].lower),
                      NULL};
}

/* ---- products ---- */

static Interval scale(const Ranges *ranges, Interval a, Expr factor) {
    Expr least = both(ranges, OP_MUL, a.lower, factor);
    Expr most = both(ranges, OP_MUL, a.upper, factor);
    if (proves_at_least(ranges, factor, 0))
        return (Interval){least, most, NULL};
    if (proves_at_most(ranges, factor, 0))
        return (Interval){most, least, NULL};
    return corners(ranges, (Expr[]){least, most}, 2);
}

static Interval mul_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    Interval a = operands[0], b = operands[1];
    if (is_point(b))
        return scale(ranges, a, b.lower);
    if (is_point(a))
        return scale(ranges, b, a.lower);
    if (proves_at_least(ranges, a.lower, 0) && proves_at_least(ranges, b.lower, 0))
        return (Interval){both(ranges, OP_MUL, a.lower, b.lower),
                          both(ranges, OP_MUL, a.upper, b.upper), NULL};
    return four_corners(ranges, OP_MUL, a, b);
}

/* ---- quotients and remainders ---- */

/* The quotient falls if the divisor is negative, and rises if it is positive. */
static Interval divide_by(const Ranges *ranges, Interval a, Expr divisor, bool positive) {
    Expr least = both(ranges, OP_DIV, a.lower, divisor);
    Expr most = both(ranges, OP_DIV, a.upper, divisor);
    return positive ? (Interval){least, most, NULL} : (Interval){most, least, NULL};
}

/* For any divisor, the quotient's magnitude is at most the dividend's. */
static Interval divide_by_any(const Ranges *ranges, Interval a) {
    return (Interval){both(ranges, OP_MIN, a.lower, negative(ranges, a.upper)),
                      both(ranges, OP_MAX, a.upper, negative(ranges, a.lower)), NULL};
}

static Interval divide_by_positive_range(const Ranges *ranges, Interval a, Interval b) {
    if (proves_at_least(ranges, a.lower, 0)) {
        Expr least = b.upper ? both(ranges, OP_DIV, a.lower, b.upper) : expr_index(ranges->pool, 0);
        return (Interval){least, both(ranges, OP_DIV, a.upper, b.lower), NULL};
    }
    if (!b.upper)
        return divide_by_any(ranges, a);
    return four_corners(ranges, OP_DIV, a, b);
}

/* The quotient of the least value by -1 wraps. */
static Interval div_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    Interval a = operands[0], b = operands[1];
    int64_t constant;
    if (is_constant_point(b, &constant) && constant == 0)
        return (Interval){expr_index(ranges->pool, 0), expr_index(ranges->pool, 0), NULL};
    bool positive = proves_at_least(ranges, b.lower, 1);
    if (is_point(b) && (positive || proves_at_most(ranges, b.upper, -1)))
        return divide_by(ranges, a, b.lower, positive);
    return positive ? divide_by_positive_range(ranges, a, b) : divide_by_any(ranges, a);
}

static Expr size_of(const Ranges *ranges, Expr a) {
    return a ? expr_unary(ranges->pool, OP_ABS, a) : NULL;
}

/* Returns the greatest remainder by a divisor in `b`: |b| - 1, and 0 for divisor 0. */
static Expr greatest_remainder(const Ranges *ranges, Interval b) {
    if (proves_at_least(ranges, b.lower, 1))
        return plus_constant(ranges, b.upper, -1);
    Expr size = is_point(b)
                    ? size_of(ranges, b.lower)
                    : both(ranges, OP_MAX, size_of(ranges, b.lower), size_of(ranges, b.upper));
    return at_least(ranges, plus_constant(ranges, size, -1), 0);
}

static Interval mod_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    Interval a = operands[0], b = operands[1];
    bool positive = proves_at_least(ranges, b.lower, 1),
         rising = proves_at_least(ranges, a.lower, 0);
    if (is_point(b) && positive && a.lower && a.upper) {
        /* Inside one period the remainder rises with the dividend. */
        Expr first = expr_div(ranges->pool, a.lower, b.lower);
        Expr last = expr_div(ranges->pool, a.upper, b.lower);
        if (decide_prove(ranges->simplifier, expr_eq(ranges->pool, first, last)) == PROOF_HOLDS)
            return (Interval){expr_mod(ranges->pool, a.lower, b.lower),
                              expr_mod(ranges->pool, a.upper, b.lower), NULL};
    }
    Interval remainder = {expr_index(ranges->pool, 0), greatest_remainder(ranges, b), NULL};
    if (!remainder.upper && rising)
        remainder.upper = a.upper;
    return remainder;
}

/* ---- choices ---- */

static Interval hull_ranges(const Ranges *ranges, Interval a, Interval b) {
    return (Interval){a.lower == b.lower ? a.lower : both(ranges, OP_MIN, a.lower, b.lower),
                      a.upper == b.upper ? a.upper : both(ranges, OP_MAX, a.upper, b.upper), NULL};
}

static Interval min_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return (Interval){both(ranges, OP_MIN, operands[0].lower, operands[1].lower),
                      either(ranges, OP_MIN, operands[0].upper, operands[1].upper), NULL};
}

static Interval max_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return (Interval){either(ranges, OP_MAX, operands[0].lower, operands[1].lower),
                      both(ranges, OP_MAX, operands[0].upper, operands[1].upper), NULL};
}

static Interval select_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return hull_ranges(ranges, operands[1], operands[2]);
}

static Interval lerp_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    return hull_ranges(ranges, operands[0], operands[1]);
}

/* The absolute value of the least value is itself. */
static Interval abs_rule(Ranges *ranges, Expr node, const Interval *operands) {
    Interval a = operands[0], opposite = neg_rule(ranges, node, operands);
    if (proves_at_least(ranges, a.lower, 0))
        return a;
    if (proves_at_most(ranges, a.upper, 0))
        return opposite;
    Expr least = either(ranges, OP_MAX, a.lower, opposite.lower);
    return (Interval){least ? at_least(ranges, least, 0) : expr_index(ranges->pool, 0),
                      both(ranges, OP_MAX, a.upper, opposite.upper), NULL};
}

static Interval absd_rule(Ranges *ranges, Expr node, const Interval *operands) {
    Interval difference = sub_rule(ranges, node, operands);
    return abs_rule(ranges, node, &difference);
}

/* ---- conversions ---- */

Interval range_whole_type(Pool *pool, Type type, Expr culprit) {
    Interval range = {.culprit = culprit};
    bool unsigned_ = type.kind == TYPE_UINT || type_is_bool(type);
    if (type_is_bool(type) || (type_is_machine_integer(type) && type.bits < 32)) {
        range.lower = expr_index(pool, unsigned_ ? 0 : type_minimum(type));
        range.upper = expr_index(pool, type_is_bool(type) ? 1 : type_maximum(type));
        range.culprit = NULL;
    } else if (type.kind == TYPE_UINT) {
        range.lower = expr_index(pool, 0);
    }
    return range;
}

static Interval of_float(const Ranges *ranges, Expr node, Interval operand) {
    return range_truncated(ranges, node, operand, range_whole_type(ranges->pool, node->type, NULL));
}

static Interval cast_rule(Ranges *ranges, Expr node, const Interval *operands) {
    Type from = node->arguments[0]->type;
    return type_is_float(from) ? of_float(ranges, node, operands[0]) : operands[0];
}

/* Clamps both ends to the type's range, if they are known. */
static Interval saturate(Ranges *ranges, Expr node, Interval a) {
    Type type = node->type;
    if (type_is_index(type))
        return a;
    if (type.bits > 32)
        return unknown;
    Expr least = expr_index(ranges->pool, type_minimum(type));
    Expr most = expr_index(ranges->pool, type_maximum(type));
    Interval whole = {least, most, NULL};
    Interval above = max_rule(ranges, node, (Interval[]){a, whole});
    Interval result = min_rule(ranges, node, (Interval[]){above, whole});
    if (type.bits < 32 || (a.lower && a.upper))
        return (Interval){a.lower ? result.lower : least, a.upper ? result.upper : most, NULL};
    return range_whole_type(ranges->pool, type, a.culprit);
}

static Interval saturating_cast_rule(Ranges *ranges, Expr node, const Interval *operands) {
    if (type_is_float(node->arguments[0]->type))
        return of_float(ranges, node, operands[0]);
    return saturate(ranges, node, operands[0]);
}

static Interval saturating_add_rule(Ranges *ranges, Expr node, const Interval *operands) {
    return saturate(ranges, node, add_rule(ranges, node, operands));
}

static Interval saturating_sub_rule(Ranges *ranges, Expr node, const Interval *operands) {
    return saturate(ranges, node, sub_rule(ranges, node, operands));
}

/* ---- averages ---- */

static Interval halve(Ranges *ranges, Interval a, int64_t bias) {
    Expr two = expr_index(ranges->pool, 2);
    return (Interval){both(ranges, OP_DIV, plus_constant(ranges, a.lower, bias), two),
                      both(ranges, OP_DIV, plus_constant(ranges, a.upper, bias), two), NULL};
}

static Interval halving_add_rule(Ranges *ranges, Expr node, const Interval *operands) {
    return halve(ranges, add_rule(ranges, node, operands), 0);
}

static Interval halving_sub_rule(Ranges *ranges, Expr node, const Interval *operands) {
    return halve(ranges, sub_rule(ranges, node, operands), 0);
}

static Interval rounding_halving_add_rule(Ranges *ranges, Expr node, const Interval *operands) {
    return halve(ranges, add_rule(ranges, node, operands), 1);
}

/* ---- bits ---- */

/* Returns the number of a constant shift amount smaller than the type's width. */
static bool shift_amount(Expr node, Interval amount, int64_t *bits) {
    return is_constant_point(amount, bits) && *bits >= 0 && *bits < node->type.bits && *bits < 62;
}

static Interval shift_left_rule(Ranges *ranges, Expr node, const Interval *operands) {
    int64_t amount;
    if (!shift_amount(node, operands[1], &amount))
        return unknown;
    return scale(ranges, operands[0], expr_index(ranges->pool, (int64_t)1 << amount));
}

static Interval shift_right_rule(Ranges *ranges, Expr node, const Interval *operands) {
    int64_t amount;
    if (shift_amount(node, operands[1], &amount))
        return divide_by(ranges, operands[0], expr_index(ranges->pool, (int64_t)1 << amount), true);
    if (!proves_at_least(ranges, operands[0].lower, 0))
        return unknown;
    return (Interval){expr_index(ranges->pool, 0), operands[0].upper, NULL};
}

static Interval bit_and_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    Interval a = operands[0], b = operands[1];
    bool a_natural = proves_at_least(ranges, a.lower, 0),
         b_natural = proves_at_least(ranges, b.lower, 0);
    if (!a_natural && !b_natural)
        return unknown;
    Expr most = a_natural && b_natural ? either(ranges, OP_MIN, a.upper, b.upper)
                                       : (a_natural ? a.upper : b.upper);
    return (Interval){expr_index(ranges->pool, 0), most, NULL};
}

/* `|` and `^` of naturals below a power of two stay below it. */
static Interval bit_or_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)node;
    int64_t most = 0;
    for (int i = 0; i < 2; i++) {
        if (!operands[i].upper || !proves_at_least(ranges, operands[i].lower, 0))
            return unknown;
        ConstantInterval known = simplify_interval(ranges->simplifier, operands[i].upper);
        if (!known.has_maximum || known.maximum >= (int64_t)1 << 61)
            return unknown;
        most = known.maximum > most ? known.maximum : most;
    }
    int64_t mask = 0;
    while (mask < most)
        mask = mask * 2 + 1;
    return (Interval){expr_index(ranges->pool, 0), expr_index(ranges->pool, mask), NULL};
}

static Interval bit_not_rule(Ranges *ranges, Expr node, const Interval *operands) {
    int64_t top =
        node->type.kind == TYPE_UINT && node->type.bits < 64 ? type_maximum(node->type) : -1;
    Interval point = {expr_index(ranges->pool, top), expr_index(ranges->pool, top), NULL};
    return node->type.kind == TYPE_UINT && node->type.bits == 64
               ? unknown
               : sub_rule(ranges, node, (Interval[]){point, operands[0]});
}

static Interval bit_count_rule(Ranges *ranges, Expr node, const Interval *operands) {
    (void)operands;
    return (Interval){expr_index(ranges->pool, 0), expr_index(ranges->pool, node->type.bits), NULL};
}

/* ---- the table ---- */

typedef struct RangeRule {
    RegionRule *rule;
    bool fits; /* the result lies in its type whatever the operands */
} RangeRule;

static const RangeRule rules[OP_COUNT] = {
#define FITS(RULE)                                                                                 \
    { RULE##_rule, true }
#define WRAPS(RULE)                                                                                \
    { RULE##_rule, false }
#define NONE                                                                                       \
    { NULL, false }
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, INTERVAL, REGION, EMIT)  \
    [OP_##NAME] = REGION,
#include "ir/ops.def"
#undef OP
};

bool range_is_checked_coordinate(Expr node) {
    return node->op == OP_CAST && type_equal(node->type, I32) &&
           node->arguments[0]->op == OP_VARIABLE && type_is_index(node->arguments[0]->type);
}

static bool fits(const Ranges *ranges, Type type, Interval range) {
    if (type_equal(type, U64))
        return false;
    ConstantInterval least = simplify_interval(ranges->simplifier, range.lower);
    ConstantInterval most = simplify_interval(ranges->simplifier, range.upper);
    return least.has_minimum && most.has_maximum && least.minimum >= type_minimum(type) &&
           most.maximum <= type_maximum(type);
}

/* Returns the first operand that nothing bounds, else the node itself. */
static Expr find_culprit(Expr node, const Interval *operands) {
    for (int i = 0; i < node->arity; i++)
        if (operands[i].culprit)
            return operands[i].culprit;
    return node;
}

Interval range_rule(Ranges *ranges, Expr node, const Interval *operands) {
    const RangeRule *row = &rules[node->op];
    bool machine = type_is_machine_integer(node->type);
    Interval range = type_is_float(node->type) ? range_float_rule(ranges, node, operands)
                     : row->rule               ? row->rule(ranges, node, operands)
                                               : unknown;
    if (machine && !row->fits && !range_is_checked_coordinate(node) &&
        !(range.lower && range.upper && fits(ranges, node->type, range)))
        range = unknown;
    if (!range.lower && !range.upper && machine)
        range = range_whole_type(ranges->pool, node->type, NULL);
    range.culprit = range.lower && range.upper ? NULL : find_culprit(node, operands);
    return range;
}

/* compare.c -- integer comparisons in normal form.
 *
 * `a <= b` means that the sum a - b is at most 0. Its interval may decide the comparison. Otherwise
 * cancellations and rules simplify the sum, and its common factor is divided out (the constant
 * rounds inward). Positive terms go to the left, negative ones to the right: `x + 3 < y` becomes `x
 * <= y - 4`. The constant is on the right, or alone on the left. `<` is used exactly if it saves
 * the constant: `x < y`, `0 < n`, `n < 0`. Equalities have the same form, with a positive first
 * term.
 */
#include "simplify/internal.h"

static Residue sum_residue(Simplifier *s, const LinearSum *sum) {
    KnownValue total = known_constant(INDEX, sum->constant);
    for (int i = 0; i < sum->count && !sum->failed; i++) {
        KnownValue parts[] = {*known_of(s, sum->terms[i].atom),
                              known_constant(INDEX, sum->terms[i].coefficient)};
        KnownValue both[] = {total, known_apply(OP_MUL, INDEX, parts)};
        total = known_apply(OP_ADD, INDEX, both);
    }
    return sum->failed ? ANY_RESIDUE : total.residue;
}

void compare_sum(LinearSum *sum, Expr comparison) {
    sum_add(sum, comparison->arguments[0], 1);
    sum_add(sum, comparison->arguments[1], -1);
    sum_add_constant(sum, comparison->op == OP_LT, 1);
}

static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* A comparison on the way to its normal form. */
typedef struct Comparison {
    Simplifier *s;
    Expr node;     /* as it was */
    LinearSum sum; /* against 0 */
    bool normal;   /* nothing is to be improved in the sum */
} Comparison;

/* The terms with this sign, on their side. */
static Expr build_side(const Comparison *c, int sign, int64_t constant) {
    if (!c->normal)
        return sum_build_side(c->s->pool, &c->sum, sign, constant);
    Expr likely = c->node->arguments[sign > 0 ? 0 : 1];
    return sum_build_side_normal(c->s, &c->sum, sign, constant, likely);
}

static Expr build(const Comparison *c, Op op, int64_t left, int64_t right) {
    Expr first = build_side(c, 1, left), second = build_side(c, -1, right);
    Expr result = expr_binary(c->s->pool, op, first, second);
    if (c->normal)
        memo_mark(c->s, result, NORMAL_NODE);
    return result;
}

/* Builds sum <= 0; the sum has terms. */
static Expr build_order(Comparison *c) {
    LinearSum *sum = &c->sum;
    int64_t factor = sum_gcd(sum), limit = floor_quotient(-sum->constant, factor);
    c->normal &= factor == 1;
    for (int i = 0; i < sum->count; i++)
        sum->terms[i].coefficient /= factor;
    bool strict = limit == -1, has_positive = false, has_negative = false;
    for (int i = 0; i < sum->count; i++)
        *(sum->terms[i].coefficient > 0 ? &has_positive : &has_negative) = true;
    int64_t right = strict || !has_negative ? 0 : limit, left = 0;
    if (!has_positive) {
        right = 0;
        left = strict ? 0 : -limit;
    } else if (!has_negative) {
        right = strict ? 0 : limit;
    }
    return build(c, strict ? OP_LT : OP_LE, left, right);
}

/* Builds sum == 0 or sum != 0; the sum has terms. */
static Expr build_equality(Comparison *c) {
    LinearSum *sum = &c->sum;
    Op op = (Op)c->node->op;
    int64_t factor = sum_gcd(sum);
    if (sum->constant % factor)
        return expr_bool(c->s->pool, op == OP_NE);
    c->normal &= factor == 1;
    if (sum->terms[0].coefficient < 0)
        factor = -factor;
    for (int i = 0; i < sum->count; i++)
        sum->terms[i].coefficient /= factor;
    int64_t constant = sum->constant / factor;
    return build(c, op, 0, -constant);
}

/* Do the facts about the sum decide the comparison? */
static bool decide(Simplifier *s, Op op, const LinearSum *sum, bool *truth) {
    ConstantInterval interval = sum_interval(s, sum);
    bool below = interval.has_maximum && interval.maximum < 0;
    bool above = interval.has_minimum && interval.minimum > 0;
    bool never_zero = below || above;
    if (op == OP_EQ || op == OP_NE) {
        bool zero = interval_is_point(interval) && !interval.minimum;
        never_zero = never_zero || !residue_may_equal(sum_residue(s, sum), residue_point(0));
        *truth = zero == (op == OP_EQ);
        return zero || never_zero;
    }
    *truth = interval.has_maximum && interval.maximum <= 0;
    return *truth || above;
}

static void compare_parts(SumParts *parts, Expr comparison) {
    sum_parts_of(parts, comparison->arguments[0], comparison->arguments[1], -1);
}

Expr compare_step(Simplifier *s, Expr node) {
    Comparison c;
    SumParts parts;
    LinearSum *sum = &c.sum;
    Op op = (Op)node->op;
    bool truth, ordered = op == OP_LT || op == OP_LE;
    c.s = s;
    c.node = node;
    compare_parts(&parts, node);
    sum_of_parts(&parts, sum);
    sum_add_constant(sum, op == OP_LT, 1);
    if (sum->failed)
        return node;
    if (decide(s, op, sum, &truth))
        return expr_bool(s->pool, truth);
    c.normal = !sum_improve(s, sum, &parts);
    sum_sort(sum);
    if (sum->failed)
        return node;
    if (!sum->count) {
        bool equal = sum->constant == 0;
        return expr_bool(s->pool, ordered ? sum->constant <= 0 : equal == (op == OP_EQ));
    }
    return ordered ? build_order(&c) : build_equality(&c);
}

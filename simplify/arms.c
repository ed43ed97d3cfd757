/* arms.c -- min, max and select over the integers: moves common parts of the arms outside.
 *
 *   min(m + x*4 + 7, m + y*8 + 3)  becomes  min(x + 1, y*2)*4 + m + 3
 *
 * If the difference of the arms has a known sign, min and max are one of the arms. Otherwise these
 * parts leave both arms: terms with equal coefficients; of two constants the smaller in magnitude,
 * or, if one arm is only a constant, the other's; then the common factor; and a sign that all terms
 * have. Each step leaves fewer terms under the operator.
 */
#include "simplify/internal.h"

#define MAX_IMPROVEMENTS 4 /* of the arms' difference, before its sign is computed */

static bool is_select(Expr node) {
    return node->op == OP_SELECT;
}

static Expr decided(Simplifier *s, Expr node, const SumParts *arms) {
    LinearSum difference;
    sum_of_parts(arms, &difference);
    for (int i = 0; i < MAX_IMPROVEMENTS && !difference.failed; i++)
        if (!sum_improve(s, &difference, i == 0 ? arms : NULL))
            break;
    ConstantInterval interval = sum_interval(s, &difference);
    if (difference.failed)
        return NULL;
    bool first_is_less = interval.has_maximum && interval.maximum <= 0;
    bool second_is_less = interval.has_minimum && interval.minimum >= 0;
    if (!first_is_less && !second_is_less)
        return NULL;
    return node->arguments[first_is_less == (node->op == OP_MIN) ? 0 : 1];
}

/* The arms, as the parts of their difference. */
static void arms_of(Expr node, SumParts *arms) {
    int first = is_select(node);
    sum_parts_of(arms, node->arguments[first], node->arguments[first + 1], -1);
}

Expr arms_decided(Simplifier *s, Expr node) {
    SumParts arms;
    arms_of(node, &arms);
    return decided(s, node, &arms);
}

static bool share_terms(LinearSum *a, LinearSum *b, LinearSum *shared) {
    for (int i = a->count - 1; i >= 0; i--) {
        SumTerm term = a->terms[i];
        if (sum_coefficient(b, term.atom) != term.coefficient)
            continue;
        sum_add_term(shared, term.atom, term.coefficient);
        sum_add_term(b, term.atom, -term.coefficient);
        sum_add_term(a, term.atom, -term.coefficient);
    }
    return shared->count > 0;
}

static uint64_t magnitude(int64_t value) {
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* The constant to take out of both arms. */
static int64_t shared_constant(Expr node, const LinearSum *a, const LinearSum *b) {
    if (is_select(node))
        return a->constant == b->constant ? a->constant : 0;
    if (!a->count || !b->count)
        return a->count ? a->constant : b->count ? b->constant : 0;
    if (!a->constant || !b->constant)
        return 0;
    uint64_t first = magnitude(a->constant), second = magnitude(b->constant);
    if (first == second)
        return a->constant < b->constant ? a->constant : b->constant;
    return first < second ? a->constant : b->constant;
}

static bool all_negative(const LinearSum *sum) {
    for (int i = 0; i < sum->count; i++)
        if (sum->terms[i].coefficient > 0)
            return false;
    return true;
}

/* The factor to take out of both arms. */
static int64_t shared_factor(Expr node, const LinearSum *a, const LinearSum *b) {
    if (!a->count && !b->count)
        return 1;
    if (is_select(node) && ((!a->count && a->constant) || (!b->count && b->constant)))
        return 1;
    int64_t factor = gcd64(sum_gcd(a), sum_gcd(b));
    factor = gcd64(gcd64(factor, a->constant), b->constant);
    return all_negative(a) && all_negative(b) ? -factor : factor;
}

static void divide(LinearSum *sum, int64_t factor) {
    for (int i = 0; i < sum->count; i++)
        sum->terms[i].coefficient /= factor;
    sum->constant /= factor;
}

Expr arms_step(Simplifier *s, Expr node) {
    SumParts arms;
    LinearSum a, b, shared;
    sum_clear(&shared);
    arms_of(node, &arms);
    if (arms.left.failed || arms.right.failed)
        return node;
    Expr arm = is_select(node) ? NULL : decided(s, node, &arms);
    if (arm)
        return arm;
    a = arms.left;
    b = arms.right;
    share_terms(&a, &b, &shared);
    shared.constant = shared_constant(node, &a, &b);
    sum_add_constant(&a, shared.constant, -1);
    sum_add_constant(&b, shared.constant, -1);
    int64_t factor = shared_factor(node, &a, &b);
    if (a.failed || b.failed || shared.failed || (!shared.count && !shared.constant && factor == 1))
        return node;
    divide(&a, factor);
    divide(&b, factor);
    sum_sort(&a);
    sum_sort(&b);
    Op op = (Op)node->op;
    if (factor < 0 && !is_select(node))
        op = op == OP_MIN ? OP_MAX : OP_MIN;
    Expr arguments[] = {node->arguments[0], sum_build(s->pool, &a), sum_build(s->pool, &b)};
    if (!is_select(node)) {
        arguments[0] = arguments[1];
        arguments[1] = arguments[2];
    }
    sum_add(&shared, expr_apply(s->pool, op, arguments), factor);
    sum_sort(&shared);
    return shared.failed ? node : sum_build(s->pool, &shared);
}

Expr arms_negated(Simplifier *s, Expr node) {
    LinearSum arms[2], negated[2];
    Expr built[2];
    bool has_negative = false;
    for (int k = 0; k < 2; k++) {
        sum_clear(&arms[k]);
        sum_clear(&negated[k]);
        sum_add(&arms[k], node->arguments[k], 1);
        for (int i = 0; i < arms[k].count; i++)
            has_negative |= arms[k].terms[i].coefficient < 0;
        sum_add_sum(&negated[k], &arms[k], -1);
        sum_sort(&negated[k]);
        if (!negated[k].failed)
            built[k] = sum_build(s->pool, &negated[k]);
    }
    if (!has_negative || negated[0].failed || negated[1].failed)
        return NULL;
    return expr_apply(s->pool, node->op == OP_MIN ? OP_MAX : OP_MIN, built);
}

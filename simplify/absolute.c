/* absolute.c -- absolute values over the integers.
 *
 *   abs(y*-2 + x*-4)             becomes  abs(x*2 + y)*2
 *   max(x - y, y - x)                     abs(x - y)
 *   min(x - y, y - x)                     abs(x - y)*-1
 *   select(x < y, y - x, x - y)           abs(x - y)
 *
 * A common factor moves out of an abs, and its first term becomes positive.
 */
#include "simplify/internal.h"

static Expr scaled(Pool *pool, Expr expr, int64_t factor) {
    return factor == 1 ? expr : expr_mul(pool, expr, expr_index(pool, factor));
}

static Expr absolute(Pool *pool, LinearSum *sum, int64_t factor) {
    sum_sort(sum);
    return scaled(pool, expr_unary(pool, OP_ABS, sum_build(pool, sum)), factor);
}

static Expr of_sum(Simplifier *s, Expr node) {
    LinearSum sum = {0}, positive = {0};
    sum_add(&sum, node->arguments[0], 1);
    sum_sort(&sum);
    if (sum.failed || !sum.count)
        return node;
    int64_t factor = gcd64(sum_gcd(&sum), sum.constant);
    bool turns = sum.terms[0].coefficient < 0;
    if (factor == 1 && !turns)
        return node;
    for (int i = 0; i < sum.count; i++)
        sum.terms[i].coefficient /= factor;
    sum.constant /= factor;
    sum_add_sum(&positive, &sum, turns ? -1 : 1);
    return positive.failed ? node : absolute(s->pool, &positive, factor);
}

/* Are the arms negatives of one another?  The first as a sum. */
static bool opposite(const Expr *arms, LinearSum *first) {
    LinearSum both;
    if (arms[0]->op == OP_CONSTANT || arms[1]->op == OP_CONSTANT)
        return false;
    sum_of(&both, arms[0]);
    sum_add(&both, arms[1], 1);
    if (both.failed || both.count || both.constant)
        return false;
    sum_add(first, arms[0], 1);
    return first->count;
}

/* Returns the sign that a condition `D <= 0` implies: 1 for sum >= 0 or sum > 0, -1 for sum <= 0 or
 * sum < 0, 0 for anything else. */
static int sign_said(Expr condition, const LinearSum *sum) {
    int64_t factor = gcd64(sum_gcd(sum), sum->constant);
    if ((condition->op != OP_LE && condition->op != OP_LT) ||
        !type_is_index(condition->arguments[0]->type))
        return 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        LinearSum total = {0};
        compare_sum(&total, condition);
        for (int i = 0; i < sum->count; i++)
            sum_add_term(&total, sum->terms[i].atom, sign * (sum->terms[i].coefficient / factor));
        sum_add_constant(&total, sum->constant / factor, sign);
        if (!total.failed && !total.count && (total.constant == 0 || total.constant == 1))
            return sign;
    }
    return 0;
}

Expr absolute_step(Simplifier *s, Expr node) {
    LinearSum arm;
    sum_clear(&arm);
    if (node->op == OP_ABS)
        return of_sum(s, node);
    bool chooses = node->op == OP_SELECT;
    if (!opposite(node->arguments + chooses, &arm))
        return node;
    int sign = chooses ? sign_said(node->arguments[0], &arm) : node->op == OP_MAX ? 1 : -1;
    return sign ? absolute(s->pool, &arm, sign) : node;
}

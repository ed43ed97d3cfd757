/* quotient.c -- pairs of quotients and remainders by constants in a sum.
 *
 *   x - x % 4                   becomes  x/4*4
 *   (x + 5)/4 - (x + 2)/4                ((x + 2) % 4 + 3)/4, which is 0 or 1
 *   x/2 + (x + 1)/2                      x
 *   x/4 % 8*4 + x % 4                    x % 32
 *
 * Each step leaves fewer terms. cancel.c rewrites x - x/4*4 to x % 4.
 */
#include "simplify/internal.h"

static bool divides(Expr atom, Op op, int64_t *divisor) {
    return atom->op == op && expr_constant_integer(atom->arguments[1], divisor) && *divisor > 0;
}

/* -k*(N % c) and k times each term of N: that is k*c times N / c. */
static bool remainder_leaves(Simplifier *s, LinearSum *sum, SumTerm term) {
    int64_t divisor, wanted, coefficient;
    if (!divides(term.atom, OP_MOD, &divisor) ||
        __builtin_mul_overflow(-term.coefficient, divisor, &coefficient))
        return false;
    LinearSum dividend, next = *sum;
    sum_of(&dividend, term.atom->arguments[0]);
    for (int i = 0; i < dividend.count; i++)
        if (__builtin_mul_overflow(dividend.terms[i].coefficient, -term.coefficient, &wanted) ||
            sum_coefficient(sum, dividend.terms[i].atom) != wanted)
            return false;
    sum_add_term(&next, term.atom, -term.coefficient);
    sum_add_sum(&next, &dividend, term.coefficient);
    sum_add_term(&next, expr_div(s->pool, term.atom->arguments[0], term.atom->arguments[1]),
                 coefficient);
    if (dividend.failed || next.failed || !dividend.count)
        return false;
    *sum = next;
    return true;
}

/* Finds the difference of the dividends, if it is constant. */
static bool constant_apart(Expr a, Expr b, int64_t *apart) {
    LinearSum difference;
    sum_of_difference(&difference, a->arguments[0], b->arguments[0]);
    *apart = difference.constant;
    return !difference.failed && !difference.count;
}

/* k*((N + d)/c) - k*(N/c) is k*((N % c + d)/c); N/2 + (N + 1)/2 is N. */
static bool quotients_meet(Simplifier *s, LinearSum *sum, SumTerm a, SumTerm b) {
    int64_t divisor, other, apart;
    if (!divides(a.atom, OP_DIV, &divisor) || !divides(b.atom, OP_DIV, &other) ||
        divisor != other || !constant_apart(a.atom, b.atom, &apart))
        return false;
    SumTerm upper = apart > 0 ? a : b, lower = apart > 0 ? b : a;
    Expr dividend = lower.atom->arguments[0], c = lower.atom->arguments[1];
    LinearSum next = *sum;
    sum_add_term(&next, a.atom, -a.coefficient);
    sum_add_term(&next, b.atom, -b.coefficient);
    apart = apart > 0 ? apart : -apart;
    if (a.coefficient == -b.coefficient) {
        Expr within = expr_add(s->pool, expr_mod(s->pool, dividend, c), expr_index(s->pool, apart));
        sum_add_term(&next, expr_div(s->pool, within, c), upper.coefficient);
    } else if (a.coefficient == b.coefficient && divisor == 2 && apart == 1) {
        sum_add(&next, dividend, a.coefficient);
    } else {
        return false;
    }
    if (next.failed)
        return false;
    *sum = next;
    return true;
}

/* k*c*(N/c % d) + k*(N % c) is k*(N % (c*d)). */
static bool digits_meet(Simplifier *s, LinearSum *sum, SumTerm high, SumTerm low) {
    int64_t d, c, inner, coefficient, product;
    if (!divides(high.atom, OP_MOD, &d) || !divides(low.atom, OP_MOD, &c) ||
        !divides(high.atom->arguments[0], OP_DIV, &inner) || inner != c ||
        high.atom->arguments[0]->arguments[0] != low.atom->arguments[0] ||
        __builtin_mul_overflow(low.coefficient, c, &coefficient) ||
        coefficient != high.coefficient || __builtin_mul_overflow(c, d, &product))
        return false;
    LinearSum next = *sum;
    sum_add_term(&next, high.atom, -high.coefficient);
    sum_add_term(&next, low.atom, -low.coefficient);
    sum_add_term(&next, expr_mod(s->pool, low.atom->arguments[0], expr_index(s->pool, product)),
                 low.coefficient);
    if (next.failed)
        return false;
    *sum = next;
    return true;
}

bool quotient_improve(Simplifier *s, LinearSum *sum) {
    for (int i = 0; i < sum->count; i++)
        if (remainder_leaves(s, sum, sum->terms[i]))
            return true;
    for (int i = 0; i < sum->count; i++)
        for (int j = i + 1; j < sum->count && sum->terms[i].atom->op == OP_DIV; j++)
            if (quotients_meet(s, sum, sum->terms[i], sum->terms[j]))
                return true;
    for (int i = 0; i < sum->count; i++)
        for (int j = 0; j < sum->count && sum->terms[i].atom->op == OP_MOD; j++)
            if (j != i && digits_meet(s, sum, sum->terms[i], sum->terms[j]))
                return true;
    return false;
}

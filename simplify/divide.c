/* divide.c -- integer quotients and remainders of sums by constants, in normal form.
 *
 *   (x*16 + y*4 + z + 19) / 8   becomes   x*2 + (y*4 + z + 3)/8 + 2
 *   (x*16 + y*12 + 9) % 8       becomes   (y % 2)*4 + 1
 *
 * A negative divisor becomes positive. Terms whose coefficient is a multiple of the divisor leave
 * the dividend, and so do multiples of the divisor in the constant. In a remainder all coefficients
 * are reduced. Remainders by multiples of the divisor are replaced by their dividends: (x % 12 + y)
 * % 4 becomes (x + y) % 4. Then a factor g of the divisor g m is removed. Let R be the constant and
 * the terms that g does not divide. If R lies between k g and k g + g - 1,
 *
 *   (g S + R) / (g m) = (S + k) / m          (x*8 + y % 8)/16 is x/2
 *   (g S + R) % (g m) = ((S + k) % m) g + R - k g
 *
 * The largest possible g is used.
 */
#include "simplify/internal.h"

static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

static int64_t floor_remainder(int64_t a, int64_t b) {
    int64_t remainder = a % b;
    return remainder < 0 ? remainder + b : remainder;
}

/* dividend = divisor * whole + rest. */
static void take_multiples(const LinearSum *dividend, int64_t divisor, bool reduce,
                           LinearSum *whole, LinearSum *rest) {
    for (int i = 0; i < dividend->count; i++) {
        SumTerm term = dividend->terms[i];
        if (reduce || term.coefficient % divisor == 0) {
            int64_t left = floor_remainder(term.coefficient, divisor);
            left -= left > divisor / 2 ? divisor : 0; /* x*7 % 8 is x*-1 % 8 */
            sum_add_term(whole, term.atom, floor_quotient(term.coefficient, divisor));
            term.coefficient = left;
        }
        sum_add_term(rest, term.atom, term.coefficient);
    }
    whole->constant = floor_quotient(dividend->constant, divisor);
    rest->constant = floor_remainder(dividend->constant, divisor);
}

/* Splits the sum into the terms divisible by `factor`, as `multiples` of it, and the rest with the
 * constant, as `small`. `small` must lie in one block of `factor` numbers, block `*block`. */
static bool split(Simplifier *s, const LinearSum *sum, int64_t factor, LinearSum *multiples,
                  LinearSum *small, int64_t *block) {
    sum_clear(multiples);
    sum_clear(small);
    for (int i = 0; i < sum->count; i++) {
        int64_t coefficient = sum->terms[i].coefficient;
        if (coefficient % factor == 0)
            sum_add_term(multiples, sum->terms[i].atom, coefficient / factor);
        else
            sum_add_term(small, sum->terms[i].atom, coefficient);
    }
    sum_add_constant(small, sum->constant, 1);
    ConstantInterval range = interval_point(small->constant);
    if (small->count)
        range = sum_interval(s, small);
    if (small->failed || !range.has_minimum || !range.has_maximum)
        return false;
    *block = floor_quotient(range.minimum, factor);
    return *block == floor_quotient(range.maximum, factor);
}

/* Returns the greatest factor of the divisor that can be removed; at least the common factor of all
 * terms. */
static int64_t greatest_factor(Simplifier *s, const LinearSum *sum, int64_t divisor) {
    int64_t best = gcd64(sum_gcd(sum), divisor), block;
    LinearSum multiples, small;
    for (int i = 0; i < sum->count && sum->count > 1; i++) {
        int64_t factor = gcd64(sum->terms[i].coefficient, divisor);
        if (factor > best && split(s, sum, factor, &multiples, &small, &block))
            best = factor;
    }
    return best;
}

/* k * (N % c) is k * N modulo `divisor` if that divides k * c. */
static LinearSum without_remainders(const LinearSum *dividend, int64_t divisor) {
    LinearSum result = {.constant = dividend->constant, .failed = dividend->failed};
    for (int i = 0; i < dividend->count; i++) {
        SumTerm term = dividend->terms[i];
        int64_t inner, period;
        bool falls_away = term.atom->op == OP_MOD &&
                          expr_constant_integer(term.atom->arguments[1], &inner) && inner &&
                          !__builtin_mul_overflow(inner, term.coefficient, &period) &&
                          period % divisor == 0;
        if (falls_away)
            sum_add(&result, term.atom->arguments[0], term.coefficient);
        else
            sum_add_term(&result, term.atom, term.coefficient);
    }
    return result.failed ? *dividend : result;
}

/* Does the dividend contain nothing to remove? */
static bool is_normal(const LinearSum *dividend, bool quotient, int64_t divisor) {
    int64_t factor = divisor;
    for (int i = 0; i < dividend->count; i++) {
        int64_t coefficient = dividend->terms[i].coefficient;
        bool whole = quotient
                         ? coefficient % divisor == 0
                         : coefficient > divisor / 2 || coefficient < divisor / 2 - divisor + 1;
        bool shares = dividend->count > 1 && gcd64(coefficient, divisor) > 1;
        if (whole || shares || (!quotient && dividend->terms[i].atom->op == OP_MOD))
            return false;
        factor = gcd64(factor, coefficient);
    }
    return dividend->count && factor == 1 && dividend->constant >= 0 &&
           dividend->constant < divisor;
}

static Expr constant_divisor(Simplifier *s, Expr node, const LinearSum *dividend, int64_t divisor) {
    LinearSum whole, rest;
    sum_clear(&whole);
    sum_clear(&rest);
    bool quotient = node->op == OP_DIV;
    LinearSum reduced = quotient ? *dividend : without_remainders(dividend, divisor);
    take_multiples(&reduced, divisor, !quotient, &whole, &rest);
    if (rest.failed || whole.failed)
        return node;
    int64_t factor = greatest_factor(s, &rest, divisor), block;
    LinearSum multiples, small, result;
    if (!split(s, &rest, factor, &multiples, &small, &block))
        return node;
    sum_add_constant(&multiples, block, 1);
    sum_sort(&multiples);
    Expr core = expr_binary(s->pool, (Op)node->op, sum_build(s->pool, &multiples),
                            expr_index(s->pool, divisor / factor));
    sum_clear(&result);
    if (quotient) {
        sum_add_sum(&result, &whole, 1);
    } else {
        sum_add_sum(&result, &small, 1);
        sum_add_constant(&result, block, -factor);
    }
    sum_add(&result, core, quotient ? 1 : factor);
    sum_sort(&result);
    return result.failed ? node : sum_build(s->pool, &result);
}

/* x / -c = -(x / c), x % -c = x % c. */
static Expr negative_divisor(Pool *pool, Expr node, int64_t divisor) {
    Expr positive = expr_binary(pool, (Op)node->op, node->arguments[0], expr_index(pool, -divisor));
    return node->op == OP_DIV ? expr_mul(pool, positive, expr_index(pool, -1)) : positive;
}

Expr divide_step(Simplifier *s, Expr node) {
    LinearSum dividend;
    sum_clear(&dividend);
    int64_t divisor;
    if (!expr_constant_integer(node->arguments[1], &divisor) || !divisor || divisor == INT64_MIN)
        return node;
    if (divisor < 0)
        return negative_divisor(s->pool, node, divisor);
    sum_add(&dividend, node->arguments[0], 1);
    if (dividend.failed || is_normal(&dividend, node->op == OP_DIV, divisor))
        return node;
    return constant_divisor(s, node, &dividend, divisor);
}

/* scaled.c -- sums of exponentials, scaled by the greatest exponent so far:
 *
 *     {max(f.0, a), f.1*exp(f.0 - max(f.0, a)) + w*exp(a - max(f.0, a))}
 *
 * is {max(x.0, y.0), x.1*exp(x.0 - max(x.0, y.0)) + y.1*exp(y.0 - max(x.0, y.0))} with y = (a, w).
 *
 * Over the reals, let t = x.1*exp(x.0) for each tuple. The second component of the operator is (t
 * of x + t of y)*exp(-max(x.0, y.0)). So it is the sum of the t, beside the greatest x.0, and like
 * these it is associative and commutes. The identity is (first value of component 0, 0); that first
 * value is at most any that occurs. (An infinite value would lead to the difference of two
 * infinities.)
 */
#include "associative/internal.h"

/* The components: the maximum so far, and the sum. */
typedef struct Scaled {
    Recogniser *r;
    Expr greatest, sum; /* x.i of them */
    Expr exponent;      /* a */
    Expr weight;        /* w */
} Scaled;

static Expr exponential(const Scaled *s, Expr exponent, Expr greatest) {
    return expr_unary(s->r->pool, OP_EXP, expr_sub(s->r->pool, exponent, greatest));
}

/* x.1*exp(x.0 - max(x.0, y.0)) + y.1*exp(y.0 - max(x.0, y.0)). */
static Expr merged(const Scaled *s, Expr exponent, Expr weight) {
    Pool *pool = s->r->pool;
    Expr most = expr_max(pool, s->greatest, exponent);
    return expr_add(pool, expr_mul(pool, s->sum, exponential(s, s->greatest, most)),
                    expr_mul(pool, weight, exponential(s, exponent, most)));
}

/* Returns the weight of the summand w*exp(..); null for other terms. */
static Expr weight_of(const Scaled *s, Expr summand) {
    Exprs factors = {0};
    Expr weight = NULL;
    int exponentials = 0;
    chain_operands(s->r, OP_MUL, summand, &factors);
    for (size_t i = 0; i < factors.length; i++) {
        exponentials += factors.data[i]->op == OP_EXP && has_x(s->r, factors.data[i]);
        if (!has_x(s->r, factors.data[i]))
            weight = factors.data[i]; /* one, in a canonical form */
    }
    if (exponentials != 1 || factors.length != (weight ? 2u : 1u))
        return NULL;
    return weight ? weight : pattern_number(s->r->pool, summand->type, 1);
}

/* Finds a and w; false for other updates. */
static bool is_scaled(Scaled *s, Expr greatest, Expr sum) {
    Recogniser *r = s->r;
    Exprs summands = {0};
    greatest = canonical_form(r, greatest);
    sum = canonical_form(r, sum);
    if (greatest->op != OP_MAX || greatest->arguments[0] != s->greatest ||
        has_x(r, greatest->arguments[1]))
        return false;
    s->exponent = greatest->arguments[1];
    chain_operands(r, OP_ADD, sum, &summands);
    for (size_t i = 0; i < summands.length && summands.length == 2; i++)
        if (!expr_mentions(r->arena, summands.data[i], s->sum->name))
            s->weight = weight_of(s, summands.data[i]);
    if (!s->weight)
        return false;
    Expr expected = simplify(r->simplifier, merged(s, s->exponent, s->weight));
    return canonical_form(r, expected) == sum;
}

static bool is_finite(Expr first) {
    return first && expr_is_constant(first) &&
           __builtin_isfinite(bits_to_double(first->type, first->bits));
}

bool recognise_scaled(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    if (r->as_written || group.count != 2 || !r->update->first || !r->update->reassociation)
        return false;
    for (int turned = 0; turned < 2; turned++) {
        int key = group.elements[turned], sum = group.elements[1 - turned];
        Scaled s = {.r = r, .greatest = r->x[key], .sum = r->x[sum]};
        if (!type_is_float(s.sum->type) || !type_equal(s.greatest->type, s.sum->type) ||
            !is_finite(r->update->first[key]) || !is_scaled(&s, values[key], values[sum]))
            continue;
        *found = (Found){.has_identity = true, .commutes = true};
        found->operator[key] = expr_max(r->pool, s.greatest, r->y[key]);
        found->operator[sum] = merged(&s, r->y[key], r->y[sum]);
        found->identity[key] = r->update->first[key];
        found->identity[sum] = pattern_number(r->pool, s.sum->type, 0);
        found->injected[key] = s.exponent;
        found->injected[sum] = s.weight;
        return true;
    }
    return false;
}

/* ring.c -- normalizes sums and products of machine integers (the ring of the integers modulo 2^n)
 * and, if reassociation is permitted, of floats as reals.
 *
 * The form of a sum is `m1*c1 + m2*c2 + .. + c`: distinct products m of terms with x, each with a
 * coefficient free of x, and a last term free of x. So `(x + a) - b` is `x + (a - b)`, `x + a*x` is
 * `x*(a + 1)`, `(x.0 + a)*b` is `x.0*b + a*b`. Signs are part of the coefficients.
 */
#include "associative/internal.h"

enum { TERMS = 48, DEGREE = 6 };

typedef struct RingProduct {
    Expr factors[DEGREE]; /* that mention x, in structural order */
    int degree;
    Expr coefficient; /* null: 1 */
    bool is_negative;
} RingProduct;

typedef struct RingSum {
    Vec(RingProduct) terms;
    bool failed; /* too long */
} RingSum;

Expr ring_negate(Pool *pool, Expr expr) {
    if (expr->op == OP_NEG)
        return expr->arguments[0];
    if (expr->op == OP_SUB)
        return expr_sub(pool, expr->arguments[1], expr->arguments[0]);
    return expr_unary(pool, OP_NEG, expr);
}

static void add(Recogniser *r, RingSum *p, const RingProduct *term) {
    if (p->terms.length == TERMS)
        p->failed = true;
    else
        vec_push(r->arena, &p->terms, *term);
}

/* Over the reals, too, every product with it is zero. */
static bool is_zero(Expr coefficient) {
    return coefficient && coefficient->op == OP_CONSTANT &&
           (type_is_float(coefficient->type)
                ? bits_to_double(coefficient->type, coefficient->bits) == 0
                : coefficient->bits == 0);
}

static void multiply(Recogniser *r, RingSum *out, const RingProduct *a, const RingProduct *b) {
    RingProduct term = {.is_negative = a->is_negative != b->is_negative};
    if (a->degree + b->degree > DEGREE) {
        out->failed = true;
        return;
    }
    int i = 0, j = 0;
    while (i < a->degree || j < b->degree) {
        bool left =
            j == b->degree || (i < a->degree && expr_compare(a->factors[i], b->factors[j]) <= 0);
        term.factors[term.degree++] = left ? a->factors[i++] : b->factors[j++];
    }
    term.coefficient = !a->coefficient   ? b->coefficient
                       : !b->coefficient ? a->coefficient
                                         : expr_mul(r->pool, a->coefficient, b->coefficient);
    if (!is_zero(a->coefficient) && !is_zero(b->coefficient))
        add(r, out, &term);
}

/* A term free of x is one coefficient, whatever its form. */
static void append(Recogniser *r, RingSum *out, Expr expr, bool is_negative) {
    if (out->failed)
        return;
    if (!has_x(r, expr)) {
        RingProduct term = {.is_negative = is_negative, .coefficient = expr};
        if (expr->op == OP_NEG) {
            term.is_negative = !is_negative;
            term.coefficient = expr->arguments[0];
        }
        add(r, out, &term);
    } else if (expr->op == OP_ADD || expr->op == OP_SUB) {
        append(r, out, expr->arguments[0], is_negative);
        append(r, out, expr->arguments[1], is_negative != (expr->op == OP_SUB));
    } else if (expr->op == OP_NEG) {
        append(r, out, expr->arguments[0], !is_negative);
    } else if (expr->op == OP_MUL) {
        RingSum factors[2] = {0};
        append(r, &factors[0], expr->arguments[0], is_negative);
        append(r, &factors[1], expr->arguments[1], false);
        out->failed |= factors[0].failed || factors[1].failed;
        for (size_t i = 0; i < factors[0].terms.length; i++)
            for (size_t j = 0; j < factors[1].terms.length && !out->failed; j++)
                multiply(r, out, &factors[0].terms.data[i], &factors[1].terms.data[j]);
    } else {
        RingProduct term = {.factors = {expr}, .degree = 1, .is_negative = is_negative};
        add(r, out, &term);
    }
}

static int compare_factors(const RingProduct *a, const RingProduct *b) {
    if (a->degree != b->degree)
        return a->degree > b->degree ? -1 : 1;
    for (int i = 0; i < a->degree; i++)
        if (a->factors[i] != b->factors[i])
            return expr_compare(a->factors[i], b->factors[i]);
    return 0;
}

/* Orders terms with the same factors: positive ones first. */
static int compare_terms(const RingProduct *a, const RingProduct *b) {
    int order = compare_factors(a, b);
    if (order == 0 && a->is_negative != b->is_negative)
        order = a->is_negative ? 1 : -1;
    if (order == 0 && a->coefficient && b->coefficient)
        order = expr_compare(a->coefficient, b->coefficient);
    else if (order == 0)
        order = !a->coefficient - !b->coefficient;
    return order;
}

static void sort(RingSum *p) {
    RingProduct *terms = p->terms.data;
    for (size_t i = 1; i < p->terms.length; i++) {
        RingProduct term = terms[i];
        size_t j = i;
        for (; j > 0 && compare_terms(&term, &terms[j - 1]) < 0; j--)
            terms[j] = terms[j - 1];
        terms[j] = term;
    }
}

/* Terms with the same factors that cancel are marked by a degree of -1. */
static void cancel(RingProduct *terms, int from, int to) {
    for (int i = from; i < to; i++)
        for (int j = i + 1; j < to && terms[i].degree >= 0; j++)
            if (terms[j].degree >= 0 && terms[i].coefficient == terms[j].coefficient &&
                terms[i].is_negative != terms[j].is_negative)
                terms[i].degree = terms[j].degree = -1;
}

/* Returns the sum of the coefficients of terms [from, to), which have the same factors; null: none.
 */
static Expr collect(Pool *pool, RingProduct *terms, int from, int to, Type type) {
    Expr sum = NULL;
    cancel(terms, from, to);
    for (int i = from; i < to; i++) {
        const RingProduct *term = &terms[i];
        if (term->degree < 0)
            continue;
        Expr c = term->coefficient ? term->coefficient : pattern_number(pool, type, 1);
        if (!sum)
            sum = term->is_negative ? ring_negate(pool, c) : c;
        else
            sum = expr_binary(pool, term->is_negative ? OP_SUB : OP_ADD, sum, c);
    }
    return sum;
}

Expr ring_form(Recogniser *r, Expr node) {
    RingSum p = {0};
    append(r, &p, node, false);
    if (p.failed)
        return NULL;
    sort(&p);
    RingProduct *terms = p.terms.data;
    int count = (int)p.terms.length;
    Type type = node->type;
    Expr zero = pattern_number(r->pool, type, 0), one = pattern_number(r->pool, type, 1),
         sum = NULL;
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && !compare_factors(&terms[from], &terms[to]);)
            to++;
        RingProduct product = terms[from];
        Expr term = collect(r->pool, terms, from, to, type);
        if (!term || term == zero)
            continue;
        if (product.degree) {
            Expr factors = product.factors[0];
            for (int i = 1; i < product.degree; i++)
                factors = expr_mul(r->pool, factors, product.factors[i]);
            term = term == one ? factors : expr_mul(r->pool, factors, term);
        }
        sum = sum ? expr_add(r->pool, sum, term) : term;
    }
    return sum ? sum : zero;
}

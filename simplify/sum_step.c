/* sum_step.c -- takes one step of an integer + - * or negation: brings its sum into normal form
 * (sum.c).
 */
#include "simplify/internal.h"

#define MAX_PRODUCT 8 /* terms of a sum that a monomial is multiplied into */

/* Factors of a product of unknowns, in structural order, multiplied from the left. */
static Expr monomial(Pool *pool, Expr a, Expr b) {
    Expr factors[SUM_TERMS], stack[SUM_TERMS] = {b, a};
    int count = 0, height = 2;
    while (height) {
        Expr top = stack[--height];
        if (top->op == OP_MUL && height + 2 <= SUM_TERMS && count + height + 2 <= SUM_TERMS) {
            stack[height++] = top->arguments[1];
            stack[height++] = top->arguments[0];
            continue;
        }
        int at = count++;
        for (; at > 0 && expr_compare(factors[at - 1], top) > 0; at--)
            factors[at] = factors[at - 1];
        factors[at] = top;
    }
    Expr product = factors[0];
    for (int i = 1; i < count; i++)
        product = expr_mul(pool, product, factors[i]);
    return product;
}

static int parts(const LinearSum *sum) {
    return sum->count + (sum->constant != 0);
}

/* Multiplies out left * right; false if that is not done. */
static bool multiply(Pool *pool, const LinearSum *left, const LinearSum *right,
                     LinearSum *product) {
    if (left->failed || right->failed || (parts(left) > 1 && parts(right) > 1) ||
        parts(left) > MAX_PRODUCT || parts(right) > MAX_PRODUCT)
        return false;
    sum_add_sum(product, left, right->constant);
    for (int j = 0; j < right->count; j++) {
        int64_t cj = right->terms[j].coefficient, coefficient;
        for (int i = 0; i < left->count; i++) {
            Expr atom = monomial(pool, left->terms[i].atom, right->terms[j].atom);
            if (__builtin_mul_overflow(left->terms[i].coefficient, cj, &coefficient))
                return false;
            sum_add_term(product, atom, coefficient);
        }
        if (__builtin_mul_overflow(left->constant, cj, &coefficient))
            return false;
        if (coefficient)
            sum_add_term(product, right->terms[j].atom, coefficient);
    }
    return !product->failed;
}

/* A lone -min(y - x, 0) is max(x - y, 0). Returns null for other sums. */
static Expr without_sign(Simplifier *s, const LinearSum *sum) {
    SumTerm term = sum->terms[0];
    bool negative = sum->count == 1 && !sum->constant && term.coefficient < 0;
    if (!negative || (term.atom->op != OP_MIN && term.atom->op != OP_MAX))
        return NULL;
    Expr negated = arms_negated(s, term.atom);
    return negated ? sum_term(s->pool, (SumTerm){negated, -term.coefficient}) : NULL;
}

/* Multiplies out a product of two sums; returns the node itself if it stays. */
static Expr product_step(Simplifier *s, Expr node) {
    LinearSum left, right, product;
    sum_clear(&product);
    sum_of(&left, node->arguments[0]);
    sum_of(&right, node->arguments[1]);
    if (!multiply(s->pool, &left, &right, &product))
        return node;
    sum_sort(&product);
    return sum_build(s->pool, &product);
}

Expr sum_step(Simplifier *s, Expr node) {
    SumParts parts;
    LinearSum sum;
    if (node->op == OP_ADD || node->op == OP_SUB) {
        sum_parts_of(&parts, node->arguments[0], node->arguments[1], node->op == OP_SUB ? -1 : 1);
    } else {
        parts.sign = 1;
        sum_of(&parts.left, node);
        sum_clear(&parts.right);
    }
    sum_of_parts(&parts, &sum);
    if (sum.failed)
        return node;
    if (sum.count == 1 && sum.terms[0].atom == node && node->op == OP_MUL)
        return product_step(s, node);
    bool improved = sum_improve(s, &sum, &parts);
    if (sum.failed)
        return node;
    sum_sort(&sum);
    Expr unsigned_form = without_sign(s, &sum);
    if (unsigned_form)
        return unsigned_form;
    return improved ? sum_build(s->pool, &sum) : sum_build_normal(s, &sum, node);
}

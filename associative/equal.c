/* equal.c -- proves two expressions equal for all values of their variables and reads.
 *
 * There are six procedures, each complete for its own kind of expressions:
 *   ring      sums and products only: polynomials in normal form
 *   low bits  those of sums and products, as (x + y) & 15
 *   values    min, max, comparisons, select; & | ^ ~: all values that matter (same.c)
 *   cases     bools that select between sums: each true, and false
 *   linear    sums, min, max, comparisons of floats: as integers that do not wrap. If two sides
 *             differ at some reals, they differ at integers: their pieces are cones with rational
 *             sides, because constants but 0 are unknowns
 *   the rest  goes to the simplifier and to the decision tier
 */
#include "associative/internal.h"

#include "decide/decide.h"

enum { BOOLS = 6, DEEPEST = 60, LARGEST = 1000 };

/* Within a millisecond. */
static const DecideBudget BRIEFLY = {.conjunctions = 6, .operations = 200};

/* ---- sides ---- */

static void find_bool(void *data, Expr node) {
    Expr *first = data;
    if (!*first && node->op == OP_VARIABLE && type_is_bool(node->type))
        *first = node;
}

static bool has_same_form(Recogniser *r, Expr a, Expr b) {
    return a == b || canonical_form(r, a) == canonical_form(r, b);
}

/* Tries each bool in them as true and as false, up to `depth` of them. */
static bool is_same_in_cases(Recogniser *r, Expr a, Expr b, int depth) {
    Expr first = NULL;
    if (has_same_form(r, a, b))
        return true;
    expr_visit(r->arena, a, find_bool, &first);
    expr_visit(r->arena, b, find_bool, &first);
    for (int holds = 0; holds < 2 && first && depth > 0; holds++) {
        Expr sides[2] = {a, b};
        for (int i = 0; i < 2; i++)
            sides[i] =
                simplify(r->simplifier, expr_substitute(r->pool, r->arena, sides[i], first->name,
                                                        expr_bool(r->pool, holds)));
        if (!is_same_in_cases(r, sides[0], sides[1], depth - 1))
            return false;
    }
    return first && depth > 0;
}

/* ---- linear floats ---- */

static void look_for_products(void *data, Expr node) {
    bool *is_linear = data;
    bool is_float = node->arity == 0 && type_is_float(node->type);
    switch (node->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_SELECT:
        return;
    default: /* a variable, a constant, or another node */
        *is_linear &= is_float && node->op != OP_ACCESS;
    }
}

static bool is_same_linear(Recogniser *r, Expr a, Expr b) {
    bool is_linear = true;
    expr_visit(r->arena, a, look_for_products, &is_linear);
    expr_visit(r->arena, b, look_for_products, &is_linear);
    if (!is_linear || a->depth > DEEPEST || b->depth > DEEPEST)
        return false;
    Expr claim = expr_eq(r->pool, integers_of(r, a), integers_of(r, b));
    claim = simplify(r->simplifier, claim);
    return expr_is_true(claim) ||
           decide(r->pool, r->arena, claim, NULL, BRIEFLY).verdict == VERDICT_VALID;
}

/* ---- low bits ---- */

/* Returns the constant of `expr & constant`, or 0 for other terms; `rest` gets the other operand.
 */
static Bits mask_of(Expr expr, Expr *rest) {
    for (int i = 0; i < 2 && expr->op == OP_BIT_AND; i++)
        if (expr->arguments[i]->op == OP_CONSTANT) {
            *rest = expr->arguments[1 - i];
            return expr->arguments[i]->bits;
        }
    return 0;
}

/* Returns an expression with the same low bits, those of `mask`, without inner masks: in sums and
 * products a bit depends only on lower bits. */
static Expr low_bits(Recogniser *r, Expr expr, Bits mask) {
    Expr rest = NULL, arguments[OP_MAX_ARITY];
    if ((mask_of(expr, &rest) & mask) == mask)
        return low_bits(r, rest, mask);
    if (expr->op != OP_ADD && expr->op != OP_SUB && expr->op != OP_MUL && expr->op != OP_NEG)
        return expr;
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = low_bits(r, expr->arguments[i], mask);
    return expr_apply(r->pool, (Op)expr->op, arguments);
}

/* Both `.. & (2^n - 1)`, of sums and products. */
static bool is_same_in_low_bits(Recogniser *r, Expr a, Expr b) {
    Bits mask = mask_of(a, &a);
    return mask > 0 && ((uint64_t)mask & ((uint64_t)mask + 1)) == 0 &&
           type_is_machine_integer(a->type) && mask_of(b, &b) == mask && a->tree_size <= LARGEST &&
           b->tree_size <= LARGEST && has_same_form(r, low_bits(r, a, mask), low_bits(r, b, mask));
}

/* ---- all procedures ---- */

bool is_same(Recogniser *r, Expr a, Expr b) {
    a = simplify(r->simplifier, a);
    b = simplify(r->simplifier, b);
    if (has_same_form(r, a, b) || is_same_in_low_bits(r, a, b) || is_same_by_values(r, 1, &a, &b) ||
        is_same_in_cases(r, a, b, BOOLS))
        return true;
    if (type_is_float(a->type))
        return is_same_linear(r, a, b);
    Expr claim = expr_eq(r->pool, a, b);
    return simplify_prove_briefly(r->simplifier, claim) == PROOF_HOLDS ||
           decide(r->pool, r->arena, claim, NULL, BRIEFLY).verdict == VERDICT_VALID;
}

/* Components mostly compare the same terms: all components that do not look alike are tried
 * together. */
bool are_same(Recogniser *r, int arity, const Expr *left, const Expr *right) {
    Expr sides[2][ASSOCIATIVE_MAX];
    int count = 0;
    for (int i = 0; i < arity; i++) {
        sides[0][count] = simplify(r->simplifier, left[i]);
        sides[1][count] = simplify(r->simplifier, right[i]);
        count += !has_same_form(r, sides[0][count], sides[1][count]);
    }
    if (count > 1 && is_same_by_values(r, count, sides[0], sides[1]))
        return true;
    for (int i = 0; i < count; i++)
        if (!is_same(r, sides[0][i], sides[1][i]))
            return false;
    return true;
}

/* ---- updates ---- */

Recogniser prover_create(const Recogniser *asked) {
    Recogniser r = recogniser_create(asked->pool, asked->arena, asked->update);
    r.all_vary = true;
    r.constant = asked->constant;
    return r;
}

bool is_same_update(Recogniser *asked, Expr a, Expr b) {
    Recogniser r = prover_create(asked);
    return is_same(&r, a, b);
}

/* reasons.c -- why an update is not recognised, where that is known, and what can be written
 * instead: a clause each.
 *
 *   floats     are rounded, or may be NaN, and the pipeline does not say that this does not matter
 *   f*k + c    two in a row are f*(k*k') + ..: partial results need the products of the k
 *   begun anew select(p, f + v, w): partial results need to know whether one began
 */
#include "associative/internal.h"

#include "ir/print.h"

/* ---- floats ---- */

typedef struct FloatUse {
    Recogniser *r;
    bool computes, compares; /* with what the func holds */
} FloatUse;

static void find_float_use(void *data, Expr node) {
    FloatUse *use = data;
    bool of_floats = false;
    for (int i = 0; i < node->arity && node->op != OP_ACCESS; i++)
        of_floats |= type_is_float(node->arguments[i]->type) && has_x(use->r, node->arguments[i]);
    if (!of_floats || node->op == OP_SELECT)
        return;
    bool is_order = node->op == OP_MIN || node->op == OP_MAX || type_is_bool(node->type);
    use->compares |= is_order;
    use->computes |= !is_order;
}

static const char *reason_of_floats(Recogniser *r) {
    FloatUse use = {.r = r};
    for (int i = 0; i < r->update->arity; i++)
        expr_visit(r->arena, r->update->values[i], find_float_use, &use);
    if (!use.computes && !use.compares)
        return NULL;
    if (use.compares && !use.computes)
        return "which of several floats is kept depends on the order where one of them is NaN or "
               "two are zeros, and the pipeline does not grant `reassociation`, which says that "
               "this does not matter";
    return "sums and products of floats are rounded, so that they depend on the order, and the "
           "pipeline does not grant `reassociation`, which says that this does not matter";
}

/* ---- one element ---- */

/* The operand of the chain that reads the func; null where several do.  `rest`: one that does not,
 * which is all of them in a canonical form. */
static Expr operand_with_x(Recogniser *r, Op op, Expr chain, Expr *rest) {
    Exprs operands = {0};
    Expr found = NULL;
    chain_operands(r, op, chain, &operands);
    for (size_t i = 0; i < operands.length; i++) {
        Expr operand = operands.data[i];
        if (has_x(r, operand) && found)
            return NULL;
        *(has_x(r, operand) ? &found : rest) = operand;
    }
    return found;
}

/* What f is multiplied by in the canonical f*k + c; null, where the update is of another kind. */
static Expr factor_of(Recogniser *r, Expr update) {
    Expr c = NULL, k = NULL, x = r->x[0];
    if (update->op == OP_SUB && !has_x(r, update->arguments[0]) && update->arguments[1] == x)
        return pattern_number(r->pool, x->type, -1);
    Expr product = operand_with_x(r, OP_ADD, update, &c);
    if (product && product->op == OP_NEG && product->arguments[0] == x)
        return pattern_number(r->pool, x->type, -1);
    return product && product->op == OP_MUL && operand_with_x(r, OP_MUL, product, &k) == x ? k
                                                                                           : NULL;
}

/* select(p, f + v, w), or its arms exchanged; bools have no sums. */
static bool begins_anew(Recogniser *r, Expr update) {
    if (update->op != OP_SELECT || has_x(r, update->arguments[0]) || type_is_bool(update->type))
        return false;
    Expr a = update->arguments[1], b = update->arguments[2];
    Expr kept = has_x(r, a) ? a : b, begun = has_x(r, a) ? b : a;
    if (has_x(r, begun) || !has_x(r, kept))
        return false;
    return !has_x(r, simplify(r->simplifier, expr_sub(r->pool, kept, r->x[0])));
}

static const char *reason_of_element(Recogniser *r, Expr value) {
    Expr update = canonical_form(r, value);
    if (begins_anew(r, update))
        return "it begins anew where a condition says so, and partial results need to know whether "
               "they did: keep that as another element, {f.0 && p, select(p, f.1 + .., ..)} from "
               "{true, ..}";
    Expr k = factor_of(r, update);
    return k ? arena_format(r->arena,
                            "what it holds is multiplied by %s, so that partial results need the "
                            "product of these, too: keep it as another element, {f.0*k + .., "
                            "f.1*k} from {.., 1}",
                            expr_formula(r->arena, k))
             : NULL;
}

const char *known_reason(Recogniser *r, const Expr *values) {
    const char *reason = r->near_miss;
    if (!reason && !r->update->reassociation)
        reason = reason_of_floats(r);
    if (!reason && !r->as_written && r->update->arity == 1)
        reason = reason_of_element(r, values[0]);
    return reason;
}

/* reasons.c -- explains why an update is not recognised, if known, and what to write instead: one
 * clause each.
 *
 *   floats     are rounded, or may be NaN, and the pipeline does not permit reassociation
 *   f*k + c    two in a row are f*(k*k') + ..: partial results need the products of the k
 *   begun anew select(p, f + v, w): partial results must record whether a new sum began
 *   of another the maximum of the values of another component: runs, and sums of neighbours
 *   others     no entry has quotients of integers, shifts, exp ..
 */
#include "associative/internal.h"

#include "ir/print.h"

/* ---- floats ---- */

typedef struct FloatUse {
    Recogniser *r;
    bool computes, compares; /* with the func's values */
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
               "two are zeros, and the pipeline is not `with reassociation`, which says that "
               "this does not matter";
    return "sums and products of floats are rounded, so that they depend on the order, and the "
           "pipeline is not `with reassociation`, which says that this does not matter";
}

/* ---- one element ---- */

/* Returns the operand of the chain that reads the func; null if several do. `rest`: an operand that
 * does not, which in canonical form is all others. */
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

/* Returns the factor k of the canonical f*k + c; null for other updates. */
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

/* x + v? */
static bool adds_to(Recogniser *r, Expr sum, Expr x) {
    Expr rest = NULL;
    if (sum->op == OP_SUB)
        return sum->arguments[0] == x && !has_x(r, sum->arguments[1]);
    return sum->op == OP_ADD && operand_with_x(r, OP_ADD, sum, &rest) == x;
}

/* select(p, x + v, w), or its arms exchanged; bools have no sums. */
static bool begins_anew(Recogniser *r, Expr update, Expr x) {
    if (update->op != OP_SELECT || has_x(r, update->arguments[0]))
        return false;
    Expr a = update->arguments[1], b = update->arguments[2];
    return (adds_to(r, a, x) && !has_x(r, b)) || (adds_to(r, b, x) && !has_x(r, a));
}

static const char *reason_of_element(Recogniser *r, Expr value) {
    Expr update = canonical_form(r, value);
    if (begins_anew(r, update, r->x[0]))
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

/* ---- the extremum of another component's values ---- */

/* max(x + v, w), or min. */
static bool is_bounded_sum(Recogniser *r, Expr update, Expr x) {
    Expr rest = NULL;
    if (update->op != OP_MAX && update->op != OP_MIN)
        return false;
    Expr sum = operand_with_x(r, (Op)update->op, update, &rest);
    return sum && rest && adds_to(r, sum, x);
}

/* {max(f.0 + v, w), max(f.1, max(f.0 + v, w))}, or {select(p, f.0 + v, w), max(f.1, ..)}. */
static const char *reason_of_pair(Recogniser *r, const Expr *values) {
    Expr updates[2] = {canonical_form(r, values[0]), canonical_form(r, values[1])};
    for (int i = 0; i < 2; i++) {
        Expr x = r->x[i], kept = updates[1 - i];
        bool is_run = begins_anew(r, updates[i], x);
        bool keeps = (kept->op == OP_MAX || kept->op == OP_MIN) &&
                     expr_mentions(r->arena, kept, x->name) &&
                     expr_mentions(r->arena, kept, r->x[1 - i]->name);
        if (!keeps || !(is_run || is_bounded_sum(r, updates[i], x)))
            continue;
        return is_run ? "partial results need how it begins and ends, too: it is the greatest sum "
                        "of neighbours, of 1 where the condition holds and of less than -n, n "
                        "iterations, where not: {f.0 + v, max(f.1, f.0 + v), max(f.2 + v, v), "
                        "max(f.3, max(f.2 + v, v))}"
                      : "partial results need the sum of all and the greatest from the beginning, "
                        "too: {f.0 + v, max(f.1, f.0 + v), max(f.2 + v, w), max(f.3, max(f.2 + v, "
                        "w))}";
    }
    return NULL;
}

/* ---- operators without entry ---- */

typedef struct Foreign {
    Recogniser *r;
    const char *text;
} Foreign;

static bool is_known(Op op) {
    switch ((int)op) {
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_MUL:
    case OP_FMA:
    case OP_MIN:
    case OP_MAX:
    case OP_SELECT:
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
    case OP_BIT_NOT:
    case OP_SATURATING_ADD:
        return true;
    default: /* no entry and no proof covers it */
        return false;
    }
}

static void find_foreign(void *data, Expr node) {
    Foreign *foreign = data;
    bool is_quotient = node->op == OP_DIV && type_is_float(node->type); /* of means */
    if (node->arity && !is_quotient && !is_known((Op)node->op) && has_x(foreign->r, node) &&
        !foreign->text)
        foreign->text = op_info((Op)node->op)->text;
}

static const char *reason_of_operators(Recogniser *r, const Expr *values) {
    Foreign foreign = {.r = r};
    for (int i = 0; i < r->update->arity; i++)
        expr_visit(r->arena, values[i], find_foreign, &foreign);
    return foreign.text ? arena_format(r->arena,
                                       "no operator of the table computes this update, and "
                                       "nothing is known of `%s` of what the func holds",
                                       foreign.text)
                        : NULL;
}

const char *known_reason(Recogniser *r, const Expr *values) {
    const char *reason = r->near_miss;
    if (!reason && !r->update->reassociation)
        reason = reason_of_floats(r);
    if (!reason && !r->as_written && r->update->arity == 1)
        reason = reason_of_element(r, values[0]);
    if (!reason && !r->as_written && r->update->arity == 2)
        reason = reason_of_pair(r, values);
    if (!reason && !r->as_written)
        reason = reason_of_operators(r, values);
    return reason;
}

/* narrow.c -- narrows operators over widened machine integers to the original type.
 *
 *   u16(a) < u16(b)              is a < b            for a, b: u8
 *   u16(a) < 100                 is a < 100
 *   i32(q) == 1                  is q                for q: bool
 *   min(i32(a), i32(b))          is i32(min(a, b))
 *   u8(u16(a) + u16(b))          is a + b: low bits of + - * & | ^ ~ depend on low bits only
 *   u8(w & 255), u8(w % 256)     are u8(w)
 *   u8(min(u16(a) + u16(b), 255)), saturating_cast<u8>(u16(a) + u16(b))
 *                                are saturating_add(a, b)
 *
 * The file looks only through conversions that preserve the value. Index numbers do not change:
 * facts about them are facts about sums.
 */
#include "simplify/internal.h"

/* Returns the narrower expression that was widened to `expr`; null if there is none. */
static Expr widened(Expr expr) {
    if (expr->op != OP_CAST || !type_is_machine_integer(expr->type))
        return NULL;
    Type from = expr->arguments[0]->type;
    bool whole = type_is_machine_integer(from) || type_is_bool(from);
    return whole && interval_fits(interval_of_type(from), expr->type) ? expr->arguments[0] : NULL;
}

/* Converts a constant to `type`; null if the type does not hold its value. */
static Expr constant_of(Pool *pool, Expr expr, Type type) {
    int64_t value;
    if (!expr_constant_integer(expr, &value) || !type_is_machine_integer(type) ||
        !interval_fits(interval_point(value), type))
        return NULL;
    return expr_constant(pool, type, value);
}

/* Narrows both operands of `node` to the type from which one was widened. */
static bool narrow_operands(Pool *pool, Expr node, Expr *operands) {
    Expr a = node->arguments[0], b = node->arguments[1], x = widened(a), y = widened(b);
    if (x && !y)
        y = constant_of(pool, b, x->type);
    else if (y && !x)
        x = constant_of(pool, a, y->type);
    operands[0] = x;
    operands[1] = y;
    return x && y && type_equal(x->type, y->type) && type_is_machine_integer(x->type);
}

/* A comparison of a widened bool with 0 or 1. */
static Expr truth(Pool *pool, Expr node) {
    Expr a = node->arguments[0], b = node->arguments[1], q = widened(a);
    int64_t value;
    bool first = q != NULL;
    if (!q)
        q = widened(b);
    if (!q || !type_is_bool(q->type) || !expr_constant_integer(first ? b : a, &value) ||
        value < 0 || value > 1)
        return NULL;
    bool at[2]; /* the comparison's results for false and for true */
    for (int i = 0; i < 2; i++) {
        int64_t left = first ? i : value, right = first ? value : i;
        at[i] = node->op == OP_EQ   ? left == right
                : node->op == OP_NE ? left != right
                : node->op == OP_LT ? left < right
                                    : left <= right;
    }
    if (at[0] == at[1])
        return expr_bool(pool, at[0]);
    return at[1] ? q : expr_not(pool, q);
}

static Expr narrow_compare(Pool *pool, Expr node) {
    Expr operands[2];
    if (narrow_operands(pool, node, operands))
        return expr_apply(pool, (Op)node->op, operands);
    Expr result = truth(pool, node);
    return result ? result : node;
}

static Expr narrow_extreme(Pool *pool, Expr node) {
    Expr operands[2];
    if (!narrow_operands(pool, node, operands))
        return node;
    return expr_cast(pool, node->type, expr_apply(pool, (Op)node->op, operands));
}

/* Returns the low bits of `expr` as a number of `type`, if this needs only a conversion of equal
 * bits; else null. */
static Expr low_bits(Pool *pool, Expr expr, Type type) {
    if (expr->op == OP_CONSTANT)
        return expr_constant(pool, type, bits_wrap(type, expr->bits));
    if (expr->op != OP_CAST || !type_is_machine_integer(expr->arguments[0]->type) ||
        expr->arguments[0]->type.bits != type.bits)
        return NULL;
    return expr_cast(pool, type, expr->arguments[0]);
}

/* Does the mask or divisor of `inner` preserve the low `bits` bits? */
static bool keeps_low_bits(Expr inner, int bits) {
    int64_t value;
    if (inner->arity != 2 || bits > 32 || !expr_constant_integer(inner->arguments[1], &value))
        return false;
    int64_t ones = ((int64_t)1 << bits) - 1;
    if (inner->op == OP_BIT_AND)
        return (value & ones) == ones;
    return inner->op == OP_MOD && value > ones && (value & (value - 1)) == 0;
}

static bool is_of_low_bits(uint16_t op) {
    switch (op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
    case OP_BIT_NOT:
        return true;
    default: /* asks for more */
        return false;
    }
}

/* Returns the sum of type `type` that stops at its ends, if `sum` is the same sum in a wider type,
 * which does not wrap; else null. */
static Expr saturating_sum(Pool *pool, Expr sum, Type type) {
    Expr operands[2];
    if (sum->op != OP_ADD || !type_is_machine_integer(sum->type) || sum->type.bits <= type.bits ||
        !narrow_operands(pool, sum, operands) || !type_equal(operands[0]->type, type))
        return NULL;
    return expr_binary(pool, OP_SATURATING_ADD, operands[0], operands[1]);
}

/* Handles min(sum, k), with the greatest number k of the type, which has no sign. */
static Expr saturating_minimum(Pool *pool, Expr inner, Type type) {
    int64_t limit;
    if (inner->op != OP_MIN || type_is_signed(type) ||
        !expr_constant_integer(inner->arguments[1], &limit) || limit != type_maximum(type))
        return NULL;
    return saturating_sum(pool, inner->arguments[0], type);
}

static Expr narrow_cast(Pool *pool, Expr node) {
    Expr inner = node->arguments[0], operands[2];
    if (!type_is_machine_integer(inner->type) || !type_is_machine_integer(node->type) ||
        node->type.bits >= inner->type.bits)
        return node;
    Expr sum = saturating_minimum(pool, inner, node->type);
    if (sum)
        return sum;
    if (keeps_low_bits(inner, node->type.bits))
        return expr_cast(pool, node->type, inner->arguments[0]);
    if (!is_of_low_bits(inner->op))
        return node;
    for (int i = 0; i < inner->arity; i++)
        if (!(operands[i] = low_bits(pool, inner->arguments[i], node->type)))
            return node;
    return expr_apply(pool, (Op)inner->op, operands);
}

Expr narrow_step(Simplifier *s, Expr node) {
    switch (node->op) {
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
        return narrow_compare(s->pool, node);
    case OP_MIN:
    case OP_MAX:
        return narrow_extreme(s->pool, node);
    case OP_CAST:
        return narrow_cast(s->pool, node);
    case OP_SATURATING_CAST: {
        bool is_whole = type_is_machine_integer(node->type);
        Expr sum = is_whole ? saturating_sum(s->pool, node->arguments[0], node->type) : NULL;
        return sum ? sum : node;
    }
    default: /* is ignored */
        return node;
    }
}

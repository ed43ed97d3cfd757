/* convert.c -- conversions between whole numbers whose operand is known to fit.
 *
 *   index(i32(x))            is x where x lies in i32
 *   u8(i32(v)), v: u16       is u8(v): the narrower type sees the same bits
 *   saturating_cast<u8>(v)   is u8(v) where v lies in u8
 *
 * No conversion is made that was not there in kind: an index becomes a value only as i32.
 */
#include "simplify/internal.h"

static bool is_whole(Type type) {
    return type_is_index(type) || type_is_machine_integer(type) || type_is_bool(type);
}

Expr convert_step(Simplifier *s, Expr node) {
    Expr operand = node->arguments[0];
    if (node->op == OP_SATURATING_CAST && is_whole(operand->type) &&
        !type_is_index(operand->type) && type_is_machine_integer(node->type) &&
        interval_fits(known_of(s, operand)->interval, node->type))
        return expr_cast(s->pool, node->type, operand);
    if (node->op != OP_CAST || operand->op != OP_CAST || !is_whole(operand->type))
        return node;
    Expr inner = operand->arguments[0];
    if (!is_whole(inner->type))
        return node;
    bool index_to_value = type_is_index(inner->type) && !type_is_index(node->type);
    if (index_to_value && !type_equal(node->type, I32))
        return node;
    bool exact = interval_fits(known_of(s, inner)->interval, operand->type);
    bool same_bits = type_is_machine_integer(node->type) &&
                     type_is_machine_integer(operand->type) &&
                     node->type.bits <= operand->type.bits;
    return exact || same_bits ? expr_cast(s->pool, node->type, inner) : node;
}

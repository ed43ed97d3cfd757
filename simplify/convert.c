/* convert.c -- removes or narrows conversions that preserve the value.
 *
 * Between integers, if the operand is known to fit:
 *
 *   index(i32(x))            is x where x lies in i32
 *   u8(i32(v)), v: u16       is u8(v): the narrower type sees the same bits
 *   saturating_cast<u8>(v)   is u8(v) where v lies in u8
 *
 * No new kind of conversion is introduced: an index becomes a value only as i32.
 *
 * To floats: f32 holds every integer of at most 24 bits, f64 of 53, f16 of 11, bf16 of 8. f32 and
 * f64 hold every float of the shorter types. So for x: u8 (or known to be as small) and w: f32:
 *
 *   u8(f32(x)), f32(f64(w))       are x, w
 *   f64(f32(x)), i16(f64(w))      are f64(x), i16(w): it rounds once
 *   f32(x) < f32(y), f32(x) < 3   are x < y, x < 3
 *
 * Integers of any size stay integers when rounded to a float, and are never NaN or infinite (but in
 * f16, if they are large):
 *
 *   floor(f32(n)), is_nan(f32(n)), abs(f32(x))    are f32(n), false, f32(x)
 */
#include "simplify/internal.h"

static bool is_whole(Type type) {
    return type_is_index(type) || type_is_machine_integer(type);
}

/* ---- between whole numbers ---- */

static bool is_whole_or_bool(Type type) {
    return is_whole(type) || type_is_bool(type);
}

Expr convert_step(Simplifier *s, Expr node) {
    Expr operand = node->arguments[0];
    if (node->op == OP_SATURATING_CAST && is_whole_or_bool(operand->type) &&
        !type_is_index(operand->type) && type_is_machine_integer(node->type) &&
        interval_fits(known_of(s, operand)->interval, node->type))
        return expr_cast(s->pool, node->type, operand);
    if (node->op != OP_CAST || operand->op != OP_CAST || !is_whole_or_bool(operand->type))
        return node;
    Expr inner = operand->arguments[0];
    if (!is_whole_or_bool(inner->type))
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

/* ---- to floats ---- */

/* All integers up to this, of either sign, are floats of the type. */
static int64_t largest_exact(Type type) {
    return (int64_t)1 << type_precision(type);
}

/* Returns the operand of the conversion, if it is an integer; else null. */
static Expr converted_whole(Expr node) {
    bool converts = node->op == OP_CAST && type_is_float(node->type);
    return converts && is_whole(node->arguments[0]->type) ? node->arguments[0] : NULL;
}

/* Does the float type hold all possible values of the integer? */
static bool holds(Simplifier *s, Type type, Expr whole) {
    ConstantInterval known = known_of(s, whole)->interval;
    int64_t most = largest_exact(type);
    return known.has_minimum && known.has_maximum && -most <= known.minimum &&
           known.maximum <= most;
}

/* Returns the operand of a conversion to a float that preserves its value; else null. */
static Expr kept(Simplifier *s, Expr node) {
    if (node->op != OP_CAST || !type_is_float(node->type))
        return NULL;
    Expr whole = converted_whole(node), operand = node->arguments[0];
    bool widened = type_is_float(operand->type) && operand->type.bits < node->type.bits;
    return (whole ? holds(s, node->type, whole) : widened) ? operand : NULL;
}

static Expr of_conversion(Simplifier *s, Expr node) {
    Expr inner = kept(s, node->arguments[0]);
    if (!inner)
        return node;
    /* A float saturates; an integer wraps. */
    bool may_wrap = is_whole(inner->type) && is_whole(node->type);
    if (may_wrap && !interval_fits(known_of(s, inner)->interval, node->type))
        return node;
    bool index_to_value = type_is_index(inner->type) && type_is_machine_integer(node->type);
    if (index_to_value && !type_equal(node->type, I32))
        return node; /* as convert_step */
    return expr_cast(s->pool, node->type, inner);
}

/* Converts a float constant to the integer type; null if it is none of its values. */
static Expr whole_constant(Simplifier *s, Expr constant, Type type) {
    double value = bits_to_double(constant->type, constant->bits);
    double most = (double)largest_exact(F64);
    if (!(-most <= value && value <= most) || value != (double)(int64_t)value)
        return NULL;
    int64_t whole = (int64_t)value;
    bool fits = interval_fits(interval_point(whole), type);
    return fits ? expr_constant(s->pool, type, whole) : NULL;
}

static Expr of_comparison(Simplifier *s, Expr node) {
    Expr sides[2];
    Type type = node->type;
    for (int i = 0; i < 2; i++) {
        Expr operand = node->arguments[i];
        sides[i] = expr_is_constant(operand) ? NULL : kept(s, operand);
        if (!sides[i] && !expr_is_constant(operand))
            return node;
        if (sides[i])
            type = sides[i]->type;
    }
    for (int i = 0; i < 2; i++)
        if (!sides[i] && is_whole(type))
            sides[i] = whole_constant(s, node->arguments[i], type);
    if (!sides[0] || !sides[1] || !type_equal(sides[0]->type, sides[1]->type))
        return node;
    return expr_apply(s->pool, (Op)node->op, sides);
}

Expr exact_step(Simplifier *s, Expr node) {
    if (!node->arity || !type_is_float(node->arguments[0]->type))
        return node;
    Expr whole = converted_whole(node->arguments[0]);
    switch (node->op) {
    case OP_CAST:
        return of_conversion(s, node);
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
        return of_comparison(s, node);
    case OP_FLOOR:
    case OP_CEIL:
    case OP_TRUNC:
    case OP_ROUND:
        return whole ? node->arguments[0] : node;
    case OP_ABS: {
        ConstantInterval known = whole ? known_of(s, whole)->interval : EVERYTHING;
        return known.has_minimum && known.minimum >= 0 ? node->arguments[0] : node;
    }
    case OP_IS_NAN:
    case OP_IS_INF:
    case OP_IS_FINITE:
        if (whole && type_is_short_float(node->arguments[0]->type))
            return node;
        return whole ? expr_bool(s->pool, node->op == OP_IS_FINITE) : node;
    default: /* it requires more than preserving the value */
        return node;
    }
}

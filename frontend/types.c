/* types.c -- types the expressions (semantics.md, section 1), without C's promotions.
 *
 * A literal takes the other operand's type if it fits. Without another operand it is i32, or f32 if
 * it has a point or an exponent. Operands of different types are converted to the least type that
 * holds all values of both; if there is none, the message suggests a cast. The option `contraction`
 * turns a*b + c into fma(a, b, c) here, bottom up, after all expansion.
 */
#include "frontend/elaborate.h"

#include <string.h>

/* ---- joins ---- */

static bool join_integers(Type a, Type b, Type *join) {
    if (a.kind == b.kind) {
        *join = a.bits >= b.bits ? a : b;
        return true;
    }
    int unsigned_bits = a.kind == TYPE_UINT ? a.bits : b.bits;
    int signed_bits = a.kind == TYPE_UINT ? b.bits : a.bits;
    int bits = signed_bits > unsigned_bits ? signed_bits : 2 * unsigned_bits;
    *join = TYPE(INT, (uint8_t)bits);
    return bits <= 64;
}

bool type_join(Type a, Type b, Type *join) {
    if (type_equal(a, b)) {
        *join = a;
        return true;
    }
    if (type_is_bool(a) || type_is_bool(b) || type_is_index(a) || type_is_index(b))
        return false;
    if (!type_is_float(a) && !type_is_float(b))
        return join_integers(a, b, join);
    if (type_is_float(a) && type_is_float(b)) {
        *join = a.bits == 64 || b.bits == 64 ? F64 : F32;
        return true;
    }
    Type number = type_is_float(a) ? a : b, integer = type_is_float(a) ? b : a;
    *join = integer.bits == 8 ? number : number.bits == 64 || integer.bits == 32 ? F64 : F32;
    return integer.bits <= 32;
}

/* ---- literals ---- */

static bool is_float_literal(Result result) {
    return result.literal->kind == SYNTAX_FLOAT;
}

static bool fits(Result result, Type type) {
    if (type_is_float(type))
        return true;
    if (is_float_literal(result) || type_is_bool(type))
        return false;
    uint64_t magnitude = result.literal->integer;
    if (result.negative && magnitude > 0) {
        if (!type_is_signed(type))
            return false;
        return magnitude <= (uint64_t)1 << (type.bits - 1);
    }
    int bits = type_is_signed(type) ? type.bits - 1 : type.bits;
    return bits == 64 || magnitude >> bits == 0;
}

/* Rounds the magnitude once, to `type`. */
static Bits float_bits(Result result, Type type) {
    if (is_float_literal(result))
        return bits_from_text(type, result.literal->text, NULL);
    Bits magnitude = (Bits)result.literal->integer;
    return value_apply(OP_CAST, type, &U64, &magnitude, NULL).bits;
}

static const char *literal_text(Elaborator *e, Result result) {
    const char *sign = result.negative ? "-" : "";
    return is_float_literal(result) ? arena_format(e->arena, "%s%s", sign, result.literal->text)
                                    : arena_format(e->arena, "%s%llu", sign,
                                                   (unsigned long long)result.literal->integer);
}

static Expr literal_constant(Elaborator *e, Result result, Type type) {
    if (!type_is_float(type)) {
        uint64_t magnitude = result.literal->integer;
        return expr_constant(e->pool, type, (Bits)(result.negative ? 0 - magnitude : magnitude));
    }
    Bits bits = float_bits(result, type);
    if (bits == type_infinity(type)) {
        diag(e->context, DIAG_LITERAL_TOO_LARGE, result.literal->place, type_name(type),
             literal_text(e, result));
        return NULL;
    }
    return expr_constant(e->pool, type, result.negative ? bits ^ type_sign(type) : bits);
}

Result result_prefer(Elaborator *e, Result result, Type type) {
    if (result.literal && fits(result, type))
        return result_of(literal_constant(e, result, type));
    return result;
}

Expr result_value(Elaborator *e, Result result, Place place) {
    (void)place;
    if (!result.literal)
        return result.expr;
    Type type = is_float_literal(result) ? F32 : I32;
    if (!fits(result, type)) {
        diag(e->context, DIAG_LITERAL_TOO_LARGE, result.literal->place, type_name(type),
             literal_text(e, result));
        return NULL;
    }
    return literal_constant(e, result, type);
}

typedef struct Widening {
    Type from, to;
    Expr negative; /* a negative number, which no value of type `from` is */
    bool is_other; /* another operand has type `to` itself */
} Widening;

static void find_widening(void *data, Expr node) {
    Widening *widening = data;
    if (!type_equal(node->type, widening->to))
        return;
    if (node->op == OP_CONSTANT && node->bits < 0)
        widening->negative = node;
    widening->is_other |=
        node->op == OP_ACCESS || node->op == OP_VARIABLE ||
        (node->op == OP_CAST && !type_equal(node->arguments[0]->type, widening->from));
}

/* A negative number beside an unsigned one widens both to a signed type. Returns this reason and
 * its remedy, for the end of the message E0302; "" if it does not apply. */
static const char *why_it_is_wider(Elaborator *e, Expr expr, Type wanted) {
    Widening widening = {.from = wanted, .to = expr->type};
    if (!type_is_machine_integer(wanted) || type_is_signed(wanted) ||
        !type_is_machine_integer(expr->type) || !type_is_signed(expr->type))
        return "";
    expr_visit(e->arena, expr, find_widening, &widening);
    if (!widening.negative || widening.is_other)
        return "";
    long long number = (long long)widening.negative->bits;
    return arena_format(e->arena,
                        "; it has that type because no %s is %lld: subtract what is positive, or "
                        "write `%s(%lld)`, which wraps",
                        type_name(wanted), number, type_name(wanted), number);
}

Expr result_to(Elaborator *e, Result result, Type type, Place place) {
    if (result_failed(result))
        return NULL;
    result = result_prefer(e, result, type);
    if (result.literal) {
        diag(e->context, DIAG_LITERAL_DOES_NOT_FIT, result.literal->place, literal_text(e, result),
             type_name(type));
        return NULL;
    }
    if (result.expr && !type_equal(result.expr->type, type)) {
        diag(e->context, DIAG_WRONG_TYPE, place, type_name(result.expr->type), type_name(type),
             why_it_is_wider(e, result.expr, type));
        return NULL;
    }
    return result.expr;
}

Expr result_index(Elaborator *e, Result result, Place place) {
    if (result_failed(result))
        return NULL;
    if (result.literal) {
        if (is_float_literal(result) || !fits(result, INDEX)) {
            diag(e->context, DIAG_NOT_AN_INDEX, result.literal->place, literal_text(e, result));
            return NULL;
        }
        return literal_constant(e, result, INDEX);
    }
    Type type = result.expr->type;
    if (type_is_index(type))
        return result.expr;
    if (!type_is_machine_integer(type)) {
        diag(e->context, DIAG_NOT_AN_INDEX, place,
             arena_format(e->arena, "a value of type %s", type_name(type)));
        return NULL;
    }
    if (type.bits == 64) {
        diag(e->context, DIAG_WIDE_INDEX, place, type_name(type));
        return NULL;
    }
    return expr_cast(e->pool, INDEX, result.expr);
}

/* ---- operators ---- */

static bool no_join(Elaborator *e, Type a, Type b, Place place) {
    Type wide = type_is_float(a) || type_is_float(b) ? F64 : I64;
    bool is_condition = type_is_bool(a) || type_is_bool(b);
    Type number = type_is_bool(a) ? b : a;
    const char *remedy =
        is_condition
            ? arena_format(e->arena,
                           "make a condition of the %s, e.g. `a != 0`, or a number of the "
                           "condition, `%s(..)`",
                           type_name(number), type_name(number))
            : arena_format(e->arena, "convert one of them, e.g. `%s(..)`", type_name(wide));
    return diag(e->context, DIAG_NO_COMMON_TYPE, place, type_name(a), type_name(b), remedy);
}

/* Joins the type of one more operand into `*join`. */
static bool join_into(Elaborator *e, bool *any, Type *join, Type type, Place place) {
    if (!*any) {
        *any = true;
        *join = type;
        return true;
    }
    Type old = *join;
    return type_join(old, type, join) || no_join(e, old, type, place);
}

bool unify(Elaborator *e, Result *operands, int count, Place place, bool floats_only) {
    bool any = false, any_float = floats_only;
    Type join = I32;
    for (int i = 0; i < count; i++) {
        if (operands[i].expr && !join_into(e, &any, &join, operands[i].expr->type, place))
            return false;
        any_float |= operands[i].literal && is_float_literal(operands[i]);
    }
    /* If all operands are literals, they are i32, or f32 if one has a point. */
    Type own = any_float ? F32 : I32, met = any ? join : own;
    for (int i = 0; i < count; i++) {
        if (!operands[i].literal)
            continue;
        if (!fits(operands[i], met)) {
            Expr value = result_value(e, operands[i], place);
            if (!value || !join_into(e, &any, &join, value->type, place))
                return false;
            operands[i] = result_of(value);
        }
    }
    if (!any)
        join = own;
    for (int i = 0; i < count; i++) {
        Expr expr = operands[i].literal ? literal_constant(e, operands[i], join)
                                        : expr_cast(e->pool, join, operands[i].expr);
        if (!expr)
            return false;
        operands[i] = result_of(expr);
    }
    return true;
}

/* Gives an operand the type that the others determine. A literal takes it; a narrower integer of
 * the same signedness is widened. */
static bool fix(Elaborator *e, Result *operand, Type type, Place place) {
    Type join;
    if (operand->expr && type_is_machine_integer(type) &&
        type_is_machine_integer(operand->expr->type) &&
        type_join(operand->expr->type, type, &join) && type_equal(join, type))
        operand->expr = expr_cast(e->pool, type, operand->expr);
    Expr expr = result_to(e, *operand, type, place);
    *operand = result_of(expr);
    return expr != NULL;
}

/* Types the amount of a shift: any integer type that is at most as wide. */
static bool fix_amount(Elaborator *e, Result *operand, Type type, Place place) {
    if (operand->expr && type_is_machine_integer(operand->expr->type) &&
        type_is_machine_integer(type) && operand->expr->type.bits <= type.bits) {
        Type own = operand->expr->type;
        own.bits = type.bits;
        operand->expr = expr_cast(e->pool, own, operand->expr);
        return true;
    }
    return fix(e, operand, type, place);
}

/* A float is no weight of integers: `u8(0.5)` would be 0. */
static bool is_weight(Elaborator *e, Type type, const Result *weight, Place place) {
    bool is_float = weight->literal ? is_float_literal(*weight) : type_is_float(weight->expr->type);
    Type wanted = type_unsigned(type);
    if (!is_float || !type_is_machine_integer(type))
        return true;
    return diag(
        e->context, DIAG_INTEGER_WEIGHT, weight->literal ? weight->literal->place : place,
        type_name(type), type_name(wanted),
        arena_format(e->arena, "%llu", (unsigned long long)(UINT64_MAX >> (64 - wanted.bits))),
        arena_format(e->arena, "%llu", 1ull << (wanted.bits - 1)));
}

/* `a & 1 == 0` is `a & (1 == 0)`: bits and a condition do not join. */
static bool joins_bits(Elaborator *e, Op op, const Result *operands, Place place) {
    bool is_bitwise = op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR;
    if (!is_bitwise || !operands[0].expr || !operands[1].expr)
        return true;
    Type a = operands[0].expr->type, b = operands[1].expr->type;
    const char *text = op_info(op)->text;
    if (type_is_bool(a) == type_is_bool(b))
        return true;
    return diag(e->context, DIAG_NO_COMMON_TYPE, place, type_name(a), type_name(b),
                arena_format(e->arena,
                             "comparisons bind tighter than `%s`: write `(a %s b) == c`; between "
                             "conditions write `&&` or `||`",
                             text, text));
}

static bool fix_operands(Elaborator *e, Op op, Result *operands, Place place) {
    const OpInfo *info = op_info(op);
    if (!joins_bits(e, op, operands, place))
        return false;
    bool floats_only = (info->traits & (ON_FLOAT | ON_INTEGER | ON_BOOL)) == ON_FLOAT;
    switch (info->types) {
    case TYPES_SAME:
    case TYPES_COMPARE:
    case TYPES_LOGIC:
    case TYPES_UNSIGNED:
    case TYPES_WIDEN:
    case TYPES_CLASS:
        return unify(e, operands, info->arity, place, floats_only);
    case TYPES_CHOOSE: {
        Expr condition = result_to(e, operands[0], BOOL, place);
        operands[0] = result_of(condition);
        return condition && unify(e, operands + 1, 2, place, false);
    }
    case TYPES_SHIFT:
        return unify(e, operands, 1, place, false) &&
               fix_amount(e, &operands[1], operands[0].expr->type, place);
    case TYPES_WEIGHT:
        return unify(e, operands, 2, place, false) &&
               is_weight(e, operands[0].expr->type, &operands[2], place) &&
               fix(e, &operands[2], type_unsigned(operands[0].expr->type), place);
    case TYPES_SHIFTED:
        return unify(e, operands, 2, place, false) &&
               fix(e, &operands[2], type_unsigned(operands[0].expr->type), place);
    case TYPES_CONVERT:
        break;
    }
    hlc_assert(false, "conversions go through apply_conversion");
    return false;
}

static bool contracts(const Elaborator *e, Type type) {
    return e->pipeline && e->pipeline->contraction && type_is_float(type);
}

/* Returns the factors of an operand that is a product, folded or not; else null. `written` is the
 * operand before it got the type of the operation. */
static const Expr *factors_of(Result written, Expr operand) {
    if (written.factors && written.expr == operand)
        return written.factors;
    return operand->op == OP_MUL ? operand->arguments : NULL;
}

/* Contraction (semantics.md, section 1): a*b + c = fma(a, b, c), the left product first; a*b - c =
 * fma(a, b, -c); c - a*b = fma(-a, b, c). */
static Expr contract(Elaborator *e, Op op, const Result *written, const Expr *operands) {
    if (!contracts(e, operands[0]->type) || (op != OP_ADD && op != OP_SUB))
        return NULL;
    const Expr *left = factors_of(written[0], operands[0]),
               *right = factors_of(written[1], operands[1]);
    if (!left && !right)
        return NULL;
    const Expr *product = left ? left : right;
    Expr other = operands[left ? 1 : 0];
    Expr factors[3] = {product[0], product[1], other};
    if (op == OP_SUB && left)
        factors[2] = expr_unary(e->pool, OP_NEG, other);
    else if (op == OP_SUB)
        factors[0] = expr_unary(e->pool, OP_NEG, factors[0]);
    return expr_apply(e->pool, OP_FMA, factors);
}

static Result undefined_on(Elaborator *e, Op op, Type type, Place place) {
    const char *remedy = "";
    if (type_is_bool(type))
        remedy = "convert the condition, e.g. u8(a), or use select(a, x, y)";
    else if (op_info(op)->types == TYPES_WIDEN)
        remedy = "it needs integers of at most 32 bits";
    else if (type_is_float(type))
        remedy = "it needs integers: write e.g. i32(a)";
    else if (op_info(op)->types == TYPES_LOGIC)
        remedy = "it needs conditions: write e.g. a != 0";
    else
        remedy = "it needs floats: write e.g. f32(a)";
    diag(e->context, DIAG_OPERAND_TYPE, place, op_info(op)->text, type_name(type), remedy);
    return FAILED;
}

/* a % b = a - b*floor(a / b): three roundings, whatever the pipeline contracts. */
static Result float_modulo(Elaborator *e, const Expr *arguments) {
    Expr quotient = expr_apply(e->pool, OP_DIV, arguments);
    Expr product[2] = {arguments[1], expr_unary(e->pool, OP_FLOOR, quotient)};
    Expr difference[2] = {arguments[0], expr_apply(e->pool, OP_MUL, product)};
    return result_of(expr_apply(e->pool, OP_SUB, difference));
}

/* Computes the exact result of two constants of a signed type. False if it fits that type. Unsigned
 * numbers wrap on purpose, and so does `1 << 31`, the highest bit. */
static bool leaves_type(Op op, Type type, int64_t a, int64_t b, int64_t *exact) {
    int64_t highest = (int64_t)1 << (type.bits - 1);
    switch ((int)op) {
    case OP_ADD:
        *exact = a + b;
        break;
    case OP_MUL:
        *exact = a * b;
        break;
    case OP_SHIFT_LEFT:
        *exact = b >= 0 && b < 32 ? a * ((int64_t)1 << b) : 0;
        return a > 0 && b >= 0 && (b >= 32 || *exact > highest);
    default:
        return false;
    }
    return *exact != (int64_t)bits_wrap(type, *exact);
}

static void warn_of_constants(Elaborator *e, Op op, const Expr *operands, Type type, Place place) {
    const OpInfo *info = op_info(op);
    int64_t exact;
    if (!e->module_names->watch || info->arity != 2 || type.kind != TYPE_INT || type.bits > 32 ||
        !expr_is_constant(operands[0]) || !expr_is_constant(operands[1]) ||
        !leaves_type(op, type, operands[0]->bits, operands[1]->bits, &exact))
        return;
    char value[48];
    value_print(type, bits_wrap(type, exact), value, sizeof value);
    diag(e->context, DIAG_CONSTANT_WRAPS, place,
         arena_format(e->arena, "%lld %s %lld", (long long)operands[0]->bits, info->text,
                      (long long)operands[1]->bits),
         type_name(type), value);
}

Result apply_operator(Elaborator *e, Op op, Result *operands, Place place) {
    const OpInfo *info = op_info(op);
    for (int i = 0; i < info->arity; i++)
        if (result_failed(operands[i]))
            return FAILED;
    if (op == OP_NEG && operands[0].literal) {
        operands[0].negative = !operands[0].negative;
        return operands[0];
    }
    const Result written[2] = {operands[0], operands[info->arity > 1]};
    if (!fix_operands(e, op, operands, place))
        return FAILED;
    Expr arguments[OP_MAX_ARITY];
    Type types[OP_MAX_ARITY], result;
    for (int i = 0; i < info->arity; i++) {
        arguments[i] = operands[i].expr;
        types[i] = arguments[i]->type;
    }
    if (op == OP_MOD && type_is_float(types[0]))
        return float_modulo(e, arguments);
    if (!op_result_type(op, types, &result))
        return undefined_on(e, op, types[info->types == TYPES_CHOOSE], place);
    Expr fused = info->arity == 2 ? contract(e, op, written, arguments) : NULL;
    Expr made = fused ? fused : expr_apply(e->pool, op, arguments);
    watch_operation(e->module_names->watch, made, place);
    warn_of_constants(e, op, arguments, result, place);
    Result value = result_of(made);
    if (op == OP_MUL && contracts(e, result) && expr_is_constant(made)) {
        Expr *factors = arena_array(e->arena, Expr, 2);
        memcpy(factors, arguments, 2 * sizeof *factors);
        value.factors = factors;
    }
    return value;
}

/* Does the integer of a literal wrap in this type?  A negative one is written on purpose, as -1 for
 * the greatest value. */
static void warn_of_wrapped(Elaborator *e, Result literal, Type type, Expr made) {
    if (!e->module_names->watch || literal.negative || is_float_literal(literal) ||
        !type_is_machine_integer(type) || !expr_is_constant(made))
        return;
    char value[48];
    value_print(type, made->bits, value, sizeof value);
    diag(e->context, DIAG_CONSTANT_WRAPS, literal.literal->place, literal_text(e, literal),
         type_name(type), value);
}

Result apply_conversion(Elaborator *e, Op op, Type type, Result operand, Place place) {
    if (result_failed(operand))
        return FAILED;
    Result written = operand;
    if (operand.literal) {
        /* `u8(3)` is a literal of that type. `u8(300)` wraps the i32 300. */
        if (op == OP_CAST && fits(operand, type))
            return result_of(literal_constant(e, operand, type));
        operand = result_of(result_value(e, operand, place));
        if (!operand.expr)
            return FAILED;
    }
    Type from = operand.expr->type, result = type;
    if (!op_result_type(op, &from, &result)) {
        diag(e->context, DIAG_CONVERSION, place, op_info(op)->text, type_name(from),
             type_name(type));
        return FAILED;
    }
    Expr made = expr_convert(e->pool, op, type, operand.expr);
    if (written.literal && op == OP_CAST)
        warn_of_wrapped(e, written, type, made);
    return op == OP_CAST ? result_converted(operand, made) : result_of(made);
}

/* idiom.c -- replaces wide integer arithmetic by narrow instructions.
 *
 * Languages without narrow arithmetic widen, compute and narrow. In vectors this loses half or more
 * of the lanes. For the expressions
 *
 *     u8(min(u16(a) + u16(b), 255))           saturating sum, x86 paddus, ARM uqadd
 *     u8(max(i16(a) - i16(b), 0))             saturating difference, psubus, uqsub
 *     i16_sat(i32(a) + i32(b))                both, signed
 *     i16_sat((i32(a)*i32(b) + 16384) >> 15)  rounded product of fractions, pmulhrsw, sqrdmulh
 *
 * this file emits the narrow form, which has the same value for all operands. LLVM itself matches
 * averages (pavg, urhadd, uhadd), absolute differences, the high halves of products, narrowing with
 * saturation (packus, vpmovus, uqxtn) and products of widened numbers. tests/assembly/idioms.hl has
 * all of them.
 */
#include "codegen/emit.h"

/* ---- an expression in a narrow type ---- */

/* Returns the number in the narrow type, if it is a constant of that type, or widened from it (or
 * from a type that it holds); else null. */
static LLVMValueRef narrowed(Emitter *e, Expr expr, Type narrow) {
    LLVMTypeRef type = LLVMVectorType(emit_type(e, narrow), e->lanes.count);
    int64_t number;
    if (expr_constant_integer(expr, &number))
        return number >= type_minimum(narrow) && number <= type_maximum(narrow)
                   ? emit_constant_like(LLVMConstNull(type), number)
                   : NULL;
    Expr inner = convert_unwidened(expr);
    if (inner == expr || !type_holds(narrow, inner->type))
        return NULL;
    LLVMValueRef value = emit_splat(e, emit_known(e, inner), e->lanes.count);
    return emit_convert(e, inner->type, narrow, value);
}

/* A number clamped to a type's range, and the ends that clamp it. */
typedef struct Clamped {
    Expr inner;
    bool below, above; /* clamped at the type's minimum, at its maximum */
} Clamped;

static Clamped clamped(Expr node) {
    Type type = node->type;
    bool is_saturating = node->op == OP_SATURATING_CAST;
    Clamped result = {node->arguments[0], is_saturating, is_saturating};
    for (int64_t end; result.inner->op == OP_MIN || result.inner->op == OP_MAX;
         result.inner = result.inner->arguments[0]) {
        bool is_above = result.inner->op == OP_MIN;
        if (!expr_constant_integer(result.inner->arguments[1], &end) ||
            end != (is_above ? type_maximum(type) : type_minimum(type)))
            break;
        *(is_above ? &result.above : &result.below) = true;
    }
    return result;
}

/* ---- saturating sums and differences ---- */

static LLVMValueRef saturating(Emitter *e, Type type, const Clamped *number) {
    Expr inner = number->inner;
    bool is_sum = inner->op == OP_ADD, is_signed = type_is_signed(type);
    if ((!is_sum && inner->op != OP_SUB) || inner->type.bits <= type.bits ||
        (!is_sum && !type_is_signed(inner->type)))
        return NULL;
    if (is_signed ? !number->below || !number->above : is_sum ? !number->above : !number->below)
        return NULL;
    LLVMValueRef operands[2];
    for (int i = 0; i < 2; i++)
        if (!(operands[i] = narrowed(e, inner->arguments[i], type)))
            return NULL;
    const char *name = is_signed ? (is_sum ? "llvm.sadd.sat" : "llvm.ssub.sat")
                                 : (is_sum ? "llvm.uadd.sat" : "llvm.usub.sat");
    return emit_intrinsic(e, name, operands, 2);
}

/* ---- products of fractions ---- */

enum { FRACTION = 15 };

/* Returns the lanes of the machine's instruction, and its name; 0: there is none. */
static unsigned fraction_lanes(const Emitter *e, unsigned total, const char **name) {
    const Target *target = e->target;
    bool is_widest = target->has_avx512 && total > 16, is_wide = target->has_avx2 && total > 8;
    *name = target->is_aarch64 ? "llvm.aarch64.neon.sqrdmulh"
            : is_widest        ? "llvm.x86.avx512.pmul.hr.sw.512"
            : is_wide          ? "llvm.x86.avx2.pmul.hr.sw"
                               : "llvm.x86.ssse3.pmul.hr.sw.128";
    return !target->is_aarch64 && !target->has_ssse3 ? 0 : is_widest ? 32 : is_wide ? 16 : 8;
}

/* x86: the product wraps only for the two least numbers, and only then is it the least. */
static LLVMValueRef unwrap(Emitter *e, LLVMValueRef product) {
    LLVMValueRef is_beyond =
        LLVMBuildICmp(e->builder, LLVMIntEQ, product, emit_constant_like(product, INT16_MIN), "");
    return LLVMBuildSelect(e->builder, is_beyond, emit_constant_like(product, INT16_MAX), product,
                           "");
}

/* (a*b + 2^14) >> 15, saturated. */
static LLVMValueRef multiply_fractions(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    const char *name;
    unsigned total = emit_lane_count(a), lanes = fraction_lanes(e, total, &name);
    if (!lanes)
        return NULL;
    LLVMTypeRef type = LLVMVectorType(emit_type(e, I16), lanes);
    LLVMValueRef function = compat_intrinsic(e->module, name, &type, e->target->is_aarch64);
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(a));
    for (unsigned first = 0; first < total; first += lanes) {
        unsigned count = total - first < lanes ? total - first : lanes;
        LLVMValueRef pieces[] = {emit_take_lanes(e, a, first, count, lanes),
                                 emit_take_lanes(e, b, first, count, lanes)};
        result = emit_put_lanes(e, result, emit_call(e, function, pieces, 2), first, count);
    }
    return e->target->is_aarch64 ? result : unwrap(e, result);
}

static LLVMValueRef fraction(Emitter *e, Expr a, Expr b) {
    LLVMValueRef x = narrowed(e, a, I16), y = narrowed(e, b, I16);
    return x && y ? multiply_fractions(e, x, y) : NULL;
}

/* Returns the expression without this constant summand, or null if it has none. */
static Expr without_summand(Expr expr, int64_t summand) {
    int64_t number;
    return expr->op == OP_ADD && expr_constant_integer(expr->arguments[1], &number) &&
                   number == summand
               ? expr->arguments[0]
               : NULL;
}

static LLVMValueRef written_fraction(Emitter *e, Type type, const Clamped *number) {
    Expr inner = number->inner;
    int64_t amount;
    if (!type_equal(type, I16) || !number->above || !type_equal(inner->type, I32) ||
        (inner->op != OP_SHIFT_RIGHT && inner->op != OP_DIV) ||
        !expr_constant_integer(inner->arguments[1], &amount) ||
        amount != (inner->op == OP_DIV ? 1 << FRACTION : FRACTION))
        return NULL;
    Expr product = without_summand(inner->arguments[0], 1 << (FRACTION - 1));
    return product && product->op == OP_MUL
               ? fraction(e, product->arguments[0], product->arguments[1])
               : NULL;
}

static LLVMValueRef named_fraction(Emitter *e, Expr node) {
    int64_t amount;
    if (!type_equal(node->type, I16) || !expr_constant_integer(node->arguments[2], &amount) ||
        amount != FRACTION)
        return NULL;
    LLVMValueRef operands[2];
    for (int i = 0; i < 2; i++)
        operands[i] = emit_splat(e, emit_known(e, node->arguments[i]), e->lanes.count);
    return multiply_fractions(e, operands[0], operands[1]);
}

LLVMValueRef idiom_apply(Emitter *e, Expr node) {
    if (!type_is_machine_integer(node->type) || e->lanes.count < 8)
        return NULL;
    if (node->op == OP_ADD || node->op == OP_SUB)
        return dot_apply(e, node);
    if (node->op == OP_ROUNDING_MUL_SHIFT_RIGHT)
        return named_fraction(e, node);
    if ((node->op != OP_CAST && node->op != OP_SATURATING_CAST) ||
        !type_is_machine_integer(node->arguments[0]->type))
        return NULL;
    Clamped number = clamped(node);
    LLVMValueRef value = saturating(e, node->type, &number);
    return value ? value : written_fraction(e, node->type, &number);
}

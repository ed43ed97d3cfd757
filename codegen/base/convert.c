/* convert.c -- casts, exactly as ir/kernel/kernel_cast.c defines them.
 *
 * Float to integer rounds toward zero and saturates; NaN gives 0. LLVM's plain conversion is
 * undefined outside the target's range, and its saturating one is long code. So ordered comparisons
 * first clamp the operand. This suffices if the greatest value of the target is a float itself.
 * Otherwise (i32 from f32, and 64 bits) selects then replace the results beyond the ends.  An end that
 * the operand's interval does not reach (`i32(clamp(v, 0.0, 255.0))`) needs neither.
 */
#include "codegen/emit.h"
#include "codegen/short_float.h"

#include <math.h>

static LLVMValueRef constant(LLVMValueRef like, double value) {
    return LLVMConstReal(LLVMTypeOf(like), value);
}

static LLVMValueRef test(Emitter *e, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFCmp(e->builder, predicate, a, b, "");
}

static LLVMValueRef choose(Emitter *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}

static LLVMValueRef plain(Emitter *e, Type to, LLVMValueRef value) {
    LLVMTypeRef type = emit_lanes_of(emit_type(e, to), value);
    return type_is_signed(to) ? LLVMBuildFPToSI(e->builder, value, type, "")
                              : LLVMBuildFPToUI(e->builder, value, type, "");
}

static const FloatInterval anything = {-INFINITY, INFINITY, true};

static LLVMValueRef float_to_integer(Emitter *e, Type from, Type to, LLVMValueRef x,
                                     FloatInterval range) {
    int mantissa = type_precision(from);
    int magnitude = to.bits - type_is_signed(to);
    double beyond = __builtin_ldexp(1.0, magnitude); /* greatest value + 1: exact */
    LLVMValueRef lowest = constant(x, type_is_signed(to) ? -beyond : 0.0);
    LLVMValueRef zero = constant(x, 0.0);
    bool is_above_least = type_is_signed(to) ? range.low >= -beyond : range.low > -1;
    if (is_above_least && range.high < beyond) {
        if (range.may_be_nan)
            x = choose(e, test(e, LLVMRealORD, x, x), x, zero);
        return plain(e, to, x);
    }
    if (magnitude <= mantissa) {
        LLVMValueRef highest = constant(x, beyond - 1);
        /* On x86, NaN gives the lowest number, which is 0 if it is unsigned. LLVM takes ARM's maximum
         * for this choice, which keeps a signaling NaN. */
        if (type_is_signed(to) || e->target->is_aarch64)
            x = choose(e, test(e, LLVMRealORD, x, x), x, zero);
        else
            x = emit_fence(e, x);
        x = choose(e, test(e, LLVMRealOGT, x, lowest), x, lowest);
        return plain(e, to, choose(e, test(e, LLVMRealOLT, x, highest), x, highest));
    }
    LLVMValueRef is_above = test(e, LLVMRealOGE, x, constant(x, beyond));
    LLVMValueRef is_inside = LLVMBuildAnd(e->builder, test(e, LLVMRealOGE, x, lowest),
                                          LLVMBuildNot(e->builder, is_above, ""), "");
    LLVMValueRef result = plain(e, to, choose(e, is_inside, x, zero));
    if (type_is_signed(to))
        result = choose(e, test(e, LLVMRealOLT, x, lowest),
                        emit_constant_like(result, type_minimum(to)), result);
    return choose(e, is_above, emit_constant_like(result, type_maximum(to)), result);
}

static LLVMValueRef from_float(Emitter *e, Type from, Type to, LLVMValueRef x,
                               FloatInterval range) {
    if (type_is_bool(to))
        return test(e, LLVMRealUNE, x, constant(x, 0.0));
    if (type_is_float(to))
        return LLVMBuildFPCast(e->builder, x, emit_lanes_of(emit_type(e, to), x), "");
    return float_to_integer(e, from, to, x, range);
}

static LLVMValueRef from_integer(Emitter *e, Type from, Type to, LLVMValueRef x) {
    LLVMTypeRef type = emit_lanes_of(emit_type(e, to), x);
    bool is_signed = type_is_signed(from);
    if (type_is_bool(to))
        return LLVMBuildICmp(e->builder, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    if (type_is_float(to))
        return is_signed ? LLVMBuildSIToFP(e->builder, x, type, "")
                         : LLVMBuildUIToFP(e->builder, x, type, "");
    if (to.bits <= from.bits)
        return LLVMBuildTrunc(e->builder, x, type, "");
    return is_signed ? LLVMBuildSExt(e->builder, x, type, "")
                     : LLVMBuildZExt(e->builder, x, type, "");
}

static LLVMValueRef convert(Emitter *e, Type from, Type to, LLVMValueRef value,
                            FloatInterval range) {
    if (type_is_short_float(from)) {
        value = short_float_widen(e, from, value);
        from = F32;
        if (type_equal(to, F32))
            return value;
    }
    if (type_is_short_float(to))
        return short_float_from(e, from, to, value);
    return type_is_float(from) ? from_float(e, from, to, value, range)
                               : from_integer(e, from, to, value);
}

LLVMValueRef emit_convert(Emitter *e, Type from, Type to, LLVMValueRef value) {
    return convert(e, from, to, value, anything);
}

/* Converts `value`, the emitted operand of the cast, or what has its type. */
static LLVMValueRef convert_operand(Emitter *e, Expr cast, LLVMValueRef value) {
    Expr operand = cast->arguments[0];
    bool is_ranged = type_is_float(operand->type) && type_is_machine_integer(cast->type);
    return convert(e, operand->type, cast->type, value,
                   is_ranged ? simplify_float_interval(e->simplifier, operand) : anything);
}

LLVMValueRef emit_cast(Emitter *e, Expr node, const LLVMValueRef *a) {
    return convert_operand(e, node, a[0]);
}

static LLVMValueRef bound(Emitter *e, const char *intrinsic, LLVMValueRef x, int64_t end) {
    LLVMValueRef arguments[] = {x, emit_constant_like(x, end)};
    return emit_intrinsic(e, intrinsic, arguments, 2);
}

/* Clamps in the source's type, at the ends of the target that lie in the source's range. */
LLVMValueRef emit_saturating_cast(Emitter *e, Expr node, const LLVMValueRef *a) {
    Type from = node->arguments[0]->type, to = node->type;
    LLVMValueRef x = a[0];
    if (!type_is_float(from) && type_is_machine_integer(to)) {
        bool is_signed = type_is_signed(from);
        int from_magnitude = from.bits - is_signed, to_magnitude = to.bits - type_is_signed(to);
        if (is_signed && !(type_is_signed(to) && to.bits >= from.bits))
            x = bound(e, "llvm.smax", x, type_minimum(to));
        if (from_magnitude > to_magnitude)
            x = bound(e, is_signed ? "llvm.smin" : "llvm.umin", x, type_maximum(to));
    }
    return convert_operand(e, node, x);
}

/* All NaNs are one value: reinterpret gives the positive quiet NaN. */
LLVMValueRef emit_reinterpret(Emitter *e, Expr node, const LLVMValueRef *a) {
    Type from = node->arguments[0]->type;
    LLVMValueRef bits = a[0];
    if (type_is_float(from)) {
        LLVMTypeRef word = emit_lanes_of(LLVMIntTypeInContext(e->llvm, from.bits), bits);
        LLVMValueRef is_nan = type_is_short_float(from)
                                  ? short_float_class(e, from, OP_IS_NAN, a[0])
                                  : test(e, LLVMRealUNO, a[0], a[0]);
        bits = LLVMBuildBitCast(e->builder, a[0], word, "");
        bits = choose(e, is_nan, emit_constant_like(bits, type_nan(from)), bits);
    }
    return LLVMBuildBitCast(e->builder, bits, emit_lanes_of(emit_type(e, node->type), bits), "");
}

Expr convert_unwidened(Expr expr) {
    while (expr->op == OP_CAST && type_is_machine_integer(expr->type) &&
           type_is_machine_integer(expr->arguments[0]->type) &&
           type_holds(expr->type, expr->arguments[0]->type))
        expr = expr->arguments[0];
    return expr;
}

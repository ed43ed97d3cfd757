/* power.c -- `pow` of f32 as instructions, scalar and in lanes: those of ir/kernel/power.h.
 *
 * An f64 has twice the bits of a result, so the arithmetic needs no pairs of floats: a vector of
 * powers takes half of the time of SLEEF's, and nothing is spilled around a call.  Special cases that
 * the intervals of the operands rule out are left out, which changes no bit:
 *
 *     pow(max(v, 0.001), 0.45)     x is neither 0 nor negative: no sign, no scaling of subnormals
 */
#include "ir/kernel/power.h"
#include "codegen/power.h"

typedef struct Power {
    Emitter *emitter;
    LLVMBuilderRef builder;
    LLVMTypeRef wide; /* f64, with the lanes of the operands */
    FloatInterval x, y;
} Power;

static LLVMValueRef real(LLVMTypeRef type, double value) {
    return LLVMConstReal(type, value);
}

static LLVMValueRef compare(const Power *p, LLVMRealPredicate predicate, LLVMValueRef a, double b) {
    return LLVMBuildFCmp(p->builder, predicate, a, real(LLVMTypeOf(a), b), "");
}

static LLVMValueRef choose(const Power *p, LLVMValueRef condition, double a, LLVMValueRef b) {
    return LLVMBuildSelect(p->builder, condition, real(LLVMTypeOf(b), a), b, "");
}

static LLVMValueRef widen(const Power *p, LLVMValueRef value) {
    return LLVMBuildFPExt(p->builder, value, p->wide, "");
}

static LLVMValueRef polynomial(const Power *p, const double *coefficients, int count,
                               LLVMValueRef at) {
    LLVMValueRef value = real(p->wide, coefficients[0]);
    for (int i = 1; i < count; i++) {
        LLVMValueRef arguments[] = {value, at, real(p->wide, coefficients[i])};
        value = emit_intrinsic(p->emitter, "llvm.fma", arguments, 3);
    }
    return value;
}

static bool is_number(FloatInterval a) {
    return !a.may_be_nan && a.low > -INFINITY && a.high < INFINITY;
}

static bool may_be_zero(FloatInterval a) {
    return a.low <= 0 && a.high >= 0;
}

static LLVMValueRef log2_of(const Power *p, LLVMValueRef magnitude) {
    LLVMBuilderRef b = p->builder;
    LLVMTypeRef type = LLVMTypeOf(magnitude);
    LLVMTypeRef integers = emit_lanes_of(p->emitter->i32, magnitude);
    LLVMValueRef scaled = magnitude, bias = NULL;
    if (p->x.low < POWER_LEAST_NORMAL) {
        LLVMValueRef is_small = compare(p, LLVMRealOLT, magnitude, POWER_LEAST_NORMAL);
        LLVMValueRef larger = LLVMBuildFMul(b, magnitude, real(type, 0x1p24), "");
        scaled = LLVMBuildSelect(b, is_small, larger, magnitude, "");
        LLVMValueRef zero = LLVMConstNull(integers);
        bias = LLVMBuildSelect(b, is_small, emit_constant_like(zero, POWER_BIAS + POWER_UNSCALED),
                               emit_constant_like(zero, POWER_BIAS), "");
    }
    LLVMValueRef word = LLVMBuildBitCast(b, scaled, integers, "");
    int64_t offset = (POWER_BIAS << POWER_MANTISSA) - POWER_ROOT_HALF;
    word = LLVMBuildAdd(b, word, emit_constant_like(word, offset), "");
    LLVMValueRef e = LLVMBuildLShr(b, word, emit_constant_like(word, POWER_MANTISSA), "");
    e = LLVMBuildSub(b, e, bias ? bias : emit_constant_like(word, POWER_BIAS), "");
    e = LLVMBuildSIToFP(b, e, type, "");
    LLVMValueRef m = LLVMBuildAnd(b, word, emit_constant_like(word, POWER_FRACTION), "");
    m = LLVMBuildAdd(b, m, emit_constant_like(word, POWER_ROOT_HALF), "");
    m = widen(p, LLVMBuildBitCast(b, m, type, ""));
    if (!is_number(p->x))
        e = LLVMBuildSelect(b, compare(p, LLVMRealOLT, magnitude, INFINITY), e, magnitude, "");
    if (may_be_zero(p->x))
        e = choose(p, compare(p, LLVMRealOEQ, magnitude, 0), -INFINITY, e);
    LLVMValueRef s = LLVMBuildFDiv(b, LLVMBuildFSub(b, m, real(p->wide, 1), ""),
                                   LLVMBuildFAdd(b, m, real(p->wide, 1), ""), "");
    LLVMValueRef square = LLVMBuildFMul(b, s, s, "");
    LLVMValueRef arguments[] = {polynomial(p, power_logarithm, POWER_LOGARITHM, square), s,
                                widen(p, e)};
    return emit_intrinsic(p->emitter, "llvm.fma", arguments, 3);
}

/* Is |y * log2 |x|| surely less than POWER_BEYOND? */
static bool is_moderate(const Power *p) {
    if (!is_number(p->x) || !is_number(p->y) || p->x.low < POWER_LEAST_NORMAL)
        return false;
    double logarithm = fmax(fabs(log2(p->x.low)), fabs(log2(p->x.high)));
    return logarithm * fmax(fabs(p->y.low), fabs(p->y.high)) < POWER_BEYOND / 2;
}

static LLVMValueRef exp2_of(const Power *p, LLVMValueRef t, LLVMTypeRef type) {
    LLVMBuilderRef b = p->builder;
    if (!is_moderate(p)) {
        t = choose(p, compare(p, LLVMRealOLT, t, -POWER_BEYOND), -POWER_BEYOND, t);
        t = choose(p, compare(p, LLVMRealOGT, t, POWER_BEYOND), POWER_BEYOND, t);
    }
    LLVMValueRef rounding = real(p->wide, POWER_ROUNDING);
    LLVMValueRef shifted = LLVMBuildFAdd(b, t, rounding, "");
    LLVMValueRef f = LLVMBuildFSub(b, t, LLVMBuildFSub(b, shifted, rounding, ""), "");
    LLVMValueRef q = polynomial(p, power_exponential, POWER_EXPONENTIAL, f);
    LLVMTypeRef integers = emit_lanes_of(p->emitter->i64, t);
    LLVMValueRef exponent = LLVMBuildBitCast(b, shifted, integers, "");
    exponent = LLVMBuildShl(b, exponent, emit_constant_like(exponent, 52), "");
    q = LLVMBuildAdd(b, LLVMBuildBitCast(b, q, integers, ""), exponent, "");
    return LLVMBuildFPTrunc(b, LLVMBuildBitCast(b, q, p->wide, ""), type, "");
}

static LLVMValueRef is_whole(const Power *p, LLVMValueRef y) {
    LLVMValueRef cut = emit_intrinsic(p->emitter, "llvm.trunc", &y, 1);
    return LLVMBuildFCmp(p->builder, LLVMRealOEQ, cut, y, "");
}

/* The sign of the result, or NaN, for x with the sign bit. */
static LLVMValueRef with_sign(const Power *p, LLVMValueRef x, LLVMValueRef y, LLVMValueRef result) {
    LLVMBuilderRef b = p->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef whole = is_whole(p, y);
    LLVMValueRef is_even = is_whole(p, LLVMBuildFMul(b, y, real(type, 0.5), ""));
    LLVMValueRef is_odd = LLVMBuildAnd(b, whole, LLVMBuildNot(b, is_even, ""), "");
    if (p->x.low < 0) {
        LLVMValueRef is_bad = LLVMBuildAnd(b, compare(p, LLVMRealOLT, x, 0),
                                           compare(p, LLVMRealOGT, x, -INFINITY), "");
        is_bad = LLVMBuildAnd(b, is_bad, LLVMBuildNot(b, whole, ""), "");
        result = choose(p, is_bad, NAN, result);
    }
    LLVMTypeRef integers = emit_lanes_of(p->emitter->i32, x);
    LLVMValueRef sign = LLVMBuildBitCast(b, x, integers, "");
    sign = LLVMBuildAnd(b, sign, emit_constant_like(sign, INT32_MIN), "");
    sign = LLVMBuildSelect(b, is_odd, sign, LLVMConstNull(integers), "");
    result = LLVMBuildOr(b, LLVMBuildBitCast(b, result, integers, ""), sign, "");
    return LLVMBuildBitCast(b, result, type, "");
}

LLVMValueRef emit_power(Emitter *e, FloatInterval x_range, FloatInterval y_range, LLVMValueRef x,
                        LLVMValueRef y) {
    LLVMTypeRef wide = emit_lanes_of(LLVMDoubleTypeInContext(e->llvm), x);
    Power p = {e, e->builder, wide, x_range, y_range};
    bool may_have_sign = x_range.low <= 0; /* an interval from 0 holds -0.0 */
    LLVMValueRef magnitude = may_have_sign ? emit_intrinsic(e, "llvm.fabs", &x, 1) : x;
    LLVMValueRef t = LLVMBuildFMul(e->builder, widen(&p, y), log2_of(&p, magnitude), "");
    LLVMValueRef result = exp2_of(&p, t, LLVMTypeOf(x));
    if (!is_number(y_range))
        result = choose(&p, compare(&p, LLVMRealOEQ, magnitude, 1), 1, result);
    if (may_be_zero(y_range) && (!is_number(x_range) || may_be_zero(x_range)))
        result = choose(&p, compare(&p, LLVMRealOEQ, y, 0), 1, result);
    return may_have_sign ? with_sign(&p, x, y, result) : result;
}

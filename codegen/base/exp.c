/* exp.c -- `exp` of vectors of f32 as instructions, with the bits of SLEEF's functions.
 *
 *     x = max(min(x, 100), -104);  q = round(x / ln 2);  s = x - q*ln 2, in two steps
 *     exp(x) = (1 + s + s*s*p(s)) * 2^(q/2) * 2^(q - q/2), with a polynomial p
 *
 * At both ends the products are what exp is beyond them, infinite and 0.
 * A call spills all vectors around it: a tone mapping took 1.05 times as long with calls. The
 * operations, their order and the coefficients are those of Sleef_finz_expf16_u10avx512f, because
 * any other would give other bits. The scalar function and the evaluator stay SLEEF's.
 * tests/unit/codegen_math.c compares them at some points. All 2^32 inputs were compared once.
 */
#include "codegen/emit.h"
#include "codegen/exp.h"

static LLVMValueRef real(LLVMValueRef like, double value) {
    return LLVMConstReal(LLVMTypeOf(like), value);
}

static LLVMValueRef fma_of(Emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef arguments[] = {a, b, c};
    return emit_intrinsic(e, "llvm.fma", arguments, 3);
}

/* Returns the float 2^k. */
static LLVMValueRef power_of_two(Emitter *e, LLVMValueRef k, LLVMTypeRef type) {
    enum { MANTISSA = 23, ONE = 0x3f800000 };
    LLVMValueRef shifted = LLVMBuildShl(e->builder, k, emit_constant_like(k, MANTISSA), "");
    LLVMValueRef bits = LLVMBuildAdd(e->builder, shifted, emit_constant_like(k, ONE), "");
    return LLVMBuildBitCast(e->builder, bits, type, "");
}

static LLVMValueRef polynomial(Emitter *e, LLVMValueRef s) {
    static const double coefficients[] = {0x1.6d2d92p-10, 0x1.11114cp-7, 0x1.5554f4p-5,
                                          0x1.555556p-3, 0x1p-1};
    LLVMValueRef p = real(s, 0x1.a057b4p-13);
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
        p = fma_of(e, p, s, real(s, coefficients[i]));
    return p;
}

/* Returns `end` where it is beyond x, else x: also where x is no number, as one instruction. */
static LLVMValueRef bound(Emitter *e, LLVMValueRef x, LLVMRealPredicate beyond, double end) {
    LLVMValueRef is_beyond = LLVMBuildFCmp(e->builder, beyond, real(x, end), x, "");
    return LLVMBuildSelect(e->builder, is_beyond, real(x, end), x, "");
}

LLVMValueRef emit_vector_exp(Emitter *e, LLVMValueRef x) {
    static const double underflow = -104, overflow = 100; /* exp is 0, and infinite */
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMTypeRef integers = LLVMVectorType(e->i32, emit_lane_count(x));
    x = bound(e, x, LLVMRealOGT, underflow);
    x = bound(e, x, LLVMRealOLT, overflow);
    LLVMValueRef q = LLVMBuildFMul(b, x, real(x, 0x1.715476p+0), "");
    q = emit_intrinsic(e, "llvm.roundeven", &q, 1);
    LLVMValueRef s = fma_of(e, q, real(x, -0x1.62e4p-1), x);
    s = fma_of(e, q, real(x, -0x1.7f7d1cp-20), s);
    LLVMValueRef u = fma_of(e, polynomial(e, s), LLVMBuildFMul(b, s, s, ""), s);
    u = LLVMBuildFAdd(b, u, real(x, 1), "");
    /* NaN becomes any integer. Its u is NaN, which the products keep. */
    LLVMValueRef k = LLVMBuildFreeze(b, LLVMBuildFPToSI(b, q, integers, ""), "");
    LLVMValueRef half = LLVMBuildAShr(b, k, emit_constant_like(k, 1), "");
    u = LLVMBuildFMul(b, u, power_of_two(e, half, type), "");
    return LLVMBuildFMul(b, u, power_of_two(e, LLVMBuildSub(b, k, half, ""), type), "");
}

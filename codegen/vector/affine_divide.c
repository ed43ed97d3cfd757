/* affine_divide.c -- quotients and remainders of an even index by a number that is the same in all
 * lanes, such as the index of a mirrored or repeated image.
 *
 * No machine divides lanes of 64 bits.  One scalar division is enough, of the lane with the least
 * dividend a.  Let b > 0, a = b*q + r, and let c >= 0 be the distance of another lane from it:
 *
 *     (a + c) / b = q + c/b + t        t = 1 if r + c%b >= b, else 0
 *     (a + c) % b = r + c%b - b*t
 *
 * c is a constant of each lane below 2^31, so c/b and c%b are computed in lanes of 32 bits, by a
 * multiplication by 1/b.  They do not change in a loop.  A negative b gives the remainder of -b and
 * the negative quotient; 0 gives 0 twice (ir/kernel/kernel_integer.def).
 */
#include "codegen/emit.h"

enum { MOST_DISTANCE = 1 << 30, EXACT_IN_FLOAT = 1 << 16 };

/* The lanes of the dividend: their least, and the distance from one to the next. */
typedef struct Dividend {
    LLVMValueRef least;
    int64_t step;
    bool falls; /* the last lane is the least one */
} Dividend;

static bool find_dividend(const Emitter *e, Expr node, Dividend *dividend) {
    AffineLanes lanes;
    if (!affine_operand(e, node, &lanes) || lanes.period != 1 || lanes.cycle == 0)
        return false;
    *dividend = (Dividend){.least = lanes.cycle > 0 ? lanes.first : lanes.last,
                           .step = lanes.cycle > 0 ? lanes.cycle : -lanes.cycle,
                           .falls = lanes.cycle < 0};
    return dividend->step <= MOST_DISTANCE / (int64_t)e->lanes.count;
}

static int64_t distance_of(const Emitter *e, const Dividend *dividend, unsigned lane) {
    return dividend->step * (int64_t)(dividend->falls ? e->lanes.count - 1 - lane : lane);
}

/* Returns c/b in lanes of 32 bits. (c + 1/2)/b is at least (1/2)/b away from every integer; the error
 * of its product with the rounded 1/b is below 2^-6/b. */
static LLVMValueRef divide_distances(Emitter *e, const Dividend *dividend, LLVMValueRef divisor) {
    LLVMValueRef distances[MAX_LANES];
    unsigned count = e->lanes.count;
    LLVMTypeRef real = dividend->step * count <= EXACT_IN_FLOAT ? LLVMFloatTypeInContext(e->llvm)
                                                                : LLVMDoubleTypeInContext(e->llvm);
    for (unsigned i = 0; i < count; i++)
        distances[i] = LLVMConstReal(real, (double)distance_of(e, dividend, i) + 0.5);
    LLVMValueRef inverse = LLVMBuildFDiv(e->builder, LLVMConstReal(real, 1.0),
                                         LLVMBuildSIToFP(e->builder, divisor, real, ""), "");
    LLVMValueRef product = LLVMBuildFMul(e->builder, LLVMConstVector(distances, count),
                                         emit_splat(e, inverse, count), "");
    return LLVMBuildFPToSI(e->builder, product, LLVMVectorType(e->i32, count), "");
}

static LLVMValueRef multiply(Emitter *e, LLVMValueRef lanes, LLVMValueRef uniform) {
    return LLVMBuildMul(e->builder, lanes, emit_splat(e, uniform, e->lanes.count), "");
}

LLVMValueRef affine_divide(Emitter *e, Expr node) {
    Dividend dividend;
    if ((node->op != OP_DIV && node->op != OP_MOD) || !type_equal(node->type, INDEX) ||
        !find_dividend(e, node->arguments[0], &dividend) ||
        emit_lane_count(emit_known(e, node->arguments[1])) > 1)
        return NULL;
    unsigned count = e->lanes.count;
    LLVMValueRef divisor = emit_known(e, node->arguments[1]), distances[MAX_LANES],
                 zero = LLVMConstInt(e->i64, 0, false), one = LLVMConstInt(e->i64, 1, false);
    LLVMValueRef is_negative = LLVMBuildICmp(e->builder, LLVMIntSLT, divisor, zero, ""),
                 is_zero = LLVMBuildICmp(e->builder, LLVMIntEQ, divisor, zero, "");
    LLVMValueRef size = LLVMBuildSelect(e->builder, is_negative,
                                        LLVMBuildNeg(e->builder, divisor, ""), divisor, "");
    size = LLVMBuildSelect(e->builder, is_zero, one, size, "");
    /* The scalar division, by the size. */
    LLVMValueRef operands[] = {dividend.least, size};
    LLVMValueRef value = emit_operator(e, node, operands), quotient = value, rest = value;
    if (node->op == OP_DIV)
        rest = LLVMBuildSub(e->builder, dividend.least,
                            LLVMBuildMul(e->builder, quotient, size, ""), "");
    /* The distances, by the size, or by any greater number than all of them. */
    LLVMValueRef limits[] = {size, LLVMConstInt(e->i64, MOST_DISTANCE, false)};
    LLVMValueRef limit =
        LLVMBuildTrunc(e->builder, emit_intrinsic(e, "llvm.umin", limits, 2), e->i32, "");
    LLVMValueRef whole = divide_distances(e, &dividend, limit);
    for (unsigned i = 0; i < count; i++)
        distances[i] = LLVMConstInt(e->i32, (uint64_t)distance_of(e, &dividend, i), false);
    LLVMTypeRef lanes = LLVMVectorType(e->i64, count);
    LLVMValueRef part =
        LLVMBuildSub(e->builder, LLVMConstVector(distances, count), multiply(e, whole, limit), "");
    /* Both together. The sum is less than twice the size: it is compared as unsigned. */
    LLVMValueRef sum = LLVMBuildAdd(e->builder, LLVMBuildZExt(e->builder, part, lanes, ""),
                                    emit_splat(e, rest, count), "");
    LLVMValueRef sizes = emit_splat(e, size, count);
    LLVMValueRef is_beyond = LLVMBuildICmp(e->builder, LLVMIntUGE, sum, sizes, "");
    if (node->op == OP_MOD)
        return LLVMBuildSelect(e->builder, is_beyond, LLVMBuildSub(e->builder, sum, sizes, ""), sum,
                               "");
    LLVMValueRef result = LLVMBuildAdd(e->builder, LLVMBuildZExt(e->builder, whole, lanes, ""),
                                       emit_splat(e, quotient, count), "");
    result = LLVMBuildAdd(e->builder, result, LLVMBuildZExt(e->builder, is_beyond, lanes, ""), "");
    LLVMValueRef sign =
        LLVMBuildSelect(e->builder, is_negative, LLVMConstInt(e->i64, (uint64_t)-1, true), one, "");
    sign = LLVMBuildSelect(e->builder, is_zero, zero, sign, "");
    return multiply(e, result, sign);
}

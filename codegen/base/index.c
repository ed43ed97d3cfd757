/* index.c -- index arithmetic, in a form that shows LLVM the distances between places.
 *
 * Every sum has its constant outermost: (m + 16) + 64*u is emitted as (m + 64*u) + 16. So the
 * copies of an unrolled body, the taps of a stencil and the lanes of a vector share all but a
 * constant. Addressing modes hold that constant, and LLVM's alias analysis compares it:
 * accumulators stay in registers only if LLVM sees that their places differ. (Its own pass for
 * this, `reassociate`, visits all arithmetic and takes longer.)
 *
 * Index arithmetic wraps here and never does in a program (docs/lowering.md), so any order gives
 * the same number.
 */
#include "codegen/emit.h"

typedef struct Sum {
    LLVMValueRef rest; /* null: 0 */
    int64_t number;
} Sum;

/* Splits a scalar or vector into a value plus a constant. */
static Sum take_apart(LLVMValueRef value) {
    if (LLVMIsAConstantInt(value))
        return (Sum){NULL, LLVMConstIntGetSExtValue(value)};
    if (LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
        LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return (Sum){LLVMGetOperand(value, 0), LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1))};
    return (Sum){value, 0};
}

static LLVMValueRef put_together(Emitter *e, Sum sum) {
    LLVMValueRef number = emit_index_constant(e, sum.number);
    if (!sum.rest)
        return number;
    return sum.number ? LLVMBuildAdd(e->builder, sum.rest, number, "") : sum.rest;
}

static int64_t wrap(uint64_t number) {
    return (int64_t)number;
}

LLVMValueRef emit_index_add(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    if (emit_lane_count(a) > 1)
        return LLVMBuildAdd(e->builder, a, b, "");
    Sum left = take_apart(a), right = take_apart(b);
    Sum sum = {left.rest ? left.rest : right.rest,
               wrap((uint64_t)left.number + (uint64_t)right.number)};
    if (left.rest && right.rest)
        sum.rest = LLVMBuildAdd(e->builder, left.rest, right.rest, "");
    return put_together(e, sum);
}

LLVMValueRef emit_index_sub(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    if (emit_lane_count(a) > 1)
        return LLVMBuildSub(e->builder, a, b, "");
    Sum left = take_apart(a), right = take_apart(b);
    Sum sum = {left.rest, wrap((uint64_t)left.number - (uint64_t)right.number)};
    if (left.rest == right.rest)
        sum.rest = NULL;
    else if (right.rest)
        sum.rest = LLVMBuildSub(e->builder, left.rest ? left.rest : emit_index_constant(e, 0),
                                right.rest, "");
    return put_together(e, sum);
}

LLVMValueRef emit_index_mul(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    if (emit_lane_count(a) > 1)
        return LLVMBuildMul(e->builder, a, b, "");
    Sum left = take_apart(a), right = take_apart(b);
    if (left.rest && right.rest) {
        if (!left.number)
            return LLVMBuildMul(e->builder, a, b, "");
        LLVMValueRef part = emit_index_mul(e, emit_index_constant(e, left.number), b);
        return emit_index_add(e, LLVMBuildMul(e->builder, left.rest, b, ""), part);
    }
    Sum sum = left.rest ? left : right;
    int64_t factor = left.rest ? right.number : left.number;
    sum.number = wrap((uint64_t)sum.number * (uint64_t)factor);
    if (factor == 0)
        sum.rest = NULL;
    else if (sum.rest && factor != 1)
        sum.rest = LLVMBuildMul(e->builder, sum.rest, emit_index_constant(e, factor), "");
    return put_together(e, sum);
}

/* unroll.c -- marks the short innermost loops, four iterations of which LLVM shall make at a time.
 *
 *     loop: vpaddd (%r9), %zmm0, %zmm0         loop: vpaddd (%r9), %zmm0, %zmm0
 *           add $4, %r9                              vpaddd 4(%r9), %zmm0, %zmm0
 *           inc %r15                     =>          vpaddd 8(%r9), %zmm0, %zmm0
 *           cmp %r14, %r15                           vpaddd 12(%r9), %zmm0, %zmm0
 *           jl loop                                  add $16, %r9  ..  jl loop
 *                                              and the iterations that are left, in a loop as
 * before
 *
 * What steps and tests a loop of few instructions is as much as its work, and it fills the window
 * in which a processor looks for the next loads: a box blur, whose rows come from the last cache,
 * waits a seventh longer without.  Loops that the schedule unrolls are none any more; the others
 * are looked at when LLVM's passes have been over them, so that what is counted is about what the
 * machine gets.  Only loops of one block are marked: others hold tests that cost more than the
 * loop does, or other loops.
 */
#include "codegen/emit.h"

enum { ITERATIONS = 4, MOST_INSTRUCTIONS = 16 };

/* Calls are what is not worth it: of the run-time library, of libsleef; and the empty assembly that
 * marks loops of which few iterations run. */
static bool is_call(LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction))
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return !LLVMIsAFunction(callee) || LLVMGetIntrinsicID(callee) == 0;
}

/* What is no instruction of the machine: a loop's variable, an address. */
static bool is_free(LLVMValueRef instruction) {
    return LLVMIsAPHINode(instruction) || LLVMIsAGetElementPtrInst(instruction);
}

/* What a reduction has in registers from one iteration to the next. */
static bool is_accumulator(LLVMValueRef instruction) {
    return LLVMIsAPHINode(instruction) &&
           LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMVectorTypeKind;
}

/* Is it a loop by itself, a reduction, and short? */
static bool is_short_loop(LLVMBasicBlockRef block) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last) ||
        (LLVMGetSuccessor(last, 0) != block && LLVMGetSuccessor(last, 1) != block))
        return false;
    int size = 0;
    bool reduces = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (is_call(i))
            return false;
        reduces |= is_accumulator(i);
        size += !is_free(i);
    }
    return reduces && size <= MOST_INSTRUCTIONS;
}

/* A loop is told by a node whose first operand is itself. */
static void mark(const Emitter *e, LLVMValueRef branch) {
    LLVMMetadataRef count[] = {LLVMMDStringInContext2(e->llvm, "llvm.loop.unroll.count", 22),
                               LLVMValueAsMetadata(LLVMConstInt(e->i32, ITERATIONS, false))};
    LLVMMetadataRef itself = LLVMTemporaryMDNode(e->llvm, NULL, 0);
    LLVMMetadataRef node = LLVMMDNodeInContext2(
        e->llvm, (LLVMMetadataRef[]){itself, LLVMMDNodeInContext2(e->llvm, count, 2)}, 2);
    LLVMMetadataReplaceAllUsesWith(itself, node);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->llvm, "llvm.loop", 9),
                    LLVMMetadataAsValue(e->llvm, node));
}

bool unroll_mark(const Emitter *e) {
    bool any = false;
    for (LLVMValueRef function = LLVMGetFirstFunction(e->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block))
            if (is_short_loop(block)) {
                mark(e, LLVMGetBasicBlockTerminator(block));
                any = true;
            }
    return any;
}

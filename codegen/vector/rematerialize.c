/* rematerialize.c -- instructions that are made anew at the place of what they were.
 *
 *     a group's first member           rows of one element, shuffles      freeze 1
 *     its second   rows of two, shuffles, freeze 2   (what was there)     freeze 1
 *
 * Where loads are met one after the other, and are better made as one, what was made for the first
 * is replaced when the next is known (interleave.c, transpose.c): the new instructions stand before
 * the old ones, so that they come before all that uses them, and the old ones, which nothing uses
 * any more, are erased.  LLVM would do that, too; but how much code a loop makes is measured before
 * (size.c), and a loop of rows of nine was counted at twice its length and not unrolled.
 */
#include "codegen/interleave.h"

/* The last instruction before this one; of the block, where it is null. */
static LLVMValueRef last_before(LLVMBasicBlockRef block, LLVMValueRef instruction) {
    return instruction ? LLVMGetPreviousInstruction(instruction) : LLVMGetLastInstruction(block);
}

Rematerialization rematerialize_begin(Emitter *e, const Rematerialized *old) {
    Rematerialization growing = {.old = *old,
                                 .here = LLVMGetInsertBlock(e->builder),
                                 .location = LLVMGetCurrentDebugLocation2(e->builder)};
    if (old->first)
        LLVMPositionBuilderBefore(e->builder, old->first);
    growing.there = LLVMGetInsertBlock(e->builder);
    growing.before = last_before(growing.there, old->first);
    return growing;
}

Rematerialized rematerialize_made(const Rematerialization *growing) {
    return (Rematerialized){growing->before ? LLVMGetNextInstruction(growing->before)
                                            : LLVMGetFirstInstruction(growing->there),
                            last_before(growing->there, growing->old.first)};
}

void rematerialize_end(Emitter *e, const Rematerialization *growing) {
    LLVMValueRef previous, first = growing->old.first;
    for (LLVMValueRef at = growing->old.last; at; at = previous) {
        previous = at == first ? NULL : LLVMGetPreviousInstruction(at);
        if (!LLVMGetFirstUse(at))
            LLVMInstructionEraseFromParent(at);
    }
    LLVMPositionBuilderAtEnd(e->builder, growing->here);
    LLVMSetCurrentDebugLocation2(e->builder, growing->location);
}

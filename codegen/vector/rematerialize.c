/* rematerialize.c -- replaces instructions by new ones at the same place.
 *
 *     a group's first member           rows of one element, shuffles      freeze 1
 *     its second   rows of two, shuffles, freeze 2   (what was there)     freeze 1
 *
 * Several loads may be better as one, but the emitter meets them one at a time. When the next load
 * is known, the code of the first is replaced (interleave.c, transpose.c). The new instructions
 * stand before the old ones, so they precede all uses. The old ones are then unused, and are
 * erased. LLVM would erase them, too, but size.c measures the code of a loop before LLVM runs.
 * Without this, a loop over rows of nine counted twice its length, and was not unrolled.
 */
#include "codegen/interleave.h"

/* Returns the last instruction before this one, or, for null, of the block. */
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

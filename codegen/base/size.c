/* size.c -- how much code there is, to bound what copies of statements may come to.
 *
 * A vectorized statement may be made four times (whole vectors or under a mask, with clamped
 * indices or without), each of them for up to 64 lanes, and stand in loops that are unrolled: the
 * product of what each of these may do is more than LLVM, whose time grows faster than a function's
 * length, ever comes to an end with.  So it is measured what one copy comes to, in instructions of
 * the machine as far as that can be seen here: a vector counts as many times as it has registers.
 */
#include "codegen/emit.h"

static int64_t weigh(const Emitter *e, LLVMValueRef instruction) {
    LLVMTypeRef type = LLVMTypeOf(instruction);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVoidTypeKind && LLVMGetNumOperands(instruction) > 0) { /* a store */
        type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
        kind = LLVMGetTypeKind(type);
    }
    if (kind != LLVMVectorTypeKind)
        return 1;
    unsigned width = 8 * target_register_bytes(e->target);
    return (LLVMSizeOfTypeInBits(e->machine->data, type) + width - 1) / width;
}

static int64_t weigh_from(const Emitter *e, LLVMValueRef instruction) {
    int64_t size = 0;
    for (; instruction; instruction = LLVMGetNextInstruction(instruction))
        size += weigh(e, instruction);
    return size;
}

CodeMark size_mark(const Emitter *e) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    return (CodeMark){here, LLVMGetLastInstruction(here), LLVMGetLastBasicBlock(e->frame.function)};
}

/* Blocks are made at the function's end; those that were there have got nothing new but `here`. */
int64_t size_since(const Emitter *e, const CodeMark *mark) {
    int64_t size = weigh_from(e, mark->last ? LLVMGetNextInstruction(mark->last)
                                            : LLVMGetFirstInstruction(mark->block));
    LLVMBasicBlockRef block = LLVMGetNextBasicBlock(mark->last_block);
    for (; block; block = LLVMGetNextBasicBlock(block))
        size += weigh_from(e, LLVMGetFirstInstruction(block));
    return size;
}

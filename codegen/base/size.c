/* size.c -- measures emitted code, to bound copies of statements.
 *
 * A vectorized statement may be emitted four times (whole vectors or masked, clamped indices or
 * not), each for up to 64 lanes, in loops that are unrolled. LLVM's time grows faster than a
 * function's length, and it never finishes with the product of all these. So this file estimates
 * the machine instructions of one copy. A vector instruction counts once for each register of its
 * vector.
 */
#include "codegen/emit.h"

int64_t size_of_instruction(const Emitter *e, LLVMValueRef instruction) {
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
        size += size_of_instruction(e, instruction);
    return size;
}

CodeMark size_mark(const Emitter *e) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    return (CodeMark){here, LLVMGetLastInstruction(here), LLVMGetLastBasicBlock(e->frame.function)};
}

/* New blocks are appended to the function. Of the earlier blocks, only `here` has grown. */
int64_t size_since(const Emitter *e, const CodeMark *mark) {
    int64_t size = weigh_from(e, mark->last ? LLVMGetNextInstruction(mark->last)
                                            : LLVMGetFirstInstruction(mark->block));
    LLVMBasicBlockRef block = LLVMGetNextBasicBlock(mark->last_block);
    for (; block; block = LLVMGetNextBasicBlock(block))
        size += weigh_from(e, LLVMGetFirstInstruction(block));
    return size;
}

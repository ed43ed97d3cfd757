/* freeze.c -- removes the `freeze` that LLVM's passes leave between a load and its broadcast.
 *
 *     %a = load float, ptr %p, !noundef            %a = load float, ptr %p, !noundef
 *     %b = broadcast of %a                         %b = broadcast of %a
 *     %c = freeze %b                         =>    fma(%b, ..)
 *     fma(%c, ..)
 *
 * Our memory is not initialised, so loads from it are frozen, for instance an accumulator, which
 * then is in a register. InstCombine moves the freeze of a sum to the one operand that may be
 * undefined. It does not see that a broadcast is defined, because the other lanes of its source are
 * poison. With a freeze between them, load and broadcast are two instructions on x86. The second
 * competes with the multiply-adds for a port: a matrix product took 1.4 times as long.
 *
 * The freeze of a defined value is the value itself.
 */
#include "codegen/emit.h"

static bool is_defined_load(const Emitter *e, LLVMValueRef value) {
    unsigned kind = LLVMGetMDKindIDInContext(e->llvm, "noundef", 7);
    return LLVMIsALoadInst(value) && LLVMGetMetadata(value, kind);
}

/* Is the value a broadcast of a load that is defined? */
static bool is_defined_broadcast(const Emitter *e, LLVMValueRef value) {
    if (!LLVMIsAShuffleVectorInst(value))
        return false;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(value); i++)
        if (LLVMGetMaskValue(value, i) != 0)
            return false;
    LLVMValueRef insertion = LLVMGetOperand(value, 0);
    if (!LLVMIsAInsertElementInst(insertion))
        return false;
    LLVMValueRef lane = LLVMGetOperand(insertion, 2);
    return LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) == 0 &&
           is_defined_load(e, LLVMGetOperand(insertion, 1));
}

static void drop_in(const Emitter *e, LLVMBasicBlockRef block) {
    for (LLVMValueRef next, instruction = LLVMGetFirstInstruction(block); instruction;
         instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        if (!LLVMIsAFreezeInst(instruction) ||
            !is_defined_broadcast(e, LLVMGetOperand(instruction, 0)))
            continue;
        LLVMReplaceAllUsesWith(instruction, LLVMGetOperand(instruction, 0));
        LLVMInstructionEraseFromParent(instruction);
    }
}

void freeze_drop(const Emitter *e) {
    emit_each_block(e, drop_in);
}

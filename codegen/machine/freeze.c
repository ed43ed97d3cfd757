/* freeze.c -- removes the `freeze` between a load and its broadcast, after LLVM's passes, that of a
 * scalar load, and that of a vector whose lanes are loads.
 *
 *     %a = load float, ptr %p                      %a = load float, ptr %p
 *     %b = freeze %a                               %c = broadcast of %a
 *     %c = broadcast of %b                   =>    fma(%c, ..)
 *     %d = freeze %c
 *     fma(%d, ..)
 *
 * Selection takes no load into another instruction across a freeze: a counter in memory took three
 * instructions instead of one (`incl (%rax)`). Vectors keep their freeze: without it, LLVM 19 makes
 * `vpmaddwd` and `vpaddd` of the dot products of tests/assembly/dots.hl, not `vpdpwssd`.
 *
 * With a freeze between them, load and broadcast are two instructions on x86. The second competes
 * with the multiply-adds for a port: a matrix product took 1.4 times as long. Selection moves a
 * freeze of the broadcast back to the load, so both must go.  A vector of lanes that lie far apart is
 * loaded by insertions (`vpinsrb` of memory).  Selection moves a freeze of the vector back to the
 * loads, and each insertion then takes two instructions.
 *
 * Our memory is not initialised, so loads from it are frozen: the element, and for instance an
 * accumulator, which then is in a register. InstCombine moves the freeze of a sum to the one operand
 * that may be undefined. It does not see that the broadcast of a defined element is defined, because
 * the other lanes of its source are poison.
 *
 * The freeze of a defined value is the value itself. The freeze of a load kept LLVM's passes from
 * replacing the load by an undefined value. When they have run, nothing looks for what memory holds:
 * the load that is left reads some bits, once, and all lanes get them.
 */
#include "codegen/emit.h"

static bool is_defined(const Emitter *e, LLVMValueRef value) {
    unsigned kind = LLVMGetMDKindIDInContext(e->llvm, "noundef", 7);
    return LLVMIsAFreezeInst(value) || (LLVMIsALoadInst(value) && LLVMGetMetadata(value, kind));
}

/* Returns the scalar that the value broadcasts; null if it is no broadcast. */
static LLVMValueRef broadcast_scalar(LLVMValueRef value) {
    if (!LLVMIsAShuffleVectorInst(value))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(value); i++)
        if (LLVMGetMaskValue(value, i) != 0)
            return NULL;
    LLVMValueRef insertion = LLVMGetOperand(value, 0);
    if (!LLVMIsAInsertElementInst(insertion))
        return NULL;
    LLVMValueRef lane = LLVMGetOperand(insertion, 2);
    bool is_first = LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) == 0;
    return is_first ? LLVMGetOperand(insertion, 1) : NULL;
}

static void replace(LLVMValueRef instruction, LLVMValueRef by) {
    LLVMReplaceAllUsesWith(instruction, by);
    LLVMInstructionEraseFromParent(instruction);
}

static bool is_scalar_load(LLVMValueRef freeze) {
    return LLVMIsALoadInst(LLVMGetOperand(freeze, 0)) &&
           LLVMGetTypeKind(LLVMTypeOf(freeze)) != LLVMVectorTypeKind;
}

/* Is the freeze that of a vector, each of whose lanes is a load? */
static bool is_gathered_load(LLVMValueRef freeze) {
    LLVMValueRef vector = LLVMGetOperand(freeze, 0);
    unsigned lanes = 0;
    for (; LLVMIsAInsertElementInst(vector) && LLVMIsALoadInst(LLVMGetOperand(vector, 1)); lanes++)
        vector = LLVMGetOperand(vector, 0);
    return lanes && LLVMIsPoison(vector) && lanes == LLVMGetVectorSize(LLVMTypeOf(vector));
}

static void drop_in(const Emitter *e, LLVMBasicBlockRef block) {
    for (LLVMValueRef next, instruction = LLVMGetFirstInstruction(block); instruction;
         instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        LLVMValueRef of = LLVMIsAFreezeInst(instruction) ? LLVMGetOperand(instruction, 0) : NULL;
        LLVMValueRef scalar = of ? broadcast_scalar(of) : NULL;
        if (scalar && is_defined(e, scalar))
            replace(instruction, of);
    }
}

static void drop_of_loads_in(const Emitter *e, LLVMBasicBlockRef block) {
    (void)e;
    for (LLVMValueRef next, instruction = LLVMGetFirstInstruction(block); instruction;
         instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        if (LLVMIsAFreezeInst(instruction) &&
            (is_scalar_load(instruction) || is_gathered_load(instruction)))
            replace(instruction, LLVMGetOperand(instruction, 0));
    }
}

void freeze_drop(const Emitter *e) {
    emit_each_block(e, drop_in);
    emit_each_block(e, drop_of_loads_in);
}

/* hoist_addresses.c -- hoists the loop-invariant parts of addresses out of innermost loops, and
 * hides them from LLVM's strength reduction.
 *
 *     loop: %i = phi ..                        before: %p = getelementptr i32, %in, (%x + %y)
 *           %a = add %i, %x                            %q = freeze %p
 *           %b = add %a, %y            =>      loop: %i = phi ..
 *           getelementptr i32, %in, %b               getelementptr i32, %q, %i
 *
 * LLVM's strength reduction splits an address into all its summands. In each loop it tries to add
 * any of them elsewhere. For sums of tiles this took two thirds of the compile time of a box blur.
 * A `freeze` is one opaque value, so one choice is left. The addresses of one memory that differ by
 * constants share their hoisted part. This pass runs after LLVM's passes, because alias analysis
 * learns nothing from a frozen value.
 *
 * Measured again over the programs of bench/ (x86-64-v4, instructions of the compiler). Without
 * this pass, compiling takes 1.97 times as many for the box blur, 1.20 for the bilateral grid, and
 * 1.16 for the camera. It takes 1.11 for Harris, and 1.00 to 1.04 for the others. The code of these
 * four then has 1.08, 1.03, 1.02 and 1.02 times the bytes.
 */
#include "codegen/emit.h"

#include <stdlib.h>

enum { MOST_TERMS = 12, MOST_PLACES = 8, FEW_ITERATIONS = 16 };

/* An address: the root, terms times the size of the element, and bytes. */
typedef struct LoopAddress {
    LLVMValueRef root;
    LLVMTypeRef element;
    LLVMValueRef fixed[MOST_TERMS], moving[MOST_TERMS];
    int fixed_count, moving_count;
    uint64_t bytes;
} LoopAddress;

/* A hoisted value, for addresses with this root and these terms. */
typedef struct HoistedAddress {
    LoopAddress of;
    LLVMValueRef value;
} HoistedAddress;

typedef struct AddressLoop {
    const Emitter *emitter;
    LLVMBasicBlockRef body, before;
    HoistedAddress places[MOST_PLACES];
    int count;
} AddressLoop;

static bool is_inside(const AddressLoop *loop, LLVMValueRef value) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == loop->body;
}

/* Returns the block that enters the loop; null if this one block is not a loop. */
static LLVMBasicBlockRef find_entry(LLVMBasicBlockRef block) {
    LLVMValueRef phi = LLVMGetFirstInstruction(block), last = LLVMGetBasicBlockTerminator(block);
    if (!phi || !LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2 || !LLVMIsABranchInst(last) ||
        !LLVMIsConditional(last))
        return NULL;
    LLVMBasicBlockRef a = LLVMGetIncomingBlock(phi, 0), b = LLVMGetIncomingBlock(phi, 1);
    return a == block ? b : b == block ? a : NULL;
}

/* Is it a loop of few iterations? Such a loop is entered so often that code before it counts, too;
 * LLVM's strength reduction is then better for the enclosing loops. The loop begins near 0, and
 * ends at a small constant. */
static bool is_brief(LLVMBasicBlockRef block) {
    LLVMValueRef test = LLVMGetCondition(LLVMGetBasicBlockTerminator(block));
    if (!LLVMIsAICmpInst(test))
        return false;
    LLVMValueRef end = LLVMGetOperand(test, 1);
    return LLVMIsAConstantInt(end) && llabs(LLVMConstIntGetSExtValue(end)) <= FEW_ITERATIONS;
}

/* Is the value a sum? LLVM writes a sum of operands without common bits as `or`. */
static bool is_sum(LLVMValueRef value) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    return opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(value));
}

/* Adds the terms of the sum; false if there are too many. */
static bool take_terms(const AddressLoop *loop, LLVMValueRef value, uint64_t size,
                       LoopAddress *address) {
    LLVMValueRef stack[MOST_TERMS] = {value};
    for (int height = 1; height;) {
        LLVMValueRef term = stack[--height];
        if (LLVMIsAConstantInt(term)) {
            address->bytes += (uint64_t)LLVMConstIntGetSExtValue(term) * size;
        } else if (is_inside(loop, term) && is_sum(term)) {
            if (height + 2 > MOST_TERMS)
                return false;
            stack[height++] = LLVMGetOperand(term, 0);
            stack[height++] = LLVMGetOperand(term, 1);
        } else {
            bool is_moving = is_inside(loop, term);
            int *count = is_moving ? &address->moving_count : &address->fixed_count;
            if (*count == MOST_TERMS)
                return false;
            (is_moving ? address->moving : address->fixed)[(*count)++] = term;
        }
    }
    return true;
}

static bool is_one_index(LLVMValueRef value) {
    return LLVMIsAGetElementPtrInst(value) && LLVMGetNumOperands(value) == 2 &&
           LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* Looks through additions of constants outside of the loop. */
static bool read_address(const AddressLoop *loop, LLVMValueRef pointer, LoopAddress *address) {
    const Emitter *e = loop->emitter;
    LLVMTargetDataRef data = e->machine->data;
    *address = (LoopAddress){.element = LLVMGetGEPSourceElementType(pointer)};
    LLVMValueRef index = LLVMGetOperand(pointer, 1);
    if (LLVMTypeOf(index) != e->i64 ||
        !take_terms(loop, index, LLVMABISizeOfType(data, address->element), address))
        return false;
    LLVMValueRef root = LLVMGetOperand(pointer, 0);
    while (is_one_index(root) && LLVMIsAConstantInt(LLVMGetOperand(root, 1))) {
        uint64_t size = LLVMABISizeOfType(data, LLVMGetGEPSourceElementType(root));
        address->bytes += (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(root, 1)) * size;
        root = LLVMGetOperand(root, 0);
    }
    address->root = root;
    return !is_inside(loop, root);
}

static bool are_same(const LLVMValueRef *a, const LLVMValueRef *b, int count) {
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static LLVMValueRef add_terms(const Emitter *e, const LLVMValueRef *terms, int count) {
    LLVMValueRef sum = terms[0];
    for (int i = 1; i < count; i++)
        sum = LLVMBuildAdd(e->builder, sum, terms[i], "");
    return sum;
}

/* Returns the hoisted part of an address. Addresses that differ only by constants and by varying
 * terms share it. Null if the loop has too many. */
static LLVMValueRef find_place(AddressLoop *loop, const LoopAddress *address) {
    const Emitter *e = loop->emitter;
    for (int i = 0; i < loop->count; i++) {
        const LoopAddress *of = &loop->places[i].of;
        if (of->root == address->root && of->element == address->element &&
            of->fixed_count == address->fixed_count &&
            are_same(of->fixed, address->fixed, of->fixed_count))
            return loop->places[i].value;
    }
    if (loop->count == MOST_PLACES)
        return NULL;
    LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(loop->before));
    LLVMValueRef sum = add_terms(e, address->fixed, address->fixed_count);
    LLVMValueRef value = LLVMBuildFreeze(
        e->builder, LLVMBuildGEP2(e->builder, address->element, address->root, &sum, 1, ""), "");
    loop->places[loop->count++] = (HoistedAddress){*address, value};
    return value;
}

/* Erases the sum and its inner sums if they are unused: strength reduction would count them. */
static void erase_unused(const AddressLoop *loop, LLVMValueRef sum) {
    LLVMValueRef stack[MOST_TERMS + 1] = {sum};
    for (int height = 1; height;) {
        LLVMValueRef value = stack[--height];
        if (!is_inside(loop, value) || LLVMGetFirstUse(value) || !is_sum(value))
            continue;
        LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
        LLVMInstructionEraseFromParent(value);
        stack[height++] = a;
        if (b != a && height < MOST_TERMS)
            stack[height++] = b;
    }
}

static void move_out(AddressLoop *loop, LLVMValueRef pointer) {
    const Emitter *e = loop->emitter;
    LoopAddress address;
    if (!read_address(loop, pointer, &address) || !address.fixed_count || !address.moving_count)
        return;
    LLVMValueRef place = find_place(loop, &address);
    if (!place)
        return;
    LLVMPositionBuilderBefore(e->builder, pointer);
    LLVMValueRef sum = add_terms(e, address.moving, address.moving_count);
    LLVMValueRef moved = LLVMBuildGEP2(e->builder, address.element, place, &sum, 1, "");
    if (address.bytes)
        moved = emit_at(e, e->i8, moved, (int64_t)address.bytes);
    LLVMValueRef index = LLVMGetOperand(pointer, 1);
    LLVMReplaceAllUsesWith(pointer, moved);
    LLVMInstructionEraseFromParent(pointer);
    erase_unused(loop, index);
}

static void move_all_out(const Emitter *e, LLVMBasicBlockRef block) {
    AddressLoop loop = {.emitter = e, .body = block, .before = find_entry(block)};
    if (!loop.before || is_brief(block))
        return;
    for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (is_one_index(i))
            move_out(&loop, i);
    }
}

void hoist_addresses(const Emitter *e) {
    emit_each_block(e, move_all_out);
}

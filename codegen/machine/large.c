/* large.c -- code that is too large for LLVM's optimising back end, or for LLVM.
 *
 * LLVM's time grows faster than a function, and faster than a block: it selects and schedules the
 * instructions of a block at a time, and allocates the registers of a function. Where that would
 * take many seconds, LLVM makes the code without optimising it, in time proportional to its size,
 * and a warning tells. Code without bound is refused.
 *
 * Code that is not optimised keeps all values on the stack. Vectors could exceed it: then the code
 * is refused, too. (A vectorized statement that is large is a loop already: vector.c.)
 */
#include "codegen/emit.h"

/* The most instructions (size.c) of a function, a block and a module that LLVM's back end optimises;
 * of a function, as it is emitted, that gets all passes; of any module; the bytes of vectors in a
 * function that is not optimised. */
enum {
    BLOCK = 16, /* what a block counts for: values live across many of them take the most time */
    MOST_OF_FUNCTION = 1 << 16,
    MOST_OF_BLOCK = 1 << 13,
    MOST_COMBINED = 1 << 17,
    MOST_OPTIMIZED = 1 << 18,
    MOST_CODE = 1 << 20,
    MOST_STACK = 1 << 20
};

typedef struct FunctionSize {
    int64_t all, longest_block, vector_bytes;
} FunctionSize;

typedef struct CodeSize {
    int64_t all;
    LLVMValueRef largest;
    FunctionSize most; /* each the most of any function */
} CodeSize;

static int64_t vector_bytes(const Emitter *e, LLVMValueRef instruction) {
    LLVMTypeRef type = LLVMTypeOf(instruction);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind
               ? (int64_t)LLVMABISizeOfType(e->machine->data, type)
               : 0;
}

static void raise_to(int64_t *most, int64_t value) {
    if (value > *most)
        *most = value;
}

static FunctionSize size_of_function(const Emitter *e, LLVMValueRef function) {
    FunctionSize size = {0};
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        int64_t count = 0;
        LLVMValueRef i = LLVMGetFirstInstruction(block);
        for (; i; i = LLVMGetNextInstruction(i), count++) {
            size.all += size_of_instruction(e, i);
            size.vector_bytes += vector_bytes(e, i);
        }
        size.all += BLOCK;
        raise_to(&size.longest_block, count);
    }
    return size;
}

static CodeSize size_of_code(const Emitter *e) {
    CodeSize code = {0};
    LLVMValueRef function = LLVMGetFirstFunction(e->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        FunctionSize size = size_of_function(e, function);
        code.all += size.all;
        if (!code.largest || size.all > code.most.all)
            code.largest = function;
        raise_to(&code.most.all, size.all);
        raise_to(&code.most.longest_block, size.longest_block);
        raise_to(&code.most.vector_bytes, size.vector_bytes);
    }
    return code;
}

static void report(const Emitter *e, DiagCode what, const CodeSize *code, int64_t size,
                   int64_t most) {
    const Stmt *owner = map_get(&e->owners, code->largest);
    size_t length;
    if (!owner)
        owner = e->program->body.first;
    diag(e->context, what, owner ? owner->place : NOWHERE,
         LLVMGetValueName2(code->largest, &length), arena_number(e->arena, (size_t)size),
         arena_number(e->arena, (size_t)most));
}

bool large_accept(const Emitter *e, int *level) {
    CodeSize code = size_of_code(e);
    if (code.most.all > MOST_COMBINED && *level > 1)
        *level = 1;
    if (code.all > MOST_CODE)
        report(e, DIAG_CODE_TOO_LARGE, &code, code.all, MOST_CODE);
    return code.all <= MOST_CODE;
}

bool large_optimizes(const Emitter *e, bool *accepted) {
    CodeSize code = size_of_code(e);
    *accepted = true;
    if (code.most.all <= MOST_OF_FUNCTION && code.most.longest_block <= MOST_OF_BLOCK &&
        code.all <= MOST_OPTIMIZED)
        return true;
    *accepted = code.most.vector_bytes <= MOST_STACK;
    report(e, *accepted ? DIAG_CODE_NOT_OPTIMIZED : DIAG_CODE_TOO_LARGE, &code, code.all,
           code.most.all > MOST_OF_FUNCTION          ? MOST_OF_FUNCTION
           : code.most.longest_block > MOST_OF_BLOCK ? MOST_OF_BLOCK
                                                     : MOST_OPTIMIZED);
    return false;
}

/* unroll.c -- unrolls short innermost loops of reductions by four: sums in registers, and counters
 * at places that are loaded.
 *
 *     loop: vpaddd (%r9), %zmm0, %zmm0         loop: vpaddd (%r9), %zmm0, %zmm0
 *           add $4, %r9                              vpaddd 4(%r9), %zmm0, %zmm0
 *           inc %r15                     =>          vpaddd 8(%r9), %zmm0, %zmm0
 *           cmp %r14, %r15                           vpaddd 12(%r9), %zmm0, %zmm0
 *           jl loop                                  add $16, %r9  ..  jl loop
 *                                              and a remainder loop as before
 *
 * In a short loop, the step and the test cost as much as the work. They also fill the window in
 * which a processor looks for the next loads: a box blur, whose rows come from the last cache,
 * waits a seventh longer without this pass. Loops that the schedule unrolls are no loops any more.
 * The pass runs after LLVM's passes, so its instruction count is close to the machine's. Only loops
 * of one block are unrolled: others contain other loops, or tests that cost more than the loop's
 * overhead.
 *
 *     before:  ->  enter: are there four iterations?      before -> enter -> quad (itself) -> after
 *     body:        quad:  four iterations                                |                  | |
 *     exit:        after: is there one more?                             +----> rest <------+ |
 *                  rest:  then                                                   |            |
 *                  body:  as before                                             body -> join <-+
 *                  join:  what the loop leaves behind                                    |
 *                  exit:                                                                exit
 *
 * LLVM's own pass does the same, but it analyses all kinds of loops, and took a seventh of the
 * compile time of a box blur.
 *
 * Measured again (150 pairs in one process, medians of one thread's processor time). Without this
 * pass the box blur of bench/box.hl takes 1.04 to 1.08 times as long under its two schedules, for
 * x86-64-v3 and v4. Its code then has 0.83 of the bytes, and compiling it takes 0.79 of the
 * instructions.
 */
#include "codegen/emit.h"

enum { ITERATIONS = 4, MOST_INSTRUCTIONS = 16 };

/* Loops with calls are not worth unrolling: calls of the run-time library, of libsleef, and the
 * empty assembly that marks loops of few iterations. */
static bool is_call(LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction))
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return !LLVMIsAFunction(callee) || LLVMGetIntrinsicID(callee) == 0;
}

/* Is it no machine instruction, such as a loop variable or an address? */
static bool is_free(LLVMValueRef instruction) {
    return LLVMIsAPHINode(instruction) || LLVMIsAGetElementPtrInst(instruction);
}

/* Does a reduction keep this value in a register across iterations? */
static bool is_accumulator(LLVMValueRef instruction) {
    return LLVMIsAPHINode(instruction) &&
           LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMVectorTypeKind;
}

/* Is it computed from its first operand alone, such as x/4? */
static bool is_step(LLVMValueRef value) {
    return LLVMIsACastInst(value) ||
           (LLVMIsABinaryOperator(value) && LLVMIsAConstant(LLVMGetOperand(value, 1)));
}

/* Is it a store at a place that the same iteration loads, as a histogram's? */
static bool is_scattered_store(LLVMValueRef instruction) {
    if (!LLVMIsAStoreInst(instruction))
        return false;
    LLVMValueRef at = LLVMGetOperand(instruction, 1);
    if (!LLVMIsAGetElementPtrInst(at))
        return false;
    at = LLVMGetOperand(at, (unsigned)LLVMGetNumOperands(at) - 1);
    while (is_step(at))
        at = LLVMGetOperand(at, 0);
    return LLVMIsALoadInst(at) &&
           LLVMGetInstructionParent(at) == LLVMGetInstructionParent(instruction);
}

/* Is the block a loop of its own, a reduction, and short? */
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
        reduces |= is_accumulator(i) || is_scattered_store(i);
        size += !is_free(i);
    }
    return reduces && size <= MOST_INSTRUCTIONS;
}

/* A loop of one block, as LLVM's passes leave it. */
typedef struct ReductionLoop {
    Emitter *emitter;
    LLVMBasicBlockRef before, body, exit;
    LLVMBasicBlockRef enter, quad, after, rest, join;
    LLVMValueRef variable, start; /* the counter, which grows by 1, and its start */
    LLVMValueRef limit;           /* it goes on to the variable before this */
    LLVMValueRef last_quad;       /* the last counter with four iterations left */
    LLVMValueRef test;            /* the continuation test, which has no other use */
    Map copies;                   /* copies of its values in the last iteration made */
} ReductionLoop;

static bool is_inside(const ReductionLoop *loop, LLVMValueRef value) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == loop->body;
}

/* Returns the value of a phi that comes from this block. */
static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block) {
    unsigned i = 0;
    while (LLVMGetIncomingBlock(phi, i) != block)
        i++;
    return LLVMGetIncomingValue(phi, i);
}

/* Is it the sum of a phi of the loop and 1? */
static bool is_next(const ReductionLoop *loop, LLVMValueRef value) {
    if (!is_inside(loop, value) || LLVMGetInstructionOpcode(value) != LLVMAdd)
        return false;
    LLVMValueRef variable = LLVMGetOperand(value, 0), one = LLVMGetOperand(value, 1);
    return is_inside(loop, variable) && LLVMIsAPHINode(variable) && LLVMIsAConstantInt(one) &&
           LLVMConstIntGetSExtValue(one) == 1 && incoming_from(variable, loop->body) == value;
}

/* Reads the counter and its test: `next < end` of index arithmetic, or LLVM's form for constants,
 * `variable < last`. */
static bool read_count(ReductionLoop *loop) {
    Emitter *e = loop->emitter;
    LLVMValueRef a = LLVMGetOperand(loop->test, 0), end = LLVMGetOperand(loop->test, 1);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(loop->test);
    if (LLVMTypeOf(a) != e->i64 || is_inside(loop, end))
        return false;
    if (predicate == LLVMIntSLT && is_next(loop, a)) {
        loop->variable = LLVMGetOperand(a, 0);
        loop->start = incoming_from(loop->variable, loop->before);
        loop->limit = end;
        return true;
    }
    if (predicate != LLVMIntULT || !LLVMIsAConstantInt(end) || !is_inside(loop, a) ||
        !LLVMIsAPHINode(a) || !is_next(loop, incoming_from(a, loop->body)))
        return false;
    loop->variable = a;
    loop->start = incoming_from(a, loop->before);
    loop->limit = emit_index_constant(e, LLVMConstIntGetSExtValue(end) + 1);
    return LLVMIsAConstantInt(loop->start) && LLVMConstIntGetSExtValue(loop->start) >= 0 &&
           LLVMConstIntGetSExtValue(end) >= 0;
}

static LLVMUseRef find_outside_use(const ReductionLoop *loop, LLVMValueRef value) {
    LLVMUseRef use = LLVMGetFirstUse(value);
    while (use && is_inside(loop, LLVMGetUser(use)))
        use = LLVMGetNextUse(use);
    return use;
}

/* Returns false if the loop has several entries, or does not end by counting. */
static bool read_loop(Emitter *e, LLVMBasicBlockRef block, ReductionLoop *loop) {
    LLVMValueRef phi = LLVMGetFirstInstruction(block), last = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2 || LLVMGetSuccessor(last, 0) != block)
        return false;
    LLVMBasicBlockRef first = LLVMGetIncomingBlock(phi, 0);
    *loop = (ReductionLoop){.emitter = e,
                            .body = block,
                            .before = first == block ? LLVMGetIncomingBlock(phi, 1) : first,
                            .exit = LLVMGetSuccessor(last, 1),
                            .test = LLVMGetCondition(last),
                            .copies = map_create(e->arena)};
    LLVMUseRef use = LLVMIsAICmpInst(loop->test) ? LLVMGetFirstUse(loop->test) : NULL;
    if (!use || LLVMGetNextUse(use) || !read_count(loop))
        return false;
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        if (find_outside_use(loop, phi))
            return false; /* the value at the beginning of the last iteration is not kept */
    return true;
}

/* ---- four iterations ---- */

/* Returns the value's copy in the last iteration made. */
static LLVMValueRef copy_of(const ReductionLoop *loop, LLVMValueRef value) {
    const void *copy = is_inside(loop, value) ? map_get(&loop->copies, value) : NULL;
    return copy ? (LLVMValueRef)copy : value;
}

/* Makes a phi for each phi of the body, at the builder's place, and puts it into `loop->copies`. */
static void begin_phis(ReductionLoop *loop) {
    LLVMBuilderRef builder = loop->emitter->builder;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->body); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        map_put(&loop->copies, i, LLVMBuildPhi(builder, LLVMTypeOf(i), ""));
}

/* Steps all phis to the next iteration at once, because one may be another's next value. */
static void step_phis(ReductionLoop *loop) {
    int count = 0;
    LLVMValueRef first = LLVMGetFirstInstruction(loop->body);
    for (LLVMValueRef i = first; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        count++;
    LLVMValueRef *next = arena_array(loop->emitter->arena, LLVMValueRef, count);
    LLVMValueRef phi = first;
    for (int k = 0; k < count; k++, phi = LLVMGetNextInstruction(phi))
        next[k] = copy_of(loop, incoming_from(phi, loop->body));
    phi = first;
    for (int k = 0; k < count; k++, phi = LLVMGetNextInstruction(phi))
        map_put(&loop->copies, phi, next[k]);
}

static void copy_iteration(ReductionLoop *loop) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(loop->body);
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->body); i != last;
         i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i) || i == loop->test)
            continue;
        LLVMValueRef copy = LLVMInstructionClone(i);
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            LLVMSetOperand(copy, (unsigned)k, copy_of(loop, LLVMGetOperand(i, (unsigned)k)));
        LLVMInsertIntoBuilder(loop->emitter->builder, copy);
        map_put(&loop->copies, i, copy);
    }
    step_phis(loop);
}

/* Are there four more iterations from here? */
static LLVMValueRef test_four(const ReductionLoop *loop, LLVMValueRef variable) {
    return LLVMBuildICmp(loop->emitter->builder, LLVMIntSLE, variable, loop->last_quad, "");
}

static void make_quad(ReductionLoop *loop) {
    LLVMBuilderRef builder = loop->emitter->builder;
    LLVMPositionBuilderAtEnd(builder, loop->enter);
    LLVMValueRef four = LLVMConstInt(loop->emitter->i64, ITERATIONS, false);
    loop->last_quad = LLVMBuildNSWSub(builder, loop->limit, four, "");
    LLVMBuildCondBr(builder, test_four(loop, loop->start), loop->quad, loop->rest);
    LLVMPositionBuilderAtEnd(builder, loop->quad);
    begin_phis(loop);
    for (int k = 0; k < ITERATIONS; k++)
        copy_iteration(loop);
    LLVMBuildCondBr(builder, test_four(loop, copy_of(loop, loop->variable)), loop->quad,
                    loop->after);
    LLVMValueRef phi = LLVMGetFirstInstruction(loop->quad);
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->body); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i), phi = LLVMGetNextInstruction(phi))
        LLVMAddIncoming(phi, (LLVMValueRef[]){incoming_from(i, loop->before), copy_of(loop, i)},
                        (LLVMBasicBlockRef[]){loop->enter, loop->quad}, 2);
    LLVMPositionBuilderAtEnd(builder, loop->after);
    LLVMValueRef more =
        LLVMBuildICmp(builder, LLVMIntSLT, copy_of(loop, loop->variable), loop->limit, "");
    LLVMBuildCondBr(builder, more, loop->rest, loop->join);
}

/* ---- the remainder, and the values after the loop ---- */

/* Replaces a phi by one with other values or blocks; LLVM's C API cannot change a phi. */
static void replace_phi(const Emitter *e, LLVMValueRef phi, const LLVMBasicBlockRef from[2],
                        LLVMValueRef value) {
    LLVMPositionBuilderBefore(e->builder, phi);
    LLVMValueRef other = LLVMBuildPhi(e->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef one = LLVMGetIncomingValue(phi, i);
        if (block == from[0]) {
            block = from[1];
            one = value ? value : one;
        }
        LLVMAddIncoming(other, &one, &block, 1);
    }
    LLVMReplaceAllUsesWith(phi, other);
    LLVMInstructionEraseFromParent(phi);
}

/* A use outside the loop gets the value of the last iteration, from whichever loop ran it. */
static void join_value(const ReductionLoop *loop, LLVMValueRef value) {
    LLVMUseRef use = find_outside_use(loop, value);
    if (!use)
        return;
    LLVMPositionBuilderAtEnd(loop->emitter->builder, loop->join);
    LLVMValueRef joined = LLVMBuildPhi(loop->emitter->builder, LLVMTypeOf(value), "");
    for (; use; use = find_outside_use(loop, value)) {
        LLVMValueRef user = LLVMGetUser(use);
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == value)
                LLVMSetOperand(user, (unsigned)k, joined);
    }
    LLVMAddIncoming(joined, (LLVMValueRef[]){value, copy_of(loop, value)},
                    (LLVMBasicBlockRef[]){loop->body, loop->after}, 2);
}

static void make_join(ReductionLoop *loop) {
    LLVMBasicBlockRef from[] = {loop->body, loop->join};
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->body); i; i = LLVMGetNextInstruction(i))
        if (LLVMGetFirstUse(i))
            join_value(loop, i);
    LLVMPositionBuilderAtEnd(loop->emitter->builder, loop->join);
    LLVMBuildBr(loop->emitter->builder, loop->exit);
    for (LLVMValueRef next, phi = LLVMGetFirstInstruction(loop->exit); LLVMIsAPHINode(phi);
         phi = next) {
        next = LLVMGetNextInstruction(phi);
        replace_phi(loop->emitter, phi, from, NULL);
    }
}

/* Makes the remainder loop: the original loop, from where the unrolled one ends. */
static void make_rest(ReductionLoop *loop) {
    LLVMBuilderRef builder = loop->emitter->builder;
    LLVMBasicBlockRef from[] = {loop->before, loop->rest};
    LLVMPositionBuilderAtEnd(builder, loop->rest);
    LLVMValueRef end = LLVMBuildBr(builder, loop->body);
    for (LLVMValueRef next, phi = LLVMGetFirstInstruction(loop->body); LLVMIsAPHINode(phi);
         phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(builder, end);
        LLVMValueRef value = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
        LLVMAddIncoming(value,
                        (LLVMValueRef[]){incoming_from(phi, loop->before), copy_of(loop, phi)},
                        (LLVMBasicBlockRef[]){loop->enter, loop->after}, 2);
        replace_phi(loop->emitter, phi, from, value);
    }
}

static LLVMBasicBlockRef add_block(const ReductionLoop *loop, const char *name) {
    return LLVMInsertBasicBlockInContext(loop->emitter->llvm, loop->body, name);
}

static void unroll(ReductionLoop *loop) {
    /* For a debugger, the new code has the place of the loop's continuation test. */
    LLVMPositionBuilderBefore(loop->emitter->builder, loop->test);
    loop->enter = add_block(loop, "enter");
    loop->quad = add_block(loop, "quad");
    loop->after = add_block(loop, "after");
    loop->rest = add_block(loop, "rest");
    loop->join = add_block(loop, "join");
    LLVMMoveBasicBlockAfter(loop->join, loop->body);
    make_quad(loop);
    make_join(loop);
    make_rest(loop);
    LLVMValueRef entry = LLVMGetBasicBlockTerminator(loop->before);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(entry); i++)
        if (LLVMGetSuccessor(entry, i) == loop->body)
            LLVMSetSuccessor(entry, i, loop->enter);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(loop->body), 1, loop->join);
}

void unroll_reductions(Emitter *e) {
    ReductionLoop loop;
    for (LLVMValueRef function = LLVMGetFirstFunction(e->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef next, block = LLVMGetFirstBasicBlock(function); block;
             block = next) {
            next = LLVMGetNextBasicBlock(block);
            if (is_short_loop(block) && read_loop(e, block, &loop))
                unroll(&loop);
        }
}

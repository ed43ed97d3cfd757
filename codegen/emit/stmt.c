/* stmt.c -- the statements of the target language (Figure 7), for a program without holes.
 *
 * Statements contain statements, so their emitters are one recursion. It closes at
 * Emitter.statements, which entry.c sets to emit_statements. The files below this one (vector.c,
 * hoist.c, outline.c and parallel.c) emit the bodies of their loops and functions through it.
 *
 * Loops are emitted in rotated form: a test before the loop, and one at the end of each iteration.
 * An unrolled loop of moderate length is emitted as its iterations in sequence. vector.c emits
 * vectorized loops, parallel.c parallel ones.
 */
#include "codegen/interleave.h"
#include "codegen/emit/lifetime.h"

/* Computes the numbers of the message only on failure. */
void emit_assert(Emitter *e, const Stmt *stmt) {
    LLVMBasicBlockRef good = emit_begin_failure(e, emit_expr(e, stmt->assertion.condition));
    int count = stmt->assertion.operand_count;
    LLVMValueRef *numbers = arena_array(e->arena, LLVMValueRef, count + 1);
    for (int i = 0; i < count; i++) {
        Expr operand = stmt->assertion.operands[i];
        numbers[i] = emit_convert(e, operand->type, INDEX, emit_expr(e, operand));
    }
    const char *subject = stmt->assertion.subject ? stmt->assertion.subject : "";
    LLVMValueRef arguments[] = {
        e->frame.report, LLVMConstInt(e->i32, (unsigned long long)stmt->assertion.error, true),
        emit_text(e, subject), emit_array(e, numbers, count),
        LLVMConstInt(e->i32, (unsigned long long)count, false)};
    emit_runtime_call(e, RUNTIME_hlc_fail, arguments);
    emit_end_failure(e, good);
}

static void emit_if(Emitter *e, const Stmt *stmt) {
    LLVMBasicBlockRef yes = emit_block(e, "then"), no = emit_block(e, "else"),
                      done = emit_block(e, "fi");
    LLVMValueRef condition = emit_expr(e, stmt->branch.condition);
    interleave_flush(e);
    LLVMBuildCondBr(e->builder, condition, yes, no);
    emit_forget(e);
    LLVMPositionBuilderAtEnd(e->builder, yes);
    size_t facts = e->facts.length;
    facts_learn(e, stmt->branch.condition);
    emit_statements(e, &stmt->branch.body);
    e->facts.length = facts;
    interleave_flush(e);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, no);
    emit_statements(e, &stmt->branch.otherwise);
    interleave_flush(e);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

/* ---- loops ---- */

/* The body for one value of the variable. */
static void emit_iteration(Emitter *e, const Stmt *stmt, LLVMValueRef variable) {
    map_put(&e->variables, stmt->loop.binder, variable);
    debug_variable(e, stmt->loop.binder, INDEX, variable);
    e->loop_depth++;
    emit_statements(e, &stmt->loop.body);
    e->loop_depth--;
    map_put(&e->variables, stmt->loop.binder, NULL);
}

/* Returns the variable's next value. For a loop with few iterations the increment is hidden from
 * LLVM: its strength reduction would spend as much time on the borders as on the middle. */
static LLVMValueRef emit_next(Emitter *e, LLVMValueRef variable) {
    /* A loop's bounds fit 64 bits, so its variable cannot overflow. */
    LLVMValueRef next = LLVMBuildNSWAdd(e->builder, variable, emit_index_constant(e, 1), "");
    if (!e->rare)
        return next;
    LLVMTypeRef type = LLVMFunctionType(e->i64, &e->i64, 1, false);
    LLVMValueRef same =
        LLVMGetInlineAsm(type, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, type, same, &next, 1, "");
}

static void emit_loop(Emitter *e, const Stmt *stmt, LLVMValueRef minimum, LLVMValueRef length) {
    interleave_flush(e);
    e->frame.is_hot = true;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef body = emit_block(e, stmt->loop.binder->text), done = emit_block(e, "done");
    LLVMValueRef end = LLVMBuildAdd(e->builder, minimum, length, "");
    LLVMValueRef zero = emit_index_constant(e, 0);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, length, zero, ""), body,
                    done);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef variable = LLVMBuildPhi(e->builder, e->i64, stmt->loop.binder->text);
    emit_poll(e, &stmt->loop.body, variable);
    emit_iteration(e, stmt, variable);
    interleave_flush(e);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next = emit_next(e, variable);
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, end, "");
    LLVMBuildCondBr(e->builder, more, body, done);
    LLVMAddIncoming(variable, (LLVMValueRef[]){minimum, next}, (LLVMBasicBlockRef[]){before, last},
                    2);
    emit_resume(e, done);
}

/* An unrolled loop stays a loop beyond these limits: iterations of one loop and of a nest, and
 * instructions (size.c), measured on the first iteration. */
enum { LONGEST_UNROLLED = 64, LONGEST_SHORT = 4, MOST_UNROLLED = 256, MOST_INSTRUCTIONS = 8192 };

/* Warns that a loop is not unrolled as the schedule asks, once a loop for all targets. No schedule
 * asks it of the loops of emit_short. */
static void warn_rolled(Emitter *e, const Stmt *stmt, const char *reason, int64_t limit) {
    if (stmt->loop.traversal != TRAVERSE_UNROLLED || map_get(&e->warned, stmt->loop.binder))
        return;
    map_put(&e->warned, stmt->loop.binder, stmt);
    diag(e->context, DIAG_NOT_UNROLLED, stmt->place, stmt->loop.binder->text,
         arena_format(e->arena, "%s %lld", reason, (long long)limit));
}

/* Emits the iterations in sequence. If the first turns out too large, the rest is a loop; later
 * copies are loops from the start. */
static void emit_copies(Emitter *e, const Stmt *stmt, LLVMValueRef minimum, int64_t length) {
    e->frame.is_hot = true;
    e->unrolled *= (int)length;
    Where around = e->frame.where;
    CodeMark mark = size_mark(e);
    for (int64_t i = 0; i < length; i++) {
        LLVMValueRef next = emit_index_add(e, minimum, emit_index_constant(e, i));
        if (i == 1 && size_since(e, &mark) * length > MOST_INSTRUCTIONS) {
            warn_rolled(e, stmt, "the instructions of its iterations are more than",
                        MOST_INSTRUCTIONS);
            map_put(&e->rolled, stmt, stmt);
            emit_loop(e, stmt, next, emit_index_constant(e, length - 1));
            break;
        }
        emit_iteration(e, stmt, next);
        debug_leave(e, around);
    }
    e->unrolled /= (int)length;
    if (e->unrolled == 1)
        stream_flush(e);
}

/* Checks the loop's length, and its product with those of the enclosing unrolled loops. */
static bool is_too_long(Emitter *e, const Stmt *stmt, int64_t length) {
    if (length > LONGEST_UNROLLED)
        warn_rolled(e, stmt, "its iterations are more than", LONGEST_UNROLLED);
    else if (length * e->unrolled > MOST_UNROLLED)
        warn_rolled(e, stmt,
                    "its iterations and those of the unrolled loops around come to more than",
                    MOST_UNROLLED);
    else
        return false;
    return true;
}

/* A single iteration needs no loop, whatever its traversal. Rare iterations are not worth copies.
 */
static bool emit_unrolled(Emitter *e, const Stmt *stmt) {
    int64_t length;
    if (!expr_constant_integer(stmt->loop.interval.length, &length) || length < 1 ||
        (length > 1 && (stmt->loop.traversal != TRAVERSE_UNROLLED || e->rare ||
                        map_get(&e->rolled, stmt) || is_too_long(e, stmt, length))))
        return false;
    LLVMValueRef minimum = emit_expr(e, stmt->loop.interval.minimum);
    emit_forget(e);
    emit_copies(e, stmt, minimum, length);
    return true;
}

/* Emits a loop whose length is constant only in this copy of an unrolled body, such as the first
 * iterations of a sliding window. Without a loop its stores have constant places, too, and may stay
 * in registers. */
static bool emit_short(Emitter *e, const Stmt *stmt, LLVMValueRef minimum, LLVMValueRef length) {
    int64_t written;
    if (!LLVMIsAConstantInt(length) || expr_constant_integer(stmt->loop.interval.length, &written))
        return false;
    int64_t count = LLVMConstIntGetSExtValue(length);
    if (count < 1 || count > LONGEST_SHORT || count * e->unrolled > MOST_UNROLLED)
        return false;
    emit_copies(e, stmt, minimum, count);
    return true;
}

static void emit_for(Emitter *e, const Stmt *stmt) {
    e->rare += stmt->loop.rare;
    if (!emit_unrolled(e, stmt) && !emit_vectorized(e, stmt)) {
        LLVMValueRef minimum = emit_expr(e, stmt->loop.interval.minimum);
        LLVMValueRef length = emit_expr(e, stmt->loop.interval.length);
        emit_forget(e);
        if (!emit_short(e, stmt, minimum, length))
            emit_loop(e, stmt, minimum, length);
    }
    e->rare -= stmt->loop.rare;
    emit_release_kept(e);
}

static void emit_let(Emitter *e, const Stmt *stmt) {
    LLVMValueRef value = emit_expr(e, stmt->let.value);
    map_put(&e->variables, stmt->let.binder, value);
    emit_forget(e);
    debug_variable(e, stmt->let.binder, stmt->let.value->type, value);
    emit_statements(e, &stmt->let.body);
    map_put(&e->variables, stmt->let.binder, NULL); /* statements may be made more than once */
}

static void emit_label(Emitter *e, const Stmt *stmt) {
    LLVMBasicBlockRef done = emit_unless_in_place(e, stmt);
    emit_statements(e, &stmt->label.body);
    emit_after_copy(e, done);
}

/* The context's limits bound the depth of nests, and so of this recursion. */
static void emit_here(Emitter *e, const Stmt *stmt) {
    if (e->lanes.count && emit_vector_statement(e, stmt))
        return;
    switch (stmt->kind) {
    case STMT_NOP:
        return;
    case STMT_ASSERT:
        emit_assert(e, stmt);
        emit_forget(e);
        facts_learn(e, stmt->assertion.condition);
        return;
    case STMT_ALLOCATE:
        emit_allocation(e, stmt);
        emit_forget(e);
        return;
    case STMT_STORE:
        if (stmt_is_extern(stmt))
            emit_extern(e, stmt);
        else if (!emit_atomic(e, stmt))
            emit_assignment(e, stmt);
        return;
    case STMT_IF:
        emit_if(e, stmt);
        return;
    case STMT_FOR:
        if (stmt->loop.traversal != TRAVERSE_PARALLEL || !emit_parallel(e, stmt))
            emit_for(e, stmt);
        return;
    case STMT_LET:
        emit_let(e, stmt);
        return;
    case STMT_COMPUTE: {
        ProfileSite *around = profile_here(e);
        trace_compute(e, HLC_TRACE_BEGIN_COMPUTE, stmt);
        if (!emit_outlined(e, stmt))
            emit_statements(e, &stmt->compute.body);
        trace_compute(e, HLC_TRACE_END_COMPUTE, stmt);
        profile_return(e, around);
        return;
    }
    case STMT_LABEL:
        profile_label(e, stmt);
        emit_label(e, stmt);
        return;
    case STMT_PREFETCH:
        emit_prefetch(e, stmt);
        return;
    }
}

void emit_statements(Emitter *e, const Block *block) {
    AllocationScope *outside = e->frame.scope;
    size_t facts = e->facts.length;
    Map last;
    bool may_end = lifetime_find(e, block, &last);
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next) {
        Where around = debug_enter(e, stmt);
        if (stmt == e->rest)
            emit_end_check(e);
        emit_here(e, stmt);
        if (may_end)
            emit_close_dead(e, outside, &last, stmt);
        debug_leave(e, around);
    }
    while (e->frame.scope != outside)
        emit_close_scope(e);
    e->facts.length = facts;
}

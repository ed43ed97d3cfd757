/* stmt.c -- the statements of the target language (Figure 7), for a program without holes.
 *
 * Loops are made in rotated form, a test before and one at the end of each iteration.  Unrolled
 * ones of sane length are made as their iterations one after the other; vectorized ones in
 * vector.c, parallel ones in parallel.c.
 *
 * An allocation lives to the end of its block.  Each opens a Scope; a failure (a false assertion,
 * no memory) jumps to the innermost scope's `on_failure` block, which frees and jumps to the next
 * outer one, so that every exit frees exactly what is live.
 *
 * An output func's allocation is the user's own buffer where it has the right bounds and layout,
 * which is seen at run time; otherwise memory of ours, from which the window is copied when the
 * scope ends.
 */
#include "codegen/interleave.h"

/* ---- failing ---- */

static LLVMBasicBlockRef failure_block(Emitter *e) {
    if (!e->frame.scope->on_failure)
        e->frame.scope->on_failure = emit_block(e, "failure");
    return e->frame.scope->on_failure;
}

/* Leaves the builder in a block that is reached where `condition` is false; what is put there tells
 * of the failure.  end_failure ends it and goes on in the block returned. */
static LLVMBasicBlockRef begin_failure(Emitter *e, LLVMValueRef condition) {
    LLVMBasicBlockRef bad = emit_block(e, "bad"), good = emit_block(e, "good");
    LLVMBuildCondBr(e->builder, condition, good, bad);
    LLVMPositionBuilderAtEnd(e->builder, bad);
    return good;
}

static void end_failure(Emitter *e, LLVMBasicBlockRef good) {
    LLVMBuildBr(e->builder, failure_block(e));
    LLVMPositionBuilderAtEnd(e->builder, good);
}

void emit_check(Emitter *e, LLVMValueRef condition) {
    end_failure(e, begin_failure(e, condition));
}

/* The numbers of the message are made only where it is needed. */
static void emit_assert(Emitter *e, const Stmt *stmt) {
    LLVMBasicBlockRef good = begin_failure(e, emit_expr(e, stmt->assertion.condition));
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
    end_failure(e, good);
}

/* ---- allocating ---- */

/* Sets the origin so that coordinates count from 0: memory holds the element of minimum
 * coordinates. */
static void set_origin(Emitter *e, Memref *memref, LLVMValueRef memory,
                       const LLVMValueRef *minimum) {
    LLVMValueRef offset = emit_index_constant(e, 0);
    for (int d = 0; d < memref->dimensions; d++)
        offset = LLVMBuildSub(e->builder, offset,
                              LLVMBuildMul(e->builder, minimum[d], memref->stride[d], ""), "");
    memref->origin =
        LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memory, &offset, 1, "");
}

static void set_dense(Emitter *e, Memref *memref, const LLVMValueRef *length) {
    LLVMValueRef stride = emit_index_constant(e, 1);
    for (int d = 0; d < memref->dimensions; d++) {
        memref->stride[d] = stride;
        stride = LLVMBuildMul(e->builder, stride, length[d], "");
    }
}

static LLVMValueRef take_memory(Emitter *e, const FuncShape *func, Type type,
                                const LLVMValueRef *length) {
    LLVMValueRef arguments[] = {e->frame.report, emit_text(e, func->name->text),
                                emit_array(e, length, func->dimensions),
                                LLVMConstInt(e->i32, (unsigned long long)func->dimensions, false),
                                LLVMConstInt(e->i32, (unsigned long long)type_bytes(type), false)};
    LLVMValueRef memory = emit_runtime_call(e, RUNTIME_hlc_allocate, arguments);
    emit_check(e, LLVMBuildIsNotNull(e->builder, memory, ""));
    return memory;
}

/* Is dimension 0 the elements of a pixel?  Then pixels lie side by side, too, so that their
 * distance is a constant. */
static bool is_pixel(int dimensions, const LLVMValueRef *length) {
    int64_t count =
        dimensions > 1 && LLVMIsAConstantInt(length[0]) ? LLVMConstIntGetSExtValue(length[0]) : 0;
    return count >= 2 && count <= WIDEST_STRIDE;
}

/* Has the user's buffer exactly these bounds, and the strides that are constants in our code? */
static LLVMValueRef fits(Emitter *e, const UserBuffer *user, int dimensions,
                         const LLVMValueRef *minimum, const LLVMValueRef *length) {
    LLVMValueRef result = LLVMConstInt(e->i1, 1, false);
    for (int d = 0; d < dimensions; d++) {
        LLVMValueRef one = emit_index_constant(e, 1);
        LLVMValueRef tests[] = {
            LLVMBuildICmp(e->builder, LLVMIntEQ, minimum[d], user->minimum[d], ""),
            LLVMBuildICmp(e->builder, LLVMIntEQ, length[d], user->extent[d], ""),
            d == 0 ? LLVMBuildICmp(e->builder, LLVMIntEQ, user->stride[0], one, "")
            : d == 1 && is_pixel(dimensions, length)
                ? LLVMBuildICmp(e->builder, LLVMIntEQ, user->stride[1], length[0], "")
                : NULL};
        for (int i = 0; i < 3 && tests[i]; i++)
            result = LLVMBuildAnd(e->builder, result, tests[i], "");
    }
    return result;
}

static LLVMValueRef merge(Emitter *e, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a,
                          LLVMValueRef b, LLVMBasicBlockRef from_b) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, type, "");
    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

/* The user's memory or ours; returns what is to be freed, null for the user's. */
static LLVMValueRef take_output(Emitter *e, const FuncShape *func, Memref *memref,
                                const UserBuffer *user, const LLVMValueRef *minimum,
                                const LLVMValueRef *length) {
    LLVMValueRef is_direct = fits(e, user, func->dimensions, minimum, length);
    LLVMBasicBlockRef direct = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef staged = emit_block(e, "staged"), done = emit_block(e, "allocated");
    LLVMBuildCondBr(e->builder, is_direct, done, staged);
    LLVMPositionBuilderAtEnd(e->builder, staged);
    LLVMValueRef own = take_memory(e, func, memref->type, length);
    set_dense(e, memref, length);
    staged = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
    LLVMValueRef base = merge(e, e->pointer, user->host, direct, own, staged);
    LLVMValueRef memory = merge(e, e->pointer, LLVMConstNull(e->pointer), direct, own, staged);
    for (int d = 1 + is_pixel(func->dimensions, length); d < func->dimensions; d++)
        memref->stride[d] = merge(e, e->i64, user->stride[d], direct, memref->stride[d], staged);
    set_origin(e, memref, base, minimum);
    return memory;
}

static void open_scope(Emitter *e, Symbol func, const Memref *memref, LLVMValueRef memory,
                       const UserBuffer *user) {
    Scope *scope = arena_new(e->arena, Scope);
    *scope = (Scope){
        .func = func, .outer = e->frame.scope, .memory = memory, .memref = memref, .user = user};
    e->frame.scope = scope;
}

static void emit_allocate(Emitter *e, const Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    LLVMValueRef minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS];
    for (int d = 0; d < func->dimensions; d++) {
        minimum[d] = emit_expr(e, stmt->allocate.intervals[d].minimum);
        length[d] = emit_expr(e, stmt->allocate.intervals[d].length);
    }
    Memref *memrefs = arena_array(e->arena, Memref, func->components);
    const UserBuffer *users = func->is_output ? map_get(&e->outputs, func->name) : NULL;
    for (int c = 0; c < func->components; c++) {
        LLVMValueRef memory;
        memrefs[c] = (Memref){
            .type = func->types[c], .dimensions = func->dimensions, .may_be_uninitialised = true};
        if (users) {
            memory = take_output(e, func, &memrefs[c], &users[c], minimum, length);
        } else {
            memory = take_memory(e, func, func->types[c], length);
            set_dense(e, &memrefs[c], length);
            set_origin(e, &memrefs[c], memory, minimum);
        }
        open_scope(e, func->name, &memrefs[c], memory, users ? &users[c] : NULL);
    }
    map_put(&e->memrefs, func->name, memrefs);
}

/* Copies the user's window out of staged memory. */
static void copy_out(Emitter *e, const Scope *scope) {
    const Memref *memref = scope->memref;
    const UserBuffer *user = scope->user;
    LLVMBasicBlockRef copy = emit_block(e, "copy"), done = emit_block(e, "copied");
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, scope->memory, ""), done, copy);
    LLVMPositionBuilderAtEnd(e->builder, copy);
    LLVMValueRef arguments[] = {
        user->host,
        emit_array(e, user->stride, memref->dimensions),
        emit_address(e, memref, user->minimum),
        emit_array(e, memref->stride, memref->dimensions),
        emit_array(e, user->extent, memref->dimensions),
        LLVMConstInt(e->i32, (unsigned long long)memref->dimensions, false),
        LLVMConstInt(e->i32, (unsigned long long)type_bytes(memref->type), false)};
    emit_runtime_call(e, RUNTIME_hlc_copy, arguments);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

/* Ends the innermost scope, on the way of success and on the way of failure. */
static void close_scope(Emitter *e) {
    Scope *scope = e->frame.scope;
    if (scope->user)
        copy_out(e, scope);
    emit_runtime_call(e, RUNTIME_hlc_free, &scope->memory);
    e->frame.scope = scope->outer;
    map_put(&e->memrefs, scope->func, NULL);
    if (!scope->on_failure)
        return;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, scope->on_failure);
    emit_runtime_call(e, RUNTIME_hlc_free, &scope->memory);
    LLVMBuildBr(e->builder, failure_block(e));
    LLVMPositionBuilderAtEnd(e->builder, here);
}

/* ---- the other statements ---- */

/* One component; the indices have been made. */
static void emit_component(Emitter *e, const Stmt *stmt, int component, LLVMValueRef value) {
    const FuncShape *func = stmt->store.func;
    const Memref *memrefs = map_get(&e->memrefs, func->name);
    hlc_assert(memrefs, "a func is allocated where it is written");
    if (emit_lane_count(value) > 1 || access_varies(e, stmt->store.indices, func->dimensions)) {
        access_store(e, &memrefs[component], stmt->store.indices, value);
        return;
    }
    LLVMValueRef indices[MAX_DIMENSIONS];
    for (int d = 0; d < func->dimensions; d++)
        indices[d] = emit_expr(e, stmt->store.indices[d]);
    const Memref *memref = &memrefs[component];
    interleave_settle(e, memref, NULL, 0, true);
    emit_store(e, memref, emit_address(e, memref, indices), value);
}

void emit_stored_values(Emitter *e, const Stmt *stmt, LLVMValueRef *values) {
    for (int c = 0; c < stmt->store.func->components; c++)
        values[c] = emit_expr(e, stmt->store.values[c]);
}

void emit_stores(Emitter *e, const Stmt *stmt, const LLVMValueRef *values) {
    for (int d = 0; d < stmt->store.func->dimensions; d++)
        emit_prepare(e, stmt->store.indices[d]);
    for (int c = 0; c < stmt->store.func->components; c++)
        emit_component(e, stmt, c, values[c]);
}

static void emit_assignment(Emitter *e, const Stmt *stmt) {
    LLVMValueRef *values = arena_array(e->arena, LLVMValueRef, stmt->store.func->components);
    emit_stored_values(e, stmt, values);
    emit_stores(e, stmt, values);
    emit_forget(e);
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

/* Beyond these, an unrolled loop stays a loop: iterations of one, and of a nest. */
enum { LONGEST_UNROLLED = 64, MOST_UNROLLED = 256 };

static bool emit_unrolled(Emitter *e, const Stmt *stmt) {
    int64_t length;
    if (stmt->loop.traversal != TRAVERSE_UNROLLED ||
        !expr_constant_integer(stmt->loop.interval.length, &length) || length < 1 ||
        length > LONGEST_UNROLLED || length * e->unrolled > MOST_UNROLLED)
        return false;
    LLVMValueRef minimum = emit_expr(e, stmt->loop.interval.minimum);
    emit_forget(e);
    e->unrolled *= (int)length;
    e->loop_depth++;
    for (int64_t i = 0; i < length; i++) {
        Where around = e->frame.where;
        LLVMValueRef variable =
            LLVMBuildAdd(e->builder, minimum, emit_index_constant(e, i), stmt->loop.binder->text);
        map_put(&e->variables, stmt->loop.binder, variable);
        debug_variable(e, stmt->loop.binder, INDEX, variable);
        emit_statements(e, &stmt->loop.body);
        debug_leave(e, around);
    }
    e->loop_depth--;
    map_put(&e->variables, stmt->loop.binder, NULL);
    e->unrolled /= (int)length;
    return true;
}

static void emit_for(Emitter *e, const Stmt *stmt) {
    if (emit_unrolled(e, stmt) || emit_vectorized(e, stmt))
        return;
    LLVMValueRef minimum = emit_expr(e, stmt->loop.interval.minimum);
    LLVMValueRef length = emit_expr(e, stmt->loop.interval.length);
    emit_forget(e);
    interleave_flush(e);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef body = emit_block(e, stmt->loop.binder->text), done = emit_block(e, "done");
    LLVMValueRef end = LLVMBuildAdd(e->builder, minimum, length, "");
    LLVMValueRef zero = emit_index_constant(e, 0);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, length, zero, ""), body,
                    done);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef variable = LLVMBuildPhi(e->builder, e->i64, stmt->loop.binder->text);
    map_put(&e->variables, stmt->loop.binder, variable);
    debug_variable(e, stmt->loop.binder, INDEX, variable);
    e->loop_depth++;
    emit_statements(e, &stmt->loop.body);
    interleave_flush(e);
    e->loop_depth--;
    map_put(&e->variables, stmt->loop.binder, NULL);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    /* A loop's bounds lie in 64 bits, so its variable cannot overflow. */
    LLVMValueRef next = LLVMBuildNSWAdd(e->builder, variable, emit_index_constant(e, 1), "");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, end, "");
    LLVMBuildCondBr(e->builder, more, body, done);
    LLVMAddIncoming(variable, (LLVMValueRef[]){minimum, next}, (LLVMBasicBlockRef[]){before, last},
                    2);
    emit_resume(e, done);
}

static void emit_let(Emitter *e, const Stmt *stmt) {
    LLVMValueRef value = emit_expr(e, stmt->let.value);
    map_put(&e->variables, stmt->let.binder, value);
    emit_forget(e);
    debug_variable(e, stmt->let.binder, stmt->let.value->type, value);
    emit_statements(e, &stmt->let.body);
    map_put(&e->variables, stmt->let.binder, NULL); /* statements may be made more than once */
}

/* Nests are as deep as the limits of the context allow; so is the recursion. */
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
        emit_allocate(e, stmt);
        emit_forget(e);
        return;
    case STMT_STORE:
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
    case STMT_COMPUTE:
        if (e->loop_depth > 0 || !emit_outlined(e, stmt))
            emit_statements(e, &stmt->compute.body);
        return;
    case STMT_LABEL:
        emit_statements(e, &stmt->label.body);
        return;
    }
}

void emit_statements(Emitter *e, const Block *block) {
    Scope *outside = e->frame.scope;
    size_t facts = e->facts.length;
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next) {
        Where around = debug_enter(e, stmt);
        emit_here(e, stmt);
        debug_leave(e, around);
    }
    while (e->frame.scope != outside)
        close_scope(e);
    e->facts.length = facts;
}

void emit_open_body(Emitter *e, Scope *outermost) {
    *outermost = (Scope){0};
    e->frame.scope = outermost;
}

bool emit_close_body(Emitter *e) {
    LLVMBasicBlockRef on_failure = e->frame.scope->on_failure;
    LLVMBuildRet(e->builder, LLVMConstInt(e->i32, 0, false));
    if (on_failure) {
        LLVMPositionBuilderAtEnd(e->builder, on_failure);
        LLVMBuildRet(e->builder,
                     emit_field(e, e->i32, e->frame.report, offsetof(hlc_report, error)));
    }
    e->frame.scope = NULL;
    return on_failure;
}

bool emit_function_body(Emitter *e, const Block *block) {
    Scope outermost;
    emit_open_body(e, &outermost);
    emit_statements(e, block);
    return emit_close_body(e);
}

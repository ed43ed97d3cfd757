/* parallel.c -- parallel loops on threads.
 *
 *     for y in (m, n) parallel do BODY
 *
 * becomes three things:
 *
 *   NAME.y(report, captures of BODY, m, n, begin, end)
 *       runs iterations [begin, end), one after another
 *   NAME.y.chunk(report, closure, begin, end)
 *       is an hlc_chunk: takes the closure apart and calls NAME.y
 *   hlc_parallel(report, NAME.y.chunk, closure, ..)
 *       is called in the enclosing function.  The closure is a struct on its stack.  The call also
 *       passes the work of an iteration (cost.c)
 *
 * The body's memory is passed as arguments, not in the closure, so it stays `noalias`. Allocations
 * of BODY belong to NAME.y's scopes. They are private to the iteration, kept for the next one, and
 * freed in NAME.y even after a failure.
 *
 * Directly nested parallel loops whose bounds do not depend on each other form one iteration space,
 * in the order of the serial loops. Other inner parallel loops are calls of hlc_parallel in NAME.y.
 * They run inline if this loop is distributed over threads.
 *
 * Two iterations may write equal values to one element (Figure 8). On x86 and ARM, plain stores of
 * at most 8 bytes and the elements of a vector store are not torn. So the result is that value in
 * any order.
 */
#include "codegen/interleave.h"
#include "codegen/emit/outline.h"

/* The loops of one iteration space, outermost first. */
enum { MOST_LOOPS = 3 };

typedef struct ParallelNest {
    Emitter *emitter;
    const Stmt *loops[MOST_LOOPS];
    int count;
    LLVMValueRef minimum[MOST_LOOPS], length[MOST_LOOPS]; /* in the function being made */
    unsigned argument; /* NAME.y's argument with the first minimum; lengths, begin and end follow */
} ParallelNest;

/* ---- which loops ---- */

/* Does the node read memory, or a variable of the nest's loops? Then it cannot be evaluated before
 * them. */
static bool is_inside(void *data, Expr node) {
    const ParallelNest *nest = data;
    for (int i = 0; node->op == OP_VARIABLE && i < nest->count; i++)
        if (node->name == nest->loops[i]->loop.binder)
            return true;
    return node->op == OP_ACCESS;
}

static ParallelNest collect(Emitter *e, const Stmt *outermost) {
    ParallelNest nest = {.emitter = e, .loops = {outermost}, .count = 1};
    while (nest.count < MOST_LOOPS) {
        const Stmt *inner = nest.loops[nest.count - 1]->loop.body.first;
        if (!inner || inner->next || inner->kind != STMT_FOR ||
            inner->loop.traversal != TRAVERSE_PARALLEL ||
            emit_any_node(e, inner->loop.interval.minimum, is_inside, &nest) ||
            emit_any_node(e, inner->loop.interval.length, is_inside, &nest))
            break;
        nest.loops[nest.count++] = inner;
    }
    return nest;
}

static const Block *innermost_body(const ParallelNest *nest) {
    return &nest->loops[nest->count - 1]->loop.body;
}

/* ---- NAME.y ---- */

static void take_arguments(ParallelNest *nest) {
    LLVMValueRef function = nest->emitter->frame.function;
    unsigned count = (unsigned)nest->count;
    for (unsigned i = 0; i < count; i++) {
        nest->minimum[i] = LLVMGetParam(function, nest->argument + i);
        nest->length[i] = LLVMGetParam(function, nest->argument + count + i);
    }
}

/* Computes the position of each loop of the nest at iteration `number`, counted from 0. */
static void take_apart(const ParallelNest *nest, LLVMValueRef number, LLVMValueRef *position) {
    LLVMBuilderRef builder = nest->emitter->builder;
    for (int i = nest->count - 1; i > 0; i--) {
        position[i] = LLVMBuildURem(builder, number, nest->length[i], "");
        number = LLVMBuildUDiv(builder, number, nest->length[i], "");
    }
    position[0] = number;
}

/* Advances the positions by one iteration: the last loop first, with a carry. */
static void advance(const ParallelNest *nest, const LLVMValueRef *position, LLVMValueRef *next) {
    Emitter *e = nest->emitter;
    LLVMValueRef step = emit_index_constant(e, 1), zero = emit_index_constant(e, 0);
    for (int i = nest->count - 1; i >= 0; i--) {
        next[i] = LLVMBuildAdd(e->builder, position[i], step, "");
        if (i == 0)
            break;
        LLVMValueRef wraps = LLVMBuildICmp(e->builder, LLVMIntEQ, next[i], nest->length[i], "");
        step = LLVMBuildZExt(e->builder, wraps, e->i64, "");
        next[i] = LLVMBuildSelect(e->builder, wraps, zero, next[i], "");
    }
}

static void emit_iterations(ParallelNest *nest) {
    Emitter *e = nest->emitter;
    LLVMValueRef position[MOST_LOOPS], first[MOST_LOOPS], next[MOST_LOOPS];
    unsigned at = nest->argument + 2 * (unsigned)nest->count;
    LLVMValueRef begin = LLVMGetParam(e->frame.function, at);
    LLVMValueRef end = LLVMGetParam(e->frame.function, at + 1);
    take_arguments(nest);
    take_apart(nest, begin, first);
    e->frame.is_hot = true;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef body = emit_block(e, "iteration"), done = emit_block(e, "done");
    LLVMBuildBr(e->builder, body); /* begin < end */
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef number = LLVMBuildPhi(e->builder, e->i64, "");
    for (int i = 0; i < nest->count; i++)
        position[i] = LLVMBuildPhi(e->builder, e->i64, "");
    for (int i = 0; i < nest->count; i++) {
        Symbol binder = nest->loops[i]->loop.binder;
        LLVMValueRef variable = LLVMBuildAdd(e->builder, nest->minimum[i], position[i], "");
        map_put(&e->variables, binder, variable);
        debug_variable(e, binder, INDEX, variable);
    }
    e->loop_depth++;
    emit_poll(e, innermost_body(nest), number);
    e->statements(e, innermost_body(nest));
    interleave_flush(e);
    e->loop_depth--;
    for (int i = 0; i < nest->count; i++)
        map_put(&e->variables, nest->loops[i]->loop.binder, NULL);
    advance(nest, position, next);
    LLVMValueRef following = LLVMBuildNSWAdd(e->builder, number, emit_index_constant(e, 1), "");
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(e->builder)};
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, following, end, "");
    LLVMBuildCondBr(e->builder, more, body, done);
    LLVMAddIncoming(number, (LLVMValueRef[]){begin, following}, from, 2);
    for (int i = 0; i < nest->count; i++)
        LLVMAddIncoming(position[i], (LLVMValueRef[]){first[i], next[i]}, from, 2);
    emit_resume(e, done);
    emit_release_kept(e);
}

static void emit_iterations_function(ParallelNest *nest, Outline *outline, const char *name) {
    Emitter *e = nest->emitter;
    outline_open(outline, name);
    emit_iterations(nest);
    emit_close_body(e);
    outline_close(outline);
}

/* ---- NAME.y.chunk ---- */

/* The closure holds the arguments of NAME.y but the report, begin and end. */
static LLVMTypeRef closure_type(const Outline *outline) {
    return LLVMStructTypeInContext(outline->emitter->llvm, outline->types.data + 1,
                                   (unsigned)outline->types.length - 3, false);
}

static LLVMValueRef emit_chunk_function(const Outline *outline, const char *name,
                                        const ProfileLoop *profiled) {
    Emitter *e = outline->emitter;
    LLVMTypeRef types[] = {e->pointer, e->pointer, e->i64, e->i64};
    LLVMValueRef function =
        LLVMAddFunction(e->module, name, LLVMFunctionType(e->i32, types, 4, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    FunctionFrame around = e->frame;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    emit_begin_function(e, function);
    emit_mark_cold(e);
    LLVMTypeRef closure = closure_type(outline);
    unsigned count = (unsigned)outline->types.length;
    LLVMValueRef *arguments = arena_array(e->arena, LLVMValueRef, count);
    arguments[0] = e->frame.report;
    for (unsigned i = 1; i < count - 2; i++) {
        LLVMValueRef field =
            LLVMBuildStructGEP2(e->builder, closure, LLVMGetParam(function, 1), i - 1, "");
        arguments[i] = LLVMBuildLoad2(e->builder, outline->types.data[i], field, "");
    }
    arguments[count - 2] = LLVMGetParam(function, 2);
    arguments[count - 1] = LLVMGetParam(function, 3);
    LLVMValueRef before = profile_chunk_begin(e, profiled);
    LLVMValueRef status =
        LLVMBuildCall2(e->builder, outline->type, outline->function, arguments, count, "");
    profile_chunk_end(e, before);
    LLVMBuildRet(e->builder, status);
    e->frame = around;
    LLVMPositionBuilderAtEnd(e->builder, here);
    debug_leave(e, around.where);
    return function;
}

/* ---- in the enclosing function ---- */

static LLVMValueRef emit_closure(const Outline *outline) {
    Emitter *e = outline->emitter;
    LLVMTypeRef type = closure_type(outline);
    LLVMValueRef closure = emit_slot(e, type, "closure");
    for (unsigned i = 1; i < outline->values.length - 2; i++)
        LLVMBuildStore(e->builder, outline->values.data[i],
                       LLVMBuildStructGEP2(e->builder, type, closure, i - 1, ""));
    return closure;
}

static void add_bounds(ParallelNest *nest, Outline *outline) {
    Emitter *e = nest->emitter;
    for (int i = 0; i < nest->count; i++) {
        nest->minimum[i] = emit_expr(e, nest->loops[i]->loop.interval.minimum);
        nest->length[i] = emit_expr(e, nest->loops[i]->loop.interval.length);
    }
    emit_forget(e);
    nest->argument = (unsigned)outline->values.length;
    for (int i = 0; i < nest->count; i++)
        outline_add(outline, nest->minimum[i]);
    for (int i = 0; i < nest->count; i++)
        outline_add(outline, nest->length[i]);
    for (int i = 0; i < 2; i++)
        outline_add(outline, emit_index_constant(e, 0)); /* begin and end, which the chunk knows */
}

bool emit_parallel(Emitter *e, const Stmt *loop) {
    ParallelNest nest = collect(e, loop);
    Outline outline = outline_begin(e, innermost_body(&nest));
    if (outline.has_output)
        return false;
    interleave_flush(e);
    add_bounds(&nest, &outline);
    LLVMValueRef length[MOST_LOOPS];
    memcpy(length, nest.length, sizeof length);
    LLVMValueRef closure = emit_closure(&outline), cost = emit_cost(e, nest.loops, nest.count);
    const char *name =
        arena_format(e->arena, "%s.%s", e->signature->name->text, nest.loops[0]->loop.binder->text);
    ProfileLoop profiled = profile_loop_begin(e);
    emit_iterations_function(&nest, &outline, name);
    profile_loop_end(e, &profiled);
    LLVMValueRef arguments[] = {
        e->frame.report,
        emit_chunk_function(&outline, arena_format(e->arena, "%s.chunk", name), &profiled),
        closure,
        emit_array(e, length, nest.count),
        LLVMConstInt(e->i32, (unsigned long long)nest.count, false),
        cost};
    profile_loop_call(e);
    LLVMValueRef status = emit_runtime_call(e, RUNTIME_hlc_parallel, arguments);
    profile_loop_return(e);
    emit_check(e, LLVMBuildIsNull(e->builder, status, ""));
    return true;
}

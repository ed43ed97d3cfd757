/* outline.c -- moves statements to functions of their own. Each func computed at root gets a
 * function. So does each compute statement in loops beyond MOST_COMPUTES in one function.
 *
 *     compute f on ..: BODY        becomes        status = NAME.f(report, the captures of BODY)
 *
 * LLVM's time grows faster than the length of a function. With outlining, its total time is
 * proportional to the number of funcs. The captures of the body (variables, origins and strides of
 * memory, bounds of rows) become arguments. Distinct memory has distinct `noalias` origins, except
 * memory that is updated atomically, which other threads write meanwhile, and an output and the
 * image whose memory it may share. A compute statement that contains an output's allocation stays
 * in place. parallel.c outlines the bodies of parallel loops by the same
 * functions.
 */
#include "codegen/emit/outline.h"
#include "codegen/emit/channels.h"
#include "codegen/interleave.h"

#include "ir/atomic.h"

/* ---- captures ---- */

static void capture(Outline *outline, Symbol name, bool is_memory, int components) {
    Emitter *e = outline->emitter;
    const void *outside = map_get(is_memory ? &e->memrefs : &e->variables, name);
    if (!outside || map_get(&outline->known[is_memory], name))
        return; /* bound inside, or met before */
    map_put(&outline->known[is_memory], name, name);
    vec_push(e->arena, &outline->captures, (Capture){name, is_memory, outside, components, false});
}

static void capture_memory(Outline *outline, Symbol name) {
    const FuncShape *func = signature_func(outline->emitter->signature, name);
    capture(outline, name, true, func ? func->components : 1);
}

/* Loads at a clamped index ask for the bounds of the row (clamped.c). */
static void capture_row(Outline *outline, Symbol name) {
    for (size_t i = 0; i < outline->captures.length; i++) {
        Capture *captured = &outline->captures.data[i];
        if (captured->is_memory && captured->name == name)
            captured->has_row = ((const Memref *)captured->outside)->row_length != NULL;
    }
}

static bool capture_node(void *data, Expr node) {
    Outline *outline = data;
    if (node->op == OP_VARIABLE)
        capture(outline, node->name, false, 0);
    if (node->op != OP_ACCESS)
        return false;
    capture_memory(outline, node->name);
    if (node->arity && expr_holds(node->arguments[0], HOLDS_CHOICE))
        capture_row(outline, node->name);
    return false;
}

/* A map over the statement's expressions that changes none of them. */
static Expr search_expr(void *data, Expr expr) {
    Outline *outline = data;
    emit_any_new_node(outline->emitter, expr, capture_node, outline);
    return expr;
}

/* A name bound inside is not captured, even if an earlier copy of the body left it in the map. */
static bool search_stmt(void *data, Stmt *stmt) {
    Outline *outline = data;
    Symbol binder = stmt->kind == STMT_FOR   ? stmt->loop.binder
                    : stmt->kind == STMT_LET ? stmt->let.binder
                                             : NULL;
    if (binder)
        map_put(&outline->known[false], binder, binder);
    if (stmt->kind == STMT_STORE)
        capture_memory(outline, stmt->store.func->name);
    if (stmt->kind == STMT_STORE && stmt->store.is_atomic && outline->is_parallel)
        map_put(&outline->shared, stmt->store.func->name, stmt);
    if (stmt->kind == STMT_PREFETCH)
        capture_memory(outline, stmt->prefetch.name);
    outline->has_output |= stmt->kind == STMT_ALLOCATE && stmt->allocate.func->is_output;
    return true;
}

static void search(Outline *outline, const Block *body) {
    StmtVisitor visitor = {.data = outline, .enter = search_stmt};
    outline->emitter->search++;
    block_visit((Block *)body, &visitor); /* nothing is changed in it */
    block_map_exprs((Block *)body, search_expr, outline);
}

/* ---- the arguments ---- */

unsigned outline_add(Outline *outline, LLVMValueRef value) {
    vec_push(outline->emitter->arena, &outline->types, LLVMTypeOf(value));
    vec_push(outline->emitter->arena, &outline->values, value);
    return (unsigned)outline->values.length - 1;
}

/* A constant need not be passed. */
static void add_unless_constant(Outline *outline, LLVMValueRef value) {
    value = facts_apply(outline->emitter, value);
    if (!LLVMIsConstant(value))
        outline_add(outline, value);
}

/* The constant, or the function's next argument. */
static LLVMValueRef take(Emitter *e, LLVMValueRef outside, unsigned *at) {
    outside = facts_apply(e, outside);
    return LLVMIsConstant(outside) ? outside : LLVMGetParam(e->frame.function, (*at)++);
}

static void add_arguments(Outline *outline) {
    Emitter *e = outline->emitter;
    outline_add(outline, e->frame.report);
    for (size_t i = 0; i < outline->captures.length; i++) {
        const Capture *captured = &outline->captures.data[i];
        if (!captured->is_memory) {
            add_unless_constant(outline, (LLVMValueRef)captured->outside);
            continue;
        }
        const Memref *memrefs = captured->outside;
        for (int c = 0; c < captured->components; c++) {
            outline_add(outline, emit_origin(e, &memrefs[c]));
            for (int d = 0; d < memrefs[c].dimensions; d++)
                add_unless_constant(outline, memrefs[c].stride[d]);
            if (memrefs[c].stays)
                add_unless_constant(outline, memrefs[c].stays);
            if (captured->has_row) {
                add_unless_constant(outline, memrefs[c].row_first);
                add_unless_constant(outline, memrefs[c].row_length);
            }
        }
    }
}

/* May it be the memory of both an output and an image? */
static bool is_in_place(const Emitter *e, Symbol name) {
    const Outputs *outputs = &e->signature->outputs;
    for (size_t i = 0; i < outputs->length; i++)
        if (outputs->data[i].image &&
            (outputs->data[i].func == name || outputs->data[i].image == name))
            return true;
    return false;
}

static const Memref *bind_memory(const Outline *outline, const Capture *captured, unsigned *at) {
    Emitter *e = outline->emitter;
    Memref *inside = arena_array(e->arena, Memref, captured->components);
    bool is_shared = map_get(&outline->shared, captured->name) || is_in_place(e, captured->name);
    for (int c = 0; c < captured->components; c++) {
        inside[c] = ((const Memref *)captured->outside)[c];
        if (!is_shared)
            LLVMAddAttributeAtIndex(e->frame.function, *at + 1,
                                    compat_attribute(e->llvm, "noalias", 0));
        inside[c].origin = LLVMGetParam(e->frame.function, (*at)++);
        inside[c].bias = NULL;
        for (int d = 0; d < inside[c].dimensions; d++)
            inside[c].stride[d] = take(e, inside[c].stride[d], at);
        if (inside[c].stays)
            inside[c].stays = take(e, inside[c].stays, at);
        inside[c].row_first = captured->has_row ? take(e, inside[c].row_first, at) : NULL;
        inside[c].row_length = captured->has_row ? take(e, inside[c].row_length, at) : NULL;
    }
    return inside;
}

static void bind_variable(Emitter *e, Symbol name, LLVMValueRef value) {
    map_put(&e->variables, name, value);
    debug_argument(e, name, value);
}

/* Binds the captured names to the new function's arguments. */
static void bind(Outline *outline) {
    Emitter *e = outline->emitter;
    unsigned at = 1;
    for (size_t i = 0; i < outline->captures.length; i++) {
        const Capture *captured = &outline->captures.data[i];
        if (captured->is_memory)
            map_put(&e->memrefs, captured->name, bind_memory(outline, captured, &at));
        else
            bind_variable(e, captured->name, take(e, (LLVMValueRef)captured->outside, &at));
    }
}

static void restore(Outline *outline) {
    Emitter *e = outline->emitter;
    for (size_t i = 0; i < outline->captures.length; i++) {
        const Capture *captured = &outline->captures.data[i];
        map_put(captured->is_memory ? &e->memrefs : &e->variables, captured->name,
                captured->outside);
    }
}

/* ---- the function ---- */

Outline outline_begin(Emitter *e, const Block *body) {
    Outline outline = {.emitter = e,
                       .owner = body->owner,
                       .known = {map_create(e->arena), map_create(e->arena)},
                       .is_parallel = atomic_is_needed(body->owner),
                       .shared = map_create(e->arena)};
    search(&outline, body);
    add_arguments(&outline);
    return outline;
}

void outline_open(Outline *outline, const char *name) {
    Emitter *e = outline->emitter;
    transpose_forget(e, NULL);
    outline->type =
        LLVMFunctionType(e->i32, outline->types.data, (unsigned)outline->types.length, false);
    outline->function = LLVMAddFunction(e->module, name, outline->type);
    LLVMSetLinkage(outline->function, LLVMInternalLinkage);
    map_put(&e->owners, outline->function, outline->owner);
    outline->around = e->frame;
    outline->loop_depth = e->loop_depth;
    outline->here = LLVMGetInsertBlock(e->builder);
    e->loop_depth = 0;
    emit_begin_function(e, outline->function);
    bind(outline);
}

void outline_close(Outline *outline) {
    Emitter *e = outline->emitter;
    restore(outline);
    e->frame = outline->around;
    e->loop_depth = outline->loop_depth;
    LLVMPositionBuilderAtEnd(e->builder, outline->here);
    debug_leave(e, e->frame.where);
}

/* The most compute statements in loops that one function holds. A call costs little beside a loop,
 * but not nothing. */
enum { MOST_COMPUTES = 32 };

/* Emits the call of a new function with the statement's body; false if it must stay in place. */
static bool call_outlined(Emitter *e, const Stmt *compute) {
    Outline outline = outline_begin(e, &compute->compute.body);
    if (outline.has_output)
        return false;
    bool in_loop = e->loop_depth > 0;
    interleave_flush(e);
    outline_open(&outline, arena_format(e->arena, "%s.%s", e->signature->name->text,
                                        compute->compute.func->name->text));
    e->frame.is_hot = in_loop;
    e->statements(e, &compute->compute.body);
    bool can_fail = emit_close_body(e);
    outline_close(&outline);
    LLVMValueRef status = LLVMBuildCall2(e->builder, outline.type, outline.function,
                                         outline.values.data, (unsigned)outline.values.length, "");
    if (can_fail)
        emit_check(e, LLVMBuildIsNull(e->builder, status, ""));
    return true;
}

bool emit_outlined(Emitter *e, const Stmt *compute) {
    bool in_loop = e->loop_depth > 0;
    if (in_loop && (e->lanes.count > 0 || e->frame.computes++ < MOST_COMPUTES))
        return false;
    return in_loop ? call_outlined(e, compute) : emit_by_channels(e, compute, call_outlined);
}

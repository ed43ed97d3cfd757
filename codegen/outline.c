/* outline.c -- each func that is computed at root level gets a function of its own.
 *
 *     compute f on ..: BODY        becomes        status = NAME.f(report, what BODY uses)
 *
 * LLVM takes time that grows faster than a function's length; so the whole takes time proportional
 * to the number of funcs.  What the body uses of the places around it (variables, origins and
 * strides of memory) are arguments; different memory has different `noalias` origins.  A compute
 * statement that has an output's allocation inside stays where it is.
 */
#include "codegen/emit.h"

/* One thing that the body uses and that is bound outside of it. */
typedef struct Capture {
    Symbol name;
    bool is_memory;
    const void *outside; /* LLVMValueRef or Memref[] of the function around */
    int components;      /* memory: of a func, 1 for images */
} Capture;

typedef struct Outline {
    Emitter *emitter;
    Vec(Capture) captures;
    Map known[2]; /* names captured already, of variables and of memory */
    bool has_output;
    Vec(LLVMTypeRef) types;
    Vec(LLVMValueRef) values; /* in the function around */
} Outline;

/* ---- what is used ---- */

static void capture(Outline *outline, Symbol name, bool is_memory, int components) {
    Emitter *e = outline->emitter;
    const void *outside = map_get(is_memory ? &e->memrefs : &e->variables, name);
    if (!outside || map_get(&outline->known[is_memory], name))
        return; /* bound inside, or met before */
    map_put(&outline->known[is_memory], name, name);
    vec_push(e->arena, &outline->captures, (Capture){name, is_memory, outside, components});
}

static void capture_memory(Outline *outline, Symbol name) {
    const FuncShape *func = signature_func(outline->emitter->signature, name);
    capture(outline, name, true, func ? func->components : 1);
}

/* As a map over the statement's expressions, which all stay as they are. */
static Expr search_expr(void *data, Expr expr) {
    Outline *outline = data;
    Emitter *e = outline->emitter;
    e->pending.length = 0;
    vec_push(e->arena, &e->pending, expr);
    while (e->pending.length) {
        Expr node = e->pending.data[--e->pending.length];
        if (e->met[node->number] == e->search)
            continue;
        e->met[node->number] = e->search;
        if (node->op == OP_VARIABLE)
            capture(outline, node->name, false, 0);
        else if (node->op == OP_ACCESS)
            capture_memory(outline, node->name);
        for (int i = node->arity - 1; i >= 0; i--)
            vec_push(e->arena, &e->pending, node->arguments[i]);
    }
    return expr;
}

static bool search_stmt(void *data, Stmt *stmt) {
    Outline *outline = data;
    if (stmt->kind == STMT_STORE)
        capture_memory(outline, stmt->store.func->name);
    outline->has_output |= stmt->kind == STMT_ALLOCATE && stmt->allocate.func->is_output;
    return true;
}

static void search(Outline *outline, const Stmt *compute) {
    Block *body = (Block *)&compute->compute.body; /* nothing is changed in it */
    StmtVisitor visitor = {.data = outline, .enter = search_stmt};
    outline->emitter->search++;
    block_visit(body, &visitor);
    block_map_exprs(body, search_expr, outline);
}

/* ---- the arguments ---- */

static void add_argument(Outline *outline, LLVMTypeRef type, LLVMValueRef value) {
    vec_push(outline->emitter->arena, &outline->types, type);
    vec_push(outline->emitter->arena, &outline->values, value);
}

/* Strides that are constants need not be passed. */
static void add_arguments(Outline *outline) {
    Emitter *e = outline->emitter;
    add_argument(outline, e->pointer, e->frame.report);
    for (size_t i = 0; i < outline->captures.length; i++) {
        const Capture *captured = &outline->captures.data[i];
        if (!captured->is_memory) {
            LLVMValueRef value = (LLVMValueRef)captured->outside;
            add_argument(outline, LLVMTypeOf(value), value);
            continue;
        }
        const Memref *memrefs = captured->outside;
        for (int c = 0; c < captured->components; c++) {
            add_argument(outline, e->pointer, memrefs[c].origin);
            for (int d = 0; d < memrefs[c].dimensions; d++)
                if (!LLVMIsConstant(memrefs[c].stride[d]))
                    add_argument(outline, e->i64, memrefs[c].stride[d]);
        }
    }
}

static const Memref *bind_memory(Emitter *e, const Capture *captured, unsigned *at) {
    Memref *inside = arena_array(e->arena, Memref, captured->components);
    for (int c = 0; c < captured->components; c++) {
        inside[c] = ((const Memref *)captured->outside)[c];
        LLVMAddAttributeAtIndex(e->frame.function, *at + 1,
                                compat_attribute(e->llvm, "noalias", 0));
        inside[c].origin = LLVMGetParam(e->frame.function, (*at)++);
        for (int d = 0; d < inside[c].dimensions; d++)
            if (!LLVMIsConstant(inside[c].stride[d]))
                inside[c].stride[d] = LLVMGetParam(e->frame.function, (*at)++);
    }
    return inside;
}

/* In the new function, names mean its arguments. */
static void bind(Outline *outline) {
    Emitter *e = outline->emitter;
    unsigned at = 1;
    for (size_t i = 0; i < outline->captures.length; i++) {
        const Capture *captured = &outline->captures.data[i];
        if (captured->is_memory)
            map_put(&e->memrefs, captured->name, bind_memory(e, captured, &at));
        else
            map_put(&e->variables, captured->name, LLVMGetParam(e->frame.function, at++));
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

bool emit_outlined(Emitter *e, const Stmt *compute) {
    Outline outline = {.emitter = e, .known = {map_create(e->arena), map_create(e->arena)}};
    search(&outline, compute);
    if (outline.has_output)
        return false;
    add_arguments(&outline);
    const char *name = arena_format(e->arena, "%s.%s", e->signature->name->text,
                                    compute->compute.func->name->text);
    LLVMTypeRef type =
        LLVMFunctionType(e->i32, outline.types.data, (unsigned)outline.types.length, false);
    LLVMValueRef function = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    Frame around = e->frame;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    emit_begin_function(e, function);
    bind(&outline);
    bool can_fail = emit_function_body(e, &compute->compute.body);
    restore(&outline);
    e->frame = around;
    LLVMPositionBuilderAtEnd(e->builder, here);
    LLVMValueRef status = LLVMBuildCall2(e->builder, type, function, outline.values.data,
                                         (unsigned)outline.values.length, "");
    if (can_fail)
        emit_check(e, LLVMBuildIsNull(e->builder, status, ""));
    return true;
}

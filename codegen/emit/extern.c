/* extern.c -- the store of an extern stage: a call of hlc_extern with the boxes.
 *
 *     s[m] .. s[n] <- extern "sort"(f[0] .. f[k], k)
 *
 *     addresses = {&f[0], &slot of k, &s[m]}, boxes = {0, k + 1, stride, m, n - m + 1, stride}
 *     hlc_extern(report, "sort", rules, 3, NAME.extern.sort.TARGET.. , null, addresses, boxes)
 *
 * `NAME.extern.sort..` takes the addresses of the arguments and calls sort with its C type. The
 * object refers to `sort` by its name.
 */
#include "codegen/interleave.h"
#include "ir/extern.h"

#include <string.h>

typedef struct ExternCall {
    Emitter *emitter;
    const Stmt *stmt;
    ExternParts parts;
    const hlc_extern_rule *rules;
    int count;
    Vec(LLVMValueRef) addresses, boxes;
} ExternCall;

/* ---- the function that calls by the C type ---- */

/* Text that is the same for calls of one C type. */
static const char *type_text(const ExternCall *call) {
    Emitter *e = call->emitter;
    const char *text = "";
    for (int i = 0; i < call->count; i++) {
        const hlc_extern_rule *rule = &call->rules[i];
        text = rule->kind == HLC_EXTERN_SCALAR
                   ? arena_format(e->arena, "%s%c%d", text, "iufhb"[rule->type_code],
                                  rule -> type_bits)
                   : arena_format(e->arena, "%sp", text);
    }
    return text;
}

/* C callers extend integers of less than 32 bits. */
static const char *extension(const hlc_extern_rule *rule) {
    bool is_small = rule->kind == HLC_EXTERN_SCALAR && rule->type_bits < 32;
    if (!is_small || rule->type_code == halide_type_float)
        return is_small ? "zeroext" : NULL;
    return rule->type_code == halide_type_int ? "signext" : "zeroext";
}

static void emit_body(const ExternCall *call, LLVMValueRef function) {
    Emitter *e = call->emitter;
    Symbol name = call->stmt->store.values[0]->name;
    LLVMTypeRef *types = arena_array(e->arena, LLVMTypeRef, call->count + 1);
    LLVMValueRef *arguments = arena_array(e->arena, LLVMValueRef, call->count + 1);
    emit_begin_function(e, function);
    emit_mark_cold(e);
    for (int i = 0; i < call->count; i++) {
        bool is_scalar = call->rules[i].kind == HLC_EXTERN_SCALAR;
        types[i] = is_scalar ? emit_memory_type(e, call->parts.data[i].scalar->type) : e->pointer;
        LLVMValueRef address = LLVMBuildLoad2(
            e->builder, e->pointer, emit_at(e, e->pointer, LLVMGetParam(function, 1), i), "");
        arguments[i] = LLVMBuildLoad2(e->builder, types[i], address, "");
    }
    LLVMTypeRef type = LLVMFunctionType(e->i32, types, (unsigned)call->count, false);
    LLVMValueRef callee = LLVMGetNamedFunction(e->module, name->text);
    if (!callee)
        callee = LLVMAddFunction(e->module, name->text, type);
    LLVMValueRef result =
        LLVMBuildCall2(e->builder, type, callee, arguments, (unsigned)call->count, "");
    for (int i = 0; i < call->count; i++)
        if (extension(&call->rules[i]))
            LLVMAddCallSiteAttribute(result, (LLVMAttributeIndex)(i + 1),
                                     compat_attribute(e->llvm, extension(&call->rules[i]), 0));
    LLVMBuildRet(e->builder, result);
}

static LLVMValueRef calling_function(const ExternCall *call) {
    Emitter *e = call->emitter;
    const char *name =
        arena_format(e->arena, "%s.extern.%s.%s.%s", e->signature->name->text,
                     call->stmt->store.values[0]->name->text, e->target->name, type_text(call));
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (function)
        return function;
    LLVMTypeRef types[] = {e->pointer, e->pointer};
    function = LLVMAddFunction(e->module, name, LLVMFunctionType(e->i32, types, 2, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    FunctionFrame around = e->frame;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    emit_body(call, function);
    e->frame = around;
    LLVMPositionBuilderAtEnd(e->builder, here);
    debug_leave(e, around.where);
    return function;
}

/* ---- the arguments ---- */

static LLVMValueRef emit_rules(const ExternCall *call) {
    Emitter *e = call->emitter;
    LLVMTypeRef fields[] = {e->i32, e->i32, e->i8, e->i8};
    LLVMTypeRef type = LLVMStructTypeInContext(e->llvm, fields, 4, false);
    LLVMValueRef *rules = arena_array(e->arena, LLVMValueRef, call->count);
    for (int i = 0; i < call->count; i++) {
        const hlc_extern_rule *rule = &call->rules[i];
        LLVMValueRef values[] = {LLVMConstInt(e->i32, (unsigned)rule->kind, false),
                                 LLVMConstInt(e->i32, (unsigned)rule->dimensions, false),
                                 LLVMConstInt(e->i8, rule->type_code, false),
                                 LLVMConstInt(e->i8, rule->type_bits, false)};
        rules[i] = LLVMConstStructInContext(e->llvm, values, 4, false);
    }
    return emit_global(e, LLVMConstArray2(type, rules, (uint64_t)call->count), "extern.rules");
}

static void add_scalar(ExternCall *call, Expr scalar) {
    Emitter *e = call->emitter;
    const Memref memref = {.type = scalar->type};
    LLVMValueRef slot = emit_slot(e, emit_memory_type(e, scalar->type), "scalar");
    LLVMBuildStore(e->builder, emit_to_memory(e, &memref, emit_expr(e, scalar)), slot);
    vec_push(e->arena, &call->addresses, slot);
}

/* `firsts` and `lasts`: the indices of the first and of the last point of the box. */
static void add_box(ExternCall *call, const Memref *memref, const Expr *firsts, const Expr *lasts) {
    Emitter *e = call->emitter;
    LLVMValueRef first[MAX_DIMENSIONS];
    for (int d = 0; d < memref->dimensions; d++) {
        first[d] = emit_expr(e, firsts[d]);
        LLVMValueRef length = emit_index_sub(e, emit_expr(e, lasts[d]), first[d]);
        vec_push(e->arena, &call->boxes, first[d]);
        vec_push(e->arena, &call->boxes, emit_index_add(e, length, emit_index_constant(e, 1)));
        vec_push(e->arena, &call->boxes, memref->stride[d]);
    }
    vec_push(e->arena, &call->addresses, emit_address(e, memref, first));
}

static void add_output(ExternCall *call) {
    Emitter *e = call->emitter;
    const Stmt *stmt = call->stmt;
    const Memref *memrefs = map_get(&e->memrefs, stmt->store.func->name);
    hlc_assert(memrefs, "a func is allocated where it is written");
    const Expr *lasts = stmt->store.lasts ? stmt->store.lasts : stmt->store.indices;
    for (int c = 0; c < stmt->store.func->components; c++)
        add_box(call, &memrefs[c], stmt->store.indices, lasts);
}

static LLVMValueRef emit_addresses(const ExternCall *call) {
    Emitter *e = call->emitter;
    LLVMValueRef array =
        emit_slot(e, LLVMArrayType2(e->pointer, call->addresses.length), "addresses");
    for (size_t i = 0; i < call->addresses.length; i++)
        LLVMBuildStore(e->builder, call->addresses.data[i],
                       emit_at(e, e->pointer, array, (int64_t)i));
    return array;
}

void emit_extern(Emitter *e, const Stmt *stmt) {
    ExternCall call = {.emitter = e, .stmt = stmt};
    call.parts = extern_parts(e->arena, stmt->store.values[0]);
    call.rules = extern_rules(e->arena, &call.parts, stmt->store.func);
    call.count = (int)call.parts.length + stmt->store.func->components;
    hlc_assert(!e->lanes.count, "no vectorized loop calls a C function");
    interleave_flush(e);
    for (size_t i = 0; i < call.parts.length; i++) {
        const ExternPart *part = &call.parts.data[i];
        if (part->scalar) {
            add_scalar(&call, part->scalar);
            continue;
        }
        const Memref *memrefs = map_get(&e->memrefs, part->first->name);
        hlc_assert(memrefs, "what a C function reads has memory");
        add_box(&call, &memrefs[part->first->component], part->first->arguments,
                part->last->arguments);
    }
    add_output(&call);
    LLVMValueRef arguments[] = {
        e->frame.report,         emit_text(e, stmt->store.values[0]->name->text),
        emit_rules(&call),       LLVMConstInt(e->i32, (unsigned)call.count, false),
        calling_function(&call), LLVMConstNull(e->pointer),
        emit_addresses(&call),   emit_array(e, call.boxes.data, (int)call.boxes.length)};
    LLVMValueRef error = emit_runtime_call(e, RUNTIME_hlc_extern, arguments);
    emit_check(e, LLVMBuildICmp(e->builder, LLVMIntEQ, error, LLVMConstInt(e->i32, 0, false), ""));
    emit_forget(e);
}

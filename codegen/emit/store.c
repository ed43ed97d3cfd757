/* store.c -- f[..] <- values, in scalar code and in the lanes of a vectorized loop.
 *
 * Emits all values and all indices before the first store.
 */
#include "codegen/interleave.h"

/* Stores one component. The indices are already emitted. */
static void emit_component(Emitter *e, const Stmt *stmt, int component, LLVMValueRef value) {
    const FuncShape *func = stmt->store.func;
    const Memref *memrefs = map_get(&e->memrefs, func->name);
    hlc_assert(memrefs, "a func is allocated where it is written");
    if (emit_lane_count(value) > 1 || access_varies(e, stmt->store.indices, func->dimensions)) {
        access_store(e, &memrefs[component], stmt->store.indices, value);
        trace_access(e, HLC_TRACE_STORE, &memrefs[component], stmt->store.indices, value);
        return;
    }
    LLVMValueRef indices[MAX_DIMENSIONS];
    for (int d = 0; d < func->dimensions; d++)
        indices[d] = emit_expr(e, stmt->store.indices[d]);
    const Memref *memref = &memrefs[component];
    interleave_settle(e, memref, NULL, 0, true);
    emit_store(e, memref, emit_address(e, memref, indices), value);
    trace_access(e, HLC_TRACE_STORE, memref, stmt->store.indices, value);
}

/* In the window form a float output holds one NaN, the quiet one without a sign. Which NaN an
 * operation yields depends on the code that LLVM makes for it, and so on how an output is cut into
 * windows. */
static LLVMValueRef one_nan(Emitter *e, const FuncShape *func, int component, LLVMValueRef value) {
    Type type = func->types[component];
    if (!e->signature->windows || !func->is_output || !type_is_float(type))
        return value;
    LLVMValueRef is_nan, nan;
    if (type.bits == 16) {
        bool is_brain = type.kind == TYPE_BFLOAT;
        LLVMValueRef bits = LLVMBuildAnd(e->builder, value, emit_constant_like(value, 0x7fff), "");
        is_nan = LLVMBuildICmp(e->builder, LLVMIntUGT, bits,
                               emit_constant_like(value, is_brain ? 0x7f80 : 0x7c00), "");
        nan = emit_constant_like(value, is_brain ? 0x7fc0 : 0x7e00);
    } else {
        LLVMTypeRef integer = type.bits == 32 ? e->i32 : e->i64;
        int64_t bits = type.bits == 32 ? 0x7fc00000 : 0x7ff8000000000000;
        is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, value, value, "");
        nan = LLVMConstBitCast(LLVMConstInt(integer, (unsigned long long)bits, false),
                               emit_lane_type(value));
        if (emit_lane_count(value) > 1)
            nan = emit_splat(e, nan, emit_lane_count(value));
    }
    return LLVMBuildSelect(e->builder, is_nan, nan, value, "");
}

void emit_stored_values(Emitter *e, const Stmt *stmt, LLVMValueRef *values) {
    for (int c = 0; c < stmt->store.func->components; c++)
        values[c] = one_nan(e, stmt->store.func, c, emit_expr(e, stmt->store.values[c]));
}

void emit_stores(Emitter *e, const Stmt *stmt, const LLVMValueRef *values) {
    for (int d = 0; d < stmt->store.func->dimensions; d++)
        emit_prepare(e, stmt->store.indices[d]);
    for (int c = 0; c < stmt->store.func->components; c++)
        emit_component(e, stmt, c, values[c]);
}

void emit_assignment(Emitter *e, const Stmt *stmt) {
    LLVMValueRef *values = arena_array(e->arena, LLVMValueRef, stmt->store.func->components);
    emit_stored_values(e, stmt, values);
    emit_stores(e, stmt, values);
    emit_forget(e);
}

/* trace_access.c -- calls of hlc_trace_access after the loads and stores of a traced func. Only code
 * made with CodegenOptions.trace has them.
 *
 * An access in the lanes of a vectorized loop is one call: with the coordinates and the value of
 * each lane, and the mask, if some lanes are off. The numbers lie in one stack slot of the
 * function, which all its accesses use in turn. */
#include "codegen/emit.h"

void trace_memory(Emitter *e, const Stmt *allocate, int component, Memref *memref) {
    const FuncShape *func = allocate->allocate.func;
    if (!e->trace || !allocate->allocate.storage->traced)
        return;
    LLVMValueRef fields[] = {emit_text(e, e->signature->name->text),
                             emit_text(e, func->name->text),
                             LLVMConstInt(e->i32, (unsigned long long)component, false),
                             LLVMConstInt(e->i32, (unsigned long long)func->components, false),
                             LLVMConstInt(e->i32, (unsigned long long)func->dimensions, false),
                             LLVMConstInt(e->i8, emit_type_code(memref->type), false),
                             LLVMConstInt(e->i8, memref->type.bits, false)};
    LLVMValueRef place = LLVMConstStructInContext(e->llvm, fields, 7, false);
    hlc_assert(LLVMABISizeOfType(e->machine->data, LLVMTypeOf(place)) == sizeof(hlc_trace_place),
               "the generated place has the layout of hlc_trace_place");
    memref->place = emit_global(e, place, "place");
}

/* The slot: coordinates, values, mask. */
enum {
    VALUES_AT = MAX_LANES * MAX_DIMENSIONS * 8,
    MASK_AT = VALUES_AT + MAX_LANES * 8,
    SLOT_BYTES = MASK_AT + MAX_LANES
};

static LLVMValueRef put_lanes(Emitter *e, LLVMValueRef value, size_t element_bytes, int64_t at) {
    LLVMValueRef address = emit_at(e, e->i8, e->frame.trace_slot, at);
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, address), (unsigned)element_bytes);
    return address;
}

void trace_access(Emitter *e, hlc_trace_kind kind, const Memref *memref, const Expr *indices,
                  LLVMValueRef value) {
    if (!memref->place)
        return;
    bool varies = access_varies(e, indices, memref->dimensions);
    unsigned lanes = varies ? e->lanes.count : emit_lane_count(value);
    if (!e->frame.trace_slot)
        e->frame.trace_slot = emit_slot(e, LLVMArrayType2(e->i64, SLOT_BYTES / 8), "traced");
    for (int d = 0; d < memref->dimensions; d++)
        put_lanes(e, emit_splat(e, emit_known(e, indices[d]), lanes), 8, (int64_t)lanes * d * 8);
    size_t bytes = (size_t)type_bytes(memref->type);
    LLVMValueRef values =
        put_lanes(e, emit_to_memory(e, memref, emit_splat(e, value, lanes)), bytes, VALUES_AT);
    LLVMValueRef mask = LLVMConstNull(e->pointer);
    if (e->lanes.mask && lanes > 1)
        mask =
            put_lanes(e, LLVMBuildZExt(e->builder, e->lanes.mask, LLVMVectorType(e->i8, lanes), ""),
                      1, MASK_AT);
    LLVMValueRef arguments[] = {LLVMConstInt(e->i32, (unsigned long long)kind, false),
                                memref->place,
                                LLVMConstInt(e->i32, lanes, false),
                                e->frame.trace_slot,
                                values,
                                mask};
    emit_runtime_call(e, RUNTIME_hlc_trace_access, arguments);
}

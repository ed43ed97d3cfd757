/* memory.c -- addresses of elements, and plain loads and stores.
 *
 * A load from our own allocation may read an element that was never written. It is frozen: an
 * arbitrary value, the same at each use. So a test before a division or a shift holds for the
 * division, too.
 */
#include "codegen/emit.h"

LLVMValueRef emit_element(Emitter *e, const Memref *memref, LLVMValueRef offset) {
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memref->origin, &offset, 1,
                         "");
}

LLVMValueRef emit_origin(Emitter *e, const Memref *memref) {
    if (!memref->bias)
        return memref->origin;
    return emit_element(e, memref, emit_index_sub(e, emit_index_constant(e, 0), memref->bias));
}

LLVMValueRef emit_offset(Emitter *e, const Memref *memref, const LLVMValueRef *indices) {
    LLVMValueRef offset = emit_index_constant(e, 0);
    for (int d = 0; d < memref->dimensions; d++) {
        LLVMValueRef stride = facts_apply(e, memref->stride[d]);
        offset = emit_index_add(e, offset, emit_index_mul(e, indices[d], stride));
    }
    int64_t distance;
    if (!memref->bias)
        return offset;
    return emit_distance(offset, memref->bias, &distance) ? emit_index_constant(e, distance)
                                                          : emit_index_sub(e, offset, memref->bias);
}

LLVMValueRef emit_address(Emitter *e, const Memref *memref, const LLVMValueRef *indices) {
    return emit_element(e, memref, emit_offset(e, memref, indices));
}

LLVMValueRef emit_plain_load(Emitter *e, const Memref *memref, LLVMTypeRef type,
                             LLVMValueRef address) {
    if (!object_holds(e, address, type)) {
        object_trap(e);
        return LLVMGetPoison(type);
    }
    LLVMValueRef value = LLVMBuildLoad2(e->builder, type, address, "");
    LLVMSetAlignment(value, (unsigned)type_bytes(memref->type));
    return value;
}

void emit_plain_store(Emitter *e, const Memref *memref, LLVMValueRef value, LLVMValueRef address) {
    if (!object_holds(e, address, LLVMTypeOf(value))) {
        object_trap(e);
        return;
    }
    LLVMValueRef store = LLVMBuildStore(e->builder, value, address);
    LLVMSetAlignment(store, (unsigned)type_bytes(memref->type));
}

LLVMValueRef emit_raw_load(Emitter *e, const Memref *memref, LLVMTypeRef type,
                           LLVMValueRef address) {
    LLVMValueRef value = emit_plain_load(e, memref, type, address);
    if (!memref->may_be_uninitialised && LLVMIsALoadInst(value))
        LLVMSetMetadata(value, LLVMGetMDKindIDInContext(e->llvm, "noundef", 7),
                        LLVMMetadataAsValue(e->llvm, LLVMMDNodeInContext2(e->llvm, NULL, 0)));
    return value;
}

LLVMValueRef emit_to_memory(Emitter *e, const Memref *memref, LLVMValueRef value) {
    return type_is_bool(memref->type)
               ? LLVMBuildZExt(e->builder, value, emit_lanes_of(e->i8, value), "")
               : value;
}

LLVMValueRef emit_from_memory(Emitter *e, const Memref *memref, LLVMValueRef value) {
    return type_is_bool(memref->type)
               ? LLVMBuildTrunc(e->builder, value, emit_lanes_of(e->i1, value), "")
               : value;
}

LLVMValueRef emit_load(Emitter *e, const Memref *memref, LLVMValueRef address) {
    LLVMValueRef value = emit_raw_load(e, memref, emit_memory_type(e, memref->type), address);
    if (memref->may_be_uninitialised)
        value = LLVMBuildFreeze(e->builder, value, "");
    return emit_from_memory(e, memref, value);
}

void emit_store(Emitter *e, const Memref *memref, LLVMValueRef address, LLVMValueRef value) {
    emit_plain_store(e, memref, emit_to_memory(e, memref, value), address);
}

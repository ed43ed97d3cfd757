/* memory.c -- addresses of elements, and plain loads and stores.
 *
 * Loads from our own allocations may find what was never written.  They are frozen: some value, the
 * same at each use, so that the tests before a division or a shift mean what they say.
 */
#include "codegen/emit.h"

LLVMValueRef emit_origin(Emitter *e, const Memref *memref) {
    if (!memref->bias)
        return memref->origin;
    LLVMValueRef offset = emit_index_sub(e, emit_index_constant(e, 0), memref->bias);
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memref->origin, &offset, 1,
                         "");
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
    LLVMValueRef offset = emit_offset(e, memref, indices);
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memref->origin, &offset, 1,
                         "");
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

LLVMValueRef emit_load(Emitter *e, const Memref *memref, LLVMValueRef address) {
    LLVMValueRef value = emit_raw_load(e, memref, emit_memory_type(e, memref->type), address);
    if (memref->may_be_uninitialised)
        value = LLVMBuildFreeze(e->builder, value, "");
    if (type_is_bool(memref->type)) /* whatever the byte holds, a bool is its lowest bit */
        value = LLVMBuildTrunc(e->builder, value, e->i1, "");
    return value;
}

void emit_store(Emitter *e, const Memref *memref, LLVMValueRef address, LLVMValueRef value) {
    if (type_is_bool(memref->type))
        value = LLVMBuildZExt(e->builder, value, e->i8, "");
    emit_plain_store(e, memref, value, address);
}

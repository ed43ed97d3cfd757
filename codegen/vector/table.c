/* table.c -- looks up all lanes of a vector in a small table at once.
 *
 *     lut[index(input[x, y])]        lut: u8 [(0, 256)]
 *
 * A table is memory of ours whose dimension 0 is short and has constant bounds. The access reads
 * dimension 0 at indices that vary irregularly; all other indices are uniform. The whole table is
 * loaded into registers, which LLVM hoists out of the loop. A permutation by the indices is the
 * look-up (permute.c). Without an instruction for the element width, nothing is emitted.
 *
 * Reading the whole table is sound because all of it is ours; elements never written are frozen.
 * Indices are taken modulo the table's registers. This changes nothing: they lie inside the
 * allocation.
 */
#include "codegen/interleave.h"
#include "codegen/permute.h"

/* With fewer lanes than LEAST_LANES or twice the registers, single loads are as good. */
enum { LEAST_LANES = 8 };

static bool is_table(const Emitter *e, const Memref *memref, const Expr *indices) {
    Permutation machine = permutation_of(e, type_bytes(memref->type) * 8);
    if (memref->table_length <= 0 || !machine.lanes || machine.bytes > 1 ||
        e->lanes.count < LEAST_LANES ||
        memref->table_length > (int64_t)machine.most * machine.lanes || affine_of(e, indices[0]) ||
        emit_lane_count(e->values[indices[0]->number]) == 1)
        return false;
    for (int d = 1; d < memref->dimensions; d++)
        if (affine_of(e, indices[d]) || emit_lane_count(e->values[indices[d]->number]) > 1)
            return false;
    unsigned registers = permutation_registers(&machine, memref->table_length);
    return 2 * registers <= e->lanes.count &&
           (e->target->is_aarch64 || 2 * registers <= machine.width);
}

LLVMValueRef table_look_up(Emitter *e, const Memref *memref, const Expr *indices) {
    unsigned bits = type_bytes(memref->type) * 8;
    if (!is_table(e, memref, indices))
        return NULL;
    LLVMValueRef row[MAX_DIMENSIONS] = {emit_index_constant(e, memref->table_minimum)};
    for (int d = 1; d < memref->dimensions; d++)
        row[d] = e->values[indices[d]->number];
    interleave_settle(e, memref, NULL, 0, false);
    RegisterTable table =
        registers_load(e, bits, emit_address(e, memref, row), memref->table_length);
    LLVMValueRef index = emit_known(e, indices[0]);
    index = LLVMBuildSub(e->builder, index, emit_constant_like(index, memref->table_minimum), "");
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, memref->type), e->lanes.count);
    return LLVMBuildBitCast(e->builder, registers_look_up(&table, bits, index), type, "");
}

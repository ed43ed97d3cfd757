/* table.c -- looks up all lanes of a vector in a small table at once.
 *
 *     lut[index(input[x, y])]        lut: u8 [(0, 256)]
 *
 * A table is memory of ours whose dimension 0 is short and has constant bounds. The access reads
 * dimension 0 at indices that vary irregularly; all other indices are uniform. The whole table is
 * loaded into registers, which LLVM hoists out of the loop. A permutation by the indices is the
 * look-up. AVX-512 permutes two registers at a time; AVX2 permutes one, and selects between halves
 * for more. ARM permutes up to four; its instructions give 0 beyond, so `or` combines several.
 * Without an instruction for the element width, nothing is emitted.
 *
 * Reading the whole table is sound because all of it is ours; elements never written are frozen.
 * Indices are taken modulo the table's registers. This changes nothing: they lie inside the
 * allocation.
 */
#include "codegen/interleave.h"

/* With fewer lanes than LEAST_LANES or twice the registers, single loads are as good. */
enum { MOST_REGISTERS = 16, LEAST_LANES = 8, REGISTERS_OF_ONE = 4 };

/* The machine's permutation of elements of one width. */
typedef struct Permutation {
    unsigned lanes;        /* of a register; 0: the machine has none */
    unsigned most;         /* registers */
    const char *one, *two; /* intrinsics of (register, indices) and (register, indices, register) */
} Permutation;

static Permutation permutation(const Emitter *e, unsigned bits) {
    const Target *target = e->target;
    if (target->is_aarch64)
        return bits == 8 ? (Permutation){.lanes = 16, .most = MOST_REGISTERS} : (Permutation){0};
    if (target->has_vbmi && bits == 8)
        return (Permutation){64, 16, "llvm.x86.avx512.permvar.qi.512",
                             "llvm.x86.avx512.vpermi2var.qi.512"};
    if (target->has_avx512 && bits == 16)
        return (Permutation){32, 4, "llvm.x86.avx512.permvar.hi.512",
                             "llvm.x86.avx512.vpermi2var.hi.512"};
    if (target->has_avx512 && bits == 32)
        return (Permutation){16, 4, "llvm.x86.avx512.permvar.si.512",
                             "llvm.x86.avx512.vpermi2var.d.512"};
    if (target->has_avx2 && bits == 32)
        return (Permutation){8, 4, "llvm.x86.avx2.permd", NULL};
    return (Permutation){0};
}

typedef struct RegisterTable {
    Emitter *emitter;
    Permutation permutation;
    LLVMTypeRef word, vector; /* an element as an integer; a register of elements */
    LLVMValueRef registers[MOST_REGISTERS];
} RegisterTable;

static LLVMValueRef call(Emitter *e, const char *name, LLVMValueRef *arguments, int count) {
    return emit_call(e, compat_intrinsic(e->module, name, NULL, 0), arguments, count);
}

/* ---- the table ---- */

/* Loads elements [first, first + lanes) of the row at `address`, as far as the row goes. */
static LLVMValueRef load_register(const RegisterTable *table, LLVMValueRef address, unsigned first,
                                  int64_t length) {
    Emitter *e = table->emitter;
    unsigned lanes = table->permutation.lanes, from[MAX_LANES];
    unsigned count = length - first < lanes ? (unsigned)(length - first) : lanes;
    address = emit_at(e, table->word, address, first);
    LLVMValueRef part = LLVMBuildLoad2(e->builder, LLVMVectorType(table->word, count), address, "");
    LLVMSetAlignment(part, LLVMGetIntTypeWidth(table->word) / 8);
    for (unsigned i = 0; i < lanes; i++)
        from[i] = i < count ? i : 0;
    part = count < lanes ? emit_shuffle(e, part, NULL, from, lanes) : part;
    return LLVMBuildFreeze(e->builder, part, "");
}

/* ---- looking up ---- */

static LLVMValueRef look_up_in_two(const RegisterTable *table, unsigned first, unsigned count,
                                   LLVMValueRef indices) {
    Emitter *e = table->emitter;
    if (count == 1)
        return call(e, table->permutation.one, (LLVMValueRef[]){table->registers[first], indices},
                    2);
    return call(e, table->permutation.two,
                (LLVMValueRef[]){table->registers[first], indices, table->registers[first + 1]}, 3);
}

/* Looks up in registers [first, first + count), by the low bits of the indices. `wide` has the
 * indices in a type that holds them all. */
static LLVMValueRef look_up(const RegisterTable *table, unsigned first, unsigned count,
                            LLVMValueRef indices, LLVMValueRef wide) {
    Emitter *e = table->emitter;
    if (count == 1 || (count == 2 && table->permutation.two))
        return look_up_in_two(table, first, count, indices);
    unsigned half = 1;
    while (2 * half < count)
        half *= 2;
    LLVMValueRef bit = emit_constant_like(wide, half * table->permutation.lanes);
    LLVMValueRef is_upper =
        LLVMBuildIsNotNull(e->builder, LLVMBuildAnd(e->builder, wide, bit, ""), "");
    LLVMValueRef upper = look_up(table, first + half, count - half, indices, wide);
    LLVMValueRef lower = look_up(table, first, half, indices, wide);
    return LLVMBuildSelect(e->builder, is_upper, upper, lower, "");
}

/* ARM: looks up in registers [first, first + count) with one instruction. */
static LLVMValueRef look_up_in_some(RegisterTable *table, unsigned first, unsigned count,
                                    LLVMValueRef indices) {
    Emitter *e = table->emitter;
    LLVMValueRef arguments[REGISTERS_OF_ONE + 1];
    memcpy(arguments, table->registers + first, count * sizeof *arguments);
    arguments[count] = LLVMBuildSub(
        e->builder, indices, emit_constant_like(indices, first * table->permutation.lanes), "");
    LLVMValueRef function = compat_intrinsic(
        e->module, arena_format(e->arena, "llvm.aarch64.neon.tbl%u", count), &table->vector, 1);
    return emit_call(e, function, arguments, (int)count + 1);
}

static LLVMValueRef look_up_in_all(RegisterTable *table, unsigned count, LLVMValueRef indices) {
    LLVMValueRef result = NULL;
    for (unsigned first = 0; first < count; first += REGISTERS_OF_ONE) {
        unsigned rest = count - first;
        LLVMValueRef part = look_up_in_some(
            table, first, rest < REGISTERS_OF_ONE ? rest : REGISTERS_OF_ONE, indices);
        result = result ? LLVMBuildOr(table->emitter->builder, result, part, "") : part;
    }
    return result;
}

/* Returns `count` lanes of the indices; the other lanes of the register are arbitrary. (They are
 * not one repeated number: with it LLVM 22 does not terminate when it extends 33 lanes to 64.) */
static LLVMValueRef take_indices(const RegisterTable *table, LLVMValueRef indices, unsigned first,
                                 unsigned count) {
    unsigned lanes = table->permutation.lanes, from[MAX_LANES];
    for (unsigned i = 0; i < lanes; i++)
        from[i] = i < count ? first + i : (unsigned)NO_LANE;
    return emit_shuffle(table->emitter, indices, NULL, from, lanes);
}

/* Looks up `indices` (of the elements' width, and wide), one register at a time. */
static LLVMValueRef look_up_lanes(RegisterTable *table, unsigned count, LLVMValueRef indices,
                                  LLVMValueRef wide) {
    Emitter *e = table->emitter;
    unsigned total = emit_lane_count(indices), lanes = table->permutation.lanes;
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(table->word, total));
    for (unsigned first = 0; first < total; first += lanes) {
        unsigned here = total - first < lanes ? total - first : lanes;
        LLVMValueRef piece = take_indices(table, indices, first, here);
        LLVMValueRef wide_piece = take_indices(table, wide, first, here);
        piece = e->target->is_aarch64 ? look_up_in_all(table, count, piece)
                                      : look_up(table, 0, count, piece, wide_piece);
        result =
            here == total && total == lanes ? piece : emit_put_lanes(e, result, piece, first, here);
    }
    return result;
}

static bool is_table(const Emitter *e, const Memref *memref, const Expr *indices,
                     unsigned *registers) {
    Permutation machine = permutation(e, type_bytes(memref->type) * 8);
    if (memref->table_length <= 0 || !machine.lanes || e->lanes.count < LEAST_LANES ||
        memref->table_length > (int64_t)machine.most * machine.lanes || affine_of(e, indices[0]) ||
        emit_lane_count(e->values[indices[0]->number]) == 1)
        return false;
    for (int d = 1; d < memref->dimensions; d++)
        if (affine_of(e, indices[d]) || emit_lane_count(e->values[indices[d]->number]) > 1)
            return false;
    *registers = (unsigned)((memref->table_length + machine.lanes - 1) / machine.lanes);
    return 2 * *registers <= e->lanes.count;
}

LLVMValueRef table_look_up(Emitter *e, const Memref *memref, const Expr *indices) {
    unsigned count, bits = type_bytes(memref->type) * 8;
    if (!is_table(e, memref, indices, &count))
        return NULL;
    RegisterTable table = {.emitter = e, .permutation = permutation(e, bits)};
    table.word = LLVMIntTypeInContext(e->llvm, bits);
    table.vector = LLVMVectorType(table.word, table.permutation.lanes);
    LLVMValueRef row[MAX_DIMENSIONS] = {emit_index_constant(e, memref->table_minimum)};
    for (int d = 1; d < memref->dimensions; d++)
        row[d] = e->values[indices[d]->number];
    interleave_settle(e, memref, NULL, 0, false);
    LLVMValueRef address = emit_address(e, memref, row);
    for (unsigned i = 0; i < count; i++)
        table.registers[i] =
            load_register(&table, address, i * table.permutation.lanes, memref->table_length);
    LLVMValueRef index = emit_known(e, indices[0]);
    index = LLVMBuildSub(e->builder, index, emit_constant_like(index, memref->table_minimum), "");
    LLVMValueRef narrow = LLVMBuildTrunc(e->builder, index, emit_lanes_of(table.word, index), "");
    LLVMTypeRef sixteen = LLVMIntTypeInContext(e->llvm, bits < 16 ? 16 : bits);
    LLVMValueRef wide = memref->table_length <= 256
                            ? narrow
                            : LLVMBuildTrunc(e->builder, index, emit_lanes_of(sixteen, index), "");
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, memref->type), e->lanes.count);
    return LLVMBuildBitCast(e->builder, look_up_lanes(&table, count, narrow, wide), type, "");
}

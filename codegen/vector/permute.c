/* permute.c -- looks up all lanes of a vector in a few registers of elements.
 *
 *     registers    a b c d | e f g h        indices    5 0 2 2        result    f a c c
 *
 * AVX-512 permutes two registers at a time. AVX2 permutes one register of 32-bit elements. Its
 * permutation of bytes looks in each half of a register by itself, so both halves hold the same 16
 * bytes. x86 selects between the results of several registers by the index's upper bits. ARM
 * permutes up to four registers; its instructions give 0 beyond, so `or` combines several. Elements
 * of a width that the machine does not permute are permuted as bytes: element i is bytes 2*i and
 * 2*i + 1.
 */
#include "codegen/permute.h"

enum { REGISTERS_OF_ONE = 4 /* of an instruction of ARM */ };

Permutation permutation_of(const Emitter *e, unsigned bits) {
    const Target *target = e->target;
    unsigned bytes = bits / 8;
    if (target->is_aarch64)
        return bits <= 32 ? (Permutation){16, 16, MOST_REGISTERS, bytes, NULL, NULL}
                          : (Permutation){0};
    if (target->has_vbmi && bits == 8)
        return (Permutation){
            64, 64, 16, 1, "llvm.x86.avx512.permvar.qi.512", "llvm.x86.avx512.vpermi2var.qi.512"};
    if (target->has_avx512 && bits == 16)
        return (Permutation){
            32, 32, 4, 1, "llvm.x86.avx512.permvar.hi.512", "llvm.x86.avx512.vpermi2var.hi.512"};
    if (target->has_avx512 && bits == 32)
        return (Permutation){
            16, 16, 4, 1, "llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"};
    if (target->has_avx2 && bits == 32)
        return (Permutation){8, 8, 4, 1, "llvm.x86.avx2.permd", NULL};
    if (target->has_avx2 && bits <= 16)
        return (Permutation){16, 32, 16, bytes, "llvm.x86.avx2.pshuf.b", NULL};
    if (target->has_ssse3 && bits <= 32)
        return (Permutation){16, 16, 16, bytes, "llvm.x86.ssse3.pshuf.b.128", NULL};
    return (Permutation){0};
}

unsigned permutation_registers(const Permutation *permutation, int64_t length) {
    int64_t words = length * permutation->bytes;
    return (unsigned)((words + permutation->lanes - 1) / permutation->lanes);
}

static LLVMValueRef call(Emitter *e, const char *name, LLVMValueRef *arguments, int count) {
    return emit_call(e, compat_intrinsic(e->module, name, NULL, 0), arguments, count);
}

/* ---- loading ---- */

/* Loads words [first, first + lanes), as far as there are some. */
static LLVMValueRef load_register(const RegisterTable *table, LLVMValueRef address, unsigned first,
                                  int64_t length, unsigned alignment) {
    Emitter *e = table->emitter;
    unsigned lanes = table->permutation.lanes, from[MAX_LANES];
    unsigned count = length - first < lanes ? (unsigned)(length - first) : lanes;
    address = emit_at(e, table->word, address, first);
    LLVMValueRef part = LLVMBuildLoad2(e->builder, LLVMVectorType(table->word, count), address, "");
    LLVMSetAlignment(part, alignment);
    for (unsigned i = 0; i < table->permutation.width; i++)
        from[i] = i % lanes < count ? i % lanes : 0;
    if (count < lanes || lanes < table->permutation.width)
        part = emit_shuffle(e, part, NULL, from, table->permutation.width);
    return LLVMBuildFreeze(e->builder, part, "");
}

RegisterTable registers_load(Emitter *e, unsigned bits, LLVMValueRef address, int64_t length) {
    RegisterTable table = {.emitter = e, .permutation = permutation_of(e, bits)};
    unsigned lanes = table.permutation.lanes;
    table.word = LLVMIntTypeInContext(e->llvm, bits / table.permutation.bytes);
    table.vector = LLVMVectorType(table.word, table.permutation.width);
    table.count = permutation_registers(&table.permutation, length);
    for (unsigned i = 0; i < table.count; i++)
        table.registers[i] =
            load_register(&table, address, i * lanes, length * table.permutation.bytes, bits / 8);
    return table;
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

static LLVMValueRef look_up_in_all(RegisterTable *table, LLVMValueRef indices) {
    LLVMValueRef result = NULL;
    for (unsigned first = 0; first < table->count; first += REGISTERS_OF_ONE) {
        unsigned rest = table->count - first;
        LLVMValueRef part = look_up_in_some(
            table, first, rest < REGISTERS_OF_ONE ? rest : REGISTERS_OF_ONE, indices);
        result = result ? LLVMBuildOr(table->emitter->builder, result, part, "") : part;
    }
    return result;
}

/* Returns the indices of the bytes of elements. */
static LLVMValueRef indices_of_bytes(const RegisterTable *table, LLVMValueRef indices) {
    Emitter *e = table->emitter;
    uint64_t each = 0, offsets = 0;
    for (unsigned b = 0; b < table->permutation.bytes; b++) {
        each |= (uint64_t)table->permutation.bytes << (8 * b);
        offsets |= (uint64_t)b << (8 * b);
    }
    indices = LLVMBuildMul(e->builder, indices, emit_constant_like(indices, (int64_t)each), "");
    indices = LLVMBuildOr(e->builder, indices, emit_constant_like(indices, (int64_t)offsets), "");
    return LLVMBuildBitCast(e->builder, indices, table->vector, "");
}

/* x86's permutation of bytes gives 0 where the index's highest bit is set. */
static LLVMValueRef in_register(const RegisterTable *table, LLVMValueRef indices) {
    bool clears = table->permutation.lanes == 16 && !table->emitter->target->is_aarch64;
    if (!clears || table->count <= 8)
        return indices;
    return LLVMBuildAnd(table->emitter->builder, indices, emit_constant_like(indices, 15), "");
}

/* Returns `count` lanes of the indices; the other lanes of the register are arbitrary. (They are
 * not one repeated number: with it LLVM 22 does not terminate when it extends 33 lanes to 64.) */
static LLVMValueRef take_indices(const RegisterTable *table, LLVMValueRef indices, unsigned first,
                                 unsigned count) {
    unsigned lanes = table->permutation.width / table->permutation.bytes, from[MAX_LANES];
    for (unsigned i = 0; i < lanes; i++)
        from[i] = i < count ? first + i : (unsigned)NO_LANE;
    return emit_shuffle(table->emitter, indices, NULL, from, lanes);
}

static LLVMValueRef look_up_piece(RegisterTable *table, LLVMValueRef narrow, LLVMValueRef wide) {
    Emitter *e = table->emitter;
    if (table->permutation.bytes > 1)
        wide = narrow = indices_of_bytes(table, narrow);
    return e->target->is_aarch64
               ? look_up_in_all(table, narrow)
               : look_up(table, 0, table->count, in_register(table, narrow), wide);
}

/* Truncates or extends the indices to lanes of so many bits. */
static LLVMValueRef resize(Emitter *e, LLVMValueRef indices, unsigned bits) {
    unsigned from = LLVMGetIntTypeWidth(emit_lane_type(indices));
    LLVMTypeRef type = emit_lanes_of(LLVMIntTypeInContext(e->llvm, bits), indices);
    return from > bits   ? LLVMBuildTrunc(e->builder, indices, type, "")
           : from < bits ? LLVMBuildZExt(e->builder, indices, type, "")
                         : indices;
}

LLVMValueRef registers_look_up(RegisterTable *table, unsigned bits, LLVMValueRef indices) {
    Emitter *e = table->emitter;
    unsigned total = emit_lane_count(indices);
    unsigned lanes = table->permutation.width / table->permutation.bytes;
    LLVMTypeRef element = LLVMIntTypeInContext(e->llvm, bits);
    LLVMValueRef narrow = resize(e, indices, bits), wide = narrow;
    if (bits == 8 && table->count * table->permutation.lanes > 256)
        wide = resize(e, indices, 16);
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(element, total));
    for (unsigned first = 0; first < total; first += lanes) {
        unsigned here = total - first < lanes ? total - first : lanes;
        LLVMValueRef piece = look_up_piece(table, take_indices(table, narrow, first, here),
                                           take_indices(table, wide, first, here));
        piece = LLVMBuildBitCast(e->builder, piece, LLVMVectorType(element, lanes), "");
        result =
            here == total && total == lanes ? piece : emit_put_lanes(e, result, piece, first, here);
    }
    return result;
}

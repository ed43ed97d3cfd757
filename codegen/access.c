/* access.c -- memory in the lanes of a vectorized loop.
 *
 * Where all indices that vary are sweeps (lanes.c), the lanes' addresses are evenly spaced, and the
 * spacing decides:
 *
 *     0         one element for all lanes
 *     1, -1     one dense vector, turned round for -1
 *     2 to 4    (loads, either direction) dense vectors that cover the elements, and a shuffle; the
 *               last one ends at the last element needed, so nothing beyond it is read
 *     other     element by element
 *
 * Otherwise the addresses are a vector, and the access is element by element; but AVX-512 gathers
 * 32-bit elements, which was measured to take two thirds of the time (64-bit ones gain nothing,
 * smaller ones have no such instruction).
 *
 * Under a mask, lanes that do not run touch no memory of the program's: dense accesses are masked
 * ones, others go to a slot on the stack instead of the lane's address, without a branch.
 *
 * A sweep that is not even (a clamped index) counts as even at its greatest difference where the
 * statement has tested that it is: `straight` in Lanes, test_straight in vector.c.
 */
#include "codegen/interleave.h"

typedef struct Spread {
    LLVMValueRef first;   /* where the first lane lies, in elements from the memory's origin */
    LLVMValueRef step;    /* in elements, from lane to lane; null: `offsets` tells */
    LLVMValueRef offsets; /* of each lane from the memory's origin, in elements */
} Spread;

/* ---- where the lanes lie ---- */

static bool is_even(const Emitter *e, const Sweep *sweep) {
    return sweep_is_even(sweep) || (e->lanes.straight && sweep->tested == e->lanes.straight);
}

static bool index_varies(const Emitter *e, Expr index) {
    return sweep_of(e, index) || emit_lane_count(e->values[index->number]) > 1;
}

bool access_varies(const Emitter *e, const Expr *indices, int count) {
    for (int d = 0; d < count; d++)
        if (index_varies(e, indices[d]))
            return true;
    return false;
}

LLVMValueRef access_test_straight(Emitter *e, const Expr *indices, int count, unsigned test) {
    LLVMValueRef result = NULL;
    for (int d = 0; d < count; d++)
        if (!sweep_of(e, indices[d]) && emit_lane_count(e->values[indices[d]->number]) > 1)
            return NULL;
    for (int d = 0; d < count; d++) {
        Sweep *sweep = e->sweeps[indices[d]->number];
        if (!sweep || sweep_is_even(sweep))
            continue;
        LLVMValueRef distance = LLVMBuildSub(e->builder, sweep->last, sweep->first, "");
        LLVMValueRef whole = emit_index_constant(e, sweep_step(sweep) * (e->lanes.count - 1));
        LLVMValueRef is_whole = LLVMBuildICmp(e->builder, LLVMIntEQ, distance, whole, "");
        result = result ? LLVMBuildAnd(e->builder, result, is_whole, "") : is_whole;
        sweep->tested = test;
    }
    return result;
}

static LLVMValueRef multiply(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildMul(e->builder, a, b, "");
}

static Spread locate_evenly(Emitter *e, const Memref *memref, const Expr *indices) {
    LLVMValueRef first[MAX_DIMENSIONS];
    Spread spread = {.step = emit_index_constant(e, 0)};
    for (int d = 0; d < memref->dimensions; d++) {
        const Sweep *sweep = sweep_of(e, indices[d]);
        first[d] = sweep ? sweep->first : e->values[indices[d]->number];
        LLVMValueRef step = emit_index_constant(e, sweep ? sweep_step(sweep) : 0);
        LLVMValueRef stride = facts_apply(e, memref->stride[d]);
        if (sweep)
            spread.step = LLVMBuildAdd(e->builder, spread.step, multiply(e, step, stride), "");
    }
    spread.first = emit_offset(e, memref, first);
    return spread;
}

static Spread locate(Emitter *e, const Memref *memref, const Expr *indices) {
    bool all_even = true;
    for (int d = 0; d < memref->dimensions && all_even; d++) {
        const Sweep *sweep = sweep_of(e, indices[d]);
        all_even = sweep ? is_even(e, sweep) : !index_varies(e, indices[d]);
    }
    if (all_even)
        return locate_evenly(e, memref, indices);
    unsigned count = e->lanes.count;
    LLVMValueRef offsets = emit_splat(e, emit_index_constant(e, 0), count);
    for (int d = 0; d < memref->dimensions; d++) {
        LLVMValueRef index = emit_splat(e, emit_known(e, indices[d]), count);
        LLVMValueRef part = multiply(e, index, emit_splat(e, memref->stride[d], count));
        offsets = LLVMBuildAdd(e->builder, offsets, part, "");
    }
    return (Spread){.offsets = offsets};
}

static LLVMValueRef element(Emitter *e, const Memref *memref, LLVMValueRef offset) {
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memref->origin, &offset, 1,
                         "");
}

/* Of one lane; under a mask that of `slot` where the lane does not run. */
static LLVMValueRef lane_address(Emitter *e, const Memref *memref, const Spread *spread,
                                 unsigned lane, LLVMValueRef slot) {
    LLVMValueRef offset =
        spread->step ? LLVMBuildAdd(e->builder, spread->first,
                                    multiply(e, spread->step, emit_index_constant(e, lane)), "")
                     : emit_lane(e, spread->offsets, lane);
    LLVMValueRef address = element(e, memref, offset);
    if (!e->lanes.mask)
        return address;
    return LLVMBuildSelect(e->builder, emit_lane(e, e->lanes.mask, lane), address, slot, "");
}

static LLVMValueRef lane_slot(Emitter *e, const Memref *memref) {
    return e->lanes.mask ? emit_slot(e, emit_memory_type(e, memref->type), "outside") : NULL;
}

/* ---- vectors ---- */

static LLVMValueRef reverse(Emitter *e, LLVMValueRef vector) {
    unsigned from[MAX_LANES], count = e->lanes.count;
    for (unsigned i = 0; i < count; i++)
        from[i] = count - 1 - i;
    return emit_shuffle(e, vector, NULL, from, count);
}

static unsigned alignment(const Memref *memref) {
    return (unsigned)type_bytes(memref->type);
}

/* As many elements as there are lanes, side by side; `mask` may be null. */
static LLVMValueRef load_dense(Emitter *e, const Memref *memref, LLVMValueRef address,
                               LLVMValueRef mask) {
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, memref->type), e->lanes.count);
    if (mask)
        return compat_masked_load(e->module, e->builder, type, address, alignment(memref), mask);
    LLVMValueRef vector = LLVMBuildLoad2(e->builder, type, address, "");
    LLVMSetAlignment(vector, alignment(memref));
    return vector;
}

static void store_dense(Emitter *e, const Memref *memref, LLVMValueRef value, LLVMValueRef address,
                        LLVMValueRef mask) {
    if (mask)
        compat_masked_store(e->module, e->builder, value, address, alignment(memref), mask);
    else
        LLVMSetAlignment(LLVMBuildStore(e->builder, value, address), alignment(memref));
}

static bool can_gather(const Emitter *e, const Memref *memref, const Spread *spread) {
    bool is_whole = (e->lanes.count & (e->lanes.count - 1)) == 0;
    return e->target->has_gather && spread->offsets && is_whole && memref->type.bits == 32;
}

static LLVMValueRef gather(Emitter *e, const Memref *memref, LLVMValueRef offsets) {
    LLVMTypeRef element_type = emit_memory_type(e, memref->type);
    LLVMValueRef addresses =
        LLVMBuildGEP2(e->builder, element_type, memref->origin, &offsets, 1, "");
    LLVMTypeRef type = LLVMVectorType(element_type, e->lanes.count);
    LLVMValueRef mask = e->lanes.mask;
    if (!mask)
        mask = LLVMConstAllOnes(LLVMVectorType(e->i1, e->lanes.count));
    return compat_masked_gather(e->module, e->builder, type, addresses, alignment(memref), mask);
}

static LLVMValueRef load_each(Emitter *e, const Memref *memref, const Spread *spread) {
    LLVMTypeRef type = emit_memory_type(e, memref->type);
    LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(type, e->lanes.count));
    LLVMValueRef slot = lane_slot(e, memref);
    for (unsigned i = 0; i < e->lanes.count; i++) {
        LLVMValueRef value =
            LLVMBuildLoad2(e->builder, type, lane_address(e, memref, spread, i, slot), "");
        LLVMSetAlignment(value, alignment(memref));
        vector =
            LLVMBuildInsertElement(e->builder, vector, value, LLVMConstInt(e->i32, i, false), "");
    }
    return vector;
}

/* ---- loads and stores ---- */

/* Spacings that have dense code: 1, and those of interleave.c, in both directions. */
typedef struct Dense {
    LLVMValueRef lowest; /* where the lane lies that is first in memory, from the origin */
    unsigned step;       /* 0: there is none */
    bool is_reversed;
} Dense;

/* The constant step, or one that no dense access has. */
static int64_t constant_step(const Spread *spread) {
    return spread->step && LLVMIsAConstantInt(spread->step) ? LLVMConstIntGetSExtValue(spread->step)
                                                            : INT64_MAX;
}

static Dense densely(Emitter *e, const Memref *memref, const Spread *spread, bool is_store) {
    int64_t step = constant_step(spread);
    if (step == 0 || step < -WIDEST_STRIDE || step > WIDEST_STRIDE)
        return (Dense){0};
    Dense dense = {.step = (unsigned)(step < 0 ? -step : step), .is_reversed = step < 0};
    LLVMValueRef offset = emit_index_constant(e, step < 0 ? step * (e->lanes.count - 1) : 0);
    dense.lowest = LLVMBuildAdd(e->builder, spread->first, offset, "");
    if (dense.step > 1 && !is_store && e->lanes.mask && !interleave_has_masks(e, memref->type))
        return (Dense){0};
    return dense;
}

static Strided strided(const Emitter *e, const Memref *memref, const Dense *dense) {
    return (Strided){.memref = memref,
                     .lowest = dense->lowest,
                     .step = dense->step,
                     .count = e->lanes.count,
                     .mask = e->lanes.mask,
                     .is_reversed = dense->is_reversed};
}

static LLVMValueRef dense_mask(Emitter *e, const Dense *dense) {
    return e->lanes.mask && dense->is_reversed ? reverse(e, e->lanes.mask) : e->lanes.mask;
}

static LLVMValueRef load(Emitter *e, const Memref *memref, const Spread *spread) {
    Dense dense = densely(e, memref, spread, false);
    LLVMValueRef vector;
    interleave_settle(e, memref, dense.lowest, dense.step, false);
    if (!dense.step)
        return can_gather(e, memref, spread) ? gather(e, memref, spread->offsets)
                                             : load_each(e, memref, spread);
    if (dense.step == 1) {
        vector = load_dense(e, memref, element(e, memref, dense.lowest), dense_mask(e, &dense));
    } else {
        Strided access = strided(e, memref, &dense);
        vector = interleave_load(e, &access);
    }
    return dense.is_reversed ? reverse(e, vector) : vector;
}

LLVMValueRef access_load(Emitter *e, const Memref *memref, const Expr *indices) {
    Spread spread = locate(e, memref, indices);
    if (constant_step(&spread) == 0) {
        interleave_settle(e, memref, NULL, 0, false);
        return emit_splat(e, emit_load(e, memref, element(e, memref, spread.first)),
                          e->lanes.count);
    }
    LLVMValueRef vector = load(e, memref, &spread);
    if (memref->may_be_uninitialised || e->lanes.mask) /* the slot is not initialised either */
        vector = LLVMBuildFreeze(e->builder, vector, "");
    if (type_is_bool(memref->type))
        vector = LLVMBuildTrunc(e->builder, vector, LLVMVectorType(e->i1, e->lanes.count), "");
    return vector;
}

static void store_each(Emitter *e, const Memref *memref, const Spread *spread, LLVMValueRef value) {
    LLVMValueRef slot = lane_slot(e, memref);
    for (unsigned i = 0; i < e->lanes.count; i++) {
        LLVMValueRef store = LLVMBuildStore(e->builder, emit_lane(e, value, i),
                                            lane_address(e, memref, spread, i, slot));
        LLVMSetAlignment(store, alignment(memref));
    }
}

void access_store(Emitter *e, const Memref *memref, const Expr *indices, LLVMValueRef value) {
    Spread spread = locate(e, memref, indices);
    Dense dense = densely(e, memref, &spread, true);
    value = emit_splat(e, value, e->lanes.count);
    if (type_is_bool(memref->type))
        value = LLVMBuildZExt(e->builder, value, LLVMVectorType(e->i8, e->lanes.count), "");
    if (dense.is_reversed)
        value = reverse(e, value);
    if (dense.step > 1) {
        Strided access = strided(e, memref, &dense);
        interleave_store(e, &access, value);
        return;
    }
    interleave_settle(e, memref, NULL, 0, true);
    if (dense.step == 1)
        store_dense(e, memref, value, element(e, memref, dense.lowest), dense_mask(e, &dense));
    else
        store_each(e, memref, &spread, value);
}

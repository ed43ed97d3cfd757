/* access.c -- memory in the lanes of a vectorized loop.
 *
 * If all varying indices are even (affine_lanes.c), the lanes' addresses are evenly spaced, and the
 * spacing decides:
 *
 *     0         one element for all lanes
 *     1, -1     one dense vector, turned round for -1
 *     2 to 4    (loads, either direction) dense vectors that cover the elements, and a shuffle; the
 *               last one ends at the last element needed, so nothing beyond it is read
 *     other     element by element
 *
 * If they are regularly spaced with a period p (x/2, x%2), lanes 0, p, 2*p .. are evenly spaced,
 * and so are lanes 1, p + 1 .. Each of these sequences is loaded as above, and a shuffle
 * interleaves them.
 *
 * Lanes at a clamped index are loaded together, too (clamped.c).
 *
 * Otherwise the addresses are a vector. Small tables of ours are looked up in registers (table.c).
 * Other accesses are element by element, except that AVX-512 gathers 32-bit elements: measured,
 * this takes two thirds of the time. 64-bit gathers gain nothing, and smaller elements have no
 * gather.
 *
 * Under a mask, masked-off lanes access no memory of the program. Dense accesses are masked
 * instructions. Other accesses use, without a branch, a stack slot instead of the lane's address.
 *
 * An uneven (clamped) index counts as even with its greatest difference if the statement has tested
 * this: `straight` in Lanes, test_straight in vector.c.
 */
#include "codegen/interleave.h"

typedef struct Spread {
    LLVMValueRef first;   /* the first lane's offset from the memory's origin, in elements */
    LLVMValueRef step;    /* in elements, from lane to lane; null: see `offsets` */
    LLVMValueRef offsets; /* each lane's offset from the memory's origin, in elements */
    unsigned count;       /* lanes */
    LLVMValueRef mask;    /* those that run; null: all do */
} Spread;

/* ---- the places of the lanes ---- */

/* Has the test passed that makes the index regular? */
static bool is_straight(const Emitter *e, const AffineLanes *affine) {
    return e->lanes.straight && affine->tested == e->lanes.straight;
}

/* Is the index regular? Then gives its differences. */
static bool movement(const Emitter *e, const AffineLanes *affine, const AffineLanes **regular) {
    *regular = affine->period ? affine : is_straight(e, affine) ? affine->inner : NULL;
    return *regular;
}

static bool is_even(const Emitter *e, const AffineLanes *affine) {
    const AffineLanes *regular;
    return movement(e, affine, &regular) ? regular->period == 1 : is_straight(e, affine);
}

static bool index_varies(const Emitter *e, Expr index) {
    return affine_of(e, index) || emit_lane_count(e->values[index->number]) > 1;
}

bool access_varies(const Emitter *e, const Expr *indices, int count) {
    for (int d = 0; d < count; d++)
        if (index_varies(e, indices[d]))
            return true;
    return false;
}

/* Emits the test that no lane is clamped: the ends equal those of the inner index, or are as far
 * apart as possible. */
static LLVMValueRef test_affine(Emitter *e, const AffineLanes *affine) {
    LLVMValueRef distance = emit_index_sub(e, affine->last, affine->first);
    LLVMValueRef whole = emit_index_constant(e, affine_step(affine) * (e->lanes.count - 1));
    if (!affine->inner)
        return LLVMBuildICmp(e->builder, LLVMIntEQ, distance, whole, "");
    return LLVMBuildAnd(
        e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, affine->first, affine->inner->first, ""),
        LLVMBuildICmp(e->builder, LLVMIntEQ, affine->last, affine->inner->last, ""), "");
}

LLVMValueRef access_test_straight(Emitter *e, const Expr *indices, int count, unsigned test) {
    LLVMValueRef result = NULL;
    for (int d = 0; d < count; d++)
        if (!affine_of(e, indices[d]) && emit_lane_count(e->values[indices[d]->number]) > 1)
            return NULL;
    for (int d = 0; d < count; d++) {
        AffineLanes *affine = e->affine[indices[d]->number];
        if (!affine || affine->period)
            continue;
        LLVMValueRef passes = test_affine(e, affine);
        result = result ? LLVMBuildAnd(e->builder, result, passes, "") : passes;
        affine->tested = test;
    }
    return result;
}

static Spread locate_evenly(Emitter *e, const Memref *memref, const Expr *indices) {
    LLVMValueRef first[MAX_DIMENSIONS];
    Spread spread = {
        .step = emit_index_constant(e, 0), .count = e->lanes.count, .mask = e->lanes.mask};
    for (int d = 0; d < memref->dimensions; d++) {
        const AffineLanes *affine = affine_of(e, indices[d]);
        first[d] = affine ? affine->first : e->values[indices[d]->number];
        LLVMValueRef step = emit_index_constant(e, affine ? affine_step(affine) : 0);
        LLVMValueRef stride = facts_apply(e, memref->stride[d]);
        if (affine)
            spread.step = emit_index_add(e, spread.step, emit_index_mul(e, step, stride));
    }
    spread.first = emit_offset(e, memref, first);
    return spread;
}

/* Returns the stride in all lanes. Beside an index of 32 bits, LLVM sees the product of two numbers
 * of 32 bits, which x86 has. */
static LLVMValueRef spread_stride(Emitter *e, const Memref *memref, int d, LLVMValueRef index) {
    LLVMValueRef stride = memref->stride[d];
    if (memref->is_input && LLVMIsASExtInst(index) && !LLVMIsAConstantInt(stride))
        stride =
            LLVMBuildSExt(e->builder, LLVMBuildTrunc(e->builder, stride, e->i32, ""), e->i64, "");
    return emit_splat(e, stride, e->lanes.count);
}

static Spread locate(Emitter *e, const Memref *memref, const Expr *indices) {
    bool all_even = true;
    for (int d = 0; d < memref->dimensions && all_even; d++) {
        const AffineLanes *affine = affine_of(e, indices[d]);
        all_even = affine ? is_even(e, affine) : !index_varies(e, indices[d]);
    }
    if (all_even)
        return locate_evenly(e, memref, indices);
    unsigned count = e->lanes.count;
    LLVMValueRef zero = emit_index_constant(e, 0);
    LLVMValueRef before = memref->bias ? emit_index_sub(e, zero, memref->bias) : zero;
    LLVMValueRef offsets = emit_splat(e, before, count);
    for (int d = 0; d < memref->dimensions; d++) {
        LLVMValueRef index = emit_splat(e, emit_known(e, indices[d]), count);
        LLVMValueRef part = emit_index_mul(e, index, spread_stride(e, memref, d, index));
        offsets = emit_index_add(e, offsets, part);
    }
    return (Spread){.offsets = offsets, .count = count, .mask = e->lanes.mask};
}

/* Returns the common period of the indices if it exceeds 1 and all are regular; else 0. */
static unsigned common_period(const Emitter *e, const Memref *memref, const Expr *indices) {
    unsigned period = 1;
    const AffineLanes *regular;
    for (int d = 0; d < memref->dimensions; d++) {
        const AffineLanes *affine = affine_of(e, indices[d]);
        if (!affine && index_varies(e, indices[d]))
            return 0;
        if (affine && !movement(e, affine, &regular))
            return 0;
        if (affine && period % regular->period)
            period = regular->period % period ? period * regular->period : regular->period;
    }
    return period > 1 && period <= MAX_PERIOD && 2 * period <= e->lanes.count ? period : 0;
}

/* Lanes `phase`, `phase` + period and so on. */
static Spread locate_phase(Emitter *e, const Memref *memref, const Expr *indices, unsigned period,
                           unsigned phase) {
    unsigned from[MAX_LANES], count = (e->lanes.count - phase + period - 1) / period;
    LLVMValueRef first[MAX_DIMENSIONS];
    Spread spread = {.step = emit_index_constant(e, 0), .count = count};
    for (int d = 0; d < memref->dimensions; d++) {
        const AffineLanes *affine = affine_of(e, indices[d]), *regular = NULL;
        first[d] = affine ? NULL : e->values[indices[d]->number];
        if (!affine || !movement(e, affine, &regular))
            continue;
        first[d] = affine_lane(e, regular, phase);
        LLVMValueRef step = emit_index_constant(e, regular->cycle * (period / regular->period));
        LLVMValueRef stride = facts_apply(e, memref->stride[d]);
        spread.step = emit_index_add(e, spread.step, emit_index_mul(e, step, stride));
    }
    spread.first = emit_offset(e, memref, first);
    for (unsigned i = 0; i < count; i++)
        from[i] = phase + i * period;
    if (e->lanes.mask)
        spread.mask = emit_shuffle(e, e->lanes.mask, NULL, from, count);
    return spread;
}

/* Returns the address of one lane; that of `slot` if the mask turns the lane off. */
static LLVMValueRef lane_address(Emitter *e, const Memref *memref, const Spread *spread,
                                 unsigned lane, LLVMValueRef slot) {
    LLVMValueRef offset =
        spread->step ? emit_index_add(e, spread->first,
                                      emit_index_mul(e, spread->step, emit_index_constant(e, lane)))
                     : emit_lane(e, spread->offsets, lane);
    LLVMValueRef address = emit_element(e, memref, offset);
    if (!spread->mask)
        return address;
    return LLVMBuildSelect(e->builder, emit_lane(e, spread->mask, lane), address, slot, "");
}

static LLVMValueRef lane_slot(Emitter *e, const Memref *memref, const Spread *spread) {
    return spread->mask ? emit_slot(e, emit_memory_type(e, memref->type), "outside") : NULL;
}

/* ---- vectors ---- */

static LLVMValueRef reverse(Emitter *e, LLVMValueRef vector) {
    unsigned from[MAX_LANES], count = emit_lane_count(vector);
    for (unsigned i = 0; i < count; i++)
        from[i] = count - 1 - i;
    return emit_shuffle(e, vector, NULL, from, count);
}

static unsigned alignment(const Memref *memref) {
    return (unsigned)type_bytes(memref->type);
}

/* Loads adjacent elements; `mask` may be null. */
static LLVMValueRef load_dense(Emitter *e, const Memref *memref, LLVMValueRef address,
                               unsigned count, LLVMValueRef mask) {
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, memref->type), count);
    if (mask)
        return masked_load(e, type, address, alignment(memref), mask);
    return emit_raw_load(e, memref, type, address);
}

static void store_dense(Emitter *e, const Memref *memref, LLVMValueRef value, LLVMValueRef lowest,
                        LLVMValueRef mask) {
    interleave_settle_groups(e, memref, NULL, 0, true);
    if (!mask && stream_store(e, memref, value, lowest))
        return;
    stream_settle(e, memref->origin);
    LLVMValueRef address = emit_element(e, memref, lowest);
    if (mask)
        masked_store(e, value, address, alignment(memref), mask);
    else
        emit_plain_store(e, memref, value, address);
}

static bool can_gather(const Emitter *e, const Memref *memref, const Spread *spread) {
    bool is_whole = (spread->count & (spread->count - 1)) == 0;
    return e->target->has_gather && spread->offsets && is_whole && memref->type.bits == 32;
}

static LLVMValueRef gather(Emitter *e, const Memref *memref, const Spread *spread) {
    LLVMValueRef addresses = emit_element(e, memref, spread->offsets);
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, memref->type), spread->count);
    LLVMValueRef mask = spread->mask;
    if (!mask)
        mask = LLVMConstAllOnes(LLVMVectorType(e->i1, spread->count));
    return compat_masked_gather(e->module, e->builder, type, addresses, alignment(memref), mask);
}

static LLVMValueRef load_each(Emitter *e, const Memref *memref, const Spread *spread) {
    LLVMTypeRef type = emit_memory_type(e, memref->type);
    LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(type, spread->count));
    LLVMValueRef slot = lane_slot(e, memref, spread);
    for (unsigned i = 0; i < spread->count; i++) {
        LLVMValueRef value =
            emit_plain_load(e, memref, type, lane_address(e, memref, spread, i, slot));
        vector =
            LLVMBuildInsertElement(e->builder, vector, value, LLVMConstInt(e->i32, i, false), "");
    }
    return vector;
}

/* ---- loads and stores ---- */

/* Spacings that have dense code: 1, and those of interleave.c, in both directions. */
typedef struct Dense {
    LLVMValueRef lowest; /* offset of the lane that is first in memory, from the origin */
    unsigned step;       /* 0: there is none */
    bool is_reversed;
} Dense;

/* Returns the constant step, or else a step without a dense access. */
static int64_t constant_step(const Spread *spread) {
    return spread->step && LLVMIsAConstantInt(spread->step) ? LLVMConstIntGetSExtValue(spread->step)
                                                            : INT64_MAX;
}

static Dense densely(Emitter *e, const Memref *memref, const Spread *spread, bool is_store) {
    int64_t step = constant_step(spread);
    if (step == 0 || step < -WIDEST_STRIDE || step > WIDEST_STRIDE)
        return (Dense){0};
    Dense dense = {.step = (unsigned)(step < 0 ? -step : step), .is_reversed = step < 0};
    LLVMValueRef offset = emit_index_constant(e, step < 0 ? step * (spread->count - 1) : 0);
    dense.lowest = emit_index_add(e, spread->first, offset);
    if (dense.step > 1 && !is_store && spread->mask && !interleave_has_masks(e, memref->type))
        return (Dense){0};
    return dense;
}

static Strided strided(const Memref *memref, const Spread *spread, const Dense *dense) {
    return (Strided){.memref = memref,
                     .lowest = dense->lowest,
                     .step = dense->step,
                     .count = spread->count,
                     .mask = spread->mask,
                     .is_reversed = dense->is_reversed};
}

static LLVMValueRef dense_mask(Emitter *e, const Spread *spread, const Dense *dense) {
    return spread->mask && dense->is_reversed ? reverse(e, spread->mask) : spread->mask;
}

/* The elements as they are in memory. */
static LLVMValueRef load(Emitter *e, const Memref *memref, const Spread *spread) {
    if (constant_step(spread) == 0 && !spread->mask) {
        interleave_settle(e, memref, NULL, 0, false);
        profile_access(e, HLC_ACCESS_BROADCAST);
        LLVMValueRef address = emit_element(e, memref, spread->first);
        LLVMValueRef value = emit_raw_load(e, memref, emit_memory_type(e, memref->type), address);
        return emit_splat(e, value, spread->count);
    }
    Dense dense = densely(e, memref, spread, false);
    LLVMValueRef vector;
    interleave_settle(e, memref, dense.lowest, dense.step, false);
    vector = dense.step || !spread->step || spread->mask
                 ? NULL
                 : transpose_load(e, memref, spread->first, spread->step, spread->count);
    profile_access(e, vector || dense.step > 1 ? HLC_ACCESS_STRIDED
                      : dense.step             ? HLC_ACCESS_DENSE
                                               : HLC_ACCESS_GATHERED);
    if (vector)
        return vector;
    if (!dense.step)
        return can_gather(e, memref, spread) ? gather(e, memref, spread)
                                             : load_each(e, memref, spread);
    if (dense.step == 1) {
        vector = load_dense(e, memref, emit_element(e, memref, dense.lowest), spread->count,
                            dense_mask(e, spread, &dense));
    } else {
        Strided access = strided(memref, spread, &dense);
        vector = interleave_load(e, &access);
    }
    return dense.is_reversed ? reverse(e, vector) : vector;
}

/* Lane i of each phase's vector is lane i * period + phase. */
static LLVMValueRef load_phases(Emitter *e, const Memref *memref, const Expr *indices,
                                unsigned period) {
    unsigned from[MAX_LANES], count = e->lanes.count;
    LLVMValueRef result = NULL;
    for (unsigned phase = 0; phase < period; phase++) {
        Spread spread = locate_phase(e, memref, indices, period, phase);
        LLVMValueRef vector = load(e, memref, &spread);
        for (unsigned i = 0; i < count; i++)
            from[i] = i % period == phase ? i / period : (unsigned)NO_LANE;
        vector = emit_shuffle(e, vector, NULL, from, count);
        for (unsigned i = 0; i < count; i++)
            from[i] = i % period == phase ? count + i : i;
        result = result ? emit_shuffle(e, result, vector, from, count) : vector;
    }
    return result;
}

LLVMValueRef access_load(Emitter *e, const Memref *memref, const Expr *indices) {
    unsigned period = common_period(e, memref, indices);
    LLVMValueRef vector = NULL;
    if (period) {
        vector = load_phases(e, memref, indices, period);
    } else if (!(vector = clamped_load(e, memref, indices)) &&
               !(vector = table_look_up(e, memref, indices))) {
        Spread spread = locate(e, memref, indices);
        if (constant_step(&spread) == 0) {
            interleave_settle(e, memref, NULL, 0, false);
            profile_access(e, HLC_ACCESS_BROADCAST);
            return emit_splat(e, emit_load(e, memref, emit_element(e, memref, spread.first)),
                              e->lanes.count);
        }
        vector = load(e, memref, &spread);
    }
    if (memref->may_be_uninitialised || e->lanes.mask) /* the slot is not initialised either */
        vector = LLVMBuildFreeze(e->builder, vector, "");
    return emit_from_memory(e, memref, vector);
}

static void store_each(Emitter *e, const Memref *memref, const Spread *spread, LLVMValueRef value) {
    LLVMValueRef slot = lane_slot(e, memref, spread);
    for (unsigned i = 0; i < e->lanes.count; i++)
        emit_plain_store(e, memref, emit_lane(e, value, i),
                         lane_address(e, memref, spread, i, slot));
}

void access_store(Emitter *e, const Memref *memref, const Expr *indices, LLVMValueRef value) {
    Spread spread = locate(e, memref, indices);
    Dense dense = densely(e, memref, &spread, true);
    profile_access(e, dense.step == 1  ? HLC_ACCESS_DENSE
                      : dense.step > 1 ? HLC_ACCESS_STRIDED
                                       : HLC_ACCESS_GATHERED);
    value = emit_to_memory(e, memref, emit_splat(e, value, e->lanes.count));
    if (dense.is_reversed)
        value = reverse(e, value);
    if (dense.step > 1) {
        Strided access = strided(memref, &spread, &dense);
        interleave_store(e, &access, value);
        return;
    }
    if (dense.step == 1) {
        store_dense(e, memref, value, dense.lowest, dense_mask(e, &spread, &dense));
        return;
    }
    interleave_settle(e, memref, NULL, 0, true);
    store_each(e, memref, &spread, value);
}

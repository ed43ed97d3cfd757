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
#include "codegen/emit.h"

enum { WIDEST_STRIDE = 4 };

typedef struct Spread {
    LLVMValueRef address; /* of the first lane */
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
        if (sweep)
            spread.step =
                LLVMBuildAdd(e->builder, spread.step, multiply(e, step, memref->stride[d]), "");
    }
    spread.address = emit_address(e, memref, first);
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

static LLVMValueRef element(Emitter *e, const Memref *memref, LLVMValueRef base,
                            LLVMValueRef offset) {
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), base, &offset, 1, "");
}

/* Of one lane; under a mask that of `slot` where the lane does not run. */
static LLVMValueRef lane_address(Emitter *e, const Memref *memref, const Spread *spread,
                                 unsigned lane, LLVMValueRef slot) {
    LLVMValueRef address =
        spread->step ? element(e, memref, spread->address,
                               multiply(e, spread->step, emit_index_constant(e, lane)))
                     : element(e, memref, memref->origin, emit_lane(e, spread->offsets, lane));
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

/* Element i*step of those at `address`, for each lane i; 2 <= step <= WIDEST_STRIDE. */
static LLVMValueRef load_strided(Emitter *e, const Memref *memref, LLVMValueRef address,
                                 unsigned step) {
    unsigned count = e->lanes.count, from[WIDEST_STRIDE * MAX_LANES];
    LLVMValueRef pieces[WIDEST_STRIDE] = {0}, pairs[2] = {0};
    unsigned begin[WIDEST_STRIDE], last = (count - 1) * (step - 1); /* ends at the last element */
    for (unsigned k = 0; k < step; k++) {
        begin[k] = k * count < last ? k * count : last;
        LLVMValueRef offset = emit_index_constant(e, begin[k]);
        pieces[k] = load_dense(e, memref, element(e, memref, address, offset), NULL);
    }
    for (unsigned i = 0; i < 2 * count; i++)
        from[i] = i;
    for (unsigned k = 0; step > 2 && k < step; k += 2)
        pairs[k / 2] = emit_shuffle(e, pieces[k], pieces[k + 1], from, 2 * count);
    for (unsigned i = 0; i < count; i++) {
        unsigned piece = i * step / count;
        from[i] = piece * count + i * step - begin[piece];
    }
    return step == 2 ? emit_shuffle(e, pieces[0], pieces[1], from, count)
                     : emit_shuffle(e, pairs[0], pairs[1], from, count);
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

/* The constant step, or one that no dense access has. */
static int64_t constant_step(const Spread *spread) {
    return spread->step && LLVMIsAConstantInt(spread->step) ? LLVMConstIntGetSExtValue(spread->step)
                                                            : INT64_MAX;
}

/* Of the lane that lies lowest. */
static LLVMValueRef lowest(Emitter *e, const Memref *memref, const Spread *spread, int64_t step) {
    int64_t offset = step < 0 ? step * (e->lanes.count - 1) : 0;
    return element(e, memref, spread->address, emit_index_constant(e, offset));
}

static LLVMValueRef load(Emitter *e, const Memref *memref, const Spread *spread) {
    int64_t step = constant_step(spread);
    bool is_strided = step >= -WIDEST_STRIDE && step <= WIDEST_STRIDE && step != 0;
    LLVMValueRef mask = e->lanes.mask, vector;
    if (!is_strided || (mask && step != 1 && step != -1))
        return can_gather(e, memref, spread) ? gather(e, memref, spread->offsets)
                                             : load_each(e, memref, spread);
    LLVMValueRef address = lowest(e, memref, spread, step);
    if (step == 1 || step == -1)
        vector = load_dense(e, memref, address, mask && step < 0 ? reverse(e, mask) : mask);
    else
        vector = load_strided(e, memref, address, (unsigned)(step < 0 ? -step : step));
    return step < 0 ? reverse(e, vector) : vector;
}

LLVMValueRef access_load(Emitter *e, const Memref *memref, const Expr *indices) {
    Spread spread = locate(e, memref, indices);
    if (constant_step(&spread) == 0)
        return emit_splat(e, emit_load(e, memref, spread.address), e->lanes.count);
    LLVMValueRef vector = load(e, memref, &spread);
    if (memref->may_be_uninitialised || e->lanes.mask) /* the slot is not initialised either */
        vector = LLVMBuildFreeze(e->builder, vector, "");
    if (type_is_bool(memref->type))
        vector = LLVMBuildTrunc(e->builder, vector, LLVMVectorType(e->i1, e->lanes.count), "");
    return vector;
}

void access_store(Emitter *e, const Memref *memref, const Expr *indices, LLVMValueRef value) {
    Spread spread = locate(e, memref, indices);
    LLVMValueRef mask = e->lanes.mask;
    value = emit_splat(e, value, e->lanes.count);
    if (type_is_bool(memref->type))
        value = LLVMBuildZExt(e->builder, value, LLVMVectorType(e->i8, e->lanes.count), "");
    int64_t step = constant_step(&spread);
    if (step != 1 && step != -1) {
        LLVMValueRef slot = lane_slot(e, memref);
        for (unsigned i = 0; i < e->lanes.count; i++) {
            LLVMValueRef store = LLVMBuildStore(e->builder, emit_lane(e, value, i),
                                                lane_address(e, memref, &spread, i, slot));
            LLVMSetAlignment(store, alignment(memref));
        }
        return;
    }
    LLVMValueRef address = lowest(e, memref, &spread, step);
    if (step < 0)
        value = reverse(e, value);
    if (mask) {
        compat_masked_store(e->module, e->builder, value, address, alignment(memref),
                            step < 0 ? reverse(e, mask) : mask);
        return;
    }
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, address), alignment(memref));
}

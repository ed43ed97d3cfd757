/* affine_lanes.c -- indices in the lanes of a vectorized loop.
 *
 * Most indices are even: the loop variable grows by one per lane, and sums and products with
 * constants keep the step constant. Only the first lane of such an index is computed, as a scalar.
 * A boundary condition makes it less even: in max(min(x, high), low) neighbouring lanes differ by 0
 * or 1. So AffineLanes hold the first and the last lane, and an interval of all differences.
 * Interval arithmetic carries them through + - * min max select. If first and last differ as much
 * as the greatest difference allows, every difference is the greatest. So one scalar comparison
 * shows that no lane of a clamped index is clamped.
 *
 * The half of an even index, or its remainder modulo a number, is not even but regular: lane i + 2
 * of x/2 is one more than lane i. Regular lanes have a period, the values of the first lanes, and
 * the growth per period. Even lanes have period 1. A clamped index is irregular, but it refers to
 * its inner index. The two are equal if no lane is clamped. This is the case if their first and
 * last lanes are equal, because the inner index is monotone.
 *
 * An index from other operators (such as a load) has no AffineLanes. Its lanes are a vector, like
 * any other value.
 */
#include "codegen/emit.h"

const AffineLanes *affine_of(const Emitter *e, Expr node) {
    return e->affine[node->number];
}

int64_t affine_step(const AffineLanes *affine) {
    return affine->most >= -affine->least ? affine->most : affine->least;
}

static LLVMValueRef add_constant(Emitter *e, LLVMValueRef value, int64_t number) {
    return emit_index_add(e, value, emit_index_constant(e, number));
}

AffineLanes *affine_begin(Emitter *e, LLVMValueRef first) {
    AffineLanes *affine = arena_new(e->arena, AffineLanes);
    *affine = (AffineLanes){.first = first,
                            .last = add_constant(e, first, e->lanes.count - 1),
                            .least = 1,
                            .most = 1,
                            .period = 1,
                            .cycle = 1,
                            .phases = {first}};
    return affine;
}

LLVMValueRef affine_lane(Emitter *e, const AffineLanes *affine, unsigned lane) {
    return add_constant(e, affine->phases[lane % affine->period],
                        (int64_t)(lane / affine->period) * affine->cycle);
}

LLVMValueRef affine_widen(Emitter *e, const AffineLanes *affine, LLVMTypeRef type) {
    LLVMValueRef added[MAX_LANES], phases[MAX_PERIOD], vector = NULL;
    unsigned count = e->lanes.count, from[MAX_LANES];
    for (unsigned i = 0; i < count; i++) {
        uint64_t number = (uint64_t)(affine->cycle * (int64_t)(i / affine->period));
        added[i] = LLVMConstInt(type, number, true);
        from[i] = i % affine->period;
    }
    for (unsigned r = 0; r < affine->period; r++)
        phases[r] = type == e->i64 ? affine->phases[r]
                                   : LLVMBuildTrunc(e->builder, affine->phases[r], type, "");
    if (affine->period == 1) {
        vector = emit_splat(e, phases[0], count);
    } else {
        vector = LLVMGetPoison(LLVMVectorType(type, MAX_PERIOD));
        for (unsigned r = 0; r < affine->period; r++)
            vector = LLVMBuildInsertElement(e->builder, vector, phases[r],
                                            LLVMConstInt(e->i32, r, false), "");
        vector = emit_shuffle(e, vector, NULL, from, count);
    }
    return LLVMBuildAdd(e->builder, vector, LLVMConstVector(added, count), "");
}

bool affine_operand(const Emitter *e, Expr node, AffineLanes *affine) {
    const AffineLanes *known = affine_of(e, node);
    LLVMValueRef value = e->values[node->number];
    if (!known && emit_lane_count(value) > 1)
        return false;
    *affine = known ? *known
                    : (AffineLanes){.first = value, .last = value, .period = 1, .phases = {value}};
    return true;
}

/* affine_lanes.c -- indices in the lanes of a vectorized loop.
 *
 * Most indices move evenly: from lane to lane the loop variable grows by one, and sums and products
 * with constants carry that on.  Of such an index only the first lane is computed, as a scalar; the
 * rest is known.  A boundary condition makes it a little less even: in max(min(x, high), low) the
 * difference of two neighbouring lanes is 0 or 1.  So AffineLanes hold the values in the first and
 * the last lane and an interval in which all the differences lie; interval arithmetic carries it
 * through + - * min max select.  Where first and last are as far apart as the greatest difference
 * allows, every difference is the greatest: one comparison of scalars shows that a clamped index is
 * not clamped in any lane.
 *
 * Half of an even index, or its rest modulo a number, does not move evenly but regularly: lane i +
 * 2 of x/2 is one more than lane i.  Such lanes have a period, the values of its first lanes, and
 * what a period adds; even ones have period 1.  A clamped index is irregular, but remembers the
 * index inside, which it equals where no lane is clamped: where first and last are the same as
 * those of the index inside, because that one does not turn.
 *
 * An index that is not the outcome of these operators (it comes from memory, say) has no
 * AffineLanes; its lanes are a vector like any other value.
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

/* affine_lanes.c -- indices in the lanes of a vectorized loop.
 *
 * Most indices move evenly: from lane to lane the loop variable grows by one, and sums and products
 * with constants carry that on.  Of such an index only the first lane is computed, as a scalar; the
 * rest is known.  A boundary condition makes it a little less even: in max(min(x, high), low) the
 * difference of two neighbouring lanes is 0 or 1.  So a Sweep has the values in the first and the
 * last lane and an interval in which all the differences lie, which interval arithmetic carries
 * through + - * min max select.  Where first and last are as far apart as the greatest difference
 * allows, every difference is the greatest: one comparison of scalars shows that a clamped index is
 * not clamped in any lane.
 *
 * Half of an even index, or its rest modulo a number, does not move evenly but regularly: lane
 * i + 2 of x/2 is one more than lane i.  Such a sweep has a period, the values of its first lanes,
 * and what a period adds; even sweeps are those of period 1.  A clamped one is irregular, but
 * remembers the sweep inside, which it is where no lane is clamped: where first and last are the
 * same as those of the sweep inside, because that one does not turn.
 *
 * An index that is not the outcome of these operators (it comes from memory, say) has no sweep; its
 * lanes are a vector like any other value.
 */
#include "codegen/emit.h"

const Sweep *sweep_of(const Emitter *e, Expr node) {
    return e->sweeps[node->number];
}

bool sweep_is_even(const Sweep *sweep) {
    return sweep->least == sweep->most;
}

int64_t sweep_step(const Sweep *sweep) {
    return sweep->most >= -sweep->least ? sweep->most : sweep->least;
}

static LLVMValueRef add_constant(Emitter *e, LLVMValueRef value, int64_t number) {
    return emit_index_add(e, value, emit_index_constant(e, number));
}

Sweep *sweep_begin(Emitter *e, LLVMValueRef first) {
    Sweep *sweep = arena_new(e->arena, Sweep);
    *sweep = (Sweep){.first = first,
                     .last = add_constant(e, first, e->lanes.count - 1),
                     .least = 1,
                     .most = 1,
                     .period = 1,
                     .cycle = 1,
                     .phases = {first}};
    return sweep;
}

LLVMValueRef sweep_lane(Emitter *e, const Sweep *sweep, unsigned lane) {
    return add_constant(e, sweep->phases[lane % sweep->period],
                        (int64_t)(lane / sweep->period) * sweep->cycle);
}

LLVMValueRef sweep_widen(Emitter *e, const Sweep *sweep, LLVMTypeRef type) {
    LLVMValueRef added[MAX_LANES], phases[MAX_PERIOD], vector = NULL;
    unsigned count = e->lanes.count, from[MAX_LANES];
    for (unsigned i = 0; i < count; i++) {
        uint64_t number = (uint64_t)(sweep->cycle * (int64_t)(i / sweep->period));
        added[i] = LLVMConstInt(type, number, true);
        from[i] = i % sweep->period;
    }
    for (unsigned r = 0; r < sweep->period; r++)
        phases[r] = type == e->i64 ? sweep->phases[r]
                                   : LLVMBuildTrunc(e->builder, sweep->phases[r], type, "");
    if (sweep->period == 1) {
        vector = emit_splat(e, phases[0], count);
    } else {
        vector = LLVMGetPoison(LLVMVectorType(type, MAX_PERIOD));
        for (unsigned r = 0; r < sweep->period; r++)
            vector = LLVMBuildInsertElement(e->builder, vector, phases[r],
                                            LLVMConstInt(e->i32, r, false), "");
        vector = emit_shuffle(e, vector, NULL, from, count);
    }
    return LLVMBuildAdd(e->builder, vector, LLVMConstVector(added, count), "");
}

bool operand_sweep(const Emitter *e, Expr node, Sweep *sweep) {
    const Sweep *known = sweep_of(e, node);
    LLVMValueRef value = e->values[node->number];
    if (!known && emit_lane_count(value) > 1)
        return false;
    *sweep =
        known ? *known : (Sweep){.first = value, .last = value, .period = 1, .phases = {value}};
    return true;
}

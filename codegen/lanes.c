/* lanes.c -- indices in the lanes of a vectorized loop.
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
 * An index that is not the outcome of these operators (it comes from memory, or a division) has no
 * sweep; its lanes are a vector like any other value.
 */
#include "codegen/emit.h"

/* Differences beyond this are not followed, so that their sums and products stay in 64 bits. */
static const int64_t STEEPEST = (int64_t)1 << 30;

const Sweep *sweep_of(const Emitter *e, Expr node) {
    return e->sweeps[node->number];
}

bool sweep_is_even(const Sweep *sweep) {
    return sweep->least == sweep->most;
}

int64_t sweep_step(const Sweep *sweep) {
    return sweep->most >= -sweep->least ? sweep->most : sweep->least;
}

LLVMValueRef sweep_widen(Emitter *e, const Sweep *sweep, LLVMTypeRef type) {
    LLVMValueRef lanes[MAX_LANES];
    for (unsigned i = 0; i < e->lanes.count; i++)
        lanes[i] = LLVMConstInt(type, (uint64_t)(sweep->least * (int64_t)i), true);
    LLVMValueRef first = sweep->first;
    if (type != e->i64)
        first = LLVMBuildTrunc(e->builder, first, type, "");
    return LLVMBuildAdd(e->builder, emit_splat(e, first, e->lanes.count),
                        LLVMConstVector(lanes, e->lanes.count), "");
}

/* ---- operators ---- */

/* A value that is the same in all lanes sweeps by 0.  False where the lanes are just a vector. */
static bool operand_sweep(const Emitter *e, Expr node, Sweep *sweep) {
    const Sweep *known = sweep_of(e, node);
    LLVMValueRef value = e->values[node->number];
    if (!known && emit_lane_count(value) > 1)
        return false;
    *sweep = known ? *known : (Sweep){.first = value, .last = value};
    return true;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The differences of the result from those of the operands; false where nothing can be said. */
static bool differences(Expr node, const Sweep *a, Sweep *result) {
    int64_t factor;
    switch ((int)node->op) {
    case OP_ADD:
        *result = (Sweep){.least = a[0].least + a[1].least, .most = a[0].most + a[1].most};
        break;
    case OP_SUB:
        *result = (Sweep){.least = a[0].least - a[1].most, .most = a[0].most - a[1].least};
        break;
    case OP_NEG:
        *result = (Sweep){.least = -a[0].most, .most = -a[0].least};
        break;
    case OP_MUL: { /* constants stand last */
        if (!expr_constant_integer(node->arguments[1], &factor) || factor < -STEEPEST ||
            factor > STEEPEST)
            return false;
        int64_t ends[] = {a[0].least * factor, a[0].most * factor};
        *result = (Sweep){.least = least(ends[0], ends[1]), .most = most(ends[0], ends[1])};
        break;
    }
    case OP_MIN:
    case OP_MAX:
    case OP_SELECT:
        a += node->op == OP_SELECT;
        *result =
            (Sweep){.least = least(a[0].least, a[1].least), .most = most(a[0].most, a[1].most)};
        break;
    default:
        return false;
    }
    return result->least >= -STEEPEST && result->most <= STEEPEST;
}

Sweep *sweep_apply(Emitter *e, Expr node) {
    if (!type_is_index(node->type) || node->arity > OP_MAX_ARITY)
        return NULL;
    Sweep operands[OP_MAX_ARITY], result;
    LLVMValueRef first[OP_MAX_ARITY], last[OP_MAX_ARITY];
    bool is_moving = false;
    for (int i = 0; i < node->arity; i++) {
        if (!operand_sweep(e, node->arguments[i], &operands[i]))
            return NULL;
        first[i] = operands[i].first, last[i] = operands[i].last;
        is_moving |= sweep_of(e, node->arguments[i]) != NULL;
    }
    if (!is_moving || !differences(node, operands, &result))
        return NULL;
    Sweep *sweep = arena_new(e->arena, Sweep);
    *sweep = result;
    sweep->first = emit_operator(e, node, first);
    sweep->last = emit_operator(e, node, last);
    return sweep;
}

/* ---- conditions ---- */

/* a < b and a <= b where a - b does not fall, or does not rise, from lane to lane: the lanes in
 * which the condition holds are the first ones, or the last ones. */
bool sweep_coverage(Emitter *e, Expr condition, Coverage *coverage) {
    if ((condition->op != OP_LT && condition->op != OP_LE) ||
        !type_is_index(condition->arguments[0]->type))
        return false;
    Sweep sides[2];
    bool is_moving = false;
    for (int i = 0; i < 2; i++) {
        emit_prepare(e, condition->arguments[i]);
        if (!operand_sweep(e, condition->arguments[i], &sides[i]))
            return false;
        is_moving |= sweep_of(e, condition->arguments[i]) != NULL;
    }
    bool rises = sides[0].least >= sides[1].most, falls = sides[0].most <= sides[1].least;
    if (!is_moving || (!rises && !falls))
        return false;
    LLVMValueRef first =
        emit_operator(e, condition, (LLVMValueRef[]){sides[0].first, sides[1].first});
    LLVMValueRef last = emit_operator(e, condition, (LLVMValueRef[]){sides[0].last, sides[1].last});
    *coverage =
        rises ? (Coverage){.all = last, .any = first} : (Coverage){.all = first, .any = last};
    return true;
}

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

/* ---- operators ---- */

/* A value that is the same in all lanes sweeps by 0.  False where the lanes are just a vector. */
static bool operand_sweep(const Emitter *e, Expr node, Sweep *sweep) {
    const Sweep *known = sweep_of(e, node);
    LLVMValueRef value = e->values[node->number];
    if (!known && emit_lane_count(value) > 1)
        return false;
    *sweep =
        known ? *known : (Sweep){.first = value, .last = value, .period = 1, .phases = {value}};
    return true;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
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
    case OP_DIV:
    case OP_MOD: /* Euclidean */
        if (!expr_constant_integer(node->arguments[1], &factor) || factor < 1 || factor > STEEPEST)
            return false;
        *result = node->op == OP_MOD ? (Sweep){.least = 1 - factor, .most = factor - 1}
                                     : (Sweep){.least = divide_down(a[0].least, factor),
                                               .most = -divide_down(-a[0].most, factor)};
        break;
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

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a < 0 ? -a : a;
}

/* The period of an operator's outcome and what it adds, or 0. */
static unsigned find_period(Expr node, const Sweep *a, int64_t *cycle) {
    int64_t period = 1, number, cycles[OP_MAX_ARITY];
    for (int i = 0; i < node->arity; i++) {
        if (!a[i].period)
            return 0;
        period = period / common_divisor(period, a[i].period) * a[i].period;
    }
    for (int i = 0; i < node->arity; i++)
        cycles[i] = a[i].cycle * (period / a[i].period);
    *cycle = 0;
    switch ((int)node->op) {
    case OP_ADD:
        *cycle = cycles[0] + cycles[1];
        break;
    case OP_SUB:
        *cycle = cycles[0] - cycles[1];
        break;
    case OP_NEG:
        *cycle = -cycles[0];
        break;
    case OP_MUL:
        *cycle = expr_constant_integer(node->arguments[1], &number) ? cycles[0] * number : 0;
        break;
    case OP_DIV:
    case OP_MOD: /* `differences` has seen the constant */
        if (!expr_constant_integer(node->arguments[1], &number))
            return 0;
        int64_t times = number / common_divisor(cycles[0], number);
        period *= times;
        *cycle = node->op == OP_DIV ? cycles[0] * times / number : 0;
        break;
    default:
        return 0;
    }
    return period <= MAX_PERIOD ? (unsigned)period : 0;
}

static LLVMValueRef apply_in_lane(Emitter *e, Expr node, const Sweep *a, unsigned lane) {
    LLVMValueRef operands[OP_MAX_ARITY];
    for (int i = 0; i < node->arity; i++)
        operands[i] = sweep_lane(e, &a[i], lane);
    return emit_operator(e, node, operands);
}

/* The outcome where it is regular. */
static bool apply_regularly(Emitter *e, Expr node, const Sweep *a, Sweep *result) {
    if (!differences(node, a, result))
        return false;
    result->period = find_period(node, a, &result->cycle);
    bool is_short = result->period > 1 && 2 * result->period > e->lanes.count;
    if (!result->period || is_short)
        return false;
    if (result->period == 1)
        result->least = result->most = result->cycle;
    for (unsigned r = 0; r < result->period; r++)
        result->phases[r] = apply_in_lane(e, node, a, r);
    result->first = result->phases[0];
    result->last = apply_in_lane(e, node, a, e->lanes.count - 1);
    return true;
}

/* The only operand that moves, or -1 where there are several. */
static int moving_operand(const Emitter *e, Expr node) {
    int moving = -1;
    for (int i = 0; i < node->arity; i++) {
        if (!sweep_of(e, node->arguments[i]))
            continue;
        if (moving >= 0)
            return -1;
        moving = i;
    }
    return moving;
}

/* What an irregular outcome is where no lane is clamped; of period above 1, as for even ones the
 * differences tell. */
static const Sweep *find_inner(Emitter *e, Expr node, const Sweep *a) {
    int moving = moving_operand(e, node);
    const Sweep *inside = moving < 0 ? NULL : a[moving].period ? &a[moving] : a[moving].inner;
    if (!inside || inside->period < 2 || (inside->least < 0 && inside->most > 0))
        return NULL;
    Sweep *inner = arena_new(e->arena, Sweep);
    if (node->op == OP_MIN || node->op == OP_MAX) {
        *inner = *inside;
        return inner;
    }
    Sweep operands[OP_MAX_ARITY];
    memcpy(operands, a, node->arity * sizeof *a);
    operands[moving] = *inside;
    bool is_linear =
        node->op == OP_ADD || node->op == OP_SUB || node->op == OP_NEG || node->op == OP_MUL;
    return is_linear && apply_regularly(e, node, operands, inner) ? inner : NULL;
}

/* Has it to do with periods above 1? */
static bool is_periodic(const Sweep *sweep) {
    return sweep->period > 1 || sweep->inner;
}

static bool apply_irregularly(Emitter *e, Expr node, const Sweep *a, Sweep *result) {
    LLVMValueRef first[OP_MAX_ARITY], last[OP_MAX_ARITY];
    bool has_periods = node->op == OP_DIV || node->op == OP_MOD;
    if (!differences(node, a, result))
        return false;
    for (int i = 0; i < node->arity; i++) {
        first[i] = a[i].first, last[i] = a[i].last;
        has_periods |= is_periodic(&a[i]);
    }
    result->inner = find_inner(e, node, a);
    if (has_periods && !result->inner)
        return false;
    result->first = emit_operator(e, node, first);
    result->last = emit_operator(e, node, last);
    return true;
}

Sweep *sweep_apply(Emitter *e, Expr node) {
    if (!type_is_index(node->type) || node->arity > OP_MAX_ARITY)
        return NULL;
    Sweep operands[OP_MAX_ARITY], result;
    bool is_moving = false;
    for (int i = 0; i < node->arity; i++) {
        if (!operand_sweep(e, node->arguments[i], &operands[i]))
            return NULL;
        is_moving |= sweep_of(e, node->arguments[i]) != NULL;
    }
    if (!is_moving || (!apply_regularly(e, node, operands, &result) &&
                       !apply_irregularly(e, node, operands, &result)))
        return NULL;
    Sweep *sweep = arena_new(e->arena, Sweep);
    *sweep = result;
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

/* affine_apply.c -- derives the AffineLanes of an operator's result from those of its operands;
 * affine_lanes.c describes them. */
#include "codegen/emit.h"

/* Larger differences are not tracked, so sums and products of differences stay in 64 bits. */
static const int64_t STEEPEST = (int64_t)1 << 30;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Derives the differences of the result from those of the operands. False if nothing is known. */
static bool differences(Expr node, const AffineLanes *a, AffineLanes *result) {
    int64_t factor;
    switch ((int)node->op) {
    case OP_ADD:
        *result = (AffineLanes){.least = a[0].least + a[1].least, .most = a[0].most + a[1].most};
        break;
    case OP_SUB:
        *result = (AffineLanes){.least = a[0].least - a[1].most, .most = a[0].most - a[1].least};
        break;
    case OP_NEG:
        *result = (AffineLanes){.least = -a[0].most, .most = -a[0].least};
        break;
    case OP_MUL: { /* constants come last */
        if (!expr_constant_integer(node->arguments[1], &factor) || factor < -STEEPEST ||
            factor > STEEPEST)
            return false;
        int64_t ends[] = {a[0].least * factor, a[0].most * factor};
        *result = (AffineLanes){.least = least(ends[0], ends[1]), .most = most(ends[0], ends[1])};
        break;
    }
    case OP_DIV:
    case OP_MOD: /* Euclidean */
        if (!expr_constant_integer(node->arguments[1], &factor) || factor < 1 || factor > STEEPEST)
            return false;
        *result = node->op == OP_MOD ? (AffineLanes){.least = 1 - factor, .most = factor - 1}
                                     : (AffineLanes){.least = divide_down(a[0].least, factor),
                                                     .most = -divide_down(-a[0].most, factor)};
        break;
    case OP_MIN:
    case OP_MAX:
    case OP_SELECT:
        a += node->op == OP_SELECT;
        *result = (AffineLanes){.least = least(a[0].least, a[1].least),
                                .most = most(a[0].most, a[1].most)};
        break;
    default: /* the lanes are a vector, which is correct for every operator */
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

/* Returns the period of an operator's result, with the growth per period, or 0. */
static unsigned find_period(Expr node, const AffineLanes *a, int64_t *cycle) {
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
    default: /* not regular */
        return 0;
    }
    return period <= MAX_PERIOD ? (unsigned)period : 0;
}

static LLVMValueRef apply_in_lane(Emitter *e, Expr node, const AffineLanes *a, unsigned lane) {
    LLVMValueRef operands[OP_MAX_ARITY];
    for (int i = 0; i < node->arity; i++)
        operands[i] = affine_lane(e, &a[i], lane);
    return emit_operator(e, node, operands);
}

/* Derives a regular result. */
static bool apply_regularly(Emitter *e, Expr node, const AffineLanes *a, AffineLanes *result) {
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

/* Returns the only operand that varies, or -1 if there are several. */
static int moving_operand(const Emitter *e, Expr node) {
    int moving = -1;
    for (int i = 0; i < node->arity; i++) {
        if (!affine_of(e, node->arguments[i]))
            continue;
        if (moving >= 0)
            return -1;
        moving = i;
    }
    return moving;
}

/* Returns the lanes of an irregular result while no lane is clamped. Only for periods above 1: for
 * even lanes the differences suffice. */
static const AffineLanes *find_inner(Emitter *e, Expr node, const AffineLanes *a) {
    int moving = moving_operand(e, node);
    const AffineLanes *inside = moving < 0 ? NULL : a[moving].period ? &a[moving] : a[moving].inner;
    if (!inside || inside->period < 2 || (inside->least < 0 && inside->most > 0))
        return NULL;
    AffineLanes *inner = arena_new(e->arena, AffineLanes);
    if (node->op == OP_MIN || node->op == OP_MAX) {
        *inner = *inside;
        return inner;
    }
    AffineLanes operands[OP_MAX_ARITY];
    memcpy(operands, a, node->arity * sizeof *a);
    operands[moving] = *inside;
    bool is_linear =
        node->op == OP_ADD || node->op == OP_SUB || node->op == OP_NEG || node->op == OP_MUL;
    return is_linear && apply_regularly(e, node, operands, inner) ? inner : NULL;
}

/* Has it to do with periods above 1? */
static bool is_periodic(const AffineLanes *affine) {
    return affine->period > 1 || affine->inner;
}

static bool apply_irregularly(Emitter *e, Expr node, const AffineLanes *a, AffineLanes *result) {
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

AffineLanes *affine_apply(Emitter *e, Expr node) {
    if (!type_is_index(node->type) || node->arity > OP_MAX_ARITY)
        return NULL;
    AffineLanes operands[OP_MAX_ARITY], result;
    bool is_moving = false;
    for (int i = 0; i < node->arity; i++) {
        if (!affine_operand(e, node->arguments[i], &operands[i]))
            return NULL;
        is_moving |= affine_of(e, node->arguments[i]) != NULL;
    }
    if (!is_moving || (!apply_regularly(e, node, operands, &result) &&
                       !apply_irregularly(e, node, operands, &result)))
        return NULL;
    AffineLanes *affine = arena_new(e->arena, AffineLanes);
    *affine = result;
    return affine;
}

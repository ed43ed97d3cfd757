/* solve_merge.c -- several conditions of one variable as fewer.
 *
 *   x <= a && x <= b   x <= min(a, b)        x <= a || x <= b   x <= max(a, b)
 *   a <= x && b <= x   max(a, b) <= x        a <= x || b <= x   min(a, b) <= x
 *   x == a && P(x)     x == a && P(a)        x != a || P(x)     x != a || P(a)
 *   a <= x && x <= b   false where b < a     x <= a || b <= x   true where b <= a + 1
 *
 * These hold on every integer type, machine integers included, but for the last, which is for
 * indices.
 */
#include "simplify/solver.h"

static bool is_whole(Type type) {
    return type_is_index(type) || type.kind == TYPE_INT || type.kind == TYPE_UINT;
}

Side solver_side(const Solver *s, Expr condition, Expr *limit) {
    Op op = (Op)condition->op;
    if ((op != OP_LE && op != OP_EQ && op != OP_NE) || !is_whole(s->target->type))
        return SIDE_NONE;
    bool left = condition->arguments[0] == s->target;
    *limit = condition->arguments[left];
    if ((!left && condition->arguments[1] != s->target) || solver_mentions(s, *limit))
        return SIDE_NONE;
    if (op == OP_LE)
        return left ? SIDE_AT_MOST : SIDE_AT_LEAST;
    return op == OP_EQ ? SIDE_EQUAL : SIDE_UNEQUAL;
}

Expr solver_side_build(Solver *s, Side side, Expr limit) {
    switch (side) {
    case SIDE_AT_MOST:
        return expr_le(s->pool, s->target, limit);
    case SIDE_AT_LEAST:
        return expr_le(s->pool, limit, s->target);
    case SIDE_EQUAL:
        return expr_eq(s->pool, s->target, limit);
    case SIDE_UNEQUAL:
        return expr_binary(s->pool, OP_NE, s->target, limit);
    case SIDE_NONE:
        break;
    }
    hlc_assert(false, "a limit has a side");
    return NULL;
}

void solver_operands(const Solver *s, Op op, Expr expr, Exprs *operands) {
    Exprs stack = {0};
    vec_push(s->arena, &stack, expr);
    while (stack.length) {
        Expr top = stack.data[--stack.length];
        if (top->op != op) {
            vec_push(s->arena, operands, top);
            continue;
        }
        vec_push(s->arena, &stack, top->arguments[1]);
        vec_push(s->arena, &stack, top->arguments[0]);
    }
}

typedef struct Merging {
    Expr at_most, at_least, equal; /* limits, null for none */
    Exprs others, free;
} Merging;

static void take_limit(Solver *s, Op bound, Expr *limit, Expr next) {
    *limit = *limit ? expr_binary(s->pool, bound, *limit, next) : next;
}

static void take_operand(Solver *s, Op op, Merging *merging, Expr operand) {
    Expr limit;
    Side pinning = op == OP_AND ? SIDE_EQUAL : SIDE_UNEQUAL;
    Side side = solver_side(s, operand, &limit);
    if (!solver_mentions(s, operand))
        vec_push(s->arena, &merging->free, operand);
    else if (side == SIDE_AT_MOST)
        take_limit(s, op == OP_AND ? OP_MIN : OP_MAX, &merging->at_most, limit);
    else if (side == SIDE_AT_LEAST)
        take_limit(s, op == OP_AND ? OP_MAX : OP_MIN, &merging->at_least, limit);
    else if (side == pinning && !merging->equal)
        merging->equal = limit;
    else
        vec_push(s->arena, &merging->others, operand);
}

static Expr append(Solver *s, Op op, Expr chain, Expr operand) {
    return chain ? expr_binary(s->pool, op, chain, operand) : operand;
}

/* The operands as a chain; where the one that names `equal` does not decide, it is the variable. */
static Expr pinned(Solver *s, Op op, const Merging *merging, const Exprs *operands) {
    Expr rest = NULL;
    Side side = op == OP_AND ? SIDE_EQUAL : SIDE_UNEQUAL;
    Expr pin = solver_side_build(s, side, merging->equal);
    for (size_t i = 0; i < operands->length; i++)
        if (operands->data[i] != pin)
            rest = append(s, op, rest, operands->data[i]);
    if (!rest)
        return pin;
    Expr others =
        solver_small(s, expr_substitute(s->pool, s->arena, rest, s->target->name, merging->equal));
    if (expr_is_true(others) || expr_is_false(others))
        return expr_is_true(others) == (op == OP_AND) ? pin : others;
    return expr_binary(s->pool, op, pin, others);
}

/* Do the two limits say all that is to be said?  Null where they do not. */
static Expr decide_limits(Solver *s, Op op, const Merging *merging) {
    if (!merging->at_most || !merging->at_least || !type_is_index(s->target->type))
        return NULL;
    Expr gap = expr_index(s->pool, op == OP_OR);
    Expr meet = expr_le(s->pool, merging->at_least, expr_add(s->pool, merging->at_most, gap));
    Proof proof = simplify_prove(s->simplifier, meet);
    if (proof == (op == OP_AND ? PROOF_REFUTED : PROOF_HOLDS))
        return expr_bool(s->pool, op == OP_OR);
    if (op == OP_AND && merging->at_least == merging->at_most)
        return expr_eq(s->pool, s->target, merging->at_most);
    return NULL;
}

Expr solver_merge(Solver *s, Op op, const Exprs *operands) {
    Merging merging = {0};
    for (size_t i = 0; i < operands->length; i++)
        take_operand(s, op, &merging, operands->data[i]);
    if (merging.at_most)
        merging.at_most = solver_small(s, merging.at_most);
    if (merging.at_least)
        merging.at_least = solver_small(s, merging.at_least);
    if (merging.equal)
        return pinned(s, op, &merging, operands);
    Expr free = NULL, limits = decide_limits(s, op, &merging), result = NULL;
    for (size_t i = 0; i < merging.free.length; i++)
        free = append(s, op, free, merging.free.data[i]);
    free = free ? solver_small(s, free) : expr_bool(s->pool, op == OP_AND);
    bool absorbs = expr_is_true(free) == (op == OP_OR);
    if ((expr_is_true(free) || expr_is_false(free)) && absorbs)
        return free;
    if (limits && (expr_is_true(limits) || expr_is_false(limits)))
        return limits;
    result = limits;
    if (!limits && merging.at_least)
        result = append(s, op, result, solver_side_build(s, SIDE_AT_LEAST, merging.at_least));
    if (!limits && merging.at_most)
        result = append(s, op, result, solver_side_build(s, SIDE_AT_MOST, merging.at_most));
    for (size_t i = 0; i < merging.others.length; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= merging.others.data[j] == merging.others.data[i];
        if (!seen)
            result = append(s, op, result, merging.others.data[i]);
    }
    if (!result || !(expr_is_true(free) || expr_is_false(free)))
        result = append(s, op, result, free);
    return result;
}

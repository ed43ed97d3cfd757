/* solve_merge.c -- merges conditions on one variable.
 *
 * The rules of the solver join two operands of a chain: `x <= a && x <= b` becomes `x <= min(a,
 * b)`. They are tried on each two operands. This file does what no rule can. Under `x == a` every x
 * in the other operands becomes a, whatever their form (a rule substitutes nothing). The operands
 * are sorted: limits first, then others with the variable, then those free of it, in the
 * simplifier's order. The number of pairs is limited, but large enough to merge a chain of a
 * hundred operands completely.
 */
#include "simplify/solver.h"

static bool is_whole(Type type) {
    return type_is_index(type) || type.kind == TYPE_INT || type.kind == TYPE_UINT;
}

SolverSide solver_side(const EquationSolver *s, Expr condition, Expr *limit) {
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

Expr solver_side_build(EquationSolver *s, SolverSide side, Expr limit) {
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

void solver_operands(const EquationSolver *s, Op op, Expr expr, Exprs *operands) {
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
    Op op;
    Exprs operands; /* with the variable */
    Expr free;      /* the chain of the others; null for none */
    int budget;     /* pairs that may still be tried */
    bool decided;   /* one operand decides: it is true for ||, false for && */
} Merging;

static Expr append(EquationSolver *s, Op op, Expr chain, Expr operand) {
    return chain ? expr_binary(s->pool, op, chain, operand) : operand;
}

static void take(EquationSolver *s, Merging *merging, Expr operand) {
    if (expr_is_true(operand) || expr_is_false(operand)) {
        merging->decided |= expr_is_true(operand) == (merging->op == OP_OR);
        return;
    }
    if (!solver_mentions(s, operand)) {
        merging->free = append(s, merging->op, merging->free, operand);
        return;
    }
    for (size_t i = 0; i < merging->operands.length; i++)
        if (merging->operands.data[i] == operand)
            return;
    vec_push(s->arena, &merging->operands, operand);
}

/* Adds a rule's result for two operands: one or more operands, each to be solved. */
static void take_made(EquationSolver *s, Merging *merging, Expr made) {
    Exprs operands = {0}, solved = {0};
    solver_operands(s, merging->op, made, &operands);
    for (size_t i = 0; i < operands.length; i++)
        solver_operands(s, merging->op, s->condition(s, operands.data[i]), &solved);
    for (size_t i = 0; i < solved.length; i++)
        take(s, merging, solved.data[i]);
}

static void remove_at(Exprs *operands, size_t at) {
    operands->length--;
    for (size_t i = at; i < operands->length; i++)
        operands->data[i] = operands->data[i + 1];
}

/* Replaces two operands by a rule's result; false if no rule applies. */
static bool merge_any(EquationSolver *s, Merging *merging) {
    Exprs *operands = &merging->operands;
    for (size_t i = 0; i < operands->length; i++)
        for (size_t j = i + 1; j < operands->length && merging->budget-- > 0; j++) {
            Expr two[] = {operands->data[i], operands->data[j]};
            Expr result = match_solve(s, merging->op, two);
            if (!result)
                continue;
            remove_at(operands, j);
            remove_at(operands, i);
            take_made(s, merging, result);
            return true;
        }
    return false;
}

/* If an operand fixes the variable, substitutes its value in the others. */
static void substitute_pinned(EquationSolver *s, Merging *merging) {
    SolverSide pinning = merging->op == OP_AND ? SIDE_EQUAL : SIDE_UNEQUAL;
    Expr value = NULL, pin = NULL;
    Exprs others = {0};
    for (size_t i = 0; i < merging->operands.length; i++) {
        Expr operand = merging->operands.data[i];
        if (!pin && solver_side(s, operand, &value) == pinning)
            pin = operand;
        else
            vec_push(s->arena, &others, operand);
    }
    if (!pin || !others.length)
        return;
    merging->operands.length = 0;
    take(s, merging, pin);
    for (size_t i = 0; i < others.length; i++)
        take(s, merging,
             solver_small(
                 s, expr_substitute(s->pool, s->arena, others.data[i], s->target->name, value)));
}

Expr solver_merge(EquationSolver *s, Op op, const Exprs *operands) {
    static const SolverSide order[] = {SIDE_EQUAL, SIDE_UNEQUAL, SIDE_AT_LEAST, SIDE_AT_MOST,
                                       SIDE_NONE};
    enum { MOST_PAIRS = 16384 };
    Merging merging = {.op = op, .budget = MOST_PAIRS};
    for (size_t i = 0; i < operands->length; i++)
        take(s, &merging, operands->data[i]);
    while (!merging.decided && merge_any(s, &merging))
        continue;
    substitute_pinned(s, &merging);
    Expr free = merging.free ? solver_small(s, merging.free) : NULL, result = NULL, limit;
    bool constant = free && (expr_is_true(free) || expr_is_false(free));
    if (merging.decided || (constant && expr_is_true(free) == (op == OP_OR)))
        return expr_bool(s->pool, op == OP_OR);
    for (size_t side = 0; side < sizeof order / sizeof *order; side++)
        for (size_t i = 0; i < merging.operands.length; i++)
            if (solver_side(s, merging.operands.data[i], &limit) == order[side])
                result = append(s, op, result, merging.operands.data[i]);
    if (free && !constant)
        result = append(s, op, result, free);
    return result ? result : expr_bool(s->pool, op == OP_AND);
}

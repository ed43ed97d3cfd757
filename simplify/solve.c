/* solve.c -- solves conditions for a variable.
 *
 * The condition is simplified, then split at && || and select. Each comparison of integers is
 * solved (solve_compare.c). The results are merged (solve_merge.c), so the variable occurs less
 * often. There is no backtracking: each step is an equivalence over the integers, and leaves
 * smaller or fewer terms with the variable. The depth is limited, and so is the number of splits of
 * one comparison. A comparison beyond the limit stays as simplified.
 *
 * Solved limits have the form `x <= a` and `a <= x`. At the end `x <= a - 1` becomes `x < a`.
 */
#include "simplify/solver.h"

static Expr negation(EquationSolver *s, Expr condition) {
    Expr result = simplify(s->simplifier, expr_not(s->pool, condition));
    return result->op == OP_NOT ? result : solver_condition(s, result);
}

/* Returns `condition` under `fact` (or, with `holds` false, under its negation), if that decides
 * it. */
static Expr decided_under(EquationSolver *s, Expr fact, bool holds, Expr condition) {
    FactMark mark = simplifier_mark(s->simplifier);
    simplifier_learn(s->simplifier, holds ? fact : expr_not(s->pool, fact));
    Expr result = simplify(s->simplifier, condition);
    simplifier_release(s->simplifier, mark);
    return expr_is_true(result) || expr_is_false(result) ? result : condition;
}

static Expr solve_select(EquationSolver *s, Expr condition, Expr yes, Expr no) {
    if (solver_mentions(s, condition)) {
        yes = decided_under(s, condition, true, yes);
        no = decided_under(s, condition, false, no);
    }
    if (yes == no || expr_is_true(condition))
        return yes;
    if (expr_is_false(condition))
        return no;
    Expr arguments[] = {condition, yes, no};
    Expr made = match_solve(s, OP_SELECT, arguments);
    if (made)
        return solver_condition(s, made);
    Expr result = expr_select(s->pool, condition, yes, no);
    return solver_mentions(s, result) ? result : solver_small(s, result);
}

static Expr solve_chain(EquationSolver *s, Expr chain) {
    Exprs operands = {0}, solved = {0};
    Op op = (Op)chain->op;
    solver_operands(s, op, chain, &operands);
    for (size_t i = 0; i < operands.length; i++)
        solver_operands(s, op, solver_condition(s, operands.data[i]), &solved);
    return solver_merge(s, op, &solved);
}

static Expr solve_alone(EquationSolver *s, SolverSide side, Expr limit) {
    Expr result = solver_side_build(s, side, solver_small(s, limit));
    Proof proof = solver_prove(s, result);
    return proof == PROOF_UNKNOWN ? result : expr_bool(s->pool, proof == PROOF_HOLDS);
}

static Expr solve_comparison(EquationSolver *s, Expr comparison) {
    enum { MOST_SPLITS = 64 };
    LinearSum sum = {0};
    Op op = comparison->op == OP_LT ? OP_LE : (Op)comparison->op;
    if (!type_is_index(comparison->arguments[0]->type))
        return comparison;
    Expr limit;
    SolverSide side = solver_side(s, comparison, &limit);
    if (side != SIDE_NONE)
        return solve_alone(s, side, limit);
    compare_sum(&sum, comparison);
    if (sum.failed)
        return comparison;
    sum_sort(&sum);
    bool is_outer = !s->comparing;
    if (is_outer)
        s->budget = MOST_SPLITS;
    s->comparing = true;
    Expr result = solver_compare(s, op, sum_build(s->pool, &sum));
    if (is_outer)
        s->comparing = false;
    return is_outer && s->budget < 0 ? comparison : result;
}

static bool is_comparison(Expr expr) {
    return expr->op == OP_LT || expr->op == OP_LE || expr->op == OP_EQ || expr->op == OP_NE;
}

Expr solver_condition(EquationSolver *s, Expr condition) {
    enum { MOST_DEPTH = 48 };
    if (s->depth >= MOST_DEPTH || !solver_mentions(s, condition))
        return condition;
    const Expr *arguments = condition->arguments;
    Expr result = map_get(&s->solved, condition);
    if (result)
        return result;
    result = condition;
    s->depth++;
    if (condition->op == OP_AND || condition->op == OP_OR)
        result = solve_chain(s, condition);
    else if (is_comparison(condition))
        result = solve_comparison(s, condition);
    else if (condition->op == OP_NOT)
        result = negation(s, arguments[0]);
    else if (condition->op == OP_SELECT)
        result = solve_select(s, solver_condition(s, arguments[0]),
                              solver_condition(s, arguments[1]), solver_condition(s, arguments[2]));
    s->depth--;
    map_put(&s->solved, condition, result);
    map_put(&s->solved, result, result);
    return result;
}

/* ---- the entry ---- */

/* `x <= a - 1` as `x < a`, `a + 1 <= x` as `a < x`. */
static Expr make_strict(void *data, Pool *pool, Expr node) {
    const EquationSolver *s = data;
    if (node->op != OP_LE || !type_is_index(node->arguments[0]->type))
        return node;
    bool left = solver_mentions(s, node->arguments[0]);
    Expr limit = node->arguments[left];
    LinearSum sum = {0};
    sum_add(&sum, limit, 1);
    if (sum.failed || sum.constant != (left ? -1 : 1) || solver_mentions(s, limit) ||
        !solver_mentions(s, node->arguments[!left]))
        return node;
    sum.constant = 0;
    sum_sort(&sum);
    limit = sum_build(pool, &sum);
    return left ? expr_binary(pool, OP_LT, node->arguments[0], limit)
                : expr_binary(pool, OP_LT, limit, node->arguments[1]);
}

/* An integer: the terms with the variable first. */
static Expr solve_integer(EquationSolver *s, Expr expr) {
    LinearSum sum = {0}, mentioning = {0}, rest = {0};
    sum_add(&sum, expr, 1);
    if (sum.failed)
        return expr;
    sum_sort(&sum);
    rest.constant = sum.constant;
    for (int i = 0; i < sum.count; i++)
        sum_add_term(solver_mentions(s, sum.terms[i].atom) ? &mentioning : &rest, sum.terms[i].atom,
                     sum.terms[i].coefficient);
    if (!mentioning.count)
        return expr;
    int64_t k;
    Expr first = sum_build(s->pool, &mentioning), atom;
    if (mentioning.count > 1 && solver_one_term(s, &mentioning, &k, &atom))
        first = atom;
    if (!rest.count && !rest.constant)
        return first;
    if (rest.count == 1 && !rest.constant && rest.terms[0].coefficient < 0) {
        Expr taken = sum_build_side(s->pool, &rest, -1, 0);
        return expr_sub(s->pool, first, taken);
    }
    return expr_add(s->pool, first, sum_build(s->pool, &rest));
}

EquationSolver solver_create(Simplifier *simplifier, Expr expr, Symbol variable) {
    EquationSolver s = {.simplifier = simplifier,
                        .pool = simplifier->pool,
                        .arena = simplifier->arena,
                        .condition = solver_condition,
                        .solved = map_create(simplifier->arena),
                        .mentioned = arena_new(simplifier->arena, SolverMentioned)};
    s.mentioned->known = map_create(simplifier->arena);
    Exprs variables = {0};
    expr_variables(s.arena, expr, &variables);
    for (size_t i = 0; i < variables.length; i++)
        if (variables.data[i]->name == variable)
            s.target = variables.data[i];
    return s;
}

Expr simplify_solve(Simplifier *simplifier, Expr expr, Symbol variable) {
    Expr simplified = simplify(simplifier, expr);
    EquationSolver s = solver_create(simplifier, simplified, variable);
    if (!s.target)
        return simplified;
    if (type_is_index(expr->type))
        return solve_integer(&s, simplified);
    if (!type_is_bool(expr->type))
        return simplified;
    ExprMemo memo = expr_memo(s.arena);
    return expr_rewrite(s.pool, &memo, solver_condition(&s, simplified), make_strict, &s);
}

/* choice.c -- parts what depends on the condition of a select.
 *
 *     out[x] <- select(p, f[x], g[x])     ->     if p then specialize
 *                                                  out[x] <- f[x]
 *                                                else
 *                                                  out[x] <- g[x]
 *
 * In each branch every select on the condition has one value, so the store writes what it wrote.
 */
#include "ir/choice.h"

ChoiceOutcome choice_create(Pool *pool, Arena *scratch, Expr condition, bool holds) {
    return (ChoiceOutcome){
        .pool = pool, .condition = condition, .holds = holds, .memo = expr_memo(scratch)};
}

Expr choice_decide_node(void *data, Pool *pool, Expr node) {
    const ChoiceOutcome *choice = data;
    if (node == choice->condition)
        return expr_bool(pool, choice->holds);
    if (node->op == OP_NOT && expr_is_constant(node->arguments[0]))
        return expr_bool(pool, expr_is_false(node->arguments[0]));
    if (node->op == OP_AND || node->op == OP_OR)
        for (int i = 0; i < 2; i++)
            if (expr_is_constant(node->arguments[i]))
                return expr_is_true(node->arguments[i]) == (node->op == OP_AND)
                           ? node->arguments[1 - i]
                           : node->arguments[i];
    if (node->op == OP_SELECT && expr_is_constant(node->arguments[0]))
        return node->arguments[expr_is_true(node->arguments[0]) ? 1 : 2];
    return node;
}

Expr choice_decide(void *data, Expr expr) {
    ChoiceOutcome *choice = data;
    return expr_rewrite(choice->pool, &choice->memo, expr, choice_decide_node, choice);
}

static Stmt *store_where(Program *program, Arena *scratch, const Stmt *store, Expr condition,
                         bool holds) {
    ChoiceOutcome choice = choice_create(program->pool, scratch, condition, holds);
    Stmt *copy = stmt_copy(program, store);
    stmt_map_own_exprs(copy, choice_decide, &choice);
    return copy;
}

Stmt *choice_part(Program *program, Arena *scratch, Stmt *store, Expr condition) {
    Stmt *branch = stmt_create(program, STMT_IF, store->place);
    branch->branch.role = IF_SPECIALIZE;
    branch->branch.condition = condition;
    stmt_insert_before(store, branch);
    stmt_unlink(store);
    block_append(&branch->branch.body, store_where(program, scratch, store, condition, true));
    block_append(&branch->branch.otherwise, store_where(program, scratch, store, condition, false));
    return branch;
}

/* witness.c -- expressions of a nest at the iteration that reaches a point.
 *
 * invert.c gives the iteration: for each loop of the nest an expression over the point.  This file
 * replaces each loop's variable by it, and each let's by its value.
 */
#include "checkers/certify/internal.h"

#include "ir/recurrence.h"

const Stmt *witness_binder(const Witness *witness, Expr variable) {
    return variable->op == OP_VARIABLE ? map_get(&witness->is_bound, variable->name) : NULL;
}

bool witness_mentions(const Witness *witness, Expr expr) {
    Exprs variables = expr_variables_of(witness->walk->arena, expr);
    for (size_t i = 0; i < variables.length; i++)
        if (witness_binder(witness, variables.data[i]))
            return true;
    return false;
}

const Stage *witness_stage(const Witness *witness) {
    const FuncKnowledge *state = walk_state(witness->walk, witness->nest->shape->name);
    return state->func ? func_stage(state->func, witness->nest->stage) : NULL;
}

/* Replaces loops by their iterations and lets by their values, from the outermost on. */
static Expr replace(Witness *witness, Map *replaced, const Map *solved, Expr expr) {
    Pool *pool = witness->walk->pool;
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *stmt = witness->nest->path.data[i];
        bool is_loop = stmt->kind == STMT_FOR;
        Symbol binder = stmt_binder(stmt);
        if (!binder)
            continue;
        Expr variable = expr_variable(pool, binder, is_loop ? INDEX : stmt->let.value->type);
        if (map_get(replaced, variable))
            continue;
        Expr value = is_loop ? map_get(&witness->iteration, binder) : stmt->let.value;
        if (!is_loop && solved && map_get(solved, binder))
            value = map_get(solved, binder);
        if (!value)
            break; /* called for a loop outside this one */
        /* An iteration mentions outer loops if its range does. */
        value = lift_replace(pool, witness->walk->arena, replaced, value);
        map_put(replaced, variable, value);
    }
    return lift_replace(pool, witness->walk->arena, replaced, expr);
}

Expr witness_at(Witness *witness, Expr expr) {
    return replace(witness, &witness->replaced, NULL, expr);
}

Expr witness_step_at(Witness *witness, Expr expr) {
    return replace(witness, &witness->stepped, &witness->solved, expr);
}

Expr witness_root_at(const Witness *witness, const Root *root, const Expr *indices) {
    Pool *pool = witness->walk->pool;
    if (root->dimension >= 0)
        return indices[root->dimension];
    for (int k = 0; k < witness->nest->shape->dimensions; k++) {
        int64_t behind;
        if (recurrence_offset(expr_variable(pool, root->binder, INDEX),
                              witness->nest->store->store.indices[k], &behind))
            return expr_add(pool, indices[k], expr_index(pool, behind));
    }
    return NULL;
}

Expr witness_iteration(CertifyWalk *walk, Witness *witness, const Stmt *loop, const Expr *indices,
                       bool with_reduction) {
    Pool *pool = walk->pool;
    Map offsets = map_create(walk->arena);
    Expr iteration = map_get(&witness->iteration, loop->loop.binder);
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        Expr value = root->dimension < 0 && with_reduction
                         ? expr_variable(pool, root->binder, INDEX)
                         : witness_root_at(witness, root, indices);
        if (value)
            map_put(&offsets, root->offset, expr_sub(pool, value, root->base));
        else if (expr_mentions(walk->arena, iteration, root->offset->name))
            return NULL;
    }
    return lift_replace(pool, walk->arena, &offsets, iteration);
}

/* reach.c -- the goal that an iteration runs and reaches its point:
 *
 *     each loop's variable lies in the loop's interval
 *     conditions around the store hold
 *     each root has the point's value
 *     the store changes the value (blend.c)
 */
#include "checkers/certify/internal.h"

/* Must the condition of an if hold for the iteration to count?  For a write, all conditions must.
 * A predicate of a first stage leaves points out on purpose. */
static bool counts(const Witness *witness, const Stmt *branch, bool writes) {
    if (writes || witness->nest->stage == 0)
        return true;
    return branch->branch.role != IF_PREDICATE &&
           !derived_decides(witness, branch->branch.condition);
}

/* Expressions of the nest at the iteration (witness_at), or in steps. */
typedef Expr ExprAt(Witness *witness, Expr expr);

/* In steps, a let has its solved value. */
static Expr has_solved_value(Witness *witness, const Stmt *let) {
    Pool *pool = witness->walk->pool;
    Expr variable = expr_variable(pool, let->let.binder, let->let.value->type);
    return expr_eq(pool, witness_step_at(witness, let->let.value),
                   witness_step_at(witness, variable));
}

/* Returns the condition that the loops run the iteration, and its conditions hold. */
static Expr runs(Witness *witness, bool writes, ExprAt *at) {
    Pool *pool = witness->walk->pool;
    const StageNest *nest = witness->nest;
    Expr goal = expr_bool(pool, true);
    for (size_t i = 0; i < nest->path.length; i++) {
        const Stmt *stmt = nest->path.data[i];
        if (stmt->kind == STMT_FOR) {
            Extent interval = {at(witness, stmt->loop.interval.minimum),
                               at(witness, stmt->loop.interval.length)};
            Expr variable = expr_variable(pool, stmt->loop.binder, INDEX);
            goal = goal_both(pool, goal, interval_holds(pool, interval, at(witness, variable)));
        } else if (stmt->kind == STMT_IF && counts(witness, stmt, writes)) {
            goal = goal_both(pool, goal, at(witness, nest_condition(witness->walk, nest, i)));
        } else if (stmt->kind == STMT_LET && at == witness_step_at) {
            goal = goal_both(pool, goal, has_solved_value(witness, stmt));
        }
    }
    return goal;
}

static Expr reaches(Witness *witness, bool writes, ExprAt *at) {
    Pool *pool = witness->walk->pool;
    Expr goal = runs(witness, writes, at);
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        Expr value = root->index ? root->index : expr_variable(pool, root->binder, INDEX);
        goal = goal_both(pool, goal, expr_eq(pool, at(witness, value), at(witness, root->point)));
    }
    goal = goal_both(pool, goal, derived_holds(witness, witness_stage(witness)));
    Expr changes = blend_condition(witness->walk, witness->nest->store);
    if (changes)
        goal = goal_both(pool, goal, at(witness, changes));
    return goal;
}

Expr witness_reaches(Witness *witness) {
    return reaches(witness, false, witness_at);
}

Expr witness_steps(Witness *witness) {
    return reaches(witness, false, witness_step_at);
}

Expr witness_writes(Witness *witness) {
    return reaches(witness, true, witness_at);
}

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

/* Returns the condition that the loops run the iteration, and its conditions hold. */
static Expr runs(Witness *witness, bool writes) {
    Pool *pool = witness->walk->pool;
    const StageNest *nest = witness->nest;
    Expr goal = expr_bool(pool, true);
    for (size_t i = 0; i < nest->path.length; i++) {
        const Stmt *stmt = nest->path.data[i];
        if (stmt->kind == STMT_FOR) {
            Extent interval = {witness_at(witness, stmt->loop.interval.minimum),
                               witness_at(witness, stmt->loop.interval.length)};
            Expr variable = expr_variable(pool, stmt->loop.binder, INDEX);
            goal = goal_both(pool, goal,
                             interval_holds(pool, interval, witness_at(witness, variable)));
        } else if (stmt->kind == STMT_IF && counts(witness, stmt, writes)) {
            goal =
                goal_both(pool, goal, witness_at(witness, nest_condition(witness->walk, nest, i)));
        }
    }
    return goal;
}

static Expr reaches(Witness *witness, bool writes) {
    Pool *pool = witness->walk->pool;
    Expr goal = runs(witness, writes);
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        Expr value = root->index ? root->index : expr_variable(pool, root->binder, INDEX);
        goal =
            goal_both(pool, goal,
                      expr_eq(pool, witness_at(witness, value), witness_at(witness, root->point)));
    }
    goal = goal_both(pool, goal, derived_holds(witness, witness_stage(witness)));
    Expr changes = blend_condition(witness->walk, witness->nest->store);
    if (changes)
        goal = goal_both(pool, goal, witness_at(witness, changes));
    return goal;
}

Expr witness_reaches(Witness *witness) {
    return reaches(witness, false);
}

Expr witness_writes(Witness *witness) {
    return reaches(witness, true);
}

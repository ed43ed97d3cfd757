/* derived.c -- variables of a stage that are no roots: a reduction variable that the algorithm has
 * in two parts (ReductionSplit, schedule/directives/split_reduction.c).
 *
 *     for u .. do for ri .. do let r = m + u*k + ri in if r < m + n then f[u] <- f[u] + a[r]
 *
 * Here u is a dimension of the func and ri a reduction variable, so both are roots.  r is none,
 * though it has a let like that of a split.  The algorithm itself leaves out the iterations that
 * the guard leaves out.  So an iteration must give r the algorithm's value, and its guards must
 * hold exactly where the algorithm says.
 *
 * In a program without its algorithm, such a let is recognized by its value: it mentions a
 * dimension, which lets of splits and fuses never do.  The variable is taken to be that value, and
 * to lie in the let's domain; guards must hold where it does.
 */
#include "checkers/certify/internal.h"

#include "ir/walk.h"

bool derived_is(const Witness *witness, Symbol binder) {
    for (size_t i = 0; i < witness->derived.length; i++)
        if (witness->derived.data[i].binder == binder)
            return true;
    return false;
}

static const ReductionSplit *split_of(const Stage *stage, Symbol binder) {
    for (size_t i = 0; stage && i < stage->splits.length; i++)
        if (binder_is_of(binder, stage->splits.data[i].variable))
            return &stage->splits.data[i];
    return NULL;
}

const ContextFact *derived_assume(Witness *witness, const ContextFact *context) {
    CertifyWalk *walk = witness->walk;
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *let = witness->nest->path.data[i];
        if (let->kind != STMT_LET || !derived_is(witness, let->let.binder))
            continue;
        Expr inside = interval_holds(walk->pool, let->let.domain,
                                     expr_variable(walk->pool, let->let.binder, INDEX));
        context = fact_add(walk, context, witness_at(witness, inside));
    }
    return context;
}

/* Is the value a dimension's coordinate, or made of one? */
static bool mentions_dimension(const Witness *witness, Expr value) {
    Exprs variables = expr_variables_of(witness->walk->arena, value);
    for (size_t v = 0; v < variables.length; v++) {
        if (derived_is(witness, variables.data[v]->name))
            return true;
        for (size_t i = 0; i < witness->roots.length; i++)
            if (witness->roots.data[i].binder == variables.data[v]->name)
                return true;
    }
    return false;
}

void derived_find(Witness *witness, const Stage *stage) {
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *let = witness->nest->path.data[i];
        if (let->kind != STMT_LET || let->let.tail == TAIL_NONE)
            continue;
        const ReductionSplit *split = split_of(stage, let->let.binder);
        if (split || (!stage && mentions_dimension(witness, let->let.value)))
            vec_push(witness->walk->arena, &witness->derived, (Derived){let->let.binder, split});
    }
}

bool derived_decides(const Witness *witness, Expr guard) {
    for (size_t i = 0; i < witness->derived.length; i++)
        if (witness->derived.data[i].split &&
            expr_mentions(witness->walk->arena, guard, witness->derived.data[i].binder))
            return true;
    return false;
}

/* Returns the algorithm's variables at the point of the roots. */
static Substitution at_roots(const Witness *witness, const Stage *stage) {
    Substitution points = substitution_create(witness->walk->arena);
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        if (root->dimension >= 0)
            substitution_add(&points, witness->nest->shape->variables[root->dimension],
                             root->point);
        for (size_t r = 0; root->dimension < 0 && r < stage->reduction.length; r++)
            if (binder_is_of(root->binder, stage->reduction.data[r].variable))
                substitution_add(&points, stage->reduction.data[r].variable, root->point);
    }
    return points;
}

Expr derived_holds(Witness *witness, const Stage *stage) {
    Pool *pool = witness->walk->pool;
    Expr goal = expr_bool(pool, true), wanted = goal, guards = goal;
    if (!stage || !stage->splits.length)
        return goal;
    Substitution points = at_roots(witness, stage);
    for (size_t i = stage->splits.length; i-- > 0;) {
        const ReductionSplit *split = &stage->splits.data[i];
        Expr value = substitution_apply(pool, &points, split->value),
             end = expr_add(pool, split->domain.minimum, split->domain.length);
        substitution_add(&points, split->variable, value);
        if (!split->is_exact && !split->is_predicate)
            wanted = goal_both(pool, wanted, witness_at(witness, expr_lt(pool, value, end)));
        if (split->goes_below && !split->is_predicate)
            wanted = goal_both(pool, wanted,
                               witness_at(witness, expr_le(pool, split->domain.minimum, value)));
        for (size_t d = 0; d < witness->derived.length; d++)
            if (witness->derived.data[d].split == split) {
                Expr binder = expr_variable(pool, witness->derived.data[d].binder, INDEX);
                goal = goal_both(
                    pool, goal,
                    expr_eq(pool, witness_at(witness, binder), witness_at(witness, value)));
            }
    }
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *stmt = witness->nest->path.data[i];
        if (stmt->kind == STMT_IF && stmt->branch.role == IF_GUARD &&
            derived_decides(witness, stmt->branch.condition))
            guards = goal_both(pool, guards, witness_at(witness, stmt->branch.condition));
    }
    goal = goal_both(pool, goal, expr_or(pool, expr_not(pool, wanted), guards));
    return goal_both(pool, goal, expr_or(pool, expr_not(pool, guards), wanted));
}

bool derived_hides_domain(const Witness *witness) {
    bool hides = false;
    for (size_t i = 0; i < witness->roots.length && !witness->walk->pipeline; i++)
        hides |= witness->roots.data[i].dimension < 0 && !witness->roots.data[i].is_loop;
    return hides;
}

/* order.c -- reads of a func by a func that shares its loops (schedule/directives/compute_with.c).
 * They stand inside its compute statement, where Lemma 6.2 says nothing.
 *
 *     compute f
 *       label f
 *         label s0
 *           compute g
 *             .. for v: label f [f[v] <- ..]; g[v] <- f[v - 1]
 *
 * The stage of f that contains the read is its last one.  The iteration of the common loops that
 * writes the point is a function of the point (invert.c).  It must come before the iteration that
 * reads it.  Either it is less in an outer loop that runs in order, and equal in the loops further
 * out.  Or it is equal in all, and the write stands first.
 *
 * Two kinds of points need no write.  An earlier run of a slid compute statement left the point.
 * Or the point lies outside an update's reduction domain, and earlier stages wrote it.  If the
 * stage stands in pieces, all this is asked of each piece.
 */
#include "checkers/certify/internal.h"

bool order_is_open(const Stmt *stmt, const FuncKnowledge *state) {
    return state->computing && stmt_is_inside(stmt, state->computing) &&
           stmt_func(stmt) != state->shape->name;
}

/* Returns the label of the func's stage around the statement. */
static const Stmt *stage_around(const Stmt *stmt, const FuncKnowledge *state) {
    for (; stmt != state->computing; stmt = stmt_parent(stmt)) {
        const Stmt *outer = stmt_parent(stmt);
        if (stmt->kind == STMT_LABEL && outer->kind == STMT_LABEL &&
            outer->label.name == state->shape->name)
            return stmt;
    }
    return NULL;
}

bool order_stands_before(const Stmt *first, const Stmt *second) {
    for (; first; first = stmt_parent(first))
        for (const Stmt *other = second; other; other = stmt_parent(other)) {
            if (other->block != first->block)
                continue;
            do
                first = first->next;
            while (first && first != other);
            return first;
        }
    return false;
}

/* Compares from the innermost common loop outward. */
Expr order_is_before(CertifyWalk *walk, Witness *witness, const Stmt *stmt, const Expr *indices) {
    Pool *pool = walk->pool;
    Expr goal = expr_bool(pool, order_stands_before(witness->nest->store, stmt));
    for (size_t i = witness->nest->path.length; i-- > 0;) {
        const Stmt *loop = witness->nest->path.data[i];
        if (loop->kind != STMT_FOR || !stmt_is_inside(stmt, loop))
            continue;
        Expr writes = pieces_iteration(witness, loop, indices),
             reads = expr_variable(pool, loop->loop.binder, INDEX);
        if (!writes)
            return expr_bool(pool, false);
        bool in_order =
            loop->loop.traversal == TRAVERSE_SERIAL || loop->loop.traversal == TRAVERSE_UNROLLED;
        goal = goal_both(pool, expr_eq(pool, writes, reads), goal);
        if (in_order)
            goal = expr_or(pool, expr_lt(pool, writes, reads), goal);
    }
    return goal;
}

/* Returns the condition that the point lies outside the part computed now. */
Expr order_is_left_over(CertifyWalk *walk, const FuncKnowledge *state, const Expr *indices) {
    Expr inside = expr_bool(walk->pool, true);
    for (int k = 0; k < state->shape->dimensions; k++)
        inside = goal_both(walk->pool, inside,
                           interval_holds(walk->pool, state->compute[k], indices[k]));
    return expr_not(walk->pool, inside);
}

/* Returns the condition that none of the update's iterations writes there. */
static Expr is_left_alone(CertifyWalk *walk, Witness *witness, const Expr *indices) {
    Expr written = expr_bool(walk->pool, true);
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        Expr value = root->dimension < 0 ? witness_root_at(witness, root, indices) : NULL;
        if (value && !witness_mentions(witness, root->range.minimum) &&
            !witness_mentions(witness, root->range.length))
            written =
                goal_both(walk->pool, written, interval_holds(walk->pool, root->range, value));
    }
    return expr_not(walk->pool, written);
}

/* Returns the condition that the store has written the point, or never does. */
static Expr is_through(CertifyWalk *walk, const Stmt *store, const Stmt *stmt,
                       const Expr *indices) {
    Witness *witness = map_get(&walk->witnesses, store);
    return witness ? expr_or(walk->pool, is_left_alone(walk, witness, indices),
                             order_is_before(walk, witness, stmt, indices))
                   : expr_bool(walk->pool, false);
}

void order_clause(CertifyWalk *walk, Stmt *stmt, Expr access, const FuncKnowledge *state,
                  const ContextFact *context) {
    const Stmt *label = stage_around(stmt, state);
    Stmts stores = {0};
    if (label && !label->next)
        stores = stores_inside(walk, (Stmt *)label, state->shape, true);
    Expr goal = expr_bool(walk->pool, stores.length > 0);
    for (size_t i = 0; i < stores.length; i++)
        goal =
            goal_both(walk->pool, goal, is_through(walk, stores.data[i], stmt, access->arguments));
    if (state->held != state->compute)
        goal = expr_or(walk->pool, order_is_left_over(walk, state, access->arguments), goal);
    Obligation *obligation = obligation_add(walk, CLAUSE_ORDER, stmt, access->name, goal, NULL);
    obligation->context = context;
    const Witness *witness = stores.length == 1 ? map_get(&walk->witnesses, stores.data[0]) : NULL;
    /* Otherwise other iterations may write the point, too. */
    obligation->is_exact = witness && witness->nest->stage == 0 && !tails_add_points(walk, witness);
    origin_of_access(walk, obligation, access, 0);
}

/* tails.c -- the points that a tail without a guard adds.  Its let goes beyond the loop that it
 * replaces, or its last block begins early and repeats points of the block before.
 *
 *     let v = m + vo*k + vi                 round-up       v reaches beyond m + n - 1
 *     let v = min(m + vo*k, last) + vi      shift-inwards  the last block repeats points
 */
#include "checkers/certify/internal.h"

/* Counts the terms of the sum that are made of the nest's variables; is one of them a least
 * block? */
static int count_terms(const CertifyWalk *walk, const Witness *witness, Expr sum, bool *has_least) {
    Exprs open = {0};
    int count = 0;
    for (vec_push(walk->arena, &open, sum); open.length;) {
        Expr term = open.data[--open.length];
        bool is_made = false;
        if (term->op == OP_ADD) {
            vec_push(walk->arena, &open, term->arguments[0]);
            vec_push(walk->arena, &open, term->arguments[1]);
            continue;
        }
        Exprs variables = expr_variables_of(walk->arena, term);
        for (size_t v = 0; v < variables.length; v++)
            is_made |= map_get(&witness->is_bound, variables.data[v]->name) != NULL;
        count += is_made;
        *has_least |= is_made && term->op == OP_MIN;
    }
    return count;
}

/* Is the let of a tail without a guard?  Such a let goes beyond the loop, or adds to a least
 * block. */
static bool is_unguarded(const CertifyWalk *walk, const Witness *witness, const Stmt *let) {
    bool has_least = false, is_added = false;
    if (let->kind != STMT_LET || let->let.tail == TAIL_NONE)
        return false;
    if (let->let.tail == TAIL_BEYOND)
        return true;
    int terms = count_terms(walk, witness, let->let.value, &has_least);
    for (int a = 0; a < let->let.value->arity; a++)
        is_added |= let->let.value->arguments[a]->op == OP_MIN;
    return has_least && (is_added || terms <= 2);
}

bool tails_add_points(const CertifyWalk *walk, const Witness *witness) {
    for (size_t i = 0; i < witness->nest->path.length; i++)
        if (is_unguarded(walk, witness, witness->nest->path.data[i]))
            return true;
    return false;
}

/* Is the index made of the variable of such a tail?  Lets come before those that mention them. */
static bool runs_beyond(const CertifyWalk *walk, const Witness *witness, Expr index) {
    for (size_t i = witness->nest->path.length; i-- > 0;) {
        const Stmt *let = witness->nest->path.data[i];
        if (let->kind != STMT_LET || !expr_mentions(walk->arena, index, let->let.binder))
            continue;
        if (is_unguarded(walk, witness, let))
            return true;
        index = expr_substitute(walk->pool, walk->arena, index, let->let.binder, let->let.value);
    }
    return false;
}

bool tails_overwrite(CertifyWalk *walk, const Witness *witness, const FuncKnowledge *state,
                     const Stmt *store) {
    const Stmt *compute = state->computing;
    for (const Stmt *stmt = compute;
         compute->compute.held && stmt->block != state->allocate->block;) {
        stmt = stmt_parent(stmt);
        for (int k = 0; stmt->kind == STMT_FOR && k < state->shape->dimensions; k++)
            if (runs_beyond(walk, witness, store->store.indices[k]) &&
                held_depends(walk, compute, k, stmt))
                return true;
    }
    return false;
}

/* Returns the condition that such a tail does not repeat the point: the block begins where it would
 * without the tail, or the point lies after that.  For min(block, last) + inner: block <= last or
 * block <= min(block, last) + inner. */
static Expr is_not_shifted(const CertifyWalk *walk, const Witness *witness, Expr sum) {
    Pool *pool = walk->pool;
    Exprs open = {0}, blocks = {0};
    Expr goal = expr_bool(pool, true), inner = expr_index(pool, 0);
    for (vec_push(walk->arena, &open, sum); open.length;) {
        Expr term = open.data[--open.length];
        for (int a = 0; term->op == OP_ADD && a < 2; a++)
            vec_push(walk->arena, &open, term->arguments[a]);
        if (term->op == OP_MIN)
            vec_push(walk->arena, &blocks, term);
        else if (term->op != OP_ADD && witness_mentions(witness, term))
            inner = expr_add(pool, inner, term);
    }
    for (size_t i = 0; i < blocks.length; i++) {
        const Expr *ends = blocks.data[i]->arguments;
        int block = !witness_mentions(witness, ends[0]);
        Expr behind = expr_le(pool, ends[block], expr_add(pool, blocks.data[i], inner));
        if (blocks.length > 1) /* it is unclear after which block */
            behind = expr_bool(pool, false);
        goal =
            goal_both(pool, goal, expr_or(pool, expr_le(pool, ends[block], ends[!block]), behind));
    }
    return goal;
}

Expr tails_add_none(const CertifyWalk *walk, const Witness *witness) {
    Expr goal = expr_bool(walk->pool, true);
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *let = witness->nest->path.data[i];
        if (!is_unguarded(walk, witness, let))
            continue;
        Expr variable = expr_variable(walk->pool, let->let.binder, INDEX);
        goal = goal_both(walk->pool, goal,
                         let->let.tail == TAIL_BEYOND
                             ? interval_holds(walk->pool, let->let.domain, variable)
                             : is_not_shifted(walk, witness, let->let.value));
    }
    return goal;
}

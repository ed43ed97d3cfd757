/* fold.c -- the clause on folded memory (bounds/fold.c): coordinates that share a place are not
 * needed at the same time.
 *
 * Two questions are asked.  At the compute statement: the held region has fewer than F coordinates
 * in the dimension, so no two of them share a place.  At each write: it shares no place with
 * another held coordinate.  A tail may write beyond the held region, so the write must lie fewer
 * than F before the last held coordinate and fewer than F after the first.
 *
 * One fact is seen in the text: what is held stays until the iteration that needs it.  Between the
 * two run only iterations that hold the same coordinates of this dimension, or those that it slides
 * along:
 *
 *   - no other dimension slides along a loop around or between those that this one slides along;
 *   - the held region in this dimension depends on no loop inside of those;
 *   - a dimension that does not slide depends on no loop at all, or nothing slides.
 *
 * After PASS_FOLD coordinates are places, so a text from there cannot show this.  Then one line
 * says so, and it is open.  In that dimension only the clauses that reads and writes lie in memory
 * are asked.
 */
#include "checkers/certify/internal.h"

static bool slides_along(const Stmt *compute, const Stmt *loop, int *dimension) {
    for (int i = 0; i < compute->compute.slide_count; i++) {
        const Slide *slide = &compute->compute.slides[i];
        if (slide->loop->op == OP_VARIABLE && slide->loop->name == loop->loop.binder) {
            *dimension = slide->dimension;
            return true;
        }
    }
    return false;
}

/* Does the interval depend on the loop, in itself or through lets inside? */
static bool depends(CertifyWalk *walk, Extent interval, const Stmt *loop) {
    Expr ends[] = {walk_expand(walk, interval.minimum), walk_expand(walk, interval.length)};
    return expr_mentions(walk->arena, ends[0], loop->loop.binder) ||
           expr_mentions(walk->arena, ends[1], loop->loop.binder);
}

/* Says why the held values may be lost; null if the text shows that they stay. */
static const char *why_lost(CertifyWalk *walk, const FuncKnowledge *state, int k) {
    const Stmt *compute = state->computing;
    const Block *block = state->allocate->block;
    int own = 0, met = 0, other = -1;
    for (int i = 0; i < compute->compute.slide_count; i++)
        own += compute->compute.slides[i].dimension == k;
    const Stmt *stmt = compute;
    while (stmt->block != block) {
        stmt = stmt_parent(stmt);
        hlc_assert(stmt, "the allocation dominates the compute statement (Lemma 6.2)");
        if (stmt->kind != STMT_FOR)
            continue;
        bool slides = slides_along(compute, stmt, &other);
        if (slides && other == k)
            met++;
        else if (slides && own && met)
            return "another dimension slides along a loop further out";
        else if (met && met < own)
            return "another loop stands between those that it slides along";
        else if ((own ? !met : compute->compute.slide_count > 0) &&
                 depends(walk, state->held[k], stmt))
            return "what is held depends on a loop further in";
    }
    return met == own ? NULL : "a loop that it slides along is gone";
}

static Obligation *ask(CertifyWalk *walk, Stmt *stmt, const FuncKnowledge *state, Expr goal,
                       int k) {
    Obligation *obligation =
        obligation_add(walk, CLAUSE_FOLD, stmt, state->shape->name, goal,
                       arena_format(walk->arena, "the places of %s: %s", state->shape->name->text,
                                    origin_dimension(state->shape, k)));
    origin_of_level(walk, obligation, state->shape->name);
    return obligation;
}

void fold_clauses(CertifyWalk *walk, Stmt *compute) {
    const FuncKnowledge *state = walk_state(walk, compute->compute.func->name);
    const Expr *folds = state->allocate ? state->allocate->allocate.folds : NULL;
    for (int k = 0; folds && k < state->shape->dimensions; k++) {
        if (!folds[k])
            continue;
        ask(walk, compute, state, expr_le(walk->pool, state->held[k].length, folds[k]), k);
        const char *reason = why_lost(walk, state, k);
        obligation_settle(ask(walk, compute, state, NULL, k), !reason,
                          reason ? reason : "what is held stays until it is needed");
    }
}

/* After PASS_FOLD coordinates are places: needed, held and covered were asked before that pass. */
static void ask_places(CertifyWalk *walk, Stmt *allocate, const FuncKnowledge *state, int k) {
    Obligation *obligation = ask(walk, allocate, state, NULL, k);
    obligation->finding = FINDING_OPEN;
    obligation->reason = "its coordinates are places in folded memory: what these hold is asked of "
                         "the program before the pass fold (hlc lower --after=simplify)";
}

/* For hoisted memory: there is room for it. */
void room_clauses(CertifyWalk *walk, Stmt *allocate) {
    const FuncKnowledge *state = walk_state(walk, allocate->allocate.func->name);
    for (int k = 0; k < state->shape->dimensions; k++)
        if (state_has_places(state, k))
            ask_places(walk, allocate, state, k);
    for (int k = 0; allocate->allocate.reserve && k < state->shape->dimensions; k++)
        ask(walk, allocate, state,
            expr_le(walk->pool, allocate->allocate.intervals[k].length,
                    allocate->allocate.reserve[k]),
            k);
}

/* Returns the coordinates that share no place with a held one except themselves: from `length` - F
 * before the held region to F after its beginning. */
static Extent apart_from(Pool *pool, Extent held, Expr fold) {
    Expr twice = expr_mul(pool, fold, expr_index(pool, 2));
    return (Extent){expr_add(pool, held.minimum, expr_sub(pool, held.length, fold)),
                    expr_sub(pool, twice, held.length)};
}

void fold_at_store(CertifyWalk *walk, Stmt *store) {
    const FuncKnowledge *state = walk_state(walk, store->store.func->name);
    const Expr *folds = state->allocate ? state->allocate->allocate.folds : NULL;
    for (int k = 0; folds && state->held && k < state->shape->dimensions; k++) {
        if (!folds[k])
            continue;
        Extent apart = apart_from(walk->pool, state->held[k], folds[k]);
        Obligation *obligation =
            ask(walk, store, state, interval_holds(walk->pool, apart, store->store.indices[k]), k);
        obligation->is_exact = false;
    }
}

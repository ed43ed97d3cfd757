/* partial.c -- covered, of a first stage that leaves points to an update.
 *
 *     label s0
 *       for f.s0.i in .. do if f.s0.i < 0 || n <= f.s0.i then predicate  f[f.s0.i] <- 0
 *     label s1
 *       for f.s1.i in (0, n) do f[f.s1.i] <- f[f.s1.i - 1] + ..
 *
 * What a nest of equations writes, its first stage need not make zero (schedule/needed.c).  So the
 * one clause is of both: each point of the compute region is written by the first stage or by the
 * update, where their predicates hold, too.
 *
 * Such an update reads no point before it has written it, as the distances of its iterations say:
 * the order of reduction loops is not asked about here.  To any other update, which changes what
 * was there, nothing is left.  Without the algorithm it is one that reads other points of its func
 * than that which it writes.
 */
#include "certify/internal.h"

#include <string.h>

/* ---- which update ---- */

/* Which points of its func a write reads. */
typedef struct SelfReads {
    bool own, other;
} SelfReads;

static SelfReads self_reads(Walk *walk, const Stmt *store) {
    const FuncShape *shape = store->store.func;
    size_t size = sizeof(Expr) * (size_t)shape->dimensions;
    Exprs accesses = {0};
    SelfReads reads = {0};
    for (int c = 0; c < shape->components; c++)
        expr_accesses(walk->arena, store->store.values[c], &accesses);
    for (size_t a = 0; a < accesses.length; a++) {
        if (accesses.data[a]->name != shape->name)
            continue;
        bool is_own = !memcmp(accesses.data[a]->arguments, store->store.indices, size);
        reads.own |= is_own;
        reads.other |= !is_own;
    }
    return reads;
}

/* Does it write each point once, and read none before? */
static bool is_recurrence(Walk *walk, const FuncState *state, const Pieces *update) {
    bool is_nest = state->func && state->func->realised && state->func->stages.length == 2;
    for (size_t p = 0; p < update->length; p++) {
        SelfReads reads = self_reads(walk, update->data[p]->nest->store);
        if (reads.own || (!state->func && !reads.other))
            return false;
    }
    return update->length > 0 && (is_nest || !state->func);
}

/* The label of the func's only update, beside that of its first stage; null where there is none. */
static Stmt *find_update(Stmt *first) {
    Stmt *update = NULL;
    for (Stmt *stmt = first->block->first; stmt; stmt = stmt->next) {
        if (stmt == first || stmt->kind != STMT_LABEL)
            continue;
        if (update || strcmp(stmt->label.name->text, "s1"))
            return NULL;
        update = stmt;
    }
    return update;
}

/* ---- what is asked ---- */

/* The coordinates of any point of the compute region; what holds of them. */
static const Fact *assume_point(Walk *walk, const FuncState *state, Expr *coordinates) {
    const Fact *context = walk->context;
    for (int k = 0; k < state->shape->dimensions; k++) {
        Symbol name =
            symbol_fresh(&walk->pool->context->symbols,
                         arena_format(walk->arena, "%s.offset.%s", state->shape->name->text,
                                      origin_dimension(state->shape, k)));
        Expr offset = expr_variable(walk->pool, name, INDEX);
        Interval offsets = {expr_index(walk->pool, 0), state->compute[k].length};
        context = fact_bind(walk, context, offset, offsets);
        coordinates[k] = expr_add(walk->pool, state->compute[k].minimum, offset);
    }
    return context;
}

bool partial_ask(Walk *walk, Stmt *label, const Pieces *pieces) {
    const FuncState *state = walk_state(walk, stmt_parent(label)->label.name);
    Stmt *later = find_update(label);
    const Pieces *update = later ? stage_pieces(walk, later) : NULL;
    if (!update || !is_recurrence(walk, state, update))
        return false;
    Expr coordinates[MAX_DIMENSIONS];
    const Fact *around = walk->context;
    walk->context = assume_point(walk, state, coordinates);
    Expr written = expr_or(walk->pool, pieces_write(pieces, walk, coordinates),
                           pieces_write(update, walk, coordinates));
    Obligation *obligation = obligation_add(
        walk, CLAUSE_COVERED, label, state->shape->name, written,
        arena_format(walk->arena, "the loops of %s and of its update", state->shape->name->text));
    obligation->is_exact = false;
    walk->context = around;
    return true;
}

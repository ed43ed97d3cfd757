/* partial.c -- the clause covered for a first stage that leaves points to an update.
 *
 *     label s0
 *       for f.s0.i in .. do if f.s0.i < 0 || n <= f.s0.i then predicate  f[f.s0.i] <- 0
 *     label s1
 *       for f.s1.i in (0, n) do f[f.s1.i] <- f[f.s1.i - 1] + ..
 *
 * The first stage need not write zero where a nest of equations writes
 * (schedule/recurrence/needed.c).  So one clause is about both: each point of the compute region is
 * written by the first stage or by the update, under their predicates.
 *
 * Such an update reads no point before it has been written.  With the algorithm, the distances of
 * its iterations show that.  Without it, the clause is asked of each read of its own func: the
 * first stage writes the point, or the iteration that writes it comes before (order.c).  The first
 * stage must write all points itself if the update reads the point that it writes, or if its loops
 * and conditions read its func.
 */
#include "checkers/certify/internal.h"

#include <string.h>

/* ---- which update ---- */

static bool reads_own_point(CertifyWalk *walk, const Stmt *store) {
    size_t size = sizeof(Expr) * (size_t)store->store.func->dimensions;
    Exprs reads = store_own_reads(walk, store);
    for (size_t i = 0; i < reads.length; i++)
        if (!memcmp(reads.data[i]->arguments, store->store.indices, size))
            return true;
    return false;
}

typedef struct OwnUse {
    CertifyWalk *walk;
    Symbol func;
    bool found;
} OwnUse;

static Expr note_use(void *data, Expr expr) {
    OwnUse *use = data;
    Exprs accesses = expr_accesses_of(use->walk->arena, expr);
    for (size_t a = 0; a < accesses.length; a++)
        use->found |= accesses.data[a]->name == use->func;
    return expr;
}

/* Does the nest read its func elsewhere than in the values that it writes? */
static bool is_decided_by_own(CertifyWalk *walk, const StageNest *nest) {
    OwnUse use = {.walk = walk, .func = nest->shape->name};
    for (size_t i = 0; i < nest->path.length; i++)
        stmt_map_own_exprs(nest->path.data[i], note_use, &use);
    for (int k = 0; k < nest->shape->dimensions; k++)
        note_use(&use, nest->store->store.indices[k]);
    return use.found;
}

/* Can the update write the points that the first stage leaves to it? */
static bool is_recurrence(CertifyWalk *walk, const FuncKnowledge *state,
                          const StagePieces *update) {
    bool is_nest = state->func && state->func->realised && state->func->stages.length == 2;
    for (size_t p = 0; p < update->length; p++) {
        const StageNest *nest = update->data[p]->nest;
        if (reads_own_point(walk, nest->store) || (!state->func && is_decided_by_own(walk, nest)))
            return false;
    }
    return update->length > 0 && (is_nest || !state->func);
}

/* Returns the label of the func's only update, after that of its first stage; null if there is
 * none. */
static Stmt *find_update(Stmt *first) {
    Stmt *update = NULL;
    for (Stmt *stmt = first->next; stmt; stmt = stmt->next) {
        if (stmt->kind != STMT_LABEL)
            continue;
        if (update || strcmp(stmt->label.name->text, "s1"))
            return NULL;
        update = stmt;
    }
    return update;
}

/* ---- the clause ---- */

/* Makes variables for the coordinates of any point of the compute region, with their facts. */
static const ContextFact *assume_point(CertifyWalk *walk, const FuncKnowledge *state,
                                       Expr *coordinates) {
    const ContextFact *context = walk->context;
    for (int k = 0; k < state->shape->dimensions; k++) {
        Symbol name =
            symbol_fresh(&walk->pool->context->symbols,
                         arena_format(walk->arena, "%s.offset.%s", state->shape->name->text,
                                      origin_dimension(state->shape, k)));
        Expr offset = expr_variable(walk->pool, name, INDEX);
        Extent offsets = {expr_index(walk->pool, 0), state->compute[k].length};
        context = fact_bind(walk, context, offset, offsets);
        coordinates[k] = expr_add(walk->pool, state->compute[k].minimum, offset);
    }
    return context;
}

/* Returns `first || later`, one conjunct of `first` at a time.  Most conjuncts, such as that loops
 * reach a point, hold whatever the update does, and are proved as for any stage.  The predicate
 * remains. */
static Expr either_writes(CertifyWalk *walk, Expr first, Expr later) {
    Exprs parts = {0};
    Expr goal = expr_bool(walk->pool, true);
    goal_parts(walk->arena, first, &parts);
    for (size_t i = 0; i < parts.length; i++)
        goal = goal_both(walk->pool, goal, expr_or(walk->pool, parts.data[i], later));
    return parts.length ? goal : expr_or(walk->pool, first, later);
}

bool partial_ask(CertifyWalk *walk, Stmt *label, const StagePieces *pieces) {
    const FuncKnowledge *state = walk_state(walk, stmt_parent(label)->label.name);
    Stmt *later = find_update(label);
    const StagePieces *update = later ? stage_pieces(walk, later) : NULL;
    if (!update || !is_recurrence(walk, state, update))
        return false;
    Expr coordinates[MAX_DIMENSIONS];
    const ContextFact *context = assume_point(walk, state, coordinates);
    Expr written = either_writes(walk, pieces_write(pieces, walk, coordinates),
                                 pieces_write(update, walk, coordinates));
    Obligation *obligation = obligation_add(
        walk, CLAUSE_COVERED, label, state->shape->name, written,
        arena_format(walk->arena, "the loops of %s and of its update", state->shape->name->text));
    obligation->context = context;
    obligation->is_exact = false;
    if (!state->func)
        map_put(&walk->partial, later, (void *)pieces);
    return true;
}

/* ---- the update's reads ---- */

/* Asks that one of the update's pieces wrote the point before.  By `covered` one of them writes it
 * if the first stage does not.  If there are several pieces, the question is which. */
static Expr wrote_before(CertifyWalk *walk, const Witness *witness, const Stmt *store,
                         const Expr *indices) {
    Expr any = expr_bool(walk->pool, false);
    for (size_t p = 0; p < witness->pieces->length; p++) {
        StagePieces one = {0};
        Witness *piece = witness->pieces->data[p];
        vec_push(walk->arena, &one, piece);
        Expr before = order_is_before(walk, piece, store, indices);
        if (witness->pieces->length > 1)
            before = goal_both(walk->pool, before, pieces_write(&one, walk, indices));
        any = p == 0 ? before : expr_or(walk->pool, any, before);
    }
    return any;
}

void partial_at_store(CertifyWalk *walk, const Witness *witness, Stmt *store) {
    const StagePieces *first = map_get(&walk->partial, witness->nest->label);
    const FuncKnowledge *state = walk_state(walk, store->store.func->name);
    Exprs reads = store_own_reads(walk, store);
    if (!first)
        return;
    const ContextFact *context = write_hits(walk, store, state);
    for (size_t i = 0; i < reads.length; i++) {
        const Expr *indices = reads.data[i]->arguments;
        Expr written = expr_or(walk->pool, wrote_before(walk, witness, store, indices),
                               pieces_write(first, walk, indices));
        if (state->held != state->compute)
            written = expr_or(walk->pool, order_is_left_over(walk, state, indices), written);
        Obligation *obligation =
            obligation_add(walk, CLAUSE_ORDER, store, state->shape->name, written, NULL);
        obligation->context = context;
        obligation->is_exact = false;
        origin_of_access(walk, obligation, reads.data[i], 0);
    }
}

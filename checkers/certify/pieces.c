/* pieces.c -- stages with several writes: those of updates that write several places at once, and
 * those whose loops stand in several pieces, with a write each, as PASS_PARTITION leaves them:
 *
 *     for x'2 in (m, begin - m) ..    for x in (begin, stop - begin) ..    for x'3 in (stop, ..) ..
 *
 * A point is covered if one of the pieces reaches it.  A point that is updated once must be reached
 * by one piece only; writes of one iteration are one piece for that.
 *
 * Each piece's witness has its own variables for the point.  To compare two pieces, the variables
 * of one replace those of the other, root by root.  A piece with other roots does not count for
 * `covered`, and is never known to be apart.
 */
#include "checkers/certify/internal.h"

#include "ir/walk.h"

#include <string.h>

/* ---- the pieces of a stage ---- */

typedef struct StoreSearch {
    Arena *arena;
    const FuncShape *shape;
    bool enters_all;
    Stmts stores;
} StoreSearch;

static bool find_store(void *data, Stmt *stmt) {
    StoreSearch *search = data;
    if (stmt->kind == STMT_STORE && stmt->store.func == search->shape)
        vec_push(search->arena, &search->stores, stmt);
    return search->enters_all || stmt->kind != STMT_COMPUTE || stmt_is_grouped(stmt);
}

Stmts stores_inside(CertifyWalk *walk, Stmt *label, const FuncShape *shape, bool enters_all) {
    StoreSearch search = {.arena = walk->arena, .shape = shape, .enters_all = enters_all};
    block_visit(&label->label.body, &(StmtVisitor){.data = &search, .enter = find_store});
    return search.stores;
}

/* Makes the nest of a write.  The write belongs to the stage around it, whatever its own name
 * says. */
static StageNest nest_of(CertifyWalk *walk, Stmt *label, Stmt *store) {
    StageNest nest = {
        .label = label, .store = store, .shape = store->store.func, .stage = store->store.stage};
    stage_number(label, &nest.stage);
    Vec(Stmt *) up = {0};
    for (Stmt *stmt = stmt_parent(store); stmt && stmt != label; stmt = stmt_parent(stmt))
        vec_push(walk->arena, &up, stmt);
    while (up.length)
        vec_push(walk->arena, &nest.path, up.data[--up.length]);
    return nest;
}

StagePieces *stage_pieces(CertifyWalk *walk, Stmt *label) {
    const FuncKnowledge *state = walk_state(walk, stmt_parent(label)->label.name);
    Stmts stores = stores_inside(walk, label, state->shape, false);
    StagePieces *pieces = arena_new(walk->arena, StagePieces);
    for (size_t i = 0; i < stores.length; i++) {
        StageNest *nest = arena_new(walk->arena, StageNest);
        Witness *witness = arena_new(walk->arena, Witness);
        *nest = nest_of(walk, label, stores.data[i]);
        *witness = witness_find(walk, nest);
        witness->pieces = pieces;
        map_put(&walk->witnesses, nest->store, witness);
        vec_push(walk->arena, pieces, witness);
    }
    return pieces;
}

/* ---- their points ---- */

/* Are they the same dimension, or reduction variables whose loops differ only in a suffix of
 * partition? */
static bool is_same_variable(const Root *a, const Root *b) {
    if (a->dimension >= 0 || b->dimension >= 0)
        return a->dimension == b->dimension;
    size_t length = strcspn(a->binder->text, "'");
    return length == strcspn(b->binder->text, "'") &&
           strncmp(a->binder->text, b->binder->text, length) == 0;
}

static bool is_comparable(const Witness *a, const Witness *b) {
    if (a->roots.length != b->roots.length)
        return false;
    for (size_t i = 0; i < a->roots.length; i++)
        if (!is_same_variable(&a->roots.data[i], &b->roots.data[i]))
            return false;
    return true;
}

/* Returns `claim` of the piece (witness_reaches, witness_writes) if the roots have these values;
 * null: any value.  If the range of a reduction variable depends on others, those stand before
 * it. */
static Expr at_points(Witness *piece, const Expr *points, Expr claim) {
    CertifyWalk *walk = piece->walk;
    Exprs from = {0}, to = {0};
    for (size_t i = 0; i < piece->roots.length; i++) {
        const Root *root = &piece->roots.data[i];
        if (!points[i])
            continue;
        Map known = map_create(walk->arena); /* the old map remembers values without this root */
        for (size_t k = 0; k < from.length; k++)
            map_put(&known, from.data[k], to.data[k]);
        Expr minimum = lift_replace(walk->pool, walk->arena, &known, witness_at(piece, root->base));
        vec_push(walk->arena, &from, witness_at(piece, root->point));
        vec_push(walk->arena, &to, points[i]);
        vec_push(walk->arena, &from, root->offset);
        vec_push(walk->arena, &to, expr_sub(walk->pool, points[i], minimum));
    }
    Map known = map_create(walk->arena);
    for (size_t k = 0; k < from.length; k++)
        map_put(&known, from.data[k], to.data[k]);
    return lift_replace(walk->pool, walk->arena, &known, claim);
}

static Expr reaches_at(Witness *piece, const Expr *points) {
    return at_points(piece, points, witness_reaches(piece));
}

bool pieces_is_first(const Witness *witness) {
    for (size_t p = 0; witness->pieces->data[p] != witness; p++) {
        const Witness *other = witness->pieces->data[p];
        bool same = is_comparable(witness, other);
        for (size_t i = 0; same && i < witness->roots.length; i++)
            same = witness->roots.data[i].range.minimum == other->roots.data[i].range.minimum &&
                   witness->roots.data[i].range.length == other->roots.data[i].range.length;
        if (same)
            return false;
    }
    return true;
}

static bool is_among(const Exprs *exprs, Expr expr) {
    for (size_t i = 0; i < exprs->length; i++)
        if (exprs->data[i] == expr)
            return true;
    return false;
}

/* Returns the common conjuncts of all goals, and the disjunction of the rests. */
static Expr one_of(CertifyWalk *walk, const Exprs *goals, size_t count) {
    Pool *pool = walk->pool;
    Expr common = expr_bool(pool, true), any = expr_bool(pool, false);
    for (size_t g = 0; g < count; g++) {
        Expr rest = expr_bool(pool, true);
        for (size_t i = 0; i < goals[g].length; i++) {
            size_t having = 0;
            for (size_t other = 0; other < count; other++)
                having += is_among(&goals[other], goals[g].data[i]);
            if (having < count)
                rest = goal_both(pool, rest, goals[g].data[i]);
            else if (g == 0)
                common = goal_both(pool, common, goals[g].data[i]);
        }
        any = g == 0 ? rest : expr_or(pool, any, rest);
    }
    return goal_both(pool, common, any);
}

Expr pieces_reach(const Witness *witness) {
    CertifyWalk *walk = witness->walk;
    const StagePieces *pieces = witness->pieces;
    Expr *points = arena_array(walk->arena, Expr, witness->roots.length + 1);
    Exprs *goals = arena_array(walk->arena, Exprs, pieces->length);
    size_t count = 0;
    for (size_t i = 0; i < witness->roots.length; i++)
        points[i] = witness_at((Witness *)witness, witness->roots.data[i].point);
    for (size_t p = 0; p < pieces->length; p++) {
        Witness *piece = pieces->data[p];
        if (!is_comparable(witness, piece))
            continue;
        Expr goal = piece == witness ? witness_reaches(piece) : reaches_at(piece, points);
        goals[count] = (Exprs){0};
        goal_parts(walk->arena, goal, &goals[count++]);
    }
    return one_of(walk, goals, count);
}

/* Are they two writes of one iteration, of an update that writes several places at once? */
static bool are_at_once(const Witness *a, const Witness *b) {
    const Pipeline *pipeline = a->walk->pipeline;
    const Func *func = pipeline ? pipeline_func(pipeline, a->nest->shape->name) : NULL;
    const Stage *stage = func ? func_stage(func, a->nest->stage) : NULL;
    return stage && stage->writes && a->nest->store->block == b->nest->store->block;
}

Expr pieces_are_apart(const Witness *witness) {
    CertifyWalk *walk = witness->walk;
    Pool *pool = walk->pool;
    Expr goal = expr_bool(pool, true);
    Expr *points = arena_array(walk->arena, Expr, witness->roots.length + 1);
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        points[i] = root->index ? root->index : expr_variable(pool, root->binder, INDEX);
    }
    for (size_t p = 0; witness->pieces->data[p] != witness; p++) {
        Witness *other = witness->pieces->data[p];
        if (are_at_once(witness, other))
            continue;
        goal = goal_both(pool, goal,
                         is_comparable(witness, other) ? expr_not(pool, reaches_at(other, points))
                                                       : expr_bool(pool, false));
    }
    return goal;
}

/* Are all variables in the value of a let known?  Coordinates may mention variables of the nest, at
 * another iteration than the one that writes there. */
static bool is_told(const Witness *piece, const Substitution *told, Expr value) {
    Exprs variables = expr_variables_of(piece->walk->arena, value);
    for (size_t i = 0; i < variables.length; i++)
        if (map_get(&piece->is_bound, variables.data[i]->name) &&
            !map_get(&told->by_name, variables.data[i]->name))
            return false;
    return true;
}

/* Returns the variables of the nest that the coordinates of the written point determine. */
static Substitution told_by(const Witness *piece, const Expr *coordinates) {
    Substitution told = substitution_create(piece->walk->arena);
    const StageNest *nest = piece->nest;
    for (int k = 0; k < nest->shape->dimensions; k++) {
        Expr index = nest->store->store.indices[k];
        if (index->op == OP_VARIABLE && map_get(&piece->is_bound, index->name))
            substitution_add(&told, index->name, coordinates[k]);
    }
    for (size_t i = 0; i < nest->path.length; i++) {
        const Stmt *let = nest->path.data[i];
        if (let->kind != STMT_LET || map_get(&told.by_name, let->let.binder))
            continue;
        if (is_told(piece, &told, let->let.value))
            substitution_add(&told, let->let.binder,
                             substitution_apply(piece->walk->pool, &told, let->let.value));
    }
    return told;
}

/* Returns the coordinates of a point, root by root.  False if the coordinates do not determine a
 * reduction variable, which then has no value. */
static bool find_points(Witness *piece, const Expr *coordinates, Expr *points) {
    Substitution told = told_by(piece, coordinates);
    bool all = true;
    for (size_t i = 0; i < piece->roots.length; i++) {
        const Root *root = &piece->roots.data[i];
        points[i] = root->dimension >= 0 ? coordinates[root->dimension]
                                         : map_get(&told.by_name, root->binder);
        if (!points[i])
            points[i] = witness_root_at(piece, root, coordinates);
        all &= points[i] != NULL;
    }
    return all;
}

Expr pieces_iteration(Witness *piece, const Stmt *loop, const Expr *coordinates) {
    Expr *points = arena_array(piece->walk->arena, Expr, piece->roots.length + 1);
    Expr variable = expr_variable(piece->walk->pool, loop->loop.binder, INDEX);
    find_points(piece, coordinates, points);
    Expr iteration = at_points(piece, points, witness_at(piece, variable));
    for (size_t i = 0; i < piece->roots.length; i++)
        if (!points[i] &&
            expr_mentions(piece->walk->arena, iteration, piece->roots.data[i].offset->name))
            return NULL;
    return iteration;
}

Expr pieces_write(const StagePieces *pieces, CertifyWalk *walk, const Expr *coordinates) {
    Exprs *goals = arena_array(walk->arena, Exprs, pieces->length + 1);
    size_t count = 0;
    for (size_t p = 0; p < pieces->length; p++) {
        Witness *piece = pieces->data[p];
        Expr *points = arena_array(walk->arena, Expr, piece->roots.length + 1);
        if (!find_points(piece, coordinates, points))
            continue;
        Expr goal = at_points(piece, points, witness_writes(piece));
        for (int k = 0; k < piece->nest->shape->dimensions; k++) {
            Expr index = witness_at(piece, piece->nest->store->store.indices[k]);
            goal = goal_both(walk->pool, goal,
                             expr_eq(walk->pool, at_points(piece, points, index), coordinates[k]));
        }
        goal_parts(walk->arena, goal, &goals[count++]);
    }
    return count ? one_of(walk, goals, count) : expr_bool(walk->pool, false);
}

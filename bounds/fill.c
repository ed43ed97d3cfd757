/* fill.c -- replaces the holes by the results.
 *
 * One pass over the program replaces the cpu and for holes; mem holes occur in allocate statements
 * only.  Then each let that something mentions is put around the rest of its block.  Allocations of
 * producers come before the consumers whose bounds they mention.
 *
 * A func that only some of several outputs need is put under a condition: one of their windows has
 * points.  If funcs share loops, the condition is in the computed region of each (oracle.c).
 *
 *     compute f on [(?cpu.f.x.min, ..)]        let f.x.min = ..
 *       ..                               ->      let f.x.max = ..
 *                                                  compute f on [(f.x.min, f.x.max - f.x.min + 1)]
 *                                                    ..
 */
#include "bounds/inference.h"

#include <string.h>

/* ---- which lets are used ---- */

static void mark_used(BoundsInference *bounds, Expr expr) {
    Exprs variables = expr_variables_of(bounds->arena, expr);
    for (size_t i = 0; i < variables.length; i++) {
        LetBinding *let = map_get(&bounds->lets_by_name, variables.data[i]->name);
        if (let)
            let->used = true;
    }
}

static void mark_intervals(BoundsInference *bounds, const Extent *intervals, int count) {
    for (int k = 0; k < count; k++) {
        mark_used(bounds, intervals[k].minimum);
        mark_used(bounds, intervals[k].length);
    }
}

static void mark_realization(BoundsInference *bounds, const Realization *realization) {
    if (realization->held)
        mark_intervals(bounds, realization->held, realization->shape->dimensions);
    mark_intervals(bounds, realization->compute, realization->shape->dimensions);
    mark_intervals(bounds, realization->allocate->allocate.intervals,
                   realization->shape->dimensions);
    for (int k = 0; realization->allocate->allocate.reserve && k < realization->shape->dimensions;
         k++)
        mark_used(bounds, realization->allocate->allocate.reserve[k]);
}

static void mark_lets(BoundsInference *bounds, const BoundsResult *result) {
    for (size_t i = 0; i < bounds->funcs.length; i++)
        for (size_t k = 0; k < bounds->funcs.data[i]->realizations.length; k++)
            mark_realization(bounds, bounds->funcs.data[i]->realizations.data[k]);
    for (size_t i = 0; i < result->funcs.length; i++)
        mark_intervals(bounds, result->funcs.data[i]->asserted, result->funcs.data[i]->dimensions);
    for (size_t i = 0; i < result->images.length; i++)
        mark_intervals(bounds, result->images.data[i]->asserted,
                       result->images.data[i]->dimensions);
    for (size_t i = bounds->lets.length; i-- > 0;)
        if (bounds->lets.data[i]->used)
            mark_used(bounds, bounds->lets.data[i]->value);
}

/* ---- funcs that not all outputs need ---- */

/* compute f on ..: s  becomes  compute f on ..: if some window that needs f has points then s.
 * So does what is skipped in iterations that a guard masks (required_region.c). */
static void put_condition(BoundsInference *bounds, Stmt *compute, Expr condition) {
    Stmt *branch = stmt_create(bounds->program, STMT_IF, compute->place);
    branch->branch.role = IF_PLAIN;
    branch->branch.condition = condition;
    block_move_all(&branch->branch.body, &compute->compute.body);
    block_append(&compute->compute.body, branch);
}

typedef struct UpdateSearch {
    Arena *arena;
    Symbol func;
    Vec(Stmt *)
        firsts; /* of the writes of each update, the first, or the outermost let that holds for them */
} UpdateSearch;

static bool find_updates(void *data, Stmt *stmt) {
    UpdateSearch *search = data;
    const Stmt *stage = stmt->kind == STMT_STORE ? stmt_stage(stmt) : NULL;
    bool is_first = !stmt->previous || stmt->previous->kind != STMT_STORE;
    if (!stage || !is_first || stmt_func(stmt) != search->func ||
        strcmp(stage->label.name->text, "s0") == 0)
        return true;
    while (stmt_parent(stmt)->kind == STMT_LET && stmt_holds(stmt_parent(stmt)))
        stmt = stmt_parent(stmt);
    vec_push(search->arena, &search->firsts, stmt);
    return true;
}

/* The funcs of compute-with share loops, so no condition can stand around a whole compute statement. The
 * first stage has no iterations where its func is not needed.  An update may have some, over a
 * reduction, or write one point: its writes are made conditional. */
static void put_condition_in_updates(BoundsInference *bounds, Stmt *compute, Expr condition) {
    UpdateSearch search = {.arena = bounds->arena, .func = compute->compute.func->name};
    block_visit(&compute->compute.body, &(StmtVisitor){&search, find_updates, NULL});
    for (size_t i = 0; i < search.firsts.length; i++) {
        Stmt *first = search.firsts.data[i], *next = first;
        Stmt *branch = stmt_create(bounds->program, STMT_IF, first->place);
        branch->branch.role = IF_PLAIN;
        branch->branch.condition = condition;
        stmt_insert_before(first, branch);
        do {
            Stmt *moved = next;
            next = moved->next;
            stmt_unlink(moved);
            block_append(&branch->branch.body, moved);
        } while (first->kind == STMT_STORE && next && next->kind == STMT_STORE);
    }
}

/* ---- putting them ---- */

static void put_lets(BoundsInference *bounds, const BlockLets *lets) {
    Stmt *outermost = NULL, *innermost = NULL;
    for (size_t i = 0; i < lets->lets.length; i++) {
        const LetBinding *let = lets->lets.data[i];
        if (!let->used)
            continue;
        Stmt *stmt = stmt_create(bounds->program, STMT_LET, NOWHERE);
        stmt->let.binder = let->name;
        stmt->let.value = let->value;
        stmt->let.tail = TAIL_NONE;
        if (innermost)
            block_append(&innermost->let.body, stmt);
        else
            outermost = stmt;
        innermost = stmt;
    }
    if (!innermost)
        return;
    block_move_all(&innermost->let.body, lets->block);
    block_append(lets->block, outermost);
}

static Expr without_holes(void *data, Pool *pool, Expr node) {
    (void)pool;
    return node->op == OP_HOLE ? inference_resolve(data, node) : node;
}

typedef struct Filling {
    BoundsInference *bounds;
    ExprMemo memo;
} Filling;

static Expr fill_expr(void *data, Expr expr) {
    Filling *filling = data;
    if (!expr_holds(expr, HOLDS_HOLE))
        return expr;
    return expr_rewrite(filling->bounds->pool, &filling->memo, expr, without_holes,
                        filling->bounds);
}

static bool put_held(void *data, Stmt *stmt) {
    BoundsInference *bounds = data;
    if (stmt->kind != STMT_COMPUTE)
        return true;
    const Realization *realization = realization_of_compute(bounds, stmt);
    if (realization->held) {
        int dimensions = realization->shape->dimensions, count = (int)realization->slides.length;
        stmt->compute.held = arena_array(bounds->program->arena, Extent, dimensions);
        stmt->compute.slides = arena_array(bounds->program->arena, Slide, count);
        memcpy(stmt->compute.held, realization->held, sizeof(Extent) * (size_t)dimensions);
        memcpy(stmt->compute.slides, realization->slides.data, sizeof(Slide) * (size_t)count);
        stmt->compute.slide_count = count;
    }
    return true;
}

/* ---- conditions ---- */

static void put_skipping(BoundsInference *bounds, Stmt *compute) {
    Expr condition = required_region_skipping(bounds, realization_of_compute(bounds, compute));
    if (!condition)
        return;
    mark_used(bounds, condition);
    put_condition(bounds, compute, condition);
}

static void put_conditions(BoundsInference *bounds) {
    for (size_t i = 0; i < bounds->funcs.length; i++) {
        const FuncSolution *solution = bounds->funcs.data[i];
        const FuncSites *sites = program_func(bounds->program, solution->shape->name);
        Expr condition = output_condition(bounds, solution->needed_by);
        if (condition)
            mark_used(bounds, condition);
        for (size_t k = 0; condition && k < sites->computes.length; k++) {
            Stmt *compute = sites->computes.data[k];
            if (realization_of_compute(bounds, compute)->shares)
                put_condition_in_updates(bounds, compute, condition);
            else
                put_condition(bounds, compute, condition);
        }
        for (size_t k = 0; k < sites->computes.length; k++)
            put_skipping(bounds, sites->computes.data[k]);
    }
}

void fill_holes(BoundsInference *bounds, const BoundsResult *result) {
    block_visit(&bounds->program->body, &(StmtVisitor){bounds, put_held, NULL});
    Filling filling = {bounds, expr_memo(bounds->arena)};
    block_map_exprs(&bounds->program->body, fill_expr, &filling);
    put_conditions(bounds);
    mark_lets(bounds, result);
    for (size_t i = 0; i < bounds->blocks.length; i++)
        put_lets(bounds, bounds->blocks.data[i]);
    put_lengths(bounds);
}

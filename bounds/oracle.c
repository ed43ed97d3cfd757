/* oracle.c -- the order of work: from the last-defined func to the first, then memory, then the
 * regions in startup scope, then the holes.
 *
 * A solution is never revised.  A producer's region mentions its consumers' loops, whose bounds are
 * known by then.  Nothing mentions a producer's bounds.
 */
#include "bounds/inference.h"
#include "bounds/startup.h"

static BoundsInference *inference_create(Program *program, const Pipeline *pipeline,
                                         const BoundRequests *requests, bool explains,
                                         Arena *arena) {
    BoundsInference *bounds = arena_new(arena, BoundsInference);
    Map *const maps[] = {&bounds->by_func,       &bounds->image_index,  &bounds->binders,
                         &bounds->lets_by_block, &bounds->lets_by_name, &bounds->views,
                         &bounds->resolved,      &bounds->expanded,     &bounds->hole_realizations,
                         &bounds->written,       &bounds->needed,       &bounds->narrowed,
                         &bounds->parted};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        *maps[i] = map_create(arena);
    bounds->program = program;
    bounds->pipeline = pipeline;
    bounds->requests = requests;
    bounds->explains = explains;
    bounds->pool = program->pool;
    bounds->arena = arena;
    bounds->context = program->pool->context;
    bounds->simplifier = simplifier_create(program->pool, arena);
    bounds->expansion = expr_memo(arena);
    bounds->shortening = expr_memo(arena);
    bounds->required_region_at = required_region_at;
    return bounds;
}

/* ---- facts at startup ---- */

static void learn_at_least(BoundsInference *bounds, int64_t least, Expr expr) {
    simplifier_learn(bounds->simplifier,
                     expr_le(bounds->pool, expr_index(bounds->pool, least), expr));
}

/* Learns the conditions that directives put on startup expressions: the assertions of `split` at
 * the top, and 0 <= r < m of align-bounds. */
static void learn_directives(BoundsInference *bounds) {
    for (const Stmt *stmt = bounds->program->body.first; stmt; stmt = stmt->next)
        if (stmt->kind == STMT_ASSERT)
            simplifier_learn(bounds->simplifier, stmt->assertion.condition);
    for (size_t i = 0; i < bounds->requests->requests.length; i++) {
        const BoundRequest *request = &bounds->requests->requests.data[i];
        if (request->kind != BOUND_ALIGN)
            continue;
        learn_at_least(bounds, 1, request->modulus);
        learn_at_least(bounds, 0, request->remainder);
        simplifier_learn(bounds->simplifier,
                         expr_lt(bounds->pool, request->remainder, request->modulus));
    }
}

static void learn_startup(BoundsInference *bounds) {
    startup_learn(bounds->simplifier, bounds->pool, bounds->pipeline);
    learn_directives(bounds);
    bounds->startup = simplifier_mark(bounds->simplifier);
}

/* ---- realizations ---- */

/* Returns `length` if the condition holds, else 0. */
static Expr length_where(BoundsInference *bounds, Expr condition, Expr length) {
    FactMark mark = simplifier_mark(bounds->simplifier);
    simplifier_learn(bounds->simplifier, condition);
    length = simplify(bounds->simplifier, length);
    simplifier_release(bounds->simplifier, mark);
    Expr zero = expr_index(bounds->pool, 0);
    return simplify(bounds->simplifier, expr_select(bounds->pool, condition, length, zero));
}

/* Makes the realization compute nothing if nothing of its func is read.  `lengths` are the lengths
 * of its region, before large ones got a name. */
static void empty_unread(BoundsInference *bounds, Realization *realization, const Expr *lengths) {
    int k = required_region_emptied_dimension(bounds, realization);
    if (k < 0)
        return;
    const Block *base = realization_block(realization);
    Expr length = length_where(bounds, required_region_condition(bounds, realization), lengths[k]);
    realization->compute[k].length =
        inference_name(bounds, base, length,
                       arena_format(bounds->arena, "%s.%s.some", realization->shape->name->text,
                                    realization->shape->variables[k]->text));
}

static void solve_realization(BoundsInference *bounds, Realization *realization) {
    const Block *base = realization_block(realization);
    const RequiredRegion *required = required_region_at(bounds, realization, base);
    Expr condition = output_condition_of(bounds, realization), lengths[MAX_DIMENSIONS];
    inference_enter(bounds, base);
    for (int k = 0; k < realization->shape->dimensions; k++) {
        const char *stem = arena_format(bounds->arena, "%s.%s.len", realization->shape->name->text,
                                        realization->shape->variables[k]->text);
        Expr length = range_length(bounds, required->compute[k]);
        if (condition)
            length = expr_select(bounds->pool, condition, length, expr_index(bounds->pool, 0));
        lengths[k] = length;
        realization->compute[k] =
            (Extent){required->compute[k].lower, inference_name(bounds, base, length, stem)};
    }
    realization->solved = true;
    if (bounds->is_sliding && !condition)
        slide_realization(bounds, realization);
    if (!realization->held)
        empty_unread(bounds, realization, lengths);
}

/* Returns the block in which hoisted memory is taken. */
static const Block *hoist_block(const Stmt *allocate) {
    const Stmt *stmt = allocate;
    for (int left = allocate->allocate.hoisted; left; left -= stmt->kind == STMT_FOR)
        stmt = stmt_parent(stmt);
    return stmt->block;
}

/* Of a length inside of loops: 0 where they have no iteration, and it may be negative. */
static Expr length_or_none(BoundsInference *bounds, Expr length) {
    Expr zero = expr_index(bounds->pool, 0);
    return simplify(bounds->simplifier, expr_max(bounds->pool, length, zero));
}

/* Makes the memory as long as the longest of all iterations that share it. */
static void reserve_memory(BoundsInference *bounds, Stmt *allocate) {
    int dimensions = allocate->allocate.func->dimensions;
    const Block *base = hoist_block(allocate);
    Interval whole[MAX_DIMENSIONS];
    bool is_known = false;
    if (!allocate->allocate.hoisted)
        return;
    allocate->allocate.reserve = arena_array(bounds->program->arena, Expr, dimensions + 1);
    for (int k = 0; k < dimensions; k++) {
        Expr longest = view_greatest(view_from(bounds, base, false), allocate,
                                     allocate->allocate.intervals[k].length);
        if (!longest && !is_known)
            memory_at(bounds, allocate, base, whole);
        is_known |= !longest;
        inference_enter(bounds, base);
        allocate->allocate.reserve[k] =
            longest ? length_or_none(bounds, longest) : range_length(bounds, whole[k]);
    }
}

/* Takes the coordinates from memory that holds nothing (arms.c), unless it has a constant size. */
static void empty_memory(BoundsInference *bounds, const Stmt *allocate, Expr *lengths) {
    Expr condition = allocate->allocate.hoisted ? NULL : arms_condition_of_memory(bounds, allocate);
    int k = allocate->allocate.func->dimensions - 1;
    while (k >= 0 && lengths[k]->op == OP_CONSTANT)
        k--;
    if (condition && k >= 0)
        lengths[k] = length_where(bounds, condition, lengths[k]);
}

static void solve_memory(BoundsInference *bounds, Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    Interval memory[MAX_DIMENSIONS];
    Expr lengths[MAX_DIMENSIONS];
    memory_at(bounds, allocate, allocate->block, memory);
    for (int k = 0; k < shape->dimensions; k++)
        lengths[k] = output_length(bounds, output_needs(bounds, shape->name),
                                   range_length(bounds, memory[k]));
    empty_memory(bounds, allocate, lengths);
    for (int k = 0; k < shape->dimensions; k++) {
        const char *stem = arena_format(bounds->arena, "%s.%s.memory", shape->name->text,
                                        shape->variables[k]->text);
        allocate->allocate.intervals[k] =
            (Extent){inference_name(bounds, allocate->block, memory[k].lower,
                                    arena_format(bounds->arena, "%s.min", stem)),
                     inference_name(bounds, allocate->block, lengths[k],
                                    arena_format(bounds->arena, "%s.len", stem))};
    }
    reserve_memory(bounds, allocate);
}

/* ---- results ---- */

static Extent startup_interval(BoundsInference *bounds, OutputSet needed_by, Interval range) {
    return (Extent){range.lower, output_length(bounds, needed_by, range_length(bounds, range))};
}

/* Returns the greatest length that is needed in one run of the compute statement.  It is counted
 * from the run's minimum, which align-bounds may have moved. */
static Expr longest_length(BoundsInference *bounds, Realization *realization, int k) {
    const RequiredRegion *here =
        required_region_at(bounds, realization, realization_block(realization));
    Interval needed = {here->compute[k].lower, here->needed[k].upper, NULL};
    Expr length = range_length(bounds, needed);
    Expr longest =
        view_greatest(view_from(bounds, &bounds->program->body, false), realization->root, length);
    return longest ? inference_expand(bounds, longest) : NULL;
}

/* The func in whose loops it is computed; null: none. */
static Symbol func_around(const Realization *realization) {
    const Stmt *outer = stmt_parent(realization->root);
    return outer ? stmt_func(outer) : NULL;
}

static BoundsRegion *realization_region(BoundsInference *bounds, Realization *realization) {
    const Block *top = &bounds->program->body;
    const RequiredRegion *here = required_region_at(bounds, realization,
                                                    realization_block(realization)),
                         *whole = required_region_at(bounds, realization, top);
    BoundsRegion *region = arena_new(bounds->arena, BoundsRegion);
    Interval memory[MAX_DIMENSIONS];
    OutputSet needed_by = output_needs(bounds, realization->shape->name);
    region->func = realization->shape->name;
    region->copy = realization->copy;
    region->dimensions = realization->shape->dimensions;
    region->computing = realization->root;
    region->around = func_around(realization);
    region->condition = required_region_condition(bounds, realization);
    memory_at(bounds, realization->allocate, top, memory);
    inference_enter(bounds, top);
    for (int k = 0; k < region->dimensions; k++) {
        region->compute[k] = realization->compute[k];
        region->memory[k] = realization->allocate->allocate.intervals[k];
        Extent all = startup_interval(bounds, needed_by, memory[k]);
        region->whole[k] = inference_expand_interval(bounds, all, false);
        region->asserted[k] = inference_expand_interval(bounds, all, true);
        region->needed[k] = inference_expand_interval(
            bounds, startup_interval(bounds, needed_by, whole->needed[k]), false);
        if (request_fixes_length(bounds, realization, k))
            region->longest[k] = longest_length(bounds, realization, k);
        region->lower[k] = here->lower[k];
        region->upper[k] = here->upper[k];
    }
    return region;
}

static BoundsResult *collect_result(BoundsInference *bounds) {
    BoundsResult *result = arena_new(bounds->arena, BoundsResult);
    result->is_narrowed =
        map_count(&bounds->narrowed) || map_count(&bounds->parted) || bounds->leaves_out;
    for (size_t i = 0; i < bounds->funcs.length; i++)
        for (size_t k = 0; k < bounds->funcs.data[i]->realizations.length; k++)
            vec_push(bounds->arena, &result->funcs,
                     realization_region(bounds, bounds->funcs.data[i]->realizations.data[k]));
    for (size_t i = 0; i < bounds->image_uses.length; i++)
        vec_push(bounds->arena, &result->images, image_region(bounds, i));
    for (size_t i = 0; i < bounds->lets.length; i++)
        vec_push(bounds->arena, &result->lets,
                 (BoundLet){bounds->lets.data[i]->name, bounds->lets.data[i]->value});
    for (size_t i = 0; i < bounds->slides.length; i++)
        vec_push(bounds->arena, &result->slides, bounds->slides.data[i]);
    for (size_t i = 0; i < bounds->folds.length; i++)
        vec_push(bounds->arena, &result->folds, bounds->folds.data[i]);
    return result;
}

BoundsResult *bounds_fill(Program *program, const Pipeline *pipeline, const BoundRequests *requests,
                          bool slide, bool explains, Arena *arena, GrowingFunc *growing) {
    BoundsInference *bounds = inference_create(program, pipeline, requests, explains, arena);
    bounds->is_sliding = slide;
    learn_startup(bounds);
    narrow_specializations(bounds);
    collect_program(bounds);
    arms_part(bounds);
    collect_accesses(bounds);
    output_collect(bounds);
    for (size_t i = bounds->funcs.length; i-- > 0;)
        for (size_t k = 0; k < bounds->funcs.data[i]->realizations.length; k++)
            solve_realization(bounds, bounds->funcs.data[i]->realizations.data[k]);
    for (size_t i = program->funcs.length; i-- > 0;)
        for (size_t k = 0; k < program->funcs.data[i]->allocates.length; k++)
            solve_memory(bounds, program->funcs.data[i]->allocates.data[k]);
    for (size_t i = 0; slide && i < bounds->funcs.length; i++)
        fold_func(bounds, bounds->funcs.data[i]);
    find_lengths(bounds);
    BoundsResult *result = collect_result(bounds);
    *growing = bounds->growing;
    if (bounds->failed)
        return NULL;
    fill_holes(bounds, result);
    return result;
}

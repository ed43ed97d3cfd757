/* oracle.c -- the order of work: from the last-defined func to the first, then memory, then the
 * regions in startup scope, then the holes.
 *
 * What is solved first is never revised: a producer's region mentions its consumers' loops, whose
 * bounds are known by then; nothing mentions a producer's.
 */
#include "bounds/solver.h"

static BoundsInference *solver_create(Program *program, const Pipeline *pipeline,
                                      const BoundRequests *requests, bool explains, Arena *arena) {
    BoundsInference *solver = arena_new(arena, BoundsInference);
    Map *const maps[] = {&solver->by_func,       &solver->image_index,  &solver->binders,
                         &solver->lets_by_block, &solver->lets_by_name, &solver->views,
                         &solver->resolved,      &solver->expanded,     &solver->sites_of_stages,
                         &solver->hole_sites,    &solver->written,      &solver->needed};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        *maps[i] = map_create(arena);
    solver->program = program;
    solver->pipeline = pipeline;
    solver->requests = requests;
    solver->explains = explains;
    solver->pool = program->pool;
    solver->arena = arena;
    solver->context = program->pool->context;
    solver->simplifier = simplifier_create(program->pool, arena);
    solver->expansion = expr_memo(arena);
    solver->demand_at = demand_at;
    return solver;
}

/* ---- what holds at startup: the entry checks see to it ---- */

static void learn_at_least(BoundsInference *solver, int64_t least, Expr expr) {
    simplifier_learn(solver->simplifier,
                     expr_le(solver->pool, expr_index(solver->pool, least), expr));
}

/* Where all windows are empty nothing runs: an only window has points. */
static void learn_window(BoundsInference *solver, const FuncShape *shape, bool only) {
    for (int k = 0; k < shape->dimensions; k++)
        learn_at_least(solver, only ? 1 : 0,
                       expr_buffer_field(solver->pool, shape->name, FIELD_EXTENT, k));
}

static void learn_parameters(BoundsInference *solver) {
    const Signature *signature = &solver->pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        if (parameter->has_range && type_is_machine_integer(parameter->type))
            simplifier_learn_range(
                solver->simplifier, parameter->name,
                (ConstantInterval){true, true, parameter->lower, parameter->upper});
    }
    for (size_t i = 0; i < signature->images.length; i++)
        for (int k = 0; k < signature->images.data[i].dimensions; k++)
            learn_at_least(
                solver, 0,
                expr_buffer_field(solver->pool, signature->images.data[i].name, FIELD_EXTENT, k));
    for (size_t i = 0; i < signature->outputs.length; i++)
        learn_window(solver, signature_func(signature, signature->outputs.data[i].func),
                     signature->outputs.length == 1);
}

static void learn_reductions(BoundsInference *solver) {
    for (size_t i = 0; i < solver->pipeline->funcs.length; i++) {
        const Func *func = solver->pipeline->funcs.data[i];
        for (size_t j = 0; j < func->stages.length; j++) {
            const Stage *stage = func->stages.data[j];
            for (size_t r = 0; r < stage->reduction.length; r++)
                learn_at_least(solver, 0, stage->reduction.data[r].interval.length);
            for (size_t s = 0; s < stage->splits.length; s++) {
                learn_at_least(solver, 0, stage->splits.data[s].domain.length);
                if (stage->splits.data[s].factor)
                    learn_at_least(solver, 1, stage->splits.data[s].factor);
            }
        }
    }
}

/* A boundary condition refuses an image without points. */
static void learn_boundaries(BoundsInference *solver) {
    for (size_t i = 0; i < solver->pipeline->boundaries.length; i++) {
        const BoundaryUse *use = &solver->pipeline->boundaries.data[i];
        learn_at_least(solver, 1,
                       expr_buffer_field(solver->pool, use->image, FIELD_EXTENT, use->dimension));
    }
}

/* What directives ask of their startup expressions: assertions that `split` left at the top, and
 * 0 <= r < m of align-bounds. */
static void learn_directives(BoundsInference *solver) {
    for (const Stmt *stmt = solver->program->body.first; stmt; stmt = stmt->next)
        if (stmt->kind == STMT_ASSERT)
            simplifier_learn(solver->simplifier, stmt->assertion.condition);
    for (size_t i = 0; i < solver->requests->requests.length; i++) {
        const BoundRequest *request = &solver->requests->requests.data[i];
        if (request->kind != BOUND_ALIGN)
            continue;
        learn_at_least(solver, 1, request->modulus);
        learn_at_least(solver, 0, request->remainder);
        simplifier_learn(solver->simplifier,
                         expr_lt(solver->pool, request->remainder, request->modulus));
    }
}

static void learn_startup(BoundsInference *solver) {
    learn_parameters(solver);
    learn_reductions(solver);
    learn_boundaries(solver);
    learn_directives(solver);
    for (size_t i = 0; i < solver->pipeline->requirements.length; i++)
        simplifier_learn(solver->simplifier, solver->pipeline->requirements.data[i].condition);
    solver->startup = simplifier_mark(solver->simplifier);
}

/* ---- sites ---- */

/* `length` where the condition holds, else 0. */
static Expr length_where(BoundsInference *solver, Expr condition, Expr length) {
    FactMark mark = simplifier_mark(solver->simplifier);
    simplifier_learn(solver->simplifier, condition);
    length = simplify(solver->simplifier, length);
    simplifier_release(solver->simplifier, mark);
    Expr zero = expr_index(solver->pool, 0);
    return simplify(solver->simplifier, expr_select(solver->pool, condition, length, zero));
}

/* Where nothing is read of the site's func, nothing is computed.  `lengths` are those of its
 * region, before large ones got a name. */
static void empty_unread(BoundsInference *solver, ComputeSite *site, const Expr *lengths) {
    int k = demand_emptied_dimension(solver, site);
    if (k < 0)
        return;
    const Block *base = site_block(site);
    Expr length = length_where(solver, demand_at(solver, site, base)->condition, lengths[k]);
    site->compute[k].length =
        inference_name(solver, base, length,
                       arena_format(solver->arena, "%s.%s.some", site->shape->name->text,
                                    site->shape->variables[k]->text));
}

static void solve_site(BoundsInference *solver, ComputeSite *site) {
    const Block *base = site_block(site);
    const SiteDemand *demand = demand_at(solver, site, base);
    Expr condition = output_site_condition(solver, site), lengths[MAX_DIMENSIONS];
    inference_enter(solver, base);
    for (int k = 0; k < site->shape->dimensions; k++) {
        const char *stem = arena_format(solver->arena, "%s.%s.len", site->shape->name->text,
                                        site->shape->variables[k]->text);
        Expr length = range_length(solver, demand->compute[k]);
        if (condition)
            length = expr_select(solver->pool, condition, length, expr_index(solver->pool, 0));
        lengths[k] = length;
        site->compute[k] =
            (Extent){demand->compute[k].lower, inference_name(solver, base, length, stem)};
    }
    site->solved = true;
    if (solver->is_sliding && !condition)
        slide_site(solver, site);
    if (!site->held)
        empty_unread(solver, site, lengths);
}

/* The block that hoisted memory is taken in. */
static const Block *hoist_block(const Stmt *allocate) {
    const Stmt *stmt = allocate;
    for (int left = allocate->allocate.hoisted; left; left -= stmt->kind == STMT_FOR)
        stmt = stmt_parent(stmt);
    return stmt->block;
}

/* As long as the longest of all iterations that share it. */
static void reserve_memory(BoundsInference *solver, Stmt *allocate) {
    int dimensions = allocate->allocate.func->dimensions;
    const Block *base = hoist_block(allocate);
    Interval whole[MAX_DIMENSIONS];
    bool is_known = false;
    if (!allocate->allocate.hoisted)
        return;
    allocate->allocate.reserve = arena_array(solver->program->arena, Expr, dimensions + 1);
    for (int k = 0; k < dimensions; k++) {
        Expr longest = view_greatest(view_from(solver, base, false), allocate,
                                     allocate->allocate.intervals[k].length);
        if (!longest && !is_known)
            memory_at(solver, allocate, base, whole);
        is_known |= !longest;
        inference_enter(solver, base);
        allocate->allocate.reserve[k] = longest ? longest : range_length(solver, whole[k]);
    }
}

static void solve_memory(BoundsInference *solver, Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    Interval memory[MAX_DIMENSIONS];
    memory_at(solver, allocate, allocate->block, memory);
    for (int k = 0; k < shape->dimensions; k++) {
        const char *stem = arena_format(solver->arena, "%s.%s.memory", shape->name->text,
                                        shape->variables[k]->text);
        Expr length = output_length(solver, output_needs(solver, shape->name),
                                    range_length(solver, memory[k]));
        allocate->allocate.intervals[k] =
            (Extent){inference_name(solver, allocate->block, memory[k].lower,
                                    arena_format(solver->arena, "%s.min", stem)),
                     inference_name(solver, allocate->block, length,
                                    arena_format(solver->arena, "%s.len", stem))};
    }
    reserve_memory(solver, allocate);
}

/* ---- results ---- */

static Extent startup_interval(BoundsInference *solver, OutputSet needed_by, Interval range) {
    Extent interval = {range.lower, output_length(solver, needed_by, range_length(solver, range))};
    interval.minimum = inference_expand(solver, interval.minimum);
    interval.length = inference_expand(solver, interval.length);
    return interval;
}

/* The greatest length that is needed in one run of the compute statement, from the minimum on that
 * it has (which align-bounds may have moved). */
static Expr longest_length(BoundsInference *solver, ComputeSite *site, int k) {
    const SiteDemand *here = demand_at(solver, site, site_block(site));
    Interval needed = {here->compute[k].lower, here->needed[k].upper, NULL};
    Expr length = range_length(solver, needed);
    Expr longest =
        view_greatest(view_from(solver, &solver->program->body, false), site->root, length);
    return longest ? inference_expand(solver, longest) : NULL;
}

static Region *site_region(BoundsInference *solver, ComputeSite *site) {
    const Block *top = &solver->program->body;
    const SiteDemand *here = demand_at(solver, site, site_block(site)),
                     *whole = demand_at(solver, site, top);
    Region *region = arena_new(solver->arena, Region);
    Interval memory[MAX_DIMENSIONS];
    OutputSet needed_by = output_needs(solver, site->shape->name);
    region->func = site->shape->name;
    region->copy = site->copy;
    region->dimensions = site->shape->dimensions;
    region->site = site->root;
    region->condition = here->condition;
    memory_at(solver, site->allocate, top, memory);
    inference_enter(solver, top);
    for (int k = 0; k < region->dimensions; k++) {
        region->compute[k] = site->compute[k];
        region->memory[k] = site->allocate->allocate.intervals[k];
        region->whole[k] = startup_interval(solver, needed_by, memory[k]);
        region->needed[k] = startup_interval(solver, needed_by, whole->needed[k]);
        if (request_fixes_length(solver, site, k))
            region->longest[k] = longest_length(solver, site, k);
        region->lower[k] = here->lower[k];
        region->upper[k] = here->upper[k];
    }
    return region;
}

static BoundsResult *collect_result(BoundsInference *solver) {
    BoundsResult *result = arena_new(solver->arena, BoundsResult);
    for (size_t i = 0; i < solver->funcs.length; i++)
        for (size_t k = 0; k < solver->funcs.data[i]->sites.length; k++)
            vec_push(solver->arena, &result->funcs,
                     site_region(solver, solver->funcs.data[i]->sites.data[k]));
    for (size_t i = 0; i < solver->image_uses.length; i++)
        vec_push(solver->arena, &result->images, image_region(solver, i));
    for (size_t i = 0; i < solver->lets.length; i++)
        vec_push(solver->arena, &result->lets,
                 (BoundLet){solver->lets.data[i]->name, solver->lets.data[i]->value});
    for (size_t i = 0; i < solver->slides.length; i++)
        vec_push(solver->arena, &result->slides, solver->slides.data[i]);
    for (size_t i = 0; i < solver->folds.length; i++)
        vec_push(solver->arena, &result->folds, solver->folds.data[i]);
    return result;
}

BoundsResult *bounds_fill(Program *program, const Pipeline *pipeline, const BoundRequests *requests,
                          bool slide, bool explains, Arena *arena) {
    BoundsInference *solver = solver_create(program, pipeline, requests, explains, arena);
    solver->is_sliding = slide;
    learn_startup(solver);
    collect_program(solver);
    output_collect(solver);
    for (size_t i = solver->funcs.length; i-- > 0;)
        for (size_t k = 0; k < solver->funcs.data[i]->sites.length; k++)
            solve_site(solver, solver->funcs.data[i]->sites.data[k]);
    for (size_t i = program->funcs.length; i-- > 0;)
        for (size_t k = 0; k < program->funcs.data[i]->allocates.length; k++)
            solve_memory(solver, program->funcs.data[i]->allocates.data[k]);
    for (size_t i = 0; slide && i < solver->funcs.length; i++)
        for (size_t k = 0; k < solver->funcs.data[i]->sites.length; k++)
            fold_site(solver, solver->funcs.data[i]->sites.data[k]);
    BoundsResult *result = collect_result(solver);
    if (solver->failed)
        return NULL;
    fill_holes(solver);
    return result;
}

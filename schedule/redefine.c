/* redefine.c -- edits an algorithm (redefine.h).
 *
 * The order of definition is kept as a list of names, and new funcs are inserted next to others.
 * Images stand before the funcs, so a func made of an image has a place too.  The pipeline's own
 * list `funcs` is made from it once, at the end.  A func must always be defined before its
 * readers. */
#include "schedule/redefine.h"

#include "ir/walk.h"

#include <string.h>

struct Redefinition {
    Arena *arena;
    Pipeline *pipeline; /* by_name, signature.by_name */
    Vec(Symbol) order;  /* of images, and funcs by their definition */
};

static void put_func(Redefinition *redefinition, Func *func) {
    map_put(&redefinition->pipeline->by_name, func->shape->name, func);
    map_put(&redefinition->pipeline->signature.by_name, func->shape->name, func->shape);
}

/* Starts with a copy of the resolver's pipeline, in the resolver's arena. */
static Redefinition *redefine_begin(const Resolver *resolver) {
    Redefinition *redefinition = arena_new(resolver->arena, Redefinition);
    const Pipeline *before = resolver->pipeline;
    *redefinition = (Redefinition){.arena = resolver->arena,
                                   .pipeline = pipeline_without_funcs(before, resolver->arena)};
    redefinition->pipeline->funcs = before->funcs; /* for messages */
    for (size_t i = 0; i < before->signature.images.length; i++)
        vec_push(resolver->arena, &redefinition->order, before->signature.images.data[i].name);
    for (size_t i = 0; i < before->funcs.length; i++) {
        vec_push(resolver->arena, &redefinition->order, before->funcs.data[i]->shape->name);
        put_func(redefinition, before->funcs.data[i]);
    }
    return redefinition;
}

Pipeline *redefine_pipeline(const Redefinition *redefinition) {
    return redefinition->pipeline;
}

bool redefine_accepts_name(const Redefinition *redefinition, const Resolver *resolver,
                           const DirectiveArgument *argument) {
    if (pipeline_name_is_taken(resolver, argument->name))
        return refuse(resolver, DIAG_FUNC_NAME_TAKEN, argument->place, argument->name->text);
    size_t most = resolver->context->limits.funcs;
    return map_count(&redefinition->pipeline->by_name) < most ||
           refuse(resolver, DIAG_TOO_MANY_FUNCS, argument->place,
                  number_text(resolver, (int64_t)most));
}

Redefinition *run_redefinition(AlgorithmRun *run) {
    if (!run->redefinition) {
        run->redefinition = redefine_begin(run->resolver);
        run->resolver->pipeline = redefine_pipeline(run->redefinition);
    }
    return run->redefinition;
}

void redefine_replace(Redefinition *redefinition, Func *func) {
    hlc_assert(pipeline_func(redefinition->pipeline, func->shape->name),
               "only a func that there is is replaced");
    put_func(redefinition, func);
}

void redefine_stage(Redefinition *redefinition, const Func *func, Stage *stage) {
    Func *result = func_without_stages(redefinition->arena, func);
    for (size_t j = 0; j < func->stages.length; j++)
        vec_push(redefinition->arena, &result->stages,
                 (int)j == stage->number ? stage : func->stages.data[j]);
    redefine_replace(redefinition, result);
}

static void add(Redefinition *redefinition, Symbol name, size_t behind, Func *func) {
    size_t at = 0;
    while (at < redefinition->order.length && redefinition->order.data[at] != name)
        at++;
    hlc_assert(at < redefinition->order.length, "a func is put next to one that there is");
    at += behind;
    vec_push(redefinition->arena, &redefinition->order, NULL);
    Symbol *place = redefinition->order.data + at;
    memmove(place + 1, place, (redefinition->order.length - 1 - at) * sizeof *place);
    *place = func->shape->name;
    put_func(redefinition, func);
}

void redefine_add_before(Redefinition *redefinition, Symbol name, Func *func) {
    add(redefinition, name, 0, func);
}

void redefine_add_behind(Redefinition *redefinition, Symbol name, Func *func) {
    add(redefinition, name, 1, func);
}

void redefine_end(Redefinition *redefinition) {
    Pipeline *pipeline = redefinition->pipeline;
    pipeline->funcs = (typeof(pipeline->funcs)){0};
    for (size_t i = 0; i < redefinition->order.length; i++) {
        Func *func = pipeline_func(pipeline, redefinition->order.data[i]);
        if (func)
            pipeline_add_func(pipeline, redefinition->arena, func);
    }
}

/* ---- funcs and stages ---- */

Func *func_without_stages(Arena *arena, const Func *func) {
    Func *result = arena_new(arena, Func);
    *result = *func;
    result->stages = (typeof(result->stages)){0};
    return result;
}

Func *func_map(Arena *arena, const Func *func, ExprMap *map, void *data) {
    Func *result = func_without_stages(arena, func);
    for (size_t j = 0; j < func->stages.length; j++)
        vec_push(arena, &result->stages,
                 stage_map(arena, func->shape, func->stages.data[j], map, data));
    return result;
}

Stage *stage_of_all_points(Arena *arena, const Func *func, Place place) {
    const FuncShape *shape = func->shape;
    Stage *stage = arena_new(arena, Stage);
    *stage = (Stage){.place = place};
    stage->indices = arena_array(arena, Expr, shape->dimensions);
    stage->values = arena_array(arena, Expr, shape->components);
    for (int k = 0; k < shape->dimensions; k++) {
        stage->indices[k] = func->variables[k];
        stage->pure[k] = true;
    }
    return stage;
}

static Expr *map_all(Arena *arena, const Expr *exprs, int count, ExprMap *map, void *data) {
    Expr *result = arena_array(arena, Expr, count);
    for (int i = 0; i < count; i++)
        result[i] = map(data, exprs[i]);
    return result;
}

Stage *stage_map(Arena *arena, const FuncShape *shape, const Stage *stage, ExprMap *map,
                 void *data) {
    Stage *result = arena_new(arena, Stage);
    *result = *stage;
    result->indices = map_all(arena, stage->indices, shape->dimensions, map, data);
    result->values = map_all(arena, stage->values, shape->components, map, data);
    result->predicate = stage->predicate ? map(data, stage->predicate) : NULL;
    result->splits = (typeof(result->splits)){0};
    for (size_t i = 0; i < stage->splits.length; i++) {
        ReductionSplit split = stage->splits.data[i];
        split.value = map(data, split.value);
        vec_push(arena, &result->splits, split);
    }
    result->sites = (typeof(result->sites)){0};
    for (size_t i = 0; i < stage->sites.length; i++) {
        const AccessSite *site = &stage->sites.data[i];
        vec_push(arena, &result->sites, (AccessSite){map(data, site->access), site->place});
    }
    return result;
}

static void add_sites(Arena *arena, Stage *stage, Map *listed, Expr expr, Place place) {
    Exprs accesses = {0};
    expr_accesses(map_arena(listed), expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Expr access = accesses.data[i];
        if (!map_get(listed, access))
            vec_push(arena, &stage->sites, (AccessSite){access, place});
        map_put(listed, access, access);
    }
}

void stage_add_sites(Arena *arena, const FuncShape *shape, Stage *stage, Place place) {
    Map listed = map_create(arena);
    for (size_t i = 0; i < stage->sites.length; i++)
        map_put(&listed, stage->sites.data[i].access, stage);
    for (int k = 0; k < shape->dimensions; k++)
        add_sites(arena, stage, &listed, stage->indices[k], place);
    for (int i = 0; i < shape->components; i++)
        add_sites(arena, stage, &listed, stage->values[i], place);
}

/* reach.c -- funcs that no output reaches are left out before lowering, with their directives.
 *
 *     fun unused(x) = { 0; rdom(r = (0, n)) in (r) <- 1; }
 *     fun out(x) = in(x);                                    only `out` is lowered
 *
 * The startup checks are made on the funcs that the outputs reach (semantics.md, section 2): what
 * is not run must neither refuse nor be assumed about.  A func reads funcs defined before it, so
 * one pass from the last to the first finds all.
 */
#include "lower/reach.h"

#include "ir/walk.h"

typedef struct FuncSet {
    Arena *arena;
    Map reached; /* Symbol -> itself */
} FuncSet;

static void reach_reads(FuncSet *reach, Expr expr) {
    Exprs accesses = {0};
    expr_accesses(reach->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        map_put(&reach->reached, accesses.data[i]->name, accesses.data[i]->name);
}

static void reach_stage(FuncSet *reach, const Func *func, const Stage *stage) {
    for (int k = 0; k < func->shape->dimensions; k++)
        reach_reads(reach, stage->indices[k]);
    for (int c = 0; c < func->shape->components; c++)
        reach_reads(reach, stage->values[c]);
    if (stage->predicate)
        reach_reads(reach, stage->predicate);
}

/* Returns how many funcs are reached. */
static size_t reach_funcs(FuncSet *reach, const Pipeline *pipeline) {
    size_t count = 0;
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++) {
        Symbol name = pipeline->signature.outputs.data[i].func;
        map_put(&reach->reached, name, name);
    }
    for (size_t i = pipeline->funcs.length; i-- > 0;) {
        const Func *func = pipeline->funcs.data[i];
        if (!map_get(&reach->reached, func->shape->name))
            continue;
        count++;
        for (size_t j = 0; j < func->stages.length; j++)
            reach_stage(reach, func, func->stages.data[j]);
    }
    return count;
}

static bool is_about_reached(const FuncSet *reach, const Directive *directive) {
    for (size_t i = 0; i < directive->arguments.length; i++) {
        Symbol name = argument_func(&directive->arguments.data[i]);
        if (name && !map_get(&reach->reached, name))
            return false;
    }
    return true;
}

const Pipeline *reach_outputs(const Pipeline *pipeline, Directives *primitives, Arena *arena) {
    FuncSet reach = {.arena = arena, .reached = map_create(arena)};
    if (reach_funcs(&reach, pipeline) == pipeline->funcs.length)
        return pipeline;

    Pipeline *result = pipeline_without_funcs(pipeline, arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (map_get(&reach.reached, pipeline->funcs.data[i]->shape->name))
            pipeline_add_func(result, arena, pipeline->funcs.data[i]);

    Directives kept = {0};
    for (size_t i = 0; i < primitives->length; i++)
        if (is_about_reached(&reach, &primitives->data[i]))
            vec_push(arena, &kept, primitives->data[i]);
    *primitives = kept;
    return result;
}

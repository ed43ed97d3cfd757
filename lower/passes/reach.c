/* reach.c -- removes funcs that no output reaches before lowering, with their directives.
 *
 *     fun unused(x) = { 0; rdom(r = (0, n)) in (r) <- 1; }
 *     fun out(x) = in(x);                                    only `out` is lowered
 *
 * The startup checks are made on the funcs that the outputs reach (semantics.md, section 2).  A
 * func that does not run must neither refuse nor be assumed about.
 */
#include "lower/passes/reach.h"

static bool is_about_reached(const Map *reached, const Directive *directive) {
    for (size_t i = 0; i < directive->arguments.length; i++) {
        Symbol name = argument_func(&directive->arguments.data[i]);
        if (name && !map_get(reached, name))
            return false;
    }
    return true;
}

const Pipeline *reach_outputs(const Pipeline *pipeline, Directives *primitives, Arena *arena) {
    Map reached = map_create(arena);
    pipeline_reach_outputs(pipeline, &reached, arena);
    Pipeline *result = pipeline_without_funcs(pipeline, arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (map_get(&reached, pipeline->funcs.data[i]->shape->name))
            pipeline_add_func(result, arena, pipeline->funcs.data[i]);
    if (result->funcs.length == pipeline->funcs.length)
        return pipeline;

    Directives kept = {0};
    for (size_t i = 0; i < primitives->length; i++)
        if (is_about_reached(&reached, &primitives->data[i]))
            vec_push(arena, &kept, primitives->data[i]);
    *primitives = kept;
    return result;
}

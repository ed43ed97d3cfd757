#include "ir/algorithm.h"

void pipeline_add_func(Pipeline *pipeline, Arena *arena, Func *func) {
    Signature *signature = &pipeline->signature;
    Group group = {0};
    if (!pipeline->by_name.arena)
        pipeline->by_name = map_create(arena);
    if (!signature->by_name.arena)
        signature->by_name = map_create(arena);
    vec_push(arena, &pipeline->funcs, func);
    map_put(&pipeline->by_name, func->shape->name, func);
    vec_push(arena, &signature->funcs, func->shape);
    map_put(&signature->by_name, func->shape->name, func->shape);
    vec_push(arena, &group.funcs, func);
    vec_push(arena, &pipeline->groups, group);
}

Func *pipeline_func(const Pipeline *pipeline, Symbol name) {
    return map_get(&pipeline->by_name, name);
}

Pipeline *pipeline_without_funcs(const Pipeline *pipeline, Arena *arena) {
    Pipeline *result = arena_new(arena, Pipeline);
    *result = *pipeline;
    result->funcs = (typeof(result->funcs)){0};
    result->groups = (typeof(result->groups)){0};
    result->signature.funcs = (FuncShapes){0};
    result->by_name = map_create(arena);
    result->signature.by_name = map_create(arena);
    return result;
}

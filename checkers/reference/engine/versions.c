/* versions.c -- cuts each reached func into versions (engine.h) and compiles their stages.
 *
 *     stages of f:  pure, pure update, pure update, scatter update, pure update
 *     versions:     [ pointwise                   ] [ scatter     ] [ pointwise ]
 *
 * A scatter version has one update. So has an update of several writes, whose lanes are the points of
 * all writes of a step. A func of a recurrence has one version, without code here:
 * recursion_create makes its lazy code.
 */
#include "checkers/reference/engine/engine.h"

#include <string.h>

/* Is it an update of one write, at the pure variables? */
static bool is_pointwise(const Func *func, const Stage *stage) {
    if (stage->writes)
        return false;
    for (int d = 0; d < func->shape->dimensions; d++)
        if (!stage->pure[d])
            return false;
    return true;
}

/* Reads the constant bounds of a stage's rdom under these arguments. startup_check has checked
 * them. */
static void read_reduction(Engine *engine, StageCode *code) {
    size_t count = code->stage->reduction.length;
    code->minimum = arena_array(engine->arena, int64_t, count);
    code->length = arena_array(engine->arena, int64_t, count);
    for (size_t r = 0; r < count; r++) {
        const Extent *interval = &code->stage->reduction.data[r].interval;
        const Uniform *minimum = startup_value(engine, interval->minimum);
        const Uniform *length = startup_value(engine, interval->length);
        code->minimum[r] = minimum->value.bits;
        code->length[r] = length->value.bits;
        code->empty = code->empty || length->value.bits == 0;
        code->bounds_err = code->bounds_err || minimum->value.error || length->value.error;
    }
}

static void compile_stage(Engine *engine, const Version *version, StageCode *code,
                          const Stage *stage) {
    const FuncShape *shape = version->func->shape;
    Arena *arena = engine->arena;
    code->stage = stage;
    int dimensions = shape->dimensions;
    int variable_count = dimensions + (int)stage->reduction.length + (stage->writes > 0);
    Symbol *variables = arena_array(arena, Symbol, variable_count);
    memcpy(variables, shape->variables, sizeof(Symbol) * (size_t)dimensions);
    for (size_t r = 0; r < stage->reduction.length; r++)
        variables[dimensions + (int)r] = stage->reduction.data[r].variable;
    if (stage->writes)
        variables[variable_count - 1] = stage->write;
    bool update = stage->number > 0;
    const Version *self = update ? version : NULL;
    if (engine->most_variables < (size_t)variable_count)
        engine->most_variables = (size_t)variable_count;
    if (engine->most_reductions < stage->reduction.length)
        engine->most_reductions = stage->reduction.length;
    if (engine->most_components < (size_t)shape->components)
        engine->most_components = (size_t)shape->components;
    if (stage->values[0]->op == OP_EXTERN) {
        extern_compile(engine, version, code, variables, variable_count);
        return;
    }
    code_compile(engine, &code->value, self, stage, variables, variable_count, stage->values,
                 shape->components);
    if (!update)
        return;
    read_reduction(engine, code);
    Expr roots[MAX_DIMENSIONS + 1];
    int count = 0;
    for (int d = 0; d < dimensions; d++)
        if (!stage->pure[d])
            roots[count++] = stage->indices[d];
    if (stage->predicate)
        roots[count++] = stage->predicate;
    code_compile(engine, &code->target, self, stage, variables, variable_count, roots, count);
    code->sequential = code->target.narrow.length > 0;
}

static Version *add_version(Engine *engine, const Func *func, Version *previous, bool scatter,
                            size_t first, size_t count) {
    Arena *arena = engine->arena;
    Version *version = arena_new(arena, Version);
    version->func = func;
    version->previous = previous;
    version->number = (int)engine->versions.length;
    version->scatter = scatter;
    table_init(&version->table, engine->store, func->shape, !scatter && !func->recurrence);
    if (scatter) {
        FuncShape *shape = &version->slice_shape;
        shape->components = 1;
        shape->types = arena_new(arena, Type);
        shape->types[0] = U8;
        for (int d = 0; d < func->shape->dimensions; d++) {
            version->pure[d] = func->stages.data[first]->pure[d];
            shape->dimensions += version->pure[d];
        }
        table_init(&version->slices, engine->store, shape, false);
    }
    vec_push(arena, &engine->versions, version);
    version->stage_count = count;
    version->stages = arena_array(arena, StageCode, count);
    for (size_t s = 0; s < count && !func->recurrence; s++)
        compile_stage(engine, version, &version->stages[s], func->stages.data[first + s]);
    map_put(&engine->last_version, func->shape->name, version);
    return version;
}

static void cut_func(Engine *engine, const Func *func) {
    Version *previous = NULL;
    for (size_t first = 0, end; first < func->stages.length; first = end) {
        bool scatter = first > 0 && !is_pointwise(func, func->stages.data[first]);
        end = first + 1;
        while (!scatter && end < func->stages.length && is_pointwise(func, func->stages.data[end]))
            end++;
        previous = add_version(engine, func, previous, scatter, first, end - first);
    }
}

void versions_create(Engine *engine) {
    for (size_t i = 0; i < engine->reached.length; i++)
        cut_func(engine, engine->reached.data[i]);
    for (size_t i = 0; i < engine->reached.length; i++) {
        const Func *func = engine->reached.data[i];
        const Version *version = map_get(&engine->last_version, func->shape->name);
        if (func->recurrence && !version->recursion)
            recursion_create(engine, func->recurrence);
    }
}

#include "ir/algorithm.h"

void pipeline_add_func(Pipeline *pipeline, Arena *arena, Func *func) {
    Signature *signature = &pipeline->signature;
    Group group = {0};
    if (!pipeline->by_name.table)
        pipeline->by_name = map_create(arena);
    if (!signature->by_name.table)
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

const Stage *func_stage(const Func *func, int number) {
    for (size_t i = 0; i < func->stages.length; i++)
        if (func->stages.data[i]->number == number)
            return func->stages.data[i];
    return NULL;
}

typedef struct WriteChoice {
    const Stage *stage;
    Bits number;
} WriteChoice;

bool stage_picks_write(const Stage *stage, Expr node) {
    Expr condition = stage->write && node->op == OP_SELECT ? node->arguments[0] : NULL;
    return condition && condition->op == OP_EQ && condition->arguments[0]->op == OP_VARIABLE &&
           condition->arguments[0]->name == stage->write &&
           expr_is_constant(condition->arguments[1]);
}

/* Replaces `select(write == number, a, b)` by an arm. */
static Expr choose_arm(void *data, Pool *pool, Expr node) {
    const WriteChoice *choice = data;
    (void)pool;
    if (!stage_picks_write(choice->stage, node))
        return node;
    return node->arguments[node->arguments[0]->arguments[1]->bits == choice->number ? 1 : 2];
}

Expr stage_of_write(Pool *pool, Arena *scratch, const Stage *stage, Expr expr, int number) {
    if (!stage->write)
        return expr;
    WriteChoice choice = {stage, number};
    ExprMemo memo = expr_memo(scratch);
    Expr chosen = expr_rewrite(pool, &memo, expr, choose_arm, &choice);
    return expr_substitute(pool, scratch, chosen, stage->write, expr_index(pool, number));
}

bool func_is_pure(const Func *func, int dimension) {
    for (size_t i = 0; i < func->stages.length; i++)
        if (!func->stages.data[i]->pure[dimension])
            return false;
    return true;
}

const AccessSite *stage_site(const Stage *stage, Expr access) {
    for (size_t i = 0; i < stage->sites.length; i++)
        if (stage->sites.data[i].access == access)
            return &stage->sites.data[i];
    return NULL;
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

static void add_reads(Arena *scratch, Expr expr, Exprs *reads) {
    if (expr)
        expr_accesses(scratch, expr, reads);
}

void pipeline_reach(const Pipeline *pipeline, Symbol name, Map *reached, Arena *scratch) {
    Vec(Symbol) work = {0};
    vec_push(scratch, &work, name);
    while (work.length) {
        Symbol next = work.data[--work.length];
        const Func *func = pipeline_func(pipeline, next);
        Exprs reads = {0};
        if (map_get(reached, next))
            continue;
        map_put(reached, next, (void *)next);
        for (size_t s = 0; func && s < func->stages.length; s++) {
            const Stage *stage = func->stages.data[s];
            for (int d = 0; d < func->shape->dimensions; d++)
                add_reads(scratch, stage->indices[d], &reads);
            for (int c = 0; c < func->shape->components; c++)
                add_reads(scratch, stage->values[c], &reads);
            add_reads(scratch, stage->predicate, &reads);
        }
        for (size_t i = 0; i < reads.length; i++)
            vec_push(scratch, &work, reads.data[i]->name);
    }
}

void pipeline_reach_outputs(const Pipeline *pipeline, Map *reached, Arena *scratch) {
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++)
        pipeline_reach(pipeline, pipeline->signature.outputs.data[i].func, reached, scratch);
}

static StageLoops usual_order(Arena *arena, const Func *func, const Stage *stage) {
    StageLoops loops = {0};
    for (int k = func->shape->dimensions - 1; k >= 0; k--)
        if (stage->pure[k])
            vec_push(arena, &loops, ((StageLoop){func->shape->variables[k], k, 0}));
    for (size_t r = stage->reduction.length; r-- > 0;)
        vec_push(arena, &loops, ((StageLoop){stage->reduction.data[r].variable, -1, r}));
    return loops;
}

StageLoops stage_loops(Arena *arena, const Func *func, const Stage *stage) {
    StageLoops usual = usual_order(arena, func, stage), loops = {0};
    if (!stage->order.length)
        return usual;
    hlc_assert(stage->order.length == usual.length, "a stage's order names each of its loops");
    for (size_t i = 0; i < stage->order.length; i++)
        for (size_t l = 0; l < usual.length; l++)
            if (usual.data[l].variable == stage->order.data[i])
                vec_push(arena, &loops, usual.data[l]);
    hlc_assert(loops.length == usual.length, "a stage's order names each of its loops once");
    return loops;
}

static void add_range(Pool *pool, Arena *arena, Exprs *facts, Expr value, Bits lower, Bits upper) {
    vec_push(arena, facts, expr_le(pool, expr_constant(pool, value->type, lower), value));
    vec_push(arena, facts, expr_le(pool, value, expr_constant(pool, value->type, upper)));
}

void pipeline_startup_facts(const Pipeline *pipeline, Arena *arena, Exprs *facts) {
    const Signature *signature = &pipeline->signature;
    Pool *pool = pipeline->pool;
    for (size_t p = 0; p < signature->parameters.length; p++) {
        const Parameter *parameter = &signature->parameters.data[p];
        if (parameter->has_range && type_is_machine_integer(parameter->type))
            add_range(pool, arena, facts, expr_variable(pool, parameter->name, parameter->type),
                      parameter->lower, parameter->upper);
    }
    for (size_t i = 0; i < signature->images.length; i++) {
        const ImageParameter *image = &signature->images.data[i];
        for (int d = 0; d < image->dimensions; d++) {
            add_range(pool, arena, facts, expr_buffer_field(pool, image->name, FIELD_MINIMUM, d),
                      INT32_MIN, INT32_MAX);
            add_range(pool, arena, facts, expr_buffer_field(pool, image->name, FIELD_EXTENT, d), 0,
                      INT32_MAX);
            if (!signature->windows)
                continue;
            Extent domain = signature_domain(signature, pool, image->name, d);
            add_range(pool, arena, facts, domain.minimum, INT32_MIN, INT32_MAX);
            add_range(pool, arena, facts, domain.length, 0, INT32_MAX);
        }
    }
    for (size_t r = 0; r < pipeline->requirements.length; r++)
        vec_push(arena, facts, pipeline->requirements.data[r].condition);
}

Extent reduction_iterations(Pool *pool, const ReductionVariable *variable, const Extent *region) {
    Extent whole = variable->interval, run = whole;
    if (variable->extent == RUNS_WHOLE)
        return whole;
    Extent needed = region[variable->dimension];
    Expr end = expr_add(pool, whole.minimum, whole.length);
    if (variable->extent == ENDS_AS_NEEDED)
        end = expr_min(pool, expr_add(pool, needed.minimum, needed.length), end);
    else
        run.minimum = expr_max(pool, needed.minimum, whole.minimum);
    run.length = expr_max(pool, expr_sub(pool, end, run.minimum), expr_index(pool, 0));
    return run;
}

void pipeline_mark_shared(const Pipeline *pipeline, Arena *scratch) {
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        pipeline->funcs.data[i]->shape->is_shared = false;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        if (!func_is_extern(func))
            continue;
        func->shape->is_shared = true;
        Exprs accesses = expr_accesses_of(scratch, func->stages.data[0]->values[0]);
        for (size_t a = 0; a < accesses.length; a++) {
            const Func *read = pipeline_func(pipeline, accesses.data[a]->name);
            if (read)
                read->shape->is_shared = true;
        }
    }
}

/* eager.c -- eager(f): a func that depends on no input is evaluated when the pipeline is compiled.
 *
 *     fun gamma(v) = u8(..);              a look-up table: the code has an array of constants,
 *     fun out(x, y) = gamma(in(x, y));    and nothing computes gamma
 *
 * In phase 0 this file only rewrites the algorithm.  It replaces f by a stand-in without reads, so
 * funcs that only f reads are not computed either.  The stand-in keeps the pipeline that defines f
 * as written (Func.definition).  Later, when f's region is known, lower/passes/eager.c evaluates f
 * by that definition.
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

typedef struct InputSearch {
    const Resolver *resolver;
    const Pipeline *definition;
    Arena *scratch;
    Map seen;            /* Symbol -> itself */
    Vec(Symbol) funcs;   /* still to visit */
    const char *culprit; /* the first input found */
} InputSearch;

/* Returns the pipeline of the funcs as written, including those that are already eager. */
static const Pipeline *defining_pipeline(const Resolver *resolver) {
    const Pipeline *pipeline = resolver->pipeline;
    Pipeline *result = pipeline_without_funcs(pipeline, resolver->arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Func *func = pipeline->funcs.data[i];
        const Pipeline *definition = func->definition;
        pipeline_add_func(result, resolver->arena,
                          definition ? pipeline_func(definition, func->shape->name) : func);
    }
    return result;
}

/* Searches an expression that may mention nothing but the func's own variables. */
static void search_expr(InputSearch *search, const Map *own, Expr expr) {
    Exprs found = {0};
    if (!expr)
        return;
    expr_variables(search->scratch, expr, &found);
    for (size_t i = 0; i < found.length; i++)
        if (!map_get(own, found.data[i]->name))
            search->culprit = found.data[i]->name->text;
    found.length = 0;
    expr_accesses(search->scratch, expr, &found);
    for (size_t i = 0; i < found.length; i++) {
        Symbol name = found.data[i]->name;
        if (!pipeline_func(search->definition, name))
            search->culprit = name->text;
        else if (!map_get(&search->seen, name))
            vec_push(search->scratch, &search->funcs, name);
        map_put(&search->seen, name, name);
    }
}

static void search_stage(InputSearch *search, const Func *func, const Stage *stage) {
    Map own = map_create(search->scratch), none = map_create(search->scratch);
    for (int d = 0; d < func->shape->dimensions; d++)
        map_put(&own, func->shape->variables[d], func);
    for (size_t i = 0; i < stage->reduction.length; i++) {
        const ReductionVariable *reduction = &stage->reduction.data[i];
        map_put(&own, reduction->variable, func);
        search_expr(search, &none, reduction->interval.minimum);
        search_expr(search, &none, reduction->interval.length);
    }
    if (stage->writes)
        map_put(&own, stage->write, func);
    for (size_t i = 0; i < stage->splits.length; i++)
        map_put(&own, stage->splits.data[i].variable, func);
    for (size_t i = 0; i < stage->splits.length; i++) {
        const ReductionSplit *split = &stage->splits.data[i];
        search_expr(search, &own, split->value);
        search_expr(search, &none, split->factor);
        search_expr(search, &none, split->domain.minimum);
        search_expr(search, &none, split->domain.length);
    }
    for (int d = 0; d < func->shape->dimensions; d++)
        search_expr(search, &own, stage->indices[d]);
    for (int c = 0; c < func->shape->components; c++)
        search_expr(search, &own, stage->values[c]);
    if (func_is_extern(func))
        search->culprit = stage->values[0]->name->text;
    search_expr(search, &own, stage->predicate);
}

/* Returns an input that the func's values depend on; null if there is none. */
static const char *find_input(const Resolver *resolver, const Pipeline *definition, Symbol name) {
    InputSearch search = {.resolver = resolver,
                          .definition = definition,
                          .scratch = arena_create(&resolver->context->memory)};
    search.seen = map_create(search.scratch);
    map_put(&search.seen, name, name);
    vec_push(search.scratch, &search.funcs, name);
    for (size_t i = 0; i < search.funcs.length && !search.culprit; i++) {
        const Func *func = pipeline_func(definition, search.funcs.data[i]);
        for (size_t j = 0; j < func->stages.length; j++)
            search_stage(&search, func, func->stages.data[j]);
    }
    arena_destroy(search.scratch); /* the culprit's text is a symbol's */
    return search.culprit;
}

static bool check(const Resolver *resolver, const Directive *directive, const Func *func,
                  const Pipeline *definition) {
    const DirectiveArgument *argument = directive_argument(directive, 0);
    const FuncShape *shape = func->shape;
    const char *why = NULL;
    if (shape->is_output)
        why = "it is an output, whose memory is the caller's";
    else if (func->definition)
        why = "it is so already";
    else if (shape->dimensions > MAX_IMAGE_DIMENSIONS)
        why = "it has more than 4 dimensions";
    if (why)
        return refuse(resolver, DIAG_EAGER, argument->place, shape->name->text, why);
    const char *input = find_input(resolver, definition, shape->name);
    return !input || refuse(resolver, DIAG_EAGER, argument->place, shape->name->text,
                            arena_format(resolver->arena, "its values depend on %s", input));
}

/* Makes f(x, ..) = 0, which is no longer an equation of a recurrence. */
static Func *create_stand_in(const Resolver *resolver, const Func *func, const Pipeline *definition,
                             Place place) {
    Pool *pool = resolver->pipeline->pool;
    Arena *arena = resolver->arena;
    const FuncShape *shape = func->shape;
    Func *result = func_without_stages(arena, func);
    Stage *stage = stage_of_all_points(arena, func, func->place);
    result->definition = definition;
    result->place = place;
    result->recurrence = result->realised = NULL;
    result->equations = (typeof(result->equations)){0};
    vec_push(arena, &result->stages, stage);
    for (int c = 0; c < shape->components; c++)
        stage->values[c] = expr_constant(pool, shape->types[c], 0);
    return result;
}

bool eager_rewrite(AlgorithmRun *run, const Directive *directive) {
    Resolver *resolver = run->resolver;
    const Func *func = resolve_func(resolver, directive_argument(directive, 0));
    if (!func)
        return false;
    const Pipeline *pipeline = resolver->pipeline, *definition = defining_pipeline(resolver);
    if (!check(resolver, directive, func, definition))
        return false;
    Pipeline *result = pipeline_without_funcs(pipeline, resolver->arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Func *each = pipeline->funcs.data[i];
        pipeline_add_func(
            result, resolver->arena,
            each == func ? create_stand_in(resolver, func, definition, directive->place) : each);
    }
    resolver->pipeline = result;
    return true;
}

void eager_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const Resolver *resolver = &search->scheduler->resolver;
    const Directive *directive = candidate(search, argument_func_named(plan->func->shape->name));
    if (check(resolver, directive, plan->func, defining_pipeline(resolver)))
        candidate_accept(search, directive);
}

/* inline.c -- inline(f): replaces each call of f by its definition, and removes f.
 *
 *     fun f(x) = e;  .. f(a) ..    becomes    .. e[a/x] ..
 *
 * This is Func-Eval itself (Figure 6), so it changes no value.  Sorts stay right.  In f's body a
 * coordinate occurs as the value `i32(x)`, which wraps; it becomes `i32(a)`, which wraps likewise.
 * A call under `index(..)` is replaced by the body under `index(..)`.
 *
 * Def 4.3 still holds.  A dimension is pure in a stage if its variable occurs, and then (Def 4.2)
 * the write's own index is that variable.  An index that *is* a variable holds no call, so inlining
 * cannot remove it.  Arguments of calls bring no variable that did not occur before.
 *
 * Expressions are hash-consed, so equal calls give one body.  Arguments are simplified first, so
 * f(x + 1 - 1) and f(x) are equal calls.  A chain of n stencils then has as many distinct bodies as
 * the sum of their taps, not the product.  Shared parts count once: the limit is on the nodes that
 * all inlining makes, so no part of it costs more.
 */
#include "schedule/directive_record.h"

#include "simplify/simplify.h"

static bool check(const Resolver *resolver, const Directive *directive) {
    const DirectiveArgument *argument = directive_argument(directive, 0);
    const Func *func = resolve_func(resolver, argument);
    if (!func)
        return false;
    const char *name = func->shape->name->text;
    if (func->shape->is_output)
        return refuse(resolver, DIAG_INLINE_OUTPUT, argument->place, name);
    if (func->stages.length > 1)
        return refuse(resolver, DIAG_INLINE_UPDATES, argument->place, name);
    if (func_is_extern(func))
        return refuse(resolver, DIAG_EXTERN_MEMORY, argument->place, "inline", name, "writes",
                      "compute it at root, or at a loop of its consumer");
    if (func->definition)
        return refuse(resolver, DIAG_EAGER, argument->place, name, "the same schedule inlines it");
    return true;
}

typedef Vec(AccessSite) Sites;

/* One memo serves all funcs: a call of f has the same meaning everywhere.  Each inlined func is
 * rewritten before the funcs that may call it. */
typedef struct Inlining {
    Pool *pool;
    Arena *arena, *scratch;
    Map bodies; /* Symbol -> Func: inlined funcs without calls of inlined funcs */
    Map reads;  /* call of an inlined func, arguments rewritten -> Sites: the reads of its body */
    ExprMemo memo;
    Simplifier *simplifier; /* knows nothing: arguments mean the same everywhere */
    uint64_t node_limit;    /* pool numbers at which to give up */
    uint64_t visits;        /* nodes of definitions that calls have rewritten */
} Inlining;

/* Replaces the variables of a definition by a call's arguments. */
typedef struct InlinedCall {
    Simplifier *simplifier;
    Arena *scratch;
    Map arguments; /* Symbol -> Expr */
    uint64_t *visits;
} InlinedCall;

/* Simplifies each place where a coordinate becomes a value: in an access, under a cast. */
static Expr instantiate_node(void *data, Pool *pool, Expr node) {
    InlinedCall *instance = data;
    ++*instance->visits;
    if (node->op == OP_VARIABLE) {
        Expr argument = map_get(&instance->arguments, node->name);
        return argument ? argument : node;
    }
    if (type_is_index(node->type))
        return node;
    Expr small[MAX_SMALL_ARITY];
    for (int i = 0; i < node->arity; i++) {
        Expr argument = node->arguments[i];
        small[i] =
            type_is_index(argument->type) ? simplify(instance->simplifier, argument) : argument;
    }
    return node->arity ? expr_with_arguments(pool, node, small) : node;
}

static Expr instantiate(Inlining *inlining, InlinedCall *instance, Expr expr) {
    return expr_rewrite_alone(inlining->pool, instance->scratch, expr, instantiate_node, instance);
}

/* A call rewrites all of a definition, and most of the nodes that it makes may exist: so not only
 * the new ones are limited. */
static bool is_too_large(const Inlining *inlining) {
    return inlining->pool->next_number > inlining->node_limit ||
           inlining->visits > 2 * inlining->pool->context->limits.expression_nodes;
}

/* Returns the definition with the call's arguments. */
static Expr expand_call(Inlining *inlining, const Func *func, Expr call) {
    if (is_too_large(inlining))
        return call;
    Arena *scratch = arena_create(&inlining->pool->context->memory);
    InlinedCall instance = {inlining->simplifier, scratch, map_create(scratch), &inlining->visits};
    for (int k = 0; k < func->shape->dimensions; k++)
        map_put(&instance.arguments, func->shape->variables[k],
                simplify(inlining->simplifier, call->arguments[k]));
    const Stage *stage = func->stages.data[0];
    Expr body = instantiate(inlining, &instance, stage->values[call->component]);
    Sites *reads = arena_new(inlining->scratch, Sites);
    for (size_t i = 0; i < stage->sites.length; i++) {
        AccessSite site = stage->sites.data[i];
        site.access = instantiate(inlining, &instance, site.access);
        vec_push(inlining->scratch, reads, site);
    }
    map_put(&inlining->reads, call, reads);
    arena_destroy(scratch);
    return body;
}

static Expr replace_call(void *data, Pool *pool, Expr node) {
    (void)pool;
    Inlining *inlining = data;
    const Func *func = node->op == OP_ACCESS ? map_get(&inlining->bodies, node->name) : NULL;
    return func ? expand_call(inlining, func, node) : node;
}

static Expr rewrite(void *data, Expr expr) {
    Inlining *inlining = data;
    return expr_rewrite(inlining->pool, &inlining->memo, expr, replace_call, inlining);
}

/* ---- access sites ---- */

static void put_place(Map *places, Expr access, const Place *place) {
    if (!map_get(places, access))
        map_put(places, access, place);
}

/* Finds the place of each access that the rewritten stage can have: it was written in the stage or
 * in the body of an inlined func. */
static Map find_places(Inlining *inlining, const Stage *stage) {
    Map places = map_create(inlining->scratch);
    for (size_t i = 0; i < stage->sites.length; i++) {
        const AccessSite *site = &stage->sites.data[i];
        Expr access = site->access;
        Expr *arguments = arena_array(inlining->scratch, Expr, access->arity);
        for (int k = 0; k < access->arity; k++)
            arguments[k] = rewrite(inlining, access->arguments[k]);
        access = expr_with_arguments(inlining->pool, access, arguments);
        const Sites *reads = map_get(&inlining->reads, access);
        for (size_t r = 0; reads && r < reads->length; r++)
            put_place(&places, reads->data[r].access, &reads->data[r].place);
        put_place(&places, access, &site->place);
    }
    return places;
}

/* Appends the accesses of `expr` that are not listed in the stage. */
static void add_sites(Inlining *inlining, Stage *stage, const Map *places, Map *seen, Expr expr) {
    Exprs accesses = {0};
    expr_accesses(inlining->scratch, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Expr access = accesses.data[i];
        if (map_get(seen, access))
            continue;
        map_put(seen, access, access);
        const Place *place = map_get(places, access);
        vec_push(inlining->arena, &stage->sites,
                 (AccessSite){access, place ? *place : stage->place});
    }
}

/* ---- stages, funcs, the pipeline ---- */

static bool calls_inlined(const Inlining *inlining, const Stage *stage) {
    for (size_t i = 0; i < stage->sites.length; i++)
        if (map_get(&inlining->bodies, stage->sites.data[i].access->name))
            return true;
    return false;
}

static Stage *rewrite_stage(Inlining *inlining, const FuncShape *shape, const Stage *stage) {
    Stage *result = stage_map(inlining->arena, shape, stage, rewrite, inlining);
    result->sites = (typeof(result->sites)){0};
    Map places = find_places(inlining, stage), seen = map_create(inlining->scratch);
    for (int k = 0; k < shape->dimensions; k++)
        add_sites(inlining, result, &places, &seen, result->indices[k]);
    for (int i = 0; i < shape->components; i++)
        add_sites(inlining, result, &places, &seen, result->values[i]);
    if (result->predicate)
        add_sites(inlining, result, &places, &seen, result->predicate);
    return result;
}

/* Reports that an extern func reads an inlined one: it needs memory. */
static void refuse_extern(Inlining *inlining, const Func *func) {
    const Stage *stage = func->stages.data[0];
    for (size_t i = 0; i < stage->sites.length; i++) {
        const AccessSite *site = &stage->sites.data[i];
        if (!map_get(&inlining->bodies, site->access->name))
            continue;
        diag(inlining->pool->context, DIAG_EXTERN_MEMORY, site->place, "inline",
             site->access->name->text, "reads", "wrap it for the function, or do not inline it");
        return;
    }
}

/* Replaces the calls in the func (returns the func itself if there are none).  Null after refusing:
 * too large. */
static Func *rewrite_func(Inlining *inlining, Func *func) {
    Context *context = inlining->pool->context;
    bool any = false;
    for (size_t j = 0; j < func->stages.length; j++)
        any |= calls_inlined(inlining, func->stages.data[j]);
    if (!any)
        return func;
    if (func_is_extern(func)) {
        refuse_extern(inlining, func);
        return NULL;
    }
    Func *result = func_without_stages(inlining->arena, func);
    for (size_t j = 0; j < func->stages.length; j++) {
        Stage *stage = rewrite_stage(inlining, func->shape, func->stages.data[j]);
        if (is_too_large(inlining)) {
            diag(context, DIAG_INLINE_TOO_LARGE, func->stages.data[j]->place,
                 func->shape->name->text,
                 arena_format(inlining->arena, "%zu", context->limits.expression_nodes));
            return NULL;
        }
        vec_push(inlining->arena, &result->stages, stage);
    }
    return result;
}

static Pipeline *inline_all(Inlining *inlining, const Pipeline *pipeline, const Map *inlined) {
    Pipeline *result = pipeline_without_funcs(pipeline, inlining->arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Func *func = rewrite_func(inlining, pipeline->funcs.data[i]);
        if (!func)
            return NULL;
        if (map_get(inlined, func->shape->name))
            map_put(&inlining->bodies, func->shape->name, func);
        else
            pipeline_add_func(result, inlining->arena, func);
    }
    return result;
}

Pipeline *inline_funcs(const Resolver *resolver) {
    Context *context = resolver->context;
    const Pipeline *pipeline = resolver->pipeline;
    Arena *scratch = arena_create(&context->memory);
    Inlining inlining = {.pool = pipeline->pool,
                         .arena = resolver->arena,
                         .scratch = scratch,
                         .bodies = map_create(scratch),
                         .reads = map_create(scratch),
                         .memo = expr_memo(scratch),
                         .simplifier = simplifier_create(pipeline->pool, scratch),
                         .node_limit = (uint64_t)pipeline->pool->next_number +
                                       context->limits.expression_nodes};
    Pipeline *result = inline_all(&inlining, pipeline, &resolver->inlined);
    arena_destroy(scratch);
    return result;
}

/* Only records the func: all inlines of a run are applied together at its end (algorithm.c). */
bool inline_rewrite(AlgorithmRun *run, const Directive *directive) {
    Symbol name = directive_argument(directive, 0)->name;
    bool is_legal = check(run->resolver, directive);
    map_put(&run->resolver->inlined, name, name);
    run->has_inlined = true;
    return is_legal;
}

void inline_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const Directive *directive = candidate(search, argument_func_named(plan->func->shape->name));
    if (check(&search->scheduler->resolver, directive))
        candidate_accept(search, directive);
}

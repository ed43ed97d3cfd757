/* clone.c -- clone(f, consumer, .., name): the consumers read a new func `name` with the stages of f.
 *
 *     fun f(x) = a(x) + 1;                     fun f(x) = a(x) + 1;
 *     fun g(x) = f(x);               becomes   fun name(x) = a(x) + 1;
 *     fun out(x) = f(x - 1) + g(x);            fun g(x) = f(x);
 *                                              fun out(x) = name(x - 1) + g(x);
 *
 * wrap keeps one computation of f, and copies its values; clone computes them anew for the consumers,
 * under a schedule of their own.
 *
 * It changes no value: Func-Eval of name(a) has the stages of f, whose reads of f are reads of name,
 * so it is that of f(a) by induction over the stages and iterations (Figure 6).
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

/* Turns reads of `from` into reads of `to`. */
typedef struct OwnReads {
    Pool *pool;
    Symbol from, to;
    ExprMemo memo;
} OwnReads;

static Expr rename_access(void *data, Pool *pool, Expr node) {
    const OwnReads *own = data;
    if (node->op != OP_ACCESS || node->name != own->from)
        return node;
    return expr_access(pool, own->to, node->component, node->type, node->arguments, node->arity);
}

static Expr rename_in(void *data, Expr expr) {
    OwnReads *own = data;
    return expr_rewrite(own->pool, &own->memo, expr, rename_access, own);
}

static Func *create_clone(const Resolver *resolver, const Func *func, Symbol name) {
    Arena *scratch = arena_create(&resolver->context->memory);
    OwnReads own = {resolver->pipeline->pool, func->shape->name, name, expr_memo(scratch)};
    Func *result = func_map(resolver->arena, func, rename_in, &own);
    arena_destroy(scratch);
    result->shape = arena_new(resolver->arena, FuncShape);
    *result->shape = *func->shape;
    result->shape->name = name;
    result->shape->is_output = false;
    return result;
}

/* Says why the func cannot be cloned; null if it can. */
static const char *obstacle(const Func *func) {
    return func->recurrence || func->extends || func->realised
               ? "it is an equation of a recurrence, which is computed with the others"
           : func->definition ? "it is evaluated at compile time (eager)"
                              : NULL;
}

bool clone_rewrite(AlgorithmRun *run, const Directive *directive) {
    const Resolver *resolver = run->resolver;
    const DirectiveArgument *cloned = directive_argument(directive, 0);
    run_redefinition(run);
    const Func *func = resolve_func(resolver, cloned);
    if (!func)
        return false;
    const char *reason = obstacle(func);
    if (reason)
        return refuse(resolver, DIAG_CLONE_KIND, cloned->place, cloned->name->text, reason);
    Symbol name = directive_argument(directive, directive->arguments.length - 1)->name;
    return wrap_consumers(run, directive, cloned->name, create_clone(resolver, func, name));
}

/* ---- candidates ---- */

static void offer(const LegalSearch *search, Symbol cloned, Symbol consumer) {
    Directive *directive = candidate(search, argument_func_named(cloned));
    candidate_put(search, directive, argument_func_named(consumer));
    candidate_put(search, directive, argument_name(candidate_func_name(search, cloned, "c")));
    candidate_offer(search, directive);
}

/* Offers each producer of the func for the func alone. */
void clone_candidates(const LegalSearch *search, const FuncPlan *plan) {
    Symbol own = plan->func->shape->name;
    Map seen = map_create(search->arena);
    map_put(&seen, own, own);
    for (size_t j = 0; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        for (size_t i = 0; i < stage->sites.length; i++) {
            Symbol read = stage->sites.data[i].access->name;
            const Func *func = pipeline_func(search->scheduler->resolver.pipeline, read);
            if (!map_get(&seen, read) && func && !obstacle(func))
                offer(search, read, own);
            map_put(&seen, read, read);
        }
    }
}

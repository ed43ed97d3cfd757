/* split_reduction.c -- split-reduction(f.s1.r, ro, ri, k): makes two reduction variables of one in
 * the algorithm.
 *
 *     rdom(r = (m, n)) in f(x) <- f(x) + a(r)
 *
 * becomes
 *
 *     rdom(ri = (0, k); ro = (0, (n + (k - 1)) / k)) in f(x) <- f(x) + a(r)
 *         where r = m + ro*k + ri, for those r that are less than m + n
 *
 * If the factor k is known at run time only, the entry checks that it is positive (PASS_CHECKS).
 *
 * The order of iterations does not change, so no value changes.  `split` does the same to a loop;
 * here the parts are variables of the algorithm, and rfactor can name them.  A `split` whose parts
 * a later rfactor names becomes this directive (algorithm.c).
 *
 * The value of r is kept beside the stage (ReductionSplit).  It becomes the let and the guard that
 * `split` makes, so bounds, partitioning and code generation know what they know of a split.
 */
#include "schedule/directive_record.h"

const Stage *resolve_reduction(const Resolver *resolver, const DirectiveArgument *argument,
                               size_t *variable) {
    /* The nests of the current algorithm. */
    Nests nests = {resolver->context, resolver->arena, map_create(resolver->arena)};
    Resolver now = *resolver;
    LoopName name;
    nests_resolve_with(&nests, &now);
    if (!resolve_loop(&now, argument, &name))
        return NULL;
    const Stage *stage = pipeline_func(resolver->pipeline, name.func)->stages.data[name.stage];
    for (*variable = 0; *variable < stage->reduction.length; ++*variable)
        if (stage->reduction.data[*variable].variable == name.variable)
            return stage;
    refuse(resolver, DIAG_NOT_A_REDUCTION, argument->place, loop_text(resolver, &name));
    return NULL;
}

bool split_reduction_is_meant(const Resolver *resolver, const Directive *split) {
    Resolver silent = resolver_silent(resolver);
    size_t variable;
    const Stage *stage = resolve_reduction(&silent, directive_argument(split, 0), &variable);
    return stage && !stage->has_distances; /* loops of recurrences are split as loops */
}

/* Can the stage have a variable of that name?  In expressions parameters are variables, too. */
static bool accepts_variable(const Resolver *resolver, const LoopNest *nest,
                             const DirectiveArgument *argument, const DirectiveArgument *other) {
    if (!signature_parameter(&resolver->pipeline->signature, argument->name))
        return nest_accepts_name(resolver, nest, argument, other);
    return refuse(resolver, DIAG_LOOP_NAME_TAKEN, argument->place, argument->name->text,
                  nest->func->shape->name->text, arena_format(resolver->arena, "s%d", nest->stage));
}

static Stage *split_stage(const Resolver *resolver, const Stage *stage, size_t at,
                          const Directive *directive) {
    Pool *pool = resolver->pipeline->pool;
    Arena *arena = resolver->arena;
    Symbol outer = directive_argument(directive, 1)->name,
           inner = directive_argument(directive, 2)->name;
    const ReductionVariable *whole = &stage->reduction.data[at];
    Extent domain = whole->interval;
    Expr factor = directive_argument(directive, 3)->expr, zero = expr_index(pool, 0), above, block;
    int64_t length, k;
    above = expr_add(pool, domain.length, expr_sub(pool, factor, expr_index(pool, 1)));
    block =
        expr_add(pool, domain.minimum, expr_mul(pool, expr_variable(pool, outer, INDEX), factor));
    Stage *result = arena_new(arena, Stage);
    *result = *stage;
    result->has_distances = false;
    result->order.length = 0;
    result->reduction = (typeof(result->reduction)){0};
    for (size_t r = 0; r < stage->reduction.length; r++) {
        if (r != at) {
            vec_push(arena, &result->reduction, stage->reduction.data[r]);
            continue;
        }
        vec_push(arena, &result->reduction,
                 (ReductionVariable){
                     .variable = inner, .interval = {zero, factor}, .place = directive->place});
        vec_push(arena, &result->reduction,
                 (ReductionVariable){.variable = outer,
                                     .interval = {zero, expr_div(pool, above, factor)},
                                     .place = directive->place});
    }
    result->splits = (typeof(result->splits)){0};
    for (size_t i = 0; i < stage->splits.length; i++)
        vec_push(arena, &result->splits, stage->splits.data[i]);
    bool is_exact = expr_constant_integer(domain.length, &length) &&
                    expr_constant_integer(factor, &k) && length >= 0 && length % k == 0;
    vec_push(arena, &result->splits,
             (ReductionSplit){.variable = whole->variable,
                              .value = expr_add(pool, block, expr_variable(pool, inner, INDEX)),
                              .factor = expr_is_constant(factor) ? NULL : factor,
                              .domain = domain,
                              .is_exact = is_exact,
                              .place = directive->place});
    return result;
}

/* Returns the stage that the directive splits, and the position; null after refusing. */
static const Stage *check(const Resolver *resolver, const Directive *directive, size_t *at) {
    const DirectiveArgument *loop = directive_argument(directive, 0),
                            *outer = directive_argument(directive, 1),
                            *inner = directive_argument(directive, 2);
    const Stage *stage = resolve_reduction(resolver, loop, at);
    if (!stage || !check_split_factor(resolver, directive_argument(directive, 3)))
        return NULL;
    const Func *func = pipeline_func(resolver->pipeline, loop->loop.func);
    const LoopNest *nest = nest_initial(resolver->context, resolver->arena, func, 0, stage->number);
    bool accepts = nest_has_room(resolver, nest, directive->place) &&
                   accepts_variable(resolver, nest, outer, NULL) &&
                   accepts_variable(resolver, nest, inner, outer);
    return accepts ? stage : NULL;
}

/* A nest's first stage skips points that the update writes, if distances allow it (needed.c).  The
 * split update has no distances, so the first stage writes all points. */
static void write_all_first(Redefinition *redefinition, const Resolver *resolver, Symbol name) {
    const Func *func = pipeline_func(resolver->pipeline, name);
    if (!func->stages.data[0]->predicate)
        return;
    Stage *first = arena_new(resolver->arena, Stage);
    *first = *func->stages.data[0];
    first->predicate = NULL;
    redefine_stage(redefinition, func, first);
}

bool split_reduction_rewrite(AlgorithmRun *run, const Directive *directive) {
    const Resolver *resolver = run->resolver;
    Redefinition *redefinition = run_redefinition(run);
    size_t at = 0;
    const Stage *stage = check(resolver, directive, &at);
    if (!stage)
        return false;
    Symbol func = directive_argument(directive, 0)->loop.func;
    write_all_first(redefinition, resolver, func);
    redefine_stage(redefinition, pipeline_func(resolver->pipeline, func),
                   split_stage(resolver, stage, at, directive));
    return true;
}

/* ---- candidates ---- */

DirectiveArgument argument_reduction(const Func *func, const Stage *stage, size_t variable) {
    LoopName name = {func->shape->name, 0, stage->number, stage->reduction.data[variable].variable};
    return argument_loop(&name);
}

void split_reduction_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const Resolver *resolver = &search->scheduler->resolver;
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        const LoopNest *nest =
            nest_initial(resolver->context, search->arena, plan->func, 0, (int)j);
        for (size_t r = 0; r < stage->reduction.length; r++)
            for (size_t i = 0, at; i < search->choices->factors.length; i++) {
                size_t position = nest->loops.length - 1 - r; /* the first-named is innermost */
                Symbol outer = candidate_loop_name(search, nest, position, "_o"),
                       inner = candidate_loop_name(search, nest, position, "_i");
                const Directive *split = candidate(
                    search, argument_reduction(plan->func, stage, r), argument_name(outer),
                    argument_name(inner), argument_number(&search->choices->factors.data[i]));
                if (check(resolver, split, &at))
                    candidate_accept(search, split);
            }
    }
}

/* prefetch.c -- prefetch(f, l, n): at the start of each iteration of l, fetches into the cache what
 * the iteration n later reads of f, a func or an image.
 *
 * No value depends on it, so this file only marks the loop.  PASS_PREFETCH makes the statements
 * when regions are known (lower/passes/prefetch.c), and judges whether there is anything to fetch.
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

enum { MOST_DISTANCE = 1024 };

bool prefetch_follow(const Resolver *resolver, const Directive *directive) {
    LoopName name;
    return resolve_loop(resolver, directive_argument(directive, 1), &name);
}

bool prefetch_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *fetched = directive_argument(directive, 0);
    LoopName name;
    if (!signature_image(&resolver->pipeline->signature, fetched->name) &&
        !resolve_func(resolver, fetched))
        return false;
    if (!resolve_loop(resolver, directive_argument(directive, 1), &name) ||
        !check_constant(resolver, directive_argument(directive, 2), "the distance", MOST_DISTANCE))
        return false;
    const Stmt *loop = loop_named(scheduler, &name);
    for (const Prefetch *other = loop->loop.prefetches; other; other = other->next)
        if (other->name == fetched->name)
            return refuse(resolver, DIAG_PREFETCH, directive->place, fetched->name->text,
                          loop_text(resolver, &name), "that is said already");
    return true;
}

void prefetch_apply(Scheduler *scheduler, const Directive *directive) {
    int64_t distance = 1;
    expr_constant_integer(directive_argument(directive, 2)->expr, &distance);
    Stmt *loop = loop_of_argument(scheduler, directive, 1);
    Prefetch *prefetch = arena_new(scheduler->program->arena, Prefetch);
    *prefetch = (Prefetch){.next = loop->loop.prefetches,
                           .name = directive_argument(directive, 0)->name,
                           .distance = (int)distance,
                           .place = directive->place};
    loop->loop.prefetches = prefetch;
}

/* Offers the funcs and images that the loop's stage reads, with distances from the factors. */
void prefetch_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    const Stage *stage = nest->func->stages.data[nest->stage];
    Exprs accesses = {0};
    Map seen = map_create(search->arena);
    for (int c = 0; c < nest->func->shape->components; c++)
        expr_accesses(search->arena, stage->values[c], &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Symbol name = accesses.data[i]->name;
        if (map_get(&seen, name) || name == nest->func->shape->name)
            continue;
        map_put(&seen, name, name);
        for (size_t k = 0; k < search->choices->factors.length; k++)
            candidate_offer(search, candidate(search, argument_func_named(name),
                                              argument_of_nest(nest, position),
                                              argument_number(&search->choices->factors.data[k])));
    }
}

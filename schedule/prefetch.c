/* prefetch.c -- prefetch(f, l, n): at the start of each iteration of l, what the iteration n later
 * reads of f, a func or an image, is fetched into the cache.
 *
 * No value depends on it, so the loop only notes it; PASS_PREFETCH, when regions are known, makes
 * the statements (lower/prefetch.c), and judges whether there is anything to be fetched.
 */
#include "schedule/scheduler.h"

enum { MOST_DISTANCE = 1024 };

static bool check_distance(const Resolver *resolver, const DirectiveArgument *argument) {
    int64_t value;
    bool is_constant = expr_constant_integer(argument->expr, &value);
    if (is_constant && value >= 1 && value <= MOST_DISTANCE)
        return true;
    const char *text =
        is_constant ? arena_format(resolver->arena, "%lld", (long long)value) : "not a constant";
    return refuse(resolver, DIAG_BOUND_VALUE, argument->place, "the distance", text,
                  arena_format(resolver->arena, "a constant in 1..%d", MOST_DISTANCE));
}

bool prefetch_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *fetched = directive_argument(directive, 0);
    LoopName name;
    if (!signature_image(&resolver->pipeline->signature, fetched->name) &&
        !resolve_func(resolver, fetched))
        return false;
    if (!resolve_loop(resolver, directive_argument(directive, 1), &name) ||
        !check_distance(resolver, directive_argument(directive, 2)))
        return false;
    const Stmt *loop = loop_named(scheduler, &name);
    for (const Prefetch *other = loop->loop.prefetches; other; other = other->next)
        if (other->name == fetched->name)
            return refuse(resolver, DIAG_PREFETCH, directive->place, fetched->name->text,
                          loop_symbol(resolver->context, &name)->text, "that is said already");
    return true;
}

void prefetch_apply(Scheduler *scheduler, const Directive *directive) {
    LoopName name;
    int64_t distance = 1;
    resolve_loop(&scheduler->resolver, directive_argument(directive, 1), &name);
    expr_constant_integer(directive_argument(directive, 2)->expr, &distance);
    Stmt *loop = loop_named(scheduler, &name);
    Prefetch *prefetch = arena_new(scheduler->program->arena, Prefetch);
    *prefetch = (Prefetch){.next = loop->loop.prefetches,
                           .name = directive_argument(directive, 0)->name,
                           .distance = (int)distance,
                           .place = directive->place};
    loop->loop.prefetches = prefetch;
}

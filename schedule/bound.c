/* bound.c -- bound(f, x, min, len), bound-extent(f, x, len), align-bounds(f, x, m, r).
 *
 * They change no statement: what they ask is recorded for the bounds oracle, which fixes (or grows)
 * the compute holes of that dimension.  That the fixed region holds the demand, and that a modulus
 * known only at run time is sound, are checks at the entry (PASS_CHECKS).
 */
#include "schedule/scheduler.h"

static BoundKind kind_of(const Directive *directive) {
    return directive->kind == DIRECTIVE_BOUND          ? BOUND_INTERVAL
           : directive->kind == DIRECTIVE_BOUND_EXTENT ? BOUND_LENGTH
                                                       : BOUND_ALIGN;
}

/* bound and bound-extent both fix the length: one of the two. */
static bool check_first(const Scheduler *scheduler, const Directive *directive, Symbol func,
                        int dimension) {
    BoundKind kind = kind_of(directive);
    for (size_t i = 0; i < scheduler->bounds->requests.length; i++) {
        const BoundRequest *other = &scheduler->bounds->requests.data[i];
        if (other->func == func && other->dimension == dimension &&
            (other->kind == BOUND_ALIGN) == (kind == BOUND_ALIGN))
            return refuse(&scheduler->resolver, DIAG_BOUND_TWICE, directive->place,
                          directive_argument(directive, 1)->name->text, func->text);
    }
    return true;
}

static bool check_least(const Resolver *resolver, const DirectiveArgument *argument, int64_t least,
                        const char *what) {
    int64_t value;
    if (!expr_constant_integer(argument->expr, &value) || value >= least)
        return true;
    return refuse(resolver, DIAG_BOUND_VALUE, argument->place, what,
                  arena_format(resolver->arena, "%lld", (long long)value),
                  arena_format(resolver->arena, "at least %lld", (long long)least));
}

static bool check_alignment(const Resolver *resolver, const Directive *directive) {
    const DirectiveArgument *modulus = directive_argument(directive, 2),
                            *remainder = directive_argument(directive, 3);
    int64_t m, r;
    if (!check_least(resolver, modulus, 1, "the modulus"))
        return false;
    if (!remainder)
        return true;
    if (!check_least(resolver, remainder, 0, "the remainder"))
        return false;
    if (expr_constant_integer(modulus->expr, &m) && expr_constant_integer(remainder->expr, &r) &&
        r >= m)
        return refuse(resolver, DIAG_BOUND_VALUE, remainder->place, "the remainder",
                      arena_format(resolver->arena, "%lld", (long long)r), "less than the modulus");
    return true;
}

bool bound_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const Func *func = resolve_func(resolver, directive_argument(directive, 0));
    if (!func)
        return false;
    int dimension = resolve_dimension(resolver, func, directive_argument(directive, 1));
    if (dimension < 0)
        return false;
    for (size_t i = 2; i < directive->arguments.length; i++)
        if (!check_startup(resolver, &directive->arguments.data[i]))
            return false;
    if (!check_first(scheduler, directive, func->shape->name, dimension))
        return false;
    switch (kind_of(directive)) {
    case BOUND_INTERVAL:
        return check_least(resolver, directive_argument(directive, 3), 0, "the length");
    case BOUND_LENGTH:
        return check_least(resolver, directive_argument(directive, 2), 0, "the length");
    case BOUND_ALIGN:
        return check_alignment(resolver, directive);
    }
    return false;
}

void bound_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = scheduler_plan(scheduler, directive_argument(directive, 0)->name);
    const DirectiveArgument *first = directive_argument(directive, 2),
                            *second = directive_argument(directive, 3);
    BoundRequest request = {.kind = kind_of(directive),
                            .func = plan->func->shape->name,
                            .dimension = resolve_dimension(&scheduler->resolver, plan->func,
                                                           directive_argument(directive, 1)),
                            .place = directive->place};
    switch (request.kind) {
    case BOUND_INTERVAL:
        request.minimum = first->expr;
        request.length = second->expr;
        break;
    case BOUND_LENGTH:
        request.length = first->expr;
        break;
    case BOUND_ALIGN:
        request.modulus = first->expr;
        request.remainder = second ? second->expr : expr_index(scheduler->pool, 0);
        break;
    }
    vec_push(scheduler->program->arena, &scheduler->bounds->requests, request);
}

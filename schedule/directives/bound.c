/* bound.c -- bound(f, x, min, len), bound-extent(f, x, len), align-bounds(f, x, m, r).
 *
 * They change no statement.  The request is recorded for the bounds oracle, which fixes (or grows)
 * the compute holes of that dimension.  The entry checks two facts (PASS_CHECKS): the fixed region
 * holds the demand, and a modulus known only at run time is sound.
 */
#include "schedule/directive_record.h"

static BoundKind kind_of(const Directive *directive) {
    return directive->kind == DIRECTIVE_BOUND          ? BOUND_INTERVAL
           : directive->kind == DIRECTIVE_BOUND_EXTENT ? BOUND_LENGTH
                                                       : BOUND_ALIGN;
}

/* bound and bound-extent both fix the length, so a dimension has only one of them. */
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
                      number_text(resolver, r), "less than the modulus");
    return true;
}

/* In the window form a window must run where the whole runs.  A region that begins at a window and
 * ends beyond it asks for more than the whole does.  A fixed interval is the same for all windows. */
static bool check_windows(const Resolver *resolver, const Directive *directive, const Func *func) {
    if (!resolver->pipeline->signature.windows || kind_of(directive) == BOUND_INTERVAL)
        return true;
    return refuse(resolver, DIAG_WINDOW_BOUND, directive->place, func->shape->name->text,
                  kind_of(directive) == BOUND_LENGTH ? "bound-extent" : "align-bounds");
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
    if (!check_first(scheduler, directive, func->shape->name, dimension) ||
        !check_windows(resolver, directive, func))
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
    const FuncPlan *plan = plan_of_directive(scheduler, directive);
    const DirectiveArgument *first = directive_argument(directive, 2),
                            *second = directive_argument(directive, 3);
    BoundRequest request = {.kind = kind_of(directive),
                            .func = plan->func->shape->name,
                            .dimension = resolve_dimension(&scheduler->resolver, plan->func,
                                                           directive_argument(directive, 1)),
                            .is_of_nest = plan->func->realised != NULL,
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

void bound_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const DirectiveChoices *choices = search->choices;
    if (search->kind == DIRECTIVE_BOUND)
        candidates_of_dimensions(search, plan, &choices->minima, &choices->lengths, true);
    else if (search->kind == DIRECTIVE_BOUND_EXTENT)
        candidates_of_dimensions(search, plan, &choices->lengths, NULL, false);
    else
        candidates_of_dimensions(search, plan, &choices->moduli, &choices->remainders, false);
}

/* ---- partial results ---- */

static bool is_bounded(const Scheduler *scheduler, Symbol func, int dimension) {
    const BoundRequests *bounds = scheduler->bounds;
    for (size_t i = 0; i < bounds->requests.length; i++)
        if (bounds->requests.data[i].func == func &&
            bounds->requests.data[i].dimension == dimension)
            return true;
    return false;
}

/* Bounds the dimension that an rfactor made of the variable of `loop`. */
static void bound_kept(Scheduler *scheduler, const Func *partial, const DirectiveArgument *loop,
                       const DirectiveArgument *name, Place place) {
    const Func *func = pipeline_func(scheduler->resolver.pipeline, loop->loop.func);
    const Stage *merge = func->stages.data[loop->loop.stage];
    int dimension = resolve_dimension(&scheduler->resolver, partial, name);
    for (size_t r = 0; r < merge->reduction.length; r++) {
        Extent interval = merge->reduction.data[r].interval;
        if (merge->reduction.data[r].variable != loop->loop.variable ||
            !expr_is_constant(interval.minimum) || !expr_is_constant(interval.length) ||
            is_bounded(scheduler, partial->shape->name, dimension))
            continue;
        vec_push(scheduler->program->arena, &scheduler->bounds->requests,
                 (BoundRequest){.kind = BOUND_INTERVAL,
                                .func = partial->shape->name,
                                .dimension = dimension,
                                .minimum = interval.minimum,
                                .length = interval.length,
                                .is_least = true,
                                .place = place});
    }
}

void bound_partial_results(Scheduler *scheduler, const Directives *primitives) {
    for (size_t i = 0; i < primitives->length; i++) {
        const Directive *directive = &primitives->data[i];
        size_t last = directive->arguments.length - 1;
        if (directive->kind != DIRECTIVE_RFACTOR)
            continue;
        const Func *partial =
            pipeline_func(scheduler->resolver.pipeline, directive_argument(directive, last)->name);
        for (size_t a = 0; partial && a < last; a += 2)
            bound_kept(scheduler, partial, directive_argument(directive, a),
                       directive_argument(directive, a + 1), directive->place);
    }
}

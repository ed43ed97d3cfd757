/* stretch.c -- the start of a stretch of a reduction whose operator has no identity.
 *
 * With an identity, a stretch starts from it, and an empty stretch changes nothing.  Some operators
 * have none, such as "the least number, and the last place where it is".  Whatever place a stretch
 * started with, it would win against an equal number.  Such a stretch starts with the contribution
 * of its first iteration, and continues at the second:
 *
 *     fun name(x, u) = { injected(x, u, first);
 *       rdom(i = (first, 64)) in (x, u) <- name(x, u) op injected(x, u, i) if first < i }
 *
 * So each stretch needs a first iteration, whatever the arguments.  This is proved.  No update has
 * a condition or writes at points that depend on the iteration.  Each variable that is not kept has
 * an iteration.  In the first iteration, each split variable lies in its domain, for all values of
 * the kept variables.
 */
#include "schedule/directives/stretch.h"

#include "decide/decide.h"

/* Returns each variable of the stage that is not kept, at its first value. */
static Substitution at_first(Pool *pool, Arena *arena, const Stretch *stretch, bool is_held) {
    const Stage *stage = stretch->stage;
    Substitution values = substitution_create(arena);
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (!stretch->kept[r])
            substitution_add(&values, stage->reduction.data[r].variable,
                             stage->reduction.data[r].interval.minimum);
    /* Each split mentions the variables of later splits. */
    for (size_t i = stage->splits.length; i-- > 0;) {
        const ReductionSplit *split = &stage->splits.data[i];
        Substitution before = values;
        before.results = map_create(arena);
        Expr value = substitution_apply(pool, &before, split->value), first = split->domain.minimum,
             end = expr_add(pool, first, split->domain.length);
        /* The func of partial results may be computed beyond its variables' domains. */
        if (is_held && !split->is_exact)
            value = expr_max(pool, first,
                             expr_min(pool, value, expr_sub(pool, end, expr_index(pool, 1))));
        substitution_add(&values, split->variable, value);
    }
    values.results = map_create(arena);
    return values;
}

/* ---- is there a first iteration? ---- */

/* Learns what the entry checks, and that the kept variables name an existing stretch. */
static void learn(Simplifier *simplifier, Arena *arena, const Resolver *resolver,
                  const Stretch *stretch) {
    const Pipeline *pipeline = resolver->pipeline;
    Pool *pool = pipeline->pool;
    Exprs facts = {0};
    pipeline_startup_facts(pipeline, arena, &facts);
    for (size_t i = 0; i < facts.length; i++)
        simplifier_learn(simplifier, facts.data[i]);
    for (size_t i = 0; i < pipeline->boundaries.length; i++) {
        const BoundaryUse *use = &pipeline->boundaries.data[i];
        Expr extent = signature_domain_field(&pipeline->signature, pool, use->image, FIELD_EXTENT,
                                             use->dimension);
        simplifier_learn(simplifier, expr_lt(pool, expr_index(pool, 0), extent));
    }
    for (size_t r = 0; r < stretch->stage->reduction.length; r++) {
        const ReductionVariable *kept = &stretch->stage->reduction.data[r];
        if (!stretch->kept[r])
            continue;
        Expr variable = expr_variable(pool, kept->variable, INDEX),
             end = expr_add(pool, kept->interval.minimum, kept->interval.length);
        simplifier_learn(simplifier, expr_le(pool, kept->interval.minimum, variable));
        simplifier_learn(simplifier, expr_lt(pool, variable, end));
    }
}

static const char *find_empty(Simplifier *simplifier, const Resolver *resolver,
                              const Stretch *stretch) {
    Pool *pool = resolver->pipeline->pool;
    const Stage *stage = stretch->stage;
    const char *empty = NULL;
    for (size_t r = 0; r < stage->reduction.length && !empty; r++)
        if (!stretch->kept[r] && !decide_proves_le(simplifier, expr_index(pool, 1),
                                                   stage->reduction.data[r].interval.length))
            empty = stage->reduction.data[r].variable->text;
    Substitution values = at_first(pool, resolver->arena, stretch, false);
    for (size_t i = 0; i < stage->splits.length && !empty; i++) {
        const ReductionSplit *split = &stage->splits.data[i];
        Expr value = substitution_apply(pool, &values, expr_variable(pool, split->variable, INDEX)),
             first = split->domain.minimum, end = expr_add(pool, first, split->domain.length);
        if (!decide_proves(simplifier, expr_lt(pool, value, end)) ||
            !decide_proves_le(simplifier, first, value))
            empty = split->variable->text;
    }
    return empty;
}

static const char begin[] = "no value of its type leaves what the func holds as it is, so a "
                            "stretch begins with its first iteration, and";

const char *stretch_place_obstacle(const Resolver *resolver, const Func *func, const Stage *stage) {
    for (int k = 0; k < func->shape->dimensions; k++)
        if (!stage->pure[k])
            return arena_format(resolver->arena, "%s where that writes depends on the iteration",
                                begin);
    return NULL;
}

const char *stretch_obstacle(const Resolver *resolver, const Func *func, const Stretch *stretch,
                             bool has_condition) {
    const char *obstacle = stretch_place_obstacle(resolver, func, stretch->stage);
    if (obstacle)
        return obstacle;
    if (stretch->stage->predicate && !has_condition)
        return arena_format(
            resolver->arena,
            "%s its condition may be false (a flag beside it tells whether something "
            "was set: {true, ..} from {false, ..})",
            begin);
    Arena *scratch = arena_create(&resolver->context->memory);
    Simplifier *simplifier = simplifier_create(resolver->pipeline->pool, scratch);
    learn(simplifier, scratch, resolver, stretch);
    const char *empty = find_empty(simplifier, resolver, stretch);
    arena_destroy(scratch);
    return empty ? arena_format(resolver->arena,
                                "%s a stretch may have no iteration of %s (`require` can say "
                                "that there is one)",
                                begin, empty)
                 : NULL;
}

/* ---- the first iteration, and the others ---- */

Expr stretch_first(Pool *pool, Arena *arena, const Stretch *stretch, Expr expr) {
    Substitution values = at_first(pool, arena, stretch, true);
    return substitution_apply(pool, &values, expr);
}

Expr stretch_rest(Pool *pool, const Stretch *stretch) {
    Expr rest = NULL;
    for (size_t r = 0; r < stretch->stage->reduction.length; r++) {
        const ReductionVariable *variable = &stretch->stage->reduction.data[r];
        if (stretch->kept[r])
            continue;
        Expr later = expr_lt(pool, variable->interval.minimum,
                             expr_variable(pool, variable->variable, INDEX));
        rest = rest ? expr_or(pool, rest, later) : later;
    }
    return rest ? rest : expr_bool(pool, false);
}

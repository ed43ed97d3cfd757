/* unsplit.c -- writes the algorithm that phase 0 has made in the algorithm language alone.
 *
 * A split reduction variable is stored beside its stage (ReductionSplit); lowering turns it into a
 * let and guards.  This file writes the split into the stage itself.  So the reference interpreter,
 * which knows no schedules, can evaluate the algorithm:
 *
 *     rdom(ri = (0, 4); ro = (0, (n + 3) / 4)) in f(x) <- f(x) + a(r)      r = ro*4 + ri
 *
 * becomes
 *
 *     .. in f(x) <- f(x) + a(max(0, min(ro*4 + ri, n - 1))) if 0 <= ro*4 + ri && ro*4 + ri < n
 *
 * The clamp is for the condition.  It is evaluated also where the variable is beyond its domain,
 * and it may read an image there.
 */
#include "ir/walk.h"
#include "schedule/redefine.h"

typedef struct Unsplitting {
    Pool *pool;
    Substitution values;
} Unsplitting;

static Expr write_out(void *data, Expr expr) {
    Unsplitting *unsplitting = data;
    return substitution_apply(unsplitting->pool, &unsplitting->values, expr);
}

/* Collects the value of each split variable; a split mentions the variables of later splits.
 * Returns the condition that all of them lie in their domains. */
static Expr collect_values(Unsplitting *unsplitting, Arena *arena, const Stage *stage) {
    Pool *pool = unsplitting->pool;
    Expr all_inside = expr_bool(pool, true);
    for (size_t i = stage->splits.length; i-- > 0;) {
        const ReductionSplit *split = &stage->splits.data[i];
        Expr first = split->domain.minimum, end = expr_add(pool, first, split->domain.length),
             last = expr_sub(pool, end, expr_index(pool, 1)),
             value = write_out(unsplitting, split->value);
        Expr inside = expr_and(pool, expr_le(pool, first, value), expr_lt(pool, value, end));
        all_inside = i + 1 == stage->splits.length ? inside : expr_and(pool, inside, all_inside);
        /* A substitution must be complete before its first use. */
        Substitution values = substitution_create(arena);
        for (size_t k = 0; k < unsplitting->values.names.length; k++)
            substitution_add(&values, unsplitting->values.names.data[k],
                             unsplitting->values.values.data[k]);
        substitution_add(&values, split->variable,
                         expr_max(pool, first, expr_min(pool, value, last)));
        unsplitting->values = values;
    }
    return all_inside;
}

Stage *stage_unsplit(const Pipeline *pipeline, Arena *arena, const FuncShape *shape, Stage *stage) {
    if (!stage->splits.length)
        return stage;
    Unsplitting unsplitting = {pipeline->pool, substitution_create(arena)};
    Expr inside = collect_values(&unsplitting, arena, stage);
    Stage *result = stage_map(arena, shape, stage, write_out, &unsplitting);
    result->splits = (typeof(result->splits)){0};
    result->predicate =
        result->predicate ? expr_and(pipeline->pool, inside, result->predicate) : inside;
    return result;
}

static Func *unsplit_func(const Pipeline *pipeline, Arena *arena, Func *func) {
    Func *result = func_without_stages(arena, func);
    for (size_t j = 0; j < func->stages.length; j++) {
        Stage *stage = func->stages.data[j];
        vec_push(arena, &result->stages, stage_unsplit(pipeline, arena, func->shape, stage));
    }
    return result;
}

Pipeline *pipeline_unsplit(const Pipeline *pipeline, Arena *arena) {
    Pipeline *result = pipeline_without_funcs(pipeline, arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        pipeline_add_func(result, arena, unsplit_func(pipeline, arena, pipeline->funcs.data[i]));
    return result;
}

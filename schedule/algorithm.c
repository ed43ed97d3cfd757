/* algorithm.c -- phase 0: the algorithm rewritten by `inline`, `wrap` and `eager`, in written
 * order.
 *
 * Directives of one kind in a row are applied together, so that the work is linear in the number of
 * funcs.  What is named later must still be there: after inline(f) neither wrap(f, ..) nor
 * compute-at(f, ..) finds f; after wrap(f, out, g) `out` reads g, and inline(f) puts f's body into
 * g.
 */
#include "schedule/loop.h"

typedef struct Rewriting {
    Resolver *resolver;
    const Schedule *schedule;
    Directives *primitives;
    size_t next, limit; /* the next directive; how many primitives are wanted */
} Rewriting;

/* The next directive of phase 0; null where there is none. */
static const Directive *peek(Rewriting *rewriting) {
    const Schedule *schedule = rewriting->schedule;
    if (!schedule || rewriting->primitives->length >= rewriting->limit)
        return NULL;
    for (; rewriting->next < schedule->directives.length; rewriting->next++) {
        const Directive *directive = &schedule->directives.data[rewriting->next];
        if (directive_info(directive->kind)->phase == PHASE_ALGORITHM)
            return directive;
    }
    return NULL;
}

static void take(Rewriting *rewriting, const Directive *directive) {
    vec_push(rewriting->resolver->arena, rewriting->primitives, *directive);
    rewriting->next++;
}

static bool rewrite_inlines(Rewriting *rewriting) {
    Resolver *resolver = rewriting->resolver;
    bool sound = true;
    for (const Directive *next; (next = peek(rewriting)) && next->kind == DIRECTIVE_INLINE;) {
        sound &= inline_check(resolver, next);
        map_put(&resolver->inlined, directive_argument(next, 0)->name, next);
        take(rewriting, next);
    }
    return sound && (resolver->pipeline = inline_apply(resolver));
}

static bool rewrite_wraps(Rewriting *rewriting) {
    Resolver *resolver = rewriting->resolver;
    Wrapping *wrapping = wrapping_begin(resolver);
    bool sound = true;
    for (const Directive *next; (next = peek(rewriting)) && next->kind == DIRECTIVE_WRAP;) {
        resolver->pipeline = wrapping_pipeline(wrapping);
        sound &= wrapping_add(wrapping, resolver, next);
        take(rewriting, next);
    }
    wrapping_end(wrapping);
    return sound;
}

static bool rewrite_eager(Rewriting *rewriting, const Directive *eager) {
    Resolver *resolver = rewriting->resolver;
    take(rewriting, eager);
    const Pipeline *pipeline = eager_apply(resolver, eager);
    resolver->pipeline = pipeline ? pipeline : resolver->pipeline;
    return pipeline;
}

const Pipeline *algorithm_rewrite(Resolver *resolver, const Schedule *schedule, size_t limit,
                                  Directives *primitives) {
    Rewriting rewriting = {resolver, schedule, primitives, 0, limit};
    for (const Directive *next; (next = peek(&rewriting));) {
        bool sound = next->kind == DIRECTIVE_INLINE ? rewrite_inlines(&rewriting)
                     : next->kind == DIRECTIVE_WRAP ? rewrite_wraps(&rewriting)
                                                    : rewrite_eager(&rewriting, next);
        if (!sound)
            return NULL;
    }
    return resolver->pipeline;
}

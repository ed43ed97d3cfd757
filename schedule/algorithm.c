/* algorithm.c -- phase 0: the algorithm rewritten by `inline`, `wrap`, `eager`, `split-reduction`
 * and `rfactor`, in written order.
 *
 * Directives of one kind in a row are applied together, so that the work is linear in the number of
 * funcs.  What is named later must still be there: after inline(f) neither wrap(f, ..) nor
 * compute-at(f, ..) finds f; after wrap(f, out, g) `out` reads g, and inline(f) puts f's body into
 * g.
 *
 * Before all that recurrences become funcs with updates, as `wavefront` and `merge-ures` say
 * (recurrence.c).
 *
 * A `split` of a reduction variable, of whose parts a later rfactor names one, is of this phase,
 * too: it becomes the split-reduction that it must be.
 */
#include "schedule/equations.h"
#include "schedule/redefine.h"

typedef struct Rewriting {
    Resolver *resolver;
    const Schedule *schedule;
    Directives *primitives;
    size_t next, limit; /* the next directive; how many primitives are wanted */
} Rewriting;

/* ---- splits that rfactor needs ---- */

/* `f.r`, whatever the stage: which of them is meant is seen when its turn comes. */
static Symbol part_symbol(const Resolver *resolver, Symbol func, Symbol variable) {
    return symbol_format(&resolver->context->symbols, "%s.%s", func->text, variable->text);
}

static void need_loops(const Resolver *resolver, Map *needed, const Directive *rfactor) {
    for (size_t i = 0; i < rfactor->arguments.length; i++) {
        const DirectiveArgument *argument = &rfactor->arguments.data[i];
        if (argument->kind == ARGUMENT_LOOP)
            map_put(needed, part_symbol(resolver, argument->loop.func, argument->loop.variable),
                    argument);
    }
}

/* From the last directive to the first: the splits of whose parts one is named behind. */
static void find_needed_splits(Resolver *resolver, const Schedule *schedule) {
    Map needed = map_create(resolver->arena);
    for (size_t i = schedule ? schedule->directives.length : 0; i-- > 0;) {
        const Directive *directive = &schedule->directives.data[i];
        if (directive->kind == DIRECTIVE_RFACTOR)
            need_loops(resolver, &needed, directive);
        if (directive->kind != DIRECTIVE_SPLIT)
            continue;
        const LoopReference *loop = &directive_argument(directive, 0)->loop;
        const DirectiveArgument *tail = directive_find(directive, ARGUMENT_TAIL);
        bool is_needed = false;
        for (size_t part = 1; part <= 2; part++)
            is_needed |=
                map_get(&needed, part_symbol(resolver, loop->func,
                                             directive_argument(directive, part)->name)) != NULL;
        if (!is_needed || (tail && !tail_guards(tail->tail)))
            continue;
        map_put(&needed, part_symbol(resolver, loop->func, loop->variable), directive);
        map_put(&resolver->rewritten, directive, directive);
    }
}

static Directive split_reduction_of(const Resolver *resolver, const Directive *split) {
    Directive result = {.kind = DIRECTIVE_SPLIT_REDUCTION, .place = split->place};
    for (size_t i = 0; i < 4; i++)
        vec_push(resolver->arena, &result.arguments, *directive_argument(split, i));
    return result;
}

/* ---- directives in order ---- */

/* The next directive of phase 0; null where there is none. */
static const Directive *peek(Rewriting *rewriting) {
    const Schedule *schedule = rewriting->schedule;
    Resolver *resolver = rewriting->resolver;
    if (!schedule || rewriting->primitives->length >= rewriting->limit)
        return NULL;
    for (; rewriting->next < schedule->directives.length; rewriting->next++) {
        const Directive *directive = &schedule->directives.data[rewriting->next];
        if (directive_is_of_recurrences(directive->kind))
            continue;
        if (directive_info(directive->kind)->phase == PHASE_ALGORITHM)
            return directive;
        if (!map_get(&resolver->rewritten, directive))
            continue;
        if (split_reduction_is_meant(resolver, directive))
            return directive;
        map_put(&resolver->rewritten, directive, NULL); /* it stays a split */
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

/* Those of one kind in a row. */
static bool rewrite_wraps(Rewriting *rewriting) {
    Resolver *resolver = rewriting->resolver;
    Redefinition *redefinition = redefine_begin(resolver);
    Wrapping *wrapping = wrapping_begin(resolver, redefinition);
    bool sound = true;
    resolver->pipeline = redefine_pipeline(redefinition);
    for (const Directive *next; (next = peek(rewriting)) && next->kind == DIRECTIVE_WRAP;) {
        sound &= wrapping_add(wrapping, resolver, next);
        take(rewriting, next);
    }
    redefine_end(redefinition);
    return sound;
}

static bool is_factoring(const Directive *directive) {
    return directive &&
           (directive->kind == DIRECTIVE_RFACTOR || directive->kind == DIRECTIVE_SPLIT ||
            directive->kind == DIRECTIVE_SPLIT_REDUCTION);
}

/* The directive with the stages of its loops. */
static bool resolve_reductions(const Resolver *resolver, Directive *directive) {
    Directive written = *directive;
    directive->arguments = (typeof(directive->arguments)){0};
    for (size_t i = 0; i < written.arguments.length; i++) {
        DirectiveArgument argument = written.arguments.data[i];
        size_t variable;
        if (argument.kind == ARGUMENT_LOOP) {
            const Stage *stage = resolve_reduction(resolver, &argument, &variable);
            if (!stage)
                return false;
            argument.loop.stage = stage->number;
        }
        vec_push(resolver->arena, &directive->arguments, argument);
    }
    return true;
}

static bool factor(const Resolver *resolver, Redefinition *redefinition, Directive *directive) {
    if (!resolve_reductions(resolver, directive))
        return false;
    return directive->kind == DIRECTIVE_RFACTOR
               ? rfactor_apply(redefinition, resolver, directive)
               : split_reduction_apply(redefinition, resolver, directive);
}

static bool rewrite_factorings(Rewriting *rewriting) {
    Resolver *resolver = rewriting->resolver;
    Redefinition *redefinition = redefine_begin(resolver);
    bool sound = true;
    resolver->pipeline = redefine_pipeline(redefinition);
    /* What follows a mistake may name what it would have made. */
    for (const Directive *next; sound && is_factoring(next = peek(rewriting));) {
        Directive primitive =
            next->kind == DIRECTIVE_SPLIT ? split_reduction_of(resolver, next) : *next;
        sound = factor(resolver, redefinition, &primitive);
        take(rewriting, &primitive);
    }
    redefine_end(redefinition);
    return sound;
}

static bool rewrite_eager(Rewriting *rewriting, const Directive *eager) {
    Resolver *resolver = rewriting->resolver;
    take(rewriting, eager);
    const Pipeline *pipeline = eager_apply(resolver, eager);
    resolver->pipeline = pipeline ? pipeline : resolver->pipeline;
    return pipeline;
}

static bool rewrite(Rewriting *rewriting, const Directive *next) {
    return is_factoring(next)               ? rewrite_factorings(rewriting)
           : next->kind == DIRECTIVE_INLINE ? rewrite_inlines(rewriting)
           : next->kind == DIRECTIVE_WRAP   ? rewrite_wraps(rewriting)
                                            : rewrite_eager(rewriting, next);
}

const Pipeline *algorithm_rewrite(Resolver *resolver, const Schedule *schedule, size_t limit,
                                  Directives *primitives) {
    Rewriting rewriting = {resolver, schedule, primitives, 0, limit};
    const Pipeline *realised = recurrences_realise(resolver, schedule, limit, primitives);
    if (!realised)
        return NULL;
    resolver->pipeline = realised;
    find_needed_splits(resolver, schedule);
    for (const Directive *next; (next = peek(&rewriting));)
        if (!rewrite(&rewriting, next))
            return NULL;
    return resolver->pipeline;
}

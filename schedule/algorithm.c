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
 * too: it becomes the split-reduction that it must be.  So is the split that `vectorize`, `unroll`
 * or `parallel` begins with; the part then runs so in the partial results.  Without an rfactor of
 * one's own, `vectorize`, `parallel` and `traverse` of a reduction variable mean one
 * (reduction_loops.c).
 */
#include "schedule/atomic.h"
#include "schedule/equations.h"
#include "schedule/redefine.h"
#include "schedule/reduction_loops.h"

/* How a part of a split is to run, once it is known where it is. */
typedef struct Running {
    LoopReference whole; /* the loop that was split */
    SugarSplit split;
    Place place;
    bool is_settled;
} Running;

typedef struct Rewriting {
    Resolver *resolver;
    const Schedule *schedule;
    Directives *primitives;
    size_t next, limit; /* the next directive; how many primitives are wanted */
    Map needed;         /* Directive -> itself: of whose parts a later rfactor names one */
    Vec(Running) running;
    ReductionLoops *loops;
    Schedule *later;   /* what is for other phases */
    Directive current; /* the one that peek has seen, with loops as they are named now */
} Rewriting;

/* ---- splits that rfactor needs ---- */

enum { UNSAID = -1, ANY = -2 }; /* stages: one that is not written, one or another */

/* `f.s1.r`. */
static Symbol part_symbol(const Resolver *resolver, Symbol func, int stage, Symbol variable) {
    return symbol_format(&resolver->context->symbols, "%s.s%d.%s", func->text, stage,
                         variable->text);
}

static void need_loops(const Resolver *resolver, Map *needed, const Directive *directive) {
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = &directive->arguments.data[i];
        const LoopReference *loop = &argument->loop;
        if (argument->kind != ARGUMENT_LOOP)
            continue;
        map_put(needed, part_symbol(resolver, loop->func, loop->stage, loop->variable), argument);
        map_put(needed, part_symbol(resolver, loop->func, ANY, loop->variable), argument);
    }
}

/* Is the part named?  Where one of the two does not say its stage, which is meant is seen when
 * their turn comes. */
static bool is_named(const Resolver *resolver, const Map *named, const LoopReference *whole,
                     Symbol part) {
    if (whole->stage == UNSAID)
        return map_get(named, part_symbol(resolver, whole->func, ANY, part));
    return map_get(named, part_symbol(resolver, whole->func, whole->stage, part)) ||
           map_get(named, part_symbol(resolver, whole->func, UNSAID, part));
}

/* The two new names of a split, or of the sugar that begins with one. */
static bool find_parts(const Resolver *resolver, const Directive *directive, SugarSplit *split) {
    if (directive->kind != DIRECTIVE_SPLIT)
        return sugar_split(resolver, directive, split);
    *split = (SugarSplit){.outer = directive_argument(directive, 1)->name,
                          .inner = directive_argument(directive, 2)->name};
    return true;
}

/* May it be that the directive is done by rfactor, if its loop is one of a reduction? */
static bool names_parts(const Directive *directive) {
    return directive->kind == DIRECTIVE_RFACTOR || reduction_loop_asks(directive);
}

/* From the last directive to the first: the splits of whose parts one is named behind. */
static void find_needed_splits(Rewriting *rewriting) {
    const Resolver *resolver = rewriting->resolver;
    const Schedule *schedule = rewriting->schedule;
    Map by_rfactor = map_create(resolver->arena), by_any = map_create(resolver->arena);
    for (size_t i = schedule->directives.length; i-- > 0;) {
        const Directive *directive = &schedule->directives.data[i];
        SugarSplit split;
        bool is_split = find_parts(resolver, directive, &split);
        if (is_split) {
            /* Sugar means an rfactor of its own but where there is one, or the update is atomic. */
            const LoopReference *whole = &directive_argument(directive, 0)->loop;
            bool by_sugar = directive->kind == DIRECTIVE_SPLIT &&
                            !atomic_is_said_of(resolver, directive_argument(directive, 0));
            const Map *named = by_sugar ? &by_any : &by_rfactor;
            is_split = is_named(resolver, named, whole, split.outer) ||
                       is_named(resolver, named, whole, split.inner);
        }
        if (is_split)
            map_put(&rewriting->needed, directive, directive);
        if (is_split || names_parts(directive))
            need_loops(resolver, &by_any, directive);
        if (is_split || directive->kind == DIRECTIVE_RFACTOR)
            need_loops(resolver, &by_rfactor, directive);
    }
}

/* Parts of a reduction have no other tail than a guard.  False after refusing. */
static bool check_tail(const Resolver *resolver, const Directive *split) {
    const DirectiveArgument *tail = directive_find(split, ARGUMENT_TAIL);
    const LoopReference *loop = &directive_argument(split, 0)->loop;
    return !tail || tail_guards(tail->tail) ||
           refuse_tail(
               resolver, split,
               arena_format(resolver->arena, "%s.%s", loop->func->text, loop->variable->text));
}

static Directive split_reduction_of(const Resolver *resolver, const Directive *directive) {
    Directive result = {.kind = DIRECTIVE_SPLIT_REDUCTION, .place = directive->place};
    const DirectiveArgument *loop = directive_argument(directive, 0);
    SugarSplit split;
    find_parts(resolver, directive, &split);
    DirectiveArgument outer = {.kind = ARGUMENT_NAME, .place = loop->place, .name = split.outer},
                      inner = {.kind = ARGUMENT_NAME, .place = loop->place, .name = split.inner};
    vec_push(resolver->arena, &result.arguments, *loop);
    vec_push(resolver->arena, &result.arguments,
             directive->kind == DIRECTIVE_SPLIT ? *directive_argument(directive, 1) : outer);
    vec_push(resolver->arena, &result.arguments,
             directive->kind == DIRECTIVE_SPLIT ? *directive_argument(directive, 2) : inner);
    vec_push(resolver->arena, &result.arguments, *directive_find(directive, ARGUMENT_EXPR));
    return result;
}

/* ---- loops that are to run in some manner ---- */

static void run_part(Rewriting *rewriting, const Directive *sugar) {
    const Resolver *resolver = rewriting->resolver;
    Running running = {.whole = directive_argument(sugar, 0)->loop, .place = sugar->place};
    size_t variable;
    if (!sugar_split(resolver, sugar, &running.split))
        return;
    running.whole.stage =
        resolve_reduction(resolver, directive_argument(sugar, 0), &variable)->number;
    vec_push(resolver->arena, &rewriting->running, running);
}

static void say_runs(Rewriting *rewriting, Running *running, LoopReference loop) {
    Arena *arena = rewriting->resolver->arena;
    Directive traverse = {.kind = DIRECTIVE_TRAVERSE, .place = running->place};
    DirectiveArgument of = {.kind = ARGUMENT_LOOP, .place = running->place, .loop = loop},
                      manner = {.kind = ARGUMENT_TRAVERSAL,
                                .place = running->place,
                                .traversal = running->split.traversal};
    vec_push(arena, &traverse.arguments, of);
    vec_push(arena, &traverse.arguments, manner);
    vec_push(arena, &rewriting->later->directives, traverse);
    running->is_settled = true;
}

/* A part that an rfactor names runs in the dimension that it becomes; one that it does not name has
 * its loop in the partial results now. */
static void settle_running(Rewriting *rewriting, const Directive *rfactor) {
    size_t last = rfactor->arguments.length - 1;
    const LoopReference *factored = &directive_argument(rfactor, 0)->loop;
    Symbol partial = directive_argument(rfactor, last)->name;
    for (size_t i = 0; i < rewriting->running.length; i++) {
        Running *running = &rewriting->running.data[i];
        LoopReference loop = {.func = partial, .variable = running->split.chosen, .stage = 1};
        for (size_t k = 0; k < last; k += 2)
            if (directive_argument(rfactor, k)->loop.variable == running->split.chosen)
                loop.variable = directive_argument(rfactor, k + 1)->name;
        bool is_of_stage =
            running->whole.func == factored->func && running->whole.stage == factored->stage;
        if (is_of_stage && !running->is_settled)
            say_runs(rewriting, running, loop);
    }
}

/* ---- directives in order ---- */

static bool is_of_this_phase(const Rewriting *rewriting, const Directive *written) {
    const Resolver *resolver = rewriting->resolver;
    const Directive *now = &rewriting->current;
    return directive_info(now->kind)->phase == PHASE_ALGORITHM ||
           (map_get(&rewriting->needed, written) && split_reduction_is_meant(resolver, now)) ||
           reduction_loop_is_meant(resolver, now);
}

/* The next directive of phase 0; null where there is none. */
static const Directive *peek(Rewriting *rewriting) {
    const Schedule *schedule = rewriting->schedule;
    if (rewriting->primitives->length >= rewriting->limit)
        return NULL;
    for (; rewriting->next < schedule->directives.length; rewriting->next++) {
        const Directive *written = &schedule->directives.data[rewriting->next];
        if (directive_is_of_recurrences(written->kind))
            continue;
        rewriting->current = reduction_loops_follow(rewriting->loops, rewriting->resolver, written);
        if (is_of_this_phase(rewriting, written))
            return &rewriting->current;
        vec_push(rewriting->resolver->arena, &rewriting->later->directives, rewriting->current);
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

/* All directives that are about loops here are about reductions. */
static bool is_factoring(const Directive *directive) {
    return directive &&
           (directive_info(directive->kind)->phase != PHASE_ALGORITHM ||
            directive->kind == DIRECTIVE_RFACTOR || directive->kind == DIRECTIVE_SPLIT_REDUCTION);
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

/* What a directive means, of which as much is applied as is wanted. */
static bool factor_all(Rewriting *rewriting, Redefinition *redefinition, const Directives *meant) {
    const Resolver *resolver = rewriting->resolver;
    for (size_t i = 0; i < meant->length && rewriting->primitives->length < rewriting->limit; i++) {
        Directive primitive = meant->data[i];
        if (!factor(resolver, redefinition, &primitive))
            return false;
        if (primitive.kind == DIRECTIVE_RFACTOR)
            settle_running(rewriting, &primitive);
        vec_push(resolver->arena, rewriting->primitives, primitive);
    }
    return true;
}

/* The directives of this phase that the next one means. */
static bool find_meaning(Rewriting *rewriting, const Directive *next, Directives *meant) {
    Resolver *resolver = rewriting->resolver;
    const Directive *written = &rewriting->schedule->directives.data[rewriting->next];
    if (directive_info(next->kind)->phase == PHASE_ALGORITHM) {
        vec_push(resolver->arena, meant, *next);
    } else if (map_get(&rewriting->needed, written)) {
        if (!check_tail(resolver, next))
            return false;
        vec_push(resolver->arena, meant, split_reduction_of(resolver, next));
        run_part(rewriting, next);
    } else {
        const LoopReference *loop = &directive_argument(written, 0)->loop;
        return reduction_loop_expand(rewriting->loops, resolver, next, loop, meant,
                                     &rewriting->later->directives);
    }
    return true;
}

static bool rewrite_factorings(Rewriting *rewriting) {
    Resolver *resolver = rewriting->resolver;
    Redefinition *redefinition = redefine_begin(resolver);
    bool sound = true;
    resolver->pipeline = redefine_pipeline(redefinition);
    /* What follows a mistake may name what it would have made. */
    for (const Directive *next; sound && is_factoring(next = peek(rewriting)); rewriting->next++) {
        Directives meant = {0};
        sound =
            find_meaning(rewriting, next, &meant) && factor_all(rewriting, redefinition, &meant);
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
                                  Directives *primitives, ReductionLoops *loops, Schedule *later) {
    Rewriting rewriting = {.resolver = resolver,
                           .schedule = schedule,
                           .primitives = primitives,
                           .limit = limit,
                           .needed = map_create(resolver->arena),
                           .loops = loops,
                           .later = later};
    const Pipeline *written = resolver->pipeline;
    resolver->pipeline = recurrences_realise(resolver, schedule, limit, primitives);
    if (!resolver->pipeline)
        return NULL;
    rewriting.schedule = equations_follow_names(resolver, written, schedule);
    if (!rewriting.schedule)
        return NULL;
    find_needed_splits(&rewriting);
    resolver->rewriting = rewriting.schedule;
    bool sound = true;
    for (const Directive *next; sound && (next = peek(&rewriting));)
        sound = rewrite(&rewriting, next);
    resolver->rewriting = NULL;
    if (!sound)
        return NULL;
    for (size_t i = 0; i < rewriting.running.length; i++) {
        Running *running = &rewriting.running.data[i];
        LoopReference loop = running->whole;
        loop.variable = running->split.chosen;
        if (!running->is_settled)
            say_runs(&rewriting, running, loop);
    }
    return resolver->pipeline;
}

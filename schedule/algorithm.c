/* algorithm.c -- phase 0: rewrites the algorithm by `inline`, `wrap`, `eager`, `split-reduction`
 * and `rfactor`, in written order.
 *
 * Consecutive directives of one kind are applied together, so the work is linear in the number of
 * funcs.  Each directive sees the result of those before it.  After inline(f), neither wrap(f, ..)
 * nor compute-at(f, ..) finds f.  After wrap(f, out, g), `out` reads g, and inline(f) puts the body
 * of f into g.
 *
 * First, recurrences become funcs with updates, under `wavefront` and `merge-ures` (recurrence.c).
 *
 * Some directives of loops belong to this phase too.  A `split` of a reduction variable becomes a
 * split-reduction if a later rfactor names one of its parts.  So does the split that `vectorize`,
 * `unroll` or `parallel` begins with; the part then runs in that manner in the partial results.
 * Without an rfactor, `vectorize`, `parallel` and `traverse` of a reduction variable imply one
 * (reduction_loops.c).
 */
#include "schedule/directives/atomic.h"
#include "schedule/directive_record.h"
#include "schedule/reduction_loops.h"

/* The traversal of a part of a split.  It is applied when the part's place is known. */
typedef struct Running {
    LoopReference whole; /* the loop that was split */
    MannerSplit split;
    Place place;
    bool is_settled;
} Running;

typedef struct AlgorithmRewriting {
    Resolver *resolver;
    const Schedule *schedule;
    Directives *primitives;
    size_t next, limit; /* the next directive; how many primitives are wanted */
    Map needed;         /* Directive -> itself: splits of which a later rfactor names a part */
    Vec(Running) running;
    ReductionLoops *loops;
    Schedule *later;   /* the directives of other phases */
    Directive current; /* the directive that peek returned, with the current names of loops */
} AlgorithmRewriting;

/* ---- splits that rfactor needs ---- */

enum { UNSAID = -1, ANY = -2 }; /* stages: not written; any stage */

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

/* Is the part named?  If the split or the later directive does not write its stage, the answer may
 * be yes too often.  The turn of the directive then shows which loop is meant. */
static bool is_named(const Resolver *resolver, const Map *named, const LoopReference *whole,
                     Symbol part) {
    if (whole->stage == UNSAID)
        return map_get(named, part_symbol(resolver, whole->func, ANY, part));
    return map_get(named, part_symbol(resolver, whole->func, whole->stage, part)) ||
           map_get(named, part_symbol(resolver, whole->func, UNSAID, part));
}

/* Finds the two new names of a split, or of sugar that begins with a split. */
static bool find_parts(const Resolver *resolver, const Directive *directive, MannerSplit *split) {
    if (directive->kind != DIRECTIVE_SPLIT)
        return sugar_manner_split(resolver, directive, split);
    *split = (MannerSplit){.outer = directive_argument(directive, 1)->name,
                           .inner = directive_argument(directive, 2)->name};
    return true;
}

/* Can the directive mean an rfactor, if its loop is a reduction loop? */
static bool names_parts(const Directive *directive) {
    return directive->kind == DIRECTIVE_RFACTOR || reduction_loop_asks(directive);
}

/* A clone is not made yet: its loops are those of the func that it is a clone of. */
static void note_clone(Map *clones, const Directive *clone) {
    Symbol of = directive_argument(clone, 0)->name, first = map_get(clones, of);
    const DirectiveArgument *name = directive_argument(clone, clone->arguments.length - 1);
    map_put(clones, name->name, (void *)(first ? first : of));
}

static bool stands_now(const Resolver *resolver, const Map *clones, const DirectiveArgument *loop) {
    DirectiveArgument of = *loop;
    Symbol first = map_get((Map *)clones, loop->loop.func);
    of.loop.func = first ? first : loop->loop.func;
    return reduction_loop_stands(resolver, &of);
}

/* The loops that run side by side as they stand, and the parts of such, by `f.s1.r`. */
static Map find_standing(const AlgorithmRewriting *rewriting) {
    const Resolver *resolver = rewriting->resolver;
    const Schedule *schedule = rewriting->schedule;
    Map standing = map_create(resolver->arena), clones = map_create(resolver->arena);
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        MannerSplit split;
        if (directive->kind == DIRECTIVE_CLONE)
            note_clone(&clones, directive);
        if (!find_parts(resolver, directive, &split))
            continue;
        const DirectiveArgument *loop = directive_argument(directive, 0);
        const LoopReference *whole = &loop->loop;
        Symbol key = part_symbol(resolver, whole->func, whole->stage, whole->variable);
        if (!map_get(&standing, key) && !stands_now(resolver, &clones, loop))
            continue;
        map_put(&standing, key, directive);
        for (int part = 0; part < 2; part++) {
            Symbol name = part ? split.inner : split.outer;
            map_put(&standing, part_symbol(resolver, whole->func, whole->stage, name), directive);
            map_put(&standing, part_symbol(resolver, whole->func, UNSAID, name), directive);
        }
    }
    return standing;
}

/* From the last directive to the first: the splits of whose parts one is named behind. */
static void find_needed_splits(AlgorithmRewriting *rewriting) {
    const Resolver *resolver = rewriting->resolver;
    const Schedule *schedule = rewriting->schedule;
    Map standing = find_standing(rewriting);
    Map by_rfactor = map_create(resolver->arena), by_any = map_create(resolver->arena);
    for (size_t i = schedule->directives.length; i-- > 0;) {
        const Directive *directive = &schedule->directives.data[i];
        MannerSplit split;
        bool is_split = find_parts(resolver, directive, &split);
        if (is_split) {
            /* Sugar means an rfactor of its own but where there is one, the update is atomic, or
             * the loop runs as it stands. */
            const LoopReference *whole = &directive_argument(directive, 0)->loop;
            bool by_sugar = directive->kind == DIRECTIVE_SPLIT &&
                            !atomic_is_said_of(resolver, directive_argument(directive, 0)) &&
                            !map_get(&standing, part_symbol(resolver, whole->func, whole->stage,
                                                            whole->variable));
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

/* Checks that the split of a reduction has no tail but a guard.  False after refusing. */
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
    bool is_split = directive->kind == DIRECTIVE_SPLIT;
    MannerSplit split;
    find_parts(resolver, directive, &split);
    DirectiveArgument outer = argument_at(argument_name(split.outer), loop->place),
                      inner = argument_at(argument_name(split.inner), loop->place);
    vec_push(resolver->arena, &result.arguments, *loop);
    vec_push(resolver->arena, &result.arguments,
             is_split ? *directive_argument(directive, 1) : outer);
    vec_push(resolver->arena, &result.arguments,
             is_split ? *directive_argument(directive, 2) : inner);
    vec_push(resolver->arena, &result.arguments, *directive_find(directive, ARGUMENT_EXPR));
    return result;
}

/* ---- loops with a traversal ---- */

static void run_part(AlgorithmRewriting *rewriting, const Directive *sugar) {
    const Resolver *resolver = rewriting->resolver;
    Running running = {.whole = directive_argument(sugar, 0)->loop, .place = sugar->place};
    size_t variable;
    if (!sugar_manner_split(resolver, sugar, &running.split))
        return;
    running.whole.stage =
        resolve_reduction(resolver, directive_argument(sugar, 0), &variable)->number;
    vec_push(resolver->arena, &rewriting->running, running);
}

static void say_runs(AlgorithmRewriting *rewriting, Running *running, LoopReference loop) {
    Arena *arena = rewriting->resolver->arena;
    Directive traverse = {.kind = DIRECTIVE_TRAVERSE, .place = running->place};
    DirectiveArgument of = {.kind = ARGUMENT_LOOP, .loop = loop},
                      manner = argument_traversal(running->split.traversal);
    vec_push(arena, &traverse.arguments, argument_at(of, running->place));
    vec_push(arena, &traverse.arguments, argument_at(manner, running->place));
    vec_push(arena, &rewriting->later->directives, traverse);
    running->is_settled = true;
}

/* An rfactor may name the part: then the traversal is of the new dimension.  If it does not, the
 * part is now a loop of the partial results, and the traversal is of that loop. */
static void settle_running(AlgorithmRewriting *rewriting, const Directive *rfactor) {
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

static bool is_of_this_phase(const AlgorithmRewriting *rewriting, const Directive *written) {
    const Resolver *resolver = rewriting->resolver;
    const Directive *now = &rewriting->current;
    return directive_info(now->kind)->phase == PHASE_ALGORITHM ||
           (map_get(&rewriting->needed, written) && split_reduction_is_meant(resolver, now)) ||
           reduction_loop_is_meant(resolver, now);
}

/* Returns the next directive of phase 0; null if there is none. */
static const Directive *peek(AlgorithmRewriting *rewriting) {
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

/* Is it about a reduction?  In this phase every directive about a loop is. */
static bool is_about_reduction(const Directive *directive) {
    return directive_find(directive, ARGUMENT_LOOP) != NULL;
}

/* Sets the stages of the directive's loops.  False after refusing. */
static bool resolve_reductions(const Resolver *resolver, Directive *directive) {
    for (size_t i = 0; i < directive->arguments.length; i++) {
        DirectiveArgument *argument = &directive->arguments.data[i];
        size_t variable;
        if (argument->kind != ARGUMENT_LOOP)
            continue;
        const Stage *stage = resolve_reduction(resolver, argument, &variable);
        if (!stage)
            return false;
        argument->loop.stage = stage->number;
    }
    return true;
}

/* Applies the directives in `meant`, until the limit of primitives. */
static bool rewrite(AlgorithmRewriting *rewriting, AlgorithmRun *run, const Directives *meant) {
    const Resolver *resolver = rewriting->resolver;
    bool sound = true;
    for (size_t i = 0;
         sound && i < meant->length && rewriting->primitives->length < rewriting->limit; i++) {
        Directive primitive = directive_copy(resolver->arena, &meant->data[i]);
        sound = resolve_reductions(resolver, &primitive) &&
                directive_record(primitive.kind)->rewrite(run, &primitive);
        if (sound && primitive.kind == DIRECTIVE_RFACTOR)
            settle_running(rewriting, &primitive);
        vec_push(resolver->arena, rewriting->primitives, primitive);
    }
    return sound;
}

/* Finds the directives of this phase that the next directive means. */
static bool find_meaning(AlgorithmRewriting *rewriting, const Directive *next, Directives *meant) {
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

/* Are they applied together?  So are directives of one kind, and all directives about
 * reductions. */
static bool belong_together(const Directive *first, const Directive *next) {
    return is_about_reduction(next) ? is_about_reduction(first) : next->kind == first->kind;
}

static bool end_run(AlgorithmRun *run, bool sound) {
    if (run->redefinition)
        redefine_end(run->redefinition);
    if (run->has_inlined && sound)
        sound = (run->resolver->pipeline = inline_funcs(run->resolver));
    return sound;
}

/* Applies the consecutive directives that belong with `first`.  After a mistake only inlines and
 * wraps go on: a directive after any other mistake may name what the mistake did not make. */
static bool rewrite_run(AlgorithmRewriting *rewriting, Directive first) {
    AlgorithmRun run = {.resolver = rewriting->resolver};
    bool sound = true;
    for (const Directive *next; (sound || run.has_inlined || run.wrapping) &&
                                (next = peek(rewriting)) && belong_together(&first, next);
         rewriting->next++) {
        Directives meant = {0};
        sound &= find_meaning(rewriting, next, &meant) && rewrite(rewriting, &run, &meant);
    }
    return end_run(&run, sound);
}

const Pipeline *algorithm_rewrite(Resolver *resolver, const Schedule *schedule, size_t limit,
                                  Directives *primitives, ReductionLoops *loops, Schedule *later) {
    AlgorithmRewriting rewriting = {.resolver = resolver,
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
        sound = rewrite_run(&rewriting, *next);
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

/* generate_schedule.c -- a random schedule: which kinds of directives are drawn, how often, and in
 * which order.
 *
 * The algorithm is loaded, and each directive is drawn from those that are legal next (drawing.h).
 */
#include "checkers/fuzz/scheduled/chosen.h"
#include "checkers/fuzz/drawing.h"

#include "ir/argument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns how often draw_loops draws a directive of this kind: 0 if another function draws it. */
static int loop_weight(DirectiveKind kind) {
    switch ((int)kind) {
    case DIRECTIVE_SPLIT:
    case DIRECTIVE_TRAVERSE:
    case DIRECTIVE_VECTORIZE:
        return 3;
    case DIRECTIVE_FUSE:
    case DIRECTIVE_SWAP:
    case DIRECTIVE_REORDER:
        return 2;
    case DIRECTIVE_START_EARLY:
    case DIRECTIVE_PREFETCH:
        return 0;
    default: {
        Phase phase = directive_info(kind)->phase;
        return phase == PHASE_LOOPS || phase == PHASE_SUGAR;
    }
    }
}

/* Draws directives about loops, each kind as often as its weight says. */
static void draw_loops(Drawing *d, int count) {
    int total = 0;
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++)
        total += loop_weight((DirectiveKind)kind);
    for (int i = 0; i < count; i++) {
        int left = random_below(d->random, total), kind = 0;
        while ((left -= loop_weight((DirectiveKind)kind)) >= 0)
            kind++;
        drawing_draw(d, (uint64_t)1 << kind);
    }
    if (random_chance(d->random, 12))
        drawing_draw(d, KIND(START_EARLY));
}

/* Tiles loops, fuses the tiles, and tiles again what came of it. */
static void draw_retiling(Drawing *d) {
    for (int i = random_between(d->random, 1, 2); i >= 0; i--) {
        drawing_draw(d, KIND(TILE));
        drawing_draw(d, KIND(FUSE));
        drawing_draw(d, KIND(FUSE));
    }
}

static void draw_blending(Drawing *d) {
    d->blends = true;
    drawing_draw(d, KIND(SPLIT));
    d->blends = false;
}

/* Makes a dimension of constant length, and vectorizes or unrolls its whole loop. */
static void draw_whole_dimension(Drawing *d) {
    Directives moves = drawing_propose(d, KIND(BOUND) | KIND(BOUND_EXTENT));
    if (!moves.length)
        return;
    Directive *bound = drawing_pick(d, &moves);
    drawing_choose_bound(d, bound);
    if (!drawing_say(d, bound))
        return;
    moves = drawing_propose(d, KIND(TRAVERSE) | KIND(VECTORIZE) | KIND(UNROLL));
    Directives whole = {0};
    for (size_t i = 0; i < moves.length; i++) {
        const DirectiveArgument *arguments = moves.data[i].arguments.data;
        bool is_traverse = moves.data[i].kind == DIRECTIVE_TRAVERSE &&
                           arguments[1].traversal >= TRAVERSE_VECTORIZED,
             is_sugar = moves.data[i].arguments.length == 1;
        if ((is_traverse || is_sugar) && arguments[0].loop.func == drawing_func_of(bound) &&
            arguments[0].loop.variable == bound->arguments.data[1].name)
            vec_push(d->arena, &whole, moves.data[i]);
    }
    if (whole.length)
        drawing_say(d, drawing_pick(d, &whole));
}

static bool has_level(const Drawing *d, Symbol func) {
    for (size_t i = 0; i < d->schedule.directives.length; i++)
        if (d->schedule.directives.data[i].kind == DIRECTIVE_COMPUTE_AT &&
            drawing_func_of(&d->schedule.directives.data[i]) == func)
            return true;
    return false;
}

/* Vectorizes or unrolls a whole loop of a func whose consumer decides how long it is. */
static void draw_open_length(Drawing *d) {
    d->open_lengths = true;
    Directives moves = drawing_propose(d, KIND(VECTORIZE) | KIND(UNROLL)), whole = {0};
    d->open_lengths = false;
    for (size_t i = 0; i < moves.length; i++)
        if (moves.data[i].arguments.length == 1 && has_level(d, drawing_func_of(&moves.data[i])))
            vec_push(d->arena, &whole, moves.data[i]);
    if (whole.length)
        drawing_say(d, drawing_pick(d, &whole));
}

/* Draws compute and storage levels: in most cases for nearly all funcs, in some for a few. */
static void draw_levels(Drawing *d) {
    int percent = random_chance(d->random, 30) ? 50 : 95;
    while (random_chance(d->random, 25) && drawing_draw(d, KIND(COMPUTE_WITH)))
        continue;
    for (int f = 0; f < d->c->func_count; f++) {
        if (random_chance(d->random, percent) && !drawing_draw(d, KIND(COMPUTE_AT)))
            break;
        if (random_chance(d->random, 5))
            drawing_draw(d, KIND(COMPUTE_ROOT));
    }
    for (int f = 0; f < d->c->func_count; f++)
        if (random_chance(d->random, 60))
            drawing_draw(d, random_chance(d->random, 60) ? KIND(STORE_AT) : KIND(STORE_ROOT));
    for (int f = 0; f < d->c->func_count; f++)
        if (random_chance(d->random, 30))
            drawing_draw(d, random_chance(d->random, 85) ? KIND(HOIST_STORAGE)
                                                         : KIND(HOIST_STORAGE_ROOT));
}

/* Picks a move about the func; null if there is none. */
static const Directive *pick_about(Drawing *d, const Directives *moves, Symbol func) {
    const Directive *any = NULL;
    int count = 0;
    for (size_t i = 0; i < moves->length; i++)
        if (drawing_func_of(&moves->data[i]) == func && random_below(d->random, ++count) == 0)
            any = &moves->data[i];
    return any;
}

/* Computes a chain's funcs in loops of their readers, and stores them outside of these loops. */
static void draw_chain(Drawing *d) {
    for (int f = d->c->func_count - 2; f >= 0; f--) {
        Symbol func = context_symbol(d->context, d->c->funcs[f].name);
        Directives moves = drawing_propose(d, KIND(COMPUTE_AT));
        const Directive *compute = pick_about(d, &moves, func);
        if (!compute || !random_chance(d->random, 85) || !drawing_say(d, compute))
            continue;
        moves =
            drawing_propose(d, random_chance(d->random, 70) ? KIND(STORE_AT) : KIND(STORE_ROOT));
        const Directive *store = pick_about(d, &moves, func);
        if (store && random_chance(d->random, 85))
            drawing_say(d, store);
    }
}

/* Is it a loop of an update of the func? */
static bool is_of_update(const Directive *move, Symbol func) {
    const DirectiveArgument *first = &move->arguments.data[0];
    return first->kind == ARGUMENT_LOOP && first->loop.func == func && first->loop.stage > 0;
}

/* Draws a directive of one of these kinds about an update of the func. */
static void draw_for_updates(Drawing *d, uint64_t kinds, Symbol func) {
    Directives moves = drawing_propose(d, kinds), of_updates = {0};
    for (size_t i = 0; i < moves.length; i++)
        if (is_of_update(&moves.data[i], func))
            vec_push(d->arena, &of_updates, moves.data[i]);
    if (of_updates.length)
        drawing_say(d, drawing_pick(d, &of_updates));
}

/* Computes each func in a loop of its reader, mostly an inner one, for few points.  Its updates run
 * in vectors wider than these, mostly without a vectorized first stage. */
static void draw_points(Drawing *d) {
    for (int f = d->c->func_count - 1; f >= 0; f--) {
        Symbol func = context_symbol(d->context, d->c->funcs[f].name);
        Directives moves = {0};
        if (f < d->c->func_count - 1 && random_chance(d->random, 90))
            moves = drawing_propose(d, KIND(COMPUTE_AT));
        const Directive *level = pick_about(d, &moves, func);
        if (level)
            drawing_say(d, level);
        moves = drawing_propose(d, KIND(SPLIT));
        const Directive *split = pick_about(d, &moves, func);
        if (split && random_chance(d->random, f ? 30 : 80))
            drawing_say(d, split);
        if (random_chance(d->random, 80))
            draw_for_updates(d, KIND(VECTORIZE), func);
        if (random_chance(d->random, 15))
            draw_loops(d, 1);
        if (random_chance(d->random, 25))
            drawing_draw(d, KIND(STORE_IN));
    }
}

/* For a func that depends on no input: its region must be constant, so a bound is added if
 * needed. */
static void say_eager(Drawing *d, const Directive *eager) {
    size_t before = d->schedule.directives.length, texts = d->c->directives.length;
    if (drawing_say(d, eager) || d->c->affine)
        return;
    Directives moves = drawing_propose(d, KIND(BOUND));
    for (size_t i = 0; i < moves.length; i++) {
        Directive *bound = &moves.data[i];
        if (drawing_func_of(bound) != drawing_func_of(eager))
            continue;
        drawing_set_number(bound, 2, drawing_constant(d, -random_between(d->random, 10, 20)));
        drawing_set_number(bound, 3, drawing_constant(d, random_between(d->random, 25, 40)));
        drawing_say(d, bound);
    }
    if (drawing_say(d, eager))
        return;
    d->schedule.directives.length = before;
    d->c->directives.length = texts;
}

/* Few funcs can be eager, so most of them are made so. */
static void draw_eager(Drawing *d) {
    Directives moves = drawing_propose(d, KIND(EAGER));
    for (size_t i = 0; i < moves.length; i++)
        if (random_chance(d->random, 80))
            say_eager(d, &moves.data[i]);
}

/* Draws directives about memory.  The last of these are judged when regions are known: then each
 * later directive costs a whole lowering. */
static void draw_memory(Drawing *d) {
    while (random_chance(d->random, 20))
        drawing_draw(d, KIND(REORDER_STORAGE));
    while (random_chance(d->random, 10))
        drawing_draw(d, KIND(ALIGN_STORAGE));
    if (random_chance(d->random, 20))
        drawing_draw(d, KIND(STREAM));
    if (random_chance(d->random, d->c->stencil ? 15 : 8))
        drawing_draw(d, KIND(FOLD_STORAGE));
    if (random_chance(d->random, 9))
        drawing_draw(d, KIND(BOUND_STORAGE));
    if (random_chance(d->random, 10))
        drawing_draw(d, KIND(STORE_IN));
    if (random_chance(d->random, 80))
        draw_eager(d);
    if (random_chance(d->random, 8))
        drawing_draw(d, KIND(PREFETCH));
}

/* Makes the writes of an update atomic, and mostly a loop of it parallel. */
static void draw_atomic(Drawing *d) {
    if (!drawing_draw(d, KIND(ATOMIC)))
        return;
    const Directives *said = &d->schedule.directives;
    LoopReference of = said->data[said->length - 1].arguments.data[0].loop;
    for (int i = random_between(d->random, 0, 2); i > 0; i--) {
        Directives moves = drawing_propose(d, KIND(TRAVERSE) | KIND(PARALLEL)), parallel = {0};
        for (size_t m = 0; m < moves.length; m++) {
            const DirectiveArgument *arguments = moves.data[m].arguments.data;
            bool is_parallel = moves.data[m].kind == DIRECTIVE_PARALLEL ||
                               arguments[1].traversal == TRAVERSE_PARALLEL;
            if (is_parallel && arguments[0].loop.func == of.func &&
                arguments[0].loop.stage == of.stage)
                vec_push(d->arena, &parallel, moves.data[m]);
        }
        if (parallel.length)
            drawing_say(d, drawing_pick(d, &parallel));
    }
}

/* Draws several factorings of reductions, and other orders of their loops. */
static void draw_reductions(Drawing *d) {
    RandomSource *random = d->random;
    for (int i = random_between(random, 1, 3); i > 0; i--) {
        while (random_chance(random, 50))
            drawing_draw(d, KIND(SPLIT_REDUCTION));
        if (random_chance(random, 70))
            drawing_draw(d, KIND(RFACTOR));
        else
            drawing_draw(d, random_chance(random, 50) ? KIND(VECTORIZE) : KIND(PARALLEL));
    }
    while (random_chance(random, 50))
        drawing_draw(d, random_chance(random, 50) ? KIND(SWAP) : KIND(REORDER));
    if (random_chance(random, 80))
        draw_atomic(d);
}

/* Draws how equations become nests; fronts mostly run side by side. */
static void draw_recurrences(Drawing *d) {
    while (random_chance(d->random, 95) && drawing_draw(d, KIND(MERGE_URES)))
        continue;
    while (random_chance(d->random, 80) && drawing_draw(d, KIND(WAVEFRONT)))
        continue;
    if (random_chance(d->random, 60))
        drawing_draw(d, KIND(UNFOLD_STORAGE));
    while (random_chance(d->random, 70))
        drawing_draw(d, random_chance(d->random, 50)
                            ? KIND(TRAVERSE)
                            : KIND(VECTORIZE) | KIND(PARALLEL) | KIND(SWAP));
}

/* Draws in the order of the phases, except for costly ones.  Each phase sees the result of those
 * before. */
static void draw_in_phases(Drawing *d) {
    RandomSource *random = d->random;
    while (random_chance(random, 20))
        drawing_draw(d, KIND(INLINE));
    while (random_chance(random, 20))
        drawing_draw(d, KIND(WRAP) | KIND(CLONE));
    if (d->c->points) {
        draw_points(d);
        return;
    }
    if (d->c->reductions)
        draw_reductions(d);
    if (d->c->recurrent)
        draw_recurrences(d);
    if (random_chance(random, 20))
        drawing_draw(d, KIND(SPLIT_REDUCTION));
    while (random_chance(random, 40) && drawing_draw(d, KIND(RFACTOR)))
        continue;
    while (random_chance(random, 20))
        drawing_draw(d, KIND(SPECIALIZE));
    if (!d->c->affine)
        draw_atomic(d);
    if (!d->c->affine && random_chance(random, 8))
        draw_whole_dimension(d);
    if (random_chance(random, 40))
        draw_blending(d);
    if (d->c->stencil && random_chance(random, 80)) {
        draw_loops(d, random_below(random, 4 + d->c->func_count));
        draw_chain(d);
        draw_loops(d, random_below(random, 3));
    } else {
        draw_loops(d, random_below(random, 4 + 2 * d->c->func_count));
        draw_levels(d);
    }
    while (!d->c->affine && random_chance(random, 20))
        drawing_draw(d, random_chance(random, 30) ? KIND(ALIGN_BOUNDS) : BOUND_KINDS);
    draw_memory(d);
    /* These use a copy of the random numbers, so the rest of the case does not depend on them. */
    RandomSource apart = *random;
    d->random = &apart;
    if (!d->c->affine && random_chance(&apart, 6))
        draw_retiling(d);
    while (random_chance(&apart, 12))
        draw_open_length(d);
    while (random_chance(&apart, 15))
        drawing_draw(d, KIND(TRACE));
    d->random = random;
}

/* Draws in any order: a late directive may be applied before earlier ones. */
static void draw_anyhow(Drawing *d) {
    uint64_t kinds = ALL_DIRECTIVES & ~(d->c->affine ? BOUND_KINDS : 0);
    int count = random_below(d->random, 6 + 2 * d->c->func_count);
    for (int i = 0; i < count; i++) {
        uint64_t kind = (uint64_t)1 << random_below(d->random, DIRECTIVE_COUNT);
        if (kind & kinds)
            drawing_draw(d, kind);
    }
}

void generate_schedule(Arena *arena, RandomSource *random, Case *c) {
    Context *context = context_create();
    char *text = case_text(arena, c);
    context->makes_windows = c->windows;
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, context->arena, file, NULL, NULL);
    if (module) { /* otherwise the oracle reports the reason */
        Drawing d = {arena, random, c, context, module_pipeline(module, "p"), .specialized = false};
        if (c->scheduled)
            chosen_generate(arena, random, c, d.pipeline);
        else if (random_chance(random, 20))
            draw_anyhow(&d);
        else
            draw_in_phases(&d);
    }
    context_destroy(context);
}

/* generate_schedule.c -- a random schedule: each directive is drawn from those that are legal next.
 *
 * The algorithm is loaded, and the scheduler lists, again and again, the legal directives
 * (lower/moves.h).  This file draws the kind, the func or loop, and the numbers; it knows nothing
 * of legality.  Bounds are mostly wide enough for the windows.  A bound that is too small is
 * refused when the case runs.
 */
#include "checkers/fuzz/generate.h"

#include "frontend/frontend.h"
#include "ir/argument.h"
#include "lower/moves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64 }; /* of the widest vector */

typedef struct Drawing {
    Arena *arena; /* of the case */
    RandomSource *random;
    Case *c;
    Context *context;
    const Pipeline *pipeline;
    Schedule schedule;
    bool specialized;
    bool blends;       /* only blending tails are drawn */
    bool open_lengths; /* loops are drawn whose length only the oracle may find */
} Drawing;

#define KIND(name)  ((uint64_t)1 << DIRECTIVE_##name)
#define SIZE_KINDS  (KIND(ALIGN_STORAGE) | KIND(BOUND_STORAGE))
#define BOUND_KINDS (KIND(BOUND) | KIND(BOUND_EXTENT) | KIND(ALIGN_BOUNDS))

/* ---- numbers ---- */

static NumberChoice constant(const Drawing *d, int64_t value) {
    return (NumberChoice){arena_format(d->arena, "%" PRId64, value),
                          expr_index(d->pipeline->pool, value)};
}

static NumberChoice window_field(const Drawing *d, const char *output, BufferField field, int k,
                                 int plus) {
    Pool *pool = d->pipeline->pool;
    Symbol name = context_symbol(d->context, output);
    const char *text = field == FIELD_MINIMUM ? "min" : "extent";
    return (NumberChoice){
        arena_format(d->arena, "%s.%s(%d) %c %d", output, text, k, plus < 0 ? '-' : '+', abs(plus)),
        expr_add(pool, expr_buffer_field(pool, name, field, k), expr_index(pool, plus))};
}

/* A parameter that is at least 1, or a number. */
static NumberChoice factor(const Drawing *d) {
    static const int factors[] = {1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 16, 40};
    Pool *pool = d->pipeline->pool;
    for (int i = 0; i < d->c->parameter_count; i++) {
        const CaseParameter *p = &d->c->parameters[i];
        if (p->lower < 1 || p->lower > p->upper || !random_chance(d->random, 20))
            continue;
        Expr variable = expr_variable(pool, context_symbol(d->context, p->name), p->type);
        const char *text =
            p->type.bits == 64 ? arena_format(d->arena, "i32(%s)", p->name) : p->name;
        return (NumberChoice){text, expr_cast(pool, INDEX, variable)};
    }
    return constant(d, random_pick(d->random, factors));
}

/* Every number of lanes that a vector can have, the small ones more often. */
static NumberChoice width(const Drawing *d) {
    return constant(d, random_chance(d->random, 30) ? random_between(d->random, 2, 8)
                                                    : random_between(d->random, 2, LANES));
}

static const char *condition_text(const Drawing *d) {
    const Case *c = d->c;
    RandomSource *random = d->random;
    if (c->parameter_count && random_chance(random, 60)) {
        const CaseParameter *p = &c->parameters[random_below(random, c->parameter_count)];
        if (type_is_bool(p->type))
            return p->name;
        static const char *const compares[] = {"==", "<", ">=", "!="};
        return arena_format(d->arena, "%s %s %d", p->name, random_pick(random, compares),
                            random_between(random, 0, 4));
    }
    if (c->image_count && c->images[0].boundary && random_chance(random, 40))
        return arena_format(d->arena, "%s.width > %d", c->images[0].name,
                            random_between(random, 1, 10));
    const CaseFunc *out = &c->funcs[c->func_count - 1];
    if (!out->dimensions)
        return "true";
    if (c->image_count && c->images[0].dimensions > 1 && random_chance(random, 10))
        return arena_format(d->arena, "%s.stride(1) > 4", c->images[0].name);
    static const char *const fields[] = {"extent(0) < 8", "extent(0) >= 4", "min(0) > 0"};
    return arena_format(d->arena, "%s.%s", out->name, random_pick(random, fields));
}

/* The scheduler only asks whether a condition is known at startup, so all conditions are alike to
 * it.  One condition stands for all.  It must imply nothing: `true` would imply that another branch
 * never runs. */
static NumberChoice condition(const Drawing *d) {
    Pool *pool = d->pipeline->pool;
    const Signature *signature = &d->pipeline->signature;
    const FuncShape *out =
        signature_func(signature, signature->outputs.data[signature->outputs.length - 1].func);
    if (!out->dimensions)
        return (NumberChoice){condition_text(d), expr_bool(pool, true)};
    Expr extent = expr_buffer_field(pool, out->name, FIELD_EXTENT, 0);
    Expr odd = expr_mod(pool, extent, expr_index(pool, 2));
    return (NumberChoice){condition_text(d), expr_eq(pool, odd, expr_index(pool, 1))};
}

/* Tails that few loops can have.  Among all tails they would be drawn rarely. */
enum { BLENDING = 1u << TAILS_ROUND_UP_AND_BLEND | 1u << TAILS_SHIFT_INWARDS_AND_BLEND };

static DirectiveChoices choose_numbers(Drawing *d, uint64_t kinds) {
    DirectiveChoices choices = {.kinds = kinds, .open_lengths = d->open_lengths};
    if (!d->c->affine)
        choices.tails =
            d->blends || random_chance(d->random, 40) ? BLENDING : (1u << TAILS_COUNT) - 1;
    for (int i = 0; i < 2; i++) {
        vec_push(d->arena, &choices.factors, factor(d));
        vec_push(d->arena, &choices.widths, width(d));
    }
    vec_push(d->arena, &choices.conditions, condition(d));
    /* These stand for the numbers that choose_bound draws. */
    vec_push(d->arena, &choices.minima, constant(d, 0));
    vec_push(d->arena, &choices.lengths, constant(d, 1));
    vec_push(d->arena, &choices.moduli, constant(d, 1));
    return choices;
}

/* ---- one directive ---- */

static Symbol func_of(const Directive *move) {
    return argument_func(&move->arguments.data[0]);
}

static bool say(Drawing *d, const Directive *move) {
    if (!lower_accepts_move(d->pipeline, &d->schedule, move))
        return false;
    vec_push(d->arena, &d->schedule.directives, *move);
    vec_push(d->arena, &d->c->directives, directive_text(d->arena, move));
    d->specialized |= move->kind == DIRECTIVE_SPECIALIZE;
    return true;
}

static void set_number(Directive *move, size_t argument, NumberChoice number) {
    move->arguments.data[argument].expr = number.expr;
    move->arguments.data[argument].text = number.text;
}

static const CaseFunc *case_func(const Drawing *d, Symbol name) {
    for (int f = 0; f < d->c->func_count; f++)
        if (strcmp(d->c->funcs[f].name, name->text) == 0)
            return &d->c->funcs[f];
    return NULL; /* the func of an inline reduction */
}

/* Chooses the interval of a bound.  For an output it lies around its window; for other funcs around
 * that of the last output, or it is wide. */
static void choose_interval(const Drawing *d, const CaseFunc *func, int k, NumberChoice *minimum,
                            NumberChoice *length) {
    RandomSource *random = d->random;
    const CaseFunc *out = &d->c->funcs[d->c->func_count - 1];
    if (func && func->is_output && random_chance(random, 60)) {
        int less = random_below(random, 3);
        *minimum = constant(d, func->window.minimum[k] - less);
        *length = constant(d, func->window.extent[k] + less + random_below(random, 3));
    } else if (k < out->dimensions && random_chance(random, 50)) {
        *minimum = window_field(d, out->name, FIELD_MINIMUM, k, -random_between(random, 0, 40));
        *length = window_field(d, out->name, FIELD_EXTENT, k, random_between(random, 40, 90));
    } else {
        *minimum = constant(d, random_between(random, -60, -20));
        *length = constant(d, random_between(random, 60, 120));
    }
}

static void choose_bound(const Drawing *d, Directive *move) {
    const CaseFunc *func = case_func(d, func_of(move));
    int k = 0, modulus = random_between(d->random, 1, 8);
    while (k < CASE_DIMENSIONS - 1 &&
           strcmp(case_variables[k], move->arguments.data[1].name->text) != 0)
        k++;
    NumberChoice minimum, length;
    choose_interval(d, func, k, &minimum, &length);
    if (move->kind == DIRECTIVE_BOUND) {
        set_number(move, 2, minimum);
        set_number(move, 3, length);
    } else if (move->kind == DIRECTIVE_BOUND_EXTENT) {
        set_number(move, 2,
                   random_chance(d->random, 50) ? length
                                                : constant(d, random_between(d->random, 20, 60)));
    } else {
        set_number(move, 2, constant(d, modulus));
        DirectiveArgument remainder = {.kind = ARGUMENT_EXPR};
        vec_push(d->arena, &move->arguments, remainder);
        set_number(move, 3, constant(d, random_below(d->random, modulus)));
    }
}

/* The number of align-storage or bound-storage. */
static void choose_size(const Drawing *d, Directive *move) {
    RandomSource *random = d->random;
    int number = move->kind == DIRECTIVE_ALIGN_STORAGE ? random_between(random, 1, 16)
                 : random_chance(random, 50)           ? random_between(random, 1, 40)
                                                       : random_between(random, 40, 400);
    set_number(move, 2, constant(d, number));
}

static void choose_more(const Drawing *d, Directive *move) {
    if (KIND(SPECIALIZE) >> move->kind & 1 && random_chance(d->random, 50)) {
        DirectiveArgument second = {.kind = ARGUMENT_EXPR};
        vec_push(d->arena, &move->arguments, second);
        NumberChoice both = condition(d);
        both.text = arena_format(d->arena, "%s && %s", both.text, condition(d).text);
        set_number(move, 2, both);
    }
    if (BOUND_KINDS >> move->kind & 1)
        choose_bound(d, move);
    if (SIZE_KINDS >> move->kind & 1)
        choose_size(d, move);
}

/* Repeats the directive for the other specializations, so a producer can be computed inside all of
 * them. */
static void say_everywhere(Drawing *d, const Directive *move) {
    const DirectiveArgument *first = &move->arguments.data[0];
    if (!d->specialized || first->kind != ARGUMENT_LOOP || random_chance(d->random, 50))
        return;
    for (int z = 0; z < 3; z++) {
        Directive other = *move;
        other.arguments = (typeof(other.arguments)){0};
        for (size_t i = 0; i < move->arguments.length; i++) {
            DirectiveArgument argument = move->arguments.data[i];
            if (argument.kind == ARGUMENT_LOOP)
                argument.loop.specialization = z;
            vec_push(d->arena, &other.arguments, argument);
        }
        if (z != first->loop.specialization)
            say(d, &other);
    }
}

static Directives propose(Drawing *d, uint64_t kinds) {
    DirectiveChoices choices = choose_numbers(d, kinds);
    Directives moves = {0};
    bool is_legal = lower_propose(d->pipeline, &d->schedule, &choices, d->arena, &moves);
    hlc_assert(is_legal, "a schedule of moves is legal");
    return moves;
}

/* Picks one of the moves; all funcs are equally likely. */
static Directive *pick(Drawing *d, const Directives *moves) {
    const Directive *any = &moves->data[random_below(d->random, (int)moves->length)];
    const Pipeline *pipeline = d->pipeline;
    Symbol func =
        pipeline->funcs.data[random_below(d->random, (int)pipeline->funcs.length)]->shape->name;
    int count = 0;
    for (size_t i = 0; i < moves->length; i++)
        if (func_of(&moves->data[i]) == func && random_below(d->random, ++count) == 0)
            any = &moves->data[i];
    Directive *copy = arena_new(d->arena, Directive);
    *copy = *any;
    return copy;
}

/* Appends a directive of one of the kinds; false if there seems to be none. */
static bool draw(Drawing *d, uint64_t kinds) {
    enum { TRIES = 3 };
    Directives moves = propose(d, kinds);
    for (int i = 0; i < TRIES && moves.length; i++) {
        Directive *move = pick(d, &moves);
        choose_more(d, move);
        if (say(d, move)) {
            say_everywhere(d, move);
            return true;
        }
    }
    return false;
}

/* ---- whole schedules ---- */

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
        draw(d, (uint64_t)1 << kind);
    }
    if (random_chance(d->random, 12))
        draw(d, KIND(START_EARLY));
}

/* Tiles loops, fuses the tiles, and tiles again what came of it. */
static void draw_retiling(Drawing *d) {
    for (int i = random_between(d->random, 1, 2); i >= 0; i--) {
        draw(d, KIND(TILE));
        draw(d, KIND(FUSE));
        draw(d, KIND(FUSE));
    }
}

static void draw_blending(Drawing *d) {
    d->blends = true;
    draw(d, KIND(SPLIT));
    d->blends = false;
}

/* Makes a dimension of constant length, and vectorizes or unrolls its whole loop. */
static void draw_whole_dimension(Drawing *d) {
    Directives moves = propose(d, KIND(BOUND) | KIND(BOUND_EXTENT));
    if (!moves.length)
        return;
    Directive *bound = pick(d, &moves);
    choose_bound(d, bound);
    if (!say(d, bound))
        return;
    moves = propose(d, KIND(TRAVERSE) | KIND(VECTORIZE) | KIND(UNROLL));
    Directives whole = {0};
    for (size_t i = 0; i < moves.length; i++) {
        const DirectiveArgument *arguments = moves.data[i].arguments.data;
        bool is_traverse = moves.data[i].kind == DIRECTIVE_TRAVERSE &&
                           arguments[1].traversal >= TRAVERSE_VECTORIZED,
             is_sugar = moves.data[i].arguments.length == 1;
        if ((is_traverse || is_sugar) && arguments[0].loop.func == func_of(bound) &&
            arguments[0].loop.variable == bound->arguments.data[1].name)
            vec_push(d->arena, &whole, moves.data[i]);
    }
    if (whole.length)
        say(d, pick(d, &whole));
}

static bool has_level(const Drawing *d, Symbol func) {
    for (size_t i = 0; i < d->schedule.directives.length; i++)
        if (d->schedule.directives.data[i].kind == DIRECTIVE_COMPUTE_AT &&
            func_of(&d->schedule.directives.data[i]) == func)
            return true;
    return false;
}

/* Vectorizes or unrolls a whole loop of a func whose consumer decides how long it is. */
static void draw_open_length(Drawing *d) {
    d->open_lengths = true;
    Directives moves = propose(d, KIND(VECTORIZE) | KIND(UNROLL)), whole = {0};
    d->open_lengths = false;
    for (size_t i = 0; i < moves.length; i++)
        if (moves.data[i].arguments.length == 1 && has_level(d, func_of(&moves.data[i])))
            vec_push(d->arena, &whole, moves.data[i]);
    if (whole.length)
        say(d, pick(d, &whole));
}

/* Draws compute and storage levels: in most cases for nearly all funcs, in some for a few. */
static void draw_levels(Drawing *d) {
    int percent = random_chance(d->random, 30) ? 50 : 95;
    while (random_chance(d->random, 25) && draw(d, KIND(COMPUTE_WITH)))
        continue;
    for (int f = 0; f < d->c->func_count; f++) {
        if (random_chance(d->random, percent) && !draw(d, KIND(COMPUTE_AT)))
            break;
        if (random_chance(d->random, 5))
            draw(d, KIND(COMPUTE_ROOT));
    }
    for (int f = 0; f < d->c->func_count; f++)
        if (random_chance(d->random, 60))
            draw(d, random_chance(d->random, 60) ? KIND(STORE_AT) : KIND(STORE_ROOT));
    for (int f = 0; f < d->c->func_count; f++)
        if (random_chance(d->random, 30))
            draw(d, random_chance(d->random, 85) ? KIND(HOIST_STORAGE) : KIND(HOIST_STORAGE_ROOT));
}

/* Picks a move about the func; null if there is none. */
static const Directive *pick_about(Drawing *d, const Directives *moves, Symbol func) {
    const Directive *any = NULL;
    int count = 0;
    for (size_t i = 0; i < moves->length; i++)
        if (func_of(&moves->data[i]) == func && random_below(d->random, ++count) == 0)
            any = &moves->data[i];
    return any;
}

/* Computes a chain's funcs in loops of their readers, and stores them outside of these loops. */
static void draw_chain(Drawing *d) {
    for (int f = d->c->func_count - 2; f >= 0; f--) {
        Symbol func = context_symbol(d->context, d->c->funcs[f].name);
        Directives moves = propose(d, KIND(COMPUTE_AT));
        const Directive *compute = pick_about(d, &moves, func);
        if (!compute || !random_chance(d->random, 85) || !say(d, compute))
            continue;
        moves = propose(d, random_chance(d->random, 70) ? KIND(STORE_AT) : KIND(STORE_ROOT));
        const Directive *store = pick_about(d, &moves, func);
        if (store && random_chance(d->random, 85))
            say(d, store);
    }
}

/* Is it a loop of an update of the func? */
static bool is_of_update(const Directive *move, Symbol func) {
    const DirectiveArgument *first = &move->arguments.data[0];
    return first->kind == ARGUMENT_LOOP && first->loop.func == func && first->loop.stage > 0;
}

/* Draws a directive of one of these kinds about an update of the func. */
static void draw_for_updates(Drawing *d, uint64_t kinds, Symbol func) {
    Directives moves = propose(d, kinds), of_updates = {0};
    for (size_t i = 0; i < moves.length; i++)
        if (is_of_update(&moves.data[i], func))
            vec_push(d->arena, &of_updates, moves.data[i]);
    if (of_updates.length)
        say(d, pick(d, &of_updates));
}

/* Computes each func in a loop of its reader, mostly an inner one, for few points.  Its updates run
 * in vectors wider than these, mostly without a vectorized first stage. */
static void draw_points(Drawing *d) {
    for (int f = d->c->func_count - 1; f >= 0; f--) {
        Symbol func = context_symbol(d->context, d->c->funcs[f].name);
        Directives moves = {0};
        if (f < d->c->func_count - 1 && random_chance(d->random, 90))
            moves = propose(d, KIND(COMPUTE_AT));
        const Directive *level = pick_about(d, &moves, func);
        if (level)
            say(d, level);
        moves = propose(d, KIND(SPLIT));
        const Directive *split = pick_about(d, &moves, func);
        if (split && random_chance(d->random, f ? 30 : 80))
            say(d, split);
        if (random_chance(d->random, 80))
            draw_for_updates(d, KIND(VECTORIZE), func);
        if (random_chance(d->random, 15))
            draw_loops(d, 1);
        if (random_chance(d->random, 25))
            draw(d, KIND(STORE_IN));
    }
}

/* For a func that depends on no input: its region must be constant, so a bound is added if
 * needed. */
static void say_eager(Drawing *d, const Directive *eager) {
    size_t before = d->schedule.directives.length, texts = d->c->directives.length;
    if (say(d, eager) || d->c->affine)
        return;
    Directives moves = propose(d, KIND(BOUND));
    for (size_t i = 0; i < moves.length; i++) {
        Directive *bound = &moves.data[i];
        if (func_of(bound) != func_of(eager))
            continue;
        set_number(bound, 2, constant(d, -random_between(d->random, 10, 20)));
        set_number(bound, 3, constant(d, random_between(d->random, 25, 40)));
        say(d, bound);
    }
    if (say(d, eager))
        return;
    d->schedule.directives.length = before;
    d->c->directives.length = texts;
}

/* Few funcs can be eager, so most of them are made so. */
static void draw_eager(Drawing *d) {
    Directives moves = propose(d, KIND(EAGER));
    for (size_t i = 0; i < moves.length; i++)
        if (random_chance(d->random, 80))
            say_eager(d, &moves.data[i]);
}

/* Draws directives about memory.  The last of these are judged when regions are known: then each
 * later directive costs a whole lowering. */
static void draw_memory(Drawing *d) {
    while (random_chance(d->random, 20))
        draw(d, KIND(REORDER_STORAGE));
    while (random_chance(d->random, 10))
        draw(d, KIND(ALIGN_STORAGE));
    if (random_chance(d->random, 20))
        draw(d, KIND(STREAM));
    if (random_chance(d->random, d->c->stencil ? 15 : 8))
        draw(d, KIND(FOLD_STORAGE));
    if (random_chance(d->random, 9))
        draw(d, KIND(BOUND_STORAGE));
    if (random_chance(d->random, 10))
        draw(d, KIND(STORE_IN));
    if (random_chance(d->random, 80))
        draw_eager(d);
    if (random_chance(d->random, 8))
        draw(d, KIND(PREFETCH));
}

/* Makes the writes of an update atomic, and mostly a loop of it parallel. */
static void draw_atomic(Drawing *d) {
    if (!draw(d, KIND(ATOMIC)))
        return;
    const Directives *said = &d->schedule.directives;
    LoopReference of = said->data[said->length - 1].arguments.data[0].loop;
    for (int i = random_between(d->random, 0, 2); i > 0; i--) {
        Directives moves = propose(d, KIND(TRAVERSE) | KIND(PARALLEL)), parallel = {0};
        for (size_t m = 0; m < moves.length; m++) {
            const DirectiveArgument *arguments = moves.data[m].arguments.data;
            bool is_parallel = moves.data[m].kind == DIRECTIVE_PARALLEL ||
                               arguments[1].traversal == TRAVERSE_PARALLEL;
            if (is_parallel && arguments[0].loop.func == of.func &&
                arguments[0].loop.stage == of.stage)
                vec_push(d->arena, &parallel, moves.data[m]);
        }
        if (parallel.length)
            say(d, pick(d, &parallel));
    }
}

/* Draws several factorings of reductions, and other orders of their loops. */
static void draw_reductions(Drawing *d) {
    RandomSource *random = d->random;
    for (int i = random_between(random, 1, 3); i > 0; i--) {
        while (random_chance(random, 50))
            draw(d, KIND(SPLIT_REDUCTION));
        if (random_chance(random, 70))
            draw(d, KIND(RFACTOR));
        else
            draw(d, random_chance(random, 50) ? KIND(VECTORIZE) : KIND(PARALLEL));
    }
    while (random_chance(random, 50))
        draw(d, random_chance(random, 50) ? KIND(SWAP) : KIND(REORDER));
    if (random_chance(random, 80))
        draw_atomic(d);
}

/* Draws how equations become nests; fronts mostly run side by side. */
static void draw_recurrences(Drawing *d) {
    while (random_chance(d->random, 95) && draw(d, KIND(MERGE_URES)))
        continue;
    while (random_chance(d->random, 80) && draw(d, KIND(WAVEFRONT)))
        continue;
    if (random_chance(d->random, 60))
        draw(d, KIND(UNFOLD_STORAGE));
    while (random_chance(d->random, 70))
        draw(d, random_chance(d->random, 50) ? KIND(TRAVERSE)
                                             : KIND(VECTORIZE) | KIND(PARALLEL) | KIND(SWAP));
}

/* Draws in the order of the phases, except for costly ones.  Each phase sees the result of those
 * before. */
static void draw_in_phases(Drawing *d) {
    RandomSource *random = d->random;
    while (random_chance(random, 20))
        draw(d, KIND(INLINE));
    while (random_chance(random, 20))
        draw(d, KIND(WRAP));
    if (d->c->points) {
        draw_points(d);
        return;
    }
    if (d->c->reductions)
        draw_reductions(d);
    if (d->c->recurrent)
        draw_recurrences(d);
    if (random_chance(random, 20))
        draw(d, KIND(SPLIT_REDUCTION));
    while (random_chance(random, 40) && draw(d, KIND(RFACTOR)))
        continue;
    while (random_chance(random, 20))
        draw(d, KIND(SPECIALIZE));
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
        draw(d, random_chance(random, 30) ? KIND(ALIGN_BOUNDS) : BOUND_KINDS);
    draw_memory(d);
    /* These use a copy of the random numbers, so the rest of the case does not depend on them. */
    RandomSource apart = *random;
    d->random = &apart;
    if (!d->c->affine && random_chance(&apart, 6))
        draw_retiling(d);
    while (random_chance(&apart, 12))
        draw_open_length(d);
    d->random = random;
}

/* Draws in any order: a late directive may be applied before earlier ones. */
static void draw_anyhow(Drawing *d) {
    uint64_t kinds = ALL_DIRECTIVES & ~(d->c->affine ? BOUND_KINDS : 0);
    int count = random_below(d->random, 6 + 2 * d->c->func_count);
    for (int i = 0; i < count; i++) {
        uint64_t kind = (uint64_t)1 << random_below(d->random, DIRECTIVE_COUNT);
        if (kind & kinds)
            draw(d, kind);
    }
}

void generate_schedule(Arena *arena, RandomSource *random, Case *c) {
    Context *context = context_create();
    char *text = case_text(arena, c);
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, context->arena, file, NULL, NULL);
    if (module) { /* otherwise the oracle reports the reason */
        Drawing d = {arena, random, c, context, module_pipeline(module, "p"), .specialized = false};
        if (random_chance(random, 20))
            draw_anyhow(&d);
        else
            draw_in_phases(&d);
    }
    context_destroy(context);
}

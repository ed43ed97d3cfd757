/* drawing.c -- draws one directive: its kind, its func or loop, and its numbers.
 *
 * The scheduler lists the legal directives (lower/moves.h). This file knows nothing of legality.
 * Bounds are mostly wide enough for the windows. A bound that is too small is refused when the case
 * runs.
 */
#include "checkers/fuzz/drawing.h"

#include "ir/argument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64 }; /* of the widest vector */

/* ---- numbers ---- */

NumberChoice drawing_constant(const Drawing *d, int64_t value) {
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
    return drawing_constant(d, random_pick(d->random, factors));
}

/* Every number of lanes that a vector can have, the small ones more often. */
static NumberChoice width(const Drawing *d) {
    return drawing_constant(d, random_chance(d->random, 30) ? random_between(d->random, 2, 8)
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
    bool has_stride = !c->windows || !c->reassociation; /* else refused: E0872 */
    if (c->image_count && c->images[0].dimensions > 1 && random_chance(random, 10) && has_stride)
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
    vec_push(d->arena, &choices.minima, drawing_constant(d, 0));
    vec_push(d->arena, &choices.lengths, drawing_constant(d, 1));
    vec_push(d->arena, &choices.moduli, drawing_constant(d, 1));
    return choices;
}

/* ---- one directive ---- */

Symbol drawing_func_of(const Directive *move) {
    return argument_func(&move->arguments.data[0]);
}

bool drawing_say(Drawing *d, const Directive *move) {
    if (!lower_accepts_move(d->pipeline, &d->schedule, move))
        return false;
    vec_push(d->arena, &d->schedule.directives, *move);
    vec_push(d->arena, &d->c->directives, directive_text(d->arena, move));
    d->specialized |= move->kind == DIRECTIVE_SPECIALIZE;
    return true;
}

void drawing_set_number(Directive *move, size_t argument, NumberChoice number) {
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
        *minimum = drawing_constant(d, func->window.minimum[k] - less);
        *length = drawing_constant(d, func->window.extent[k] + less + random_below(random, 3));
    } else if (k < out->dimensions && random_chance(random, 50)) {
        *minimum = window_field(d, out->name, FIELD_MINIMUM, k, -random_between(random, 0, 40));
        *length = window_field(d, out->name, FIELD_EXTENT, k, random_between(random, 40, 90));
    } else {
        *minimum = drawing_constant(d, random_between(random, -60, -20));
        *length = drawing_constant(d, random_between(random, 60, 120));
    }
}

void drawing_choose_bound(const Drawing *d, Directive *move) {
    const CaseFunc *func = case_func(d, drawing_func_of(move));
    int k = 0, modulus = random_between(d->random, 1, 8);
    while (k < CASE_DIMENSIONS - 1 &&
           strcmp(case_variables[k], move->arguments.data[1].name->text) != 0)
        k++;
    NumberChoice minimum, length;
    choose_interval(d, func, k, &minimum, &length);
    if (move->kind == DIRECTIVE_BOUND) {
        drawing_set_number(move, 2, minimum);
        drawing_set_number(move, 3, length);
    } else if (move->kind == DIRECTIVE_BOUND_EXTENT) {
        drawing_set_number(move, 2,
                           random_chance(d->random, 50)
                               ? length
                               : drawing_constant(d, random_between(d->random, 20, 60)));
    } else {
        drawing_set_number(move, 2, drawing_constant(d, modulus));
        DirectiveArgument remainder = {.kind = ARGUMENT_EXPR};
        vec_push(d->arena, &move->arguments, remainder);
        drawing_set_number(move, 3, drawing_constant(d, random_below(d->random, modulus)));
    }
}

/* The number of align-storage or bound-storage. */
static void choose_size(const Drawing *d, Directive *move) {
    RandomSource *random = d->random;
    int number = move->kind == DIRECTIVE_ALIGN_STORAGE ? random_between(random, 1, 16)
                 : random_chance(random, 50)           ? random_between(random, 1, 40)
                                                       : random_between(random, 40, 400);
    drawing_set_number(move, 2, drawing_constant(d, number));
}

static void choose_more(const Drawing *d, Directive *move) {
    if (KIND(SPECIALIZE) >> move->kind & 1 && random_chance(d->random, 50)) {
        DirectiveArgument second = {.kind = ARGUMENT_EXPR};
        vec_push(d->arena, &move->arguments, second);
        NumberChoice both = condition(d);
        both.text = arena_format(d->arena, "%s && %s", both.text, condition(d).text);
        drawing_set_number(move, 2, both);
    }
    if (BOUND_KINDS >> move->kind & 1)
        drawing_choose_bound(d, move);
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
            drawing_say(d, &other);
    }
}

Directives drawing_propose(Drawing *d, uint64_t kinds) {
    DirectiveChoices choices = choose_numbers(d, kinds);
    Directives moves = {0};
    bool is_legal = lower_propose(d->pipeline, &d->schedule, &choices, d->arena, &moves);
    hlc_assert(is_legal, "a schedule of moves is legal");
    return moves;
}

/* Picks one of the moves; all funcs are equally likely. */
Directive *drawing_pick(Drawing *d, const Directives *moves) {
    const Directive *any = &moves->data[random_below(d->random, (int)moves->length)];
    const Pipeline *pipeline = d->pipeline;
    Symbol func =
        pipeline->funcs.data[random_below(d->random, (int)pipeline->funcs.length)]->shape->name;
    int count = 0;
    for (size_t i = 0; i < moves->length; i++)
        if (drawing_func_of(&moves->data[i]) == func && random_below(d->random, ++count) == 0)
            any = &moves->data[i];
    Directive *copy = arena_new(d->arena, Directive);
    *copy = *any;
    return copy;
}

/* Appends a directive of one of the kinds; false if there seems to be none. */
bool drawing_draw(Drawing *d, uint64_t kinds) {
    enum { TRIES = 3 };
    Directives moves = drawing_propose(d, kinds);
    for (int i = 0; i < TRIES && moves.length; i++) {
        Directive *move = drawing_pick(d, &moves);
        choose_more(d, move);
        if (drawing_say(d, move)) {
            say_everywhere(d, move);
            return true;
        }
    }
    return false;
}

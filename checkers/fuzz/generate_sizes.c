/* generate_sizes.c -- what outputs propose as their windows, and require of them.
 *
 * The windows of a case are given, so the proposals change no value: a difference shows that they
 * do.  They have random numbers of their own, so a seed is the same program with and without them.
 */
#include "checkers/fuzz/generate.h"

#include "ir/signature.h"

static const char *number(Arena *arena, RandomSource *random) {
    return arena_format(arena, "%d", random_between(random, -2, 9));
}

/* An input that may stand in an index: an image's size, an integer of at most 32 bits. */
static const char *size_of_input(Arena *arena, RandomSource *random, const Case *c) {
    int input = random_below(random, c->image_count + c->parameter_count + 1);
    if (input < c->image_count)
        return arena_format(arena, "%s.extent(%d)", c->images[input].name,
                            random_below(random, c->images[input].dimensions));
    input -= c->image_count;
    if (input == c->parameter_count)
        return number(arena, random);
    Type type = c->parameters[input].type;
    bool is_index = type_is_machine_integer(type) && type.bits <= 32;
    return is_index ? c->parameters[input].name : number(arena, random);
}

static const char *length(Arena *arena, RandomSource *random, const Case *c) {
    static const char *const OPERATORS[] = {"+", "-", "*", "/"};
    const char *first = size_of_input(arena, random, c), *second = size_of_input(arena, random, c);
    switch (random_below(random, 4)) {
    case 0:
        return first;
    case 1:
        return arena_format(arena, "max(%s, %s)", first, second);
    case 2:
        return arena_format(arena, "select(%s > 3, %s, 4)", first, second);
    default:
        return arena_format(arena, "%s %s %s", first, random_pick(random, OPERATORS), second);
    }
}

static const char *draw_size(Arena *arena, RandomSource *random, const Case *c, int dimensions) {
    const char *text = "";
    for (int d = 0; d < dimensions; d++) {
        const char *extent = length(arena, random, c);
        if (random_chance(random, 30))
            extent = arena_format(arena, "(%s, %s)", number(arena, random), extent);
        text = arena_format(arena, "%s%s%s", text, d ? ", " : "", extent);
    }
    return arena_format(arena, "(%s)", text);
}

/* Few windows break it; then all machines refuse alike. */
static const char *draw_require(Arena *arena, RandomSource *random, const CaseFunc *func) {
    int d = random_below(random, func->dimensions);
    int form = random_below(random, 4);
    if (form == 3 && !random_chance(random, 20))
        form = 0;
    switch (form) {
    case 0:
        return arena_format(arena, "%s.extent(%d) >= 1", func->name, d);
    case 1:
        return arena_format(arena, "%s.extent(%d) <= 40", func->name, d);
    case 2:
        return arena_format(arena, "%s.min(%d) >= -1000", func->name, d);
    default:
        return arena_format(arena, "%s.min(%d) %% 2 == 0", func->name, d);
    }
}

void generate_sizes(Arena *arena, Case *c) {
    RandomSource random = {c->seed ^ 0x73697a6573u};
    for (int f = 0; f < c->func_count; f++) {
        CaseFunc *func = &c->funcs[f];
        if (!func->is_output || func->dimensions == 0)
            continue;
        if (random_chance(&random, 30))
            func->size = draw_size(arena, &random, c, func->dimensions);
        if (random_chance(&random, 5))
            func->require = draw_require(arena, &random, func);
    }
}

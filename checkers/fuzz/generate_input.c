/* generate_input.c -- draws the inputs of a program.  The first input is drawn with the program,
 * because the schedule may contain numbers of its windows.  The other inputs are mostly small:
 * faults occur at edges, and the number of points between edges does not matter. */
#include "checkers/fuzz/generate.h"

#include <string.h>

/* ---- parts ---- */

void generate_contents(RandomSource *random, CaseImage *image) {
    static const char *const fills[] = {"edges", "random", "ramp"};
    image->fill = random_pick(random, fills);
    for (int d = 0; d < image->dimensions; d++) {
        image->box.minimum[d] = random_between(random, -5, 5);
        image->box.extent[d] = random_chance(random, 15) ? 1 : random_between(random, 1, 12);
    }
}

void generate_setting(Arena *arena, RandomSource *random, CaseParameter *parameter) {
    static const char *const floats[] = {"0.0", "1.5", "-0.25", "3e9"}, *const of_f16[] = {
                                                                            "0.0", "1.5", "-0.25",
                                                                            "6e4"};
    int span = parameter->upper - parameter->lower;
    if (type_is_bool(parameter->type))
        parameter->value = random_chance(random, 50) ? "true" : "false";
    else if (type_equal(parameter->type, F16))
        parameter->value = random_pick(random, of_f16);
    else if (type_is_float(parameter->type))
        parameter->value = random_pick(random, floats);
    else
        parameter->value = arena_format(
            arena, "%d", parameter->lower + random_below(random, (span < 4 ? span : 4) + 1));
}

/* Puts all windows of a case at the same end; otherwise the common reads span 2^32 points.  Mostly
 * the distance is the same in all dimensions.  Then an index in the place of another gives small
 * regions. */
static int64_t far_minimum(RandomSource *random, const Case *c, int64_t extent) {
    static const int64_t room[] = {0, 1, 8, 60, 300};
    RandomSource shared = {c->data_seed};
    int64_t inside = random_pick(random, room), same = random_pick(&shared, room);
    if (random_chance(random, 80))
        inside = same;
    return c->data_seed % 2 ? (int64_t)INT32_MAX - extent - inside : (int64_t)INT32_MIN + inside;
}

void generate_window(RandomSource *random, const Case *c, CaseFunc *func) {
    static const int edges[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 33};
    for (int d = 0; d < func->dimensions; d++) {
        int64_t extent =
            random_chance(random, 50) ? random_pick(random, edges) : random_between(random, 1, 20);
        if (func->dimensions == 3)
            extent = 1 + extent % 7;
        func->window.extent[d] = random_chance(random, 2) ? 0 : extent;
        func->window.minimum[d] =
            c->far ? far_minimum(random, c, extent) : random_between(random, -10, 10);
    }
}

/* ---- another input ---- */

/* Does the schedule bound the region of a func?  The bound was made for the first input. */
static bool has_bound(const Case *c) {
    for (size_t i = 0; i < c->directives.length; i++)
        if (strncmp(c->directives.data[i], "bound", 5) == 0)
            return true;
    return false;
}

/* A part of the window. */
static void take_part(RandomSource *random, CaseFunc *func) {
    CaseBox *window = &func->window;
    for (int d = 0; d < func->dimensions; d++) {
        int64_t extent = window->extent[d] ? random_between(random, 1, (int)window->extent[d]) : 0;
        window->minimum[d] += random_below(random, (int)(window->extent[d] - extent) + 1);
        window->extent[d] = extent;
    }
}

/* A few points. */
static void take_few(RandomSource *random, CaseFunc *func) {
    static const int few[] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9};
    for (int d = 0; d < func->dimensions; d++) {
        int extent = random_pick(random, few);
        if (extent == 0 && random_chance(random, 75))
            extent = 1;
        if (extent < func->window.extent[d])
            func->window.extent[d] = extent;
    }
}

Case *case_with_input(Arena *arena, const Case *first, int input) {
    int large = first->stencil ? 40 : 15; /* percent */
    RandomSource random = {first->seed * 2 * CASE_MOST_INPUTS + (uint64_t)input * 2 + 1};
    Case *c = arena_new(arena, Case);
    *c = *first;
    c->input = input;
    if (input == 0)
        return c;
    c->data_seed = random_bits(&random) % 1000000;
    for (int i = 0; i < c->image_count; i++)
        generate_contents(&random, &c->images[i]);
    for (int i = 0; i < c->parameter_count; i++)
        generate_setting(arena, &random, &c->parameters[i]);
    bool is_bound = has_bound(c), is_large = random_chance(&random, large);
    for (int f = 0; f < c->func_count; f++) {
        if (!c->funcs[f].is_output)
            continue;
        if (is_bound)
            take_part(&random, &c->funcs[f]);
        else
            generate_window(&random, c, &c->funcs[f]);
        if (!is_large)
            take_few(&random, &c->funcs[f]);
    }
    for (int i = 0; i < CASE_CONFIGURATIONS; i++)
        c->configurations[i].threads = random_between(&random, 1, CASE_THREADS);
    return c;
}

/* ---- proposed windows ---- */

/* The windows of a case are given, so the proposals change no value: a difference shows that they
 * do. They have random numbers of their own, so a seed is the same program with and without them. */

static const char *small_number(Arena *arena, RandomSource *random) {
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
        return small_number(arena, random);
    Type type = c->parameters[input].type;
    bool is_index = type_is_machine_integer(type) && type.bits <= 32;
    return is_index ? c->parameters[input].name : small_number(arena, random);
}

static const char *draw_length(Arena *arena, RandomSource *random, const Case *c) {
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
        const char *extent = draw_length(arena, random, c);
        if (random_chance(random, 30))
            extent = arena_format(arena, "(%s, %s)", small_number(arena, random), extent);
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

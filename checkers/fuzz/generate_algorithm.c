/* generate_algorithm.c -- random pipelines: parameters, images, funcs.  They are valid by
 * construction.  Each func reads only earlier funcs and images, all names are in scope, and every
 * value has the type that is asked for. */
#include "checkers/fuzz/external/external.h"

#include <string.h>

/* ---- inputs ---- */

static void choose_images(Arena *arena, RandomSource *random, Case *c) {
    static const char *const boundaries[] = {"repeat_edge", "repeat_image", "mirror_image",
                                             "mirror_interior", "constant_exterior"};
    c->image_count = random_chance(random, 20) ? 0 : random_between(random, 1, CASE_IMAGES);
    for (int i = 0; i < c->image_count; i++) {
        CaseImage *image = &c->images[i];
        image->name = arena_format(arena, "in%d", i);
        image->type = generate_type(random);
        image->dimensions = random_between(random, 1, CASE_DIMENSIONS);
        if (random_chance(random, 20))
            image->layout = image->dimensions == 3 && random_chance(random, 50) ? LAYOUT_INTERLEAVED
                                                                                : LAYOUT_STRIDED;
        image->fitted = random_chance(random, 60);
        if (!image->fitted) {
            const char *boundary = random_pick(random, boundaries);
            const char *value = boundary[0] == 'c'
                                    ? arena_format(arena, ", %s(%d)", type_name(image->type),
                                                   random_below(random, 100))
                                    : "";
            image->boundary = arena_format(arena, "%s(%s%s)", boundary, image->name, value);
        }
        generate_contents(random, image);
    }
}

static void choose_parameter(Arena *arena, RandomSource *random, CaseParameter *parameter) {
    static const Type integers[] = {I32, I32, I32, U8, I8, U16, U32, I64},
                      floats[] = {F32, F32, F16, BF16};
    *parameter = (CaseParameter){.name = parameter->name, .type = I32, .lower = 0, .upper = -1};
    int kind = random_below(random, 10);
    parameter->type = kind == 0   ? BOOL
                      : kind == 1 ? random_pick(random, floats)
                                  : random_pick(random, integers);
    if (kind > 1) {
        parameter->lower = random_between(random, 0, 1);
        parameter->upper = parameter->lower + random_between(random, 0, 4);
    }
    generate_setting(arena, random, parameter);
    if (kind > 1 && random_chance(random, 15)) /* its range tells little */
        parameter->upper = parameter->type.bits <= 8    ? 127
                           : parameter->type.bits == 16 ? 65535
                                                        : 1 << 30;
}

static void choose_parameters(Arena *arena, RandomSource *random, Case *c) {
    static const char *const names[CASE_PARAMETERS] = {"w0", "w1", "w2"};
    c->parameter_count = random_between(random, 0, CASE_PARAMETERS);
    for (int i = 0; i < c->parameter_count; i++) {
        c->parameters[i].name = names[i];
        choose_parameter(arena, random, &c->parameters[i]);
    }
    if (c->parameter_count && c->parameters[0].lower <= c->parameters[0].upper &&
        random_chance(random, 10))
        vec_push(arena, &c->statements,
                 arena_format(arena, "require(%s <= %d, \"small\")", c->parameters[0].name,
                              c->parameters[0].upper - random_chance(random, 10)));
}

/* ---- funcs ---- */

/* `let t = argmin(q in ..) e;` and its two values, or the value of some expression. */
static void choose_let(ExpressionScope *scope, CaseFunc *func) {
    Type type = generate_type(scope->random);
    if (type_is_bool(type) || random_chance(scope->random, 50)) {
        func->let = arena_format(scope->arena, "let t = %s;", generate_value(scope, type, 2));
        scope->lets[scope->let_count] = "t";
        scope->let_types[scope->let_count++] = type;
        return;
    }
    ExpressionScope inner = *scope;
    int length;
    const char *interval = generate_interval(scope, &length);
    inner.names[inner.name_count++] = "q";
    inner.reducing = true;
    func->let = arena_format(scope->arena, "let t = %s(q in %s) %s;",
                             random_chance(scope->random, 50) ? "argmin" : "argmax", interval,
                             generate_value(&inner, type, 1));
    scope->lets[scope->let_count] = "t.0";
    scope->let_types[scope->let_count++] = I32;
    scope->lets[scope->let_count] = "t.1";
    scope->let_types[scope->let_count++] = type;
}

static const char *pure_stage(ExpressionScope *scope, CaseFunc *func) {
    const char *text = generate_limited(scope, func, generate_first(scope, func, 0));
    if (func->components == 1)
        return text;
    for (int i = 1; i < func->components; i++)
        text = arena_format(scope->arena, "%s, %s", text, generate_first(scope, func, i));
    return arena_format(scope->arena, "{%s}", text);
}

static int choose_dimensions(RandomSource *random) {
    static const int dimensions[] = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3};
    return random_chance(random, 2) ? 0 : random_pick(random, dimensions);
}

static void add_update(ExpressionScope scope, CaseFunc *func) {
    bool is_scan = scope.c->scans && func->dimensions && random_chance(scope.random, 75);
    (is_scan ? generate_scan : generate_update)(scope, func);
}

static void choose_stages(ExpressionScope *scope, CaseFunc *func) {
    RandomSource *random = scope->random;
    int number = scope->funcs;
    if (random_chance(random, 12))
        choose_let(scope, func);
    /* A func that only one stage reads can be computed inside it. */
    int updates = func->part_count            ? 1 + random_chance(random, 15)
                  : random_chance(random, 50) ? 0
                                              : random_between(random, 1, 2);
    int reader = random_chance(random, 60) ? random_below(random, updates + 1) : -1;
    scope->funcs = reader <= 0 ? number : 0;
    func->pure = pure_stage(scope, func);
    for (int i = 1; i <= updates; i++) {
        scope->funcs = reader < 0 || reader == i ? number : 0;
        add_update(*scope, func);
    }
}

static void choose_func(Arena *arena, RandomSource *random, Case *c, int number) {
    CaseFunc *func = &c->funcs[number];
    bool is_last = number == c->func_count - 1;
    func->is_output = is_last || random_chance(random, c->reductions ? 35 : 12);
    func->layout = random_chance(random, 40) ? LAYOUT_INTERLEAVED : LAYOUT_PLANAR;
    func->name = is_last ? "out" : arena_format(arena, "f%d", number);
    func->dimensions = choose_dimensions(random);
    func->components = random_chance(random, 12) ? random_between(random, 2, 3) : 1;
    for (int i = 0; i < func->components; i++)
        func->types[i] = generate_type(random);
    RandomSource apart = {(c->seed ^ 0xe47e4) * 2 + 1 + (uint64_t)number * 64};
    if (!c->affine && !c->far && !c->reductions && !c->recurrent && random_chance(&apart, 6) &&
        external_generate(arena, &apart, c, number))
        return;
    if (c->reductions && random_chance(random, 75))
        generate_reduction_types(random, c, func);
    generate_limit(random, c, func);
    ExpressionScope scope = {.arena = arena, .random = random, .c = c, .funcs = number};
    for (int d = 0; d < func->dimensions; d++)
        scope.names[scope.name_count++] = case_variables[d];
    if (func->is_output || !random_chance(random, 12)) {
        choose_stages(&scope, func);
        return;
    }
    /* A table depends on its coordinates only, so it may be eager. */
    int images = c->image_count, parameters = c->parameter_count;
    c->image_count = c->parameter_count = scope.funcs = 0;
    choose_stages(&scope, func);
    c->image_count = images, c->parameter_count = parameters;
}

/* The last func is the output.  All have the same number of dimensions, mostly two. */
static void choose_chain(Arena *arena, RandomSource *random, Case *c) {
    static const int dimensions[] = {1, 2, 2, 2, 2, 2, 2, 3};
    c->func_count = random_between(random, 2, 6);
    int count = random_pick(random, dimensions);
    for (int i = 0; i < c->func_count; i++) {
        CaseFunc *func = &c->funcs[i];
        func->is_output = i == c->func_count - 1 || random_chance(random, 4);
        func->layout = random_chance(random, 40) ? LAYOUT_INTERLEAVED : LAYOUT_PLANAR;
        func->name = i == c->func_count - 1 ? "out" : arena_format(arena, "f%d", i);
        func->dimensions = count;
        func->components = 1;
        func->types[0] = generate_type(random);
        ExpressionScope scope = {.arena = arena, .random = random, .c = c, .funcs = i};
        for (int d = 0; d < count; d++)
            scope.names[scope.name_count++] = case_variables[d];
        func->pure = i ? generate_stencil(&scope, func->types[0]) : pure_stage(&scope, func);
        if (random_chance(random, 40))
            add_update(scope, func);
    }
}

/* `-> out in in2`: the output begins as a copy of an image that nothing else reads. The numbers are
 * drawn apart: other cases do not depend on them. */
static void share_image(Arena *arena, Case *c, CaseFunc *func) {
    static const char *const copies[] = {"", "(x)", "(x, y)", "(x, y, c)"};
    RandomSource apart = {(c->seed ^ 0x1294ce) * 2 + 1};
    bool may_share = func->is_output && func->components == 1 && func->dimensions &&
                     func->updates.length && !func->part_count && !func->is_limited &&
                     !func->is_external;
    if (!may_share || c->image_count == CASE_IMAGES || c->affine || !random_chance(&apart, 70))
        return;
    CaseImage *image = &c->images[c->image_count++];
    *image = (CaseImage){.name = arena_format(arena, "in%d", c->image_count - 1),
                         .type = func->types[0],
                         .dimensions = func->dimensions,
                         .layout = random_chance(&apart, 25) ? LAYOUT_STRIDED
                                   : func->layout == LAYOUT_INTERLEAVED && func->dimensions == 3
                                       ? LAYOUT_INTERLEAVED
                                       : LAYOUT_PLANAR,
                         .fitted = true};
    generate_contents(&apart, image);
    func->let = NULL;
    func->pure = arena_format(arena, "%s%s", image->name, copies[func->dimensions]);
    func->shared = c->image_count;
}

static void generate_windows(RandomSource *random, Case *c) {
    for (int i = 0; i < c->func_count; i++)
        if (c->funcs[i].is_output)
            generate_window(random, c, &c->funcs[i]);
}

void generate_algorithm(Arena *arena, RandomSource *random, Case *c) {
    static const int counts[] = {1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8};
    c->far = random_chance(random, 6) && !c->recurrent;
    c->affine = !c->far && random_chance(random, 15);
    c->contraction = random_chance(random, 10);
    c->reassociation = c->reductions && random_chance(random, 40);
    choose_images(arena, random, c);
    choose_parameters(arena, random, c);
    if (c->points) {
        generate_points(arena, random, c);
        generate_windows(random, c);
        return;
    }
    c->stencil = !c->reductions && !c->recurrent && random_chance(random, 20);
    c->func_count = random_pick(random, counts);
    if (c->reductions && c->func_count > 3)
        c->func_count = random_between(random, 1, 3);
    if (c->stencil)
        choose_chain(arena, random, c);
    if (c->recurrent && c->func_count > 5)
        c->func_count = random_between(random, 2, 5);
    int first = c->recurrent ? random_below(random, c->func_count / 2 + 1) : c->func_count;
    int count = c->recurrent ? c->func_count - first : 0;
    for (int i = 0; i < c->func_count && !c->stencil; i++)
        if (i < first || i >= first + count)
            choose_func(arena, random, c, i);
        else if (i == first)
            generate_equations(arena, random, c, first, count);
    for (int i = 0; i < c->func_count; i++)
        if (!c->domain || i < c->first_equation || i >= c->first_equation + c->equation_count)
            share_image(arena, c, &c->funcs[i]);
    generate_windows(random, c);
}

/* generate_algorithm.c -- random pipelines, valid by construction.
 *
 * Expressions are typed text.  A value of type T is made of literals `T(5)`, coordinates `T(x)`,
 * parameters, reads of earlier funcs and images, and operators; an index is affine in a coordinate
 * (shifted, strided, reversed, halved, transposed), a constant, or a clamped value.  Updates keep
 * Def 4.2: where a dimension is pure in a stage, its variable stands in every access to the func
 * itself; otherwise it is not mentioned at all.
 */
#include "fuzz/generate.h"

static const char *const value_types[] = {"u8",  "u8",  "i8",  "u16", "i16", "i32",
                                          "i32", "u32", "i64", "u64", "f32", "f64"};
static const char *const variables[] = {"x", "y"};

/* What an expression may mention. */
typedef struct Scope {
    Arena *arena;
    Random *random;
    const Case *c;
    int funcs; /* how many of the case's funcs may be read */
    const char *names[CASE_DIMENSIONS + 2];
    int name_count;
    const char *self; /* a read of the func itself, ready to be used, or null */
    const char *self_type;
} Scope;

static const char *value(Scope *scope, const char *type, int depth);

static bool is_float(const char *type) {
    return type[0] == 'f';
}
static bool same_type(const char *a, const char *b) {
    return a[0] == b[0] && a[1] == b[1] && (!a[1] || a[2] == b[2]);
}

static const char *convert(Scope *scope, const char *from, const char *to, const char *text) {
    return same_type(from, to) ? text : arena_format(scope->arena, "%s(%s)", to, text);
}

/* An index over the names in scope. */
static const char *affine(Scope *scope) {
    Random *random = scope->random;
    Arena *arena = scope->arena;
    int c = random_between(random, -4, 4);
    if (!scope->name_count)
        return arena_format(arena, "%d", c);
    const char *name = scope->names[random_below(random, scope->name_count)];
    switch (random_below(random, 12)) {
    case 0:
        return arena_format(arena, "2*%s + %d", name, c);
    case 1:
        return arena_format(arena, "%s/2", name);
    case 2:
        return arena_format(arena, "%d - %s", c, name);
    case 3:
        return arena_format(arena, "%d", c);
    case 4:
        return arena_format(arena, "%s %% %d", name, random_between(random, 1, 9));
    case 5:
        return arena_format(arena, "clamp(%s, %d, %d)", name, c, c + random_below(random, 9));
    case 6:
        if (!scope->c->parameter_count)
            return name;
        return arena_format(arena, "%s + %s", name, scope->c->parameters[0].name);
    case 7:
        return arena_format(arena, "%s + %s", name,
                            scope->names[random_below(random, scope->name_count)]);
    case 8:
    case 9:
        return arena_format(arena, "%s + %d", name, c);
    default:
        return name;
    }
}

static const char *index_of(Scope *scope, int depth) {
    if (depth <= 0 || !random_chance(scope->random, 8))
        return affine(scope);
    int low = random_between(scope->random, -3, 3);
    return arena_format(scope->arena, "clamp(%s, %d, %d)", value(scope, "i32", depth - 1), low,
                        low + random_below(scope->random, 8));
}

static const char *indices(Scope *scope, int dimensions, int depth) {
    const char *first = index_of(scope, depth);
    if (dimensions == 1)
        return first;
    return arena_format(scope->arena, "%s, %s", first, index_of(scope, depth));
}

static const char *read_image(Scope *scope, const char *type, int depth) {
    const CaseImage *image = &scope->c->images[random_below(scope->random, scope->c->image_count)];
    const char *text = arena_format(scope->arena, "%s%s(%s)", image->boundary ? "b" : "",
                                    image->name, indices(scope, image->dimensions, depth));
    return convert(scope, image->type, type, text);
}

static const char *read_func(Scope *scope, const char *type, int depth) {
    const CaseFunc *func = &scope->c->funcs[random_below(scope->random, scope->funcs)];
    const char *at = indices(scope, func->dimensions, depth);
    const char *text = arena_format(scope->arena, "%s(%s)", func->name, at);
    if (func->components > 1)
        text = arena_format(scope->arena, "%s.%d", text,
                            random_below(scope->random, func->components));
    return convert(scope, func->type, type, text);
}

static const char *literal(Scope *scope, const char *type) {
    Random *random = scope->random;
    if (is_float(type))
        return arena_format(scope->arena, "%s(%d.%d)", type, random_below(random, 50),
                            random_below(random, 10));
    return arena_format(scope->arena, "%s(%d)", type, random_between(random, -3, 130));
}

static const char *leaf(Scope *scope, const char *type, int depth) {
    Random *random = scope->random;
    if (scope->self && random_chance(random, 40))
        return convert(scope, scope->self_type, type, scope->self);
    if (scope->funcs && random_chance(random, 50))
        return read_func(scope, type, depth);
    if (scope->c->image_count && random_chance(random, 50))
        return read_image(scope, type, depth);
    if (scope->name_count && random_chance(random, 60))
        return arena_format(scope->arena, "%s(%s)", type,
                            scope->names[random_below(random, scope->name_count)]);
    if (scope->c->parameter_count && random_chance(random, 50)) {
        int parameter = random_below(random, scope->c->parameter_count);
        return arena_format(scope->arena, "%s(%s)", type, scope->c->parameters[parameter].name);
    }
    return literal(scope, type);
}

static const char *condition(Scope *scope, int depth) {
    static const char *const compares[] = {"<", "<=", ">", ">=", "==", "!="};
    const char *type = random_pick(scope->random, value_types);
    const char *a = value(scope, type, depth - 1);
    const char *compare = random_pick(scope->random, compares);
    return arena_format(scope->arena, "(%s) %s (%s)", a, compare, value(scope, type, depth - 1));
}

static const char *call(Scope *scope, const char *type, const char *a, const char *b) {
    static const char *const calls[] = {
        "min", "max", "absd", "saturating_add", "saturating_sub", "halving_add"};
    int which = random_below(scope->random, is_float(type) ? 2 : 6);
    const char *text = arena_format(scope->arena, "%s(%s, %s)", calls[which], a, b);
    return which == 2 ? arena_format(scope->arena, "%s(%s)", type, text) : text;
}

static const char *operation(Scope *scope, const char *type, int depth) {
    static const char *const infix[] = {"+", "-", "*", "+", "-", "/", "%", "&", "|", "^"};
    Random *random = scope->random;
    const char *a = value(scope, type, depth - 1);
    if (random_chance(random, 12)) {
        const char *test = condition(scope, depth - 1);
        return arena_format(scope->arena, "select(%s, %s, %s)", test, a,
                            value(scope, type, depth - 1));
    }
    if (!is_float(type) && random_chance(random, 10)) {
        const char *shift = random_chance(random, 50) ? "<<" : ">>";
        return arena_format(scope->arena, "((%s) %s %s(%d))", a, shift, type,
                            random_below(random, 9));
    }
    const char *b = value(scope, type, depth - 1);
    if (random_chance(random, 25))
        return call(scope, type, a, b);
    return arena_format(scope->arena, "((%s) %s (%s))", a,
                        infix[random_below(random, is_float(type) ? 6 : 10)], b);
}

static const char *value(Scope *scope, const char *type, int depth) {
    if (depth <= 0 || random_chance(scope->random, 25))
        return leaf(scope, type, depth);
    return operation(scope, type, depth);
}

/* One value a component, in braces where there are several. */
static const char *tuple(Scope *scope, const CaseFunc *func, int depth) {
    const char *first =
        arena_format(scope->arena, "%s(%s)", func->type, value(scope, func->type, depth));
    if (func->components == 1)
        return first;
    return arena_format(scope->arena, "{%s, %s(%s)}", first, func->type,
                        value(scope, func->type, depth));
}

/* ---- updates ---- */

typedef struct UpdateShape {
    bool pure[CASE_DIMENSIONS];
    const char *target[CASE_DIMENSIONS]; /* the left side's indices */
    const char *domain;                  /* `rdom(..) in `, or "" */
} UpdateShape;

static const char *reduction_interval(Scope *scope, int number) {
    Random *random = scope->random;
    const char *w = scope->c->parameter_count ? scope->c->parameters[0].name : NULL;
    if (w && random_chance(random, 30))
        return arena_format(scope->arena, "r%d = (-%s, 2*%s + 1)", number, w, w);
    int low = random_between(random, -2, 3);
    return arena_format(scope->arena, "r%d = (%d, %d)", number, low, random_between(random, 0, 6));
}

/* Puts the reduction variables in scope. */
static void choose_domain(Scope *scope, UpdateShape *shape) {
    static const char *const reductions[] = {"r0", "r1"};
    int count = random_below(scope->random, 3);
    shape->domain = "";
    if (!count)
        return;
    const char *intervals = reduction_interval(scope, 0);
    if (count == 2)
        intervals = arena_format(scope->arena, "%s; %s", intervals, reduction_interval(scope, 1));
    shape->domain = arena_format(scope->arena, "rdom(%s) in ", intervals);
    for (int i = 0; i < count; i++)
        scope->names[scope->name_count++] = reductions[i];
}

/* The left side.  What is not pure mentions reduction variables only; it may be a scatter. */
static void choose_target(Scope *scope, const CaseFunc *func, UpdateShape *shape) {
    for (int d = 0; d < func->dimensions; d++) {
        shape->pure[d] = random_chance(scope->random, 65);
        shape->target[d] = shape->pure[d] ? variables[d] : affine(scope);
    }
    if (!shape->pure[0] && random_chance(scope->random, 30)) {
        const char *data = value(scope, "i32", 1);
        shape->target[0] =
            arena_format(scope->arena, "clamp(%s, 0, %d)", data, random_below(scope->random, 12));
    }
}

/* A read of the func itself; `scope` has the reduction variables only. */
static const char *self_read(Scope *scope, const CaseFunc *func, const UpdateShape *shape) {
    const char *at[CASE_DIMENSIONS];
    for (int d = 0; d < func->dimensions; d++) {
        bool same = shape->pure[d] || random_chance(scope->random, 60);
        at[d] = same ? shape->target[d] : affine(scope);
    }
    const char *text = func->dimensions == 1
                           ? arena_format(scope->arena, "%s(%s)", func->name, at[0])
                           : arena_format(scope->arena, "%s(%s, %s)", func->name, at[0], at[1]);
    if (func->components > 1)
        text = arena_format(scope->arena, "%s.%d", text,
                            random_below(scope->random, func->components));
    return text;
}

static const char *update(Scope scope, const CaseFunc *func) {
    UpdateShape shape = {0};
    scope.name_count = 0;
    choose_domain(&scope, &shape);
    choose_target(&scope, func, &shape);
    scope.self = self_read(&scope, func, &shape);
    scope.self_type = func->type;
    for (int d = 0; d < func->dimensions; d++)
        if (shape.pure[d])
            scope.names[scope.name_count++] = variables[d];
    const char *second =
        func->dimensions == 2 ? arena_format(scope.arena, ", %s", shape.target[1]) : "";
    const char *text = arena_format(scope.arena, "%s(%s%s) <- %s", shape.domain, shape.target[0],
                                    second, tuple(&scope, func, 2));
    if (random_chance(scope.random, 25))
        text = arena_format(scope.arena, "%s if %s", text, condition(&scope, 1));
    return text;
}

/* ---- the case ---- */

static void choose_images(Arena *arena, Random *random, Case *c) {
    static const char *const boundaries[] = {"repeat_edge", "repeat_image", "mirror_image",
                                             "mirror_interior"};
    c->image_count = random_between(random, 0, CASE_IMAGES);
    for (int i = 0; i < c->image_count; i++) {
        CaseImage *image = &c->images[i];
        image->name = arena_format(arena, "in%d", i);
        image->type = random_pick(random, value_types);
        image->dimensions = random_between(random, 1, CASE_DIMENSIONS);
        bool bounded = random_chance(random, 60);
        if (bounded)
            image->boundary =
                arena_format(arena, "%s(%s)", random_pick(random, boundaries), image->name);
        for (int d = 0; d < image->dimensions; d++) {
            image->minimum[d] = bounded ? random_between(random, -5, 5) : -90;
            image->extent[d] = bounded ? random_between(random, 1, 20) : 220;
        }
    }
}

static void choose_parameters(Arena *arena, Random *random, Case *c) {
    c->parameter_count = random_between(random, 0, CASE_PARAMETERS);
    for (int i = 0; i < c->parameter_count; i++) {
        CaseParameter *parameter = &c->parameters[i];
        parameter->name = arena_format(arena, "w%d", i);
        parameter->type = "i32";
        parameter->lower = random_between(random, 0, 1);
        parameter->upper = parameter->lower + random_between(random, 0, 4);
        parameter->value = random_between(random, parameter->lower, parameter->upper);
    }
}

static void choose_func(Arena *arena, Random *random, Case *c, int number) {
    CaseFunc *func = &c->funcs[number];
    bool is_output = number == c->func_count - 1;
    func->name = is_output ? "out" : arena_format(arena, "f%d", number);
    func->dimensions = random_between(random, 1, CASE_DIMENSIONS);
    func->components = !is_output && random_chance(random, 15) ? 2 : 1;
    func->type = random_pick(random, value_types);
    Scope scope = {.arena = arena, .random = random, .c = c, .funcs = number};
    for (int d = 0; d < func->dimensions; d++)
        scope.names[scope.name_count++] = variables[d];
    func->pure = tuple(&scope, func, 3);
    int updates = random_chance(random, 50) ? 0 : random_between(random, 1, 2);
    for (int i = 0; i < updates; i++)
        vec_push(arena, &func->updates, update(scope, func));
}

void generate_algorithm(Arena *arena, Random *random, Case *c) {
    static const int extents[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 20};
    choose_images(arena, random, c);
    choose_parameters(arena, random, c);
    c->func_count = random_between(random, 2, CASE_FUNCS);
    for (int i = 0; i < c->func_count; i++)
        choose_func(arena, random, c, i);
    for (int d = 0; d < CASE_DIMENSIONS; d++) {
        c->window_minimum[d] = random_between(random, -10, 10);
        c->window_extent[d] = random_chance(random, 97) ? random_between(random, 1, 20)
                                                        : random_pick(random, extents);
    }
}

Case *case_generate(Arena *arena, uint64_t seed) {
    Random random = {seed * 2 + 1};
    Case *c = arena_new(arena, Case);
    c->seed = seed;
    c->data_seed = random_bits(&random) % 1000000;
    generate_algorithm(arena, &random, c);
    generate_schedule(arena, &random, c);
    return c;
}

/* generate_points.c -- chains of funcs that need few points of one another.
 *
 * One stage of each func reads the func before it, at its own point or at two or three adjacent
 * ones.  Updates are over the pure variables.  If such a func is computed in the innermost loop of
 * its reader, its region is smaller than a vector.  It is one point on the stack, and an update of
 * 64 lanes of which one runs.  Other programs hardly ever contain that.
 */
#include "checkers/fuzz/generate.h"

/* `type(f(x, y))`, or the same at a small offset in one dimension. */
static const char *read_point(ExpressionScope *scope, const CaseFunc *func, int component,
                              Type type, int offset) {
    const char *text = arena_format(scope->arena, "%s(%s(", type_name(type), func->name);
    for (int d = 0; d < func->dimensions; d++)
        text = arena_format(scope->arena, "%s%s%s", text, d ? ", " : "",
                            d == 0 && offset
                                ? arena_format(scope->arena, "%s + %d", case_variables[d], offset)
                                : case_variables[d]);
    const char *end = func->components > 1 ? arena_format(scope->arena, ").%d)", component) : "))";
    return arena_format(scope->arena, "%s%s", text, end);
}

static const char *join(ExpressionScope *scope, Type type, const char *a, const char *b) {
    const char *form = type_is_bool(type) ? "%s(%s || %s)" : "%s(%s + %s)";
    return arena_format(scope->arena, form, type_name(type), a, b);
}

/* One component: the value of the func before at this point, or a value without a func. */
static const char *choose_value(ExpressionScope *scope, Type type, bool reads_func) {
    if (!reads_func) {
        ExpressionScope without = *scope;
        without.funcs = 0;
        return generate_value(&without, type, 1);
    }
    const CaseFunc *before = &scope->c->funcs[scope->funcs - 1];
    int component = random_below(scope->random, before->components);
    const char *text = read_point(scope, before, component, type, 0);
    int reads = random_chance(scope->random, 60) ? 1 : random_between(scope->random, 2, 3);
    for (int i = 1; i < reads; i++)
        text = join(scope, type, text, read_point(scope, before, component, type, i));
    return text;
}

static const char *choose_values(ExpressionScope *scope, const CaseFunc *func, const char *self,
                                 bool reads_func) {
    const char *text = "";
    for (int i = 0; i < func->components; i++) {
        Type type = func->types[i];
        const char *value = choose_value(scope, type, reads_func);
        if (self)
            value = join(scope, type,
                         func->components > 1 ? arena_format(scope->arena, "%s.%d", self, i) : self,
                         value);
        text = arena_format(scope->arena, "%s%s%s", text, i ? ", " : "", value);
    }
    return func->components > 1 ? arena_format(scope->arena, "{%s}", text) : text;
}

/* `(x, y) <- f(x, y) + value`, perhaps under a condition. */
static void choose_update(ExpressionScope *scope, CaseFunc *func, bool reads_func) {
    const char *point = "";
    for (int d = 0; d < func->dimensions; d++)
        point = arena_format(scope->arena, "%s%s%s", point, d ? ", " : "", case_variables[d]);
    const char *self = arena_format(scope->arena, "%s(%s)", func->name, point);
    CaseUpdate update = {0};
    update.text = arena_format(scope->arena, "(%s) <- %s", point,
                               choose_values(scope, func, self, reads_func));
    if (random_chance(scope->random, 20))
        update.text =
            arena_format(scope->arena, "%s if %s", update.text, generate_value(scope, BOOL, 1));
    vec_push(scope->arena, &func->updates, update);
}

/* One stage reads the func before, so that func can be computed in the stage's loops. */
static void choose_stages(ExpressionScope *scope, CaseFunc *func) {
    RandomSource *random = scope->random;
    int updates = random_between(random, func->is_output ? 0 : 1, func->is_output ? 1 : 2);
    int reader = scope->funcs ? random_between(random, 0, updates) : -1;
    func->pure = choose_values(scope, func, NULL, reader == 0);
    for (int i = 1; i <= updates; i++)
        choose_update(scope, func, reader == i);
}

void generate_points(Arena *arena, RandomSource *random, Case *c) {
    c->func_count = random_between(random, 2, 4);
    int dimensions = random_between(random, 1, 2);
    for (int i = 0; i < c->func_count; i++) {
        CaseFunc *func = &c->funcs[i];
        func->is_output = i == c->func_count - 1;
        func->layout = LAYOUT_PLANAR;
        func->name = func->is_output ? "out" : arena_format(arena, "f%d", i);
        func->dimensions = dimensions;
        func->components = random_chance(random, 20) ? 2 : 1;
        for (int k = 0; k < func->components; k++)
            func->types[k] = generate_type(random);
        ExpressionScope scope = {.arena = arena, .random = random, .c = c, .funcs = i};
        for (int d = 0; d < dimensions; d++)
            scope.names[scope.name_count++] = case_variables[d];
        choose_stages(&scope, func);
    }
}

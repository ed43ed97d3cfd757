/* generate_equations.c -- makes a run of a case's funcs the equations of a recurrence, over a
 * domain near the windows.
 *
 * The recurrence is valid by construction, as in generate_recurrence.c.  An order of the variables
 * is drawn; a distance is positive at the first variable of the order where it is not zero.  A
 * distance of zeros leads to an equation before.  Reads that would leave the domain are guarded.
 * Unlike the systems of generate_recurrence.c, values have any type, and equations read other funcs
 * and images.
 */
#include "checkers/fuzz/generate.h"

typedef struct EquationDrawing {
    ExpressionScope *scope;
    int variables;    /* of the domain: x, y, c; the other dimensions are batch ones */
    int first, count; /* funcs */
    int reader;
    int order[CASE_DIMENSIONS]; /* of the variables, the outermost first */
    int minimum[CASE_DIMENSIONS];
    const char *length[CASE_DIMENSIONS];
} EquationDrawing;

/* A number, or at most that many and as many points as an image has along a dimension. */
static const char *choose_length(const EquationDrawing *e, const Case *c) {
    RandomSource *random = e->scope->random;
    int most = random_chance(random, 5) ? random_below(random, 2) : random_between(random, 2, 14);
    if (!c->image_count || random_chance(random, 60))
        return arena_number(e->scope->arena, most);
    const CaseImage *image = &c->images[random_below(random, c->image_count)];
    return arena_format(e->scope->arena, "min(%s.extent(%d), %d)", image->name,
                        random_below(random, image->dimensions), most);
}

static void choose_domain(EquationDrawing *e, Case *c) {
    Arena *arena = e->scope->arena;
    RandomSource *random = e->scope->random;
    const char *head = "";
    for (int v = 0; v < e->variables; v++) {
        e->minimum[v] = random_between(random, -3, 3);
        e->length[v] = choose_length(e, c);
        e->order[v] = v;
        head = arena_format(arena, "%s%s%s = (%d, %s)", head, v ? "; " : "", case_variables[v],
                            e->minimum[v], e->length[v]);
    }
    for (int v = e->variables - 1; v > 0 && random_chance(random, 40); v--) {
        int other = random_below(random, v + 1), kept = e->order[v];
        e->order[v] = e->order[other];
        e->order[other] = kept;
    }
    c->domain = head;
    c->first_equation = e->first;
    c->equation_count = e->count;
}

/* Chooses the func to read, and the distance.  It is zero only for a func before the reader. */
static int choose_distance(const EquationDrawing *e, int *distance) {
    RandomSource *random = e->scope->random;
    /* Mostly the func itself or an earlier one; otherwise nearly all would be one cycle. */
    int read = random_below(random, random_chance(random, 75) ? e->reader + 1 : e->count);
    for (int v = 0; v < e->variables; v++)
        distance[v] = 0;
    if (read < e->reader && random_chance(random, 40))
        return read;
    int level = random_below(random, e->variables);
    distance[e->order[level]] = random_between(random, 1, 2);
    for (int inner = level + 1; inner < e->variables; inner++)
        distance[e->order[inner]] = random_chance(random, 50) ? 0 : random_between(random, -2, 2);
    return read;
}

static const char *index_text(const EquationDrawing *e, int dimension, const int *distance) {
    const char *name = case_variables[dimension];
    int back = dimension < e->variables ? distance[dimension] : 0;
    return back ? arena_format(e->scope->arena, "%s %c %d", name, back > 0 ? '-' : '+',
                               back > 0 ? back : -back)
                : name;
}

/* `x < 1 || y >= 5`: the condition that the read leaves the domain; null: it never does. */
static const char *guard_text(const EquationDrawing *e, const int *distance) {
    Arena *arena = e->scope->arena;
    const char *text = NULL;
    for (int v = 0; v < e->variables; v++) {
        if (distance[v] == 0)
            continue;
        const char *part =
            distance[v] > 0
                ? arena_format(arena, "%s < %d", case_variables[v], e->minimum[v] + distance[v])
                : arena_format(arena, "%s >= %s + %d", case_variables[v], e->length[v],
                               e->minimum[v] + distance[v]);
        text = text ? arena_format(arena, "%s || %s", text, part) : part;
    }
    return text;
}

/* `type(f1(x - 1, y))`, guarded. */
static const char *read_text(const EquationDrawing *e, Type type) {
    ExpressionScope *scope = e->scope;
    Arena *arena = scope->arena;
    int distance[CASE_DIMENSIONS];
    const CaseFunc *func = &scope->c->funcs[e->first + choose_distance(e, distance)];
    const char *text = arena_format(arena, "%s(%s(", type_name(type), func->name);
    for (int d = 0; d < func->dimensions; d++)
        text = arena_format(arena, "%s%s%s", text, d ? ", " : "", index_text(e, d, distance));
    text = arena_format(
        arena, "%s)%s)", text,
        func->components == 1
            ? ""
            : arena_format(arena, ".%d", random_below(scope->random, func->components)));
    const char *guard = guard_text(e, distance);
    if (!guard)
        return text;
    const char *other = generate_value(scope, type, 1);
    return random_chance(scope->random, 30)
               ? arena_format(arena, "%s(select(!(%s), %s, %s))", type_name(type), guard, text,
                              other)
               : arena_format(arena, "%s(select(%s, %s, %s))", type_name(type), guard, other, text);
}

static const char *equation_text(const EquationDrawing *e, Type type) {
    static const char *const forms[] = {"%s(%s + %s)", "%s(%s - %s)", "%s(min(%s, %s))",
                                        "%s(max(%s, %s))"};
    static const char *const logic[] = {"%s(%s && %s)", "%s(%s || %s)"};
    ExpressionScope *scope = e->scope;
    const char *text = generate_value(scope, type, 1);
    for (int reads = random_between(scope->random, 1, 3); reads > 0; reads--) {
        const char *form = type_is_bool(type) ? random_pick(scope->random, logic)
                                              : random_pick(scope->random, forms);
        text = arena_format(scope->arena, form, type_name(type), text, read_text(e, type));
    }
    return text;
}

void generate_equations(Arena *arena, RandomSource *random, Case *c, int first, int count) {
    static const int dimensions[] = {1, 1, 2, 2, 2, 2, 3};
    ExpressionScope scope = {
        .arena = arena, .random = random, .c = c, .funcs = first, .reducing = true};
    EquationDrawing e = {.scope = &scope, .first = first, .count = count};
    int all = random_pick(random, dimensions);
    e.variables = all > 1 && random_chance(random, 20) ? all - 1 : all;
    for (int d = 0; d < all; d++)
        scope.names[scope.name_count++] = case_variables[d];
    choose_domain(&e, c);
    for (int f = first; f < first + count; f++) {
        CaseFunc *func = &c->funcs[f];
        func->is_output = f == c->func_count - 1 || random_chance(random, 12);
        func->layout = random_chance(random, 40) ? LAYOUT_INTERLEAVED : LAYOUT_PLANAR;
        func->name = f == c->func_count - 1 ? "out" : arena_format(arena, "f%d", f);
        func->dimensions = all;
        func->components = random_chance(random, 10) ? 2 : 1;
        for (int i = 0; i < func->components; i++)
            func->types[i] = generate_type(random);
    }
    for (e.reader = 0; e.reader < count; e.reader++) {
        CaseFunc *func = &c->funcs[first + e.reader];
        func->pure = equation_text(&e, func->types[0]);
        for (int i = 1; i < func->components; i++)
            func->pure = arena_format(arena, "%s%s, %s%s", i == 1 ? "{" : "", func->pure,
                                      equation_text(&e, func->types[i]),
                                      i == func->components - 1 ? "}" : "");
    }
}

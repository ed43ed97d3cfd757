/* generate_scan.c -- updates that read their func at constant distances, in one dimension or several.
 *
 *     rdom(r0 = (1, 5); r1 = (-2, 4)) in (r1 - 1, 3 - r0) <- i32(f(r1 - 1, 5 - r0)) * 3 + i32(f(r1 - 2, 4 - r0)) + ..
 *
 * Coordinates run up or down with the iterations. Most distances lie back in all dimensions, which makes
 * the update a scan along them; some lie ahead, some have both signs.
 */
#include "checkers/fuzz/generate.h"

enum { MOST_READS = 3, FARTHEST = 3 };

typedef struct ScanShape {
    int variable[CASE_DIMENSIONS]; /* of a dimension's coordinate; -1: none */
    bool turned[CASE_DIMENSIONS];
    const char *offset[CASE_DIMENSIONS];
    int constant[CASE_DIMENSIONS];
    const char *other[CASE_DIMENSIONS]; /* the index of the other dimensions */
    bool pure[CASE_DIMENSIONS];
    int variables;
} ScanShape;

/* The variables of the rdom get different dimensions: the outermost ones, and perhaps not the innermost. */
static void choose_dimensions(ExpressionScope *scope, const CaseFunc *func, ScanShape *shape) {
    RandomSource *random = scope->random;
    int most = func->dimensions < CASE_REDUCTIONS ? func->dimensions : CASE_REDUCTIONS,
        count = random_chance(random, 70) ? most : random_between(random, 1, most);
    bool has_inner = count < CASE_REDUCTIONS && random_chance(random, 20);
    shape->variables = count + has_inner;
    for (int d = 0; d < func->dimensions; d++)
        shape->variable[d] = -1;
    for (int r = has_inner; r < shape->variables; r++) {
        int d = random_below(random, func->dimensions);
        while (shape->variable[d] >= 0)
            d = (d + 1) % func->dimensions;
        shape->variable[d] = r;
        shape->turned[d] = random_chance(random, 40);
        shape->constant[d] = random_between(random, -3, 3);
        shape->offset[d] = scope->c->image_count && random_chance(random, 15)
                               ? arena_format(scope->arena, "%s.width", scope->c->images[0].name)
                               : "0";
    }
}

static const char *domain(ExpressionScope *scope, const ScanShape *shape, CaseUpdate *update) {
    const char *text = "rdom(";
    update->reductions = shape->variables;
    for (int r = 0; r < shape->variables; r++)
        text = arena_format(scope->arena, "%s%s%s = %s", text, r ? "; " : "", case_reductions[r],
                            generate_interval(scope, &update->lengths[r]));
    for (int r = 0; r < shape->variables; r++)
        scope->names[scope->name_count++] = case_reductions[r];
    return arena_format(scope->arena, "%s) in ", text);
}

static void choose_others(ExpressionScope *scope, const CaseFunc *func, ScanShape *shape) {
    for (int d = 0; d < func->dimensions; d++) {
        scope->dimension = d;
        shape->pure[d] = shape->variable[d] < 0 && random_chance(scope->random, 80);
        shape->other[d] = shape->pure[d] ? case_variables[d] : generate_affine(scope);
    }
}

/* The point that is written `back[d]` iterations before. */
static const char *point(const ExpressionScope *scope, const CaseFunc *func, const ScanShape *shape,
                         const int *back) {
    const char *text = "(";
    for (int d = 0; d < func->dimensions; d++) {
        const char *index = shape->other[d];
        if (shape->variable[d] >= 0)
            index = arena_format(scope->arena, "%s + %d %s %s", shape->offset[d],
                                 shape->constant[d] + (shape->turned[d] ? back[d] : -back[d]),
                                 shape->turned[d] ? "-" : "+", case_reductions[shape->variable[d]]);
        text = arena_format(scope->arena, "%s%s%s", text, d ? ", " : "", index);
    }
    return arena_format(scope->arena, "%s)", text);
}

static const char *draw_read(const ExpressionScope *scope, const CaseFunc *func,
                             const ScanShape *shape) {
    int back[CASE_DIMENSIONS], manner = random_below(scope->random, 10);
    for (int d = 0; d < func->dimensions; d++) {
        back[d] = random_below(scope->random, FARTHEST);
        if (manner == 0 || (manner == 1 && random_chance(scope->random, 50)))
            back[d] = -back[d];
    }
    const char *text =
        arena_format(scope->arena, "%s%s", func->name, point(scope, func, shape, back));
    if (func->components > 1)
        text = arena_format(scope->arena, "%s.%d", text,
                            random_below(scope->random, func->components));
    return text;
}

static const char *value(ExpressionScope *scope, const CaseFunc *func, const ScanShape *shape,
                         int component) {
    Type type = func->types[component];
    const char *name = type_name(type), *text = generate_value(scope, type, 1);
    for (int i = 1 + random_below(scope->random, MOST_READS); i > 0; i--) {
        const char *read = draw_read(scope, func, shape);
        text = type_is_bool(type) ? arena_format(scope->arena, "(%s) != bool(%s)", text, read)
                                  : arena_format(scope->arena, "%s(%s) + %s(%s) * %d", name, text,
                                                 name, read, i + 1);
    }
    return component ? text : generate_limited(scope, func, text);
}

void generate_scan(ExpressionScope scope, CaseFunc *func) {
    CaseUpdate update = {0};
    ScanShape shape = {0};
    int here[CASE_DIMENSIONS] = {0};
    scope.name_count = scope.let_count = 0;
    scope.reducing = true;
    scope.self = NULL;
    choose_dimensions(&scope, func, &shape);
    const char *reduction = domain(&scope, &shape, &update), *values = "";
    choose_others(&scope, func, &shape);
    const char *target = point(&scope, func, &shape, here);
    for (int d = 0; d < func->dimensions; d++)
        if (shape.pure[d])
            scope.names[scope.name_count++] = case_variables[d];
    for (int c = 0; c < func->components; c++)
        values = arena_format(scope.arena, "%s%s%s", values, c ? ", " : "",
                              value(&scope, func, &shape, c));
    update.text = arena_format(scope.arena, func->components > 1 ? "%s%s <- {%s}" : "%s%s <- %s",
                               reduction, target, values);
    if (random_chance(scope.random, 15))
        update.text =
            arena_format(scope.arena, "%s if %s", update.text, generate_value(&scope, BOOL, 1));
    vec_push(scope.arena, &func->updates, update);
}

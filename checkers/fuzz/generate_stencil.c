/* generate_stencil.c -- chains of stencils: each func reads the one before it, and sometimes an
 * earlier one, at small offsets.  If such a func is stored outside the loop that computes it, its
 * window slides and its memory folds.  Unplanned programs hardly ever do that.
 */
#include "checkers/fuzz/generate.h"

/* One dimension's index: mostly the variable with a small offset, so that windows overlap. */
static const char *offset_index(ExpressionScope *scope, int d) {
    RandomSource *random = scope->random;
    const char *name = case_variables[d];
    int offset = random_between(random, -3, 3);
    if (offset == 0)
        return name;
    if (!scope->c->far && random_chance(random, 6))
        return random_chance(random, 50)
                   ? arena_format(scope->arena, "2*%s + %d", name, offset)
                   : arena_format(scope->arena, scope->c->affine ? "%s" : "%s/2", name);
    return arena_format(scope->arena, "%s + %d", name, offset);
}

/* `type(f(x + 1, y + -2))` */
static const char *read_at_offsets(ExpressionScope *scope, const CaseFunc *func, Type type) {
    const char *text = arena_format(scope->arena, "%s(%s(", type_name(type), func->name);
    for (int d = 0; d < func->dimensions; d++)
        text = arena_format(scope->arena, "%s%s%s", text, d ? ", " : "", offset_index(scope, d));
    return arena_format(scope->arena, "%s))", text);
}

static const char *combine(ExpressionScope *scope, Type type, const char *a, const char *b) {
    static const char *const forms[] = {"%s(%s + %s)", "%s(%s + %s)", "%s(%s - %s)",
                                        "%s(min(%s, %s))", "%s(max(%s, %s))"};
    static const char *const logic[] = {"%s(%s && %s)", "%s(%s || %s)"};
    const char *form =
        type_is_bool(type) ? random_pick(scope->random, logic) : random_pick(scope->random, forms);
    return arena_format(scope->arena, form, type_name(type), a, b);
}

const char *generate_stencil(ExpressionScope *scope, Type type) {
    RandomSource *random = scope->random;
    const char *text = NULL;
    for (int reads = random_between(random, 1, 4); reads > 0; reads--) {
        int back = random_chance(random, 85) ? 1 : random_between(random, 1, scope->funcs);
        const char *read = read_at_offsets(scope, &scope->c->funcs[scope->funcs - back], type);
        text = text ? combine(scope, type, text, read) : read;
    }
    return random_chance(random, 25) ? combine(scope, type, text, generate_value(scope, type, 1))
                                     : text;
}

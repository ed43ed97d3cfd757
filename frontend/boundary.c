/* boundary.c -- expands reads through the five boundary conditions to expressions.
 *
 * `repeat_edge(f)(c0, c1, ..)` reads f at folded coordinates. Each dimension folds into an interval
 * [m, m + n): the image's own, or the one given as (m, n) after f. `_` leaves a dimension alone.
 *
 *   repeat_edge      the nearest coordinate inside
 *   repeat_image     m + (c - m) % n
 *   mirror_image     edges twice: period 2n,     t = (c - m) % 2n,         m + min(t, 2n - 1 - t)
 *   mirror_interior  edges once:  period 2n - 2, t = (c - m) % (2n - 2),   m + min(t, 2n - 2 - t)
 *   constant_exterior(f, value)   f inside, the value outside
 *
 * The last step always clamps the coordinate to [m, m + n - 1]. For n > 0 the clamp changes
 * nothing, and it shows bounds inference that the coordinate is inside. The select of
 * constant_exterior guards no read. Entry checks refuse n <= 0: Pipeline.boundaries for images, a
 * requirement for given intervals.
 */
#include "frontend/elaborate.h"

#include <string.h>

BoundaryKind boundary_from_name(Symbol name) {
    static const char *const names[] = {
        [BOUNDARY_REPEAT_EDGE] = "repeat_edge",
        [BOUNDARY_REPEAT_IMAGE] = "repeat_image",
        [BOUNDARY_MIRROR_IMAGE] = "mirror_image",
        [BOUNDARY_MIRROR_INTERIOR] = "mirror_interior",
        [BOUNDARY_CONSTANT_EXTERIOR] = "constant_exterior",
    };
    for (int kind = 0; kind < BOUNDARY_NONE; kind++)
        if (!strcmp(names[kind], name->text))
            return (BoundaryKind)kind;
    return BOUNDARY_NONE;
}

/* Folds `c` into [m, m + n). */
static Expr fold_coordinate(Pool *p, BoundaryKind kind, Expr c, Expr m, Expr n) {
    Expr one = expr_index(p, 1), two = expr_index(p, 2);
    Expr last = expr_sub(p, expr_add(p, m, n), one), from = expr_sub(p, c, m);
    Expr folded = c;
    switch (kind) {
    case BOUNDARY_REPEAT_EDGE:
    case BOUNDARY_CONSTANT_EXTERIOR:
    case BOUNDARY_NONE:
        break;
    case BOUNDARY_REPEAT_IMAGE:
        folded = expr_add(p, m, expr_mod(p, from, n));
        break;
    case BOUNDARY_MIRROR_IMAGE: {
        Expr period = expr_mul(p, n, two), t = expr_mod(p, from, period);
        Expr mirrored = expr_sub(p, expr_sub(p, period, one), t);
        folded = expr_add(p, m, expr_min(p, t, mirrored));
        break;
    }
    case BOUNDARY_MIRROR_INTERIOR: {
        Expr period = expr_mul(p, expr_sub(p, n, one), two);
        /* One pixel has no interior to mirror: the maximum makes t = 0, without dividing by 0. */
        Expr t = expr_mod(p, from, expr_max(p, period, one));
        folded = expr_add(p, m, expr_min(p, t, expr_sub(p, period, t)));
        break;
    }
    }
    return expr_max(p, expr_min(p, folded, last), m);
}

static void note_image(Elaborator *e, Symbol image, int dimension, Place place) {
    if (!e->entry)
        return;
    BoundaryUses *boundaries = &e->entry->boundaries;
    for (size_t i = 0; i < boundaries->uses.length; i++)
        if (boundaries->uses.data[i].image == image &&
            boundaries->uses.data[i].dimension == dimension)
            return;
    BoundaryUse use = {image, dimension, place};
    vec_push(e->arena, &boundaries->uses, use);
}

/* Requires a given interval to be nonempty, once for each expression. */
static void require_extent(Elaborator *e, const Callable *callable, Expr n, int dimension) {
    Expr condition = expr_lt(e->pool, expr_index(e->pool, 0), n);
    if (expr_is_true(condition))
        return;
    for (size_t i = 0; i < e->pipeline->requirements.length; i++)
        if (e->pipeline->requirements.data[i].condition == condition)
            return;
    const char *name = callable->syntax->children.data[0]->name->text;
    Requirement requirement = {condition,
                               arena_format(e->arena,
                                            "the interval of %s in dimension %d must not be empty",
                                            name, dimension),
                               callable->syntax->place};
    vec_push(e->arena, &e->pipeline->requirements, requirement);
}

static bool is_blank(const Syntax *syntax) {
    return syntax->kind == SYNTAX_NAME && !strcmp(syntax->name->text, "_");
}

static const Callable *innermost(const Callable *callable) {
    while (callable->kind == CALLABLE_BOUNDARY)
        callable = callable->inner;
    return callable;
}

/* Finds the interval of dimension `d`. Returns false after reporting. The minimum is null if the
 * dimension is left alone. */
static bool find_interval(Elaborator *e, const Callable *callable, int count, int d,
                          Extent *interval) {
    const Syntax *call = callable->syntax;
    size_t first = callable->boundary == BOUNDARY_CONSTANT_EXTERIOR ? 3 : 2;
    size_t given = call->children.length > first ? call->children.length - first : 0;
    const Callable *image = innermost(callable);
    *interval = (Extent){NULL, NULL};
    if (given == 0) {
        if (image->kind != CALLABLE_IMAGE)
            return diag(e->context, DIAG_BOUNDARY_INTERVALS, call->place,
                        call->children.data[0]->name->text);
        if (d >= image->binding->image->dimensions)
            return true; /* the read reports the wrong arity */
        *interval = signature_domain(&e->pipeline->signature, e->pool, image->binding->name, d);
        note_image(e, image->binding->name, d, call->place);
        return true;
    }
    if (given != (size_t)count)
        return diag(e->context, DIAG_ARGUMENT_COUNT, call->place,
                    call->children.data[0]->name->text, arena_number(e->arena, count), "intervals",
                    arena_number(e->arena, given), "");
    const Syntax *syntax = call->children.data[first + (size_t)d];
    if (is_blank(syntax))
        return true;
    if (syntax->kind != SYNTAX_INTERVAL)
        return diag(e->context, DIAG_BOUNDARY_INTERVAL, syntax->place);
    interval->minimum = elaborate_startup(e, callable->environment, syntax->children.data[0],
                                          SORT_INDEX, "the interval of a boundary condition");
    interval->length = elaborate_startup(e, callable->environment, syntax->children.data[1],
                                         SORT_INDEX, "the interval of a boundary condition");
    if (!interval->minimum || !interval->length)
        return false;
    require_extent(e, callable, interval->length, d);
    return true;
}

bool boundary_fold(Elaborator *e, const Callable *callable, const Expr *indices, int count,
                   Expr *folded, Expr *inside) {
    Pool *p = e->pool;
    *inside = expr_bool(p, true);
    for (int d = 0; d < count; d++) {
        Extent interval;
        if (!find_interval(e, callable, count, d, &interval))
            return false;
        folded[d] = indices[d];
        if (!interval.minimum)
            continue;
        Expr end = expr_add(p, interval.minimum, interval.length);
        Expr here =
            expr_and(p, expr_le(p, interval.minimum, indices[d]), expr_lt(p, indices[d], end));
        *inside = expr_is_true(*inside) ? here : expr_and(p, *inside, here);
        folded[d] =
            fold_coordinate(p, callable->boundary, indices[d], interval.minimum, interval.length);
    }
    return true;
}

Expr boundary_value(Elaborator *e, const Callable *callable, Expr inside, Expr read) {
    if (callable->boundary != BOUNDARY_CONSTANT_EXTERIOR)
        return read;
    if (callable->syntax->children.length < 3) {
        diag(e->context, DIAG_BOUNDARY_ARGUMENTS, callable->syntax->place, "constant_exterior");
        return NULL;
    }
    const Syntax *value = callable->syntax->children.data[2];
    Expr outside = result_to(e, elaborate(e, callable->environment, value, SORT_VALUE), read->type,
                             value->place);
    return outside ? expr_select(e->pool, inside, read, outside) : NULL;
}

/* trial.c -- random arguments for `check` (trial.h). */
#include "library/check/trial.h"

#include "ir/walk.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4000, MOST_STORED = 1 << 24, MOST_ELEMENTS = 1 << 18, MOST_ROUNDS = 8 };

static int64_t below(uint64_t *state, int64_t count) {
    return (int64_t)(fill_random(state) % (uint64_t)count);
}

/* ---- parameters ---- */

static Bits draw_parameter(const Parameter *parameter, uint64_t *state) {
    Type type = parameter->type;
    int64_t choice = below(state, 4);
    if (parameter->has_default && choice == 0)
        return parameter->default_value;
    if (type_is_float(type)) {
        double lower = parameter->has_range ? bits_to_double(type, parameter->lower) : -4;
        double upper = parameter->has_range ? bits_to_double(type, parameter->upper) : 4;
        return bits_from_double(type, lower + (upper - lower) * (double)below(state, 65) / 64);
    }
    if (type_is_bool(type))
        return below(state, 2);
    if (!parameter->has_range)
        return bits_wrap(type, below(state, 12) - 2);
    if (choice == 1)
        return parameter->lower;
    if (choice == 2)
        return parameter->upper;
    uint64_t span = (uint64_t)parameter->upper - (uint64_t)parameter->lower;
    uint64_t step = span == UINT64_MAX ? fill_random(state) : fill_random(state) % (span + 1);
    return bits_wrap(type, (int64_t)((uint64_t)parameter->lower + step));
}

/* ---- windows ---- */

static int64_t draw_extent(const Factors *factors, uint64_t *state) {
    static const int64_t EXTENTS[] = {0, 1, 1, 2, 3, 7, 8, 9, 16, 17, 33, 40, 64, 65};
    if (factors->length > 0 && below(state, 2)) {
        int64_t factor = factors->data[below(state, (int64_t)factors->length)];
        int64_t extent = factor * (1 + below(state, 3)) + below(state, 3) - 1;
        if (extent >= 0 && extent <= 600)
            return extent;
    }
    return EXTENTS[below(state, (int64_t)(sizeof EXTENTS / sizeof *EXTENTS))];
}

static int64_t draw_minimum(int64_t extent, uint64_t *state) {
    switch (below(state, 12)) {
    case 0:
        return INT32_MAX - extent - below(state, 200) + 1;
    case 1:
        return INT32_MIN + below(state, 200);
    case 2:
        return 1000003 * (below(state, 2) ? 1 : -1);
    case 3:
    case 4:
        return below(state, 21) - 10;
    default:
        return 0;
    }
}

static int dimension_of(const FuncShape *shape, Symbol variable) {
    int d = 0;
    while (d < shape->dimensions && shape->variables[d] != variable)
        d++;
    return d;
}

/* The windows that `bound` and `bound-extent` allow: intervals [minimum, minimum + length), or only
 * lengths. The first directive for a dimension counts. */
typedef struct Allowed {
    bool has_length[MAX_DIMENSIONS], has_minimum[MAX_DIMENSIONS];
    int64_t length[MAX_DIMENSIONS], minimum[MAX_DIMENSIONS];
} Allowed;

/* `known`: the parameters. */
static void allow(Allowed *allowed, const Directive *directive, const FuncShape *shape, Pool *pool,
                  Substitution *known) {
    bool is_interval = directive->kind == DIRECTIVE_BOUND;
    if ((!is_interval && directive->kind != DIRECTIVE_BOUND_EXTENT) ||
        directive->arguments.data[0].name != shape->name)
        return;
    int d = dimension_of(shape, directive->arguments.data[1].name);
    int64_t minimum = 0, length;
    const DirectiveArgument *last = &directive->arguments.data[is_interval ? 3 : 2];
    if (d == shape->dimensions || allowed->has_length[d] ||
        !expr_constant_integer(substitution_apply(pool, known, last->expr), &length) ||
        length < 0 || length > MOST_POINTS)
        return;
    if (is_interval &&
        (!expr_constant_integer(substitution_apply(pool, known, last[-1].expr), &minimum) ||
         minimum < INT32_MIN || minimum + length > INT32_MAX))
        return;
    allowed->has_length[d] = true;
    allowed->has_minimum[d] = is_interval;
    allowed->length[d] = length;
    allowed->minimum[d] = minimum;
}

/* Intersects the demands of all schedules, unless they contradict each other; the first one is
 * random. */
static Allowed allowed_by(const Demands *demands, const FuncShape *shape, Pool *pool,
                          Substitution *known, uint64_t *state) {
    Allowed allowed = {0}, none = {0};
    size_t first = demands->length > 1 ? fill_random(state) % demands->length : 0;
    for (size_t i = 0; i < demands->length; i++) {
        const Schedule *schedule = demands->data[(first + i) % demands->length].schedule;
        for (size_t k = 0; schedule && k < schedule->directives.length; k++)
            allow(&allowed, &schedule->directives.data[k], shape, pool, known);
    }
    return below(state, 8) ? allowed : none;
}

/* Draws mostly the whole allowed interval, or a part of it. */
static int64_t draw_allowed(const Allowed *allowed, int d, int64_t most, uint64_t *state,
                            int64_t *minimum) {
    int64_t length = allowed->length[d] < most ? allowed->length[d] : most;
    int64_t extent = below(state, 4) ? length : below(state, length + 1);
    *minimum = allowed->has_minimum[d]
                   ? allowed->minimum[d] + below(state, allowed->length[d] - extent + 1)
                   : draw_minimum(extent, state);
    return extent;
}

static void draw_window(Image *window, const FuncShape *shape, const Allowed *allowed,
                        const Factors *factors, uint64_t *state) {
    int64_t points = 1;
    window->dimensions = shape->dimensions;
    for (int d = 0; d < shape->dimensions; d++) {
        if (allowed->has_length[d]) {
            window->extent[d] =
                draw_allowed(allowed, d, MOST_POINTS / points, state, &window->minimum[d]);
            points *= window->extent[d] > 0 ? window->extent[d] : 1;
            continue;
        }
        int64_t extent = draw_extent(factors, state);
        if (d >= 2)
            extent = below(state, 5);
        while (extent > 1 && points * extent > MOST_POINTS)
            extent = extent / 2;
        points *= extent > 0 ? extent : 1;
        window->extent[d] = extent;
        window->minimum[d] = draw_minimum(extent, state);
    }
}

/* ---- images ---- */

static void know_box(hlc_arguments *a, Substitution *known, Symbol name, const Image *box) {
    Pool *pool = a->pipeline->pool;
    for (int d = 0; d < box->dimensions; d++) {
        substitution_add(known, expr_buffer_field(pool, name, FIELD_MINIMUM, d)->name,
                         expr_index(pool, box->minimum[d]));
        substitution_add(known, expr_buffer_field(pool, name, FIELD_EXTENT, d)->name,
                         expr_index(pool, box->extent[d]));
    }
}

static Substitution known_parameters(hlc_arguments *a) {
    Substitution known = substitution_create(a->h->scratch);
    const Signature *signature = a->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        substitution_add(
            &known, parameter->name,
            expr_constant(a->pipeline->pool, parameter->type, a->values.parameters[i]));
    }
    return known;
}

/* Substitutes the startup variables: parameters, windows and, if already drawn, images. */
static Substitution known_values(hlc_arguments *a, bool images) {
    Substitution known = known_parameters(a);
    const Signature *signature = a->signature;
    for (size_t i = 0; i < signature->outputs.length; i++)
        know_box(a, &known, signature->outputs.data[i].func, &a->windows[i]);
    for (size_t i = 0; images && i < signature->images.length; i++)
        know_box(a, &known, signature->images.data[i].name, &a->values.images[i]);
    return known;
}

typedef struct TrialBox {
    bool known;
    int64_t first[MAX_IMAGE_DIMENSIONS], end[MAX_IMAGE_DIMENSIONS];
} TrialBox;

/* Returns the region of an image under the known values; unknown if it depends on other values. */
static TrialBox evaluate_region(hlc_arguments *a, Substitution *known, const BoundsRegion *region) {
    TrialBox box = {.known = true};
    Pool *pool = a->pipeline->pool;
    for (int d = 0; d < region->dimensions && box.known; d++) {
        int64_t length;
        Expr minimum = substitution_apply(pool, known, region->whole[d].minimum);
        Expr extent = substitution_apply(pool, known, region->whole[d].length);
        box.known = expr_constant_integer(minimum, &box.first[d]) &&
                    expr_constant_integer(extent, &length) && box.first[d] >= INT32_MIN &&
                    box.first[d] <= INT32_MAX && length <= INT32_MAX;
        if (box.known)
            box.end[d] = box.first[d] + (length > 0 ? length : 0);
    }
    return box;
}

/* Returns the required region of an image under schedule `which` (negative: all). */
static TrialBox demand_of(hlc_arguments *a, Substitution *known, const Demands *demands, int which,
                          Symbol image) {
    TrialBox hull = {.known = false};
    for (size_t i = 0; i < demands->length; i++) {
        const BoundsResult *bounds = demands->data[i].bounds;
        for (size_t r = 0; r < bounds->images.length && (which < 0 || (size_t)which == i); r++) {
            const BoundsRegion *region = bounds->images.data[r];
            if (region->func != image)
                continue;
            TrialBox box = evaluate_region(a, known, region);
            if (!box.known)
                return box;
            for (int d = 0; d < region->dimensions; d++) {
                if (!hull.known || box.first[d] < hull.first[d])
                    hull.first[d] = box.first[d];
                if (!hull.known || box.end[d] > hull.end[d])
                    hull.end[d] = box.end[d];
            }
            hull.known = true;
        }
    }
    return hull;
}

/* Draws a box if no number bounds it (a boundary condition, or bounds that are the image's own). It
 * is mostly the first window's box, often a little larger, sometimes any small box. */
static TrialBox free_box(const hlc_arguments *a, int dimensions, uint64_t *state) {
    TrialBox box = {.known = true};
    const Image *window = a->signature->outputs.length ? &a->windows[0] : NULL;
    bool like = window && below(state, 4), larger = below(state, 2);
    for (int d = 0; d < dimensions; d++) {
        bool same = like && d < window->dimensions;
        int64_t first = same ? window->minimum[d] : below(state, 7) - 3;
        int64_t extent = same ? window->extent[d] : 1 + below(state, 12);
        box.first[d] = first - (larger ? below(state, 3) : 0);
        box.end[d] = first + extent + (larger ? below(state, 3) : 0);
        if (box.end[d] == box.first[d] && below(state, 8))
            box.end[d]++;
    }
    return box;
}

/* Returns the constant if `condition`, or a conjunct of it, is `image.extent.d == constant`; else
 * -1. */
static int64_t equal_constant(Expr condition, Expr field) {
    if (condition->op == OP_AND) {
        int64_t left = equal_constant(condition->arguments[0], field);
        return left >= 0 ? left : equal_constant(condition->arguments[1], field);
    }
    if (condition->op != OP_EQ)
        return -1;
    for (int side = 0; side < 2; side++) {
        Expr value = condition->arguments[side];
        int64_t constant;
        if ((value == field || (value->op == OP_CAST && value->arguments[0] == field)) &&
            expr_constant_integer(condition->arguments[1 - side], &constant))
            return constant;
    }
    return -1;
}

/* Gives most images the extents that a `require` demands. */
static void meet_requirements(hlc_arguments *a, const ImageParameter *image, TrialBox *box,
                              uint64_t *state) {
    const Pipeline *pipeline = a->pipeline;
    for (size_t r = 0; r < pipeline->requirements.length; r++)
        for (int d = 0; d < image->dimensions; d++) {
            Expr field = expr_buffer_field(pipeline->pool, image->name, FIELD_EXTENT, d);
            int64_t extent = equal_constant(pipeline->requirements.data[r].condition, field);
            if (extent >= 0 && below(state, 8))
                box->end[d] = box->first[d] + extent;
        }
}

/* Makes an image of exactly the box, or a little larger. */
static bool make_image(hlc_arguments *a, size_t i, TrialBox box, uint64_t *state) {
    const ImageParameter *parameter = &a->signature->images.data[i];
    int64_t elements = 1, extent[MAX_IMAGE_DIMENSIONS];
    bool exact = below(state, 2);
    for (int d = 0; d < parameter->dimensions; d++) {
        box.first[d] -= exact ? 0 : below(state, 4);
        box.end[d] += exact ? 0 : below(state, 4);
    }
    meet_requirements(a, parameter, &box, state);
    for (int d = 0; d < parameter->dimensions; d++) {
        extent[d] = box.end[d] - box.first[d];
        if (box.first[d] < INT32_MIN || box.end[d] > INT32_MAX || extent[d] > MOST_ELEMENTS)
            return false;
        elements *= extent[d] > 0 ? extent[d] : 1;
        if (elements > MOST_ELEMENTS)
            return false;
    }
    arguments_release_image(a, i);
    if (!arguments_allocate(&a->values.images[i], parameter->type, parameter->dimensions, box.first,
                            extent, parameter->layout))
        return false;
    a->image_seeds[i] = fill_random(state) >> 40;
    fill_image(&a->values.images[i], FILL_EDGES, (int64_t)a->image_seeds[i], false);
    a->image_set[i] = true;
    return true;
}

/* Also sets whether the required region is open: it depends on sizes of images. */
static bool draw_image(hlc_arguments *a, size_t i, const Demands *demands, Substitution *known,
                       bool *is_open, uint64_t *state) {
    const ImageParameter *parameter = &a->signature->images.data[i];
    int which = demands->length > 0 && below(state, 3) == 0
                    ? (int)below(state, (int64_t)demands->length)
                    : -1;
    TrialBox box = demand_of(a, known, demands, which, parameter->name);
    *is_open = !box.known;
    if (!box.known)
        box = free_box(a, parameter->dimensions, state);
    return make_image(a, i, box, state);
}

/* Is part of the box outside the image? An image drawn empty stays empty. */
static bool lacks(const Image *image, const TrialBox *box) {
    bool lacks = false;
    for (int d = 0; d < image->dimensions; d++) {
        if (image->extent[d] == 0 || box->first[d] == box->end[d])
            return false;
        lacks |=
            box->first[d] < image->minimum[d] || box->end[d] > image->minimum[d] + image->extent[d];
    }
    return lacks;
}

/* Evaluates again the regions that depend on sizes of images (a reduction over an image, say), with
 * the current sizes, until no image is too small. Stops for regions that always grow. */
static bool settle_images(hlc_arguments *a, const Demands *demands, const bool *is_open,
                          uint64_t *state) {
    bool settled = false;
    for (int round = 0; round < MOST_ROUNDS && !settled; round++) {
        settled = true;
        for (size_t i = 0; i < a->signature->images.length; i++) {
            if (!is_open[i])
                continue;
            Substitution known = known_values(a, true);
            TrialBox box = demand_of(a, &known, demands, -1, a->signature->images.data[i].name);
            if (!box.known || !lacks(&a->values.images[i], &box))
                continue;
            settled = false;
            if (!make_image(a, i, box, state))
                return false;
        }
    }
    return true;
}

/* Is every func stored on a box of moderate size? (A distant window and a point near 0 can span a
 * huge one.) */
static bool is_moderate(hlc_arguments *a, const Demands *demands) {
    Substitution known = known_values(a, true);
    Pool *pool = a->pipeline->pool;
    for (size_t i = 0; i < demands->length; i++)
        for (size_t r = 0; r < demands->data[i].bounds->funcs.length; r++) {
            const BoundsRegion *region = demands->data[i].bounds->funcs.data[r];
            double points = 1;
            for (int d = 0; d < region->dimensions; d++) {
                int64_t length = 0;
                expr_constant_integer(substitution_apply(pool, &known, region->whole[d].length),
                                      &length);
                points *= (double)length;
            }
            if (points > MOST_STORED)
                return false;
        }
    return true;
}

bool trial_draw(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                const Factors *factors, uint64_t *state) {
    const Signature *signature = a->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        if (!fixed || !fixed->parameter_bound[i])
            a->values.parameters[i] = draw_parameter(&signature->parameters.data[i], state);
        a->parameter_set[i] = true;
    }
    Substitution parameters = known_parameters(a);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        if (!fixed || !fixed->window_set[i]) {
            Allowed allowed = allowed_by(demands, shape, a->pipeline->pool, &parameters, state);
            draw_window(&a->windows[i], shape, &allowed, factors, state);
        }
        if (fixed && fixed->minimum_set[i])
            memcpy(a->windows[i].minimum, fixed->windows[i].minimum, sizeof a->windows[i].minimum);
        a->window_set[i] = true;
    }
    Substitution known = known_values(a, false);
    bool *is_open = arena_array(a->h->scratch, bool, signature->images.length);
    for (size_t i = 0; i < signature->images.length; i++)
        if ((!fixed || !fixed->image_set[i]) &&
            !draw_image(a, i, demands, &known, &is_open[i], state))
            return false;
    if (!settle_images(a, demands, is_open, state))
        return false;
    return is_moderate(a, demands);
}

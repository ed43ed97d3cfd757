/* trial.c -- random arguments for `check` (trial.h). */
#include "library/check/trial.h"

#include "ir/walk.h"
#include "simplify/simplify.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4000, MOST_STORED = 1 << 24, MOST_COMPUTED_BITS = 32 };

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

/* ---- known values ---- */

static void know_box(hlc_arguments *a, Substitution *known, Symbol name, const Image *box) {
    Pool *pool = a->pipeline->pool;
    for (int d = 0; d < box->dimensions; d++) {
        substitution_add(known, expr_buffer_field(pool, name, FIELD_MINIMUM, d)->name,
                         expr_index(pool, box->minimum[d]));
        substitution_add(known, expr_buffer_field(pool, name, FIELD_EXTENT, d)->name,
                         expr_index(pool, box->extent[d]));
        if (!a->signature->windows)
            continue;
        Extent domain = signature_domain(a->signature, pool, name, d);
        substitution_add(known, domain.minimum->name,
                         expr_index(pool, image_domain_minimum(box, d)));
        substitution_add(known, domain.length->name, expr_index(pool, image_domain_extent(box, d)));
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

/* ---- windows ---- */

static int64_t draw_extent(const Factors *factors, uint64_t *state) {
    static const int64_t EXTENTS[] = {1, 1, 2, 3, 7, 8, 9, 16, 17, 33, 40, 64, 65};
    if (factors->length > 0 && below(state, 2)) {
        int64_t factor = factors->data[below(state, (int64_t)factors->length)];
        int64_t extent = factor * (1 + below(state, 3)) + below(state, 3) - 1;
        if (extent > 0 && extent <= 600)
            return extent;
    }
    return EXTENTS[below(state, (int64_t)(sizeof EXTENTS / sizeof *EXTENTS))];
}

static int64_t draw_minimum(uint64_t *state) {
    switch (below(state, 12)) {
    case 0:
        return INT32_MAX - below(state, 200);
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
    Allowed allowed = {0};
    size_t first = demands->length > 1 ? fill_random(state) % demands->length : 0;
    for (size_t i = 0; i < demands->length; i++) {
        const Schedule *schedule = demands->data[(first + i) % demands->length].schedule;
        for (size_t k = 0; schedule && k < schedule->directives.length; k++)
            allow(&allowed, &schedule->directives.data[k], shape, pool, known);
    }
    return allowed;
}

/* Draws mostly the whole allowed interval, or a part of it. */
static int64_t draw_allowed(const Allowed *allowed, int d, int64_t most, uint64_t *state,
                            int64_t *minimum) {
    int64_t length = allowed->length[d] < most ? allowed->length[d] : most;
    int64_t extent = below(state, 4) ? length : below(state, length) + 1;
    if (allowed->has_minimum[d])
        *minimum = allowed->minimum[d] + below(state, allowed->length[d] - extent + 1);
    return extent;
}

/* Draws sizes. The minima are drawn already, and stay unless they are not allowed. */
static void draw_window(Image *window, const FuncShape *shape, const Allowed *allowed,
                        const Factors *factors, uint64_t *state) {
    int64_t points = 1;
    for (int d = 0; d < shape->dimensions; d++) {
        int64_t extent = d < 2 ? draw_extent(factors, state) : 1 + below(state, 4);
        if (allowed->has_length[d] && allowed->length[d] > 0)
            extent = draw_allowed(allowed, d, MOST_POINTS / points, state, &window->minimum[d]);
        while (extent > 1 && points * extent > MOST_POINTS)
            extent = extent / 2;
        points *= extent;
        window->extent[d] = extent;
    }
}

/* Several windows lie near each other, since they may read the same image. */
static void place_windows(hlc_arguments *a, bool near, uint64_t *state) {
    const Signature *signature = a->signature;
    bool is_alone = signature->outputs.length == 1 && !near;
    int64_t place = near ? -1 : draw_minimum(state);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        a->windows[i].dimensions = shape->dimensions;
        for (int d = 0; d < shape->dimensions; d++)
            a->windows[i].minimum[d] = is_alone ? draw_minimum(state) : place + below(state, 3);
    }
}

static void draw_windows(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                         const Factors *factors, TrialManner manner, uint64_t *state) {
    static const Allowed anything;
    const Signature *signature = a->signature;
    Substitution parameters = known_parameters(a);
    size_t empty = fill_random(state) % (signature->outputs.length + 1);
    place_windows(a, manner == TRIAL_SMALL, state);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        Image *window = &a->windows[i];
        Allowed allowed = allowed_by(demands, shape, a->pipeline->pool, &parameters, state);
        if (!fixed || !fixed->window_set[i])
            draw_window(window, shape, manner == TRIAL_ANY ? &anything : &allowed, factors, state);
        else
            *window = fixed->windows[i];
        if (fixed && fixed->minimum_set[i])
            memcpy(window->minimum, fixed->windows[i].minimum, sizeof window->minimum);
        for (int d = 0; manner == TRIAL_SMALL && d < shape->dimensions; d++)
            if (!(fixed && fixed->window_set[i]) && window->extent[d] > 2)
                window->extent[d] = 2;
        if (manner == TRIAL_EMPTY && (i == empty || empty == signature->outputs.length) &&
            shape->dimensions > 0 && !(fixed && fixed->window_set[i]))
            window->extent[below(state, shape->dimensions)] = 0;
        a->window_set[i] = true;
    }
}

/* ---- images ---- */

/* Draws a box if no number bounds it (a boundary condition, or bounds that are the image's own). It
 * is mostly the first window's box, often a little larger, sometimes any small box. */
static DemandBox free_box(const hlc_arguments *a, int dimensions, uint64_t *state) {
    DemandBox box = {.known = true};
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

/* Sets the box of image `i`: what schedule `which` (negative: any) requires, or a little more. */
static void draw_box(hlc_arguments *a, size_t i, const Demands *demands, int which,
                     Substitution *known, uint64_t *state) {
    const ImageParameter *parameter = &a->signature->images.data[i];
    Image *image = &a->values.images[i];
    DemandBox box = demand_of_image(a, known, demands, which, parameter->name);
    if (!box.known)
        box = free_box(a, parameter->dimensions, state);
    bool is_exact = which >= 0 || below(state, 2);
    arguments_release_image(a, i);
    *image = (Image){.type = parameter->type, .dimensions = parameter->dimensions};
    for (int d = 0; d < parameter->dimensions; d++) {
        image->minimum[d] = box.first[d] - (is_exact ? 0 : below(state, 4));
        image->extent[d] = box.end[d] - image->minimum[d] + (is_exact ? 0 : below(state, 4));
    }
}

/* False if the box leaves 32 bits, is too large, or if memory runs out. */
static bool make_image(hlc_arguments *a, size_t i, int64_t *elements, uint64_t *state) {
    const ImageParameter *parameter = &a->signature->images.data[i];
    Image *image = &a->values.images[i], box = *image;
    int64_t count = 1;
    for (int d = 0; d < box.dimensions; d++) {
        if (box.minimum[d] < INT32_MIN || box.extent[d] > *elements ||
            box.minimum[d] + box.extent[d] > INT32_MAX)
            return false;
        count *= box.extent[d] > 0 ? box.extent[d] : 1;
        if (count > *elements)
            return false;
    }
    *elements -= count;
    if (!arguments_allocate(a, image, parameter->type, parameter->dimensions, box.minimum,
                            box.extent, parameter->layout))
        return false;
    a->image_seeds[i] = fill_random(state) >> 40;
    fill_image(image, FILL_EDGES, (int64_t)a->image_seeds[i], false);
    a->image_set[i] = true;
    return true;
}

/* The points of a box, by its lengths; at most so many, where a length depends on loops. */
static double count_points(hlc_arguments *a, Substitution *known, int dimensions,
                           const Extent *lengths, const Extent *whole) {
    Pool *pool = a->pipeline->pool;
    Simplifier *simplifier = simplifier_create(pool, a->h->scratch);
    double points = 1;
    for (int d = 0; d < dimensions; d++) {
        int64_t most = 0;
        expr_constant_integer(substitution_apply(pool, known, whole[d].length), &most);
        ConstantInterval length =
            simplify_interval(simplifier, substitution_apply(pool, known, lengths[d].length));
        points *= (double)(length.has_maximum && length.maximum < most ? length.maximum : most);
    }
    return points;
}

/* At most so many runs compute the func: one for each point of the func in whose loops it is. */
static double count_runs(hlc_arguments *a, Substitution *known, const BoundsResult *bounds,
                         Symbol around) {
    double points = 0;
    for (size_t r = 0; around && r < bounds->funcs.length; r++) {
        const BoundsRegion *region = bounds->funcs.data[r];
        if (region->func == around)
            points += count_points(a, known, region->dimensions, region->whole, region->whole);
    }
    return points > 1 ? points : 1;
}

/* Is every func stored on a box of moderate size, and computed in moderate time? A distant window
 * and a point near 0 can span a huge box, which each iteration of a loop may compute. The time is
 * bounded from above, and roughly: a pyramid in strips seems slow and is not. */
static bool is_moderate(hlc_arguments *a, const Demands *demands, bool may_be_slow) {
    Substitution known = known_values(a, true);
    for (size_t i = 0; i < demands->length; i++) {
        const BoundsResult *bounds = demands->data[i].bounds;
        for (size_t r = 0; demands->data[i].runs && r < bounds->funcs.length; r++) {
            const BoundsRegion *region = bounds->funcs.data[r];
            int dimensions = region->dimensions;
            double stored = count_points(a, &known, dimensions, region->whole, region->whole),
                   computed = count_points(a, &known, dimensions, region->compute, region->whole);
            bool is_slow = computed * count_runs(a, &known, bounds, region->around) >
                           (double)(INT64_C(1) << MOST_COMPUTED_BITS);
            if (stored > MOST_STORED || (is_slow && !may_be_slow))
                return false;
        }
    }
    return true;
}

/* Sets the windows that the pipeline proposes for these parameters and images, where they are
 * small. An image may become larger then. */
static void propose_windows(hlc_arguments *a, const hlc_arguments *fixed) {
    const Signature *signature = a->signature;
    bool *set = arena_array(a->h->scratch, bool, signature->images.length);
    for (size_t i = 0; i < signature->images.length; i++) {
        set[i] = a->image_set[i];
        a->image_set[i] = true;
    }
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Image window;
        const char *fault;
        if (!(fixed && (fixed->window_set[i] || fixed->minimum_set[i])) &&
            window_propose(a, i, &window, &fault) && image_count(&window) > 0 &&
            image_count(&window) <= MOST_POINTS)
            a->windows[i] = window;
    }
    for (size_t i = 0; i < signature->images.length; i++)
        a->image_set[i] = set[i];
}

static bool proposes(const Signature *signature) {
    for (size_t i = 0; i < signature->outputs.length; i++)
        if (signature->outputs.data[i].size)
            return true;
    return false;
}

bool trial_draw(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                const Factors *factors, TrialManner manner, bool may_be_slow, uint64_t *state) {
    const Signature *signature = a->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        if (!fixed || !fixed->parameter_bound[i])
            a->values.parameters[i] = draw_parameter(&signature->parameters.data[i], state);
        a->parameter_set[i] = true;
    }
    draw_windows(a, fixed, demands, factors, manner, state);
    int which = manner == TRIAL_ONE ? (int)below(state, (int64_t)demands->length) : -1;
    Substitution known = known_values(a, false);
    for (size_t i = 0; i < signature->images.length; i++)
        if (!fixed || !fixed->image_set[i])
            draw_box(a, i, demands, which, &known, state);
    if (manner == TRIAL_MET && proposes(signature) && below(state, 3) == 0)
        propose_windows(a, fixed);
    if (manner != TRIAL_ANY &&
        !(manner == TRIAL_IN_TURN ? demand_meet_in_turn(a, fixed, demands, state)
                                  : demand_meet(a, fixed, demands, which, state)))
        return false;
    int64_t elements = MOST_ELEMENTS;
    for (size_t i = 0; i < signature->images.length; i++)
        if ((!fixed || !fixed->image_set[i]) && !make_image(a, i, &elements, state))
            return false;
    return is_moderate(a, demands, may_be_slow);
}

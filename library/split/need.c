/* need.c -- does a window need more, the larger the whole is?
 *
 * A query answers what a window needs, so two queries tell: in a whole of 4096 points in each
 * dimension, and in one of 65536; less, if something has more than two dimensions. The window of an
 * output is a small one in the middle. That of another func is what the windows of its readers need,
 * such as all of a table; or a small one, if those need more, the larger the whole is. Only what to
 * cut depends on the answer, and never a value.
 */
#include "library/split/splitting.h"

#include "checkers/interpreter/run.h"
#include "ir/interpret/evaluate.h"
#include "lower/lower.h"

enum { LARGE_WHOLE = 65536, RATIO = 16, WINDOW = 16, GROWTH = 4, LOG_STRIDE = 30 };

/* The points in each dimension of the small whole, and of the large one: strides have 32 bits. */
static int64_t whole_size(const Splitting *splitting, int size) {
    const Pipeline *pipeline = splitting->pipeline;
    int most = 2;
    for (size_t i = 0; i < pipeline->signature.images.length; i++)
        if (pipeline->signature.images.data[i].dimensions > most)
            most = pipeline->signature.images.data[i].dimensions;
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (pipeline->funcs.data[i]->shape->dimensions > most)
            most = pipeline->funcs.data[i]->shape->dimensions;
    most = most < MAX_IMAGE_DIMENSIONS ? most : MAX_IMAGE_DIMENSIONS;
    int64_t large = (int64_t)1 << (LOG_STRIDE / (most - 1));
    large = large < LARGE_WHOLE ? large : LARGE_WHOLE;
    return size ? large : large / RATIO;
}

static void place(Image *image, Type type, int dimensions, int64_t whole, bool is_window) {
    *image = (Image){.type = type, .dimensions = dimensions, .has_domain = true};
    int64_t stride = 1;
    for (int d = 0; d < dimensions; d++) {
        image->domain_extent[d] = whole;
        image->minimum[d] = is_window ? whole / 2 : 0;
        image->extent[d] = is_window ? WINDOW : whole;
        image->stride[d] = stride;
        stride *= is_window ? WINDOW : 1;
    }
}

/* Parameters without a range are usually not sizes. */
static Bits typical(const Parameter *parameter, int64_t whole) {
    Type type = parameter->type;
    if (type_is_float(type) || type_is_bool(type))
        return parameter->has_default ? parameter->default_value : 0;
    if (parameter->has_default)
        return parameter->default_value;
    int64_t value = parameter->has_range ? whole : WINDOW;
    if (parameter->has_range && value > parameter->upper)
        value = parameter->upper;
    if (parameter->has_range && value < parameter->lower)
        value = parameter->lower;
    return bits_wrap(type, value);
}

static Arguments arguments_of_whole(Arena *arena, const Signature *signature, int64_t whole) {
    Arguments arguments = {.parameters = arena_array(arena, Bits, signature->parameters.length + 1),
                           .images = arena_array(arena, Image, signature->images.length + 1),
                           .outputs =
                               arena_array(arena, Image, signature->outputs.length * 16 + 1)};
    for (size_t i = 0; i < signature->parameters.length; i++)
        arguments.parameters[i] = typical(&signature->parameters.data[i], whole);
    for (size_t i = 0; i < signature->images.length; i++)
        place(&arguments.images[i], signature->images.data[i].type,
              signature->images.data[i].dimensions, whole, false);
    size_t flat = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < shape->components; c++)
            place(&arguments.outputs[flat++], shape->types[c], shape->dimensions, whole, true);
    }
    return arguments;
}

/* ---- the windows of funcs ---- */

static bool has_grown(const Image *small, const Image *large) {
    for (int d = 0; d < small->dimensions; d++)
        if (large->extent[d] > GROWTH * small->extent[d] + WINDOW)
            return true;
    return false;
}

static void include_box(Image *hull, const Image *box) {
    if (image_count(box) == 0)
        return;
    bool is_first = image_count(hull) == 0;
    for (int d = 0; d < box->dimensions; d++) {
        int64_t end = box->minimum[d] + box->extent[d], own = hull->minimum[d] + hull->extent[d];
        if (is_first || box->minimum[d] < hull->minimum[d])
            hull->minimum[d] = box->minimum[d];
        hull->extent[d] = (is_first || end > own ? end : own) - hull->minimum[d];
    }
}

/* Returns the window of the func in a whole of this size, in its domain. */
static Image window_of(const NeedWindows *windows, Symbol name, const Image *usual, int size) {
    const NeedWindow *known = map_get(&windows->by_func, name);
    if (!known || known->boxes[0].dimensions == 0 || image_count(&known->boxes[0]) == 0 ||
        has_grown(&known->boxes[0], &known->boxes[1]))
        return *usual;
    Image window = *usual;
    for (int d = 0; d < window.dimensions; d++) {
        int64_t first = known->boxes[size].minimum[d], extent = known->boxes[size].extent[d];
        window.minimum[d] = first;
        window.extent[d] = extent;
        int64_t end = window.domain_minimum[d] + window.domain_extent[d];
        if (first < window.domain_minimum[d])
            window.domain_minimum[d] = first;
        end = end > first + extent ? end : first + extent;
        window.domain_extent[d] = end - window.domain_minimum[d];
    }
    return window;
}

/* What the windows of the part's outputs need, in both wholes. False if it is not known. */
static bool ask_both(Splitting *splitting, const NeedWindows *windows, const PlanPart *part,
                     Arena *arena, Arguments both[2]) {
    DiagMark before = diag_mark(splitting->context);
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    const Signature *signature = &part->pipeline->signature;
    Lowered *lowered = lower(part->pipeline, NULL, arena, &options);
    bool good = lowered != NULL;
    for (int size = 0; size < 2 && good; size++) {
        both[size] = arguments_of_whole(arena, signature, whole_size(splitting, size));
        size_t flat = 0;
        for (size_t i = 0; i < signature->outputs.length; i++) {
            const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
            for (int c = 0; c < shape->components; c++, flat++)
                both[size].outputs[flat] =
                    window_of(windows, shape->name, &both[size].outputs[flat], size);
        }
        good = !run_query(lowered->program, arena, &both[size]).error;
    }
    diag_drop(splitting->context, before);
    return good;
}

const char *part_grows(Splitting *splitting, const NeedWindows *windows, const PlanPart *part) {
    Arena *arena = arena_create(&splitting->context->memory);
    const Signature *signature = &part->pipeline->signature;
    Arguments both[2];
    const char *growing = NULL;
    if (ask_both(splitting, windows, part, arena, both))
        for (size_t i = 0; i < signature->images.length && !growing; i++)
            if (has_grown(&both[0].images[i], &both[1].images[i]))
                growing = signature->images.data[i].name->text;
    arena_destroy(arena);
    return growing;
}

/* Adds what a part needs of funcs, whose images have these names. */
static void include_needs(Splitting *splitting, NeedWindows *windows, const PlanPart *part) {
    Arena *arena = arena_create(&splitting->context->memory);
    const Signature *signature = &part->pipeline->signature;
    Arguments both[2];
    if (ask_both(splitting, windows, part, arena, both))
        for (size_t i = 0; i < signature->images.length; i++) {
            NeedWindow *window = map_get(&windows->by_image, signature->images.data[i].name);
            for (int size = 0; size < 2 && window; size++) {
                window->boxes[size].dimensions = both[size].images[i].dimensions;
                include_box(&window->boxes[size], &both[size].images[i]);
            }
        }
    arena_destroy(arena);
}

/* Each func has a window; the equations of a recurrence have one, also under the name of what has their
 * steps. */
static void list_windows(const Splitting *alone, NeedWindows *windows) {
    const Pipeline *pipeline = alone->pipeline;
    *windows = (NeedWindows){map_create(alone->arena), map_create(alone->arena)};
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Symbol name = pipeline->funcs.data[i]->shape->name;
        const CutFunc *cut = map_get(&alone->cut, name);
        Symbol steps = cut ? (cut->system ? cut->system : cut)->func->shape->name : name;
        NeedWindow *window = map_get(&windows->by_func, steps);
        window = window ? window : arena_new(alone->arena, NeedWindow);
        for (int c = 0; cut && c < cut->func->shape->components; c++)
            map_put(&windows->by_image, cut->images[c], window);
        map_put(&windows->by_func, name, window);
        map_put(&windows->by_func, steps, window);
    }
}

bool need_windows(Splitting *alone, NeedWindows *windows) {
    const Pipeline *pipeline = alone->pipeline;
    Arena *arena = alone->arena;
    Map reached = map_create(arena);
    pipeline_reach_outputs(pipeline, &reached, arena);
    list_windows(alone, windows);
    for (size_t i = pipeline->funcs.length; i-- > 0;) {
        const Func *func = pipeline->funcs.data[i];
        const CutFunc *cut = map_get(&alone->cut, func->shape->name);
        PartPlan plan = {0};
        PlanPart part;
        if (!cut || (cut->system ? func != func->recurrence->funcs.data[0]
                                 : !map_get(&reached, func->shape->name)))
            continue;
        vec_push(arena, &plan.goals, cut->system ? cut->system->func : cut->func);
        if (!part_create(alone, &plan, &part))
            return false;
        include_needs(alone, windows, &part);
    }
    return true;
}

/* ---- ranges ---- */

typedef struct RangeQuestion {
    const Pipeline *pipeline;
    const Arguments *arguments;
} RangeQuestion;

static bool startup_value(void *data, Symbol name, Bits *bits) {
    const RangeQuestion *question = data;
    return argument_variable(&question->pipeline->signature, question->arguments,
                             question->pipeline->pool->context, name, bits);
}

bool range_evaluate(const PlanPart *range, int order, Arena *arena, const Arguments *arguments,
                    int64_t *minimum, int64_t *length) {
    RangeQuestion question = {range->pipeline, arguments};
    const Extent *size = &range->pipeline->signature.outputs.data[0].size[order];
    return expr_evaluate(arena, size->minimum, startup_value, &question, minimum) &&
           expr_evaluate(arena, size->length, startup_value, &question, length);
}

bool range_grows(Splitting *splitting, const PlanPart *range) {
    Arena *arena = arena_create(&splitting->context->memory);
    const Signature *signature = &range->pipeline->signature;
    Arguments small = arguments_of_whole(arena, signature, whole_size(splitting, 0)),
              large = arguments_of_whole(arena, signature, whole_size(splitting, 1));
    int64_t minimum, shorter, longer;
    int orders = signature_func(signature, signature->outputs.data[0].func)->dimensions;
    bool grows = false;
    for (int k = 0; k < orders && !grows; k++)
        grows = range_evaluate(range, k, arena, &small, &minimum, &shorter) &&
                range_evaluate(range, k, arena, &large, &minimum, &longer) &&
                longer > GROWTH * shorter;
    arena_destroy(arena);
    return grows;
}

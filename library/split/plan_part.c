/* plan_part.c -- the arrays of a plan that is run, and one part on one window (running.h). Each window
 * gets exactly what a query asks for it, dense and apart, so that another read is a failure.
 */
#include "library/split/running.h"

#include "checkers/interpreter/run.h"
#include "library/text.h"
#include "lower/lower.h"
#include "runtime/hlc_runtime.h"

#include <string.h>

enum { MOST_STATEMENTS = 1 << 24 };

uint64_t run_draw(PlanRun *run) {
    run->state += 0x9e3779b97f4a7c15u;
    uint64_t z = run->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bool run_fail(PlanRun *run, int error, const char *message) {
    if (!run->outcome.error) {
        run->outcome.error = error;
        const char *text = arena_format(run->arena, "%s: %s", run->at, message);
        snprintf(run->outcome.message, sizeof run->outcome.message, "%s", text);
    }
    return false;
}

/* ---- arrays ---- */

RunArray *run_array(PlanRun *run, const char *name) {
    for (size_t i = 0; i < run->arrays.length; i++)
        if (strcmp(run->arrays.data[i].name, name) == 0)
            return &run->arrays.data[i];
    return NULL;
}

void run_list_arrays(PlanRun *run) {
    const Signature *signature = &run->plan->whole->signature;
    for (size_t i = 0; i < signature->images.length; i++)
        vec_push(run->arena, &run->arrays,
                 ((RunArray){signature->images.data[i].name->text, run->whole->images[i], true}));
    for (size_t i = 0; i < run->plan->arrays.length; i++) {
        const PlanArray *array = &run->plan->arrays.data[i];
        vec_push(run->arena, &run->arrays,
                 ((RunArray){
                     array->name, {.type = array->type, .dimensions = array->dimensions}, false}));
    }
}

bool image_is_empty(const Image *image) {
    return image_count(image) == 0;
}

/* Grows the array's box by a box that something needs of it. */
void run_include(RunArray *array, const int64_t *minimum, const int64_t *extent) {
    Image *image = &array->image;
    for (int d = 0; d < image->dimensions; d++)
        if (extent[d] <= 0)
            return;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t end = minimum[d] + extent[d], own = image->minimum[d] + image->extent[d];
        if (!array->has_box || minimum[d] < image->minimum[d])
            image->minimum[d] = minimum[d];
        if (array->has_box && own > end)
            end = own;
        image->extent[d] = end - image->minimum[d];
    }
    array->has_box = true;
}

void image_set_domain(Image *image, const Image *whole) {
    image->has_domain = true;
    for (int d = 0; d < whole->dimensions; d++) {
        image->domain_minimum[d] = whole->minimum[d];
        image->domain_extent[d] = whole->extent[d];
    }
}

/* ---- parts ---- */

static Bits parameter_of_whole(const PlanRun *run, Symbol name) {
    const Signature *signature = &run->plan->whole->signature;
    for (size_t i = 0; i < signature->parameters.length; i++)
        if (signature->parameters.data[i].name == name)
            return run->whole->parameters[i];
    return 0;
}

static void list_parameters(PartRun *runner) {
    const Signature *signature = &runner->part->pipeline->signature;
    runner->arguments.parameters =
        arena_array(runner->run->arena, Bits, signature->parameters.length + 1);
    for (size_t i = 0; i < signature->parameters.length; i++)
        runner->arguments.parameters[i] =
            parameter_of_whole(runner->run, signature->parameters.data[i].name);
}

PartRun part_run_create(PlanRun *run, const PlanPart *part, const PlanStep *step, bool lowers) {
    const Signature *signature = &part->pipeline->signature;
    PartRun runner = {.run = run, .part = part, .step = step};
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    run->at = part->name;
    Lowered *lowered = lowers ? lower(part->pipeline, NULL, run->arena, &options) : NULL;
    runner.program = lowered ? lowered->program : NULL;
    if (lowers && !lowered)
        run_fail(run, HLC_ERROR_INTERNAL, "the part cannot be lowered");
    list_parameters(&runner);
    runner.arguments.images = arena_array(run->arena, Image, signature->images.length + 1);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        runner.output_count += shape->components;
        runner.dimensions = shape->dimensions;
    }
    runner.arguments.outputs = arena_array(run->arena, Image, runner.output_count + 1);
    return runner;
}

static const char *port_array(const PlanPorts *ports, const char *name) {
    for (size_t i = 0; i < ports->length; i++)
        if (strcmp(ports->data[i].name, name) == 0)
            return ports->data[i].array;
    return NULL;
}

/* The array of which the image is `before` in one of the step's orders; null: of none. */
static const char *before_array(const PartRun *runner, const char *name) {
    const char *array = NULL;
    for (int k = 0; runner->step && k < runner->step->order_count && !array; k++)
        array = port_array(&runner->step->orders[k].before, name);
    return array;
}

/* Is image `i` of the part one of `before`? */
bool part_run_is_before(const PartRun *runner, size_t i) {
    return before_array(runner, runner->part->pipeline->signature.images.data[i].name->text);
}

RunArray *part_run_image(const PartRun *runner, size_t i) {
    const char *name = runner->part->pipeline->signature.images.data[i].name->text;
    const char *array = port_array(&runner->part->images, name);
    array = array ? array : before_array(runner, name);
    return array ? run_array(runner->run, array) : NULL;
}

RunArray *part_run_output(const PartRun *runner, int i) {
    return run_array(runner->run, runner->part->outputs.data[i].array);
}

void part_run_set_block(PartRun *runner, int order, int64_t first, int64_t end) {
    const Signature *signature = &runner->part->pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const char *name = signature->parameters.data[i].name->text;
        if (strcmp(name, runner->step->orders[order].first) == 0)
            runner->arguments.parameters[i] = first;
        if (strcmp(name, runner->step->orders[order].end) == 0)
            runner->arguments.parameters[i] = end;
    }
}

void part_run_set_window(PartRun *runner, const int64_t *minimum, const int64_t *extent) {
    for (int k = 0; k < runner->step->order_count; k++) {
        int d = runner->step->orders[k].dimension;
        part_run_set_block(runner, k, minimum[d], minimum[d] + extent[d]);
    }
}

/* What a scan reads of itself may lie before its array. */
static void extend_domain(const PlanStep *step, Image *image) {
    for (int k = 0; k < step->order_count; k++) {
        const PlanOrder *order = &step->orders[k];
        image->domain_minimum[order->dimension] -= order->is_lower ? 0 : order->reach;
        image->domain_extent[order->dimension] += order->reach;
    }
}

/* `p_0 f=2x3+0+1`, for messages. */
static const char *window_text(const PartRun *runner) {
    Arena *arena = runner->run->arena;
    const char *text = runner->part->name;
    for (int i = 0; i < runner->output_count; i++)
        text = arena_format(arena, "%s %s=%s", text, runner->part->outputs.data[i].name,
                            text_box(arena, &runner->arguments.outputs[i], true));
    return text;
}

/* Finds what the windows of the outputs need of the images. */
bool part_run_ask(PartRun *runner) {
    const Signature *signature = &runner->part->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        const RunArray *array = part_run_image(runner, i);
        Image *image = &runner->arguments.images[i];
        *image = (Image){.type = signature->images.data[i].type,
                         .dimensions = signature->images.data[i].dimensions};
        if (array && array->has_box) {
            image_set_domain(image, &array->image);
            if (part_run_is_before(runner, i) && runner->step->kind == PLAN_SCAN)
                extend_domain(runner->step, image);
        } else {
            image->has_domain = true; /* nothing depends on it */
            for (int d = 0; d < image->dimensions; d++) {
                image->domain_minimum[d] = INT32_MIN / 2;
                image->domain_extent[d] = INT32_MAX;
            }
        }
    }
    runner->run->at = window_text(runner);
    Outcome outcome = run_query(runner->program, runner->run->arena, &runner->arguments);
    return !outcome.error || run_fail(runner->run, outcome.error, outcome.message);
}

/* ---- one window ---- */

/* A query for a window may ask for more of an array than one for the whole did: it knows the range of an
 * index less exactly. No value depends on what the whole does not read. */
static bool reads_domain(const PartRun *runner, size_t i) {
    const char *name = runner->part->pipeline->signature.images.data[i].name->text;
    for (size_t k = 0; k < runner->part->domains.length; k++)
        if (strcmp(runner->part->domains.data[k], name) == 0)
            return true;
    return false;
}

/* Nothing depends on the domain. */
static void extend_to_window(Image *image) {
    if (image_is_empty(image))
        return;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t low = image->domain_minimum[d], end = low + image->domain_extent[d],
                need = image->minimum[d], need_end = need + image->extent[d];
        image->domain_minimum[d] = need < low ? need : low;
        image->domain_extent[d] = (need_end > end ? need_end : end) - image->domain_minimum[d];
    }
}

/* What the image is in this window: exactly what is asked. Outside of an array whose domain is not read
 * there is rubbish (`is_loose`). */
static bool fill_image_window(PartRun *runner, Arena *arena, size_t i, const Image *from,
                              bool is_loose) {
    Image *image = &runner->arguments.images[i];
    int64_t count = image_count(image), point[MAX_IMAGE_DIMENSIONS], stride = 1;
    for (int d = 0; d < image->dimensions; d++) {
        image->stride[d] = stride;
        stride *= image->extent[d];
    }
    size_t bytes = (size_t)type_bytes(image->type);
    if (count > MOST_ELEMENTS)
        return run_fail(runner->run, HLC_ERROR_OUT_OF_MEMORY,
                        "a window is too large for this check");
    image->data = arena_allocate(arena, bytes * (size_t)count + 16);
    memset(image->data, type_is_bool(image->type) ? 1 : 0x5b, bytes * (size_t)count);
    memcpy(point, image->minimum, sizeof point);
    for (int64_t n = 0; n < count; n++) {
        bool is_inside = from->data != NULL;
        for (int d = 0; d < image->dimensions; d++)
            is_inside &=
                point[d] >= from->minimum[d] && point[d] < from->minimum[d] + from->extent[d];
        if (!is_inside && !is_loose)
            return run_fail(
                runner->run, HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
                arena_format(arena, "it needs %s of %s, which has %s", text_box(arena, image, true),
                             runner->part->pipeline->signature.images.data[i].name->text,
                             text_box(arena, from, true)));
        if (is_inside)
            memcpy(image_at(image, point), image_at(from, point), bytes);
        for (int d = 0; d < image->dimensions && ++point[d] == image->minimum[d] + image->extent[d];
             d++)
            point[d] = image->minimum[d];
    }
    return true;
}

void image_put_window(const Image *window, const Image *to) {
    int64_t count = image_count(window), point[MAX_IMAGE_DIMENSIONS];
    size_t bytes = (size_t)type_bytes(window->type);
    memcpy(point, window->minimum, sizeof point);
    for (int64_t n = 0; n < count; n++) {
        memcpy(image_at(to, point), image_at(window, point), bytes);
        for (int d = 0;
             d < window->dimensions && ++point[d] == window->minimum[d] + window->extent[d]; d++)
            point[d] = window->minimum[d];
    }
}

static const Image *redirected(const PartRun *runner, const RunRedirection *to,
                               const PlanMerge *merge, size_t i) {
    const char *name = runner->part->pipeline->signature.images.data[i].name->text;
    const PlanPorts *before = runner->step ? &runner->step->orders[0].before : NULL;
    for (size_t c = 0; to && to->before && before && c < before->length; c++)
        if (strcmp(before->data[c].name, name) == 0)
            return &to->before[c];
    for (size_t c = 0; to && merge && c < merge->left.length; c++) {
        if (strcmp(merge->left.data[c], name) == 0)
            return &to->left[c];
        if (strcmp(merge->right.data[c], name) == 0)
            return &to->right[c];
    }
    return NULL;
}

/* Computes one window; `boxes` are those of the outputs. */
bool part_run_window(PartRun *runner, const RunBox *boxes, const RunRedirection *to,
                     const PlanMerge *merge) {
    PlanRun *run = runner->run;
    Arena *arena = runner->run->arena;
    const Signature *signature = &runner->part->pipeline->signature;
    for (int i = 0; i < runner->output_count; i++) {
        const Image *whole =
            to && to->results ? &to->results[i] : &part_run_output(runner, i)->image;
        Image *window = &runner->arguments.outputs[i];
        *window = (Image){.type = whole->type, .dimensions = whole->dimensions};
        int64_t stride = 1;
        for (int d = 0; d < window->dimensions; d++) {
            window->minimum[d] = boxes[i].minimum[d];
            window->extent[d] = boxes[i].extent[d];
            window->stride[d] = stride;
            stride *= window->extent[d];
        }
        window->data = NULL;
        image_set_domain(window, whole);
    }
    if (!part_run_ask(runner))
        return false;
    for (size_t i = 0; i < signature->images.length; i++) {
        const Image *other = redirected(runner, to, merge, i);
        const RunArray *array = part_run_image(runner, i);
        if (!other && !array)
            return run_fail(run, HLC_ERROR_INTERNAL, "an image has no array");
        bool is_loose = array && !reads_domain(runner, i);
        if (other)
            image_set_domain(&runner->arguments.images[i], other);
        else if (is_loose)
            extend_to_window(&runner->arguments.images[i]);
        if (!fill_image_window(runner, arena, i, other ? other : &array->image, is_loose))
            return false;
    }
    for (int i = 0; i < runner->output_count; i++) {
        Image *window = &runner->arguments.outputs[i];
        window->data =
            arena_allocate(arena, (size_t)(image_count(window) * type_bytes(window->type)) + 16);
    }
    RunOptions options = {.seed = run_draw(run), .budget = MOST_STATEMENTS};
    Outcome outcome = run_program(runner->program, arena, &runner->arguments, &options);
    if (outcome.error == HLC_ERROR_BUDGET)
        outcome.error = HLC_ERROR_OUT_OF_MEMORY;
    if (outcome.error)
        return run_fail(run, outcome.error, outcome.message);
    for (int i = 0; i < runner->output_count; i++)
        image_put_window(&runner->arguments.outputs[i],
                         to && to->results ? &to->results[i] : &part_run_output(runner, i)->image);
    return true;
}

/* plan_run.c -- runs a plan by the reference interpreter: what an executor of docs/large-split.md
 * does, on small arguments and in one process.
 *
 * The boxes of arrays are found from the last step to the first, by queries. Then the steps run in
 * their order, in random windows, in random blocks, in random shapes of merges. Each window gets
 * exactly what a query asks for it.
 */
#include "library/split/plan.h"

#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"
#include "lower/lower.h"
#include "runtime/hlc_runtime.h"

#include <string.h>

enum { MOST_CUTS = 5, MOST_ELEMENTS = 1 << 22 };

typedef struct RunArray {
    const char *name;
    Image image; /* its box and, once it is computed, its elements */
    bool has_box;
} RunArray;

typedef struct PlanRun {
    const SplitPlan *plan;
    Arena *arena;
    const Arguments *whole;
    Vec(RunArray) arrays; /* images of the whole, then those of steps */
    uint64_t state;
    Outcome outcome;
    const char *at; /* the pipeline of the part at work */
} PlanRun;

typedef struct RunBox {
    int64_t minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS];
} RunBox;

/* One part, ready to run. */
typedef struct PartRun {
    PlanRun *run;
    const PlanPart *part;
    const PlanStep *step; /* null: no step's main part */
    const Program *program;
    Arguments arguments;
    int output_count, dimensions;
} PartRun;

static uint64_t draw(PlanRun *run) {
    run->state += 0x9e3779b97f4a7c15u;
    uint64_t z = run->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t below(PlanRun *run, int64_t count) {
    return count > 0 ? (int64_t)(draw(run) % (uint64_t)count) : 0;
}

static bool fail(PlanRun *run, int error, const char *message) {
    if (!run->outcome.error) {
        run->outcome.error = error;
        const char *text = arena_format(run->arena, "%s: %s", run->at, message);
        snprintf(run->outcome.message, sizeof run->outcome.message, "%s", text);
    }
    return false;
}

/* ---- arrays ---- */

static RunArray *find_array(PlanRun *run, const char *name) {
    for (size_t i = 0; i < run->arrays.length; i++)
        if (strcmp(run->arrays.data[i].name, name) == 0)
            return &run->arrays.data[i];
    return NULL;
}

static void list_arrays(PlanRun *run) {
    const Signature *signature = &run->plan->whole->signature;
    for (size_t i = 0; i < signature->images.length; i++)
        vec_push(run->arena, &run->arrays,
                 ((RunArray){signature->images.data[i].name->text, run->whole->images[i], true}));
    for (size_t i = 0; i < run->plan->arrays.length; i++) {
        const PlanArray *array = &run->plan->arrays.data[i];
        vec_push(run->arena, &run->arrays,
                 ((RunArray){array->name,
                             {.type = array->type, .dimensions = array->dimensions},
                             false}));
    }
}

static bool is_empty(const Image *image) {
    return image_count(image) == 0;
}

/* Grows the array's box by a box that something needs of it. */
static void include(RunArray *array, const int64_t *minimum, const int64_t *extent) {
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

static void set_domain(Image *image, const Image *whole) {
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

static PartRun runner_create(PlanRun *run, const PlanPart *part, const PlanStep *step, bool lowers) {
    const Signature *signature = &part->pipeline->signature;
    PartRun runner = {.run = run, .part = part, .step = step};
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    run->at = part->name;
    Lowered *lowered =
        lowers ? lower(part->pipeline, NULL, run->arena, &options) : NULL;
    runner.program = lowered ? lowered->program : NULL;
    if (lowers && !lowered)
        fail(run, HLC_ERROR_INTERNAL, "the part cannot be lowered");
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

/* Is image `i` of the part one of `before`? */
static bool is_before(const PartRun *runner, size_t i) {
    return runner->step && port_array(&runner->step->before,
                                      runner->part->pipeline->signature.images.data[i].name->text);
}

static RunArray *image_array(const PartRun *runner, size_t i) {
    const char *name = runner->part->pipeline->signature.images.data[i].name->text;
    const char *array = port_array(&runner->part->images, name);
    if (!array && runner->step)
        array = port_array(&runner->step->before, name);
    return array ? find_array(runner->run, array) : NULL;
}

static RunArray *output_array(const PartRun *runner, int i) {
    return find_array(runner->run, runner->part->outputs.data[i].array);
}

static void set_block(PartRun *runner, int64_t first, int64_t end) {
    const Signature *signature = &runner->part->pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const char *name = signature->parameters.data[i].name->text;
        if (strcmp(name, runner->step->first) == 0)
            runner->arguments.parameters[i] = first;
        if (strcmp(name, runner->step->end) == 0)
            runner->arguments.parameters[i] = end;
    }
}

/* Finds what the windows of the outputs need of the images. */
static bool ask(PartRun *runner, Arena *arena) {
    const Signature *signature = &runner->part->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        const RunArray *array = image_array(runner, i);
        Image *image = &runner->arguments.images[i];
        *image = (Image){.type = signature->images.data[i].type,
                         .dimensions = signature->images.data[i].dimensions};
        if (array && array->has_box) {
            set_domain(image, &array->image);
            if (is_before(runner, i) && runner->step->kind == PLAN_SCAN) {
                image->domain_minimum[runner->step->dimension] -= runner->step->reach;
                image->domain_extent[runner->step->dimension] += runner->step->reach;
            }
        } else {
            image->has_domain = true; /* nothing depends on it */
            for (int d = 0; d < image->dimensions; d++) {
                image->domain_minimum[d] = INT32_MIN / 2;
                image->domain_extent[d] = INT32_MAX;
            }
        }
    }
    Outcome outcome = run_query(runner->program, arena, &runner->arguments);
    return !outcome.error || fail(runner->run, outcome.error, outcome.message);
}

/* ---- boxes ---- */

static void include_needs(const PartRun *runner, bool before) {
    const Signature *signature = &runner->part->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        RunArray *array = image_array(runner, i);
        const Image *need = &runner->arguments.images[i];
        if (array && is_before(runner, i) == before && array->image.data == NULL)
            include(array, need->minimum, need->extent);
    }
}

/* All outputs of a step have one box, the hull. */
static void join_outputs(const PartRun *runner) {
    for (int i = 0; i < runner->output_count; i++)
        for (int k = 0; k < runner->output_count; k++) {
            RunArray *from = output_array(runner, k), *to = output_array(runner, i);
            if (from->has_box && from->image.dimensions == to->image.dimensions)
                include(to, from->image.minimum, from->image.extent);
        }
}

static void take_windows(PartRun *runner) {
    for (int i = 0; i < runner->output_count; i++) {
        const RunArray *array = output_array(runner, i);
        runner->arguments.outputs[i] = array->image;
        runner->arguments.outputs[i].data = NULL;
        set_domain(&runner->arguments.outputs[i], &array->image);
    }
}

static bool find_range(PlanRun *run, const PlanStep *step, int64_t *minimum, int64_t *length) {
    PartRun runner = runner_create(run, &step->range, NULL, false);
    const Signature *signature = &step->range.pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        const RunArray *array = image_array(&runner, i);
        runner.arguments.images[i] = array->image;
        set_domain(&runner.arguments.images[i], &array->image);
    }
    return range_evaluate(&step->range, run->arena, &runner.arguments, minimum, length) ||
           fail(run, HLC_ERROR_GENERIC, "the range cannot be computed");
}

static bool find_step_boxes(PlanRun *run, const PlanStep *step) {
    PartRun runner = runner_create(run, &step->part, step, true);
    int64_t minimum = 0, length = 0;
    if (run->outcome.error)
        return false;
    if (step->kind != PLAN_MAP && !find_range(run, step, &minimum, &length))
        return false;
    if (step->kind != PLAN_MAP)
        join_outputs(&runner);
    if (step->kind == PLAN_SCAN && length > 0)
        for (int i = 0; i < runner.output_count; i++) {
            RunArray *array = output_array(&runner, i);
            Image *box = &array->image;
            int d = step->dimension;
            int64_t first = minimum - step->reach, end = box->minimum[d] + box->extent[d];
            if (array->has_box && first < box->minimum[d]) {
                box->minimum[d] = first;
                box->extent[d] = end - first;
            }
        }
    if (!output_array(&runner, 0)->has_box && runner.output_count == 1)
        return true;
    for (int round = 0; round < 2; round++) {
        take_windows(&runner);
        if (step->kind == PLAN_CHAIN)
            set_block(&runner, minimum, minimum + length);
        if (step->kind == PLAN_SCAN) {
            const Image *box = &runner.arguments.outputs[0];
            set_block(&runner, box->minimum[step->dimension],
                      box->minimum[step->dimension] + box->extent[step->dimension]);
        }
        if (!ask(&runner, run->arena))
            return false;
        if (step->kind == PLAN_CHAIN && round == 0) { /* the accumulator holds what it reads */
            const Signature *signature = &step->part.pipeline->signature;
            for (size_t i = 0; i < signature->images.length; i++)
                for (int k = 0; k < runner.output_count && is_before(&runner, i); k++)
                    include(output_array(&runner, k), runner.arguments.images[i].minimum,
                            runner.arguments.images[i].extent);
        }
        if (step->kind == PLAN_SCAN && round == 0) {
            const Signature *signature = &step->part.pipeline->signature;
            for (size_t i = 0; i < signature->images.length; i++) {
                Image need = runner.arguments.images[i];
                RunArray *array = output_array(&runner, 0);
                if (!is_before(&runner, i) || is_empty(&need) || !array->has_box)
                    continue;
                for (int d = 0; d < need.dimensions; d++)
                    if (step->windows[d]) {
                        need.minimum[d] = array->image.minimum[d];
                        need.extent[d] = array->image.extent[d];
                    }
                for (int k = 0; k < runner.output_count; k++)
                    include(output_array(&runner, k), need.minimum, need.extent);
            }
        }
        if (step->kind == PLAN_MAP)
            break;
    }
    include_needs(&runner, false);
    if (step->kind == PLAN_CHAIN)
        for (size_t i = 0; i < step->before.length; i++) {
            const Image *box = &output_array(&runner, 0)->image;
            include(find_array(run, step->before.data[i].array), box->minimum, box->extent);
        }
    return true;
}

static bool allocate_arrays(PlanRun *run) {
    int64_t elements = 0;
    for (size_t i = run->plan->whole->signature.images.length; i < run->arrays.length; i++) {
        Image *image = &run->arrays.data[i].image;
        int64_t stride = 1;
        for (int d = 0; d < image->dimensions; d++) {
            image->stride[d] = stride;
            if (__builtin_mul_overflow(stride, image->extent[d], &stride) || stride > MOST_ELEMENTS)
                return fail(run, HLC_ERROR_OUT_OF_MEMORY, "an array is too large for this check");
        }
        elements += stride;
        if (elements > MOST_ELEMENTS)
            return fail(run, HLC_ERROR_OUT_OF_MEMORY, "arrays are too large for this check");
        size_t bytes = (size_t)(image_count(image) * type_bytes(image->type));
        image->data = arena_allocate(run->arena, bytes + 16);
        memset(image->data, type_is_bool(image->type) ? 1 : 0xa5, bytes);
    }
    return true;
}

/* ---- one window ---- */

/* What the image is in this window: exactly what is asked. Outside of the array there is rubbish,
 * where `is_loose` allows it. */
static bool fill_image_window(PartRun *runner, Arena *arena, size_t i, const Image *from,
                              bool is_loose) {
    Image *image = &runner->arguments.images[i];
    int64_t count = image_count(image), point[MAX_IMAGE_DIMENSIONS], stride = 1;
    for (int d = 0; d < image->dimensions; d++) {
        image->stride[d] = stride;
        stride *= image->extent[d];
    }
    size_t bytes = (size_t)type_bytes(image->type);
    image->data = arena_allocate(arena, bytes * (size_t)count + 16);
    memset(image->data, type_is_bool(image->type) ? 1 : 0x5b, bytes * (size_t)count);
    memcpy(point, image->minimum, sizeof point);
    for (int64_t n = 0; n < count; n++) {
        bool is_inside = from->data != NULL;
        for (int d = 0; d < image->dimensions; d++)
            is_inside &= point[d] >= from->minimum[d] &&
                         point[d] < from->minimum[d] + from->extent[d];
        if (!is_inside && !is_loose)
            return fail(runner->run, HLC_ERROR_INTERNAL,
                        "a window needs a point beyond its array's box");
        if (is_inside)
            memcpy(image_at(image, point), image_at(from, point), bytes);
        for (int d = 0; d < image->dimensions && ++point[d] == image->minimum[d] + image->extent[d];
             d++)
            point[d] = image->minimum[d];
    }
    return true;
}

static void put_window(const Image *window, const Image *to) {
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

/* Where `before` comes from and the results go to, in place of the arrays: for the parts of a
 * merge. Null: the arrays. */
typedef struct RunRedirection {
    const Image *before, *left, *right, *results;
} RunRedirection;

static const Image *redirected(const PartRun *runner, const RunRedirection *to, const PlanMerge *merge,
                               size_t i) {
    const char *name = runner->part->pipeline->signature.images.data[i].name->text;
    for (size_t c = 0; to && to->before && runner->step && c < runner->step->before.length; c++)
        if (strcmp(runner->step->before.data[c].name, name) == 0)
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
static bool run_window(PartRun *runner, const RunBox *boxes, const RunRedirection *to,
                       const PlanMerge *merge) {
    PlanRun *run = runner->run;
    run->at = runner->part->name;
    Arena *arena = runner->run->arena;
    const Signature *signature = &runner->part->pipeline->signature;
    for (int i = 0; i < runner->output_count; i++) {
        const Image *whole = to && to->results ? &to->results[i] : &output_array(runner, i)->image;
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
        set_domain(window, whole);
    }
    if (!ask(runner, arena))
        return false;
    for (size_t i = 0; i < signature->images.length; i++) {
        const Image *other = redirected(runner, to, merge, i);
        const RunArray *array = image_array(runner, i);
        if (!other && !array)
            return fail(run, HLC_ERROR_INTERNAL, "an image has no array");
        bool is_loose =
            runner->step && runner->step->kind == PLAN_SCAN && is_before(runner, i);
        if (other)
            set_domain(&runner->arguments.images[i], other);
        if (!fill_image_window(runner, arena, i, other ? other : &array->image, is_loose))
            return false;
    }
    for (int i = 0; i < runner->output_count; i++) {
        Image *window = &runner->arguments.outputs[i];
        window->data =
            arena_allocate(arena, (size_t)(image_count(window) * type_bytes(window->type)) + 16);
    }
    ReferenceOptions options = {0};
    Outcome outcome =
        reference_realize(runner->part->pipeline, arena, &runner->arguments, &options, NULL);
    if (outcome.error)
        return fail(run, outcome.error, outcome.message);
    for (int i = 0; i < runner->output_count; i++)
        put_window(&runner->arguments.outputs[i],
                   to && to->results ? &to->results[i] : &output_array(runner, i)->image);
    return true;
}

/* ---- partitions ---- */

typedef struct RunCuts {
    int64_t ends[MOST_CUTS + 1];
    int count;
} RunCuts;

/* RunCuts [minimum, minimum + extent) into neighbours. */
static RunCuts cut(PlanRun *run, int64_t minimum, int64_t extent, bool is_cut) {
    RunCuts cuts = {.count = 0};
    int most = is_cut ? (int)below(run, MOST_CUTS + 1) : 0;
    int64_t at = minimum;
    while (cuts.count < most) {
        at += draw(run) % 4 == 0 ? 1 : 1 + below(run, extent);
        if (at >= minimum + extent)
            break;
        cuts.ends[cuts.count++] = at;
    }
    cuts.ends[cuts.count++] = minimum + extent;
    return cuts;
}

static int64_t begin_of(const RunCuts *cuts, int i, int64_t minimum) {
    return i ? cuts->ends[i - 1] : minimum;
}

typedef bool EachWindow(PartRun *runner, const RunBox *box, void *data);

/* Calls `each` on each window of a random partition; `windows` null: any dimension may be cut. */
static bool partition(PartRun *runner, const Image *whole, const bool *windows, int ordered,
                      EachWindow *each, void *data) {
    RunCuts cuts[MAX_IMAGE_DIMENSIONS];
    int total = 1;
    if (is_empty(whole))
        return true;
    for (int d = 0; d < whole->dimensions; d++) {
        cuts[d] = cut(runner->run, whole->minimum[d], whole->extent[d],
                      (!windows || windows[d]) && total <= 16);
        total *= cuts[d].count;
    }
    /* The ordered dimension is the slowest. */
    for (int n = 0; n < total; n++) {
        RunBox box = {0};
        int rest = n;
        for (int k = 0; k < whole->dimensions; k++) {
            int d = ordered < 0 ? k : k == whole->dimensions - 1 ? ordered : k + (k >= ordered);
            int at = rest % cuts[d].count;
            rest /= cuts[d].count;
            box.minimum[d] = begin_of(&cuts[d], at, whole->minimum[d]);
            box.extent[d] = cuts[d].ends[at] - box.minimum[d];
        }
        if (!each(runner, &box, data))
            return false;
    }
    return true;
}

/* ---- steps ---- */

typedef struct MapWindow {
    int output;
} MapWindow;

/* Output `output` (its func's components) in the box; others are empty. */
static bool map_window(PartRun *runner, const RunBox *box, void *data) {
    const MapWindow *window = data;
    const Signature *signature = &runner->part->pipeline->signature;
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count + 1);
    int at = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < shape->components; c++, at++) {
            const Image *whole = &output_array(runner, at)->image;
            memcpy(boxes[at].minimum, whole->minimum, sizeof boxes[at].minimum);
            if ((int)i == window->output)
                boxes[at] = *box;
        }
    }
    return run_window(runner, boxes, NULL, NULL);
}

static bool run_map(PlanRun *run, const PlanStep *step) {
    PartRun runner = runner_create(run, &step->part, step, true);
    const Signature *signature = &step->part.pipeline->signature;
    int at = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        MapWindow window = {(int)i};
        if (run->outcome.error ||
            !partition(&runner, &output_array(&runner, at)->image, NULL, -1, map_window, &window))
            return false;
        at += signature_func(signature, signature->outputs.data[i].func)->components;
    }
    return true;
}

static bool scan_window(PartRun *runner, const RunBox *box, void *data) {
    const PlanStep *step = data;
    int d = step->dimension;
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    set_block(runner, box->minimum[d], box->minimum[d] + box->extent[d]);
    return run_window(runner, boxes, NULL, NULL);
}

static bool run_scan(PlanRun *run, const PlanStep *step) {
    PartRun runner = runner_create(run, &step->part, step, true);
    return !run->outcome.error && partition(&runner, &output_array(&runner, 0)->image,
                                            step->windows, step->dimension, scan_window,
                                            (void *)step);
}

/* Images of the outputs' types, in this box. */
static Image *new_images(PartRun *runner, const RunBox *box) {
    Image *images = arena_array(runner->run->arena, Image, runner->output_count);
    for (int i = 0; i < runner->output_count; i++) {
        const Image *like = &output_array(runner, i)->image;
        images[i] = (Image){.type = like->type, .dimensions = like->dimensions};
        int64_t stride = 1;
        for (int d = 0; d < like->dimensions; d++) {
            images[i].minimum[d] = box->minimum[d];
            images[i].extent[d] = box->extent[d];
            images[i].stride[d] = stride;
            stride *= box->extent[d];
        }
        images[i].data = arena_allocate(runner->run->arena,
                                        (size_t)(stride * type_bytes(like->type)) + 16);
    }
    return images;
}

typedef struct ChainRun {
    const PlanStep *step;
    int64_t minimum, length;
    PartRun merge, identity;
} ChainRun;

static bool run_block(PartRun *runner, const RunBox *box, int64_t first, int64_t end,
                      const Image *before, const Image *results) {
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    RunRedirection to = {.before = before, .results = results};
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    set_block(runner, first, end);
    return run_window(runner, boxes, &to, NULL);
}

static bool merge_two(ChainRun *chain, const RunBox *box, const Image *left, const Image *right,
                      const Image *results) {
    PartRun *runner = &chain->merge;
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    RunRedirection to = {.left = left, .right = right, .results = results};
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    return run_window(runner, boxes, &to, chain->step->merge);
}

static bool run_identity(ChainRun *chain, const RunBox *box, const Image *results) {
    PartRun *runner = &chain->identity;
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    RunRedirection to = {.results = results};
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    return run_window(runner, boxes, &to, NULL);
}

/* The accumulator before the first block, in the box. */
static Image *start_images(PartRun *runner, const PlanStep *step, const RunBox *box) {
    Image *images = new_images(runner, box);
    for (int i = 0; i < runner->output_count; i++) {
        Image view = find_array(runner->run, step->before.data[i].array)->image, window = view;
        memcpy(window.minimum, box->minimum, sizeof window.minimum);
        memcpy(window.extent, box->extent, sizeof window.extent);
        window.data = image_at(&view, box->minimum);
        put_window(&window, &images[i]);
    }
    return images;
}

static bool chain_in_order(PartRun *runner, ChainRun *chain, const RunBox *box, const RunCuts *cuts,
                           Image **result) {
    *result = start_images(runner, chain->step, box);
    for (int b = 0; b < cuts->count; b++) {
        Image *next = new_images(runner, box);
        if (!run_block(runner, box, begin_of(cuts, b, chain->minimum), cuts->ends[b], *result,
                       next))
            return false;
        *result = next;
    }
    return true;
}

/* Blocks apart; neighbours are merged in a random shape, or any two where that is allowed. */
static bool chain_apart(PartRun *runner, ChainRun *chain, const RunBox *box, const RunCuts *cuts,
                        Image **result) {
    PlanRun *run = runner->run;
    Image *parts[MOST_CUTS + 2];
    int count = 0;
    parts[count++] = start_images(runner, chain->step, box);
    for (int b = 0; b < cuts->count; b++) {
        Image *before = new_images(runner, box), *after = new_images(runner, box);
        if (!run_identity(chain, box, before) ||
            !run_block(runner, box, begin_of(cuts, b, chain->minimum), cuts->ends[b], before,
                       after))
            return false;
        parts[count++] = after;
    }
    while (count > 1) {
        int left = (int)below(run, count - 1), right = left + 1;
        if (chain->step->merge->is_commutative && left > 0)
            right = left + 1 + (int)below(run, count - left - 1);
        Image *merged = new_images(runner, box);
        if (!merge_two(chain, box, parts[left], parts[right], merged))
            return false;
        parts[left] = merged;
        for (int i = right; i + 1 < count; i++)
            parts[i] = parts[i + 1];
        count--;
    }
    *result = parts[0];
    return true;
}

static bool chain_window(PartRun *runner, const RunBox *box, void *data) {
    ChainRun *chain = data;
    Image *result;
    RunCuts cuts = {.count = 0};
    if (chain->length > 0)
        cuts = cut(runner->run, chain->minimum, chain->length, true);
    bool is_apart = chain->step->merge && draw(runner->run) % 2;
    if (!(is_apart ? chain_apart : chain_in_order)(runner, chain, box, &cuts, &result))
        return false;
    for (int i = 0; i < runner->output_count; i++)
        put_window(&result[i], &output_array(runner, i)->image);
    return true;
}

static bool run_chain(PlanRun *run, const PlanStep *step) {
    ChainRun chain = {.step = step};
    PartRun runner = runner_create(run, &step->part, step, true);
    if (step->merge) {
        chain.merge = runner_create(run, &step->merge->part, NULL, true);
        chain.identity = runner_create(run, &step->merge->identity, NULL, true);
    }
    return !run->outcome.error && find_range(run, step, &chain.minimum, &chain.length) &&
           partition(&runner, &output_array(&runner, 0)->image, step->windows, -1, chain_window,
                     &chain);
}

/* ---- the plan ---- */

/* The outputs of the whole, and what they need. */
static bool find_boxes(PlanRun *run) {
    const SplitPlan *plan = run->plan;
    for (size_t i = 0; i < plan->outputs.length; i++) {
        const Image *window = &run->whole->outputs[i];
        int64_t zero[MAX_IMAGE_DIMENSIONS] = {0}, one[MAX_IMAGE_DIMENSIONS] = {1, 1, 1, 1};
        bool is_number = plan->outputs.data[i].dimensions == 0;
        include(find_array(run, plan->outputs.data[i].array), is_number ? zero : window->minimum,
                is_number ? one : window->extent);
    }
    for (size_t s = plan->steps.length; s-- > 0;)
        if (!find_step_boxes(run, &plan->steps.data[s]))
            return false;
    return true;
}

static void put_outputs(PlanRun *run) {
    for (size_t i = 0; i < run->plan->outputs.length; i++) {
        const Image *to = &run->whole->outputs[i],
                    *from = &find_array(run, run->plan->outputs.data[i].array)->image;
        int64_t point[MAX_IMAGE_DIMENSIONS] = {0};
        if (run->plan->outputs.data[i].dimensions == 0) {
            memcpy(to->data, image_at(from, point), (size_t)type_bytes(to->type));
            continue;
        }
        if (is_empty(to))
            continue;
        Image window = *to;
        memcpy(window.stride, from->stride, sizeof window.stride);
        window.data = image_at(from, to->minimum);
        put_window(&window, to);
    }
}

Outcome split_plan_run(const SplitPlan *plan, Arena *arena, const Arguments *arguments, uint64_t *state) {
    PlanRun run = {
        .plan = plan, .arena = arena, .whole = arguments, .state = *state, .at = "the plan"};
    list_arrays(&run);
    bool good = find_boxes(&run) && allocate_arrays(&run);
    for (size_t s = 0; s < plan->steps.length && good; s++) {
        const PlanStep *step = &plan->steps.data[s];
        good = step->kind == PLAN_MAP     ? run_map(&run, step)
               : step->kind == PLAN_CHAIN ? run_chain(&run, step)
                                          : run_scan(&run, step);
    }
    if (good)
        put_outputs(&run);
    *state = run.state;
    return run.outcome;
}

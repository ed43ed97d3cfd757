/* plan_boxes.c -- the boxes of a plan's arrays (docs/large-split.md, "Boxes"): from the outputs back,
 * by queries.
 */
#include "library/split/running.h"

#include "runtime/hlc_runtime.h"

#include <string.h>

/* ---- boxes ---- */

static void include_needs(const PartRun *runner, bool before) {
    const Signature *signature = &runner->part->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        RunArray *array = part_run_image(runner, i);
        const Image *need = &runner->arguments.images[i];
        if (array && part_run_is_before(runner, i) == before && array->image.data == NULL)
            run_include(array, need->minimum, need->extent);
    }
}

/* The components of a func have one box, the hull. */
static void join_outputs(const PartRun *runner) {
    const Signature *signature = &runner->part->pipeline->signature;
    int first = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        int count = signature_func(signature, signature->outputs.data[i].func)->components;
        for (int to = first; to < first + count; to++)
            for (int from = first; from < first + count; from++)
                if (part_run_output(runner, from)->has_box)
                    run_include(part_run_output(runner, to),
                                part_run_output(runner, from)->image.minimum,
                                part_run_output(runner, from)->image.extent);
        first += count;
    }
}

static void take_windows(PartRun *runner) {
    for (int i = 0; i < runner->output_count; i++) {
        const RunArray *array = part_run_output(runner, i);
        runner->arguments.outputs[i] = array->image;
        runner->arguments.outputs[i].data = NULL;
        image_set_domain(&runner->arguments.outputs[i], &array->image);
    }
}

bool run_find_range(PlanRun *run, const PlanStep *step, int64_t *minimum, int64_t *length) {
    PartRun runner = part_run_create(run, &step->range, NULL, false);
    const Signature *signature = &step->range.pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        const RunArray *array = part_run_image(&runner, i);
        runner.arguments.images[i] = array->image;
        image_set_domain(&runner.arguments.images[i], &array->image);
    }
    return range_evaluate(&step->range, run->arena, &runner.arguments, minimum, length) ||
           run_fail(run, HLC_ERROR_GENERIC, "the range cannot be computed");
}

/* A scan begins at the first coordinate that an iteration writes, less what that one reads. */
static void grow_to_range(const PartRun *runner, int64_t minimum) {
    const PlanStep *step = runner->step;
    int d = step->dimension;
    for (int i = 0; i < runner->output_count; i++) {
        RunArray *array = part_run_output(runner, i);
        Image *box = &array->image;
        int64_t first = minimum - step->reach, end = box->minimum[d] + box->extent[d];
        if (array->has_box && first < box->minimum[d]) {
            box->minimum[d] = first;
            box->extent[d] = end - first;
        }
    }
}

/* The accumulator of a chain holds what is read of it, and so does a scan's array in the dimensions
 * that are not cut. */
static void grow_to_before(const PartRun *runner) {
    const PlanStep *step = runner->step;
    const Signature *signature = &step->part.pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        Image need = runner->arguments.images[i];
        const RunArray *array = part_run_output(runner, 0);
        if (!part_run_is_before(runner, i))
            continue;
        if (step->kind == PLAN_SCAN && (image_is_empty(&need) || !array->has_box))
            continue;
        for (int d = 0; step->kind == PLAN_SCAN && d < need.dimensions; d++)
            if (step->windows[d]) {
                need.minimum[d] = array->image.minimum[d];
                need.extent[d] = array->image.extent[d];
            }
        for (int k = 0; k < runner->output_count; k++)
            run_include(part_run_output(runner, k), need.minimum, need.extent);
    }
}

/* Asks for the whole boxes of the step's arrays, in a block of the whole range. */
static bool ask_whole(PartRun *runner, int64_t minimum, int64_t length) {
    const PlanStep *step = runner->step;
    take_windows(runner);
    if (step->kind == PLAN_CHAIN)
        part_run_set_block(runner, minimum, minimum + length);
    if (step->kind == PLAN_SCAN) {
        const Image *box = &runner->arguments.outputs[0];
        part_run_set_block(runner, box->minimum[step->dimension],
                           box->minimum[step->dimension] + box->extent[step->dimension]);
    }
    return part_run_ask(runner);
}

static bool find_step_boxes(PlanRun *run, const PlanStep *step) {
    PartRun runner = part_run_create(run, &step->part, step, true);
    int64_t minimum = 0, length = 0;
    if (run->outcome.error)
        return false;
    if (step->kind != PLAN_MAP && !run_find_range(run, step, &minimum, &length))
        return false;
    join_outputs(&runner);
    if (step->kind == PLAN_SCAN && step->reach > 0 && length > 0)
        grow_to_range(&runner, minimum);
    if (!part_run_output(&runner, 0)->has_box && runner.output_count == 1)
        return true;
    if (!ask_whole(&runner, minimum, length))
        return false;
    if (step->kind != PLAN_MAP) {
        grow_to_before(&runner);
        if (!ask_whole(&runner, minimum, length))
            return false;
    }
    include_needs(&runner, false);
    for (size_t i = 0; step->kind == PLAN_CHAIN && i < step->before.length; i++) {
        const Image *box = &part_run_output(&runner, 0)->image;
        run_include(run_array(run, step->before.data[i].array), box->minimum, box->extent);
    }
    return true;
}

/* The outputs of the whole, and what they need. */
bool run_find_boxes(PlanRun *run) {
    const SplitPlan *plan = run->plan;
    for (size_t i = 0; i < plan->outputs.length; i++) {
        const Image *window = &run->whole->outputs[i];
        int64_t zero[MAX_IMAGE_DIMENSIONS] = {0}, one[MAX_IMAGE_DIMENSIONS] = {1, 1, 1, 1};
        bool is_number = plan->outputs.data[i].dimensions == 0;
        run_include(run_array(run, plan->outputs.data[i].array), is_number ? zero : window->minimum,
                    is_number ? one : window->extent);
    }
    for (size_t s = plan->steps.length; s-- > 0;)
        if (!find_step_boxes(run, &plan->steps.data[s]))
            return false;
    return true;
}

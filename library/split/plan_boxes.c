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

bool run_find_ranges(PlanRun *run, const PlanStep *step, RunRange *ranges) {
    PartRun runner = part_run_create(run, &step->range, NULL, false);
    const Signature *signature = &step->range.pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        const RunArray *array = part_run_image(&runner, i);
        runner.arguments.images[i] = array->image;
        image_set_domain(&runner.arguments.images[i], &array->image);
    }
    for (int k = 0; k < step->order_count; k++)
        if (!range_evaluate(&step->range, k, run->arena, &runner.arguments, &ranges[k].minimum,
                            &ranges[k].length))
            return run_fail(run, HLC_ERROR_GENERIC, "the range cannot be computed");
    return true;
}

/* Along a dimension a scan begins at the first coordinate that an iteration writes, less what that one
 * reads. */
static void grow_to_range(const PartRun *runner, const PlanOrder *order, const RunRange *range) {
    int d = order->dimension;
    for (int i = 0; i < runner->output_count; i++) {
        RunArray *array = part_run_output(runner, i);
        Image *box = &array->image;
        int64_t first = box->minimum[d], end = first + box->extent[d],
                low = range->minimum - order->reach,
                high = range->minimum + range->length + order->reach;
        if (!array->has_box || !order->reach)
            continue;
        if (!order->is_lower)
            first = low < first ? low : first;
        else
            end = high > end ? high : end;
        box->minimum[d] = first;
        box->extent[d] = end - first;
    }
}

static void grow_to_ranges(const PartRun *runner, const RunRange *ranges) {
    const PlanStep *step = runner->step;
    for (int k = 0; k < step->order_count; k++)
        if (ranges[k].length <= 0)
            return;
    for (int k = 0; k < step->order_count; k++)
        grow_to_range(runner, &step->orders[k], &ranges[k]);
}

/* Can the step's arrays be made here? Coordinates have 32 bits, and so have those before a window. */
static bool check_box(const PartRun *runner) {
    const PlanStep *step = runner->step;
    const Image *box = &part_run_output(runner, 0)->image;
    int64_t elements = 1;
    for (int d = 0; d < box->dimensions; d++)
        if (box->extent[d] > MOST_ELEMENTS || (elements *= box->extent[d]) > MOST_ELEMENTS)
            return run_fail(runner->run, HLC_ERROR_OUT_OF_MEMORY,
                            "an array is too large for this check");
    for (int k = 0; k < step->order_count && step->kind == PLAN_SCAN; k++) {
        const PlanOrder *order = &step->orders[k];
        int d = order->dimension;
        if (box->minimum[d] - order->reach < INT32_MIN ||
            box->minimum[d] + box->extent[d] + order->reach > INT32_MAX)
            return run_fail(runner->run, HLC_ERROR_OUT_OF_MEMORY,
                            "coordinates are too large for a scan");
    }
    return true;
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
static bool ask_whole(PartRun *runner, const RunRange *ranges) {
    const PlanStep *step = runner->step;
    const Image *box = &runner->arguments.outputs[0];
    take_windows(runner);
    if (step->kind == PLAN_CHAIN)
        part_run_set_block(runner, 0, ranges[0].minimum, ranges[0].minimum + ranges[0].length);
    if (step->kind == PLAN_SCAN)
        part_run_set_window(runner, box->minimum, box->extent);
    return part_run_ask(runner);
}

static bool find_step_boxes(PlanRun *run, const PlanStep *step) {
    PartRun runner = part_run_create(run, &step->part, step, true);
    RunRange ranges[MAX_IMAGE_DIMENSIONS] = {0};
    if (run->outcome.error)
        return false;
    if (step->kind != PLAN_MAP && !run_find_ranges(run, step, ranges))
        return false;
    join_outputs(&runner);
    if (step->kind == PLAN_SCAN)
        grow_to_ranges(&runner, ranges);
    if (!part_run_output(&runner, 0)->has_box && runner.output_count == 1)
        return true;
    if (!check_box(&runner) || !ask_whole(&runner, ranges))
        return false;
    if (step->kind != PLAN_MAP) {
        grow_to_before(&runner);
        if (!ask_whole(&runner, ranges))
            return false;
    }
    include_needs(&runner, false);
    const PlanPorts *before = &step->orders[0].before;
    for (size_t i = 0; step->kind == PLAN_CHAIN && i < before->length; i++) {
        const Image *box = &part_run_output(&runner, 0)->image;
        run_include(run_array(run, before->data[i].array), box->minimum, box->extent);
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

/* plan_run.c -- runs a plan by the target interpreter: what an executor of docs/large-split.md does,
 * on small arguments and in one process. (The reference reads both arms of a choice, and may so read
 * more than a query says.)
 *
 * The steps run in their order, in random windows, in random blocks, in random shapes of merges.
 */
#include "library/split/running.h"

#include "runtime/hlc_runtime.h"

#include <string.h>

enum { MOST_CUTS = 5 };

static int64_t below(PlanRun *run, int64_t count) {
    return count > 0 ? (int64_t)(run_draw(run) % (uint64_t)count) : 0;
}

static bool allocate_arrays(PlanRun *run) {
    int64_t elements = 0;
    for (size_t i = run->plan->whole->signature.images.length; i < run->arrays.length; i++) {
        Image *image = &run->arrays.data[i].image;
        int64_t stride = 1;
        for (int d = 0; d < image->dimensions; d++) {
            image->stride[d] = stride;
            if (__builtin_mul_overflow(stride, image->extent[d], &stride) || stride > MOST_ELEMENTS)
                return run_fail(run, HLC_ERROR_OUT_OF_MEMORY,
                                "an array is too large for this check");
        }
        elements += stride;
        if (elements > MOST_ELEMENTS)
            return run_fail(run, HLC_ERROR_OUT_OF_MEMORY, "arrays are too large for this check");
        size_t bytes = (size_t)(image_count(image) * type_bytes(image->type));
        image->data = arena_allocate(run->arena, bytes + 16);
        memset(image->data, type_is_bool(image->type) ? 1 : 0xa5, bytes);
    }
    return true;
}

/* ---- partitions ---- */

typedef struct RunCuts {
    int64_t ends[MOST_CUTS + 1];
    int count;
} RunCuts;

/* Cuts [minimum, minimum + extent) into neighbours. */
static RunCuts cut(PlanRun *run, int64_t minimum, int64_t extent, bool is_cut) {
    RunCuts cuts = {.count = 0};
    int most = is_cut ? (int)below(run, MOST_CUTS + 1) : 0;
    int64_t at = minimum;
    while (cuts.count < most) {
        at += run_draw(run) % 4 == 0 ? 1 : 1 + below(run, extent);
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

/* A random partition of a box into windows. */
typedef struct RunPartition {
    const Image *whole;
    RunCuts cuts[MAX_IMAGE_DIMENSIONS];
    int count;
} RunPartition;

/* `windows` null: any dimension may be cut. */
static RunPartition partition_create(PlanRun *run, const Image *whole, const bool *windows) {
    RunPartition partition = {.whole = whole, .count = 1};
    for (int d = 0; d < whole->dimensions; d++) {
        partition.cuts[d] = cut(run, whole->minimum[d], whole->extent[d],
                                (!windows || windows[d]) && partition.count <= 16);
        partition.count *= partition.cuts[d].count;
    }
    return partition;
}

/* The number of the n-th window along dimension d. */
static int place_along(const RunPartition *partition, int n, int d) {
    for (int k = 0; k < d; k++)
        n /= partition->cuts[k].count;
    return n % partition->cuts[d].count;
}

/* How much more n is for the next window along dimension d. */
static int step_along(const RunPartition *partition, int d) {
    int step = 1;
    for (int k = 0; k < d; k++)
        step *= partition->cuts[k].count;
    return step;
}

static RunBox box_of(const RunPartition *partition, int n) {
    RunBox box = {0};
    for (int d = 0; d < partition->whole->dimensions; d++) {
        int at = place_along(partition, n, d);
        box.minimum[d] = begin_of(&partition->cuts[d], at, partition->whole->minimum[d]);
        box.extent[d] = partition->cuts[d].ends[at] - box.minimum[d];
    }
    return box;
}

typedef bool EachWindow(PartRun *runner, const RunBox *box, void *data);

/* Calls `each` on each window of a random partition. */
static bool each_window(PartRun *runner, const Image *whole, const bool *windows, EachWindow *each,
                        void *data) {
    if (image_is_empty(whole))
        return true;
    RunPartition partition = partition_create(runner->run, whole, windows);
    for (int n = 0; n < partition.count; n++) {
        RunBox box = box_of(&partition, n);
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
            const Image *whole = &part_run_output(runner, at)->image;
            memcpy(boxes[at].minimum, whole->minimum, sizeof boxes[at].minimum);
            if ((int)i == window->output)
                boxes[at] = *box;
        }
    }
    return part_run_window(runner, boxes, NULL, NULL);
}

static bool run_map(PlanRun *run, const PlanStep *step) {
    PartRun runner = part_run_create(run, &step->part, step, true);
    const Signature *signature = &step->part.pipeline->signature;
    int at = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        MapWindow window = {(int)i};
        if (run->outcome.error ||
            !each_window(&runner, &part_run_output(&runner, at)->image, NULL, map_window, &window))
            return false;
        at += signature_func(signature, signature->outputs.data[i].func)->components;
    }
    return true;
}

/* Are the windows before the n-th in all orders of the scan computed? */
static bool is_ready(const PlanStep *step, const RunPartition *partition, const bool *done, int n) {
    for (int k = 0; k < step->order_count; k++) {
        const PlanOrder *order = &step->orders[k];
        int d = order->dimension, at = place_along(partition, n, d),
            last = order->is_lower ? partition->cuts[d].count - 1 : 0,
            next = step_along(partition, d);
        if (order->reach && at != last && !done[order->is_lower ? n + next : n - next])
            return false;
    }
    return true;
}

/* A random one of the windows that can be computed now. */
static int draw_ready(PlanRun *run, const PlanStep *step, const RunPartition *partition,
                      const bool *done) {
    int found = -1, count = 0;
    for (int n = 0; n < partition->count; n++)
        if (!done[n] && is_ready(step, partition, done, n) && below(run, ++count) == 0)
            found = n;
    return found;
}

/* What the window read of its own array was computed: an executor waits for what is asked. */
static bool read_what_is_done(const PartRun *runner, const RunPartition *partition,
                              const bool *done) {
    for (size_t i = 0; i < runner->part->pipeline->signature.images.length; i++) {
        const Image *need = &runner->arguments.images[i];
        if (!part_run_is_before(runner, i) || image_is_empty(need))
            continue;
        for (int n = 0; n < partition->count; n++) {
            RunBox box = box_of(partition, n);
            bool meets = !done[n];
            for (int d = 0; d < need->dimensions && meets; d++)
                meets = need->minimum[d] < box.minimum[d] + box.extent[d] &&
                        box.minimum[d] < need->minimum[d] + need->extent[d];
            if (meets)
                return run_fail(runner->run, HLC_ERROR_INTERNAL,
                                "it reads a window that is not computed yet");
        }
    }
    return true;
}

static bool scan_window(PartRun *runner, const RunBox *box) {
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    part_run_set_window(runner, box->minimum, box->extent);
    return part_run_window(runner, boxes, NULL, NULL);
}

static bool run_scan(PlanRun *run, const PlanStep *step) {
    PartRun runner = part_run_create(run, &step->part, step, true);
    const Image *whole = &part_run_output(&runner, 0)->image;
    if (run->outcome.error || image_is_empty(whole))
        return !run->outcome.error;
    RunPartition partition = partition_create(run, whole, step->windows);
    bool *done = arena_array(run->arena, bool, partition.count);
    for (int left = partition.count; left > 0; left--) {
        int n = draw_ready(run, step, &partition, done);
        hlc_assert(n >= 0, "the orders of a scan have no circle");
        RunBox box = box_of(&partition, n);
        if (!scan_window(&runner, &box) || !read_what_is_done(&runner, &partition, done))
            return false;
        done[n] = true;
    }
    return true;
}

/* Images of the outputs' types, in this box. */
static Image *new_images(PartRun *runner, const RunBox *box) {
    Image *images = arena_array(runner->run->arena, Image, runner->output_count);
    for (int i = 0; i < runner->output_count; i++) {
        const Image *like = &part_run_output(runner, i)->image;
        images[i] = (Image){.type = like->type, .dimensions = like->dimensions};
        int64_t stride = 1;
        for (int d = 0; d < like->dimensions; d++) {
            images[i].minimum[d] = box->minimum[d];
            images[i].extent[d] = box->extent[d];
            images[i].stride[d] = stride;
            stride *= box->extent[d];
        }
        images[i].data =
            arena_allocate(runner->run->arena, (size_t)(stride * type_bytes(like->type)) + 16);
    }
    return images;
}

typedef struct ChainRun {
    const PlanStep *step;
    RunRange range;
    PartRun merge, identity;
} ChainRun;

static bool run_block(PartRun *runner, const RunBox *box, int64_t first, int64_t end,
                      const Image *before, const Image *results) {
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    RunRedirection to = {.before = before, .results = results};
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    part_run_set_block(runner, 0, first, end);
    return part_run_window(runner, boxes, &to, NULL);
}

static bool merge_two(ChainRun *chain, const RunBox *box, const Image *left, const Image *right,
                      const Image *results) {
    PartRun *runner = &chain->merge;
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    RunRedirection to = {.left = left, .right = right, .results = results};
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    return part_run_window(runner, boxes, &to, chain->step->merge);
}

static bool run_identity(ChainRun *chain, const RunBox *box, const Image *results) {
    PartRun *runner = &chain->identity;
    RunBox *boxes = arena_array(runner->run->arena, RunBox, runner->output_count);
    RunRedirection to = {.results = results};
    for (int i = 0; i < runner->output_count; i++)
        boxes[i] = *box;
    return part_run_window(runner, boxes, &to, NULL);
}

/* The accumulator before the first block, in the box. */
static Image *start_images(PartRun *runner, const PlanStep *step, const RunBox *box) {
    Image *images = new_images(runner, box);
    for (int i = 0; i < runner->output_count; i++) {
        Image view = run_array(runner->run, step->orders[0].before.data[i].array)->image,
              window = view;
        memcpy(window.minimum, box->minimum, sizeof window.minimum);
        memcpy(window.extent, box->extent, sizeof window.extent);
        window.data = image_at(&view, box->minimum);
        image_put_window(&window, &images[i]);
    }
    return images;
}

static bool chain_in_order(PartRun *runner, ChainRun *chain, const RunBox *box, const RunCuts *cuts,
                           Image **result) {
    *result = start_images(runner, chain->step, box);
    for (int b = 0; b < cuts->count; b++) {
        Image *next = new_images(runner, box);
        if (!run_block(runner, box, begin_of(cuts, b, chain->range.minimum), cuts->ends[b], *result,
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
            !run_block(runner, box, begin_of(cuts, b, chain->range.minimum), cuts->ends[b], before,
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
    if (chain->range.length > 0)
        cuts = cut(runner->run, chain->range.minimum, chain->range.length, true);
    bool is_apart = chain->step->merge && run_draw(runner->run) % 2;
    if (!(is_apart ? chain_apart : chain_in_order)(runner, chain, box, &cuts, &result))
        return false;
    for (int i = 0; i < runner->output_count; i++)
        image_put_window(&result[i], &part_run_output(runner, i)->image);
    return true;
}

static bool run_chain(PlanRun *run, const PlanStep *step) {
    ChainRun chain = {.step = step};
    PartRun runner = part_run_create(run, &step->part, step, true);
    if (step->merge) {
        chain.merge = part_run_create(run, &step->merge->part, NULL, true);
        chain.identity = part_run_create(run, &step->merge->identity, NULL, true);
    }
    return !run->outcome.error && run_find_ranges(run, step, &chain.range) &&
           each_window(&runner, &part_run_output(&runner, 0)->image, step->windows, chain_window,
                       &chain);
}

/* ---- the plan ---- */

static void put_outputs(PlanRun *run) {
    for (size_t i = 0; i < run->plan->outputs.length; i++) {
        const Image *to = &run->whole->outputs[i],
                    *from = &run_array(run, run->plan->outputs.data[i].array)->image;
        int64_t point[MAX_IMAGE_DIMENSIONS] = {0};
        if (run->plan->outputs.data[i].dimensions == 0) {
            memcpy(to->data, image_at(from, point), (size_t)type_bytes(to->type));
            continue;
        }
        if (image_is_empty(to))
            continue;
        Image window = *to;
        memcpy(window.stride, from->stride, sizeof window.stride);
        window.data = image_at(from, to->minimum);
        image_put_window(&window, to);
    }
}

/* Does the whole run in the window form? What it needs of images lies in them. */
static bool is_accepted(PlanRun *run) {
    PartRun whole = part_run_create(run, &run->plan->whole_part, NULL, true);
    const Signature *signature = &run->plan->whole_part.pipeline->signature;
    for (int i = 0; i < whole.output_count; i++) {
        whole.arguments.outputs[i] = run->whole->outputs[i];
        whole.arguments.outputs[i].data = NULL;
        image_set_domain(&whole.arguments.outputs[i], &run->whole->outputs[i]);
    }
    if (run->outcome.error || !part_run_ask(&whole))
        return false;
    for (size_t i = 0; i < signature->images.length; i++)
        if (!image_is_empty(&whole.arguments.images[i]) &&
            !image_contains(&run->whole->images[i], &whole.arguments.images[i]))
            return run_fail(run, HLC_ERROR_ACCESS_OUT_OF_BOUNDS, "an image is too small");
    return true;
}

Outcome split_plan_run(const SplitPlan *plan, Arena *arena, const Arguments *arguments,
                       uint64_t *state, bool *is_refused) {
    PlanRun run = {
        .plan = plan, .arena = arena, .whole = arguments, .state = *state, .at = "the plan"};
    run_list_arrays(&run);
    *is_refused = !is_accepted(&run);
    bool good = !*is_refused && run_find_boxes(&run) && allocate_arrays(&run);
    for (size_t s = 0; s < plan->steps.length && good; s++) {
        const PlanStep *step = &plan->steps.data[s];
        good = step->kind == PLAN_MAP     ? run_map(&run, step)
               : step->kind == PLAN_CHAIN ? run_chain(&run, step)
                                          : run_scan(&run, step);
    }
    if (good)
        put_outputs(&run);
    *is_refused |= run.outcome.error == HLC_ERROR_OUT_OF_MEMORY;
    *state = run.state;
    return run.outcome;
}

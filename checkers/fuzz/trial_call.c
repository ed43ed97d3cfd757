/* trial_call.c -- calls compiled code with buffers between guard pages, gaps between rows, every
 * layout that the declaration admits, and several threads.  A program with an output that may share
 * the memory of an image is called once more with shared memory. */
#include "checkers/fuzz/trial.h"

#include "runtime/hlc_runtime.h"

#include <string.h>

/* Any order of the dimensions, gaps, steps backward. */
static void choose_free_strides(RandomSource *random, const Image *image, int64_t *stride) {
    int order[MAX_IMAGE_DIMENSIONS] = {0, 1, 2, 3};
    for (int d = image->dimensions - 1; d > 0; d--) {
        int other = random_below(random, d + 1), swapped = order[d];
        order[d] = order[other];
        order[other] = swapped;
    }
    int64_t step = random_between(random, 1, 3);
    for (int i = 0; i < image->dimensions; i++) {
        int d = order[i];
        stride[d] = random_chance(random, 30) ? -step : step;
        step = step * (image->extent[d] > 0 ? image->extent[d] : 1) + random_below(random, 3);
    }
}

void trial_choose_strides(RandomSource *random, const Image *image, Layout layout,
                          int64_t *stride) {
    if (layout == LAYOUT_STRIDED) {
        choose_free_strides(random, image, stride);
        return;
    }
    int64_t step = 1;
    bool interleaved = layout == LAYOUT_INTERLEAVED && image->dimensions >= 3;
    for (int i = 0; i < image->dimensions; i++) {
        int d = interleaved ? (i + 2) % 3 : i;    /* c, x, y */
        bool is_channels = interleaved && i == 0; /* a row's pixels lie side by side */
        stride[d] = step;
        step *= image->extent[d] > 0 || is_channels ? image->extent[d] : 1;
        if (!is_channels)
            step += random_chance(random, 40) ? random_between(random, 1, 3) : 0;
    }
}

static int input_count(const CaseTrial *trial) {
    return trial->c->image_count;
}

/* Only the lowest bit of a bool counts. */
static void blur_bools(RandomSource *random, const Guarded *guarded) {
    for (size_t i = 0; i < guarded->bytes && type_is_bool(guarded->image.type); i++)
        guarded->memory[i] |= (unsigned char)(random_bits(random) & 0xFE);
    memcpy(guarded->before, guarded->memory, guarded->bytes);
}

static bool guard_all(CaseTrial *trial, Guarded *guarded, Arguments *arguments) {
    int inputs = input_count(trial);
    RandomSource random = {trial->c->seed * 7};
    *arguments = (Arguments){.parameters = trial->arguments.parameters,
                             .images = arena_array(trial->arena, Image, inputs + 1),
                             .outputs = arena_array(trial->arena, Image, trial->output_count)};
    for (int i = 0; i < inputs + trial->output_count; i++) {
        bool is_input = i < inputs;
        const Image *original =
            is_input ? &trial->arguments.images[i] : &trial->arguments.outputs[i - inputs];
        int64_t stride[MAX_IMAGE_DIMENSIONS] = {0};
        Layout layout = is_input                     ? trial->c->images[i].layout
                        : random_chance(&random, 50) ? LAYOUT_PLANAR
                        : random_chance(&random, 70) ? LAYOUT_INTERLEAVED
                                                     : LAYOUT_STRIDED;
        trial_choose_strides(&random, original, layout, stride);
        if (!guard_copy(&guarded[i], original, stride, random_chance(&random, 50)))
            return false;
        blur_bools(&random, &guarded[i]);
        *(is_input ? &arguments->images[i] : &arguments->outputs[i - inputs]) = guarded[i].image;
    }
    return true;
}

/* Says how the code was made and called: `read back, compiled at -O2 for x86-64-v3, 5 threads`. */
static const char *way_text(CaseTrial *trial, const CaseConfiguration *configuration,
                            const char *what) {
    static const char *const targets[] = {"", " for x86-64", " for x86-64-v2", " for x86-64-v3",
                                          " for x86-64-v4"};
    return arena_format(
        trial->arena, "%scompiled at -O%d%s%s%s%s%s, %d threads", what, configuration->optimize,
        targets[configuration->target], configuration->stoppable ? ", stoppable" : "",
        configuration->traced ? ", traced" : "", configuration->profiled ? ", profiled" : "",
        configuration->sanitized ? " under a sanitizer" : "", configuration->threads);
}

/* Runs.  `checks`: a certificate's, which the code has at its entry; null: none. */
static void run(CaseTrial *trial, const Jit *jit, const Arguments *arguments, int threads,
                const EntryChecks *checks, const char *way) {
    int before = hlc_set_thread_count(threads);
    int64_t work = hlc_set_dispatch_work(0); /* also small images run on threads */
    Outcome outcome = jit_call(jit, arguments);
    hlc_set_dispatch_work(work);
    hlc_set_thread_count(before);
    trial->result->runs++;
    if (checks)
        trial_compare_checked(trial, arguments, checks, &outcome, way);
    else
        trial_compare(trial, arguments, &outcome, false, way);
}

/* ---- outputs in the memory of images ---- */

/* Returns the window's elements in the memory of the image, in which it lies. */
static Image window_in(const Image *image, const Image *window) {
    Image part = *image;
    memcpy(part.minimum, window->minimum, sizeof part.minimum);
    memcpy(part.extent, window->extent, sizeof part.extent);
    part.data = image_at(image, window->minimum);
    return part;
}

/* Puts outputs into the memory of their images.  Returns their number. */
static int share_memory(CaseTrial *trial, Guarded *guarded, Arguments *arguments) {
    int shared = 0, flat = 0;
    for (int f = 0; f < trial->c->func_count; f++) {
        const CaseFunc *func = &trial->c->funcs[f];
        if (!func->is_output)
            continue;
        Image *output = &arguments->outputs[flat];
        const Guarded *image = &guarded[func->shared - (func->shared > 0)];
        if (func->shared && image_contains(&image->image, output)) {
            *output = window_in(&image->image, output);
            shared++;
        }
        flat += func->components;
    }
    return shared;
}

/* After a call in place only the elements of the window have changed. */
static void check_shared(CaseTrial *trial, Guarded *guarded, const Arguments *arguments,
                         const char *way) {
    int inputs = input_count(trial);
    for (int i = 0; i < inputs; i++) {
        for (int k = 0; k < trial->output_count; k++)
            if (arguments->outputs[k].data >= guarded[i].memory &&
                arguments->outputs[k].data < guarded[i].memory + guarded[i].bytes)
                guard_restore(&guarded[i], &arguments->outputs[k]);
        if (!guard_untouched(&guarded[i], false))
            trial_conclude(trial, VERDICT_DIFFERS, "", "%s: writes where it may not", way);
    }
}

static void call_in_place(CaseTrial *trial, const Jit *jit, const CaseConfiguration *configuration,
                          const EntryChecks *checks, const char *way) {
    int count = input_count(trial) + trial->output_count;
    Guarded *guarded = arena_array(trial->arena, Guarded, count);
    Arguments arguments;
    way = arena_format(trial->arena, "in place, %s", way);
    fprintf(stderr, "%s\n", way);
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    if (guard_all(trial, guarded, &arguments) && share_memory(trial, guarded, &arguments)) {
        run(trial, jit, &arguments, configuration->threads, checks, way);
        check_shared(trial, guarded, &arguments, way);
    }
    for (int i = 0; i < count; i++)
        guard_free(&guarded[i]);
}

static bool may_share(const Case *c) {
    for (int f = 0; f < c->func_count; f++)
        if (c->funcs[f].shared)
            return true;
    return false;
}

void trial_call(CaseTrial *trial, const Jit *jit, const CaseConfiguration *configuration,
                const EntryChecks *checks, const char *what) {
    int count = input_count(trial) + trial->output_count;
    Guarded *guarded = arena_array(trial->arena, Guarded, count);
    Arguments arguments;
    const char *way = way_text(trial, configuration, what);
    fprintf(stderr, "%s\n", way); /* the last words if the process dies (batch.c) */
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    if (guard_all(trial, guarded, &arguments)) {
        run(trial, jit, &arguments, configuration->threads, checks, way);
        for (int i = 0; i < count; i++)
            if (!guard_untouched(&guarded[i], i >= input_count(trial)))
                trial_conclude(trial, VERDICT_DIFFERS, "", "%s: writes where it may not", way);
    } else {
        trial_conclude(trial, VERDICT_REFUSED, "no memory", "no memory");
    }
    for (int i = 0; i < count; i++)
        guard_free(&guarded[i]);
    if (may_share(trial->c))
        call_in_place(trial, jit, configuration, checks, way);
}

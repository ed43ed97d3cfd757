/* trial_windows.c -- the window form: any partition of the outputs into windows gives the bytes of
 * the whole.
 *
 * Compiled code has run on the whole. Each output is cut into windows at random places, which are
 * run in random order. For each window:
 *   - a query tells the windows of the inputs, which lie in the whole images;
 *   - the inputs get memory of exactly these boxes between guard pages, with strides of their own;
 *   - the call is accepted if that for the whole was, and writes the same bytes.
 * An output is computed alone, with the others empty, or with windows of the others. For a share of
 * the windows the interpreters answer, too, and an input that lacks a row is refused.
 */
#include "checkers/fuzz/trial.h"

#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CUTS = 4,
    PARTITIONS = 8,     /* of one input of a program */
    MOST_WINDOWS = 240, /* in them */
    MOST_ELEMENTS = 1 << 18,
    MOST_WINDOWS_OF_PARTITION = MOST_WINDOWS * (MOST_CUTS + 1)
};

typedef struct WindowTrial {
    CaseTrial *trial;
    const Program *program;
    const Jit *jit;
    RandomSource random;
    Image *whole;  /* the outputs of a run on the whole */
    Image *joined; /* what the windows gave */
    int compared;  /* windows of the partition */
    bool failed;
} WindowTrial;

static void fail(WindowTrial *w, const Arguments *asked, const char *what, const char *detail) {
    const char *where = "";
    for (int i = 0; i < w->trial->output_count; i++)
        for (int d = 0; d < asked->outputs[i].dimensions; d++)
            where = arena_format(w->trial->arena, "%s%s%lld+%lld", where, d ? "," : " ",
                                 (long long)asked->outputs[i].minimum[d],
                                 (long long)asked->outputs[i].extent[d]);
    trial_conclude(w->trial, VERDICT_DIFFERS, "", "windows%s: %s%s", where, what, detail);
    w->failed = true;
}

static void set_domain(Image *image, const Image *whole) {
    image->has_domain = true;
    memcpy(image->domain_minimum, whole->minimum, sizeof image->domain_minimum);
    memcpy(image->domain_extent, whole->extent, sizeof image->domain_extent);
}

/* The part of `whole` that is the box of `window`. */
static Image view_of(const Image *whole, const Image *window) {
    Image view = *whole;
    memcpy(view.minimum, window->minimum, sizeof view.minimum);
    memcpy(view.extent, window->extent, sizeof view.extent);
    if (image_count(&view) > 0)
        view.data = image_at(whole, view.minimum);
    return view;
}

static bool lies_in(const Image *window, const Image *whole) {
    for (int d = 0; d < window->dimensions && image_count(window) > 0; d++)
        if (window->minimum[d] < whole->minimum[d] ||
            window->minimum[d] + window->extent[d] > whole->minimum[d] + whole->extent[d])
            return false;
    return true;
}

/* ---- one window ---- */

static int input_count(const WindowTrial *w) {
    return w->trial->c->image_count;
}

/* Finds the windows of the inputs. False after failing. */
static bool ask(WindowTrial *w, Arena *arena, Arguments *asked) {
    Arguments other = *asked;
    for (int i = 0; i < input_count(w); i++) {
        asked->images[i] = w->trial->arguments.images[i];
        asked->images[i].data = NULL;
        set_domain(&asked->images[i], &w->trial->arguments.images[i]);
    }
    other.images = arena_array(arena, Image, input_count(w) + 1);
    for (int i = 0; i < input_count(w); i++)
        other.images[i] = asked->images[i];
    Outcome outcome = jit_query(w->jit, asked), again = run_query(w->program, arena, &other);
    if (outcome.error || again.error)
        fail(w, asked, "the query is refused: ", outcome.error ? outcome.message : again.message);
    for (int i = 0; i < input_count(w) && !w->failed; i++) {
        const Image *image = &asked->images[i], *twin = &other.images[i];
        size_t size = sizeof *image->minimum * (size_t)image->dimensions;
        if (!lies_in(image, &w->trial->arguments.images[i]))
            fail(w, asked, "the query asks for more than there is of ",
                 w->trial->c->images[i].name);
        else if (memcmp(image->minimum, twin->minimum, size) != 0 ||
                 memcmp(image->extent, twin->extent, size) != 0)
            fail(w, asked, "the interpreter answers the query otherwise for ",
                 w->trial->c->images[i].name);
    }
    return !w->failed;
}

static bool guard_window(WindowTrial *w, Guarded *guarded, const Image *whole, Image *image,
                         Layout layout) {
    int64_t stride[MAX_IMAGE_DIMENSIONS] = {0};
    Image view = view_of(whole, image);
    trial_choose_strides(&w->random, &view, layout, stride);
    if (!guard_copy(guarded, &view, stride, random_chance(&w->random, 50)))
        return false;
    *image = guarded->image;
    set_domain(image, whole);
    return true;
}

/* Compares the window's bytes with those of the whole, and keeps them. */
static void judge(WindowTrial *w, const Arguments *asked, const char *way) {
    for (int i = 0; i < w->trial->output_count && !w->failed; i++) {
        const Image *image = &asked->outputs[i];
        int64_t count = image_count(image), point[MAX_IMAGE_DIMENSIONS];
        size_t bytes = (size_t)type_bytes(image->type);
        memcpy(point, image->minimum, sizeof point);
        for (int64_t n = 0; n < count; n++) {
            const unsigned char *got = image_at(image, point);
            bool is_same = strcmp(way, "") != 0
                               ? bits_same(image->type, bits_load(image->type, got),
                                           bits_load(image->type, image_at(&w->whole[i], point)))
                               : memcmp(got, image_at(&w->whole[i], point), bytes) == 0;
            if (!is_same) {
                fail(w, asked, "another value than in the whole",
                     arena_format(w->trial->arena, "%s: output %d at (%lld, %lld, %lld)", way, i,
                                  (long long)point[0],
                                  image->dimensions > 1 ? (long long)point[1] : 0,
                                  image->dimensions > 2 ? (long long)point[2] : 0));
                return;
            }
            if (!*way)
                memcpy(image_at(&w->joined[i], point), got, bytes);
            for (int d = 0;
                 d < image->dimensions && ++point[d] == image->minimum[d] + image->extent[d]; d++)
                point[d] = image->minimum[d];
        }
    }
}

/* The interpreters on the same window. */
static void interpret(WindowTrial *w, Arena *arena, const Arguments *asked) {
    RunOptions options = {.seed = random_bits(&w->random), .budget = 3000000};
    for (int i = 0; i < w->trial->output_count; i++)
        trial_spoil_view(&asked->outputs[i]);
    Outcome outcome = run_program(w->program, arena, asked, &options);
    if (outcome.error == 0)
        judge(w, asked, " by the target interpreter");
    else if (outcome.error != HLC_ERROR_BUDGET)
        fail(w, asked, "the target interpreter refuses: ", outcome.message);
    ReferenceOptions plain = {0};
    outcome = reference_realize(w->trial->answer, arena, asked, &plain, NULL);
    if (outcome.error == 0)
        judge(w, asked, " by the reference");
    else if (outcome.error != HLC_ERROR_ACCESS_OUT_OF_BOUNDS) /* inlining may need less */
        fail(w, asked, "the reference refuses: ", outcome.message);
}

/* An input that lacks its first or last row is refused: the query is exact about itself. */
static void lack(WindowTrial *w, const Arguments *asked) {
    for (int i = 0; i < input_count(w) && !w->failed; i++) {
        Image *image = &asked->images[i], whole = *image;
        int d = random_below(&w->random, image->dimensions);
        /* A query never answers an empty dimension that a boundary condition folds into. */
        if (image_count(image) <= 1 || w->trial->c->images[i].layout != LAYOUT_STRIDED)
            continue;
        image->extent[d]--;
        if (jit_call(w->jit, asked).error != HLC_ERROR_ACCESS_OUT_OF_BOUNDS) {
            *image = whole;
            fail(w, asked, "a call is accepted that lacks a row of ", w->trial->c->images[i].name);
        }
        *image = whole;
    }
}

/* `asked` has the windows of the outputs. */
static void run_window(WindowTrial *w, Arguments *asked) {
    CaseTrial *trial = w->trial;
    Arena *arena = arena_create(&trial->context->memory);
    int count = input_count(w) + trial->output_count, made = 0;
    Guarded *guarded = arena_array(arena, Guarded, count + 1);
    bool is_made = ask(w, arena, asked);
    for (int i = 0; i < input_count(w) && is_made; i++)
        is_made = image_count(&asked->images[i]) <= MOST_ELEMENTS &&
                  guard_window(w, &guarded[made++], &trial->arguments.images[i], &asked->images[i],
                               trial->c->images[i].layout);
    for (int i = 0; i < trial->output_count && is_made; i++)
        is_made = guard_window(w, &guarded[made++], &w->whole[i], &asked->outputs[i],
                               random_chance(&w->random, 70) ? LAYOUT_PLANAR : LAYOUT_STRIDED);
    if (is_made) {
        for (int i = input_count(w); i < count; i++)
            trial_spoil_view(&asked->outputs[i - input_count(w)]);
        Outcome outcome = jit_call(w->jit, asked);
        w->compared++;
        if (outcome.error)
            fail(w, asked, "refused, where the whole runs: ", outcome.message);
        else
            judge(w, asked, "");
        for (int i = 0; i < count && !w->failed; i++)
            if (!guard_untouched(&guarded[i], i >= input_count(w)))
                fail(w, asked, "writes where it may not", "");
        if (!w->failed && random_chance(&w->random, 10))
            lack(w, asked);
        if (!w->failed && random_chance(&w->random, 10))
            interpret(w, arena, asked);
    }
    for (int i = 0; i < made; i++)
        guard_free(&guarded[i]);
    arena_destroy(arena);
}

/* ---- the partition ---- */

/* Cuts [0, extent) into pieces: their ends, in order. Returns the number of pieces. */
static int cut(RandomSource *random, int64_t extent, int64_t *ends) {
    int cuts = random_below(random, MOST_CUTS + 1), count = 0;
    for (int64_t end = 0; end < extent && count < MOST_CUTS; ends[count++] = end)
        end +=
            random_chance(random, 25) ? 1 : 1 + (int64_t)(random_bits(random) % (uint64_t)extent);
    count = count < cuts ? count : cuts;
    while (count > 0 && ends[count - 1] >= extent)
        count--;
    ends[count++] = extent;
    return count;
}

/* A window of another output: empty mostly, or any. */
static void choose_other(WindowTrial *w, Image *window, const Image *whole) {
    bool is_empty = random_chance(&w->random, 70);
    for (int d = 0; d < window->dimensions; d++) {
        int64_t extent = whole->extent[d];
        int64_t first = extent > 0 ? (int64_t)(random_bits(&w->random) % (uint64_t)extent) : 0;
        window->minimum[d] = whole->minimum[d] + first;
        window->extent[d] =
            is_empty || extent == 0
                ? 0
                : 1 + (int64_t)(random_bits(&w->random) % (uint64_t)(extent - first));
    }
}

/* Computes the window of output `first` (its first component) in this box, and windows of others. */
static void run_box(WindowTrial *w, int first, const int64_t *minimum, const int64_t *extent) {
    const Signature *signature = &w->trial->pipeline->signature;
    Arena *arena = w->trial->arena;
    Arguments asked = {.parameters = w->trial->arguments.parameters,
                       .images = arena_array(arena, Image, input_count(w) + 1),
                       .outputs = arena_array(arena, Image, w->trial->output_count)};
    int at = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        Image window = w->whole[at];
        if (at == first && shape->dimensions > 0) {
            memcpy(window.minimum, minimum, sizeof *minimum * (size_t)shape->dimensions);
            memcpy(window.extent, extent, sizeof *extent * (size_t)shape->dimensions);
        } else if (at != first) {
            choose_other(w, &window, &w->whole[at]);
        }
        set_domain(&window, &w->whole[at]);
        for (int c = 0; c < shape->components; c++, at++) {
            asked.outputs[at] = window;
            asked.outputs[at].type = shape->types[c];
            asked.outputs[at].data = w->whole[at].data;
        }
    }
    run_window(w, &asked);
}

/* The numbers below `count`, in random order. */
static void shuffle(RandomSource *random, int *order, int count) {
    for (int i = 0; i < count; i++) {
        int k = random_below(random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

static void partition(WindowTrial *w, int first, int *left) {
    const Image *whole = &w->whole[first];
    int64_t ends[MAX_IMAGE_DIMENSIONS][MOST_CUTS + 1], minimum[MAX_IMAGE_DIMENSIONS],
        extent[MAX_IMAGE_DIMENSIONS];
    int counts[MAX_IMAGE_DIMENSIONS], windows = 1, order[MOST_WINDOWS_OF_PARTITION];
    if (image_count(whole) == 0)
        return;
    for (int d = 0; d < whole->dimensions; d++) {
        counts[d] = windows < *left ? cut(&w->random, whole->extent[d], ends[d]) : 1;
        if (counts[d] == 1)
            ends[d][0] = whole->extent[d];
        windows *= counts[d];
    }
    shuffle(&w->random, order, windows);
    for (int n = 0; n < windows && !w->failed; n++) {
        for (int d = 0, rest = order[n]; d < whole->dimensions; rest /= counts[d++]) {
            int at = rest % counts[d];
            int64_t begin = at ? ends[d][at - 1] : 0;
            minimum[d] = whole->minimum[d] + begin;
            extent[d] = ends[d][at] - begin;
        }
        run_box(w, first, minimum, extent);
    }
    *left -= windows;
    window_counts_see(&w->trial->of_program->windows, w->trial->c, w->compared);
    w->compared = 0;
}

/* ---- the whole ---- */

/* A check refuses what a run refuses, and nothing else. */
static bool compare_check(WindowTrial *w, const Arguments *arguments) {
    Outcome outcome = jit_call(w->jit, arguments), checked = jit_check(w->jit, arguments);
    if (outcome.error != checked.error && outcome.error != HLC_ERROR_OUT_OF_MEMORY)
        fail(w, arguments, "a check of the whole answers otherwise than its run: ",
             outcome.error ? outcome.message : checked.message);
    return outcome.error == 0 && !w->failed;
}

/* Runs on the whole, with images of the declared layouts. */
static bool check_whole(WindowTrial *w, Arguments *arguments) {
    int count = input_count(w), made = 0;
    Guarded *guarded = arena_array(w->trial->arena, Guarded, count + 1);
    arguments->images = arena_array(w->trial->arena, Image, count + 1);
    for (; made < count; made++) {
        const Image *original = &w->trial->arguments.images[made];
        int64_t stride[MAX_IMAGE_DIMENSIONS] = {0};
        trial_choose_strides(&w->random, original, w->trial->c->images[made].layout, stride);
        if (!guard_copy(&guarded[made], original, stride, true))
            break;
        arguments->images[made] = guarded[made].image;
    }
    bool is_run = made == count && compare_check(w, arguments);
    while (made > 0)
        guard_free(&guarded[--made]);
    return is_run;
}

static bool copy_outputs(const CaseTrial *trial, Image *images) {
    bool is_made = true;
    for (int i = 0; i < trial->output_count; i++) {
        const Image *from = &trial->arguments.outputs[i];
        is_made =
            image_allocate(&images[i], from->type, from->dimensions, from->minimum, from->extent) &&
            is_made;
    }
    return is_made;
}

void trial_windows(CaseTrial *trial, const Program *program, const Jit *jit) {
    WindowTrial w = {.trial = trial,
                     .program = program,
                     .jit = jit,
                     .random = {random_bits(&trial->random)},
                     .whole = arena_array(trial->arena, Image, trial->output_count),
                     .joined = arena_array(trial->arena, Image, trial->output_count)};
    Arguments arguments = trial->arguments;
    arguments.outputs = w.whole;
    const Signature *signature = &trial->pipeline->signature;
    int first = 0, left = MOST_WINDOWS;
    if (copy_outputs(trial, w.whole) && copy_outputs(trial, w.joined) &&
        check_whole(&w, &arguments))
        for (size_t n = 0; n < PARTITIONS * signature->outputs.length && !w.failed; n++) {
            size_t i = n % signature->outputs.length;
            partition(&w, i ? first : (first = 0), &left);
            first += signature_func(signature, signature->outputs.data[i].func)->components;
        }
    for (int i = 0; i < trial->output_count && !w.failed && left < MOST_WINDOWS; i++) {
        size_t bytes = (size_t)(image_count(&w.whole[i]) * type_bytes(w.whole[i].type));
        if (memcmp(w.joined[i].data, w.whole[i].data, bytes) != 0)
            fail(&w, &arguments, "the windows leave points out", "");
    }
    for (int i = 0; i < trial->output_count; i++) {
        free(w.whole[i].data);
        free(w.joined[i].data);
    }
}

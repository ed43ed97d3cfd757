/* trial_query.c -- checks bounds queries.  Compiled code and the target interpreter answer the
 * same. A call with inputs of exactly the answered boxes lacks nothing.  With one element less it
 * is refused.
 */
#include "checkers/fuzz/trial.h"

#include "checkers/interpreter/run.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 20 };

/* Returns the trial's arguments without memory for the inputs and, with `outputs`, the outputs. */
static Arguments without_memory(CaseTrial *trial, Arena *arena, bool outputs) {
    int inputs = trial->c->image_count;
    Arguments asked = {.parameters = trial->arguments.parameters,
                       .images = arena_array(arena, Image, inputs + 1),
                       .outputs = arena_array(arena, Image, trial->output_count + 1)};
    for (int i = 0; i < inputs; i++) {
        asked.images[i] = trial->arguments.images[i];
        asked.images[i].data = NULL;
        for (int d = 0; d < MAX_IMAGE_DIMENSIONS; d++) /* ignored by the query */
            asked.images[i].minimum[d] = asked.images[i].extent[d] = 0;
    }
    for (int i = 0; i < trial->output_count; i++) {
        asked.outputs[i] = trial->arguments.outputs[i];
        if (outputs)
            asked.outputs[i].data = NULL;
    }
    return asked;
}

static bool same_box(const Image *a, const Image *b) {
    size_t size = sizeof *a->minimum * (size_t)a->dimensions;
    return memcmp(a->minimum, b->minimum, size) == 0 && memcmp(a->extent, b->extent, size) == 0;
}

static bool same_answer(const CaseTrial *trial, const Arguments *a, const Arguments *b) {
    bool same = true;
    for (int i = 0; i < trial->c->image_count; i++)
        same = same && same_box(&a->images[i], &b->images[i]) &&
               memcmp(a->images[i].stride, b->images[i].stride, sizeof a->images[i].stride) == 0;
    for (int i = 0; i < trial->output_count; i++)
        same = same && same_box(&a->outputs[i], &b->outputs[i]);
    return same;
}

/* Allocates memory for the answered inputs; false if that would be much. */
static bool allocate(const CaseTrial *trial, Arguments *asked) {
    bool is_made = true;
    for (int i = 0; i < trial->c->image_count; i++) {
        Image *image = &asked->images[i];
        int64_t count = image_count(image);
        if (count <= MOST_ELEMENTS)
            image->data = calloc((size_t)count + 1, (size_t)type_bytes(image->type));
        is_made = is_made && image->data;
    }
    return is_made;
}

/* Is the image's box independent of itself, and is something demanded of it? */
static bool is_demanded(const CaseTrial *trial, int i) {
    bool some = false;
    for (int k = 0; k < trial->output_count; k++)
        some = some || image_count(&trial->arguments.outputs[k]) > 0;
    return some && trial->known[i] && image_count(&trial->arguments.images[i]) > 0;
}

/* If the oracle's formulas alone gave each image's box, the answer must be the same. */
static void compare_with_oracle(CaseTrial *trial, const Arguments *asked) {
    bool all = true;
    for (int i = 0; i < trial->c->image_count; i++)
        all = all && is_demanded(trial, i);
    for (int i = 0; all && i < trial->c->image_count; i++)
        if (!same_box(&asked->images[i], &trial->arguments.images[i]))
            trial_conclude(trial, VERDICT_DIFFERS, "", "query: %s has not the oracle's box",
                           trial->c->images[i].name);
}

static void shrink(CaseTrial *trial, const Jit *jit, Arguments *asked, int i) {
    Image *image = &asked->images[i], whole = *image;
    for (int end = 0; end < 2 * image->dimensions && image_count(&whole) > 0; end++) {
        int d = end / 2;
        image->extent[d]--;
        image->minimum[d] += end % 2;
        if (trial->c->images[i].layout == LAYOUT_INTERLEAVED && image->dimensions > 2)
            image->stride[0] = image->extent[2];
        Outcome outcome = jit_call(jit, asked);
        bool is_beyond = image->minimum[d] > INT32_MAX; /* such an image has no box */
        if (outcome.error !=
            (is_beyond ? HLC_ERROR_COORDINATE_RANGE : HLC_ERROR_ACCESS_OUT_OF_BOUNDS))
            trial_conclude(trial, VERDICT_DIFFERS, "",
                           "query: %s of one less in dimension %d is not refused, but: %d %s",
                           trial->c->images[i].name, d, outcome.error, outcome.message);
        *image = whole;
    }
}

/* Calls with the boxes of `asked`, which with memory are all that a call needs. */
static void call(CaseTrial *trial, const Jit *jit, Arguments *asked) {
    Outcome outcome = jit_call(jit, asked);
    if (outcome.error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS || outcome.error == HLC_ERROR_EMPTY_IMAGE ||
        outcome.error == HLC_ERROR_BAD_STRIDE)
        trial_conclude(trial, VERDICT_DIFFERS, "", "query: what it answers is refused: %s",
                       outcome.message);
    for (int i = 0; i < trial->c->image_count && outcome.error == 0; i++)
        if (is_demanded(trial, i))
            shrink(trial, jit, asked, i);
}

void trial_query(CaseTrial *trial, const Program *program, const Jit *jit) {
    Arena *arena = arena_create(&trial->context->memory);
    /* It is a query only if some buffer has no memory. */
    bool outputs = trial->c->seed % 2 || trial->c->image_count == 0;
    Arguments asked = without_memory(trial, arena, outputs);
    Arguments other = without_memory(trial, arena, outputs);
    Outcome compiled = jit_query(jit, &asked), interpreted = run_query(program, arena, &other);
    if (compiled.error != interpreted.error ||
        (compiled.error == 0 && !same_answer(trial, &asked, &other)))
        trial_conclude(trial, VERDICT_DIFFERS, "",
                       "query: compiled code answers otherwise than the interpreter: %s; %s",
                       compiled.message, interpreted.message);
    if (compiled.error == 0)
        compare_with_oracle(trial, &asked);
    for (int i = 0; i < trial->output_count; i++)
        asked.outputs[i] = trial->arguments.outputs[i];
    if (compiled.error == 0 && trial->c->image_count > 0 && allocate(trial, &asked))
        call(trial, jit, &asked);
    for (int i = 0; i < trial->c->image_count; i++)
        free(asked.images[i].data);
    arena_destroy(arena);
}

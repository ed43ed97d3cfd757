/* pseudo.c -- generated images, of a given size or of the size that a run requires.
 *
 * An image of size `auto` gets the box that the entry's bounds query returns (docs/runtime.md), at
 * the run and for its schedule. The box is exactly the required one. The elements depend only on
 * the seed and on their coordinates, not on the box, so all schedules see the same image. The same
 * query gives the required box of an image that is too small.
 */
#include "library/compiler.h"

#include "checkers/interpreter/run.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- as large as needed ---- */

/* An image that asks for its box; it keeps its domain. */
static Image unsized(const hlc_arguments *a, size_t i, const ImageParameter *parameter) {
    Image image = a->values.images[i]; /* its domain */
    image.type = parameter->type;
    image.dimensions = parameter->dimensions;
    image.data = NULL;
    for (int d = 0; d < image.dimensions; d++)
        image.minimum[d] = image.extent[d] = image.stride[d] = 0;
    return image;
}

/* Finds the required boxes of all images, or only of the automatic ones, into `boxes`. The
 * arguments never change. HLC_USER after reporting, if there is no program to query; else see
 * `*outcome`. */
static hlc_status query(hlc *h, const Runner *runner, const hlc_arguments *a, bool all,
                        Image *boxes, Outcome *outcome) {
    const Program *program = runner->program;
    Arguments asked = a->values;
    asked.images = boxes;
    for (size_t i = 0; i < a->signature->images.length; i++) {
        const ImageParameter *parameter = &a->signature->images.data[i];
        boxes[i] = a->values.images[i];
        if (a->pseudo[i].is_automatic)
            boxes[i] = unsized(a, i, parameter);
        else if (all)
            boxes[i].data = NULL;
    }
    if (runner->jit && !program) {
        *outcome = jit_query(runner->jit, &asked);
        return HLC_YES;
    }
    if (!program) /* the reference uses the boxes of the empty schedule */
        program = compiler_program(h, a->pipeline, NULL);
    if (program)
        *outcome = run_query(program, h->scratch, &asked);
    return program ? HLC_YES : HLC_USER;
}

static bool is_same_box(const Image *a, const Image *b) {
    for (int d = 0; d < a->dimensions; d++)
        if (a->minimum[d] != b->minimum[d] || a->extent[d] != b->extent[d])
            return false;
    return true;
}

/* Allocates and fills the image for the box, unless an earlier run did so. */
static hlc_status make(hlc_arguments *a, size_t i, const Image *box) {
    Image *image = &a->values.images[i];
    const ImageParameter *parameter = &a->signature->images.data[i];
    if (image->data && is_same_box(image, box))
        return HLC_YES;
    free(image->data);
    image->data = NULL;
    if (!arguments_allocate(a, image, parameter->type, parameter->dimensions, box->minimum,
                            box->extent, parameter->layout))
        return arguments_no_memory(a->h, parameter->name->text);
    fill_image(image, a->pseudo[i].kind, a->pseudo[i].value, true);
    domains_put(a);
    return HLC_YES;
}

hlc_status pseudo_fit(hlc *h, const Runner *runner, hlc_arguments *a) {
    size_t count = a->signature->images.length, automatic = 0;
    for (size_t i = 0; i < count; i++)
        automatic += a->pseudo[i].is_automatic;
    if (automatic == 0)
        return HLC_YES;
    Image *boxes = arena_array(h->scratch, Image, count);
    Outcome outcome = {0};
    hlc_status status = query(h, runner, a, false, boxes, &outcome);
    if (status == HLC_YES)
        status = runner_report(h, &outcome, NULL);
    for (size_t i = 0; i < count && status == HLC_YES; i++)
        if (a->pseudo[i].is_automatic)
            status = make(a, i, &boxes[i]);
    return status;
}

/* ---- too small ---- */

static bool is_moved(const Image *box) {
    bool moved = false;
    for (int d = 0; d < box->dimensions; d++)
        moved |= box->minimum[d] != 0;
    return moved;
}

static bool holds(const Image *image, const Image *box) {
    for (int d = 0; d < box->dimensions; d++)
        if (box->minimum[d] < image->minimum[d] ||
            box->minimum[d] + box->extent[d] > image->minimum[d] + image->extent[d])
            return false;
    return true;
}

hlc_status pseudo_print(hlc *h, const Runner *runner, const hlc_arguments *a, FILE *out) {
    size_t count = a->signature->images.length;
    Image *boxes = arena_array(h->scratch, Image, count);
    Outcome outcome = {0};
    hlc_status status = query(h, runner, a, true, boxes, &outcome);
    if (status == HLC_YES)
        status = runner_report(h, &outcome, NULL);
    for (size_t i = 0; i < count && status == HLC_YES; i++)
        fprintf(out, "%s: %s\n", a->signature->images.data[i].name->text,
                text_box(h->scratch, &boxes[i], is_moved(&boxes[i])));
    return status;
}

const char *pseudo_needed(hlc *h, const Runner *runner, const hlc_arguments *a) {
    size_t count = a->signature->images.length;
    Image *boxes = arena_array(h->scratch, Image, count);
    const char *text = "";
    Outcome outcome = {0};
    if (query(h, runner, a, true, boxes, &outcome) != HLC_YES || outcome.error != HLC_SUCCESS)
        return text;
    for (size_t i = 0; i < count; i++)
        if (!holds(&a->values.images[i], &boxes[i]))
            text = arena_format(h->scratch, "%s%s `%s` must hold %s", text, *text ? "," : "",
                                a->signature->images.data[i].name->text,
                                text_box(h->scratch, &boxes[i], is_moved(&boxes[i])));
    return text;
}

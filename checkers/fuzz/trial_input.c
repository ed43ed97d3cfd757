/* trial_input.c -- makes the input of a case: parameters, windows and images.  If the demanded
 * region can be known, an image has exactly that region. */
#include "checkers/fuzz/trial.h"

#include "frontend/frontend.h"
#include "ir/walk.h"
#include "library/compiler.h"
#include "checkers/reference/engine/reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 17 };

bool trial_load(CaseTrial *trial) {
    Context *context = trial->context;
    char *text = case_text(trial->arena, trial->c);
    context->makes_windows = trial->c->windows;
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, trial->arena, file, NULL, NULL);
    if (!module) {
        const Report *report = &context->reports.data[0];
        trial_conclude(trial, VERDICT_INVALID, "", "%u:%u: %s", report->place.line,
                       report->place.column, report->message);
        return false;
    }
    trial->pipeline = trial->answer = module_pipeline(module, "p");
    trial->schedule = module_schedule(module, trial->pipeline, "s");
    return true;
}

/* ---- parameters and outputs ---- */

static const CaseFunc *case_func(const Case *c, Symbol name) {
    for (int f = 0; f < c->func_count; f++)
        if (strcmp(c->funcs[f].name, name->text) == 0)
            return &c->funcs[f];
    hlc_assert(false, "an output is a func of the case");
    return NULL;
}

void trial_choose(CaseTrial *trial) {
    const Case *c = trial->c;
    const Signature *signature = &trial->pipeline->signature;
    Arguments *arguments = &trial->arguments;
    arguments->parameters = arena_array(trial->arena, Bits, c->parameter_count + 1);
    for (int i = 0; i < c->parameter_count; i++)
        value_from_text(c->parameters[i].type, c->parameters[i].value, &arguments->parameters[i]);
    arguments->images = arena_array(trial->arena, Image, c->image_count + 1);
    for (size_t i = 0; i < signature->outputs.length; i++)
        trial->output_count +=
            signature_func(signature, signature->outputs.data[i].func)->components;
    arguments->outputs = arena_array(trial->arena, Image, trial->output_count);
    trial->expected = arena_array(trial->arena, Image, trial->output_count);
}

static bool allocate(CaseTrial *trial, Image *image, Type type, int dimensions,
                     const CaseBox *box) {
    int64_t minimum[MAX_IMAGE_DIMENSIONS] = {0}, extent[MAX_IMAGE_DIMENSIONS] = {0};
    memcpy(minimum, box->minimum, sizeof box->minimum);
    memcpy(extent, box->extent, sizeof box->extent);
    if (image_allocate(image, type, dimensions, minimum, extent))
        return true;
    trial_conclude(trial, VERDICT_REFUSED, "no memory", "no memory");
    return false;
}

bool trial_make_outputs(CaseTrial *trial) {
    const Signature *signature = &trial->pipeline->signature;
    int at = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        const CaseFunc *func = case_func(trial->c, shape->name);
        for (int k = 0; k < shape->components; k++, at++)
            if (!allocate(trial, &trial->arguments.outputs[at], shape->types[k], shape->dimensions,
                          &func->window) ||
                !allocate(trial, &trial->expected[at], shape->types[k], shape->dimensions,
                          &func->window))
                return false;
    }
    return true;
}

void trial_free(CaseTrial *trial) {
    for (int i = 0; i < trial->c->image_count && trial->arguments.images; i++)
        free(trial->arguments.images[i].data);
    for (int i = 0; i < trial->output_count; i++) {
        free(trial->arguments.outputs[i].data);
        free(trial->expected[i].data);
    }
}

/* ---- images ---- */

static void know_box(CaseTrial *trial, Substitution *known, Symbol name, const CaseBox *box,
                     int dimensions) {
    Pool *pool = trial->pipeline->pool;
    for (int d = 0; d < dimensions; d++) {
        substitution_add(known, expr_buffer_field(pool, name, FIELD_MINIMUM, d)->name,
                         expr_index(pool, box->minimum[d]));
        substitution_add(known, expr_buffer_field(pool, name, FIELD_EXTENT, d)->name,
                         expr_index(pool, box->extent[d]));
        if (!trial->pipeline->signature.windows)
            continue;
        Extent domain = signature_domain(&trial->pipeline->signature, pool, name, d);
        substitution_add(known, domain.minimum->name, expr_index(pool, box->minimum[d]));
        substitution_add(known, domain.length->name, expr_index(pool, box->extent[d]));
    }
    known->results = map_create(trial->arena); /* results from before are stale */
}

/* Parameters and windows as constants. */
static Substitution known_values(CaseTrial *trial) {
    Substitution known = substitution_create(trial->arena);
    Pool *pool = trial->pipeline->pool;
    const Signature *signature = &trial->pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        substitution_add(&known, parameter->name,
                         expr_constant(pool, parameter->type, trial->arguments.parameters[i]));
    }
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].func;
        const CaseFunc *func = case_func(trial->c, name);
        know_box(trial, &known, name, &func->window, func->dimensions);
    }
    return known;
}

/* Computes the region in numbers; false if it depends on unknown values, or leaves i32. */
static bool evaluate(CaseTrial *trial, Substitution *known, const BoundsRegion *region,
                     CaseBox *box) {
    Pool *pool = trial->pipeline->pool;
    for (int d = 0; d < region->dimensions; d++) {
        Expr minimum = substitution_apply(pool, known, region->whole[d].minimum);
        Expr length = substitution_apply(pool, known, region->whole[d].length);
        int64_t *low = &box->minimum[d], *count = &box->extent[d];
        if (!expr_constant_integer(minimum, low) || !expr_constant_integer(length, count))
            return false;
        *count = *count < 0 ? 0 : *count;
        if (*low < INT32_MIN || *count > INT32_MAX || *low + *count - 1 > INT32_MAX)
            return false;
    }
    return true;
}

static int64_t box_count(const CaseBox *box, int dimensions) {
    double count = 1;
    for (int d = 0; d < dimensions; d++)
        count *= (double)box->extent[d];
    return count > MOST_ELEMENTS ? MOST_ELEMENTS + 1 : (int64_t)count;
}

static bool too_large(CaseTrial *trial, const char *name) {
    trial_conclude(trial, VERDICT_REFUSED, TOO_LARGE, "%s is too large", name);
    return false;
}

/* Are the funcs small?  A case with large funcs takes more time than it is worth. */
static bool funcs_are_small(CaseTrial *trial, Substitution *known, const BoundsResult *bounds) {
    for (size_t i = 0; i < bounds->funcs.length; i++) {
        const BoundsRegion *region = bounds->funcs.data[i];
        CaseBox box;
        if (region->dimensions > CASE_DIMENSIONS /* of an inline reduction */ ||
            !evaluate(trial, known, region, &box))
            continue;
        int64_t count = box_count(&box, region->dimensions);
        if (count > MOST_ELEMENTS)
            return too_large(trial, region->func->text);
        trial->points += count;
    }
    return true;
}

static void fill(Image *image, const char *how, uint64_t seed) {
    FillKind kind = how[0] == 'e' ? FILL_EDGES : how[2] == 'n' ? FILL_RANDOM : FILL_RAMP;
    fill_image(image, kind, (int64_t)seed, false);
}

static bool make_image(CaseTrial *trial, Substitution *known, const Lowered *lowered, int i) {
    const CaseImage *image = &trial->c->images[i];
    const BoundsRegion *region = lowered->bounds->images.data[i];
    CaseBox box = image->box;
    trial->known[i] = image->fitted && evaluate(trial, known, region, &box);
    if (!trial->known[i])
        box = image->box;
    trial->fitted &= trial->known[i] || !image->fitted;
    trial->result->boxes[i] = box;
    if (box_count(&box, image->dimensions) > MOST_ELEMENTS)
        return too_large(trial, image->name);
    if (!allocate(trial, &trial->arguments.images[i], image->type, image->dimensions, &box))
        return false;
    fill(&trial->arguments.images[i], image->fill, trial->c->data_seed + (uint64_t)i);
    know_box(trial, known, context_symbol(trial->context, image->name), &box, image->dimensions);
    return true;
}

bool trial_make_images(CaseTrial *trial, const Lowered *lowered) {
    const Case *c = trial->c;
    Substitution known = known_values(trial);
    trial->fitted = true;
    /* What is demanded of an image may depend on the extents of those that fold coordinates. */
    for (int fitted = 0; fitted < 2; fitted++)
        for (int i = 0; i < c->image_count; i++)
            if (c->images[i].fitted == fitted && !make_image(trial, &known, lowered, i))
                return false;
    return funcs_are_small(trial, &known, lowered->bounds);
}

/* ---- tightness ---- */

static bool reads_without(CaseTrial *trial, int image, int d, bool low) {
    Image *view = &trial->arguments.images[image], whole = *view;
    view->extent[d]--;
    view->minimum[d] += low;
    if (low)
        view->data += view->stride[d] * type_bytes(view->type);
    Arena *arena = arena_create(&trial->context->memory);
    ReferenceOptions options = {0};
    ErrorPoint error;
    Outcome outcome =
        reference_realize(trial->pipeline, arena, &trial->arguments, &options, &error);
    arena_destroy(arena);
    *view = whole;
    return outcome.error == 0;
}

bool trial_has_empty_window(const CaseTrial *trial) {
    for (int i = 0; i < trial->output_count; i++)
        if (image_count(&trial->arguments.outputs[i]) == 0)
            return true;
    return false;
}

void trial_count_loose_ends(CaseTrial *trial) {
    if (trial_has_empty_window(trial))
        return;
    for (int i = 0; i < trial->c->image_count; i++) {
        const Image *image = &trial->arguments.images[i];
        if (!trial->known[i] || image_count(image) == 0)
            continue;
        for (int d = 0; d < image->dimensions; d++)
            for (int low = 0; low < 2; low++) {
                trial->result->ends++;
                trial->result->loose_ends += reads_without(trial, i, d, low);
            }
    }
}

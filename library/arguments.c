/* arguments.c -- the arguments of a pipeline: their lifetime and memory. */
#include "library/compiler.h"

#include "base/nearest.h"
#include "ir/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lifetimes ---- */

static void name_outputs(hlc_arguments *a) {
    const Signature *signature = a->signature;
    for (size_t i = 0; i < signature->outputs.length; i++)
        a->output_count +=
            (size_t)signature_func(signature, signature->outputs.data[i].func)->components;
    a->output_names = arena_array(a->arena, const char *, a->output_count);
    a->results = arena_array(a->arena, hlc_image, a->output_count);
    size_t flat = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < shape->components; c++)
            a->output_names[flat++] = shape->components == 1
                                          ? shape->name->text
                                          : arena_format(a->arena, "%s.%d", shape->name->text, c);
    }
}

hlc_arguments *arguments_of(hlc *h, const Pipeline *pipeline) {
    Arena *arena = arena_create(&h->context->memory);
    hlc_arguments *a = arena_new(arena, hlc_arguments);
    a->arena = arena;
    a->h = h;
    a->pipeline = pipeline;
    const Signature *s = a->signature = pipeline ? &pipeline->signature : h->program->signature;
    a->values.parameters = arena_array(arena, Bits, s->parameters.length);
    a->parameter_set = arena_array(arena, bool, s->parameters.length);
    a->parameter_bound = arena_array(arena, bool, s->parameters.length);
    a->image_seeds = arena_array(arena, uint64_t, s->images.length);
    for (size_t i = 0; i < s->parameters.length; i++) {
        a->values.parameters[i] = s->parameters.data[i].default_value;
        a->parameter_set[i] = s->parameters.data[i].has_default;
    }
    a->values.images = arena_array(arena, Image, s->images.length);
    a->image_set = arena_array(arena, bool, s->images.length);
    a->image_minimum_set = arena_array(arena, bool, s->images.length);
    a->image_minimum = arena_allocate(arena, sizeof *a->image_minimum * s->images.length);
    a->window_set = arena_array(arena, bool, s->outputs.length);
    a->minimum_set = arena_array(arena, bool, s->outputs.length);
    a->windows = arena_array(arena, Image, s->outputs.length);
    a->image_domains = arena_array(arena, Image, s->images.length);
    a->window_domains = arena_array(arena, Image, s->outputs.length);
    name_outputs(a);
    a->values.outputs = arena_array(arena, Image, a->output_count);
    a->pseudo = arena_array(arena, Pseudo, s->images.length);
    a->image_lent = arena_array(arena, bool, s->images.length);
    a->output_lent = arena_array(arena, bool, a->output_count);
    a->next = h->arguments; /* last: what is in the list is whole */
    h->arguments = a;
    return a;
}

hlc_arguments *arguments_create(hlc *h, const char *name) {
    const Pipeline *pipeline = h->program ? NULL : compiler_pipeline(h, name);
    if (h->program ? !compiler_program_is(h, name) : !pipeline)
        return NULL;
    return arguments_of(h, pipeline);
}

typedef struct Create {
    const char *pipeline;
    hlc_arguments *made;
} Create;

static hlc_status create(hlc *h, void *data) {
    Create *request = data;
    request->made = arguments_create(h, request->pipeline);
    return request->made ? HLC_YES : HLC_USER;
}

hlc_arguments *hlc_arguments_create(hlc *h, const char *pipeline) {
    Create request = {pipeline, NULL};
    compiler_enter(h, create, &request);
    return request.made;
}

void hlc_arguments_destroy(hlc_arguments *a) {
    if (a)
        arguments_free(a);
}

/* ---- names ---- */

size_t arguments_parameter(const hlc_arguments *a, const char *name) {
    size_t i = 0;
    while (i < a->signature->parameters.length &&
           strcmp(a->signature->parameters.data[i].name->text, name) != 0)
        i++;
    return i;
}

size_t arguments_image(const hlc_arguments *a, const char *name) {
    size_t i = 0;
    while (i < a->signature->images.length &&
           strcmp(a->signature->images.data[i].name->text, name) != 0)
        i++;
    return i;
}

size_t arguments_output(const hlc_arguments *a, const char *name) {
    size_t i = 0;
    while (i < a->signature->outputs.length &&
           strcmp(a->signature->outputs.data[i].func->text, name) != 0)
        i++;
    return i;
}

void arguments_report_unknown(hlc_arguments *a, const char *name) {
    hlc *h = a->h;
    NameList names = {0};
    for (size_t i = 0; i < a->signature->inputs.length; i++) {
        InputRef input = a->signature->inputs.data[i];
        Symbol written = input.is_image ? a->signature->images.data[input.index].name
                                        : a->signature->parameters.data[input.index].name;
        vec_push(h->scratch, &names, written->text);
    }
    for (size_t i = 0; i < a->signature->outputs.length; i++)
        vec_push(h->scratch, &names, a->signature->outputs.data[i].func->text);
    const Pipeline *pipeline =
        h->module ? module_pipeline(h->module, a->signature->name->text) : NULL;
    NameList constants = {0};
    const char *constant, *value;
    for (size_t i = 0; pipeline && (constant = module_constant(h->module, pipeline, i, &value));
         i++)
        vec_push(h->scratch, &constants, constant);
    const char *list = compiler_list(h, &names);
    if (constants.length > 0)
        list =
            arena_format(h->scratch, "%s; its constants: %s", list, compiler_list(h, &constants));
    Nearest nearest = {.name = name};
    for (size_t i = 0; i < names.length; i++)
        nearest_offer(&nearest, names.data[i]);
    for (size_t i = 0; i < constants.length; i++)
        nearest_offer(&nearest, constants.data[i]);
    diag(h->context, DIAG_ARGUMENT_UNKNOWN, NOWHERE, name, a->signature->name->text,
         nearest_behind(h->scratch, &nearest, list));
}

size_t arguments_first_component(const hlc_arguments *a, size_t output) {
    size_t flat = 0;
    for (size_t i = 0; i < output; i++)
        flat +=
            (size_t)signature_func(a->signature, a->signature->outputs.data[i].func)->components;
    return flat;
}

const char *arguments_image_text(Arena *arena, Type type, int dimensions) {
    return arena_format(arena, "an image of %s in %d dimension%s", type_name(type), dimensions,
                        dimensions == 1 ? "" : "s");
}

/* ---- images ---- */

static double bytes_of(const Image *image) {
    double bytes = image->data ? type_bytes(image->type) : 0;
    for (int d = 0; d < image->dimensions; d++)
        bytes *= (double)image->extent[d];
    return bytes;
}

double arguments_bytes(const hlc_arguments *a) {
    double bytes = 0;
    for (size_t i = 0; i < a->signature->images.length; i++)
        bytes += a->image_lent[i] ? 0 : bytes_of(&a->values.images[i]);
    for (size_t i = 0; i < a->output_count; i++)
        bytes += a->output_lent[i] ? 0 : bytes_of(&a->values.outputs[i]);
    return bytes;
}

double hlc_arguments_bytes(const hlc_arguments *a) {
    return a ? arguments_bytes(a) : 0;
}

/* Do the images, with one of this size, keep the limit of the run's memory? */
static bool has_room(const hlc_arguments *a, Type type, int dimensions, const int64_t *extent) {
    double bytes = type_bytes(type);
    for (int d = 0; d < dimensions; d++)
        bytes *= (double)extent[d];
    return !a->h->run_memory || arguments_bytes(a) + bytes <= (double)a->h->run_memory;
}

bool arguments_allocate(const hlc_arguments *a, Image *image, Type type, int dimensions,
                        const int64_t *minimum, const int64_t *extent, Layout layout) {
    if (!has_room(a, type, dimensions, extent))
        return false;
    if (!image_allocate(image, type, dimensions, minimum, extent))
        return false;
    if (layout == LAYOUT_INTERLEAVED && dimensions >= 3) { /* channels innermost */
        image->stride[2] = 1;
        image->stride[0] = extent[2];
        image->stride[1] = extent[2] * extent[0];
    }
    return true;
}

hlc_status arguments_no_memory(hlc *h, const char *name) {
    if (h->run_memory) {
        diag(h->context, DIAG_RUN_MEMORY, NOWHERE,
             arena_format(h->scratch, "the run takes more memory with the image `%s`", name),
             arena_format(h->scratch, "%zu", h->run_memory >> 20));
        return HLC_USER;
    }
    diag(h->context, DIAG_RUN_REFUSED, NOWHERE, "out_of_memory",
         arena_format(h->scratch, "no memory for %s", name), "");
    return HLC_WORLD;
}

hlc_status arguments_bad_value(hlc_arguments *a, const char *name, const char *text,
                               const char *what, const char *remedy) {
    diag(a->h->context, DIAG_ARGUMENT_VALUE, NOWHERE, text, name, what, remedy);
    return HLC_USER;
}

const char *arguments_range_text(Arena *arena, Type type) {
    if (type_is_bool(type))
        return "write true or false";
    if (type_is_float(type))
        return "write a number, such as 0.5 or 1e-3";
    return arena_format(arena, "write a whole number from %s to %s",
                        text_value(arena, type, type_minimum(type)),
                        text_value(arena, type, type_maximum(type)));
}

hlc_status arguments_bad_size(hlc_arguments *a, const char *name, const char *text,
                              int dimensions) {
    static const char *const EXAMPLES[MAX_IMAGE_DIMENSIONS + 1] = {
        "leave it out: a func without dimensions is one value",
        "write the extent and, where needed, the minimum coordinate: 640 or 640+-1",
        "write extents and, where needed, the minimum coordinates: 640x480 or 640x480+-1+0",
        "write extents and, where needed, the minimum coordinates: 640x480x3 or 640x480x3+-1+0+0",
        ("write extents and, where needed, the minimum coordinates: 640x480x3x2 or "
         "640x480x3x2+-1+0+0+0")};
    diag(a->h->context, DIAG_SIZE_MALFORMED, NOWHERE, text, name,
         arena_format(a->h->scratch, "%d dimension%s", dimensions, dimensions == 1 ? "" : "s"),
         EXAMPLES[dimensions]);
    return HLC_USER;
}

bool hlc_arguments_is_image(const hlc_arguments *a, const char *name, hlc_kind *kind, int *bits,
                            int *dimensions) {
    size_t i = a && name ? arguments_image(a, name) : SIZE_MAX;
    if (i == SIZE_MAX || i == a->signature->images.length)
        return false;
    const ImageParameter *parameter = &a->signature->images.data[i];
    if (kind)
        *kind = list_kind(parameter->type);
    if (bits)
        *bits = parameter->type.bits;
    if (dimensions)
        *dimensions = parameter->dimensions;
    return true;
}

void arguments_place_image(hlc_arguments *a, size_t i, const int64_t *minimum) {
    Image *image = &a->values.images[i];
    memcpy(image->minimum, minimum, sizeof *minimum * (size_t)image->dimensions);
}

/* ---- ready to run ---- */

/* Without `automatic`, all images must have a size. */
static bool inputs_ready(hlc_arguments *a, bool automatic) {
    bool ready = true;
    Context *context = a->h->context;
    for (size_t i = 0; i < a->signature->parameters.length; i++)
        if (!a->parameter_set[i]) {
            const char *name = a->signature->parameters.data[i].name->text;
            diag(context, DIAG_ARGUMENT_MISSING, NOWHERE, name, "it is a number");
            ready = false;
        }
    for (size_t i = 0; i < a->signature->images.length; i++)
        if (!a->image_set[i] && !(automatic && a->pseudo[i].is_automatic)) {
            const char *name = a->signature->images.data[i].name->text;
            diag(context, DIAG_ARGUMENT_MISSING, NOWHERE, name,
                 a->pseudo[i].is_automatic
                     ? "auto takes its size from an output's window, and none is computed here"
                     : "a picture file, or contents such as random:SEED:640x480");
            ready = false;
        }
    return ready;
}

/* Allocates one component of output `i`, unless the caller lent its memory. */
static hlc_status prepare_output(hlc_arguments *a, size_t i, size_t flat, Type type) {
    const Image *window = &a->windows[i];
    Image *output = &a->values.outputs[flat];
    if (!a->output_lent[flat])
        return arguments_allocate(a, output, type, window->dimensions, window->minimum,
                                  window->extent, a->signature->outputs.data[i].layout)
                   ? HLC_YES
                   : arguments_no_memory(a->h, a->output_names[flat]);
    for (int d = 0; d < window->dimensions; d++)
        if (output->minimum[d] != window->minimum[d] || output->extent[d] != window->extent[d]) {
            diag(a->h->context, DIAG_BUFFER_UNFIT, NOWHERE, a->output_names[flat],
                 "its box is not the output's window");
            return HLC_USER;
        }
    return HLC_YES;
}

hlc_status arguments_ready(hlc_arguments *a, bool windows) {
    if (!inputs_ready(a, windows))
        return HLC_USER;
    arguments_free_outputs(a);
    size_t flat = 0;
    hlc_status status = HLC_YES;
    for (size_t i = 0; i < a->signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(a->signature, a->signature->outputs.data[i].func);
        if (!window_find(a, i, windows))
            return HLC_USER;
        for (int c = 0; c < shape->components && status == HLC_YES; c++, flat++)
            status = prepare_output(a, i, flat, shape->types[c]);
    }
    domains_put(a);
    return status;
}

size_t hlc_arguments_output_count(const hlc_arguments *a) {
    return a ? a->output_count : 0;
}

const char *hlc_arguments_output_name(const hlc_arguments *a, size_t i) {
    return i < hlc_arguments_output_count(a) ? a->output_names[i] : NULL;
}

hlc_layout hlc_arguments_layout(const hlc_arguments *a, const char *name) {
    size_t i, flat = 0;
    if (!a || !name)
        return HLC_PLANAR;
    if ((i = arguments_image(a, name)) < a->signature->images.length)
        return list_layout(a->signature->images.data[i].layout);
    while (flat < a->output_count && strcmp(a->output_names[flat], name) != 0)
        flat++;
    for (i = 0; flat < a->output_count && i < a->signature->outputs.length; i++) {
        const Output *output = &a->signature->outputs.data[i];
        size_t components = (size_t)signature_func(a->signature, output->func)->components;
        if (flat < components)
            return list_layout(output->layout);
        flat -= components;
    }
    return HLC_PLANAR;
}

static hlc_image public_image(const Image *image) {
    hlc_image made = {.kind = list_kind(image->type),
                      .bits = image->type.bits,
                      .dimensions = image->dimensions,
                      .data = image->data};
    memcpy(made.minimum, image->minimum, sizeof made.minimum);
    memcpy(made.extent, image->extent, sizeof made.extent);
    memcpy(made.stride, image->stride, sizeof made.stride);
    return made;
}

const hlc_image *hlc_arguments_output(const hlc_arguments *a, size_t i) {
    return i < hlc_arguments_output_count(a) && a->results[i].data ? &a->results[i] : NULL;
}

void arguments_publish(hlc_arguments *a) {
    for (size_t i = 0; i < a->output_count; i++)
        a->results[i] = public_image(&a->values.outputs[i]);
}

/* bind.c -- binds arguments from C: values, and the caller's own buffers, without copies.
 *
 * Binding reads the buffer's struct; a run reads or writes its elements. Compiled code checks all
 * buffers at its entry. bind_check_lent makes the same checks for the interpreters, which could
 * otherwise write into memory that overlaps an input.
 */
#include "library/compiler.h"

#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <string.h>

/* ---- values ---- */

/* Converts the value to an integer or bool of this type; false for another kind, or out of range.
 */
static bool integer_bits(Type type, const hlc_value *value, Bits *bits) {
    bool is_wide = type.kind == TYPE_UINT && type.bits == 64;
    *bits = 0;
    switch (value->kind) {
    case HLC_FLOAT:
    case HLC_BFLOAT:
        return false;
    case HLC_BOOL:
        *bits = value->as.boolean;
        break;
    case HLC_INT:
        *bits = value->as.integer;
        if (is_wide)
            return *bits >= 0;
        break;
    case HLC_UINT:
        *bits = (Bits)value->as.natural;
        if (is_wide)
            return true;
        if (value->as.natural > INT64_MAX)
            return false;
        break;
    }
    if (type_is_bool(type))
        return *bits == 0 || *bits == 1;
    return *bits >= type_minimum(type) && *bits <= type_maximum(type);
}

/* A float parameter accepts a float, rounded once, or an integer that it represents exactly. */
static bool float_bits(Type type, const hlc_value *value, Bits *bits) {
    double number = 0;
    switch (value->kind) {
    case HLC_BOOL:
    case HLC_BFLOAT:
        return false;
    case HLC_FLOAT:
        *bits = bits_from_double(type, value->as.real);
        return true;
    case HLC_INT:
        number = (double)value->as.integer;
        break;
    case HLC_UINT:
        number = (double)value->as.natural;
        break;
    }
    *bits = bits_from_double(type, number);
    double held = bits_to_double(type, *bits);
    if (value->kind == HLC_INT)
        return held >= -0x1p63 && held < 0x1p63 && (int64_t)held == value->as.integer;
    return held < 0x1p64 && (uint64_t)held == value->as.natural;
}

typedef struct BindingRequest {
    hlc_arguments *a;
    const char *name;
    hlc_value value;
    const halide_buffer_t *buffer;
} BindingRequest;

static const char *value_text(Arena *arena, const hlc_value *value) {
    switch (value->kind) {
    case HLC_BOOL:
        return value->as.boolean ? "true" : "false";
    case HLC_INT:
        return arena_format(arena, "%" PRId64, value->as.integer);
    case HLC_UINT:
        return arena_format(arena, "%" PRIu64, value->as.natural);
    case HLC_FLOAT:
    case HLC_BFLOAT:
        return arena_format(arena, "%.17g", value->as.real);
    }
    return "";
}

static hlc_status set_value(hlc *h, void *data) {
    const BindingRequest *binding = data;
    hlc_arguments *a = binding->a;
    size_t i = arguments_parameter(a, binding->name);
    if ((unsigned)binding->value.kind > HLC_FLOAT) {
        diag(h->context, DIAG_CALL_ARGUMENT, NOWHERE, "value.kind", "is none that there is");
        return HLC_USER;
    }
    if (i == a->signature->parameters.length) {
        arguments_report_unknown(a, binding->name);
        return HLC_USER;
    }
    Type type = a->signature->parameters.data[i].type;
    Bits bits;
    if (!(type_is_float(type) ? float_bits : integer_bits)(type, &binding->value, &bits)) {
        diag(h->context, DIAG_ARGUMENT_VALUE, NOWHERE, value_text(h->scratch, &binding->value),
             binding->name, arena_format(h->scratch, "a parameter of type %s", type_name(type)),
             arguments_range_text(h->scratch, type));
        return HLC_USER;
    }
    a->values.parameters[i] = bits;
    a->parameter_set[i] = a->parameter_bound[i] = true;
    return HLC_YES;
}

hlc_status hlc_arguments_set_value(hlc_arguments *a, const char *name, hlc_value value) {
    if (!a)
        return HLC_USER;
    if (!name)
        return compiler_null(a->h, "name");
    BindingRequest binding = {.a = a, .name = name, .value = value};
    return compiler_enter(a->h, set_value, &binding);
}

/* ---- buffers ---- */

enum { DEVICE_DIRTY = 2 }; /* halide_buffer_t's flag */

static bool has_type(const halide_buffer_t *buffer, Type type) {
    return buffer->type.code == argument_type_code(type) && buffer->type.bits == type.bits &&
           buffer->type.lanes == 1;
}

/* Reads the buffer as an image of this type; false after reporting. */
static bool read_buffer(const BindingRequest *binding, Type type, int dimensions, Image *image) {
    hlc *h = binding->a->h;
    const halide_buffer_t *buffer = binding->buffer;
    const char *fault = NULL;
    *image = (Image){.type = type, .dimensions = dimensions, .data = buffer->host};
    if (!has_type(buffer, type) || buffer->dimensions != dimensions)
        fault =
            arena_format(h->scratch, "it has type (%u, %u, %u) and %d dimensions, not %s",
                         buffer->type.code, buffer->type.bits, buffer->type.lanes,
                         buffer->dimensions, arguments_image_text(h->scratch, type, dimensions));
    else if (dimensions > 0 && !buffer->dim)
        fault = "its `dim` is a null pointer";
    else if (buffer->flags & DEVICE_DIRTY)
        fault = "its newest contents are on a device: copy them to the host first";
    else if ((uintptr_t)buffer->host % (uintptr_t)type_bytes(type) != 0)
        fault = arena_format(h->scratch, "its host memory is not aligned to elements of %d bytes",
                             type_bytes(type));
    for (int d = 0; d < dimensions && !fault; d++) {
        image->minimum[d] = buffer->dim[d].min;
        image->extent[d] = buffer->dim[d].extent;
        image->stride[d] = buffer->dim[d].stride;
    }
    if (!fault && !buffer->host && image_count(image) > 0)
        fault = "it has no host memory";
    if (fault)
        diag(h->context, DIAG_BUFFER_UNFIT, NOWHERE, binding->name, fault);
    return !fault;
}

static hlc_status lend_image(const BindingRequest *binding, size_t i) {
    hlc_arguments *a = binding->a;
    const ImageParameter *parameter = &a->signature->images.data[i];
    Image image;
    if (!read_buffer(binding, parameter->type, parameter->dimensions, &image))
        return HLC_USER;
    arguments_release_image(a, i);
    a->values.images[i] = image;
    a->image_set[i] = a->image_lent[i] = true;
    return HLC_YES;
}

/* Finds the output func and the component of this name; false if there is none. */
static bool find_component(const hlc_arguments *a, const char *name, size_t *output, size_t *flat) {
    *flat = 0;
    while (*flat < a->output_count && strcmp(a->output_names[*flat], name) != 0)
        ++*flat;
    *output = a->signature->outputs.length;
    while (*flat<a->output_count && * output> 0 && arguments_first_component(a, --*output) > *flat)
        ;
    return *flat < a->output_count;
}

static hlc_status lend_output(const BindingRequest *binding, size_t output, size_t flat) {
    hlc_arguments *a = binding->a;
    const FuncShape *shape = signature_func(a->signature, a->signature->outputs.data[output].func);
    Type type = shape->types[flat - arguments_first_component(a, output)];
    Image image;
    if (!read_buffer(binding, type, shape->dimensions, &image))
        return HLC_USER;
    arguments_release_output(a, flat);
    a->values.outputs[flat] = a->windows[output] = image;
    a->output_lent[flat] = a->window_set[output] = a->minimum_set[output] = true;
    return HLC_YES;
}

static hlc_status set_buffer(hlc *h, void *data) {
    const BindingRequest *binding = data;
    size_t image = arguments_image(binding->a, binding->name), output, flat;
    (void)h;
    if (image < binding->a->signature->images.length)
        return lend_image(binding, image);
    if (find_component(binding->a, binding->name, &output, &flat))
        return lend_output(binding, output, flat);
    arguments_report_unknown(binding->a, binding->name);
    return HLC_USER;
}

hlc_status hlc_arguments_set_buffer(hlc_arguments *a, const char *name,
                                    const struct halide_buffer_t *buffer) {
    if (!a)
        return HLC_USER;
    if (!name)
        return compiler_null(a->h, "name");
    if (!buffer)
        return compiler_null(a->h, "buffer");
    BindingRequest binding = {.a = a, .name = name, .buffer = buffer};
    return compiler_enter(a->h, set_buffer, &binding);
}

/* ---- proposed windows ---- */

typedef struct ProposeRequest {
    hlc_arguments *a;
    const char *output;
    halide_buffer_t *buffer;
} ProposeRequest;

/* Dense strides, the innermost dimension first; 0 where a domain's would not fit. */
static void set_strides(halide_buffer_t *buffer, const Image *window, Layout layout) {
    static const int interleaved[] = {2, 0, 1};
    int64_t stride = 1;
    for (int n = 0; n < window->dimensions; n++) {
        int d = layout == LAYOUT_INTERLEAVED ? interleaved[n] : n;
        buffer->dim[d] = (halide_dimension_t){.min = (int32_t)window->minimum[d],
                                              .extent = (int32_t)window->extent[d],
                                              .stride = (int32_t)stride};
        if (stride * window->extent[d] > INT32_MAX)
            stride = 0; /* no buffer has them */
        stride *= window->extent[d];
    }
}

static hlc_status propose(hlc *h, void *data) {
    const ProposeRequest *request = data;
    hlc_arguments *a = request->a;
    halide_buffer_t *buffer = request->buffer;
    size_t i = arguments_output(a, request->output);
    if (i == a->signature->outputs.length) {
        arguments_report_unknown(a, request->output);
        return HLC_USER;
    }
    int dimensions = signature_func(a->signature, a->signature->outputs.data[i].func)->dimensions;
    if (buffer->dimensions != dimensions || (dimensions > 0 && !buffer->dim)) {
        diag(h->context, DIAG_BUFFER_UNFIT, NOWHERE, request->output,
             arena_format(h->scratch, "the output has %d dimensions, and `dim` is for as many",
                          dimensions));
        return HLC_USER;
    }
    Image domain; /* of which no buffer holds more than a window, so any size does */
    const Image *box = &domain;
    if (a->window_set[i] || !a->signature->windows || !window_propose_domain(a, i, &domain)) {
        if (!window_find(a, i, true))
            return HLC_USER;
        box = &a->windows[i];
    }
    set_strides(buffer, box, a->signature->outputs.data[i].layout);
    return HLC_YES;
}

hlc_status hlc_arguments_propose(hlc_arguments *a, const char *output,
                                 struct halide_buffer_t *buffer) {
    if (!a)
        return HLC_USER;
    if (!output)
        return compiler_null(a->h, "output");
    if (!buffer)
        return compiler_null(a->h, "buffer");
    ProposeRequest request = {a, output, buffer};
    return compiler_enter(a->h, propose, &request);
}

/* ---- the checks of compiled code ---- */

typedef struct LentBuffers {
    Arena *arena;
    Vec(hlc_buffer_rule) rules;
    Vec(const halide_buffer_t *) buffers;
} LentBuffers;

/* Returns 0, or an error with its message in the report. */
static int add_lent(LentBuffers *all, const Image *image, hlc_buffer_rule rule, Layout layout,
                    hlc_report *report) {
    static const uint8_t LAYOUTS[] = {[LAYOUT_PLANAR] = HLC_LAYOUT_PLANAR,
                                      [LAYOUT_INTERLEAVED] = HLC_LAYOUT_INTERLEAVED,
                                      [LAYOUT_STRIDED] = HLC_LAYOUT_STRIDED};
    halide_buffer_t *buffer = arena_new(all->arena, halide_buffer_t);
    halide_dimension_t *dimensions =
        arena_array(all->arena, halide_dimension_t, MAX_IMAGE_DIMENSIONS);
    int error = image_to_buffer(image, rule.name, buffer, dimensions, report);
    if (!image->data) /* it has no element: any address does */
        buffer->host = (uint8_t *)buffer;
    rule.dimensions = image->dimensions;
    rule.type_code = buffer->type.code;
    rule.type_bits = buffer->type.bits;
    rule.layout = LAYOUTS[layout];
    vec_push(all->arena, &all->rules, rule);
    vec_push(all->arena, &all->buffers, buffer);
    return error;
}

static bool is_any_lent(const hlc_arguments *a) {
    bool any = false;
    for (size_t i = 0; i < a->signature->images.length; i++)
        any |= a->image_lent[i];
    for (size_t i = 0; i < a->output_count; i++)
        any |= a->output_lent[i];
    return any;
}

/* Returns the number of the image, among all images, whose memory the output may share; -1: none. */
static int32_t shared_image(const Signature *signature, size_t output) {
    for (size_t i = 0; i < signature->images.length; i++)
        if (signature->images.data[i].name == signature->outputs.data[output].image)
            return (int32_t)i;
    return -1;
}

const Image *bind_images_apart(const hlc_arguments *a, Arena *arena) {
    const Signature *signature = a->signature;
    Image *images = arena_array(arena, Image, signature->images.length + 1);
    for (size_t i = 0; i < signature->images.length; i++)
        images[i] = a->values.images[i];
    for (size_t i = 0; i < signature->outputs.length; i++) {
        int32_t image = shared_image(signature, i);
        if (image < 0 || !a->image_lent[image] || !a->output_lent[arguments_first_component(a, i)])
            continue;
        Image *copy = &images[image];
        int64_t stride = 1;
        for (int d = 0; d < copy->dimensions; stride *= copy->extent[d++])
            copy->stride[d] = stride;
        copy->data =
            arena_allocate(arena, (size_t)image_count(copy) * (size_t)type_bytes(copy->type) + 1);
        arguments_copy_image(copy, &a->values.images[image]);
    }
    return images;
}

Outcome bind_check_lent(const hlc_arguments *a, Arena *arena) {
    const Signature *signature = a->signature;
    Outcome outcome = {0};
    LentBuffers all = {.arena = arena};
    hlc_report report = {0};
    if (!is_any_lent(a))
        return outcome;
    for (size_t i = 0; i < signature->images.length && !outcome.error; i++) {
        const ImageParameter *image = &signature->images.data[i];
        hlc_buffer_rule rule = {.name = image->name->text, .window_of = (int32_t)i};
        outcome.error = add_lent(&all, &a->values.images[i], rule, image->layout, &report);
    }
    size_t flat = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        hlc_buffer_rule rule = {.window_of = (int32_t)all.rules.length,
                                .is_output = true,
                                .shares = shared_image(signature, i) + 1};
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < shape->components && !outcome.error; c++, flat++) {
            rule.name = a->output_names[flat];
            outcome.error = add_lent(&all, &a->values.outputs[flat], rule, LAYOUT_STRIDED, &report);
        }
    }
    if (!outcome.error)
        outcome.error =
            hlc_check_buffers(&report, all.rules.data, all.buffers.data, (int)all.rules.length);
    if (outcome.error)
        memcpy(outcome.message, report.message, sizeof outcome.message);
    return outcome;
}

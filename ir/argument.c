/* argument.c -- images in memory, and the values of startup variables in one run. */
#include "ir/argument.h"

#include <stdlib.h>
#include <string.h>

uint8_t argument_type_code(Type type) {
    static const uint8_t codes[] = {
        [TYPE_BOOL] = halide_type_uint,     [TYPE_INT] = halide_type_int,
        [TYPE_UINT] = halide_type_uint,     [TYPE_FLOAT] = halide_type_float,
        [TYPE_BFLOAT] = halide_type_bfloat, [TYPE_INDEX] = halide_type_int};
    return codes[type.kind];
}

Outcome outcome_of_report(const hlc_report *report) {
    Outcome outcome = {.error = report->error};
    memcpy(outcome.message, report->message, sizeof outcome.message);
    return outcome;
}

bool image_contains(const Image *image, const Image *window) {
    bool holds = image_count(window) > 0;
    for (int d = 0; d < image->dimensions; d++)
        holds = holds && image->minimum[d] <= window->minimum[d] &&
                window->minimum[d] + window->extent[d] <= image->minimum[d] + image->extent[d];
    return holds;
}

int64_t image_count(const Image *image) {
    int64_t count = 1;
    bool is_counted = true;
    for (int i = 0; i < image->dimensions; i++) {
        if (image->extent[i] <= 0)
            return 0;
        is_counted &= !__builtin_mul_overflow(count, image->extent[i], &count);
    }
    return is_counted ? count : INT64_MAX;
}

int64_t image_domain_minimum(const Image *image, int dimension) {
    return image->has_domain ? image->domain_minimum[dimension] : image->minimum[dimension];
}

int64_t image_domain_extent(const Image *image, int dimension) {
    return image->has_domain ? image->domain_extent[dimension] : image->extent[dimension];
}

unsigned char *image_at(const Image *image, const int64_t *coordinates) {
    uint64_t offset = 0; /* may wrap if the caller's strides are huge */
    for (int i = 0; i < image->dimensions; i++)
        offset +=
            ((uint64_t)coordinates[i] - (uint64_t)image->minimum[i]) * (uint64_t)image->stride[i];
    return (unsigned char *)((uintptr_t)image->data + offset * (uint64_t)type_bytes(image->type));
}

bool image_allocate(Image *image, Type type, int dimensions, const int64_t *minimum,
                    const int64_t *extent) {
    *image = (Image){.type = type, .dimensions = dimensions};
    for (int i = 0; i < dimensions; i++) {
        image->minimum[i] = minimum[i];
        image->extent[i] = extent[i];
    }
    int64_t count = image_count(image);
    if (count > INT64_MAX / 8)
        return false;
    for (int64_t i = 0, stride = 1; i < dimensions; i++) {
        image->stride[i] = stride;
        stride *= count ? extent[i] : 1;
    }
    image->data = calloc(count ? (size_t)count : 1, (size_t)type_bytes(type));
    return image->data;
}

static bool fits_in_32_bits(int64_t number) {
    return number >= INT32_MIN && number <= INT32_MAX;
}

/* Saturates to INT64_MAX or INT64_MIN. */
static int64_t last_coordinate(int64_t minimum, int64_t extent) {
    __int128 last = (__int128)minimum + extent - 1;
    return last > INT64_MAX ? INT64_MAX : last < INT64_MIN ? INT64_MIN : (int64_t)last;
}

int image_to_buffer(const Image *image, const char *name, halide_buffer_t *buffer,
                    halide_dimension_t *dimensions, hlc_report *report) {
    *buffer = (halide_buffer_t){
        .host = image->data,
        .type = {argument_type_code(image->type), image->type.bits, image->type.lanes},
        .dimensions = image->dimensions,
        .dim = dimensions};
    for (int d = 0; d < image->dimensions; d++) {
        int64_t minimum = image->minimum[d], extent = image->extent[d], stride = image->stride[d];
        if (!fits_in_32_bits(minimum) || !fits_in_32_bits(extent)) {
            int64_t numbers[] = {minimum, last_coordinate(minimum, extent), d};
            return hlc_fail(report, HLC_ERROR_COORDINATE_RANGE, name, numbers, 3);
        }
        if (!fits_in_32_bits(stride)) {
            int64_t numbers[] = {stride, d, stride < 0 ? INT32_MIN : INT32_MAX};
            return hlc_fail(report, HLC_ERROR_BAD_STRIDE, name, numbers, 3);
        }
        dimensions[d] = (halide_dimension_t){(int32_t)minimum, (int32_t)extent, (int32_t)stride, 0};
    }
    return 0;
}

void image_take_box(Image *image, const halide_buffer_t *buffer) {
    for (int d = 0; d < image->dimensions; d++) {
        image->minimum[d] = buffer->dim[d].min;
        image->extent[d] = buffer->dim[d].extent;
        image->stride[d] = buffer->dim[d].stride;
    }
}

static bool image_field(const Image *image, BufferField field, int dimension, Bits *bits) {
    if (dimension >= image->dimensions)
        return false;
    switch (field) {
    case FIELD_MINIMUM:
        *bits = image->minimum[dimension];
        return true;
    case FIELD_EXTENT:
        *bits = image->extent[dimension];
        return true;
    case FIELD_STRIDE:
        *bits = image->stride[dimension];
        return true;
    case FIELD_DOMAIN_MINIMUM:
        *bits = image_domain_minimum(image, dimension);
        return true;
    case FIELD_DOMAIN_EXTENT:
        *bits = image_domain_extent(image, dimension);
        return true;
    }
    return false;
}

/* Finds the image that holds output `buffer`: `out` (its first component) or `out.1`. */
static const Image *output_image(const Signature *signature, const Arguments *arguments,
                                 Context *context, Symbol buffer) {
    size_t position = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol func = signature->outputs.data[i].func;
        int components = signature_func(signature, func)->components;
        if (buffer == func)
            return &arguments->outputs[position];
        for (int c = 0; c < components; c++)
            if (buffer == symbol_format(&context->symbols, "%s.%d", func->text, c))
                return &arguments->outputs[position + (size_t)c];
        position += (size_t)components;
    }
    return NULL;
}

bool argument_variable(const Signature *signature, const Arguments *arguments, Context *context,
                       Symbol name, Bits *bits) {
    const Parameter *parameter = signature_parameter(signature, name);
    if (parameter) {
        *bits = arguments->parameters[parameter - signature->parameters.data];
        return true;
    }
    Symbol buffer;
    BufferField field;
    int dimension;
    if (!buffer_field_parse(context, name, &buffer, &field, &dimension))
        return false;
    const ImageParameter *image = signature_image(signature, buffer);
    if (image)
        return image_field(&arguments->images[image - signature->images.data], field, dimension,
                           bits);
    const Image *output = output_image(signature, arguments, context, buffer);
    return output && image_field(output, field, dimension, bits);
}

/* argument.c -- images in memory, and what the startup variables stand for in one run. */
#include "ir/argument.h"

#include <stdlib.h>
#include <string.h>

int64_t image_count(const Image *image) {
    int64_t count = 1;
    for (int i = 0; i < image->dimensions; i++) {
        if (image->extent[i] <= 0)
            return 0;
        if (__builtin_mul_overflow(count, image->extent[i], &count))
            return INT64_MAX;
    }
    return count;
}

unsigned char *image_at(const Image *image, const int64_t *coordinates) {
    int64_t offset = 0;
    for (int i = 0; i < image->dimensions; i++)
        offset += (coordinates[i] - image->minimum[i]) * image->stride[i];
    return image->data + offset * type_bytes(image->type);
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
    }
    return false;
}

/* The image that holds output `buffer`: `out` (its first component) or `out.1`. */
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

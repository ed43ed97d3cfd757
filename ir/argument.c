/* argument.c -- images in memory, and what startup variables are worth under given arguments. */
#include "ir/argument.h"

#include <stdlib.h>
#include <string.h>

int64_t image_count(const Image *image) {
    int64_t count = 1;
    for (int k = 0; k < image->dimensions; k++)
        if (image->extent[k] <= 0)
            return 0;
        else if (__builtin_mul_overflow(count, image->extent[k], &count))
            return INT64_MAX;
    return count;
}

unsigned char *image_at(const Image *image, const int64_t *coordinates) {
    int64_t offset = 0;
    for (int k = 0; k < image->dimensions; k++)
        offset += (coordinates[k] - image->minimum[k]) * image->stride[k];
    return image->data + offset * type_bytes(image->type);
}

bool image_allocate(Image *image, Type type, int dimensions, const int64_t *minimum,
                    const int64_t *extent) {
    *image = (Image){.type = type, .dimensions = dimensions};
    int64_t stride = 1;
    for (int k = 0; k < dimensions; k++) {
        image->minimum[k] = minimum[k];
        image->extent[k] = extent[k];
        image->stride[k] = stride;
        if (__builtin_mul_overflow(stride, extent[k] > 0 ? extent[k] : 1, &stride))
            return false;
    }
    int64_t count = image_count(image);
    if (count > INT64_MAX / type_bytes(type))
        return false;
    image->data = calloc(count ? (size_t)count : 1, (size_t)type_bytes(type));
    return image->data != NULL;
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

/* The image that `buffer` names: an input, an output func, or an output's tuple element `out.1`. */
static const Image *find_image(const Signature *signature, const Arguments *arguments,
                               Context *context, Symbol buffer) {
    for (size_t i = 0; i < signature->images.length; i++)
        if (signature->images.data[i].name == buffer)
            return &arguments->images[i];
    const Image *next = arguments->outputs;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].func;
        if (name == buffer)
            return next;
        int components = signature_func(signature, name)->components;
        for (int c = 0; c < components; c++, next++)
            if (components > 1 &&
                symbol_format(&context->symbols, "%s.%d", name->text, c) == buffer)
                return next;
    }
    return NULL;
}

bool argument_variable(const Signature *signature, const Arguments *arguments, Context *context,
                       Symbol name, Bits *bits) {
    for (size_t i = 0; i < signature->parameters.length; i++)
        if (signature->parameters.data[i].name == name) {
            *bits = arguments->parameters[i];
            return true;
        }
    Symbol buffer;
    BufferField field;
    int dimension;
    if (!buffer_field_parse(context, name, &buffer, &field, &dimension))
        return false;
    const Image *image = find_image(signature, arguments, context, buffer);
    return image && image_field(image, field, dimension, bits);
}

/* shared.c -- see shared.h. */
#include "library/check/shared.h"

#include <string.h>

/* The image is dense, in the order of its layout. */
static unsigned char *copy_memory(const Image *image, Arena *arena) {
    size_t bytes = (size_t)(image_count(image) * type_bytes(image->type));
    return memcpy(arena_allocate(arena, bytes), image->data, bytes);
}

bool shared_arguments(const hlc_arguments *a, Arena *arena, Arguments *shared) {
    const Signature *signature = a->signature;
    bool any = false;
    *shared = a->values;
    shared->images = arena_array(arena, Image, signature->images.length + 1);
    shared->outputs = arena_array(arena, Image, a->output_count);
    for (size_t i = 0; i < signature->images.length; i++)
        shared->images[i] = a->values.images[i];
    for (size_t i = 0; i < a->output_count; i++)
        shared->outputs[i] = a->values.outputs[i];
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].image;
        Image *image = name ? &shared->images[arguments_image(a, name->text)] : NULL;
        Image *output = &shared->outputs[arguments_first_component(a, i)];
        if (!image || !image_contains(image, output))
            continue;
        image->data = copy_memory(image, arena);
        memcpy(output->stride, image->stride, sizeof output->stride);
        output->data = image_at(image, output->minimum);
        any = true;
    }
    return any;
}

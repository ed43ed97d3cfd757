/* jit_png.c -- a C program that compiles a pipeline while it runs:
 *
 *     jit_png FILE.hl SCHEDULE IN.png OUT.png [NAME=VALUE ..]
 *
 * Loads the file, compiles its only pipeline under the schedule ("-": none), and runs it on a
 * picture, as grey: libpng's rows are the pipeline's buffers, and nothing is copied.
 */
#include "hlc.h"
#include "hlc_runtime.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of bytes, one after the other. */
typedef struct Picture {
    uint8_t *pixels;
    halide_dimension_t dimensions[2];
    halide_buffer_t buffer;
} Picture;

static int picture_create(Picture *picture, int32_t width, int32_t height) {
    memset(picture, 0, sizeof *picture);
    picture->pixels = calloc((size_t)width * (size_t)height, 1);
    picture->dimensions[0].extent = width;
    picture->dimensions[0].stride = 1;
    picture->dimensions[1].extent = height;
    picture->dimensions[1].stride = width;
    picture->buffer.host = picture->pixels;
    picture->buffer.type.code = 1; /* unsigned */
    picture->buffer.type.bits = 8;
    picture->buffer.type.lanes = 1;
    picture->buffer.dimensions = 2;
    picture->buffer.dim = picture->dimensions;
    return picture->pixels != NULL;
}

static int picture_read(Picture *picture, const char *path) {
    png_image file;
    memset(&file, 0, sizeof file);
    file.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&file, path)) {
        file.format = PNG_FORMAT_GRAY;
        if (picture_create(picture, (int32_t)file.width, (int32_t)file.height) &&
            png_image_finish_read(&file, NULL, picture->pixels, 0, NULL))
            return 1;
    }
    fprintf(stderr, "%s: %s\n", path, *file.message ? file.message : "no memory");
    png_image_free(&file);
    return 0;
}

static int picture_write(const Picture *picture, const char *path) {
    png_image file;
    memset(&file, 0, sizeof file);
    file.version = PNG_IMAGE_VERSION;
    file.format = PNG_FORMAT_GRAY;
    file.width = (png_uint_32)picture->dimensions[0].extent;
    file.height = (png_uint_32)picture->dimensions[1].extent;
    if (png_image_write_to_file(&file, path, 0, picture->pixels, 0, NULL))
        return 1;
    fprintf(stderr, "%s: %s\n", path, file.message);
    return 0;
}

/* Why something was refused. */
static void complain(const hlc *h) {
    for (size_t i = 0; i < hlc_diagnostic_count(h); i++) {
        hlc_diagnostic d = hlc_diagnostic_at(h, i);
        if (d.line > 0)
            fprintf(stderr, "%s:%u: ", d.file, d.line);
        fprintf(stderr, "%s (%s)\n", d.message, d.code);
    }
    if (hlc_diagnostic_count(h) == 0)
        fprintf(stderr, "there is not enough memory\n");
}

/* The name of the only image among the inputs; null where it is not alone. */
static const char *find_image(const hlc *h) {
    const char *found = NULL;
    for (size_t i = 0; i < hlc_input_count(h, 0); i++) {
        hlc_input input = hlc_input_at(h, 0, i);
        if (input.is_image && found)
            return NULL;
        if (input.is_image)
            found = input.name;
    }
    return found;
}

/* NAME=VALUE. */
static hlc_status bind_word(hlc_arguments *a, char *word) {
    char *equals = strchr(word, '=');
    if (!equals)
        return hlc_arguments_set(a, word, "");
    *equals = 0;
    return hlc_arguments_set(a, word, equals + 1);
}

/* Compiles, binds and runs; `from` and `to` are the pipeline's memory. */
static hlc_status run(hlc *h, const char *schedule, Picture *from, Picture *to, char **words) {
    hlc_function *function = hlc_compile_function(h, NULL, schedule, NULL);
    hlc_arguments *a = function ? hlc_arguments_create(h, NULL) : NULL;
    const char *image = a ? find_image(h) : NULL;
    if (!a)
        return HLC_USER;
    if (!image) {
        fprintf(stderr, "the pipeline must take one picture\n");
        return HLC_USER;
    }
    hlc_status status = hlc_arguments_set_buffer(a, image, &from->buffer);
    if (status == HLC_YES)
        status = hlc_arguments_set_buffer(a, hlc_arguments_output_name(a, 0), &to->buffer);
    for (; *words && status == HLC_YES; words++)
        status = bind_word(a, *words);
    return status == HLC_YES ? hlc_function_run(function, a) : status;
}

int main(int count, char **arguments) {
    Picture from = {0}, to = {0};
    if (count < 5) {
        fprintf(stderr, "usage: jit_png FILE.hl SCHEDULE IN.png OUT.png [NAME=VALUE ..]\n");
        return 2;
    }
    const char *schedule = strcmp(arguments[2], "-") == 0 ? NULL : arguments[2];
    hlc *h = hlc_create();
    hlc_status status = h ? hlc_load(h, arguments[1]) : HLC_WORLD;
    if (status == HLC_YES &&
        !(picture_read(&from, arguments[3]) &&
          picture_create(&to, from.dimensions[0].extent, from.dimensions[1].extent)))
        status = HLC_WORLD;
    else if (status == HLC_YES) {
        status = run(h, schedule, &from, &to, arguments + 5);
        if (status != HLC_YES)
            complain(h);
        else if (!picture_write(&to, arguments[4]))
            status = HLC_WORLD;
    } else if (h) {
        complain(h);
    }
    hlc_destroy(h);
    free(from.pixels);
    free(to.pixels);
    return (int)status;
}

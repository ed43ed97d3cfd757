/* blur_png.c -- a C program that links a compiled pipeline:  blur_png IN.png WIDTH OUT.png
 *
 * Blurs a picture, as grey, with examples/blur.hl.  `make` (Makefile) compiles the pipeline to
 * blur.o and blur.h, whose prototype says how it is called; here libpng's rows are its buffers.
 */
#include "blur.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of bytes, one after the other, as the pipeline takes them. */
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

/* What the pipeline refuses, such as a width beyond its range, comes here as a sentence. */
static void complain(void *user, int error, const char *message) {
    (void)user;
    fprintf(stderr, "blur refuses (%s): %s\n", hlc_error_name(error), message);
}

int main(int count, char **arguments) {
    Picture from = {0}, to = {0};
    if (count != 4) {
        fprintf(stderr, "usage: blur_png IN.png WIDTH OUT.png\n");
        return 2;
    }
    hlc_set_error_handler(complain);
    int is_done = picture_read(&from, arguments[1]) &&
                  picture_create(&to, from.dimensions[0].extent, from.dimensions[1].extent) &&
                  blur(&from.buffer, atoi(arguments[2]), &to.buffer) == 0 &&
                  picture_write(&to, arguments[3]);
    free(from.pixels);
    free(to.pixels);
    return is_done ? 0 : 1;
}

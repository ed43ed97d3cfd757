/* image_io.c -- PNG files as images and images as PNG files.
 *
 * Reading: 1 to 4 channels of 8 or 16 bits (fewer bits and palettes are expanded to 8).  An input
 * of two dimensions takes files of one channel; one of three takes any, channels last.  Samples are
 * taken to the input's type: u8 (16 bits are rounded), u16 (8 bits are scaled by 257), f32 and f64
 * (0 to 1). Writing: u8 as 8 bits, u16 as 16, bool as 0 and 255, floats clamped to [0, 1] as 16
 * bits; others are refused.  A file is written beside its place and renamed, so it is complete or
 * not there.
 */
#include "driver/driver.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Samples of 8 or 16 bits (in this machine's order), channels innermost, rows from the top. */
typedef struct Raster {
    uint32_t width, height;
    int channels, bits;
    unsigned char *samples;
} Raster;

static size_t row_bytes(const Raster *raster) {
    return (size_t)raster->width * (size_t)raster->channels * ((size_t)raster->bits / 8);
}

static double sample_get(const Raster *raster, size_t i) {
    if (raster->bits == 8)
        return raster->samples[i];
    uint16_t sample;
    memcpy(&sample, raster->samples + 2 * i, sizeof sample);
    return sample;
}

static void sample_put(Raster *raster, size_t i, double value) {
    uint16_t sample = (uint16_t)value;
    if (raster->bits == 8)
        raster->samples[i] = (unsigned char)value;
    else
        memcpy(raster->samples + 2 * i, &sample, sizeof sample);
}

/* libpng's errors come here: keep the message, leave. */
static void on_error(png_structp png, png_const_charp message) {
    snprintf(png_get_error_ptr(png), 200, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static bool is_little_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static void read_header(png_structp png, png_infop info, Raster *raster) {
    png_read_info(png, info);
    png_set_expand(png);
    if (is_little_endian())
        png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    raster->width = png_get_image_width(png, info);
    raster->height = png_get_image_height(png, info);
    raster->channels = png_get_channels(png, info);
    raster->bits = png_get_bit_depth(png, info);
}

/* The file's samples, from malloc; false with the reason in `message`. */
static bool read_png(FILE *file, Raster *raster, char *message) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    png_bytep *volatile rows = NULL;
    if (!info) {
        strcpy(message, "no memory");
        png_destroy_read_struct(&png, NULL, NULL);
        return false;
    }
    bool failed = setjmp(png_jmpbuf(png));
    if (!failed) {
        png_init_io(png, file);
        read_header(png, info, raster);
        raster->samples = malloc(row_bytes(raster) * raster->height);
        rows = malloc(sizeof(png_bytep) * raster->height);
        if (!raster->samples || !rows)
            png_error(png, "no memory");
        for (uint32_t y = 0; y < raster->height; y++)
            rows[y] = raster->samples + y * row_bytes(raster);
        png_read_image(png, rows);
        png_read_end(png, NULL);
    }
    free(rows);
    png_destroy_read_struct(&png, &info, NULL);
    return !failed;
}

/* One sample, of `most` at most, as an element of the image. */
static void store_element(const hlc_image *image, size_t i, double sample, double most) {
    double wide = sample / most;
    float narrow = (float)wide;
    uint16_t word = (uint16_t)(most == 255 ? sample * 257 : sample);
    if (image->kind == HLC_FLOAT && image->bits == 32)
        memcpy((float *)image->data + i, &narrow, sizeof narrow);
    else if (image->kind == HLC_FLOAT)
        memcpy((double *)image->data + i, &wide, sizeof wide);
    else if (image->bits == 16)
        memcpy((uint16_t *)image->data + i, &word, sizeof word);
    else
        ((unsigned char *)image->data)[i] =
            (unsigned char)(most == 255 ? sample : floor(sample / 257 + 0.5));
}

/* The raster as an image of this type, planar; data null where there is no memory. */
static hlc_image to_image(const Raster *raster, hlc_kind kind, int bits, int dimensions) {
    hlc_image image = {.kind = kind,
                       .bits = bits,
                       .dimensions = dimensions == 2 && raster->channels == 1 ? 2 : 3,
                       .extent = {raster->width, raster->height, raster->channels},
                       .stride = {1, raster->width, (int64_t)raster->width * raster->height}};
    size_t plane = (size_t)raster->width * raster->height, channels = (size_t)raster->channels;
    image.data = malloc(plane * channels * ((size_t)bits / 8));
    for (size_t i = 0; image.data && i < plane; i++)
        for (size_t c = 0; c < channels; c++)
            store_element(&image, c * plane + i, sample_get(raster, i * channels + c),
                          raster->bits == 8 ? 255 : 65535);
    return image;
}

hlc_status image_load(const Command *command, hlc_arguments *arguments, const char *name,
                      const char *path) {
    hlc_kind kind;
    int bits, dimensions;
    hlc_arguments_is_image(arguments, name, &kind, &bits, &dimensions);
    FILE *file = fopen(path, "rb");
    if (!file) {
        diagnose(command, "E0801", path, strerror(errno));
        return HLC_WORLD;
    }
    Raster raster = {0};
    char message[200] = "";
    bool read = read_png(file, &raster, message);
    fclose(file);
    hlc_status status = HLC_WORLD;
    bool takes_samples = kind == HLC_FLOAT || (kind == HLC_UINT && bits <= 16);
    if (!read) {
        diagnose(command, "E0825", path, message);
    } else if (!takes_samples) {
        diagnose(command, "E0829", name, path);
        status = HLC_USER;
    } else {
        hlc_image image = to_image(&raster, kind, bits, dimensions);
        if (image.data)
            status = hlc_arguments_set_image(arguments, name, &image);
        free(image.data);
    }
    free(raster.samples);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static const char *misfit(const hlc_image *image) {
    if (image->kind == HLC_INT || (image->kind == HLC_UINT && image->bits > 16))
        return "cast to u8 or u16 in the pipeline, or to f32 with values from 0 to 1";
    if (image->dimensions > 3 || (image->dimensions == 3 && image->extent[2] > 4))
        return "a PNG file has two dimensions and up to four channels";
    for (int d = 0; d < image->dimensions; d++)
        if (image->extent[d] < 1)
            return "a PNG file has at least one pixel";
    return NULL;
}

static double load_element(const hlc_image *image, size_t i) {
    double value;
    if (image->bits <= 8) {
        unsigned char byte = ((const unsigned char *)image->data)[i];
        return image->kind == HLC_BOOL ? 255 * (byte != 0) : byte;
    }
    if (image->kind == HLC_UINT)
        return ((const uint16_t *)image->data)[i];
    value = image->bits == 32 ? ((const float *)image->data)[i] : ((const double *)image->data)[i];
    return isnan(value) ? 0 : floor(fmin(fmax(value, 0), 1) * 65535 + 0.5);
}

static bool to_raster(const hlc_image *image, Raster *raster) {
    raster->width = image->dimensions > 0 ? (uint32_t)image->extent[0] : 1;
    raster->height = image->dimensions > 1 ? (uint32_t)image->extent[1] : 1;
    raster->channels = image->dimensions > 2 ? (int)image->extent[2] : 1;
    raster->bits = image->bits > 8 ? 16 : 8;
    raster->samples = malloc(row_bytes(raster) * raster->height);
    size_t i = 0;
    for (int64_t y = 0; raster->samples && y < raster->height; y++)
        for (int64_t x = 0; x < raster->width; x++)
            for (int64_t c = 0; c < raster->channels; c++)
                sample_put(
                    raster, i++,
                    load_element(image, (size_t)(x * image->stride[0] + y * image->stride[1] +
                                                 c * image->stride[2])));
    return raster->samples != NULL;
}

static bool write_png(FILE *file, const Raster *raster, char *message) {
    static const int COLORS[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        strcpy(message, "no memory");
        png_destroy_write_struct(&png, NULL);
        return false;
    }
    bool failed = setjmp(png_jmpbuf(png));
    if (!failed) {
        png_init_io(png, file);
        png_set_IHDR(png, info, raster->width, raster->height, raster->bits,
                     COLORS[raster->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        if (raster->bits == 16 && is_little_endian())
            png_set_swap(png);
        for (uint32_t y = 0; y < raster->height; y++)
            png_write_row(png, raster->samples + y * row_bytes(raster));
        png_write_end(png, NULL);
    }
    png_destroy_write_struct(&png, &info);
    return !failed;
}

static hlc_status write_file(const Command *command, const Raster *raster, const char *path) {
    char message[200] = "";
    NewFile new_file;
    hlc_status status = file_begin(command, path, &new_file);
    if (status != HLC_YES)
        return status;
    bool is_written = write_png(new_file.file, raster, message);
    return file_end(command, &new_file, is_written ? NULL : message);
}

hlc_status image_check_path(const Command *command, const char *path) {
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".png") == 0)
        return HLC_YES;
    diagnose(command, "E0828", path);
    return HLC_USER;
}

hlc_status image_save(const Command *command, const char *name, const hlc_image *image,
                      const char *path) {
    static const char *const KINDS[] = {"bool", "i", "u", "f"};
    const char *why = misfit(image);
    if (why) {
        char what[80];
        snprintf(what, sizeof what, "of %s%d in %d dimensions", KINDS[image->kind], image->bits,
                 image->dimensions);
        diagnose(command, "E0826", name, what, why);
        return HLC_USER;
    }
    Raster raster = {0};
    hlc_status status = HLC_WORLD;
    if (to_raster(image, &raster))
        status = write_file(command, &raster, path);
    free(raster.samples);
    return status;
}

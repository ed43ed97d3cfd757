/* fit.c -- converts channels and samples to the form of an input, or of a file format.
 *
 * A sample represents a fraction of full scale: an unsigned integer its value divided by the
 * largest of its type, a bool 0 or 1, a float itself. A conversion preserves the fraction; integers
 * are rounded to nearest. Loading refuses conversions that lose more than this rounding: floats to
 * integers, signed integers to another type, greys to a bool. The samples of a .npy file are plain
 * values: its type must be the input's.
 *
 * The channels are the file's. On request (`gray:`, `rgb:`, `rgba:`), colour becomes grey by Rec.
 * 601's weights, and grey becomes colour by repetition. The last of two or four channels is alpha.
 * It is dropped, or added as opaque, and never multiplied.
 */
#include "driver/image/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

/* Returns a sample of at most 32 bits, or a float, as an exact double. */
static double sample_get(hlc_kind kind, int bits, const unsigned char *at) {
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
    } sample;
    if (image_kind_is_float(kind))
        return image_float(kind, bits, at);
    memcpy(&sample, at, bits == 1 ? 1 : (size_t)bits / 8);
    if (kind == HLC_INT)
        return bits == 8 ? sample.i8 : bits == 16 ? sample.i16 : sample.i32;
    return bits <= 8 ? sample.u8 : bits == 16 ? sample.u16 : sample.u32;
}

/* The value fits the type. */
static void sample_put(hlc_kind kind, int bits, unsigned char *at, double value) {
    if (image_kind_is_float(kind) && bits == 16) {
        uint16_t sample = short_float_put(kind, value);
        memcpy(at, &sample, sizeof sample);
    } else if (kind == HLC_FLOAT && bits == 32) {
        float sample = (float)value;
        memcpy(at, &sample, sizeof sample);
    } else if (kind == HLC_FLOAT) {
        memcpy(at, &value, sizeof value);
    } else if (bits <= 8) {
        *at = (unsigned char)(int)value;
    } else if (bits == 16) {
        uint16_t sample = (uint16_t)(int32_t)value;
        memcpy(at, &sample, sizeof sample);
    } else {
        uint32_t sample = (uint32_t)(int64_t)value;
        memcpy(at, &sample, sizeof sample);
    }
}

/* Returns full scale in this type. */
static double full_scale(hlc_kind kind, int bits) {
    return image_kind_is_float(kind) || kind == HLC_BOOL ? 1 : ldexp(1, bits) - 1;
}

/* Rescales to the same fraction of full scale. (From an unsigned type to a smaller one no value
 * lies halfway.) */
static double rescale(double value, double from, double to, bool to_float) {
    double part = from == 1 ? value : value / from;
    if (to_float)
        return part;
    return isnan(part) ? 0 : floor(fmin(fmax(part, 0), 1) * to + 0.5);
}

/* ---- channels ---- */

/* Converts between grey and colour of `count` channels; the last of two or four is alpha. */
static void remap(const double *from, int count, double *to, int wanted, bool integers,
                  double opaque) {
    bool colour = count >= 3;
    if (wanted == 1 && colour) {
        double grey = (299 * from[0] + 587 * from[1] + 114 * from[2]) / 1000;
        to[0] = integers ? floor(grey + 0.5) : grey;
        return;
    }
    for (int c = 0; c < wanted && c < 3; c++)
        to[c] = from[colour ? c : 0];
    if (wanted == 4)
        to[3] = count % 2 == 0 ? from[count - 1] : opaque;
}

/* Replaces the picture by one of this type and number of channels (0: unchanged), planar. */
bool picture_convert(Picture *picture, hlc_kind kind, int bits, int channels,
                     ImageFailure *failure) {
    const hlc_image *from = &picture->image;
    int count = (int)from->extent[2], wanted = channels ? channels : count;
    int64_t width = from->extent[0], height = from->extent[1];
    bool same = kind == from->kind && bits == from->bits;
    double scale = full_scale(from->kind, from->bits), to_scale = full_scale(kind, bits);
    int64_t size = (int64_t)image_element_bytes(from), to_size = bits == 1 ? 1 : bits / 8;
    Picture made = {.most_bytes = picture->most_bytes};
    if (!picture_allocate(&made, kind, bits, width, height, wanted, failure))
        return false;
    const int64_t stride[] = {1, width, width * height};
    memcpy(made.image.stride, stride, sizeof stride);
    double values[4], mapped[4];
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const unsigned char *at = (const unsigned char *)from->data +
                                      (x * from->stride[0] + y * from->stride[1]) * size;
            unsigned char *to = (unsigned char *)made.memory + (x + y * width) * to_size;
            for (int c = 0; c < count; c++)
                values[c] = sample_get(from->kind, from->bits, at + c * from->stride[2] * size);
            if (channels)
                remap(values, count, mapped, wanted, !image_kind_is_float(from->kind), scale);
            for (int c = 0; c < wanted; c++) {
                double value = channels ? mapped[c] : values[c];
                sample_put(kind, bits, to + c * stride[2] * to_size,
                           same ? value
                                : rescale(value, scale, to_scale, image_kind_is_float(kind)));
            }
        }
    free(picture->memory);
    *picture = made;
    return true;
}

/* ---- the conversions of loading ---- */

static bool misfit_type(const hlc_image *image, const ImageDemand *demand, ImageFailure *failure) {
    char reason[120], remedy[120];
    TypeText has = image_type_text(image->kind, image->bits);
    TypeText takes = image_type_text(demand->kind, demand->bits);
    snprintf(reason, sizeof reason, "its samples are %s, and the input takes %s", has.text,
             takes.text);
    snprintf(remedy, sizeof remedy, "declare it image<%s, %d>, and cast in the pipeline", has.text,
             demand->dimensions);
    return image_fail(failure, IMAGE_MISFIT, reason, remedy);
}

/* Is each sample 0 or full scale? */
static bool is_black_and_white(const hlc_image *image) {
    double most = full_scale(image->kind, image->bits);
    for (int64_t c = 0; c < image->extent[2]; c++)
        for (int64_t y = 0; y < image->extent[1]; y++)
            for (int64_t x = 0; x < image->extent[0]; x++) {
                int64_t element =
                    x * image->stride[0] + y * image->stride[1] + c * image->stride[2];
                double value = sample_get(image->kind, image->bits,
                                          (const unsigned char *)image->data +
                                              element * (int64_t)image_element_bytes(image));
                if (value != 0 && value != most)
                    return false;
            }
    return true;
}

static bool fit_type(const Picture *picture, const ImageDemand *demand, ImageFailure *failure) {
    const hlc_image *image = &picture->image;
    if (image->kind == demand->kind && image->bits == demand->bits)
        return true;
    bool from_part = image->kind == HLC_UINT || image_kind_is_float(image->kind);
    bool to_float = image_kind_is_float(demand->kind);
    bool fits = !picture->is_array && from_part && demand->bits <= (to_float ? 64 : 32) &&
                (to_float || (image->kind == HLC_UINT && demand->kind != HLC_INT));
    if (!fits)
        return misfit_type(image, demand, failure);
    if (demand->kind == HLC_BOOL && !is_black_and_white(image))
        return image_fail(failure, IMAGE_MISFIT,
                          "the input takes bools, and not all of its samples are black or white",
                          "declare it of u8, and compare in the pipeline");
    return true;
}

/* Does the picture have the input's dimensions with this number of channels? */
static bool fit_dimensions(const Picture *picture, int64_t channels, const ImageDemand *demand,
                           ImageFailure *failure) {
    const hlc_image *image = &picture->image;
    TypeText type = image_type_text(image->kind, image->bits);
    char reason[160], remedy[160];
    bool is_picture = image->dimensions == 3 && !picture->is_array;
    if (demand->dimensions == image->dimensions ||
        (demand->dimensions == 2 && is_picture && channels == 1))
        return true;
    if (demand->dimensions == 2 && image->dimensions == 3) {
        snprintf(reason, sizeof reason, "it has %lld channels, and the input two dimensions",
                 (long long)channels);
        snprintf(remedy, sizeof remedy,
                 "declare image<%s, 3> for it, or take its greys: write gray: before the path",
                 type.text);
    } else {
        snprintf(reason, sizeof reason, "it has %d dimensions, and the input %d", image->dimensions,
                 demand->dimensions);
        if (image->dimensions > 0)
            snprintf(remedy, sizeof remedy, "declare image<%s, %d> for it, or give another file",
                     type.text, image->dimensions);
        else
            snprintf(remedy, sizeof remedy, "declare a parameter of %s for it, and give the number",
                     type.text);
    }
    return image_fail(failure, IMAGE_MISFIT, reason, remedy);
}

/* gray:, rgb: and rgba: treat an array as a picture. */
static bool view_as_picture(Picture *picture, ImageFailure *failure) {
    hlc_image *image = &picture->image;
    picture->is_array = false;
    if (image->dimensions == 2) {
        image->dimensions = 3;
        image->extent[2] = image->stride[2] = 1;
    }
    bool wide = image->bits == 64 && !image_kind_is_float(image->kind);
    if (image->dimensions == 3 && image->extent[2] >= 1 && image->extent[2] <= 4 &&
        image->extent[0] >= 1 && image->extent[1] >= 1 && image->kind != HLC_BOOL && !wide)
        return true;
    return image_fail(
        failure, IMAGE_MISFIT,
        "gray:, rgb: and rgba: want one to four channels, of numbers of up to 32 bits "
        "or floats",
        "leave the prefix away, and convert in the pipeline");
}

bool image_fit(Picture *picture, const ImageDemand *demand, ImageFailure *failure) {
    hlc_image *image = &picture->image;
    if (demand->channels && !view_as_picture(picture, failure))
        return false;
    bool change = demand->channels && demand->channels != image->extent[2];
    if (!fit_dimensions(picture, change ? demand->channels : image->extent[2], demand, failure) ||
        !fit_type(picture, demand, failure))
        return false;
    if ((change || image->kind != demand->kind || image->bits != demand->bits) &&
        !picture_convert(picture, demand->kind, demand->bits, change ? demand->channels : 0,
                         failure))
        return false;
    image->dimensions = demand->dimensions;
    return true;
}

/* picture.c -- pictures: memory, elements, orientation, failures. */
#include "driver/image/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---- */

bool image_fail(ImageFailure *failure, ImageFault fault, const char *reason, const char *remedy) {
    failure->fault = fault;
    snprintf(failure->reason, sizeof failure->reason, "%s", reason);
    snprintf(failure->remedy, sizeof failure->remedy, "%s", remedy);
    return false;
}

bool image_no_memory(ImageFailure *failure) {
    return image_fail(failure, IMAGE_NO_MEMORY, "no memory", "");
}

bool image_overclaims(ImageFailure *failure) {
    return image_fail(failure, IMAGE_TOO_LARGE,
                      "it claims more pixels than a file of its length can hold",
                      "get the file anew: it is damaged or a trap");
}

int64_t picture_most_bytes(const Picture *picture) {
    return picture->most_bytes ? picture->most_bytes : IMAGE_MOST_BYTES;
}

bool image_beyond_limit(const Picture *picture, const char *what, ImageFailure *failure) {
    char reason[sizeof failure->reason];
    snprintf(reason, sizeof reason, "%s take more than the %lld MB that are allowed", what,
             (long long)(picture_most_bytes(picture) >> 20));
    return image_fail(failure, IMAGE_TOO_LARGE, reason,
                      "cut it into parts, or allow more (--picture-limit)");
}

bool image_broken(ImageFailure *failure, const char *reason, ...) {
    va_list arguments;
    va_start(arguments, reason);
    char text[sizeof failure->reason];
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    return image_fail(failure, IMAGE_BROKEN, text, "get the file anew: it is damaged or cut short");
}

/* ---- elements ---- */

size_t image_element_bytes(const hlc_image *image) {
    return image->bits == 1 ? 1 : (size_t)image->bits / 8;
}

/* Returns the bits of the significand of a float of 16 bits, the leading one included. */
static int short_precision(hlc_kind kind) {
    return kind == HLC_BFLOAT ? 8 : 11;
}

static double short_float_get(hlc_kind kind, uint16_t word) {
    int fraction = short_precision(kind) - 1, bias = (1 << (14 - fraction)) - 1;
    int exponent = (word & 0x7fff) >> fraction, part = word & ((1 << fraction) - 1);
    double value = exponent == 2 * bias + 1 ? (part ? NAN : INFINITY)
                   : exponent ? ldexp(part + (1 << fraction), exponent - bias - fraction)
                              : ldexp(part, 1 - bias - fraction);
    return word & 0x8000 ? -value : value;
}

uint16_t short_float_put(hlc_kind kind, double value) {
    int fraction = short_precision(kind) - 1, bias = (1 << (14 - fraction)) - 1, exponent;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint16_t infinity = (uint16_t)((2 * bias + 1) << fraction);
    if (isnan(value))
        return (uint16_t)(infinity | 1 << (fraction - 1));
    frexp(value, &exponent);
    exponent = exponent < 2 - bias ? 2 - bias : exponent;
    /* In units of the last place. A carry out of the fraction goes into the exponent. */
    double units = rint(ldexp(fabs(value), fraction + 1 - exponent));
    double word = units + ldexp(exponent - 2 + bias, fraction);
    return (uint16_t)(sign | (word < infinity ? (uint16_t)word : infinity));
}

bool image_kind_is_float(hlc_kind kind) {
    return kind == HLC_FLOAT || kind == HLC_BFLOAT;
}

double image_float(hlc_kind kind, int bits, const void *at) {
    union {
        uint16_t word;
        float f32;
        double f64;
    } element;
    memcpy(&element, at, (size_t)bits / 8);
    if (bits == 16)
        return short_float_get(kind, element.word);
    return bits == 32 ? (double)element.f32 : element.f64;
}

TypeText image_type_text(hlc_kind kind, int bits) {
    static const char *const KINDS[] = {"bool", "i", "u", "f", "bf"};
    TypeText made = {"bool"};
    if (kind != HLC_BOOL)
        snprintf(made.text, sizeof made.text, "%s%d", KINDS[kind], bits);
    return made;
}

void swap_bytes(unsigned char *data, size_t count, size_t element_bytes) {
    for (size_t i = 0; i < count; i++, data += element_bytes)
        for (size_t b = 0; b < element_bytes / 2; b++) {
            unsigned char kept = data[b];
            data[b] = data[element_bytes - 1 - b];
            data[element_bytes - 1 - b] = kept;
        }
}

void *image_packed(const hlc_image *image) {
    int64_t extent[HLC_IMAGE_DIMENSIONS], stride[HLC_IMAGE_DIMENSIONS];
    size_t size = image_element_bytes(image), count = 1;
    for (int d = 0; d < HLC_IMAGE_DIMENSIONS; d++) {
        extent[d] = d < image->dimensions ? image->extent[d] : 1;
        stride[d] = d < image->dimensions ? image->stride[d] * (int64_t)size : 0;
        count *= (size_t)extent[d];
    }
    unsigned char *memory = malloc(count > 0 ? count * size : 1), *to = memory;
    const unsigned char *from = image->data;
    for (int64_t n = 0; memory && n < extent[3]; n++)
        for (int64_t y = 0; y < extent[1]; y++)
            for (int64_t x = 0; x < extent[0]; x++)
                for (int64_t c = 0; c < extent[2]; c++, to += size)
                    memcpy(to, from + x * stride[0] + y * stride[1] + c * stride[2] + n * stride[3],
                           size);
    return memory;
}

/* ---- memory ---- */

bool picture_allocate(Picture *picture, hlc_kind kind, int bits, int64_t width, int64_t height,
                      int64_t channels, ImageFailure *failure) {
    if (width < 1 || height < 1 || channels < 1)
        return image_broken(failure, "it claims to have no pixels");
    double bytes = (double)width * (double)height * (double)channels * (bits == 1 ? 1 : bits / 8);
    if (bytes > (double)picture_most_bytes(picture)) {
        char what[80];
        snprintf(what, sizeof what, "%lld by %lld pixels", (long long)width, (long long)height);
        return image_beyond_limit(picture, what, failure);
    }
    *picture = (Picture){.most_bytes = picture->most_bytes,
                         .image = {.kind = kind,
                                   .bits = bits,
                                   .dimensions = 3,
                                   .extent = {width, height, channels},
                                   .stride = {channels, width * channels, 1}}};
    picture->memory = picture->image.data = malloc((size_t)bytes);
    return picture->memory || image_no_memory(failure);
}

/* ---- orientation ---- */

static void mirror(hlc_image *image, int d) {
    image->data = (unsigned char *)image->data +
                  (image->extent[d] - 1) * image->stride[d] * (int64_t)image_element_bytes(image);
    image->stride[d] = -image->stride[d];
}

static void exchange(int64_t *values) {
    int64_t kept = values[0];
    values[0] = values[1];
    values[1] = kept;
}

/* The tag gives the display position of the stored row 0 and column 0 (TIFF 6.0, page 36). */
void picture_turn(Picture *picture, int orientation) {
    static const struct {
        bool columns, rows, transposed;
    } TURNS[9] = {[2] = {true, false, false}, [3] = {true, true, false}, [4] = {false, true, false},
                  [5] = {false, false, true}, [6] = {false, true, true}, [7] = {true, true, true},
                  [8] = {true, false, true}};
    if (orientation < 1 || orientation > 8)
        return;
    if (TURNS[orientation].columns)
        mirror(&picture->image, 0);
    if (TURNS[orientation].rows)
        mirror(&picture->image, 1);
    if (TURNS[orientation].transposed) {
        exchange(picture->image.extent);
        exchange(picture->image.stride);
    }
}

/* A number of `size` bytes at `at`; 0 beyond the end. */
static uint32_t exif_number(const unsigned char *bytes, size_t length, size_t at, int size,
                            bool little) {
    uint32_t value = 0;
    if (at > length || length - at < (size_t)size)
        return 0;
    for (int i = 0; i < size; i++)
        value |= (uint32_t)bytes[at + (size_t)i] << 8 * (little ? i : size - 1 - i);
    return value;
}

int exif_orientation(const unsigned char *bytes, size_t length) {
    enum { TAG_ORIENTATION = 274, TYPE_SHORT = 3, ENTRY_BYTES = 12 };
    if (length < 8 || (memcmp(bytes, "II*\0", 4) != 0 && memcmp(bytes, "MM\0*", 4) != 0))
        return 1;
    bool little = bytes[0] == 'I';
    size_t directory = exif_number(bytes, length, 4, 4, little);
    uint32_t count = exif_number(bytes, length, directory, 2, little);
    for (uint32_t i = 0; i < count; i++) {
        size_t entry = directory + 2 + (size_t)i * ENTRY_BYTES;
        if (exif_number(bytes, length, entry, 2, little) == TAG_ORIENTATION &&
            exif_number(bytes, length, entry + 2, 2, little) == TYPE_SHORT)
            return (int)exif_number(bytes, length, entry + 8, 2, little);
    }
    return 1;
}

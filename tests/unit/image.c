/* image.c -- every format holds what its table says, to the last bit, and refuses the rest;
 * samples and channels as inputs take them. */
#include "driver/image/format.h"
#include "tests/unit/image_support.h"

#include "suite.h"

#include <math.h>

typedef struct Kind {
    const char *name;
    hlc_kind kind;
    int bits;
} Kind;

static const Kind KINDS[] = {
    {"bool", HLC_BOOL, 1},  {"u8", HLC_UINT, 8},      {"u16", HLC_UINT, 16},
    {"u32", HLC_UINT, 32},  {"u64", HLC_UINT, 64},    {"i8", HLC_INT, 8},
    {"i16", HLC_INT, 16},   {"i32", HLC_INT, 32},     {"i64", HLC_INT, 64},
    {"f16", HLC_FLOAT, 16}, {"bf16", HLC_BFLOAT, 16}, {"f32", HLC_FLOAT, 32},
    {"f64", HLC_FLOAT, 64},
};

/* A planar or interleaved image; floats between -2 and 2, bools 0 and 1. */
static hlc_image make(const Kind *kind, int dimensions, int64_t w, int64_t h, int64_t c,
                      bool interleaved) {
    hlc_image image = {
        .kind = kind->kind,
        .bits = kind->bits,
        .dimensions = dimensions,
        .extent = {w, h, c, 1},
        .stride = {interleaved ? c : 1, interleaved ? c * w : w, interleaved ? 1 : w * h}};
    size_t count = (size_t)(w * h * c);
    uint64_t state = 7;
    image.data = malloc(count * bytes_of(kind->bits));
    for (size_t i = 0; i < count; i++) {
        uint64_t value = next_random(&state) << 32 ^ next_random(&state) << 11;
        float narrow = (float)(next_random(&state) % 4000) / 1000 - 2;
        double wide = (double)narrow;
        unsigned char *at = (unsigned char *)image.data + i * bytes_of(kind->bits);
        if (kind->kind == HLC_BOOL)
            *at = value >> 40 & 1;
        else if (kind->bits == 16 && image_kind_is_float(kind->kind))
            memcpy(at, &(uint16_t){short_float_put(kind->kind, wide)}, 2);
        else if (kind->kind == HLC_FLOAT)
            memcpy(at, kind->bits == 32 ? (void *)&narrow : (void *)&wide, bytes_of(kind->bits));
        else
            memcpy(at, (unsigned char *)&value + 8 - bytes_of(kind->bits), bytes_of(kind->bits));
    }
    return image;
}

static bool equal(const hlc_image *a, const hlc_image *b) {
    if (a->kind != b->kind || a->bits != b->bits)
        return false;
    int64_t c = a->dimensions > 2 ? a->extent[2] : 1;
    if (a->extent[0] != b->extent[0] || a->extent[1] != b->extent[1] ||
        c != (b->dimensions > 2 ? b->extent[2] : 1))
        return false;
    for (int64_t i = 0; i < c; i++)
        for (int64_t y = 0; y < a->extent[1]; y++)
            for (int64_t x = 0; x < a->extent[0]; x++)
                if (memcmp(at(a, x, y, i), at(b, x, y, i), bytes_of(a->bits)) != 0)
                    return false;
    return true;
}

/* ---- round trips ---- */

/* A file name with an ending of the format: its last. */
static const char *name_of(const PictureFormat *format, char name[12]) {
    const char *last = format->endings + strlen(format->endings) - 1;
    while (last[-1] != ' ')
        last--;
    snprintf(name, 12, "a.%.*s", (int)strcspn(last, " "), last);
    return name;
}

/* Writes and reads an image of this type and number of channels: the same elements come back. */
static void round_trip(const char *path, const Kind *kind, int64_t channels, int dimensions,
                       bool interleaved) {
    hlc_image image = make(kind, dimensions, 13, 9, channels, interleaved);
    unsigned char *bytes;
    size_t length;
    ImageFailure failure;
    ck_assert_msg(image_encode(path, &image, NULL, &bytes, &length, &failure), "%s %s %d: %s", path,
                  kind->name, (int)channels, failure.reason);
    Picture picture = decoded(bytes, length);
    if (kind->kind == HLC_BOOL && !picture.is_array) {
        ImageDemand demand = {.kind = HLC_BOOL, .bits = 1, .dimensions = 2};
        ck_assert(image_fit(&picture, &demand, &failure));
    }
    ck_assert_msg(equal(&image, &picture.image), "%s %s %d", path, kind->name, (int)channels);
    free(picture.memory);
    free(bytes);
    free(image.data);
}

START_TEST(formats_hold_what_they_say) {
    char word[12], path[12];
    size_t trips = 0;
    const PictureFormat *format;
    for (int f = 0; (format = image_format(f)); f++) {
        if (strcmp(format->name, "JPEG") == 0) /* loses; tests/unit/image_files.c has it */
            continue;
        for (size_t k = 0; k < COUNT(KINDS); k++) {
            snprintf(word, sizeof word, " %s ", KINDS[k].name);
            for (int c = 1; c <= 6 && strstr(format->types, word); c++) {
                if (format->channels && !(format->channels >> c & 1))
                    continue;
                const char *name = name_of(format, path);
                round_trip(name, &KINDS[k], c, 3, false);
                round_trip(name, &KINDS[k], c, 3, true);
                if (c == 1)
                    round_trip(name, &KINDS[k], c, 2, false);
                trips += 2 + (c == 1);
            }
        }
    }
    ck_assert_uint_gt(trips, 200);
}
END_TEST

START_TEST(formats_refuse_what_they_cannot_hold) {
    char word[12];
    size_t refusals = 0;
    char path[12];
    const PictureFormat *format;
    for (int f = 0; (format = image_format(f)); f++)
        for (size_t k = 0; k < COUNT(KINDS); k++)
            for (int c = 0; c <= 5; c++) {
                hlc_image image = make(&KINDS[k], 3, 3, 2, c, false);
                unsigned char *bytes;
                size_t length;
                ImageFailure failure;
                snprintf(word, sizeof word, " %s ", KINDS[k].name);
                if (!image_encode(name_of(format, path), &image, NULL, &bytes, &length, &failure)) {
                    ck_assert_int_eq(failure.fault, IMAGE_UNFIT);
                    ck_assert(*failure.reason && *failure.remedy);
                    refusals++;
                } else { /* what was written can be read, with as many channels */
                    Picture picture = decoded(bytes, length);
                    ck_assert_int_eq(picture.image.extent[2], c);
                    free(picture.memory);
                }
                free(bytes);
                free(image.data);
            }
    ck_assert_uint_gt(refusals, 250);
    ImageFailure failure;
    ck_assert(!image_check_path("a.gif", &failure) && failure.fault == IMAGE_ENDING);
    ck_assert(!image_check_path("png", &failure) && failure.fault == IMAGE_ENDING);
    ck_assert(!image_check_path("a.", &failure) && failure.fault == IMAGE_ENDING);
    ck_assert(image_check_path("dir.gif/a.JPeG", &failure));
}
END_TEST

START_TEST(empty_arrays_and_all_dimensions) {
    for (int dimensions = 0; dimensions <= 4; dimensions++)
        for (int64_t extent = 0; extent < 3; extent++) {
            int32_t data[16];
            hlc_image image = {.kind = HLC_INT, .bits = 32, .dimensions = dimensions, .data = data};
            int64_t stride = 1;
            for (int i = 0; i < 16; i++)
                data[i] = i * 1000003;
            for (int d = 0; d < dimensions; d++, stride *= 2) {
                image.extent[d] = extent;
                image.stride[d] = stride;
            }
            unsigned char *bytes;
            size_t length;
            ImageFailure failure;
            ck_assert(image_encode("a.npy", &image, NULL, &bytes, &length, &failure));
            Picture picture = decoded(bytes, length);
            ck_assert_int_eq(picture.image.dimensions, dimensions);
            int64_t points = 1;
            for (int d = 0; d < dimensions; d++) {
                ck_assert_int_eq(picture.image.extent[d], extent);
                points *= extent;
            }
            for (int64_t p = 0; p < points; p++) {
                int64_t rest = p, here = 0, there = 0;
                for (int d = 0; d < dimensions; d++, rest /= extent) {
                    here += rest % extent * image.stride[d];
                    there += rest % extent * picture.image.stride[d];
                }
                ck_assert_int_eq(data[here], ((int32_t *)picture.image.data)[there]);
            }
            free(picture.memory);
            free(bytes);
        }
}
END_TEST

START_TEST(jpeg_is_near) {
    for (int c = 1; c <= 3; c += 2) {
        hlc_image image = make(&KINDS[1], 3, 40, 30, c, true);
        for (int i = 0; i < 40 * 30 * c; i++)
            ((unsigned char *)image.data)[i] = (unsigned char)(i / c % 40 * 3 + i / c / 40 * 2);
        unsigned char *bytes;
        size_t length;
        ImageFailure failure;
        ck_assert(image_encode("a.jpg", &image, NULL, &bytes, &length, &failure));
        Picture picture = decoded(bytes, length);
        ck_assert_int_eq(picture.image.extent[2], c);
        for (int64_t i = 0; i < 40 * 30 * c; i++) {
            int64_t x = i / c % 40, y = i / c / 40;
            ck_assert_int_le(abs(*at(&image, x, y, i % c) - *at(&picture.image, x, y, i % c)), 4);
        }
        free(picture.memory);
        free(bytes);
        free(image.data);
    }
}
END_TEST

/* ---- fitting ---- */

/* One row of u8, u16 or f32 as a picture. */
static Picture row_of(const char *path, const Kind *kind, int64_t w, int64_t c, const void *data) {
    hlc_image image = {.kind = kind->kind,
                       .bits = kind->bits,
                       .dimensions = 3,
                       .extent = {w, 1, c},
                       .stride = {c, c * w, 1},
                       .data = (void *)data};
    unsigned char *bytes;
    size_t length;
    ImageFailure failure;
    ck_assert(image_encode(path, &image, NULL, &bytes, &length, &failure));
    Picture picture = decoded(bytes, length);
    free(bytes);
    return picture;
}

static void fit(Picture *picture, hlc_kind kind, int bits, int dimensions, int channels) {
    ImageFailure failure;
    ImageDemand demand = {
        .kind = kind, .bits = bits, .dimensions = dimensions, .channels = channels};
    ck_assert_msg(image_fit(picture, &demand, &failure), "%s", failure.reason);
    ck_assert(picture->image.kind == kind && picture->image.bits == bits &&
              picture->image.dimensions == dimensions);
}

static void misfit(Picture *picture, hlc_kind kind, int bits, int dimensions, int channels,
                   const char *remedy) {
    ImageFailure failure;
    ImageDemand demand = {
        .kind = kind, .bits = bits, .dimensions = dimensions, .channels = channels};
    ck_assert(!image_fit(picture, &demand, &failure));
    ck_assert_int_eq(failure.fault, IMAGE_MISFIT);
    ck_assert_msg(strstr(failure.remedy, remedy), "%s", failure.remedy);
}

START_TEST(samples_are_parts_of_full_scale) {
    static const uint8_t BYTES[] = {0, 1, 127, 128, 255};
    static const uint16_t WORDS[] = {0, 128, 129, 32767, 65535};
    static const uint8_t OF_WORDS[] = {0, 0, 1, 127, 255}; /* 32767 / 257 = 127.498 */
    static const float FLOATS[] = {0, -0.5f, 1.5f, NAN, 0.5f};
    Picture p = row_of("a.png", &KINDS[1], 5, 1, BYTES);
    fit(&p, HLC_UINT, 16, 2, 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(((uint16_t *)p.image.data)[i], BYTES[i] * 257);
    fit(&p, HLC_UINT, 32, 2, 0);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(((uint32_t *)p.image.data)[i], BYTES[i] * 16843009u);
    fit(&p, HLC_FLOAT, 64, 2, 0);
    for (int i = 0; i < 5; i++)
        ck_assert(fabs(((double *)p.image.data)[i] - BYTES[i] / 255.0) < 1e-15);
    free(p.memory);
    p = row_of("a.png", &KINDS[2], 5, 1, WORDS);
    fit(&p, HLC_FLOAT, 32, 3, 0);
    for (int i = 0; i < 5; i++)
        ck_assert(((float *)p.image.data)[i] == (float)(WORDS[i] / 65535.0));
    free(p.memory);
    p = row_of("a.png", &KINDS[2], 5, 1, WORDS);
    fit(&p, HLC_UINT, 8, 2, 0);
    ck_assert_mem_eq(p.image.data, OF_WORDS, 5);
    misfit(&p, HLC_BOOL, 1, 2, 0, "declare it of u8");
    misfit(&p, HLC_INT, 32, 2, 0, "declare it image<u8, 2>");
    misfit(&p, HLC_UINT, 64, 2, 0, "cast in the pipeline");
    free(p.memory);
    p = row_of("a.pfm", &KINDS[11], 5, 1, FLOATS);
    misfit(&p, HLC_UINT, 8, 2, 0, "image<f32, 2>");
    fit(&p, HLC_FLOAT, 64, 2, 0);
    ck_assert(((double *)p.image.data)[1] == -0.5 && isnan(((double *)p.image.data)[3]));
    free(p.memory);
    p = row_of("a.pgm", &KINDS[11], 5, 1, FLOATS); /* saved as u16, clamped, NaN black */
    static const uint16_t CLAMPED[] = {0, 0, 65535, 0, 32768};
    ck_assert_mem_eq(p.image.data, CLAMPED, sizeof CLAMPED);
    free(p.memory);
    p = row_of("a.npy", &KINDS[1], 5, 1, BYTES); /* data, not a picture */
    misfit(&p, HLC_FLOAT, 32, 3, 0, "image<u8, 3>");
    misfit(&p, HLC_UINT, 8, 2, 0, "image<u8, 3>");
    free(p.memory);
}
END_TEST

START_TEST(channels_change_on_request) {
    static const uint8_t RGBA[] = {255, 0, 0, 9, 0, 255, 0, 8, 0, 0, 255, 7, 100, 150, 201, 6};
    static const uint8_t GREYS[] = {76, 150, 29, 141}; /* 140.864 */
    static const float COLOUR[] = {1, 0.5f, -3};
    Picture p = row_of("a.png", &KINDS[1], 4, 4, RGBA);
    misfit(&p, HLC_UINT, 8, 2, 0, "gray:");
    fit(&p, HLC_UINT, 8, 2, 1);
    ck_assert_mem_eq(p.image.data, GREYS, 4);
    fit(&p, HLC_UINT, 8, 3, 4);
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 4; c++)
            ck_assert_int_eq(*at(&p.image, x, 0, c), c == 3 ? 255 : GREYS[x]);
    free(p.memory);
    p = row_of("a.png", &KINDS[1], 4, 4, RGBA);
    fit(&p, HLC_UINT, 16, 3, 3);
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 3; c++)
            ck_assert_int_eq(*(const uint16_t *)(const void *)at(&p.image, x, 0, c),
                             RGBA[4 * x + c] * 257);
    free(p.memory);
    p = row_of("a.png", &KINDS[1], 8, 2, RGBA); /* grey and alpha */
    fit(&p, HLC_UINT, 8, 3, 4);
    ck_assert(*at(&p.image, 1, 0, 0) == 0 && *at(&p.image, 2, 0, 2) == 0 &&
              *at(&p.image, 2, 0, 3) == 255 && *at(&p.image, 0, 0, 1) == 255);
    free(p.memory);
    p = row_of("a.tif", &KINDS[11], 1, 3, COLOUR);
    fit(&p, HLC_FLOAT, 32, 2, 1);
    ck_assert(fabs(*(float *)p.image.data - (0.299 + 0.2935 - 0.342)) < 1e-6);
    free(p.memory);
    p = row_of("a.npy", &KINDS[1], 4, 4, RGBA); /* a prefix makes a picture of data */
    fit(&p, HLC_FLOAT, 32, 3, 3);
    free(p.memory);
    p = row_of("a.npy", &KINDS[8], 1, 2, RGBA);
    misfit(&p, HLC_INT, 64, 2, 1, "prefix");
    free(p.memory);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("image");
    tcase_add_test(tests, formats_hold_what_they_say);
    tcase_add_test(tests, formats_refuse_what_they_cannot_hold);
    tcase_add_test(tests, empty_arrays_and_all_dimensions);
    tcase_add_test(tests, jpeg_is_near);
    tcase_add_test(tests, samples_are_parts_of_full_scale);
    tcase_add_test(tests, channels_change_on_request);
    return run_suite("image", tests);
}

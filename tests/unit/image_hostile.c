/* image_hostile.c -- files that are cut short anywhere, damaged anywhere, or lie: each ends in a
 * failure that is told, or in a picture; nothing is printed, nothing crashes, nothing is left. */
#include "driver/image/format.h"
#include "tests/unit/image_support.h"

#include "suite.h"

#include <unistd.h>

enum { FLIPS = 1500 };

typedef struct Sample {
    const char *path;
    int bits, channels;
    hlc_kind kind;
    int spare; /* bytes at the end that carry nothing: cut away, they leave the picture whole */
} Sample;

static const Sample SAMPLES[] = {
    {"a.png", 8, 4, HLC_UINT, 0},    {"a.png", 16, 1, HLC_UINT, 0},
    {"a.jpg", 8, 1, HLC_UINT, 0},    {"a.jpg", 8, 3, HLC_UINT, 0},
    {"a.tif", 16, 3, HLC_UINT, 0},   {"a.tif", 32, 2, HLC_FLOAT, 4},
    {"a.pbm", 1, 1, HLC_BOOL, 0},    {"a.pgm", 16, 1, HLC_UINT, 0},
    {"a.ppm", 8, 3, HLC_UINT, 0},    {"a.pam", 8, 4, HLC_UINT, 0},
    {"a.pfm", 32, 3, HLC_FLOAT, 0},  {"a.npy", 32, 3, HLC_INT, 0},
    {"text.pgm", 8, 1, HLC_UINT, 3}, {"tiles.tif", 8, 1, HLC_UINT, 0},
};

/* A little-endian, uncompressed TIFF file of grey bytes, its directory first, as a writer that
 * streams makes it: these entries, and 512 bytes from 150 on.  `entries` are tag, type (3, 4: of 2
 * and 4 bytes), count, value. */
static size_t make_tiff(unsigned char *file, const uint32_t (*entries)[4], size_t count) {
    static const uint32_t PLACES[] = {150, 406, 256, 256}; /* of two tiles, and their lengths */
    size_t at = 10;
    memcpy(file, "II*\0\x08\0\0\0", 8);
    file[8] = (unsigned char)count;
    file[9] = 0;
    for (size_t i = 0; i < count; i++, at += 12) {
        memcpy(file + at, &entries[i][0], 2);
        memcpy(file + at + 2, &entries[i][1], 2);
        memcpy(file + at + 4, &entries[i][2], 4);
        memcpy(file + at + 8, &entries[i][3], 4);
    }
    memset(file + at, 0, 4);
    memcpy(file + 134, PLACES, sizeof PLACES);
    for (size_t i = 150; i < 662; i++)
        file[i] = (unsigned char)(i * 7);
    return 662;
}

static const uint32_t TILED[10][4] = {
    {256, 4, 1, 20}, {257, 4, 1, 10}, {258, 3, 1, 8},  {259, 3, 1, 1},   {262, 3, 1, 1},
    {277, 3, 1, 1},  {322, 4, 1, 16}, {323, 4, 1, 16}, {324, 4, 2, 134}, {325, 4, 2, 142}};

static unsigned char *make_file(const Sample *sample, size_t *length) {
    int w = 11, h = 7, c = sample->channels;
    unsigned char *data = malloc((size_t)(w * h * c) * 4), *bytes;
    float *floats = (float *)(void *)data;
    if (strcmp(sample->path, "text.pgm") == 0) {
        *length = (size_t)sprintf((char *)data, "P2 # grey\n3 2\n255\n1 22 255\n0 7 100\n");
        return data;
    }
    if (strcmp(sample->path, "tiles.tif") == 0) {
        free(data);
        data = malloc(1000);
        *length = make_tiff(data, TILED, COUNT(TILED));
        return data;
    }
    for (int i = 0; i < w * h * c * 4; i++)
        data[i] = (unsigned char)(sample->kind == HLC_BOOL ? i % 3 == 0 : i * 5 / 3);
    for (int i = 0; sample->kind == HLC_FLOAT && i < w * h * c; i++)
        floats[i] = (float)i / 16;
    hlc_image image = {.kind = sample->kind,
                       .bits = sample->bits,
                       .dimensions = 3,
                       .extent = {w, h, c},
                       .stride = {c, c * w, 1},
                       .data = data};
    ImageFailure failure;
    ck_assert(image_encode(sample->path, &image, NULL, &bytes, length, &failure));
    free(data);
    return bytes;
}

/* Decodes a copy of exactly these bytes, so that a read beyond them is seen by the sanitizer. */
static bool decodes(const unsigned char *bytes, size_t length) {
    static const ImageDemand DEMANDS[] = {{HLC_UINT, 8, 2, 1, 0, NULL},
                                          {HLC_FLOAT, 32, 3, 0, 0, NULL},
                                          {HLC_UINT, 16, 3, 3, 0, NULL},
                                          {HLC_BOOL, 1, 2, 0, 0, NULL}};
    unsigned char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    Picture picture;
    ImageFailure failure = {0};
    bool read = image_decode(copy, length, &picture, &failure);
    free(copy);
    if (!read) {
        ck_assert(failure.fault == IMAGE_BROKEN || failure.fault == IMAGE_UNSUPPORTED ||
                  failure.fault == IMAGE_TOO_LARGE || failure.fault == IMAGE_UNKNOWN);
        ck_assert(*failure.reason && *failure.remedy && !picture.memory);
        return false;
    }
    int64_t points = 1;
    for (int d = 0; d < picture.image.dimensions; d++)
        points *= picture.image.extent[d];
    if (points < 100000)
        for (size_t i = 0; i < COUNT(DEMANDS); i++)
            image_fit(&picture, &DEMANDS[i], &failure);
    free(picture.memory);
    return true;
}

/* Standard error goes to a file, which must stay empty. */
static void listen(void) {
    FILE *heard = freopen(TEST_BUILD_DIR "/image_hostile.err", "w", stderr);
    ck_assert_ptr_nonnull(heard);
}

static void nothing_was_heard(void) {
    fflush(stderr);
    ck_assert_int_eq(lseek(STDERR_FILENO, 0, SEEK_END), 0);
}

/* Every format of the table that a file begins as has a sample. */
START_TEST(all_formats_have_samples) {
    const PictureFormat *format;
    for (int f = 0; (format = image_format(f)); f++) {
        bool has_sample = !format->magic[0].length;
        for (size_t i = 0; i < COUNT(SAMPLES); i++) {
            char word[12];
            snprintf(word, sizeof word, " %s ", strchr(SAMPLES[i].path, '.') + 1);
            has_sample |= strstr(format->endings, word) != NULL;
        }
        ck_assert_msg(has_sample, "SAMPLES has no %s file", format->name);
    }
}
END_TEST

START_TEST(cut_short_anywhere) {
    size_t length;
    unsigned char *bytes = make_file(&SAMPLES[_i], &length);
    listen();
    ck_assert(decodes(bytes, length));
    for (size_t cut = 0; cut < length; cut++) {
        bool read = decodes(bytes, cut);
        ck_assert_msg(!read || cut + (size_t)SAMPLES[_i].spare >= length,
                      "%s, cut to %zu of %zu bytes, is read", SAMPLES[_i].path, cut, length);
    }
    nothing_was_heard();
    free(bytes);
}
END_TEST

/* One to four bits or bytes changed, mostly near the beginning, where the claims are. */
START_TEST(damaged_anywhere) {
    size_t length, read = 0;
    unsigned char *bytes = make_file(&SAMPLES[_i], &length);
    unsigned char *copy = malloc(length);
    uint64_t state = 1 + (uint64_t)_i;
    listen();
    for (int flip = 0; flip < FLIPS; flip++) {
        memcpy(copy, bytes, length);
        for (uint64_t n = 1 + next_random(&state) % 4; n > 0; n--) {
            size_t room = next_random(&state) % 2 && length > 200 ? 200 : length;
            unsigned char *at = &copy[next_random(&state) % room];
            *at = next_random(&state) % 2 ? (unsigned char)next_random(&state)
                                          : *at ^ (unsigned char)(1 << next_random(&state) % 8);
        }
        read += decodes(copy, length);
    }
    nothing_was_heard();
    ck_assert_uint_lt(read, FLIPS);
    free(copy);
    free(bytes);
}
END_TEST

/* Headers that claim a great deal in few bytes end at once, without the memory. */
START_TEST(claims_are_not_believed) {
    size_t length;
    unsigned char *png = make_file(&SAMPLES[0], &length);
    static const unsigned char LARGE[] = {0, 1, 0x11, 0x70, 0, 0, 0x61, 0xa8}; /* 70000 x 25000 */
    memcpy(png + 16, LARGE, sizeof LARGE);
    uint32_t crc = 0xffffffff;
    for (int i = 12; i < 29; i++) {
        crc ^= png[i];
        for (int b = 0; b < 8; b++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    for (int i = 0; i < 4; i++)
        png[29 + i] = (unsigned char)(~crc >> (24 - 8 * i));
    refused(png, length, IMAGE_TOO_LARGE, "more pixels than");
    free(png);
    unsigned char *jpeg = make_file(&SAMPLES[2], &length), *frame = jpeg;
    while (frame[0] != 0xff || frame[1] != 0xc0)
        frame++;
    frame[5] = frame[7] = 0xf0;
    refused(jpeg, length, IMAGE_TOO_LARGE, "more pixels than");
    free(jpeg);
    /* One strip of 200000 x 200000, the same compressed, one tile of as much for 20 x 10. */
    unsigned char tiff[1000];
    uint32_t strip[][4] = {{256, 4, 1, 200000}, {257, 4, 1, 200000}, {258, 3, 1, 8},
                           {259, 3, 1, 1},      {262, 3, 1, 1},      {273, 4, 1, 150},
                           {277, 3, 1, 1},      {278, 4, 1, 200000}, {279, 4, 1, 512}};
    length = make_tiff(tiff, strip, COUNT(strip));
    refused(tiff, length, IMAGE_TOO_LARGE, "more pixels than");
    strip[3][3] = 5; /* LZW, whose length says little */
    length = make_tiff(tiff, strip, COUNT(strip));
    refused(tiff, length, IMAGE_TOO_LARGE, "1024 MB");
    uint32_t tile[][4] = {{256, 4, 1, 20},     {257, 4, 1, 10},     {258, 3, 1, 8},
                          {259, 3, 1, 1},      {262, 3, 1, 1},      {277, 3, 1, 1},
                          {322, 4, 1, 200000}, {323, 4, 1, 200000}, {324, 4, 1, 150},
                          {325, 4, 1, 512}};
    length = make_tiff(tiff, tile, COUNT(tile));
    refused(tiff, length, IMAGE_TOO_LARGE, "tiles");
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("image_hostile");
    tcase_add_test(tests, all_formats_have_samples);
    tcase_add_loop_test(tests, cut_short_anywhere, 0, COUNT(SAMPLES));
    tcase_add_loop_test(tests, damaged_anywhere, 0, COUNT(SAMPLES));
    tcase_add_test(tests, claims_are_not_believed);
    return run_suite("image_hostile", tests);
}

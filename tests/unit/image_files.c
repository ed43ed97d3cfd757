/* image_files.c -- pictures that other programs make, through the libraries themselves: bit depths,
 * palettes, byte orders, tiles, planes, orientations; what is refused, and why. */
#include "tests/unit/image_support.h"

#include "suite.h"

#include <tiffio.h>

#include <jpeglib.h>
#include <png.h>

static Picture of_text(const char *text) {
    return decoded(text, strlen(text));
}

static void samples_are(const Picture *p, int64_t w, int64_t h, int64_t c, const char *values) {
    char *rest = (char *)values;
    ck_assert(p->image.extent[0] == w && p->image.extent[1] == h && p->image.extent[2] == c);
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++)
            for (int64_t i = 0; i < c; i++) {
                const unsigned char *sample = at(&p->image, x, y, i);
                long value = p->image.bits == 8 ? *sample : *(const uint16_t *)(const void *)sample;
                ck_assert_int_eq(value, strtol(rest, &rest, 10));
            }
}

START_TEST(netpbm_files) {
    Picture p = of_text("P1 # black is 1\n3 2\n101\n0 1 0");
    samples_are(&p, 3, 2, 1, "0 255 0 255 0 255");
    free(p.memory);
    p = of_text("P2\n2 2\n# a comment\n15\n0 5 10 15\n");
    samples_are(&p, 2, 2, 1, "0 85 170 255");
    free(p.memory);
    p = of_text("P3 1 2 1023 0 1 1023 512 2 3");
    ck_assert_int_eq(p.image.bits, 16);
    samples_are(&p, 1, 2, 3, "0 64 65535 32800 128 192");
    free(p.memory);
    p = of_text(
        "P7\nWIDTH 1\n# comment\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd");
    samples_are(&p, 1, 1, 4, "97 98 99 100");
    free(p.memory);
    p = decoded("P5 2 1 65535\n\x01\x02\xff\xfe", 17);
    samples_are(&p, 2, 1, 1, "258 65534");
    free(p.memory);
    refused("P5 2 2 255\nabc", 14, IMAGE_BROKEN, "too early");
    refused("P5 2 2 255\nabcde", 16, IMAGE_UNSUPPORTED, "more bytes follow");
    refused("P5 2 2 200\nab\xff"
            "d",
            15, IMAGE_BROKEN, "maxval");
    refused("P5 2 0 255\n", 11, IMAGE_BROKEN, "no pixels");
    refused("P5 2 2 0\nabcd", 13, IMAGE_BROKEN, "maxval");
    refused("P5 2 2 65536\nabcdefgh", 21, IMAGE_BROKEN, "larger than 65535");
    refused("P5 2147483647 2147483647 255\nabcd", 33, IMAGE_BROKEN, "too early");
    refused("P5 99999999999999999999 1 255\nabcd", 34, IMAGE_BROKEN, "larger");
    refused("P1 2 1 02", 9, IMAGE_BROKEN, "neither 0 nor 1");
    refused("P2 2 1 9 7 x", 12, IMAGE_BROKEN, "no number");
    refused("P7\nWIDTH 1\nWIDTH 1\n", 19, IMAGE_BROKEN, "twice");
    refused("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\n", 29, IMAGE_BROKEN, "larger than 4");
    refused("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nCOLOR 1\n", 46, IMAGE_BROKEN, "no such");
    refused("PF\n1 1\n0\nabcdabcdabcd", 21, IMAGE_BROKEN, "header");
    refused("Pf\n1 1\nnan\nabcd", 15, IMAGE_BROKEN, "header");
    refused("Pf\n1 1\n-1\nabcde", 15, IMAGE_UNSUPPORTED, "follow");
    p = decoded("Pf\n1 2\n1.0\n\x3f\x80\0\0\x40\0\0\0",
                19); /* from the bottom, most significant first */
    ck_assert(*(const float *)(const void *)at(&p.image, 0, 0, 0) == 2 &&
              *(const float *)(const void *)at(&p.image, 0, 1, 0) == 1);
    free(p.memory);
    refused("", 0, IMAGE_UNKNOWN, "empty");
    refused("GIF89a..", 8, IMAGE_UNKNOWN, "first bytes");
}
END_TEST

/* A .npy file with this dictionary. */
static size_t npy(unsigned char *file, int version, const char *dictionary, const char *data,
                  size_t bytes) {
    size_t length = strlen(dictionary), begin = version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t b = 8; b < begin; b++)
        file[b] = (unsigned char)(length >> 8 * (b - 8));
    memcpy(file + begin, dictionary, length);
    memcpy(file + begin + length, data, bytes);
    return begin + length + bytes;
}

START_TEST(numpy_files) {
    unsigned char file[400];
    size_t length = npy(file, 1, "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3), }\n",
                        "\0\1\0\2\0\3\0\4\0\5\0\6", 12);
    Picture p = decoded(file, length); /* two rows of three, stored by columns */
    ck_assert(p.is_array && p.image.dimensions == 2);
    samples_are(&p, 3, 2, 0, "");
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 2; y++)
            ck_assert_int_eq(*(const uint16_t *)(const void *)at(&p.image, x, y, 0), 1 + y + 2 * x);
    free(p.memory);
    length =
        npy(file, 2, "{\"shape\":(3,),\"descr\":\"|b1\",\"fortran_order\":False}", "\0\1\7", 3);
    p = decoded(file, length);
    ck_assert(p.image.kind == HLC_BOOL && p.image.dimensions == 1);
    ck_assert_mem_eq(p.image.data, "\0\1\1", 3);
    free(p.memory);
    static const struct {
        const char *dictionary;
        ImageFault fault;
        const char *reason;
    } WRONG[] = {
        {"{'descr': '<f1', 'fortran_order': False, 'shape': (2,)}", IMAGE_UNSUPPORTED, "neither"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", IMAGE_UNSUPPORTED, "neither"},
        {"{'descr': '<u3', 'fortran_order': False, 'shape': (2,)}", IMAGE_UNSUPPORTED, "neither"},
        {"{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (2,)}", IMAGE_UNSUPPORTED,
         "plain numbers"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1,1,1,1,2)}", IMAGE_UNSUPPORTED,
         "four dimensions"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (3,)}", IMAGE_BROKEN, "claims 6"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", IMAGE_BROKEN, "claims 2"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (-2,)}", IMAGE_BROKEN, "NumPy writes"},
        {"{'descr': '<u2', 'fortran_order': Maybe, 'shape': (2,)}", IMAGE_BROKEN, "NumPy writes"},
        {"{'descr': '<u2', 'descr': '<u2', 'shape': (2,)}", IMAGE_BROKEN, "NumPy writes"},
        {"{'descr': '<u2', 'shape': (2,)}", IMAGE_BROKEN, "NumPy writes"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2,)} x", IMAGE_BROKEN, "NumPy writes"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2147483647, 2147483647)}",
         IMAGE_TOO_LARGE, "1024 MB"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647, "
         "0)}",
         IMAGE_TOO_LARGE, "1024 MB"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (4294967296,)}", IMAGE_BROKEN, "NumPy"},
    };
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        length = npy(file, 1, WRONG[i].dictionary, "abcd", 4);
        refused(file, length, WRONG[i].fault, WRONG[i].reason);
    }
    file[6] = 9;
    refused(file, length, IMAGE_BROKEN, "version");
}
END_TEST

/* ---- TIFF as libtiff can write it ---- */

typedef struct Tags {
    uint32_t width, height, tile;
    uint16_t bits, channels, photometric, planar, orientation, format;
    const char *mode;
} Tags;

static TIFF *begin_tiff(const char *path, const Tags *tags) {
    TIFF *tiff = TIFFOpen(path, tags->mode ? tags->mode : "w");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, tags->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, tags->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, tags->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, tags->channels);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, tags->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, tags->planar ? tags->planar : PLANARCONFIG_CONTIG);
    if (tags->orientation)
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, tags->orientation);
    if (tags->format)
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, tags->format);
    if (tags->tile) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tags->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, tags->tile);
    }
    return tiff;
}

static unsigned char *whole_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc(1 << 20);
    *length = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static Picture read_file(const char *path) {
    size_t length;
    unsigned char *bytes = whole_file(path, &length);
    Picture picture = decoded(bytes, length);
    free(bytes);
    return picture;
}

#define SCRATCH TEST_BUILD_DIR "/image_test.tif"

START_TEST(tiff_rows) {
    static unsigned char ROWS[2][3] = {{1, 2, 3}, {4, 5, 6}};
    static const char *const TURNED[9] = {"",
                                          "1 2 3 4 5 6",
                                          "3 2 1 6 5 4",
                                          "6 5 4 3 2 1",
                                          "4 5 6 1 2 3",
                                          "1 4 2 5 3 6",
                                          "4 1 5 2 6 3",
                                          "6 3 5 2 4 1",
                                          "3 6 2 5 1 4"};
    for (uint16_t orientation = 0; orientation <= 8; orientation++) {
        TIFF *tiff = begin_tiff(SCRATCH, &(Tags){.width = 3,
                                                 .height = 2,
                                                 .bits = 8,
                                                 .channels = 1,
                                                 .photometric = PHOTOMETRIC_MINISBLACK,
                                                 .orientation = orientation});
        for (uint32_t y = 0; y < 2; y++)
            TIFFWriteScanline(tiff, ROWS[y], y, 0);
        TIFFClose(tiff);
        Picture p = read_file(SCRATCH);
        samples_are(&p, orientation >= 5 ? 2 : 3, orientation >= 5 ? 3 : 2, 1,
                    TURNED[orientation ? orientation : 1]);
        free(p.memory);
    }
}
END_TEST

START_TEST(tiff_bits_palettes_and_byte_orders) {
    static unsigned char bits[] = {0xa0}, four[] = {0x1f, 0x20}, white[] = {0, 1, 255};
    static uint16_t words[] = {1, 258, 65535}, map[3][16];
    static const char *const MODES[] = {"wl", "wb", "w8", "wb8"};
    TIFF *tiff = begin_tiff(SCRATCH, &(Tags){.width = 4,
                                             .height = 1,
                                             .bits = 1,
                                             .channels = 1,
                                             .photometric = PHOTOMETRIC_MINISWHITE});
    TIFFWriteScanline(tiff, bits, 0, 0);
    TIFFClose(tiff);
    Picture p = read_file(SCRATCH);
    samples_are(&p, 4, 1, 1, "0 255 0 255");
    free(p.memory);
    tiff = begin_tiff(SCRATCH, &(Tags){.width = 3,
                                       .height = 1,
                                       .bits = 4,
                                       .channels = 1,
                                       .photometric = PHOTOMETRIC_MINISBLACK});
    TIFFWriteScanline(tiff, four, 0, 0);
    TIFFClose(tiff);
    p = read_file(SCRATCH);
    samples_are(&p, 3, 1, 1, "17 255 34");
    free(p.memory);
    tiff = begin_tiff(SCRATCH, &(Tags){.width = 3,
                                       .height = 1,
                                       .bits = 8,
                                       .channels = 1,
                                       .photometric = PHOTOMETRIC_MINISWHITE});
    TIFFWriteScanline(tiff, white, 0, 0);
    TIFFClose(tiff);
    p = read_file(SCRATCH);
    samples_are(&p, 3, 1, 1, "255 254 0");
    free(p.memory);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 16; i++)
            map[c][i] = (uint16_t)(1000 * c + i);
    tiff = begin_tiff(
        SCRATCH,
        &(Tags){
            .width = 3, .height = 1, .bits = 4, .channels = 1, .photometric = PHOTOMETRIC_PALETTE});
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    TIFFWriteScanline(tiff, four, 0, 0);
    TIFFClose(tiff);
    p = read_file(SCRATCH);
    samples_are(&p, 3, 1, 3, "1 1001 2001 15 1015 2015 2 1002 2002");
    free(p.memory);
    for (size_t m = 0; m < COUNT(MODES); m++) {
        uint16_t copy[3];
        memcpy(copy, words, sizeof copy);
        tiff = begin_tiff(SCRATCH, &(Tags){.width = 3,
                                           .height = 1,
                                           .bits = 16,
                                           .channels = 1,
                                           .photometric = PHOTOMETRIC_MINISBLACK,
                                           .mode = MODES[m]});
        TIFFWriteScanline(tiff, copy, 0, 0);
        TIFFClose(tiff);
        p = read_file(SCRATCH);
        samples_are(&p, 3, 1, 1, "1 258 65535");
        free(p.memory);
    }
}
END_TEST

/* Tiled and planar, all ways: 40 x 35 pixels of three channels in tiles of 16 x 16, or strips. */
START_TEST(tiff_tiles_and_planes) {
    for (uint16_t planar = PLANARCONFIG_CONTIG; planar <= PLANARCONFIG_SEPARATE; planar++)
        for (uint32_t tile = 0; tile <= 16; tile += 16)
            for (uint16_t bits = 8; bits <= 32; bits *= 2) {
                enum { W = 40, H = 35 };
                unsigned char block[W * H * 3 * 4];
                uint32_t bw = tile ? tile : W;
                TIFF *tiff = begin_tiff(SCRATCH, &(Tags){.width = W,
                                                         .height = H,
                                                         .bits = bits,
                                                         .channels = 3,
                                                         .photometric = PHOTOMETRIC_RGB,
                                                         .planar = planar,
                                                         .tile = tile});
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
                if (!tile)
                    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 6);
                uint32_t rows = tile ? tile : 6;
                bool separate = planar == PLANARCONFIG_SEPARATE;
                for (uint16_t plane = 0; plane < (separate ? 3 : 1); plane++)
                    for (uint32_t y = 0; y < H; y += rows)
                        for (uint32_t x = 0; x < W; x += bw) {
                            size_t n = 0;
                            for (uint32_t r = y; r < y + rows && (tile || r < H); r++)
                                for (uint32_t q = x; q < x + bw; q++)
                                    for (uint32_t c = 0; c < (separate ? 1u : 3u); c++, n++) {
                                        uint32_t v = r * 1000003 + q * 1009 + (c + plane) * 77;
                                        memcpy(block + n * bits / 8, &v, bits / 8);
                                    }
                            tmsize_t size = (tmsize_t)(n * bits / 8);
                            if (tile)
                                TIFFWriteEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, plane),
                                                     block, size);
                            else
                                TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, y, plane), block,
                                                      size);
                        }
                TIFFClose(tiff);
                Picture p = read_file(SCRATCH);
                for (uint32_t y = 0; y < H; y++)
                    for (uint32_t x = 0; x < W; x++)
                        for (uint32_t c = 0; c < 3; c++) {
                            uint32_t v = y * 1000003 + x * 1009 + c * 77;
                            ck_assert_mem_eq(at(&p.image, x, y, c), &v, bits / 8);
                        }
                free(p.memory);
            }
}
END_TEST

/* Compressed in ways of their own: a bright half beside a dark one. */
START_TEST(tiff_compressions) {
    static const struct {
        uint16_t compression, photometric, channels, bits;
    } WAYS[] = {{COMPRESSION_JPEG, PHOTOMETRIC_YCBCR, 3, 8},
                {COMPRESSION_JPEG, PHOTOMETRIC_MINISBLACK, 1, 8},
                {COMPRESSION_CCITTFAX4, PHOTOMETRIC_MINISWHITE, 1, 1},
                {COMPRESSION_PACKBITS, PHOTOMETRIC_RGB, 3, 8},
                {COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_RGB, 4, 8}};
    for (size_t i = 0; i < COUNT(WAYS); i++) {
        Tags tags = {.width = 32,
                     .height = 16,
                     .bits = WAYS[i].bits,
                     .channels = WAYS[i].channels,
                     .photometric = WAYS[i].photometric};
        unsigned char row[32 * 4];
        TIFF *tiff = begin_tiff(SCRATCH, &tags);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, WAYS[i].compression);
        if (WAYS[i].photometric == PHOTOMETRIC_YCBCR)
            TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        if (WAYS[i].compression == COMPRESSION_ADOBE_DEFLATE)
            TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16);
        for (uint32_t y = 0; y < 16; y++) {
            memset(row, 0, sizeof row);
            memset(row, 255, 16u * WAYS[i].channels * WAYS[i].bits / 8);
            TIFFWriteScanline(tiff, row, y, 0);
        }
        TIFFClose(tiff);
        bool dark = WAYS[i].photometric == PHOTOMETRIC_MINISWHITE;
        Picture p = read_file(SCRATCH);
        ck_assert_int_eq(p.image.extent[2], WAYS[i].channels);
        for (int c = 0; c < WAYS[i].channels; c++) {
            ck_assert_int_le(abs(*at(&p.image, 3, 3, c) - (dark ? 0 : 255)), 3);
            ck_assert_int_le(abs(*at(&p.image, 28, 12, c) - (dark ? 255 : 0)), 3);
        }
        free(p.memory);
    }
}
END_TEST

START_TEST(tiff_refusals) {
    static const struct {
        Tags tags;
        const char *reason;
    } WRONG[] = {
        {{.bits = 8, .channels = 4, .photometric = PHOTOMETRIC_SEPARATED}, "neither grey nor RGB"},
        {{.bits = 8, .channels = 3, .photometric = PHOTOMETRIC_CIELAB}, "neither grey nor RGB"},
        {{.bits = 8, .channels = 5, .photometric = PHOTOMETRIC_MINISBLACK}, "four channels"},
        {{.bits = 8, .channels = 5, .photometric = PHOTOMETRIC_RGB}, "three channels"},
        {{.bits = 12, .channels = 1, .photometric = PHOTOMETRIC_MINISBLACK},
         "samples have neither"},
        {{.bits = 16,
          .channels = 1,
          .photometric = PHOTOMETRIC_MINISBLACK,
          .format = SAMPLEFORMAT_IEEEFP},
         "floats"},
        {{.bits = 32,
          .channels = 1,
          .photometric = PHOTOMETRIC_MINISWHITE,
          .format = SAMPLEFORMAT_IEEEFP},
         "least value"},
        {{.bits = 64,
          .channels = 1,
          .photometric = PHOTOMETRIC_MINISBLACK,
          .format = SAMPLEFORMAT_COMPLEXIEEEFP},
         "complex"},
    };
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        Tags tags = WRONG[i].tags;
        unsigned char row[64] = {0};
        size_t length;
        tags.width = 2;
        tags.height = 1;
        TIFF *tiff = begin_tiff(SCRATCH, &tags);
        TIFFWriteScanline(tiff, row, 0, 0);
        TIFFClose(tiff);
        unsigned char *bytes = whole_file(SCRATCH, &length);
        refused(bytes, length, IMAGE_UNSUPPORTED, WRONG[i].reason);
        free(bytes);
    }
}
END_TEST

/* ---- JPEG and PNG of other programs ---- */

static unsigned char *jpeg_of(J_COLOR_SPACE space, int components, bool progressive,
                              size_t *length) {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL, row[4 * 16];
    unsigned long size = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = 16;
    jpeg.image_height = 8;
    jpeg.input_components = components;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    if (progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < 8; y++) {
        JSAMPROW rows = row;
        for (int i = 0; i < 16 * components; i++) /* the left half is bright */
            row[i] = i < 8 * components ? 200 : 40;
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *length = size;
    return bytes;
}

START_TEST(jpeg_kinds) {
    size_t length;
    unsigned char *bytes = jpeg_of(JCS_CMYK, 4, false, &length);
    refused(bytes, length, IMAGE_UNSUPPORTED, "CMYK");
    free(bytes);
    bytes = jpeg_of(JCS_RGB, 3, true, &length);
    Picture p = decoded(bytes, length);
    ck_assert(p.image.extent[2] == 3 && abs(*at(&p.image, 2, 2, 1) - 200) < 6);
    free(p.memory);
    free(bytes);
}
END_TEST

START_TEST(jpeg_orientation) {
    static const unsigned char EXIF[] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,  'M', 'M',
                                         0,    42,   0, 0,  0,   8,   0,   1,   1, 18, 0,   3,
                                         0,    0,    0, 1,  0,   6,   0,   0,   0, 0,  0,   0};
    size_t length;
    unsigned char *bytes = jpeg_of(JCS_GRAYSCALE, 1, false, &length);
    unsigned char *turned = malloc(length + sizeof EXIF);
    memcpy(turned, bytes, 2);
    memcpy(turned + 2, EXIF, sizeof EXIF);
    memcpy(turned + 2 + sizeof EXIF, bytes + 2, length - 2);
    Picture p = decoded(turned, length + sizeof EXIF); /* its left side is shown at the top */
    ck_assert(p.image.extent[0] == 8 && p.image.extent[1] == 16);
    ck_assert(*at(&p.image, 4, 1, 0) > 150 && *at(&p.image, 4, 14, 0) < 90);
    free(p.memory);
    turned[2 + 23] = 1; /* a type that the tag does not have: as if there were none */
    p = decoded(turned, length + sizeof EXIF);
    ck_assert(p.image.extent[0] == 16);
    free(p.memory);
    free(turned);
    free(bytes);
}
END_TEST

static size_t png_of(unsigned char *to, size_t room, int type, int bits, png_bytep row,
                     png_bytep exif) {
    FILE *file = fmemopen(to, room, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_color colours[4] = {{10, 20, 30}, {40, 50, 60}, {70, 80, 90}, {1, 2, 3}};
    png_byte alpha[] = {255, 0};
    if (setjmp(png_jmpbuf(png)))
        ck_abort();
    png_init_io(png, file);
    png_set_IHDR(png, info, 4, 1, bits, type, PNG_INTERLACE_ADAM7, 0, 0);
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, colours, 4);
        png_set_tRNS(png, info, alpha, 2, NULL);
    }
    if (exif)
        png_set_eXIf_1(png, info, 26, exif);
    png_write_info(png, info);
    png_write_image(png, &row);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    long length = ftell(file);
    fclose(file);
    return (size_t)length;
}

START_TEST(png_kinds) {
    unsigned char file[2000], indices[] = {0x1b}, bits[] = {0x50};
    size_t length = png_of(file, sizeof file, PNG_COLOR_TYPE_PALETTE, 2, indices, NULL);
    Picture p = decoded(file, length);
    samples_are(&p, 4, 1, 4, "10 20 30 255 40 50 60 0 70 80 90 255 1 2 3 255");
    free(p.memory);
    unsigned char numbers[] = {0x03, 0x12}, beyond[] = {0x03, 0x42};
    length = png_of(file, sizeof file, PNG_COLOR_TYPE_PALETTE, 4, numbers, NULL);
    p = decoded(file, length);
    samples_are(&p, 4, 1, 4, "10 20 30 255 1 2 3 255 40 50 60 0 70 80 90 255");
    free(p.memory);
    length = png_of(file, sizeof file, PNG_COLOR_TYPE_PALETTE, 4, beyond, NULL);
    refused(file, length, IMAGE_BROKEN, "a pixel has colour 4, and its palette ends before");
    length = png_of(file, sizeof file, PNG_COLOR_TYPE_GRAY, 1, bits, NULL);
    p = decoded(file, length);
    samples_are(&p, 4, 1, 1, "0 255 0 255");
    free(p.memory);
    static unsigned char exif[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3,
                                   0,   1,   0,  0, 0, 8, 0, 0, 0, 0, 0,    0, 0};
    bits[0] = 0x10;
    length = png_of(file, sizeof file, PNG_COLOR_TYPE_GRAY, 1, bits, exif);
    p = decoded(file, length); /* turned to the left */
    samples_are(&p, 1, 4, 1, "255 0 0 0");
    free(p.memory);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("image_files");
    tcase_add_test(tests, netpbm_files);
    tcase_add_test(tests, numpy_files);
    tcase_add_test(tests, tiff_rows);
    tcase_add_test(tests, tiff_bits_palettes_and_byte_orders);
    tcase_add_test(tests, tiff_tiles_and_planes);
    tcase_add_test(tests, tiff_compressions);
    tcase_add_test(tests, tiff_refusals);
    tcase_add_test(tests, jpeg_kinds);
    tcase_add_test(tests, jpeg_orientation);
    tcase_add_test(tests, png_kinds);
    return run_suite("image_files", tests);
}

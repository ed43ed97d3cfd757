/* tiff_read.c -- TIFF files by libtiff: the first picture of a file, in strips or tiles, planar or
 * interleaved, compressed in any way that libtiff knows.
 *
 * Samples are u8, u16, u32, i8, i16, i32, f32 or f64. 1, 2 and 4 bits become u8, palettes u16.
 * White is the largest value, whatever the file's convention. YCbCr is read only if it is
 * JPEG-compressed, which libtiff decodes; inks, Lab and logarithmic colours are refused. An
 * uncompressed file must contain all that it claims; reading a compressed one ends at the first
 * missing strip.
 */
#include "driver/image/tiff.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCK_BYTES = 1 << 28 };

typedef struct TiffReader {
    TIFF *tiff;
    TiffFile *file;
    Picture *picture;
    uint32_t width, height;
    uint16_t bits, channels, photometric, planar, compression, format, orientation;
    uint32_t block_width, block_height; /* a tile, or a strip */
    bool tiled;
} TiffReader;

/* ---- the kind of file ---- */

static bool refuse(const TiffReader *reader, const char *what) {
    return image_fail(reader->file->failure, IMAGE_UNSUPPORTED, what,
                      "convert it to grey or RGB of 8, 16 or 32 bits, or to a PNG file");
}

static bool read_tags(TiffReader *reader) {
    TIFF *tiff = reader->tiff;
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &reader->width) ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &reader->height))
        return image_broken(reader->file->failure, "it does not tell its size");
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &reader->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &reader->channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &reader->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &reader->compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &reader->format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &reader->orientation);
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &reader->photometric))
        reader->photometric = reader->channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    if (reader->photometric == PHOTOMETRIC_YCBCR && reader->compression == COMPRESSION_JPEG) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        reader->photometric = PHOTOMETRIC_RGB;
    }
    return true;
}

/* The samples' kind into `*kind`. */
static bool read_kind(const TiffReader *reader, hlc_kind *kind) {
    *kind = HLC_UINT;
    bool whole = reader->bits == 8 || reader->bits == 16 || reader->bits == 32;
    switch (reader->format) {
    case SAMPLEFORMAT_INT:
        *kind = HLC_INT;
        return whole || refuse(reader, "its signed samples have neither 8, 16 nor 32 bits");
    case SAMPLEFORMAT_IEEEFP:
        *kind = HLC_FLOAT;
        return reader->bits == 32 || reader->bits == 64 ||
               refuse(reader, "its floats have neither 32 nor 64 bits");
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
        return whole || reader->bits == 1 || reader->bits == 2 || reader->bits == 4 ||
               refuse(reader, "its samples have neither 1, 2, 4, 8, 16 nor 32 bits");
    default:
        return refuse(reader, "its samples are complex numbers, or of an unknown kind");
    }
}

static bool check_colours(const TiffReader *reader, hlc_kind kind) {
    switch (reader->photometric) {
    case PHOTOMETRIC_MINISBLACK:
        return reader->channels <= 4 || refuse(reader, "it has more than four channels");
    case PHOTOMETRIC_MINISWHITE:
        return (reader->channels <= 2 && kind == HLC_UINT) ||
               refuse(reader, "white is its least value, in samples that have no largest one");
    case PHOTOMETRIC_RGB:
        return reader->channels == 3 || reader->channels == 4 ||
               refuse(reader, "its RGB does not have three channels, or four");
    case PHOTOMETRIC_PALETTE:
        return (reader->channels == 1 && reader->bits <= 8 && kind == HLC_UINT) ||
               refuse(reader, "its palette is indexed in an unusual way");
    default:
        return refuse(reader, "its colours are neither grey nor RGB (CMYK, YCbCr, Lab or others)");
    }
}

static bool read_blocks_size(TiffReader *reader) {
    reader->tiled = TIFFIsTiled(reader->tiff);
    reader->block_width = reader->width;
    reader->block_height = reader->height;
    if (reader->tiled) {
        TIFFGetField(reader->tiff, TIFFTAG_TILEWIDTH, &reader->block_width);
        TIFFGetField(reader->tiff, TIFFTAG_TILELENGTH, &reader->block_height);
    } else {
        uint32_t rows = reader->height;
        TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        reader->block_height = rows < reader->height ? rows : reader->height;
    }
    uint64_t bytes = reader->tiled ? TIFFTileSize64(reader->tiff)
                                   : TIFFVStripSize64(reader->tiff, reader->block_height);
    if (reader->block_width == 0 || reader->block_height == 0 || bytes == 0)
        return image_broken(reader->file->failure, "its strips or tiles have no size");
    if (reader->tiled && bytes > MOST_BLOCK_BYTES)
        return image_fail(reader->file->failure, IMAGE_TOO_LARGE,
                          "its tiles have more than 256 MiB each", "save it with smaller tiles");
    return true;
}

/* ---- its samples ---- */

/* Unpacks `count` samples of fewer than 8 bits, highest bits first, each times `factor`. */
static void unpack(const unsigned char *from, int bits, int factor, size_t first, size_t count,
                   unsigned char *to, int64_t step) {
    unsigned mask = (1u << bits) - 1;
    for (size_t i = 0; i < count; i++) {
        size_t bit = (first + i) * (size_t)bits;
        unsigned value = from[bit / 8] >> (8 - bits - (int)(bit % 8)) & mask;
        to[(int64_t)i * step] = (unsigned char)(value * (unsigned)factor);
    }
}

/* Stores one row of a block: `count` pixels of `samples` each, to `to`, whose pixels are `step`
 * samples apart. */
static void store_row(const TiffReader *reader, const unsigned char *row, size_t count,
                      size_t samples, unsigned char *to, int64_t step) {
    size_t bytes = reader->bits / 8;
    if (reader->bits < 8) {
        int factor =
            reader->photometric == PHOTOMETRIC_PALETTE ? 1 : 255 / ((1 << reader->bits) - 1);
        for (size_t s = 0; s < samples; s++)
            for (size_t x = 0; x < count; x++)
                unpack(row, reader->bits, factor, x * samples + s, 1,
                       to + (int64_t)x * step + (int64_t)s, 1);
        return;
    }
    if ((int64_t)samples == step) {
        memcpy(to, row, count * samples * bytes);
        return;
    }
    for (size_t x = 0; x < count; x++)
        memcpy(to + (int64_t)x * step * (int64_t)bytes, row + x * samples * bytes, samples * bytes);
}

/* Reads the block at (x, y) of one plane, or of all channels together. */
static bool read_block(const TiffReader *reader, unsigned char *buffer, tmsize_t size, uint32_t x,
                       uint32_t y, uint16_t plane) {
    TIFF *tiff = reader->tiff;
    bool separate = reader->planar == PLANARCONFIG_SEPARATE;
    const hlc_image *image = &reader->picture->image;
    uint32_t rows =
        reader->height - y < reader->block_height ? reader->height - y : reader->block_height;
    uint32_t columns =
        reader->width - x < reader->block_width ? reader->width - x : reader->block_width;
    size_t row_bytes = (size_t)(reader->tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff));
    tmsize_t least = (tmsize_t)(row_bytes * rows), got;
    if (reader->tiled)
        got = TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, plane), buffer, size);
    else
        got = TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, plane), buffer, least);
    if (got < least || reader->file->failed)
        return reader->file->failed
                   ? false
                   : image_broken(reader->file->failure, "a strip or tile of it is too short");
    for (uint32_t r = 0; r < rows; r++) {
        int64_t element = (int64_t)(y + r) * image->stride[1] + (int64_t)x * image->stride[0];
        store_row(reader, buffer + r * row_bytes, columns, separate ? 1 : reader->channels,
                  (unsigned char *)image->data +
                      (element + plane) * (int64_t)image_element_bytes(image),
                  image->stride[0]);
    }
    return true;
}

static bool read_blocks(TiffReader *reader) {
    tmsize_t size = reader->tiled ? TIFFTileSize(reader->tiff)
                                  : TIFFVStripSize(reader->tiff, reader->block_height);
    uint16_t planes = reader->planar == PLANARCONFIG_SEPARATE ? reader->channels : 1;
    unsigned char *buffer = size > 0 ? malloc((size_t)size) : NULL;
    bool read = buffer || image_no_memory(reader->file->failure);
    for (uint16_t plane = 0; read && plane < planes; plane++)
        for (uint64_t y = 0; read && y < reader->height; y += reader->block_height)
            for (uint64_t x = 0; read && x < reader->width; x += reader->block_width)
                read = read_block(reader, buffer, size, (uint32_t)x, (uint32_t)y, plane);
    free(buffer);
    return read;
}

/* ---- colours ---- */

/* The first channel becomes its largest value minus itself. */
static void invert(hlc_image *image) {
    size_t bytes = image_element_bytes(image),
           pixels = (size_t)(image->extent[0] * image->extent[1]);
    unsigned char *at = image->data;
    for (size_t i = 0; i < pixels; i++, at += bytes * (size_t)image->extent[2])
        for (size_t b = 0; b < bytes; b++)
            at[b] = (unsigned char)~at[b];
}

/* Indices become colours of 16 bits. */
static bool apply_palette(const TiffReader *reader) {
    uint16_t *maps[3];
    Picture *indices = reader->picture, colours = {.most_bytes = indices->most_bytes};
    if (!TIFFGetField(reader->tiff, TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]))
        return image_broken(reader->file->failure, "its palette is missing");
    if (!picture_allocate(&colours, HLC_UINT, 16, reader->width, reader->height, 3,
                          reader->file->failure))
        return false;
    size_t pixels = (size_t)reader->width * reader->height;
    uint16_t *to = colours.memory;
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++)
            to[3 * i + (size_t)c] = maps[c][((unsigned char *)indices->memory)[i]];
    free(indices->memory);
    *indices = colours;
    return true;
}

static bool is_honest(const TiffReader *reader) {
    double bytes = (double)reader->width * reader->height * reader->channels * reader->bits / 8;
    return reader->compression != COMPRESSION_NONE ||
           bytes <= (double)reader->file->bytes->length ||
           image_fail(reader->file->failure, IMAGE_TOO_LARGE,
                      "it claims more pixels than a file of its length can hold",
                      "get the file anew: it is damaged or cut short");
}

static bool read_picture(TiffReader *reader) {
    hlc_kind kind;
    if (!read_tags(reader) || !read_kind(reader, &kind) || !check_colours(reader, kind) ||
        !is_honest(reader) || !read_blocks_size(reader) ||
        !picture_allocate(reader->picture, kind, reader->bits < 8 ? 8 : reader->bits, reader->width,
                          reader->height, reader->channels, reader->file->failure) ||
        !read_blocks(reader))
        return false;
    if (reader->photometric == PHOTOMETRIC_MINISWHITE)
        invert(&reader->picture->image);
    return reader->photometric != PHOTOMETRIC_PALETTE || apply_palette(reader);
}

bool tiff_decode(const Bytes *bytes, Picture *picture, ImageFailure *failure) {
    Bytes view = *bytes;
    TiffFile file = {.bytes = &view, .failure = failure};
    TiffReader reader = {.file = &file, .picture = picture};
    reader.tiff = tiff_open(&file, "rm");
    if (!reader.tiff)
        return file.failed ? false : image_broken(failure, "its directory cannot be read");
    bool read = read_picture(&reader);
    TIFFClose(reader.tiff);
    if (read)
        picture_turn(picture, reader.orientation);
    return read;
}

/* png.c -- PNG files by libpng: 1 to 4 channels of 8 or 16 bits. libpng expands fewer bits and
 * transparent colours. We expand palettes ourselves: libpng makes pixels black if the palette lacks
 * their colour.
 *
 * Deflate expands a byte to at most 1032 (zlib's technical notes). A header that claims more is
 * refused before any memory is allocated for it.
 */
#include "driver/image/format.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { DEFLATE_RATIO = 1032, SIGNATURE_BYTES = 8 };

/* The state that survives a jump out of libpng. */
typedef struct PngReader {
    const Bytes *file;
    size_t at;
    png_structp png;
    png_infop info;
    Picture *picture;
    png_colorp palette; /* null: the file has none */
    png_bytep alpha;    /* of its first colours; the others are opaque */
    int colours, alphas, orientation, passes;
    ImageFailure *failure;
    bool failed; /* the failure is already filled */
} PngReader;

static void on_error(png_structp png, png_const_charp message) {
    image_broken(png_get_error_ptr(png), "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* ---- reading ---- */

static void read_bytes(png_structp png, png_bytep to, size_t length) {
    PngReader *reader = png_get_io_ptr(png);
    if (length > reader->file->length - reader->at)
        png_error(png, "it ends too early");
    memcpy(to, reader->file->data + reader->at, length);
    reader->at += length;
}

/* Can the compressed bytes contain what the header claims? */
static bool is_plausible(const PngReader *reader) {
    double bits = (double)png_get_image_width(reader->png, reader->info) *
                  png_get_channels(reader->png, reader->info) *
                  png_get_bit_depth(reader->png, reader->info);
    double bytes = bits / 8 * png_get_image_height(reader->png, reader->info);
    return bytes <= (double)DEFLATE_RATIO * (double)reader->file->length;
}

/* Makes libpng return the colour index of each pixel, in a byte. */
static void read_palette(PngReader *reader) {
    png_set_packing(reader->png);
    if (!png_get_PLTE(reader->png, reader->info, &reader->palette, &reader->colours))
        png_error(reader->png, "its palette is missing");
    png_get_tRNS(reader->png, reader->info, &reader->alpha, &reader->alphas, NULL);
}

/* libpng's own limit is a million; the limit of the samples holds here, too. */
static void allow_long_sides(png_structp png) {
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
}

static bool read_header(PngReader *reader) {
    png_structp png = reader->png;
    allow_long_sides(png);
    png_set_read_fn(png, reader, read_bytes);
    png_read_info(png, reader->info);
    if (!is_plausible(reader))
        return image_overclaims(reader->failure);
    if (png_get_color_type(png, reader->info) == PNG_COLOR_TYPE_PALETTE)
        read_palette(reader);
    else
        png_set_expand(png);
    png_set_swap(png);
    reader->passes = png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    int channels = reader->palette ? 3 + (reader->alphas > 0) : png_get_channels(png, reader->info);
    return picture_allocate(reader->picture, HLC_UINT, png_get_bit_depth(png, reader->info),
                            png_get_image_width(png, reader->info),
                            png_get_image_height(png, reader->info), channels, reader->failure);
}

/* Expands the row's pixels, of `channels` bytes, from the colour indices at the row's end. */
static bool apply_palette(const PngReader *reader, png_bytep row, size_t width, size_t channels) {
    const png_byte *numbers = row + (channels - 1) * width;
    for (size_t x = 0; x < width; x++, row += channels) {
        int number = numbers[x];
        if (number >= reader->colours)
            return image_broken(reader->failure,
                                "a pixel has colour %d, and its palette ends before", number);
        row[0] = reader->palette[number].red;
        row[1] = reader->palette[number].green;
        row[2] = reader->palette[number].blue;
        if (channels == 4)
            row[3] = number < reader->alphas ? reader->alpha[number] : 255;
    }
    return true;
}

static void read_orientation(PngReader *reader) {
    png_bytep exif;
    png_uint_32 length;
    if (png_get_eXIf_1(reader->png, reader->info, &length, &exif))
        reader->orientation = exif_orientation(exif, length);
}

static bool read_rows(PngReader *reader) {
    const hlc_image *image = &reader->picture->image;
    size_t width = (size_t)image->extent[0], height = (size_t)image->extent[1];
    size_t channels = (size_t)image->extent[2], numbers = reader->palette ? width : 0;
    size_t row = (size_t)image->stride[1] * image_element_bytes(image);
    png_bytep first = (png_bytep)image->data + (numbers ? row - numbers : 0);
    for (int pass = 0; pass < reader->passes; pass++)
        for (size_t y = 0; y < height; y++)
            png_read_row(reader->png, first + y * row, NULL);
    png_read_end(reader->png, reader->info);
    read_orientation(reader);
    for (size_t y = 0; numbers && y < height; y++)
        if (!apply_palette(reader, (png_bytep)image->data + y * row, width, channels))
            return false;
    return true;
}

static bool read_all(PngReader *reader) {
    if (setjmp(png_jmpbuf(reader->png)))
        return false;
    return read_header(reader) && read_rows(reader);
}

bool png_decode(const Bytes *file, Picture *picture, ImageFailure *failure) {
    PngReader reader = {.file = file, .picture = picture, .orientation = 1, .failure = failure};
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, failure, on_error, on_warning);
    reader.info = reader.png ? png_create_info_struct(reader.png) : NULL;
    bool read = reader.info ? read_all(&reader) : image_no_memory(failure);
    png_destroy_read_struct(&reader.png, &reader.info, NULL);
    if (read)
        picture_turn(picture, reader.orientation);
    return read;
}

/* ---- writing ---- */

/* Files of photographs are a fifth larger than with zlib's level 6 and a filter chosen for each row, and
 * are written in a fifth of the time (docs/images.md). */
enum { COMPRESSION = 2, FILTER = PNG_FILTER_PAETH };

static bool write_all(png_structp png, png_infop info, const hlc_image *image, FILE *file) {
    static const int COLORS[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    size_t row = (size_t)image->stride[1] * image_element_bytes(image);
    if (setjmp(png_jmpbuf(png)))
        return false;
    allow_long_sides(png);
    png_init_io(png, file);
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, FILTER);
    png_set_IHDR(png, info, (png_uint_32)image->extent[0], (png_uint_32)image->extent[1],
                 image->bits, COLORS[image->extent[2] - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (image->bits == 16)
        png_set_swap(png);
    for (int64_t y = 0; y < image->extent[1]; y++)
        png_write_row(png, (png_const_bytep)image->data + (size_t)y * row);
    png_write_end(png, NULL);
    return true;
}

bool png_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, failure, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool written = info ? write_all(png, info, image, file) : image_no_memory(failure);
    png_destroy_write_struct(&png, &info);
    return written;
}

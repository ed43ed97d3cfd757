/* image.h -- converts picture files to images, and images to picture files.
 *
 * A file is read into memory, recognised by its first bytes, decoded by its format (one source file
 * a format, with a table in formats.c), turned by its orientation tag, and fitted to the input:
 * channels and sample type (fit.c; docs/images.md has the rules). Saving also works in memory, in
 * the format of the path's ending; the caller writes the bytes.
 *
 * Nothing here prints, exits, or trusts the claims of a file. Each failure fills an ImageFailure,
 * and frees its memory.
 */
#ifndef HLC_DRIVER_IMAGE_IMAGE_H
#define HLC_DRIVER_IMAGE_IMAGE_H

#include "include/hlc.h"

typedef enum ImageFault {
    IMAGE_UNREADABLE,  /* the file system refuses it */
    IMAGE_UNKNOWN,     /* the file's format is unknown */
    IMAGE_BROKEN,      /* damaged, cut short, or against its format */
    IMAGE_UNSUPPORTED, /* correct, but unsupported: the remedy says what to do */
    IMAGE_TOO_LARGE,   /* claims more than it can contain, or than the limits allow */
    IMAGE_NO_MEMORY,
    IMAGE_MISFIT, /* loading: the input cannot take it */
    IMAGE_UNFIT,  /* saving: the format cannot hold it */
    IMAGE_ENDING  /* saving: the name's ending is no format's */
} ImageFault;

typedef struct ImageFailure {
    ImageFault fault;
    char format[8]; /* "PNG", .. if known */
    char reason[200], remedy[200];
} ImageFailure;

/* An image and its memory, from malloc; strides may be negative. */
typedef struct Picture {
    hlc_image image;
    void *memory;
    int64_t most_bytes; /* of its samples; 0: IMAGE_MOST_BYTES */
    bool is_array;      /* from a .npy file: data of unknown range and channels */
} Picture;

/* The limit without a demand. */
#define IMAGE_MOST_BYTES ((int64_t)1 << 30)

/* The axes of a .npy array: the image's dimension of each. As in Python, the last axis is dimension 0,
 * `a[y, x]`, `a[z, y, x]`; an interleaved image is `a[y, x, c]`. A word before the path says otherwise:
 * `yxc:photo.npy`. */
typedef struct ImageAxes {
    int count;
    int8_t of[4];
    bool is_said; /* by a word */
} ImageAxes;
/* Reads the word; `*path` advances behind it. False if there is none. */
bool image_axes_read(const char **path, ImageAxes *axes);
ImageAxes image_axes(int dimensions, hlc_layout layout);

/* The demands of an input: its type and dimensions, and the requested channels: 1 (gray:), 3
 * (rgb:), 4 (rgba:), or 0 for the file's. `most_bytes` limits the samples, as stored and as
 * converted; 0: IMAGE_MOST_BYTES. `axes` are those of an array; null: y, x, channel, as a picture's. */
typedef struct ImageDemand {
    hlc_kind kind;
    int bits, dimensions, channels;
    int64_t most_bytes;
    const ImageAxes *axes;
} ImageDemand;

/* ---- elements ---- */

/* "u8" */
typedef struct TypeText {
    char text[8];
} TypeText;
TypeText image_type_text(hlc_kind kind, int bits);
bool image_kind_is_float(hlc_kind kind);
/* Returns the float of this kind and size at the address. */
double image_float(hlc_kind kind, int bits, const void *at);

/* ---- loading ---- */

/* Reads a file in the input's form. The caller frees `picture->memory`. False with the failure. */
bool image_load(const char *path, const ImageDemand *demand, Picture *picture,
                ImageFailure *failure);

/* The first half of image_load: decodes the bytes of a file to an image of the file's own type, in
 * display orientation. Its dimensions are x, y, channel, or those of a .npy file. */
bool image_decode(const unsigned char *bytes, size_t length, Picture *picture,
                  ImageFailure *failure);

/* The second half: converts channels and samples to the demand, and replaces `picture`. */
bool image_fit(Picture *picture, const ImageDemand *demand, ImageFailure *failure);

/* Has an array without a word a few columns or rows, and many channels? Then its axes were probably
 * meant otherwise. */
bool image_looks_turned(const Picture *picture, const ImageAxes *axes);

/* ---- saving ---- */

/* Can image_encode make a file of this name? */
bool image_check_path(const char *path, ImageFailure *failure);

/* Encodes a file in the format of the path's ending; the bytes are from malloc. `axes` are those of an
 * array; null: as a picture's. */
bool image_encode(const char *path, const hlc_image *image, const ImageAxes *axes,
                  unsigned char **bytes, size_t *length, ImageFailure *failure);
/* Returns the number of samples that image_encode clamps: floats outside of [0, 1], and NaNs, where
 * the format holds integers. `above` receives the number of those greater than 1, `count` that of all
 * samples. */
int64_t image_count_clamped(const char *path, const hlc_image *image, int64_t *above,
                            int64_t *count);

/* Prints the table of formats, one row a line: `format NAME:ENDINGS:TYPES:CHANNELS`. */
void image_print_formats(FILE *out);

#endif

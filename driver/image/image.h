/* image.h -- picture files as images and images as picture files.
 *
 * A file is read whole into memory, recognised by its first bytes, decoded by its format (one file
 * a format, a table of them in formats.c), turned as its orientation tag says, and fitted to what
 * the input takes: channels and sample type (fit.c; docs/images.md has the rules).  What
 * is saved is made in memory too, in the format that a path's ending says; the caller writes it.
 *
 * Nothing here prints, exits, or trusts what a file claims: each failure is told in an
 * ImageFailure, and its memory is given back.
 */
#ifndef HLC_IMAGE_IMAGE_H
#define HLC_IMAGE_IMAGE_H

#include "include/hlc.h"

typedef enum ImageFault {
    IMAGE_UNREADABLE,  /* the file system says no */
    IMAGE_UNKNOWN,     /* the file is of no format that we know */
    IMAGE_BROKEN,      /* damaged, cut short, or against its format */
    IMAGE_UNSUPPORTED, /* correct, but something that is not read: the remedy says what to do */
    IMAGE_TOO_LARGE,   /* claims more than it can hold, or than the limits allow */
    IMAGE_NO_MEMORY,
    IMAGE_MISFIT, /* loading: the input cannot take it */
    IMAGE_UNFIT,  /* saving: the format cannot hold it */
    IMAGE_ENDING  /* saving: the name's ending is no format's */
} ImageFault;

typedef struct ImageFailure {
    ImageFault fault;
    char format[8]; /* "PNG", .. where it is known */
    char reason[200], remedy[200];
} ImageFailure;

/* An image and the memory that it lies in, from malloc; strides may be negative. */
typedef struct Picture {
    hlc_image image;
    void *memory;
    bool is_array; /* of a .npy file: data, of which neither range nor channels are known */
} Picture;

/* What an input takes: its type and dimensions, and the channels asked for: 1 (gray:), 3 (rgb:), 4
 * (rgba:), or 0, as the file has them. */
typedef struct ImageDemand {
    hlc_kind kind;
    int bits, dimensions, channels;
} ImageDemand;

/* ---- loading ---- */

/* Reads a file as the input takes it.  Free `picture->memory`.  False with the failure. */
bool image_load(const char *path, const ImageDemand *demand, Picture *picture,
                ImageFailure *failure);

/* The first half: the bytes of a file as an image of the file's own type, as it is to be shown:
 * dimensions x, y, channel, or what a .npy file has. */
bool image_decode(const unsigned char *bytes, size_t length, Picture *picture,
                  ImageFailure *failure);

/* The second half: channels and samples are made what is demanded; `picture` is replaced. */
bool image_fit(Picture *picture, const ImageDemand *demand, ImageFailure *failure);

/* ---- saving ---- */

/* Is it the name of a file that image_encode can make? */
bool image_check_path(const char *path, ImageFailure *failure);

/* The bytes of a file in the format that the path's ending says, from malloc. */
bool image_encode(const char *path, const hlc_image *image, unsigned char **bytes, size_t *length,
                  ImageFailure *failure);

#endif

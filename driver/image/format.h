/* format.h -- what the formats' files share. */
#ifndef HLC_IMAGE_FORMAT_H
#define HLC_IMAGE_FORMAT_H

#include "driver/image/image.h"

/* Limits on what a file may claim: the bytes of its samples, of the samples as the input takes
 * them, and the bytes of the file itself. */
#define MOST_BYTES ((int64_t)1 << 31)

/* Bytes from malloc that grow. */
typedef struct Bytes {
    unsigned char *data;
    size_t length, capacity;
} Bytes;

/* False where there is no memory; the bytes stay as they were. */
bool bytes_append(Bytes *bytes, const void *more, size_t length);
/* A whole file; false with the failure. */
bool bytes_read(const char *path, Bytes *bytes, ImageFailure *failure);

/* Fills the failure and answers false.  The remedy of what is broken is always the same. */
bool image_fail(ImageFailure *failure, ImageFault fault, const char *reason, const char *remedy);
bool image_no_memory(ImageFailure *failure);
/* The header claims more than the file can hold. */
bool image_overclaims(ImageFailure *failure);
/* A format's own words on what is wrong with the file. */
__attribute__((format(printf, 2, 3))) bool image_broken(ImageFailure *failure, const char *reason,
                                                        ...);

/* Memory for the samples, in order channel, x, y; false with the failure where the claim is too
 * large, or not positive. */
bool picture_allocate(Picture *picture, hlc_kind kind, int bits, int64_t width, int64_t height,
                      int64_t channels, ImageFailure *failure);
/* The stored image as it is to be shown, by strides alone.  `orientation` is TIFF's tag 274, 1 to
 * 8; anything else is 1. */
void picture_turn(Picture *picture, int orientation);
/* The orientation in an Exif block (which begins with TIFF's header); 1 where it says none. */
int exif_orientation(const unsigned char *bytes, size_t length);

/* Replaces the picture by one of this type and of so many channels (0: as it has), planar; the same
 * parts of full scale, clamped to it where the type is an integer's.  No integers of 64 bits. */
bool picture_convert(Picture *picture, hlc_kind kind, int bits, int channels,
                     ImageFailure *failure);

size_t image_element_bytes(const hlc_image *image);
/* Elements in order channel, x, y, then the fourth dimension, from malloc; null without memory. */
void *image_packed(const hlc_image *image);
/* "u8" */
typedef struct TypeText {
    char text[8];
} TypeText;
TypeText image_type_text(hlc_kind kind, int bits);
/* Reverses the bytes of each element.  The machines that hlc runs on have the least significant
 * byte first. */
void swap_bytes(unsigned char *data, size_t count, size_t element_bytes);

typedef struct Magic {
    const char *bytes;
    size_t length;
} Magic;

/* One row of formats.c.  What is encoded is packed as image_packed does it, of one of the types
 * that the format holds, with a number of channels that it holds. */
typedef bool Decode(const Bytes *file, Picture *picture, ImageFailure *failure);
/* What cannot be written into `file`, for want of memory, is told by its error indicator. */
typedef bool Encode(const hlc_image *image, FILE *file, ImageFailure *failure);
typedef struct PictureFormat {
    const char *name;
    const char *endings; /* " tif tiff " */
    Magic magic[4];
    const char *types;  /* held as they are: " u8 u16 " */
    const char *floats; /* what floats become that are not held: "u16"; "" where they are refused */
    unsigned channels;  /* bit c: c channels are held; 0: any dimensions whatever */
    int64_t most_extent;
    Decode *decode; /* null where another row reads it */
    Encode *encode;
} PictureFormat;

Decode png_decode, jpeg_decode, tiff_decode, pnm_decode, pfm_decode, npy_decode;
Encode png_encode, jpeg_encode, tiff_encode, pbm_encode, pnm_encode, pam_encode, pfm_encode,
    npy_encode;

#endif

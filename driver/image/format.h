/* format.h -- the types and functions that the files of the formats share. */
#ifndef HLC_DRIVER_IMAGE_FORMAT_H
#define HLC_DRIVER_IMAGE_FORMAT_H

#include "driver/image/image.h"

/* The limit of a file itself, unless its samples may take more. */
#define MOST_FILE_BYTES ((int64_t)1 << 31)

/* Bytes from malloc that grow. */
typedef struct Bytes {
    unsigned char *data;
    size_t length, capacity;
} Bytes;

/* Appends bytes. False if memory runs out; the bytes are then unchanged. */
bool bytes_append(Bytes *bytes, const void *more, size_t length);
/* A whole file of at most `most` bytes; false with the failure. A pipe or a device that `path`
 * names is refused, as it may never end, but a pipe that this process was started with is read. */
bool bytes_read(const char *path, int64_t most, Bytes *bytes, ImageFailure *failure);

/* Fills the failure and returns false. Broken files always get the same remedy. */
bool image_fail(ImageFailure *failure, ImageFault fault, const char *reason, const char *remedy);
bool image_no_memory(ImageFailure *failure);
/* The header claims more than the file can hold. */
bool image_overclaims(ImageFailure *failure);
/* `what` takes more than the limit of the samples. */
bool image_beyond_limit(const Picture *picture, const char *what, ImageFailure *failure);
/* The limit of the samples. */
int64_t picture_most_bytes(const Picture *picture);
/* Fills the failure with the format library's own message. */
__attribute__((format(printf, 2, 3))) bool image_broken(ImageFailure *failure, const char *reason,
                                                        ...);

/* Allocates the samples, in order channel, x, y. False, with the failure, if the claimed size is
 * beyond `picture->most_bytes`, or not positive. */
bool picture_allocate(Picture *picture, hlc_kind kind, int bits, int64_t width, int64_t height,
                      int64_t channels, ImageFailure *failure);
/* Turns the stored image to its display orientation, by changing only strides. `orientation` is
 * TIFF's tag 274, 1 to 8; other values count as 1. */
void picture_turn(Picture *picture, int orientation);
/* Returns the orientation in an Exif block (which begins with TIFF's header); 1 if it has none. */
int exif_orientation(const unsigned char *bytes, size_t length);

/* Replaces the picture by one of this type and number of channels (0: unchanged), planar. Samples
 * keep their fraction of full scale, clamped if the type is an integer. No 64-bit integers. */
bool picture_convert(Picture *picture, hlc_kind kind, int bits, int channels,
                     ImageFailure *failure);

/* Give a decoded array these axes, and an image the order in which arrays are encoded. False, with the
 * failure, if a word names other axes than there are. */
bool axes_decode(Picture *picture, const ImageAxes *axes, ImageFailure *failure);
bool axes_encode(hlc_image *image, const ImageAxes *axes, bool is_array, ImageFailure *failure);

size_t image_element_bytes(const hlc_image *image);
/* Returns the elements in order channel, x, y, then the fourth dimension, from malloc; null if
 * memory runs out. */
void *image_packed(const hlc_image *image);
/* Returns the f16 or bf16 nearest to the value. */
uint16_t short_float_put(hlc_kind kind, double value);
/* Reverses the bytes of each element. All machines that run hlc are little-endian. */
void swap_bytes(unsigned char *data, size_t count, size_t element_bytes);

typedef struct Magic {
    const char *bytes;
    size_t length;
} Magic;

/* One row of formats.def.  An encoder gets an image packed as by image_packed, of a type and a
 * number of channels that the format supports. */
typedef bool Decode(const Bytes *file, Picture *picture, ImageFailure *failure);
/* A failed write to `file`, for lack of memory, sets its error indicator. */
typedef bool Encode(const hlc_image *image, FILE *file, ImageFailure *failure);
typedef struct PictureFormat {
    const char *name;
    const char *endings; /* " tif tiff " */
    Magic magic[4];
    const char *types;  /* held as they are: " u8 u16 " */
    const char *floats; /* replaces unsupported floats: "u16"; "" refuses them */
    unsigned channels;  /* bit c: c channels are supported; 0: an array, of any dimensions */
    int64_t most_extent;
    Decode *decode;
    Encode *encode;
} PictureFormat;

/* Row i of the table; null after the last. */
const PictureFormat *image_format(int i);

#define FORMAT(NAME, ENDINGS, MAGIC, TYPES, FLOATS, CHANNELS, MOST, DECODE, ENCODE)                \
    Decode DECODE;                                                                                 \
    Encode ENCODE;
#include "driver/image/formats.def"
#undef FORMAT

#endif

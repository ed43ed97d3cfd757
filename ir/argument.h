/* argument.h -- the arguments of one run: the same for the reference, the target interpreter and
 * the compiled code.
 */
#ifndef HLC_IR_ARGUMENT_H
#define HLC_IR_ARGUMENT_H

#include "ir/signature.h"
#include "runtime/hlc_runtime.h"

/* An image in memory: element (x0, x1, ..) lies `sum (xi - minimum[i]) * stride[i]` elements after
 * `data`.  `data` points at the element of the minimum coordinates.  Owned by whoever made it. */
typedef struct Image {
    Type type;
    int dimensions;
    int64_t minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS],
        stride[MAX_IMAGE_DIMENSIONS]; /* in elements */
    unsigned char *data;
} Image;

/* Everything a run needs, in the signature's order.  Outputs: one image for each output func's
 * tuple elements, flattened in order; their minimum and extent are the window. */
typedef struct Arguments {
    Bits *parameters;
    Image *images;
    Image *outputs;
} Arguments;

/* The image as a buffer of the C ABI with these dimensions; an error, with the report filled, where
 * its numbers do not fit in one.  The buffer points to the image's elements. */
int image_to_buffer(const Image *image, const char *name, halide_buffer_t *buffer,
                    halide_dimension_t *dimensions, hlc_report *report);
/* Its minima, extents and strides from the buffer. */
void image_take_box(Image *image, const halide_buffer_t *buffer);

/* How a run ended.  HLC_SUCCESS, or the error with its message in the source's names. */
typedef struct Outcome {
    int error; /* hlc_error */
    char message[512];
} Outcome;

/* A point of an output whose value is an error, in the formal reading; or a requirement. */
typedef struct ErrorPoint {
    uint8_t error;           /* ErrorValue; ERROR_NONE: there is no such point */
    const char *requirement; /* its message, where it is one's condition; then no point is told */
    Symbol func;
    int component;
    int64_t point[MAX_DIMENSIONS];
} ErrorPoint;

/* Elements of an image; 0 when an extent is not positive. */
int64_t image_count(const Image *image);
unsigned char *image_at(const Image *image, const int64_t *coordinates);
/* A dense image (stride[0] = 1) from malloc, zeroed; null when there is no memory.  Free its data.
 */
bool image_allocate(Image *image, Type type, int dimensions, const int64_t *minimum,
                    const int64_t *extent);

/* The value of a startup variable (parameter as itself; `input.min.0`, `out.extent.1` as index)
 * under these arguments.  False where `name` is none. */
bool argument_variable(const Signature *signature, const Arguments *arguments, Context *context,
                       Symbol name, Bits *bits);

#endif

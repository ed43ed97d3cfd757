/* argument.h -- the arguments of one run, for the reference, the target interpreter and compiled
 * code.
 */
#ifndef HLC_IR_ARGUMENT_H
#define HLC_IR_ARGUMENT_H

#include "ir/signature.h"
#include "runtime/hlc_runtime.h"

/* An image in memory. Element (x0, x1, ..) lies `sum (xi - minimum[i]) * stride[i]` elements after
 * `data`, which points at the element of the minimum coordinates. The creator of the image owns its
 * memory. */
typedef struct Image {
    Type type;
    int dimensions;
    int64_t minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS],
        stride[MAX_IMAGE_DIMENSIONS]; /* in elements */
    unsigned char *data;
    /* In the window form: the whole that the image is a window of. Without `has_domain` the image is
     * the whole. */
    bool has_domain;
    int64_t domain_minimum[MAX_IMAGE_DIMENSIONS], domain_extent[MAX_IMAGE_DIMENSIONS];
} Image;

/* Holds everything a run needs, in the signature's order. `outputs` has one image for each
 * component of each output func; its minimum and extent are the window. */
typedef struct Arguments {
    Bits *parameters;
    Image *images;
    Image *outputs;
} Arguments;

/* Returns the code of the type in halide_type_t. */
uint8_t argument_type_code(Type type);
/* Makes a buffer of the C ABI for the image, with these dimensions. The buffer points to the
 * image's elements. Returns an error, with the report filled, if a number does not fit. */
int image_to_buffer(const Image *image, const char *name, halide_buffer_t *buffer,
                    halide_dimension_t *dimensions, hlc_report *report);
/* Copies minima, extents and strides from the buffer. */
void image_take_box(Image *image, const halide_buffer_t *buffer);

/* Tells how a run ended: HLC_SUCCESS, or the error and its message in the source's names. */
typedef struct Outcome {
    int error; /* hlc_error */
    char message[512];
} Outcome;

/* The report must hold an error. */
Outcome outcome_of_report(const hlc_report *report);

/* An output point that has an error value in the formal reading, or a requirement whose condition
 * has one. */
typedef struct ErrorPoint {
    uint8_t error;           /* ErrorValue; ERROR_NONE: no error, and no point */
    const char *requirement; /* the requirement's message, if its condition is an error; then there
                                is no point */
    Symbol func;
    int component;
    int64_t point[MAX_DIMENSIONS];
} ErrorPoint;

/* Returns the number of elements; 0 if an extent is not positive. */
int64_t image_count(const Image *image);
/* Has the window points, which all lie in the image? Both have the same dimensions. */
bool image_contains(const Image *image, const Image *window);
unsigned char *image_at(const Image *image, const int64_t *coordinates);
int64_t image_domain_minimum(const Image *image, int dimension);
int64_t image_domain_extent(const Image *image, int dimension);
/* Allocates a dense, zeroed image (stride[0] = 1) by malloc; false if memory runs out. The caller
 * frees its data. */
bool image_allocate(Image *image, Type type, int dimensions, const int64_t *minimum,
                    const int64_t *extent);

/* Finds the value of a startup variable under these arguments: a parameter, or a field of sort
 * index such as `input.min.0` and `out.extent.1`. Returns false if `name` is not a startup
 * variable. */
bool argument_variable(const Signature *signature, const Arguments *arguments, Context *context,
                       Symbol name, Bits *bits);

#endif

/* signature.h -- the inputs and outputs of a pipeline, for the algorithm and its target programs.
 */
#ifndef HLC_IR_SIGNATURE_H
#define HLC_IR_SIGNATURE_H

#include "ir/expr.h"

#define MAX_DIMENSIONS       8 /* of a func */
#define MAX_IMAGE_DIMENSIONS 4 /* of an image or an output; only an output may have 0 */

/* The promised layout of an image in memory. */
typedef enum Layout { LAYOUT_PLANAR, LAYOUT_INTERLEAVED, LAYOUT_STRIDED } Layout;

/* A scalar parameter `name: type = default in lower..upper`. The constants lower and upper are
 * inclusive. */
typedef struct Parameter {
    Symbol name;
    Type type;
    bool has_default, has_range;
    Bits default_value, lower, upper;
    Place place;
} Parameter;

typedef struct ImageParameter {
    Symbol name;
    Type type;
    int dimensions;
    Layout layout; /* planar: stride(0) = 1; interleaved: stride(c) = 1, stride(0) = channels */
    Place place;
} ImageParameter;

/* One func of the output list. Each component has its own buffer, named `out` or `out.0`, `out.1`,
 * .. The func is computed in this layout: in the user's memory if it has that layout, otherwise in
 * a temporary that is then copied.
 *
 * `image`: the output may share the memory of this image, element by element (`-> out in picture`).
 * Its first stage is a copy of the image, `out(x, y) = picture(x, y)`, which nothing else reads. */
typedef struct Output {
    Symbol func;
    Place place;
    Layout layout;
    const Extent *size; /* the proposed window, in parameters and images' sizes; null: none */
    Place size_place;
    Symbol image; /* null: it overlaps no other buffer */
} Output;

/* The written order of inputs, which mixes parameters and images. */
typedef struct InputRef {
    bool is_image;
    size_t index;
} InputRef;

typedef Vec(Parameter) Parameters;
typedef Vec(ImageParameter) ImageParameters;
typedef Vec(Output) Outputs;
typedef Vec(InputRef) InputRefs;

/* The shape of a func: what a reader or an allocation needs. */
typedef struct FuncShape {
    Symbol name;
    int dimensions, components;
    Symbol variables[MAX_DIMENSIONS]; /* the pure variables' names */
    Type *types;                      /* one per component */
    bool is_output;
    bool is_shared; /* a C function reads or writes its memory: pipeline_mark_shared */
} FuncShape;

typedef Vec(FuncShape *) FuncShapes;
/* Returns the bytes of one point, over all components. */
int shape_bytes(const FuncShape *shape);

typedef struct Signature {
    Symbol name;
    Place place; /* place of the name */
    Parameters parameters;
    ImageParameters images;
    InputRefs inputs;
    Outputs outputs;
    FuncShapes funcs; /* in definition order */
    Map by_name;      /* Symbol -> FuncShape */
    bool windows;     /* the window form: images and outputs are windows of larger domains */
} Signature;

/* The fields of a buffer. In the window form a buffer is a window of a domain, which has fields of
 * its own. Algorithms and schedules speak of domains; addresses and checks speak of windows. */
typedef enum BufferField {
    FIELD_MINIMUM,
    FIELD_EXTENT,
    FIELD_STRIDE,
    FIELD_DOMAIN_MINIMUM, /* only in the window form */
    FIELD_DOMAIN_EXTENT
} BufferField;
enum { BUFFER_FIELDS = FIELD_DOMAIN_EXTENT + 1 };

FuncShape *signature_func(const Signature *signature, Symbol name);
const Parameter *signature_parameter(const Signature *signature, Symbol name);
const ImageParameter *signature_image(const Signature *signature, Symbol name);
/* Returns the output with the func's name, or null. */
const Output *signature_output(const Signature *signature, Symbol func);

/* Builds a variable such as `image.min.1`. The user's window of output `out` is `out.min.0`,
 * `out.extent.0`. */
Expr expr_buffer_field(Pool *pool, Symbol buffer, BufferField field, int dimension);
/* Builds the minimum or extent of the domain; without the window form, that is the buffer's own. */
Expr signature_domain_field(const Signature *signature, Pool *pool, Symbol buffer,
                            BufferField field, int dimension);
/* Returns both. */
Extent signature_domain(const Signature *signature, Pool *pool, Symbol buffer, int dimension);
/* Does the program of this signature have the field? */
bool signature_has_field(const Signature *signature, Symbol buffer, BufferField field,
                         int dimension);
/* Is it an extent, of the buffer or of its domain? */
static inline bool field_is_extent(BufferField field) {
    return field == FIELD_EXTENT || field == FIELD_DOMAIN_EXTENT;
}
/* Returns the buffer's own field in place of its domain's. */
static inline BufferField field_of_window(BufferField field) {
    return field == FIELD_DOMAIN_MINIMUM  ? FIELD_MINIMUM
           : field == FIELD_DOMAIN_EXTENT ? FIELD_EXTENT
                                          : field;
}
/* Is `name` such a variable? Then gives its parts. */
bool buffer_field_parse(Context *context, Symbol name, Symbol *buffer, BufferField *field,
                        int *dimension);

#endif

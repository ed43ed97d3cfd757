/* call.h -- one call of a pipeline as a file: what prepare.c writes here and call.c reads, on
 * whatever little-endian machine the pipeline is compiled for.
 *
 *   char magic[8]; int32 count; int32 length of the name; the name
 *   count times: CallArgument, then its `bytes` bytes: the scalar, the image's elements, or the
 *   elements that the output must have
 */
#ifndef HLC_TESTS_TARGET_CALL_H
#define HLC_TESTS_TARGET_CALL_H

#include "runtime/hlc_runtime.h"

#define CALL_MAGIC "hlccall1"

enum { CALL_SCALAR, CALL_INPUT, CALL_OUTPUT };
enum { CALL_DIMENSIONS = 4 };

typedef struct CallArgument {
    int32_t kind;
    int32_t dimensions;
    halide_type_t type;
    int32_t reserved;
    halide_dimension_t dim[CALL_DIMENSIONS];
    int64_t bytes;
} CallArgument;

#endif

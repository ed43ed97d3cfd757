/* constants.h -- the values that a caller gives to the const parameters of pipelines, and what the
 * expansion took them for. */
#ifndef HLC_FRONTEND_CONSTANTS_H
#define HLC_FRONTEND_CONSTANTS_H

#include "base/vec.h"

#include <stdbool.h>

typedef struct ConstantValue {
    const char *name, *text;
} ConstantValue;

typedef struct GivenConstants {
    ConstantValue *data;
    size_t length, capacity;
    Vec(const char *) schedules; /* `fast(v = 8)`: schedules with arguments, to be made too */
} GivenConstants;

#endif

/* copy.c -- copies boxes of elements between layouts: staged outputs to the caller's buffers. */
#include "runtime/hlc_runtime.h"

#include <string.h>

/* A constant size makes each memcpy one load and one store. */
#define COPY_STEPS(BYTES)                                                                          \
    case BYTES:                                                                                    \
        for (int64_t i = 0; i < count; i++)                                                        \
            memcpy(to + i * to_step, from + i * from_step, BYTES);                                 \
        return

static void copy_row(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step,
                     int64_t count, size_t bytes) {
    if (to_step == (int64_t)bytes && from_step == (int64_t)bytes) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) { /* of an element */
        COPY_STEPS(1);
        COPY_STEPS(2);
        COPY_STEPS(4);
        COPY_STEPS(8);
    }
}

void hlc_copy(uint8_t *to, const int64_t *to_stride, const uint8_t *from,
              const int64_t *from_stride, const int64_t *extent, int dimensions,
              int element_bytes) {
    if (dimensions == 0) {
        memcpy(to, from, (size_t)element_bytes);
        return;
    }
    int outer = dimensions - 1;
    if (outer == 0) {
        copy_row(to, to_stride[0] * element_bytes, from, from_stride[0] * element_bytes, extent[0],
                 (size_t)element_bytes);
        return;
    }
    for (int64_t i = 0; i < extent[outer]; i++)
        hlc_copy(to + i * to_stride[outer] * element_bytes, to_stride,
                 from + i * from_stride[outer] * element_bytes, from_stride, extent, outer,
                 element_bytes);
}

/* memory.c -- memory of compiled pipelines. */
#include "runtime/hlc_runtime.h"

#include <stddef.h>
#include <stdlib.h>

#define ALIGNMENT 64 /* the widest vector, and a cache line */

static void *fail(hlc_report *report, const char *name, int64_t bytes) {
    hlc_fail(report, HLC_ERROR_OUT_OF_MEMORY, name, &bytes, 1);
    return NULL;
}

void *hlc_allocate(hlc_report *report, const char *name, const int64_t *lengths, int dimensions,
                   int element_bytes) {
    int64_t bytes = element_bytes;
    int too_large = 0;
    for (int d = 0; d < dimensions; d++) {
        if (lengths[d] < 0) {
            hlc_fail(report, HLC_ERROR_INTERNAL, "an allocation has a negative length", NULL, 0);
            return NULL;
        }
        if (lengths[d] == 0) { /* an empty box, however long its other sides */
            bytes = 0;
            too_large = 0;
            break;
        }
        too_large |= __builtin_mul_overflow(bytes, lengths[d], &bytes);
    }
    if (too_large || bytes > PTRDIFF_MAX - ALIGNMENT)
        return fail(report, name, INT64_MAX);
    void *block = aligned_alloc(ALIGNMENT, ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT);
    return block ? block : fail(report, name, bytes);
}

void hlc_free(void *block) {
    free(block);
}

/* memory.c -- memory of compiled pipelines, from the C library or from where the host says. */
#include "runtime/blocks.h"
#include "runtime/hlc_runtime.h"

#include <stdatomic.h>

#define ALIGNMENT 64 /* the widest vector, and a cache line */

static void *default_allocate(void *user, size_t alignment, size_t size) {
    (void)user, (void)alignment;
    return blocks_take(size);
}

static void default_free(void *user, void *block) {
    (void)user;
    blocks_give(block);
}

static const hlc_allocator default_allocator = {default_allocate, default_free, NULL};
static _Atomic(const hlc_allocator *) current_allocator;

const hlc_allocator *hlc_set_allocator(const hlc_allocator *allocator) {
    return atomic_exchange(&current_allocator, allocator);
}

static const hlc_allocator *allocator_in_use(void) {
    const hlc_allocator *allocator = atomic_load(&current_allocator);
    return allocator ? allocator : &default_allocator;
}

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
    const hlc_allocator *allocator = allocator_in_use();
    /* Ours may end where the last element does, so that sanitizers see what is touched behind it.
     */
    size_t size = allocator == &default_allocator ? (size_t)bytes + !bytes
                                                  : ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT;
    void *block = allocator->allocate(allocator->user, ALIGNMENT, size);
    return block ? block : fail(report, name, bytes);
}

void hlc_free(void *block) {
    const hlc_allocator *allocator = allocator_in_use();
    if (block)
        allocator->free(allocator->user, block);
}

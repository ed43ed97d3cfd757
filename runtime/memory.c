/* memory.c -- memory of compiled pipelines, from the C library or from the host's allocator. */
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

/* The bytes of a box; -1 with the report filled. */
static int64_t box_bytes(hlc_report *report, const char *name, const int64_t *lengths,
                         int dimensions, int element_bytes) {
    int64_t bytes = element_bytes;
    int too_large = 0;
    for (int d = 0; d < dimensions; d++) {
        if (lengths[d] < 0) {
            hlc_fail(report, HLC_ERROR_INTERNAL, "an allocation has a negative length", NULL, 0);
            return -1;
        }
        if (lengths[d] == 0) /* an empty box, however long its other sides */
            return 0;
        too_large |= __builtin_mul_overflow(bytes, lengths[d], &bytes);
    }
    if (too_large || bytes > PTRDIFF_MAX - ALIGNMENT) {
        fail(report, name, INT64_MAX);
        return -1;
    }
    return bytes;
}

static void *take(hlc_report *report, const char *name, int64_t bytes) {
    const hlc_allocator *allocator = allocator_in_use();
    /* Our block may end at the last element, so sanitizers see accesses behind it. */
    size_t size = allocator == &default_allocator ? (size_t)bytes + !bytes
                                                  : ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT;
    void *block = allocator->allocate(allocator->user, ALIGNMENT, size);
    return block ? block : fail(report, name, bytes);
}

void *hlc_allocate(hlc_report *report, const char *name, const int64_t *lengths, int dimensions,
                   int element_bytes) {
    int64_t bytes = box_bytes(report, name, lengths, dimensions, element_bytes);
    return bytes < 0 ? NULL : take(report, name, bytes);
}

void *hlc_allocate_kept(hlc_report *report, const char *name, const int64_t *lengths,
                        int dimensions, int element_bytes, hlc_kept *kept) {
    int64_t bytes = box_bytes(report, name, lengths, dimensions, element_bytes);
    if (bytes < 0)
        return NULL;
    if (kept->memory && (size_t)bytes <= kept->bytes && !blocks_are_watched())
        return kept->memory;
    hlc_free(kept->memory);
    *kept = (hlc_kept){take(report, name, bytes), (size_t)bytes};
    return kept->memory;
}

void hlc_free(void *block) {
    const hlc_allocator *allocator = allocator_in_use();
    if (block)
        allocator->free(allocator->user, block);
}

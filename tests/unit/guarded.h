/* guarded.h -- images for compiled code whose last element lies before a page that nobody may
 * touch: one that is read or written behind it kills the test.  (fence.h has both ends, and any
 * strides.)
 *
 *     | header page | forbidden | .. elements | forbidden |
 */
#ifndef HLC_TESTS_UNIT_GUARDED_H
#define HLC_TESTS_UNIT_GUARDED_H

#include "ir/argument.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The same as image_allocate: dense and zeroed. */
static inline Image guarded_image(Type type, int dimensions, const int64_t *minimum,
                                  const int64_t *extent) {
    Image image;
    ck_assert(image_allocate(&image, type, dimensions, minimum, extent)); /* for its strides */
    free(image.data);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (size_t)image_count(&image) * (size_t)type_bytes(type);
    size_t inside = (bytes + page - 1) / page * page, size = inside + 3 * page;
    unsigned char *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(base != MAP_FAILED);
    ck_assert_int_eq(mprotect(base, page, PROT_READ | PROT_WRITE), 0);
    *(size_t *)base = size;
    if (inside)
        ck_assert_int_eq(mprotect(base + 2 * page, inside, PROT_READ | PROT_WRITE), 0);
    image.data = base + 2 * page + inside - bytes;
    return image;
}

static inline void guarded_free(const Image *image) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *base = image->data - (uintptr_t)image->data % page - 2 * page;
    munmap(base, *(size_t *)base);
}

#endif

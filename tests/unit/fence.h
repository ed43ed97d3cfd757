/* fence.h -- buffers between two pages that may not be touched, at the end of the one or at the
 * beginning of the other: an access outside of them kills the test. */
#ifndef HLC_TESTS_UNIT_FENCE_H
#define HLC_TESTS_UNIT_FENCE_H

#include "compiled.h"

#include <sys/mman.h>
#include <unistd.h>

typedef struct Fence {
    unsigned char *base;
    size_t size;
    Image image;
} Fence;

static inline Fence fence(Type type, int64_t minimum, int64_t extent, bool at_end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)(extent * type_bytes(type));
    size_t inside = (bytes + page - 1) / page * page;
    Fence result = {.size = inside + 2 * page};
    result.base = mmap(NULL, result.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(result.base != MAP_FAILED);
    if (inside)
        ck_assert_int_eq(mprotect(result.base + page, inside, PROT_READ | PROT_WRITE), 0);
    result.image = (Image){.type = type,
                           .dimensions = 1,
                           .minimum = {minimum},
                           .extent = {extent},
                           .stride = {1},
                           .data = result.base + page + (at_end ? inside - bytes : 0)};
    return result;
}

static inline void release(const Fence *fenced) {
    munmap(fenced->base, fenced->size);
}

/* Some value of the type for each position. */
static inline Bits sample(Type type, int64_t position) {
    Bits bits = (position * 37 + (position >> 3) * 11 + 5) & 127;
    if (type_is_bool(type))
        return bits & 1;
    return type_is_float(type) ? bits_from_double(type, (double)bits - 50.5) : bits;
}

static inline void fill(const Fence *fenced) {
    for (int64_t x = 0; x < fenced->image.extent[0]; x++)
        put(&fenced->image, x + fenced->image.minimum[0], 0,
            sample(fenced->image.type, x + fenced->image.minimum[0]));
}

/* `text` with "out.s0.x" for each X. */
static inline void spell(char *to, const char *text) {
    for (; *text; text++)
        to += sprintf(to, "%.*s", *text == 'X' ? 8 : 1, *text == 'X' ? "out.s0.x" : text);
    *to = '\0';
}

#endif

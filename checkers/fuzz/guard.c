/* guard.c -- copies an image between guard pages (guard.h).
 *
 *     | no access | MARK .. MARK  elements  | no access |        at_end: the last element ends the
 *     pages
 *
 * The elements may have gaps between them; gaps and margins hold MARK.  After the run they must
 * still hold it. */
#include "checkers/fuzz/guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MARK = 0x5A }; /* of the bytes that belong to no element */

/* The offsets of the lowest and the highest element from the one at the minimum coordinates. */
static void span(const Image *image, int64_t *low, int64_t *high) {
    *low = *high = 0;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t far = (image->extent[d] - 1) * image->stride[d];
        *(far < 0 ? low : high) += far;
    }
}

static bool map_pages(Guarded *guarded, size_t inside, size_t page) {
    guarded->length = inside + 2 * page;
    guarded->pages = mmap(NULL, guarded->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guarded->pages == MAP_FAILED) {
        guarded->pages = NULL;
        return false;
    }
    return !inside || mprotect(guarded->pages + page, inside, PROT_READ | PROT_WRITE) == 0;
}

/* Copies each element; both images have the same box. */
static void copy_elements(const Image *to, const Image *from) {
    int64_t count = image_count(to), point[MAX_IMAGE_DIMENSIONS];
    memcpy(point, to->minimum, sizeof point);
    for (int64_t n = 0; n < count; n++) {
        memcpy(image_at(to, point), image_at(from, point), (size_t)type_bytes(to->type));
        for (int d = 0; d < to->dimensions && ++point[d] == to->minimum[d] + to->extent[d]; d++)
            point[d] = to->minimum[d];
    }
}

bool guard_copy(Guarded *guarded, const Image *original, const int64_t *stride, bool at_end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)type_bytes(original->type);
    int64_t low, high;
    *guarded = (Guarded){.image = *original};
    if (stride)
        memcpy(guarded->image.stride, stride, sizeof guarded->image.stride);
    span(&guarded->image, &low, &high);
    guarded->bytes = image_count(original) ? (size_t)(high - low + 1) * size : 0;
    size_t inside = (guarded->bytes + page - 1) / page * page;
    guarded->before = malloc(guarded->bytes + 1);
    if (!guarded->before || !map_pages(guarded, inside, page)) {
        guard_free(guarded);
        return false;
    }
    guarded->memory = guarded->pages + page + (at_end ? inside - guarded->bytes : 0);
    guarded->image.data = guarded->memory;
    if (!guarded->bytes)
        return true;
    guarded->image.data -= low * (int64_t)size;
    memset(guarded->pages + page, MARK, inside);
    copy_elements(&guarded->image, original);
    memcpy(guarded->before, guarded->memory, guarded->bytes);
    return true;
}

/* Are the bytes of the pages outside the image unchanged? */
static bool margins_untouched(const Guarded *guarded) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *end = guarded->pages + guarded->length - page;
    const unsigned char *behind = guarded->memory + guarded->bytes;
    for (const unsigned char *at = guarded->pages + page; at < end; at++)
        if ((at < guarded->memory || at >= behind) && *at != MARK)
            return false;
    return true;
}

void guard_restore(Guarded *guarded, const Image *part) {
    Image before = *part;
    before.data = guarded->before + (part->data - guarded->memory);
    copy_elements(part, &before);
}

bool guard_untouched(Guarded *guarded, bool elements) {
    if (!guarded->bytes)
        return true;
    if (elements)
        guard_restore(guarded, &guarded->image);
    return margins_untouched(guarded) &&
           memcmp(guarded->memory, guarded->before, guarded->bytes) == 0;
}

void guard_free(Guarded *guarded) {
    if (guarded->pages)
        munmap(guarded->pages, guarded->length);
    free(guarded->before);
    *guarded = (Guarded){.pages = NULL};
}

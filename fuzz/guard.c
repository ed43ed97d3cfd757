#include "fuzz/guard.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MARK = 0x5A };

static size_t image_bytes(const Image *image) {
    return (size_t)(image_count(image) * type_bytes(image->type));
}

bool guard_copy(Guarded *guarded, const Image *original, bool at_end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = image_bytes(original);
    size_t inside = (bytes + page - 1) / page * page;
    *guarded = (Guarded){.image = *original, .length = inside + 2 * page};
    guarded->pages = mmap(NULL, guarded->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guarded->pages == MAP_FAILED) {
        guarded->pages = NULL;
        return false;
    }
    unsigned char *start = (unsigned char *)guarded->pages + page;
    if (inside && mprotect(start, inside, PROT_READ | PROT_WRITE) != 0) {
        guard_free(guarded);
        return false;
    }
    guarded->image.data = at_end ? start + inside - bytes : start;
    memset(start, MARK, inside);
    if (bytes)
        memcpy(guarded->image.data, original->data, bytes);
    return true;
}

bool guard_untouched(const Guarded *guarded) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *start = (const unsigned char *)guarded->pages + page;
    const unsigned char *end = start + guarded->length - 2 * page;
    const unsigned char *first = guarded->image.data, *last = first + image_bytes(&guarded->image);
    for (const unsigned char *at = start; at < end; at++)
        if ((at < first || at >= last) && *at != MARK)
            return false;
    return true;
}

void guard_free(Guarded *guarded) {
    if (guarded->pages)
        munmap(guarded->pages, guarded->length);
    *guarded = (Guarded){.pages = NULL};
}

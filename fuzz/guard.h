/* guard.h -- memory between pages that nobody may touch: what a run reads or writes beyond an image
 * ends the process, which is a finding (fuzz.c). */
#ifndef HLC_FUZZ_GUARD_H
#define HLC_FUZZ_GUARD_H

#include "ir/argument.h"

typedef struct Guarded {
    Image image; /* the same box, strides and contents as the original; its own memory */
    void *pages;
    size_t length;
} Guarded;

/* A copy of the image that ends (`at_end`) or begins at a guard page; elements beyond the other
 * end, up to that guard page, are 0x5A bytes, which guard_untouched looks at.  False without
 * memory. */
bool guard_copy(Guarded *guarded, const Image *original, bool at_end);
/* Are the bytes between the image and the guard pages as they were? */
bool guard_untouched(const Guarded *guarded);
void guard_free(Guarded *guarded);

#endif

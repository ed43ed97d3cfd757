/* guard.h -- memory between guard pages.  A read or write beyond the pages ends the process, which
 * is a finding (fuzz.c).  Writes beside the elements, within the pages, are found afterwards. */
#ifndef HLC_CHECKERS_FUZZ_GUARD_H
#define HLC_CHECKERS_FUZZ_GUARD_H

#include "ir/argument.h"

typedef struct Guarded {
    Image image; /* the same box and contents as the original; its own memory and strides */
    unsigned char *pages, *memory, *before; /* `memory` and `before`: `bytes` long */
    size_t length, bytes;
} Guarded;

/* A copy of the image with these strides (in elements; null: the original's) that ends (`at_end`)
 * or begins at a guard page.  False without memory. */
bool guard_copy(Guarded *guarded, const Image *original, const int64_t *stride, bool at_end);
/* Has nothing but the elements changed, and not even those where `elements` is false?  Asked once:
 * it puts the elements back as they were. */
bool guard_untouched(Guarded *guarded, bool elements);
/* Puts the elements of `part` back as they were: a box of them, in the same memory. */
void guard_restore(Guarded *guarded, const Image *part);
void guard_free(Guarded *guarded);

#endif

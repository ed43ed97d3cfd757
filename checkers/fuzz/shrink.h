/* shrink.h -- makes a failing case smaller while it still fails. */
#ifndef HLC_FUZZ_SHRINK_H
#define HLC_FUZZ_SHRINK_H

#include "checkers/fuzz/case.h"

/* Does this case fail?  (It runs it, in a process of its own.) */
typedef bool CaseFails(void *data, const Case *fuzz_case);

/* The smallest case found by leaving out directives and updates, replacing pure stages by
 * constants, and shrinking windows, one at a time, until nothing more can go. */
Case *shrink(Arena *arena, const Case *fuzz_case, CaseFails *fails, void *data);

#endif

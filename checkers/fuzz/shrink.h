/* shrink.h -- makes a failing case smaller while it still fails. */
#ifndef HLC_CHECKERS_FUZZ_SHRINK_H
#define HLC_CHECKERS_FUZZ_SHRINK_H

#include "checkers/fuzz/case.h"

/* Does this case fail?  (Runs it in a process of its own.) */
typedef bool CaseFails(void *data, const Case *fuzz_case);

/* Returns the smallest failing case found.  It leaves out directives and updates, replaces pure
 * stages by constants, and shrinks windows, one at a time, until nothing more can go. */
Case *shrink(Arena *arena, const Case *fuzz_case, CaseFails *fails, void *data);

#endif

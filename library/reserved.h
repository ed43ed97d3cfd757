/* reserved.h -- names that functions of an object cannot have. */
#ifndef HLC_LIBRARY_RESERVED_H
#define HLC_LIBRARY_RESERVED_H

#include <stdbool.h>

/* Is it a word of C or C++, or a function or type of theirs, of POSIX or of hlc_runtime.h? */
bool is_reserved_name(const char *name);

#endif

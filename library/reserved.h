/* reserved.h -- names that functions of an object cannot have. */
#ifndef HLC_LIBRARY_RESERVED_H
#define HLC_LIBRARY_RESERVED_H

#include <stdbool.h>

/* Is it a word of C or C++, a name of the C library, or a type of hlc_runtime.h? */
bool is_reserved_name(const char *name);

#endif

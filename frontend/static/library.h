/* library.h -- the packages of the library, packages/NAME.hl, which are part of the compiler: no
 * file is read for `import name;`.  The build makes the table of their texts. */
#ifndef HLC_FRONTEND_STATIC_LIBRARY_H
#define HLC_FRONTEND_STATIC_LIBRARY_H

#include "base/memory.h"

typedef struct Package {
    const char *name, *text;
    size_t length;
} Package;

/* In order of their names; the last has no name. */
extern const Package package_table[];

/* Null if there is none of this name. */
const Package *package_find(const char *name);
/* `blur, fft, ..` */
const char *package_names(Arena *arena);

#endif

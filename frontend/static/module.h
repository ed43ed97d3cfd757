/* module.h -- expands all files of a module. */
#ifndef HLC_FRONTEND_STATIC_MODULE_H
#define HLC_FRONTEND_STATIC_MODULE_H

#include "frontend/static/static.h"

/* Replaces each file by its expansion: a tree without compile-time constructs. `watch` may be null.  Reports faults, and
 * leaves the readable part.  Imported files stand before those that import them. */
void static_expand_files(Context *context, Arena *arena, const GivenConstants *constants,
                         Watch *watch, FileSyntax **files, size_t count);

#endif

/* shared.h -- arguments whose outputs lie in the memory of images. */
#ifndef HLC_LIBRARY_CHECK_SHARED_H
#define HLC_LIBRARY_CHECK_SHARED_H

#include "library/compiler.h"

/* Puts each output that may share the memory of an image, and whose window lies in it, into the
 * memory of a copy of the image. The copies live in the arena. False if there is no such output. */
bool shared_arguments(const hlc_arguments *a, Arena *arena, Arguments *shared);

#endif

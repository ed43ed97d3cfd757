/* nearest.h -- "did you mean": finds the known name whose spelling is nearest to an unknown one.
 */
#ifndef HLC_BASE_NEAREST_H
#define HLC_BASE_NEAREST_H

#include "base/memory.h"

/* Begin with the unknown name alone; offer candidates; `best` is null while none is near. */
typedef struct Nearest {
    const char *name, *best;
    size_t distance;
} Nearest;

/* `candidate` must live as long as `best` is read.  Of equally near ones the first wins. */
void nearest_offer(Nearest *nearest, const char *candidate);
/* "did you mean `x`?", or `otherwise`. */
const char *nearest_hint(Arena *arena, const Nearest *nearest, const char *otherwise);
/* `list`, with "; did you mean `x`?" behind it where one is near. */
const char *nearest_behind(Arena *arena, const Nearest *nearest, const char *list);

#endif

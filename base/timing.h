/* timing.h -- measures where the time goes, for `--time`.
 *
 * A part is a name inside another part.  Beginning the same name again inside the same part adds to
 * it.  If Context.timing is null, nothing is measured.  No decision depends on a measurement.
 */
#ifndef HLC_BASE_TIMING_H
#define HLC_BASE_TIMING_H

#include "base/memory.h"
#include "base/vec.h"

#include <stdint.h>

struct Context;

/* What passes on the clock, and of this process on all processors; nanoseconds. */
typedef struct Moment {
    int64_t wall, processor;
} Moment;

typedef struct TimedPart {
    const char *name;
    int outer; /* index of the part around it; -1: none */
    int depth;
    Moment took, begun;
    int64_t size; /* of what it left behind, in `unit`s; 0: not said */
    const char *unit;
} TimedPart;

typedef struct Timing {
    Arena *arena;
    Vec(TimedPart) parts; /* in the order in which they were first begun */
    int current;          /* index of the part that is going on; -1: none */
    Moment begun;
} Timing;

Timing *timing_create(Arena *arena);
/* `name` lives as long as the timing. */
void timing_begin(struct Context *context, const char *name);
/* Ends the part that was begun last. */
void timing_end(struct Context *context);
/* Says of the part that is going on how large the result is. */
void timing_size(struct Context *context, int64_t size, const char *unit);
/* Adds a part that was measured elsewhere, inside the one that is going on. `depth` 0: in it
 * directly; otherwise in the last part that was added with one less. */
void timing_add(struct Context *context, const TimedPart *part);
/* Ends all parts, where control has left them by another way. */
void timing_end_all(struct Context *context);
Moment timing_now(void);

#endif

/* reach.h -- finds the funcs that the outputs need; the others are not lowered. */
#ifndef HLC_LOWER_PASSES_REACH_H
#define HLC_LOWER_PASSES_REACH_H

#include "schedule/schedule.h"

/* Returns the pipeline without the funcs that no output reaches (itself if there are none), and in
 * `*primitives` the directives without those about them.  Neither argument's content changes. */
const Pipeline *reach_outputs(const Pipeline *pipeline, Directives *primitives, Arena *arena);

#endif

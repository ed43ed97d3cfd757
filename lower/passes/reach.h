/* reach.h -- the funcs that the outputs need; the others are not lowered. */
#ifndef HLC_LOWER_REACH_H
#define HLC_LOWER_REACH_H

#include "schedule/schedule.h"

/* The pipeline without the funcs that no output reaches (itself where there are none), and
 * `*primitives` without the directives about them.  Neither argument's content changes. */
const Pipeline *reach_outputs(const Pipeline *pipeline, Directives *primitives, Arena *arena);

#endif

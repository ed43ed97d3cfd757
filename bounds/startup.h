/* startup.h -- what the entry of a pipeline ensures before anything runs: ranges of parameters,
 * extents of images and windows, lengths of reductions, requirements. */
#ifndef HLC_BOUNDS_STARTUP_H
#define HLC_BOUNDS_STARTUP_H

#include "ir/algorithm.h"
#include "simplify/simplify.h"

void startup_learn(Simplifier *simplifier, Pool *pool, const Pipeline *pipeline);

#endif

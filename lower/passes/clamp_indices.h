/* clamp_indices.h -- a func's value in an index is clamped to the range that it lies in. */
#ifndef HLC_LOWER_PASSES_CLAMP_INDICES_H
#define HLC_LOWER_PASSES_CLAMP_INDICES_H

#include "ir/algorithm.h"

/* Returns the pipeline with the clamps; itself if there are none. */
const Pipeline *clamp_indices(const Pipeline *pipeline, Arena *arena);

#endif

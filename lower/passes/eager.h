/* eager.h -- PASS_EAGER: see eager.c. */
#ifndef HLC_LOWER_PASSES_EAGER_H
#define HLC_LOWER_PASSES_EAGER_H

#include "ir/algorithm.h"
#include "ir/stmt.h"

/* Runs on a simplified program of the pipeline.  False after reporting why a func cannot be
 * evaluated.  `instructions`, which may be null, gets the number of instructions of
 * ir/interpret/code.h that ran. */
bool lower_eager(Program *program, const Pipeline *pipeline, Arena *arena, uint64_t *instructions);

#endif

/* run.h -- the target interpreter: the small-step semantics of Figure 8 as semantics.md restates
 * it.
 *
 * Runs the text of any stage that has no holes.  Memory comes with poison: a shadow bit for each
 * element that was never written, which may not reach the output; outside an allocation is err_mem.
 */
#ifndef HLC_LOWER_RUN_H
#define HLC_LOWER_RUN_H

#include "ir/argument.h"
#include "ir/stmt.h"

/* The order in which a parallel loop runs its iterations, one by one: any order must do. */
typedef enum RunOrder { RUN_FORWARD, RUN_BACKWARD, RUN_INTERLEAVED } RunOrder;

typedef struct RunOptions {
    uint64_t seed;       /* of the arbitrary contents of fresh memory */
    uint64_t budget;     /* statements; 0 is none.  Beyond it the outcome is HLC_ERROR_BUDGET. */
    RunOrder order;      /* of parallel loops */
    size_t memory_limit; /* bytes of one func's memory; 0 for 8 GB.  Beyond it: out of memory. */
} RunOptions;

/* Runs it on the arguments, writing the outputs' images.  A failed assertion gives its error and
 * message; an access outside memory or unwritten data in the output is HLC_ERROR_INTERNAL with the
 * statement named (it must never happen: Thm 3.4). */
Outcome run_program(const Program *program, Arena *arena, const Arguments *arguments,
                    const RunOptions *options);

/* A bounds query (runtime.md), by the program's needs: images without data receive minima, extents
 * and strides. */
Outcome run_query(const Program *program, Arena *arena, Arguments *arguments);

#endif

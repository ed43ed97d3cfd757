/* run.h -- the target interpreter as a checker: its core (interpreter.h), with iterations of parallel
 * and vectorized loops in the order that is asked for.  Whatever the order, two iterations that
 * touch one element are found to race (run_race.c).
 */
#ifndef HLC_LOWER_RUN_H
#define HLC_LOWER_RUN_H

#include "ir/interpret/interpret.h"

/* interpret_program, in `options->order`.  A race is HLC_ERROR_INTERNAL, with the statement
 * named. */
Outcome run_program(const Program *program, Arena *arena, const Arguments *arguments,
                    const RunOptions *options);

/* A bounds query (runtime.md), by the program's needs: images without data receive minima, extents
 * and strides. */
Outcome run_query(const Program *program, Arena *arena, Arguments *arguments);

#endif

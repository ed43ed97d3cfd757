/* run.h -- the target interpreter as a checker: its core (ir/interpret/interpret.h), with a choice
 * of the order of iterations in parallel and vectorized loops.  In any order, it finds the race of
 * two iterations that touch one element (race.c).
 */
#ifndef HLC_CHECKERS_INTERPRETER_RUN_H
#define HLC_CHECKERS_INTERPRETER_RUN_H

#include "ir/interpret/interpret.h"

/* Runs interpret_program in `options->order`.  A race is HLC_ERROR_INTERNAL, with the statement
 * named. */
Outcome run_program(const Program *program, Arena *arena, const Arguments *arguments,
                    const RunOptions *options);

/* Answers a bounds query (runtime.md) from the program's needs: images without data receive minima,
 * extents and strides. */
Outcome run_query(const Program *program, Arena *arena, Arguments *arguments);

#endif

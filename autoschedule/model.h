/* model.h -- predicts how long a lowered program runs, without running it.
 *
 * The program has been through PASS_SLIDE, so it has no holes, and its sizes are known as numbers.
 * The model walks it once, in a typical iteration (worlds.h), and adds up, for each loop:
 *
 *   arithmetic  the distinct operators of a body, by cycles.def and the number of vectors; what does
 *               not depend on the inner loops is computed outside of them
 *   access      reads and writes, by how they step along the lanes: dense, the same place, small
 *               strides, unrelated places
 *   latency     a value that the next iteration needs: the operation's latency, over the number of
 *               independent iterations inside that loop
 *   traffic     the bytes that come into each cache. A loop whose footprint fits brings each line
 *               once; else each iteration brings its own (docs/autoscheduler.md has the formulas)
 *   threads     a parallel loop takes as long as the thread with the most iterations; bandwidth of
 *               memory is shared
 *
 * A part of the program takes as long as the greatest of these, and a quarter of the others.
 */
#ifndef HLC_AUTOSCHEDULE_MODEL_H
#define HLC_AUTOSCHEDULE_MODEL_H

#include "autoschedule/machine.h"
#include "ir/interpret/evaluate.h"
#include "ir/stmt.h"

typedef struct FuncEstimate {
    Symbol func;
    double points;                 /* computed in the whole run */
    double bytes;                  /* of its memory at one time */
    double length[MAX_DIMENSIONS]; /* of its memory */
    double cycles;                 /* of its own stores, one thread, without traffic */
} FuncEstimate;

typedef struct Estimate {
    double cycles;
    double bytes; /* of the memory of all funcs that are no outputs, one thread */
    double code;  /* vector instructions of the largest body, as it is written out */
    Vec(FuncEstimate *) funcs;
} Estimate;

/* Estimates a run on arguments with these values. */
Estimate *model_estimate(const Program *program, const Machine *machine, int threads,
                         VariableValue *startup, void *data, Arena *arena);
/* Null if the program has no such func. */
const FuncEstimate *estimate_of(const Estimate *estimate, Symbol func);

#endif

/* recompute_count.h -- how often the points of funcs are computed in one run, counted. */
#ifndef HLC_LOWER_RECOMPUTE_COUNT_H
#define HLC_LOWER_RECOMPUTE_COUNT_H

#include "lower/report/tails.h"

/* Of one func: `boxes` executions of its compute statements, `computed` points in all of them
 * together, `distinct` of them different. */
typedef struct RecomputeCount {
    Symbol func;
    int64_t boxes, computed, distinct;
} RecomputeCount;

typedef Vec(RecomputeCount) RecomputeCounts;

/* Counts, in a program in which all startup variables are constants (those in factors of `tails`,
 * too), by running its loops as far as funcs are computed inside.  A func of which too much is
 * computed to be counted, or whose boxes depend on memory, is left out. */
RecomputeCounts recompute_counts(const Program *program, const Map *tails, Arena *arena);

#endif

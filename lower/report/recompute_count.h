/* recompute_count.h -- counts how often the points of funcs are computed in one run. */
#ifndef HLC_LOWER_REPORT_RECOMPUTE_COUNT_H
#define HLC_LOWER_REPORT_RECOMPUTE_COUNT_H

#include "lower/report/tails.h"

/* For one func: `boxes` executions of its compute statements, `computed` points in all of them
 * together, `distinct` different points. */
typedef struct RecomputeCount {
    Symbol func;
    int64_t boxes, computed, distinct;
} RecomputeCount;

typedef Vec(RecomputeCount) RecomputeCounts;

/* Counts the points by running the loops of a program as far as funcs are computed inside.  All
 * startup variables are constants, also those in factors of `tails`.  A func is left out if it
 * computes too much to count, or if its boxes depend on memory. */
RecomputeCounts recompute_counts(const Program *program, const Map *tails, Arena *arena);

#endif

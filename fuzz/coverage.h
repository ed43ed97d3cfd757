/* coverage.h -- how often each value of what code generation distinguishes has been tried: numbers
 * of lanes, tails, levels of optimisation, threads. */
#ifndef HLC_FUZZ_COVERAGE_H
#define HLC_FUZZ_COVERAGE_H

#include "fuzz/case.h"

#include <stdio.h>

/* Cases, by value. */
typedef struct Coverage {
    uint64_t lanes[CASE_LANES + 1], tails[CASE_TAILS], levels[CASE_LEVELS],
        threads[CASE_THREADS + 1];
} Coverage;

void coverage_count(Coverage *coverage, const CaseDraws *draws);
/* A line for each dimension: how many of its values were tried, and how often each was. */
void coverage_print(const Coverage *coverage, FILE *out);
/* How many values were never tried. */
int coverage_missing(const Coverage *coverage);

#endif

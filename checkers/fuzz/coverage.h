/* coverage.h -- counts how often the fuzzer tried each value that matters to the compiler:
 * directives, tails, numbers of lanes, levels of optimisation, targets, threads, sanitizers.
 *
 * A program that was compiled and run counts once for each value in it.  The settings of code
 * generation count once a run.
 */
#ifndef HLC_CHECKERS_FUZZ_COVERAGE_H
#define HLC_CHECKERS_FUZZ_COVERAGE_H

#include "checkers/fuzz/case.h"
#include "lower/lower.h"
#include "schedule/schedule.h"

#include <stdio.h>

typedef enum CoverageDimension {
    COVERAGE_DIRECTIVES, /* as written: DirectiveKind */
    COVERAGE_TAILS,      /* 0: a split without a tail; t + 1: Tail t */
    COVERAGE_LANES,      /* a loop of this many iterations is vectorized */
    COVERAGE_SLIDES,     /* 0: a func stored outside a loop does not slide along it; 1: it does; 2:
                            folded */
    COVERAGE_PARTITION,  /* the fate of some loop */
    COVERAGE_LEVELS,
    COVERAGE_TARGETS,
    COVERAGE_THREADS,
    COVERAGE_SANITIZERS, /* 0: none */
    COVERAGE_DIMENSIONS
} CoverageDimension;
enum { COVERAGE_VALUES = 65 };

typedef struct CaseCoverage {
    uint32_t counts[COVERAGE_DIMENSIONS][COVERAGE_VALUES];
} CaseCoverage;

/* Count the values in a case's schedule, and in the program that it became. */
void coverage_see_schedule(CaseCoverage *coverage, const Schedule *schedule);
void coverage_see_program(CaseCoverage *coverage, Program *program);
/* Before PASS_FOLD. */
void coverage_see_slides(CaseCoverage *coverage, const Lowered *lowered);
void coverage_see_partition(CaseCoverage *coverage, PartitionCounts counts);
/* One run of compiled code. */
void coverage_see_run(CaseCoverage *coverage, const CaseConfiguration *configuration);
void coverage_add(CaseCoverage *sum, const CaseCoverage *coverage);
/* A line for each dimension: how many of its values were tried, the least often tried, and how
 * often each was. */
void coverage_print(const CaseCoverage *coverage, FILE *out);
/* How many values of a dimension were tried less often than this. */
int coverage_missing(const CaseCoverage *coverage, CoverageDimension dimension, uint32_t least);

/* ---- what the windows of `--windows` were windows of ---- */

typedef enum WindowTrait {
    WINDOWS_REPEAT_EDGE, /* of programs with such an image */
    WINDOWS_REPEAT_IMAGE,
    WINDOWS_MIRROR_IMAGE,
    WINDOWS_MIRROR_INTERIOR,
    WINDOWS_CONSTANT_EXTERIOR,
    WINDOWS_REDUCTIONS, /* of programs with a reduction */
    WINDOWS_RECURRENCES,
    WINDOWS_PARALLEL, /* of programs with such a loop */
    WINDOWS_VECTORIZED,
    WINDOW_TRAITS
} WindowTrait;

typedef struct WindowCounts {
    uint64_t partitions, windows; /* that were compared with the whole */
    uint64_t with[WINDOW_TRAITS]; /* windows */
} WindowCounts;

/* Counts a partition of one output, and its windows. */
void window_counts_see(WindowCounts *counts, const Case *c, int windows);
void window_counts_add(WindowCounts *sum, const WindowCounts *counts);
void window_counts_print(const WindowCounts *counts, FILE *out);

#endif

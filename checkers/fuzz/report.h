/* report.h -- writes the report of a failing case. */
#ifndef HLC_CHECKERS_FUZZ_REPORT_H
#define HLC_CHECKERS_FUZZ_REPORT_H

#include "checkers/fuzz/fuzz.h"
#include "checkers/fuzz/oracle.h"

#include <stdio.h>

/* Returns the kind of programs to draw. */
static inline CaseKind fuzz_kind(const FuzzOptions *options) {
    return options->recurrences  ? CASE_OF_RECURRENCES
           : options->points     ? CASE_OF_POINTS
           : options->scans      ? CASE_OF_SCANS
           : options->scheduled  ? CASE_SCHEDULED
           : options->windows    ? CASE_OF_WINDOWS
           : options->reductions ? CASE_OF_REDUCTIONS
                                 : CASE_ANY;
}

/* Returns how far each program is run. */
static inline OracleExtent fuzz_extent(const FuzzOptions *options) {
    return options->split          ? EXTENT_SPLIT
           : options->semantics    ? EXTENT_SEMANTICS
           : options->interpreters ? EXTENT_INTERPRETED
                                   : EXTENT_COMPILED;
}

static inline bool is_finding(CaseVerdict verdict) {
    return verdict >= VERDICT_DIFFERS;
}

/* Shrinks the case of this seed (and of the input that is found), at most until `until` (batch_now;
 * 0: no limit).  Writes the rest as a .hl file into the folder.  Prints to `out` what differs and
 * how to run it. */
void report_finding(uint64_t seed, const CaseResult *found, const FuzzOptions *options,
                    double until, FILE *out);

#endif

/* report.h -- writes the report of a failing case. */
#ifndef HLC_FUZZ_REPORT_H
#define HLC_FUZZ_REPORT_H

#include "checkers/fuzz/fuzz.h"
#include "checkers/fuzz/oracle.h"

#include <stdio.h>

/* What programs are drawn. */
static inline CaseKind fuzz_kind(const FuzzOptions *options) {
    return options->recurrences  ? CASE_OF_RECURRENCES
           : options->points     ? CASE_OF_POINTS
           : options->reductions ? CASE_OF_REDUCTIONS
                                 : CASE_ANY;
}

/* What is run of each. */
static inline OracleExtent fuzz_extent(const FuzzOptions *options) {
    return options->semantics      ? EXTENT_SEMANTICS
           : options->interpreters ? EXTENT_INTERPRETED
                                   : EXTENT_COMPILED;
}

static inline bool is_finding(CaseVerdict verdict) {
    return verdict >= VERDICT_DIFFERS;
}

/* Shrinks the case of this seed (and of the input that is found), until `until` (batch_now; 0: as
 * long as it takes) at most, writes what is left as a .hl file into the folder, and tells `out`
 * what differs and how to run it. */
void report_finding(uint64_t seed, const CaseResult *found, const FuzzOptions *options,
                    double until, FILE *out);

#endif

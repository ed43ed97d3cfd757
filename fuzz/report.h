/* report.h -- what is written of a case that fails. */
#ifndef HLC_FUZZ_REPORT_H
#define HLC_FUZZ_REPORT_H

#include "fuzz/oracle.h"

#include <stdio.h>

static inline bool is_finding(Verdict verdict) {
    return verdict >= VERDICT_DIFFERS;
}

/* Shrinks the case of this seed, writes what is left as a .hl file into the folder, and tells `out`
 * what differs and how to run it. */
void report_finding(uint64_t seed, const CaseResult *found, bool interpreters, const char *folder,
                    FILE *out);

#endif

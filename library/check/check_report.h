/* check_report.h -- the output of `hlc check`: lines for people, or one JSON object a line. */
#ifndef HLC_LIBRARY_CHECK_CHECK_REPORT_H
#define HLC_LIBRARY_CHECK_CHECK_REPORT_H

#include "include/hlc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct CheckReport {
    FILE *out;
    bool json;
    const char *pipeline, *schedule; /* the subject of the lines; schedule null: the empty one */
} CheckReport;

/* The counts of one schedule. */
typedef struct CheckCounts {
    int64_t runs, points, refused;
    int64_t compared; /* runs of which a point was compared */
} CheckCounts;

/* `refusal` is an example of a refusal to report, or null. `alone`: the reference does not share
 * it. */
void check_report_counts(const CheckReport *report, const CheckCounts *counts, const char *refusal,
                         bool alone);
/* Float additions were reordered. The results were compared, bit for bit, with the algorithm that
 * has the schedule's rfactors, or, without `by_reference`, with the target program of an earlier
 * pass. */
void check_report_order(const CheckReport *report, bool by_reference);
/* Compares the order of one func with the algorithm's, at `points` elements. The difference is that
 * of the element closest to its tolerance. `obstacle`: the reason for no comparison, or null. */
void check_report_reassociated(const CheckReport *report, const char *func, const char *obstacle,
                               int64_t points, double difference, double allowed);
void check_report_not_compiled(const CheckReport *report);
/* `arguments` as one could type them. */
void check_report_difference(const CheckReport *report, const char *machine, const char *what,
                             const char *arguments);
void check_report_note(const CheckReport *report, const char *what, const char *arguments);
/* The last line.  HLC_YES: all equal; HLC_USER: equal, but not every schedule was compared. */
void check_report_verdict(const CheckReport *report, int64_t points, hlc_status status);

#endif

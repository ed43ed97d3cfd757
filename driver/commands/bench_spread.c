/* bench_spread.c -- medians, percentiles, and the test whether a difference is significant. */
#include "driver/commands/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEADY = 0.01, NOTICEABLE = 0.05;
enum { LEAST_SAMPLES = 12 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between the two samples next to that part of the way. */
static double percentile(const double *sorted, size_t count, double part) {
    double at = part * (double)(count - 1), below = floor(at);
    size_t i = (size_t)below;
    return i + 1 < count ? sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

bool bench_settle(BenchEntry *entry) {
    size_t n = entry->count;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, entry->samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    double half = 0.98 * sqrt((double)n);
    double below = fmax(floor((double)n / 2 - half), 0);
    double above = fmin(ceil((double)n / 2 + half), (double)(n - 1));
    entry->spread = (BenchSpread){.least = sorted[0],
                                  .median = percentile(sorted, n, 0.5),
                                  .tenth = percentile(sorted, n, 0.1),
                                  .ninetieth = percentile(sorted, n, 0.9),
                                  .low = sorted[(size_t)below],
                                  .high = sorted[(size_t)above]};
    free(sorted);
    entry->steady = n >= LEAST_SAMPLES &&
                    entry->spread.high - entry->spread.low <= 2 * STEADY * entry->spread.median;
    return true;
}

static bool is_outside(double value, const BenchSpread *spread) {
    return value < spread->tenth || value > spread->ninetieth;
}

BenchVerdict bench_compare(const BenchSpread *now, const BenchSpread *before) {
    if (!is_outside(now->median, before) || !is_outside(before->median, now))
        return BENCH_SAME;
    if (now->median > before->median * (1 + NOTICEABLE))
        return BENCH_SLOWER;
    return now->median * (1 + NOTICEABLE) < before->median ? BENCH_FASTER : BENCH_SAME;
}

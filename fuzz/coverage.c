#include "fuzz/coverage.h"

#include <inttypes.h>

void coverage_count(Coverage *coverage, const CaseDraws *draws) {
    for (int n = 2; n <= CASE_LANES; n++)
        coverage->lanes[n] += draws->lanes >> (n - 1) & 1;
    for (int t = 0; t < CASE_TAILS; t++)
        coverage->tails[t] += draws->tails >> t & 1;
    coverage->levels[draws->optimize]++;
    coverage->threads[draws->threads]++;
}

/* A dimension's values from `first` to `last`; named where they are no numbers. */
typedef struct Dimension {
    const char *name;
    const uint64_t *counts;
    int first, last;
    const char *const *names;
} Dimension;

enum { DIMENSIONS = 4 };

static Dimension dimension(const Coverage *coverage, int i) {
    static const char *const tails[] = {"unsaid", "round-up", "shift-inwards", "guard"};
    const Dimension dimensions[DIMENSIONS] = {
        {"lanes", coverage->lanes, 2, CASE_LANES, NULL},
        {"tails", coverage->tails, 0, CASE_TAILS - 1, tails},
        {"levels", coverage->levels, 0, CASE_LEVELS - 1, NULL},
        {"threads", coverage->threads, 1, CASE_THREADS, NULL}};
    return dimensions[i];
}

static int missing(Dimension d) {
    int count = 0;
    for (int v = d.first; v <= d.last; v++)
        count += d.counts[v] == 0;
    return count;
}

void coverage_print(const Coverage *coverage, FILE *out) {
    for (int i = 0; i < DIMENSIONS; i++) {
        Dimension d = dimension(coverage, i);
        int values = d.last - d.first + 1;
        fprintf(out, "%s: %d of %d:", d.name, values - missing(d), values);
        for (int v = d.first; v <= d.last; v++) {
            if (d.names)
                fprintf(out, " %s=%" PRIu64, d.names[v], d.counts[v]);
            else
                fprintf(out, " %d=%" PRIu64, v, d.counts[v]);
        }
        fputc('\n', out);
    }
}

int coverage_missing(const Coverage *coverage) {
    int count = 0;
    for (int i = 0; i < DIMENSIONS; i++)
        count += missing(dimension(coverage, i));
    return count;
}

/* bench.h -- what the files of `hlc bench` share: measurements of one pipeline on one set of
 * arguments, an entry for each schedule and number of threads.
 *
 * A sample is the mean time of some runs in a row.  An entry is steady when its median is known to
 * one percent: when the 95 % confidence interval of the median (by order statistics: between the
 * samples of rank n/2 -+ 0.98 sqrt(n)) reaches no further than that to either side on average.
 */
#ifndef HLC_DRIVER_BENCH_H
#define HLC_DRIVER_BENCH_H

#include "driver/driver.h"

/* Nanoseconds a run. */
typedef struct BenchSpread {
    double median, tenth, ninetieth; /* percentiles */
    double low, high;                /* the median's confidence interval */
} BenchSpread;

/* Against an entry of another file. */
typedef enum BenchVerdict {
    BENCH_ABSENT, /* the other file has no such entry */
    BENCH_SAME,   /* no difference that the spread does not explain */
    BENCH_FASTER,
    BENCH_SLOWER,
    BENCH_OTHER_RESULT /* it does not compute the same any more */
} BenchVerdict;

typedef struct BenchEntry {
    const char *schedule; /* null: the empty one */
    int threads;
    hlc_function *function;
    uint64_t hash;   /* of the outputs */
    int runs;        /* in one sample */
    double *samples; /* nanoseconds a run, in the order of measuring */
    size_t count, capacity;
    BenchSpread spread;
    bool steady;
    bool differs; /* from the first entry's results, which the pipeline grants (`reassociation`) */
    double off;   /* then how far (bench_difference.c); 0: not known */
    BenchVerdict verdict;
    BenchSpread other; /* of the other file */
} BenchEntry;

typedef struct Bench {
    const Command *command;
    const char *pipeline;
    hlc_arguments *arguments;
    BenchEntry *entries;
    size_t count;
    double seconds;    /* at most, for the measuring */
    int64_t most_runs; /* at most, of an entry */
    double *first;     /* the outputs of the first entry; null: not kept */
} Bench;

/* bench_difference.c */

/* Keeps the outputs of the run before, of the first entry, if there is memory for them. */
void bench_keep_first(Bench *bench);
/* How far the outputs of the run before are from those: the greatest difference of two elements, as
 * a share of the greater of them; 0 where none are kept. */
double bench_difference(const Bench *bench);

/* bench_spread.c */

/* Computes `spread` and `steady` from the samples; false where there is no memory. */
bool bench_settle(BenchEntry *entry);
/* Is the difference of the two more than their spread?  Each median must lie outside of the other's
 * 10th to 90th percentile, and five percent away: as much comes of where code and data happen to
 * lie. */
BenchVerdict bench_compare(const BenchSpread *now, const BenchSpread *before);

/* bench_report.c */

void bench_print(const Bench *bench, bool against, FILE *out);
/* One JSON object; HLC_WORLD where there is no memory. */
hlc_status bench_print_json(const Bench *bench, bool against, FILE *out);

/* bench_against.c */

/* Finds each entry in a file that `hlc bench --json` wrote.  HLC_NO where one is slower, or does
 * not compute the same any more. */
hlc_status bench_read_other(Bench *bench, const char *path);

#endif

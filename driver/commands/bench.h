/* bench.h -- the data and functions of `hlc bench`: measurements of pipelines, with an entry for each
 * schedule and number of threads.
 *
 * A sample is the mean time of some consecutive runs. An entry is steady when its median is known
 * to one percent: its 95 % confidence interval (by order statistics: between the samples of rank
 * n/2 -+ 0.98 sqrt(n)) extends at most that far to either side on average.
 */
#ifndef HLC_DRIVER_COMMANDS_BENCH_H
#define HLC_DRIVER_COMMANDS_BENCH_H

#include "driver/driver.h"

/* Nanoseconds a run. */
typedef struct BenchSpread {
    double median, tenth, ninetieth; /* percentiles */
    double low, high;                /* the median's confidence interval */
    double least;
} BenchSpread;

/* Against an entry of another file. */
typedef enum BenchVerdict {
    BENCH_ABSENT, /* the other file has no such entry */
    BENCH_SAME,   /* no difference beyond the spread */
    BENCH_FASTER,
    BENCH_SLOWER,
    BENCH_OTHER_RESULT /* it computes another result */
} BenchVerdict;

/* A file, in a compiler of its own. */
typedef struct BenchFile {
    Command command; /* the command line with this file alone */
    hlc_status status;
} BenchFile;

/* A pipeline on its arguments. */
typedef struct BenchSubject {
    BenchFile *file;
    const char *pipeline;
    hlc_arguments *arguments;
    size_t begin, end; /* its entries */
    double pixels;     /* of the largest output: its first two extents */
    double *first;     /* the outputs of the first entry; null: not kept */
} BenchSubject;

typedef struct BenchEntry {
    const BenchSubject *subject;
    const char *schedule; /* null: the empty one */
    int threads;
    hlc_function *function;
    uint64_t hash;   /* of the outputs */
    int runs;        /* in one sample */
    double *samples; /* nanoseconds a run, in the order of measuring */
    size_t count, capacity;
    double processor, processor_runs; /* time of all threads, and the runs that took it */
    BenchSpread spread;
    bool steady;
    bool differs; /* its results differ from the first entry's, as the pipeline permits
                     (`reassociation`) */
    double off;   /* then the difference (bench_difference.c); 0: unknown */
    BenchVerdict verdict;
    BenchSpread other; /* of the other file */
} BenchEntry;

typedef struct Bench {
    const Command *command;
    BenchFile *files;
    size_t file_count;
    const char **operands; /* of all files */
    BenchSubject *subjects;
    size_t subject_count;
    BenchEntry *entries;
    size_t count;
    double seconds;    /* at most, for the measuring */
    int64_t most_runs; /* at most, of an entry */
} Bench;

/* bench_subjects.c
 *
 * Any status but HLC_YES has been reported to the compiler of the file. */

/* Loads the files. */
hlc_status bench_load(Bench *bench);
/* Finds the pipelines, binds their arguments, and compiles their schedules. */
hlc_status bench_prepare(Bench *bench);
/* Frees all, and prints the diagnostics of all files but the first. Returns the status. */
hlc_status bench_end(Bench *bench, hlc_status status);

/* bench_difference.c */

/* Keeps the outputs of the last run, of the first entry, if there is memory for them. */
void bench_keep_first(BenchSubject *subject);
/* Returns the difference of the last run's outputs from the kept ones: the greatest difference of
 * two elements, relative to the greater of them. 0 if none are kept. */
double bench_difference(const BenchSubject *subject);

/* bench_spread.c */

/* Computes `spread` and `steady` from the samples; false if memory runs out. */
bool bench_settle(BenchEntry *entry);
/* Does the difference exceed the spread? Each median must lie outside the other's 10th to 90th
 * percentile, and five percent away: the placement of code and data alone can cause as much. */
BenchVerdict bench_compare(const BenchSpread *now, const BenchSpread *before);

/* bench_report.c */

/* The names of the pipelines, or the paths of the files, with commas between; the caller's. Null if
 * memory runs out. */
char *bench_pipelines(const Bench *bench);
char *bench_files(const Bench *bench);
void bench_print(const Bench *bench, bool against, FILE *out);
/* Prints one JSON object; HLC_WORLD if memory runs out. */
hlc_status bench_print_json(const Bench *bench, bool against, FILE *out);

/* bench_against.c */

/* Finds each entry in a file of `hlc bench --json`. HLC_NO if an entry is slower, or computes
 * another result. */
hlc_status bench_read_other(Bench *bench, const char *path);

#endif

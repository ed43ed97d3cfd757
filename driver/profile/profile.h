/* profile.h -- the data and functions of `hlc profile`: one pipeline under one schedule on one set
 * of arguments.
 *
 * The pipeline is compiled four times: as it is, with a profile, with traces, and as assembly. The
 * traced code runs once, with one thread, and counts (count.c). spills.c counts the spills in the
 * assembly. The other two run in turn, and are measured. From all of it, reasons.c concludes what
 * bounds the pipeline.
 */
#ifndef HLC_DRIVER_PROFILE_PROFILE_H
#define HLC_DRIVER_PROFILE_PROFILE_H

#include "driver/driver.h"

#include "runtime/hlc_runtime.h"

/* What a run computes of one func. */
typedef struct FuncCount {
    char *name;
    int64_t times;   /* how often its compute statement runs */
    double points;   /* of all of them */
    double distinct; /* of the smallest box around them */
} FuncCount;

typedef struct RunCounts {
    FuncCount *funcs;
    size_t count;
    /* Memory from the allocator, in bytes: at most at a time; of all blocks; of the large ones. */
    double peak, allocated, large;
    int64_t blocks;
} RunCounts;

/* The spills and reloads in the innermost loops of one stage: instructions. */
typedef struct StageSpills {
    char func[200], stage[24];
    int64_t count;
} StageSpills;

/* One sentence, and the share of the time, 0 to 1, that the reason is estimated to cost. */
enum { MOST_REASONS = 3 };
typedef struct ProfileReason {
    const char *kind; /* "memory", "arithmetic", "one thread", .. */
    double weight;
    char sentence[400];
} ProfileReason;

typedef struct ProfileReport {
    const Command *command;
    const char *pipeline, *schedule; /* of the empty schedule: null */
    hlc_arguments *arguments;
    int threads;
    double plain_ms, profiled_ms;  /* of a run; the median */
    double cost;                   /* of the profile, in processor time: 0.01 is a hundredth more */
    double reading_ms, writing_ms; /* files; writing negative: there was none */
    double image_bytes;            /* of inputs and outputs */
    hlc_profile_totals totals;
    hlc_profile_row *rows;
    int row_count;
    RunCounts counts;
    StageSpills *spills; /* of the stages that have code; null: unknown */
    size_t spill_count;
    ProfileReason reasons[MOST_REASONS];
    int reason_count;
} ProfileReport;

/* count.c */

/* Runs traced code once, and counts. */
hlc_status profile_count(const hlc_function *traced, hlc_arguments *arguments, RunCounts *counts);
void profile_free_counts(RunCounts *counts);
/* Returns what is known of a func; null if nothing is. */
const FuncCount *profile_find_func(const RunCounts *counts, const char *name);
/* The bytes beyond which a block is large: it does not stay in a processor's own cache. */
double profile_large_block(void);

/* spills.c */

/* Fills `spills`, unless the assembly cannot be made. */
hlc_status profile_spills(ProfileReport *report);
/* Of a row; negative: unknown. */
int64_t profile_spills_of(const ProfileReport *report, const hlc_profile_row *row);

/* reasons.c */

/* Fills `reasons`: one at least, the weightiest first. */
void profile_conclude(ProfileReport *report);

/* print.c */

/* The accesses of a row's code, "3 dense, 1 gathered"; "" for none. */
void profile_accesses_text(const hlc_profile_row *row, char *text, size_t size);
/* How long threads compute the stage in a run, in milliseconds. The times of rows are shares of the
 * median run: a run that something else interrupts does not count more. */
double profile_thread_ms(const ProfileReport *report, const hlc_profile_row *row);
/* The name of a row: "f", "f.s1", "(copy of out)". */
void profile_row_name(const hlc_profile_row *row, char *text, size_t size);
void profile_print(const ProfileReport *report, FILE *out);
/* Prints one JSON object; HLC_WORLD if memory runs out. */
hlc_status profile_print_json(const ProfileReport *report, FILE *out);

#endif

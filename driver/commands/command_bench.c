/* command_bench.c -- hlc bench FILE .. [--pipeline=P ..] [--schedule=S ..] [--threads=N,..] name=value ..
 *
 * Each schedule is compiled once, runs once with each number of threads, and the outputs are
 * compared. Then rounds of visits go over all entries, forwards and backwards in turn, so other
 * load on the machine affects all entries alike. A visit is one warm-up run and some samples, about
 * 20 milliseconds together. The rounds end when all entries are steady (bench.h), or after
 * --seconds, or when each has had --runs runs.
 */
#include "driver/commands/bench.h"

#include "runtime/hlc_runtime.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 5, MOST_SAMPLES = 20, MOST_RUNS = 100000 };
static const double VISIT = 20e6, SAMPLE = 100e3; /* nanoseconds */

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Nanoseconds of all threads. */
static double processor_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- measuring ---- */

static void describe(const BenchEntry *entry, char *text, size_t size) {
    snprintf(text, size, "%s%.100s with %d thread%s", entry->schedule ? "schedule " : "",
             entry->schedule ? entry->schedule : "the empty schedule", entry->threads,
             entry->threads == 1 ? "" : "s");
}

static bool reassociates(const BenchSubject *subject) {
    const hlc *h = subject->file->command.h;
    for (size_t i = 0; i < hlc_pipeline_count(h); i++)
        if (strcmp(hlc_pipeline_name(h, i), subject->pipeline) == 0)
            return hlc_pipeline_reassociates(h, i);
    return false;
}

/* Returns the entry whose result entry i must have: the first one of the pipeline or, if sums may be
 * reordered, the first one of the same schedule. */
static const BenchEntry *model(const Bench *bench, size_t i, bool reassociates) {
    size_t first = bench->entries[i].subject->begin;
    while (i > first &&
           (!reassociates || bench->entries[i - 1].schedule == bench->entries[i].schedule))
        i--;
    return &bench->entries[i];
}

/* Checks that all entries of the pipeline compute the same results. */
static hlc_status compare_results(Bench *bench, BenchSubject *subject) {
    bool may_differ = reassociates(subject);
    for (size_t i = subject->begin; i < subject->end; i++) {
        BenchEntry *entry = &bench->entries[i];
        hlc_set_thread_count(entry->threads);
        hlc_status status = hlc_function_run(entry->function, subject->arguments);
        if (status != HLC_YES)
            return status;
        for (size_t o = 0; o < hlc_arguments_output_count(subject->arguments); o++)
            entry->hash = entry->hash * 0x100000001b3u ^
                          images_hash(hlc_arguments_output(subject->arguments, o));
        if (i == subject->begin && may_differ)
            bench_keep_first(subject);
        entry->differs = entry->hash != bench->entries[subject->begin].hash;
        entry->off = entry->differs ? bench_difference(subject) : 0;
        const BenchEntry *other = model(bench, i, may_differ);
        if (entry->hash == other->hash)
            continue;
        char name[2][160];
        describe(other, name[0], sizeof name[0]);
        describe(entry, name[1], sizeof name[1]);
        diagnose(bench->command, "E0847", name[1], name[0]);
        return HLC_NO;
    }
    return HLC_YES;
}

/* The pixels of the largest output. */
static double count_pixels(const hlc_arguments *arguments) {
    double most = 0;
    for (size_t o = 0; o < hlc_arguments_output_count(arguments); o++) {
        const hlc_image *image = hlc_arguments_output(arguments, o);
        double pixels = 1;
        for (int d = 0; image && d < image->dimensions && d < 2; d++)
            pixels *= (double)image->extent[d];
        most = pixels > most ? pixels : most;
    }
    return most;
}

static bool add_samples(BenchEntry *entry, const int64_t *nanoseconds, int count) {
    if (entry->count + (size_t)count > entry->capacity) {
        size_t capacity = 2 * entry->capacity + (size_t)count;
        double *samples = realloc(entry->samples, capacity * sizeof *samples);
        if (!samples)
            return false;
        entry->samples = samples;
        entry->capacity = capacity;
    }
    for (int i = 0; i < count; i++)
        entry->samples[entry->count++] = (double)nanoseconds[i] / entry->runs;
    return true;
}

static bool is_spent(const Bench *bench, const BenchEntry *entry) {
    return (int64_t)entry->count * entry->runs >= bench->most_runs;
}

/* The first visit finds out how many runs make a sample. */
static hlc_status visit(BenchEntry *entry) {
    int64_t nanoseconds[MOST_SAMPLES];
    hlc_set_thread_count(entry->threads);
    if (entry->runs == 0) {
        hlc_status status =
            hlc_function_time(entry->function, entry->subject->arguments, 1, 1, nanoseconds);
        if (status != HLC_YES)
            return status;
        double runs = SAMPLE / (double)(nanoseconds[0] + 1) + 1;
        entry->runs = runs < MOST_RUNS ? (int)runs : MOST_RUNS;
        entry->spread.median = (double)nanoseconds[0] + 1;
    }
    double samples = VISIT / (entry->spread.median * entry->runs);
    int count = samples < 1 ? 1 : samples > MOST_SAMPLES ? MOST_SAMPLES : (int)samples;
    double begin = processor_now();
    hlc_status status = hlc_function_time(entry->function, entry->subject->arguments, count,
                                          entry->runs, nanoseconds);
    if (status != HLC_YES)
        return status;
    entry->processor += processor_now() - begin;
    entry->processor_runs += (double)count * entry->runs + 1; /* hlc_function_time warms up */
    return add_samples(entry, nanoseconds, count) && bench_settle(entry) ? HLC_YES : HLC_WORLD;
}

static hlc_status measure(Bench *bench) {
    double begin = seconds_now(), elapsed = 0;
    hlc_status status = HLC_YES;
    for (int round = 0; status == HLC_YES; round++) {
        bool steady = round >= LEAST_ROUNDS, spent = true;
        for (size_t i = 0; i < bench->count; i++) {
            steady = steady && bench->entries[i].steady;
            spent = spent && bench->entries[i].runs && is_spent(bench, &bench->entries[i]);
        }
        if (steady || spent || (round > 0 && elapsed >= bench->seconds))
            break;
        for (size_t i = 0; i < bench->count && status == HLC_YES; i++) {
            BenchEntry *entry = &bench->entries[round % 2 ? bench->count - 1 - i : i];
            if (!entry->runs || !is_spent(bench, entry))
                status = visit(entry);
            elapsed = seconds_now() - begin;
            progress_tell(bench->command, "bench",
                          elapsed < bench->seconds ? elapsed / bench->seconds : 0.99);
        }
    }
    progress_tell(bench->command, "bench", 1);
    return status;
}

/* ---- the command ---- */

static hlc_status compare_all(Bench *bench) {
    hlc_status status = HLC_YES;
    for (size_t i = 0; i < bench->subject_count && status == HLC_YES; i++) {
        BenchSubject *subject = &bench->subjects[i];
        status = compare_results(bench, subject);
        subject->file->status = status;
        if (status == HLC_YES)
            subject->pixels = count_pixels(subject->arguments);
    }
    return status;
}

static hlc_status run(Bench *bench) {
    const char *other = bench->command->values[OPTION_AGAINST];
    hlc_status status = bench_prepare(bench);
    if (status == HLC_YES)
        status = compare_all(bench);
    if (status == HLC_YES)
        status = measure(bench);
    if (status == HLC_YES && other)
        status = bench_read_other(bench, other);
    if (status != HLC_YES && status != HLC_NO)
        return status;
    if (!bench->count || !bench->entries[bench->count - 1].count)
        return status; /* the results differ: nothing was measured */
    if (!bench->command->values[OPTION_JSON])
        bench_print(bench, other != NULL, stdout);
    else if (bench_print_json(bench, other != NULL, stdout) != HLC_YES)
        return HLC_WORLD;
    return status;
}

hlc_status command_bench(const Command *command) {
    int64_t runs;
    double seconds;
    hlc_status status = options_seconds(command, OPTION_BENCH_SECONDS, 10, &seconds);
    if (status == HLC_YES)
        status = options_number(command, OPTION_RUNS, 1, MOST_RUNS, &runs);
    if (status != HLC_YES)
        return status;
    Bench bench = {.command = command, .seconds = seconds, .most_runs = runs};
    status = bench_load(&bench);
    if (status == HLC_YES)
        status = run(&bench);
    return bench_end(&bench, status);
}

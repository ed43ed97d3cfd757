/* command_bench.c -- hlc bench FILE [--pipeline=P ..] [--schedule=S ..] [--threads=N,..] name=value ..
 *
 * Without --pipeline all pipelines of the file are measured. Each takes the arguments whose names it
 * has. Each schedule is compiled once, runs once with each number of threads, and the outputs are
 * compared. Then rounds of visits go over all entries, forwards and backwards in turn, so other
 * load on the machine affects all entries alike. A visit is one warm-up run and some samples, about
 * 20 milliseconds together. The rounds end when all entries are steady (bench.h), or after
 * --seconds, or when each has had --runs runs.
 */
#include "driver/commands/bench.h"

#include "runtime/hlc_runtime.h"

#include <errno.h>
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

/* ---- the entries ---- */

static bool add_entry(Bench *bench, const char *schedule, int threads) {
    BenchEntry *entries = realloc(bench->entries, (bench->count + 1) * sizeof *entries);
    if (!entries)
        return false;
    entries[bench->count++] = (BenchEntry){.schedule = schedule, .threads = threads};
    bench->entries = entries;
    return true;
}

/* Adds an entry for each of these numbers of threads; "" means 1 and all. */
static hlc_status add_threads(Bench *bench, const char *schedule, const char *list) {
    int all = hlc_thread_count();
    if (!list)
        return add_entry(bench, schedule, 1) && (all == 1 || add_entry(bench, schedule, all))
                   ? HLC_YES
                   : HLC_WORLD;
    for (const char *at = list;; at++) {
        char *end;
        errno = 0;
        long count = strtol(at, &end, 10);
        if (end == at || errno || count < 1 || count > 1024 || (*end && *end != ',')) {
            diagnose(bench->command, "E0822", "threads", "it takes numbers from 1 to 1024",
                     "write them with commas between: --threads=1,2");
            return HLC_USER;
        }
        if (!add_entry(bench, schedule, (int)count))
            return HLC_WORLD;
        at = end;
        if (!*at)
            return HLC_YES;
    }
}

static hlc_status add_schedule(Bench *bench, const BenchSubject *subject, const char *schedule) {
    size_t first = bench->count;
    hlc_status status = add_threads(bench, schedule, bench->command->values[OPTION_BENCH_THREADS]);
    if (status != HLC_YES)
        return status;
    hlc_function *function =
        hlc_compile_function(bench->command->h, subject->pipeline, schedule, NULL);
    for (size_t i = first; i < bench->count; i++) {
        bench->entries[i].subject = subject;
        bench->entries[i].function = function;
    }
    return function ? HLC_YES : HLC_USER;
}

/* Does the subject leave a requested schedule to the other pipelines, of which one has it? */
static bool is_of_others(const Bench *bench, const BenchSubject *subject, const char *schedule) {
    const hlc *h = bench->command->h;
    bool has_other = false;
    for (size_t i = 0; i < hlc_schedule_count(h); i++) {
        if (strcmp(hlc_schedule_name(h, i), schedule) != 0)
            continue;
        if (strcmp(hlc_schedule_pipeline(h, i), subject->pipeline) == 0)
            return false;
        for (size_t k = 0; k < bench->subject_count; k++)
            has_other |= strcmp(hlc_schedule_pipeline(h, i), bench->subjects[k].pipeline) == 0;
    }
    return has_other;
}

/* Adds the requested schedules, in that order ("" is the empty one), or else the empty one and all
 * of the file's. */
static hlc_status add_schedules(Bench *bench, const BenchSubject *subject) {
    const Command *command = bench->command;
    hlc *h = command->h;
    hlc_status status = HLC_YES;
    const char *name;
    int i;
    for (i = 0; status == HLC_YES && (name = options_repeated(command, OPTION_BENCH_SCHEDULE, i));
         i++)
        if (!is_of_others(bench, subject, name))
            status = add_schedule(bench, subject, *name ? name : NULL);
    if (i > 0 || status != HLC_YES)
        return status;
    status = add_schedule(bench, subject, NULL);
    for (size_t k = 0; k < hlc_schedule_count(h) && status == HLC_YES; k++)
        if (strcmp(hlc_schedule_pipeline(h, k), subject->pipeline) == 0)
            status = add_schedule(bench, subject, hlc_schedule_name(h, k));
    return status;
}

/* ---- the pipelines ---- */

/* Is the operand an argument of the pipeline? `place.0=9x9` is one of `place`. */
static bool is_of(const hlc *h, size_t pipeline, const char *operand) {
    size_t length = strcspn(operand, "=."), outputs = hlc_output_count(h, pipeline);
    for (size_t i = 0; i < hlc_input_count(h, pipeline) + outputs; i++) {
        const char *name = i < outputs ? hlc_output_at(h, pipeline, i).func
                                       : hlc_input_at(h, pipeline, i - outputs).name;
        if (strncmp(name, operand, length) == 0 && strcspn(name, ".") == length)
            return true;
    }
    return false;
}

/* Is it an argument of another pipeline only? */
static bool is_left_out(const Bench *bench, const BenchSubject *subject, const char *operand) {
    const hlc *h = bench->command->h;
    bool has_other = false;
    for (size_t p = 0; p < hlc_pipeline_count(h); p++) {
        bool is_subject = strcmp(hlc_pipeline_name(h, p), subject->pipeline) == 0;
        if (is_of(h, p, operand) && is_subject)
            return false;
        for (size_t k = 0; k < bench->subject_count && !is_subject; k++)
            has_other |= strcmp(hlc_pipeline_name(h, p), bench->subjects[k].pipeline) == 0 &&
                         is_of(h, p, operand);
    }
    return has_other;
}

static hlc_status prepare_subject(Bench *bench, BenchSubject *subject) {
    Command command = *bench->command;
    const char **operands = malloc((size_t)command.operand_count * sizeof *operands);
    if (!operands)
        return HLC_WORLD;
    int count = 1;
    operands[0] = command.operands[0];
    for (int i = 1; i < command.operand_count; i++)
        if (!is_left_out(bench, subject, command.operands[i]))
            operands[count++] = command.operands[i];
    command.operands = operands;
    command.operand_count = count;
    command.values[OPTION_PIPELINE] = subject->pipeline;
    hlc_status status = operands_bind(&command, 1, &subject->arguments);
    free(operands);
    subject->begin = bench->count;
    if (status == HLC_YES)
        status = add_schedules(bench, subject);
    subject->end = bench->count;
    return status;
}

/* The requested pipelines, or all. */
static bool name_subjects(Bench *bench) {
    const Command *command = bench->command;
    size_t most = hlc_pipeline_count(command->h) + (size_t)command->repeated_count + 1;
    const char *name;
    bench->subjects = calloc(most, sizeof *bench->subjects);
    if (!bench->subjects)
        return false;
    for (int i = 0; (name = options_repeated(command, OPTION_BENCH_PIPELINE, i)); i++) {
        bool is_named = false;
        for (size_t k = 0; k < bench->subject_count; k++)
            is_named |= strcmp(bench->subjects[k].pipeline, name) == 0;
        if (!is_named)
            bench->subjects[bench->subject_count++].pipeline = name;
    }
    for (size_t p = 0;
         !command->values[OPTION_BENCH_PIPELINE] && p < hlc_pipeline_count(command->h); p++)
        bench->subjects[bench->subject_count++].pipeline = hlc_pipeline_name(command->h, p);
    return true;
}

static hlc_status prepare(Bench *bench) {
    hlc_status status = name_subjects(bench) ? HLC_YES : HLC_WORLD;
    for (size_t i = 0; i < bench->subject_count && status == HLC_YES; i++)
        status = prepare_subject(bench, &bench->subjects[i]);
    return status;
}

/* ---- measuring ---- */

static void describe(const BenchEntry *entry, char *text, size_t size) {
    snprintf(text, size, "%s%.100s with %d thread%s", entry->schedule ? "schedule " : "",
             entry->schedule ? entry->schedule : "the empty schedule", entry->threads,
             entry->threads == 1 ? "" : "s");
}

static bool reassociates(const Bench *bench, const BenchSubject *subject) {
    const hlc *h = bench->command->h;
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
    bool may_differ = reassociates(bench, subject);
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

static hlc_status run(Bench *bench) {
    const char *other = bench->command->values[OPTION_AGAINST];
    hlc_status status = prepare(bench);
    for (size_t i = 0; i < bench->subject_count && status == HLC_YES; i++) {
        status = compare_results(bench, &bench->subjects[i]);
        if (status == HLC_YES)
            bench->subjects[i].pixels = count_pixels(bench->subjects[i].arguments);
    }
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
    if (status == HLC_YES)
        status = options_compiler(command, true);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status != HLC_YES)
        return status;
    Bench bench = {.command = command, .seconds = seconds, .most_runs = runs};
    status = run(&bench);
    for (size_t i = 0; i < bench.count; i++)
        free(bench.entries[i].samples);
    free(bench.entries);
    for (size_t i = 0; i < bench.subject_count; i++)
        free(bench.subjects[i].first);
    free(bench.subjects);
    return status;
}

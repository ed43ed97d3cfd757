/* command_profile.c -- hlc profile FILE [--pipeline=P] [--schedule=S] [--seconds=N] [--threads=N]
 * name=value .. [-o out.png]
 *
 * The plain and the profiled code run in visits, in turn, until --seconds are over: other load on
 * the machine affects both alike. The sampler runs during the visits of the profiled code only.
 */
#include "driver/profile/profile.h"

#include <stdlib.h>

static const double VISIT_MS = 60;

enum { MOST_VISITS = 2000, MOST_RUNS = 100000 };

static double ms_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static double now_ms(void) {
    return ms_of(CLOCK_MONOTONIC);
}

/* ---- code ---- */

typedef struct Codes {
    hlc_function *plain, *profiled, *traced;
} Codes;

static hlc_status compile(const ProfileReport *report, Codes *codes) {
    hlc *h = report->command->h;
    hlc_code code;
    hlc_status status = options_code(report->command, &code);
    hlc_compile_options options = {.optimize = code.optimize, .debug = code.debug};
    if (status != HLC_YES)
        return status;
    codes->plain = hlc_compile_function(h, report->pipeline, report->schedule, &options);
    options.profile = true;
    if (codes->plain)
        codes->profiled = hlc_compile_function(h, report->pipeline, report->schedule, &options);
    options.profile = false;
    options.trace = true;
    if (codes->profiled)
        codes->traced = hlc_compile_function(h, report->pipeline, report->schedule, &options);
    return codes->traced ? HLC_YES : HLC_USER;
}

/* ---- measuring ---- */

/* Of each visit: the time of one run, and the processor time of all threads. */
typedef struct Visits {
    double *ms, *processor;
    int count;
} Visits;

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return count ? values[count / 2] : 0;
}

static hlc_status visit(const hlc_function *function, hlc_arguments *arguments, int runs,
                        Visits *visits) {
    int64_t nanoseconds;
    double begin = ms_of(CLOCK_PROCESS_CPUTIME_ID);
    hlc_status status = hlc_function_time(function, arguments, 1, runs, &nanoseconds);
    visits->processor[visits->count] = ms_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
    visits->ms[visits->count] = (double)nanoseconds / 1e6 / runs;
    visits->count += status == HLC_YES;
    return status;
}

static hlc_status visit_profiled(const hlc_function *function, hlc_arguments *arguments, int runs,
                                 Visits *visits) {
    if (hlc_profile_start(0) != 0)
        return HLC_WORLD;
    hlc_status status = visit(function, arguments, runs, visits);
    hlc_profile_stop();
    return status;
}

static hlc_status measure_into(ProfileReport *report, const Codes *codes, double seconds,
                               Visits *plain, Visits *profiled) {
    double begin = now_ms(), end = begin + 1e3 * seconds;
    hlc_status status = visit(codes->plain, report->arguments, 1, plain);
    if (status != HLC_YES)
        return status;
    double runs = VISIT_MS / (plain->ms[0] + 1e-6) + 1;
    int count = runs < MOST_RUNS ? (int)runs : MOST_RUNS;
    hlc_profile_reset(hlc_function_profile(codes->profiled));
    plain->count = 0;
    do {
        bool is_odd = plain->count % 2; /* the order alternates */
        if (is_odd)
            status = visit_profiled(codes->profiled, report->arguments, count, profiled);
        if (status == HLC_YES)
            status = visit(codes->plain, report->arguments, count, plain);
        if (status == HLC_YES && !is_odd)
            status = visit_profiled(codes->profiled, report->arguments, count, profiled);
        double done = (now_ms() - begin) / (1e3 * seconds + 1);
        progress_tell(report->command, "profile", done < 1 ? done : 0.99);
    } while (status == HLC_YES && now_ms() < end && plain->count < MOST_VISITS);
    progress_tell(report->command, "profile", 1);
    for (int i = 0; i < profiled->count && i < plain->count; i++)
        plain->processor[i] = profiled->processor[i] / plain->processor[i];
    report->cost = median(plain->processor, profiled->count) - 1;
    report->plain_ms = median(plain->ms, plain->count);
    report->profiled_ms = median(profiled->ms, profiled->count);
    return status;
}

static hlc_status measure(ProfileReport *report, const Codes *codes, double seconds) {
    enum { ROOM = MOST_VISITS + 2 };
    double *room = malloc(4 * ROOM * sizeof *room);
    Visits plain = {room, room + ROOM, 0}, profiled = {room + 2 * ROOM, room + 3 * ROOM, 0};
    hlc_status status = room ? measure_into(report, codes, seconds, &plain, &profiled) : HLC_WORLD;
    free(room);
    return status;
}

static hlc_status read_rows(ProfileReport *report, const hlc_profile *profile) {
    hlc_profile_read(profile, &report->totals);
    int count = hlc_profile_rows(profile, NULL, 0);
    report->rows = malloc(((size_t)count + 1) * sizeof *report->rows);
    if (!report->rows)
        return HLC_WORLD;
    report->row_count = hlc_profile_rows(profile, report->rows, count);
    return HLC_YES;
}

static hlc_status write_outputs(ProfileReport *report) {
    double begin = now_ms();
    report->writing_ms = -1;
    if (!report->command->values[OPTION_OUTPUT])
        return HLC_YES;
    hlc_status status = outputs_save(report->command, report->arguments);
    report->writing_ms = now_ms() - begin;
    return status;
}

/* ---- the command ---- */

static hlc_status bind(ProfileReport *report) {
    const Command *command = report->command;
    const char *schedule = command->values[OPTION_SCHEDULE];
    double begin = now_ms();
    hlc_status status = operands_bind(command, 1, &report->arguments);
    if (status != HLC_YES)
        return status;
    report->reading_ms = now_ms() - begin;
    report->pipeline = command->values[OPTION_PIPELINE] ? command->values[OPTION_PIPELINE]
                                                        : hlc_pipeline_name(command->h, 0);
    report->schedule = schedule && *schedule ? schedule : NULL;
    report->threads = hlc_thread_count();
    return outputs_check(command, report->arguments);
}

static hlc_status profile(ProfileReport *report, double seconds) {
    Codes codes = {NULL, NULL, NULL};
    hlc_status status = bind(report);
    if (status == HLC_YES)
        status = compile(report, &codes);
    if (status == HLC_YES)
        status = profile_count(codes.traced, report->arguments, &report->counts);
    if (status == HLC_YES)
        status = profile_spills(report);
    if (status == HLC_YES)
        status = measure(report, &codes, seconds);
    if (status == HLC_YES)
        status = read_rows(report, hlc_function_profile(codes.profiled));
    if (status == HLC_YES)
        status = write_outputs(report);
    if (status != HLC_YES)
        return status;
    report->image_bytes = hlc_arguments_bytes(report->arguments);
    profile_conclude(report);
    if (report->command->values[OPTION_JSON])
        return profile_print_json(report, stdout);
    profile_print(report, stdout);
    return HLC_YES;
}

hlc_status command_profile(const Command *command) {
    double seconds;
    hlc_status status = options_seconds(command, OPTION_PROFILE_SECONDS, 3, &seconds);
    if (status == HLC_YES)
        status = options_threads(command);
    if (status == HLC_YES)
        status = options_compiler(command, true);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status != HLC_YES)
        return status;
    ProfileReport report = {.command = command};
    status = profile(&report, seconds);
    profile_free_counts(&report.counts);
    free(report.rows);
    free(report.spills);
    return status;
}

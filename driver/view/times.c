/* times.c -- the profile of a schedule, for the page: the time of a run, and of each stage in it.
 *
 *     {"run_ms":3.7,"runs":20,"samples":392,"busy":0.99,"parallel":1.0,"rows":[{"kind":"stage","func":"out",..}]}
 */
#include "driver/profile/profile.h"
#include "driver/view/view.h"

#include <jansson.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_RUNS = 4000 };

hlc_status view_compile(const ViewPage *view, ViewSchedule *schedule) {
    if (schedule->profiled)
        return HLC_YES;
    hlc_code code;
    hlc_status status = options_code(view->command, &code);
    hlc_compile_options options = {.optimize = code.optimize, .profile = true};
    if (status != HLC_YES)
        return status;
    schedule->profiled =
        hlc_compile_function(view->command->h, view->pipeline, schedule->name, &options);
    return schedule->profiled ? HLC_YES : HLC_USER;
}

static json_t *row_json(const hlc_profile_row *row) {
    static const char *const kinds[] = {[HLC_PROFILE_STAGE] = "stage",
                                        [HLC_PROFILE_CALL] = "call",
                                        [HLC_PROFILE_COPY] = "copy",
                                        [HLC_PROFILE_WAIT] = "wait"};
    char accesses[120], name[200];
    profile_accesses_text(row, accesses, sizeof accesses);
    profile_row_name(row, name, sizeof name);
    return json_pack("{s:s,s:s,s:s?,s:s?,s:f,s:f,s:i,s:s}", "kind", kinds[row->kind], "name", name,
                     "func", row->func, "stage", row->stage, "share", row->share, "threads_ms",
                     row->thread_milliseconds, "lanes", (int)row->lanes, "accesses", accesses);
}

static hlc_status put_times(ViewSchedule *schedule, const int64_t *nanoseconds, int runs) {
    struct hlc_profile *profile = hlc_function_profile(schedule->profiled);
    hlc_profile_totals totals;
    hlc_profile_read(profile, &totals);
    int count = hlc_profile_rows(profile, NULL, 0);
    hlc_profile_row *rows = malloc(((size_t)count + 1) * sizeof *rows);
    if (!rows)
        return HLC_WORLD;
    count = hlc_profile_rows(profile, rows, count);
    int64_t least = nanoseconds[0];
    for (int i = 1; i < runs; i++)
        least = nanoseconds[i] < least ? nanoseconds[i] : least;
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, row_json(&rows[i]));
    json_t *all = json_pack("{s:f,s:i,s:I,s:f,s:f,s:o}", "run_ms", (double)least / 1e6, "runs",
                            runs, "samples", (json_int_t)totals.samples, "busy", totals.busy,
                            "parallel", totals.parallel_share, "rows", list);
    free(rows);
    hlc_status status = all ? view_begin(&schedule->times) : HLC_WORLD;
    if (status == HLC_YES) {
        bool is_written =
            json_dumpf(all, schedule->times.file, JSON_COMPACT | JSON_REAL_PRECISION(6)) == 0;
        status = view_end(&schedule->times, is_written ? HLC_YES : HLC_WORLD);
    }
    json_decref(all);
    return status;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The first run, which reports a refusal. It is timed, because one as long as `seconds` is the only
 * one. */
static hlc_status run_first(const ViewPage *view, ViewSchedule *schedule, int64_t *nanoseconds) {
    int64_t begin = now();
    hlc_status status = hlc_function_run(schedule->profiled, view->arguments);
    *nanoseconds = now() - begin;
    return status;
}

/* The least time of a run is shown: other work on the machine only adds to it. */
hlc_status view_measure(const ViewPage *view, ViewSchedule *schedule, double seconds) {
    int64_t *nanoseconds = malloc(MOST_RUNS * sizeof *nanoseconds);
    hlc_status status = nanoseconds ? HLC_YES : HLC_WORLD;
    double spent = 0;
    int runs = 0;
    if (status == HLC_YES && hlc_profile_start(200000) != 0)
        status = HLC_WORLD;
    if (status != HLC_YES) {
        free(nanoseconds);
        return status;
    }
    hlc_profile_reset(hlc_function_profile(schedule->profiled));
    int batch = 1;
    status = run_first(view, schedule, nanoseconds);
    if (status == HLC_YES && (double)nanoseconds[0] / 1e9 >= seconds && seconds > 0)
        runs = 1;
    else
        hlc_profile_reset(hlc_function_profile(schedule->profiled));
    spent = runs ? seconds : 0;
    while (status == HLC_YES && (runs == 0 || (spent < seconds && runs + batch <= MOST_RUNS))) {
        status =
            hlc_function_time(schedule->profiled, view->arguments, batch, 1, nanoseconds + runs);
        for (int i = 0; i < batch && status == HLC_YES; i++)
            spent += (double)nanoseconds[runs + i] / 1e9;
        runs += status == HLC_YES ? batch : 0;
        batch = batch < 64 ? 2 * batch : batch;
    }
    hlc_profile_stop();
    if (status == HLC_YES)
        status = put_times(schedule, nanoseconds, runs);
    free(nanoseconds);
    return status;
}

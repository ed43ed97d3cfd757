/* command_view.c -- hlc view FILE [--schedule=S ..] name=value .. -o page.html
 *
 * While two threads compile the schedules, this one computes the values of all funcs. Times are measured
 * when the threads have ended.
 */
#include "driver/view/view.h"

#include <stdlib.h>
#include <string.h>

/* ---- the schedules ---- */

static bool add_schedule(ViewPage *view, const char *name) {
    size_t count = (size_t)view->schedule_count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(view->schedules[i].name, name) == 0)
            return true;
    ViewSchedule *schedules = realloc(view->schedules, (count + 1) * sizeof *schedules);
    if (!schedules)
        return false;
    schedules[count] = (ViewSchedule){.name = name};
    view->schedules = schedules;
    view->schedule_count++;
    return true;
}

/* The requested schedules, or else the empty one and all of the file's. */
static hlc_status add_schedules(ViewPage *view) {
    const Command *command = view->command;
    const char *name;
    bool is_added = true;
    for (int i = 0; is_added && (name = options_repeated(command, OPTION_BENCH_SCHEDULE, i)); i++)
        is_added = add_schedule(view, name);
    if (view->schedule_count || !is_added)
        return is_added ? HLC_YES : HLC_WORLD;
    is_added = add_schedule(view, "");
    for (size_t i = 0; i < hlc_schedule_count(command->h) && is_added; i++)
        if (strcmp(hlc_schedule_pipeline(command->h, i), view->pipeline) == 0)
            is_added = add_schedule(view, hlc_schedule_name(command->h, i));
    return is_added ? HLC_YES : HLC_WORLD;
}

/* ---- the parts ---- */

static hlc_status describe(ViewPage *view) {
    hlc_status status = view_begin(&view->description);
    if (status == HLC_YES)
        status = hlc_describe_pipeline(view->command->h, view->pipeline, view->description.file);
    return view_end(&view->description, status);
}

static hlc_status show_values(ViewPage *view) {
    hlc_status status = view_begin(&view->values);
    if (status == HLC_YES)
        status = hlc_show_values(view->arguments, view->values.file);
    return view_end(&view->values, status);
}

/* What the threads do not do, meanwhile. */
static hlc_status make_beside(ViewPage *view) {
    hlc_status status = show_values(view);
    for (int i = 0; i < view->schedule_count && status == HLC_YES; i++)
        status = view_nest(view, &view->schedules[i]);
    return status;
}

static hlc_status make_times(ViewPage *view, double seconds) {
    hlc_status status = HLC_YES;
    for (int i = 0; i < view->schedule_count && status == HLC_YES; i++)
        status = view_compile(view, &view->schedules[i]);
    for (int i = 0; i < view->schedule_count && status == HLC_YES; i++)
        status = view_measure(view, &view->schedules[i], seconds / view->schedule_count);
    return status;
}

static hlc_status make(ViewPage *view, double seconds) {
    hlc_status status = describe(view);
    for (int i = 0; i < view->schedule_count && status == HLC_YES; i++)
        status = view_target(view, &view->schedules[i]);
    if (status != HLC_YES)
        return status;
    hlc_code code;
    status = options_code(view->command, &code);
    for (int i = 0; i < VIEW_LANES; i++) {
        view->lanes[i] = (ViewLane){.command = view->command,
                                    .schedules = view->schedules,
                                    .first = i,
                                    .count = view->schedule_count,
                                    .optimize = code.optimize,
                                    .has_times = view->has_times};
        view_begin_lane(&view->lanes[i]);
    }
    status = make_beside(view);
    for (int i = 0; i < VIEW_LANES; i++)
        view_end_lane(&view->lanes[i]);
    return status == HLC_YES && view->has_times ? make_times(view, seconds) : status;
}

static hlc_status write_page(const ViewPage *view) {
    const char *path = view->command->values[OPTION_OUTPUT];
    NewFile page;
    hlc_status status = files_spare_source(view->command, path);
    if (status == HLC_YES)
        status = file_begin(view->command, path, &page);
    if (status == HLC_YES)
        status = files_end(view->command, &page, 1, view_write(view, page.file));
    return status;
}

/* ---- the command ---- */

static hlc_status view_pipeline(ViewPage *view, double seconds) {
    const Command *command = view->command;
    hlc_status status = operands_bind(command, 1, &view->arguments);
    if (status != HLC_YES)
        return status;
    view->pipeline = command->values[OPTION_PIPELINE] ? command->values[OPTION_PIPELINE]
                                                      : hlc_pipeline_name(command->h, 0);
    view->has_times = !command->values[OPTION_NO_TIMES];
    status = add_schedules(view);
    if (status == HLC_YES)
        status = make(view, seconds);
    return status == HLC_YES ? write_page(view) : status;
}

static void free_view(ViewPage *view) {
    for (int i = 0; i < view->schedule_count; i++) {
        ViewSchedule *schedule = &view->schedules[i];
        free(schedule->nest.text);
        free(schedule->target.text);
        free(schedule->assembly.text);
        free(schedule->times.text);
        hlc_destroy(schedule->own);
    }
    free(view->schedules);
    free(view->description.text);
    free(view->values.text);
}

hlc_status command_view(const Command *command) {
    double seconds;
    if (!command->values[OPTION_OUTPUT]) {
        diagnose(command, "E0823", command->name, "a file for the page, -o page.html");
        return HLC_USER;
    }
    hlc_status status = options_seconds(command, OPTION_VIEW_SECONDS, 1, &seconds);
    if (status == HLC_YES)
        status = options_threads(command);
    if (status == HLC_YES)
        status = options_compiler(command, true);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status != HLC_YES)
        return status;
    ViewPage view = {.command = command};
    status = view_pipeline(&view, seconds);
    free_view(&view);
    return status;
}

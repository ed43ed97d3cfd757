/* lanes.c -- the target programs of the schedules, and the threads that compile them.
 *
 * A target program in the text form is a program of its own. A lane is a thread that loads every second
 * schedule's into a compiler of its own, and compiles it. A page has two lanes, because LLVM takes most
 * of the time of a page. The values of the funcs are computed meanwhile.
 */
#include "driver/view/view.h"

hlc_status view_target(const ViewPage *view, ViewSchedule *schedule) {
    hlc_lower_options options = {.until = -1};
    hlc_status status = view_begin(&schedule->target);
    if (status == HLC_YES)
        status = hlc_lower(view->command->h, view->pipeline, schedule->name, &options,
                           schedule->target.file);
    return view_end(&schedule->target, status);
}

/* Returns a compiler with the target program, with the settings of the command line; null if it
 * cannot be had. */
static hlc *load_target(const ViewLane *lane, const ViewSchedule *schedule) {
    Command command = *lane->command;
    command.h = hlc_create();
    if (command.h && options_compiler(&command, true) == HLC_YES &&
        hlc_load_text(command.h, "target.ir", schedule->target.text, schedule->target.length, NULL,
                      NULL) == HLC_YES)
        return command.h;
    hlc_destroy(command.h);
    return NULL;
}

static void *make_all(void *data) {
    const ViewLane *lane = data;
    for (int i = lane->first; i < lane->count; i += VIEW_LANES) {
        hlc *h = load_target(lane, &lane->schedules[i]);
        if (h)
            view_make_code(&lane->schedules[i], h, lane->optimize, lane->has_times);
    }
    return NULL;
}

void view_begin_lane(ViewLane *lane) {
    lane->is_running = pthread_create(&lane->thread, NULL, make_all, lane) == 0;
    if (!lane->is_running) /* no thread can be had: then without one */
        make_all(lane);
}

void view_end_lane(ViewLane *lane) {
    if (lane->is_running)
        pthread_join(lane->thread, NULL);
    lane->is_running = false;
}

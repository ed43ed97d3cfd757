/* stop.c -- ends calls of pipelines early, where their thread has a stopper. */
#include "runtime/hlc_runtime.h"

static _Thread_local const hlc_stopper *current;

const hlc_stopper *hlc_set_stopper(const hlc_stopper *stopper) {
    const hlc_stopper *before = current;
    current = stopper;
    return before;
}

int hlc_poll(hlc_report *report) {
    if (!current || !current->is_stopped(current->user))
        return 0;
    return hlc_fail(report, HLC_ERROR_STOPPED, NULL, NULL, 0);
}

/* stop.c -- ends calls early: cancelled by another thread, at a deadline, at a limit of memory. */
#include "library/compiler.h"

int compiler_is_stopped(void *user) {
    return stop_poll(user) != STOP_NONE;
}

void hlc_cancel(hlc *h) {
    if (h)
        atomic_store(&h->stop.is_cancelled, true);
}

void hlc_resume(hlc *h) {
    if (h)
        atomic_store(&h->stop.is_cancelled, false);
}

void hlc_set_deadline(hlc *h, double seconds) {
    if (!h)
        return;
    h->seconds = seconds;
    stop_within(&h->stop, seconds);
}

hlc_status compiler_report_exit(hlc *h, MemoryExit by) {
    Context *context = h->context;
    if (by == MEMORY_BEYOND_LIMIT)
        diag(context, DIAG_MEMORY_LIMIT, context->at,
             arena_format(h->scratch, "%zu", context->memory.limit >> 20));
    else if (stop_poll(&h->stop) == STOP_LATE)
        diag(context, DIAG_TIME_LIMIT, context->at, arena_format(h->scratch, "%g", h->seconds));
    else
        diag(context, DIAG_CANCELLED, context->at);
    return HLC_WORLD;
}

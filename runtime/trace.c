/* trace.c -- calls the host's hook for the events of a pipeline compiled with --trace. */
#include "runtime/hlc_runtime.h"

#include <stdatomic.h>

static _Atomic(hlc_trace_hook *) current_hook;

hlc_trace_hook *hlc_set_trace(hlc_trace_hook *hook) {
    return atomic_exchange(&current_hook, hook);
}

void hlc_trace(int32_t kind, const char *pipeline, const char *func, const int64_t *box,
               int32_t dimensions, int32_t error) {
    hlc_trace_hook *hook = atomic_load_explicit(&current_hook, memory_order_acquire);
    if (!hook)
        return;
    hlc_trace_event event = {(hlc_trace_kind)kind, pipeline, func, dimensions, box, error};
    hook(&event);
}

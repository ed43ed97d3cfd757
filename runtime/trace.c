/* trace.c -- calls the host's hook for the events of a pipeline compiled with --trace. */
#include "runtime/hlc_runtime.h"

#include <stdatomic.h>
#include <string.h>

static _Atomic(hlc_trace_hook *) current_hook;

hlc_trace_hook *hlc_set_trace(hlc_trace_hook *hook) {
    return atomic_exchange(&current_hook, hook);
}

void hlc_trace(int32_t kind, const char *pipeline, const char *func, const int64_t *box,
               int32_t dimensions, int32_t error) {
    hlc_trace_hook *hook = atomic_load_explicit(&current_hook, memory_order_acquire);
    if (!hook)
        return;
    hlc_trace_event event = {.kind = (hlc_trace_kind)kind,
                             .pipeline = pipeline,
                             .func = func,
                             .dimensions = dimensions,
                             .box = box,
                             .error = error};
    hook(&event);
}

enum { MOST_LANES = 64, MOST_DIMENSIONS = 8, MOST_BYTES = 8 };

/* Copies the elements that are accessed; returns their number. */
static int32_t compress(const hlc_trace_event *event, const uint8_t *mask, int64_t *coordinates,
                        unsigned char *values) {
    size_t bytes = event->type.bits == 1 ? 1 : event->type.bits / 8u;
    int32_t count = 0, at = 0;
    for (int32_t i = 0; i < event->lanes; i++)
        count += mask[i] != 0;
    for (int32_t i = 0; i < event->lanes; i++) {
        if (!mask[i])
            continue;
        for (int32_t d = 0; d < event->dimensions; d++)
            coordinates[d * count + at] = event->coordinates[d * event->lanes + i];
        memcpy(values + (size_t)at * bytes,
               (const unsigned char *)event->values + (size_t)i * bytes, bytes);
        at++;
    }
    return count;
}

void hlc_trace_access(int32_t kind, const hlc_trace_place *place, int32_t lanes,
                      const int64_t *coordinates, const void *values, const uint8_t *mask) {
    hlc_trace_hook *hook = atomic_load_explicit(&current_hook, memory_order_acquire);
    if (!hook)
        return;
    hlc_trace_event event = {.kind = (hlc_trace_kind)kind,
                             .pipeline = place->pipeline,
                             .func = place->func,
                             .dimensions = place->dimensions,
                             .component = place->component,
                             .components = place->components,
                             .type = {place->type_code, place->type_bits, 1},
                             .lanes = lanes,
                             .coordinates = coordinates,
                             .values = values};
    int64_t own_coordinates[MOST_LANES * MOST_DIMENSIONS];
    unsigned char own_values[MOST_LANES * MOST_BYTES];
    if (mask) {
        event.lanes = compress(&event, mask, own_coordinates, own_values);
        event.coordinates = own_coordinates;
        event.values = own_values;
    }
    if (event.lanes > 0)
        hook(&event);
}

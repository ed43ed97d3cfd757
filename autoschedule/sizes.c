/* sizes.c -- see sizes.h. */
#include "autoschedule/sizes.h"

#include <math.h>

enum { SHORT_LENGTH = 16 /* is not scaled */ };

typedef struct ScaledSizes {
    const AutoscheduleRequest *request;
    Context *context;
    double scale;
} ScaledSizes;

static bool scaled_value(void *data, Symbol name, Bits *bits) {
    const ScaledSizes *sizes = data;
    Symbol buffer;
    BufferField field;
    int d;
    if (!sizes->request->startup(sizes->request->data, name, bits))
        return false;
    if (buffer_field_parse(sizes->context, name, &buffer, &field, &d) && field_is_extent(field) &&
        *bits > SHORT_LENGTH)
        *bits = (Bits)fmax(1, round((double)*bits * sizes->scale));
    return true;
}

Estimate *sizes_estimate(const ScheduleSearch *search, const Program *program, int i,
                         Arena *arena) {
    const AutoscheduleRequest *request = search->request;
    ScaledSizes sizes = {request, program->pool->context, request->scales[i]};
    return model_estimate(program, search->machine, request->threads, scaled_value, &sizes, arena);
}

void sizes_begin(ScheduleSearch *search, const Program *empty) {
    int count = search->request->scale_count;
    search->scaled = arena_array(search->arena, const Estimate *, count + 1);
    for (int i = 0; i < count; i++)
        search->scaled[i] = sizes_estimate(search, empty, i, search->arena);
}

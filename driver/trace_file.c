/* trace_file.c -- writes the events of a traced run into a file, one a line.
 *
 *     begin two
 *     begin f 0+5 7+3
 *     load input(0, 7) = 12          of element (0, 7)
 *     store f(0, 7) = 24             store f.1(0, 7) = 3: the second element of a tuple
 *     end f
 *     end two = 0
 *
 * Boxes are minimum + extent of each dimension. A float has as many digits as its value needs. The
 * hook is the process's and gets no data, so the file is data outside of any context. Threads write
 * whole events, in the order in which they happen to come. */
#include "driver/driver.h"

#include "driver/image/image.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static FILE *trace_file;

/* ---- values ---- */

/* With the fewest digits that read back as the value, which has this many bits. */
static void put_float(double value, int bits) {
    char text[40];
    if (isnan(value)) {
        fputs("nan", trace_file);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = bits == 64 ? strtod(text, NULL) : (double)strtof(text, NULL);
        if (back == value)
            break;
    }
    fputs(text, trace_file);
}

static void put_value(const hlc_trace_event *event, int i) {
    size_t bytes = event->type.bits == 1 ? 1 : event->type.bits / 8u;
    const char *value = (const char *)event->values + (size_t)i * bytes;
    uint64_t bits = 0;
    memcpy(&bits, value, bytes);
    int unused = 64 - 8 * (int)bytes;
    switch (event->type.code) {
    case halide_type_int:
        fprintf(trace_file, "%" PRId64, (int64_t)(bits << unused) >> unused);
        break;
    case halide_type_uint:
        fprintf(trace_file, "%" PRIu64, bits);
        break;
    default:
        put_float(image_float(event->type.code == halide_type_bfloat ? HLC_BFLOAT : HLC_FLOAT,
                              event->type.bits, value),
                  event->type.bits);
        break;
    }
}

/* ---- events ---- */

static void put_accesses(const hlc_trace_event *event) {
    for (int i = 0; i < event->lanes; i++) {
        fprintf(trace_file, "%s %s", event->kind == HLC_TRACE_LOAD ? "load" : "store", event->func);
        if (event->components > 1)
            fprintf(trace_file, ".%d", (int)event->component);
        for (int d = 0; d < event->dimensions; d++)
            fprintf(trace_file, "%s%" PRId64, d ? ", " : "(",
                    event->coordinates[(int64_t)d * event->lanes + i]);
        fputs(event->dimensions ? ") = " : " = ", trace_file);
        put_value(event, i);
        putc('\n', trace_file);
    }
}

static void put_box(const hlc_trace_event *event) {
    fprintf(trace_file, "%s %s", event->kind == HLC_TRACE_BEGIN_COMPUTE ? "begin" : "end",
            event->func);
    for (int d = 0; d < event->dimensions; d++)
        fprintf(trace_file, " %" PRId64 "+%" PRId64, event->box[2 * d], event->box[2 * d + 1]);
    putc('\n', trace_file);
}

static void put_event(const hlc_trace_event *event) {
    flockfile(trace_file);
    switch (event->kind) {
    case HLC_TRACE_BEGIN_PIPELINE:
        fprintf(trace_file, "begin %s\n", event->pipeline);
        break;
    case HLC_TRACE_END_PIPELINE:
        fprintf(trace_file, "end %s = %d\n", event->pipeline, (int)event->error);
        break;
    case HLC_TRACE_BEGIN_COMPUTE:
    case HLC_TRACE_END_COMPUTE:
        put_box(event);
        break;
    case HLC_TRACE_LOAD:
    case HLC_TRACE_STORE:
        put_accesses(event);
        break;
    }
    funlockfile(trace_file);
}

hlc_status trace_begin(const Command *command, const char *path, NewFile *new_file) {
    hlc_status status = files_spare_source(command, path);
    if (status == HLC_YES)
        status = file_begin(command, path, new_file);
    if (status != HLC_YES)
        return status;
    trace_file = new_file->file;
    hlc_set_trace(put_event);
    return HLC_YES;
}

hlc_status trace_end(const Command *command, NewFile *new_file, hlc_status status) {
    hlc_set_trace(NULL);
    trace_file = NULL;
    /* The trace of a refused run shows where it ended. */
    hlc_status written = files_end(command, new_file, 1, HLC_YES);
    return status == HLC_YES ? written : status;
}

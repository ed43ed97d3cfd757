/* times.c -- the measured times, as text and as JSON. */
#include "library/compiler.h"
#include "library/json.h"

static double milliseconds(int64_t nanoseconds) {
    return (double)nanoseconds / 1e6;
}

static hlc_status measure(hlc *h, void *data) {
    (void)data;
    h->context->timing = timing_create(h->context->arena);
    return HLC_YES;
}

hlc_status hlc_measure_times(hlc *h) {
    if (!h)
        return HLC_USER;
    return h->context->timing ? HLC_YES : compiler_enter(h, measure, NULL);
}

static hlc_status add(hlc *h, void *data) {
    timing_add(h->context, data);
    return HLC_YES;
}

hlc_status hlc_add_time(hlc *h, const char *part, int64_t wall, int64_t processor) {
    if (!h)
        return HLC_USER;
    if (!part)
        return compiler_null(h, "part");
    TimedPart measured = {.name = part, .took = {.wall = wall, .processor = processor}};
    return compiler_enter(h, add, &measured);
}

static void print_row(const TimedPart *part, FILE *out) {
    fprintf(out, "%10.2f %10.2f  %*s%s", milliseconds(part->took.wall),
            milliseconds(part->took.processor), 2 * part->depth, "", part->name);
    if (part->unit)
        fprintf(out, " (%lld %s)", (long long)part->size, part->unit);
    fputc('\n', out);
}

static void print_row_json(const TimedPart *part, FILE *out) {
    json_begin("time", out);
    json_member("part", part->name, out);
    fprintf(out, ",\"depth\":%d,\"ms\":%.3f,\"cpu_ms\":%.3f", part->depth,
            milliseconds(part->took.wall), milliseconds(part->took.processor));
    if (part->unit)
        fprintf(out, ",\"size\":%lld,\"unit\":\"%s\"", (long long)part->size, part->unit);
    json_end(out);
}

/* The parts, and all together. */
static void print_rows(const Timing *timing, void (*print)(const TimedPart *part, FILE *out),
                       FILE *out) {
    Moment now = timing_now();
    for (size_t i = 0; i < timing->parts.length; i++)
        print(&timing->parts.data[i], out);
    TimedPart all = {
        .name = "all",
        .took = {now.wall - timing->begun.wall, now.processor - timing->begun.processor}};
    print(&all, out);
}

void hlc_print_times(const hlc *h, FILE *out) {
    if (!h || !out || !h->context->timing)
        return;
    fputs("   time ms     cpu ms  where\n", out);
    print_rows(h->context->timing, print_row, out);
}

void hlc_print_times_json(const hlc *h, FILE *out) {
    if (h && out && h->context->timing)
        print_rows(h->context->timing, print_row_json, out);
}

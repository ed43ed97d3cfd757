/* times.c -- where the time went, as text and as JSON. */
#include "library/compiler.h"

static double milliseconds(int64_t nanoseconds) {
    return (double)nanoseconds / 1e6;
}

static hlc_status measure(hlc *h, void *data) {
    (void)data;
    h->context->timing = timing_create(h->context->arena);
    return HLC_YES;
}

hlc_status hlc_measure_times(hlc *h) {
    return h->context->timing ? HLC_YES : compiler_enter(h, measure, NULL);
}

static Moment whole(const Timing *timing) {
    Moment now = timing_now();
    return (Moment){now.wall - timing->begun.wall, now.processor - timing->begun.processor};
}

static void print_row(FILE *out, const TimedPart *part) {
    fprintf(out, "%10.2f %10.2f  %*s%s", milliseconds(part->took.wall),
            milliseconds(part->took.processor), 2 * part->depth, "", part->name);
    if (part->unit)
        fprintf(out, " (%lld %s)", (long long)part->size, part->unit);
    fputc('\n', out);
}

void hlc_print_times(const hlc *h, FILE *out) {
    const Timing *timing = h->context->timing;
    if (!timing)
        return;
    fputs("   time ms     cpu ms  where\n", out);
    for (size_t i = 0; i < timing->parts.length; i++)
        print_row(out, &timing->parts.data[i]);
    print_row(out, &(TimedPart){.name = "all", .took = whole(timing)});
}

static void print_row_json(FILE *out, const TimedPart *part) {
    fprintf(out, "{\"kind\":\"time\",\"part\":\"%s\",\"depth\":%d,\"ms\":%.3f,\"cpu_ms\":%.3f",
            part->name, part->depth, milliseconds(part->took.wall),
            milliseconds(part->took.processor));
    if (part->unit)
        fprintf(out, ",\"size\":%lld,\"unit\":\"%s\"", (long long)part->size, part->unit);
    fputs("}\n", out);
}

void hlc_print_times_json(const hlc *h, FILE *out) {
    const Timing *timing = h->context->timing;
    if (!timing)
        return;
    for (size_t i = 0; i < timing->parts.length; i++)
        print_row_json(out, &timing->parts.data[i]);
    print_row_json(out, &(TimedPart){.name = "all", .took = whole(timing)});
}

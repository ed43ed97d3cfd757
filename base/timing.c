#include "base/timing.h"

#include "base/context.h"

#include <string.h>
#include <time.h>

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

Moment timing_now(void) {
    return (Moment){nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static Moment add(Moment a, Moment b) {
    return (Moment){a.wall + b.wall, a.processor + b.processor};
}

static Moment since(Moment begun) {
    Moment now = timing_now();
    return (Moment){now.wall - begun.wall, now.processor - begun.processor};
}

Timing *timing_create(Arena *arena) {
    Timing *timing = arena_new(arena, Timing);
    *timing = (Timing){.arena = arena, .current = -1, .begun = timing_now()};
    return timing;
}

/* The part of this name inside `outer`, made where there is none. */
static int find(Timing *timing, int outer, const char *name) {
    for (size_t i = 0; i < timing->parts.length; i++)
        if (timing->parts.data[i].outer == outer && strcmp(timing->parts.data[i].name, name) == 0)
            return (int)i;
    TimedPart part = {.name = name, .outer = outer};
    part.depth = outer < 0 ? 0 : timing->parts.data[outer].depth + 1;
    vec_push(timing->arena, &timing->parts, part);
    return (int)timing->parts.length - 1;
}

void timing_begin(Context *context, const char *name) {
    Timing *timing = context->timing;
    if (!timing)
        return;
    timing->current = find(timing, timing->current, name);
    timing->parts.data[timing->current].begun = timing_now();
}

void timing_end(Context *context) {
    Timing *timing = context->timing;
    if (!timing || timing->current < 0)
        return;
    TimedPart *part = &timing->parts.data[timing->current];
    part->took = add(part->took, since(part->begun));
    timing->current = part->outer;
}

void timing_end_all(Context *context) {
    while (context->timing && context->timing->current >= 0)
        timing_end(context);
}

void timing_size(Context *context, int64_t size, const char *unit) {
    Timing *timing = context->timing;
    if (!timing || timing->current < 0)
        return;
    timing->parts.data[timing->current].size = size;
    timing->parts.data[timing->current].unit = unit;
}

void timing_add(Context *context, const TimedPart *added) {
    Timing *timing = context->timing;
    if (!timing)
        return;
    int outer = timing->current, depth = outer < 0 ? 0 : timing->parts.data[outer].depth + 1;
    for (int i = (int)timing->parts.length - 1; added->depth > 0 && i > timing->current; i--)
        if (timing->parts.data[i].depth == depth + added->depth - 1) {
            outer = i;
            break;
        }
    int i = find(timing, outer, added->name);
    TimedPart *part = &timing->parts.data[i];
    part->took = add(part->took, added->took);
    part->size = added->size;
    part->unit = added->unit;
}

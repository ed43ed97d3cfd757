/* count.c -- runs a pipeline once and counts: the points of each func, and the memory that
 * it allocates.
 *
 * The points come from the events of traced code, the memory from an allocator of our own, which
 * keeps the size of each block in front of it. The hooks are the process's and get no data, so the
 * counts in progress are data outside of any context. One thread runs the pipeline: the same
 * counts each time.
 */
#include "driver/profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRONT = 64, MOST_BOX = 16 };

typedef struct Box {
    int64_t low[MOST_BOX], high[MOST_BOX]; /* high is beyond the last */
} Box;

static struct {
    RunCounts counts;
    Box *boxes; /* of each func */
    double current;
    bool is_full; /* memory ran out */
} counting;

double profile_large_block(void) {
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (double)bytes : 1 << 20;
}

/* ---- memory ---- */

static void *allocate(void *user, size_t alignment, size_t size) {
    (void)user, (void)alignment; /* at most 64 */
    char *block = aligned_alloc(FRONT, size + FRONT);
    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    RunCounts *counts = &counting.counts;
    counting.current += (double)size;
    counts->peak = counting.current > counts->peak ? counting.current : counts->peak;
    counts->allocated += (double)size;
    counts->large += (double)size > profile_large_block() ? (double)size : 0;
    counts->blocks++;
    return block + FRONT;
}

static void release(void *user, void *block) {
    (void)user;
    size_t size;
    memcpy(&size, (char *)block - FRONT, sizeof size);
    counting.current -= (double)size;
    free((char *)block - FRONT);
}

/* ---- points ---- */

static size_t find(const char *name) {
    size_t i = 0;
    while (i < counting.counts.count && strcmp(counting.counts.funcs[i].name, name) != 0)
        i++;
    return i;
}

/* Adds a func; false if memory runs out. */
static bool add(const char *name) {
    size_t count = counting.counts.count;
    FuncCount *funcs = realloc(counting.counts.funcs, (count + 1) * sizeof *funcs);
    if (funcs)
        counting.counts.funcs = funcs;
    Box *boxes = realloc(counting.boxes, (count + 1) * sizeof *boxes);
    if (boxes)
        counting.boxes = boxes;
    char *copy = strdup(name);
    if (!funcs || !boxes || !copy) {
        free(copy);
        return false;
    }
    funcs[count] = (FuncCount){.name = copy};
    counting.counts.count++;
    return true;
}

static void widen(Box *box, const hlc_trace_event *event, bool is_first) {
    for (int d = 0; d < event->dimensions && d < MOST_BOX; d++) {
        int64_t low = event->box[2 * d], high = low + event->box[2 * d + 1];
        box->low[d] = is_first || low < box->low[d] ? low : box->low[d];
        box->high[d] = is_first || high > box->high[d] ? high : box->high[d];
    }
}

static void count_compute(const hlc_trace_event *event) {
    double points = 1;
    if (event->kind != HLC_TRACE_BEGIN_COMPUTE || counting.is_full)
        return;
    for (int d = 0; d < event->dimensions; d++)
        points *= event->box[2 * d + 1] > 0 ? (double)event->box[2 * d + 1] : 0;
    size_t i = find(event->func);
    if (i == counting.counts.count && !add(event->func)) {
        counting.is_full = true;
        return;
    }
    FuncCount *func = &counting.counts.funcs[i];
    func->times++;
    if (points == 0)
        return;
    widen(&counting.boxes[i], event, func->points == 0);
    func->points += points;
    func->distinct = 1;
    for (int d = 0; d < event->dimensions && d < MOST_BOX; d++)
        func->distinct *= (double)(counting.boxes[i].high[d] - counting.boxes[i].low[d]);
}

/* ---- the run ---- */

hlc_status profile_count(const hlc_function *traced, hlc_arguments *arguments, RunCounts *counts) {
    static const hlc_allocator allocator = {allocate, release, NULL};
    memset(&counting, 0, sizeof counting);
    int threads = hlc_set_thread_count(1);
    const hlc_allocator *usual = hlc_set_allocator(&allocator);
    hlc_trace_hook *hook = hlc_set_trace(count_compute);
    hlc_status status = hlc_function_run(traced, arguments);
    hlc_set_trace(hook);
    hlc_set_allocator(usual);
    hlc_set_thread_count(threads);
    free(counting.boxes);
    *counts = counting.counts;
    return status == HLC_YES && counting.is_full ? HLC_WORLD : status;
}

void profile_free_counts(RunCounts *counts) {
    for (size_t i = 0; i < counts->count; i++)
        free(counts->funcs[i].name);
    free(counts->funcs);
}

const FuncCount *profile_find_func(const RunCounts *counts, const char *name) {
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->funcs[i].name, name) == 0)
            return &counts->funcs[i];
    return NULL;
}

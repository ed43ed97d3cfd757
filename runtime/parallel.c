/* parallel.c -- the semantics of parallel loops, independent of the parallel-for that runs the
 * tasks.
 *
 * The iterations form at most CHUNKS_PER_THREAD chunks a thread. Each chunk is one task of the
 * parallel-for (the default, or the host's). A loop of little estimated work is not distributed. A
 * task runs in the default float environment, with its own report. A parallel loop inside a task
 * runs inline.
 *
 * The error of the loop is that of the first failing iteration, as in a serial loop. Within a chunk
 * it is the first failure. A chunk is skipped only if an earlier chunk has failed. So all chunks
 * before the first failing one run to their ends, and which chunk that is depends only on the
 * iterations.
 */
#include "runtime/pool.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CHUNKS_PER_THREAD = 8, DISPATCH_WORK = 20000 };

static _Atomic(hlc_parallel_for *) current_parallel_for;
static _Atomic int64_t dispatch_work = DISPATCH_WORK;
static _Thread_local int is_in_task;

typedef struct ParallelLoop {
    hlc_chunk *chunk;
    const void *closure;
    int64_t count, chunks;  /* iterations; chunks */
    _Atomic int64_t run;    /* tasks that ran, or were skipped after an error */
    _Atomic int64_t failed; /* the first failed chunk so far; `chunks` if none has */
    pthread_mutex_t lock;   /* of the report */
    hlc_report *report;
    const hlc_stopper *stopper; /* of the thread that runs the loop; its tasks poll it, too */
} ParallelLoop;

/* ---- the host's settings ---- */

int64_t hlc_set_dispatch_work(int64_t operations) {
    return atomic_exchange(&dispatch_work, operations < 0 ? DISPATCH_WORK : operations);
}

hlc_parallel_for *hlc_set_parallel_for(hlc_parallel_for *parallel_for) {
    return atomic_exchange(&current_parallel_for, parallel_for);
}

/* ---- one chunk ---- */

static void keep_error(ParallelLoop *loop, int64_t chunk, const hlc_report *report) {
    pthread_mutex_lock(&loop->lock);
    if (chunk < atomic_load(&loop->failed)) {
        *loop->report = *report;
        atomic_store(&loop->failed, chunk);
    }
    pthread_mutex_unlock(&loop->lock);
}

/* Returns the beginning of chunk `number`. The chunks are as even as possible, the longer ones
 * first. */
static int64_t chunk_begin(const ParallelLoop *loop, int64_t number) {
    int64_t length = loop->count / loop->chunks, longer = loop->count % loop->chunks;
    return number * length + (number < longer ? number : longer);
}

static void run_chunk(void *state, int64_t number) {
    ParallelLoop *loop = state;
    hlc_report report;
    if (atomic_load(&loop->failed) > number) {
        int before = is_in_task;
        is_in_task = 1;
        const hlc_stopper *stopper = hlc_set_stopper(loop->stopper);
        uint64_t environment = hlc_float_enter();
        if (hlc_poll(&report) || loop->chunk(&report, loop->closure, chunk_begin(loop, number),
                                             chunk_begin(loop, number + 1)))
            keep_error(loop, number, &report);
        hlc_float_leave(environment);
        hlc_set_stopper(stopper);
        is_in_task = before;
    }
    atomic_fetch_add(&loop->run, 1);
}

/* ---- the loop ---- */

/* A count beyond 63 bits is treated as infinite. */
static int64_t iterations(const int64_t *lengths, int dimensions) {
    int64_t count = 1;
    for (int d = 0; d < dimensions; d++)
        if (lengths[d] <= 0)
            return 0;
    for (int d = 0; d < dimensions; d++)
        if (__builtin_mul_overflow(count, lengths[d], &count))
            return INT64_MAX;
    return count;
}

int hlc_parallel(hlc_report *report, hlc_chunk *chunk, const void *closure, const int64_t *lengths,
                 int dimensions, double work) {
    int64_t count = iterations(lengths, dimensions);
    int threads = hlc_thread_count();
    if (count == 0)
        return 0;
    /* In this form NaN counts as much work. */
    bool is_little = (double)count * work < (double)atomic_load(&dispatch_work);
    if (count == 1 || threads == 1 || is_in_task || is_little)
        return chunk(report, closure, 0, count);
    int64_t most = (int64_t)threads * CHUNKS_PER_THREAD;
    ParallelLoop loop = {.chunk = chunk,
                         .closure = closure,
                         .count = count,
                         .chunks = count < most ? count : most,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .report = report,
                         .stopper = hlc_set_stopper(NULL)};
    hlc_set_stopper(loop.stopper);
    atomic_init(&loop.run, 0);
    atomic_init(&loop.failed, loop.chunks);
    hlc_parallel_for *parallel_for = atomic_load(&current_parallel_for);
    (parallel_for ? parallel_for : hlc_pool_run)(run_chunk, &loop, loop.chunks);
    if (atomic_load(&loop.failed) < loop.chunks)
        return report->error;
    if (atomic_load(&loop.run) != loop.chunks)
        return hlc_fail(report, HLC_ERROR_INTERNAL, "the host's parallel-for left out tasks", NULL,
                        0);
    return 0;
}

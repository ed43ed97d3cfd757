/* parallel_dispatch.c -- measures the cost of one parallel loop of empty iterations, compared with
 * a serial loop and other libraries:
 *
 *     gcc -std=gnu17 -O2 -fopenmp -I. bench/parallel_dispatch.c runtime/[a-z]*.c \
 *         -o parallel_dispatch -lm      # and -DWITH_PTHREADPOOL .. -lpthreadpool
 *     HLC_NUM_THREADS=2 ./parallel_dispatch
 *
 * (or the target `parallel_dispatch` of the build). The variants are timed in turn, each beside a
 * serial loop. Prints the median, the 99th percentile and the mean in microseconds, less the serial
 * loop's median. On a busy machine the mean matters: it includes the times that a caller waited for
 * threads that did not run.
 */
#include "runtime/hlc_runtime.h"

#ifdef WITH_PTHREADPOOL
#include <pthreadpool.h>
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000, MOST_MICROSECONDS = 3000000 };

/* An iteration that no compiler removes. */
static void iteration(int64_t i) {
    __asm__ volatile("" : : "r"(i) : "memory");
}

static void serial(int64_t count) {
    for (int64_t i = 0; i < count; i++)
        iteration(i);
}

static int chunk(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    (void)report, (void)closure;
    for (int64_t i = begin; i < end; i++)
        iteration(i);
    return 0;
}

static void ours(int64_t count) {
    hlc_report report;
    if (hlc_parallel(&report, chunk, NULL, &count, 1, INFINITY))
        abort();
}

static int nest(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    (void)closure, (void)begin, (void)end;
    return hlc_parallel(report, chunk, NULL, (int64_t[]){2}, 1, INFINITY);
}

/* The loop is inside another one. */
static void ours_nested(int64_t count) {
    hlc_report report;
    if (hlc_parallel(&report, nest, NULL, &count, 1, INFINITY))
        abort();
}

static void run_in_order(hlc_task *task, void *state, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        task(state, i);
}

/* Only the contract: runs the tasks on the calling thread. */
static void contract(int64_t count) {
    hlc_set_parallel_for(run_in_order);
    ours(count);
    hlc_set_parallel_for(NULL);
}

#ifdef _OPENMP
static void openmp(int64_t count) {
#pragma omp parallel for schedule(static) num_threads(hlc_thread_count())
    for (int64_t i = 0; i < count; i++)
        iteration(i);
}
#endif

#ifdef WITH_PTHREADPOOL
static pthreadpool_t workers;

static void item(void *context, size_t i) {
    (void)context;
    iteration((int64_t)i);
}

static void pthreadpool_spinning(int64_t count) {
    pthreadpool_parallelize_1d(workers, item, NULL, (size_t)count, 0);
}

static void pthreadpool_yielding(int64_t count) {
    pthreadpool_parallelize_1d(workers, item, NULL, (size_t)count, PTHREADPOOL_FLAG_YIELD_WORKERS);
}
#endif

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static double time_of(void (*way)(int64_t), int64_t count) {
    double begin = now();
    way(count);
    return now() - begin;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs fewer rounds if they take too long. */
static void measure(const char *name, void (*way)(int64_t), int64_t count, int pause) {
    static double times[ROUNDS], base[ROUNDS];
    double sum = 0;
    size_t rounds = 0;
    way(count); /* threads are started */
    for (; rounds < (size_t)(pause ? ROUNDS / 4 : ROUNDS) && sum < MOST_MICROSECONDS; rounds++) {
        if (pause)
            usleep(1000);
        base[rounds] = time_of(serial, count);
        times[rounds] = time_of(way, count);
        sum += times[rounds];
    }
    qsort(times, rounds, sizeof *times, compare);
    qsort(base, rounds, sizeof *base, compare);
    double less = base[rounds / 2];
    printf("%-22s %5d iterations, %s: median %8.2f, 99%% %9.2f, mean %9.2f\n", name, (int)count,
           pause ? "after a pause" : "back to back ", times[rounds / 2] - less,
           times[rounds * 99 / 100] - less, sum / (double)rounds - less);
    fflush(stdout);
}

int main(void) {
    printf("%d threads; microseconds beyond a serial loop\n", hlc_thread_count());
#ifdef WITH_PTHREADPOOL
    workers = pthreadpool_create((size_t)hlc_thread_count());
#endif
    for (int pause = 0; pause < 2; pause++)
        for (int64_t count = 2; count <= 1000; count *= 500) {
            measure("hlc_parallel", ours, count, pause);
            measure("  its contract alone", contract, count, pause);
            measure("  and a loop in each", ours_nested, count, pause);
#ifdef _OPENMP
            measure("OpenMP", openmp, count, pause);
#endif
#ifdef WITH_PTHREADPOOL
            measure("pthreadpool, spinning", pthreadpool_spinning, count, pause);
            measure("pthreadpool, yielding", pthreadpool_yielding, count, pause);
#endif
        }
    return 0;
}

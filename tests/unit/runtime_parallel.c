/* runtime_parallel.c -- parallel loops of the run-time library: every iteration once, nesting,
 * several host threads, errors, thread counts, the float environment, and the host's own
 * parallel-for.
 *
 * tests/threads.sh runs it again under ThreadSanitizer. */
#include "runtime/hlc_runtime.h"

#include "suite.h"

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int THREAD_COUNTS[] = {1, 2, 7};
enum { THREAD_COUNT_CASES = 3 };

static _Atomic int64_t tasks_run;

/* ---- each iteration once ---- */

static int mark(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    uint8_t *cells = *(uint8_t *const *)closure;
    (void)report;
    ck_assert_int_lt(begin, end);
    for (int64_t i = begin; i < end; i++)
        cells[i]++; /* a race, or a count other than 1, if two chunks overlap */
    return 0;
}

static void expect_once(const int64_t *lengths, int dimensions) {
    int64_t count = 1;
    for (int d = 0; d < dimensions; d++)
        count *= lengths[d] > 0 ? lengths[d] : 0;
    uint8_t *cells = calloc((size_t)count + 1, 1);
    hlc_report report;
    ck_assert_int_eq(hlc_parallel(&report, mark, &cells, lengths, dimensions, INFINITY), 0);
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++)
        wrong += cells[i] != 1;
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(cells[count], 0);
    free(cells);
}

START_TEST(each_iteration_is_run_once) {
    hlc_set_thread_count(THREAD_COUNTS[_i]);
    ck_assert_int_eq(hlc_thread_count(), THREAD_COUNTS[_i]);
    for (int64_t count = -1; count < 130; count++)
        expect_once(&count, 1);
    expect_once((int64_t[]){3, 5, 7}, 3);
    expect_once((int64_t[]){1000, 1001}, 2);
    expect_once((int64_t[]){1000, 0, 4}, 3);
    expect_once((int64_t[]){-3, -3}, 2); /* not 9 */
}
END_TEST

/* ---- on threads ---- */

typedef struct Meeting {
    pthread_t first;
    _Atomic int
        state; /* 0: nobody came, 1: `first` is being written, 2: one came, 3: another came */
} Meeting;

/* Each iteration waits until two threads have come, at most 30 seconds. */
static int meet(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    Meeting *meeting = *(Meeting *const *)closure;
    int nobody = 0;
    (void)begin, (void)end;
    if (atomic_compare_exchange_strong(&meeting->state, &nobody, 1)) {
        meeting->first = pthread_self();
        atomic_store(&meeting->state, 2);
    }
    for (int i = 0; i < 30000; i++) {
        int state = atomic_load(&meeting->state);
        if (state == 2 && !pthread_equal(meeting->first, pthread_self()))
            atomic_store(&meeting->state, 3);
        if (atomic_load(&meeting->state) == 3)
            return 0;
        usleep(1000);
    }
    return hlc_fail(report, HLC_ERROR_INTERNAL, "no helper came", NULL, 0);
}

START_TEST(iterations_run_on_several_threads_at_once) {
    for (int round = 0; round < 20; round++) {
        Meeting meeting = {.state = 0};
        Meeting *closure = &meeting;
        hlc_report report = {0};
        hlc_set_thread_count(2 + round % 6);
        int error = hlc_parallel(&report, meet, &closure, (int64_t[]){2 + round % 3}, 1, INFINITY);
        ck_assert_msg(error == 0, "%s", report.message);
    }
}
END_TEST

/* ---- nesting, from several host threads ---- */

typedef struct Level {
    int depth;
    _Atomic int64_t *sum;
} Level;

static int descend(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    const Level *level = closure;
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add(level->sum, i);
        Level inner = {level->depth - 1, level->sum};
        int error = level->depth > 1
                        ? hlc_parallel(report, descend, &inner, (int64_t[]){5}, 1, INFINITY)
                        : 0;
        if (error)
            return error;
    }
    return 0;
}

static void *call_nested(void *unused) {
    for (int i = 0; i < 100; i++) {
        _Atomic int64_t sum = 0;
        Level level = {3, &sum};
        hlc_report report;
        if (hlc_parallel(&report, descend, &level, (int64_t[]){5}, 1, INFINITY) != 0)
            return "an error";
        if (atomic_load(&sum) != 10 + 5 * 10 + 25 * 10)
            return "a wrong sum";
    }
    return unused;
}

START_TEST(three_levels_from_four_host_threads) {
    pthread_t hosts[4];
    hlc_set_thread_count(THREAD_COUNTS[_i]);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&hosts[i], NULL, call_nested, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *fault;
        pthread_join(hosts[i], &fault);
        ck_assert_msg(!fault, "%s", (const char *)fault);
    }
}
END_TEST

static int inner_thread(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    (void)report, (void)begin, (void)end;
    return pthread_equal(*(const pthread_t *)closure, pthread_self()) ? 0 : HLC_ERROR_GENERIC;
}

/* An inner loop stays in the thread it is reached in, as one chunk. */
static int outer_thread(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    pthread_t self = pthread_self();
    (void)closure;
    for (int64_t i = begin; i < end; i++)
        if (hlc_parallel(report, inner_thread, &self, (int64_t[]){100}, 1, INFINITY))
            return hlc_fail(report, HLC_ERROR_INTERNAL, "another thread", NULL, 0);
    return 0;
}

START_TEST(loops_inside_run_inline) {
    hlc_report report = {0};
    hlc_set_thread_count(7);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(hlc_parallel(&report, outer_thread, NULL, (int64_t[]){40}, 1, INFINITY),
                         0);
}
END_TEST

/* ---- errors ---- */

typedef struct Failing {
    int64_t first, every;
    _Atomic int64_t *latest; /* the last iteration that was begun */
} Failing;

static int fail_some(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    const Failing *failing = closure;
    for (int64_t i = begin; i < end; i++) {
        int64_t latest = atomic_load(failing->latest);
        while (latest < i && !atomic_compare_exchange_weak(failing->latest, &latest, i))
            ;
        if (i >= failing->first && (i - failing->first) % failing->every == 0)
            return hlc_fail(report, HLC_ERROR_OUT_OF_MEMORY, "f", &i, 1);
    }
    return 0;
}

START_TEST(the_first_error_is_reported) {
    hlc_set_thread_count(THREAD_COUNTS[_i]);
    for (int64_t first = 0; first < 200; first++) {
        _Atomic int64_t latest = -1;
        Failing failing = {first, 1 + first % 13, &latest};
        hlc_report report;
        char expected[100];
        int error = hlc_parallel(&report, fail_some, &failing, (int64_t[]){10, 20}, 2, INFINITY);
        ck_assert_int_eq(error, HLC_ERROR_OUT_OF_MEMORY);
        ck_assert_int_eq(report.error, HLC_ERROR_OUT_OF_MEMORY);
        snprintf(expected, sizeof expected, "no memory for %d bytes of f", (int)first);
        ck_assert_str_eq(report.message, expected);
        ck_assert_int_ge(atomic_load(&latest), first);
    }
}
END_TEST

/* Runs the tasks in order, on this thread. */
static void run_in_order(hlc_task *task, void *state, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        task(state, i);
}

START_TEST(chunks_after_an_error_are_left_out) {
    _Atomic int64_t latest = -1;
    Failing failing = {0, 1, &latest};
    hlc_report report;
    hlc_set_thread_count(4);
    hlc_set_parallel_for(run_in_order);
    ck_assert_int_ne(hlc_parallel(&report, fail_some, &failing, (int64_t[]){1000000}, 1, INFINITY),
                     0);
    ck_assert_int_eq(atomic_load(&latest), 0);
    hlc_set_parallel_for(NULL);
}
END_TEST

/* ---- the host's parallel-for ---- */

static _Atomic int64_t tasks_seen;

static void run_backwards(hlc_task *task, void *state, int64_t count) {
    atomic_fetch_add(&tasks_seen, count);
    for (int64_t i = count; i-- > 0;)
        task(state, i);
}

static void leave_one_out(hlc_task *task, void *state, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        task(state, i);
}

START_TEST(the_host_may_replace_it) {
    hlc_set_thread_count(3);
    ck_assert_ptr_null(hlc_set_parallel_for(run_backwards));
    atomic_store(&tasks_seen, 0);
    expect_once((int64_t[]){1000}, 1);
    ck_assert_int_eq(atomic_load(&tasks_seen), 24); /* 8 chunks a thread */
    expect_once((int64_t[]){10}, 1);
    ck_assert_int_eq(atomic_load(&tasks_seen), 34);
    _Atomic int64_t latest = -1;
    Failing failing = {17, 1, &latest};
    hlc_report report;
    ck_assert_int_ne(hlc_parallel(&report, fail_some, &failing, (int64_t[]){200}, 1, INFINITY), 0);
    ck_assert_str_eq(report.message, "no memory for 17 bytes of f");
    ck_assert(hlc_set_parallel_for(NULL) == run_backwards);
}
END_TEST

START_TEST(a_host_that_leaves_out_tasks_is_told) {
    uint8_t cells[100] = {0};
    uint8_t *closure = cells;
    hlc_report report;
    hlc_set_thread_count(2);
    hlc_set_parallel_for(leave_one_out);
    ck_assert_int_eq(hlc_parallel(&report, mark, &closure, (int64_t[]){100}, 1, INFINITY),
                     HLC_ERROR_INTERNAL);
    hlc_set_parallel_for(NULL);
}
END_TEST

/* ---- the float environment ---- */

static int check_rounding(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    volatile float one = 1, tiny = 1e-10f, least = 1e-40f;
    (void)closure, (void)begin, (void)end;
    if (one + tiny != one || least * one == 0)
        return hlc_fail(report, HLC_ERROR_INTERNAL, "the environment is not the default", NULL, 0);
    return 0;
}

#if defined(__x86_64__)
static void run_flushing(hlc_task *task, void *state, int64_t count) {
    unsigned before = __builtin_ia32_stmxcsr(), wild = 0xdfc0u; /* upward, subnormals are 0 */
    __builtin_ia32_ldmxcsr(wild);
    for (int64_t i = 0; i < count; i++)
        task(state, i);
    ck_assert_uint_eq(__builtin_ia32_stmxcsr() & 0xffc0u, wild & 0xffc0u);
    __builtin_ia32_ldmxcsr(before);
}

START_TEST(workers_compute_in_the_default_environment) {
    hlc_report report = {0};
    hlc_set_thread_count(2);
    hlc_set_parallel_for(run_flushing);
    ck_assert_int_eq(hlc_parallel(&report, check_rounding, NULL, (int64_t[]){50}, 1, INFINITY), 0);
    hlc_set_parallel_for(NULL);
    ck_assert_int_eq(hlc_parallel(&report, check_rounding, NULL, (int64_t[]){50}, 1, INFINITY), 0);
}
END_TEST
#endif

/* ---- settings ---- */

START_TEST(the_environment_sets_the_count) {
    static const struct {
        const char *text;
        int count; /* 0: the processors, whatever they are */
    } cases[] = {{"5", 5}, {"1", 1}, {"1024", 1024}, {"0", 0}, {"1025", 0}, {"x", 0}, {"3x", 0}};
    setenv("HLC_NUM_THREADS", cases[_i].text, 1); /* each test is a process of its own */
    if (cases[_i].count)
        ck_assert_int_eq(hlc_thread_count(), cases[_i].count);
    else
        ck_assert(hlc_thread_count() >= 1 && hlc_thread_count() <= 1024);
    int before = hlc_thread_count();
    ck_assert_int_eq(hlc_set_thread_count(9), 0);
    ck_assert_int_eq(hlc_thread_count(), 9);
    ck_assert_int_eq(hlc_set_thread_count(-4), 9);
    ck_assert_int_eq(hlc_thread_count(), before);
}
END_TEST

static void *set_counts(void *data) {
    while (!atomic_load((_Atomic int *)data))
        for (int count = 0; count < 8; count++)
            hlc_set_thread_count(count);
    return NULL;
}

START_TEST(the_count_may_change_while_loops_run) {
    _Atomic int is_done = 0;
    pthread_t setter;
    ck_assert_int_eq(pthread_create(&setter, NULL, set_counts, &is_done), 0);
    for (int64_t count = 1; count < 300; count++)
        expect_once(&count, 1);
    atomic_store(&is_done, 1);
    pthread_join(setter, NULL);
}
END_TEST

/* ---- memory ---- */

typedef struct Counts {
    _Atomic int taken, freed;
} Counts;

static void *counted_allocate(void *user, size_t alignment, size_t size) {
    ck_assert_uint_eq(size % alignment, 0);
    ck_assert_uint_gt(size, 0);
    atomic_fetch_add(&((Counts *)user)->taken, 1);
    return size > 1 << 20 ? NULL : aligned_alloc(alignment, size);
}

static void counted_free(void *user, void *block) {
    ck_assert_ptr_nonnull(block);
    atomic_fetch_add(&((Counts *)user)->freed, 1);
    free(block);
}

START_TEST(the_host_may_give_the_memory) {
    Counts counts = {0, 0};
    hlc_allocator allocator = {counted_allocate, counted_free, &counts};
    hlc_report report;
    ck_assert_ptr_null(hlc_set_allocator(&allocator));
    void *block = hlc_allocate(&report, "f", (int64_t[]){10, 10}, 2, 4);
    ck_assert_uint_eq((uintptr_t)block % 64, 0);
    memset(block, 1, 400);
    hlc_free(block);
    hlc_free(NULL);
    ck_assert_ptr_null(hlc_allocate(&report, "f", (int64_t[]){1 << 20}, 1, 4));
    ck_assert_str_eq(report.message, "no memory for 4194304 bytes of f");
    ck_assert_int_eq(atomic_load(&counts.taken), 2);
    ck_assert_int_eq(atomic_load(&counts.freed), 1);
    ck_assert_ptr_eq(hlc_set_allocator(NULL), &allocator);
}
END_TEST

/* ---- little work ---- */

static void count_tasks(hlc_task *task, void *state, int64_t count) {
    atomic_fetch_add(&tasks_run, count);
    for (int64_t i = 0; i < count; i++)
        task(state, i);
}

/* How many chunks a loop of `count` iterations is handed out in. */
static int64_t tasks_of(int64_t count, double work) {
    hlc_report report;
    uint8_t *cells = calloc((size_t)count, 1);
    atomic_store(&tasks_run, 0);
    ck_assert_int_eq(hlc_parallel(&report, mark, &cells, &count, 1, work), 0);
    for (int64_t i = 0; i < count; i++)
        ck_assert_int_eq(cells[i], 1);
    free(cells);
    return atomic_load(&tasks_run);
}

START_TEST(little_work_is_not_handed_out) {
    hlc_set_thread_count(3);
    hlc_set_parallel_for(count_tasks);
    ck_assert_int_eq(hlc_set_dispatch_work(-1), 20000);
    ck_assert_int_eq(tasks_of(10, 1999.9), 0);
    ck_assert_int_eq(tasks_of(10, 2000), 10);
    ck_assert_int_eq(tasks_of(1000, 2000), 24); /* at most 8 chunks a thread */
    ck_assert_int_eq(tasks_of(1000, 0), 0);
    ck_assert_int_eq(tasks_of(5, INFINITY), 5);
    ck_assert_int_eq(tasks_of(5, NAN), 5);
    ck_assert_int_eq(hlc_set_dispatch_work(0), 20000);
    ck_assert_int_eq(tasks_of(1000, 0), 24);
    ck_assert_int_eq(hlc_set_dispatch_work(100), 0);
    ck_assert_int_eq(tasks_of(10, 9), 0);
    ck_assert_int_eq(tasks_of(10, 10), 10);
    ck_assert_int_eq(hlc_set_dispatch_work(-1), 100);
    hlc_set_parallel_for(NULL);
}
END_TEST

/* ---- fork ---- */

#if !defined(__SANITIZE_THREAD__) /* it ends a forked child that starts threads */
enum { FORK_THREADS = 8, FORKS = 100, CHILD_LOOPS = 20, CHILD_SECONDS = 20 };

static int add_up(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    (void)report;
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(*(_Atomic int64_t *const *)closure, i);
    return 0;
}

/* Without check's assertions, whose lock may be taken when the process is copied. */
static bool loop_is_right(void) {
    _Atomic int64_t sum = 0;
    _Atomic int64_t *place = &sum;
    hlc_report report;
    return hlc_parallel(&report, add_up, &place, (int64_t[]){50}, 1, INFINITY) == 0 &&
           atomic_load(&sum) == 50 * 49 / 2;
}

static void *run_loops_until(void *stop) {
    while (loop_is_right() && !atomic_load((atomic_bool *)stop))
        ;
    return NULL;
}

/* Other threads hold whatever lock they hold when the process is copied. */
START_TEST(a_child_of_fork_runs_loops) {
    hlc_set_thread_count(6);
    pthread_t threads[FORK_THREADS];
    atomic_bool stop = false;
    for (int i = 0; i < FORK_THREADS; i++)
        pthread_create(&threads[i], NULL, run_loops_until, &stop);
    int ended = 0;
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            alarm(CHILD_SECONDS);
            for (int k = 0; k < CHILD_LOOPS; k++)
                if (!loop_is_right())
                    _exit(1);
            Meeting meeting = {0};
            Meeting *place = &meeting;
            hlc_report report;
            hlc_parallel(&report, meet, &place, (int64_t[]){2}, 1, INFINITY);
            _exit(atomic_load(&meeting.state) == 3 ? 0 : 1); /* with a helper of its own */
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ended += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    atomic_store(&stop, true);
    for (int i = 0; i < FORK_THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(ended, FORKS);
}
END_TEST
#endif

int main(void) {
    TCase *cases = tcase_create("parallel");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, each_iteration_is_run_once, 0, THREAD_COUNT_CASES);
    tcase_add_test(cases, iterations_run_on_several_threads_at_once);
    tcase_add_loop_test(cases, three_levels_from_four_host_threads, 0, THREAD_COUNT_CASES);
    tcase_add_test(cases, loops_inside_run_inline);
    tcase_add_loop_test(cases, the_first_error_is_reported, 0, THREAD_COUNT_CASES);
    tcase_add_test(cases, chunks_after_an_error_are_left_out);
    tcase_add_test(cases, the_host_may_replace_it);
    tcase_add_test(cases, a_host_that_leaves_out_tasks_is_told);
#if defined(__x86_64__)
    tcase_add_test(cases, workers_compute_in_the_default_environment);
#endif
    tcase_add_loop_test(cases, the_environment_sets_the_count, 0, 7);
    tcase_add_test(cases, the_count_may_change_while_loops_run);
    tcase_add_test(cases, the_host_may_give_the_memory);
    tcase_add_test(cases, little_work_is_not_handed_out);
#if !defined(__SANITIZE_THREAD__)
    tcase_add_test(cases, a_child_of_fork_runs_loops);
#endif
    return run_suite("runtime_parallel", cases);
}

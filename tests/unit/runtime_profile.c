/* runtime_profile.c -- the sampler: calls and threads that a test plays itself. */
#include "runtime/hlc_runtime.h"

#include "suite.h"

#include <check.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static hlc_profile profile;
static hlc_profile_site call = {.profile = &profile, .kind = HLC_PROFILE_CALL},
                        first = {.profile = &profile, .func = "f", .stage = "s0", .lanes = 8},
                        update = {.profile = &profile, .func = "f", .stage = "s1"},
                        inside = {.profile = &profile,
                                  .func = "g",
                                  .stage = "s0",
                                  .is_parallel = 1},
                        outside = {.profile = &profile, .func = "g", .stage = "s0"},
                        waiting = {.profile = &profile, .kind = HLC_PROFILE_WAIT};
static hlc_profile_site *const sites[] = {&call, &first, &update, &inside, &outside, &waiting};
static hlc_profile profile = {.pipeline = "p", .sites = sites, .site_count = 6};

static void stay(hlc_profile_site *site, int milliseconds) {
    __atomic_store_n(hlc_profile_word(), site, __ATOMIC_RELAXED);
    nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

static const hlc_profile_row *find(const hlc_profile_row *rows, int count, const char *func,
                                   const char *stage) {
    for (int i = 0; i < count; i++)
        if (rows[i].func && strcmp(rows[i].func, func) == 0 && strcmp(rows[i].stage, stage) == 0)
            return &rows[i];
    return NULL;
}

START_TEST(rows_add_up_to_the_time) {
    hlc_profile_call now;
    hlc_profile_row rows[6];
    hlc_profile_totals totals;
    hlc_profile_reset(&profile);
    ck_assert_int_eq(hlc_profile_start(20000), 0);
    hlc_profile_enter(&now, &call);
    stay(&first, 100);
    stay(&update, 30);
    stay(&inside, 20);
    stay(&outside, 20);
    hlc_profile_leave(&now, &call);
    hlc_profile_stop();
    ck_assert_ptr_null(*hlc_profile_word());
    int count = hlc_profile_rows(&profile, rows, 6);
    hlc_profile_read(&profile, &totals);
    ck_assert_int_ge(count, 3); /* a sample may hit the call itself */
    ck_assert_uint_eq(totals.calls, 1);
    ck_assert(totals.milliseconds >= 170);
    ck_assert(totals.busy == 1);
    const hlc_profile_row *f = find(rows, count, "f", "s0"), *s1 = find(rows, count, "f", "s1"),
                          *g = find(rows, count, "g", "");
    ck_assert(f && s1 && g && f == rows);
    ck_assert_int_eq(f->lanes, 8);
    ck_assert_uint_eq(g->samples, inside.samples + outside.samples);
    double share = 0;
    for (int i = 0; i < count; i++)
        share += rows[i].share;
    ck_assert(share > 0.999 && share < 1.001);
    ck_assert(f->milliseconds == f->thread_milliseconds);
}
END_TEST

/* ---- several threads ---- */

static void *help(void *site) {
    stay(site, 150);
    __atomic_store_n(hlc_profile_word(), NULL, __ATOMIC_RELAXED);
    return NULL;
}

START_TEST(threads_share_the_time) {
    enum { HELPERS = 3 };
    hlc_profile_call now;
    hlc_profile_row rows[6];
    hlc_profile_totals totals;
    pthread_t threads[HELPERS];
    hlc_profile_reset(&profile);
    ck_assert_int_eq(hlc_profile_start(20000), 0);
    for (int round = 0; round < 3; round++) { /* records of ended threads serve again */
        hlc_profile_enter(&now, &call);
        for (int i = 0; i < HELPERS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, help, &inside), 0);
        stay(&waiting, 120);
        hlc_profile_leave(&now, &call);
        for (int i = 0; i < HELPERS; i++)
            pthread_join(threads[i], NULL);
    }
    hlc_profile_stop();
    hlc_profile_read(&profile, &totals);
    int count = hlc_profile_rows(&profile, rows, 6);
    const hlc_profile_row *g = find(rows, count, "g", "");
    ck_assert_uint_eq(totals.calls, 3);
    ck_assert(g && g->is_parallel && g == rows);
    /* Three threads compute while the caller waits: the time is theirs. */
    ck_assert(g->share > 0.5 && g->thread_milliseconds > 1.5 * g->milliseconds);
    ck_assert(totals.busy > 1 && totals.busy <= HELPERS && totals.parallel_share > 0.5);
}
END_TEST

/* Counted only where sampling is on when the call begins; starts nest. */
START_TEST(only_calls_that_begin_under_sampling_count) {
    hlc_profile_call outer, inner;
    hlc_profile_totals totals;
    hlc_profile_reset(&profile);
    hlc_profile_stop(); /* one too many does nothing */
    hlc_profile_enter(&outer, &call);
    ck_assert_int_eq(hlc_profile_start(0), 0);
    ck_assert_int_eq(hlc_profile_start(0), 0);
    hlc_profile_stop();
    hlc_profile_enter(&inner, &call);
    stay(&first, 5);
    hlc_profile_leave(&inner, &call);
    ck_assert_ptr_eq(*hlc_profile_word(), &call);
    hlc_profile_stop();
    hlc_profile_leave(&outer, &call);
    hlc_profile_read(&profile, &totals);
    ck_assert_uint_eq(totals.calls, 1);
}
END_TEST

START_TEST(a_child_samples_itself) {
    hlc_profile_call now;
    ck_assert_int_eq(hlc_profile_start(20000), 0);
    hlc_profile_enter(&now, &call);
    pid_t child = fork();
    if (child == 0) {
        hlc_profile_call own;
        hlc_profile_totals totals;
        profile.active = 0;
        hlc_profile_reset(&profile);
        int bad = hlc_profile_start(20000);
        hlc_profile_enter(&own, &call);
        stay(&first, 50);
        hlc_profile_leave(&own, &call);
        hlc_profile_stop();
        hlc_profile_read(&profile, &totals);
        _exit(bad || totals.calls != 1 || totals.samples == 0);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    hlc_profile_leave(&now, &call);
    hlc_profile_stop();
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, rows_add_up_to_the_time);
    tcase_add_test(tests, threads_share_the_time);
    tcase_add_test(tests, only_calls_that_begin_under_sampling_count);
    tcase_add_test(tests, a_child_samples_itself);
    return run_suite("runtime_profile", tests);
}

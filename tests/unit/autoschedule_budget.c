/* autoschedule_budget.c -- the search ends when the work of lowering its candidates is used up. */
#include "autoschedule/autoschedule.h"

#include "pipelines.h"
#include "suite.h"

#include <check.h>

static bool value_of_size(void *data, Symbol name, Bits *bits) {
    (void)data;
    *bits = strstr(name->text, "extent.") ? 1000 : strstr(name->text, ".stride.0") ? 1 : 0;
    return true;
}

/* A search in a fresh context, with this budget of work. */
static Autoscheduled search_with(int64_t work) {
    Bench bench = bench_blur();
    PoolTrial trial = {NULL};
    AutoscheduleRequest request = {.name = context_symbol(bench.context, "auto"),
                                   .threads = 1,
                                   .work = work,
                                   .startup = value_of_size,
                                   .trial = &trial};
    Autoscheduled result = *autoschedule(bench.pipeline, &request, bench.arena);
    result.schedule = NULL; /* dies with the context */
    bench_destroy(&bench);
    return result;
}

START_TEST(ends_early) {
    Autoscheduled whole = search_with(0), half = search_with(1 << 14), none = search_with(1);
    ck_assert(!whole.is_cut);
    ck_assert(half.is_cut && none.is_cut);
    ck_assert_int_eq(none.candidates, 1);
    ck_assert_int_lt(none.candidates, half.candidates);
    ck_assert_int_lt(half.candidates, whole.candidates);
    ck_assert(whole.cycles <= half.cycles && half.cycles <= none.cycles);
}
END_TEST

/* Each search with the same budget tries the same candidates. */
START_TEST(is_the_same) {
    Autoscheduled one = search_with(1 << 14), other = search_with(1 << 14);
    ck_assert_int_eq(one.candidates, other.candidates);
    ck_assert(one.cycles == other.cycles);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("budget");
    tcase_add_test(tests, ends_early);
    tcase_add_test(tests, is_the_same);
    return run_suite("autoschedule_budget", tests);
}

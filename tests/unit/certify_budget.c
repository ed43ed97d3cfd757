/* What one certificate may spend on questions without an answer. */
#include "checkers/certify/internal.h"

#include "suite.h"

#include <check.h>

START_TEST(questions_without_an_answer_end) {
    static const uint64_t limits[] = {1, 10, 7000, 200000, 20000000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        Budget budget = budget_of(limits[i]);
        uint64_t all = budget.left, spent = 0, before = limits[i];
        int asked = 0;
        for (uint64_t share; (share = budget_share(&budget)) > 0; asked++) {
            ck_assert_uint_le(share, before);
            ck_assert_int_lt(asked, 1000);
            spent += before = share;
            budget_charge(&budget, share);
        }
        ck_assert_uint_le(spent, 2 * all);
        ck_assert_int_ge(asked, 10); /* with the full limit */
    }
}
END_TEST

START_TEST(answers_that_cost_little_are_free) {
    Budget budget = budget_of(200000);
    for (int i = 0; i < 100000; i++)
        budget_charge(&budget, 20000);
    ck_assert_uint_eq(budget_share(&budget), 200000);
    budget_charge(&budget, UINT64_MAX);
    ck_assert_uint_eq(budget_share(&budget), 0);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("budget");
    tcase_add_test(tests, questions_without_an_answer_end);
    tcase_add_test(tests, answers_that_cost_little_are_free);
    return run_suite("certify_budget", tests);
}

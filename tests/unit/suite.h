/* suite.h -- how each test program ends: its cases are run, and main's answer is whether all
 * passed. */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>

/* CK_VERBOSITY says how much is printed, CK_RUN_CASE and the others of check what is run. */
static inline int run_suite(const char *name, TCase *cases) {
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif

/* The fuzzer's generator: its algorithms are valid by construction, and a seed is a case. */
#include "frontend/frontend.h"
#include "fuzz/coverage.h"

#include <check.h>
#include <string.h>

START_TEST(algorithms_are_accepted) {
    for (uint64_t seed = 0; seed < 2000; seed++) {
        Context *context = context_create();
        char *text = case_text(context->arena, case_generate(context->arena, seed));
        uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
        Module *module = frontend_load(context, context->arena, file, NULL, NULL);
        if (!module) {
            diag_print_all(context, stderr);
            ck_abort_msg("seed %d:\n%s", (int)seed, text);
        }
        ck_assert_ptr_nonnull(module_pipeline(module, "p"));
        context_destroy(context);
    }
}
END_TEST

START_TEST(a_seed_is_a_case) {
    Context *context = context_create();
    for (uint64_t seed = 0; seed < 50; seed++)
        ck_assert_str_eq(case_text(context->arena, case_generate(context->arena, seed)),
                         case_text(context->arena, case_generate(context->arena, seed)));
    ck_assert_str_ne(case_text(context->arena, case_generate(context->arena, 1)),
                     case_text(context->arena, case_generate(context->arena, 2)));
    context_destroy(context);
}
END_TEST

/* Every number of lanes, every tail, every level of optimisation and every number of threads is
 * drawn. */
START_TEST(all_values_are_drawn) {
    Memory memory = {.fail_after = -1};
    Coverage coverage = {0};
    ck_assert_int_eq(coverage_missing(&coverage),
                     CASE_LANES - 1 + CASE_TAILS + CASE_LEVELS + CASE_THREADS);
    for (uint64_t seed = 0; seed < 8000; seed++) {
        Arena *arena = arena_create(&memory);
        coverage_count(&coverage, &case_generate(arena, seed)->draws);
        arena_destroy(arena);
    }
    if (coverage_missing(&coverage))
        coverage_print(&coverage, stderr);
    ck_assert_int_eq(coverage_missing(&coverage), 0);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("generate");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, algorithms_are_accepted);
    tcase_add_test(tests, a_seed_is_a_case);
    tcase_add_test(tests, all_values_are_drawn);
    Suite *suite = suite_create("fuzz generate");
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

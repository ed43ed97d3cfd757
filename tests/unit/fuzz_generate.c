/* The fuzzer's generator: its algorithms are valid by construction, and a seed is a case. */
#include "frontend/frontend.h"
#include "fuzz/case.h"

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

int main(void) {
    TCase *tests = tcase_create("generate");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, algorithms_are_accepted);
    tcase_add_test(tests, a_seed_is_a_case);
    Suite *suite = suite_create("fuzz generate");
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

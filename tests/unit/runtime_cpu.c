/* runtime_cpu.c -- which version of a pipeline's code is chosen, on processors of all kinds. */
#include "runtime/cpu.h"

#include "suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int choose(const char *targets, uint64_t had, hlc_report *report) {
    hlc_code_version versions[8] = {{0}};
    int count = 0;
    for (const char *at = targets; *at; at++, count++) {
        static const char *const names[] = {"", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
        versions[count] = (hlc_code_version){names[*at - '0'], cpu_level(*at - '0')};
    }
    *report = (hlc_report){0};
    return cpu_choose(report, versions, count, had);
}

START_TEST(the_best_that_there_is_is_chosen) {
    hlc_report report;
    ck_assert_int_eq(choose("4321", cpu_level(4), &report), 0);
    ck_assert_int_eq(choose("4321", cpu_level(3), &report), 1);
    ck_assert_int_eq(choose("4321", cpu_level(2), &report), 2);
    ck_assert_int_eq(choose("4321", 0, &report), 3);
    ck_assert_int_eq(choose("43", UINT64_MAX, &report), 0);
}
END_TEST

/* One feature that is missing is enough. */
START_TEST(every_feature_of_a_level_counts) {
    for (int level = 2; level <= 4; level++)
        for (int i = 0; i < CPU_FEATURE_COUNT; i++) {
            char targets[] = {(char)('0' + level), 0};
            hlc_report report;
            bool is_in_level = cpu_level(level) & CPU_BIT(i);
            int result = choose(targets, UINT64_MAX & ~CPU_BIT(i), &report);
            ck_assert_int_eq(result, is_in_level ? HLC_ERROR_CPU_LACKS_FEATURES : 0);
            if (is_in_level)
                ck_assert_ptr_nonnull(strstr(report.message, cpu_feature_name((CpuFeature)i)));
        }
}
END_TEST

START_TEST(the_refusal_names_what_is_missing_for_the_least_version) {
    hlc_report report;
    ck_assert_int_eq(choose("43", cpu_level(3) & ~CPU_BIT(CPU_FMA) & ~CPU_BIT(CPU_BMI), &report),
                     HLC_ERROR_CPU_LACKS_FEATURES);
    ck_assert_int_eq(report.error, HLC_ERROR_CPU_LACKS_FEATURES);
    ck_assert_str_eq(report.message,
                     "this processor cannot run code made for x86-64-v3: it lacks bmi, fma");
    choose("4", 0, &report); /* all of them fit */
    ck_assert_ptr_nonnull(strstr(report.message, "avx512vl"));
}
END_TEST

START_TEST(levels_contain_each_other) {
    ck_assert_uint_eq(cpu_level(1), 0);
    for (int level = 1; level < 4; level++) {
        ck_assert_uint_eq(cpu_level(level) & ~cpu_level(level + 1), 0);
        ck_assert_uint_ne(cpu_level(level), cpu_level(level + 1));
    }
}
END_TEST

#if defined(__x86_64__)
/* The compiler's run-time library knows some of the features, too. */
START_TEST(this_processor_is_known) {
    uint64_t had = cpu_features();
    ck_assert_uint_eq(had, cpu_features());
    __builtin_cpu_init();
#define SAME(NAME, TEXT)                                                                           \
    ck_assert_msg(!!(had & CPU_BIT(CPU_##NAME)) == !!__builtin_cpu_supports(TEXT), TEXT)
    SAME(POPCNT, "popcnt");
    SAME(SSE3, "sse3");
    SAME(SSSE3, "ssse3");
    SAME(SSE4_1, "sse4.1");
    SAME(SSE4_2, "sse4.2");
    SAME(AVX, "avx");
    SAME(AVX2, "avx2");
    SAME(BMI, "bmi");
    SAME(BMI2, "bmi2");
    SAME(FMA, "fma");
    SAME(LZCNT, "lzcnt");
    SAME(F16C, "f16c");
    SAME(AVX512F, "avx512f");
    SAME(AVX512BW, "avx512bw");
    SAME(AVX512CD, "avx512cd");
    SAME(AVX512DQ, "avx512dq");
    SAME(AVX512VL, "avx512vl");
    SAME(GFNI, "gfni");
    SAME(AVX512IFMA, "avx512ifma");
    SAME(AVX512VBMI, "avx512vbmi");
    SAME(AVX512VBMI2, "avx512vbmi2");
    SAME(AVX512VNNI, "avx512vnni");
    SAME(AVX512BITALG, "avx512bitalg");
    SAME(AVX512VPOPCNTDQ, "avx512vpopcntdq");
    bool is_v3 = __builtin_cpu_supports("x86-64-v3"), is_v4 = __builtin_cpu_supports("x86-64-v4");
    ck_assert_msg(((cpu_level(3) & ~had) == 0) == is_v3, "x86-64-v3");
    ck_assert_msg(((cpu_level(4) & ~had) == 0) == is_v4, "x86-64-v4");
}
END_TEST
#endif

int main(void) {
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_best_that_there_is_is_chosen);
    tcase_add_test(tests, every_feature_of_a_level_counts);
    tcase_add_test(tests, the_refusal_names_what_is_missing_for_the_least_version);
    tcase_add_test(tests, levels_contain_each_other);
#if defined(__x86_64__)
    tcase_add_test(tests, this_processor_is_known);
#endif
    return run_suite("runtime_cpu", tests);
}

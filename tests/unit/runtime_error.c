/* runtime_error.c -- names and messages of errors, and the handler. */
#include "runtime/hlc_runtime.h"

#include "suite.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(names_are_the_enumerators_in_lower_case) {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE)                                                     \
    {                                                                                              \
        ck_assert_str_eq(hlc_error_name(HLC_ERROR_##NAME), TEXT);                                  \
        ck_assert_str_eq(hlc_error_format(NUMBER), MESSAGE);                                       \
        const char *upper = #NAME;                                                                 \
        ck_assert_uint_eq(strlen(upper), strlen(TEXT));                                            \
        for (size_t i = 0; upper[i]; i++)                                                          \
            ck_assert_int_eq(tolower(upper[i]), TEXT[i]);                                          \
    }
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
    ck_assert_ptr_null(hlc_error_name(0));
    ck_assert_ptr_null(hlc_error_format(-5));
}
END_TEST

#define ROW(TEXT, NUMBER, MESSAGE) "| " #NUMBER " | `" TEXT "` | " MESSAGE " |"

/* docs/runtime.md has a row for each. */
START_TEST(each_error_is_documented) {
    static char text[1 << 16];
    FILE *file = fopen(TEST_SOURCE_DIR "/../docs/runtime.md", "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE)                                                     \
    ck_assert_msg(strstr(text, "\n" ROW(TEXT, NUMBER, MESSAGE) "\n"), "docs/runtime.md needs: %s", \
                  ROW(TEXT, NUMBER, MESSAGE));
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
}
END_TEST

START_TEST(messages_are_filled) {
    char text[128];
    int64_t numbers[3] = {-7, 0, INT64_MAX};
    int length =
        hlc_error_message(text, sizeof text, HLC_ERROR_PARAMETER_TOO_SMALL, "w", numbers, 3);
    ck_assert_str_eq(text, "parameter w is -7, below its range 0..9223372036854775807");
    ck_assert_int_eq(length, (int)strlen(text));
    length = hlc_error_message(text, 12, HLC_ERROR_PARAMETER_TOO_SMALL, "w", numbers, 3);
    ck_assert_str_eq(text, "parameter w");
    ck_assert_int_eq(length, 11);
    hlc_error_message(text, sizeof text, HLC_ERROR_REQUIREMENT_FAILED, "100%s of {0}", numbers, 3);
    ck_assert_str_eq(text, "100%s of {0}");
    double gain = 0.25;
    int64_t floats[4] = {0, 0, 0, 1}, unsigned_numbers[4] = {-1, 0, 9, 2};
    memcpy(floats, &gain, sizeof gain);
    hlc_error_message(text, sizeof text, HLC_ERROR_PARAMETER_TOO_LARGE, "gain", floats, 4);
    ck_assert_str_eq(text, "parameter gain is 0.25, above its range 0..0");
    hlc_error_message(text, sizeof text, HLC_ERROR_PARAMETER_TOO_LARGE, "n", unsigned_numbers, 4);
    ck_assert_str_eq(text, "parameter n is 18446744073709551615, above its range 0..9");
    hlc_error_message(text, sizeof text, HLC_ERROR_RDOM_LENGTH, NULL, NULL, 0);
    ck_assert_str_eq(text, "reduction domain  has length ?");
}
END_TEST

static void keep(void *user, int error, const char *message) {
    ck_assert_ptr_null(user);
    ck_assert_int_eq(error, HLC_ERROR_RDOM_LENGTH);
    ck_assert_str_eq(message, "reduction domain r has length -3");
}

START_TEST(the_handler_gets_the_message) {
    hlc_report report;
    ck_assert_ptr_null(hlc_set_error_handler(keep));
    ck_assert_int_eq(hlc_fail(&report, HLC_ERROR_RDOM_LENGTH, "r", (int64_t[]){-3}, 1),
                     HLC_ERROR_RDOM_LENGTH);
    ck_assert_int_eq(hlc_raise(&report), HLC_ERROR_RDOM_LENGTH);
    ck_assert(hlc_set_error_handler(NULL) == keep);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("error");
    tcase_add_test(cases, names_are_the_enumerators_in_lower_case);
    tcase_add_test(cases, each_error_is_documented);
    tcase_add_test(cases, messages_are_filled);
    tcase_add_test(cases, the_handler_gets_the_message);
    return run_suite("runtime_error", cases);
}

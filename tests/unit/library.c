/* library.c -- the compiler as a library: its answers, and what happens when memory runs out. */
#include "include/hlc.h"
#include "library/compiler.h"
#include "tests/unit/library_support.h"

static const char PROGRAM[] =
    "pipeline p(a: image<u8, 2>, k: i32 = 1 in 0..9) -> (b, c) {\n"
    "    fun f(x, y) = {i32(a(x, y)) + k; rdom(r = (0, 3)) in (x, y) <- f(x, y) + r;}\n"
    "    fun g(x, y) = u8(f(x, y));\n"
    "    fun b(x, y) = g(x, y);\n"
    "    fun c(x, y) = f(x, y) * 2;\n"
    "}\n"
    "schedule s for p { split(b.x, xo, xi, 4); compute-at(g, b.y); }\n"
    "schedule t for p { parallel(b.y); }\n";

static hlc *load_program(void) {
    return load_text(PROGRAM);
}

START_TEST(lists_what_a_file_holds) {
    hlc *h = load_program();
    ck_assert_uint_eq(hlc_pipeline_count(h), 1);
    ck_assert_str_eq(hlc_pipeline_name(h, 0), "p");
    ck_assert_uint_eq(hlc_schedule_count(h), 2);
    ck_assert_str_eq(hlc_schedule_name(h, 1), "t");
    ck_assert_str_eq(hlc_schedule_pipeline(h, 1), "p");
    ck_assert_uint_eq(hlc_diagnostic_count(h), 0);
    hlc_destroy(h);
}
END_TEST

START_TEST(a_file_that_was_refused_holds_nothing) {
    static const char *const TEXTS[] = {"pipeline p() -> out { fun out(x) = y; }", "pipeline",
                                        "pipeline p() -> out { fun out(x) = 1; }\n"
                                        "schedule s for p { parallel(nothing.x); }\n"
                                        "schedule s for p { }"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        hlc *h = hlc_create();
        ck_assert_int_eq(hlc_load_text(h, "p.hl", TEXTS[i], strlen(TEXTS[i]), NULL, NULL),
                         HLC_USER);
        ck_assert_uint_eq(hlc_pipeline_count(h), 0);
        ck_assert_uint_eq(hlc_schedule_count(h), 0);
        hlc_destroy(h);
    }
}
END_TEST

START_TEST(refuses_options_that_there_are_not) {
    static const hlc_compile_options WRONG[] = {
        {.emit = "java"}, {.emit = ""}, {.optimize = 4}, {.optimize = -1}};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        hlc *h = load_program();
        ck_assert_ptr_null(hlc_compile_object(h, NULL, NULL, &WRONG[i]));
        expect_diagnostic(h, "E0822");
        hlc_clear_diagnostics(h);
        ck_assert_ptr_null(hlc_compile_function(h, NULL, NULL, &WRONG[i]));
        expect_diagnostic(h, "E0822");
        FILE *nowhere = fopen("/dev/null", "w");
        ck_assert_int_eq(hlc_compile(h, NULL, NULL, &WRONG[i], nowhere), HLC_USER);
        fclose(nowhere);
        hlc_destroy(h);
    }
}
END_TEST

START_TEST(lists_names_in_the_order_written) {
    hlc *h = load_text("pipeline p(a: image<u8, 1>, k: i32, b: image<u8, 1>) -> out {\n"
                       "    fun out(x) = i32(a(x)) + i32(b(x)) + k;\n"
                       "}\n");
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set(a, "nothing", "1"), HLC_USER);
    expect_diagnostic(h, "a, k, b, out");
    hlc_destroy(h);
}
END_TEST

START_TEST(runs_in_three_ways) {
    hlc *h = load_program();
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set(a, "a", "ramp:5x4"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "k", "2"), HLC_YES);
    ck_assert_uint_eq(hlc_arguments_output_count(a), 2);
    ck_assert_ptr_null(hlc_arguments_output(a, 0));
    for (int machine = HLC_COMPILED; machine <= HLC_TARGET; machine++) {
        ck_assert_int_eq(hlc_run(a, "s", (hlc_machine)machine), HLC_YES);
        const hlc_image *b = hlc_arguments_output(a, 0), *c = hlc_arguments_output(a, 1);
        ck_assert_int_eq(b->kind, HLC_UINT);
        ck_assert_int_eq(b->bits, 8);
        ck_assert_int_eq(b->extent[0], 5);
        ck_assert_int_eq(b->extent[1], 4);
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) {
                ck_assert_int_eq(((unsigned char *)b->data)[y * 5 + x], x + y + 2 + 3);
                ck_assert_int_eq(((int32_t *)c->data)[y * 5 + x], 2 * (x + y + 2 + 3));
            }
    }
    hlc_destroy(h);
}
END_TEST

START_TEST(binds_images) {
    hlc *h = load_program();
    hlc_arguments *a = hlc_arguments_create(h, "p");
    unsigned char data[6] = {1, 2, 3, 4, 5, 6};
    /* Upside down, and not at the origin. */
    hlc_image image = {.kind = HLC_UINT,
                       .bits = 8,
                       .dimensions = 2,
                       .minimum = {10, -1},
                       .extent = {3, 2},
                       .stride = {1, -3},
                       .data = data + 3};
    ck_assert_int_eq(hlc_arguments_set_image(a, "a", &image), HLC_YES);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_COMPILED), HLC_YES);
    const hlc_image *b = hlc_arguments_output(a, 0);
    ck_assert_int_eq(b->minimum[0], 10);
    ck_assert_int_eq(b->minimum[1], -1);
    static const unsigned char EXPECTED[6] = {8, 9, 10, 5, 6, 7};
    ck_assert_mem_eq(b->data, EXPECTED, 6);
    hlc_clear_diagnostics(h); /* the note of the window */
    image.bits = 16;
    ck_assert_int_eq(hlc_arguments_set_image(a, "a", &image), HLC_USER);
    char told[1000] = "";
    FILE *out = fmemopen(told, sizeof told, "w");
    hlc_print_diagnostics(h, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(told, "E0814"));
    ck_assert_int_eq(hlc_arguments_set_image(a, "nothing", &image), HLC_USER);
    ck_assert_uint_eq(hlc_diagnostic_count(h), 2);
    hlc_clear_diagnostics(h);
    ck_assert_uint_eq(hlc_diagnostic_count(h), 0);
    hlc_destroy(h);
}
END_TEST

START_TEST(says_which_passes_there_are) {
    hlc *h = hlc_create();
    const char *text = "pipeline p() -> out { fun out(x) = 1; }";
    ck_assert_int_eq(hlc_load_text(h, "p.hl", text, strlen(text), NULL, NULL), HLC_YES);
    ck_assert_int_eq(hlc_lower(h, NULL, NULL, &(hlc_lower_options){"bound", -1}, stdout), HLC_USER);
    expect_diagnostic(h, "[E0808]");
    expect_diagnostic(h, "bounds");
    hlc_destroy(h);
}
END_TEST

START_TEST(says_when_nothing_is_loaded) {
    hlc *h = hlc_create();
    ck_assert_ptr_null(hlc_arguments_create(h, NULL));
    ck_assert_int_eq(hlc_lower(h, NULL, NULL, NULL, stdout), HLC_USER);
    ck_assert_int_eq(hlc_check(h, &(hlc_check_options){.seed = 1}, NULL, stdout), HLC_USER);
    expect_diagnostic(h, "[E0803]");
    hlc_destroy(h);
}
END_TEST

/* Everything that the library does, with the request for memory number `fail_after` refused: all
 * calls answer, and whichever one met it says HLC_WORLD.  True where none met it. */
static bool survive(int64_t fail_after, const char *path) {
    hlc *h = hlc_create();
    FILE *nowhere = fopen("/dev/null", "w");
    bool met = false;
    h->context->memory.fail_after = fail_after;
#define STEP(CALL) met = met || (CALL) == HLC_WORLD
    STEP(hlc_load(h, path));
    if (!met)
        STEP(hlc_lower(h, NULL, "s", NULL, nowhere));
    if (!met)
        STEP(hlc_bounds(h, NULL, "s", nowhere));
    hlc_arguments *a = met ? NULL : hlc_arguments_create(h, NULL);
    met = met || !a;
    if (!met)
        STEP(hlc_arguments_set(a, "a", "random:1:3x2"));
    if (!met)
        STEP(hlc_arguments_set(a, "b", "3x2"));
    if (!met)
        STEP(hlc_arguments_set(a, "c", "3x2"));
    if (!met)
        STEP(hlc_explain(h, NULL, "s", a, nowhere));
    bool is_formatted;
    if (!met)
        STEP(hlc_format(h, path, &is_formatted, nowhere));
    if (!met)
        STEP(hlc_check(h, &(hlc_check_options){.seed = 1, .rounds = 1, .json = true}, NULL,
                       nowhere));
    for (int machine = HLC_COMPILED; machine <= HLC_TARGET && !met; machine++)
        STEP(hlc_run(a, "s", (hlc_machine)machine));
    hlc_function *f = met ? NULL : hlc_compile_function(h, NULL, "t", NULL);
    met = met || !f;
    if (!met)
        STEP(hlc_function_run(f, a));
    hlc_object *object = met ? NULL : hlc_compile_object(h, NULL, NULL, NULL);
    met = met || !object;
    if (!met)
        STEP(hlc_arguments_set_value(a, "k", hlc_int(4)));
    if (!met)
        STEP(hlc_eval(a, "f(1, 1)", NULL, nowhere));
#undef STEP
    ck_assert_msg(met || hlc_diagnostic_count(h) == 0, "no refusal but that of memory");
    h->context->memory.fail_after = -1;
    ck_assert_int_eq(hlc_simplify(h, "x + 1", NULL, nowhere),
                     HLC_YES); /* the handle can still be used */
    fclose(nowhere);
    hlc_destroy(h);
    return !met;
}

START_TEST(memory_may_run_out_anywhere) {
    const char *path = write_file(".hl", PROGRAM);
    bool whole = false;
    int64_t n = 0, tries = 0;
    for (; !whole; n += 1 + n / 11, tries++)
        whole = survive(n, path);
    unlink(path);
    ck_assert_int_gt(tries, 20);
    ck_assert_int_gt(n, 100);
}
END_TEST

START_TEST(memory_may_be_limited) {
    hlc *h = hlc_create();
    hlc_limit_memory(h, 100000);
    const char *path = write_file(".hl", PROGRAM);
    hlc_status status = hlc_load(h, path);
    if (status == HLC_YES)
        status = hlc_lower(h, NULL, "s", NULL, stdout);
    ck_assert_int_eq(status, HLC_WORLD);
    unlink(path);
    hlc_destroy(h);
}
END_TEST

START_TEST(memory_may_be_limited_to_less_than_is_held) {
    hlc *h = hlc_create();
    hlc_limit_memory(h, 1);
    const char *path = write_file(".hl", PROGRAM);
    ck_assert_int_eq(hlc_load(h, path), HLC_WORLD);
    hlc_limit_memory(h, 0);
    ck_assert_int_eq(hlc_load(h, path), HLC_YES);
    hlc_limit_memory(h, 1);
    ck_assert_int_eq(hlc_lower(h, NULL, "s", NULL, stdout), HLC_WORLD);
    hlc_limit_memory(h, 0);
    ck_assert_int_eq(hlc_lower(h, NULL, "s", NULL, stdout), HLC_YES);
    unlink(path);
    hlc_destroy(h);
}
END_TEST

START_TEST(what_failed_is_said_before_what_was_warned_of) {
    hlc *h = load_text("pipeline malloc(a: image<u8, 1, strided>) -> out { fun out(x) = a(x); }"
                       "schedule s for malloc { vectorize(out.x, 8);  "
                       "specialize(out, a.stride(0) == 1); }");
    ck_assert_ptr_null(hlc_first_message(h));
    ck_assert_ptr_null(hlc_compile_object(h, "malloc", "s", NULL));
    ck_assert_int_eq(hlc_diagnostic_count(h), 2);
    expect_diagnostic(h, "warning[E0512]");
    ck_assert_msg(strstr(hlc_first_message(h), "cannot define a function"), "%s",
                  hlc_first_message(h));
    hlc_destroy(h);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("library");
    tcase_add_test(cases, lists_what_a_file_holds);
    tcase_add_test(cases, a_file_that_was_refused_holds_nothing);
    tcase_add_test(cases, refuses_options_that_there_are_not);
    tcase_add_test(cases, lists_names_in_the_order_written);
    tcase_add_test(cases, runs_in_three_ways);
    tcase_add_test(cases, binds_images);
    tcase_add_test(cases, says_which_passes_there_are);
    tcase_add_test(cases, says_when_nothing_is_loaded);
    tcase_add_test(cases, what_failed_is_said_before_what_was_warned_of);
    tcase_add_test(cases, memory_may_run_out_anywhere);
    tcase_add_test(cases, memory_may_be_limited);
    tcase_add_test(cases, memory_may_be_limited_to_less_than_is_held);
    tcase_set_timeout(cases, 120);
    return run_suite("library", cases);
}

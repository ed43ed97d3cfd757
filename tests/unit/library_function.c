/* library_function.c -- compiled pipelines as handles: made once, run many times, by several
 * threads, taken out of their handle; and what that leaves behind. */
#include "include/hlc.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"

#include <pthread.h>

typedef int Brighten(halide_buffer_t *a, int32_t k, halide_buffer_t *out);

static const char BRIGHTEN[] = "pipeline brighten(a: image<i32, 1>, k: i32 in 0..9) -> out {\n"
                               "    fun out(x) = a(x) + k;\n"
                               "}\n"
                               "schedule wide for brighten { vectorize(out.x, 4); }\n";

static hlc_arguments *bind(hlc *h, const char *k) {
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set(a, "a", "ramp:100"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "k", k), HLC_YES);
    return a;
}

static void expect_ramp(const hlc_arguments *a, int k) {
    const hlc_image *out = hlc_arguments_output(a, 0);
    ck_assert_ptr_nonnull(out);
    for (int x = 0; x < 100; x++)
        ck_assert_int_eq(((const int32_t *)out->data)[x], x + k);
}

START_TEST(runs_many_times) {
    hlc *h = load_text(BRIGHTEN);
    hlc_function *f = hlc_compile_function(h, "brighten", "wide", NULL);
    ck_assert_ptr_nonnull(f);
    hlc_arguments *one = bind(h, "1"), *two = bind(h, "2");
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(hlc_function_run(f, one), HLC_YES);
        expect_ramp(one, 1);
        ck_assert_int_eq(hlc_function_run(f, two), HLC_YES);
        expect_ramp(two, 2);
    }
    ck_assert_int_eq(hlc_arguments_set(two, "k", "10"), HLC_YES);
    ck_assert_int_eq(hlc_function_run(f, two), HLC_USER);
    expect_diagnostic(h, "E0815");
    hlc_destroy(h);
}
END_TEST

/* What is read is what runs, with a worker and without. */
START_TEST(is_assembled_from_its_text) {
    for (int i = 0; i < 2; i++) {
        hlc *h = load_text(BRIGHTEN);
        if (i)
            ck_assert_int_eq(hlc_use_worker(h, TEST_BUILD_DIR "/hlc", 0), HLC_YES);
        char *text = NULL;
        size_t length;
        FILE *assembly = open_memstream(&text, &length);
        hlc_compile_options options = {
            .optimize = 2, .debug = true, .profile = true, .assembly = assembly};
        hlc_function *f = hlc_compile_function(h, "brighten", "wide", &options);
        ck_assert_ptr_nonnull(f);
        fclose(assembly);
        ck_assert_ptr_nonnull(strstr(text, "brighten:"));
        ck_assert_ptr_nonnull(strstr(text, ".loc\t"));
        free(text);
        hlc_arguments *a = bind(h, "3");
        ck_assert_int_eq(hlc_function_run(f, a), HLC_YES);
        expect_ramp(a, 3);
        ck_assert_ptr_nonnull(hlc_function_profile(f));
        hlc_destroy(h);
    }
}
END_TEST

START_TEST(times_its_runs) {
    hlc *h = load_text(BRIGHTEN);
    hlc_function *f = hlc_compile_function(h, "brighten", "wide", NULL);
    hlc_arguments *a = bind(h, "3");
    int64_t times[4] = {-1, -1, -1, -1};
    ck_assert_int_eq(hlc_function_time(f, a, 3, 1000, times), HLC_YES);
    for (int i = 0; i < 3; i++)
        ck_assert_int_gt(times[i], 0);
    ck_assert_int_eq(times[3], -1);
    expect_ramp(a, 3);
    ck_assert_int_eq(hlc_arguments_set(a, "k", "10"), HLC_YES);
    ck_assert_int_eq(hlc_function_time(f, a, 4, 1, times), HLC_USER);
    ck_assert_int_eq(times[3], -1);
    expect_diagnostic(h, "E0815");
    hlc_destroy(h);
}
END_TEST

/* Memory that ends while it is found out what an image must hold takes nothing from the arguments.
 */
START_TEST(arguments_outlive_a_lack_of_memory) {
    hlc *h = load_text("pipeline shift(a: image<u8, 1>, c: image<u8, 1>) -> b {\n"
                       "    fun b(x) = a(x + 1) + c(x); }\n");
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set(a, "a", "ramp:9"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "c", "constant:2:auto"), HLC_YES);
    int ended = 0, refused = 0;
    for (size_t limit = 10000; limit < 20000000; limit += limit / 25) {
        ck_assert_int_eq(hlc_arguments_set(a, "b", "9"), HLC_YES);
        hlc_limit_memory(h, limit);
        hlc_status status = hlc_run(a, NULL, HLC_TARGET);
        ck_assert(status == HLC_WORLD || status == HLC_USER);
        ended += status == HLC_WORLD;
        refused += status == HLC_USER;
        hlc_limit_memory(h, 0);
        hlc_clear_diagnostics(h);
        ck_assert_int_eq(hlc_arguments_set(a, "b", "8"), HLC_YES);
        ck_assert_int_eq(hlc_run(a, NULL, HLC_TARGET), HLC_YES);
        for (int x = 0; x < 8; x++)
            ck_assert_int_eq(((uint8_t *)hlc_arguments_output(a, 0)->data)[x], x + 3);
    }
    ck_assert(ended > 10 && refused > 10);
    hlc_destroy(h);
}
END_TEST

START_TEST(refuses_arguments_of_another_pipeline) {
    hlc *h = load_text(BRIGHTEN), *other = load_text("pipeline brighten(a: image<i32, 1>, k: i64)"
                                                     " -> out { fun out(x) = a(x); }");
    hlc_function *f = hlc_compile_function(h, NULL, NULL, NULL);
    hlc_arguments *a = hlc_arguments_create(other, NULL);
    ck_assert_int_eq(hlc_function_run(f, a), HLC_USER);
    expect_diagnostic(other, "E0850");
    ck_assert_uint_eq(hlc_diagnostic_count(h), 0);
    ck_assert_ptr_null(hlc_compile_function(h, "nothing", NULL, NULL));
    expect_diagnostic(h, "E0804");
    hlc_destroy(other);
    hlc_destroy(h);
}
END_TEST

/* Calls NAME itself. */
static void call_by_pointer(const hlc_function *f) {
    int32_t in[5] = {1, 2, 3, 4, 5}, out[5] = {0}, k = 3;
    halide_dimension_t line = {0, 5, 1, 0};
    halide_buffer_t a = {.host = (uint8_t *)in, .type = {0, 32, 1}, .dimensions = 1, .dim = &line};
    halide_buffer_t o = a;
    o.host = (uint8_t *)out;
    Brighten *brighten = (Brighten *)hlc_function_pointer(f);
    ck_assert_int_eq(brighten(&a, k, &o), 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(out[i], in[i] + 3);
    k = 4;
    ck_assert_int_eq(hlc_function_argv(f)((void *[]){&a, &k, &o}), 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(out[i], in[i] + 4);
}

START_TEST(outlives_its_handle) {
    hlc *h = load_text(BRIGHTEN);
    hlc_function *f = hlc_compile_function(h, NULL, "wide", NULL);
    hlc_function *kept = hlc_compile_function(h, NULL, NULL, NULL);
    ck_assert_ptr_eq(hlc_take_function(f), f);
    ck_assert_ptr_eq(hlc_take_function(f), f); /* it is taken already */
    call_by_pointer(kept);
    hlc_destroy(h); /* and `kept` */
    call_by_pointer(f);
    hlc *again = load_text(BRIGHTEN);
    hlc_arguments *a = bind(again, "7");
    ck_assert_int_eq(hlc_function_run(f, a), HLC_YES);
    expect_ramp(a, 7);
    hlc_destroy(again);
    hlc_function_destroy(f);
}
END_TEST

typedef struct Caller {
    const hlc_function *function;
    int number;
    bool right;
} Caller;

/* check's assertions are for the main thread. */
static void *call_often(void *data) {
    Caller *caller = data;
    int32_t in[64], out[64];
    halide_dimension_t line = {0, 64, 1, 0};
    halide_buffer_t a = {.host = (uint8_t *)in, .type = {0, 32, 1}, .dimensions = 1, .dim = &line};
    halide_buffer_t o = a;
    o.host = (uint8_t *)out;
    Brighten *brighten = (Brighten *)hlc_function_pointer(caller->function);
    caller->right = true;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 64; i++)
            in[i] = 1000 * caller->number + round + i;
        caller->right &= brighten(&a, caller->number, &o) == 0;
        for (int i = 0; i < 64; i++)
            caller->right &= out[i] == in[i] + caller->number;
    }
    return NULL;
}

START_TEST(eight_threads_call_one_function) {
    hlc *h = load_text(BRIGHTEN);
    hlc_function *f = hlc_compile_function(h, NULL, "wide", NULL);
    pthread_t threads[8];
    Caller callers[8];
    for (int i = 0; i < 8; i++) {
        callers[i] = (Caller){f, i, false};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(callers[i].right);
    }
    hlc_destroy(h);
}
END_TEST

/* While functions are kept, no mapping of the process may be written and executed. */
START_TEST(nothing_is_writable_and_executable) {
    hlc *h = load_text(BRIGHTEN);
    ck_assert_ptr_nonnull(hlc_compile_function(h, NULL, "wide", NULL));
    ck_assert_ptr_nonnull(hlc_compile_function(h, NULL, NULL, NULL));
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    char mapping[1024];
    int executable = 0;
    while (fgets(mapping, sizeof mapping, maps)) {
        const char *rights = strchr(mapping, ' ');
        ck_assert_ptr_nonnull(rights);
        ck_assert_msg(!(rights[2] == 'w' && rights[3] == 'x'), "%s", mapping);
        executable += rights[3] == 'x';
    }
    ck_assert_int_gt(executable, 0);
    fclose(maps);
    hlc_destroy(h);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("function");
    tcase_add_test(cases, runs_many_times);
    tcase_add_test(cases, is_assembled_from_its_text);
    tcase_add_test(cases, times_its_runs);
    tcase_add_test(cases, arguments_outlive_a_lack_of_memory);
    tcase_add_test(cases, refuses_arguments_of_another_pipeline);
    tcase_add_test(cases, outlives_its_handle);
    tcase_add_test(cases, eight_threads_call_one_function);
    tcase_add_test(cases, nothing_is_writable_and_executable);
    tcase_set_timeout(cases, 120);
    return run_suite("library_function", cases);
}

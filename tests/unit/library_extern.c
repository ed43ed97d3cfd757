/* library_extern.c -- C functions that a host registers for extern stages: what they are called with
 * by each machine, how often, in which threads, and what their faults become. */
#include "include/hlc.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"

#include <stdatomic.h>
#include <string.h>

static const char PROGRAM[] =
    "pipeline p(n: i32 = 2, input: image<i32, 2>) -> out {\n"
    "    fun f(x, y) = input(x, y) * 2;\n"
    "    fun s(x, y): {i32, f64} = extern \"add_near\"(f(x - 1..x + 1, y), n, input(x, y));\n"
    "    fun out(x, y) = s(x, y).0 + i32(s(x, y).1);\n"
    "}\n"
    "schedule rows for p { compute-at(s, out.y);  compute-at(f, out.y);  parallel(out.y); }\n"
    "schedule swapped for p { reorder-storage(f, y, x);  reorder-storage(s, y, x);\n"
    "                         bound-storage(f, x, 64); }\n";

/* What the calls saw. */
static atomic_int queries, calls;
static atomic_bool is_strange;
static int answer; /* of the next calls */
static int32_t reach = 1;

static void expect(bool holds) {
    if (!holds)
        atomic_store(&is_strange, true);
}

static bool is_type(const halide_buffer_t *b, int code, int bits) {
    return b->type.code == code && b->type.bits == bits && b->type.lanes == 1 &&
           b->dimensions == 2 && !b->device;
}

static int add_near(halide_buffer_t *f, int32_t n, halide_buffer_t *input, halide_buffer_t *sum,
                    halide_buffer_t *mean) {
    expect(is_type(f, halide_type_int, 32) && is_type(input, halide_type_int, 32));
    expect(is_type(sum, halide_type_int, 32) && is_type(mean, halide_type_float, 64));
    for (int d = 0; d < 2; d++)
        expect(sum->dim[d].min == mean->dim[d].min && sum->dim[d].extent == mean->dim[d].extent);
    if (!f->host) {
        atomic_fetch_add(&queries, 1);
        expect(!input->host && !sum->host && !mean->host && f->dim[0].extent == 0);
        for (int d = 0; d < 2; d++) {
            f->dim[d].min = sum->dim[d].min - (d == 0 ? reach : 0);
            f->dim[d].extent = sum->dim[d].extent + (d == 0 ? 2 * reach : 0);
            input->dim[d] = sum->dim[d];
        }
        return 0;
    }
    atomic_fetch_add(&calls, 1);
    /* the boxes are the declared ones, to the point */
    expect(f->dim[0].min == sum->dim[0].min - 1 && f->dim[0].extent == sum->dim[0].extent + 2);
    expect(f->dim[1].min == sum->dim[1].min && f->dim[1].extent == sum->dim[1].extent);
    expect(input->dim[0].min == sum->dim[0].min && input->dim[0].extent == sum->dim[0].extent);
    for (int y = 0; y < sum->dim[1].extent; y++)
        for (int x = 0; x < sum->dim[0].extent; x++) {
            const int32_t *at =
                (const int32_t *)f->host + (x + 1) * f->dim[0].stride + y * f->dim[1].stride;
            int32_t total = at[-f->dim[0].stride] + at[0] + at[f->dim[0].stride];
            ((int32_t *)sum->host)[x * sum->dim[0].stride + y * sum->dim[1].stride] = total * n;
            ((double *)mean->host)[x * mean->dim[0].stride + y * mean->dim[1].stride] =
                ((const int32_t *)input->host)[x * input->dim[0].stride + y * input->dim[1].stride];
        }
    return answer;
}

enum { WIDTH = 6, HEIGHT = 5 };

static hlc *loaded(void) {
    hlc *h = hlc_create();
    ck_assert_ptr_nonnull(h);
    ck_assert_int_eq(hlc_load_text(h, "p.hl", PROGRAM, strlen(PROGRAM), NULL, NULL), HLC_YES);
    atomic_store(&queries, 0);
    atomic_store(&calls, 0);
    atomic_store(&is_strange, false);
    answer = 0;
    reach = 1;
    return h;
}

static hlc_arguments *bound(hlc *h) {
    hlc_arguments *a = hlc_arguments_create(h, "p");
    ck_assert_int_eq(hlc_arguments_set(a, "input", "ramp:8x5"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "out", "6x5+1+0"), HLC_YES);
    return a;
}

/* 2 * (x - 1 + x + x + 1 + 3 y) * 2 + x + y, in the ramp x + y */
static void expect_values(const hlc_arguments *a) {
    const hlc_image *out = hlc_arguments_output(a, 0);
    ck_assert_ptr_nonnull(out->data);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            ck_assert_int_eq(((const int32_t *)out->data)[y * out->stride[1] + x * out->stride[0]],
                             13 * (x + 1 + y));
    ck_assert(!atomic_load(&is_strange));
    ck_assert_int_eq(atomic_load(&queries), atomic_load(&calls));
}

START_TEST(all_machines_call_it) {
    static const hlc_machine machines[] = {HLC_COMPILED, HLC_REFERENCE, HLC_TARGET, HLC_SEMANTICS};
    static const char *const schedules[] = {NULL, "rows", "swapped"};
    for (int s = 0; s < 3; s++)
        for (int m = 0; m < 4; m++) {
            hlc *h = loaded();
            ck_assert_int_eq(hlc_register_extern(h, "add_near", (void (*)(void))add_near), HLC_YES);
            hlc_arguments *a = bound(h);
            ck_assert_int_eq(hlc_run(a, schedules[s], machines[m]), HLC_YES);
            expect_values(a);
            int expected = machines[m] == HLC_SEMANTICS   ? WIDTH * HEIGHT
                           : machines[m] == HLC_REFERENCE ? 0
                           : s == 1                       ? HEIGHT
                                                          : 1;
            if (expected)
                ck_assert_int_eq(atomic_load(&calls), expected);
            hlc_destroy(h);
        }
}
END_TEST

START_TEST(a_taken_function_outlives_its_handle) {
    hlc *h = loaded(), *other = loaded();
    ck_assert_int_eq(hlc_register_extern(h, "add_near", (void (*)(void))add_near), HLC_YES);
    hlc_function *function = hlc_take_function(hlc_compile_function(h, "p", "rows", NULL));
    ck_assert_ptr_nonnull(function);
    hlc_destroy(h);
    hlc_arguments *a = bound(other);
    ck_assert_int_eq(hlc_function_run(function, a), HLC_YES);
    expect_values(a);
    hlc_function_destroy(function);
    hlc_destroy(other);
}
END_TEST

START_TEST(its_error_is_the_pipelines) {
    static const hlc_machine machines[] = {HLC_COMPILED, HLC_REFERENCE, HLC_TARGET, HLC_SEMANTICS};
    for (int m = 0; m < 4; m++) {
        hlc *h = loaded();
        ck_assert_int_eq(hlc_register_extern(h, "add_near", (void (*)(void))add_near), HLC_YES);
        hlc_arguments *a = bound(h);
        answer = -77;
        ck_assert_int_eq(hlc_run(a, "rows", machines[m]), HLC_USER);
        ck_assert_ptr_nonnull(strstr(hlc_first_message(h), "add_near returned -77"));
        hlc_clear_diagnostics(h);
        answer = 0;
        reach = 2; /* more than the stage declares */
        ck_assert_int_eq(hlc_run(a, "rows", machines[m]), HLC_USER);
        ck_assert_ptr_nonnull(strstr(hlc_first_message(h), "extern_needs"));
        hlc_clear_diagnostics(h);
        atomic_store(&queries, 0);
        atomic_store(&calls, 0);
        reach = 0; /* less is allowed: the call gets the declared box all the same */
        ck_assert_int_eq(hlc_run(a, "rows", machines[m]), HLC_YES);
        expect_values(a);
        hlc_destroy(h);
    }
}
END_TEST

START_TEST(it_must_be_known) {
    hlc *h = loaded();
    hlc_arguments *a = bound(h);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_REFERENCE), HLC_USER);
    expect_diagnostic(h, "E0892");
    hlc_clear_diagnostics(h);
    ck_assert_ptr_null(hlc_compile_function(h, "p", NULL, NULL));
    expect_diagnostic(h, "E0892");
    hlc_clear_diagnostics(h);
    ck_assert_int_eq(hlc_eval(a, "out(2, 2)", NULL, stdout), HLC_USER);
    expect_diagnostic(h, "E0892");
    hlc_clear_diagnostics(h);
    /* what reads nothing of it is evaluated */
    ck_assert_int_eq(hlc_eval(a, "f(2, 2)", NULL, stdout), HLC_YES);
    /* an object only names it */
    ck_assert_ptr_nonnull(hlc_compile_object(h, "p", NULL, NULL));
    ck_assert_int_eq(hlc_register_extern(h, NULL, (void (*)(void))add_near), HLC_USER);
    ck_assert_int_eq(hlc_register_extern(h, "add_near", NULL), HLC_USER);
    ck_assert_int_eq(hlc_open_externs(h, NULL), HLC_USER);
    ck_assert_int_eq(hlc_open_externs(h, "/nowhere/at/all.so"), HLC_WORLD);
    hlc_destroy(h);
}
END_TEST

START_TEST(it_can_be_refused) {
    hlc *h = hlc_create();
    hlc_refuse_externs(h);
    ck_assert_int_eq(hlc_load_text(h, "p.hl", PROGRAM, strlen(PROGRAM), NULL, NULL), HLC_USER);
    expect_diagnostic(h, "E0893");
    ck_assert_uint_eq(hlc_pipeline_count(h), 0);
    hlc_destroy(h);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("extern");
    tcase_add_test(cases, all_machines_call_it);
    tcase_add_test(cases, a_taken_function_outlives_its_handle);
    tcase_add_test(cases, its_error_is_the_pipelines);
    tcase_add_test(cases, it_must_be_known);
    tcase_add_test(cases, it_can_be_refused);
    tcase_set_timeout(cases, 120);
    return run_suite("library_extern", cases);
}

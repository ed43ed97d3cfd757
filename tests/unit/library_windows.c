/* library_windows.c -- the window form through include/hlc.h: windows of a whole have its bytes, needs
 * are exact, refusals are decided once, a call has threads and an end of its own.
 */
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { WIDTH = 23, HEIGHT = 17 };

static hlc *load_windows(const char *text) {
    hlc *h = hlc_create();
    ck_assert_int_eq(hlc_use_windows(h), HLC_YES);
    hlc_status status = hlc_load_text(h, "windows.hl", text, strlen(text), NULL, NULL);
    if (status != HLC_YES)
        hlc_print_diagnostics(h, stderr);
    ck_assert_int_eq(status, HLC_YES);
    return h;
}

static hlc_function *compile(hlc *h, const char *schedule) {
    hlc_function *f = hlc_compile_function(h, NULL, schedule, NULL);
    if (!f)
        hlc_print_diagnostics(h, stderr);
    ck_assert_ptr_nonnull(f);
    return f;
}

/* One buffer in two dimensions. */
typedef struct Plane {
    halide_buffer_t buffer;
    halide_dimension_t dim[2];
} Plane;

static void plane_set(Plane *plane, int x, int y, int width, int height, halide_type_t type) {
    *plane = (Plane){.dim = {{x, width, 1, 0}, {y, height, width, 0}}};
    plane->buffer = (halide_buffer_t){.type = type, .dimensions = 2, .dim = plane->dim};
}

static const halide_type_t U8_TYPE = {halide_type_uint, 8, 1},
                           F32_TYPE = {halide_type_float, 32, 1};
static const hlc_interval WHOLE[4] = {{0, WIDTH}, {0, HEIGHT}, {0, WIDTH}, {0, HEIGHT}};

static int call(const hlc_function *f, uint32_t what, const hlc_interval *domains, Plane *in,
                Plane *out, hlc_report *report) {
    hlc_call asked = {.size = sizeof asked, .what = what, .domains = domains};
    void *arguments[] = {&in->buffer, &out->buffer};
    return hlc_function_call_with(f, &asked, report, arguments);
}

/* An image, all of it. */
static void fill(Plane *whole, uint8_t *bytes) {
    plane_set(whole, 0, 0, WIDTH, HEIGHT, U8_TYPE);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bytes[i] = (uint8_t)(i * 37 + i / WIDTH * 11);
    whole->buffer.host = bytes;
}

/* Memory of exactly the plane's window, with the whole's elements. */
static void take(Plane *plane, const uint8_t *whole) {
    const halide_dimension_t *x = &plane->dim[0], *y = &plane->dim[1];
    uint8_t *bytes = malloc((size_t)(x->extent * y->extent) + 1);
    for (int j = 0; j < y->extent; j++)
        for (int i = 0; i < x->extent; i++)
            bytes[j * x->extent + i] = whole[(y->min + j) * WIDTH + x->min + i];
    plane->buffer.host = bytes;
}

/* Computes one window of the output by a query and a run, and compares it with the whole's. */
static void one_window(const hlc_function *f, const uint8_t *in, const uint8_t *expected, int x,
                       int y, int width, int height) {
    Plane input, output;
    hlc_report report = {0};
    uint8_t bytes[WIDTH * HEIGHT];
    plane_set(&input, 0, 0, 0, 0, U8_TYPE);
    plane_set(&output, x, y, width, height, U8_TYPE);
    output.buffer.host = bytes;
    ck_assert_msg(call(f, HLC_CALL_QUERY, WHOLE, &input, &output, &report) == 0, "%s",
                  report.message);
    ck_assert(input.dim[0].min >= 0 && input.dim[0].min + input.dim[0].extent <= WIDTH);
    ck_assert(input.dim[1].min >= 0 && input.dim[1].min + input.dim[1].extent <= HEIGHT);
    take(&input, in);
    ck_assert_msg(call(f, HLC_CALL_RUN, WHOLE, &input, &output, &report) == 0, "%s",
                  report.message);
    free(input.buffer.host);
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            ck_assert_int_eq(bytes[j * width + i], expected[(y + j) * WIDTH + x + i]);
}

static const char PIPELINE[] =
    "pipeline p(im: image<u8, 2>) -> out(im.width, im.height) {\n"
    "    let src = %s;\n"
    "    fun f(x, y) = i32(src(x - 2, y)) + i32(src(x + 3, y));\n"
    "    fun out(x, y) = u8(f(x, y - 3) - f(x, y + 2) + i32(x) * im.extent(0) + y);\n"
    "}\n"
    "schedule tiled for p { tile(out.x, out.y, xo, yo, xi, yi, 8, 4); compute-at(f, out.xo); "
    "vectorize(out.xi); }\n"
    "schedule beyond for p { compute-root(f); vectorize(f.x, 8, round-up); "
    "vectorize(out.x, 8, shift-inwards); parallel(out.y, 4, round-up); }\n";

static const char *const BOUNDARIES[] = {"repeat_edge(im)", "repeat_image(im)", "mirror_image(im)",
                                         "mirror_interior(im)", "constant_exterior(im, 7)"};
enum { BOUNDARIES_COUNT = sizeof BOUNDARIES / sizeof *BOUNDARIES };

static hlc *load_with(const char *boundary) {
    char text[2000];
    snprintf(text, sizeof text, PIPELINE, boundary);
    return load_windows(text);
}

START_TEST(windows_have_the_bytes_of_the_whole) {
    hlc *h = load_with(BOUNDARIES[_i]);
    static const char *const SCHEDULES[] = {NULL, "tiled", "beyond"};
    for (int s = 0; s < 3; s++) {
        hlc_function *f = compile(h, SCHEDULES[s]);
        Plane in, out;
        uint8_t bytes[WIDTH * HEIGHT], expected[WIDTH * HEIGHT];
        hlc_report report = {0};
        fill(&in, bytes);
        plane_set(&out, 0, 0, WIDTH, HEIGHT, U8_TYPE);
        out.buffer.host = expected;
        ck_assert_int_eq(call(f, HLC_CALL_CHECK, NULL, &in, &out, &report), 0);
        ck_assert_int_eq(call(f, HLC_CALL_RUN, NULL, &in, &out, &report), 0);
        static const int SIZES[][2] = {{1, 1}, {5, 3}, {8, 17}, {23, 2}, {22, 16}};
        for (size_t n = 0; n < sizeof SIZES / sizeof *SIZES; n++)
            for (int y = 0; y < HEIGHT; y += SIZES[n][1])
                for (int x = 0; x < WIDTH; x += SIZES[n][0])
                    one_window(f, bytes, expected, x, y,
                               x + SIZES[n][0] < WIDTH ? SIZES[n][0] : WIDTH - x,
                               y + SIZES[n][1] < HEIGHT ? SIZES[n][1] : HEIGHT - y);
    }
    hlc_destroy(h);
}
END_TEST

static void expect_need(const hlc_function *f, int x, int width, int least, int count) {
    Plane in, out;
    hlc_report report = {0};
    plane_set(&in, 0, 0, 0, 0, U8_TYPE);
    plane_set(&out, x, 6, width, 2, U8_TYPE);
    ck_assert_msg(call(f, HLC_CALL_QUERY, WHOLE, &in, &out, &report) == 0, "%s", report.message);
    ck_assert_int_eq(in.dim[0].min, least);
    ck_assert_int_eq(in.dim[0].extent, count);
    ck_assert_int_eq(in.dim[1].min, 3); /* y - 3 .. y + 2 */
    ck_assert_int_eq(in.dim[1].extent, 7);
    ck_assert_int_eq(in.dim[1].stride, count);
}

/* x - 2 .. x + 3, in an image of 23 columns. */
START_TEST(needs_are_exact) {
    static const struct {
        int x, width, least[BOUNDARIES_COUNT], count[BOUNDARIES_COUNT];
    } CASES[] = {
        {10, 3, {8, 8, 8, 8, 8}, {8, 8, 8, 8, 8}},      /* inside */
        {0, 2, {0, 3, 0, 1, 0}, {5, 20, 5, 4, 5}},      /* the left edge */
        {20, 3, {18, 0, 18, 18, 18}, {5, 21, 5, 4, 5}}, /* the right edge */
        {0, 23, {0, 0, 0, 0, 0}, {23, 23, 23, 23, 23}}, /* the whole */
    };
    hlc *h = load_with(BOUNDARIES[_i]);
    hlc_function *f = compile(h, NULL);
    for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++)
        expect_need(f, CASES[n].x, CASES[n].width, CASES[n].least[_i], CASES[n].count[_i]);
    hlc_destroy(h);
}
END_TEST

static void expect_error(int error, int expected, const hlc_report *report) {
    ck_assert_msg(error == expected, "%d, not %d: %s", error, expected,
                  error ? report->message : "");
}

START_TEST(bad_calls_are_refused) {
    hlc *h = load_with("repeat_edge(im)");
    hlc_function *f = compile(h, "tiled");
    Plane in, out;
    uint8_t bytes[WIDTH * HEIGHT], got[WIDTH * HEIGHT] = {0};
    hlc_report report = {0};
    fill(&in, bytes);
    plane_set(&out, 20, 3, 4, 2, U8_TYPE); /* one column too far */
    out.buffer.host = got;
    expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), HLC_ERROR_WINDOW_OUTSIDE,
                 &report);
    expect_error(call(f, HLC_CALL_CHECK, WHOLE, &in, &out, &report), HLC_ERROR_WINDOW_OUTSIDE,
                 &report);
    out.dim[0].extent = 3;
    in.dim[0].extent = 21; /* a window that lacks two columns */
    expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
                 &report);
    in.dim[0].extent = WIDTH;
    expect_error(call(f, 3, WHOLE, &in, &out, &report), HLC_ERROR_BAD_CALL, &report);
    void *arguments[] = {&in.buffer, &out.buffer};
    hlc_call threads = {.size = sizeof threads, .domains = WHOLE, .threads = -1};
    expect_error(hlc_function_call_with(f, &threads, &report, arguments), HLC_ERROR_BAD_CALL,
                 &report);
    threads.threads = INT32_MAX, threads.what = HLC_CALL_CHECK;
    ck_assert_int_eq(hlc_function_call_with(f, &threads, &report, arguments), HLC_SUCCESS);
    hlc_call small = {.size = 4};
    expect_error(hlc_function_call_with(f, &small, &report, arguments), HLC_ERROR_BAD_CALL,
                 &report);
    /* A run never is a query, and an empty window may lie anywhere. */
    in.buffer.host = NULL;
    expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), HLC_ERROR_HOST_IS_NULL, &report);
    in.buffer.host = bytes;
    out.dim[0] = (halide_dimension_t){-500, 0, 1, 0};
    expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), 0, &report);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        ck_assert_int_eq(got[i], 0);
    hlc_destroy(h);
}
END_TEST

/* Where the extents of an image are known only as those of the domain, nothing follows for the
 * window: a reduction over all of the image needs all of it. */
START_TEST(extents_are_of_the_domain) {
    hlc *h = load_windows(
        "pipeline p(im: image<u8, 2>) -> out {\n"
        "    require(im.extent(0) >= 23, \"it is too narrow\");\n"
        "    fun out(x, y) = { im(x, y);\n"
        "      rdom(r = (im.min(0), im.extent(0))) in (x, y) <- out(x, y) ^ im(r, y); }\n"
        "}\n");
    hlc_function *f = compile(h, NULL);
    Plane in, out;
    uint8_t bytes[WIDTH * HEIGHT], got[WIDTH * HEIGHT];
    hlc_report report = {0};
    plane_set(&in, 0, 0, 0, 0, U8_TYPE);
    plane_set(&out, 4, 5, 2, 3, U8_TYPE);
    out.buffer.host = got;
    expect_error(call(f, HLC_CALL_QUERY, WHOLE, &in, &out, &report), 0, &report);
    ck_assert_int_eq(in.dim[0].min, 0);
    ck_assert_int_eq(in.dim[0].extent, WIDTH);
    ck_assert_int_eq(in.dim[1].min, 5);
    ck_assert_int_eq(in.dim[1].extent, 3);
    fill(&in, bytes);
    in.dim[0].extent = 6; /* the points that are read at (x, y), but not along r */
    expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
                 &report);
    /* A requirement is about the domain: decided once, whatever the windows. */
    static const hlc_interval narrow[4] = {{0, 22}, {0, HEIGHT}, {0, 22}, {0, HEIGHT}};
    in.dim[0].extent = 22;
    expect_error(call(f, HLC_CALL_CHECK, narrow, &in, &out, &report), HLC_ERROR_REQUIREMENT_FAILED,
                 &report);
    expect_error(call(f, HLC_CALL_RUN, narrow, &in, &out, &report), HLC_ERROR_REQUIREMENT_FAILED,
                 &report);
    hlc_destroy(h);
}
END_TEST

START_TEST(float_outputs_have_one_nan) {
    hlc *h = load_windows("pipeline p(im: image<u8, 2>) -> out {\n"
                          "    fun out(x, y) = { -(0.0 / (f32(im(x, y)) - f32(im(x, y))));\n"
                          "      rdom(r = (0, 2)) in (x, y) <- out(x, y) - sqrt(f32(r) - 2.0); }\n"
                          "}\n"
                          "schedule s for p { vectorize(out.s0.x, 8); vectorize(out.s1.x, 4); }\n");
    for (int s = 0; s < 2; s++) {
        hlc_function *f = compile(h, s ? "s" : NULL);
        Plane in, out;
        uint8_t bytes[WIDTH * HEIGHT];
        uint32_t got[WIDTH * HEIGHT];
        hlc_report report = {0};
        fill(&in, bytes);
        plane_set(&out, 0, 0, WIDTH, HEIGHT, F32_TYPE);
        out.buffer.host = (uint8_t *)got;
        expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), 0, &report);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            ck_assert_uint_eq(got[i], 0x7fc00000);
    }
    hlc_destroy(h);
}
END_TEST

/* ---- threads and cancel ---- */

static const char SPIN[] = "pipeline spin(n: i32 = 20000) -> out {\n"
                           "    fun out(x, y) = { 0; rdom(i = (0, n); j = (0, 1000)) in (x, y) <- "
                           "out(x, y) * 3 + i ^ j; }\n"
                           "}\n"
                           "schedule rows for spin { parallel(out.s0.y); parallel(out.s1.y); }\n";

static int64_t tasks_at_once;

static void count_tasks(hlc_task *task, void *state, int64_t count) {
    tasks_at_once = count;
    for (int64_t i = 0; i < count; i++)
        task(state, i);
}

static int spin(const hlc_function *f, int32_t n, int32_t threads, const int32_t *cancel,
                hlc_report *report) {
    Plane out;
    static int32_t values[64 * 64];
    plane_set(&out, 0, 0, 64, 64, (halide_type_t){halide_type_int, 32, 1});
    out.buffer.host = (uint8_t *)values;
    hlc_call asked = {.size = sizeof asked, .threads = threads, .cancel = cancel};
    void *arguments[] = {&n, &out.buffer};
    return hlc_function_call_with(f, &asked, report, arguments);
}

START_TEST(a_call_has_threads_of_its_own) {
    hlc *windows = load_windows(SPIN), *usual = load_text(SPIN);
    hlc_report report = {0};
    hlc_set_parallel_for(count_tasks);
    hlc_set_dispatch_work(0);
    hlc_set_thread_count(2);
    for (int form = 0; form < 2; form++) {
        hlc_function *f = compile(form ? usual : windows, "rows");
        static const int COUNTS[][2] = {{0, 16}, {1, 0}, {3, 24}, {2000, 64}};
        for (int i = 0; i < 4; i++) {
            tasks_at_once = 0;
            expect_error(spin(f, 1, COUNTS[i][0], NULL, &report), 0, &report);
            ck_assert_int_eq(tasks_at_once, COUNTS[i][1]);
        }
        ck_assert_int_eq(hlc_thread_count(), 2);
    }
    hlc_set_parallel_for(NULL);
    hlc_destroy(windows);
    hlc_destroy(usual);
}
END_TEST

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct Cancel {
    int32_t flag;
    double at;
} Cancel;

static void *cancel_soon(void *data) {
    Cancel *cancel = data;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    cancel->at = seconds();
    atomic_store((_Atomic int32_t *)&cancel->flag, 1);
    return NULL;
}

/* Minutes of work, in serial loops and in parallel ones. */
START_TEST(a_call_is_cancelled) {
    hlc *h = load_windows(SPIN);
    for (int s = 0; s < 2; s++) {
        hlc_function *f = compile(h, s ? "rows" : NULL);
        for (int threads = 1; threads < 4; threads++) {
            Cancel cancel = {.flag = 0};
            hlc_report report = {0};
            pthread_t thread;
            pthread_create(&thread, NULL, cancel_soon, &cancel);
            expect_error(spin(f, 20000, threads, &cancel.flag, &report), HLC_ERROR_STOPPED,
                         &report);
            double took = seconds() - cancel.at;
            pthread_join(thread, NULL);
            printf("%s, %d threads: stopped after %.1f ms\n", s ? "parallel" : "serial", threads,
                   1e3 * took);
            ck_assert_msg(took < 60, "it took %g seconds", took);
            /* The thread has no stopper left. */
            expect_error(spin(f, 1, threads, NULL, &report), 0, &report);
        }
    }
    hlc_destroy(h);
}
END_TEST

/* ---- arguments ---- */

START_TEST(arguments_have_domains) {
    hlc *h = load_with("mirror_image(im)");
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    static const hlc_interval domain[] = {{0, 640}, {-3, 480}};
    ck_assert_int_eq(hlc_arguments_set_domain(a, "im", domain, 2), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_domain_text(a, "out", "640x480+0-3"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "im", "random:1:auto"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "out", "9x5+600+470"), HLC_YES);
    uint8_t first[45];
    for (int machine = HLC_COMPILED; machine <= HLC_SEMANTICS; machine++) {
        hlc_status status = hlc_run(a, "tiled", (hlc_machine)machine);
        if (status != HLC_YES)
            hlc_print_diagnostics(h, stderr);
        ck_assert_int_eq(status, HLC_YES);
        const hlc_image *out = hlc_arguments_output(a, 0);
        if (machine == HLC_COMPILED)
            memcpy(first, out->data, sizeof first);
        ck_assert_int_eq(memcmp(first, out->data, sizeof first), 0);
    }
    ck_assert_int_eq(hlc_arguments_set_domain(a, "im", domain, 1), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_domain_text(a, "inn", "640x480"), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_domain_text(a, "im", "640"), HLC_USER);
    hlc_destroy(h);
}
END_TEST

START_TEST(the_usual_form_has_no_domains) {
    hlc *h = load_text("pipeline p(im: image<u8, 2>) -> out { fun out(x, y) = im(x, y); }");
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set_domain_text(a, "im", "640x480"), HLC_USER);
    expect_diagnostic(h, "E0874");
    hlc_function *f = compile(h, NULL);
    Plane in, out;
    uint8_t bytes[WIDTH * HEIGHT], got[WIDTH * HEIGHT];
    hlc_report report = {0};
    fill(&in, bytes);
    plane_set(&out, 0, 0, WIDTH, HEIGHT, U8_TYPE);
    out.buffer.host = got;
    expect_error(call(f, HLC_CALL_RUN, WHOLE, &in, &out, &report), HLC_ERROR_BAD_CALL, &report);
    expect_error(call(f, HLC_CALL_CHECK, NULL, &in, &out, &report), HLC_ERROR_BAD_CALL, &report);
    expect_error(call(f, HLC_CALL_RUN, NULL, &in, &out, &report), 0, &report);
    ck_assert_int_eq(memcmp(bytes, got, sizeof got), 0);
    hlc_destroy(h);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("windows");
    tcase_add_loop_test(cases, windows_have_the_bytes_of_the_whole, 0, BOUNDARIES_COUNT);
    tcase_add_loop_test(cases, needs_are_exact, 0, BOUNDARIES_COUNT);
    tcase_add_test(cases, bad_calls_are_refused);
    tcase_add_test(cases, extents_are_of_the_domain);
    tcase_add_test(cases, float_outputs_have_one_nan);
    tcase_add_test(cases, a_call_has_threads_of_its_own);
    tcase_add_test(cases, a_call_is_cancelled);
    tcase_add_test(cases, arguments_have_domains);
    tcase_add_test(cases, the_usual_form_has_no_domains);
    tcase_set_timeout(cases, 240);
    return run_suite("library_windows", cases);
}

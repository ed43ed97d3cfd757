/* library_stop.c -- calls that end early: cancelled by another thread, at a deadline, at a limit of
 * memory. Wherever a call is, it ends soon, says where it was, and the handle goes on. */
#include "include/hlc.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

/* Hours of work, in one iteration of the outer loop or in many. */
static const char SPIN[] =
    "pipeline spin(n: i32 = 1000000000) -> out {\n"
    "    fun out(x) = { 0; rdom(i = (0, n); j = (0, 1000)) in (x) <- out(x) * 3 + i ^ j; }\n"
    "}\n"
    "schedule rows for spin { parallel(out.s0.x); parallel(out.s1.x); }\n";

/* The same in one loop. */
static const char LINE[] =
    "pipeline line(n: i32 = 2147483647) -> out {\n"
    "    fun out(x) = { 0; rdom(i = (0, n)) in (x) <- out(x) * 3 + (i ^ x) * (i % 7 + 9) / 3; }\n"
    "}\n";

/* Short tasks, and hours of them. */
static const char TASKS[] = "pipeline tasks() -> out {\n"
                            "    fun out(x, y) = i32(x) ^ y;\n"
                            "}\n"
                            "schedule rows for tasks { parallel(out.y); }\n";

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *cancel_soon(void *data) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    hlc_cancel(data);
    return NULL;
}

/* A call, and what it needs. */
typedef struct Call {
    hlc *h;
    hlc_arguments *a;
    hlc_function *function;
    const char *schedule;
    hlc_machine machine;
} Call;

static hlc_status call_run(const Call *call) {
    return hlc_run(call->a, call->schedule, call->machine);
}
static hlc_status call_function(const Call *call) {
    return hlc_function_run(call->function, call->a);
}
static hlc_status call_check(const Call *call) {
    FILE *out = fopen("/dev/null", "w");
    hlc_status status = hlc_check(call->h, &(hlc_check_options){.rounds = 1}, call->a, out);
    fclose(out);
    return status;
}
static hlc_status call_compile(const Call *call) {
    return hlc_compile_object(call->h, NULL, NULL, NULL) ? HLC_YES : HLC_WORLD;
}

static void expect_ended(const Call *call, hlc_status (*run)(const Call *call), const char *code) {
    double begin = seconds();
    ck_assert_int_eq(run(call), HLC_WORLD);
    ck_assert_msg(seconds() - begin < 60, "%s took %g seconds", code, seconds() - begin);
    ck_assert_uint_eq(hlc_diagnostic_count(call->h), 1);
    expect_diagnostic(call->h, code);
}

/* The call is cancelled by another thread, then before it begins, then ended by a deadline. */
static void ends(const Call *call, hlc_status (*run)(const Call *call)) {
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_soon, call->h);
    expect_ended(call, run, "E0868");
    pthread_join(thread, NULL);
    hlc_clear_diagnostics(call->h);
    expect_ended(call, run, "E0868");
    hlc_clear_diagnostics(call->h);
    hlc_resume(call->h);
    hlc_set_deadline(call->h, 0.1);
    expect_ended(call, run, "E0869");
    hlc_clear_diagnostics(call->h);
    hlc_set_deadline(call->h, 0);
}

/* The handle is as it was. */
static void goes_on(const Call *call) {
    ck_assert_int_eq(hlc_arguments_set_value(call->a, "n", hlc_int(2)), HLC_YES);
    ck_assert_int_eq(call_run(call), HLC_YES);
    ck_assert_int_eq(((const int32_t *)hlc_arguments_output(call->a, 0)->data)[0],
                     ((const int32_t *)hlc_arguments_output(call->a, 0)->data)[3]);
    ck_assert_uint_eq(hlc_diagnostic_count(call->h), 0);
}

START_TEST(interpreters_end) {
    static const hlc_machine MACHINES[] = {HLC_REFERENCE, HLC_TARGET, HLC_SEMANTICS};
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        Call call = {.h = load_text(SPIN), .machine = MACHINES[i]};
        call.a = hlc_arguments_create(call.h, NULL);
        hlc_arguments_set(call.a, "out", "4");
        ends(&call, call_run);
        goes_on(&call);
        hlc_destroy(call.h);
    }
}
END_TEST

START_TEST(checks_end) {
    Call call = {.h = load_text(SPIN)};
    call.a = hlc_arguments_create(call.h, NULL);
    hlc_arguments_set_value(call.a, "n", hlc_int(1000000000));
    ends(&call, call_check);
    hlc_destroy(call.h);
}
END_TEST

/* Compiled code polls in its loops if that is wanted. */
START_TEST(compiled_code_ends) {
    static const struct {
        const char *text, *schedule;
    } ROWS[] = {{SPIN, NULL}, {SPIN, "rows"}, {LINE, NULL}};
    hlc_set_thread_count(2);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (int level = 0; level <= 2; level += 2) {
            Call call = {.h = load_text(ROWS[i].text),
                         .schedule = ROWS[i].schedule,
                         .machine = HLC_COMPILED};
            hlc_set_code(call.h, &(hlc_code){.optimize = level, .stoppable = true});
            call.a = hlc_arguments_create(call.h, NULL);
            hlc_arguments_set(call.a, "out", i == 2 ? "1000" : "4");
            call.function = hlc_compile_function(call.h, NULL, call.schedule, NULL);
            ck_assert_msg(call.function, "%s", diagnostics(call.h));
            ends(&call, call_function);
            ends(&call, call_run);
            if (i < 2)
                goes_on(&call);
            hlc_destroy(call.h);
        }
    hlc_set_thread_count(0);
}
END_TEST

static int is_stopped(void *user) {
    return atomic_fetch_add((_Atomic int *)user, 1) > 2;
}

/* Without that, it polls before each task of a parallel loop. */
START_TEST(parallel_loops_end) {
    hlc_set_thread_count(2);
    hlc *h = load_text(TASKS);
    hlc_function *f = hlc_compile_function(h, NULL, "rows", NULL);
    ck_assert_ptr_nonnull(f);
    int32_t *cells = calloc(1000 * 1000, sizeof *cells);
    halide_dimension_t dim[] = {{.extent = 1000, .stride = 1}, {.extent = 1000, .stride = 1000}};
    halide_buffer_t out = {
        .host = (uint8_t *)cells, .type = {halide_type_int, 32, 1}, .dimensions = 2, .dim = dim};
    void *arguments[] = {&out};
    _Atomic int polls = 0;
    hlc_stopper stopper = {is_stopped, &polls};
    hlc_set_stopper(&stopper);
    ck_assert_int_eq(hlc_function_argv(f)(arguments), HLC_ERROR_STOPPED);
    hlc_set_stopper(NULL);
    ck_assert_int_eq(hlc_function_argv(f)(arguments), 0);
    ck_assert_int_eq(cells[999 * 1000 + 1], 998);
    free(cells);
    hlc_destroy(h);
    hlc_set_thread_count(0);
}
END_TEST

/* The hook of the run-time library, without a handle: in each thread that runs a task. */
START_TEST(a_stopper_ends_calls_of_its_thread) {
    hlc *h = load_text("pipeline sums(n: i32) -> out {\n"
                       "    fun out(x) = { 0; rdom(i = (0, n)) in (x) <- out(x) + i; }\n"
                       "}");
    hlc_compile_options options = {.optimize = 2, .stoppable = true};
    hlc_function *f = hlc_compile_function(h, NULL, NULL, &options);
    ck_assert_ptr_nonnull(f);
    int32_t cells[4], n = 10;
    halide_dimension_t dim = {.extent = 4, .stride = 1};
    halide_buffer_t out = {
        .host = (uint8_t *)cells, .type = {halide_type_int, 32, 1}, .dimensions = 1, .dim = &dim};
    _Atomic int polls = 0;
    hlc_stopper stopper = {is_stopped, &polls};
    void *arguments[] = {&n, &out};
    ck_assert_int_eq(hlc_function_argv(f)(arguments), 0);
    ck_assert_ptr_null(hlc_set_stopper(&stopper));
    hlc_set_error_handler(NULL);
    ck_assert_int_eq(hlc_function_argv(f)(arguments), HLC_ERROR_STOPPED);
    ck_assert_int_gt(polls, 3);
    ck_assert_ptr_eq(hlc_set_stopper(NULL), &stopper);
    ck_assert_int_eq(hlc_function_argv(f)(arguments), 0);
    ck_assert_int_eq(cells[3], 45);
    hlc_destroy(h);
}
END_TEST

/* A worker that does not answer is killed. */
START_TEST(waiting_for_the_worker_ends) {
    Call call = {.h = load_text("pipeline p() -> out { fun out(x) = i32(x); }")};
    const char *path = write_file(".sh", "#!/bin/sh\nexec sleep 1000\n");
    chmod(path, 0700);
    ck_assert_int_eq(hlc_use_worker(call.h, path, 0), HLC_YES);
    ends(&call, call_compile);
    hlc_destroy(call.h);
    unlink(path);
}
END_TEST

static char *long_program(int funcs) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("pipeline p(a: image<i32, 1>) -> out {\n    fun g0(x) = a(x);\n", out);
    for (int i = 1; i < funcs; i++)
        fprintf(out, "    fun g%d(x) = g%d(x) + g%d(x + 1);\n", i, i - 1, i - 1);
    fprintf(out, "    fun out(x) = g%d(x);\n}\n", funcs - 1);
    fclose(out);
    return text;
}

/* Loading and lowering end at a deadline and at a limit of memory, at a place of the program. */
START_TEST(the_compiler_ends) {
    char *text = long_program(3000);
    hlc *h = hlc_create();
    hlc_set_deadline(h, 1e-6);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    ck_assert_int_eq(hlc_load_text(h, "p.hl", text, strlen(text), NULL, NULL), HLC_WORLD);
    expect_diagnostic(h, "E0869");
    hlc_clear_diagnostics(h);
    hlc_set_deadline(h, 0);
    ck_assert_int_eq(hlc_load_text(h, "p.hl", text, strlen(text), NULL, NULL), HLC_YES);
    hlc_limit_memory(h, 24 << 20);
    FILE *out = fopen("/dev/null", "w");
    ck_assert_int_eq(hlc_lower(h, NULL, NULL, &(hlc_lower_options){.until = -1}, out), HLC_WORLD);
    fclose(out);
    expect_diagnostic(h, "p.hl:1:10: error[E0870]");
    hlc_destroy(h);
    h = hlc_create();
    hlc_limit_memory(h, 3 << 20);
    ck_assert_int_eq(hlc_load_text(h, "p.hl", text, strlen(text), NULL, NULL), HLC_WORLD);
    expect_diagnostic(h, "E0870");
    expect_diagnostic(h, "p.hl:");
    hlc_destroy(h);
    free(text);
}
END_TEST

/* A run of a function that has lost its contract is refused where the memory is limited. */
START_TEST(memory_of_runs_is_limited) {
    hlc *h = load_text("pipeline p(a: image<i32, 1>) -> out {\n"
                       "    fun f(x) = a(x) + 1;\n"
                       "    fun out(x) = f(x) * f(x);\n"
                       "}");
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    hlc_arguments_set(a, "a", "ramp:1000");
    hlc_function *f = hlc_compile_function(h, NULL, NULL, NULL);
    hlc_limit_run_memory(h, 12000);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_COMPILED), HLC_YES);
    ck_assert_int_eq(hlc_function_run(f, a), HLC_USER);
    expect_diagnostic(h, "E0848");
    hlc_limit_run_memory(h, 11999);
    hlc_clear_diagnostics(h);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_COMPILED), HLC_USER);
    expect_diagnostic(h, "takes up to 12000 bytes");
    ck_assert_int_eq(hlc_run(a, NULL, HLC_REFERENCE), HLC_YES);
    hlc_clear_diagnostics(h);
    ck_assert_int_eq(hlc_arguments_set(a, "out", "100000x100000"), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set(a, "out", "1000000000"), HLC_YES);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_REFERENCE), HLC_USER);
    expect_diagnostic(h, "more memory with the image `out`");
    ck_assert_int_eq(hlc_arguments_set(a, "out", "1000"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(a, "a", "random:1:1000000000"), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set(a, "a", "ramp:1000"), HLC_YES);
    hlc_limit_run_memory(h, 0);
    ck_assert_int_eq(hlc_function_run(f, a), HLC_YES);
    hlc_destroy(h);
}
END_TEST

static const char *import_any(void *data, const char *path, size_t *length) {
    (void)path;
    *length = strlen(data);
    return data;
}

START_TEST(programs_are_limited) {
    static const char TEXT[] =
        "import \"../x.hl\"; pipeline p() -> out { fun out(x) = twice(i32(x)); }";
    hlc *h = hlc_create();
    ck_assert(hlc_in_root(h, "/anywhere"));
    ck_assert_int_eq(hlc_set_root(h, "/no/such/folder"), HLC_WORLD);
    ck_assert_int_eq(hlc_set_root(h, "/usr"), HLC_YES);
    ck_assert(hlc_in_root(h, "/usr") && hlc_in_root(h, "/usr/new") &&
              hlc_in_root(h, "/usr/bin/../x"));
    ck_assert(!hlc_in_root(h, "/usr/../etc/passwd") && !hlc_in_root(h, "/usrx"));
    ck_assert(!hlc_in_root(h, "/usr/new/../../etc/passwd") && !hlc_in_root(h, "/usr/.."));
    ck_assert(!hlc_in_root(h, "") && !hlc_in_root(h, "x"));
    hlc_refuse_text_form(h);
    ck_assert_int_eq(hlc_load_text(h, "x.ir", "", 0, NULL, NULL), HLC_USER);
    expect_diagnostic(h, "E0844");
    ck_assert_int_eq(hlc_lower_limit(h, "funcs", 20000), HLC_USER);
    ck_assert_int_eq(hlc_lower_limit(h, "loops", 1), HLC_USER);
    ck_assert_int_eq(hlc_lower_limit(h, "outputs", 1), HLC_YES);
    hlc_clear_diagnostics(h);
    /* The host's own texts have no place. */
    ck_assert_int_eq(
        hlc_load_text(h, "p.hl", TEXT, sizeof TEXT - 1, import_any, "let twice(v) = v * 2;"),
        HLC_YES);
    hlc_destroy(h);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("stop");
    tcase_add_test(cases, interpreters_end);
    tcase_add_test(cases, checks_end);
    tcase_add_test(cases, compiled_code_ends);
    tcase_add_test(cases, parallel_loops_end);
    tcase_add_test(cases, a_stopper_ends_calls_of_its_thread);
    tcase_add_test(cases, waiting_for_the_worker_ends);
    tcase_add_test(cases, the_compiler_ends);
    tcase_add_test(cases, memory_of_runs_is_limited);
    tcase_add_test(cases, programs_are_limited);
    tcase_set_timeout(cases, 120);
    return run_suite("library_stop", cases);
}

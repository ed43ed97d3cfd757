/* library_invariants.c -- an assertion of ours that fails ends the call, not the host.
 *
 * Nothing breaks an invariant on purpose.  So a test breaks one of its own in the midst of a call:
 * Memory.on_request is told of each request for memory, and asserts at one of them what is false.
 */
#include "include/hlc.h"
#include "library/compiler.h"
#include "tests/unit/library_support.h"

#include <unistd.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>

static const char PROGRAM[] =
    "pipeline p(a: image<i32, 1>, k: i32 = 1 in 0..9) -> out {\n"
    "    fun f(x) = a(x) + k;\n"
    "    fun out(x) = f(x) * f(x);\n"
    "}\n"
    "schedule s for p { compute-root(f);  vectorize(out.x, 4);  parallel(f.x); }\n";

/* ---- breaking -----------------------------------------------------------------------------------
 */

/* The requests to come before the one that breaks, and whose they are. */
typedef struct Breaker {
    Memory *memory;
    int64_t left;
} Breaker;

static void disarm(Memory *memory) {
    memory->fail_after = -1;
    memory->on_request = NULL;
}

static void break_at_last(void *data) {
    Breaker *breaker = data;
    if (breaker->left-- > 0)
        return;
    disarm(breaker->memory);
    hlc_assert(1 + 1 == 3, "two is three");
}

static void arm(hlc *h, Breaker *breaker, int64_t left) {
    *breaker = (Breaker){&h->context->memory, left};
    breaker->memory->fail_after = INT64_MAX;
    breaker->memory->on_request = break_at_last;
    breaker->memory->request_data = breaker;
}

static int count_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* ---- calls --------------------------------------------------------------------------------------
 */

typedef hlc_status Call(hlc *h, FILE *out);

static hlc_status load(hlc *h, FILE *out) {
    (void)out;
    return hlc_load_text(h, "p.hl", PROGRAM, sizeof PROGRAM - 1, NULL, NULL);
}

static hlc_status lower_it(hlc *h, FILE *out) {
    return hlc_lower(h, NULL, "s", NULL, out);
}

static hlc_status explain(hlc *h, FILE *out) {
    return hlc_explain(h, NULL, "s", NULL, out);
}

static hlc_status prove(hlc *h, FILE *out) {
    return hlc_prove(h, "min(x, y) <= x", NULL, out);
}

static hlc_status compile(hlc *h, FILE *out) { /* in this process: LLVM's objects are freed */
    return hlc_compile(h, NULL, "s", NULL, out);
}

static hlc_status run(hlc *h, FILE *out) {
    (void)out;
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    hlc_status status = a ? hlc_arguments_set(a, "a", "ramp:9") : HLC_FAULT;
    return status == HLC_YES ? hlc_run(a, "s", HLC_TARGET) : status;
}

static const struct {
    const char *name;
    Call *call;
} CALLS[] = {{"load", load},   {"lower", lower_it},  {"explain", explain},
             {"prove", prove}, {"compile", compile}, {"run", run}};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

static hlc *make(bool is_loaded) {
    hlc *h = hlc_create();
    ck_assert_ptr_nonnull(h);
    if (is_loaded)
        ck_assert_int_eq(load(h, NULL), HLC_YES);
    return h;
}

static void expect_fault(hlc *h, const char *name, int64_t request) {
    ck_assert_msg(hlc_diagnostic_count(h) == 1, "%s, request %jd: %zu diagnostics", name,
                  (intmax_t)request, hlc_diagnostic_count(h));
    hlc_diagnostic told = hlc_diagnostic_at(h, 0);
    ck_assert_str_eq(told.code, "E0862");
    ck_assert_ptr_nonnull(strstr(told.message, "two is three"));
    ck_assert_ptr_nonnull(strstr(told.message, "library_invariants.c:"));
    ck_assert_ptr_nonnull(strstr(told.help, "destroy it"));
}

/* ---- tests --------------------------------------------------------------------------------------
 */

/* At one request after the other, until the call needs no more. */
START_TEST(a_call_ends_with_a_fault) {
    const char *name = CALLS[_i].name;
    Call *call = CALLS[_i].call;
    FILE *nowhere = fopen("/dev/null", "w");
    int descriptors = count_descriptors();
    bool is_whole = false;
    int64_t broken = 0;
    for (int64_t n = 0; !is_whole; n += 1 + n / 3) {
        Breaker breaker;
        hlc *h = make(call != load);
        arm(h, &breaker, n);
        hlc_status status = call(h, nowhere);
        disarm(&h->context->memory);
        is_whole = status == HLC_YES;
        if (!is_whole) {
            ck_assert_msg(status == HLC_FAULT, "%s, request %jd: %d", name, (intmax_t)n, status);
            expect_fault(h, name, n);
            ck_assert_ptr_null(h->scratch);
            broken++;
        }
        hlc_destroy(h);
        ck_assert_int_eq(count_descriptors(), descriptors);
    }
    ck_assert_int_gt(broken, 5);
    fclose(nowhere);
}
END_TEST

/* What the handle knows may be wrong. */
START_TEST(the_handle_refuses_what_follows) {
    Breaker breaker;
    FILE *nowhere = fopen("/dev/null", "w");
    hlc *h = make(true), *other = make(true);
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_ptr_nonnull(a);
    arm(h, &breaker, 9);
    ck_assert_int_eq(hlc_lower(h, NULL, "s", NULL, nowhere), HLC_FAULT);
    expect_fault(h, "lower", 9);
    for (int i = 0; i < CALL_COUNT; i++) {
        ck_assert_int_eq(CALLS[i].call(h, nowhere), HLC_FAULT);
        expect_fault(h, CALLS[i].name, 0); /* said once.. */
        hlc_clear_diagnostics(h);
        ck_assert_ptr_null(hlc_compile_function(h, NULL, NULL, NULL));
        expect_fault(h, CALLS[i].name, 0); /* .. or again, where nobody knows it any more */
    }
    ck_assert_int_eq(hlc_arguments_set(a, "a", "ramp:9"), HLC_FAULT);
    /* The report of a fault may lack memory. */
    hlc_clear_diagnostics(h);
    h->context->memory.fail_after = 1;
    ck_assert_int_eq(hlc_lower(h, NULL, NULL, NULL, nowhere), HLC_FAULT);
    h->context->memory.fail_after = -1;
    /* Other handles know nothing of it. */
    for (int i = 1; i < CALL_COUNT; i++)
        ck_assert_int_eq(CALLS[i].call(other, nowhere), HLC_YES);
    hlc_destroy(h);
    hlc_destroy(other);
    fclose(nowhere);
}
END_TEST

/* What a caller does wrong is no fault of ours. */
START_TEST(an_unknown_code_is_a_diagnostic) {
    hlc *h = make(true);
    hlc_diagnose(h, "E9999", (const char *const[]){"x", NULL});
    expect_diagnostic(h, "error[E0819]: there is no diagnostic with the code E9999");
    ck_assert_int_eq(hlc_prove(h, "x < x + 1", NULL, stderr), HLC_YES);
    hlc_destroy(h);
}
END_TEST

/* An import's callback uses another handle, in which an invariant is broken. */
static const char *import_and_break(void *data, const char *path, size_t *length) {
    static const char TEXT[] = "let twice(v) = v + v;\n";
    (void)path;
    Breaker breaker;
    hlc *inner = make(true);
    arm(inner, &breaker, 5);
    *(hlc_status *)data = hlc_prove(inner, "x < x + 1", NULL, stderr);
    hlc_destroy(inner);
    *length = sizeof TEXT - 1;
    return TEXT;
}

START_TEST(entries_within_entries) {
    static const char TEXT[] =
        "import \"t.hl\";\npipeline p() -> out { fun out(x) = twice(i32(x)); }\n";
    Breaker breaker;
    hlc_status inner = HLC_YES;
    hlc *h = make(false);
    ck_assert_int_eq(hlc_load_text(h, "p.hl", TEXT, sizeof TEXT - 1, import_and_break, &inner),
                     HLC_YES);
    ck_assert_int_eq(inner, HLC_FAULT);
    ck_assert_uint_eq(hlc_diagnostic_count(h), 0);
    arm(h, &breaker, 5);
    ck_assert_int_eq(hlc_prove(h, "x < x + 1", NULL, stderr), HLC_FAULT);
    hlc_destroy(h);
}
END_TEST

static void *break_in_thread(void *data) {
    hlc_status *status = data;
    Breaker breaker;
    FILE *nowhere = fopen("/dev/null", "w");
    hlc *h = make(true);
    arm(h, &breaker, 100);
    *status = hlc_lower(h, NULL, "s", NULL, nowhere);
    hlc_destroy(h);
    fclose(nowhere);
    return NULL;
}

START_TEST(threads_break_apart) {
    pthread_t threads[4];
    hlc_status statuses[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, break_in_thread, &statuses[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(statuses[i], HLC_FAULT);
    }
}
END_TEST

/* This program in the worker's place, started (main) or forked. */
static int serve_and_break(int socket, size_t memory) {
    (void)socket, (void)memory;
    Breaker breaker;
    hlc *h = hlc_create();
    h->is_worker = true; /* as hlc_worker_serve says of each of its handles */
    arm(h, &breaker, 0);
    return (int)hlc_prove(h, "x < x + 1", NULL, stderr);
}

START_TEST(the_worker_dies_and_is_reported) {
    FILE *nowhere = fopen("/dev/null", "w");
    hlc *h = make(true);
    ck_assert_int_eq(_i ? hlc_fork_worker(h, serve_and_break, 0)
                        : hlc_use_worker(h, "/proc/self/exe", 0),
                     HLC_YES);
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), HLC_FAULT);
    expect_diagnostic(h, "E0853");
    expect_diagnostic(h, "by signal 6 (Aborted)");
    expect_diagnostic(h, "two is three");
    /* The handle's own state is whole. */
    ck_assert_int_eq(hlc_use_worker(h, TEST_BUILD_DIR "/hlc", 0), HLC_YES);
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), HLC_YES);
    hlc_destroy(h);
    fclose(nowhere);
}
END_TEST

START_TEST(without_an_entry_the_process_ends) {
    hlc_assert(_i != 0, "two is three");
}
END_TEST

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "--worker") == 0)
        return serve_and_break(STDIN_FILENO, 0);
    TCase *cases = tcase_create("invariants");
    tcase_add_loop_test(cases, a_call_ends_with_a_fault, 0, CALL_COUNT);
    tcase_add_test(cases, the_handle_refuses_what_follows);
    tcase_add_test(cases, an_unknown_code_is_a_diagnostic);
    tcase_add_test(cases, entries_within_entries);
    tcase_add_test(cases, threads_break_apart);
    tcase_add_loop_test(cases, the_worker_dies_and_is_reported, 0, 2);
    tcase_add_test_raise_signal(cases, without_an_entry_the_process_ends, SIGABRT);
    tcase_set_timeout(cases, 120);
    return run_suite("library_invariants", cases);
}

/* library_worker.c -- code made in a process of its own: it is the same code, and whatever happens
 * to that process is told and leaves nothing behind. */
#include "include/hlc.h"
#include "library/compiler.h"
#include "tests/unit/library_support.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define HLC TEST_BUILD_DIR "/hlc"

static const char SUM[] = "pipeline sum(a: image<i32, 1>, k: i32 in 0..9) -> out {\n"
                          "    fun f(x) = a(x) + k;\n"
                          "    fun out(x) = f(x) * 2;\n"
                          "}\n"
                          "schedule wide for sum { vectorize(out.x, 4); }\n"
                          "schedule rows for sum { parallel(out.x); }\n";

static int count_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void expect_no_children(void) {
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

START_TEST(makes_the_same_code) {
    hlc *apart = hlc_create(), *here = hlc_create();
    ck_assert_int_eq(hlc_load_text(here, "sum.hl", SUM, sizeof SUM - 1, NULL, NULL), HLC_YES);
    ck_assert_int_eq(hlc_load_text(apart, "sum.hl", SUM, sizeof SUM - 1, NULL, NULL), HLC_YES);
    ck_assert_int_eq(hlc_use_worker(apart, HLC, 0), HLC_YES);
    static const char *const EMITS[] = {"object", "asm", "ll"};
    static const char *const SCHEDULES[] = {NULL, "wide", "rows"};
    for (int i = 0; i < 18; i++) {
        hlc_compile_options options = {.emit = EMITS[i % 3], .optimize = i % 4, .debug = i % 2};
        hlc_object *one = hlc_compile_object(apart, NULL, SCHEDULES[i / 6], &options);
        hlc_object *other = hlc_compile_object(here, NULL, SCHEDULES[i / 6], &options);
        ck_assert(one && other);
        ck_assert_uint_eq(hlc_object_length(one), hlc_object_length(other));
        ck_assert_mem_eq(hlc_object_bytes(one), hlc_object_bytes(other), hlc_object_length(one));
    }
    hlc_destroy(apart);
    hlc_destroy(here);
    expect_no_children();
}
END_TEST

START_TEST(runs_and_refuses_as_without) {
    hlc *h = load_text(SUM);
    ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
    hlc_function *f = hlc_compile_function(h, NULL, "wide", NULL);
    ck_assert_ptr_nonnull(f);
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    hlc_arguments_set(a, "a", "ramp:9");
    hlc_arguments_set_value(a, "k", hlc_int(3));
    ck_assert_int_eq(hlc_function_run(f, a), HLC_YES);
    ck_assert_int_eq(((int32_t *)hlc_arguments_output(a, 0)->data)[8], 22);
    ck_assert_int_eq(hlc_run(a, "rows", HLC_COMPILED), HLC_YES);
    hlc_destroy(h);
    h = load_text("pipeline memcpy() -> out { fun out(x) = i32(x); }");
    ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
    ck_assert_ptr_null(hlc_compile_function(h, NULL, NULL, NULL));
    ck_assert_uint_eq(hlc_diagnostic_count(h), 1);
    expect_diagnostic(h, "compiled code cannot define a function named `memcpy`");
    hlc_destroy(h);
    expect_no_children();
}
END_TEST

/* A pipeline that this handle takes and that the worker's text form does not: nothing is compiled
 * here instead, without the worker's limits. */
START_TEST(refuses_what_the_worker_cannot_read) {
    enum { OUTPUTS = 513 };
    char text[OUTPUTS * 32], *end = text + sprintf(text, "pipeline many() -> (g0");
    for (int i = 1; i < OUTPUTS; i++)
        end += sprintf(end, ", g%d", i);
    end += sprintf(end, ") {\n");
    for (int i = 0; i < OUTPUTS; i++)
        end += sprintf(end, "fun g%d() = 1;\n", i);
    sprintf(end, "}\n");
    hlc *h = hlc_create();
    ck_assert(context_set_limit(h->context, "outputs", OUTPUTS));
    ck_assert_int_eq(hlc_load_text(h, "many.hl", text, strlen(text), NULL, NULL), HLC_YES);
    ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, stderr), HLC_FAULT);
    ck_assert_uint_eq(hlc_diagnostic_count(h), 1);
    ck_assert_str_eq(hlc_diagnostic_at(h, 0).code, "E0863");
    hlc_destroy(h);
    h = hlc_create();
    ck_assert_int_eq(hlc_load_text(h, "many.hl", text, strlen(text), NULL, NULL), HLC_USER);
    expect_diagnostic(h, "a pipeline has at most 512 outputs");
    hlc_destroy(h);
    expect_no_children();
}
END_TEST

/* A program that is started in the worker's place. */
static const char *write_script(const char *text) {
    char whole[400];
    snprintf(whole, sizeof whole, "#!/bin/sh\n%s\n", text);
    const char *path = write_file(".sh", whole);
    chmod(path, 0755);
    return path;
}

static void expect_end(const char *script, hlc_status status, const char *code, const char *text) {
    int before = count_descriptors();
    hlc *h = load_text(SUM);
    ck_assert_int_eq(hlc_use_worker(h, write_script(script), 0), HLC_YES);
    FILE *nowhere = fopen("/dev/null", "w");
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), status);
    expect_diagnostic(h, code);
    expect_diagnostic(h, text);
    /* The next attempt starts another, and the handle can be used on. */
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), status);
    ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), HLC_YES);
    fclose(nowhere);
    hlc_destroy(h);
    expect_no_children();
    ck_assert_int_eq(count_descriptors(), before);
}

START_TEST(tells_how_a_worker_ends) {
    expect_end("exit 7", HLC_FAULT, "E0853", "with exit code 7");
    expect_end("kill -SEGV $$", HLC_FAULT, "E0853", "by signal 11 (Segmentation fault)");
    expect_end("echo 'assertion failed' >&2; kill -ABRT $$", HLC_FAULT, "E0853",
               "(Aborted): assertion failed");
    expect_end("echo 'LLVM ERROR: out of memory' >&2; kill -ABRT $$", HLC_WORLD, "E0854",
               "memory ran out");
    expect_end("kill -KILL $$", HLC_WORLD, "E0856",
               "was killed (signal 9), perhaps because memory ran out");
    expect_end("head -c 5 >/dev/null; echo garbage garbage garbage garbage >&0", HLC_FAULT, "E0853",
               "ended");
    expect_end("head -c 100 >/dev/null; yes 'more than any pipe holds' | head -c 1000000 >&2",
               HLC_FAULT, "E0853", "more than any pipe holds");
}
END_TEST

START_TEST(a_worker_that_takes_too_long_is_ended) {
    int before = count_descriptors();
    hlc *h = load_text(SUM);
    FILE *nowhere = fopen("/dev/null", "w");
    hlc_limit_time(h, 1);
    ck_assert_int_eq(hlc_use_worker(h, write_script("exec sleep 1000"), 0), HLC_YES);
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), HLC_WORLD);
    expect_diagnostic(h, "[E0858]");
    expect_diagnostic(h, "within 1 seconds");
    expect_no_children();
    hlc_limit_time(h, 0);
    ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
    ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), HLC_YES);
    fclose(nowhere);
    hlc_destroy(h);
    expect_no_children();
    ck_assert_int_eq(count_descriptors(), before);
}
END_TEST

START_TEST(tells_what_cannot_be_started) {
    hlc *h = load_text(SUM);
    ck_assert_int_eq(hlc_use_worker(h, "/nowhere/hlc", 0), HLC_WORLD);
    expect_diagnostic(h, "E0855");
    ck_assert_ptr_nonnull(hlc_compile_function(h, NULL, NULL, NULL)); /* in this process */
    hlc_destroy(h);
    expect_no_children();
}
END_TEST

START_TEST(memory_of_the_worker_may_run_out) {
#ifdef __SANITIZE_ADDRESS__
    return; /* its shadow memory is larger than any limit */
#endif
    hlc *h = load_text(SUM);
    FILE *nowhere = fopen("/dev/null", "w");
    /* From too little to be loaded at all to almost enough: never anything but "no memory", or in
     * the first case a program that the system cannot start. */
    int refused = 0, made = 0;
    for (size_t megabytes = 40; megabytes < 2000; megabytes += megabytes / 8) {
        hlc_use_worker(h, HLC, megabytes << 20);
        hlc_status status = hlc_compile(h, NULL, "wide", NULL, nowhere);
        ck_assert_msg(status == HLC_YES || status == HLC_WORLD, "%zu MB: %d", megabytes, status);
        refused += status == HLC_WORLD;
        made += status == HLC_YES;
    }
    ck_assert_int_gt(made, 0);
    ck_assert_int_gt(refused, 0);
    expect_diagnostic(h, "E0854");
    fclose(nowhere);
    hlc_destroy(h);
    expect_no_children();
}
END_TEST

/* Our own memory runs out at any point of a conversation. */
START_TEST(memory_of_the_host_may_run_out) {
    bool whole = false;
    int before = count_descriptors();
    FILE *nowhere = fopen("/dev/null", "w");
    for (int64_t n = 0; !whole; n += 1 + n / 9) {
        hlc *h = load_text(SUM);
        ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
        h->context->memory.fail_after = n;
        hlc_status status = hlc_compile(h, NULL, NULL, NULL, nowhere);
        ck_assert(status == HLC_YES || status == HLC_WORLD);
        h->context->memory.fail_after = -1;
        ck_assert_int_eq(hlc_compile(h, NULL, NULL, NULL, nowhere), HLC_YES);
        whole = status == HLC_YES;
        hlc_destroy(h);
    }
    fclose(nowhere);
    expect_no_children();
    ck_assert_int_eq(count_descriptors(), before);
}
END_TEST

/* A host that ignores SIGCHLD, blocks signals, has no standard input and ends on SIGPIPE. */
START_TEST(hosts_may_be_peculiar) {
    sigset_t all;
    sigfillset(&all);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_BLOCK, &all, NULL);
    close(0);
    hlc *h = load_text(SUM);
    ck_assert_int_eq(hlc_use_worker(h, HLC, 0), HLC_YES);
    ck_assert_ptr_nonnull(hlc_compile_function(h, NULL, "wide", NULL));
    ck_assert_int_eq(kill(h->worker.pid, SIGKILL), 0);
    ck_assert_ptr_null(hlc_compile_function(h, NULL, "wide", NULL));
    ck_assert_uint_eq(hlc_diagnostic_count(h), 1);
    ck_assert_ptr_nonnull(hlc_compile_function(h, NULL, "wide", NULL));
    hlc_destroy(h);
}
END_TEST

static void *compile_in_thread(void *data) {
    bool *right = data;
    hlc *h = hlc_create();
    *right = hlc_load_text(h, "sum.hl", SUM, sizeof SUM - 1, NULL, NULL) == HLC_YES &&
             hlc_use_worker(h, HLC, 0) == HLC_YES;
    for (int i = 0; i < 3; i++)
        *right = *right && hlc_compile_function(h, NULL, i % 2 ? "wide" : "rows", NULL);
    hlc_destroy(h);
    return NULL;
}

START_TEST(several_threads_have_workers) {
    pthread_t threads[4];
    bool right[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_in_thread, &right[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(right[i]);
    }
    expect_no_children();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("worker");
    tcase_add_test(cases, makes_the_same_code);
    tcase_add_test(cases, runs_and_refuses_as_without);
    tcase_add_test(cases, refuses_what_the_worker_cannot_read);
    tcase_add_test(cases, tells_how_a_worker_ends);
    tcase_add_test(cases, a_worker_that_takes_too_long_is_ended);
    tcase_add_test(cases, tells_what_cannot_be_started);
    tcase_add_test(cases, memory_of_the_worker_may_run_out);
    tcase_add_test(cases, memory_of_the_host_may_run_out);
    tcase_add_test(cases, hosts_may_be_peculiar);
    tcase_add_test(cases, several_threads_have_workers);
    tcase_set_timeout(cases, 120);
    return run_suite("library_worker", cases);
}

/* codegen_watch.c -- code that AddressSanitizer watches in a process that does not run under it:
 * right programs give the values that they always give; an element too far, before the first, or
 * that was given back ends the process, in whatever way it is touched. */
#include "compiled.h"

#include "runtime/blocks.h"

#include <signal.h>

/* f has 4 elements for each of its xo, of which there are `n`, and writes and reads where it is
 * said. */
#define PROGRAM(TRAVERSAL, MORE, WRITE, READ)                                                      \
    "pipeline p(n: i32) -> (out)\n"                                                                \
    "  func f(x): i32\n"                                                                           \
    "  func out(x): i32\n"                                                                         \
    "  allocate f: i32 [(0, index(n)*4)]\n"                                                        \
    "  compute f on [(0, index(n)*4)]\n"                                                           \
    "    for f.s0.xo in (0, index(n) + " MORE ") do\n"                                             \
    "      for f.s0.xi in (0, 4)" TRAVERSAL " do\n"                                                \
    "        f[" WRITE "] <- i32(f.s0.xi + f.s0.xo*4)\n"                                           \
    "  allocate out: i32 [(0, out.extent.0)]\n"                                                    \
    "  compute out on [(0, out.extent.0)]\n"                                                       \
    "    for out.s0.x in (0, out.extent.0) do\n"                                                   \
    "      out[out.s0.x] <- f[" READ "]\n"
#define HERE "f.s0.xi + f.s0.xo*4"

static const char *const right[] = {
    PROGRAM("", "0", HERE, "out.s0.x"),
    PROGRAM(" vectorized", "0", HERE, "out.s0.x"),
    PROGRAM(" parallel", "0", HERE, "out.s0.x"),
    PROGRAM(" unrolled", "0", HERE, "out.s0.x"),
};

static const char *const wrong[] = {
    PROGRAM("", "1", HERE, "out.s0.x"),
    PROGRAM(" vectorized", "1", HERE, "out.s0.x"),
    PROGRAM(" parallel", "1", HERE, "out.s0.x"),
    PROGRAM("", "0", HERE " + 1", "out.s0.x"),
    PROGRAM(" vectorized", "0", HERE " + 1", "out.s0.x"),
    PROGRAM("", "0", HERE " + -1", "out.s0.x"),
    PROGRAM(" vectorized", "0", HERE " + -1", "out.s0.x"),
    PROGRAM("", "0", HERE, "out.s0.x + 1"),
    PROGRAM(" vectorized", "0", HERE, "out.s0.x + -1"),
};

enum { RIGHT = sizeof right / sizeof *right, WRONG = sizeof wrong / sizeof *wrong, LEVELS = 4 };

/* n = 25; out has all of f. */
static void run(const char *text, int optimize) {
    ck_assert(codegen_watch());
    ck_assert(codegen_watch());
    ck_assert_str_eq(codegen_sanitizer_here(), "address");
    Compiled c = compile_with(text, (CodegenOptions){.optimize = optimize, .sanitize = "address"});
    Bits n = 25;
    Image out = line(I32, 0, 100);
    succeed(&c, &(Arguments){&n, NULL, &out});
    for (int64_t x = 0; x < 100; x++)
        ck_assert_int_eq(at(&out, x, 0), x);
    guarded_free(&out), discard(&c);
}

START_TEST(right_programs_run) {
    run(right[_i / LEVELS], _i % LEVELS);
}
END_TEST

START_TEST(wrong_programs_end) {
    run(wrong[_i / LEVELS], _i % LEVELS);
}
END_TEST

int main(void) {
    if (blocks_are_watched()) {
        fputs("skipped: a sanitizer is here already\n", stderr);
        return 77;
    }
    TCase *tests = tcase_create("watch");
    tcase_add_loop_test(tests, right_programs_run, 0, RIGHT * LEVELS);
    tcase_add_loop_test_raise_signal(tests, wrong_programs_end, SIGABRT, 0, WRONG * LEVELS);
    return run_suite("codegen_watch", tests);
}

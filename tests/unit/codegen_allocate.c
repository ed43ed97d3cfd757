/* codegen_allocate.c -- where allocations lie: small ones of constant size on the stack, one slot
 * for all iterations and for all that are not live at the same time; others come from the run-time
 * library, which the tests count.  A loop keeps it for its next iterations, but not where a
 * sanitizer watches. */
#include "compiled.h"

#include "runtime/blocks.h"
#include "runtime/hlc_runtime.h"

typedef struct Count {
    int taken, returned, most; /* most: live at the same time */
} Count;

static void *counted_allocate(void *user, size_t alignment, size_t size) {
    Count *count = user;
    count->taken++;
    if (count->most < count->taken - count->returned)
        count->most = count->taken - count->returned;
    ck_assert_uint_eq(alignment, 64);
    return aligned_alloc(alignment, size);
}

static void counted_free(void *user, void *block) {
    Count *count = user;
    count->returned++;
    free(block);
}

/* How often memory is taken: in each iteration where nothing is kept. */
static int if_kept(int kept, int each) {
    return blocks_are_watched() ? each : kept;
}

/* Runs a program of one i32 output on [0, n) and an i32 parameter n; how often it took memory. */
static Count run(const char *text, int optimize, int64_t n, int64_t (*wanted)(int64_t x)) {
    Count count = {0};
    Compiled c = compile(text, optimize);
    Image out = line(I32, 0, n);
    hlc_set_allocator(&(hlc_allocator){counted_allocate, counted_free, &count});
    succeed(&c, &(Arguments){&n, NULL, &out});
    hlc_set_allocator(NULL);
    for (int64_t x = 0; x < n; x++)
        ck_assert_int_eq(at(&out, x, 0), wanted(x));
    ck_assert_int_eq(count.taken, count.returned);
    guarded_free(&out), discard(&c);
    return count;
}

static int allocations(const char *text, int optimize, int64_t n, int64_t (*wanted)(int64_t x)) {
    return run(text, optimize, n, wanted).taken;
}

#define FUNCS                                                                                      \
    "pipeline p(n: i32) -> (out)\n"                                                                \
    "  func f(x): i32\n"                                                                           \
    "  func g(x): i32\n"                                                                           \
    "  func h(x): i32\n"
#define OUT                                                                                        \
    "  func out(x): i32\n"                                                                         \
    "  allocate out: i32 [(0, out.extent.0)]\n"
#define HEAD FUNCS OUT

static int64_t three_times_and_one(int64_t x) {
    return 3 * x + 1;
}

/* f and g of one size are live together; h has the place of one of them. */
static const char small[] = HEAD "  compute out on [(0, out.extent.0)]\n"
                                 "    for out.s0.x in (0, out.extent.0) do\n"
                                 "      if 0 <= out.s0.x then\n"
                                 "        allocate f: i32 [(out.s0.x, 7)]\n"
                                 "        compute f on [(out.s0.x, 7)]\n"
                                 "          for f.s0.x in (out.s0.x, 7) vectorized do\n"
                                 "            f[f.s0.x] <- i32(f.s0.x)\n"
                                 "        allocate g: i32 [(out.s0.x, 7)]\n"
                                 "        compute g on [(out.s0.x, 7)]\n"
                                 "          for g.s0.x in (out.s0.x, 7) do\n"
                                 "            g[g.s0.x] <- f[g.s0.x]*2:i32\n"
                                 "        out[out.s0.x] <- f[out.s0.x] + g[out.s0.x]\n"
                                 "      if 0 <= out.s0.x then\n"
                                 "        allocate h: i32 [(0, 7)]\n"
                                 "        compute h on [(0, 7)]\n"
                                 "          h[6] <- out[out.s0.x]\n"
                                 "        out[out.s0.x] <- h[6] + 1:i32\n";

START_TEST(small_ones_are_on_the_stack) {
    ck_assert_int_eq(allocations(small, _i, 100000, three_times_and_one), 0);
}
END_TEST

static int64_t doubled(int64_t x) {
    return 2 * x;
}

/* A length that is never more than a constant, and often less; rows of such a length. */
START_TEST(bounded_ones_are_on_the_stack) {
    static const char program[] =
        HEAD "  compute out on [(0, out.extent.0)]\n"
             "    for out.s0.xo in (0, (out.extent.0 + 15)/16) do\n"
             "      allocate f: i32 [(out.s0.xo*16, %s)]\n"
             "      compute f on [(out.s0.xo*16, min(out.extent.0 - out.s0.xo*16, 16))]\n"
             "        for f.s0.x in (out.s0.xo*16, min(out.extent.0 - out.s0.xo*16, 16)) do\n"
             "          f[f.s0.x] <- i32(f.s0.x)\n"
             "      for out.s0.xi in (0, 16) do\n"
             "        let out.s0.x in (0, out.extent.0) = out.s0.xo*16 + out.s0.xi in\n"
             "          if out.s0.x < out.extent.0 then guard\n"
             "            out[out.s0.x] <- f[out.s0.x]*2:i32\n";
    static const struct {
        const char *length;
        int kept, each;
    } cases[] = {{"min(out.extent.0 - out.s0.xo*16, 16)", 0, 0},
                 {"max(min(out.extent.0 - out.s0.xo*16, 16), 1) + 3", 0, 0},
                 {"min(16, 2048)", 0, 0},
                 {"min(out.extent.0 - out.s0.xo*16, 20) + out.s0.xo % 2029", 0, 0},
                 {"min(out.extent.0 - out.s0.xo*16, 20) + out.s0.xo % 2030", 5, 7},
                 {"max(out.extent.0 - out.s0.xo*16, 16)", 1, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, program, cases[i].length);
        ck_assert_int_eq(allocations(text, _i, 99, doubled), if_kept(cases[i].kept, cases[i].each));
    }
}
END_TEST

/* 8 KiB are the most; so many of them, in one function, are too many. */
START_TEST(large_ones_are_not) {
    static const char program[] = HEAD "  compute out on [(0, out.extent.0)]\n"
                                       "    for out.s0.x in (0, out.extent.0) do\n"
                                       "      allocate f: i32 [(0, %d)]\n"
                                       "      compute f on [(0, %d)]\n"
                                       "        f[0] <- i32(out.s0.x)\n"
                                       "        f[%d] <- i32(out.s0.x)\n"
                                       "      allocate g: i32 [(0, %d)]\n"
                                       "      compute g on [(0, %d)]\n"
                                       "        g[%d] <- f[%d]\n"
                                       "      out[out.s0.x] <- f[0] + g[%d]\n";
    static const struct {
        int f, g, kept, each;
    } cases[] = {{2048, 2048, 0, 0}, {2049, 2048, 1, 10}, {2049, 5000, 2, 20}, {1, 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        int f = cases[i].f, g = cases[i].g;
        snprintf(text, sizeof text, program, f, f, f - 1, g, g, g - 1, f - 1, g - 1);
        ck_assert_int_eq(allocations(text, _i, 10, doubled), if_kept(cases[i].kept, cases[i].each));
    }
}
END_TEST

/* Unrolled iterations share a slot: 64 times 8 KiB would be too much. */
START_TEST(iterations_share_a_slot) {
    static const char program[] =
        HEAD "  compute out on [(0, out.extent.0)]\n"
             "    for out.s0.xo in (0, out.extent.0/64) do\n"
             "      for out.s0.xi in (0, 64) unrolled do\n"
             "        allocate f: i32 [(0, 2048)]\n"
             "        compute f on [(0, 2048)]\n"
             "          f[out.s0.xi] <- i32(out.s0.xo*64 + out.s0.xi)\n"
             "        out[out.s0.xo*64 + out.s0.xi] <- f[out.s0.xi]*2:i32\n";
    ck_assert_int_eq(allocations(program, _i, 640, doubled), 0);
}
END_TEST

/* A parallel loop's body has its own; a length that is not known is memory. */
START_TEST(threads_have_their_own) {
    static const char program[] =
        HEAD "  compute out on [(0, out.extent.0)]\n"
             "    allocate g: i32 [(0, index(n))]\n"
             "    for out.s0.x in (0, out.extent.0) parallel do\n"
             "      allocate f: i32 [(out.s0.x, 100)]\n"
             "      compute f on [(out.s0.x, 100)]\n"
             "        for f.s0.x in (out.s0.x, 100) do\n"
             "          f[f.s0.x] <- i32(f.s0.x)\n"
             "      compute g on [(out.s0.x, 1)]\n"
             "        g[out.s0.x] <- f[out.s0.x]\n"
             "      out[out.s0.x] <- f[out.s0.x + 99] + g[out.s0.x] - 99:i32\n";
    ck_assert_int_eq(allocations(program, _i, 1000, doubled), 1);
}
END_TEST

/* One after the other in an iteration, longer ones in later iterations, in a loop inside: memory of
 * the first is the others' too, and is replaced where it is too short.  Behind the loop nothing is
 * left of it: k is the only one that lives. */
START_TEST(loops_keep_their_memory) {
    static const char program[] =
        FUNCS "  func k(x): i32\n" OUT "  compute out on [(0, out.extent.0)]\n"
              "    for out.s0.x in (0, out.extent.0) do\n"
              "      if 0 <= out.s0.x then\n"
              "        allocate f: i32 [(0, index(n))]\n"
              "        compute f on [(0, index(n))]\n"
              "          for f.s0.x in (0, index(n)) do\n"
              "            f[f.s0.x] <- i32(out.s0.x)\n"
              "        out[out.s0.x] <- f[index(n) - 1]\n"
              "      if 0 <= out.s0.x then\n"
              "        allocate g: i32 [(0, index(n) + out.s0.x/50*1000)]\n"
              "        compute g on [(0, index(n))]\n"
              "          for g.s0.x in (0, index(n)) do\n"
              "            allocate h: i32 [(0, index(n))]\n"
              "            compute h on [(0, index(n))]\n"
              "              h[g.s0.x] <- out[out.s0.x]\n"
              "            g[g.s0.x] <- h[g.s0.x]\n"
              "        out[out.s0.x] <- g[index(n) - 1] + g[0]\n"
              "    allocate k: i32 [(0, index(n))]\n"
              "    compute k on [(0, index(n))]\n"
              "      k[3] <- 0:i32\n"
              "    out[3] <- out[3] + k[3]\n";
    Count count = run(program, _i, 100, doubled);
    ck_assert_int_eq(count.taken, if_kept(2 + 1 + 1, 100 + 100 + 100 * 100 + 1));
    ck_assert_int_eq(count.most, 2);
}
END_TEST

/* What is on the stack needs nothing done where a failure leaves its scope. */
START_TEST(failures_pass) {
    Compiled c = compile(HEAD "  compute out on [(0, out.extent.0)]\n"
                              "    for out.s0.x in (0, out.extent.0) do\n"
                              "      allocate f: i32 [(0, 5)]\n"
                              "      allocate g: i32 [(0, index(n))]\n"
                              "      assert out.s0.x < 3 else requirement_failed(\"three\")\n"
                              "      compute f on [(0, 5)]\n"
                              "        f[1] <- n\n"
                              "      compute g on [(0, index(n))]\n"
                              "        g[0] <- f[1]\n"
                              "      out[out.s0.x] <- g[0]\n",
                         _i);
    Count count = {0};
    Image out = line(I32, 0, 9);
    hlc_set_allocator(&(hlc_allocator){counted_allocate, counted_free, &count});
    Bits n = 9;
    Outcome outcome = jit_call(c.jit, &(Arguments){&n, NULL, &out});
    hlc_set_allocator(NULL);
    ck_assert_int_eq(outcome.error, HLC_ERROR_REQUIREMENT_FAILED);
    ck_assert_int_eq(count.taken, if_kept(1, 4));
    ck_assert_int_eq(count.returned, count.taken);
    guarded_free(&out), discard(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("allocate");
    tcase_add_loop_test(cases, small_ones_are_on_the_stack, 0, 4);
    tcase_add_loop_test(cases, bounded_ones_are_on_the_stack, 0, 4);
    tcase_add_loop_test(cases, large_ones_are_not, 0, 4);
    tcase_add_loop_test(cases, iterations_share_a_slot, 0, 4);
    tcase_add_loop_test(cases, threads_have_their_own, 0, 4);
    tcase_add_loop_test(cases, loops_keep_their_memory, 0, 4);
    tcase_add_loop_test(cases, failures_pass, 0, 4);
    return run_suite("codegen_allocate", cases);
}

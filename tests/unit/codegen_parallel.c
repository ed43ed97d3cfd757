/* codegen_parallel.c -- compiled parallel loops: what is handed to threads, and that results and
 * errors are those of the serial loop.  Each test's loop index is the level of optimisation. */
#include "compiled.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- a host that counts, and runs the tasks backwards ---- */

static _Atomic int64_t loops_seen, tasks_seen;

static void run_backwards(hlc_task *task, void *state, int64_t count) {
    atomic_fetch_add(&loops_seen, 1);
    atomic_fetch_add(&tasks_seen, count);
    for (int64_t i = count; i-- > 0;)
        task(state, i);
}

static void expect_tasks(const Compiled *c, const Arguments *arguments, int64_t loops,
                         int64_t tasks) {
    hlc_set_thread_count(7);
    hlc_set_parallel_for(run_backwards);
    atomic_store(&loops_seen, 0);
    atomic_store(&tasks_seen, 0);
    succeed(c, arguments);
    hlc_set_parallel_for(NULL);
    ck_assert_int_eq(atomic_load(&loops_seen), loops);
    ck_assert_int_eq(atomic_load(&tasks_seen), tasks);
}

/* ---- spaces of iterations ---- */

#define HEAD                                                                                       \
    "pipeline p(k: i32) -> (out)\n"                                                                \
    "  func out(x, y, c): i32\n"                                                                   \
    "  allocate out: i32 [(out.min.0, out.extent.0), (out.min.1, out.extent.1), (out.min.2, "      \
    "out.extent.2)]\n"                                                                             \
    "  compute out on [(out.min.0, out.extent.0), (out.min.1, out.extent.1), (out.min.2, "         \
    "out.extent.2)]\n"
#define STORE                                                                                      \
    "out[out.s0.x, out.s0.y, out.s0.c] <- i32(out.s0.x) + i32(out.s0.y)*k + "                      \
    "i32(out.s0.c)*10000:i32\n"

#define POINT "out[out.s0.x, out.s0.y] <- i32(out.s0.x) + i32(out.s0.y)*k\n"

static Image cube(int64_t a, int64_t b, int64_t c) {
    return dense(I32, 3, (int64_t[]){-4, 5, 100}, (int64_t[]){a, b, c});
}

static void expect_values(const Image *out, int64_t k) {
    for (int64_t c = 0; c < out->extent[2]; c++)
        for (int64_t y = 0; y < out->extent[1]; y++)
            for (int64_t x = 0; x < out->extent[0]; x++) {
                int64_t point[] = {x - 4, y + 5, c + 100, 0};
                ck_assert_int_eq(bits_load(I32, image_at(out, point)),
                                 point[0] + point[1] * k + point[2] * 10000);
            }
}

static void run_cubes(const Compiled *c) {
    static const int threads[] = {1, 2, 7};
    static const int64_t extents[][3] = {{3, 2, 5}, {1, 1, 1}, {40, 9, 4}, {5, 0, 3}, {1, 70, 2}};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 5; i++) {
            hlc_set_thread_count(threads[t]);
            Image out = cube(extents[i][0], extents[i][1], extents[i][2]);
            succeed(c, &(Arguments){(Bits[]){13}, NULL, &out});
            expect_values(&out, 13);
            guarded_free(&out);
        }
}

START_TEST(three_nested_loops_are_one_space) {
    Compiled c = compile(HEAD "    for out.s0.c in (out.min.2, out.extent.2) parallel do\n"
                              "      for out.s0.y in (out.min.1, out.extent.1) parallel do\n"
                              "        for out.s0.x in (out.min.0, out.extent.0) parallel do\n"
                              "          " STORE,
                         _i);
    Image out = cube(3, 2, 5);
    expect_tasks(&c, &(Arguments){(Bits[]){7}, NULL, &out}, 1, 30);
    expect_values(&out, 7);
    guarded_free(&out);
    run_cubes(&c);
    discard(&c);
}
END_TEST

/* The loops between and around are serial; the inner parallel one is not directly inside. */
START_TEST(other_loops_inside_run_inline) {
    Compiled c = compile(HEAD "    for out.s0.c in (out.min.2, out.extent.2) parallel do\n"
                              "      for out.s0.y in (out.min.1, out.extent.1) do\n"
                              "        for out.s0.x in (out.min.0, out.extent.0) parallel do\n"
                              "          " STORE,
                         _i);
    Image out = cube(3, 2, 5);
    expect_tasks(&c, &(Arguments){(Bits[]){7}, NULL, &out}, 1, 5);
    expect_values(&out, 7);
    out.extent[2] = 1; /* nothing to share out there: the inner ones are */
    expect_tasks(&c, &(Arguments){(Bits[]){7}, NULL, &out}, 2, 6);
    expect_values(&out, 7);
    guarded_free(&out);
    run_cubes(&c);
    discard(&c);
}
END_TEST

START_TEST(bounds_that_depend_are_no_space) {
    Compiled c = compile("pipeline p() -> (out)\n"
                         "  func out(x): i32\n"
                         "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
                         "  compute out on [(out.min.0, out.extent.0)]\n"
                         "    for out.s0.o in (0, (out.extent.0 + 7)/8) parallel do\n"
                         "      for out.s0.x in (out.min.0 + out.s0.o*8, min(8, out.extent.0 - "
                         "out.s0.o*8)) parallel do\n"
                         "        out[out.s0.x] <- i32(out.s0.x)*3:i32\n",
                         _i);
    Image out = line(I32, -7, 45);
    expect_tasks(&c, &(Arguments){NULL, NULL, &out}, 1, 6);
    for (int64_t x = -7; x < 38; x++)
        ck_assert_int_eq(at(&out, x, 0), 3 * x);
    guarded_free(&out), discard(&c);
}
END_TEST

/* Two iterations write the cells in which the last ones overlap, with equal values. */
START_TEST(iterations_may_write_equal_values) {
    Compiled c = compile("pipeline p() -> (out)\n"
                         "  func out(x): i32\n"
                         "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
                         "  compute out on [(out.min.0, out.extent.0)]\n"
                         "    for out.s0.o in (0, (out.extent.0 + 15)/16) parallel do\n"
                         "      for out.s0.i in (0, 16) do\n"
                         "        let out.s0.x in (out.min.0, out.extent.0) = min(out.min.0 + "
                         "out.s0.o*16, out.min.0 + out.extent.0 - 16) + out.s0.i in\n"
                         "          out[out.s0.x] <- i32(out.s0.x)*i32(out.s0.x)\n",
                         _i);
    Image out = line(I32, 0, 1000);
    hlc_set_thread_count(7);
    for (int round = 0; round < 20; round++) {
        memset(out.data, 0xee, 4000);
        succeed(&c, &(Arguments){NULL, NULL, &out});
        for (int64_t x = 0; x < 1000; x++)
            ck_assert_int_eq(at(&out, x, 0), x * x);
    }
    guarded_free(&out), discard(&c);
}
END_TEST

/* ---- memory inside, and its failing ---- */

static _Atomic int live;
static size_t most_bytes;

static void *limited_allocate(void *user, size_t alignment, size_t size) {
    (void)user;
    if (size > most_bytes)
        return NULL;
    atomic_fetch_add(&live, 1);
    return aligned_alloc(alignment, size);
}

static void limited_free(void *user, void *block) {
    (void)user;
    atomic_fetch_sub(&live, 1);
    free(block);
}

/* Each row has two rows of its own, of which the second grows with y. */
static Compiled compile_rows(int optimize) {
    return compile("pipeline p() -> (out)\n"
                   "  func f(x): i32\n"
                   "  func g(x): i32\n"
                   "  func out(x, y): i32\n"
                   "  allocate out: i32 [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                   "  compute out on [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                   "    for out.s0.y in (out.min.1, out.extent.1) parallel do\n"
                   "      allocate f: i32 [(out.min.0, out.extent.0)]\n"
                   "      compute f on [(out.min.0, out.extent.0)]\n"
                   "        for f.s0.x in (out.min.0, out.extent.0) do\n"
                   "          f[f.s0.x] <- i32(f.s0.x) - i32(out.s0.y)\n"
                   "      allocate g: i32 [(out.min.0, out.extent.0 + out.s0.y*100)]\n"
                   "      compute g on [(out.min.0, out.extent.0)]\n"
                   "        for g.s0.x in (out.min.0, out.extent.0) do\n"
                   "          g[g.s0.x] <- f[g.s0.x]*2:i32\n"
                   "      for out.s0.x in (out.min.0, out.extent.0) do\n"
                   "        out[out.s0.x, out.s0.y] <- g[out.s0.x] + f[out.s0.x]\n",
                   optimize);
}

static void expect_rows(const Image *out) {
    for (int64_t y = 0; y < out->extent[1]; y++)
        for (int64_t x = 0; x < out->extent[0]; x++)
            ck_assert_int_eq(at(out, x, y), 3 * (x - y));
}

START_TEST(the_first_failing_iteration_is_reported) {
    static const int threads[] = {1, 2, 7};
    static const hlc_allocator limited = {limited_allocate, limited_free, NULL};
    Compiled c = compile_rows(_i);
    Image out = dense(I32, 2, (int64_t[]){0, 0}, (int64_t[]){30, 90});
    Arguments arguments = {NULL, NULL, &out};
    hlc_set_allocator(&limited);
    for (int round = 0; round < 30; round++) {
        hlc_set_thread_count(threads[round % 3]);
        most_bytes = 10000; /* 30*4 + 400 y reaches that at y = 25 */
        refuse(&c, &arguments, HLC_ERROR_OUT_OF_MEMORY, "no memory for 10120 bytes of g");
        ck_assert_int_eq(atomic_load(&live), 0);
        most_bytes = 100;
        refuse(&c, &arguments, HLC_ERROR_OUT_OF_MEMORY, "no memory for 120 bytes of f");
        ck_assert_int_eq(atomic_load(&live), 0);
        most_bytes = SIZE_MAX;
        succeed(&c, &arguments);
        expect_rows(&out);
        ck_assert_int_eq(atomic_load(&live), 0);
    }
    hlc_set_allocator(NULL);
    guarded_free(&out), discard(&c);
}
END_TEST

/* ---- host threads ---- */

static void *call_rows(void *data) {
    const Compiled *c = data;
    for (int round = 0; round < 20; round++) {
        Image out = dense(I32, 2, (int64_t[]){0, 0}, (int64_t[]){50, 40});
        Outcome outcome = jit_call(c->jit, &(Arguments){NULL, NULL, &out});
        bool is_right = outcome.error == 0;
        for (int64_t y = 0; y < 40; y++)
            for (int64_t x = 0; x < 50; x++)
                is_right &= at(&out, x, y) == 3 * (x - y);
        guarded_free(&out);
        if (!is_right)
            return "a wrong result";
    }
    return NULL;
}

static void *call_cubes(void *data) {
    const Compiled *c = data;
    for (int round = 0; round < 20; round++) {
        Image out = cube(7, 6, 5);
        Outcome outcome = jit_call(c->jit, &(Arguments){(Bits[]){round}, NULL, &out});
        bool is_right = outcome.error == 0;
        for (int64_t i = 0; i < 7 * 6 * 5; i++) {
            int64_t x = i % 7 - 4, y = i / 7 % 6 + 5, z = i / 42 + 100;
            int64_t point[] = {x, y, z, 0};
            is_right &= bits_load(I32, image_at(&out, point)) == x + y * round + z * 10000;
        }
        guarded_free(&out);
        if (!is_right)
            return "a wrong result";
    }
    return NULL;
}

static void from_four_threads(void *call(void *), Compiled *c) {
    static const int threads[] = {2, 7};
    for (int t = 0; t < 2; t++) {
        pthread_t hosts[4];
        hlc_set_thread_count(threads[t]);
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(pthread_create(&hosts[i], NULL, call, c), 0);
        for (int i = 0; i < 4; i++) {
            void *fault;
            pthread_join(hosts[i], &fault);
            ck_assert_msg(!fault, "%s", (const char *)fault);
        }
    }
}

START_TEST(four_host_threads_call_one_pipeline) {
    Compiled c = compile_rows(_i);
    from_four_threads(call_rows, &c);
    discard(&c);
}
END_TEST

/* Three levels deep, the bounds of each depending on the loop around: no common space. */
START_TEST(four_host_threads_call_three_levels) {
    Compiled c = compile(
        HEAD "    for out.s0.c in (out.min.2, out.extent.2) parallel do\n"
             "      for out.s0.y in (out.min.1 + out.s0.c - out.s0.c, out.extent.1) parallel do\n"
             "        for out.s0.x in (out.min.0 + out.s0.y - out.s0.y, out.extent.0) parallel do\n"
             "          " STORE,
        _i);
    from_four_threads(call_cubes, &c);
    discard(&c);
}
END_TEST

/* ---- little work runs inline ---- */

typedef struct WorkCase {
    const char *body; /* of the loop over y, which is parallel */
    int64_t width, height;
    int64_t tasks; /* 0: it runs inline */
} WorkCase;

/* A point takes 5 operations (two casts, a product, a sum, a store); 20000 are worth 7 threads. */
#define ALONG_X "      for out.s0.x in (out.min.0, out.extent.0) do\n"
static const WorkCase work_cases[] = {
    {ALONG_X "        " POINT, 50, 79, 0},
    {ALONG_X "        " POINT, 50, 80, 56},
    {ALONG_X "        " POINT, 400, 10, 10},
    {ALONG_X "        " POINT, 0, 1000, 0},
    /* eight lanes take as long as one: (16/8 + 1)*(5 + 5 for the let) a vector */
    {"      for out.s0.x_o in (0, (out.extent.0 + 15)/16) do\n"
     "        for out.s0.x_v in (0, 16) vectorized do\n"
     "          let out.s0.x in (out.min.0, out.extent.0) = out.min.0 + min(out.s0.x_o*16, "
     "out.extent.0 - 16) + out.s0.x_v in\n"
     "            " POINT,
     64, 166, 0},
    {"      for out.s0.x_o in (0, (out.extent.0 + 15)/16) do\n"
     "        for out.s0.x_v in (0, 16) vectorized do\n"
     "          let out.s0.x in (out.min.0, out.extent.0) = out.min.0 + min(out.s0.x_o*16, "
     "out.extent.0 - 16) + out.s0.x_v in\n"
     "            " POINT,
     64, 167, 56},
    /* a length that only the iteration knows, at most 64 */
    {"      for out.s0.x in (out.min.0, min(out.extent.0, min(64, 20 + out.s0.y))) do\n"
     "        " POINT,
     5, 57, 0},
    {"      for out.s0.x in (out.min.0, min(out.extent.0, min(64, 20 + out.s0.y))) do\n"
     "        " POINT,
     5, 70, 56},
    /* one that has no limit */
    {"      for out.s0.x in (out.min.0, min(out.extent.0, 20 + out.s0.y)) do\n"
     "        " POINT,
     5, 3, 3},
};

START_TEST(little_work_runs_inline) {
    char text[2000];
    for (size_t i = 0; i < sizeof work_cases / sizeof *work_cases; i++) {
        const WorkCase *row = &work_cases[i];
        snprintf(text, sizeof text,
                 "pipeline p(k: i32) -> (out)\n"
                 "  func out(x, y): i32\n"
                 "  allocate out: i32 [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                 "  compute out on [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                 "    for out.s0.y in (out.min.1, out.extent.1) parallel do\n%s",
                 row->body);
        Compiled c = compile(text, _i);
        Image out = dense(I32, 2, (int64_t[]){0, 0}, (int64_t[]){row->width, row->height});
        hlc_set_dispatch_work(-1);
        expect_tasks(&c, &(Arguments){(Bits[]){7}, NULL, &out}, row->tasks > 0, row->tasks);
        hlc_set_dispatch_work(0);
        for (int64_t y = 0; y < row->height; y++)
            for (int64_t x = 0; x < row->width; x++)
                ck_assert_int_eq(at(&out, x, y), x + y * 7);
        guarded_free(&out), discard(&c);
    }
}
END_TEST

int main(void) {
    hlc_set_dispatch_work(0); /* as little as it is */
    TCase *cases = tcase_create("parallel");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, three_nested_loops_are_one_space, 0, 4);
    tcase_add_loop_test(cases, other_loops_inside_run_inline, 0, 4);
    tcase_add_loop_test(cases, bounds_that_depend_are_no_space, 0, 4);
    tcase_add_loop_test(cases, iterations_may_write_equal_values, 0, 4);
    tcase_add_loop_test(cases, the_first_failing_iteration_is_reported, 0, 4);
    tcase_add_loop_test(cases, four_host_threads_call_one_pipeline, 0, 4);
    tcase_add_loop_test(cases, four_host_threads_call_three_levels, 0, 4);
    tcase_add_loop_test(cases, little_work_runs_inline, 0, 4);
    return run_suite("codegen_parallel", cases);
}

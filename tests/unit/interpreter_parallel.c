/* interpreter_parallel.c -- the target interpreter runs parallel loops in every order that a seed
 * says, and finds their races. */
#include "run_support.h"
#include "suite.h"

/* Whatever the order, each iteration of a parallel loop runs once; one that leaves the memory is
 * come to first or last. */
START_TEST(parallel_loops_run_in_the_order_asked_for) {
    for (int order = RUN_FORWARD; order <= RUN_BACKWARD; order++) {
        Fixture f = fixture_create(1);
        allocate_out(&f);
        Pool *pool = f.bench.pool;
        Stmt *loop = put_loop(&f, top(&f), "i", number(&f, 0), number(&f, 4));
        loop->loop.traversal = TRAVERSE_PARALLEL;
        Expr i = bench_variable(&f.bench, "i");
        put_value(&f, &loop->loop.body, f.out->shape, i, expr_cast(pool, I32, i));
        Stmt *last = put_if(&f, &loop->loop.body, expr_eq(pool, i, number(&f, 2)));
        put_value(&f, &last->branch.body, f.out->shape, number(&f, 99), value(&f, 1));
        f.options.order = (RunOrder)order;
        f.options.budget = 10;
        /* Statements: allocate, loop, and store, if, next for each iteration before i = 2. */
        Outcome outcome = run_window(&f);
        if (order == RUN_FORWARD)
            ck_assert_int_eq(outcome.error, HLC_ERROR_BUDGET);
        else
            assert_internal(&outcome, "written at 99");
        fixture_destroy(&f);
    }
}
END_TEST

/* for i in (0, 4) parallel: for j in (0, 3) vectorized: for k in (0, 2) parallel:
 *   allocate g; g[0] <- 6*i + 2*j + k; out[6*i + 2*j + k] <- g[0]
 * Each of the 24 iterations runs once, with its own memory. */
static int run_nested(uint64_t seed, int64_t budget) {
    Fixture f = fixture_create(1);
    Func *g = bench_func(&f.bench, "g", "x", I32);
    f.program = program_create(f.bench.pool, f.bench.arena, &f.bench.pipeline->signature);
    Pool *pool = f.bench.pool;
    put_allocate(&f, top(&f), f.out->shape, number(&f, 0), number(&f, 24));
    static const char *const names[] = {"i", "j", "k"};
    static const int64_t lengths[] = {4, 3, 2};
    Block *block = top(&f);
    Expr place = number(&f, 0);
    for (int n = 0; n < 3; n++) {
        Stmt *loop = put_loop(&f, block, names[n], number(&f, 0), number(&f, lengths[n]));
        loop->loop.traversal = n == 1 ? TRAVERSE_VECTORIZED : TRAVERSE_PARALLEL;
        Expr scaled = expr_mul(pool, place, number(&f, lengths[n]));
        place = expr_add(pool, scaled, bench_variable(&f.bench, names[n]));
        block = &loop->loop.body;
    }
    put_allocate(&f, block, g->shape, number(&f, 0), number(&f, 1));
    put_value(&f, block, g->shape, number(&f, 0), expr_cast(pool, I32, place));
    put_value(&f, block, f.out->shape, place, bench_call1(&f.bench, "g", number(&f, 0)));
    f.options = (RunOptions){.seed = seed, .order = RUN_INTERLEAVED, .budget = (uint64_t)budget};
    ck_assert(image_allocate(&f.output, I32, 1, (int64_t[]){0}, (int64_t[]){24}));
    Outcome outcome = run(&f, &f.output);
    for (int n = 0; n < 24 && !outcome.error; n++)
        ck_assert_int_eq(out_at(&f, n), n);
    int error = outcome.error;
    fixture_destroy(&f);
    return error;
}

START_TEST(nested_parallel_loops_interleave) {
    for (uint64_t seed = 0; seed < 200; seed++)
        ck_assert_int_eq(run_nested(seed, 0), HLC_SUCCESS);
    ck_assert_int_eq(run_nested(1, 20), HLC_ERROR_BUDGET);
}
END_TEST

/* for i in (0, 4) parallel: g[0] <- i; out[i] <- g[0], where all share g: the seeds come to
 * different races first, the same seed always to the same one. */
START_TEST(a_seed_is_an_interleaving) {
    char first[512] = "";
    bool differs = false;
    for (uint64_t seed = 0; seed < 40; seed++) {
        char messages[2][512];
        for (int again = 0; again < 2; again++) {
            Fixture f = fixture_create(1);
            Func *g = bench_func(&f.bench, "g", "x", I32);
            f.program = program_create(f.bench.pool, f.bench.arena, &f.bench.pipeline->signature);
            allocate_out(&f);
            put_allocate(&f, top(&f), g->shape, number(&f, 0), number(&f, 1));
            Stmt *loop = put_loop(&f, top(&f), "i", number(&f, 0), number(&f, 4));
            loop->loop.traversal = TRAVERSE_PARALLEL;
            Expr i = bench_variable(&f.bench, "i"), zero = number(&f, 0);
            put_value(&f, &loop->loop.body, g->shape, zero, expr_cast(f.bench.pool, I32, i));
            put_value(&f, &loop->loop.body, f.out->shape, i, bench_call1(&f.bench, "g", zero));
            f.options = (RunOptions){.seed = seed, .order = RUN_INTERLEAVED};
            Outcome outcome = run_window(&f);
            assert_internal(&outcome, ": a race");
            memcpy(messages[again], outcome.message, sizeof messages[again]);
            fixture_destroy(&f);
        }
        ck_assert_str_eq(messages[0], messages[1]);
        differs |= seed > 0 && strcmp(first, messages[0]) != 0;
        memcpy(first, messages[0], sizeof first);
    }
    ck_assert(differs);
}
END_TEST

/* for i in (0, 4) parallel: out[index] <- filling */
static Outcome run_parallel(Traversal traversal, RunOrder order, bool reads, bool equal) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    Pool *pool = f.bench.pool;
    fill_out(&f, top(&f), "j", value(&f, 0));
    Stmt *loop = put_loop(&f, top(&f), "i", number(&f, 0), number(&f, 4));
    loop->loop.traversal = traversal;
    Expr i = bench_variable(&f.bench, "i");
    Expr next = expr_mod(pool, expr_add(pool, i, number(&f, 1)), number(&f, 4));
    if (reads)
        put_value(&f, &loop->loop.body, f.out->shape, i, bench_call1(&f.bench, "out", next));
    else
        put_value(&f, &loop->loop.body, f.out->shape, number(&f, 0),
                  equal ? value(&f, 7) : expr_cast(pool, I32, i));
    f.options.order = order;
    Outcome outcome = run_window(&f);
    fixture_destroy(&f);
    return outcome;
}

START_TEST(races_are_found) {
    Traversal traversals[] = {TRAVERSE_PARALLEL, TRAVERSE_VECTORIZED};
    for (int t = 0; t < 2; t++)
        for (int order = RUN_FORWARD; order <= RUN_INTERLEAVED; order++) {
            Outcome outcome = run_parallel(traversals[t], (RunOrder)order, false, false);
            assert_internal(&outcome, ", and written otherwise in iteration ");
            outcome = run_parallel(traversals[t], (RunOrder)order, true, false);
            assert_internal(&outcome, ": a race, in the store to out");
            outcome = run_parallel(traversals[t], (RunOrder)order, false, true);
            ck_assert_int_eq(outcome.error, HLC_SUCCESS);
        }
    ck_assert_int_eq(run_parallel(TRAVERSE_SERIAL, RUN_BACKWARD, false, false).error, HLC_SUCCESS);
    ck_assert_int_eq(run_parallel(TRAVERSE_UNROLLED, RUN_BACKWARD, true, false).error, HLC_SUCCESS);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("run_parallel");
    tcase_add_test(tests, parallel_loops_run_in_the_order_asked_for);
    tcase_add_test(tests, nested_parallel_loops_interleave);
    tcase_add_test(tests, a_seed_is_an_interleaving);
    tcase_add_test(tests, races_are_found);
    return run_suite("interpreter_parallel", tests);
}

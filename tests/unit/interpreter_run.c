/* interpreter_run.c -- the target interpreter does what each row of the table in semantics.md, section 3,
 * says, and ends where the theorems say that it never comes to that. */
#include "run_support.h"
#include "suite.h"

#include <time.h>

START_TEST(loops_stores_and_images) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    Expr x = bench_variable(&f.bench, "i");
    Expr read = expr_cast(f.bench.pool, I32, bench_call1(&f.bench, "in", x));
    fill_out(&f, top(&f), "i", expr_add(f.bench.pool, read, f.p));
    ck_assert_int_eq(run_window(&f).error, HLC_SUCCESS);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(out_at(&f, i), 10 * i + 7);
    fixture_destroy(&f);
}
END_TEST

START_TEST(a_false_assertion_gives_its_error_with_numbers) {
    Fixture f = fixture_create(1);
    Stmt *assertion = put(&f, top(&f), STMT_ASSERT);
    assertion->assertion.condition = expr_lt(f.bench.pool, f.p, value(&f, 5));
    assertion->assertion.error = HLC_ERROR_SPLIT_FACTOR;
    assertion->assertion.subject = "out.x";
    assertion->assertion.operands = arena_array(f.bench.arena, Expr, 1);
    assertion->assertion.operands[0] = expr_cast(f.bench.pool, INDEX, f.p);
    assertion->assertion.operand_count = 1;
    allocate_out(&f);
    fill_out(&f, top(&f), "i", value(&f, 1));
    Outcome outcome = run_window(&f);
    ck_assert_int_eq(outcome.error, HLC_ERROR_SPLIT_FACTOR);
    ck_assert_str_eq(outcome.message, "the factor of out.x is 7; it must lie in 1..2147483647");
    ck_assert_int_eq(out_at(&f, 0), 0); /* nothing was written */
    f.parameters[0] = 4;
    ck_assert_int_eq(run_window(&f).error, HLC_SUCCESS);
    ck_assert_int_eq(out_at(&f, 0), 1);
    fixture_destroy(&f);
}
END_TEST

START_TEST(an_if_takes_one_branch) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    Stmt *loop = put_loop(&f, top(&f), "i", number(&f, 0), number(&f, 4));
    Expr i = bench_variable(&f.bench, "i");
    Stmt *outer = put_if(&f, &loop->loop.body, expr_lt(f.bench.pool, i, number(&f, 3)));
    Stmt *inner = put_if(&f, &outer->branch.body, expr_lt(f.bench.pool, i, number(&f, 1)));
    put_value(&f, &inner->branch.body, f.out->shape, i, value(&f, 10));
    put_value(&f, &inner->branch.otherwise, f.out->shape, i, value(&f, 20));
    put(&f, &outer->branch.otherwise, STMT_NOP);
    put_value(&f, &outer->branch.otherwise, f.out->shape, i, value(&f, 30));
    ck_assert_int_eq(run_window(&f).error, HLC_SUCCESS);
    int expected[] = {10, 20, 20, 30};
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(out_at(&f, k), expected[k]);
    fixture_destroy(&f);
}
END_TEST

START_TEST(a_let_binds_and_an_empty_loop_does_nothing) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    Stmt *let = put(&f, top(&f), STMT_LET);
    let->let.binder = context_symbol(f.bench.context, "v");
    let->let.value = expr_mul(f.bench.pool, f.p, f.p);
    Expr v = expr_variable(f.bench.pool, let->let.binder, I32);
    fill_out(&f, &let->let.body, "i", v);
    Stmt *empty = put_loop(&f, &let->let.body, "j", number(&f, 0), number(&f, 0));
    put_value(&f, &empty->loop.body, f.out->shape, number(&f, 99), v);
    ck_assert_int_eq(run_window(&f).error, HLC_SUCCESS);
    ck_assert_int_eq(out_at(&f, 3), 49);
    fixture_destroy(&f);
}
END_TEST

START_TEST(a_negative_length_is_an_error) {
    for (int pure = 0; pure < 2; pure++) {
        Fixture f = fixture_create(1);
        allocate_out(&f);
        Stmt *loop = put_loop(&f, top(&f), "i", number(&f, 0), number(&f, -3));
        loop->loop.pure = pure;
        Outcome outcome = run_window(&f);
        ck_assert_int_eq(outcome.error, pure ? HLC_ERROR_INTERNAL : HLC_ERROR_RDOM_LENGTH);
        if (!pure)
            ck_assert_str_eq(outcome.message, "reduction domain i has length -3");
        fixture_destroy(&f);
    }
    Fixture f = fixture_create(1);
    put_allocate(&f, top(&f), f.out->shape, number(&f, 0), number(&f, -1));
    Outcome outcome = run_window(&f);
    assert_internal(&outcome, "the length of dimension 0 is -1, in allocate out");
    fixture_destroy(&f);
}
END_TEST

START_TEST(no_access_outside_memory) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    put_value(&f, top(&f), f.out->shape, number(&f, 4), value(&f, 1));
    Outcome outcome = run_window(&f);
    assert_internal(&outcome, "out is written at 4 in dimension 0, outside its memory (0, 4), in "
                              "the store to out in stage 0");
    fixture_destroy(&f);

    f = fixture_create(1);
    allocate_out(&f);
    put_value(&f, top(&f), f.out->shape, number(&f, 0),
              bench_call1(&f.bench, "out", number(&f, -1)));
    outcome = run_window(&f);
    assert_internal(&outcome, "out is read at -1 in dimension 0");
    fixture_destroy(&f);

    f = fixture_create(1);
    allocate_out(&f);
    put_value(&f, top(&f), f.out->shape, number(&f, 0),
              expr_cast(f.bench.pool, I32, bench_call1(&f.bench, "in", number(&f, 4))));
    outcome = run_window(&f);
    assert_internal(&outcome, "in is read at 4 in dimension 0, outside its extent (0, 4)");
    fixture_destroy(&f);

    f = fixture_create(1);
    put_value(&f, top(&f), f.out->shape, number(&f, 0), value(&f, 1));
    outcome = run_window(&f);
    assert_internal(&outcome, "outside the scope of its memory");
    fixture_destroy(&f);

    f = fixture_create(1);
    put_allocate(&f, top(&f), f.out->shape, number(&f, 1), number(&f, 3));
    outcome = run_window(&f);
    assert_internal(&outcome, "the window reaches 0 in dimension 0, outside the memory of out");
    fixture_destroy(&f);
}
END_TEST

/* allocate g; for i: out[i] <- g[i] */
static Func *copy_of_unwritten(Fixture *f, Block *block) {
    Func *g = bench_func(&f->bench, "g", "x", I32);
    f->program = program_create(f->bench.pool, f->bench.arena, &f->bench.pipeline->signature);
    block = block ? block : top(f);
    allocate_out(f);
    put_allocate(f, block, g->shape, number(f, 0), number(f, 4));
    return g;
}

START_TEST(memory_never_written_does_not_reach_the_window) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    put_value(&f, top(&f), f.out->shape, number(&f, 0), value(&f, 1));
    Outcome outcome = run_window(&f);
    assert_internal(&outcome, "out(1) of the window was never written");
    fixture_destroy(&f);

    f = fixture_create(1);
    copy_of_unwritten(&f, NULL);
    Expr i = bench_variable(&f.bench, "i");
    fill_out(&f, top(&f), "i", expr_add(f.bench.pool, bench_call1(&f.bench, "g", i), value(&f, 1)));
    outcome = run_window(&f);
    assert_internal(&outcome, "out(0) of the window was never written");
    fixture_destroy(&f);
}
END_TEST

START_TEST(memory_never_written_decides_nothing) {
    const char *messages[] = {"the condition depends on memory never written",
                              "a write index depends on memory never written",
                              "a bound depends on memory never written",
                              "the condition depends on memory never written"};
    for (int kind = 0; kind < 4; kind++) {
        Fixture f = fixture_create(1);
        copy_of_unwritten(&f, NULL);
        Pool *pool = f.bench.pool;
        Expr g0 = bench_call1(&f.bench, "g", number(&f, 0)), index = expr_cast(pool, INDEX, g0);
        if (kind == 0)
            put_if(&f, top(&f), expr_lt(pool, g0, value(&f, 0)));
        else if (kind == 1)
            put_value(&f, top(&f), f.out->shape, index, value(&f, 0));
        else if (kind == 2)
            put_loop(&f, top(&f), "i", number(&f, 0), index);
        else
            put(&f, top(&f), STMT_ASSERT)->assertion.condition = expr_lt(pool, g0, value(&f, 0));
        Outcome outcome = run_window(&f);
        assert_internal(&outcome, messages[kind]);
        fixture_destroy(&f);
    }
}
END_TEST

/* Over-computed points may hold anything; points inside the compute bounds may not. */
START_TEST(unwritten_values_stay_outside_the_compute_bounds) {
    for (int length = 0; length <= 2; length += 2) {
        Fixture f = fixture_create(1);
        Func *h = bench_func(&f.bench, "h", "x", I32);
        Func *g = copy_of_unwritten(&f, NULL);
        (void)g;
        put_allocate(&f, top(&f), h->shape, number(&f, 0), number(&f, 4));
        Block *body = put_compute(&f, top(&f), h->shape, number(&f, 0), number(&f, length));
        put_value(&f, body, h->shape, number(&f, 1), bench_call1(&f.bench, "g", number(&f, 0)));
        fill_out(&f, top(&f), "i", value(&f, 5));
        Outcome outcome = run_window(&f);
        if (length)
            assert_internal(&outcome, "a value written inside the compute bounds");
        else
            ck_assert_int_eq(outcome.error, HLC_SUCCESS);
        fixture_destroy(&f);
    }
}
END_TEST

/* for i in (0, 4): allocate g; (if i == 0 then g[0] <- 1); out[i] <- g[0] */
START_TEST(memory_allocated_in_an_iteration_is_fresh_in_each) {
    Fixture f = fixture_create(1);
    Func *g = bench_func(&f.bench, "g", "x", I32);
    f.program = program_create(f.bench.pool, f.bench.arena, &f.bench.pipeline->signature);
    allocate_out(&f);
    Stmt *loop = put_loop(&f, top(&f), "i", number(&f, 0), number(&f, 4));
    Expr i = bench_variable(&f.bench, "i");
    put_allocate(&f, &loop->loop.body, g->shape, number(&f, 0), number(&f, 1));
    Stmt *first = put_if(&f, &loop->loop.body, expr_eq(f.bench.pool, i, number(&f, 0)));
    put_value(&f, &first->branch.body, g->shape, number(&f, 0), value(&f, 1));
    put_value(&f, &loop->loop.body, f.out->shape, i, bench_call1(&f.bench, "g", number(&f, 0)));
    Outcome outcome = run_window(&f);
    assert_internal(&outcome, "out(1) of the window was never written");
    fixture_destroy(&f);
}
END_TEST

/* out[0] <- {1, 2}; out[0] <- {out[0].1, out[0].0} */
START_TEST(components_are_evaluated_before_any_is_written) {
    Fixture f = fixture_create(2);
    put_allocate(&f, top(&f), f.out->shape, number(&f, 0), number(&f, 1));
    Expr zero = number(&f, 0);
    Symbol out = f.out->shape->name;
    put_store(&f, top(&f), f.out->shape, zero, (Expr[]){value(&f, 1), value(&f, 2)});
    put_store(&f, top(&f), f.out->shape, zero,
              (Expr[]){expr_access(f.bench.pool, out, 1, I32, &zero, 1),
                       expr_access(f.bench.pool, out, 0, I32, &zero, 1)});
    Image outputs[2];
    for (int c = 0; c < 2; c++)
        ck_assert(image_allocate(&outputs[c], I32, 1, (int64_t[]){0}, (int64_t[]){1}));
    ck_assert_int_eq(run(&f, outputs).error, HLC_SUCCESS);
    ck_assert_int_eq(*(int32_t *)(void *)outputs[0].data, 2);
    ck_assert_int_eq(*(int32_t *)(void *)outputs[1].data, 1);
    free(outputs[0].data);
    free(outputs[1].data);
    fixture_destroy(&f);
}
END_TEST

START_TEST(index_arithmetic_that_leaves_64_bits_is_refused) {
    for (int reading = RUN_TOTAL; reading <= RUN_STRICT; reading++) {
        Fixture f = fixture_create(1);
        f.options.reading = (RunReading)reading;
        allocate_out(&f);
        Expr p = expr_cast(f.bench.pool, INDEX, f.p), huge = number(&f, INT64_MAX);
        put_value(&f, top(&f), f.out->shape, expr_add(f.bench.pool, p, huge), value(&f, 1));
        ck_assert_int_eq(run_window(&f).error, HLC_ERROR_INDEX_RANGE);
        fixture_destroy(&f);
    }
}
END_TEST

START_TEST(budgets_end_a_run) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    fill_out(&f, top(&f), "i", value(&f, 1));
    f.options.budget = 5;
    Outcome outcome = run_window(&f);
    ck_assert_int_eq(outcome.error, HLC_ERROR_BUDGET);
    ck_assert_str_eq(outcome.message, "test was stopped after 5 statements");
    f.options = (RunOptions){.memory_limit = 8};
    ck_assert_int_eq(run_window(&f).error, HLC_ERROR_OUT_OF_MEMORY);
    fixture_destroy(&f);

    f = fixture_create(1);
    put_allocate(&f, top(&f), f.out->shape, number(&f, 0), number(&f, INT64_MAX));
    ck_assert_int_eq(run_window(&f).error, HLC_ERROR_OUT_OF_MEMORY);
    fixture_destroy(&f);
}
END_TEST

START_TEST(the_window_is_copied_by_its_strides) {
    Fixture f = fixture_create(1);
    allocate_out(&f);
    fill_out(&f, top(&f), "i", expr_cast(f.bench.pool, I32, bench_variable(&f.bench, "i")));
    int32_t memory[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    Image window = {.type = I32, .dimensions = 1, .minimum = {1}, .extent = {2}, .stride = {3}};
    window.data = (unsigned char *)memory;
    ck_assert_int_eq(run(&f, &window).error, HLC_SUCCESS);
    int32_t expected[8] = {1, -1, -1, 2, -1, -1, -1, -1};
    ck_assert_mem_eq(memory, expected, sizeof memory);
    fixture_destroy(&f);
}
END_TEST

/* ---- a whole pipeline ---- */

START_TEST(blur_computes_the_blur) {
    enum { W = 3, SIZE = 100 };
    Bench bench = bench_blur();
    Program *program = lower_initial(bench.pipeline, bench.arena);
    bench_fill_blur(&bench, program);

    Image input, output;
    ck_assert(image_allocate(&input, U8, 2, (int64_t[]){-W, -W},
                             (int64_t[]){SIZE + 2 * W, SIZE + 2 * W}));
    ck_assert(image_allocate(&output, I32, 2, (int64_t[]){0, 0}, (int64_t[]){SIZE, SIZE}));
    for (int i = 0; i < (SIZE + 2 * W) * (SIZE + 2 * W); i++)
        input.data[i] = (unsigned char)(i * 37 % 251);
    Arguments arguments = {.parameters = (Bits[]){W}, .images = &input, .outputs = &output};
    clock_t start = clock();
    Outcome outcome = run_program(program, bench.arena, &arguments, &(RunOptions){.seed = 1});
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_msg(outcome.error == HLC_SUCCESS, "%s", outcome.message);
    ck_assert_double_lt(seconds, 5.0); /* under the sanitizers */
    for (int64_t y = 0; y < SIZE; y++)
        for (int64_t x = 0; x < SIZE; x++) {
            int32_t sum = 0;
            for (int64_t s = -W; s <= W; s++)
                for (int64_t r = -W; r <= W; r++)
                    sum += *image_at(&input, (int64_t[]){x + r, y + s});
            ck_assert_int_eq(bits_load(I32, image_at(&output, (int64_t[]){x, y})), sum);
        }
    free(input.data);
    free(output.data);
    bench_destroy(&bench);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("run");
    tcase_add_test(tests, loops_stores_and_images);
    tcase_add_test(tests, a_false_assertion_gives_its_error_with_numbers);
    tcase_add_test(tests, an_if_takes_one_branch);
    tcase_add_test(tests, a_let_binds_and_an_empty_loop_does_nothing);
    tcase_add_test(tests, a_negative_length_is_an_error);
    tcase_add_test(tests, no_access_outside_memory);
    tcase_add_test(tests, memory_never_written_does_not_reach_the_window);
    tcase_add_test(tests, memory_never_written_decides_nothing);
    tcase_add_test(tests, unwritten_values_stay_outside_the_compute_bounds);
    tcase_add_test(tests, memory_allocated_in_an_iteration_is_fresh_in_each);
    tcase_add_test(tests, components_are_evaluated_before_any_is_written);
    tcase_add_test(tests, index_arithmetic_that_leaves_64_bits_is_refused);
    tcase_add_test(tests, budgets_end_a_run);
    tcase_add_test(tests, the_window_is_copied_by_its_strides);
    tcase_add_test(tests, blur_computes_the_blur);
    return run_suite("interpreter_run", tests);
}

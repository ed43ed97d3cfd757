/* reference_recurrence.c -- recurrences in the reference interpreter, on algorithms built by hand:
 * values, laziness, depth, what lies outside of the domain, and cycles, which the front end
 * refuses.
 */
#include "checkers/reference/engine/reference.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/pipelines.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define FROM(...) ((int64_t[]){__VA_ARGS__})

/* ---- making them ---- */

static Recurrence *recurrence_of(Bench *bench) {
    Recurrence *recurrence = arena_new(bench->arena, Recurrence);
    vec_push(bench->arena, &bench->pipeline->recurrences, recurrence);
    return recurrence;
}

static void add_variable(Bench *bench, Recurrence *recurrence, const char *name, int64_t minimum,
                         int64_t length) {
    ReductionVariable variable = {
        .variable = context_symbol(bench->context, name),
        .interval = {expr_index(bench->pool, minimum), expr_index(bench->pool, length)}};
    vec_push(bench->arena, &recurrence->domain, variable);
}

static Func *equation(Bench *bench, Recurrence *recurrence, const char *name,
                      const char *variables) {
    Func *func = bench_func(bench, name, variables, I64);
    func->recurrence = recurrence;
    vec_push(bench->arena, &recurrence->funcs, func);
    return func;
}

/* The only one of a recurrence over i in [0, length). */
static Func *only_equation(Bench *bench, const char *name, int64_t length) {
    Recurrence *recurrence = recurrence_of(bench);
    add_variable(bench, recurrence, "i", 0, length);
    return equation(bench, recurrence, name, "i");
}

static Expr back(Bench *bench, const char *variable, int64_t steps) {
    return expr_sub(bench->pool, bench_variable(bench, variable), expr_index(bench->pool, steps));
}

static Expr number(Bench *bench, int64_t value) {
    return expr_constant(bench->pool, I64, value);
}

static Expr is_first(Bench *bench, const char *variable) {
    return expr_le(bench->pool, bench_variable(bench, variable), expr_index(bench->pool, 0));
}

static Expr value_of(Bench *bench, const char *variable) {
    return expr_cast(bench->pool, I64, bench_variable(bench, variable));
}

/* One point of a func, or the refusal. */
static Outcome ask(Bench *bench, Image *images, const char *name, const int64_t *point,
                   int64_t *value, ReferenceReads *reads, bool formal) {
    Image window = {0};
    Arguments arguments = {NULL, images, &window};
    ReferenceOptions options = {.formal = formal};
    Arena *arena = arena_create(&bench->context->memory);
    Value values[4];
    ReferenceReads inner = {0};
    Outcome outcome =
        reference_point(bench->pipeline, arena, &arguments, &options,
                        context_symbol(bench->context, name), point, values, reads ? &inner : NULL);
    *value = formal ? values[0].error : values[0].bits;
    for (size_t i = 0; i < inner.length; i++)
        vec_push(bench->arena, reads, inner.data[i]);
    arena_destroy(arena);
    return outcome;
}

static int64_t value_at(Bench *bench, const char *name, const int64_t *point) {
    int64_t value = 0;
    Outcome outcome = ask(bench, NULL, name, point, &value, NULL, false);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    return value;
}

/* f(i) = select(i <= 0, i, f(i - 1) + i), over [minimum, minimum + length). */
static Bench running_sum(int64_t minimum, int64_t length) {
    Bench bench = bench_create("sum");
    Recurrence *recurrence = recurrence_of(&bench);
    add_variable(&bench, recurrence, "i", minimum, length);
    Func *f = equation(&bench, recurrence, "f", "i");
    bench_pure(&bench, f,
               expr_select(bench.pool, is_first(&bench, "i"), value_of(&bench, "i"),
                           expr_add(bench.pool, bench_call1(&bench, "f", back(&bench, "i", 1)),
                                    value_of(&bench, "i"))));
    bench_output(&bench, f);
    return bench;
}

/* ---- values ---- */

START_TEST(ten_million_points_deep) {
    Bench bench = running_sum(0, 10000000);
    ck_assert_int_eq(value_at(&bench, "f", FROM(9999999)), 9999999 * 5000000LL);
    bench_destroy(&bench);
}
END_TEST

START_TEST(outside_of_the_domain_it_is_zero) {
    Bench bench = running_sum(-2, 7);
    ck_assert_int_eq(value_at(&bench, "f", FROM(-3)), 0);
    ck_assert_int_eq(value_at(&bench, "f", FROM(-2)), -2);
    ck_assert_int_eq(value_at(&bench, "f", FROM(4)), 10);
    ck_assert_int_eq(value_at(&bench, "f", FROM(5)), 0);
    bench_destroy(&bench);
    bench = running_sum(0, 0);
    ck_assert_int_eq(value_at(&bench, "f", FROM(0)), 0);
    bench_destroy(&bench);
    bench = running_sum(0, -1);
    int64_t value;
    Outcome outcome = ask(&bench, NULL, "f", FROM(0), &value, NULL, false);
    ck_assert_int_eq(outcome.error, HLC_ERROR_RDOM_LENGTH);
    bench_destroy(&bench);
}
END_TEST

enum { WIDTH = 37, HEIGHT = 29 };

/* The edit distance of two drawn strings in `a` and `b`, with a func in between that is read only
 * where both letters differ: cost(x) = a(x)*0 + 1. */
static Bench edit_distance(void) {
    Bench bench = bench_create("edit");
    Pool *pool = bench.pool;
    bench_image(&bench, "a", U8, 1);
    bench_image(&bench, "b", U8, 1);
    Expr i = bench_variable(&bench, "i"), j = bench_variable(&bench, "j");
    Func *cost = bench_func(&bench, "cost", "i", I64);
    bench_pure(&bench, cost,
               expr_add(pool, number(&bench, 1),
                        expr_mul(pool, expr_cast(pool, I64, bench_call1(&bench, "a", i)),
                                 number(&bench, 0))));
    Recurrence *recurrence = recurrence_of(&bench);
    add_variable(&bench, recurrence, "i", 0, WIDTH + 1);
    add_variable(&bench, recurrence, "j", 0, HEIGHT + 1);
    Func *f = equation(&bench, recurrence, "f", "ij");
    Expr last_i = back(&bench, "i", 1), last_j = back(&bench, "j", 1);
    Expr same = expr_eq(pool, bench_call1(&bench, "a", last_i), bench_call1(&bench, "b", last_j));
    Expr diagonal = bench_call2(&bench, "f", last_i, last_j);
    Expr least = expr_min(
        pool, diagonal,
        expr_min(pool, bench_call2(&bench, "f", last_i, j), bench_call2(&bench, "f", i, last_j)));
    Expr differ = expr_add(pool, least, bench_call1(&bench, "cost", last_i));
    bench_pure(&bench, f,
               expr_select(pool, is_first(&bench, "i"), value_of(&bench, "j"),
                           expr_select(pool, is_first(&bench, "j"), value_of(&bench, "i"),
                                       expr_select(pool, same, diagonal, differ))));
    bench_output(&bench, f);
    return bench;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

START_TEST(edit_distance_of_two_strings) {
    Bench bench = edit_distance();
    Image inputs[2], out;
    ck_assert(image_allocate(&inputs[0], U8, 1, FROM(0), FROM(WIDTH)));
    ck_assert(image_allocate(&inputs[1], U8, 1, FROM(0), FROM(HEIGHT)));
    ck_assert(image_allocate(&out, I64, 2, FROM(0, 0), FROM(WIDTH + 1, HEIGHT + 1)));
    for (int k = 0; k < WIDTH; k++)
        inputs[0].data[k] = (unsigned char)(k * k % 5);
    for (int k = 0; k < HEIGHT; k++)
        inputs[1].data[k] = (unsigned char)(k * 7 % 4);
    Arguments arguments = {NULL, inputs, &out};
    Arena *arena = arena_create(&bench.context->memory);
    ReferenceOptions options = {.formal = true};
    ErrorPoint first;
    Outcome outcome = reference_realize(bench.pipeline, arena, &arguments, &options, &first);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    ck_assert_int_eq(first.error, ERROR_NONE);
    static int64_t table[WIDTH + 1][HEIGHT + 1];
    for (int i = 0; i <= WIDTH; i++)
        for (int j = 0; j <= HEIGHT; j++) {
            if (i == 0 || j == 0)
                table[i][j] = i + j;
            else if (inputs[0].data[i - 1] == inputs[1].data[j - 1])
                table[i][j] = table[i - 1][j - 1];
            else
                table[i][j] =
                    1 + smaller(table[i - 1][j - 1], smaller(table[i - 1][j], table[i][j - 1]));
            ck_assert_int_eq(bits_load(I64, image_at(&out, FROM(i, j))), table[i][j]);
        }
    /* What one point reads, in the arm that is chosen: two letters, then three points and a cost.
     */
    ReferenceReads reads = {0};
    int64_t value;
    outcome = ask(&bench, inputs, "f", FROM(1, 2), &value, &reads, false);
    ck_assert_int_eq(outcome.error, 0);
    ck_assert_int_eq(value, table[1][2]);
    ck_assert_uint_eq(reads.length, 6);
    arena_destroy(arena);
    free(inputs[0].data);
    free(inputs[1].data);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* ---- laziness ---- */

/* f(i) = select(i <= 0, 7, a(i)) + ..: of the image only [1, 3) is there. */
START_TEST(an_arm_that_is_not_chosen_reads_nothing) {
    Bench bench = bench_create("lazy");
    Pool *pool = bench.pool;
    bench_image(&bench, "a", U8, 1);
    Recurrence *recurrence = recurrence_of(&bench);
    add_variable(&bench, recurrence, "i", 0, 4);
    Func *f = equation(&bench, recurrence, "f", "i");
    Expr i = bench_variable(&bench, "i");
    Expr element = expr_cast(pool, I64, bench_call1(&bench, "a", i));
    /* Both arms of the inner choice need the element; none of the outer one's first arm. */
    Expr inner = expr_select(pool, expr_lt(pool, i, expr_index(pool, 2)), element,
                             expr_mul(pool, element, element));
    bench_pure(&bench, f, expr_select(pool, is_first(&bench, "i"), number(&bench, 7), inner));
    bench_output(&bench, f);
    Image a;
    ck_assert(image_allocate(&a, U8, 1, FROM(1), FROM(2)));
    a.data[0] = 3;
    a.data[1] = 5;
    static const int64_t expected[] = {7, 3, 25};
    for (int64_t at = 0; at < 3; at++) {
        int64_t value;
        Outcome outcome = ask(&bench, &a, "f", &at, &value, NULL, false);
        ck_assert_msg(outcome.error == 0, "%s", outcome.message);
        ck_assert_int_eq(value, expected[at]);
    }
    int64_t value;
    Outcome outcome = ask(&bench, &a, "f", FROM(3), &value, NULL, false);
    ck_assert_int_eq(outcome.error, HLC_ERROR_ACCESS_OUT_OF_BOUNDS);
    free(a.data);
    bench_destroy(&bench);
}
END_TEST

/* sum(i) = sum(i - 1) + square(sum(i - 1) % 5): where `square` is read is known when what the point
 * waits for is. */
START_TEST(a_coordinate_may_wait) {
    Bench bench = bench_create("waiting");
    Pool *pool = bench.pool;
    Func *square = bench_func(&bench, "square", "x", I64);
    bench_pure(&bench, square, expr_mul(pool, value_of(&bench, "x"), value_of(&bench, "x")));
    Func *sum = only_equation(&bench, "sum", 100);
    Expr before = bench_call1(&bench, "sum", back(&bench, "i", 1));
    Expr place = expr_cast(pool, INDEX, expr_mod(pool, before, number(&bench, 5)));
    bench_pure(&bench, sum,
               expr_select(pool, is_first(&bench, "i"), number(&bench, 3),
                           expr_add(pool, before, bench_call1(&bench, "square", place))));
    bench_output(&bench, sum);
    int64_t expected = 3;
    for (int i = 1; i < 100; i++)
        expected += expected % 5 * (expected % 5);
    ck_assert_int_eq(value_at(&bench, "sum", FROM(99)), expected);
    bench_destroy(&bench);
}
END_TEST

/* What a point reads of the recurrence beyond its domain is zero, as what others read there is. */
START_TEST(before_the_first_point_it_is_zero) {
    Bench bench = bench_create("count");
    Pool *pool = bench.pool;
    Func *f = only_equation(&bench, "f", 9);
    bench_pure(&bench, f,
               expr_add(pool, bench_call1(&bench, "f", back(&bench, "i", 1)), number(&bench, 1)));
    bench_output(&bench, f);
    for (int64_t at = 0; at < 9; at++)
        ck_assert_int_eq(value_at(&bench, "f", &at), at + 1);
    bench_destroy(&bench);
}
END_TEST

/* f(i) = select(i <= 0, 1, same(index)), where `same` is no part of the recurrence: what the point
 * is refused with. */
static int refusal_of(Bench *bench, int64_t length, Expr index, int64_t point) {
    Func *same = bench_func(bench, "same", "x", I64);
    bench_pure(bench, same, value_of(bench, "x"));
    Func *f = only_equation(bench, "f", length);
    bench_pure(bench, f,
               expr_select(bench->pool, is_first(bench, "i"), number(bench, 1),
                           bench_call1(bench, "same", index)));
    bench_output(bench, f);
    int64_t value;
    Outcome outcome = ask(bench, NULL, "f", &point, &value, NULL, false);
    bench_destroy(bench);
    return outcome.error;
}

static Expr times(Bench *bench, int64_t factor) {
    return expr_mul(bench->pool, bench_variable(bench, "i"), expr_index(bench->pool, factor));
}

/* Places have 32 bits, and so has a domain; indices have 64. */
START_TEST(coordinates_have_an_end) {
    Bench bench = bench_create("near");
    ck_assert_int_eq(refusal_of(&bench, 9, times(&bench, 1 << 28), 4), 0);
    bench = bench_create("far");
    ck_assert_int_eq(refusal_of(&bench, 9, times(&bench, (int64_t)1 << 40), 4),
                     HLC_ERROR_COORDINATE_RANGE);
    bench = bench_create("no index");
    ck_assert_int_eq(refusal_of(&bench, 9, times(&bench, (int64_t)1 << 62), 4),
                     HLC_ERROR_INDEX_RANGE);
    bench = bench_create("domain");
    ck_assert_int_eq(refusal_of(&bench, (int64_t)1 << 32, times(&bench, 1), 4),
                     HLC_ERROR_COORDINATE_RANGE);
}
END_TEST

/* The formal reading: an error spreads along the recurrence, from where a choice takes it up. */
START_TEST(errors_spread_from_point_to_point) {
    Bench bench = bench_create("errors");
    Pool *pool = bench.pool;
    Recurrence *recurrence = recurrence_of(&bench);
    add_variable(&bench, recurrence, "i", 0, 10);
    Func *f = equation(&bench, recurrence, "f", "i");
    Expr divided = expr_div(pool, number(&bench, 60),
                            expr_sub(pool, value_of(&bench, "i"), number(&bench, 4)));
    bench_pure(
        &bench, f,
        expr_select(pool, is_first(&bench, "i"), number(&bench, 1),
                    expr_add(pool, bench_call1(&bench, "f", back(&bench, "i", 1)), divided)));
    bench_output(&bench, f);
    for (int64_t at = 0; at < 10; at++) {
        int64_t error;
        Outcome outcome = ask(&bench, NULL, "f", &at, &error, NULL, true);
        ck_assert_int_eq(outcome.error, 0);
        ck_assert_int_eq(error, at < 4 ? ERROR_NONE : ERROR_ARITH);
    }
    bench_destroy(&bench);
}
END_TEST

/* ---- cycles ---- */

START_TEST(a_cycle_is_printed) {
    Bench bench = bench_create("cycle");
    Pool *pool = bench.pool;
    Recurrence *recurrence = recurrence_of(&bench);
    add_variable(&bench, recurrence, "i", 0, 10);
    Func *f = equation(&bench, recurrence, "f", "i");
    Func *g = equation(&bench, recurrence, "g", "i");
    /* f(i) = g(i - 1) but at 0; g(i) = f(i), but at 3 it is f(i + 2). */
    Expr i = bench_variable(&bench, "i");
    bench_pure(&bench, f,
               expr_select(pool, is_first(&bench, "i"), number(&bench, 1),
                           bench_call1(&bench, "g", back(&bench, "i", 1))));
    bench_pure(&bench, g,
               expr_select(pool, expr_eq(pool, i, expr_index(pool, 3)),
                           bench_call1(&bench, "f", back(&bench, "i", -2)),
                           bench_call1(&bench, "f", i)));
    bench_output(&bench, g);
    ck_assert_int_eq(value_at(&bench, "g", FROM(2)), 1);
    int64_t value;
    Outcome outcome = ask(&bench, NULL, "g", FROM(6), &value, NULL, false);
    ck_assert_int_eq(outcome.error, HLC_ERROR_RECURRENCE_CYCLE);
    ck_assert_str_eq(outcome.message, "f(5) needs g(4) needs f(4) needs g(3) needs f(5)");
    bench_destroy(&bench);
}
END_TEST

/* Of a long cycle the beginning is printed. */
START_TEST(a_long_cycle_is_cut_short) {
    Bench bench = bench_create("long");
    Pool *pool = bench.pool;
    Func *f = only_equation(&bench, "f", 1000);
    bench_pure(&bench, f,
               expr_select(pool, is_first(&bench, "i"),
                           bench_call1(&bench, "f", back(&bench, "i", -900)),
                           bench_call1(&bench, "f", back(&bench, "i", 1))));
    bench_output(&bench, f);
    int64_t value;
    Outcome outcome = ask(&bench, NULL, "f", FROM(900), &value, NULL, false);
    ck_assert_int_eq(outcome.error, HLC_ERROR_RECURRENCE_CYCLE);
    ck_assert_msg(!strncmp(outcome.message, "f(900) needs f(899) needs f(898) needs", 38), "%s",
                  outcome.message);
    size_t length = strlen(outcome.message);
    ck_assert_msg(length > 300 && !strcmp(outcome.message + length - 3, "..."), "%s",
                  outcome.message);
    bench_destroy(&bench);
}
END_TEST

/* a(i) needs a(i - 1) and b(i - 1), and b(3) needs a(5): what waits beside the cycle is no part of
 * it. */
START_TEST(a_cycle_has_no_bystanders) {
    Bench bench = bench_create("beside");
    Pool *pool = bench.pool;
    Recurrence *recurrence = recurrence_of(&bench);
    add_variable(&bench, recurrence, "i", 0, 10);
    Func *a = equation(&bench, recurrence, "a", "i"), *b = equation(&bench, recurrence, "b", "i");
    Expr i = bench_variable(&bench, "i"), before = back(&bench, "i", 1);
    for (int order = 0; order < 2; order++) {
        Expr reads[] = {bench_call1(&bench, "a", before), bench_call1(&bench, "b", before)};
        Expr both = expr_sub(pool, reads[order], reads[1 - order]);
        Expr value = expr_select(pool, is_first(&bench, "i"), number(&bench, 1), both);
        if (order == 0)
            bench_pure(&bench, a, value);
        else
            a->stages.data[0]->values[0] = value;
        if (order == 0)
            bench_pure(&bench, b,
                       expr_select(pool, expr_eq(pool, i, expr_index(pool, 3)),
                                   bench_call1(&bench, "a", back(&bench, "i", -2)),
                                   number(&bench, 1)));
        if (order == 0)
            bench_output(&bench, a);
        int64_t point = 5, result;
        Outcome outcome = ask(&bench, NULL, "a", &point, &result, NULL, false);
        ck_assert_int_eq(outcome.error, HLC_ERROR_RECURRENCE_CYCLE);
        ck_assert_str_eq(outcome.message, "a(5) needs a(4) needs b(3) needs a(5)");
    }
    bench_destroy(&bench);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("recurrences");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, ten_million_points_deep);
    tcase_add_test(tests, outside_of_the_domain_it_is_zero);
    tcase_add_test(tests, edit_distance_of_two_strings);
    tcase_add_test(tests, an_arm_that_is_not_chosen_reads_nothing);
    tcase_add_test(tests, a_coordinate_may_wait);
    tcase_add_test(tests, before_the_first_point_it_is_zero);
    tcase_add_test(tests, coordinates_have_an_end);
    tcase_add_test(tests, errors_spread_from_point_to_point);
    tcase_add_test(tests, a_cycle_is_printed);
    tcase_add_test(tests, a_long_cycle_is_cut_short);
    tcase_add_test(tests, a_cycle_has_no_bystanders);
    return run_suite("reference_recurrence", tests);
}

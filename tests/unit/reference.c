/* reference.c -- the reference interpreter on pipelines whose answer can be said by hand. */
#include "checkers/reference/engine/reference.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/pipelines.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>

#define FROM(...) ((int64_t[]){__VA_ARGS__})

static Image image_of(Type type, int dimensions, const int64_t *minimum, const int64_t *extent) {
    Image image;
    ck_assert(image_allocate(&image, type, dimensions, minimum, extent));
    return image;
}

static Outcome realize(Bench *bench, Bits *parameters, Image *images, Image *outputs,
                       size_t limit) {
    Arguments arguments = {parameters, images, outputs};
    ReferenceOptions options = {.memory_limit = limit};
    Arena *arena = arena_create(&bench->context->memory);
    Outcome outcome = reference_realize(bench->pipeline, arena, &arguments, &options, NULL);
    arena_destroy(arena);
    return outcome;
}

static int64_t element(const Image *image, int64_t x, int64_t y) {
    return bits_load(image->type, image_at(image, FROM(x, y)));
}

static void fill(Image *image) {
    int64_t count = image_count(image);
    for (int64_t i = 0; i < count * type_bytes(image->type); i++)
        image->data[i] = (unsigned char)(i * i + i / 7);
}

/* ---- values ---- */

static void check_blur(size_t limit) {
    Bench bench = bench_blur();
    Image input = image_of(U8, 2, FROM(-3, 5), FROM(206, 106));
    fill(&input);
    Image out = image_of(I32, 2, FROM(0, 8), FROM(200, 100));
    Outcome outcome = realize(&bench, (Bits[]){3}, &input, &out, limit);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    for (int64_t y = 8; y < 108; y += 7)
        for (int64_t x = 0; x < 200; x += 3) {
            int64_t sum = 0;
            for (int64_t s = -3; s <= 3; s++)
                for (int64_t r = -3; r <= 3; r++)
                    sum += element(&input, x + r, y + s);
            ck_assert_int_eq(element(&out, x, y), sum);
        }
    free(input.data);
    free(out.data);
    bench_destroy(&bench);
}

START_TEST(box_blur) {
    check_blur(0);
}
END_TEST

START_TEST(released_blocks_are_computed_again) {
    check_blur(1);
}
END_TEST

/* hist(i) = number of elements with value i: no pure dimension in the update. */
START_TEST(histogram) {
    Bench bench = bench_create("histogram");
    Pool *pool = bench.pool;
    bench_image(&bench, "input", U8, 2);
    Func *hist = bench_func(&bench, "hist", "i", I32);
    bench_pure(&bench, hist, expr_constant(pool, I32, 0));
    Expr rx = bench_variable(&bench, "rx"), ry = bench_variable(&bench, "ry");
    Expr bin = expr_cast(pool, INDEX, bench_call2(&bench, "input", rx, ry));
    Stage *update =
        bench_stage(&bench, hist, &bin,
                    expr_add(pool, bench_call1(&bench, "hist", bin), expr_constant(pool, I32, 1)));
    bench_reduction(&bench, update, "rx", expr_index(pool, 0), expr_index(pool, 500));
    bench_reduction(&bench, update, "ry", expr_index(pool, 0), expr_index(pool, 300));
    bench_output(&bench, hist);
    Image input = image_of(U8, 2, FROM(0, 0), FROM(500, 300));
    fill(&input);
    Image out = image_of(I32, 1, FROM(-5), FROM(128)); /* excludes half of the bins */
    ck_assert_int_eq(realize(&bench, NULL, &input, &out, 0).error, 0);
    int expected[256] = {0};
    for (int64_t i = 0; i < image_count(&input); i++)
        expected[input.data[i]]++;
    for (int i = -5; i < 123; i++)
        ck_assert_int_eq(element(&out, i, 0), i < 0 ? 0 : expected[i]);
    free(input.data);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* Running sums along x: the update's dimension y is pure, x is not. */
START_TEST(scan) {
    Bench bench = bench_create("scan");
    Pool *pool = bench.pool;
    bench_image(&bench, "input", U8, 2);
    Expr x = bench_variable(&bench, "x"), y = bench_variable(&bench, "y"),
         r = bench_variable(&bench, "r");
    Func *sum = bench_func(&bench, "sum", "xy", I32);
    bench_pure(&bench, sum, expr_cast(pool, I32, bench_call2(&bench, "input", x, y)));
    Expr before = expr_sub(pool, r, expr_index(pool, 1));
    Stage *update = bench_stage(
        &bench, sum, (Expr[]){r, y},
        expr_add(pool, bench_call2(&bench, "sum", before, y), bench_call2(&bench, "sum", r, y)));
    bench_reduction(&bench, update, "r", expr_index(pool, 1), expr_index(pool, 199));
    bench_output(&bench, sum);
    Image input = image_of(U8, 2, FROM(0, 0), FROM(200, 150));
    fill(&input);
    Image out = image_of(I32, 2, FROM(0, 0), FROM(200, 150));
    ck_assert_int_eq(realize(&bench, NULL, &input, &out, 0).error, 0);
    for (int64_t j = 0; j < 150; j++) {
        int64_t expected = 0;
        for (int64_t i = 0; i < 200; i++) {
            expected += element(&input, i, j);
            ck_assert_int_eq(element(&out, i, j), expected);
        }
    }
    free(input.data);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* f(x) <- f(x - 1) + f(x - 2) reads what it wrote; the pure stage reads an image of two elements,
 * and evaluation is lazy: never beyond them. */
START_TEST(written_points_hide_the_pure_stage) {
    Bench bench = bench_create("fibonacci");
    Pool *pool = bench.pool;
    bench_image(&bench, "input", U8, 1);
    Expr x = bench_variable(&bench, "x"), r = bench_variable(&bench, "r");
    Func *f = bench_func(&bench, "f", "x", I64);
    bench_pure(&bench, f, expr_cast(pool, I64, bench_call1(&bench, "input", x)));
    Stage *update =
        bench_stage(&bench, f, &r,
                    expr_add(pool, bench_call1(&bench, "f", expr_sub(pool, r, expr_index(pool, 1))),
                             bench_call1(&bench, "f", expr_sub(pool, r, expr_index(pool, 2)))));
    bench_reduction(&bench, update, "r", expr_index(pool, 2), expr_index(pool, 88));
    bench_output(&bench, f);
    Image input = image_of(U8, 1, FROM(0), FROM(2));
    input.data[1] = 1;
    Image out = image_of(I64, 1, FROM(0), FROM(90));
    Outcome outcome = realize(&bench, NULL, &input, &out, 0);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    ck_assert_int_eq(element(&out, 89, 0), 1779979416004714189);
    free(input.data);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* A chain of a thousand funcs, each reading two points of the one before, needs no deep recursion.
 */
START_TEST(deep_chain) {
    Bench bench = bench_create("chain");
    Pool *pool = bench.pool;
    Expr x = bench_variable(&bench, "x");
    Func *func = bench_func(&bench, "f0", "x", I32);
    bench_pure(&bench, func, expr_constant(pool, I32, 1));
    for (int i = 1; i <= 1000; i++) {
        char name[16], before[16];
        snprintf(name, sizeof name, "f%d", i);
        snprintf(before, sizeof before, "f%d", i - 1);
        func = bench_func(&bench, name, "x", I32);
        bench_pure(&bench, func,
                   expr_add(pool, bench_call1(&bench, before, x),
                            bench_call1(&bench, before, expr_add(pool, x, expr_index(pool, 1)))));
    }
    bench_output(&bench, func);
    Image out = image_of(I32, 1, FROM(0), FROM(100));
    ck_assert_int_eq(realize(&bench, NULL, NULL, &out, 0).error, 0);
    ck_assert_int_eq(element(&out, 50, 0), 0); /* 2^1000 wraps */
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* ---- refusals ---- */

START_TEST(refusals_before_the_start) {
    Bench bench = bench_blur();
    Image input = image_of(U8, 2, FROM(0, 0), FROM(10, 10));
    Image out = image_of(I32, 2, FROM(3, 3), FROM(4, 4));
    ck_assert_int_eq(realize(&bench, (Bits[]){3}, &input, &out, 0).error, 0);
    ck_assert_int_eq(realize(&bench, (Bits[]){65}, &input, &out, 0).error,
                     HLC_ERROR_PARAMETER_TOO_LARGE);
    ck_assert_int_eq(realize(&bench, (Bits[]){-1}, &input, &out, 0).error,
                     HLC_ERROR_PARAMETER_TOO_SMALL);
    Outcome outcome = realize(&bench, (Bits[]){4}, &input, &out, 0);
    ck_assert_int_eq(outcome.error, HLC_ERROR_ACCESS_OUT_OF_BOUNDS);
    ck_assert_ptr_nonnull(strstr(outcome.message, "input"));
    bench.pipeline->signature.parameters.data[0].has_range = false;
    ck_assert_int_eq(realize(&bench, (Bits[]){-3}, &input, &out, 0).error, HLC_ERROR_RDOM_LENGTH);
    out.extent[0] = -1;
    ck_assert_int_eq(realize(&bench, (Bits[]){3}, &input, &out, 0).error,
                     HLC_ERROR_NEGATIVE_EXTENT);
    out.extent[0] = 4;
    out.minimum[0] = INT32_MAX - 2;
    ck_assert_int_eq(realize(&bench, (Bits[]){3}, &input, &out, 0).error,
                     HLC_ERROR_COORDINATE_RANGE);
    free(input.data);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

START_TEST(coordinates_stay_in_32_bits) {
    Bench bench = bench_create("far");
    Pool *pool = bench.pool;
    Expr x = bench_variable(&bench, "x");
    Func *f = bench_func(&bench, "f", "x", I32);
    bench_pure(&bench, f, expr_cast(pool, I32, x));
    Func *g = bench_func(&bench, "g", "x", I32);
    bench_pure(&bench, g, bench_call1(&bench, "f", expr_add(pool, x, expr_index(pool, 1))));
    Func *h = bench_func(&bench, "h", "x", I32);
    Expr big = expr_mul(pool, x, expr_index(pool, INT64_MAX / 2));
    bench_pure(&bench, h, bench_call1(&bench, "f", big));
    bench_output(&bench, g);
    Image out = image_of(I32, 1, FROM((int64_t)INT32_MAX - 9), FROM(9));
    ck_assert_int_eq(realize(&bench, NULL, NULL, &out, 0).error, 0);
    ck_assert_int_eq(element(&out, (int64_t)INT32_MAX - 1, 0), INT32_MAX);
    out.minimum[0]++;
    ck_assert_int_eq(realize(&bench, NULL, NULL, &out, 0).error, HLC_ERROR_COORDINATE_RANGE);
    Arguments arguments = {0};
    arguments.outputs = &out;
    Value value;
    ck_assert_int_eq(reference_point(bench.pipeline, bench.arena, &arguments, NULL, h->shape->name,
                                     FROM(3), &value, NULL)
                         .error,
                     HLC_ERROR_INDEX_RANGE);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* ---- one point ---- */

START_TEST(point_and_what_it_read) {
    Bench bench = bench_blur();
    Image input = image_of(U8, 2, FROM(0, 0), FROM(10, 10));
    fill(&input);
    Arguments arguments = {.parameters = (Bits[]){1}, .images = &input};
    Image out = image_of(I32, 2, FROM(0, 0), FROM(1, 1));
    arguments.outputs = &out;
    Value value;
    ReferenceReads reads = {0};
    Outcome outcome =
        reference_point(bench.pipeline, bench.arena, &arguments, NULL,
                        context_symbol(bench.context, "g"), FROM(4, 5), &value, &reads);
    ck_assert_int_eq(outcome.error, 0);
    ck_assert_int_eq(value.bits,
                     element(&input, 3, 5) + element(&input, 4, 5) + element(&input, 5, 5));
    ck_assert_int_eq(reads.length, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(reads.data[i].name->text, "f");
        ck_assert_int_eq(reads.data[i].point[0], 3 + i);
        ck_assert_int_eq(reads.data[i].point[1], 5);
        ck_assert_int_eq(reads.data[i].value.bits, element(&input, 3 + i, 5));
    }
    free(input.data);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* A division by zero at h(3): the total reading gives 0, the formal one says where. */
START_TEST(formal_reading) {
    Bench bench = bench_create("formal");
    Pool *pool = bench.pool;
    Expr x = expr_cast(pool, I32, bench_variable(&bench, "x"));
    Func *h = bench_func(&bench, "h", "x", I32);
    Expr seven = expr_constant(pool, I32, 7);
    bench_pure(&bench, h, expr_div(pool, seven, expr_sub(pool, x, expr_constant(pool, I32, 3))));
    bench_output(&bench, h);
    Image out = image_of(I32, 1, FROM(0), FROM(6));
    Arguments arguments = {.outputs = &out};
    ReferenceOptions options = {.formal = true};
    ErrorPoint error;
    ck_assert_int_eq(
        reference_realize(bench.pipeline, bench.arena, &arguments, &options, &error).error, 0);
    ck_assert_int_eq(error.error, ERROR_ARITH);
    ck_assert_ptr_eq(error.func, h->shape->name);
    ck_assert_int_eq(error.point[0], 3);
    ck_assert_int_eq(element(&out, 3, 0), 0);
    ck_assert_int_eq(element(&out, 4, 0), 7);
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

/* A requirement's condition, too: 3/0 is 0 in the total reading, which it asks. */
START_TEST(formal_reading_of_a_requirement) {
    Bench bench = bench_create("formal_requirement");
    Pool *pool = bench.pool;
    Func *h = bench_func(&bench, "h", "x", I32);
    bench_pure(&bench, h, expr_constant(pool, I32, 1));
    bench_output(&bench, h);
    Expr zero = expr_constant(pool, I32, 0);
    Expr quotient =
        expr_div(pool, expr_constant(pool, I32, 3),
                 expr_cast(pool, I32, expr_buffer_field(pool, h->shape->name, FIELD_MINIMUM, 0)));
    Requirement requirement = {.condition = expr_eq(pool, quotient, zero), .message = "less"};
    vec_push(bench.arena, &bench.pipeline->requirements, requirement);
    Image out = image_of(I32, 1, FROM(0), FROM(2));
    Arguments arguments = {.outputs = &out};
    ReferenceOptions options = {.formal = true};
    ErrorPoint error;
    ck_assert_int_eq(
        reference_realize(bench.pipeline, bench.arena, &arguments, &options, &error).error, 0);
    ck_assert_int_eq(error.error, ERROR_ARITH);
    ck_assert_str_eq(error.requirement, "less");
    free(out.data);
    bench_destroy(&bench);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("reference");
    tcase_add_test(cases, box_blur);
    tcase_add_test(cases, released_blocks_are_computed_again);
    tcase_add_test(cases, histogram);
    tcase_add_test(cases, scan);
    tcase_add_test(cases, written_points_hide_the_pure_stage);
    tcase_add_test(cases, deep_chain);
    tcase_add_test(cases, refusals_before_the_start);
    tcase_add_test(cases, coordinates_stay_in_32_bits);
    tcase_add_test(cases, point_and_what_it_read);
    tcase_add_test(cases, formal_reading);
    tcase_add_test(cases, formal_reading_of_a_requirement);
    tcase_set_timeout(cases, 60);
    return run_suite("reference", cases);
}

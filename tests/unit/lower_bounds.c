/* lower_bounds.c -- the oracle's answer on whole programs: B(S) holds on concrete windows
 * (query.h), and on affine code nothing is computed that nobody asked for. */
#include "oracle_support.h"
#include "suite.h"

#include <check.h>

/* ---- short names for building ---- */

static Expr number(Bench *b, int64_t value) {
    return expr_index(b->pool, value);
}
static Expr plus(Bench *b, Expr a, int64_t c) {
    return expr_add(b->pool, a, number(b, c));
}
static Expr value(Bench *b, int64_t c) {
    return expr_constant(b->pool, I32, c);
}
static Expr index_of(Bench *b, Expr e) {
    return expr_cast(b->pool, INDEX, e);
}

/* A pipeline with image `input: u8` of two dimensions and the variables x, y, r. */
typedef struct Stock {
    Bench bench;
    Expr x, y, r;
} Stock;

static Stock stock(void) {
    Stock s = {.bench = bench_create("test")};
    bench_image(&s.bench, "input", U8, 2);
    s.x = bench_variable(&s.bench, "x");
    s.y = bench_variable(&s.bench, "y");
    s.r = bench_variable(&s.bench, "r");
    return s;
}

static Expr input_at(Bench *b, Expr i, Expr j) {
    return expr_cast(b->pool, I32, bench_call2(b, "input", i, j));
}

/* The output `out(x, y) = value`. */
static Bench with_output(Stock *s, Expr out_value) {
    Func *out = bench_func(&s->bench, "out", "xy", I32);
    bench_pure(&s->bench, out, out_value);
    bench_output(&s->bench, out);
    return s->bench;
}

/* f(x, y) = i32(input(x, y)). */
static void put_f(Stock *s) {
    Bench *b = &s->bench;
    bench_pure(b, bench_func(b, "f", "xy", I32), input_at(b, s->x, s->y));
}

#define CALL(name, i, j) bench_call2(b, name, i, j)

/* ---- stencils, tiles ---- */

static Bench stencils(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    Func *g = bench_func(b, "g", "xy", I32);
    bench_pure(b, g,
               expr_add(b->pool, CALL("f", plus(b, s.x, -1), s.y),
                        CALL("f", plus(b, s.x, 2), plus(b, s.y, 1))));
    return with_output(&s, expr_add(b->pool, CALL("g", plus(b, s.x, -1), plus(b, s.y, -3)),
                                    CALL("g", plus(b, s.x, 1), s.y)));
}

static const char *const tilings[] = {
    "",
    "compute-at(g, out.y)",
    "compute-at(g, out.x)",
    "compute-at(g, out.y); compute-at(f, g.y)",
    "compute-at(g, out.x); compute-at(f, out.y)",
    "compute-at(g, out.x); store-at(g, out.y); compute-at(f, g.x)",
    "compute-at(g, out.y); store-root(g)",
    "split(out.x, xo, xi, 4); compute-at(g, out.xo)",
    "split(out.x, xo, xi, 4); compute-at(g, out.xo); compute-at(f, out.xo)",
    "split(out.x, xo, xi, 4); split(out.y, yo, yi, 3); swap(out.yi); compute-at(g, out.xo)",
    "tile(out.x, out.y, xo, yo, xi, yi, 5, 4); compute-at(g, out.xo); compute-at(f, out.yo)",
    "tile(out.x, out.y, xo, yo, xi, yi, 5, 4); compute-at(g, out.xo); compute-at(f, g.y)",
    "fuse(out.y, v); compute-at(g, out.v)",
    "tile(out.x, out.y, xo, yo, xi, yi, 5, 4); fuse(out.yo, t); compute-at(g, out.t)",
    NULL};

START_TEST(stencils_are_tight) {
    expect_tight(stencils, tilings);
}
END_TEST

static const char *const unguarded[] = {
    "split(out.x, xo, xi, 4, round-up)",
    "split(out.x, xo, xi, 4, round-up); compute-at(g, out.xo)",
    "split(out.x, xo, xi, 4, round-up); compute-at(g, out.xo); split(g.x, xo, xi, 3, round-up)",
    "split(g.x, xo, xi, 4, round-up); compute-at(f, g.xo)",
    "split(out.x, xo, xi, 4, shift-inwards); compute-at(g, out.xo)",
    "split(g.x, xo, xi, 4); split(g.y, yo, yi, 3); compute-at(f, g.xo)", /* masked rows of g */
    "split(out.x, xo, xi, 4); split(out.xi, xio, xii, 3); compute-at(g, out.xio)",
    "split(out.x, xo, xi, 4); split(out.xo, xoo, xoi, 3); compute-at(g, out.xoo)",
    "split(g.x, xo, xi, 4, shift-inwards); compute-at(f, g.xo); compute-at(g, out.y)",
    "specialize(out, w < 3)",
    NULL};

static Bench stencils_with_parameter(void) {
    Bench bench = stencils();
    bench_parameter(&bench, "w", I32, 2, 0, 9);
    return bench;
}

START_TEST(tails_are_sound) {
    expect_sound(stencils_with_parameter, unguarded);
}
END_TEST

/* ---- Figure 1 ---- */

static const char *const blurs[] = {
    "",
    "split(h.s1.x, xo, xi, 8); split(h.s1.y, yo, yi, 4); swap(h.s1.yi);"
    "traverse(h.s1.yo, parallel); compute-at(g, h.s1.xo); store-at(g, h.s1.xo)",
    "split(h.s1.x, xo, xi, 8); compute-at(g, h.s1.xo); compute-at(f, g.s1.y)", NULL};

START_TEST(blur_is_tight) {
    expect_tight(bench_blur, blurs);
}
END_TEST

/* ---- resampling, transposes, flips ---- */

static Bench down_by_two(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    Expr twice = expr_mul(b->pool, s.x, number(b, 2));
    return with_output(&s,
                       expr_add(b->pool, CALL("f", twice, s.y), CALL("f", plus(b, twice, 1), s.y)));
}

static Bench up_by_two(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    return with_output(&s, CALL("f", expr_div(b->pool, s.x, number(b, 2)),
                                expr_div(b->pool, plus(b, s.y, 1), number(b, 2))));
}

/* What it reads of the image is 3*n - 2 long: no number for a window of extent 0. */
static Bench every_third(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    return with_output(&s, CALL("f", expr_mul(b->pool, s.x, number(b, 3)), s.y));
}

START_TEST(strides_ask_nothing_for_empty_windows) {
    expect_sound(every_third, (const char *const[]){"", "inline(f)", "compute-at(f, out.y)", NULL});
}
END_TEST

static Bench transpose_and_flip(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    Expr w = index_of(b, bench_parameter(b, "w", I32, 5, 0, 9));
    put_f(&s);
    return with_output(&s, CALL("f", expr_sub(b->pool, plus(b, w, -1), s.y), s.x));
}

/* What is read there depends on x alone, or on y alone: in iterations that a guard masks nothing
 * is. */
static Bench of_one_variable(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    Func *g = bench_func(b, "g", "xy", I32);
    bench_pure(b, g, expr_add(b->pool, CALL("f", s.x, s.y), CALL("f", plus(b, s.x, 3), s.y)));
    return with_output(&s, CALL("g", s.y, s.y));
}

START_TEST(masked_iterations_ask_nothing) {
    expect_tight(of_one_variable,
                 (const char *const[]){
                     "split(out.x, xo, xi, 4); compute-at(g, out.xi)",
                     "split(out.x, xo, xi, 4); compute-at(g, out.xi); compute-at(f, out.xi)",
                     "split(out.x, xo, xi, 4); split(out.xo, xoo, xoi, 3); compute-at(g, out.xi);"
                     "compute-at(f, g.y)",
                     "tile(out.x, out.y, xo, yo, xi, yi, 5, 4); reorder(out.yi, out.xi, out.yo);"
                     "compute-at(g, out.xi)",
                     NULL});
}
END_TEST

static const char *const simple[] = {
    "",
    "compute-at(f, out.y)",
    "compute-at(f, out.x)",
    "split(out.x, xo, xi, 4); compute-at(f, out.xo)",
    "tile(out.x, out.y, xo, yo, xi, yi, 4, 3); compute-at(f, out.xo)",
    "tile(out.x, out.y, xo, yo, xi, yi, 4, 3); compute-at(f, out.yo); store-root(f)",
    NULL};

START_TEST(resampling_is_tight) {
    expect_tight(down_by_two, simple);
    expect_tight(up_by_two, simple);
}
END_TEST

START_TEST(transposes_and_flips_are_tight) {
    expect_tight(transpose_and_flip, simple);
}
END_TEST

/* ---- indices that are not affine ---- */

static Bench odd_indices(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    Pool *pool = b->pool;
    Expr k = index_of(b, bench_parameter(b, "k", I32, -1, -2, 2));
    put_f(&s);
    Expr clamped = expr_max(pool, expr_min(pool, s.x, number(b, 9)), number(b, 0));
    /* A product of coordinates needs a range, or its arithmetic is refused. */
    Expr near_x = expr_max(pool, expr_min(pool, s.x, number(b, 90)), number(b, -90)),
         near_y = expr_max(pool, expr_min(pool, s.y, number(b, 90)), number(b, -90));
    Expr reads[] = {CALL("f", clamped, s.y),
                    CALL("f", expr_mod(pool, s.x, number(b, 8)), expr_mul(pool, s.y, k)),
                    CALL("f", expr_div(pool, s.x, k), expr_div(pool, s.y, number(b, -3))),
                    CALL("f", expr_div(pool, s.x, number(b, 0)), expr_mod(pool, s.y, k)),
                    CALL("f", expr_mul(pool, near_x, near_y), expr_unary(pool, OP_ABS, s.y)),
                    CALL("f", expr_div(pool, s.x, s.y), expr_mod(pool, s.x, s.y)),
                    CALL("f", index_of(b, bench_call2(b, "input", s.x, s.y)), s.y),
                    CALL("f", expr_select(pool, expr_lt(pool, s.x, s.y), s.x, number(b, 3)),
                         expr_max(pool, s.x, s.y))};
    Expr sum = reads[0];
    for (size_t i = 1; i < sizeof reads / sizeof *reads; i++)
        sum = expr_add(pool, sum, reads[i]);
    return with_output(&s, sum);
}

START_TEST(odd_indices_are_sound) {
    expect_sound(odd_indices, simple);
}
END_TEST

/* ---- updates ---- */

/* out(index(input(r, y)), y) += 1, under windows that exclude most bins. */
static Bench histogram(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    Func *out = bench_func(b, "out", "xy", I32);
    bench_pure(b, out, value(b, 0));
    Expr bin = index_of(b, bench_call2(b, "input", s.r, s.y));
    Stage *update = bench_stage(b, out, (Expr[]){bin, s.y},
                                expr_add(b->pool, CALL("out", bin, s.y), value(b, 1)));
    bench_reduction(b, update, "r", number(b, 0), number(b, 10));
    bench_output(b, out);
    return s.bench;
}

/* f(x, r) <- f(x, r - 1) + input(x, r), r in 1..9; read by a stencil. */
static Bench scan(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    Func *f = bench_func(b, "f", "xy", I32);
    bench_pure(b, f, value(b, 0));
    Stage *update =
        bench_stage(b, f, (Expr[]){s.x, s.r},
                    expr_add(b->pool, CALL("f", s.x, plus(b, s.r, -1)), input_at(b, s.x, s.r)));
    bench_reduction(b, update, "r", number(b, 1), number(b, 9));
    return with_output(
        &s, expr_add(b->pool, CALL("f", plus(b, s.x, -1), s.y), CALL("f", plus(b, s.x, 1), s.y)));
}

/* f(x, x + r) <- f(x, x + r - 1): the second dimension's region depends on the first's. */
static Bench diagonal(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    Func *f = bench_func(b, "f", "xy", I32);
    bench_pure(b, f, value(b, 0));
    Expr at = expr_add(b->pool, s.x, s.r);
    Stage *update = bench_stage(b, f, (Expr[]){s.x, at}, CALL("f", s.x, plus(b, at, -1)));
    bench_reduction(b, update, "r", number(b, 0), number(b, 3));
    return with_output(&s, CALL("f", s.x, s.y));
}

START_TEST(updates_are_sound) {
    expect_tight(histogram, (const char *const[]){"", "split(out.s0.x, xo, xi, 4)", NULL});
    expect_sound(scan, simple);
    expect_sound(diagonal, simple);
    expect_sound(scan, (const char *const[]){"split(f.s1.x, xo, xi, 4)",
                                             "split(f.s0.x, xo, xi, 4, round-up)", NULL});
}
END_TEST

/* out(r + 2, y) <- f(r, y + 30) + input(r, y), r over a domain of no point, whatever k is. */
static Bench empty_reduction(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    Expr k = index_of(b, bench_parameter(b, "k", I32, 0, -3, 0));
    put_f(&s);
    Func *out = bench_func(b, "out", "xy", I32);
    bench_pure(b, out, CALL("f", s.x, s.y));
    Stage *update =
        bench_stage(b, out, (Expr[]){plus(b, s.r, 2), s.y},
                    expr_add(b->pool, CALL("f", s.r, plus(b, s.y, 30)), CALL("out", s.r, s.y)));
    bench_reduction(b, update, "r", number(b, -50), expr_max(b->pool, k, number(b, 0)));
    bench_output(b, out);
    return s.bench;
}

START_TEST(empty_reductions_ask_nothing) {
    expect_tight(empty_reduction, (const char *const[]){"", "split(out.s1.r, ro, ri, 4)",
                                                        "split(out.s0.x, xo, xi, 4)", NULL});
}
END_TEST

/* Stage 1 reads ever higher in y for x, stage 2 ever higher in x for y. */
START_TEST(growing_region_is_refused) {
    Stock s = stock();
    Bench *b = &s.bench;
    Func *f = bench_func(b, "f", "xy", I32);
    bench_pure(b, f, value(b, 0));
    bench_stage(b, f, (Expr[]){s.x, s.x}, CALL("f", s.x, plus(b, s.x, 1)));
    bench_stage(b, f, (Expr[]){s.y, s.y}, CALL("f", plus(b, s.y, 1), s.y));
    with_output(&s, CALL("f", s.x, s.y));
    Filled f_filled;
    ck_assert(!fill(b, "", &f_filled));
    ck_assert_uint_eq(b->context->reports.length, 1);
    ck_assert_int_eq(b->context->reports.data[0].code, DIAG_REGION_GROWS);
    bench_destroy(b);
}
END_TEST

/* f(index(i32 value)) has no box; a clamp gives it one. */
START_TEST(unbounded_read_is_refused) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    with_output(&s, CALL("f", index_of(b, CALL("f", s.x, s.y)), s.y));
    Filled f_filled;
    ck_assert(!fill(b, "", &f_filled));
    ck_assert_int_eq(b->context->reports.data[0].code, DIAG_UNBOUNDED_READ);
    bench_destroy(b);
}
END_TEST

static Bench clamped_lookup(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    Expr at = expr_max(b->pool, expr_min(b->pool, CALL("f", s.x, s.y), value(b, 30)), value(b, 2));
    return with_output(&s, CALL("f", index_of(b, at), s.y));
}

START_TEST(clamped_lookup_is_sound) {
    expect_sound(clamped_lookup, simple);
}
END_TEST

/* ---- several consumers, outputs, specializations, requests ---- */

static Bench two_outputs(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    Func *other = bench_func(b, "other", "xy", I32);
    bench_pure(b, other, CALL("f", plus(b, s.x, 3), s.y));
    bench_output(b, other);
    return with_output(&s, expr_add(b->pool, CALL("other", plus(b, s.x, 1), s.y),
                                    CALL("f", s.x, plus(b, s.y, 1))));
}

/* `far` alone needs g; both need f. */
static Bench far_output(void) {
    Stock s = stock();
    Bench *b = &s.bench;
    put_f(&s);
    Func *g = bench_func(b, "g", "xy", I32);
    bench_pure(b, g, value(b, 0));
    Stage *update =
        bench_stage(b, g, (Expr[]){s.r, s.y}, expr_add(b->pool, CALL("f", s.r, s.y), value(b, 1)));
    bench_reduction(b, update, "r", number(b, 500), number(b, 3));
    Func *output = bench_func(b, "far", "xy", I32);
    bench_pure(b, output, CALL("g", plus(b, s.x, 3), s.y));
    bench_output(b, output);
    return with_output(&s, CALL("f", s.x, plus(b, s.y, 1)));
}

START_TEST(two_outputs_are_sound) {
    expect_sound(two_outputs, (const char *const[]){"", NULL});
    expect_sound(far_output, (const char *const[]){"", "compute-at(g, far.y)", NULL});
}
END_TEST

/* What only an empty window needs is not asked of the inputs. */
START_TEST(empty_window_asks_nothing) {
    Bench b = far_output();
    Filled f = filled(&b, "");
    Inputs inputs = {&b, {{0, 0}, {4, 4}}, 2};
    QueryOptions options = {input_variable, &inputs, 1, 10000};
    QueryAnswer answer = bounds_query(f.program, f.pipeline, f.result, b.arena, &options);
    ck_assert(!answer.violation && answer.finished && !answer.refused);
    for (size_t i = 0; i < answer.slack.length; i++)
        ck_assert_int_eq(answer.slack.data[i].unasked, 0);
    bench_destroy(&b);
}
END_TEST

static const char *const special[] = {
    "specialize(out, w < 3)",
    "specialize(out, w < 3); compute-at(g, out.z1.x); compute-at(f, g.y)",
    "specialize(out, w < 3); split(out.z1.x, xo, xi, 4); compute-at(g, out.y)",
    "specialize(g, w < 3); compute-at(g, out.y)",
    "specialize(g, w < 3); specialize(out, w < 2); compute-at(g, out.y)",
    NULL};

START_TEST(specializations_are_sound) {
    expect_sound(stencils_with_parameter, special + 2);
    expect_sound(stencils_with_parameter, special);
}
END_TEST

static const char *const requests[] = {
    "align-bounds(g, x, 4)",
    "align-bounds(g, x, 4, 1); compute-at(g, out.y)",
    "bound(g, x, -40, 100)",
    "bound-extent(g, x, 50)",
    "compute-at(g, out.y); bound-extent(g, x, 50); compute-at(f, out.y); store-root(f)",
    "align-bounds(out, x, 8)",
    NULL};

START_TEST(requests_are_sound) {
    expect_sound(stencils, requests);
}
END_TEST

/* ---- size ---- */

/* A long chain: time and size must be linear. */
static void put_chain(Stock *s, int count, bool clamped) {
    Bench *b = &s->bench;
    put_f(s);
    const char *before = "f";
    for (int i = 0; i < count; i++) {
        const char *name = arena_format(b->arena, "f%d", i);
        Func *func = bench_func(b, name, "xy", I32);
        Expr left = plus(b, s->x, -1);
        if (clamped)
            left =
                expr_max(b->pool, left,
                         index_of(b, expr_variable(b->pool, context_symbol(b->context, "w"), I32)));
        bench_pure(
            b, func,
            expr_add(b->pool, CALL(before, left, s->y), CALL(before, plus(b, s->x, 1), s->y)));
        before = name;
    }
    with_output(s, CALL(before, s->x, s->y));
}

START_TEST(chains_stay_linear) {
    for (int clamped = 0; clamped < 2; clamped++) {
        size_t used[2];
        for (int i = 0; i < 2; i++) {
            Stock s = stock();
            bench_parameter(&s.bench, "w", I32, 2, 0, 9);
            put_chain(&s, i ? 160 : 80, clamped);
            filled(&s.bench, "");
            used[i] = arena_used(s.bench.arena);
            bench_destroy(&s.bench);
        }
        ck_assert_msg(used[1] < used[0] * 5 / 2, "%zu bytes for 80, %zu for 160, clamped %d",
                      used[0], used[1], clamped);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("bounds");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, stencils_are_tight);
    tcase_add_test(tests, tails_are_sound);
    tcase_add_test(tests, blur_is_tight);
    tcase_add_test(tests, resampling_is_tight);
    tcase_add_test(tests, transposes_and_flips_are_tight);
    tcase_add_test(tests, masked_iterations_ask_nothing);
    tcase_add_test(tests, odd_indices_are_sound);
    tcase_add_test(tests, updates_are_sound);
    tcase_add_test(tests, empty_reductions_ask_nothing);
    tcase_add_test(tests, growing_region_is_refused);
    tcase_add_test(tests, unbounded_read_is_refused);
    tcase_add_test(tests, clamped_lookup_is_sound);
    tcase_add_test(tests, strides_ask_nothing_for_empty_windows);
    tcase_add_test(tests, two_outputs_are_sound);
    tcase_add_test(tests, empty_window_asks_nothing);
    tcase_add_test(tests, specializations_are_sound);
    tcase_add_test(tests, requests_are_sound);
    tcase_add_test(tests, chains_stay_linear);
    return run_suite("lower_bounds", tests);
}

/* lower_checks.c -- what a program cannot run on it refuses at the start, with the numbers. */
#include "ir/print.h"
#include "lower/lower.h"
#include "checkers/interpreter/run.h"
#include "tests/unit/pipelines.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>

enum { W = 2, SIZE = 8 };

/* The blur, its holes filled by hand, with the oracle's answer made by hand, and what it runs on.
 */
typedef struct Fixture {
    Bench bench;
    Program *program;
    BoundsResult bounds;
    BoundRequests requests;
    Bits w;
    Image input, output;
} Fixture;

static BoundsRegion *region(Fixture *f, const char *name, bool grows_x, bool grows_y) {
    BoundsRegion *result = arena_new(f->bench.arena, BoundsRegion);
    result->func = context_symbol(f->bench.context, name);
    result->dimensions = 2;
    for (int k = 0; k < 2; k++) {
        result->whole[k] = bench_blur_interval(&f->bench, k, k ? grows_y : grows_x);
        result->asserted[k] = result->needed[k] = result->whole[k];
        result->longest[k] = result->whole[k].length;
    }
    return result;
}

static Fixture fixture_create(void) {
    Fixture f = {.bench = bench_blur(), .w = W};
    f.program = lower_initial(f.bench.pipeline, f.bench.arena);
    bench_fill_blur(&f.bench, f.program);
    vec_push(f.bench.arena, &f.bounds.funcs, region(&f, "f", true, true));
    vec_push(f.bench.arena, &f.bounds.funcs, region(&f, "g", false, true));
    vec_push(f.bench.arena, &f.bounds.funcs, region(&f, "h", false, false));
    vec_push(f.bench.arena, &f.bounds.images, region(&f, "input", true, true));
    int64_t extent[] = {SIZE + 2 * W, SIZE + 2 * W};
    ck_assert(image_allocate(&f.input, U8, 2, (int64_t[]){-W, -W}, extent));
    ck_assert(image_allocate(&f.output, I32, 2, (int64_t[]){0, 0}, (int64_t[]){SIZE, SIZE}));
    memset(f.input.data, 1, (size_t)image_count(&f.input));
    return f;
}

static void fixture_destroy(Fixture *f) {
    free(f->input.data);
    free(f->output.data);
    bench_destroy(&f->bench);
}

static void put_checks(Fixture *f) {
    ck_assert(
        lower_checks(f->program, f->bench.pipeline, &f->bounds, &f->requests, f->bench.arena));
}

static Outcome run(Fixture *f) {
    Arguments arguments = {.parameters = &f->w, .images = &f->input, .outputs = &f->output};
    return run_program(f->program, f->bench.arena, &arguments, &(RunOptions){.seed = 1});
}

static void assert_refused(Fixture *f, int error, const char *message) {
    Outcome outcome = run(f);
    ck_assert_str_eq(outcome.message, message);
    ck_assert_int_eq(outcome.error, error);
    for (int64_t i = 0; i < SIZE * SIZE; i++) /* nothing was written */
        ck_assert_int_eq(((int32_t *)(void *)f->output.data)[i], 0);
}

START_TEST(what_is_right_runs) {
    Fixture f = fixture_create();
    put_checks(&f);
    Outcome outcome = run(&f);
    ck_assert_msg(outcome.error == HLC_SUCCESS, "%s", outcome.message);
    ck_assert_int_eq(*(int32_t *)(void *)f.output.data, (2 * W + 1) * (2 * W + 1));
    fixture_destroy(&f);
}
END_TEST

START_TEST(parameters_lie_in_their_range) {
    Fixture f = fixture_create();
    put_checks(&f);
    f.w = -1;
    assert_refused(&f, HLC_ERROR_PARAMETER_TOO_SMALL, "parameter w is -1, below its range 0..64");
    f.w = 65;
    assert_refused(&f, HLC_ERROR_PARAMETER_TOO_LARGE, "parameter w is 65, above its range 0..64");
    fixture_destroy(&f);
}
END_TEST

/* Their values are told as they were written. */
START_TEST(float_parameters_lie_in_their_range) {
    Fixture f = fixture_create();
    Bits lower = bits_from_double(F32, 0.5), upper = bits_from_double(F32, 1.5);
    bench_parameter(&f.bench, "gain", F32, lower, lower, upper);
    put_checks(&f);
    Bits parameters[2] = {W, bits_from_double(F32, 0.1)};
    Arguments arguments = {.parameters = parameters, .images = &f.input, .outputs = &f.output};
    Outcome outcome = run_program(f.program, f.bench.arena, &arguments, &(RunOptions){.seed = 1});
    ck_assert_str_eq(outcome.message, "parameter gain is 0.1, below its range 0.5..1.5");
    parameters[1] = bits_from_double(F32, 0.0 / 0.0);
    outcome = run_program(f.program, f.bench.arena, &arguments, &(RunOptions){.seed = 1});
    ck_assert_int_eq(outcome.error, HLC_ERROR_PARAMETER_TOO_SMALL);
    parameters[1] = upper;
    outcome = run_program(f.program, f.bench.arena, &arguments, &(RunOptions){.seed = 1});
    ck_assert_int_eq(outcome.error, HLC_SUCCESS);
    fixture_destroy(&f);
}
END_TEST

START_TEST(extents_are_not_negative) {
    Fixture f = fixture_create();
    put_checks(&f);
    f.input.extent[1] = -4;
    assert_refused(&f, HLC_ERROR_NEGATIVE_EXTENT, "buffer input has extent -4 in dimension 1");
    f.input.extent[1] = SIZE + 2 * W;
    f.output.extent[0] = -1;
    assert_refused(&f, HLC_ERROR_NEGATIVE_EXTENT, "buffer h has extent -1 in dimension 0");
    fixture_destroy(&f);
}
END_TEST

START_TEST(coordinates_lie_in_32_bits) {
    Fixture f = fixture_create();
    put_checks(&f);
    f.output.minimum[0] = INT32_MAX - 3;
    assert_refused(&f, HLC_ERROR_COORDINATE_RANGE,
                   "the coordinates of h span [2147483644, 2147483651] in dimension 0, an end or "
                   "the length beyond 32 bits");
    /* The window fits, but f needs W more on each side. */
    f.output.minimum[0] = 0;
    f.output.minimum[1] = INT32_MIN;
    assert_refused(&f, HLC_ERROR_COORDINATE_RANGE,
                   "the coordinates of f span [-2147483650, -2147483639] in dimension 1, an end or "
                   "the length beyond 32 bits");
    fixture_destroy(&f);
}
END_TEST

START_TEST(images_hold_what_is_read) {
    Fixture f = fixture_create();
    put_checks(&f);
    f.input.extent[0]--;
    assert_refused(&f, HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
                   "buffer input is read in [-2, 9] in dimension 0, but holds only [-2, 8]");
    f.input.extent[0]++;
    f.input.minimum[1]++;
    assert_refused(&f, HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
                   "buffer input is read in [-2, 9] in dimension 1, but holds only [-1, 10]");
    fixture_destroy(&f);
}
END_TEST

START_TEST(an_empty_window_needs_nothing) {
    Fixture f = fixture_create();
    put_checks(&f);
    f.output.extent[1] = 0;
    f.input.extent[0] = 0;
    ck_assert_int_eq(run(&f).error, HLC_SUCCESS);
    f.w = 65; /* but what the entry is given is still looked at */
    assert_refused(&f, HLC_ERROR_PARAMETER_TOO_LARGE, "parameter w is 65, above its range 0..64");
    fixture_destroy(&f);
}
END_TEST

START_TEST(requirements_hold) {
    Fixture f = fixture_create();
    Expr w = expr_variable(f.bench.pool, context_symbol(f.bench.context, "w"), I32);
    Requirement requirement = {.condition =
                                   expr_lt(f.bench.pool, w, expr_constant(f.bench.pool, I32, 10)),
                               .message = "w is at most 9"};
    vec_push(f.bench.arena, &f.bench.pipeline->requirements, requirement);
    put_checks(&f);
    f.w = 10;
    assert_refused(&f, HLC_ERROR_REQUIREMENT_FAILED, "w is at most 9");
    fixture_destroy(&f);
}
END_TEST

START_TEST(boundary_conditions_need_a_point) {
    Fixture f = fixture_create();
    BoundaryUse use = {.image = context_symbol(f.bench.context, "input"), .dimension = 1};
    vec_push(f.bench.arena, &f.bench.pipeline->boundaries, use);
    put_checks(&f);
    f.input.extent[1] = 0;
    f.output.extent[0] = 0; /* whether or not anything is computed */
    assert_refused(&f, HLC_ERROR_EMPTY_IMAGE,
                   "a boundary condition reads image input, whose extent is 0 in dimension 1");
    fixture_destroy(&f);
}
END_TEST

static BoundRequest request(Fixture *f, BoundKind kind, int64_t first, int64_t second) {
    Expr a = expr_index(f->bench.pool, first), b = expr_index(f->bench.pool, second);
    BoundRequest result = {
        .kind = kind, .func = context_symbol(f->bench.context, "g"), .dimension = 1};
    if (kind == BOUND_INTERVAL)
        result.minimum = a, result.length = b;
    if (kind == BOUND_LENGTH)
        result.length = b;
    if (kind == BOUND_ALIGN)
        result.modulus = a, result.remainder = b;
    return result;
}

START_TEST(fixed_bounds_hold_what_is_needed) {
    Fixture f = fixture_create();
    vec_push(f.bench.arena, &f.requests.requests, request(&f, BOUND_INTERVAL, -1, 20));
    put_checks(&f);
    assert_refused(&f, HLC_ERROR_BOUND_TOO_SMALL,
                   "g.y is bound to [-1, 18], but [-2, 9] is needed");
    f.w = 1;
    f.input.minimum[0] = f.input.minimum[1] = -1;
    ck_assert_int_eq(run(&f).error, HLC_SUCCESS);
    fixture_destroy(&f);

    f = fixture_create();
    vec_push(f.bench.arena, &f.requests.requests, request(&f, BOUND_LENGTH, 0, 11));
    put_checks(&f);
    assert_refused(&f, HLC_ERROR_BOUND_TOO_SMALL, "g.y is bound to [-2, 8], but [-2, 9] is needed");
    fixture_destroy(&f);
}
END_TEST

START_TEST(alignments_make_sense) {
    Fixture f = fixture_create();
    vec_push(f.bench.arena, &f.requests.requests, request(&f, BOUND_ALIGN, 4, 4));
    put_checks(&f);
    assert_refused(&f, HLC_ERROR_ALIGN_MODULUS,
                   "g.y aligns to modulus 4 and remainder 4; 0 <= remainder < modulus must hold");
    fixture_destroy(&f);
}
END_TEST

/* What a directive asserts stands after the parameters' ranges and before the regions. */
START_TEST(directives_assertions_keep_their_place) {
    Fixture f = fixture_create();
    Pool *pool = f.bench.pool;
    Expr w = expr_cast(pool, INDEX, expr_variable(pool, context_symbol(f.bench.context, "w"), I32));
    Stmt *factor = stmt_create(f.program, STMT_ASSERT, NOWHERE);
    factor->assertion.condition = expr_le(pool, expr_index(pool, 1), w);
    factor->assertion.error = HLC_ERROR_SPLIT_FACTOR;
    factor->assertion.subject = "h.s1.x";
    factor->assertion.operands = arena_array(f.bench.arena, Expr, 1);
    factor->assertion.operands[0] = w;
    factor->assertion.operand_count = 1;
    block_prepend(&f.program->body, factor);
    put_checks(&f);
    f.w = 0;
    f.input.extent[0] = 1;
    assert_refused(&f, HLC_ERROR_SPLIT_FACTOR,
                   "the factor of h.s1.x is 0; it must lie in 1..2147483647");
    f.w = -1;
    assert_refused(&f, HLC_ERROR_PARAMETER_TOO_SMALL, "parameter w is -1, below its range 0..64");
    fixture_destroy(&f);
}
END_TEST

/* ---- reduction domains and index arithmetic ---- */

/* pipeline total(a: i32, b: i32, c: i32) -> t {
 *     fun t(x) = {0; rdom(r = (index(a), length)) in (x) <- value} */
typedef struct Total {
    Bench bench;
    Program *program;
    BoundsResult bounds;
    Expr a, b, c, x, r;
    Func *t;
} Total;

static Total total_create(void) {
    Total total = {.bench = bench_create("total")};
    Bench *bench = &total.bench;
    const char *names[] = {"a", "b", "c"};
    Expr *parameters[] = {&total.a, &total.b, &total.c};
    for (int i = 0; i < 3; i++) {
        Expr p = bench_parameter(bench, names[i], I32, 0, 0, 0);
        bench->pipeline->signature.parameters.data[i].has_range = false;
        *parameters[i] = expr_cast(bench->pool, INDEX, p);
    }
    total.x = bench_variable(bench, "x");
    total.r = bench_variable(bench, "r");
    total.t = bench_func(bench, "t", "x", I32);
    bench_output(bench, total.t);
    return total;
}

/* The holes are the window. */
static Expr fill_window(void *data, Pool *pool, Expr node) {
    (void)data;
    if (node->op != OP_HOLE)
        return node;
    return expr_buffer_field(pool, node->hole->func,
                             node->hole->end == HOLE_MINIMUM ? FIELD_MINIMUM : FIELD_EXTENT, 0);
}

static Expr fill_expr(void *data, Expr expr) {
    Bench *bench = data;
    ExprMemo memo = expr_memo(bench->arena);
    return expr_rewrite(bench->pool, &memo, expr, fill_window, NULL);
}

static bool total_lower(Total *total, Expr length, Expr value) {
    Bench *bench = &total->bench;
    bench_pure(bench, total->t, expr_constant(bench->pool, I32, 0));
    Stage *update = bench_stage(bench, total->t, &total->x, value);
    bench_reduction(bench, update, "r", total->a, length);
    total->program = lower_initial(bench->pipeline, bench->arena);
    block_map_exprs(&total->program->body, fill_expr, bench);
    return lower_checks(total->program, bench->pipeline, &total->bounds, &(BoundRequests){0},
                        bench->arena);
}

static Outcome total_run(Total *total, int64_t a, int64_t b, int64_t c) {
    int32_t memory[4] = {0};
    Image window = {.type = I32, .dimensions = 1, .extent = {4}, .stride = {1}};
    window.data = (unsigned char *)memory;
    Arguments arguments = {.parameters = (Bits[]){a, b, c}, .outputs = &window};
    Outcome outcome = run_program(total->program, total->bench.arena, &arguments,
                                  &(RunOptions){.seed = 1, .budget = 1000});
    ck_assert_int_eq(memory[3], 0);
    return outcome;
}

START_TEST(reduction_domains_have_a_length) {
    Total total = total_create();
    Expr zero = expr_constant(total.bench.pool, I32, 0);
    ck_assert(total_lower(&total, total.b, zero));
    ck_assert_int_eq(total_run(&total, 0, 3, 0).error, HLC_SUCCESS);
    ck_assert_int_eq(total_run(&total, 5, 0, 0).error, HLC_SUCCESS);
    Outcome outcome = total_run(&total, 0, -3, 0);
    ck_assert_int_eq(outcome.error, HLC_ERROR_RDOM_LENGTH);
    ck_assert_str_eq(outcome.message, "reduction domain r has length -3");
    outcome = total_run(&total, INT32_MAX, 2, 0);
    ck_assert_int_eq(outcome.error, HLC_ERROR_COORDINATE_RANGE);
    ck_assert_str_eq(outcome.message, "the coordinates of r span [2147483647, 2147483648] in "
                                      "dimension 0, an end or the length beyond 32 bits");
    bench_destroy(&total.bench);
}
END_TEST

/* a * b * c may leave 64 bits: the entry looks. */
START_TEST(startup_arithmetic_is_checked_at_entry) {
    Total total = total_create();
    Pool *pool = total.bench.pool;
    Expr volume = expr_mul(pool, expr_mul(pool, total.a, total.b), total.c);
    ck_assert(total_lower(&total, volume, expr_constant(pool, I32, 0)));
    ck_assert_int_eq(total_run(&total, 2, 3, 4).error, HLC_SUCCESS);
    Outcome outcome = total_run(&total, 1 << 21, 1 << 21, 1 << 21);
    ck_assert_int_eq(outcome.error, HLC_ERROR_INDEX_RANGE);
    ck_assert_str_eq(outcome.message, "index arithmetic of r leaves 64 bits");
    /* 2^63, which wraps to a negative length */
    ck_assert_int_eq(total_run(&total, 1 << 30, 1 << 30, 8).error, HLC_ERROR_INDEX_RANGE);
    bench_destroy(&total.bench);
}
END_TEST

/* An additional condition of whose arithmetic nothing is known does not hold. */
START_TEST(conditions_beyond_64_bits_do_not_hold) {
    Total total = total_create();
    Pool *pool = total.bench.pool;
    ck_assert(total_lower(&total, total.b, expr_constant(pool, I32, 0)));
    Expr volume = expr_mul(pool, expr_mul(pool, total.a, total.b), total.c);
    Insistence small = {expr_le(pool, volume, expr_index(pool, 100)), "the volume", NOWHERE};
    Lowered lowered = {.program = total.program, .pipeline = total.bench.pipeline};
    lower_insist(&lowered, &small, 1, total.bench.arena);
    ck_assert_int_eq(total_run(&total, 2, 3, 4).error, HLC_SUCCESS);
    ck_assert_int_eq(total_run(&total, 5, 3, 7).error, HLC_ERROR_NOT_CERTIFIED);
    Outcome outcome = total_run(&total, 1 << 30, 2, 1 << 30);
    ck_assert_int_eq(outcome.error, HLC_ERROR_NOT_CERTIFIED);
    ck_assert_str_eq(outcome.message,
                     "the volume is not proved, and the check in its place does not hold");
    /* 2^64, which wraps to 0 */
    ck_assert_int_eq(total_run(&total, 1 << 30, 16, 1 << 30).error, HLC_ERROR_NOT_CERTIFIED);
    bench_destroy(&total.bench);
}
END_TEST

/* let n = a * b in for r in (0, n * c): what the let stands for is checked before it. */
START_TEST(arithmetic_on_lets_is_checked_at_entry) {
    Total total = total_create();
    Bench *bench = &total.bench;
    Pool *pool = bench->pool;
    bench_pure(bench, total.t, expr_constant(pool, I32, 0));
    Expr n = bench_variable(bench, "n");
    total.program = lower_initial(bench->pipeline, bench->arena);
    block_map_exprs(&total.program->body, fill_expr, bench);
    Stmt *let = stmt_create(total.program, STMT_LET, NOWHERE);
    let->let.binder = n->name;
    let->let.value = expr_mul(pool, total.a, total.b);
    Stmt *loop = stmt_create(total.program, STMT_FOR, NOWHERE);
    loop->loop.name = (LoopName){.func = total.t->shape->name, .variable = n->name};
    loop->loop.binder = context_symbol(bench->context, "v");
    loop->loop.interval = (Extent){expr_index(pool, 0), expr_mul(pool, n, total.c)};
    block_append(&let->let.body, loop);
    block_append(&total.program->body, let);
    ck_assert(lower_checks(total.program, bench->pipeline, &total.bounds, &(BoundRequests){0},
                           bench->arena));
    ck_assert_int_eq(total_run(&total, 2, 3, 4).error, HLC_SUCCESS);
    Outcome outcome = total_run(&total, 1 << 21, 1 << 21, 1 << 21);
    ck_assert_str_eq(outcome.message, "index arithmetic of total leaves 64 bits");
    bench_destroy(&total.bench);
}
END_TEST

/* x * b fits, whatever b is; x * b * c need not, and the entry checks the magnitude over all x. */
START_TEST(arithmetic_on_loop_variables_is_checked_at_entry) {
    for (int factors = 1; factors <= 2; factors++) {
        Total total = total_create();
        Pool *pool = total.bench.pool;
        Expr product = expr_mul(pool, total.x, total.b);
        if (factors == 2)
            product = expr_mul(pool, product, total.c);
        bool good = total_lower(&total, expr_index(pool, 1),
                                expr_cast(pool, I32, expr_min(pool, product, expr_index(pool, 0))));
        ck_assert(good);
        ck_assert_int_eq(total_run(&total, 2, 3, 4).error, HLC_SUCCESS);
        Outcome outcome = total_run(&total, 2, INT32_MAX, INT32_MAX);
        if (factors == 2)
            ck_assert_str_eq(outcome.message, "index arithmetic of total leaves 64 bits");
        else
            ck_assert_int_eq(outcome.error, HLC_SUCCESS);
        bench_destroy(&total.bench);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("checks");
    tcase_add_test(tests, what_is_right_runs);
    tcase_add_test(tests, parameters_lie_in_their_range);
    tcase_add_test(tests, float_parameters_lie_in_their_range);
    tcase_add_test(tests, extents_are_not_negative);
    tcase_add_test(tests, coordinates_lie_in_32_bits);
    tcase_add_test(tests, images_hold_what_is_read);
    tcase_add_test(tests, an_empty_window_needs_nothing);
    tcase_add_test(tests, requirements_hold);
    tcase_add_test(tests, boundary_conditions_need_a_point);
    tcase_add_test(tests, fixed_bounds_hold_what_is_needed);
    tcase_add_test(tests, alignments_make_sense);
    tcase_add_test(tests, directives_assertions_keep_their_place);
    tcase_add_test(tests, reduction_domains_have_a_length);
    tcase_add_test(tests, startup_arithmetic_is_checked_at_entry);
    tcase_add_test(tests, conditions_beyond_64_bits_do_not_hold);
    tcase_add_test(tests, arithmetic_on_lets_is_checked_at_entry);
    tcase_add_test(tests, arithmetic_on_loop_variables_is_checked_at_entry);
    return run_suite("lower_checks", tests);
}

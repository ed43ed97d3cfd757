/* bounds_region.c -- ranges of expressions against enumeration: of random expressions over all
 * operators and types, each value at each point lies in the range; of affine ones the ends are
 * attained. */
#include "bounds/region.h"

#include "suite.h"

#include <check.h>
#include <math.h>

typedef struct Bench {
    Context *context;
    Arena *arena;
    Pool *pool;
    Ranges ranges;
    uint64_t random;
} Bench;

static Bench bench_create(uint64_t seed) {
    Bench b = {.context = context_create(), .random = seed * 0x9e3779b97f4a7c15u + 1};
    b.arena = arena_create(&b.context->memory);
    b.pool = pool_create(b.context, b.arena);
    b.ranges = ranges_create(b.pool, b.arena, simplifier_create(b.pool, b.arena));
    return b;
}

static void bench_destroy(Bench *b) {
    arena_destroy(b->arena);
    context_destroy(b->context);
}

static uint64_t draw(Bench *b, uint64_t below) {
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (b->random >> 33) % below;
}

static int64_t draw_between(Bench *b, int64_t lower, int64_t upper) {
    return lower + (int64_t)draw(b, (uint64_t)(upper - lower + 1));
}

static Expr variable(Bench *b, const char *name) {
    return expr_variable(b->pool, context_symbol(b->context, name), INDEX);
}

static Expr number(Bench *b, int64_t value) {
    return expr_index(b->pool, value);
}

/* ---- evaluation ---- */

/* Values of variables, and of reads by their own indices' values. */
typedef struct Point {
    int64_t x, y, p;
    uint64_t memory; /* seed of what the reads give */
} Point;

typedef struct Evaluation {
    const Point *point;
    Map values; /* Expr -> Bits* */
    Arena *arena;
    bool overflow;
} Evaluation;

static Bits float_bits(Type type, uint64_t choice) {
    static const double numbers[] = {0.0, -0.0, 0.5,      -0.3,      1.0, -2.5, 7.0, 22.5,
                                     3e9, 1e30, INFINITY, -INFINITY, NAN, NAN,  NAN, 1e-30};
    return bits_from_double(type, numbers[choice % (sizeof numbers / sizeof *numbers)]);
}

static Bits leaf_value(const Evaluation *evaluation, Expr node) {
    const Point *point = evaluation->point;
    if (node->op == OP_CONSTANT)
        return node->bits;
    if (node->op == OP_ACCESS && type_is_float(node->type))
        return float_bits(node->type, point->memory >> (node->name->text[0] % 8));
    if (node->op == OP_ACCESS)
        return bits_wrap(node->type, (int64_t)(point->memory * 0x9e3779b97f4a7c15u >>
                                               (node->name->text[0] % 8)));
    if (node->name->text[0] == 'x')
        return point->x;
    if (node->name->text[0] == 'y')
        return point->y;
    return point->p;
}

static void evaluate_node(void *data, Expr node) {
    Evaluation *evaluation = data;
    Bits *value = arena_new(evaluation->arena, Bits);
    if (node->op >= OP_CONSTANT) {
        *value = leaf_value(evaluation, node);
    } else {
        Type types[OP_MAX_ARITY];
        Bits arguments[OP_MAX_ARITY];
        for (int i = 0; i < node->arity; i++) {
            types[i] = node->arguments[i]->type;
            arguments[i] = *(Bits *)map_get(&evaluation->values, node->arguments[i]);
        }
        Value result = value_apply((Op)node->op, node->type, types, arguments, NULL);
        evaluation->overflow |= result.error == ERROR_INDEX;
        *value = result.bits;
    }
    map_put(&evaluation->values, node, value);
}

/* False where index arithmetic left 64 bits: a refusal, not a value. */
static bool evaluate(Bench *b, Expr expr, const Point *point, Bits *value) {
    Arena *scratch = arena_create(&b->context->memory);
    Evaluation evaluation = {point, map_create(scratch), scratch, false};
    expr_visit(scratch, expr, evaluate_node, &evaluation);
    *value = *(Bits *)map_get(&evaluation.values, expr);
    arena_destroy(scratch);
    return !evaluation.overflow;
}

/* ---- random expressions ---- */

static Expr random_expr(Bench *b, Type type, int depth);

static Expr random_leaf(Bench *b, Type type) {
    if (type_is_index(type)) {
        static const char *const names[] = {"x", "y", "p"};
        return draw(b, 3) ? variable(b, names[draw(b, 3)]) : number(b, draw_between(b, -9, 9));
    }
    if (type_is_bool(type))
        return expr_lt(b->pool, random_leaf(b, INDEX), random_leaf(b, INDEX));
    if (draw(b, 3) == 0) {
        const char *name = draw(b, 2) ? "in" : "table";
        return expr_access(b->pool, context_symbol(b->context, name), 0, type,
                           (Expr[]){random_leaf(b, INDEX)}, 1);
    }
    if (draw(b, 2))
        return expr_cast(b->pool, type, random_leaf(b, INDEX));
    if (type_is_float(type))
        return expr_constant(b->pool, type, float_bits(type, draw(b, 100)));
    return expr_constant(b->pool, type, bits_wrap(type, draw_between(b, -6, 130)));
}

static Type random_type(Bench *b) {
    static const Type types[] = {{TYPE_INT, 8, 1},    {TYPE_UINT, 8, 1},   {TYPE_INT, 16, 1},
                                 {TYPE_UINT, 16, 1},  {TYPE_INT, 32, 1},   {TYPE_UINT, 32, 1},
                                 {TYPE_INT, 64, 1},   {TYPE_INDEX, 64, 1}, {TYPE_FLOAT, 32, 1},
                                 {TYPE_FLOAT, 32, 1}, {TYPE_FLOAT, 64, 1}};
    return types[draw(b, sizeof types / sizeof *types)];
}

static bool is_finz(Op op) {
    return op >= OP_SIN && op <= OP_POW;
}

/* An operator that gives `type` when all its operands have it (and a bool where it chooses). */
static Expr random_same(Bench *b, Type type, int depth) {
    for (int attempt = 0; attempt < 50; attempt++) {
        Op op = (Op)draw(b, OP_COUNT);
        const OpInfo *info = op_info(op);
        Type operands[OP_MAX_ARITY], result;
        Expr arguments[OP_MAX_ARITY];
        if (op == OP_GT || op == OP_GE || info->types == TYPES_CONVERT || is_finz(op))
            continue;
        for (int i = 0; i < info->arity; i++)
            operands[i] = info->types == TYPES_CHOOSE && i == 0 ? BOOL : type;
        if (!op_result_type(op, operands, &result) || !type_equal(result, type))
            continue;
        for (int i = 0; i < info->arity; i++)
            arguments[i] = random_expr(b, operands[i], depth - 1);
        return expr_apply(b->pool, op, arguments);
    }
    return random_leaf(b, type);
}

static Expr random_expr(Bench *b, Type type, int depth) {
    if (depth == 0 || draw(b, 8) == 0)
        return random_leaf(b, type);
    if (type_is_bool(type))
        return expr_lt(b->pool, random_expr(b, INDEX, depth - 1), random_expr(b, INDEX, depth - 1));
    if (draw(b, 4) == 0) {
        Type from = random_type(b);
        bool may_saturate = type_is_machine_integer(type) && !type_is_index(from);
        Op op = draw(b, 4) || !may_saturate ? OP_CAST : OP_SATURATING_CAST;
        return expr_convert(b->pool, op, type, random_expr(b, from, depth - 1));
    }
    if (draw(b, 6) == 0 && type_is_machine_integer(type) && type.bits > 8) {
        static const Op widening[] = {OP_WIDENING_ADD, OP_WIDENING_SUB, OP_WIDENING_MUL};
        Type half = {type.kind, (uint8_t)(type.bits / 2), 1};
        return expr_binary(b->pool, widening[draw(b, 3)], random_expr(b, half, depth - 1),
                           random_expr(b, half, depth - 1));
    }
    return random_same(b, type, depth);
}

/* Sums, quotients and choices in which x and y occur often. */
static Expr random_length(Bench *b, int depth) {
    static const Op ops[] = {OP_ADD, OP_SUB, OP_MIN, OP_MAX};
    if (depth == 0)
        return random_leaf(b, INDEX);
    Expr first = random_length(b, depth - 1);
    uint64_t kind = draw(b, 8);
    if (kind == 0)
        return expr_mul(b->pool, first, number(b, draw_between(b, -4, 8)));
    if (kind == 1)
        return expr_div(b->pool, first, number(b, draw_between(b, -3, 4)));
    Expr second = random_length(b, depth - 1);
    if (kind == 2)
        return expr_select(b->pool, random_expr(b, BOOL, 1), first, second);
    return expr_binary(b->pool, ops[draw(b, 4)], first, second);
}

/* ---- the property ---- */

static void expect_inside(Bench *b, Expr expr, Interval range, const Point *point) {
    Bits value, lower, upper;
    if (!evaluate(b, expr, point, &value))
        return;
    if (range.lower && evaluate(b, range.lower, point, &lower) && value < lower)
        ck_abort_msg("x=%lld y=%lld p=%lld: value %lld below %lld, tree of %u nodes, op %s",
                     (long long)point->x, (long long)point->y, (long long)point->p,
                     (long long)value, (long long)lower, expr->tree_size,
                     expr->op < OP_COUNT ? op_info((Op)expr->op)->name : "leaf");
    if (range.upper && evaluate(b, range.upper, point, &upper) && value > upper)
        ck_abort_msg("x=%lld y=%lld p=%lld: value %lld above %lld, tree of %u nodes, op %s",
                     (long long)point->x, (long long)point->y, (long long)point->p,
                     (long long)value, (long long)upper, expr->tree_size,
                     expr->op < OP_COUNT ? op_info((Op)expr->op)->name : "leaf");
}

static void no_bound_variable(void *data, Expr node) {
    (void)data;
    ck_assert(node->op != OP_ACCESS);
    ck_assert(node->op != OP_VARIABLE || node->name->text[0] == 'p');
}

/* A leaf, or one that may be NaN and has a limit. */
static Expr random_limited(Bench *b, Type type) {
    Expr leaf = random_leaf(b, type),
         limit = expr_constant(b->pool, type, float_bits(type, draw(b, 9)));
    uint64_t kind = draw(b, 4);
    return kind < 2 ? leaf : expr_binary(b->pool, kind == 2 ? OP_MIN : OP_MAX, leaf, limit);
}

/* An integer of a float expression; its operators are those that are monotone, mostly. */
static Expr random_float(Bench *b, Type type, int depth) {
    static const Op unary[] = {OP_FLOOR, OP_CEIL, OP_TRUNC, OP_ROUND, OP_NEG, OP_ABS, OP_SQRT},
                    binary[] = {OP_ADD, OP_SUB, OP_MUL, OP_MUL, OP_DIV, OP_MIN, OP_MAX};
    if (depth == 0)
        return draw(b, 4) ? expr_cast(b->pool, type, random_length(b, 1)) : random_limited(b, type);
    Expr first = random_float(b, type, depth - 1);
    switch (draw(b, 4)) {
    case 0:
        return expr_unary(b->pool, unary[draw(b, 7)], first);
    case 1:
        return expr_select(b->pool, random_expr(b, BOOL, 1), first, random_leaf(b, type));
    case 2:
        return expr_apply(b->pool, OP_FMA,
                          (Expr[]){first, random_leaf(b, type), random_leaf(b, type)});
    default:
        return expr_binary(b->pool, binary[draw(b, 7)], first,
                           draw(b, 3) ? random_limited(b, type) : random_float(b, type, depth - 1));
    }
}

static Expr random_whole(Bench *b) {
    Type type = draw(b, 2) ? F32 : F64;
    Expr whole = expr_cast(b->pool, draw(b, 4) ? I32 : U8, random_float(b, type, 4));
    return expr_cast(b->pool, INDEX, whole);
}

/* x and y are bound to ranges that mention p. */
static void check_random(uint64_t seed) {
    Bench b = bench_create(seed);
    int64_t x0 = draw_between(&b, -5, 5), xn = draw_between(&b, 1, 5),
            y0 = draw_between(&b, -40, 40), yn = draw_between(&b, 1, 4);
    bool moving = draw(&b, 2);
    Expr p = variable(&b, "p"), x_lower = number(&b, x0), x_upper = number(&b, x0 + xn - 1);
    if (moving) {
        x_lower = expr_add(b.pool, p, x_lower);
        x_upper = expr_add(b.pool, p, x_upper);
    }
    ranges_bind(&b.ranges, context_symbol(b.context, "x"), (Interval){x_lower, x_upper, NULL});
    ranges_bind(&b.ranges, context_symbol(b.context, "y"),
                (Interval){number(&b, y0), number(&b, y0 + yn - 1), NULL});
    uint64_t kind = draw(&b, 4);
    Expr expr = kind == 0   ? random_length(&b, 2 + (int)draw(&b, 4))
                : kind == 1 ? random_whole(&b)
                            : random_expr(&b, INDEX, 3 + (int)draw(&b, 2));
    Interval range = ranges_of(&b.ranges, expr);
    Expr greatest = ranges_greatest(&b.ranges, expr);
    ck_assert(!range.upper || greatest);
    if (greatest)
        expr_visit(b.arena, greatest, no_bound_variable, NULL);
    ck_assert((range.lower && range.upper) != (range.culprit != NULL));
    if (range.lower)
        expr_visit(b.arena, range.lower, no_bound_variable, NULL);
    if (range.upper)
        expr_visit(b.arena, range.upper, no_bound_variable, NULL);
    for (int64_t p_value = -7; p_value <= 7; p_value += 7)
        for (int64_t x = 0; x < xn; x++)
            for (int64_t y = 0; y < yn; y++)
                for (uint64_t memory = 0; memory < 3; memory++) {
                    Point point = {x0 + x + (moving ? p_value : 0), y0 + y, p_value,
                                   memory * 77777 + seed};
                    expect_inside(&b, expr, range, &point);
                    expect_inside(&b, expr, (Interval){.upper = greatest}, &point);
                }
    bench_destroy(&b);
}

START_TEST(random_expressions_stay_inside) {
    for (uint64_t i = 0; i < 800; i++)
        check_random((uint64_t)_i * 800 + i);
}
END_TEST

/* ---- ends that are attained ---- */

static Bench with_x(int64_t lower, int64_t upper) {
    Bench b = bench_create(1);
    ranges_bind(&b.ranges, context_symbol(b.context, "x"),
                (Interval){number(&b, lower), number(&b, upper), NULL});
    return b;
}

static void expect_range(Bench *b, Expr expr, int64_t lower, int64_t upper) {
    Interval range = ranges_of(&b->ranges, expr);
    int64_t least = 0, most = 0;
    ck_assert(range.lower && expr_constant_integer(range.lower, &least));
    ck_assert(range.upper && expr_constant_integer(range.upper, &most));
    ck_assert_int_eq(least, lower);
    ck_assert_int_eq(most, upper);
}

START_TEST(known_ends) {
    Bench b = with_x(-3, 10);
    Expr x = variable(&b, "x"), eight = number(&b, 8);
    expect_range(&b, expr_sub(b.pool, number(&b, 5), x), -5, 8);
    expect_range(&b, expr_mul(b.pool, x, number(&b, -2)), -20, 6);
    expect_range(&b, expr_div(b.pool, x, number(&b, 2)), -2, 5);
    expect_range(&b, expr_div(b.pool, x, number(&b, -2)), -5, 2);
    expect_range(&b, expr_div(b.pool, x, number(&b, 0)), 0, 0);
    expect_range(&b, expr_mod(b.pool, x, eight), 0, 7);
    expect_range(&b, expr_mod(b.pool, expr_add(b.pool, x, number(&b, 3)), number(&b, 16)), 0, 13);
    expect_range(&b, expr_unary(b.pool, OP_ABS, x), 0, 10);
    expect_range(&b, expr_max(b.pool, expr_min(b.pool, x, eight), number(&b, 0)), 0, 8);
    Expr read = expr_access(b.pool, context_symbol(b.context, "in"), 0, U8, &x, 1);
    expect_range(&b, expr_cast(b.pool, INDEX, read), 0, 255);
    Expr sum = expr_binary(b.pool, OP_ADD, read, expr_constant(b.pool, U8, 1));
    expect_range(&b, expr_cast(b.pool, INDEX, sum), 0, 255); /* may wrap */
    Expr wide =
        expr_binary(b.pool, OP_ADD, expr_cast(b.pool, I32, read), expr_constant(b.pool, I32, 1));
    expect_range(&b, expr_cast(b.pool, INDEX, wide), 1, 256); /* may not */
    Expr twice = expr_binary(b.pool, OP_SHIFT_LEFT, read, expr_constant(b.pool, U8, 1));
    expect_range(&b, expr_cast(b.pool, INDEX, twice), 0, 255);
    Expr half = expr_binary(b.pool, OP_SHIFT_RIGHT, read, expr_constant(b.pool, U8, 1));
    expect_range(&b, expr_cast(b.pool, INDEX, half), 0, 127);
    Expr small = expr_access(b.pool, context_symbol(b.context, "in"), 0, I8, &x, 1);
    Expr opposite = expr_binary(b.pool, OP_DIV, small, expr_constant(b.pool, I8, -1));
    expect_range(&b, expr_cast(b.pool, INDEX, opposite), -128, 127); /* -128 / -1 wraps */
    bench_destroy(&b);
}
END_TEST

/* The limit is `most`, or the lesser of that and what depends on the other variables. */
static void expect_greatest(Bench *b, Expr expr, int64_t most) {
    Expr greatest = ranges_greatest(&b->ranges, expr);
    ck_assert(greatest);
    ConstantInterval found = simplify_interval(b->ranges.simplifier, greatest);
    ck_assert(found.has_maximum);
    ck_assert_int_eq(found.maximum, most);
}

/* Where a variable occurs twice, around a min or a max. */
START_TEST(greatest_values) {
    Bench b = with_x(0, 99);
    Pool *pool = b.pool;
    Expr x = variable(&b, "x"), m = variable(&b, "m"), e = variable(&b, "e");
    Expr two = number(&b, 2), eight = number(&b, 8);
    Expr begin = expr_mul(pool, x, eight), end = expr_min(pool, expr_add(pool, begin, eight), e);
    /* What a tile of x has, and what it needs at x / 2. */
    Expr first = expr_add(pool, expr_mul(pool, x, number(&b, 4)), expr_div(pool, m, two));
    Expr last = expr_div(pool, expr_add(pool, end, m), two);
    expect_greatest(&b, expr_sub(pool, end, begin), 8);
    expect_greatest(&b, expr_sub(pool, last, first), 4);
    expect_greatest(&b, expr_sub(pool, expr_max(pool, last, expr_add(pool, first, two)), first), 4);
    Expr near = expr_min(pool, first, expr_sub(pool, first, two));
    expect_greatest(&b, expr_sub(pool, last, near), 6);
    Expr above = expr_max(pool, first, expr_add(pool, e, last));
    expect_greatest(&b, expr_sub(pool, expr_add(pool, first, eight), above), 8);
    Expr chosen =
        expr_select(pool, expr_lt(pool, x, m), last, expr_add(pool, first, number(&b, 6)));
    expect_greatest(&b, expr_sub(pool, chosen, first), 6);
    bench_destroy(&b);
}
END_TEST

/* An i32 value read from memory has no sensible range, and is named. */
START_TEST(unknown_ends_name_the_culprit) {
    Bench b = with_x(0, 9);
    Expr x = variable(&b, "x");
    Expr read = expr_access(b.pool, context_symbol(b.context, "f"), 0, I32, &x, 1);
    Interval range = ranges_of(&b.ranges, expr_add(b.pool, expr_cast(b.pool, INDEX, read), x));
    ck_assert(!range.lower && !range.upper);
    ck_assert_ptr_eq(range.culprit, read);
    Expr at_most = expr_min(b.pool, expr_cast(b.pool, INDEX, read), x);
    range = ranges_of(&b.ranges, at_most);
    ck_assert(!range.lower && range.upper);
    ck_assert_ptr_eq(range.culprit, read);
    expect_range(&b, expr_max(b.pool, at_most, number(&b, 2)), 2, 9);
    bench_destroy(&b);
}
END_TEST

/* Symbolic ends: what is provably redundant goes, what is not stays. */
START_TEST(hulls) {
    Bench b = bench_create(1);
    Expr n = variable(&b, "n"), m = variable(&b, "m");
    Hull lower = {.is_lower = true};
    ck_assert(hull_add(&lower, &b.ranges, n));
    ck_assert(!hull_add(&lower, &b.ranges, expr_add(b.pool, n, number(&b, 2))));
    Expr less = expr_add(b.pool, n, number(&b, -1));
    ck_assert(hull_add(&lower, &b.ranges, less));
    ck_assert_uint_eq(lower.ends.length, 1);
    ck_assert(hull_add(&lower, &b.ranges, m));
    ck_assert_uint_eq(lower.ends.length, 2);
    Hull upper = {0};
    ck_assert(hull_add(&upper, &b.ranges, n));
    ck_assert(!hull_add(&upper, &b.ranges, less));
    bench_destroy(&b);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("region");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, random_expressions_stay_inside, 0, 10);
    tcase_add_test(tests, known_ends);
    tcase_add_test(tests, greatest_values);
    tcase_add_test(tests, unknown_ends_name_the_culprit);
    tcase_add_test(tests, hulls);
    return run_suite("bounds_region", tests);
}

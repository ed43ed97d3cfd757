/* codegen_operators.c -- the compiled code of every operator, at every type that it is defined on,
 * gives what the evaluator gives: at all pairs of edge values, for 8-bit types at all pairs of
 * values, and with a constant second operand too (which takes other paths); as scalars and as
 * vectors of several widths.
 *
 * A module has images a, b, c and one output func for each of some operators.
 */
#include "codegen/codegen.h"
#include "guarded.h"
#include "tests/unit/share.h"
#include "suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef Vec(Bits) Values;

/* One output: `op(a[x], b[x], c[x])` with operands of these types. */
typedef struct Case {
    Op op;
    Type operands[OP_MAX_ARITY], result;
    bool has_constant; /* the second operand is this, not b[x] */
    Bits constant;
} Case;

typedef Vec(Case) Cases;

typedef struct Bench {
    Context *context;
    Arena *arena;
    Pool *pool;
    Signature signature;
    Program *program;
    Symbol images[OP_MAX_ARITY];
    Values points[OP_MAX_ARITY]; /* operand values, point by point */
    Cases all, cases;            /* all of a type; those of the module being made */
    int width;                   /* lanes; 1: scalar code */
    int drawn;                   /* functions that might be compiled so far */
} Bench;

/* ---- values ---- */

static void integer_edges(Arena *arena, Values *values, Type type) {
    int64_t least = type_minimum(type), most = type_maximum(type);
    int64_t candidates[] = {0,
                            1,
                            2,
                            3,
                            5,
                            7,
                            10,
                            100,
                            -1,
                            -2,
                            -3,
                            -7,
                            -10,
                            least,
                            least + 1,
                            least / 2,
                            most,
                            most - 1,
                            most / 2,
                            most / 2 + 1,
                            0x5555555555555555,
                            0x123456789abcdef,
                            -0x123456789abcdef};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        vec_push(arena, values, bits_wrap(type, candidates[i]));
    for (int edge = 8; edge <= 128; edge *= 2)
        for (int step = -1; step <= 1; step++)
            vec_push(arena, values, bits_wrap(type, edge + step));
}

static void float_edges(Arena *arena, Values *values, Type type) {
    double candidates[] = {0.0,
                           1.0,
                           0.5,
                           1.5,
                           2.5,
                           3.5,
                           0.25,
                           0.49999997,
                           3.0,
                           7.25,
                           127.0,
                           127.5,
                           128.0,
                           128.5,
                           129,
                           254.5,
                           255.0,
                           255.5,
                           256.0,
                           32767.5,
                           32768,
                           32769,
                           65535,
                           65535.5,
                           65536,
                           0x1p23,
                           0x1p23 + 1,
                           0x1p24,
                           0x1.fffffep30,
                           0x1p31,
                           0x1.fffffffffp31,
                           0x1p32,
                           0x1p53,
                           0x1.fffffep62,
                           0x1p63,
                           0x1p64,
                           1e10,
                           1e30,
                           1e300,
                           0x1p-126,
                           0x1p-127,
                           0x1p-149,
                           0x1p-1022,
                           0x1p-1074,
                           0x1.fffffep127,
                           3.14159265358979,
                           2.718281828,
                           0.1,
                           1e-10,
                           INFINITY,
                           NAN,
                           4294967295.0,
                           2147483647.0,
                           4294967295.5,
                           0x1p33};
    /* f16's greatest number, what rounds to it and to infinity, its least normal and subnormal ones */
    double of_f16[] = {65504,   65519,   65520,     0x1p-14, 0x1.ffcp-15,
                       0x1p-24, 0x1p-25, 0x1.004p0, 2049};
    for (size_t i = 0; type_is_short_float(type) && i < sizeof of_f16 / sizeof *of_f16; i++)
        vec_push(arena, values, bits_from_double(type, of_f16[i]));
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        vec_push(arena, values, bits_from_double(type, candidates[i]));
        vec_push(arena, values, bits_from_double(type, -candidates[i]));
    }
}

static void edges(Arena *arena, Values *values, Type type) {
    if (type_is_float(type))
        float_edges(arena, values, type);
    else if (type_is_bool(type))
        for (int i = 0; i < 2; i++)
            vec_push(arena, values, i);
    else
        integer_edges(arena, values, type);
}

/* All values of 8 bits, otherwise the edges. */
static void all(Arena *arena, Values *values, Type type) {
    if (type.bits != 8) {
        edges(arena, values, type);
        return;
    }
    for (int i = 0; i < 256; i++)
        vec_push(arena, values, bits_wrap(type, i));
}

/* ---- the cases of a type ---- */

static bool is_defined(const Case *test) {
    unsigned traits = op_info(test->op)->traits;
    static const unsigned on[] = {
        [TYPE_BOOL] = ON_BOOL,   [TYPE_INT] = ON_INTEGER,  [TYPE_UINT] = ON_INTEGER,
        [TYPE_FLOAT] = ON_FLOAT, [TYPE_BFLOAT] = ON_FLOAT, [TYPE_INDEX] = ON_INDEX};
    Type last = test->operands[test->op == OP_SELECT ? 1 : 0];
    return traits & on[last.kind];
}

/* Is it an operator that these tests can apply, and to what?  Sets the result type. */
static bool finish(Case *test) {
    OpTypes rule = op_info(test->op)->types;
    Type type = test->operands[0];
    if (rule == TYPES_CHOOSE)
        test->operands[0] = BOOL;
    if (rule == TYPES_WEIGHT && !type_is_float(type))
        test->operands[2] = TYPE(UINT, type.bits);
    if (rule == TYPES_SHIFTED)
        test->operands[2] = TYPE(UINT, type.bits);
    return is_defined(test) && op_result_type(test->op, test->operands, &test->result);
}

static void add_conversions(Bench *bench, Op op, Type type) {
    for (int n = 0; n < TYPE_COUNT; n++) {
        Case test = {.op = op, .operands = {type}, .result = type_by_number(n)};
        Type to = test.result;
        bool fits = op == OP_CAST || (op == OP_SATURATING_CAST && type_is_machine_integer(to)) ||
                    (op == OP_REINTERPRET && to.bits == type.bits && !type_is_bool(type) &&
                     !type_is_index(to) && !type_is_index(type));
        if (fits && !type_equal(type, to) && op_result_type(op, test.operands, &test.result))
            vec_push(bench->arena, &bench->all, test);
    }
}

static void add_constants(Bench *bench, Case test) {
    Values values = {0};
    edges(bench->arena, &values, test.operands[1]);
    for (size_t i = 0; i < values.length; i++) {
        test.has_constant = true;
        test.constant = values.data[i];
        vec_push(bench->arena, &bench->all, test);
    }
}

static void add_cases(Bench *bench, Type type, bool ternary) {
    for (int op = 0; op < OP_COUNT; op++) {
        OpTypes rule = op_info((Op)op)->types;
        if (op == OP_GT || op == OP_GE || (op_info((Op)op)->arity == 3) != ternary)
            continue;
        if (rule == TYPES_CONVERT) {
            add_conversions(bench, (Op)op, type);
            continue;
        }
        Case test = {.op = (Op)op, .operands = {type, type, type}};
        if (!finish(&test))
            continue;
        vec_push(bench->arena, &bench->all, test);
        if (op == OP_DIV || op == OP_MOD || op == OP_SHIFT_RIGHT || op == OP_MUL)
            add_constants(bench, test);
        if (rule == TYPES_SHIFT) {
            test.operands[1].kind = type.kind == TYPE_INT ? TYPE_UINT : TYPE_INT;
            if (finish(&test))
                vec_push(bench->arena, &bench->all, test);
        }
    }
}

/* ---- the program ---- */

/* Index has no memory: it is stored as i64. */
static Type stored(Type type) {
    return type_is_index(type) ? I64 : type;
}

static Expr operand(Bench *bench, const Case *test, int i, Expr x) {
    Type type = test->operands[i], image = bench->signature.images.data[i].type;
    if (i == 1 && test->has_constant)
        return expr_constant(bench->pool, type, test->constant);
    Expr value = expr_access(bench->pool, bench->images[i], 0, image, &x, 1);
    return expr_cast(bench->pool, type, value); /* amounts of the other sign, and index */
}

static void add_image(Bench *bench, const char *name, Type type, int i) {
    ImageParameter image = {.name = context_symbol(bench->context, name),
                            .type = stored(type),
                            .dimensions = 1,
                            .layout = LAYOUT_PLANAR};
    bench->images[i] = image.name;
    vec_push(bench->arena, &bench->signature.images, image);
    vec_push(bench->arena, &bench->signature.inputs, (InputRef){true, (size_t)i});
}

static FuncShape *add_output(Bench *bench, Type type) {
    FuncShape *func = arena_new(bench->arena, FuncShape);
    func->name = symbol_format(&bench->context->symbols, "out%zu", bench->signature.outputs.length);
    func->dimensions = func->components = 1;
    func->variables[0] = context_symbol(bench->context, "x");
    func->types = arena_new(bench->arena, Type);
    func->types[0] = stored(type);
    func->is_output = true;
    vec_push(bench->arena, &bench->signature.funcs, func);
    map_put(&bench->signature.by_name, func->name, func);
    vec_push(bench->arena, &bench->signature.outputs, (Output){.func = func->name});
    return func;
}

static Stmt *add_loop(Bench *bench, Block *block, Symbol binder, Extent interval) {
    Stmt *loop = stmt_create(bench->program, STMT_FOR, NOWHERE);
    loop->loop.binder = binder;
    loop->loop.interval = interval;
    loop->loop.pure = true;
    block_append(block, loop);
    return loop;
}

/* for xo in (0, ceil(n/w)) do for xi in (0, w) vectorized do let x = min(xo*w, n - w) + xi in ..
 * Returns the let; windows begin at 0 and are no shorter than a vector. */
static Stmt *add_vector_loops(Bench *bench, Symbol binder, Expr n) {
    Pool *pool = bench->pool;
    Symbol names[] = {symbol_format(&bench->context->symbols, "%s_o", binder->text),
                      symbol_format(&bench->context->symbols, "%s_v", binder->text)};
    Expr w = expr_index(pool, bench->width), zero = expr_index(pool, 0);
    Expr steps = expr_div(pool, expr_add(pool, n, expr_index(pool, bench->width - 1)), w);
    Stmt *outer = add_loop(bench, &bench->program->body, names[0], (Extent){zero, steps});
    Stmt *inner = add_loop(bench, &outer->loop.body, names[1], (Extent){zero, w});
    inner->loop.traversal = TRAVERSE_VECTORIZED;
    Expr begin = expr_min(pool, expr_mul(pool, expr_variable(pool, names[0], INDEX), w),
                          expr_sub(pool, n, w));
    Stmt *let = stmt_create(bench->program, STMT_LET, NOWHERE);
    let->let.binder = binder;
    let->let.value = expr_add(pool, begin, expr_variable(pool, names[1], INDEX));
    block_append(&inner->loop.body, let);
    return let;
}

/* allocate out [window]; for x in window do out[x] <- value */
static void add_statements(Bench *bench, const Case *test, FuncShape *func) {
    Program *program = bench->program;
    Extent *window = arena_new(bench->arena, Extent);
    window->minimum = expr_buffer_field(bench->pool, func->name, FIELD_MINIMUM, 0);
    window->length = expr_buffer_field(bench->pool, func->name, FIELD_EXTENT, 0);
    Symbol binder = symbol_format(&bench->context->symbols, "%s.s0.x", func->name->text);
    Expr x = expr_variable(bench->pool, binder, INDEX), operands[OP_MAX_ARITY];
    for (int i = 0; i < op_info(test->op)->arity; i++)
        operands[i] = operand(bench, test, i, x);
    Expr value = op_info(test->op)->types == TYPES_CONVERT
                     ? expr_convert(bench->pool, test->op, test->result, operands[0])
                     : expr_apply(bench->pool, test->op, operands);
    Stmt *allocate = stmt_create(program, STMT_ALLOCATE, NOWHERE);
    allocate->allocate.func = func;
    allocate->allocate.intervals = window;
    block_append(&program->body, allocate);
    Stmt *around = bench->width > 1 ? add_vector_loops(bench, binder, window->length)
                                    : add_loop(bench, &program->body, binder, *window);
    Stmt *store = stmt_create(program, STMT_STORE, NOWHERE);
    store->store.func = func;
    store->store.indices = arena_new(bench->arena, Expr);
    store->store.indices[0] = x;
    store->store.values = arena_new(bench->arena, Expr);
    store->store.values[0] = expr_cast(bench->pool, stored(test->result), value);
    block_append(stmt_body(around), store);
}

static void create_program(Bench *bench, const Type types[]) {
    static const char *const names[] = {"a", "b", "c"};
    bench->signature = (Signature){.name = context_symbol(bench->context, "operators"),
                                   .by_name = map_create(bench->arena)};
    for (int i = 0; i < OP_MAX_ARITY; i++)
        add_image(bench, names[i], types[i], i);
    Vec(FuncShape *) funcs = {0};
    for (size_t i = 0; i < bench->cases.length; i++)
        vec_push(bench->arena, &funcs, add_output(bench, bench->cases.data[i].result));
    bench->program = program_create(bench->pool, bench->arena, &bench->signature);
    for (size_t i = 0; i < bench->cases.length; i++)
        add_statements(bench, &bench->cases.data[i], funcs.data[i]);
}

/* ---- running and comparing ---- */

static Image make_image(Type type, const Values *values, size_t count) {
    Image image = guarded_image(type, 1, &(int64_t){0}, &(int64_t){(int64_t)count});
    for (size_t i = 0; values && i < count; i++)
        bits_store(type, image.data + i * (size_t)type_bytes(type), values->data[i]);
    return image;
}

/* The operands of a case, all points: those of another type than their image are cast from it. */
static const Bits *case_operand(Bench *bench, const Case *test, int i, Arena *scratch) {
    size_t count = bench->points[0].length;
    Type image = bench->signature.images.data[i].type, type = test->operands[i];
    const Bits *values = bench->points[i].data;
    if (type_equal(image, type) && !(i == 1 && test->has_constant))
        return values;
    Bits *cast = arena_array(scratch, Bits, count);
    if (i == 1 && test->has_constant)
        for (size_t k = 0; k < count; k++)
            cast[k] = test->constant;
    else
        value_apply_batch(OP_CAST, type, &image, count, cast, &values, NULL, NULL);
    return cast;
}

static void differ(const Bench *bench, const Case *test, const Bits *const *operands, size_t k,
                   Bits got, Bits wanted, int optimize) {
    long long shown[OP_MAX_ARITY] = {0};
    int arity = op_info(test->op)->arity;
    for (int i = 0; i < arity; i++)
        shown[i] = operands[i][k];
    ck_abort_msg("%d lanes, -O%d %s on %s to %s, operands %llx %llx %llx: %llx, not %llx",
                 bench->width, optimize, op_info(test->op)->name,
                 type_name(test->operands[arity > 1 ? 1 : 0]), type_name(test->result), shown[0],
                 shown[1], shown[2], (long long)got, (long long)wanted);
}

static void compare(Bench *bench, const Case *test, const Image *output, int optimize) {
    Arena *scratch = arena_create(&bench->context->memory);
    size_t count = bench->points[0].length;
    Type result = stored(test->result);
    const Bits *operands[OP_MAX_ARITY];
    Bits *wanted = arena_array(scratch, Bits, count);
    uint8_t *errors = type_is_index(test->result) ? arena_array(scratch, uint8_t, count) : NULL;
    for (int i = 0; i < op_info(test->op)->arity; i++)
        operands[i] = case_operand(bench, test, i, scratch);
    value_apply_batch(test->op, test->result, test->operands, count, wanted, operands, errors,
                      NULL);
    for (size_t k = 0; k < count; k++) {
        Bits got = bits_load(result, output->data + k * (size_t)type_bytes(result));
        bool is_outside = errors && errors[k] == ERROR_INDEX;
        if (!is_outside && got != wanted[k] && !bits_same(result, got, wanted[k]))
            differ(bench, test, operands, k, got, wanted[k], optimize);
    }
    arena_destroy(scratch);
}

static void run(Bench *bench, int optimize) {
    size_t count = bench->points[0].length;
    Object object;
    CodegenOptions options = {.optimize = optimize};
    bool made = codegen_object(bench->program, bench->arena, &options, &object);
    if (!made)
        diag_print_all(bench->context, stderr);
    ck_assert(made);
    Jit *jit = jit_load(bench->context, &bench->signature, &object);
    ck_assert_ptr_nonnull(jit);
    Image images[OP_MAX_ARITY], *outputs = arena_array(bench->arena, Image, bench->cases.length);
    for (int i = 0; i < OP_MAX_ARITY; i++)
        images[i] = make_image(bench->signature.images.data[i].type, &bench->points[i], count);
    for (size_t i = 0; i < bench->cases.length; i++)
        outputs[i] = make_image(stored(bench->cases.data[i].result), NULL, count);
    Arguments arguments = {.images = images, .outputs = outputs};
    Outcome outcome = jit_call(jit, &arguments);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    for (size_t i = 0; i < bench->cases.length; i++)
        compare(bench, &bench->cases.data[i], &outputs[i], optimize);
    for (int i = 0; i < OP_MAX_ARITY; i++)
        guarded_free(&images[i]);
    for (size_t i = 0; i < bench->cases.length; i++)
        guarded_free(&outputs[i]);
    jit_free(jit);
}

static void create_bench(Bench *bench) {
    *bench = (Bench){.context = context_create()};
    bench->arena = arena_create(&bench->context->memory);
    bench->pool = pool_create(bench->context, bench->arena);
}

/* LLVM's time grows faster than a function's length: a few cases at a time. */
enum { CASES_AT_ONCE = 12 };

static const int levels[] = {0, 2, 3}, widths[] = {2, 4, 5, 8, 16, 32};
enum { LEVELS = sizeof levels / sizeof *levels, WIDTHS = sizeof widths / sizeof *widths };

/* Is the next function compiled?  Where only a share is, another one of each type. */
static bool is_drawn(Bench *bench) {
    return bench->drawn++ % share() == 0;
}

/* Every operator at every width; of one with a constant, each constant at one width. */
static void run_vectors(Bench *bench, const Type types[]) {
    for (size_t w = 0; w < WIDTHS; w++) {
        bench->width = widths[w];
        bench->cases = (Cases){0};
        for (size_t i = 0; i < bench->all.length; i++) {
            if (!bench->all.data[i].has_constant || i % WIDTHS == w)
                vec_push(bench->arena, &bench->cases, bench->all.data[i]);
            if (bench->cases.length == 0 ||
                (bench->cases.length < CASES_AT_ONCE && i + 1 < bench->all.length))
                continue;
            if (is_drawn(bench)) {
                create_program(bench, types);
                run(bench, levels[(w + i) % LEVELS]);
            }
            bench->cases = (Cases){0};
        }
    }
}

static void repeat_points(Bench *bench) {
    size_t count = bench->points[0].length;
    for (size_t at = 0; count + at < 64; at++)
        for (int i = 0; i < OP_MAX_ARITY; i++)
            vec_push(bench->arena, &bench->points[i], bench->points[i].data[at]);
}

static void run_all(Bench *bench, const Type types[]) {
    repeat_points(bench);
    bench->drawn = type_number(types[1]);
    bench->width = 1;
    for (size_t at = 0; at < bench->all.length; at += CASES_AT_ONCE) {
        bench->cases = (Cases){0};
        for (size_t i = at; i < at + CASES_AT_ONCE && i < bench->all.length; i++)
            vec_push(bench->arena, &bench->cases, bench->all.data[i]);
        create_program(bench, types);
        for (size_t i = 0; i < LEVELS; i++)
            if (is_drawn(bench))
                run(bench, levels[i]);
    }
    run_vectors(bench, types);
    arena_destroy(bench->arena);
    context_destroy(bench->context);
}

START_TEST(operators_of_one_or_two_operands) {
    Bench bench;
    Type type = type_by_number(_i);
    create_bench(&bench);
    add_cases(&bench, type, false);
    Values first = {0}, second = {0};
    all(bench.arena, &first, type);
    all(bench.arena, &second, type);
    for (size_t i = 0; i < first.length; i++)
        for (size_t j = 0; j < second.length; j++) {
            vec_push(bench.arena, &bench.points[0], first.data[i]);
            vec_push(bench.arena, &bench.points[1], second.data[j]);
            vec_push(bench.arena, &bench.points[2], 0);
        }
    run_all(&bench, (Type[]){type, type, type});
}
END_TEST

/* Operand types by rule: bool T T for select, T T u for lerp and the shifted products, T T T for
 * fma. */
static void three_operands(Type type, bool is_select) {
    Bench bench;
    create_bench(&bench);
    add_cases(&bench, type, true);
    size_t kept = 0;
    for (size_t i = 0; i < bench.all.length; i++)
        if ((bench.all.data[i].op == OP_SELECT) == is_select)
            bench.all.data[kept++] = bench.all.data[i];
    bench.all.length = kept;
    if (kept == 0) {
        arena_destroy(bench.arena);
        context_destroy(bench.context);
        return;
    }
    Type types[OP_MAX_ARITY];
    Values values[OP_MAX_ARITY] = {0};
    for (int i = 0; i < OP_MAX_ARITY; i++) {
        types[i] = bench.all.data[0].operands[i];
        edges(bench.arena, &values[i], types[i]);
    }
    for (size_t i = 0; i < values[0].length; i++)
        for (size_t j = 0; j < values[1].length; j++)
            for (size_t k = 0; k < values[2].length; k++) {
                vec_push(bench.arena, &bench.points[0], values[0].data[i]);
                vec_push(bench.arena, &bench.points[1], values[1].data[j]);
                vec_push(bench.arena, &bench.points[2], values[2].data[k]);
            }
    run_all(&bench, types);
}

START_TEST(operators_of_three_operands) {
    three_operands(type_by_number(_i), false);
}
END_TEST

START_TEST(select_of_each_type) {
    three_operands(type_by_number(_i), true);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("operators");
    tcase_set_timeout(cases, 0);
    tcase_add_loop_test(cases, operators_of_one_or_two_operands, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, operators_of_three_operands, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, select_of_each_type, 0, TYPE_COUNT);
    return run_suite("codegen_operators", cases);
}

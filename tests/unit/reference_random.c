/* reference_random.c -- the reference interpreter against Figure 6 taken literally: a recursive
 * evaluator that unrolls every rdom and shadows update by update, on random small pipelines. */
#include "checkers/reference/engine/reference.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/pipelines.h"

#include "suite.h"

#include <check.h>
#include <setjmp.h>
#include <stdlib.h>

/* ---- random pipelines ---- */

typedef struct Random {
    uint64_t state;
} Random;

static int pick(Random *random, int count) {
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random->state >> 33) % (uint64_t)count);
}

typedef struct Maker {
    Bench bench;
    Random random;
    Func *self;        /* its updates may read it; null in pure stages */
    const bool *pure;  /* of the stage */
    Expr variables[6]; /* that may be used */
    int variable_count;
    bool clamped; /* image reads stay inside */
} Maker;

#define POOL (maker->bench.pool)

static const Type TYPES[] = {{TYPE_INT, 32, 1},
                             {TYPE_UINT, 8, 1},
                             {TYPE_INT, 16, 1},
                             {TYPE_FLOAT, 32, 1},
                             {TYPE_INT, 64, 1}};

static Expr make_value(Maker *maker, Type type, int depth);

static Expr make_index(Maker *maker, int depth) {
    Expr v = maker->variable_count > 0
                 ? maker->variables[pick(&maker->random, maker->variable_count)]
                 : expr_index(POOL, 2);
    Expr c = expr_index(POOL, pick(&maker->random, 5) - 2);
    switch (pick(&maker->random, depth > 0 ? 7 : 4)) {
    case 0:
        return v;
    case 1:
        return expr_add(POOL, v, c);
    case 2:
        return expr_sub(POOL, c, v);
    case 3:
        return expr_div(POOL, v, expr_index(POOL, pick(&maker->random, 3)));
    case 4:
        return expr_mod(POOL, expr_cast(POOL, INDEX, make_value(maker, I32, depth - 1)),
                        expr_index(POOL, 5));
    case 5:
        return expr_add(POOL, make_index(maker, depth - 1), make_index(maker, depth - 1));
    default:
        return expr_cast(POOL, INDEX, make_value(maker, U8, depth - 1));
    }
}

static Expr make_access(Maker *maker, int depth) {
    const Pipeline *pipeline = maker->bench.pipeline;
    size_t funcs = pipeline->funcs.length;
    const Func *func = pick(&maker->random, 3) > 0 && funcs > 0
                           ? pipeline->funcs.data[pick(&maker->random, (int)funcs)]
                           : NULL;
    if (func && func->shape->is_output && func != maker->self) /* the func being defined */
        func = NULL;
    Expr indices[2];
    if (func) {
        for (int d = 0; d < func->shape->dimensions; d++)
            indices[d] = func == maker->self && maker->pure[d] ? func->variables[d]
                                                               : make_index(maker, depth - 1);
        int component = pick(&maker->random, func->shape->components);
        return expr_access(POOL, func->shape->name, component, func->shape->types[component],
                           indices, func->shape->dimensions);
    }
    for (int d = 0; d < 2; d++) {
        indices[d] = make_index(maker, depth - 1);
        if (maker->clamped)
            indices[d] = expr_max(POOL, expr_min(POOL, indices[d], expr_index(POOL, 6)),
                                  expr_index(POOL, 0));
    }
    return expr_access(POOL, context_symbol(maker->bench.context, "in"), 0, U8, indices, 2);
}

static Expr make_value(Maker *maker, Type type, int depth) {
    static const Op OPS[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MIN, OP_MAX, OP_MOD};
    switch (depth <= 0 ? pick(&maker->random, 2) : pick(&maker->random, 6)) {
    case 0:
        return expr_cast(POOL, type, expr_constant(POOL, I32, pick(&maker->random, 7) - 2));
    case 1:
        return maker->variable_count == 0
                   ? expr_constant(POOL, type, 0)
                   : expr_cast(POOL, type,
                               maker->variables[pick(&maker->random, maker->variable_count)]);
    case 2:
        return expr_select(
            POOL,
            expr_lt(POOL, make_value(maker, type, depth - 1), make_value(maker, type, depth - 1)),
            make_value(maker, type, depth - 1), make_value(maker, type, depth - 1));
    case 3:
    case 4:
        return expr_cast(POOL, type, make_access(maker, depth));
    default: {
        Op op = OPS[pick(&maker->random, type_is_float(type) ? 6 : 7)];
        return expr_binary(POOL, op, make_value(maker, type, depth - 1),
                           make_value(maker, type, depth - 1));
    }
    }
}

static Stage *make_stage(Maker *maker, Func *func, const Expr *indices) {
    Expr first = make_value(maker, func->shape->types[0], 3);
    Stage *stage = bench_stage(&maker->bench, func, indices, first);
    stage->values = arena_array(maker->bench.arena, Expr, func->shape->components);
    stage->values[0] = first;
    for (int c = 1; c < func->shape->components; c++)
        stage->values[c] = make_value(maker, func->shape->types[c], 2);
    return stage;
}

static void make_update(Maker *maker, Func *func) {
    static const char *const NAMES[] = {"r", "s"};
    bool pure[MAX_DIMENSIONS];
    int reductions = pick(&maker->random, 3);
    maker->self = func;
    maker->pure = pure;
    maker->variable_count = 0;
    for (int d = 0; d < func->shape->dimensions; d++)
        if ((pure[d] = pick(&maker->random, 2)))
            maker->variables[maker->variable_count++] = func->variables[d];
    for (int r = 0; r < reductions; r++)
        maker->variables[maker->variable_count++] = bench_variable(&maker->bench, NAMES[r]);
    Expr indices[2];
    for (int d = 0; d < func->shape->dimensions; d++)
        indices[d] = pure[d] ? func->variables[d] : make_index(maker, 2);
    Stage *stage = make_stage(maker, func, indices);
    for (int d = 0; d < func->shape->dimensions; d++)
        stage->pure[d] = pure[d];
    if (pick(&maker->random, 2))
        stage->predicate = expr_lt(POOL, make_value(maker, I32, 2), make_value(maker, I32, 2));
    for (int r = 0; r < reductions; r++) {
        Expr length = expr_index(POOL, pick(&maker->random, 3));
        if (pick(&maker->random, 10) == 0) /* an error in the formal reading */
            length = expr_div(POOL, length, expr_index(POOL, 0));
        bench_reduction(&maker->bench, stage, NAMES[r],
                        expr_index(POOL, pick(&maker->random, 3) - 1), length);
    }
}

static void make_func(Maker *maker, const char *name) {
    static const char *const VARIABLES[] = {"", "x", "xy", "xy"};
    Type type = TYPES[pick(&maker->random, 5)];
    Func *func = bench_func(&maker->bench, name, VARIABLES[pick(&maker->random, 4)], type);
    func->shape->is_output = true; /* until it is defined */
    if (pick(&maker->random, 3) == 0) {
        func->shape->components = 2;
        func->shape->types = arena_array(maker->bench.arena, Type, 2);
        func->shape->types[0] = type;
        func->shape->types[1] = TYPES[pick(&maker->random, 5)];
    }
    maker->self = NULL;
    maker->variable_count = func->shape->dimensions;
    for (int d = 0; d < func->shape->dimensions; d++)
        maker->variables[d] = func->variables[d];
    make_stage(maker, func, func->variables);
    for (int updates = pick(&maker->random, 3); updates > 0; updates--)
        make_update(maker, func);
    func->shape->is_output = false;
}

/* ---- Figure 6 ---- */

typedef struct Naive {
    const Pipeline *pipeline;
    const Arguments *arguments;
    bool formal, strict;
    jmp_buf *leave; /* 1: a refusal; 2: too much work */
    long budget;
} Naive;

typedef struct Binding {
    const Symbol *names;
    const int64_t *values;
    int count;
    const Func *self; /* and how many updates its reads see */
    int updates;
} Binding;

static void naive_func(Naive *naive, const Func *func, int updates, const int64_t *point,
                       Value *values);

static int update_count(const Func *func) {
    int count = 0;
    for (size_t s = 1; s < func->stages.length; s++) {
        int steps = 1;
        for (size_t r = 0; r < func->stages.data[s]->reduction.length; r++) {
            int64_t length = 0;
            Expr e = func->stages.data[s]->reduction.data[r].interval.length;
            if (e->op == OP_CONSTANT)
                length = e->bits;
            steps *= (int)length;
        }
        count += steps;
    }
    return count;
}

static Value naive_image(Naive *naive, const int64_t *point, uint8_t error) {
    const Image *image = &naive->arguments->images[0];
    for (int d = 0; d < 2; d++)
        if (point[d] < image->minimum[d] || point[d] >= image->minimum[d] + image->extent[d])
            longjmp(*naive->leave, 1);
    return (Value){bits_load(U8, image_at(image, point)), error};
}

static Value naive_eval(Naive *naive, const Binding *binding, Expr e) {
    if (--naive->budget < 0)
        longjmp(*naive->leave, 2);
    if (e->op == OP_CONSTANT)
        return (Value){e->bits, 0};
    if (e->op == OP_VARIABLE) {
        for (int i = 0; i < binding->count; i++)
            if (binding->names[i] == e->name)
                return (Value){binding->values[i], 0};
        ck_abort_msg("unbound variable");
    }
    int64_t bits[8];
    uint8_t errors[8], worst = 0;
    Type types[8];
    for (int i = 0; i < e->arity; i++) {
        Value v = naive_eval(naive, binding, e->arguments[i]);
        bits[i] = v.bits;
        errors[i] = v.error;
        worst = v.error > worst ? v.error : worst;
        types[i] = e->arguments[i]->type;
    }
    if (e->op == OP_ACCESS) {
        const Func *func = pipeline_func(naive->pipeline, e->name);
        if (!func)
            return naive_image(naive, bits, worst);
        Value values[2];
        naive_func(naive, func, func == binding->self ? binding->updates : update_count(func), bits,
                   values);
        if (worst > values[e->component].error)
            values[e->component].error = worst;
        return values[e->component];
    }
    Value v = value_apply((Op)e->op, e->type, types, bits, naive->formal ? errors : NULL);
    if (v.error == ERROR_INDEX)
        longjmp(*naive->leave, 1);
    if (!naive->formal)
        v.error = 0;
    if (naive->strict && e->op == OP_SELECT)
        v.error = worst;
    return v;
}

/* The values of the reduction variables in update number `update` of the func, and its stage. */
static const Stage *update_at(const Func *func, int update, int64_t *reduction) {
    for (size_t s = 1;; s++) {
        const Stage *stage = func->stages.data[s];
        int64_t steps = 1;
        for (size_t r = 0; r < stage->reduction.length; r++) {
            Expr length = stage->reduction.data[r].interval.length;
            steps *= length->op == OP_CONSTANT ? length->bits : 0;
        }
        if (update >= steps) {
            update -= (int)steps;
            continue;
        }
        for (size_t r = 0; r < stage->reduction.length; r++) {
            const Extent *interval = &stage->reduction.data[r].interval;
            reduction[r] = interval->minimum->bits + update % interval->length->bits;
            update /= (int)interval->length->bits;
        }
        return stage;
    }
}

/* RDom-Err: after how many updates is the func an error everywhere, if at all? */
static bool bounds_err_at(const Func *func, int updates) {
    int before = 0;
    for (size_t s = 1; s < func->stages.length; s++) {
        int64_t steps = 1;
        bool err = false;
        for (size_t r = 0; r < func->stages.data[s]->reduction.length; r++) {
            Expr length = func->stages.data[s]->reduction.data[r].interval.length;
            err = err || length->op != OP_CONSTANT;
            steps *= length->op == OP_CONSTANT ? length->bits : 0;
        }
        before += (int)steps;
        if (err && before == updates)
            return true; /* its own steps are none */
    }
    return false;
}

static void naive_func(Naive *naive, const Func *func, int updates, const int64_t *point,
                       Value *values) {
    Symbol names[8];
    int64_t bound[8];
    int count = func->shape->dimensions;
    for (int d = 0; d < count; d++) {
        names[d] = func->shape->variables[d];
        bound[d] = point[d];
    }
    if (updates == 0) {
        Binding binding = {names, bound, count, NULL, 0};
        for (int c = 0; c < func->shape->components; c++)
            values[c] = naive_eval(naive, &binding, func->stages.data[0]->values[c]);
    } else {
        const Stage *stage = update_at(func, updates - 1, bound + count);
        for (size_t r = 0; r < stage->reduction.length; r++)
            names[count++] = stage->reduction.data[r].variable;
        Binding binding = {names, bound, count, func, updates - 1};
        Value predicate = {.bits = 1};
        if (stage->predicate)
            predicate = naive_eval(naive, &binding, stage->predicate);
        bool writes = predicate.bits || predicate.error, hit = true;
        uint8_t error = 0;
        for (int d = 0; d < func->shape->dimensions; d++) {
            Value index = naive_eval(naive, &binding, stage->indices[d]);
            error = writes && index.error > error ? index.error : error;
            hit = hit && index.bits == point[d];
        }
        if (hit) {
            error = predicate.error > error ? predicate.error : error;
            hit = predicate.bits;
        }
        if (!hit)
            naive_func(naive, func, updates - 1, point, values);
        for (int c = 0; c < func->shape->components; c++) {
            if (hit)
                values[c] = naive_eval(naive, &binding, stage->values[c]);
            if (error > values[c].error)
                values[c].error = error;
        }
    }
    if (naive->formal && bounds_err_at(func, updates))
        for (int c = 0; c < func->shape->components; c++)
            if (values[c].error < ERROR_RDOM)
                values[c].error = ERROR_RDOM;
}

/* ---- the comparison ---- */

typedef struct Tally {
    int points, errors, refusals, skipped, stricter;
} Tally;

static void compare_point(Maker *maker, const Arguments *arguments, const Func *func,
                          ReferenceOptions options, Tally *tally) {
    jmp_buf leave;
    Naive naive = {.pipeline = maker->bench.pipeline,
                   .arguments = arguments,
                   .formal = options.formal,
                   .strict = options.strict,
                   .leave = &leave,
                   .budget = 200000};
    int64_t point[2] = {pick(&maker->random, 12) - 3, pick(&maker->random, 12) - 3};
    Value expected[2], got[2];
    int left = setjmp(leave);
    if (left == 0)
        naive_func(&naive, func, update_count(func), point, expected);
    if (left == 2) {
        tally->skipped++;
        return;
    }
    Arena *arena = arena_create(&maker->bench.context->memory);
    Outcome outcome = reference_point(maker->bench.pipeline, arena, arguments, &options,
                                      func->shape->name, point, got, NULL);
    tally->points++;
    if (left == 1) {
        ck_assert_msg(outcome.error != 0, "a refusal was expected");
        tally->refusals++;
    } else if (outcome.error) {
        /* Only by values that lazy evaluation never needs: an image read or index overflow. */
        ck_assert_msg(!maker->clamped || outcome.error == HLC_ERROR_INDEX_RANGE ||
                          outcome.error == HLC_ERROR_COORDINATE_RANGE,
                      "refused: %s", outcome.message);
        tally->stricter++;
    }
    for (int c = 0; left == 0 && !outcome.error && c < func->shape->components; c++) {
        ck_assert_msg(bits_same(func->shape->types[c], expected[c].bits, got[c].bits) &&
                          expected[c].error == got[c].error,
                      "func %s component %d at (%d, %d): expected %lld error %d, got %lld error %d",
                      func->shape->name->text, c, (int)point[0], (int)point[1],
                      (long long)expected[c].bits, expected[c].error, (long long)got[c].bits,
                      got[c].error);
        tally->errors += got[c].error != 0;
    }
    arena_destroy(arena);
}

static void compare_pipeline(uint64_t seed, Tally *tally) {
    Maker whole = {.bench = bench_create("random"), .random = {seed}}, *maker = &whole;
    maker->clamped = pick(&maker->random, 4) > 0;
    bench_image(&maker->bench, "in", U8, 2);
    static const char *const NAMES[] = {"f", "g", "h"};
    int funcs = 1 + pick(&maker->random, 3);
    for (int i = 0; i < funcs; i++)
        make_func(maker, NAMES[i]);
    Image image;
    ck_assert(image_allocate(&image, U8, 2, (int64_t[]){0, 0}, (int64_t[]){7, 7}));
    for (int i = 0; i < 49; i++)
        image.data[i] = (unsigned char)pick(&maker->random, 256);
    Arguments arguments = {.images = &image};
    for (int i = 0; i < 12; i++) {
        int reading = i % 3;
        ReferenceOptions options = {
            .formal = reading > 0, .strict = reading == 2, .memory_limit = i < 6 ? 0 : 1};
        const Func *func = maker->bench.pipeline->funcs.data[pick(&maker->random, funcs)];
        compare_point(maker, &arguments, func, options, tally);
    }
    free(image.data);
    bench_destroy(&maker->bench);
}

START_TEST(agrees_with_figure_6) {
    Tally tally = {0};
    const char *count = getenv("REFERENCE_RANDOM_COUNT");
    for (uint64_t seed = 1; seed <= (count ? strtoull(count, NULL, 10) : 1500); seed++)
        compare_pipeline(seed, &tally);
    printf("%d points, %d errors, %d refusals, %d refused by unneeded values, %d skipped\n",
           tally.points, tally.errors, tally.refusals, tally.stricter, tally.skipped);
    ck_assert_int_gt(tally.points, 1000);
    ck_assert_int_gt(tally.errors, 100);
    ck_assert_int_gt(tally.refusals, 10);
    ck_assert_int_lt(tally.stricter, tally.points / 10);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("random");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, agrees_with_figure_6);
    return run_suite("reference_random", cases);
}

/* pipelines.h -- algorithms built by hand, for unit tests of the layers below the front end.
 *
 * A Bench owns a context and a pipeline under construction.  Expressions are written with the
 * constructors of ir/expr.h; `bench_call` reads a func or an image by name.  Ready-made:
 * `bench_blur` is Figure 1 (a) of the report with an image instead of sin.
 */
#ifndef HLC_TESTS_UNIT_PIPELINES_H
#define HLC_TESTS_UNIT_PIPELINES_H

#include "ir/algorithm.h"
#include "ir/stmt.h"
#include "ir/walk.h"

#include <string.h>

typedef struct Bench {
    Context *context;
    Arena *arena;
    Pool *pool;
    Pipeline *pipeline;
} Bench;

static inline Bench bench_create(const char *name) {
    Bench bench;
    bench.context = context_create();
    bench.arena = arena_create(&bench.context->memory);
    bench.pool = pool_create(bench.context, bench.arena);
    bench.pipeline = arena_new(bench.arena, Pipeline);
    bench.pipeline->pool = bench.pool;
    bench.pipeline->signature.name = context_symbol(bench.context, name);
    return bench;
}

static inline void bench_destroy(Bench *bench) {
    arena_destroy(bench->arena);
    context_destroy(bench->context);
}

/* A parameter with a default and a range; the result is its variable. */
static inline Expr bench_parameter(Bench *bench, const char *name, Type type, Bits value,
                                   Bits lower, Bits upper) {
    Signature *signature = &bench->pipeline->signature;
    Parameter parameter = {.name = context_symbol(bench->context, name),
                           .type = type,
                           .has_default = true,
                           .has_range = true,
                           .default_value = value,
                           .lower = lower,
                           .upper = upper};
    vec_push(bench->arena, &signature->inputs,
             (InputRef){.is_image = false, .index = signature->parameters.length});
    vec_push(bench->arena, &signature->parameters, parameter);
    return expr_variable(bench->pool, parameter.name, type);
}

static inline void bench_image(Bench *bench, const char *name, Type type, int dimensions) {
    Signature *signature = &bench->pipeline->signature;
    ImageParameter image = {.name = context_symbol(bench->context, name),
                            .type = type,
                            .dimensions = dimensions,
                            .layout = LAYOUT_PLANAR};
    vec_push(bench->arena, &signature->inputs,
             (InputRef){.is_image = true, .index = signature->images.length});
    vec_push(bench->arena, &signature->images, image);
}

/* A func of one component whose variables are the letters of `variables`: "xy" is (x, y). */
static inline Func *bench_func(Bench *bench, const char *name, const char *variables, Type type) {
    FuncShape *shape = arena_new(bench->arena, FuncShape);
    Func *func = arena_new(bench->arena, Func);
    func->shape = shape;
    shape->name = context_symbol(bench->context, name);
    shape->dimensions = (int)strlen(variables);
    shape->components = 1;
    shape->types = arena_array(bench->arena, Type, 1);
    shape->types[0] = type;
    for (int k = 0; k < shape->dimensions; k++) {
        shape->variables[k] = symbol_intern(&bench->context->symbols, variables + k, 1);
        func->variables[k] = expr_variable(bench->pool, shape->variables[k], INDEX);
    }
    pipeline_add_func(bench->pipeline, bench->arena, func);
    return func;
}

/* The index variable `name`. */
static inline Expr bench_variable(Bench *bench, const char *name) {
    return expr_variable(bench->pool, context_symbol(bench->context, name), INDEX);
}

/* name[indices..] of a func or an image, component 0. */
static inline Expr bench_call(Bench *bench, const char *name, const Expr *indices, int count) {
    Symbol symbol = context_symbol(bench->context, name);
    const FuncShape *shape = signature_func(&bench->pipeline->signature, symbol);
    Type type =
        shape ? shape->types[0] : signature_image(&bench->pipeline->signature, symbol)->type;
    return expr_access(bench->pool, symbol, 0, type, indices, count);
}

#define bench_call1(bench, name, i)    bench_call((bench), (name), (Expr[]){i}, 1)
#define bench_call2(bench, name, i, j) bench_call((bench), (name), (Expr[]){i, j}, 2)

/* Every func and image access in `expr` becomes a site of the stage. */
static inline void bench_sites(Bench *bench, Stage *stage, Expr expr) {
    Exprs accesses = {0};
    expr_accesses(bench->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        vec_push(bench->arena, &stage->sites, (AccessSite){accesses.data[i], NOWHERE});
}

/* The next stage of a func of one component.  Reduction variables and a predicate are put in by the
 * caller. */
static inline Stage *bench_stage(Bench *bench, Func *func, const Expr *indices, Expr value) {
    Stage *stage = arena_new(bench->arena, Stage);
    int dimensions = func->shape->dimensions;
    stage->number = (int)func->stages.length;
    stage->indices = arena_array(bench->arena, Expr, dimensions);
    stage->values = arena_array(bench->arena, Expr, 1);
    stage->values[0] = value;
    bench_sites(bench, stage, value);
    for (int k = 0; k < dimensions; k++) {
        stage->indices[k] = indices[k];
        stage->pure[k] = indices[k] == func->variables[k];
        bench_sites(bench, stage, indices[k]);
    }
    vec_push(bench->arena, &func->stages, stage);
    return stage;
}

/* Stage 0: func(variables) = value. */
static inline Stage *bench_pure(Bench *bench, Func *func, Expr value) {
    return bench_stage(bench, func, func->variables, value);
}

static inline void bench_reduction(Bench *bench, Stage *stage, const char *variable, Expr minimum,
                                   Expr length) {
    vec_push(bench->arena, &stage->reduction,
             ((ReductionVariable){.variable = context_symbol(bench->context, variable),
                                  .interval = {minimum, length},
                                  .place = NOWHERE}));
}

static inline void bench_output(Bench *bench, Func *func) {
    func->shape->is_output = true;
    vec_push(bench->arena, &bench->pipeline->signature.outputs,
             (Output){.func = func->shape->name, .place = NOWHERE});
}

/* Figure 1 (a) on an image:
 *
 *     pipeline blur(input: image<u8, 2>, w: i32 = 3 in 0..64) -> h {
 *         fun f(x, y) = i32(input(x, y));
 *         fun g(x, y) = {0; rdom(r = (-w, 2*w + 1)) in (x, y) <- g(x, y) + f(x + r, y);}
 *         fun h(x, y) = {0; rdom(r = (-w, 2*w + 1)) in (x, y) <- h(x, y) + g(x, y + r);}
 *     } */
static inline Bench bench_blur(void) {
    Bench bench = bench_create("blur");
    Pool *pool = bench.pool;
    bench_image(&bench, "input", U8, 2);
    Expr w = expr_cast(pool, INDEX, bench_parameter(&bench, "w", I32, 3, 0, 64));
    Expr x = bench_variable(&bench, "x"), y = bench_variable(&bench, "y"),
         r = bench_variable(&bench, "r");
    Expr minimum = expr_unary(pool, OP_NEG, w);
    Expr length = expr_add(pool, expr_mul(pool, expr_index(pool, 2), w), expr_index(pool, 1));
    Expr zero = expr_constant(pool, I32, 0);

    Func *f = bench_func(&bench, "f", "xy", I32);
    bench_pure(&bench, f, expr_cast(pool, I32, bench_call2(&bench, "input", x, y)));

    Func *g = bench_func(&bench, "g", "xy", I32);
    bench_pure(&bench, g, zero);
    Stage *g1 = bench_stage(&bench, g, g->variables,
                            expr_add(pool, bench_call2(&bench, "g", x, y),
                                     bench_call2(&bench, "f", expr_add(pool, x, r), y)));
    bench_reduction(&bench, g1, "r", minimum, length);

    Func *h = bench_func(&bench, "h", "xy", I32);
    bench_pure(&bench, h, zero);
    Stage *h1 = bench_stage(&bench, h, h->variables,
                            expr_add(pool, bench_call2(&bench, "h", x, y),
                                     bench_call2(&bench, "g", x, expr_add(pool, y, r))));
    bench_reduction(&bench, h1, "r", minimum, length);
    bench_output(&bench, h);
    return bench;
}

/* Blur where h's update has an order: h(x, y) <- h(x, y)*3 + g(x, y + r). */
static inline Bench bench_ordered(void) {
    Bench bench = bench_blur();
    Pool *pool = bench.pool;
    Func *h = pipeline_func(bench.pipeline, context_symbol(bench.context, "h"));
    Expr value = bench_call2(&bench, "h", h->variables[0], h->variables[1]);
    Stage *update = h->stages.data[1];
    update->values[0] =
        expr_add(pool, update->values[0], expr_mul(pool, value, expr_constant(pool, I32, 2)));
    return bench;
}

/* The interval of h's window in dimension k (0 x, 1 y), grown by w on both sides where `grows`. */
static inline Extent bench_blur_interval(Bench *bench, int k, bool grows) {
    Pool *pool = bench->pool;
    Symbol h = context_symbol(bench->context, "h");
    Expr w = expr_cast(pool, INDEX, expr_variable(pool, context_symbol(bench->context, "w"), I32));
    Extent window = {expr_buffer_field(pool, h, FIELD_MINIMUM, k),
                     expr_buffer_field(pool, h, FIELD_EXTENT, k)};
    if (!grows)
        return window;
    return (Extent){expr_sub(pool, window.minimum, w),
                    expr_add(pool, window.length, expr_mul(pool, w, expr_index(pool, 2)))};
}

static inline Expr bench_blur_hole(void *data, Pool *pool, Expr node) {
    (void)pool;
    if (node->op != OP_HOLE)
        return node;
    const Hole *hole = node->hole;
    int k = hole->variable->text[0] == 'x' ? 0 : 1;
    bool grows = hole->func->text[0] == 'f' || (hole->func->text[0] == 'g' && k == 1);
    Extent interval = bench_blur_interval(data, k, grows);
    return hole->end == HOLE_MINIMUM ? interval.minimum : interval.length;
}

static inline Expr bench_blur_fill(void *data, Expr expr) {
    Bench *bench = data;
    ExprMemo memo = expr_memo(bench->arena);
    return expr_rewrite(bench->pool, &memo, expr, bench_blur_hole, bench);
}

/* Fills the holes of the lowered blur: h is computed on its window, g 2*w taller, f 2*w wider too.
 */
static inline void bench_fill_blur(Bench *bench, Program *program) {
    block_map_exprs(&program->body, bench_blur_fill, bench);
}

#endif

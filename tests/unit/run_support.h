/* run_support.h -- programs of the target language made statement by statement, and run by the
 * target interpreter. */
#ifndef HLC_TESTS_UNIT_RUN_SUPPORT_H
#define HLC_TESTS_UNIT_RUN_SUPPORT_H

#include "lower/lower.h"
#include "checkers/interpreter/run.h"
#include "tests/unit/pipelines.h"

#include <check.h>
#include <stdlib.h>

/* A program under construction: one func `out(x)` of type i32, an image `in` of type u8, both with
 * the window (0, 4), a parameter p: i32 = 7. */
typedef struct Fixture {
    Bench bench;
    Program *program;
    Func *out;
    Expr p;
    Image image, output;
    Bits parameters[1];
    RunOptions options;
} Fixture;

static inline Expr number(Fixture *fixture, int64_t value) {
    return expr_index(fixture->bench.pool, value);
}

static inline Expr value(Fixture *fixture, int64_t bits) {
    return expr_constant(fixture->bench.pool, I32, bits);
}

static inline Fixture fixture_create(int components) {
    Fixture fixture = {.bench = bench_create("test"), .parameters = {7}};
    bench_image(&fixture.bench, "in", U8, 1);
    fixture.p = bench_parameter(&fixture.bench, "p", I32, 7, 0, 100);
    fixture.out = bench_func(&fixture.bench, "out", "x", I32);
    fixture.out->shape->components = components;
    fixture.out->shape->types = arena_array(fixture.bench.arena, Type, components);
    for (int c = 0; c < components; c++)
        fixture.out->shape->types[c] = I32;
    bench_output(&fixture.bench, fixture.out);
    fixture.program =
        program_create(fixture.bench.pool, fixture.bench.arena, &fixture.bench.pipeline->signature);
    ck_assert(image_allocate(&fixture.image, U8, 1, (int64_t[]){0}, (int64_t[]){4}));
    for (int i = 0; i < 4; i++)
        fixture.image.data[i] = (unsigned char)(10 * i);
    return fixture;
}

static inline Outcome run(Fixture *fixture, Image *outputs) {
    Arguments arguments = {
        .parameters = fixture->parameters, .images = &fixture->image, .outputs = outputs};
    return run_program(fixture->program, fixture->bench.arena, &arguments, &fixture->options);
}

/* Runs with the window (0, 4), into fixture->output. */
static inline Outcome run_window(Fixture *fixture) {
    if (!fixture->output.data)
        ck_assert(image_allocate(&fixture->output, I32, 1, (int64_t[]){0}, (int64_t[]){4}));
    return run(fixture, &fixture->output);
}

static inline void fixture_destroy(Fixture *fixture) {
    free(fixture->image.data);
    free(fixture->output.data);
    bench_destroy(&fixture->bench);
}

static inline int32_t out_at(const Fixture *fixture, int i) {
    return ((const int32_t *)(const void *)fixture->output.data)[i];
}

/* ---- statements ---- */

static inline Block *top(Fixture *fixture) {
    return &fixture->program->body;
}

static inline Stmt *put(Fixture *fixture, Block *block, StmtKind kind) {
    Stmt *stmt = stmt_create(fixture->program, kind, NOWHERE);
    block_append(block, stmt);
    return stmt;
}

static inline Extent *interval(Fixture *fixture, Expr minimum, Expr length) {
    Extent *result = arena_new(fixture->bench.arena, Extent);
    *result = (Extent){minimum, length};
    return result;
}

static inline void put_allocate(Fixture *fixture, Block *block, FuncShape *func, Expr minimum,
                                Expr length) {
    Stmt *stmt = put(fixture, block, STMT_ALLOCATE);
    stmt->allocate.func = func;
    stmt->allocate.intervals = interval(fixture, minimum, length);
}

static inline Block *put_compute(Fixture *fixture, Block *block, FuncShape *func, Expr minimum,
                                 Expr length) {
    Stmt *stmt = put(fixture, block, STMT_COMPUTE);
    stmt->compute.func = func;
    stmt->compute.intervals = interval(fixture, minimum, length);
    return &stmt->compute.body;
}

static inline Stmt *put_loop(Fixture *fixture, Block *block, const char *binder, Expr minimum,
                             Expr length) {
    Stmt *stmt = put(fixture, block, STMT_FOR);
    stmt->loop.name = (LoopName){.func = fixture->out->shape->name,
                                 .variable = context_symbol(fixture->bench.context, "x")};
    stmt->loop.binder = context_symbol(fixture->bench.context, binder);
    stmt->loop.interval = (Extent){minimum, length};
    stmt->loop.pure = true;
    return stmt;
}

static inline Stmt *put_if(Fixture *fixture, Block *block, Expr condition) {
    Stmt *stmt = put(fixture, block, STMT_IF);
    stmt->branch.condition = condition;
    return stmt;
}

static inline void put_store(Fixture *fixture, Block *block, FuncShape *func, Expr index,
                             const Expr *values) {
    Stmt *stmt = put(fixture, block, STMT_STORE);
    stmt->store.func = func;
    stmt->store.indices = arena_array(fixture->bench.arena, Expr, 1);
    stmt->store.indices[0] = index;
    stmt->store.values = arena_array(fixture->bench.arena, Expr, func->components);
    for (int c = 0; c < func->components; c++)
        stmt->store.values[c] = values[c];
}

#define put_value(fixture, block, func, index, value)                                              \
    put_store((fixture), (block), (func), (index), (Expr[]){value})

/* for binder in (0, 4) do out[binder] <- value */
static inline void fill_out(Fixture *fixture, Block *block, const char *binder, Expr filling) {
    Stmt *loop = put_loop(fixture, block, binder, number(fixture, 0), number(fixture, 4));
    put_value(fixture, &loop->loop.body, fixture->out->shape,
              bench_variable(&fixture->bench, binder), filling);
}

static inline void allocate_out(Fixture *fixture) {
    put_allocate(fixture, top(fixture), fixture->out->shape, number(fixture, 0),
                 number(fixture, 4));
}

static inline void assert_internal(const Outcome *outcome, const char *part) {
    ck_assert_int_eq(outcome->error, HLC_ERROR_INTERNAL);
    ck_assert_msg(strstr(outcome->message, part), "`%s` is not in `%s`", part, outcome->message);
}

#endif

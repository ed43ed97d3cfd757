/* lower_simplify.c -- the pass simplifies under what is known where an expression stands, takes out
 * what cannot run, and never changes a value. */
#include "ir/print.h"
#include "lower/lower.h"
#include "tests/unit/pipelines.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>

/* A program with one output `out(x)`: i32, a parameter p: i32 in 0..100. */
typedef struct Fixture {
    Bench bench;
    Program *program;
    FuncShape *out;
    Expr p; /* index(p) */
} Fixture;

static Fixture fixture_create(void) {
    Fixture f = {.bench = bench_create("test")};
    f.p = expr_cast(f.bench.pool, INDEX, bench_parameter(&f.bench, "p", I32, 7, 0, 100));
    Func *out = bench_func(&f.bench, "out", "x", I32);
    bench_output(&f.bench, out);
    f.out = out->shape;
    f.program = program_create(f.bench.pool, f.bench.arena, &f.bench.pipeline->signature);
    return f;
}

static Expr number(Fixture *f, int64_t value) {
    return expr_index(f->bench.pool, value);
}

static Stmt *put(Fixture *f, Block *block, StmtKind kind) {
    Stmt *stmt = stmt_create(f->program, kind, NOWHERE);
    block_append(block, stmt);
    return stmt;
}

static Stmt *put_loop(Fixture *f, Block *block, const char *binder, Expr minimum, Expr length) {
    Stmt *stmt = put(f, block, STMT_FOR);
    stmt->loop.name = (LoopName){.func = f->out->name, .variable = f->out->variables[0]};
    stmt->loop.binder = context_symbol(f->bench.context, binder);
    stmt->loop.interval = (Extent){minimum, length};
    return stmt;
}

static Stmt *put_let(Fixture *f, Block *block, const char *binder, Expr value) {
    Stmt *stmt = put(f, block, STMT_LET);
    stmt->let.binder = context_symbol(f->bench.context, binder);
    stmt->let.value = value;
    return stmt;
}

static Stmt *put_if(Fixture *f, Block *block, Expr condition) {
    Stmt *stmt = put(f, block, STMT_IF);
    stmt->branch.condition = condition;
    return stmt;
}

static Stmt *put_store(Fixture *f, Block *block, Expr index, Expr value) {
    Stmt *stmt = put(f, block, STMT_STORE);
    stmt->store.func = f->out;
    stmt->store.indices = arena_array(f->bench.arena, Expr, 1);
    stmt->store.indices[0] = index;
    stmt->store.values = arena_array(f->bench.arena, Expr, 1);
    stmt->store.values[0] = value;
    return stmt;
}

static void put_allocate(Fixture *f, Block *block) {
    Stmt *stmt = put(f, block, STMT_ALLOCATE);
    stmt->allocate.func = f->out;
    stmt->allocate.intervals = arena_new(f->bench.arena, Extent);
    *stmt->allocate.intervals = (Extent){number(f, 0), number(f, 1000)};
}

static Expr as_value(Fixture *f, Expr index) {
    return expr_cast(f->bench.pool, I32, index);
}

START_TEST(a_guard_that_always_holds_goes) {
    Fixture f = fixture_create();
    Pool *pool = f.bench.pool;
    put_allocate(&f, &f.program->body);
    Stmt *loop = put_loop(&f, &f.program->body, "i", number(&f, 0), number(&f, 10));
    Expr i = bench_variable(&f.bench, "i");
    Stmt *holds = put_if(&f, &loop->loop.body, expr_lt(pool, i, number(&f, 10)));
    Stmt *store = put_store(&f, &holds->branch.body, i, as_value(&f, i));
    Stmt *never = put_if(&f, &loop->loop.body, expr_lt(pool, i, number(&f, 0)));
    put_store(&f, &never->branch.body, i, as_value(&f, i));
    Stmt *other = put_store(&f, &never->branch.otherwise, i, as_value(&f, f.p));
    Stmt *maybe = put_if(&f, &loop->loop.body, expr_lt(pool, i, f.p));
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(loop->loop.body.first, store);
    ck_assert_ptr_eq(store->next, other);
    ck_assert_ptr_eq(other->next, maybe);
    ck_assert_ptr_null(maybe->next);
    bench_destroy(&f.bench);
}
END_TEST

START_TEST(an_if_teaches_both_branches) {
    Fixture f = fixture_create();
    Pool *pool = f.bench.pool;
    put_allocate(&f, &f.program->body);
    Stmt *outer = put_if(&f, &f.program->body, expr_lt(pool, f.p, number(&f, 5)));
    Expr small = expr_min(pool, f.p, number(&f, 5));
    Stmt *inside = put_store(&f, &outer->branch.body, small, as_value(&f, number(&f, 1)));
    Stmt *outside = put_store(&f, &outer->branch.otherwise, small, as_value(&f, number(&f, 2)));
    Stmt *after = put_store(&f, &f.program->body, small, as_value(&f, number(&f, 3)));
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(inside->store.indices[0], f.p);
    ck_assert_ptr_eq(outside->store.indices[0], number(&f, 5));
    ck_assert_ptr_eq(after->store.indices[0], small);
    bench_destroy(&f.bench);
}
END_TEST

START_TEST(an_assertion_is_known_below_and_goes_where_it_holds) {
    Fixture f = fixture_create();
    Pool *pool = f.bench.pool;
    Stmt *first = put(&f, &f.program->body, STMT_ASSERT);
    first->assertion.condition = expr_le(pool, f.p, number(&f, 9));
    first->assertion.error = HLC_ERROR_GENERIC;
    first->assertion.subject = "";
    Stmt *second = put(&f, &f.program->body, STMT_ASSERT);
    *second = (Stmt){.kind = STMT_ASSERT,
                     .block = second->block,
                     .previous = second->previous,
                     .assertion = first->assertion};
    second->assertion.condition = expr_le(pool, f.p, number(&f, 20));
    put_allocate(&f, &f.program->body);
    Stmt *store = put_store(&f, &f.program->body, expr_min(pool, f.p, number(&f, 11)),
                            as_value(&f, number(&f, 1)));
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(f.program->body.first, first);
    ck_assert_int_eq(first->next->kind, STMT_ALLOCATE);
    ck_assert_ptr_eq(store->store.indices[0], f.p);
    bench_destroy(&f.bench);
}
END_TEST

START_TEST(lets_go_where_they_cost_nothing) {
    Fixture f = fixture_create();
    Pool *pool = f.bench.pool;
    put_allocate(&f, &f.program->body);
    Expr x = bench_variable(&f.bench, "x"), once = bench_variable(&f.bench, "once"),
         twice = bench_variable(&f.bench, "twice"), deep = bench_variable(&f.bench, "deep");
    Stmt *leaf = put_let(&f, &f.program->body, "x", number(&f, 3));
    Stmt *unused = put_let(&f, &leaf->let.body, "unused", expr_mul(pool, f.p, f.p));
    Stmt *single = put_let(&f, &unused->let.body, "once", expr_add(pool, f.p, x));
    Stmt *shared = put_let(&f, &single->let.body, "twice", expr_div(pool, once, number(&f, 7)));
    Stmt *outside = put_let(&f, &shared->let.body, "deep", expr_mul(pool, f.p, number(&f, 5)));
    Stmt *loop = put_loop(&f, &outside->let.body, "i", number(&f, 0), number(&f, 10));
    Stmt *store =
        put_store(&f, &loop->loop.body, expr_add(pool, deep, bench_variable(&f.bench, "i")),
                  as_value(&f, twice));
    Stmt *last = put_store(&f, &outside->let.body, twice, as_value(&f, number(&f, 1)));
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(f.program->body.last, shared); /* used twice: stays */
    ck_assert_ptr_eq(shared->let.value,
                     expr_div(pool, expr_add(pool, f.p, number(&f, 3)), number(&f, 7)));
    ck_assert_ptr_eq(shared->let.body.first, outside); /* used in a loop: stays */
    ck_assert_ptr_eq(outside->let.body.first, loop);
    ck_assert_ptr_eq(loop->loop.body.first, store);
    ck_assert_ptr_eq(loop->next, last);
    bench_destroy(&f.bench);
}
END_TEST

/* let v = out[0]; out[0] <- 1; out[1] <- v */
START_TEST(a_let_that_reads_memory_stays) {
    Fixture f = fixture_create();
    put_allocate(&f, &f.program->body);
    Stmt *let = put_let(&f, &f.program->body, "v", bench_call1(&f.bench, "out", number(&f, 0)));
    put_store(&f, &let->let.body, number(&f, 0), as_value(&f, number(&f, 1)));
    Expr v = expr_variable(f.bench.pool, let->let.binder, I32);
    Stmt *store = put_store(&f, &let->let.body, number(&f, 1), v);
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(f.program->body.last, let);
    ck_assert_ptr_eq(store->store.values[0], v);
    bench_destroy(&f.bench);
}
END_TEST

START_TEST(loops_of_no_length_go) {
    Fixture f = fixture_create();
    Pool *pool = f.bench.pool;
    put_allocate(&f, &f.program->body);
    Stmt *empty = put_loop(&f, &f.program->body, "i", f.p, expr_sub(pool, f.p, f.p));
    put_store(&f, &empty->loop.body, number(&f, 0), as_value(&f, number(&f, 1)));
    /* A negative length is an error, which must not be lost. */
    Stmt *wrong = put_loop(&f, &f.program->body, "j", number(&f, 0), number(&f, -1));
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(f.program->body.first->next, wrong);
    ck_assert_ptr_null(wrong->next);
    bench_destroy(&f.bench);
}
END_TEST

/* if true then {allocate f; ..}; ..: the memory lives no longer than before. */
START_TEST(scopes_of_memory_stay) {
    Fixture f = fixture_create();
    Stmt *first = put_if(&f, &f.program->body, expr_bool(f.bench.pool, true));
    put_allocate(&f, &first->branch.body);
    put_store(&f, &first->branch.otherwise, number(&f, 0), as_value(&f, number(&f, 1)));
    Stmt *second = put_if(&f, &f.program->body, expr_bool(f.bench.pool, true));
    put_allocate(&f, &second->branch.body);
    lower_simplify(f.program, f.bench.arena);
    ck_assert_ptr_eq(f.program->body.first, first);
    ck_assert_ptr_null(first->branch.otherwise.first);
    ck_assert_int_eq(first->next->kind, STMT_ALLOCATE); /* at the end it makes no difference */
    bench_destroy(&f.bench);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("simplify");
    tcase_add_test(tests, a_guard_that_always_holds_goes);
    tcase_add_test(tests, an_if_teaches_both_branches);
    tcase_add_test(tests, an_assertion_is_known_below_and_goes_where_it_holds);
    tcase_add_test(tests, lets_go_where_they_cost_nothing);
    tcase_add_test(tests, a_let_that_reads_memory_stays);
    tcase_add_test(tests, loops_of_no_length_go);
    tcase_add_test(tests, scopes_of_memory_stay);
    return run_suite("lower_simplify", tests);
}

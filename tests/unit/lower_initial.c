/* lower_initial.c -- Figure 9: the initial program of an algorithm has the loops, holes and names
 * that the report says. */
#include "ir/print.h"
#include "lower/lower.h"
#include "tests/unit/pipelines.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>

/* The statements that follow one another inside: `first_in(stmt)` is the first of its body. */
static Stmt *first_in(Stmt *stmt) {
    return stmt_body(stmt)->first;
}

static void assert_hole(Context *context, Expr expr, const char *name) {
    ck_assert_int_eq(expr->op, OP_HOLE);
    ck_assert_str_eq(expr_text(context->arena, expr), name);
}

static void assert_loop(Context *context, Stmt *stmt, const char *binder, bool pure,
                        const char *minimum, const char *length) {
    ck_assert_int_eq(stmt->kind, STMT_FOR);
    ck_assert_str_eq(stmt->loop.binder->text, binder);
    ck_assert(stmt->loop.pure == pure);
    ck_assert_int_eq(stmt->loop.traversal, TRAVERSE_SERIAL);
    if (minimum) {
        assert_hole(context, stmt->loop.interval.minimum, minimum);
        assert_hole(context, stmt->loop.interval.length, length);
    }
}

START_TEST(blur_has_the_loops_of_figure_1c) {
    Bench bench = bench_blur();
    Context *context = bench.context;
    Program *program = lower_initial(bench.pipeline, bench.arena);

    Stmt *f = program->body.first, *compute_f = f->next;
    Stmt *g = compute_f->next, *compute_g = g->next;
    Stmt *h = compute_g->next, *compute_h = h->next;
    ck_assert_ptr_null(compute_h->next);
    ck_assert_int_eq(f->kind, STMT_ALLOCATE);
    ck_assert_str_eq(f->allocate.func->name->text, "f");
    assert_hole(context, f->allocate.intervals[1].length, "?mem.f.y.len");
    ck_assert_int_eq(compute_g->kind, STMT_COMPUTE);
    assert_hole(context, compute_g->compute.intervals[0].minimum, "?cpu.g.x.min");
    ck_assert_ptr_eq(program_func(program, context_symbol(context, "h"))->computes.data[0],
                     compute_h);
    ck_assert_ptr_eq(program_func(program, context_symbol(context, "h"))->allocates.data[0], h);

    Stmt *label = first_in(compute_g), *s0 = first_in(label), *s1 = s0->next;
    ck_assert_str_eq(label->label.name->text, "g");
    ck_assert_str_eq(s1->label.name->text, "s1");
    Stmt *y0 = first_in(s0), *x0 = first_in(y0);
    assert_loop(context, y0, "g.s0.y", true, "?for.g.s0.y.min", "?for.g.s0.y.len");
    assert_loop(context, x0, "g.s0.x", true, "?for.g.s0.x.min", "?for.g.s0.x.len");
    Stmt *y1 = first_in(s1), *x1 = first_in(y1), *r1 = first_in(x1), *store = first_in(r1);
    assert_loop(context, y1, "g.s1.y", true, "?cpu.g.y.min", "?cpu.g.y.len");
    assert_loop(context, x1, "g.s1.x", true, "?cpu.g.x.min", "?cpu.g.x.len");
    assert_loop(context, r1, "g.s1.r", false, NULL, NULL);
    ck_assert_int_eq(store->kind, STMT_STORE);
    ck_assert_int_eq(store->store.stage, 1);
    Expr x = bench_variable(&bench, "g.s1.x"), y = bench_variable(&bench, "g.s1.y"),
         r = bench_variable(&bench, "g.s1.r");
    ck_assert_ptr_eq(store->store.indices[0], x);
    ck_assert_ptr_eq(store->store.values[0],
                     expr_add(bench.pool, bench_call2(&bench, "g", x, y),
                              bench_call2(&bench, "f", expr_add(bench.pool, x, r), y)));
    bench_destroy(&bench);
}
END_TEST

/* fun hist(b, c) = {0; rdom(r = (0, 8); s = (0, 4)) in (index(in(r)), c) <- 1 if r < 5} */
START_TEST(a_dimension_that_is_not_pure_has_no_loop) {
    Bench bench = bench_create("histogram");
    bench_image(&bench, "in", U8, 1);
    Expr r = bench_variable(&bench, "r"), c = bench_variable(&bench, "c");
    Func *hist = bench_func(&bench, "hist", "bc", I32);
    bench_pure(&bench, hist, expr_constant(bench.pool, I32, 0));
    Expr bin = expr_cast(bench.pool, INDEX, bench_call1(&bench, "in", r));
    Stage *update = bench_stage(&bench, hist, (Expr[]){bin, c}, expr_constant(bench.pool, I32, 1));
    bench_reduction(&bench, update, "r", expr_index(bench.pool, 0), expr_index(bench.pool, 8));
    bench_reduction(&bench, update, "s", expr_index(bench.pool, 0), expr_index(bench.pool, 4));
    update->predicate = expr_lt(bench.pool, r, expr_index(bench.pool, 5));
    bench_output(&bench, hist);

    Program *program = lower_initial(bench.pipeline, bench.arena);
    Stmt *label = first_in(program->body.first->next);
    Stmt *c1 = first_in(first_in(label)->next), *s1 = first_in(c1), *r1 = first_in(s1);
    assert_loop(bench.context, c1, "hist.s1.c", true, "?cpu.hist.c.min", "?cpu.hist.c.len");
    assert_loop(bench.context, s1, "hist.s1.s", false, NULL, NULL); /* the last-named outermost */
    assert_loop(bench.context, r1, "hist.s1.r", false, NULL, NULL);
    ck_assert_int_eq(s1->loop.interval.length->bits, 4);
    Stmt *branch = first_in(r1);
    ck_assert_int_eq(branch->kind, STMT_IF);
    ck_assert_int_eq(branch->branch.role, IF_PREDICATE);
    ck_assert_ptr_eq(
        branch->branch.condition,
        expr_lt(bench.pool, bench_variable(&bench, "hist.s1.r"), expr_index(bench.pool, 5)));
    ck_assert_ptr_null(branch->branch.otherwise.first);
    Stmt *store = first_in(branch);
    ck_assert_ptr_eq(store->store.indices[1], bench_variable(&bench, "hist.s1.c"));
    bench_destroy(&bench);
}
END_TEST

/* A func of one stage: its loops have the cpu holes at once. */
START_TEST(the_only_stage_uses_the_compute_holes) {
    Bench bench = bench_blur();
    Program *program = lower_initial(bench.pipeline, bench.arena);
    Stmt *y = first_in(first_in(first_in(program->body.first->next)));
    assert_loop(bench.context, y, "f.s0.y", true, "?cpu.f.y.min", "?cpu.f.y.len");
    bench_destroy(&bench);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("initial");
    tcase_add_test(tests, blur_has_the_loops_of_figure_1c);
    tcase_add_test(tests, a_dimension_that_is_not_pure_has_no_loop);
    tcase_add_test(tests, the_only_stage_uses_the_compute_holes);
    return run_suite("lower_initial", tests);
}

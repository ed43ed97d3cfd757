/* autoschedule_worlds.c -- strides of index expressions as numbers, and expressions that are made for a
 * while. */
#include "autoschedule/worlds.h"

#include "suite.h"

#include <check.h>

static bool no_value(void *data, Symbol name, Bits *bits) {
    (void)data;
    (void)name;
    *bits = 100;
    return true;
}

/* y in 0..9, x in 0..3: 8*y + x + n steps by 8 and by 1; (8*y + x)/4 by 2 and, within a block, not. */
START_TEST(strides) {
    Context *context = context_create();
    Pool *pool = pool_create(context, context->arena);
    Worlds worlds = worlds_create(context->arena, no_value, NULL);
    Symbol x = context_symbol(context, "x"), y = context_symbol(context, "y");
    Extent rows = {expr_index(pool, 0), expr_index(pool, 10)};
    Extent columns = {expr_index(pool, 0), expr_index(pool, 4)};
    int outer, inner;
    ck_assert_int_eq(worlds_enter_loop(&worlds, y, &rows, &outer), 10);
    ck_assert_int_eq(worlds_enter_loop(&worlds, x, &columns, &inner), 4);
    Expr place = expr_add(pool, expr_mul(pool, expr_variable(pool, y, INDEX), expr_index(pool, 8)),
                          expr_variable(pool, x, INDEX));
    Expr moved = expr_add(pool, place, expr_variable(pool, context_symbol(context, "n"), INDEX));
    const WorldValue *value = worlds_value(&worlds, moved);
    ck_assert(value->is_known);
    ck_assert_int_eq(value->at[0], 8 * 4 + 1 + 100);
    ck_assert(worlds_stride(&worlds, value, outer, 10) == 8);
    ck_assert(worlds_stride(&worlds, value, inner, 4) == 1);
    const WorldValue *block = worlds_value(&worlds, expr_div(pool, place, expr_index(pool, 4)));
    ck_assert(worlds_stride(&worlds, block, outer, 10) == 2);
    ck_assert(worlds_stride(&worlds, block, inner, 4) == 0);
    ck_assert_uint_eq(block->depends, 1u << outer | 1u << inner);
    for (int i = 0; i < 4; i++) {
        Bits bits;
        ck_assert(worlds_at(&worlds, moved, inner, 4, i, &bits));
        ck_assert_int_eq(bits, 8 * 4 + i + 100);
    }
    worlds_leave_loop(&worlds, inner);
    worlds_leave_loop(&worlds, outer);
    context_destroy(context);
}
END_TEST

/* Afterwards the pool has the nodes that it had, and makes them again. */
START_TEST(trials) {
    Context *context = context_create();
    Pool *pool = pool_create(context, context->arena);
    Expr one = expr_index(pool, 1);
    size_t count = pool->count;
    PoolTrial trial = {NULL};
    Arena *scratch = arena_create(&context->memory);
    pool_trial_begin(&trial, pool, scratch);
    ck_assert_ptr_eq(expr_index(pool, 1), one);
    for (int i = 2; i < 5000; i++)
        expr_index(pool, i);
    ck_assert_uint_gt(pool->count, count);
    pool_trial_end(&trial);
    pool_trial_end(&trial);
    arena_destroy(scratch);
    ck_assert_uint_eq(pool->count, count);
    ck_assert_ptr_eq(expr_index(pool, 1), one);
    ck_assert_int_eq(expr_index(pool, 7)->bits, 7);
    context_destroy(context);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("worlds");
    tcase_add_test(tests, strides);
    tcase_add_test(tests, trials);
    return run_suite("autoschedule_worlds", tests);
}

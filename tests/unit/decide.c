/* The decision tier's entries: verdicts and witnesses, facts, limits, budgets; the compiler's entry
 * under a simplifier's facts. */
#include "decide/decide.h"
#include "ir/read.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Pool *pool;

static void setup(void) {
    context = context_create();
    pool = pool_create(context, context->arena);
}

static void teardown(void) {
    context_destroy(context);
}

static Expr parse(const char *text) {
    Expr expr = expr_read(pool, text, strlen(text), NULL, NULL, NOWHERE);
    ck_assert_ptr_nonnull(expr);
    return expr;
}

static Decision ask(const char *condition, const char *fact, DecideBudget budget) {
    Exprs facts = {0};
    if (fact)
        vec_push(context->arena, &facts, parse(fact));
    return decide(pool, context->arena, parse(condition), &facts, budget);
}

START_TEST(verdicts_come_with_witnesses) {
    Decision d = ask("x + 1000 < y", NULL, DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_CONTINGENT);
    ck_assert_uint_eq(d.variables.length, 2);
    ck_assert_str_eq(d.variables.data[0]->name->text, "x");
    ck_assert_int_lt(d.holds_at[0] + 1000, d.holds_at[1]);
    ck_assert_int_ge(d.fails_at[0] + 1000, d.fails_at[1]);
    d = ask("x/7*7 == 123456*x", NULL, DECIDE_ALONE); /* only at 0 */
    ck_assert_int_eq(d.verdict, VERDICT_CONTINGENT);
    ck_assert_int_eq(d.holds_at[0], 0);
    d = ask("x < x + 1", NULL, DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_VALID);
    ck_assert_ptr_null(d.fails_at);
    d = ask("x*4 == y*6 + 1", NULL, DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_UNSATISFIABLE);
    ck_assert_ptr_null(d.holds_at);
}
END_TEST

START_TEST(facts_are_used_and_never_left) {
    ck_assert_int_eq(ask("x <= 3*x", "0 <= x", DECIDE_ALONE).verdict, VERDICT_VALID);
    Decision d = ask("x <= 3*x", "x % 5 == 4 && 20 < y", DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_CONTINGENT);
    for (int i = 0; i < 2; i++) {
        const Bits *at = i ? d.holds_at : d.fails_at;
        ck_assert_int_eq(((at[0] % 5) + 5) % 5, 4);
        ck_assert_int_gt(at[1], 20);
    }
}
END_TEST

START_TEST(budgets_end_in_unknown) {
    const char *hard = "x*x*x + y*y*y != z*z*z + 33"; /* needs more than a budget */
    ck_assert_int_ne(ask(hard, NULL, DECIDE_ALONE).verdict, VERDICT_VALID);
    DecideBudget none = {0, 1000, 0, 0}, no_operations = {100, 1, 0, 0};
    ck_assert_int_eq(ask("(x + 3)/4*4 < x", NULL, none).verdict, VERDICT_UNKNOWN);
    /* Of products isl is asked. */
    ck_assert_int_eq(ask("x <= x*x", NULL, no_operations).verdict, VERDICT_UNKNOWN);
    ck_assert_int_eq(ask("x <= x*x", NULL, DECIDE_ALONE).verdict, VERDICT_VALID);
    ck_assert_int_eq(
        ask("x/3 + y/5 + z/7 <= x/3 + (y + 1)/5 + (z + 2)/7", NULL, DECIDE_ALONE).verdict,
        VERDICT_VALID);
}
END_TEST

START_TEST(numbers_beyond_64_bits_are_unknown) {
    ck_assert_int_eq(
        ask("9000000000000000000*x*3 <= 9000000000000000000*x*3 + 1", NULL, DECIDE_ALONE).verdict,
        VERDICT_UNKNOWN);
    Decision d = ask("x < 9000000000000000000", NULL, DECIDE_ALONE);
    ck_assert_int_ne(d.verdict, VERDICT_VALID);
    ck_assert_int_ne(d.verdict, VERDICT_UNSATISFIABLE);
}
END_TEST

START_TEST(deep_and_large_conditions_end) {
    Expr x = parse("x"), y = parse("y"), deep = x, wide = parse("x <= y");
    for (int i = 0; i < 100000; i++)
        deep = expr_min(pool, expr_add(pool, deep, y), x);
    Decision d = decide(pool, context->arena, expr_le(pool, deep, y), NULL, DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_UNKNOWN);
    for (int i = 0; i < 60; i++) /* doubles as a tree, and stays small as a graph */
        wide = expr_binary(pool, OP_EQ, wide, expr_binary(pool, OP_NE, wide, parse("x < 7")));
    d = decide(pool, context->arena, wide, NULL, DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_UNKNOWN);
}
END_TEST

START_TEST(reads_are_unknown_but_equal_to_themselves) {
    ck_assert_int_eq(ask("f[x]/2 <= max(f[x], 0)", NULL, DECIDE_ALONE).verdict, VERDICT_VALID);
    Decision d = ask("f[x] <= f[y]", NULL, DECIDE_ALONE);
    ck_assert_int_eq(d.verdict, VERDICT_UNKNOWN);
    ck_assert_ptr_null(d.holds_at);
}
END_TEST

START_TEST(the_compiler_asks_under_its_facts) {
    Simplifier *s = simplifier_create(pool, context->arena);
    Expr goal = parse("(n - 1)/k*k + k >= n");
    ck_assert_int_eq(decide_prove(s, goal), PROOF_UNKNOWN);
    FactMark mark = simplifier_mark(s);
    simplifier_learn(s, parse("1 <= k"));
    ck_assert_int_eq(decide_prove(s, goal), PROOF_HOLDS);
    ck_assert(decide_proves_le(s, parse("n"), parse("(n - 1)/k*k + k")));
    ck_assert(!decide_proves_le(s, parse("n"), parse("(n - 1)/k*k + k - 1")));
    simplifier_release(s, mark);
    ck_assert_int_eq(decide_prove(s, goal), PROOF_UNKNOWN);
    simplifier_learn_range(s, context_symbol(context, "k"), (ConstantInterval){true, true, 1, 5});
    simplifier_learn(s, parse("n < m"));
    simplifier_learn(s, parse("m <= p*k - k"));
    ck_assert_int_eq(decide_prove(s, parse("p*k <= n")), PROOF_REFUTED);
}
END_TEST

START_TEST(answers_are_remembered_with_their_facts) {
    Expr goal = parse("0 <= q + r");
    for (int round = 0; round < 2; round++) { /* the second is answered from memory */
        Simplifier *s = simplifier_create(pool, context->arena);
        ck_assert_int_eq(decide_prove(s, goal), PROOF_UNKNOWN);
        FactMark mark = simplifier_mark(s);
        simplifier_learn(s, parse("0 <= q"));
        ck_assert_int_eq(decide_prove(s, goal), PROOF_UNKNOWN);
        simplifier_learn(s, parse("0 <= r"));
        ck_assert_int_eq(decide_prove(s, goal), PROOF_HOLDS);
        ck_assert(decide_proves_le(s, parse("0"), parse("q + r")));
        simplifier_release(s, mark);
        ck_assert(!decide_proves_le(s, parse("0"), parse("q + r")));
        simplifier_learn(s, parse("q + r < 0"));
        ck_assert_int_eq(decide_prove(s, goal), PROOF_REFUTED);
        simplifier_release(s, mark);
        simplifier_learn(s, parse("1 <= q"));
        simplifier_learn(s, parse("-2 <= r"));
        ck_assert_int_eq(decide_prove(s, goal), PROOF_UNKNOWN);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("decide");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, verdicts_come_with_witnesses);
    tcase_add_test(tests, facts_are_used_and_never_left);
    tcase_add_test(tests, budgets_end_in_unknown);
    tcase_add_test(tests, numbers_beyond_64_bits_are_unknown);
    tcase_add_test(tests, deep_and_large_conditions_end);
    tcase_add_test(tests, reads_are_unknown_but_equal_to_themselves);
    tcase_add_test(tests, the_compiler_asks_under_its_facts);
    tcase_add_test(tests, answers_are_remembered_with_their_facts);
    return run_suite("decide", tests);
}

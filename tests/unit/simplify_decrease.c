/* The reduction order on actual terms: what is less, what is not, what counts nothing; a rule that
 * made something larger would end the program. */
#include "simplify/internal.h"

#include "ir/read.h"

#include "suite.h"

#include <check.h>
#include <signal.h>
#include <string.h>

static Context *context;
static Pool *pool;
static Decrease *decrease;

static void begin(void) {
    context = context_create();
    pool = pool_create(context, context->arena);
    decrease = decrease_create(context->arena);
}

static void end(void) {
    context_destroy(context);
}

static bool name_type(void *data, Symbol name, Type *type) {
    (void)data;
    *type = strchr("pq", name->text[0]) ? BOOL : INDEX;
    return true;
}

static Expr term(const char *text) {
    Expr expr = expr_read(pool, text, strlen(text), name_type, NULL, NOWHERE);
    ck_assert_msg(expr != NULL, "%s", text);
    return expr;
}

static bool less(const char *before, const char *after) {
    return decrease_holds(decrease, term(before), term(after));
}

START_TEST(some_terms_are_less) {
    ck_assert(less("select(p, x, y) + select(p, z, w)", "select(p, x + z, y + w)"));
    ck_assert(less("min(x, max(x, y))", "x"));
    ck_assert(less("x/4/2", "x/8"));
    ck_assert(less("!(x <= y && p)", "y < x || !p"));
    ck_assert(less("!(x <= y && (p && q))", "y < x || !(p && q)"));
}
END_TEST

START_TEST(others_are_not) {
    ck_assert(!less("x", "x"));
    ck_assert(!less("x", "y"));
    ck_assert(!less("x/8", "x/4/2"));
    ck_assert(!less("x*y", "x*y + z"));
    ck_assert(!less("min(x, y)*3", "min(x*3, y*3)"));
    /* However chains are bracketed, they are equal. */
    ck_assert(!less("min(min(x, y), z)", "min(x, min(y, z))"));
    ck_assert(!less("min(x, min(y, z))", "min(min(x, y), z)"));
    ck_assert(!less("p && (q && x < y)", "(p && q) && x < y"));
    ck_assert(!less("(p && q) && x < y", "p && (q && x < y)"));
    /* A difference is the sum that it says. */
    ck_assert(!less("x - y", "x + y*-1"));
    ck_assert(!less("x + y*-1", "x - y"));
}
END_TEST

/* What the quotient's normal form adds counts nothing, although the term is larger. */
START_TEST(constants_in_sums) {
    Expr made = term("(x + 255)/16 % 16");
    Expr normal = simplify(simplifier_create_bare(pool, context->arena), made);
    ck_assert_ptr_eq(normal, term("((x + 15)/16 + 15) % 16"));
    ck_assert(decrease_holds(decrease, term("(x + 255) % 256/16"), normal));
    ck_assert(less("x + 1", "x"));
    ck_assert(!less("x", "x + 1"));
    ck_assert(!less("x + 1", "x + 2"));
}
END_TEST

/* What is made is less, its normal form is not; the engine ends all the same. */
static void grows(const char *matched, const char *written) {
    Expr before = term(matched), made = term(written);
    Expr normal = simplify(simplifier_create_bare(pool, context->arena), made);
    ck_assert(decrease_holds(decrease, before, made));
    ck_assert(!decrease_holds(decrease, before, normal));
    context->checks_order = true;
    Simplifier *simplifier = simplifier_create(pool, context->arena);
    Expr result = simplify(simplifier, before);
    ck_assert_uint_eq(simplifier->exhausted, 0);
    ck_assert_ptr_eq(simplify(simplifier_create(pool, context->arena), result), result);
}

/* What a negated comparison makes is less, its normal form need not be; the engine ends all the
 * same. */
START_TEST(negated_comparisons) {
    grows("!(x*y + z <= max(max(x, y) + 1, x - z*4) - 2 && p)",
          "max(max(x, y) + 1, x - z*4) - 2 < x*y + z || !p");
}
END_TEST

START_TEST(products_of_sums) {
    grows("select(p, x, y)/(7 - y)/select(p, 6, 5)", "select(p, x, y)/((7 - y)*select(p, 6, 5))");
}
END_TEST

START_TEST(rules_are_checked) {
    context->checks_order = true;
    Simplifier *simplifier = simplifier_create(pool, context->arena);
    ck_assert_ptr_nonnull(simplifier->decrease);
    ck_assert_ptr_eq(simplify(simplifier, term("(x + 255) % 256/16")),
                     term("((x + 15)/16 + 15) % 16"));
    ck_assert_uint_gt(simplifier->applied, 0);
}
END_TEST

START_TEST(a_larger_term_ends_the_program) {
    decrease_check(decrease, &rule_table[0], term("x/8"), term("x/4/2"));
}
END_TEST

/* A term that has grown beyond all numbers is let pass, not taken for less or for a fault. */
START_TEST(very_large_terms) {
    Expr large = term("x");
    for (int i = 0; i < 200; i++)
        large = expr_min(pool, large, expr_div(pool, large, expr_index(pool, 3 + i)));
    ck_assert(decrease_holds(decrease, large, large));
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("decrease");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, some_terms_are_less);
    tcase_add_test(cases, others_are_not);
    tcase_add_test(cases, constants_in_sums);
    tcase_add_test(cases, negated_comparisons);
    tcase_add_test(cases, products_of_sums);
    tcase_add_test(cases, rules_are_checked);
    tcase_add_test_raise_signal(cases, a_larger_term_ends_the_program, SIGABRT);
    tcase_add_test(cases, very_large_terms);
    return run_suite("decrease", cases);
}

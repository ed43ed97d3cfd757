/* Quotients of polynomials: what is the same, what is seen to be positive, and what is not. */
#include "ir/fraction.h"
#include "ir/read.h"
#include "suite.h"

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

static bool name_type(void *data, Symbol name, Type *type) {
    (void)data;
    (void)name;
    *type = F64;
    return true;
}

static Expr parse(const char *text) {
    Expr expr = expr_read(pool, text, strlen(text), name_type, NULL, NOWHERE);
    ck_assert_msg(expr != NULL, "%s", text);
    return expr;
}

static bool same(const char *a, const char *b) {
    return fraction_same(context->arena, parse(a), parse(b), 1000);
}

START_TEST(the_same_function_is_seen_however_it_is_written) {
    ck_assert(same("a + (b - a)/(n + 1.0)", "(a*n + b)/(n + 1.0)"));
    ck_assert(same("a/b + c/d", "(a*d + c*b)/(b*d)"));
    ck_assert(same("(a + b)*(a - b)", "a*a - b*b"));
    ck_assert(same("a*0.5 + a*0.5", "0.5*(a + a)")); /* an unknown like any other */
    ck_assert(!same("a + (b - a)/(n + 1.0)", "(a*n + b)/(n + 2.0)"));
    ck_assert(!same("a/b", "b/a"));
    ck_assert(!same("a*0.5 + a*0.5", "a")); /* so this is not seen */
    ck_assert(!same("a/(b - b)", "a/(b - b) + 1.0"));
    ck_assert(!fraction_same(context->arena, parse("(a + b)*(c + d)"),
                             parse("a*c + a*d + b*c + b*d"), 3));
}
END_TEST

START_TEST(signs_are_seen_where_they_are_plain) {
    FractionSigns signs = {0};
    Arena *arena = context->arena;
    vec_push(arena, &signs.not_negative, parse("n"));
    vec_push(arena, &signs.positive, parse("p"));
    ck_assert(fraction_is_positive(arena, parse("n + 1.0"), &signs));
    ck_assert(fraction_is_positive(arena, parse("(p + n)/(n*n + 2.0)"), &signs));
    ck_assert(fraction_is_positive(arena, parse("a*a + p"), &signs));
    ck_assert(!fraction_is_positive(arena, parse("n"), &signs));
    ck_assert(!fraction_is_positive(arena, parse("a + p"), &signs));
    ck_assert(!fraction_is_positive(arena, parse("p - n"), &signs));
    ck_assert(!fraction_is_positive(arena, parse("n*p"), &signs));
    ck_assert(fraction_is_defined(arena, parse("a/(n + 1.0) + 1.0/p"), &signs));
    ck_assert(!fraction_is_defined(arena, parse("a/(n + 1.0) + 1.0/n"), &signs));
    Expr a = parse("a"), b = parse("b");
    ck_assert_ptr_eq(fraction_choose(pool, arena, parse("select(n + 1.0 == 0.0, a, b)"), &signs),
                     b);
    ck_assert_ptr_eq(fraction_choose(pool, arena, parse("select(0.0 < p + n, a, b)"), &signs), a);
    Expr open = parse("select(n == 0.0, a, b)");
    ck_assert_ptr_eq(fraction_choose(pool, arena, open, &signs), open);
}
END_TEST

START_TEST(normal_forms_are_short) {
    ck_assert_ptr_eq(fraction_form(pool, context->arena, parse("(v - 0.0)/(0.0 + 1.0)")),
                     parse("v"));
    ck_assert_ptr_eq(fraction_form(pool, context->arena, parse("v*(v - v)/3.0")),
                     expr_float(pool, F64, 0));
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("fraction");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_same_function_is_seen_however_it_is_written);
    tcase_add_test(tests, signs_are_seen_where_they_are_plain);
    tcase_add_test(tests, normal_forms_are_short);
    return run_suite("ir fraction", tests);
}

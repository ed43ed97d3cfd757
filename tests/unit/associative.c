/* The recogniser: updates, operators as they stand, what is refused; and the table against brute
 * force. */
#include "associative/internal.h"

#include "ir/print.h"
#include "ir/read.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Pool *pool;
static Arena *arena;

static void setup(void) {
    context = context_create();
    arena = context->arena;
    pool = pool_create(context, arena);
}

static void teardown(void) {
    context_destroy(context);
}

/* ---- questions ---- */

static Type types[ASSOCIATIVE_MAX];
static bool reassociation;

/* x.i and y.i have the types of their elements; a .. d, k and r that of the first; p, q are bools.
 */
static bool name_type(void *data, Symbol name, Type *type) {
    (void)data;
    const char *text = name->text;
    *type = types[text[1] == '.' ? atoi(text + 2) : 0];
    if (text[0] == 'p' || text[0] == 'q')
        *type = BOOL;
    return true;
}

static Expr parse(const char *text, size_t length, Type type) {
    Expr expr = expr_read(pool, text, length, name_type, NULL, NOWHERE), adapted;
    ck_assert_msg(expr != NULL, "%s", text);
    adapted = expr_adapt(pool, expr, type);
    return adapted ? adapted : expr;
}

/* Elements stand between semicolons. */
static AssociativeUpdate question(const char *text) {
    static Expr values[ASSOCIATIVE_MAX];
    static Symbol reduction[1];
    AssociativeUpdate update = {.types = types, .values = values, .reduction = reduction};
    update.reassociation = reassociation;
    update.reduction_count = 1;
    reduction[0] = context_symbol(context, "r");
    while (*text) {
        size_t length = strcspn(text, ";");
        values[update.arity] = parse(text, length, types[update.arity]);
        update.arity++;
        text += length + (text[length] == ';');
    }
    return update;
}

static void of_type(Type type) {
    for (int i = 0; i < ASSOCIATIVE_MAX; i++)
        types[i] = type;
}

static const char *parts(const Associativity *found) {
    const char *text = "";
    for (size_t i = 0; i < found->parts.length; i++) {
        const char *entry = found->parts.data[i].entry;
        text = arena_format(arena, "%s%s%s", text, i ? " " : "", entry ? entry : "-");
    }
    return text;
}

/* An update is made of `wanted` ("*": whatever), and injects this into element 0. */
static void update_is(const char *text, const char *wanted, const char *injected) {
    AssociativeUpdate update = question(text);
    Associativity found = associative_update(pool, arena, &update);
    ck_assert_msg(found.verdict == ASSOCIATIVE_YES, "%s: %s", text, found.reason);
    if (strcmp(wanted, "*") != 0)
        ck_assert_str_eq(parts(&found), wanted);
    ck_assert_str_eq(expr_text_plain(arena, found.injected[0]), injected);
}

static void update_is_refused(const char *text) {
    AssociativeUpdate update = question(text);
    Associativity found = associative_update(pool, arena, &update);
    ck_assert_msg(found.verdict != ASSOCIATIVE_YES, "%s is %s", text, parts(&found));
    ck_assert_ptr_nonnull(found.reason);
}

static Associativity judge(const char *text) {
    AssociativeUpdate update = question(text);
    return associative_operator(pool, arena, &update, context_symbol(context, "k"));
}

/* ---- updates ---- */

START_TEST(sums_are_recognised_however_they_are_written) {
    of_type(I32);
    update_is("x.0 + a", "sum", "a");
    update_is("a + (b + x.0)", "sum", "a + b");
    update_is("x.0 - a", "sum", "-a");
    update_is("(x.0 + a) - b", "sum", "a - b");
    update_is("select(p, x.0 + 1, x.0)", "sum", "select(p, 1, 0)");
    update_is("select(p, x.0 + a, select(q, x.0 + b, x.0))", "sum",
              "select(q, select(p, a, b), select(p, a, 0))");
    update_is("x.0*a + x.0*b", "product", "a + b");
    update_is_refused("a - x.0");
    update_is_refused("x.0*a + b");
    update_is_refused("x.0/a");
    update_is_refused("x.0*x.0 + a");
}
END_TEST

START_TEST(conditions_choose_what_is_injected_only_with_one_operator) {
    of_type(I32);
    update_is("select(p, max(x.0, a), x.0)", "maximum", "select(p, a, -2147483648)");
    update_is("select(p, max(x.0, a), max(x.0, b))", "maximum", "select(p, a, b)");
    update_is_refused("select(p, max(x.0, a), x.0 + b)");
    update_is_refused("select(p, x.0 + a, b)");
}
END_TEST

START_TEST(tuples_are_taken_apart) {
    of_type(I32);
    update_is("x.0 + a;x.1*a", "sum product", "a");
    update_is("min(x.0, a);select(a < x.0, r, x.1)", "argmin", "a");
    update_is("min(x.0, a);select(x.0 <= a, x.1, r)", "argmin", "a");
    update_is("min(x.0, a);select(x.0 < a, x.1, r);select(x.0 < a, x.2, b)",
              "argmin_last argmin_last", "a");
    update_is("min(x.0, a);select(b < x.0, r, x.1)", "*", "a"); /* b is the same always */
    update_is_refused("min(x.0, a);select(r < x.0, b, x.1)");
    update_is_refused("min(x.0, a);select(r + b < x.0, r, x.1)");
    update_is_refused("min(x.0, a);select(x.0 < a, r, x.1)");
    update_is_refused("x.1 + a;x.0 + a");
    update_is_refused("a;select(p && x.1 < b, x.1, x.0)");
    update_is_refused("select(p, x.1, a);select(x.1 < b, x.1, select(q, x.0, c))");
}
END_TEST

START_TEST(elements_keep_their_types) {
    of_type(I32);
    types[0] = U8;
    update_is("min(x.0, a);select(a < x.0, y.1, x.1)", "argmin", "a");
    types[0] = I32;
    types[1] = U8;
    update_is("select(y.1 < x.1, y.0, x.0);min(x.1, y.1)", "argmin", "y.0");
}
END_TEST

START_TEST(what_the_table_lacks_is_proved) {
    of_type(I32);
    update_is("max(min(x.0, k), r)", "*", "r");
    update_is("select(r == 0, x.0, r)", "-", "r");
    update_is("x.0*r + x.0 + r", "*", "r");
    update_is("min(x.0, r);min(max(x.0, r), min(x.1, r - k))", "*", "r");
    update_is("select(x.0*x.0 < k, x.0, r)", "-", "r");
    update_is("select(x.0 - k < k*x.0, r + k, x.0)", "-", "k + r");
    update_is("select(x.1*x.0 < k, x.0, r);select(x.0*x.1 < k, x.1, r*r)", "-", "r");
    update_is_refused("select(x.0*x.0 < r, x.0, r)");
    update_is_refused("select(x.0*x.1 < k, x.0, r);select(x.0*x.1 < k + 1, x.1, r)");
    update_is_refused("select(x.0*x.0 < k, x.0, r + x.0)");
    update_is_refused("max(min(k - x.0, r), x.0)");
    update_is_refused("min(x.0, r);max(max(x.0, r), min(x.1, r))");
}
END_TEST

/* What is free of x may be more than what is read: then y stands for what is read. */
START_TEST(updates_and_operators_are_judged_alike) {
    of_type(U8);
    update_is("~saturating_add(~x.0, ~r)", "-", "r");
    ck_assert_int_eq(judge("~saturating_add(~x.0, ~y.0)").verdict, ASSOCIATIVE_YES);
    update_is_refused("~saturating_add(~x.0, r + ~r)");
    of_type(I32);
    update_is("x.0 ^ r ^ 5", "*", "r ^ 5");
    update_is("select(r*r < k, x.0, r)", "-", "r");
    update_is_refused("select(a*r < k, x.0, r*r + r)");
}
END_TEST

START_TEST(floats_need_a_grant) {
    of_type(F32);
    update_is_refused("x.0 + a");
    update_is_refused("min(x.0, a)");
    reassociation = true;
    update_is("x.0 + a", "sum", "a");
    update_is("min(x.0, a)", "minimum", "a");
    update_is("max(min(x.0, k), r)", "*", "r");
    update_is("x.0 + r + x.0*r", "*", "r");
    update_is_refused("x.0*r + a");
    update_is_refused("max(min(x.0, k), r) + 1");
    reassociation = false;
}
END_TEST

/* ---- operators as they stand ---- */

START_TEST(operators_are_judged_as_they_stand) {
    of_type(I32);
    ck_assert_int_eq(judge("x.0 + y.0").verdict, ASSOCIATIVE_YES);
    Associativity found = judge("x.0 - y.0");
    ck_assert_int_eq(found.verdict, ASSOCIATIVE_NO);
    const Counterexample *c = &found.counterexample;
    ck_assert_int_eq(c->left[0],
                     (int32_t)((uint32_t)c->x[0] - (uint32_t)c->y[0] - (uint32_t)c->z[0]));
    ck_assert_int_ne(c->left[0], c->right[0]);
    ck_assert_int_eq(judge("x.0 + y.1;x.1 + y.0").verdict, ASSOCIATIVE_NO);
    ck_assert_int_eq(judge("max(min(k - x.0, y.0), x.0)").verdict, ASSOCIATIVE_NO);
    ck_assert_int_eq(judge("x.0 + y.0*y.0").verdict, ASSOCIATIVE_NO);
}
END_TEST

START_TEST(what_commutes_is_said_and_what_does_not_is_not) {
    of_type(I32);
    ck_assert(judge("min(x.0, y.0)").is_commutative);
    ck_assert(!judge("x.0").is_commutative);
    ck_assert(!judge("min(x.0, y.0);select(y.0 < x.0, y.1, x.1)").is_commutative);
    ck_assert(judge("x.0 + y.0;x.1*y.1").is_commutative);
}
END_TEST

START_TEST(identities_are_of_the_type) {
    of_type(U8);
    Associativity found = judge("min(x.0, y.0)");
    ck_assert(found.has_identity);
    ck_assert_int_eq(found.identity[0]->bits, 255);
    found = judge("x.0 & y.0");
    ck_assert_int_eq(found.identity[0]->bits, 255);
    found = judge("y.0");
    ck_assert(!found.has_identity && found.lacks_identity);
    found = judge("~saturating_add(~x.0, ~y.0)");
    ck_assert(found.has_identity);
    ck_assert_int_eq(found.identity[0]->bits, 255);
    found = judge("x.0 ^ y.0 ^ 5");
    ck_assert(found.has_identity);
    ck_assert_int_eq(found.identity[0]->bits, 5);
    found = judge("x.0;x.0");
    ck_assert(!found.has_identity && found.lacks_identity);
    found =
        judge("select(x.0*x.0 < k, x.0, y.0)"); /* all are less than k, or none is: not looked at */
    ck_assert(!found.has_identity && !found.lacks_identity);
}
END_TEST

/* ---- trials ---- */

typedef enum Spoilt { NOTHING, OPERATOR, IDENTITY, INJECTED, ORDER } Spoilt;

/* Does what is answered about the update stand its trial, with this part of it spoilt? */
static bool stands(const char *text, Spoilt spoilt) {
    AssociativeUpdate update = question(text);
    Associativity answer = associative_update(pool, arena, &update);
    Recogniser r = recogniser_create(pool, arena, &update);
    Expr one = expr_constant(pool, types[0], 1);
    ck_assert_msg(answer.verdict == ASSOCIATIVE_YES, "%s: %s", text, answer.reason);
    if (spoilt == OPERATOR)
        answer.operator[0] = expr_add(pool, answer.operator[0], one);
    if (spoilt == IDENTITY)
        answer.identity[0] = expr_add(pool, answer.identity[0], one);
    if (spoilt == INJECTED)
        answer.injected[0] = expr_add(pool, answer.injected[0], one);
    if (spoilt == ORDER)
        answer.is_commutative = true;
    return stands_trial(&r, &answer);
}

START_TEST(wrong_answers_do_not_stand_their_trial) {
    static const char *const updates[] = {"x.0 + r", "min(x.0, r)", "x.0 ^ r",
                                          "select(r < 3, x.0*2, x.0*5)"};
    of_type(I32);
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        ck_assert_msg(stands(updates[i], NOTHING), "%s", updates[i]);
        ck_assert_msg(!stands(updates[i], OPERATOR), "%s", updates[i]);
        ck_assert_msg(!stands(updates[i], IDENTITY), "%s", updates[i]);
        ck_assert_msg(!stands(updates[i], INJECTED), "%s", updates[i]);
    }
    ck_assert(stands("min(x.0, r); select(r < x.0, r + 7, x.1)", NOTHING));
    ck_assert(stands("r", NOTHING));
    ck_assert(!stands("r", ORDER));
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("associative");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, sums_are_recognised_however_they_are_written);
    tcase_add_test(cases, conditions_choose_what_is_injected_only_with_one_operator);
    tcase_add_test(cases, tuples_are_taken_apart);
    tcase_add_test(cases, elements_keep_their_types);
    tcase_add_test(cases, what_the_table_lacks_is_proved);
    tcase_add_test(cases, updates_and_operators_are_judged_alike);
    tcase_add_test(cases, floats_need_a_grant);
    tcase_add_test(cases, operators_are_judged_as_they_stand);
    tcase_add_test(cases, what_commutes_is_said_and_what_does_not_is_not);
    tcase_add_test(cases, identities_are_of_the_type);
    tcase_add_test(cases, wrong_answers_do_not_stand_their_trial);
    return run_suite("associative", cases);
}

/* Tests of the engine with expressions built by hand; tests/simplify has the pairs of expressions.
 */
#include "simplify/internal.h"

#include "suite.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Pool *pool;
static Simplifier *simplifier;

static void setup(void) {
    context = context_create();
    pool = pool_create(context, context->arena);
    simplifier = simplifier_create(pool, context->arena);
}
static void teardown(void) {
    context_destroy(context);
}

static Symbol name(const char *text) {
    return context_symbol(context, text);
}
static Expr var(const char *text) {
    return expr_variable(pool, name(text), INDEX);
}
static Expr num(int64_t value) {
    return expr_index(pool, value);
}
static Expr plus(Expr a, int64_t b) {
    return expr_add(pool, a, num(b));
}

START_TEST(facts_are_a_stack) {
    Expr x = var("x"), y = var("y"), less = expr_lt(pool, x, y);
    Expr weaker = expr_le(pool, plus(x, -3), y);
    FactMark mark = simplifier_mark(simplifier);
    ck_assert_int_eq(simplify_prove(simplifier, weaker), PROOF_UNKNOWN);
    simplifier_learn(simplifier, less);
    ck_assert_int_eq(simplify_prove(simplifier, weaker), PROOF_HOLDS);
    ck_assert_int_eq(simplify_prove(simplifier, less), PROOF_HOLDS);
    ck_assert_int_eq(simplify_prove(simplifier, expr_eq(pool, x, y)), PROOF_REFUTED);
    simplifier_learn(simplifier, expr_le(pool, num(0), x));
    ck_assert_int_eq(simplify_prove(simplifier, expr_lt(pool, num(0), y)), PROOF_HOLDS);
    simplifier_release(simplifier, mark);
    ck_assert_int_eq(simplify_prove(simplifier, weaker), PROOF_UNKNOWN);
    ck_assert_ptr_eq(simplify(simplifier, weaker), simplify(simplifier, weaker));
}
END_TEST

/* Learns `fact`, or its complement, and asks about `condition`. */
static Proof under(Expr fact, bool holds, Expr condition) {
    FactMark mark = simplifier_mark(simplifier);
    simplifier_learn(simplifier, holds ? fact : expr_not(pool, fact));
    Proof proof = simplify_prove(simplifier, condition);
    simplifier_release(simplifier, mark);
    return proof;
}

START_TEST(facts_decide_their_complements) {
    Type types[] = {I32, U8, F32, INDEX};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool is_float = type_is_float(types[i]);
        Expr a = expr_variable(pool, name("a"), types[i]);
        Expr b = expr_variable(pool, name("b"), types[i]);
        Expr equal = expr_eq(pool, a, b), unequal = expr_binary(pool, OP_NE, a, b);
        ck_assert_int_eq(under(equal, true, unequal), PROOF_REFUTED);
        ck_assert_int_eq(under(equal, false, unequal), PROOF_HOLDS);
        ck_assert_int_eq(under(equal, false, equal), PROOF_REFUTED);
        ck_assert_int_eq(under(unequal, true, equal), PROOF_REFUTED);
        ck_assert_int_eq(under(unequal, false, equal), PROOF_HOLDS);
        Expr less = expr_lt(pool, a, b), reverse = expr_le(pool, b, a);
        ck_assert_int_eq(under(less, true, reverse), PROOF_REFUTED);
        ck_assert_int_eq(under(reverse, true, less), PROOF_REFUTED);
        /* Neither holds of NaN. */
        ck_assert_int_eq(under(less, false, reverse), is_float ? PROOF_UNKNOWN : PROOF_HOLDS);
        ck_assert_int_eq(under(reverse, false, less), is_float ? PROOF_UNKNOWN : PROOF_HOLDS);
    }
}
END_TEST

/* Asks 100 questions, more than the first table of answers holds. */
static void ask_and_be_right(void) {
    Expr x = var("x");
    simplifier_learn(simplifier, expr_le(pool, num(50), x));
    for (int64_t i = 0; i < 100; i++)
        ck_assert_int_eq(simplify_prove(simplifier, expr_le(pool, num(i), x)),
                         i <= 50 ? PROOF_HOLDS : PROOF_UNKNOWN);
}

/* Answers are kept by the pool, which outlives a call that ran out of memory. */
START_TEST(answers_survive_a_refused_request) {
    jmp_buf failed;
    for (volatile int64_t request = 0; request >= 0;) {
        teardown();
        setup();
        context->memory.on_failure = &failed;
        context->memory.fail_after = request;
        if (setjmp(failed) == 0) {
            ask_and_be_right();
            request = -1;
        } else {
            context->memory.fail_after = -1;
            simplifier = simplifier_create(pool, context->arena);
            ask_and_be_right();
            request++;
        }
    }
}
END_TEST

START_TEST(ranges_of_variables) {
    Expr x = var("x"), b = expr_variable(pool, name("b"), U8);
    simplifier_learn_range(simplifier, name("x"), (ConstantInterval){true, true, 3, 10});
    ConstantInterval interval =
        simplify_interval(simplifier, expr_add(pool, expr_mul(pool, x, num(2)), num(1)));
    ck_assert(interval.has_minimum && interval.has_maximum);
    ck_assert_int_eq(interval.minimum, 7);
    ck_assert_int_eq(interval.maximum, 21);
    Expr six = simplify(simplifier, expr_add(pool, expr_mul(pool, var("y"), num(6)), num(5)));
    Residue residue = known_of(simplifier, six)->residue;
    ck_assert_int_eq(residue.modulus, 6);
    ck_assert_int_eq(residue.remainder, 5);
    interval = simplify_interval(simplifier, expr_cast(pool, INDEX, b));
    ck_assert_int_eq(interval.minimum, 0);
    ck_assert_int_eq(interval.maximum, 255);
    /* u8 + u8 may wrap: the whole type. */
    interval = simplify_interval(simplifier, expr_add(pool, b, expr_constant(pool, U8, 1)));
    ck_assert_int_eq(interval.minimum, 0);
    ck_assert_int_eq(interval.maximum, 255);
}
END_TEST

START_TEST(constants_that_overflow_are_left) {
    Expr x = var("x"), large = plus(x, INT64_MAX), larger = expr_add(pool, large, num(INT64_MAX));
    ck_assert_ptr_eq(simplify(simplifier, larger), larger);
    Expr product = expr_mul(pool, expr_mul(pool, x, num(INT64_MAX / 2)), num(4));
    ck_assert_ptr_eq(simplify(simplifier, product), product);
}
END_TEST

/* ---- depth: a million nodes deep, with a stack that holds no recursion over them ---- */

#define DEPTH       1000000
#define SMALL_STACK ((size_t)256 * 1024)

static void *simplify_it(void *expr) {
    return (void *)simplify(simplifier, expr);
}

static Expr with_small_stack(Expr expr) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, simplify_it, (void *)expr), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&attributes);
    return result;
}

START_TEST(deep_sums) {
    Expr e = var("x");
    for (int i = 0; i < DEPTH; i++)
        e = expr_add(pool, e, num(1));
    ck_assert_uint_eq(e->depth, DEPTH + 1);
    ck_assert_ptr_eq(with_small_stack(e), plus(var("x"), DEPTH));
    ck_assert_uint_eq(simplifier->exhausted, 0);
}
END_TEST

START_TEST(deep_expressions) {
    Expr e = var("x");
    for (int i = 0; i < DEPTH; i++)
        e = expr_min(pool, expr_mul(pool, e, var("y")), var("z"));
    Expr simpler = with_small_stack(e);
    ck_assert_uint_eq(simpler->depth, 2 * DEPTH + 1);
    ck_assert_uint_eq(simplifier->exhausted, 0);
}
END_TEST

/* Shared parts are simplified once: the tree of 3^1000 nodes takes steps for its 1000. */
START_TEST(shared_graphs_stay_small) {
    Expr e = var("x"), q = var("x");
    for (int i = 0; i < 1000; i++) {
        Expr v = expr_variable(pool, symbol_format(&context->symbols, "v%d", i), INDEX);
        Expr square = expr_mod(pool, expr_mul(pool, e, e), num(7));
        e = expr_select(pool, expr_lt(pool, e, v), square, plus(e, 1));
        q = expr_div(pool, expr_add(pool, q, v), num(3 + i % 5));
    }
    uint32_t before = pool->next_number;
    ck_assert_uint_eq(e->tree_size, UINT32_MAX);
    simplify(simplifier, e);
    simplify(simplifier, q);
    ck_assert_uint_lt(pool->next_number - before, 50000);
    ck_assert_uint_eq(simplifier->exhausted, 0);
}
END_TEST

START_TEST(orders_of_sums) {
    Expr m = var("m"), n = var("n"), xo = var("xo");
    Expr base = expr_add(pool, m, expr_mul(pool, xo, num(256)));
    Expr last = expr_min(pool, plus(base, 255), plus(expr_add(pool, m, n), -1));
    ck_assert(simplify_proves_le(simplifier, last, plus(base, 255)));
    ck_assert(!simplify_proves_le(simplifier, plus(base, 255), last));
    Expr length = plus(expr_sub(pool, last, base), 1);
    ck_assert_ptr_eq(simplify(simplifier, length),
                     expr_min(pool, expr_sub(pool, n, expr_mul(pool, xo, num(256))), num(256)));
}
END_TEST

/* x % y % y, of which mod_mod makes x % y. */
static Expr modulo(void) {
    return expr_mod(pool, var("x"), var("y"));
}
static Expr twice(void) {
    return expr_mod(pool, modulo(), var("y"));
}

START_TEST(options_trace_limit_and_leave_out) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    simplifier_set_options(simplifier, (SimplifierOptions){.trace = out});
    ck_assert_ptr_eq(simplify(simplifier, twice()), modulo());
    simplifier_print_statistics(simplifier, out);
    fclose(out);
    simplifier_set_options(simplifier, (SimplifierOptions){.trace = NULL});
    ck_assert_ptr_nonnull(strstr(text, "mod_mod (divide.rules:"));
    ck_assert_ptr_nonnull(strstr(text, "x % y % y  ->  x % y\n"));
    ck_assert_ptr_nonnull(strstr(text, "       1  mod_mod (divide.rules:"));
    ck_assert_ptr_nonnull(strstr(text, "       1  in all"));
    free(text);
    Simplifier *without = simplifier_create(pool, context->arena);
    simplifier_set_options(without, (SimplifierOptions){.without_rule = "mod_mod"});
    ck_assert_ptr_eq(simplify(without, twice()), twice());
    /* The second application of any rule does not happen. */
    Simplifier *limited = simplifier_create(pool, context->arena);
    simplifier_set_options(limited, (SimplifierOptions){.rule_limit = 1});
    Expr other = expr_mod(pool, var("u"), var("u"));
    ck_assert_ptr_eq(simplify(limited, twice()), modulo());
    ck_assert_ptr_eq(simplify(limited, other), other);
    ck_assert_ptr_eq(simplify(simplifier, other), num(0));
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("engine");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, facts_are_a_stack);
    tcase_add_test(tests, facts_decide_their_complements);
    tcase_add_test(tests, answers_survive_a_refused_request);
    tcase_add_test(tests, ranges_of_variables);
    tcase_add_test(tests, constants_that_overflow_are_left);
    tcase_set_timeout(tests, 120); /* the deep ones, where the machine is busy */
    tcase_add_test(tests, deep_sums);
    tcase_add_test(tests, deep_expressions);
    tcase_add_test(tests, shared_graphs_stay_small);
    tcase_add_test(tests, orders_of_sums);
    tcase_add_test(tests, options_trace_limit_and_leave_out);
    return run_suite("simplify", tests);
}

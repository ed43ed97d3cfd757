/* What the rule compiler refuses, and what it makes of a rule: each text below has exactly one
 * error, whose sentence is the one named.
 */
#include "base/context.h"
#include "tools/rulec/rule_set.h"

#include "suite.h"

#include <check.h>
#include <string.h>

static Context *context;
static RuleSet set;

static void setup(void) {
    context = context_create();
    set = (RuleSet){.arena = context->arena};
}
static void teardown(void) {
    context_destroy(context);
}

static void compile(const char *text) {
    rule_read(&set, "t", text);
    rule_commute(&set);
    rule_check(&set);
    rule_order(&set);
    rule_index_check(&set);
}

typedef struct Refusal {
    const char *text, *sentence;
} Refusal;

static const Refusal refusals[] = {
    {"a min(x, x) -> x\n", "before the first section"},
    {"over reals\n", "a section is"},
    {"over machine i8 f32\n", "not a machine integer type"},
    {"over float f32 i8\n", "not a float type"},
    {"over integers\na min(x, c0) -> x if power(c0)\n", "power is of a constant"},
    {"over float\na min(x, y) -> x if power(x)\n", "power is of a constant"},
    {"over float\na min(x, c0) -> power(c0)\n", "power is of a constant"},
    {"over vectors\na ramp(x, y) + x -> x\n", "as a scalar and as a vector"},
    {"over vectors\na u + c0 -> u\n", "a scalar stands where a vector is meant"},
    {"over vectors\na u - u -> 0\n", "a scalar stands where a vector is meant"},
    {"over vectors\na u * ramp(ramp(x, y), z) -> u\n", "a vector stands where a scalar is meant"},
    {"over vectors\na u / v -> u if 0 < v\n", "as a scalar and as a vector"},
    {"over vectors\na ramp(x, y) -> broadcast(x)\n", "an operator over something"},
    {"over integers\na min(x, x) -> broadcast(x)\n", "no operator has this name"},
    {"over integers\na min(x, y) -> x if x < lanes\n", "not a wildcard"},
    {"over vectors\na ramp(x, y) * ramp(z, w) -> ramp(x, y) * (ramp(z, w) + ramp(z, w))\n",
     "does not go down"},
    {"over integers\na min(x, x) x\n", "`->` is missing"},
    {"over integers\na min(x x) -> x\n", "`)` is missing"},
    {"over integers\na min(x, y, z) -> x\n", "no operator has this name"},
    {"over integers\na minimum(x, y) -> x\n", "no operator has this name"},
    {"over integers\na min(x, q) -> x\n", "not a wildcard"},
    {"over integers\na x -> x\n", "an operator over something"},
    {"over integers\na min(x, x) -> x y\n", "does not end here"},
    {"over integers\nA min(x, x) -> x\n", "small letters"},
    {"over integers\na min(x, 99999999999) -> x\n", "too large"},
    {"over integers\na x < y -> x\n", "a bool is asked for"},
    {"over integers\na select(x, x, y) -> y\n", "as a bool and as a number"},
    {"over integers\na min(x, x) -> x if x\n", "a guard is a condition"},
    {"over integers\na min(x, fold(c0)) -> x\n", "fold stands on the right"},
    {"over integers\na min(x, c0) -> fold(x)\n", "fold is of constants"},
    {"over integers\na min(x, x) -> min(x, y)\n", "unbound"},
    {"over integers\na min(x, x) -> x if c0 < 1\n", "unbound"},
    {"over integers\na min(x, x) -> x\na max(x, x) -> x\n", "used twice"},
    {"over integers\na min(x, x) -> x\nb min(y, y) -> y\n", "duplicate of a"},
    {"over integers\na min(x, c0) -> c0 if c0 < 0\nb min(y, c1) -> c1 if c1 < 0\n",
     "duplicate of a"},
    {"over integers\na x / y -> 0\nb x / (y * z) -> 0\n", "shadowed by a"},
    {"over integers\na select(x == y, x, y) -> y\nb select(x == y, y, x) -> x\n", "duplicate of a"},
    {"over integers\na x / y -> 0 if x <= 0 && 1 <= y\nb x / y -> 0 if 1 <= y && x <= 0\n",
     "duplicate of a"},
    {"over integers\na x / y -> 0 if 1 <= y\nb x / y -> 0 if x <= 0 && 1 <= y && x < y\n",
     "shadowed by a"},
    {"over any\na select(z, x, x) -> x\nover integers\nb select(z, y % 2, y % 2) -> y % 2\n",
     "shadowed by a"},
    {"over integers\na (x - y) / 2 -> y\n", "sums are normalised first"},
    {"over integers\na x + y -> x\n", "name two terms"},
    {"over integers\na (2 * x) / y -> x\n", "constants stand last"},
    {"over integers\na x < c0 -> false\n", "shown as <="},
    {"over integers\na min(min(x, y), x) -> x\n", "name two of its operands"},
    {"over integers\na min(x, y) -> min(y, x)\n", "does not go down"},
    {"over float\na min(x, y) -> min(y, x)\n", "does not go down"},
    {"over integers\na x / y -> (x % y) / y\n", "does not go down"},
    {"over integers\na (x * y) % z -> (x % z * y) % z\n", "does not go down"},
    /* Fewer products of unknowns, but where y is a constant none. */
    {"over integers\na x * y <= 0 -> max(x, 1) <= y\n", "does not go down"},
    {"over bool\na x || y -> !(!x && !y)\n", "does not go down"},
    {"over integers\na min(x * y, z) -> min(z, x) * min(z, y)\n", "does not go down"},
    {"over integers\na min(t0, x) -> x\n", "not a wildcard"},
    {"over solve\na min(q, t0) <= n0 -> true\n", "not a wildcard (t0"},
    {"over solve\na n0 <= min(n1, n2) -> n0 <= n1 && n0 <= n2\n", "terms with the target variable"},
    {"over solve\na t0 * n1 < n0 -> t0 <= n0\n", "written with <="},
    {"over solve\na t0 * n0 <= x -> t0 <= x\nb t0 * n0 <= n1 -> t0 <= n1\n", "shadowed by a"},
    /* Wildcards for terms with the target must not become more ... */
    {"over solve\na t0 <= n0 -> t0 <= n0 && t0 <= n0 + 1\n", "does not go down"},
    {"over solve\na t0 + t1 <= n0 -> t0 * 2 + t1 <= n0 + t0\n", "does not go down"},
    /* ... nor one that may stand for such a term; */
    {"over solve\na min(x, n0) <= t0 -> x <= t0 || n0 <= t0\n", "does not go down"},
    {"over solve\na t0 * x <= n0 -> x + x <= n0 / t0\n", "does not go down"},
    /* neither sequence is permuted. */
    {"over solve\na (n0 * n1) % (t0 * n2) <= n3 -> (n2 * t0) % (n0 * n1) <= n3\n",
     "does not go down"},
    {"over solve\na (t0 * n0) % t1 <= n1 -> (t1 * t0) % n0 <= n1\n", "does not go down"},
    {"over solve\na t0 * n0 <= n1 -> n0 * t0 <= n1\n", "does not go down"},
    {"over solve\na t0 <= n0 / n1 -> t0 * n1 <= n0\n", "does not go down"},
};

START_TEST(each_is_refused_once) {
    compile(refusals[_i].text);
    ck_assert_msg(set.errors.length > 0, "accepted: %s", refusals[_i].text);
    for (size_t i = 0; i < set.errors.length; i++)
        ck_assert_msg(strstr(set.errors.data[i], refusals[_i].sentence), "%s: %s",
                      refusals[_i].text, set.errors.data[i]);
    ck_assert(!strncmp(set.errors.data[0], "t:", 2));
}
END_TEST

START_TEST(full_buckets_are_refused) {
    char text[8192] = "over integers\n";
    for (int i = 0; i < 65; i++)
        sprintf(text + strlen(text), "r%d x / %d -> x if x != %d\n", i, i + 100, i);
    compile(text);
    ck_assert_uint_gt(set.errors.length, 0);
    ck_assert_ptr_nonnull(strstr(set.errors.data[0], "one too many"));
}
END_TEST

static int variants_of(const char *rule) {
    char text[512];
    snprintf(text, sizeof text, "over integers\n%s\n", rule);
    compile(text);
    ck_assert_msg(!set.errors.length, "%s", set.errors.length ? set.errors.data[0] : "");
    return (int)set.rules.length;
}

START_TEST(commuted_variants) {
    ck_assert_int_eq(variants_of("a min(x, max(x, y)) -> x"), 4);
    ck_assert_int_eq(set.rules.data[3].variant, 3);
    set.rules.length = 0;
    ck_assert_int_eq(variants_of("b min(x, c0) < x -> false"), 1);
    set.rules.length = 0;
    /* Both exchanges at once is the rule itself again. */
    ck_assert_int_eq(variants_of("c max(min(x, y), min(x, z)) -> min(max(y, z), x)"), 4);
    set.rules.length = 0;
    /* The guard is that of the rule itself, its conditions in another order. */
    ck_assert_int_eq(variants_of("g max(x, y) <= max(z, w) -> true if x <= z && y <= w"), 2);
    set.rules.length = 0;
    ck_assert_int_eq(variants_of("h max(x, y) <= max(z, w) -> true if x <= z && 0 <= w"), 4);
    set.rules.length = 0;
    /* On floats min and max do not commute, sums and products do. */
    compile("over float\ne min(x, max(x, y)) -> x\n");
    ck_assert_uint_eq(set.rules.length, 1);
    set.rules.length = 0;
    compile("over float\nf x + (-y) -> x - y\n");
    ck_assert_uint_eq(set.rules.length, 2);
    set.rules.length = 0;
    /* A sum below the root gets a choice of terms, no variants. */
    ck_assert_int_eq(variants_of("d (x % c0 + y) % c0 -> (x + y) % c0"), 1);
    ck_assert_int_eq(set.rules.data[0].picks, 1);
}
END_TEST

START_TEST(witnesses) {
    compile("over integers\n"
            "a min(x, max(x, y)) -> x\n"
            "b (x / c0) / c1 -> x / fold(c0 * c1)\n"
            "c (x % c0) / c1 -> (x / c1) % fold(c0 / c1)\n"
            "over bool\n"
            "d !x && !y -> !(x || y)\n");
    ck_assert_uint_eq(set.errors.length, 0);
    for (size_t i = 0; i < set.rules.length; i++) {
        const Rule *rule = &set.rules.data[i];
        static const int wanted[] = {ORDER_EXTREMES, ORDER_DIVISIONS, ORDER_UNDER_QUOTIENT,
                                     ORDER_SIZE};
        ck_assert_int_eq(rule->witness, wanted[rule->name[0] - 'a']);
    }
}
END_TEST

/* The solver's order: what is free of the target counts nothing, and operators above it do. */
START_TEST(witnesses_of_the_solver) {
    compile("over solve\n"
            "a min(t0, x) <= y -> t0 <= y || x <= y\n"
            "b t0 * n0 + t0 * n1 <= n2 -> t0 * (n0 + n1) <= n2\n"
            "c t0 / n0 <= n1 -> t0 <= n1 * n0 + n0 * n0 * n0\n"
            "d (n0 * t0) % n1 == n2 -> (t0 * n0) % n1 == n2\n");
    ck_assert_uint_gt(set.errors.length, 0); /* d's variants with t0 first stay as they are */
    for (size_t i = 0; i < set.rules.length; i++) {
        const Rule *rule = &set.rules.data[i];
        static const int wanted[] = {SOLVE_SPLITS, SOLVE_OCCURRENCES, SOLVE_UP, SOLVE_LEFT};
        if (rule->name[0] != 'd' || !rule->variant)
            ck_assert_int_eq(rule_witness_solve(rule), wanted[rule->name[0] - 'a']);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("refusals");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, each_is_refused_once, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, full_buckets_are_refused);
    tcase_add_test(tests, commuted_variants);
    tcase_add_test(tests, witnesses);
    tcase_add_test(tests, witnesses_of_the_solver);
    return run_suite("rule compiler", tests);
}

/* The steps of synthesis one by one: the text of patterns is read back as the same rule; wrong
 * rules are never verified, and the point that Z3 gives is one where the sides differ; guards
 * exclude all points they must. */
#include "tools/synthesis/synthesis.h"

#include "suite.h"

#include <check.h>

static Context *context;
static Pool *pool;

static void setup(void) {
    context = context_create();
    pool = pool_create(context, context->arena);
}

static void teardown(void) {
    context_destroy(context);
}

static Expr wildcard(int number) {
    return pattern_slot(pool, number, INDEX);
}

static Expr constant(int number) {
    return pattern_slot(pool, WILDCARDS + number, INDEX);
}

static Expr modulo(Expr a, Expr b) {
    return expr_mod(pool, a, b);
}

START_TEST(text_of_patterns) {
    Expr x = wildcard(0), y = wildcard(1), c0 = constant(0), c1 = constant(1);
    Expr sum = expr_add(pool, x, expr_mul(pool, y, expr_index(pool, -1)));
    ck_assert_str_eq(pattern_text(context->arena, modulo(expr_add(pool, x, y), c0), false),
                     "(x + y) % c0");
    ck_assert_str_eq(pattern_text(context->arena, sum, false), "y * -1 + x");
    ck_assert_str_eq(pattern_text(context->arena, expr_min(pool, x, expr_add(pool, c0, c1)), true),
                     "min(fold(c0 + c1), x)");
    Expr both = expr_and(pool, expr_lt(pool, expr_index(pool, 0), c0), expr_le(pool, c0, c1));
    Proposal proposal = {modulo(modulo(x, c0), c1), modulo(x, c1), both};
    const char *text = proposal_text(context->arena, proposal);
    ck_assert_str_eq(text, "x % c0 % c1 -> x % c1 if 0 < c0 && c0 <= c1");
    RuleSet set;
    ck_assert(rule_from_text(context->arena, "found", text, &set));
    ck_assert_int_eq(set.rules.data[0].slot_count, 3);
    /* What the rule compiler refuses is no rule: it does not go down; it never matches. */
    ck_assert(!rule_from_text(context->arena, "found", "min(x, y) -> max(x, y) - x + y", &set));
    ck_assert(!rule_from_text(context->arena, "found", "x - y <= z -> x <= z if y == 0", &set));
}
END_TEST

/* Rules, and what the sides are as expressions, to evaluate the point that Z3 gives. */
static const char *const wrong_rules[] = {
    "(x % c0) % c1 -> x % c1 if c1 != 0 && c0 % c1 == 0",
    "min(x, c0) <= min(x, c1) + c2 -> false if c1 + c2 <= c0",
    "max(x, c0) <= max(x, c1) + c2 -> false if c1 + c2 <= c0",
    "(x * y + z) / y -> z / y + x",
    "x <= y / c0 * c0 -> true if 0 < c0 && x <= y - c0 + 2",
    "select(x <= y, x, y) -> max(x, y)",
};

/* The value of prefix code where the slots have these values. */
static Bits value_of(const RuleTerm **at, const Bits *slots) {
    const RuleTerm *term = (*at)++;
    Bits operands[OP_MAX_ARITY];
    Type types[OP_MAX_ARITY] = {INDEX, INDEX, INDEX}, result = INDEX;
    for (int i = 0; i < rule_term_arity(term); i++)
        operands[i] = value_of(at, slots);
    switch (term->op) {
    case TERM_WILDCARD:
    case TERM_CONSTANT:
        return slots[term->value];
    case TERM_LITERAL:
    case TERM_TRUTH:
        return term->value;
    case TERM_FOLD:
        return operands[0];
    default:
        break;
    }
    if (op_info((Op)term->op)->types == TYPES_LOGIC)
        types[0] = types[1] = BOOL;
    if (term->op == OP_SELECT)
        types[0] = BOOL;
    op_result_type((Op)term->op, types, &result);
    return value_apply((Op)term->op, result, types, operands, NULL).bits;
}

START_TEST(wrong_rules_are_refuted) {
    SolverProcess *solver = process_start(context->arena, "z3");
    if (!solver || !process_is_ready(solver, context->arena)) {
        printf("z3 is not installed: verification was not tested\n");
        return;
    }
    RuleSet set;
    Bits slots[RULE_SLOTS];
    for (size_t i = 0; i < sizeof wrong_rules / sizeof *wrong_rules; i++) {
        ck_assert_msg(rule_from_text(context->arena, "wrong", wrong_rules[i], &set), "%s: %s",
                      wrong_rules[i], set.errors.length ? set.errors.data[0] : "");
        const Rule *rule = &set.rules.data[0];
        ck_assert_msg(verify_rule(solver, context->arena, rule, slots) == REFUTED, "%s",
                      wrong_rules[i]);
        const RuleTerm *left = rule->left, *right = rule->right, *guard = rule->guard;
        ck_assert(value_of(&left, slots) != value_of(&right, slots));
        ck_assert(!rule->guard_length || value_of(&guard, slots));
    }
    ck_assert(rule_from_text(context->arena, "right",
                             "(x % c0) % c1 -> x % c1 if c0 != 0 && c1 != 0 && c0 % c1 == 0",
                             &set));
    ck_assert(verify_rule(solver, context->arena, &set.rules.data[0], slots) == VERIFIED);
    process_stop(solver);
}
END_TEST

/* min(x, c0) <= c1 is true where c0 <= c1, in an instance that says so. */
START_TEST(the_weakest_guard) {
    Synthesis s = {.context = context, .arena = context->arena, .pool = pool};
    s.simplifier = synthesis_simplifier(&s, context->arena, &s.variants);
    GoalInstance instance = {.slots = {expr_variable(pool, context_symbol(context, "n"), INDEX)}};
    instance.slots[WILDCARDS] = expr_index(pool, 4);
    instance.slots[WILDCARDS + 1] = expr_index(pool, 12);
    Expr left = expr_le(pool, expr_min(pool, wildcard(0), constant(0)), constant(1));
    Relations relations = relations_find(&s, context->arena, left, &instance);
    PatternPoints points = points_create(context->arena, 21 * 21 * 21);
    for (int i = 0; i < 21 * 21 * 21; i++) {
        Bits slots[SLOTS] = {i % 21 - 10};
        slots[WILDCARDS] = i / 21 % 21 - 10;
        slots[WILDCARDS + 1] = i / 441 - 10;
        points_add(&points, slots);
    }
    Bits *wrong = arena_array(context->arena, Bits, points.count);
    pattern_values(left, &points, wrong);
    for (size_t i = 0; i < points.count; i++)
        wrong[i] = !wrong[i];
    Expr guard;
    ck_assert(guard_find(&s, context->arena, &relations, &instance, &points, wrong, &guard));
    ck_assert_str_eq(pattern_text(context->arena, guard, false), "c0 <= c1");
    /* Where everything is wrong, no guard admits enough. */
    for (size_t i = 0; i < points.count; i++)
        wrong[i] = 1;
    ck_assert(!guard_find(&s, context->arena, &relations, &instance, &points, wrong, &guard));
}
END_TEST

/* Of min(x, y) % c0 / c1 -> min(x, y) / c1 % fold(c0 / c1) the proof needs no min; of the guard it
 * needs all. */
START_TEST(what_a_proof_does_not_need) {
    Synthesis s = {.context = context,
                   .arena = context->arena,
                   .pool = pool,
                   .without_rule = "mod_in_div",
                   .variants = {.arena = context->arena},
                   .solver = process_start(context->arena, "z3")};
    if (!s.solver || !process_is_ready(s.solver, context->arena)) {
        printf("z3 is not installed: generalising was not tested\n");
        return;
    }
    s.simplifier = synthesis_simplifier(&s, context->arena, &s.variants);
    char text[] = "min(a, b) % 8 / 4 == min(a, b) / 4 % 2\n";
    FILE *in = fmemopen(text, sizeof text - 1, "r");
    ck_assert_int_eq(goals_read(&s, in), 1);
    fclose(in);
    Expr least = expr_min(pool, wildcard(0), wildcard(1)), c0 = constant(0), c1 = constant(1);
    Expr zero = expr_index(pool, 0), divides = expr_eq(pool, modulo(c0, c1), zero);
    Expr guard =
        expr_and(pool, expr_lt(pool, zero, c0), expr_and(pool, expr_lt(pool, zero, c1), divides));
    Proposal proposal = {expr_div(pool, modulo(least, c0), c1),
                         modulo(expr_div(pool, least, c1), expr_div(pool, c0, c1)), guard};
    proposal = proposal_generalise(&s, context->arena, proposal);
    const char *found = proposal_text(context->arena, proposal);
    ck_assert_msg(strstr(found, "x % c0 / c1 -> x / c1 % fold(c0 / c1) if ") == found, "%s", found);
    ck_assert_ptr_ne(strstr(found, "0 < c1"), NULL);
    ck_assert_ptr_ne(strstr(found, "c0 % c1 == 0"), NULL);
    process_stop(s.solver);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("steps");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, text_of_patterns);
    tcase_add_test(cases, wrong_rules_are_refuted);
    tcase_add_test(cases, the_weakest_guard);
    tcase_add_test(cases, what_a_proof_does_not_need);
    return run_suite("synthesis", cases);
}

/* Entries with divisions: at points of small whole counts, empty parts among them, and what the
 * exact comparison of quotients refuses. */
#include "tools/operators/operator_proofs.h"

#include "suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

typedef struct Evaluation {
    const OperatorEntry *entry;
    const double *x, *y;
    const RuleTerm *at;
} Evaluation;

static double evaluate(Evaluation *e) {
    RuleTerm term = *e->at++;
    double a[OP_MAX_ARITY] = {0};
    if (term.op == TERM_LITERAL)
        return term.value;
    if (term.op == TERM_WILDCARD)
        return (term.value < OPERATOR_Y ? e->x : e->y)[term.value % OPERATOR_ELEMENTS];
    for (int i = 0; i < rule_term_arity(&term); i++)
        a[i] = evaluate(e);
    switch (term.op) {
    case OP_ADD:
        return a[0] + a[1];
    case OP_SUB:
        return a[0] - a[1];
    case OP_MUL:
        return a[0] * a[1];
    case OP_DIV:
        return a[0] / a[1];
    case OP_EQ:
        return a[0] == a[1];
    case OP_SELECT:
        return a[0] != 0 ? a[1] : a[2];
    default:
        ck_abort_msg("operator %d", term.op);
        return 0;
    }
}

static void apply(const OperatorEntry *entry, const double *x, const double *y, double *out) {
    Evaluation e = {entry, x, y, entry->code};
    double result[MOST];
    for (int i = 0; i < entry->arity; i++)
        result[i] = evaluate(&e);
    memcpy(out, result, sizeof *out * entry->arity);
}

static bool are_close(const OperatorEntry *entry, const double *a, const double *b) {
    for (int i = 0; i < entry->arity; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-9))
            return false;
    return true;
}

static void draw_tuple(const OperatorEntry *entry, double *out) {
    for (int i = 0; i < entry->arity; i++)
        out[i] = entry->not_negative >> i & 1 ? rand() % 4 : rand() % 41 - 20;
}

static bool holds_at_points(const OperatorEntry *entry) {
    srand(1);
    for (int i = 0; i < 20000; i++) {
        double x[MOST], y[MOST], z[MOST], a[MOST], b[MOST], none[MOST] = {0};
        draw_tuple(entry, x);
        draw_tuple(entry, y);
        draw_tuple(entry, z);
        apply(entry, x, y, a);
        apply(entry, y, x, b);
        bool commutes = are_close(entry, a, b);
        apply(entry, a, z, a);
        apply(entry, y, z, b);
        apply(entry, x, b, b);
        bool associative = are_close(entry, a, b);
        apply(entry, x, none, a); /* their identities are zeros */
        if (!commutes || !associative || !are_close(entry, a, x))
            return false;
    }
    return true;
}

START_TEST(entries_that_divide_hold_at_points) {
    int tried = 0;
    for (int i = 0; i < operator_table_count; i++)
        if (entry_has(&operator_table[i], OP_DIV)) {
            ck_assert(operator_table[i].commutes && operator_table[i].has_identity);
            ck_assert_msg(holds_at_points(&operator_table[i]), "%s", operator_table[i].name);
            tried++;
        }
    ck_assert_int_eq(tried, 2);
}
END_TEST

static OperatorSet read_entries(const char *text) {
    Context *context = context_create();
    OperatorSet set = {.context = context, .arena = context->arena};
    set.pool = pool_create(context, context->arena);
    operators_read(&set, "f.rules", text);
    return set;
}

/* Each is wrong by one operand, or has a divisor that may be 0. */
START_TEST(what_is_wrong_is_not_shown) {
    OperatorSet set = read_entries(
        "over float\n"
        "a {x.0 + y.0, x.1 + (y.1 - x.1)*(x.0/(x.0 + y.0))} -> {0, 0} where 0 <= x.0\n"
        "b {x.0 + y.0, x.1 + (y.1 + x.1)*(y.0/(x.0 + y.0))} -> {0, 0} where 0 <= x.0\n"
        "c {x.0 + y.0, x.1 + (y.1 - x.1)*(y.0/(x.0 + y.0))} -> {0, 0}\n"
        "d {x.0 + y.0, x.1 + (y.1 - x.1)*(y.0/(x.0 - y.0))} -> {0, 0} where 0 <= x.0\n");
    ck_assert_uint_eq(set.errors.length, 0);
    ck_assert_uint_eq(set.entries.length, 4);
    for (size_t i = 0; i < set.entries.length; i++)
        ck_assert_msg(!quotients_are_associative(&set.entries.data[i]), "%s",
                      set.entries.data[i].text);
    context_destroy(set.context);
}
END_TEST

START_TEST(where_is_said_of_an_element_of_floats) {
    static const char *const bad[] = {
        "over float\na {x.0 + y.0, x.1 + y.1} -> {0, 0} where 0 < x.0\n",
        "over float\na {x.0 + y.0, x.1 + y.1} -> {0, 0} where 0 <= x.2\n",
        "over number\na {x.0 + y.0, x.1 + y.1} -> {0, 0} where 0 <= x.0\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        OperatorSet set = read_entries(bad[i]);
        ck_assert_uint_eq(set.errors.length, 1);
        ck_assert_ptr_nonnull(strstr(set.errors.data[0], "f.rules:2: `where` is"));
        context_destroy(set.context);
    }
}
END_TEST

/* An invariant that the operator does not keep, and one that its identity has not. */
START_TEST(z3_refutes_what_does_not_stay) {
    OperatorSet set = read_entries("over float\n"
                                   "a {x.0 - y.0, x.1 + y.1} -> {0, 0} where 0 <= x.0\n"
                                   "b {x.0 + y.0 + 1, x.1 + y.1} -> {-1, 0} where 0 <= x.0\n"
                                   "c {x.0 + y.0, x.1 + y.1} -> {0, 0} where 0 <= x.0\n");
    ck_assert_uint_eq(set.entries.length, 3);
    Type types[OPERATOR_ELEMENTS] = {F64, F64};
    SolverProcess *solver = process_start(set.arena, "z3");
    ck_assert(solver && process_is_ready(solver, set.arena));
    for (size_t i = 0; i < set.entries.length; i++)
        ck_assert_int_eq(
            claim_prove(solver, set.arena, &set.entries.data[i], CLAIM_STAYS, types, 0),
            i == 2 ? ENTRY_PROVED : ENTRY_REFUTED);
    process_stop(solver);
    context_destroy(set.context);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("operators_quotients");
    tcase_add_test(cases, entries_that_divide_hold_at_points);
    tcase_add_test(cases, what_is_wrong_is_not_shown);
    tcase_add_test(cases, where_is_said_of_an_element_of_floats);
    tcase_add_test(cases, z3_refutes_what_does_not_stay);
    return run_suite("operators_quotients", cases);
}

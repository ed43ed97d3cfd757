/* The table of elementary operators against brute force: at 3 and 4 bits no entry is refuted, nor
 * its identity, nor that it commutes. */
#include "tests/unit/operators_support.h"

#include "suite.h"

#include <check.h>

/* Tuples by number: a digit for each element, of integers at its width, of numbers from -3 to 3. */
enum { TUPLES = 64, NUMBERS = 7 };

static int digits_of(Width width) {
    return width.is_number ? NUMBERS : 1 << width.bits;
}

static int64_t value_of_digit(Width width, int digit) {
    return width.is_number ? digit - NUMBERS / 2 : width_wrap(width, digit);
}

static void tuple_at(const OperatorEntry *entry, const Width *widths, int number, int64_t *tuple) {
    for (int i = 0; i < entry->arity; i++) {
        Width width = widths[entry->class_of[i]];
        tuple[i] = value_of_digit(width, number % digits_of(width));
        number /= digits_of(width);
    }
}

/* Integers alone: they stay among the tuples. */
static int number_of(const OperatorEntry *entry, const Width *widths, const int64_t *tuple) {
    int number = 0;
    for (int i = entry->arity - 1; i >= 0; i--) {
        int digits = digits_of(widths[entry->class_of[i]]);
        number = number * digits + (int)(tuple[i] & (digits - 1));
    }
    return number;
}

static int tuple_count(const OperatorEntry *entry, const Width *widths) {
    int64_t count = 1;
    for (int i = 0; i < entry->arity && count <= TUPLES; i++)
        count *= digits_of(widths[entry->class_of[i]]);
    return count <= TUPLES ? (int)count : 0;
}

/* With this k, at all x, y and z: the operator is computed once for each two tuples. */
static const char *refuted_in_table(const OperatorEntry *entry, const Width *widths, int count,
                                    int64_t k) {
    static uint8_t f[TUPLES][TUPLES];
    int64_t x[OPERATOR_ELEMENTS], y[OPERATOR_ELEMENTS], out[OPERATOR_ELEMENTS];
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            tuple_at(entry, widths, a, x);
            tuple_at(entry, widths, b, y);
            entry_apply(entry, widths, x, y, k, out);
            f[a][b] = (uint8_t)number_of(entry, widths, out);
        }
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            if (entry->commutes && f[a][b] != f[b][a])
                return "commutative";
            for (int c = 0; c < count; c++)
                if (f[f[a][b]][c] != f[a][f[b][c]])
                    return "associative";
        }
    if (!entry->has_identity)
        return NULL;
    entry_identity(entry, widths, k, y);
    for (int a = 0; a < count; a++)
        if (f[a][number_of(entry, widths, y)] != a)
            return "neutral on the right";
    return NULL;
}

/* At all points of few numbers. */
static const char *refuted_among_numbers(const OperatorEntry *entry, const Width *widths, int count,
                                         int64_t k) {
    for (int number = 0; number < count * count * count; number++) {
        Values v = {.k = k};
        tuple_at(entry, widths, number % count, v.x);
        tuple_at(entry, widths, number / count % count, v.y);
        tuple_at(entry, widths, number / count / count, v.z);
        const char *claim = refuted_at(entry, widths, &v);
        if (claim)
            return claim;
    }
    return NULL;
}

/* At all points, where there are few tuples; else at some. */
static const char *refuted_by_force(const OperatorEntry *entry, const Width *widths) {
    Width width = widths[entry->constant_class];
    int count = tuple_count(entry, widths), constants = entry->has_constant ? digits_of(width) : 1;
    bool is_number = false;
    for (int i = 0; i < entry->arity; i++)
        is_number |= widths[entry->class_of[i]].is_number;
    if (!count || (is_number && count > NUMBERS))
        return refuted(entry, widths, EXHAUSTIVE, SAMPLED);
    const char *claim = NULL;
    for (int k = 0; k < constants && !claim; k++)
        claim = (is_number ? refuted_among_numbers : refuted_in_table)(entry, widths, count,
                                                                       value_of_digit(width, k));
    return claim;
}

START_TEST(brute_force_refutes_no_entry) {
    int tried = 0;
    for (int i = 0; i < operator_table_count; i++)
        for (int kind = 0; kind < 3; kind++)
            for (int bits = 3; bits <= 4; bits++) {
                Width widths[OPERATOR_ELEMENTS];
                if (!widths_of(&operator_table[i], kind, bits, widths))
                    continue;
                const char *claim = refuted_by_force(&operator_table[i], widths);
                ck_assert_msg(!claim, "%s is not %s at %d bits", operator_table[i].text, claim,
                              bits);
                tried++;
            }
    ck_assert_int_ge(tried, operator_table_count);
}
END_TEST

/* The check itself can fail: entries that are wrong by one word are refuted. */
START_TEST(brute_force_refutes_what_is_wrong) {
    static const char wrong[] = "over machine\n"
                                "a x - y -> 0\n"
                                "b max(min(k - x, y), x) -> none\n"
                                "c min(x, y) -> lowest\n"
                                "d {min(x.0, y.0), select(y.0 < x.0, y.1, x.1)} -> none commutes\n"
                                "e saturating_add(x, y) - 1 -> 0\n";
    Context *context = context_create();
    OperatorSet set = {.context = context, .arena = context->arena};
    set.pool = pool_create(context, context->arena);
    operators_read(&set, "wrong", wrong);
    ck_assert_uint_eq(set.errors.length, 0);
    for (size_t i = 0; i < set.entries.length; i++) {
        Width widths[OPERATOR_ELEMENTS];
        for (int bits = 3; bits <= 4; bits++) {
            ck_assert(widths_of(&set.entries.data[i], i == 4, bits, widths));
            ck_assert_msg(refuted_by_force(&set.entries.data[i], widths), "%s at %d bits",
                          set.entries.data[i].text, bits);
        }
    }
    ck_assert_uint_eq(set.entries.length, 5);
    context_destroy(context);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("operators_force");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, brute_force_refutes_no_entry);
    tcase_add_test(cases, brute_force_refutes_what_is_wrong);
    return run_suite("operators_force", cases);
}

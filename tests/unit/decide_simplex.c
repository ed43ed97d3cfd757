/* The simplex method of decide/simplex.c against isl, on random conjunctions. */
#include "decide/internal.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 7;

static int draw(int lower, int upper) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lower + (int)((z ^ (z >> 31)) % (uint64_t)(upper - lower + 1));
}

enum { UNKNOWNS = 6, OPERATIONS = 1000000 };

static Polynomial draw_polynomial(Arena *arena, int unknowns, int size) {
    PolynomialTerm *terms = arena_array(arena, PolynomialTerm, unknowns);
    Polynomial polynomial = {draw(-4 * size, 4 * size), 0, terms};
    for (int i = 0; i < unknowns; i++) {
        int coefficient = draw(0, 2) ? draw(-size, size) : 0;
        if (coefficient)
            terms[polynomial.count++] = (PolynomialTerm){(Column)i, coefficient};
    }
    return polynomial;
}

static LinearLiterals draw_literals(Arena *arena, int unknowns, int size) {
    LinearLiterals literals = {0};
    for (int i = draw(1, 10); i > 0; i--)
        vec_push(arena, &literals,
                 (LinearLiteral){draw_polynomial(arena, unknowns, size), draw(0, 5) == 0, false});
    return literals;
}

static bool satisfies(const LinearLiterals *literals, const int64_t *values) {
    for (size_t i = 0; i < literals->length; i++) {
        int64_t value;
        ck_assert(polynomial_value(literals->data[i].polynomial, values, &value));
        if (literals->data[i].equal ? value != 0 : value < 0)
            return false;
    }
    return true;
}

START_TEST(it_says_what_isl_says) {
    Memory memory = {.fail_after = -1};
    int open = 0, answers[3] = {0}, rounds = 8000;
    uint64_t work = 0;
    for (int round = 0; round < rounds; round++) {
        Arena *arena = arena_create(&memory);
        int64_t values[UNKNOWNS] = {0};
        LinearLiterals literals = draw_literals(arena, draw(1, UNKNOWNS), draw(1, 9));
        Feasibility ours = simplex(arena, &literals, UNKNOWNS, values, &work);
        answers[ours]++;
        if (ours == FEASIBLE_YES)
            ck_assert_msg(satisfies(&literals, values), "round %d: no solution", round);
        if (ours == FEASIBLE_NO)
            ck_assert_msg(feasible(arena, &literals, UNKNOWNS, OPERATIONS, values) != FEASIBLE_YES,
                          "round %d: isl has a solution", round);
        open += ours == FEASIBLE_UNKNOWN;
        arena_destroy(arena);
    }
    ck_assert_uint_gt(work, rounds);
    ck_assert_int_lt(open, rounds / 20);
    ck_assert_int_gt(answers[FEASIBLE_YES], rounds / 4);
    ck_assert_int_gt(answers[FEASIBLE_NO], rounds / 4);
}
END_TEST

static Feasibility ask(const LinearLiteral *given, size_t count, int64_t *values) {
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    LinearLiterals literals = {0};
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &literals, given[i]);
    uint64_t work = 0;
    Feasibility result = simplex(arena, &literals, 2, values, &work);
    arena_destroy(arena);
    return result;
}

#define TERMS(...)                                                                                 \
    sizeof((PolynomialTerm[]){__VA_ARGS__}) / sizeof(PolynomialTerm), (PolynomialTerm[]) {         \
        __VA_ARGS__                                                                                \
    }

START_TEST(what_leaves_64_bits_is_left_open) {
    const int64_t large = INT64_C(1) << 61;
    int64_t values[2] = {0};
    LinearLiteral wide[] = {{{-1, TERMS({0, large + 1}, {1, large - 1})}, true, false},
                            {{-large, TERMS({0, large - 5}, {1, 3})}, false, false},
                            {{-large, TERMS({0, -3}, {1, large - 9})}, false, false}};
    ck_assert_int_eq(ask(wide, 3, values), FEASIBLE_UNKNOWN);
    LinearLiteral far[] = {{{-large, TERMS({0, 1})}, false, false}};
    ck_assert_int_eq(ask(far, 1, values), FEASIBLE_UNKNOWN); /* beyond LARGEST_VALUE */
}
END_TEST

START_TEST(whole_numbers_are_asked_for) {
    int64_t values[2] = {0};
    LinearLiteral parity[] = {{{-1, TERMS({0, 4}, {1, -6})}, true, false}}; /* 4*x - 6*y == 1 */
    ck_assert_int_eq(ask(parity, 1, values), FEASIBLE_NO);
    LinearLiteral between[] = {{{-1, TERMS({0, 3})}, false, false}, /* 1 <= 3*x <= 2 */
                               {{2, TERMS({0, -3})}, false, false}};
    ck_assert_int_eq(ask(between, 2, values), FEASIBLE_NO);
    LinearLiteral euclid[] = {{{-1, TERMS({0, 31}, {1, -17})}, true, false}}; /* 31*x - 17*y == 1 */
    ck_assert_int_eq(ask(euclid, 1, values), FEASIBLE_YES);
    ck_assert_int_eq(31 * values[0] - 17 * values[1], 1);
    LinearLiteral false_alone[] = {{{-1, 0, NULL}, false, false}};
    ck_assert_int_eq(ask(false_alone, 1, values), FEASIBLE_NO);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("simplex");
    tcase_add_test(tests, it_says_what_isl_says);
    tcase_add_test(tests, what_leaves_64_bits_is_left_open);
    tcase_add_test(tests, whole_numbers_are_asked_for);
    return run_suite("decide_simplex", tests);
}

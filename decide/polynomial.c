/* polynomial.c -- columns, and polynomials over them in normal form. */
#include "decide/internal.h"

#include <string.h>

#define MOST_TERMS 60

Column column_new(Problem *problem, ColumnInfo info) {
    vec_push(problem->arena, &problem->columns, info);
    problem->failed |= problem->columns.length > MOST_COLUMNS;
    return (Column)(problem->columns.length - 1);
}

Polynomial polynomial_constant(int64_t constant) {
    return (Polynomial){.constant = constant};
}

Polynomial polynomial_column(Problem *problem, Column column) {
    PolynomialTerm *term = arena_new(problem->arena, PolynomialTerm);
    *term = (PolynomialTerm){column, 1};
    return (Polynomial){.count = 1, .terms = term};
}

Polynomial polynomial_plus(Problem *problem, Polynomial a, int64_t constant) {
    problem->failed |= __builtin_add_overflow(a.constant, constant, &a.constant);
    return a;
}

Polynomial polynomial_add(Problem *problem, Polynomial a, Polynomial b, int64_t scale) {
    Polynomial sum = {0};
    PolynomialTerm *terms = arena_array(problem->arena, PolynomialTerm, a.count + b.count + 1);
    int64_t scaled;
    problem->failed |= __builtin_mul_overflow(b.constant, scale, &scaled) ||
                       __builtin_add_overflow(a.constant, scaled, &sum.constant);
    for (uint32_t i = 0, j = 0; i < a.count || j < b.count;) {
        PolynomialTerm term = {0};
        if (j == b.count || (i < a.count && a.terms[i].column <= b.terms[j].column))
            term = a.terms[i];
        else
            term.column = b.terms[j].column;
        if (j < b.count && b.terms[j].column == term.column) {
            problem->failed |= __builtin_mul_overflow(b.terms[j].coefficient, scale, &scaled) ||
                               __builtin_add_overflow(term.coefficient, scaled, &term.coefficient);
            j++;
        }
        i += i < a.count && a.terms[i].column == term.column;
        if (term.coefficient)
            terms[sum.count++] = term;
    }
    sum.terms = terms;
    problem->failed |= sum.count > MOST_TERMS;
    return sum;
}

Polynomial polynomial_scale(Problem *problem, Polynomial a, int64_t scale) {
    return polynomial_add(problem, polynomial_constant(0), a, scale);
}

static uint32_t factors_of(const Problem *problem, Column column, Column *factors) {
    const ColumnInfo *info = &problem->columns.data[column];
    if (info->kind != COLUMN_PRODUCT) {
        factors[0] = column;
        return 1;
    }
    memcpy(factors, info->factors, info->factor_count * sizeof *factors);
    return info->factor_count;
}

/* The factors of the product in ascending order. */
static uint32_t multiply_factors(const Problem *problem, Column a, Column b, Column *factors) {
    uint32_t count = factors_of(problem, a, factors);
    count += factors_of(problem, b, factors + count);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && factors[j - 1] > factors[j]; j--) {
            Column swapped = factors[j];
            factors[j] = factors[j - 1];
            factors[j - 1] = swapped;
        }
    return count;
}

/* Returns the product's slot in `products`, or a free slot for it. */
static uint32_t find_slot(const Problem *problem, const Column *factors, uint32_t count) {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ factors[i]) * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)(hash >> 40) % PRODUCT_SLOTS;
    for (; problem->products[slot]; slot = (slot + 1) % PRODUCT_SLOTS) {
        const ColumnInfo *info = &problem->columns.data[problem->products[slot] - 1];
        if (info->factor_count == count && !memcmp(info->factors, factors, count * sizeof *factors))
            break;
    }
    return slot;
}

Column column_find_product(const Problem *problem, Column a, Column b) {
    Column factors[2 * MOST_FACTORS];
    uint32_t count = multiply_factors(problem, a, b, factors);
    return problem->products[find_slot(problem, factors, count)] - 1;
}

Column column_product(Problem *problem, Column a, Column b) {
    Column factors[2 * MOST_FACTORS];
    uint32_t count = multiply_factors(problem, a, b, factors);
    if (count > MOST_FACTORS) {
        problem->failed = true;
        return a;
    }
    uint32_t slot = find_slot(problem, factors, count);
    if (problem->products[slot])
        return problem->products[slot] - 1;
    ColumnInfo info = {.kind = COLUMN_PRODUCT, .factor_count = count};
    memcpy(info.factors, factors, count * sizeof *factors);
    Column column = column_new(problem, info);
    if (!problem->failed)
        problem->products[slot] = column + 1;
    return column;
}

/* coefficient * column * a */
static Polynomial multiply_term(Problem *problem, Polynomial a, PolynomialTerm term) {
    Polynomial product = {0};
    if (a.constant)
        product =
            polynomial_add(problem, product, polynomial_column(problem, term.column), a.constant);
    for (uint32_t i = 0; i < a.count && !problem->failed; i++) {
        Column column = column_product(problem, a.terms[i].column, term.column);
        product = polynomial_add(problem, product, polynomial_column(problem, column),
                                 a.terms[i].coefficient);
    }
    return polynomial_scale(problem, product, term.coefficient);
}

Polynomial polynomial_multiply(Problem *problem, Polynomial a, Polynomial b) {
    Polynomial product = polynomial_scale(problem, a, b.constant);
    for (uint32_t i = 0; i < b.count && !problem->failed; i++)
        product = polynomial_add(problem, product, multiply_term(problem, a, b.terms[i]), 1);
    return product;
}

bool polynomial_equal(Polynomial a, Polynomial b) {
    if (a.constant != b.constant || a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (a.terms[i].column != b.terms[i].column ||
            a.terms[i].coefficient != b.terms[i].coefficient)
            return false;
    return true;
}

bool polynomial_denies(Polynomial a, Polynomial b) {
    if (a.count != b.count || (__int128)a.constant + b.constant >= 0)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (a.terms[i].column != b.terms[i].column ||
            a.terms[i].coefficient != -b.terms[i].coefficient)
            return false;
    return true;
}

Polynomial polynomial_primitive(Problem *problem, Polynomial a, bool *exact) {
    int64_t by = 0;
    for (uint32_t i = 0; i < a.count; i++)
        by = gcd64(a.terms[i].coefficient, by);
    *exact = true;
    if (by <= 1)
        return a;
    PolynomialTerm *terms = arena_array(problem->arena, PolynomialTerm, a.count);
    for (uint32_t i = 0; i < a.count; i++)
        terms[i] = (PolynomialTerm){a.terms[i].column, a.terms[i].coefficient / by};
    *exact = a.constant % by == 0;
    return (Polynomial){floor_divide(a.constant, by), a.count, terms};
}

bool polynomial_value(Polynomial a, const int64_t *values, int64_t *value) {
    __int128 sum = a.constant;
    for (uint32_t i = 0; i < a.count; i++)
        sum += (__int128)a.terms[i].coefficient * values[a.terms[i].column];
    *value = (int64_t)sum;
    return sum >= INT64_MIN && sum <= INT64_MAX;
}

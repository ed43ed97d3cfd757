/* formula.c -- formulas: AND and OR over comparisons of polynomials with 0. */
#include "decide/internal.h"

#define MOST_COMPARISONS 4000 /* at each visit of a formula */

const Formula *formula_truth(Problem *problem, bool truth) {
    (void)problem;
    static const Formula TRUTHS[] = {{.kind = FORMULA_FALSE}, {.kind = FORMULA_TRUE}};
    return &TRUTHS[truth];
}

static const Formula *comparison(Problem *problem, FormulaKind kind, Polynomial polynomial) {
    Formula *formula = arena_new(problem->arena, Formula);
    *formula = (Formula){.kind = kind, .polynomial = polynomial, .size = 1};
    return formula;
}

const Formula *formula_at_least(Problem *problem, Polynomial polynomial) {
    bool exact;
    if (!polynomial.count)
        return formula_truth(problem, polynomial.constant >= 0);
    return comparison(problem, FORMULA_AT_LEAST, polynomial_primitive(problem, polynomial, &exact));
}

const Formula *formula_equal(Problem *problem, Polynomial polynomial) {
    bool exact;
    if (!polynomial.count)
        return formula_truth(problem, polynomial.constant == 0);
    polynomial = polynomial_primitive(problem, polynomial, &exact);
    return exact ? comparison(problem, FORMULA_EQUAL, polynomial) : formula_truth(problem, false);
}

const Formula *formula_join(Problem *problem, FormulaKind kind, const Formula *const *parts,
                            uint32_t count) {
    FormulaKind neutral = kind == FORMULA_AND ? FORMULA_TRUE : FORMULA_FALSE;
    const Formula **kept = arena_array(problem->arena, const Formula *, count + 1);
    uint32_t kept_count = 0, size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i]->kind == neutral)
            continue;
        if (parts[i]->kind == FORMULA_TRUE || parts[i]->kind == FORMULA_FALSE)
            return parts[i];
        kept[kept_count++] = parts[i];
        size += parts[i]->size;
    }
    if (kept_count <= 1)
        return kept_count ? kept[0] : formula_truth(problem, kind == FORMULA_AND);
    if (size > MOST_COMPARISONS) {
        problem->failed = true;
        return formula_truth(problem, true);
    }
    Formula *formula = arena_new(problem->arena, Formula);
    *formula = (Formula){.kind = kind, .size = size, .count = kept_count, .parts = kept};
    return formula;
}

bool formula_holds(const Formula *formula, const int64_t *values) {
    int64_t value;
    switch (formula->kind) {
    case FORMULA_TRUE:
        return true;
    case FORMULA_FALSE:
        return false;
    case FORMULA_AT_LEAST:
        return polynomial_value(formula->polynomial, values, &value) && value >= 0;
    case FORMULA_EQUAL:
        return polynomial_value(formula->polynomial, values, &value) && value == 0;
    case FORMULA_AND:
        for (uint32_t i = 0; i < formula->count; i++)
            if (!formula_holds(formula->parts[i], values))
                return false;
        return true;
    case FORMULA_OR:
        for (uint32_t i = 0; i < formula->count; i++)
            if (formula_holds(formula->parts[i], values))
                return true;
        return false;
    }
    return false;
}

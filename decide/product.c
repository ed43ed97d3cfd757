/* product.c -- derives facts about products of columns.
 *
 * For isl a product is an ordinary unknown. If a solution does not give it the product of its
 * factors, conclusions from the asserted comparisons contradict the solution:
 *   f >= 0 and g >= 0 give f*g >= 0;   f == 0 gives f*x == 0 for each column x;
 *   p*(p - 1) >= 0 for each integer p;
 * Only conclusions that the solution contradicts are asserted; first those that mention only
 * existing products. Without one, the search distinguishes cases: a factor is below, at or above
 * its value in the solution, beginning with its sign.
 */
#include "decide/internal.h"

/* ---- values ---- */

static bool is_wrong(const FormulaSearch *search, Column column, const int64_t *values) {
    return search->problem->columns.data[column].kind == COLUMN_PRODUCT &&
           search_uses(search, column) &&
           product_of_factors(search->problem, column, values) != values[column];
}

/* ---- conclusions ---- */

typedef struct Conclusion {
    Polynomial a, b; /* of a*b */
    bool equal;
    int new_columns, most_new;
} Conclusion;
typedef Vec(Conclusion) Conclusions;

#define MOST_NEW_COLUMNS   3
#define HIGHEST_NEW_DEGREE 4

static uint32_t degree_of(const Problem *problem, Column column) {
    const ColumnInfo *info = &problem->columns.data[column];
    return info->kind == COLUMN_PRODUCT ? info->factor_count : 1;
}

/* Computes a*b multiplied out, for these values of the columns; counts products that do not occur
 * yet. */
static int64_t product_value(const FormulaSearch *search, Polynomial a, Polynomial b,
                             const int64_t *values, int *new_columns) {
    const Problem *problem = search->problem;
    int64_t value_a, sum;
    *new_columns = 0;
    if (!polynomial_value(a, values, &value_a))
        return 0;
    sum = value_clamp((__int128)value_a * b.constant);
    for (uint32_t j = 0; j < b.count; j++) {
        int64_t column_value = values[b.terms[j].column], partial;
        partial = value_clamp((__int128)column_value * a.constant);
        for (uint32_t i = 0; i < a.count; i++) {
            Column column = column_find_product(problem, a.terms[i].column, b.terms[j].column);
            bool there = column < problem->columns.length && search_uses(search, column);
            bool high =
                degree_of(problem, a.terms[i].column) + degree_of(problem, b.terms[j].column) >
                HIGHEST_NEW_DEGREE;
            *new_columns += there ? 0 : high ? MOST_NEW_COLUMNS + 1 : 1;
            int64_t value = there ? values[column]
                                  : value_clamp((__int128)values[a.terms[i].column] * column_value);
            partial = value_clamp(partial + (__int128)value * a.terms[i].coefficient);
        }
        sum = value_clamp(sum + (__int128)partial * b.terms[j].coefficient);
    }
    return sum;
}

static bool is_same(const Conclusion *a, const Conclusion *b) {
    bool same = polynomial_equal(a->a, b->a) && polynomial_equal(a->b, b->b);
    return a->equal == b->equal &&
           (same || (polynomial_equal(a->a, b->b) && polynomial_equal(a->b, b->a)));
}

/* A conclusion from conclusions, or a square, may only mention existing products: otherwise powers
 * would lead to higher powers. */
static void consider(FormulaSearch *search, Conclusions *conclusions, Conclusion conclusion,
                     const int64_t *values) {
    search->work -= (int64_t)(conclusion.a.count + 1) * (conclusion.b.count + 1);
    if (search->work < 0)
        return;
    int64_t value =
        product_value(search, conclusion.a, conclusion.b, values, &conclusion.new_columns);
    bool contradicts = conclusion.equal ? value != 0 : value < 0;
    if (!contradicts || conclusion.new_columns > conclusion.most_new)
        return;
    for (size_t i = 0; i < conclusions->length; i++)
        if (is_same(&conclusions->data[i], &conclusion))
            return;
    vec_push(search->problem->arena, conclusions, conclusion);
}

static bool mentions(Polynomial polynomial, Column column) {
    for (uint32_t i = 0; i < polynomial.count; i++)
        if (polynomial.terms[i].column == column)
            return true;
    return false;
}

/* Concludes p*(p - 1) >= 0 for integers; p is 0 in the solution. */
static void conclude_square(FormulaSearch *search, Conclusions *conclusions, Polynomial p,
                            const int64_t *values) {
    int64_t value;
    if (!polynomial_value(p, values, &value) || value != value_clamp(value))
        return;
    p = polynomial_plus(search->problem, p, -value);
    consider(search, conclusions,
             (Conclusion){.a = p, .b = polynomial_plus(search->problem, p, -1)}, values);
}

static void conclude_squares(FormulaSearch *search, Conclusions *conclusions, Column x, Column rest,
                             const int64_t *values) {
    Polynomial a = polynomial_column(search->problem, x),
               b = polynomial_column(search->problem, rest);
    if (x == rest) {
        conclude_square(search, conclusions, a, values);
        return;
    }
    for (int sign = -1; sign <= 1; sign += 2)
        conclude_square(search, conclusions, polynomial_add(search->problem, a, b, sign), values);
}

/* Concludes facts about x * rest. */
static void conclude(FormulaSearch *search, Conclusions *conclusions, Column x, Column rest,
                     const int64_t *values) {
    const LinearLiterals *literals = &search->literals;
    for (size_t i = 0; i < literals->length; i++) {
        const LinearLiteral *f = &literals->data[i];
        Column factors[] = {rest, x};
        for (int k = 0; k < 2 && f->equal; k++)
            if (mentions(f->polynomial, factors[k]))
                consider(search, conclusions,
                         (Conclusion){.a = f->polynomial,
                                      .b = polynomial_column(search->problem, factors[1 - k]),
                                      .equal = true,
                                      .most_new = MOST_NEW_COLUMNS},
                         values);
        bool multiplies = !f->equal && mentions(f->polynomial, x);
        for (size_t j = 0; j < literals->length && multiplies; j++) {
            const LinearLiteral *g = &literals->data[j];
            if (!g->equal && !(f->derived && g->derived) && mentions(g->polynomial, rest))
                consider(search, conclusions,
                         (Conclusion){.a = f->polynomial,
                                      .b = g->polynomial,
                                      .most_new = f->derived || g->derived ? 0 : MOST_NEW_COLUMNS},
                         values);
        }
    }
}

/* The product without one of its factors. */
static Column without(Problem *problem, Column column, uint32_t factor) {
    ColumnInfo info = problem->columns.data[column];
    Column rest = info.factors[factor == 0];
    for (uint32_t i = 0, met = 0; i < info.factor_count; i++) {
        if (i == factor)
            continue;
        if (met++)
            rest = column_product(problem, rest, info.factors[i]);
    }
    return rest;
}

/* Activates the definitions of the factors of wrong products. */
static bool activate_factors(FormulaSearch *search, const int64_t *values) {
    size_t literals = search->literals.length, pending = search->pending.length;
    for (Column i = 0; i < search->problem->columns.length; i++) {
        ColumnInfo info = search->problem->columns.data[i];
        for (uint32_t j = 0; j < info.factor_count && is_wrong(search, i, values); j++)
            search_activate(search, info.factors[j]);
    }
    return search->literals.length > literals || search->pending.length > pending;
}

#define MOST_CONCLUSIONS 8

static bool assert_conclusions(FormulaSearch *search, const Conclusions *conclusions) {
    int least = MOST_NEW_COLUMNS + 1, asserted = 0;
    search->deriving = true;
    for (size_t i = 0; i < conclusions->length; i++)
        if (conclusions->data[i].new_columns < least)
            least = conclusions->data[i].new_columns;
    for (size_t i = 0; i < conclusions->length && asserted < MOST_CONCLUSIONS; i++) {
        const Conclusion *conclusion = &conclusions->data[i];
        if (conclusion->new_columns > least)
            continue;
        Polynomial product = polynomial_multiply(search->problem, conclusion->a, conclusion->b);
        search_assert(search, conclusion->equal ? formula_equal(search->problem, product)
                                                : formula_at_least(search->problem, product));
        asserted++;
    }
    search->deriving = false;
    return asserted > 0;
}

bool product_refine(FormulaSearch *search, const int64_t *values) {
    Problem *problem = search->problem;
    if (activate_factors(search, values))
        return true;
    Conclusions conclusions = {0};
    Column count = (Column)problem->columns.length; /* of those that have values */
    for (Column i = 0; i < count; i++) {
        if (!is_wrong(search, i, values))
            continue;
        for (uint32_t j = 0; j < problem->columns.data[i].factor_count; j++) {
            Column x = problem->columns.data[i].factors[j], rest = without(problem, i, j);
            if (rest >= count)
                continue;
            conclude_squares(search, &conclusions, x, rest, values);
            conclude(search, &conclusions, x, rest, values);
        }
    }
    return assert_conclusions(search, &conclusions);
}

/* ---- cases ---- */

/* Finds the limits of a column from its comparisons with constants. */
static void limits_of(const FormulaSearch *search, Column column, int64_t *minimum,
                      int64_t *maximum) {
    *minimum = INT64_MIN;
    *maximum = INT64_MAX;
    for (size_t i = 0; i < search->literals.length; i++) {
        const LinearLiteral *literal = &search->literals.data[i];
        Polynomial polynomial = literal->polynomial;
        if (polynomial.count != 1 || polynomial.terms[0].column != column)
            continue;
        /* Such polynomials are primitive: the coefficient is 1 or -1. */
        bool upward = polynomial.terms[0].coefficient > 0;
        int64_t limit = upward ? -polynomial.constant : polynomial.constant;
        if ((upward || literal->equal) && limit > *minimum)
            *minimum = limit;
        if ((!upward || literal->equal) && limit < *maximum)
            *maximum = limit;
    }
}

/* Returns the value at which to split the factor's range: 0 while its sign is open, else its value
 * in the solution. False if it has only one value. */
static bool pivot_of(const FormulaSearch *search, Column column, int64_t value, int64_t *pivot) {
    int64_t minimum, maximum;
    limits_of(search, column, &minimum, &maximum);
    *pivot = minimum < 0 && maximum > 0 ? 0 : value;
    return minimum < maximum;
}

/* p == 0, p > 0 or p < 0. */
static const Formula *cases_at(Problem *problem, Polynomial p) {
    Polynomial above = polynomial_plus(problem, p, -1),
               below = polynomial_plus(problem, polynomial_scale(problem, p, -1), -1);
    return formula_or(problem, formula_equal(problem, p), formula_at_least(problem, above),
                      formula_at_least(problem, below));
}

/* Has x - y been compared with a constant? */
static bool is_compared(const FormulaSearch *search, Column x, Column y) {
    for (size_t i = 0; i < search->literals.length; i++) {
        Polynomial p = search->literals.data[i].polynomial;
        if (p.count == 2 && mentions(p, x) && mentions(p, y) &&
            p.terms[0].coefficient + p.terms[1].coefficient == 0)
            return true;
    }
    return false;
}

/* x*z is wrong and y*z occurs. Monotonicity needs the sign of z, which may be a product, and
 * whether x < y, x == y or x > y. */
static const Formula *order_cases(FormulaSearch *search, Column wrong, Column other) {
    Problem *problem = search->problem;
    uint32_t count = problem->columns.data[wrong].factor_count;
    if (problem->columns.data[other].factor_count != count)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            Column x = problem->columns.data[wrong].factors[i],
                   y = problem->columns.data[other].factors[j], z = without(problem, wrong, i);
            if (x == y || z != without(problem, other, j))
                continue;
            int64_t minimum, maximum;
            limits_of(search, z, &minimum, &maximum);
            if (minimum < 0 && maximum > 0)
                return cases_at(problem, polynomial_column(problem, z));
            if (!is_compared(search, x, y))
                return cases_at(problem, polynomial_add(problem, polynomial_column(problem, x),
                                                        polynomial_column(problem, y), -1));
        }
    return NULL;
}

static const Formula *find_order_cases(FormulaSearch *search, const int64_t *values) {
    Column count = (Column)search->problem->columns.length;
    for (Column i = 0; i < count; i++)
        for (Column j = 0; j < count && is_wrong(search, i, values); j++) {
            bool is_product = search->problem->columns.data[j].kind == COLUMN_PRODUCT;
            const Formula *cases =
                i != j && is_product && search_uses(search, j) ? order_cases(search, i, j) : NULL;
            if (cases)
                return cases;
        }
    return NULL;
}

/* Splits a factor of a wrong product at its pivot; the factor nearest to 0. `signs`: only factors
 * of open sign. */
static const Formula *factor_cases(FormulaSearch *search, const int64_t *values, bool signs) {
    Problem *problem = search->problem;
    for (Column i = 0; i < problem->columns.length; i++) {
        ColumnInfo info = problem->columns.data[i];
        int64_t least = INT64_MAX, pivot;
        Column factor = 0;
        for (uint32_t j = 0; j < info.factor_count && is_wrong(search, i, values); j++) {
            if (!pivot_of(search, info.factors[j], values[info.factors[j]], &pivot))
                continue;
            int64_t distance = pivot < 0 ? -pivot : pivot;
            if (distance < (least < 0 ? -least : least) && !(signs && pivot != 0)) {
                factor = info.factors[j];
                least = pivot;
            }
        }
        if (least != INT64_MAX)
            return cases_at(problem,
                            polynomial_plus(problem, polynomial_column(problem, factor), -least));
    }
    return NULL;
}

const Formula *product_sign_cases(FormulaSearch *search, const int64_t *values) {
    const Formula *cases = factor_cases(search, values, true);
    return cases ? cases : find_order_cases(search, values);
}

const Formula *product_value_cases(FormulaSearch *search, const int64_t *values) {
    return factor_cases(search, values, false);
}

/* search.c -- searches for a point at which a formula holds.
 *
 * The assertions are a conjunction of linear comparisons, and pending disjunctions. simplex.c or
 * isl decides whether the comparisons have a common integer point. If not, this case is closed.
 * Otherwise the point
 *   is a witness, if evaluation confirms it; otherwise it contradicts
 *   a pending disjunction: its parts are tried one after another; or
 *   a product that differs from the product of its factors: product.c asserts more.
 * So the search distinguishes only cases that a solution shows to matter; most do not.
 *
 * Products make it incomplete; everything else is exact.  The number of conjunctions is the budget,
 * and bounds the depth.
 */
#include "decide/internal.h"

/* Gives columns that do not occur the values of their definitions. */
static void complete(const FormulaSearch *search, int64_t *values) {
    for (Column i = 0; i < search->problem->columns.length; i++)
        if (!search_uses(search, i))
            values[i] = value_of_column(search->problem, i, values);
}

/* Is the solution a witness? */
static bool is_witness(FormulaSearch *search, const int64_t *values) {
    Evaluator *evaluator = search->evaluator;
    size_t count = evaluator->variables.length;
    if (!evaluator->possible)
        return false;
    Bits *point = arena_array(search->problem->arena, Bits, count + 1);
    for (size_t i = 0; i < count; i++) {
        Expr variable = evaluator->variables.data[i];
        size_t column = (size_t)(uintptr_t)map_get(&search->problem->unknowns, variable);
        point[i] = column ? bits_wrap(variable->type, values[column - 1]) : 0;
    }
    if (evaluator_at(evaluator, point) != search->wanted)
        return false;
    search->witness = point;
    return true;
}

/* Chooses the pending disjunction to split: the first that the solution contradicts, or the first
 * of all if there is no solution. `pending.length` if there is none. */
static size_t choose(const FormulaSearch *search, const int64_t *values) {
    size_t i = 0;
    while (i < search->pending.length &&
           (search->pending.data[i].done ||
            (values && formula_holds(search->pending.data[i].formula, values))))
        i++;
    return i;
}

static Answer run(FormulaSearch *search, int depth);

#define LAST_CONJUNCTIONS 10

static Answer distinguish(FormulaSearch *search, const Formula *cases, int depth) {
    SearchMark before = search_mark(search);
    Answer worst = ANSWER_NONE;
    for (uint32_t i = 0; i < cases->count; i++) {
        search_assert(search, cases->parts[i]);
        Answer answer = run(search, depth + 1);
        search_release(search, before);
        if (answer == ANSWER_FOUND)
            return answer;
        if (answer == ANSWER_UNKNOWN) { /* a proof is no longer possible, but perhaps a witness */
            worst = answer;
            if (search->conjunctions > LAST_CONJUNCTIONS)
                search->conjunctions = LAST_CONJUNCTIONS;
        }
    }
    return worst;
}

#define DEEPEST          150
#define MOST_REFINEMENTS 12

/* Does a comparison assert p <= -1 while the formula requires p >= 0, or p == 0? */
static bool is_denied(const FormulaSearch *search, const Formula *formula) {
    bool compares = formula->kind == FORMULA_AT_LEAST || formula->kind == FORMULA_EQUAL;
    for (uint32_t i = 0; i < formula->count && formula->kind == FORMULA_AND; i++)
        if (is_denied(search, formula->parts[i]))
            return true;
    for (size_t i = 0; i < search->literals.length && compares; i++)
        if (polynomial_denies(search->literals.data[i].polynomial, formula->polynomial))
            return true;
    return false;
}

/* Asserts the last remaining part of a disjunction; products multiply assertions. */
static bool force(FormulaSearch *search) {
    size_t count = search->pending.length;
    bool forced = false;
    for (size_t i = 0; i < count; i++) {
        const Formula *formula = search->pending.data[i].formula, *left = NULL;
        uint32_t possible = 0;
        for (uint32_t j = 0; j < formula->count && !search->pending.data[i].done; j++)
            if (!is_denied(search, formula->parts[j])) {
                possible++;
                left = formula->parts[j];
            }
        if (possible != 1)
            continue;
        search->pending.data[i].done = true;
        vec_push(search->problem->arena, &search->forced, i);
        search_assert(search, left);
        forced = true;
    }
    return forced;
}

static Answer distinguish_pending(FormulaSearch *search, size_t chosen, int depth) {
    search->pending.data[chosen].done = true;
    Answer answer = distinguish(search, search->pending.data[chosen].formula, depth);
    search->pending.data[chosen].done = false;
    return answer;
}

/* All pending disjunctions hold in the solution, but a product is wrong. Splits on signs and order
 * first; then on definitions of columns, since equations can be multiplied; then on values. */
static Answer by_products(FormulaSearch *search, const int64_t *values, int depth) {
    const Formula *cases = product_sign_cases(search, values);
    size_t chosen = choose(search, NULL);
    if (!cases && chosen < search->pending.length && product_value_cases(search, values))
        return distinguish_pending(search, chosen, depth);
    if (!cases)
        cases = product_value_cases(search, values);
    return cases ? distinguish(search, cases, depth) : ANSWER_UNKNOWN;
}

static bool uses_product(const FormulaSearch *search) {
    for (size_t i = 0; i < search->active.length; i++)
        if (search->problem->columns.data[search->active.data[i]].kind == COLUMN_PRODUCT)
            return true;
    return false;
}

#define PIVOTS_OF_ISL 100 /* an estimate: its numbers are long */

/* Solves the asserted comparisons. With products, the solution is isl's: it lies further inside,
 * and contradicting it tells more. */
static Feasibility solve(FormulaSearch *search, size_t columns, int64_t *values) {
    Arena *arena = search->problem->arena;
    Feasibility settled = simplex(arena, &search->literals, columns, values, &search->spent);
    bool is_open = settled == FEASIBLE_UNKNOWN || (settled == FEASIBLE_YES && uses_product(search));
    if (is_open) /* isl does not report its work */
        search->spent += search->literals.length * search->active.length * PIVOTS_OF_ISL;
    return is_open ? feasible(arena, &search->literals, columns, search->operations, values)
                   : settled;
}

static Answer run(FormulaSearch *search, int depth) {
    if (depth > DEEPEST)
        return ANSWER_UNKNOWN;
    for (int refinements = 0;; refinements++) {
        if (search->problem->failed)
            return ANSWER_UNKNOWN;
        if (search->contradiction)
            return ANSWER_NONE;
        if (search->conjunctions == 0 || (search->most && search->spent > search->most))
            return ANSWER_UNKNOWN;
        search->conjunctions--;
        size_t count = search->problem->columns.length;
        int64_t *values = arena_array(search->problem->arena, int64_t, count + 1);
        Feasibility feasibility = solve(search, count, values);
        if (feasibility == FEASIBLE_NO)
            return ANSWER_NONE;
        bool known = feasibility == FEASIBLE_YES;
        if (known)
            complete(search, values);
        if (known && is_witness(search, values))
            return ANSWER_FOUND;
        size_t chosen = choose(search, known ? values : NULL);
        if (chosen < search->pending.length) {
            return distinguish_pending(search, chosen, depth);
        }
        if (!known)
            return ANSWER_UNKNOWN;
        if (force(search))
            continue;
        if (refinements == MOST_REFINEMENTS || !product_refine(search, values))
            return by_products(search, values, depth);
    }
}

Answer search_run(FormulaSearch *search, const Formula *formula) {
    search_assert(search, formula);
    return run(search, 0);
}

/* decide.c -- the entry: guesses first, then searches for a point at which the condition fails, or
 * holds, if the guesses found none.
 */
#include "decide/internal.h"

#include <string.h>

const DecideBudget DECIDE_ALONE = {.conjunctions = 200, .operations = 1000, .points = 1 << 16};
const DecideBudget DECIDE_IN_PASS = {.conjunctions = 20, .operations = 400};

#define DEEPEST_EXPRESSION 300
#define LARGEST_EXPRESSION 6000

static bool is_within_limits(Expr expr) {
    return expr->depth <= DEEPEST_EXPRESSION && expr->tree_size <= LARGEST_EXPRESSION;
}

static bool are_within_limits(Expr condition, const Exprs *facts) {
    bool within = is_within_limits(condition);
    for (size_t i = 0; facts && i < facts->length; i++)
        within = within && is_within_limits(facts->data[i]);
    return within;
}

static Problem problem_create(Arena *arena) {
    return (Problem){.arena = arena,
                     .numbers = map_create(arena),
                     .conditions = map_create(arena),
                     .denials = map_create(arena),
                     .unknowns = map_create(arena)};
}

static bool has_products(const Problem *problem) {
    for (size_t i = 0; i < problem->columns.length; i++)
        if (problem->columns.data[i].kind == COLUMN_PRODUCT)
            return true;
    return false;
}

/* Searches for a point where the facts hold, and the condition holds (or fails). */
static Answer find(Arena *scratch, Evaluator *evaluator, bool holds, DecideBudget budget,
                   bool guesses, const Bits **witness, uint64_t *work) {
    Problem problem = problem_create(scratch);
    const Formula *formula = formula_of(&problem, evaluator->condition, holds);
    for (size_t i = 0; i < evaluator->facts.length; i++)
        formula =
            formula_and(&problem, formula_of(&problem, evaluator->facts.data[i], true), formula);
    if (problem.failed)
        return ANSWER_UNKNOWN;
    if (guesses && has_products(&problem)) {
        Decision decision = {.variables = evaluator->variables};
        evaluator_guess(evaluator, &decision);
        if ((*witness = holds ? decision.holds_at : decision.fails_at))
            return ANSWER_FOUND;
    }
    FormulaSearch search = {.problem = &problem,
                            .evaluator = evaluator,
                            .wanted = holds ? TRUTH_TRUE : TRUTH_FALSE,
                            .conjunctions = budget.conjunctions,
                            .work = budget.conjunctions * 1000,
                            .operations = budget.operations,
                            .most = budget.work};
    Answer answer = search_run(&search, formula);
    *work += search.spent;
    if (problem.failed && answer == ANSWER_NONE) /* the result may be wrong */
        answer = ANSWER_UNKNOWN;
    if (answer == ANSWER_FOUND)
        *witness = search.witness;
    return answer;
}

Answer decide_find(Arena *scratch, Evaluator *evaluator, bool holds, DecideBudget budget,
                   const Bits **witness) {
    uint64_t work = 0;
    bool within = are_within_limits(evaluator->condition, &evaluator->facts);
    return within ? find(scratch, evaluator, holds, budget, true, witness, &work) : ANSWER_UNKNOWN;
}

/* `validity`: decide only validity. */
static void find_verdict(Arena *scratch, Evaluator *evaluator, DecideBudget budget, bool validity,
                         Decision *decision, uint64_t *work) {
    evaluator_guess(evaluator, decision);
    if (!decision->fails_at &&
        find(scratch, evaluator, false, budget, false, &decision->fails_at, work) == ANSWER_NONE) {
        decision->verdict = VERDICT_VALID;
        return;
    }
    if (!validity && !decision->holds_at &&
        find(scratch, evaluator, true, budget, false, &decision->holds_at, work) == ANSWER_NONE) {
        decision->verdict = VERDICT_UNSATISFIABLE;
        return;
    }
    bool is_found = decision->fails_at && (validity || decision->holds_at);
    evaluator_enumerate(evaluator, decision, is_found ? 0 : budget.points);
}

static const Bits *copy(Arena *arena, const Bits *values, size_t count) {
    if (!values)
        return NULL;
    Bits *copied = arena_array(arena, Bits, count + 1);
    memcpy(copied, values, count * sizeof *copied);
    return copied;
}

Decision decide(const Pool *pool, Arena *arena, Expr condition, const Exprs *facts,
                DecideBudget budget) {
    Decision decision = {0};
    if (!are_within_limits(condition, facts))
        return decision;
    Arena *scratch = arena_create(&pool->context->memory);
    Evaluator evaluator = evaluator_create(scratch, condition, facts);
    for (size_t i = 0; i < evaluator.variables.length; i++)
        vec_push(arena, &decision.variables, evaluator.variables.data[i]);
    find_verdict(scratch, &evaluator, budget, false, &decision, &(uint64_t){0});
    decision.holds_at = copy(arena, decision.holds_at, decision.variables.length);
    decision.fails_at = copy(arena, decision.fails_at, decision.variables.length);
    arena_destroy(scratch);
    return decision;
}

Validity decide_validity(const Pool *pool, Expr condition, const Exprs *facts, DecideBudget budget,
                         uint64_t *work) {
    if (!are_within_limits(condition, facts))
        return VALIDITY_UNKNOWN;
    Arena *scratch = arena_create(&pool->context->memory);
    Evaluator evaluator = evaluator_create(scratch, condition, facts);
    Decision decision = {.variables = evaluator.variables};
    find_verdict(scratch, &evaluator, budget, true, &decision, work);
    arena_destroy(scratch);
    return decision.verdict == VERDICT_VALID ? VALIDITY_HOLDS
           : decision.fails_at               ? VALIDITY_FAILS
                                             : VALIDITY_UNKNOWN;
}

/* prove.c -- the decision tier for the compiler, under the simplifier's facts.
 *
 * The tier comes first. Most questions of a compiler are open, and the tier shows this by a point
 * at which they fail. The expensive search by rules remains for questions that the tier leaves
 * open, or for which it did not get all facts.
 */
#include "decide/internal.h"

#define MOST_FACTS       16
#define MOST_ROUNDS      3
#define LARGEST_QUESTION 100 /* nodes as a tree */

/* The tier's finding: the condition holds, or never holds, or there is a point at which it fails
 * (and one at which it holds) and all facts hold. */
typedef enum FactFinding {
    FINDING_NOTHING,
    FINDING_HOLDS,
    FINDING_REFUTED,
    FINDING_OPEN
} FactFinding;

typedef struct ProofQuestion {
    Arena *scratch;
    Expr condition;
    Exprs facts, others;
    bool complete; /* these are all facts about it */
} ProofQuestion;

/* Is there a point among the cheap ones? */
static bool is_plain(const ProofQuestion *q, Evaluator *evaluator, bool holds) {
    const Bits *point = evaluator_plain_point(evaluator, holds ? TRUTH_TRUE : TRUTH_FALSE);
    return point && !evaluator_failing(q->scratch, &q->others, &evaluator->variables, point).length;
}

/* Searches for a point where the condition holds (or fails) and all facts hold. First it searches
 * without the other facts. Then it adds those that fail at the found point, and searches again.
 * FOUND holds for the facts that were added. */
static Answer find_point(ProofQuestion *q, bool holds) {
    Answer answer = ANSWER_UNKNOWN;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const Bits *point;
        Evaluator evaluator = evaluator_create(q->scratch, q->condition, &q->facts);
        if (is_plain(q, &evaluator, holds))
            return q->complete ? ANSWER_FOUND : ANSWER_UNKNOWN;
        answer = decide_find(q->scratch, &evaluator, holds, DECIDE_IN_PASS, &point);
        if (answer != ANSWER_FOUND)
            return answer;
        Exprs failing = evaluator_failing(q->scratch, &q->others, &evaluator.variables, point);
        if (!failing.length)
            return q->complete ? ANSWER_FOUND : ANSWER_UNKNOWN;
        for (size_t i = 0; i < failing.length; i++)
            vec_push(q->scratch, &q->facts, failing.data[i]);
    }
    return ANSWER_UNKNOWN;
}

/* `refutes`: also decide whether it never holds. */
static FactFinding examine(Simplifier *simplifier, Arena *scratch, Expr condition, bool refutes) {
    ProofQuestion q = {.scratch = scratch, .condition = condition};
    q.complete = simplifier_facts(simplifier, scratch, condition, MOST_FACTS, &q.facts, &q.others);
    Answer fails = find_point(&q, false);
    if (fails == ANSWER_NONE)
        return FINDING_HOLDS;
    Answer holds = refutes ? find_point(&q, true) : ANSWER_FOUND;
    if (holds == ANSWER_NONE)
        return FINDING_REFUTED;
    return fails == ANSWER_FOUND && holds == ANSWER_FOUND ? FINDING_OPEN : FINDING_NOTHING;
}

static FactFinding find(Simplifier *simplifier, Expr condition, bool refutes) {
    if (condition->tree_size > LARGEST_QUESTION)
        return FINDING_NOTHING;
    Arena *scratch = arena_create(&simplifier_pool(simplifier)->context->memory);
    FactFinding finding = examine(simplifier, scratch, condition, refutes);
    arena_destroy(scratch);
    return finding;
}

static Proof prove(Simplifier *simplifier, Expr condition) {
    Expr simple = simplify(simplifier, condition);
    if (expr_is_constant(simple))
        return expr_is_true(simple) ? PROOF_HOLDS : PROOF_REFUTED;
    switch (find(simplifier, simple, true)) {
    case FINDING_HOLDS:
        return PROOF_HOLDS;
    case FINDING_REFUTED:
        return PROOF_REFUTED;
    case FINDING_OPEN:
        return PROOF_UNKNOWN;
    case FINDING_NOTHING:
        break;
    }
    return simplify_prove(simplifier, condition);
}

Proof decide_prove(Simplifier *simplifier, Expr condition) {
    Proof proof;
    if (simplifier_recall(simplifier, PROOF_BY_TIER, condition, &proof))
        return proof;
    return simplifier_remember(simplifier, PROOF_BY_TIER, condition, prove(simplifier, condition));
}

static bool proves(Simplifier *simplifier, Expr condition) {
    Expr simple = simplify(simplifier, condition);
    if (expr_is_constant(simple))
        return expr_is_true(simple);
    FactFinding finding = find(simplifier, simple, false);
    return finding == FINDING_HOLDS ||
           (finding == FINDING_NOTHING && simplify_proves(simplifier, condition));
}

bool decide_proves(Simplifier *simplifier, Expr condition) {
    Proof proof;
    if (!simplifier_recall(simplifier, PROOF_HOLDS_BY_TIER, condition, &proof)) {
        proof = proves(simplifier, condition) ? PROOF_HOLDS : PROOF_UNKNOWN;
        simplifier_remember(simplifier, PROOF_HOLDS_BY_TIER, condition, proof);
    }
    return proof == PROOF_HOLDS;
}

bool decide_proves_le(Simplifier *simplifier, Expr a, Expr b) {
    return a == b || decide_proves(simplifier, expr_le(simplifier_pool(simplifier), a, b));
}

/* prove.c -- the tier for the compiler: after the simplifier, under the simplifier's facts. */
#include "decide/internal.h"

#define MOST_FACTS       16
#define LARGEST_QUESTION 100 /* nodes as a tree */

/* Holds, where `refutes` is false; else: holds for none. */
static bool settles(Simplifier *simplifier, Expr condition, bool refutes) {
    const Pool *pool = simplifier_pool(simplifier);
    if (condition->tree_size > LARGEST_QUESTION)
        return false;
    Arena *scratch = arena_create(&pool->context->memory);
    Exprs facts = {0};
    simplifier_facts(simplifier, scratch, condition, MOST_FACTS, &facts);
    bool settled = decide_never(scratch, condition, refutes, &facts, DECIDE_IN_PASS);
    arena_destroy(scratch);
    return settled;
}

static Proof prove(Simplifier *simplifier, Expr condition) {
    Proof proof = simplify_prove(simplifier, condition);
    if (proof != PROOF_UNKNOWN)
        return proof;
    condition = simplify(simplifier, condition);
    if (settles(simplifier, condition, false))
        return PROOF_HOLDS;
    return settles(simplifier, condition, true) ? PROOF_REFUTED : PROOF_UNKNOWN;
}

Proof decide_prove(Simplifier *simplifier, Expr condition) {
    Proof proof;
    if (simplifier_recall(simplifier, ASKED_DECIDE, condition, &proof))
        return proof;
    return simplifier_remember(simplifier, ASKED_DECIDE, condition,
                               prove(simplifier, condition));
}

static bool proves_le(Simplifier *simplifier, Expr a, Expr b, Expr condition) {
    if (simplify_proves_le(simplifier, a, b))
        return true;
    Expr simple = simplify(simplifier, condition);
    return !expr_is_constant(simple) && settles(simplifier, simple, false);
}

bool decide_proves_le(Simplifier *simplifier, Expr a, Expr b) {
    Expr condition = expr_le(simplifier_pool(simplifier), a, b);
    Proof proof;
    if (a == b)
        return true;
    if (!simplifier_recall(simplifier, ASKED_DECIDE_LE, condition, &proof)) {
        proof = proves_le(simplifier, a, b, condition) ? PROOF_HOLDS : PROOF_UNKNOWN;
        simplifier_remember(simplifier, ASKED_DECIDE_LE, condition, proof);
    }
    return proof == PROOF_HOLDS;
}

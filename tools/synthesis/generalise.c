/* generalise.c -- generalises a proved rule: a subterm of its left side that the proof does not
 * need becomes a wildcard. Then slots are renamed by first occurrence. */
#include "tools/synthesis/synthesis.h"

/* The distinct subterms below the root, outermost first. */
static void subterms(Arena *scratch, Expr expr, Exprs *found) {
    for (int i = 0; i < expr->arity; i++)
        if (expr->arguments[i]->arity)
            vec_push(scratch, found, expr->arguments[i]);
    for (int i = 0; i < expr->arity; i++)
        subterms(scratch, expr->arguments[i], found);
}

static Expr replace(Pool *pool, Expr expr, Expr from, Expr to) {
    Expr operands[OP_MAX_ARITY];
    if (expr == from)
        return to;
    if (!expr->arity)
        return expr;
    for (int i = 0; i < expr->arity; i++)
        operands[i] = replace(pool, expr->arguments[i], from, to);
    return expr_apply(pool, (Op)expr->op, operands);
}

typedef struct SlotNaming {
    Pool *pool;
    int wildcards, constants;
    Expr names[SLOTS]; /* of the old slots */
} SlotNaming;

static void name_slots(SlotNaming *n, Expr expr) {
    int slot = pattern_slot_of(expr);
    if (slot >= 0 && !n->names[slot])
        n->names[slot] = pattern_slot(
            n->pool, slot < WILDCARDS ? n->wildcards++ : WILDCARDS + n->constants++, expr->type);
    for (int i = 0; i < expr->arity; i++)
        name_slots(n, expr->arguments[i]);
}

static Expr renamed(const SlotNaming *n, Expr expr) {
    Expr operands[OP_MAX_ARITY];
    int slot = pattern_slot_of(expr);
    if (slot >= 0)
        return n->names[slot];
    if (!expr->arity)
        return expr;
    for (int i = 0; i < expr->arity; i++)
        operands[i] = renamed(n, expr->arguments[i]);
    return expr_apply(n->pool, (Op)expr->op, operands);
}

static Proposal with_names(Pool *pool, Proposal p) {
    SlotNaming n = {.pool = pool};
    name_slots(&n, p.left);
    p.left = renamed(&n, p.left);
    p.right = renamed(&n, p.right);
    p.guard = p.guard ? renamed(&n, p.guard) : NULL;
    return p;
}

/* Cuts the subterm; false if the right side or the guard uses its slots, or if no wildcard is left.
 */
static bool cut(Pool *pool, Proposal p, Expr subterm, Proposal *result) {
    unsigned used = pattern_slots(p.left);
    int slot = 0;
    while (slot < WILDCARDS && used >> slot & 1)
        slot++;
    if (slot == WILDCARDS)
        return false;
    Expr wildcard = pattern_slot(pool, slot, subterm->type);
    result->left = replace(pool, p.left, subterm, wildcard);
    result->right = replace(pool, p.right, subterm, wildcard);
    result->guard = p.guard ? replace(pool, p.guard, subterm, wildcard) : NULL;
    unsigned bound = pattern_slots(result->left);
    unsigned asked =
        pattern_slots(result->right) | (result->guard ? pattern_slots(result->guard) : 0);
    return !(asked & ~bound);
}

Proposal proposal_generalise(Synthesis *s, Arena *scratch, Proposal p) {
    Exprs parts = {0};
    subterms(scratch, p.left, &parts);
    for (size_t i = 0; i < parts.length; i++) {
        Proposal more;
        RuleSet set;
        Bits model[RULE_SLOTS];
        if (!cut(s->pool, p, parts.data[i], &more))
            continue;
        more = with_names(s->pool, more);
        if (!rule_from_text(scratch, "found", proposal_text(scratch, more), &set) ||
            is_subsumed(s, &set.rules.data[0]) || !is_useful(s, &set) ||
            verify_rule(s->solver, s->arena, &set.rules.data[0], model) != VERIFIED)
            continue;
        return proposal_generalise(s, scratch, more);
    }
    return p;
}

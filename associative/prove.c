/* prove.c -- proves an operator outside the table associative and commutative, and finds its
 * identity.
 *
 * An operator that selects x or y by a condition on one of them is associative, whatever the
 * condition. With p(x), both sides of the law are the first of x, y, z that satisfies p, or else z;
 * with p(y), the last. For other operators, equal.c compares both sides of the law.
 */
#include "associative/internal.h"

#include <string.h>

/* ---- choices ---- */

/* Returns the condition of select(p, x.i, y.i), or of its exchanged arms, which is as good: p is
 * arbitrary. */
static Expr condition_of_choice(const Associativity *found, int i) {
    Expr value = found->operator[i];
    if (value->op != OP_SELECT)
        return NULL;
    Expr a = value->arguments[1], b = value->arguments[2];
    return a == found->x[i] && b == found->y[i] ? value->arguments[0] : NULL;
}

static bool mentions_any(Arena *arena, Expr expr, const Expr *variables, int count) {
    for (int i = 0; i < count; i++)
        if (expr_mentions(arena, expr, variables[i]->name))
            return true;
    return false;
}

/* Do all components select x or y by one condition, on x only or on y only? */
static bool is_choice(Recogniser *r, const Associativity *found) {
    Associativity turned = *found;
    Expr condition = condition_of_choice(found, 0);
    if (!condition) {
        memcpy(turned.x, found->y, sizeof turned.x);
        memcpy(turned.y, found->x, sizeof turned.y);
        condition = condition_of_choice(&turned, 0);
    }
    for (int i = 1; i < found->arity && condition; i++)
        if (condition_of_choice(&turned, i) != condition)
            return false;
    return condition && !(mentions_any(r->arena, condition, found->x, found->arity) &&
                          mentions_any(r->arena, condition, found->y, found->arity));
}

/* ---- claims ---- */

static bool proves_commutative(Recogniser *r, const Associativity *found) {
    Expr turned[ASSOCIATIVE_MAX];
    for (int i = 0; i < found->arity; i++)
        turned[i] = associative_apply(r->pool, r->arena, found, i, found->y, found->x);
    return are_same(r, found->arity, found->operator, turned);
}

bool prove_operator(Recogniser *asked, Associativity *part) {
    Recogniser r = prover_create(asked);
    Expr left[ASSOCIATIVE_MAX], right[ASSOCIATIVE_MAX];
    associative_sides(r.pool, r.arena, part->arity, part->x, part->y, part->operator, left, right);
    if (!is_choice(&r, part) && !are_same(&r, part->arity, left, right))
        return false;
    part->is_commutative = proves_commutative(&r, part);
    find_identity(&r, part);
    return true;
}

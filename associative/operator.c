/* operator.c -- the entries: answers questions about an update, and about a given operator.
 *
 * An update is recognised or not. An operator is first tried at points. If they do not refute it,
 * it is recognised, or proved without the table.
 */
#include "associative/internal.h"

const char *const associative_trial_failed =
    "the operator that was found for it does not do the same at some values, which is a defect of "
    "hlc: please report it";

static bool has_float(const AssociativeUpdate *update) {
    for (int i = 0; i < update->arity; i++)
        if (type_is_float(update->types[i]))
            return true;
    return false;
}

static Associativity begin(const Recogniser *r) {
    Associativity result = {.arity = r->update->arity,
                            .is_exact = !r->update->reassociation || !has_float(r->update)};
    for (int i = 0; i < result.arity; i++) {
        result.types[i] = r->update->types[i];
        result.x[i] = r->x[i];
        result.y[i] = r->y[i];
    }
    return result;
}

/* Tries again, with the facts about the values that occur. `found`: there is an operator, without
 * identity. */
static bool recognise_by_values(Recogniser *r, const Expr *values, bool found,
                                Associativity *result) {
    Associativity second = begin(r);
    r->by_values_that_occur = true;
    bool again = decompose(r, values, &second);
    if (again ? second.has_identity || !found : !found)
        *result = second;
    return found || again;
}

static bool recognise(Recogniser *r, Associativity *result) {
    Expr values[ASSOCIATIVE_MAX];
    for (int i = 0; i < r->update->arity; i++)
        values[i] = separate_conditions(r, simplify(r->simplifier, r->update->values[i]));
    bool found = decompose(r, values, result);
    if (!(found && result->has_identity) && !r->as_written)
        found = recognise_by_values(r, values, found, result);
    const char *reason = found ? NULL : known_reason(r, values);
    result->reason = reason ? reason : result->reason;
    return found;
}

Associativity associative_update(Pool *pool, Arena *arena, const AssociativeUpdate *update) {
    Recogniser r = recogniser_create(pool, arena, update);
    Associativity result = begin(&r), none = result;
    if (!recognise(&r, &result))
        return result;
    for (int i = 0; i < result.arity; i++)
        result.injected[i] = simplify(r.simplifier, result.injected[i]);
    if (!r.wants_trial || stands_trial(&r, &result))
        return result;
    none.reason = associative_trial_failed;
    return none;
}

/* ---- given operators ---- */

/* Most operators that a few points do not refute are recognised, which is a proof. Only the others
 * are tried at more points. */
Associativity associative_operator(Pool *pool, Arena *arena, const AssociativeUpdate *operator,
                                   Symbol constant) {
    static const int rounds[] = {POINTS_BEFORE_PROOF, POINTS_TO_REFUTE};
    Recogniser r = recogniser_create(pool, arena, operator);
    r.as_written = true;
    r.constant = constant;
    Associativity result = begin(&r);
    bool reals = operator->reassociation && !result.is_exact;
    for (int i = 0; i < 2 && result.verdict == ASSOCIATIVE_UNKNOWN; i++)
        if (!reals &&
            refute_associative(pool, arena, result.arity, result.x, result.y, operator->values,
                               constant, rounds[i], &result.counterexample)) {
            result.verdict = ASSOCIATIVE_NO;
            result.reason = "at these values it is not";
        } else if (i == 0) {
            recognise(&r, &result);
        }
    return result;
}

/* quotients.c -- entries with divisions, such as count, mean and variance. Their updates are
 * written in many ways, none of which looks like the merge of two parts.
 *
 *     mean + (v - mean)/(n + 1)    is the merge of (n, mean) with (1, v)
 *
 * Their identities are also neutral on the left, so the injected value must be the update of the
 * identity. Multiplying out (ir/fraction.h) shows that the operator with this y is the update. The
 * entries hold for counts that are not negative. The first count must be known not to be negative,
 * and each iteration must add more than 0. Then all divisors are positive.
 *
 * A given operator merges without a special case for empty parts. It is proved for positive counts
 * only, and the result says so.
 */
#include "associative/internal.h"

#include "ir/fraction.h"

#include <string.h>

enum { CASES = 4, LARGEST_GROUP = 4, TERMS = 2000 };

/* An attempt with an entry; its component i is `group->elements[i]`. */
typedef struct QuotientAttempt {
    Recogniser *r;
    const OperatorEntry *entry;
    Elements group;
} QuotientAttempt;

/* Is the update, under these signs, the operator over these y? No divisor may be 0. */
static bool computes(const QuotientAttempt *a, const Expr *values, const Expr *y,
                     const FractionSigns *signs) {
    Pool *pool = a->r->pool;
    Arena *arena = a->r->arena;
    for (int i = 0; i < a->group.count; i++) {
        Expr value = fraction_choose(pool, arena, values[a->group.elements[i]], signs);
        Expr wanted = fraction_choose(
            pool, arena, entry_merged(a->r, a->entry, &a->group, i, a->r->x, y), signs);
        if (!fraction_is_defined(arena, value, signs) ||
            !fraction_is_defined(arena, wanted, signs) ||
            !fraction_same(arena, value, wanted, TERMS))
            return false;
    }
    return true;
}

/* ---- updates ---- */

static void inject_identity(const QuotientAttempt *a, Expr *injected) {
    for (int i = 0; i < a->group.count; i++) {
        int element = a->group.elements[i];
        injected[element] =
            pattern_identity(a->r->pool, a->entry, i, a->r->update->types[element], NULL);
    }
}

/* Computes the update of the identity; false if it is not visibly free of the func. */
static bool inject(const QuotientAttempt *a, const Expr *values, Expr *injected) {
    Recogniser *r = a->r;
    Expr identity[ASSOCIATIVE_MAX];
    inject_identity(a, identity);
    for (int i = 0; i < a->group.count; i++) {
        int element = a->group.elements[i];
        Expr value = with_elements(r, &a->group, r->x, identity, values[element]);
        injected[element] = fraction_form(r->pool, r->arena, simplify(r->simplifier, value));
        if (has_x(r, injected[element]))
            return false;
    }
    return true;
}

/* Matches by cases of conditions free of the func; a case that changes nothing injects the
 * identity. */
static bool match_update(const QuotientAttempt *a, const Expr *values, int depth, Expr *injected) {
    Recogniser *r = a->r;
    FractionSigns signs = {0}, none = {0};
    bool has_positive = true;
    if (depth > 0 && changes_nothing(r, values, &a->group)) {
        inject_identity(a, injected);
        return true;
    }
    Expr condition = depth < CASES ? condition_of_cases(r, values, &a->group) : NULL;
    if (!condition) {
        if (!inject(a, values, injected))
            return false;
        for (int i = 0; i < a->group.count; i++) {
            int element = a->group.elements[i];
            if (!(a->entry->not_negative >> i & 1))
                continue;
            vec_push(r->arena, &signs.not_negative, r->x[element]);
            has_positive &= fraction_is_positive(r->arena, injected[element], &none);
        }
        return has_positive && computes(a, values, injected, &signs);
    }
    Expr chosen[ASSOCIATIVE_MAX] = {0}, cases[2][ASSOCIATIVE_MAX];
    for (int holds = 0; holds < 2; holds++) {
        values_in_case(r, values, &a->group, condition, holds, chosen);
        if (!match_update(a, chosen, depth + 1, cases[holds]))
            return false;
    }
    for (int i = 0; i < a->group.count; i++) {
        int element = a->group.elements[i];
        injected[element] = expr_select(r->pool, condition, cases[1][element], cases[0][element]);
    }
    return true;
}

/* Are the components that must not be negative so at first? */
static bool begins_well(const QuotientAttempt *a) {
    const ConstantInterval *initial = a->r->update->initial;
    for (int i = 0; i < a->group.count; i++) {
        int element = a->group.elements[i];
        if (a->entry->not_negative >> i & 1 &&
            !(initial && initial[element].has_minimum && initial[element].minimum >= 0))
            return false;
    }
    return true;
}

static bool is_update(const QuotientAttempt *a, const Expr *values, Found *found) {
    return begins_well(a) && match_update(a, values, 0, found->injected);
}

/* ---- given operators ---- */

static bool is_operator(const QuotientAttempt *a, const Expr *values, Found *found) {
    Recogniser *r = a->r;
    FractionSigns signs = {0};
    for (int i = 0; i < a->group.count; i++) {
        int element = a->group.elements[i];
        found->injected[element] = r->y[element];
        if (!(a->entry->not_negative >> i & 1))
            continue;
        vec_push(r->arena, &signs.positive, r->x[element]);
        vec_push(r->arena, &signs.positive, r->y[element]);
        found->positive |= 1u << element;
    }
    return computes(a, values, r->y, &signs);
}

/* ---- orders ---- */

static void describe(const QuotientAttempt *a, Found *found) {
    found->entry = a->entry;
    found->has_identity = true;
    found->commutes = a->entry->commutes;
    for (int i = 0; i < a->group.count; i++) {
        int element = a->group.elements[i];
        found->operator[element] = entry_merged(a->r, a->entry, &a->group, i, a->r->x, a->r->y);
        found->identity[element] =
            pattern_identity(a->r->pool, a->entry, i, a->r->update->types[element], NULL);
    }
}

/* Tries all orders of the remaining components of the tuple for the entry's components from `at`
 * on. */
static bool try_orders(QuotientAttempt *a, const Expr *values, int at, Found *found) {
    if (at == a->group.count) {
        *found = (Found){0};
        if (!(a->r->as_written ? is_operator : is_update)(a, values, found))
            return false;
        describe(a, found);
        return true;
    }
    int *elements = a->group.elements;
    for (int i = at; i < a->group.count; i++) {
        int chosen = elements[i];
        elements[i] = elements[at];
        elements[at] = chosen;
        if (try_orders(a, values, at + 1, found))
            return true;
        elements[at] = elements[i];
        elements[i] = chosen;
    }
    return false;
}

static void find_division(void *data, Expr node) {
    *(bool *)data |= node->op == OP_DIV;
}

bool recognise_quotients(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = {.count = 0};
    bool divides = false;
    for (int i = 0; i < r->update->arity; i++) {
        if (!(elements >> i & 1))
            continue;
        if (group.count == LARGEST_GROUP || !type_is_float(r->update->types[i]) ||
            (group.count && !type_equal(r->update->types[i], r->update->types[group.elements[0]])))
            return false;
        group.elements[group.count++] = i;
        expr_visit(r->arena, values[i], find_division, &divides);
    }
    for (int i = 0; i < operator_table_count && divides && r->update->reassociation; i++) {
        QuotientAttempt attempt = {r, &operator_table[i], group};
        if (operator_table[i].not_negative && operator_table[i].arity == group.count &&
            try_orders(&attempt, values, 0, found))
            return true;
    }
    return false;
}

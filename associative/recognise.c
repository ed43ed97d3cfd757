/* recognise.c -- matches one group of components with the table.
 *
 * If the arms of a select under a condition free of x differ, each case is matched alone, with one
 * operator, and the condition selects the injected value. A case that changes nothing injects the
 * identity. So `select(p, x + 1, x)` is the sum of `select(p, 1, 0)`.
 */
#include "associative/internal.h"

#include <string.h>

enum { CASES = 5 }; /* conditions within one another */

/* An entry, instantiated for components of these types. */
typedef struct EntryCandidate {
    const OperatorEntry *entry;
    Type types[ASSOCIATIVE_MAX], constant;
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX], patterns[ASSOCIATIVE_MAX];
} EntryCandidate;

/* ---- entries ---- */

static Expr pattern_constant(Recogniser *r, Type type) {
    return expr_variable(r->pool, context_symbol(r->pool->context, "k'"), type);
}

/* Do components of these types, in this order, fit the entry? */
static bool has_types(const Recogniser *r, const OperatorEntry *entry, EntryCandidate *candidate) {
    candidate->entry = entry;
    candidate->constant = I32;
    return entry_takes(entry, candidate->types, r->update->reassociation, &candidate->constant);
}

/* The patterns, in canonical form. */
static void make_patterns(Recogniser *r, EntryCandidate *candidate) {
    const OperatorEntry *entry = candidate->entry;
    for (int i = 0; i < entry->arity; i++) {
        candidate->x[i] = associative_x(r->pool, i, candidate->types[i]);
        candidate->y[i] = associative_y(r->pool, i, candidate->types[i]);
        map_put(&r->has_x, candidate->x[i], (void *)2);
    }
    Expr k = pattern_constant(r, candidate->constant);
    for (int i = 0; i < entry->arity; i++)
        candidate->patterns[i] =
            canonical_form(r, pattern_element(r->pool, entry, i, candidate->x, candidate->y, k));
}

/* ---- cases ---- */

typedef struct ConditionSearch {
    Recogniser *r;
    Expr condition;
} ConditionSearch;

static void find_condition(void *data, Expr node) {
    ConditionSearch *search = data;
    if (node->op == OP_SELECT && !search->condition && has_x(search->r, node) &&
        !has_x(search->r, node->arguments[0]) &&
        (has_x(search->r, node->arguments[1]) || has_x(search->r, node->arguments[2])))
        search->condition = node->arguments[0];
}

Expr condition_of_cases(Recogniser *r, const Expr *values, const Elements *group) {
    ConditionSearch search = {r, NULL};
    for (int i = 0; i < group->count && !search.condition; i++)
        expr_visit(r->arena, values[group->elements[i]], find_condition, &search);
    return search.condition;
}

typedef struct Choice {
    Expr condition;
    bool holds;
} Choice;

static Expr choose(void *data, Pool *pool, Expr node) {
    const Choice *choice = data;
    (void)pool;
    if (node->op == OP_SELECT && node->arguments[0] == choice->condition)
        return node->arguments[choice->holds ? 1 : 2];
    return node;
}

void values_in_case(Recogniser *r, const Expr *values, const Elements *group, Expr condition,
                    bool holds, Expr *chosen) {
    Choice choice = {condition, holds};
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        chosen[element] = expr_rewrite_alone(r->pool, r->arena, values[element], choose, &choice);
    }
}

bool changes_nothing(const Recogniser *r, const Expr *values, const Elements *group) {
    for (int i = 0; i < group->count; i++)
        if (values[group->elements[i]] != r->x[group->elements[i]])
            return false;
    return true;
}

/* The injected values of a case, by the pattern's component. A null first one: nothing changes. */
typedef struct Injected {
    Expr y[ASSOCIATIVE_MAX];
    bool is_identity;
} Injected;

static Expr any_value(Pool *pool, Type type) {
    return expr_constant(pool, type, 0);
}

/* Matches without cases: an operator may select by a y itself. */
static bool match_whole(Recogniser *r, EntryCandidate *candidate, const Expr *values,
                        const Elements *group, PatternBinding *binding, Injected *out) {
    Expr canonical[ASSOCIATIVE_MAX];
    for (int i = 0; i < group->count; i++)
        canonical[group->elements[i]] = canonical_form(r, values[group->elements[i]]);
    memset(binding->y, 0, sizeof binding->y);
    if (!match_tuple(r, candidate->patterns, canonical, group->elements, group->count, binding))
        return false;
    memcpy(out->y, binding->y, sizeof out->y);
    return true;
}

static bool match_cases(Recogniser *r, EntryCandidate *candidate, const Expr *values,
                        const Elements *group, PatternBinding *binding, int depth, Injected *out) {
    memset(out, 0, sizeof *out);
    /* A given operator must contain y itself: no term replaces it. */
    if (!r->as_written && candidate->entry->has_identity && depth > 0 &&
        changes_nothing(r, values, group)) {
        out->is_identity = true;
        return true;
    }
    if (match_whole(r, candidate, values, group, binding, out))
        return true;
    Expr condition = depth < CASES && !r->as_written ? condition_of_cases(r, values, group) : NULL;
    if (!condition)
        return false;
    Injected cases[2];
    for (int holds = 0; holds < 2; holds++) {
        Expr chosen[ASSOCIATIVE_MAX] = {0};
        values_in_case(r, values, group, condition, holds, chosen);
        if (!match_cases(r, candidate, chosen, group, binding, depth + 1, &cases[holds]))
            return false;
    }
    out->is_identity = cases[0].is_identity && cases[1].is_identity;
    for (int i = 0; i < group->count && !out->is_identity; i++) {
        Type type = candidate->types[i];
        Expr arms[2];
        for (int holds = 0; holds < 2; holds++) {
            arms[holds] = cases[holds].y[i];
            if (cases[holds].is_identity)
                arms[holds] = pattern_identity(r->pool, candidate->entry, i, type, binding->k);
            else if (!arms[holds])
                arms[holds] = any_value(r->pool, type);
        }
        out->y[i] =
            arms[0] == arms[1] ? arms[0] : expr_select(r->pool, condition, arms[1], arms[0]);
    }
    return true;
}

/* ---- one entry ---- */

/* Builds the entry's operator over the matched components. */
static void describe(Recogniser *r, const EntryCandidate *candidate, const PatternBinding *binding,
                     const Injected *injected, Found *found) {
    const OperatorEntry *entry = candidate->entry;
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX];
    for (int i = 0; i < entry->arity; i++) {
        x[i] = r->x[binding->element[i]];
        y[i] = r->y[binding->element[i]];
    }
    found->entry = entry;
    found->has_identity = entry->has_identity;
    found->lacks_identity = !entry->has_identity;
    found->commutes = entry->commutes;
    for (int i = 0; i < entry->arity; i++)
        if (entry->not_negative >> i & 1)
            found->not_negative |= 1u << binding->element[i];
    for (int i = 0; i < entry->arity; i++) {
        int element = binding->element[i];
        found->operator[element] = pattern_element(r->pool, entry, i, x, y, binding->k);
        if (entry->has_identity)
            found->identity[element] =
                pattern_identity(r->pool, entry, i, candidate->types[i], binding->k);
        found->injected[element] =
            injected->y[i] ? injected->y[i] : any_value(r->pool, candidate->types[i]);
    }
}

static bool try_order(Recogniser *r, const OperatorEntry *entry, const Expr *values,
                      const Elements *group, Found *found) {
    EntryCandidate candidate = {.entry = NULL};
    PatternBinding binding = {.taken = 0};
    memset(binding.element, -1, sizeof binding.element);
    for (int i = 0; i < group->count; i++)
        candidate.types[i] = r->update->types[group->elements[i]];
    if (!has_types(r, entry, &candidate))
        return false;
    /* Components of different types keep this order. */
    for (int i = 1; i < group->count; i++)
        if (!type_equal(candidate.types[i], candidate.types[0])) {
            for (int j = 0; j < group->count; j++) {
                binding.element[j] = (int8_t)group->elements[j];
                binding.taken |= 1u << group->elements[j];
            }
            break;
        }
    Injected injected;
    make_patterns(r, &candidate);
    if (!match_cases(r, &candidate, values, group, &binding, 0, &injected) || injected.is_identity)
        return false;
    describe(r, &candidate, &binding, &injected, found);
    return true;
}

/* Two elements are tried in both orders: their types may differ. */
static bool try_entry(Recogniser *r, const OperatorEntry *entry, const Expr *values,
                      const Elements *group, Found *found) {
    if (try_order(r, entry, values, group, found))
        return true;
    if (group->count != 2 ||
        type_equal(r->update->types[group->elements[0]], r->update->types[group->elements[1]]))
        return false;
    Elements turned = {{group->elements[1], group->elements[0]}, 2};
    return try_order(r, entry, values, &turned, found);
}

bool recognise_group(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    *found = (Found){0};
    for (int i = 0; i < operator_table_count; i++)
        if (operator_table[i].arity == group.count &&
            (!operator_table[i].not_negative || r->as_written) &&
            try_entry(r, &operator_table[i], values, &group, found))
            return true;
    return false;
}

/* decompose.c -- decomposes a tuple into groups of components.
 *
 * The dependence graph has a vertex for each component, and an edge from i to j if the value of i
 * needs x.j. The components reachable from one form a subgraph; a subgraph inside another one adds
 * nothing. If each subgraph is an associative operator, and those that share a component agree on
 * it, so is the whole: duplicating components separates the subgraphs, and removing the duplicates
 * preserves the values.
 *
 * This does not find a product of matrices: its rows do not need each other's x, but share the y of
 * the other matrix. So if some subgraph is not recognised, groups of subgraphs are tried: all
 * partitions in a fixed order, except those in which some group has more different y than
 * components.
 */
#include "associative/internal.h"

#include <string.h>

enum { PARTITIONS = 600, SUBGRAPHS = 16 };

typedef struct KnownGroup {
    uint32_t elements;
    bool is_recognised;
    Found found;
} KnownGroup;

typedef struct Decomposition {
    Recogniser *r;
    const Expr *values;
    uint32_t subgraphs[SUBGRAPHS], reached[ASSOCIATIVE_MAX];
    int count, tried;
    Vec(KnownGroup) known; /* groups that were asked for */
    uint32_t failed;       /* the first subgraph not recognised alone */
} Decomposition;

/* ---- subgraphs ---- */

static uint32_t needs(Recogniser *r, Expr value) {
    uint32_t elements = 0;
    for (int i = 0; i < r->update->arity; i++)
        if (expr_mentions(r->arena, value, r->x[i]->name))
            elements |= 1u << i;
    return elements;
}

static void find_subgraphs(Decomposition *d) {
    int arity = d->r->update->arity;
    uint32_t *reached = d->reached;
    for (int i = 0; i < arity; i++)
        reached[i] = needs(d->r, d->values[i]) | 1u << i;
    for (int via = 0; via < arity; via++)
        for (int i = 0; i < arity; i++)
            if (reached[i] >> via & 1)
                reached[i] |= reached[via];
    for (int i = 0; i < arity; i++) {
        bool is_within = false;
        for (int j = 0; j < arity && !is_within; j++)
            is_within = (reached[i] & ~reached[j]) == 0 && (reached[i] != reached[j] || j < i);
        if (!is_within)
            d->subgraphs[d->count++] = reached[i];
    }
}

/* ---- groups ---- */

/* Counts one of two terms that are each other's negation. */
static bool is_counted(Recogniser *r, const Exprs *terms, size_t at) {
    Expr term = terms->data[at];
    bool has_sign = !type_is_bool(term->type) && !type_is_index(term->type);
    Expr negated = has_sign ? ring_negate(r->pool, term) : term;
    for (size_t i = 0; i < at; i++)
        if (terms->data[i] == negated)
            return false;
    return true;
}

/* The kept value may be selected by any condition (chosen.c). */
static bool has_too_many_terms(const Decomposition *d, uint32_t elements) {
    Exprs terms = {0};
    /* In a given operator min(k, y.1) does not count besides y.1. */
    if (d->r->as_written && __builtin_popcount(elements) <= 2)
        return false;
    for (int i = 0; i < d->r->update->arity; i++)
        if (elements >> i & 1)
            collect_free_terms(d->r, canonical_form(d->r, d->values[i]), &terms);
    int count = 0;
    for (size_t i = 0; i < terms.length; i++)
        count += is_counted(d->r, &terms, i) &&
                 !(d->r->by_values_that_occur && type_is_bool(terms.data[i]->type));
    return count > __builtin_popcount(elements);
}

static const Found *group_found(Decomposition *d, uint32_t elements) {
    for (size_t i = 0; i < d->known.length; i++)
        if (d->known.data[i].elements == elements)
            return d->known.data[i].is_recognised ? &d->known.data[i].found : NULL;
    KnownGroup known = {.elements = elements};
    known.is_recognised = recognise_group(d->r, d->values, elements, &known.found);
    bool is_instance = known.is_recognised;
    known.is_recognised = known.is_recognised ||
                          recognise_quotients(d->r, d->values, elements, &known.found) ||
                          recognise_from_identity(d->r, d->values, elements, &known.found) ||
                          recognise_unlisted(d->r, d->values, elements, &known.found);
    /* The absence of an identity is already known: this search needs an identity. */
    if (d->r->by_values_that_occur && !(known.is_recognised && known.found.has_identity)) {
        is_instance = false;
        known.is_recognised = recognise_chosen(d->r, d->values, elements, &known.found) ||
                              recognise_saturating(d->r, d->values, elements, &known.found) ||
                              recognise_counted(d->r, d->values, elements, &known.found) ||
                              recognise_scaled(d->r, d->values, elements, &known.found);
    }
    d->r->wants_trial |= known.is_recognised && !is_instance;
    vec_push(d->r->arena, &d->known, known);
    return known.is_recognised ? &d->known.data[d->known.length - 1].found : NULL;
}

/* ---- merging ---- */

static bool agrees(Expr *place, Expr value) {
    if (!*place)
        *place = value;
    return *place == value;
}

static bool merge_part(const Decomposition *d, uint32_t elements, const Found *found,
                       Associativity *result) {
    for (int i = 0; i < d->r->update->arity; i++) {
        if (!(elements >> i & 1))
            continue;
        bool agree = agrees(&result->operator[i], found->operator[i]) &&
                     agrees(&result->injected[i], found->injected[i]);
        if (agree && found->has_identity)
            agree = agrees(&result->identity[i], found->identity[i]);
        if (!agree)
            return false;
    }
    result->has_identity &= found->has_identity;
    result->lacks_identity |= found->lacks_identity;
    result->is_commutative &= found->commutes;
    result->not_negative |= found->not_negative;
    result->positive |= found->positive;
    vec_push(
        d->r->arena, &result->parts,
        (AssociativePart){.elements = elements, .entry = found->entry ? found->entry->name : NULL});
    return true;
}

/* Combines the operators of these groups. */
static bool merge(Decomposition *d, const uint32_t *groups, int count, Associativity *result) {
    Associativity merged = *result;
    merged.parts = (typeof(merged.parts)){0};
    merged.has_identity = merged.is_commutative = true;
    merged.lacks_identity = false;
    for (int i = 0; i < count; i++) {
        const Found *found = group_found(d, groups[i]);
        if (!found || !merge_part(d, groups[i], found, &merged))
            return false;
    }
    *result = merged;
    return true;
}

/* ---- partitions ---- */

/* Tries subgraph `at` in each of the groups so far, and as a new group. */
static bool regroup(Decomposition *d, uint32_t *groups, int count, int at, Associativity *result) {
    if (d->tried > PARTITIONS)
        return false;
    if (at == d->count) {
        if (count == d->count)
            return false; /* each by itself: tried before */
        d->tried++;
        for (int i = 0; i < count; i++)
            if (__builtin_popcount(groups[i]) > 1 && has_too_many_terms(d, groups[i]))
                return false;
        return merge(d, groups, count, result);
    }
    for (int i = 0; i < count; i++) {
        uint32_t before = groups[i];
        groups[i] |= d->subgraphs[at];
        if (regroup(d, groups, count, at + 1, result))
            return true;
        groups[i] = before;
    }
    groups[count] = d->subgraphs[at];
    return regroup(d, groups, count + 1, at + 1, result);
}

/* An operator may need a component that the update does not: the greatest sum up to the end needs
 * the sum of all. So a subgraph that is not recognised alone is joined with the subgraph of another
 * component. */
static bool extend(Decomposition *d, Associativity *result) {
    enum { LARGEST = 4 };
    for (int i = 0; i < d->count; i++) {
        uint32_t own = d->subgraphs[i], joined = own;
        for (int j = 0; j < d->r->update->arity && !group_found(d, joined); j++)
            joined = own | d->reached[j];
        if (joined == own || __builtin_popcount(joined) > LARGEST || !group_found(d, joined))
            continue;
        d->subgraphs[i] = joined;
    }
    return merge(d, d->subgraphs, d->count, result);
}

static const char *elements_text(Arena *arena, uint32_t elements, int arity) {
    const char *text = "";
    for (int i = 0; i < arity; i++)
        if (elements >> i & 1)
            text = arena_format(arena, "%s%s%d", text, *text ? ", " : "", i);
    return text;
}

static const char *reason(const Decomposition *d) {
    Arena *arena = d->r->arena;
    int arity = d->r->update->arity;
    if (arity == 1)
        return "no operator of the table computes this update";
    const char *elements = elements_text(arena, d->failed, arity);
    return __builtin_popcount(d->failed) > 1
               ? arena_format(arena, "no operator of the table computes elements %s together",
                              elements)
               : arena_format(arena, "no operator of the table computes element %s", elements);
}

bool decompose(Recogniser *r, const Expr *values, Associativity *result) {
    Decomposition d = {.r = r, .values = values};
    find_subgraphs(&d);
    for (int i = 0; i < d.count && !d.failed; i++)
        if (!group_found(&d, d.subgraphs[i]))
            d.failed = d.subgraphs[i];
    uint32_t groups[SUBGRAPHS];
    if (!(d.failed == 0 && merge(&d, d.subgraphs, d.count, result)) &&
        !regroup(&d, groups, 0, 0, result) && !(d.failed && extend(&d, result))) {
        result->reason = d.failed ? reason(&d) : "the parts that share an element disagree on it";
        return false;
    }
    result->verdict = ASSOCIATIVE_YES;
    return true;
}

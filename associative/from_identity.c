/* from_identity.c -- updates that contain less than their operator. Matches entries of several
 * components with the update of the identity.
 *
 *     {f.0 && p, select(p, f.1 + 1, 0)}     is  {x.0 && y.0, select(y.0, x.1 + y.1, y.1)}
 *     {min(f.0, a), min(f.1, max(f.0, a))}  is  {min(x.0, y.0), min(max(x.0, y.0), min(x.1, y.1))}
 *
 * with y = (p, select(p, 1, 0)), and with y = (a, the greatest number). If an identity is neutral
 * on the left, the injected value is the update of the identity. So this value is tried. The
 * operator with this y is compared with the update: at points, which refute most candidates, and by
 * proof, with each condition true and false.
 *
 * An update may need ordered components, for instance if a new minimum moves the old one down:
 * {select(a < f.0, a, f.0), select(a < f.0, f.0, min(f.1, a))}. The order is proved for the func's
 * first values, for the identity, and for the update of ordered components. The comparison uses
 * ordered components; any components become ordered by sorting.
 */
#include "associative/internal.h"

enum { CONDITIONS = 4, SORTED = 3, POINTS = PLAN_BATCH };

/* The update of a group, while entries are tried. */
typedef struct IdentityAttempt {
    Recogniser *r;
    const OperatorEntry *entry;
    const Elements *group;         /* in the entry's order */
    const Expr *values;            /* by the tuple's elements, as all below */
    Expr named[ASSOCIATIVE_MAX];   /* with variables for terms that do not read the func */
    Expr ordered[ASSOCIATIVE_MAX]; /* x.i, or its replacement in ordered components */
    Exprs terms;                   /* the terms that have a variable */
    int conditions;                /* among them */
} IdentityAttempt;

/* ---- terms that do not read the func ---- */

/* Names every term but a select between terms: there, its conditions and its arms. */
static bool is_named(Recogniser *r, Expr node) {
    if (node->op == OP_CONSTANT || type_is_index(node->type) || has_x(r, node))
        return false;
    switch (node->op) {
    case OP_SELECT:
    case OP_MIN:
    case OP_MAX:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
        return false;
    default: /* it reads or computes */
        return true;
    }
}

static Expr name_term(void *data, Pool *pool, Expr node) {
    IdentityAttempt *a = data;
    if (!is_named(a->r, node))
        return node;
    size_t known = a->terms.length, number = exprs_add(a->r->arena, &a->terms, node);
    a->conditions += number == known && type_is_bool(node->type);
    return expr_variable(pool, symbol_format(&pool->context->symbols, "p.%zu", number), node->type);
}

static void name_terms(IdentityAttempt *a) {
    for (int i = 0; i < a->group->count; i++) {
        int element = a->group->elements[i];
        a->named[element] =
            expr_rewrite_alone(a->r->pool, a->r->arena, a->values[element], name_term, a);
    }
}

/* ---- elements in their order ---- */

enum { AS_THEY_ARE, ASCENDING, DESCENDING, ORDERS };

/* Sorts the components: of three, the middle one is the lesser of the greater ones. */
static void sort(IdentityAttempt *a, int order, const Expr *elements, Expr *sorted) {
    Pool *pool = a->r->pool;
    int count = a->group->count;
    for (int i = 0; i < count; i++)
        sorted[i] = elements[i];
    for (int pass = 0; pass < count - 1; pass++)
        for (int i = 0; i + 1 < count - pass; i++) {
            Expr one = sorted[i], other = sorted[i + 1];
            Expr least = expr_min(pool, one, other), most = expr_max(pool, one, other);
            sorted[i] = order == ASCENDING ? least : most;
            sorted[i + 1] = order == ASCENDING ? most : least;
        }
}

static Expr over(IdentityAttempt *a, Expr value, const Expr *x) {
    return with_elements(a->r, a->group, a->r->x, x, value);
}

static bool are_sorted(IdentityAttempt *a, int order, const Expr *elements) {
    Expr of_group[SORTED], sorted[SORTED];
    for (int i = 0; i < a->group->count; i++)
        of_group[i] = elements[a->group->elements[i]];
    sort(a, order, of_group, sorted);
    for (int i = 0; i < a->group->count; i++)
        if (!is_same_update(a->r, sorted[i], of_group[i]))
            return false;
    return true;
}

/* Are the elements in this order whenever they are read? */
static bool stays_in_order(IdentityAttempt *a, int order, const Found *found) {
    Expr made[ASSOCIATIVE_MAX];
    const Expr *first = a->r->update->first;
    if (order == AS_THEY_ARE)
        return true;
    for (int i = 0; i < a->group->count; i++) {
        int element = a->group->elements[i];
        if (!first || !first[element])
            return false;
        made[element] = over(a, a->named[element], a->ordered);
    }
    return are_sorted(a, order, first) && are_sorted(a, order, found->identity) &&
           are_sorted(a, order, made);
}

/* Selects the components for the comparison; false if they have no such order. */
static bool use_order(IdentityAttempt *a, int order) {
    Expr x[SORTED], sorted[SORTED];
    int count = a->group->count;
    for (int i = 0; i < count; i++)
        a->ordered[a->group->elements[i]] = a->r->x[a->group->elements[i]];
    if (order == AS_THEY_ARE)
        return true;
    Type type = a->r->update->types[a->group->elements[0]];
    for (int i = 0; i < count && i < SORTED; i++) {
        x[i] = a->r->x[a->group->elements[i]];
        if (type_is_bool(type) || !type_equal(x[i]->type, type))
            return false;
    }
    if (count > SORTED)
        return false;
    sort(a, order, x, sorted);
    for (int i = 0; i < count; i++)
        a->ordered[a->group->elements[i]] = sorted[i];
    return true;
}

/* ---- one entry ---- */

/* Over the reals, the ends of the range compare as known. */
static Expr fold_end(void *data, Pool *pool, Expr node) {
    (void)data;
    bool is_min = node->op == OP_MIN;
    for (int i = 0; i < 2 && (is_min || node->op == OP_MAX) && type_is_float(node->type); i++) {
        if (node->arguments[i] == pattern_end(pool, node->type, is_min))
            return node->arguments[1 - i];
        if (node->arguments[i] == pattern_end(pool, node->type, !is_min))
            return node->arguments[i];
    }
    return node;
}

static Expr fold_ends(IdentityAttempt *a, Expr expr) {
    return a->r->update->reassociation
               ? expr_rewrite_alone(a->r->pool, a->r->arena, expr, fold_end, NULL)
               : expr;
}

static Expr made_of_identity(IdentityAttempt *a, Expr value, const Found *found) {
    return simplify(a->r->simplifier, fold_ends(a, over(a, value, found->identity)));
}

/* Computes the update of the entry's identity, with names for reads and without. */
static bool inject(IdentityAttempt *a, Found *found, Expr *injected) {
    for (int i = 0; i < a->group->count; i++) {
        int element = a->group->elements[i];
        found->identity[element] =
            pattern_identity(a->r->pool, a->entry, i, a->r->update->types[element], NULL);
    }
    for (int i = 0; i < a->group->count; i++) {
        int element = a->group->elements[i];
        injected[element] = made_of_identity(a, a->named[element], found);
        found->injected[element] = made_of_identity(a, a->values[element], found);
        if (has_x(a->r, found->injected[element]))
            return false;
    }
    return true;
}

/* Do the two differ at some point? Over the reals, points prove nothing. */
static bool differ_at_points(IdentityAttempt *a, Expr one, Expr other) {
    Plan plan = plan_create(a->r->arena);
    if (type_is_float(one->type) || expr_has_access(one) || expr_has_access(other))
        return false;
    const Bits *columns[] = {plan_column(&plan, one), plan_column(&plan, other)};
    uint64_t state = 1;
    for (size_t i = 0; i < plan.variables.length; i++) {
        Type type = plan.variables.data[i].node->type;
        if (type_is_index(type) || type_is_float(type))
            return false;
        plan_draw(&state, type, plan.variables.data[i].column);
    }
    plan_run(&plan, POINTS);
    for (int point = 0; point < POINTS; point++)
        if (columns[0][point] != columns[1][point])
            return true;
    return false;
}

static bool is_update(IdentityAttempt *a, const Expr *injected) {
    Expr sides[2][ASSOCIATIVE_MAX];
    int count = a->group->count;
    for (int i = 0; i < count; i++) {
        sides[0][i] = over(a, a->named[a->group->elements[i]], a->ordered);
        sides[1][i] = fold_ends(a, entry_merged(a->r, a->entry, a->group, i, a->ordered, injected));
        if (differ_at_points(a, sides[0][i], sides[1][i]))
            return false;
    }
    for (int i = 0; i < count; i++)
        if (!is_same_update(a->r, sides[0][i], sides[1][i]))
            return false;
    return true;
}

static bool try_entry(IdentityAttempt *a, Found *found) {
    Expr injected[ASSOCIATIVE_MAX];
    *found = (Found){.entry = a->entry, .has_identity = true, .commutes = a->entry->commutes};
    if (!inject(a, found, injected))
        return false;
    for (int order = AS_THEY_ARE; order < ORDERS; order++) {
        if (!use_order(a, order) || !is_update(a, injected) || !stays_in_order(a, order, found))
            continue;
        for (int i = 0; i < a->group->count; i++)
            found->operator[a->group->elements[i]] =
                entry_merged(a->r, a->entry, a->group, i, a->r->x, a->r->y);
        return true;
    }
    return false;
}

/* Do the elements, in this order, have the entry's types? */
static bool has_types(const Recogniser *r, const OperatorEntry *entry, const Elements *group) {
    Type types[ASSOCIATIVE_MAX], constant;
    for (int i = 0; i < group->count; i++)
        types[i] = r->update->types[group->elements[i]];
    return entry_takes(entry, types, r->update->reassociation, &constant);
}

/* Larger groups keep the order of their author. */
static bool next_order_of(Elements *group, int number) {
    int swapped = group->elements[0];
    if (group->count != 2 || number > 0)
        return false;
    group->elements[0] = group->elements[1];
    group->elements[1] = swapped;
    return true;
}

bool recognise_from_identity(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    IdentityAttempt a = {.r = r, .group = &group, .values = values};
    if (r->as_written || group.count < 2 || group.count > 4)
        return false;
    name_terms(&a);
    if (a.conditions > CONDITIONS)
        return false;
    for (int i = 0; i < operator_table_count; i++) {
        a.entry = &operator_table[i];
        if (a.entry->arity != group.count || !a.entry->has_identity || a.entry->has_constant ||
            a.entry->not_negative)
            continue;
        int number = 0;
        do
            if (has_types(r, a.entry, &group) && try_entry(&a, found))
                return true;
        while (next_order_of(&group, number++));
        group = elements_of(r, elements);
    }
    return false;
}

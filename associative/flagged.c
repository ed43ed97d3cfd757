/* flagged.c -- entries that have a flag among their elements, as that of stretches: in an update
 * the flag of what is injected is a condition, and of what it decides only that much is written
 * which is needed.
 *
 *     {f.0 && p, select(p, f.1 + 1, 0)}    is    {x.0 && y.0, select(y.0, x.1 + y.1, y.1)}
 *
 * with y = (p, select(p, 1, 0)).  Where an identity is neutral on the left, what is injected is
 * what the update makes of it; so that is tried, and the operator with this y compared with the
 * update, each condition true and false.
 */
#include "associative/internal.h"

enum { CONDITIONS = 4 };

/* Conditions that do not read the func, and what stands for each. */
typedef struct Naming {
    Recogniser *r;
    Exprs conditions;
} Naming;

static Expr name_condition(void *data, Pool *pool, Expr node) {
    Naming *naming = data;
    bool is_made = node->op == OP_AND || node->op == OP_OR || node->op == OP_NOT;
    if (!type_is_bool(node->type) || node->arity == 0 || is_made || has_x(naming->r, node))
        return node;
    size_t number = 0;
    while (number < naming->conditions.length && naming->conditions.data[number] != node)
        number++;
    if (number == naming->conditions.length)
        vec_push(naming->r->arena, &naming->conditions, node);
    Symbol name = symbol_format(&pool->context->symbols, "p.%zu", number);
    return expr_variable(pool, name, BOOL);
}

static bool has_flag(const OperatorEntry *entry) {
    bool found = false;
    for (int i = 0; i < entry->arity; i++)
        found |= entry->types[entry->class_of[i]] == OPERATOR_BOOL;
    return found;
}

/* What the update makes of the entry's identity. */
static bool inject(Recogniser *r, const OperatorEntry *entry, const Expr *values,
                   const Elements *group, Found *found) {
    Substitution substitution = substitution_create(r->arena);
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        found->identity[element] =
            pattern_identity(r->pool, entry, i, r->update->types[element], NULL);
        substitution_add(&substitution, r->x[element]->name, found->identity[element]);
    }
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        Expr made = substitution_apply(r->pool, &substitution, values[element]);
        found->injected[element] = simplify(r->simplifier, made);
        if (has_x(r, found->injected[element]))
            return false;
    }
    return true;
}

/* The entry's operator of its element i over these y, by the tuple's elements. */
static Expr merged(Recogniser *r, const OperatorEntry *entry, const Elements *group, int i,
                   const Expr *y_of) {
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX];
    for (int j = 0; j < group->count; j++) {
        x[j] = r->x[group->elements[j]];
        y[j] = y_of[group->elements[j]];
    }
    return pattern_element(r->pool, entry, i, x, y, NULL);
}

static bool try_entry(Recogniser *r, const OperatorEntry *entry, const Expr *values,
                      const Elements *group, Found *found) {
    Naming naming = {.r = r};
    *found = (Found){.entry = entry, .has_identity = true, .commutes = entry->commutes};
    if (!inject(r, entry, values, group, found))
        return false;
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        Expr sides[2] = {values[element], merged(r, entry, group, i, found->injected)};
        for (int side = 0; side < 2; side++)
            sides[side] =
                expr_rewrite_alone(r->pool, r->arena, sides[side], name_condition, &naming);
        if (naming.conditions.length > CONDITIONS || !is_same_update(r, sides[0], sides[1]))
            return false;
        found->operator[element] = merged(r, entry, group, i, r->y);
    }
    return true;
}

/* Do the elements, in this order, have the entry's types? */
static bool has_types(const Recogniser *r, const OperatorEntry *entry, const Elements *group) {
    Type types[ASSOCIATIVE_MAX], constant;
    for (int i = 0; i < group->count; i++) {
        types[i] = r->update->types[group->elements[i]];
        bool computes = entry->types[entry->class_of[i]] != OPERATOR_ANY;
        if (type_is_float(types[i]) && computes && !r->update->reassociation)
            return false;
    }
    return pattern_types(entry, types, &constant);
}

bool recognise_flagged(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    if (r->as_written || group.count != 2)
        return false;
    Elements turned = {{group.elements[1], group.elements[0]}, 2};
    for (int i = 0; i < operator_table_count; i++) {
        const OperatorEntry *entry = &operator_table[i];
        if (entry->arity != 2 || !entry->by_hand || !entry->has_identity || entry->has_constant ||
            !has_flag(entry))
            continue;
        for (int order = 0; order < 2; order++) {
            const Elements *tried = order ? &turned : &group;
            if (has_types(r, entry, tried) && try_entry(r, entry, values, tried, found))
                return true;
        }
    }
    return false;
}

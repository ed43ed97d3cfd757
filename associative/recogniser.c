/* recogniser.c -- the question that all files share: its variables x.i and y.i, the test for x in
 * terms, and the operands of chains. */
#include "associative/internal.h"

Expr associative_x(Pool *pool, int element, Type type) {
    return expr_variable(pool, symbol_format(&pool->context->symbols, "x.%d", element), type);
}

Expr associative_y(Pool *pool, int element, Type type) {
    return expr_variable(pool, symbol_format(&pool->context->symbols, "y.%d", element), type);
}

Recogniser recogniser_create(Pool *pool, Arena *arena, const AssociativeUpdate *update) {
    Recogniser r = {.pool = pool, .arena = arena, .update = update};
    r.simplifier = simplifier_create(pool, arena);
    for (size_t i = 0; update->facts && i < update->facts->length; i++)
        simplifier_learn(r.simplifier, update->facts->data[i]);
    r.has_x = map_create(arena);
    r.canonical = map_create(arena);
    for (int i = 0; i < update->arity; i++) {
        r.x[i] = associative_x(pool, i, update->types[i]);
        r.y[i] = associative_y(pool, i, update->types[i]);
        map_put(&r.has_x, r.x[i], (void *)2);
    }
    return r;
}

Elements elements_of(const Recogniser *r, uint32_t elements) {
    Elements group = {.count = 0};
    for (int i = 0; i < r->update->arity; i++)
        if (elements >> i & 1)
            group.elements[group.count++] = i;
    return group;
}

/* ---- terms ---- */

bool has_x(Recogniser *r, Expr expr) {
    if (expr->arity == 0)
        return expr->op == OP_VARIABLE && (r->all_vary || map_get(&r->has_x, expr) == (void *)2);
    uintptr_t known = (uintptr_t)map_get(&r->has_x, expr);
    if (known)
        return known == 2;
    bool found = false;
    for (int i = 0; i < expr->arity && !found; i++)
        found = has_x(r, expr->arguments[i]);
    map_put(&r->has_x, expr, (void *)(uintptr_t)(found ? 2 : 1));
    return found;
}

typedef struct Collecting {
    Recogniser *r;
    Exprs *terms;
} Collecting;

static void collect_arguments(void *data, Expr node) {
    const Collecting *collecting = data;
    for (int i = 0; i < node->arity && has_x(collecting->r, node); i++) {
        Expr argument = node->arguments[i];
        if (!expr_is_constant(argument) && !has_x(collecting->r, argument))
            exprs_add(collecting->r->arena, collecting->terms, argument);
    }
}

void collect_free_terms(Recogniser *r, Expr expr, Exprs *terms) {
    Collecting collecting = {r, terms};
    expr_visit(r->arena, expr, collect_arguments, &collecting);
}

bool is_chain(Expr node) {
    switch (node->op) {
    case OP_ADD:
    case OP_MUL:
    case OP_MIN:
    case OP_MAX:
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
    case OP_AND:
    case OP_OR:
        return true;
    case OP_EQ:
    case OP_NE:
        return type_is_bool(node->arguments[0]->type);
    case OP_SATURATING_ADD: /* it is not associative on signed integers */
        return node->type.kind == TYPE_UINT;
    default: /* any other operator */
        return false;
    }
}

void chain_operands(Recogniser *r, Op op, Expr expr, Exprs *operands) {
    if (expr->op != op || !is_chain(expr) || !has_x(r, expr)) {
        vec_push(r->arena, operands, expr);
        return;
    }
    chain_operands(r, op, expr->arguments[0], operands);
    chain_operands(r, op, expr->arguments[1], operands);
}

/* ---- tuples ---- */

Expr with_elements(Recogniser *r, const Elements *group, const Expr *variables, const Expr *values,
                   Expr expr) {
    Substitution substitution = substitution_create(r->arena);
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        substitution_add(&substitution, variables[element]->name, values[element]);
    }
    return substitution_apply(r->pool, &substitution, expr);
}

Expr associative_apply(Pool *pool, Arena *arena, const Associativity *associativity, int element,
                       const Expr *x, const Expr *y) {
    Substitution substitution = substitution_create(arena);
    for (int i = 0; i < associativity->arity; i++) {
        substitution_add(&substitution, associativity->x[i]->name, x[i]);
        substitution_add(&substitution, associativity->y[i]->name, y[i]);
    }
    return substitution_apply(pool, &substitution, associativity->operator[element]);
}

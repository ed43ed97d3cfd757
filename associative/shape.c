/* shape.c -- which entries of the table a tuple may be an instance of, told without matching.
 *
 * The shape of a canonical term is a hash of its operators that stand above some x: what is free of
 * x counts for nothing, the operands of chains in any order.  A pattern matches only terms of its
 * own shape, so an entry of another one is passed over.  The shapes of entries are worked out when
 * they are first asked for, and remembered in the context, by the kinds of types: a canonical form
 * does not depend on how wide they are.
 */
#include "associative/internal.h"

#include "base/hash.h"

enum { KINDS = 5, COMBINATIONS = KINDS * KINDS, DEEPEST = 40, FREE = 1, ELEMENT = 2, DEEP = 3 };

typedef struct Shapes {
    uint64_t *of[COMBINATIONS]; /* by entry; 0: not known yet */
} Shapes;

static uint64_t shape_of(Recogniser *r, Expr expr, int depth);

static uint64_t shape_of_chain(Recogniser *r, Expr expr, int depth) {
    Exprs operands = {0};
    chain_operands(r, (Op)expr->op, expr, &operands);
    uint64_t sum = 0;
    for (size_t i = 0; i < operands.length; i++)
        sum += hash_mix(HASH_SEED, shape_of(r, operands.data[i], depth + 1));
    return hash_mix(expr->op, sum);
}

static uint64_t shape_of(Recogniser *r, Expr expr, int depth) {
    if (!has_x(r, expr))
        return FREE;
    if (expr->arity == 0)
        return ELEMENT;
    if (depth > DEEPEST) /* no pattern is */
        return DEEP;
    uint64_t known = (uintptr_t)map_get(&r->shapes, expr);
    if (known)
        return known;
    uint64_t shape = expr->op;
    if (is_chain(expr))
        shape = shape_of_chain(r, expr, depth);
    for (int i = 0; i < expr->arity && !is_chain(expr); i++)
        shape = hash_mix(shape, shape_of(r, expr->arguments[i], depth + 1));
    shape |= 4; /* none of the above */
    map_put(&r->shapes, expr, (void *)(uintptr_t)shape);
    return shape;
}

uint64_t tuple_shape(Recogniser *r, const Expr *values, const int *group, int count) {
    uint64_t sum = 1;
    for (int i = 0; i < count; i++)
        sum += hash_mix(HASH_SEED, shape_of(r, values[group ? group[i] : i], 0));
    return sum ? sum : 1;
}

static int kind_of(const Recogniser *r, Type type) {
    return type_is_bool(type)                                       ? 0
           : type_is_float(type)                                    ? 1 + r->update->reassociation
           : type_is_machine_integer(type) && !type_is_signed(type) ? 3
                                                                    : 4;
}

uint64_t *entry_shape(const Recogniser *r, const OperatorEntry *entry, const Type *types) {
    Context *context = r->pool->context;
    if (entry->arity > 2)
        return NULL;
    if (!context->shapes)
        context->shapes = arena_new(context->arena, Shapes);
    Shapes *shapes = context->shapes;
    int second = entry->arity == 2 ? kind_of(r, types[1]) : 0;
    uint64_t **of = &shapes->of[kind_of(r, types[0]) * KINDS + second];
    if (!*of)
        *of = arena_array(context->arena, uint64_t, (size_t)operator_table_count);
    return &(*of)[entry - operator_table];
}

/* shape.c -- which entries of the table a tuple may be an instance of, told without matching.
 *
 * The shape of a canonical term is a hash of its operators that stand above some x: what is free of
 * x counts for nothing, the operands of chains in any order.  A pattern matches only terms of its
 * own shape, so an entry of another one is passed over.  The shapes of entries are worked out when
 * hlc is built (write_shapes.c), by the kinds of types: a canonical form does not depend on how
 * wide they are.
 */
#include "associative/internal.h"

#include "base/hash.h"

enum { DEEPEST = 40, FREE = 1, ELEMENT = 2, DEEP = 3 };

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

uint32_t tuple_shape(Recogniser *r, const Expr *values, const int *group, int count) {
    uint64_t sum = 1;
    for (int i = 0; i < count; i++)
        sum += hash_mix(HASH_SEED, shape_of(r, values[group ? group[i] : i], 0));
    uint32_t shape = (uint32_t)(sum ^ sum >> 32);
    return shape ? shape : 1;
}

static int kind_of(const Recogniser *r, Type type) {
    return type_is_bool(type)                                       ? 0
           : type_is_float(type)                                    ? 1 + r->update->reassociation
           : type_is_machine_integer(type) && !type_is_signed(type) ? 3
                                                                    : 4;
}

uint32_t entry_shape(const Recogniser *r, const OperatorEntry *entry, const Type *types) {
    if (entry->arity > 2)
        return 0;
    int kinds = kind_of(r, types[0]);
    if (entry->arity == 2)
        kinds = OPERATOR_KINDS * (1 + kinds) + kind_of(r, types[1]);
    return operator_shapes[kinds * operator_table_count + (entry - operator_table)];
}

/* vector.c -- simplifies operators on vectors.
 *
 * An operator over broadcasts only is uniform: it is computed once as a scalar, and broadcast, for
 * any operator and type. So is an operator that is known to equal one constant. So broadcasts move
 * up, and their operands are simplified as scalars. All else about vectors is rules
 * (rules/vectors.rules; rules over bools and over any type hold lane by lane, too).
 */
#include "simplify/internal.h"

static Expr apply(Pool *pool, Expr node, const Expr *scalars) {
    Type type = node->type;
    type.lanes = 1;
    return op_info((Op)node->op)->types == TYPES_CONVERT
               ? expr_convert(pool, (Op)node->op, type, scalars[0])
               : expr_apply(pool, (Op)node->op, scalars);
}

/* Returns the constant that all lanes are known to equal; else null. */
static Expr constant(Simplifier *s, Expr node) {
    ConstantInterval interval = known_of(s, node)->interval;
    if (type_is_float(node->type) || !interval_is_point(interval))
        return NULL;
    Type scalar = node->type;
    scalar.lanes = 1;
    return expr_broadcast(s->pool, expr_constant(s->pool, scalar, interval.minimum),
                          node->type.lanes);
}

Expr vector_step(Simplifier *s, Expr node) {
    Expr scalars[OP_MAX_ARITY], known = constant(s, node);
    if (known)
        return known;
    for (int i = 0; i < node->arity; i++) {
        if (node->arguments[i]->op != OP_BROADCAST)
            return node;
        scalars[i] = node->arguments[i]->arguments[0];
    }
    return expr_broadcast(s->pool, apply(s->pool, node, scalars), node->type.lanes);
}

/* order.h -- the weights of each operator in each component of the reduction order (order.def).
 *
 * The value of f(t1, .., tn) is weight(f) + factor(f) * (t1 + .. + tn). Two files use it.
 * tools/rulec/order.c measures the sides of rules at build time. decrease.c measures actual terms
 * when a rule is applied.
 */
#ifndef HLC_SIMPLIFY_ORDER_H
#define HLC_SIMPLIFY_ORDER_H

#include "simplify/rule.h"

typedef struct OrderWeights {
    int64_t weight, factor;
} OrderWeights;

static inline bool order_is_extreme(int op) {
    return op == OP_MIN || op == OP_MAX || op == OP_ABS;
}

static inline bool order_is_compare(int op) {
    return op < OP_COUNT && op_info((Op)op)->types == TYPES_COMPARE;
}

/* The cost of an operator at run time, or its indirectness; the component STRENGTH sums it. */
static inline int64_t order_strength(int op) {
    switch (op) {
    case OP_SELECT:
        return 12;
    case OP_DIV:
        return 11;
    case OP_MOD:
        return 10;
    case OP_MUL:
        return 9;
    case OP_SUB:
        return 8;
    case OP_ADD:
        return 7;
    case OP_NOT:
        return 6;
    case OP_NE:
        return 5;
    case OP_LT:
        return 4;
    case OP_LE:
        return 3;
    case OP_EQ:
        return 2;
    default:
        return 1;
    }
}

/* `second_constant`: the second operand is a constant. */
static inline OrderWeights order_weights(OrderComponent component, int op, bool second_constant) {
    switch (component) {
    case ORDER_LANES: /* of a term that is a vector; scalars have none */
        return (OrderWeights){op == OP_SELECT ? 2 : 1, op != OP_RAMP && op != OP_BROADCAST};
    case ORDER_SELECTS:
        return (OrderWeights){op == OP_SELECT, 1};
    case ORDER_DIVISIONS:
        return (OrderWeights){op == OP_DIV || op == OP_MOD, 1};
    case ORDER_PRODUCTS:
        return (OrderWeights){op == OP_MUL && !second_constant, 1};
    case ORDER_EXTREMES:
        return (OrderWeights){order_is_extreme(op), 1};
    case ORDER_LEAVES:
        return (OrderWeights){0, 1};
    case ORDER_SIZE:
        return (OrderWeights){1, 1};
    case ORDER_UNDER_QUOTIENT:
        return (OrderWeights){1, op == OP_DIV ? 2 : 1};
    case ORDER_UNDER_REMAINDER:
        return (OrderWeights){1, op == OP_MOD ? 2 : 1};
    case ORDER_UNDER_ABSOLUTE:
        return (OrderWeights){1, op == OP_ABS ? 2 : 1};
    case ORDER_UNDER_SELECT:
        return (OrderWeights){1, op == OP_SELECT ? 2 : 1};
    case ORDER_UNDER_COMPARE:
        return (OrderWeights){1, order_is_compare(op) ? 2 : 1};
    case ORDER_UNDER_NEGATION:
        return (OrderWeights){1, op == OP_NOT ? 2 : 1};
    case ORDER_STRENGTH:
        return (OrderWeights){order_strength(op), 1};
    case ORDER_COUNT:
        break;
    }
    return (OrderWeights){0, 1};
}

/* The component's value of a leaf: 0 if only operators count. */
static inline int64_t order_leaf(OrderComponent component) {
    return component >= ORDER_LEAVES;
}

#endif

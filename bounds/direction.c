/* direction.c -- does an expression, as it is written, rise or fall with a variable?
 *
 * The solver needs case distinctions for nested min and max.  The operators alone give the answer:
 * each operator that occurs in windows keeps or turns the direction of its operands.  (Expressions
 * are simplified: -x is x * -1.) */
#include "bounds/inference.h"

enum { EITHER_WAY = NEVER_FALLS | NEVER_RISES };

typedef struct Looking {
    Arena *arena;
    Symbol variable;
    Map directions; /* Expr -> Direction* */
} Looking;

static int turned(int direction) {
    return (direction & NEVER_FALLS ? NEVER_RISES : 0) |
           (direction & NEVER_RISES ? NEVER_FALLS : 0);
}

/* Returns the direction of a * c, and of a / c, which is Euclidean. */
static int scaled(int direction, Expr factor) {
    int64_t c;
    if (!expr_constant_integer(factor, &c))
        return 0;
    return c >= 0 ? direction : turned(direction);
}

static bool is_still(const int *operands, int count) {
    for (int i = 0; i < count; i++)
        if (operands[i] != EITHER_WAY)
            return false;
    return true;
}

static int combine(Expr node, const int *operands) {
    if (is_still(operands, node->arity))
        return EITHER_WAY;
    if (!type_is_index(node->type))
        return 0;
    switch ((int)node->op) {
    case OP_ADD:
    case OP_MIN:
    case OP_MAX:
        return operands[0] & operands[1];
    case OP_SUB:
        return operands[0] & turned(operands[1]);
    case OP_MUL:
    case OP_DIV:
        return scaled(operands[0], node->arguments[1]);
    case OP_SELECT:
        return operands[0] == EITHER_WAY ? operands[1] & operands[2] : 0;
    }
    return 0;
}

static void look(void *data, Expr node) {
    Looking *looking = data;
    int *direction = arena_new(looking->arena, int), operands[OP_MAX_ARITY];
    bool is_it = node->op == OP_VARIABLE && node->name == looking->variable;
    for (int i = 0; i < node->arity && node->op < OP_CONSTANT; i++)
        operands[i] = *(int *)map_get(&looking->directions, node->arguments[i]);
    if (node->op < OP_CONSTANT)
        *direction = combine(node, operands);
    else if (node->op != OP_ACCESS && node->op != OP_HOLE)
        *direction = is_it ? NEVER_FALLS : EITHER_WAY;
    map_put(&looking->directions, node, direction);
}

int direction_of(BoundsInference *bounds, Expr expr, Symbol variable) {
    Looking looking = {bounds->arena, variable, map_create(bounds->arena)};
    expr_visit(bounds->arena, expr, look, &looking);
    return *(int *)map_get(&looking.directions, expr);
}

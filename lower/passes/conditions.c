/* conditions.c -- see conditions.h. */
#include "lower/passes/conditions.h"

/* ---- conditions on values ---- */

/* Values that are indices: i32(x) if x lies in i32, i32(x) - 1 if that does not wrap. */
typedef struct Indices {
    Knowledge *knowledge;
    Map of; /* Expr, a value -> Expr, the index that is the same number */
} Indices;

/* Returns the index that is surely the same number as the value; else null. */
static Expr number_of(const Indices *indices, Expr node) {
    Pool *pool = indices->knowledge->pool;
    Expr operands[OP_MAX_ARITY];
    if (expr_is_constant(node))
        return expr_index(pool, node->bits);
    if (node->op == OP_VARIABLE)
        return expr_cast(pool, INDEX, node);
    if (node->op == OP_CAST && type_is_index(node->arguments[0]->type))
        return node->arguments[0];
    int64_t divisor;
    bool divides = (node->op == OP_DIV || node->op == OP_MOD) &&
                   expr_constant_integer(node->arguments[1], &divisor) && divisor > 0;
    if (node->op != OP_ADD && node->op != OP_SUB && node->op != OP_MUL && !divides)
        return NULL;
    for (int i = 0; i < node->arity; i++)
        if (!(operands[i] = map_get(&indices->of, node->arguments[i])))
            return NULL;
    return expr_apply(pool, (Op)node->op, operands);
}

static void find_number(void *data, Expr node) {
    Indices *indices = data;
    Expr number = type_is_machine_integer(node->type) && node->type.bits <= 32
                      ? number_of(indices, node)
                      : NULL;
    if (!number)
        return;
    ConstantInterval range = simplify_interval(knowledge_simplifier(indices->knowledge), number);
    if (range.has_minimum && range.has_maximum && range.minimum >= type_minimum(node->type) &&
        range.maximum <= type_maximum(node->type))
        map_put(&indices->of, node, number);
}

static Expr compare_numbers(void *data, Pool *pool, Expr node) {
    const Indices *indices = data;
    bool compares =
        node->op == OP_LT || node->op == OP_LE || node->op == OP_EQ || node->op == OP_NE;
    Expr a = compares ? map_get(&indices->of, node->arguments[0]) : NULL;
    Expr b = compares ? map_get(&indices->of, node->arguments[1]) : NULL;
    return a && b ? expr_binary(pool, (Op)node->op, a, b) : node;
}

Expr condition_in_indices(Knowledge *knowledge, Expr condition) {
    if (!expr_holds(condition, HOLDS_NUMBER))
        return condition;
    Arena *arena = knowledge->arena;
    Indices indices = {knowledge, map_create(arena)};
    expr_visit(arena, condition, find_number, &indices);
    return map_count(&indices.of)
               ? expr_rewrite_alone(knowledge->pool, arena, condition, compare_numbers, &indices)
               : condition;
}

/* ---- errors ---- */

typedef struct ErrorSearch {
    Knowledge *knowledge;
    bool may_be;
} ErrorSearch;

static void find_error(void *data, Expr node) {
    ErrorSearch *errors = data;
    if (node->op >= OP_COUNT || !(op_info((Op)node->op)->traits & ERRS) ||
        type_is_float(node->type))
        return;
    ConstantInterval divisor =
        simplify_interval(knowledge_simplifier(errors->knowledge), node->arguments[1]);
    bool is_division = node->op == OP_DIV || node->op == OP_MOD;
    errors->may_be |= !is_division || !divisor.has_minimum || divisor.minimum < 1;
}

bool condition_may_err(Knowledge *knowledge, Expr condition) {
    ErrorSearch errors = {knowledge, false};
    if (!expr_holds(condition, HOLDS_ERROR))
        return false;
    expr_visit(knowledge->arena, condition, find_error, &errors);
    return errors.may_be;
}

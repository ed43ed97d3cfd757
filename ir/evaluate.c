/* evaluate.c -- evaluates the graph bottom-up with the one evaluator (value.h). */
#include "ir/evaluate.h"

#include "ir/value.h"
#include "ir/walk.h"

typedef struct ExprEvaluation {
    Arena *arena;
    VariableValue *value;
    void *data;
    Map values; /* Expr -> Bits */
    bool failed;
} ExprEvaluation;

static void evaluate_node(void *data, Expr node) {
    ExprEvaluation *evaluation = data;
    Type types[OP_MAX_ARITY];
    Bits arguments[OP_MAX_ARITY], *bits = arena_new(evaluation->arena, Bits);
    map_put(&evaluation->values, node, bits);
    if (node->op == OP_CONSTANT) {
        *bits = node->bits;
    } else if (node->op == OP_VARIABLE) {
        evaluation->failed |= !evaluation->value(evaluation->data, node->name, bits);
    } else {
        hlc_assert(node->op < OP_COUNT, "what is evaluated holds no accesses and no holes");
        for (int i = 0; i < node->arity; i++) {
            types[i] = node->arguments[i]->type;
            arguments[i] = *(const Bits *)map_get(&evaluation->values, node->arguments[i]);
        }
        Value value = value_apply((Op)node->op, node->type, types, arguments, NULL);
        evaluation->failed |= value.error == ERROR_INDEX;
        *bits = value.bits;
    }
}

bool expr_evaluate(Arena *scratch, Expr expr, VariableValue *value, void *data, Bits *bits) {
    ExprEvaluation evaluation = {scratch, value, data, map_create(scratch), false};
    expr_visit(scratch, expr, evaluate_node, &evaluation);
    *bits = *(const Bits *)map_get(&evaluation.values, expr);
    return !evaluation.failed;
}

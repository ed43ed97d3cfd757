/* evaluate.c -- evaluates the graph bottom-up with the one evaluator (value.h). */
#include "ir/interpret/evaluate.h"

#include "ir/walk.h"

typedef struct ExprCompiling {
    Arena *arena;
    ExprCode *code;
    Map positions; /* Expr -> position + 1 */
} ExprCompiling;

static void compile_node(void *data, Expr node) {
    ExprCompiling *compiling = data;
    ExprCode *code = compiling->code;
    ExprCodeNode place = {.node = node};
    Type types[OP_MAX_ARITY] = {0};
    if (node->op == OP_ACCESS || node->op == OP_EXTERN || node->op == OP_HOLE)
        code->is_evaluable = false;
    for (int i = 0; i < node->arity && i < OP_MAX_ARITY; i++) {
        place.operands[i] =
            (uint32_t)(uintptr_t)map_get(&compiling->positions, node->arguments[i]) - 1;
        types[i] = node->arguments[i]->type;
    }
    if (node->op < OP_COUNT)
        place.operation = operation_of((Op)node->op, node->type, types);
    vec_push(compiling->arena, &code->nodes, place);
    map_put(&compiling->positions, node, (void *)(uintptr_t)code->nodes.length);
}

ExprCode *expr_code(Arena *arena, Expr expr) {
    ExprCode *code = arena_new(arena, ExprCode);
    code->is_evaluable = true;
    ExprCompiling compiling = {arena, code, map_create(arena)};
    expr_visit(arena, expr, compile_node, &compiling);
    code->values = arena_array(arena, Bits, code->nodes.length);
    return code;
}

static bool run_node(const ExprCode *code, const ExprCodeNode *place, VariableValue *value,
                     void *data, Bits *bits) {
    Bits arguments[OP_MAX_ARITY];
    *bits = place->node->bits;
    if (place->node->op == OP_CONSTANT)
        return true;
    if (place->node->op == OP_VARIABLE)
        return value(data, place->node->name, bits);
    for (int i = 0; i < OP_MAX_ARITY; i++)
        arguments[i] = code->values[place->operands[i]];
    Value result = operation_apply(&place->operation, arguments, NULL);
    *bits = result.bits;
    return result.error != ERROR_INDEX;
}

bool expr_code_run(const ExprCode *code, VariableValue *value, void *data, Bits *bits) {
    bool good = code->is_evaluable;
    for (size_t i = 0; i < code->nodes.length && code->is_evaluable; i++)
        good &= run_node(code, &code->nodes.data[i], value, data, &code->values[i]);
    *bits = code->values[code->nodes.length - 1];
    return good;
}

bool expr_evaluate(Arena *scratch, Expr expr, VariableValue *value, void *data, Bits *bits) {
    return expr_code_run(expr_code(scratch, expr), value, data, bits);
}

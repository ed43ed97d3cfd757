/* verify_expr.c -- checks the expressions of a statement in its scope, without recursion: each node
 * once for each statement. */
#include "ir/extern.h"
#include "ir/verifier.h"

#include <string.h>

void verifier_fault(Verifier *v, const char *format, const char *name) {
    if (v->fault)
        return;
    char *sentence = arena_format(v->arena, format, name);
    v->fault = v->stmt ? arena_format(v->arena, "%s: %.200s", sentence,
                                      stmt_text(v->arena, v->program, v->stmt))
                       : sentence;
}

VerifierFunc *verifier_state(Verifier *v, Symbol func) {
    return map_get(&v->states, func);
}

bool verifier_is_field(Verifier *v, Symbol name) {
    const Signature *signature = v->program->signature;
    Symbol buffer;
    BufferField field;
    int dimension;
    if (!buffer_field_parse(v->program->pool->context, name, &buffer, &field, &dimension))
        return false;
    return signature_has_field(signature, buffer, field, dimension);
}

static void check_variable(Verifier *v, Expr node) {
    const Parameter *parameter = signature_parameter(v->program->signature, node->name);
    const VerifierBinding *binding = map_get(&v->bindings, node->name);
    if (parameter) {
        require(v, type_equal(parameter->type, node->type), "parameter %s has its declared type",
                node->name->text);
    } else if (binding && binding->in_scope) {
        require(v, type_equal(binding->type, node->type), "variable %s has its binder's type",
                node->name->text);
    } else {
        require(v, verifier_is_field(v, node->name), "variable %s is in scope", node->name->text);
        require(v, type_is_index(node->type), "buffer field %s is of sort index", node->name->text);
    }
}

/* Does the statement belong to the func's first stage? */
static bool is_in_first_stage(const Stmt *stmt, Symbol func) {
    const Stmt *label = stmt && stmt_func(stmt) == func ? stmt_stage(stmt) : NULL;
    return label && strcmp(label->label.name->text, "s0") == 0;
}

static void check_access(Verifier *v, Expr node) {
    const Signature *signature = v->program->signature;
    const FuncShape *func = signature_func(signature, node->name);
    const ImageParameter *image = signature_image(signature, node->name);
    const char *name = node->name->text;
    if (!func && !image) {
        verifier_fault(v, "%s is a func or an image", name);
        return;
    }
    bool fits = func ? node->component < func->components : node->component == 0;
    require(v, fits, "access to %s names one of its components", name);
    require(v, node->arity == (func ? func->dimensions : image->dimensions),
            "access to %s has an index for each dimension", name);
    require(v, !fits || type_equal(node->type, func ? func->types[node->component] : image->type),
            "access to %s has its type", name);
    for (int i = 0; i < node->arity; i++)
        require(v, type_is_index(node->arguments[i]->type), "indices of %s are of sort index",
                name);
    if (!func)
        return;
    const VerifierFunc *state = verifier_state(v, node->name);
    require(v, state->allocated, "a read of %s stands after its allocate (Lemma 6.2)", name);
    require(v, state->computed || state->inside > 0,
            "a read of %s stands after its compute (Lemma 6.2)", name);
    require(v, !is_in_first_stage(v->stmt, node->name),
            "the first stage of %s, before which nothing was written, reads it not", name);
}

static void check_node(Verifier *v, Expr node) {
    require(v, node->type.lanes == 1, "%s are scalars", "expressions");
    switch ((int)node->op) {
    case OP_CONSTANT:
        require(v, node->bits == bits_wrap(node->type, node->bits), "%s are canonical",
                "constants");
        return;
    case OP_VARIABLE:
        check_variable(v, node);
        return;
    case OP_ACCESS:
        check_access(v, node);
        return;
    case OP_EXTERN:
        require(v, v->stmt && stmt_is_extern(v->stmt), "%s is the value of a store",
                node->name->text);
        return;
    case OP_HOLE:
        require(v, v->holes_allowed, "no hole is left (%s)", node->hole->func->text);
        require(v, verifier_state(v, node->hole->func), "the hole's func %s exists",
                node->hole->func->text);
        return;
    }
    require(v, node->op < OP_COUNT && node->op != OP_GT && node->op != OP_GE,
            "%s have an operator of the table, other than > and >=", "nodes");
    if (v->fault)
        return;
    Type operands[OP_MAX_ARITY], result = node->type;
    const OpInfo *info = op_info((Op)node->op);
    require(v, node->arity == info->arity, "operator %s has its operands", info->text);
    for (int i = 0; i < node->arity && i < OP_MAX_ARITY; i++)
        operands[i] = node->arguments[i]->type;
    require(v, op_result_type((Op)node->op, operands, &result) && type_equal(result, node->type),
            "operator %s is defined on its operands' types", info->text);
}

void verifier_check_expr(Verifier *v, Expr root) {
    Exprs stack = {0};
    if (!root) {
        v->stmt = NULL; /* it cannot be printed */
        verifier_fault(v, "%s are not null", "expressions");
        return;
    }
    vec_push(v->arena, &stack, root);
    while (stack.length && !v->fault) {
        Expr node = stack.data[--stack.length];
        if (v->seen[node->number] == v->epoch)
            continue;
        v->seen[node->number] = v->epoch;
        check_node(v, node);
        for (int i = 0; i < node->arity; i++)
            vec_push(v->arena, &stack, node->arguments[i]);
    }
}

void verifier_check_typed(Verifier *v, Expr expr, Type type, const char *what) {
    verifier_check_expr(v, expr);
    require(v, !expr || type_equal(expr->type, type), "%s has the right type", what);
}

void verifier_check_intervals(Verifier *v, const Extent *intervals, int count) {
    for (int i = 0; i < count; i++) {
        verifier_check_typed(v, intervals[i].minimum, INDEX, "an interval's minimum");
        verifier_check_typed(v, intervals[i].length, INDEX, "an interval's length");
    }
}

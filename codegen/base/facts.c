/* facts.c -- buffer fields that a condition fixes to a constant.
 *
 * A buffer's fields are known at run time only. A requirement or a specialization may fix one to a
 * number. From there on the field is that constant, in indices and in strides of equal value. So
 * code for images of three channels has the constant step three, and can be dense (access.c).
 */
#include "codegen/emit.h"

/* Returns the buffer's field that the expression reads, or null. A cast to i32 does not change it:
 * fields have 32 bits. */
static Symbol field_of(const Emitter *e, Expr expr) {
    if (expr->op == OP_CAST && type_equal(expr->type, I32))
        expr = expr->arguments[0];
    return expr->op == OP_VARIABLE && map_get(&e->fields, expr->name) ? expr->name : NULL;
}

static void learn_equality(Emitter *e, Expr a, Expr b) {
    int64_t number;
    Symbol field = field_of(e, a);
    LLVMValueRef value = field ? map_get(&e->variables, field) : NULL;
    if (value && expr_constant_integer(b, &number))
        vec_push(e->arena, &e->facts, (ConstantFact){value, emit_index_constant(e, number)});
}

static void learn_conjunct(Emitter *e, Expr node) {
    if (node->op != OP_EQ)
        return;
    learn_equality(e, node->arguments[0], node->arguments[1]);
    learn_equality(e, node->arguments[1], node->arguments[0]);
}

void facts_learn(Emitter *e, Expr condition) {
    for (; condition->op == OP_AND; condition = condition->arguments[1])
        learn_conjunct(e, condition->arguments[0]);
    learn_conjunct(e, condition);
}

LLVMValueRef facts_apply(const Emitter *e, LLVMValueRef value) {
    for (size_t i = 0; i < e->facts.length; i++)
        if (e->facts.data[i].value == value)
            return e->facts.data[i].constant;
    return value;
}

/* expr.c -- expressions: the walk over their graph, and their leaves. operators.c has the
 * operators.
 *
 * A node's value is kept for the rest of the statement (values.c), so a shared subexpression is
 * computed once. Hoisting out of loops is left to LLVM. Both arms of a select are evaluated, as the
 * target language defines. So an expression is straight-line code, and nothing in it can trap.
 */
#include "codegen/interleave.h"

/* ---- leaves ---- */

static LLVMValueRef emit_constant(Emitter *e, Expr node) {
    LLVMTypeRef type = emit_type(e, node->type);
    if (!type_is_float(node->type))
        return LLVMConstInt(type, (unsigned long long)node->bits, type_is_signed(node->type));
    LLVMTypeRef word = LLVMIntTypeInContext(e->llvm, node->type.bits);
    return LLVMConstBitCast(LLVMConstInt(word, (unsigned long long)node->bits, false), type);
}

static LLVMValueRef emit_variable(Emitter *e, Expr node) {
    LLVMValueRef value = map_get(&e->variables, node->name);
    hlc_assert(value, "every variable of a program is bound where it is used");
    return facts_apply(e, value);
}

static LLVMValueRef emit_access(Emitter *e, Expr node) {
    const Memref *memrefs = map_get(&e->memrefs, node->name);
    hlc_assert(memrefs, "a func is allocated where it is read");
    const Memref *memref = &memrefs[node->component];
    LLVMValueRef value;
    if (access_varies(e, node->arguments, node->arity)) {
        value = access_load(e, memref, node->arguments);
        trace_access(e, HLC_TRACE_LOAD, memref, node->arguments, value);
        return value;
    }
    LLVMValueRef indices[MAX_DIMENSIONS];
    interleave_settle(e, memref, NULL, 0, false);
    if (e->lanes.count)
        profile_access(e, HLC_ACCESS_BROADCAST);
    for (int d = 0; d < node->arity; d++)
        indices[d] = e->values[node->arguments[d]->number];
    value = emit_load(e, memref, emit_address(e, memref, indices));
    trace_access(e, HLC_TRACE_LOAD, memref, node->arguments, value);
    return value;
}

/* ---- the walk ---- */

/* Broadcasts uniform operands if another operand varies. */
static LLVMValueRef emit_application(Emitter *e, Expr node) {
    LLVMValueRef operands[OP_MAX_ARITY];
    unsigned count = 1;
    hlc_assert(node->arity <= OP_MAX_ARITY, "an operator has few operands");
    for (int i = 0; i < node->arity; i++) {
        operands[i] = emit_known(e, node->arguments[i]);
        unsigned lanes = emit_lane_count(operands[i]);
        count = lanes > count ? lanes : count;
    }
    for (int i = 0; i < node->arity; i++)
        operands[i] = emit_splat(e, operands[i], count);
    return emit_operator(e, node, operands);
}

/* Also sets the node's AffineLanes. Returns null for regular lanes: their vector is made at its
 * use. */
static LLVMValueRef emit_lanes_node(Emitter *e, Expr node) {
    AffineLanes *affine = node->op == OP_VARIABLE ? map_get(&e->affine_variables, node->name)
                          : node->op < OP_COUNT   ? affine_apply(e, node)
                                                  : NULL;
    e->affine[node->number] = affine;
    if (affine && affine->period)
        return NULL;
    const AffineLanes *source = node->op == OP_CAST ? affine_of(e, node->arguments[0]) : NULL;
    if (source && source->period && type_is_machine_integer(node->type))
        return affine_widen(e, source, emit_type(e, node->type)); /* wrapping, lane by lane */
    if (node->op == OP_VARIABLE)
        return emit_variable(e, node);
    LLVMValueRef value = idiom_apply(e, node);
    value = value ? value : affine_divide(e, node);
    return value ? value : emit_application(e, node);
}

static LLVMValueRef emit_node(Emitter *e, Expr node) {
    if (node->op == OP_CONSTANT)
        return emit_constant(e, node);
    if (node->op == OP_ACCESS)
        return emit_access(e, node);
    if (e->lanes.count)
        return emit_lanes_node(e, node);
    return node->op == OP_VARIABLE ? emit_variable(e, node) : emit_application(e, node);
}

static bool is_known(const Emitter *e, Expr node) {
    return e->values[node->number] || e->affine[node->number];
}

LLVMValueRef emit_expr(Emitter *e, Expr expr) {
    emit_prepare(e, expr);
    return emit_known(e, expr);
}

static void push_unknown(Emitter *e, const Expr *operands, int count) {
    for (int i = count - 1; i >= 0; i--)
        if (!is_known(e, operands[i]))
            vec_push(e->arena, &e->pending, operands[i]);
}

void emit_prepare(Emitter *e, Expr expr) {
    hlc_assert(expr->number < e->value_count, "code generation makes no new expressions");
    e->pending.length = 0;
    vec_push(e->arena, &e->pending, expr);
    while (e->pending.length) {
        Expr node = e->pending.data[e->pending.length - 1];
        size_t before = e->pending.length;
        if (!is_known(e, node)) {
            Expr operands[MOST_DOT_OPERANDS];
            int count = dot_operands(e, node, operands);
            if (count)
                push_unknown(e, operands, count);
            else
                push_unknown(e, node->arguments, node->arity);
        }
        if (e->pending.length > before)
            continue;
        e->pending.length--;
        if (!is_known(e, node)) {
            e->values[node->number] = emit_node(e, node);
            vec_push(e->arena, &e->known, node->number);
        }
    }
}

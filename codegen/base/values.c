/* values.c -- the values emitted in the current statement: for each node its value, or its
 * AffineLanes (affine_lanes.c).
 */
#include "codegen/emit.h"

LLVMValueRef emit_known(Emitter *e, Expr node) {
    LLVMValueRef value = e->values[node->number];
    return value ? value : affine_widen(e, e->affine[node->number], e->i64);
}

bool emit_is_uniform(const Emitter *e, Expr node) {
    return !e->affine[node->number] && emit_lane_count(e->values[node->number]) == 1;
}

void emit_forget_since(Emitter *e, size_t length) {
    for (size_t i = length; i < e->known.length; i++) {
        e->values[e->known.data[i]] = NULL;
        e->affine[e->known.data[i]] = NULL;
    }
    e->known.length = length;
}

void emit_forget(Emitter *e) {
    emit_forget_since(e, 0);
}

bool emit_any_node(Emitter *e, Expr expr, NodeVisit *visit, void *data) {
    e->search++;
    return emit_any_new_node(e, expr, visit, data);
}

bool emit_any_new_node(Emitter *e, Expr expr, NodeVisit *visit, void *data) {
    e->pending.length = 0;
    vec_push(e->arena, &e->pending, expr);
    while (e->pending.length) {
        Expr node = e->pending.data[--e->pending.length];
        if (e->met[node->number] == e->search)
            continue;
        e->met[node->number] = e->search;
        if (visit(data, node))
            return true;
        for (int i = node->arity - 1; i >= 0; i--)
            vec_push(e->arena, &e->pending, node->arguments[i]);
    }
    return false;
}

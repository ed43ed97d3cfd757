/* hoist.c -- hoists guards out of the loops inside a vectorized loop.
 *
 *     for r in .. do                         let x = m + xo*k + xi in
 *       let x = m + xo*k + xi in               if x < m + n then guard
 *         if x < m + n then guard    becomes     for r in .. do
 *           f[x] <- f[x] + ..                      f[x] <- f[x] + ..
 *
 * Neither the let nor the guard may depend on r or on memory. Split puts guards inside all loops of
 * the nest. Hoisted, they are tested once, and LLVM can keep f[x] in a register; it cannot if the
 * store depends on a test. This is sound: if the guard is false, the loop does nothing, whatever
 * its bounds are.
 *
 * The program is not changed. The new statements are copies, around the same innermost block.
 */
#include "codegen/emit.h"

typedef struct GuardDependence {
    Emitter *emitter;
    Symbol binder;
} GuardDependence;

static bool is_dependence(void *data, Expr node) {
    const GuardDependence *dependence = data;
    return node->op == OP_ACCESS || (node->op == OP_VARIABLE && node->name == dependence->binder);
}

/* Copies `outer` with `inner` as its whole body. */
static Stmt *around(Emitter *e, const Stmt *outer, Stmt *inner) {
    Stmt *copy = arena_new(e->arena, Stmt);
    *copy = *outer;
    copy->next = NULL;
    *stmt_body(copy) = (Block){.owner = copy, .first = inner, .last = inner};
    return copy;
}

/* The expression of a let or of a guard, else null. */
static Expr movable(const Stmt *stmt) {
    if (stmt->kind == STMT_LET)
        return stmt->let.value;
    return stmt->kind == STMT_IF && !stmt->branch.otherwise.first ? stmt->branch.condition : NULL;
}

static Stmt *hoist(Emitter *e, Stmt *loop) {
    const Block *body = &loop->loop.body;
    Stmt *inside = body->first;
    if (!inside || inside->next)
        return loop;
    if (inside->kind == STMT_FOR)
        inside = hoist(e, inside);
    Vec(Stmt *) moved = {0};
    GuardDependence dependence = {e, loop->loop.binder};
    Expr expr;
    while (inside && !inside->next && (expr = movable(inside)) &&
           !emit_any_node(e, expr, is_dependence, &dependence)) {
        vec_push(e->arena, &moved, inside);
        body = stmt_body(inside);
        inside = body->first;
    }
    if (moved.length == 0)
        return inside == loop->loop.body.first ? loop : around(e, loop, inside);
    Stmt *result = arena_new(e->arena, Stmt);
    *result = *loop;
    result->next = NULL;
    result->loop.body = *body;
    while (moved.length)
        result = around(e, moved.data[--moved.length], result);
    return result;
}

bool emit_hoisted(Emitter *e, const Stmt *loop) {
    Stmt *hoisted = hoist(e, (Stmt *)loop); /* which does not change */
    if (hoisted->kind == STMT_FOR)
        return false;
    Block block = {.first = hoisted, .last = hoisted};
    e->statements(e, &block);
    return true;
}

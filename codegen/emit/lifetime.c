/* lifetime.c -- ends an allocation behind the last statement of its block that uses it.
 *
 *     allocate f; compute f; allocate g; compute g; (f ends) allocate h; compute h; (g ends) ..
 *
 * A program's allocations live to the end of their block. Memory that ends earlier serves the next
 * allocations: of the stages of a transform, or of the levels of a pyramid, two blocks are in the
 * cache in turn.
 */
#include "codegen/emit.h"
#include "codegen/emit/lifetime.h"

typedef struct LastUses {
    Emitter *emitter;
    const Stmt *statement; /* of the block, whose uses are noted */
    Map *last;
} LastUses;

/* Statements are visited backwards, so the first use that is met is the last. */
static void note_use(LastUses *uses, Symbol name) {
    if (!map_get(uses->last, name))
        map_put(uses->last, name, uses->statement);
}

static bool note_node(void *data, Expr node) {
    if (node->op == OP_ACCESS)
        note_use(data, node->name);
    return false;
}

static Expr note_expr(void *data, Expr expr) {
    const LastUses *uses = data;
    emit_any_new_node(uses->emitter, expr, note_node, data);
    return expr;
}

static bool note_stmt(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_STORE)
        note_use(data, stmt->store.func->name);
    if (stmt->kind == STMT_PREFETCH)
        note_use(data, stmt->prefetch.name);
    if (stmt->kind == STMT_COMPUTE)
        note_use(data, stmt->compute.func->name);
    if (stmt->kind == STMT_ALLOCATE)
        note_use(data, stmt->allocate.func->name);
    stmt_map_own_exprs(stmt, note_expr, data); /* it changes none */
    return true;
}

bool lifetime_find(Emitter *e, const Block *block, Map *last) {
    int allocations = 0;
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next)
        allocations += stmt->kind == STMT_ALLOCATE;
    if (allocations < 2)
        return false;
    *last = map_create(e->arena);
    LastUses uses = {.emitter = e, .last = last};
    StmtVisitor visitor = {.data = &uses, .enter = note_stmt};
    e->search++;
    for (Stmt *stmt = block->last; stmt; stmt = stmt->previous) {
        uses.statement = stmt;
        note_stmt(&uses, stmt);
        if (stmt_body(stmt))
            block_visit(stmt_body(stmt), &visitor);
        if (stmt->kind == STMT_IF)
            block_visit(&stmt->branch.otherwise, &visitor);
    }
    return true;
}

/* atomic.c -- recognises atomic stores (atomic.h). */
#include "ir/atomic.h"

bool atomic_has_type(Type type) {
    return type.lanes == 1 && (type_is_bool(type) || type_is_machine_integer(type));
}

static bool is_own(const Stmt *store, Expr node) {
    return node->op == OP_ACCESS && node->name == store->store.func->name;
}

static bool is_in_place(const Stmt *store, Expr access) {
    for (int k = 0; k < access->arity; k++)
        if (access->arguments[k] != store->store.indices[k])
            return false;
    return true;
}

bool atomic_reads_in_place(Arena *scratch, const Stmt *store) {
    const FuncShape *func = store->store.func;
    Exprs indices = {0}, values = {0};
    for (int k = 0; k < func->dimensions; k++)
        expr_accesses(scratch, store->store.indices[k], &indices);
    for (int c = 0; c < func->components; c++)
        expr_accesses(scratch, store->store.values[c], &values);
    for (size_t i = 0; i < indices.length; i++)
        if (is_own(store, indices.data[i]))
            return false;
    for (size_t i = 0; i < values.length; i++)
        if (is_own(store, values.data[i]) && !is_in_place(store, values.data[i]))
            return false;
    return true;
}

static Expr settle(void *data, Pool *pool, Expr node) {
    const Stmt *store = data;
    const FuncShape *func = store->store.func;
    if (!is_own(store, node) || is_in_place(store, node))
        return node;
    return expr_access(pool, func->name, node->component, node->type, store->store.indices,
                       func->dimensions);
}

typedef struct AtomicSettling {
    Pool *pool;
    Arena *scratch;
} AtomicSettling;

static bool settle_store(void *data, Stmt *stmt) {
    AtomicSettling *settling = data;
    if (stmt->kind == STMT_STORE && stmt->store.is_atomic &&
        !atomic_reads_in_place(settling->scratch, stmt))
        stmt->store.values[0] = expr_rewrite_alone(settling->pool, settling->scratch,
                                                   stmt->store.values[0], settle, stmt);
    return true;
}

void atomic_settle(Program *program, Arena *scratch) {
    AtomicSettling settling = {program->pool, scratch};
    StmtVisitor visitor = {.data = &settling, .enter = settle_store};
    block_visit(&program->body, &visitor);
}

bool atomic_is_needed(const Stmt *stmt) {
    for (; stmt; stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_PARALLEL)
            return true;
    return false;
}

bool atomic_is_same_update(const Stmt *one, const Stmt *other) {
    return one->kind == STMT_STORE && other->kind == STMT_STORE && one->store.is_atomic &&
           other->store.is_atomic && one->store.func == other->store.func &&
           one->store.stage == other->store.stage;
}

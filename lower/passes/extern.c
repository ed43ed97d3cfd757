/* extern.c -- PASS_EXTERN: the loops of an extern stage become one store of a box.
 *
 *     for s.s0.y in (n, h) do
 *       for s.s0.x in (m, w) do
 *         s[s.s0.x, s.s0.y] <- extern "sort"(f[0, s.s0.y] .. f[k, s.s0.y], k)
 *
 *     s[m, n] .. s[m + w - 1, n + h - 1] <- extern "sort"(f[0, n] .. f[k, n + h - 1], k)
 *
 * The accesses become the first and the last point of the hull of all boxes (bounds/region.h). The
 * hull may hold more than is computed where an index mentions a variable twice; so it is clipped to
 * the memory, which holds each point that is needed. Until this pass, bounds, checks and
 * certificates see loops that read the corners of each point's box. No directive has changed the
 * loops.
 */
#include "lower/lower.h"

#include "bounds/region.h"
#include "ir/extern.h"

typedef struct ExternPass {
    Program *program;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier; /* null before the first extern stage */
    Vec(Stmt *) stores;
} ExternPass;

static Expr last_of(Pool *pool, Extent interval) {
    return expr_sub(pool, expr_add(pool, interval.minimum, interval.length), expr_index(pool, 1));
}

static bool collect(void *data, Stmt *stmt) {
    ExternPass *pass = data;
    if (stmt_is_extern(stmt) && !stmt->store.lasts)
        vec_push(pass->arena, &pass->stores, stmt);
    return true;
}

/* ---- the memory of a box ---- */

/* Returns the intervals of the func's allocation that the statement sees. */
static const Extent *memory_of_func(const ExternPass *pass, const Stmt *stmt, Symbol name) {
    const FuncSites *sites = program_func(pass->program, name);
    for (size_t i = 0; i < sites->allocates.length; i++) {
        const Stmt *allocate = sites->allocates.data[i];
        if (!allocate->block->owner || stmt_is_inside(stmt, allocate->block->owner))
            return allocate->allocate.intervals;
    }
    hlc_assert(false, "what an extern stage reads is allocated around it");
    return NULL;
}

static Extent memory_of(const ExternPass *pass, const Stmt *stmt, Symbol name, int d) {
    if (!signature_image(pass->program->signature, name))
        return memory_of_func(pass, stmt, name)[d];
    return (Extent){expr_buffer_field(pass->pool, name, FIELD_MINIMUM, d),
                    expr_buffer_field(pass->pool, name, FIELD_EXTENT, d)};
}

/* ---- the hull ---- */

/* One corner of the hull of all boxes. */
static Expr corner(const ExternPass *pass, Ranges *ranges, const Stmt *stmt, Expr access,
                   bool is_last) {
    Pool *pool = pass->pool;
    Expr indices[MAX_DIMENSIONS];
    for (int d = 0; d < access->arity; d++) {
        Interval range = ranges_of(ranges, access->arguments[d]);
        Extent memory = memory_of(pass, stmt, access->name, d);
        Expr end = is_last ? range.upper : range.lower;
        Expr limit = is_last ? last_of(pool, memory) : memory.minimum;
        end = !end ? limit : is_last ? expr_min(pool, end, limit) : expr_max(pool, end, limit);
        indices[d] = simplify(pass->simplifier, end);
    }
    return expr_access(pool, access->name, access->component, access->type, indices, access->arity);
}

static Expr widen(const ExternPass *pass, Ranges *ranges, const Stmt *stmt, Expr call) {
    Expr *arguments = arena_array(pass->arena, Expr, call->arity);
    bool is_last = false;
    for (int i = 0; i < call->arity; i++) {
        Expr argument = call->arguments[i];
        arguments[i] = argument;
        if (argument->op != OP_ACCESS)
            continue;
        arguments[i] = corner(pass, ranges, stmt, argument, is_last);
        is_last = !is_last;
    }
    return expr_with_arguments(pass->pool, call, arguments);
}

/* Replaces the loops around the store by the store of their box. */
static void collapse(ExternPass *pass, Stmt *store) {
    const FuncShape *func = store->store.func;
    Arena *arena = pass->program->arena;
    if (!pass->simplifier)
        pass->simplifier = simplifier_create(pass->pool, pass->arena);
    Ranges ranges = ranges_create(pass->pool, pass->arena, pass->simplifier);
    Expr *firsts = arena_array(arena, Expr, func->dimensions);
    store->store.lasts = arena_array(arena, Expr, func->dimensions);
    Stmt *outermost = store;
    for (Stmt *loop = stmt_parent(store); loop->kind == STMT_FOR; loop = stmt_parent(loop)) {
        Extent interval = loop->loop.interval;
        Interval range = {interval.minimum, last_of(pass->pool, interval), NULL};
        for (int d = 0; d < func->dimensions; d++)
            if (store->store.indices[d]->op == OP_VARIABLE &&
                store->store.indices[d]->name == loop->loop.binder) {
                firsts[d] = range.lower;
                store->store.lasts[d] = range.upper;
            }
        ranges_bind(&ranges, loop->loop.binder, range);
        outermost = loop;
    }
    for (int d = 0; d < func->dimensions; d++)
        hlc_assert(firsts[d], "no directive changes the loops of an extern stage");
    hlc_assert(stmt_parent(outermost)->kind == STMT_LABEL, "its loops are those of its stage");
    for (int c = 0; c < func->components; c++)
        store->store.values[c] = widen(pass, &ranges, store, store->store.values[c]);
    store->store.indices = firsts;
    if (outermost == store)
        return;
    stmt_unlink(store);
    stmt_insert_before(outermost, store);
    stmt_unlink(outermost);
}

void lower_extern(Program *program, Arena *arena) {
    ExternPass pass = {.program = program, .pool = program->pool, .arena = arena};
    StmtVisitor visitor = {.data = &pass, .enter = collect};
    block_visit(&program->body, &visitor);
    for (size_t i = 0; i < pass.stores.length; i++)
        collapse(&pass, pass.stores.data[i]);
}

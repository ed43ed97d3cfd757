/* access.c -- the clauses on reads and writes.
 *
 *   read     an evaluated read lies in the memory of its func, or in the extents of its image
 *   needed   a read lies in the compute region, in two cases: the write may hit the compute region
 *            of the written func; or the read stands in an index, a condition or a bound (5d)
 *   write    a write lies in memory
 */
#include "checkers/certify/internal.h"

/* Makes an obligation.  `goal` is in the program's variables, under the walk's context and more. */
static void ask_read(CertifyWalk *walk, ClauseId clause, Stmt *stmt, Expr access, int dimension,
                     Expr goal, const ContextFact *context) {
    Obligation *obligation = obligation_add(walk, clause, stmt, access->name, goal, NULL);
    obligation->context = context;
    /* If places do not show what is written, the context has fewer facts than hold. */
    if (clause == CLAUSE_NEEDED && stmt->kind == STMT_STORE)
        obligation->is_exact = !state_has_places(walk_state(walk, stmt->store.func->name), -1);
    if (clause == CLAUSE_ORDER)
        obligation->is_exact = !walk_state(walk, access->name)->runs; /* the goal may be stronger */
    origin_of_access(walk, obligation, access, dimension);
}

static void ask_image(CertifyWalk *walk, Stmt *stmt, Expr access) {
    for (int k = 0; k < access->arity; k++) {
        Extent held = {expr_buffer_field(walk->pool, access->name, FIELD_MINIMUM, k),
                       expr_buffer_field(walk->pool, access->name, FIELD_EXTENT, k)};
        ask_read(walk, CLAUSE_IMAGE, stmt, access, k,
                 interval_holds(walk->pool, held, access->arguments[k]), walk->context);
    }
}

static void ask_func(CertifyWalk *walk, Stmt *stmt, Expr access, const FuncKnowledge *state,
                     const ContextFact *needed) {
    if (!state->memory || !state->compute) {
        ask_read(walk, CLAUSE_ORDER, stmt, access, 0, expr_bool(walk->pool, false), walk->context);
        return;
    }
    for (int k = 0; k < access->arity; k++)
        ask_read(walk, CLAUSE_READ, stmt, access, k,
                 interval_holds(walk->pool, state->memory[k], access->arguments[k]), walk->context);
    if (needed && state->runs)
        ask_read(walk, CLAUSE_ORDER, stmt, access, 0, state->runs, needed);
    if (needed && order_is_open(stmt, state))
        order_clause(walk, stmt, access, state, needed);
    /* PASS_FOLD has removed the record of what slid. */
    for (int k = 0; needed && k < access->arity && !state_has_places(state, -1); k++)
        ask_read(walk, CLAUSE_NEEDED, stmt, access, k,
                 interval_holds(walk->pool, state->held[k], access->arguments[k]), needed);
}

void read_clauses(CertifyWalk *walk, Stmt *stmt, Expr expr, bool counts,
                  const ContextFact *in_compute) {
    Exprs accesses = expr_accesses_of(walk->arena, expr);
    for (size_t i = 0; i < accesses.length; i++) {
        FuncKnowledge *state = walk_state(walk, accesses.data[i]->name);
        if (state)
            ask_func(walk, stmt, accesses.data[i], state, counts ? walk->context : in_compute);
        else
            ask_image(walk, stmt, accesses.data[i]);
    }
}

void write_clauses(CertifyWalk *walk, Stmt *store) {
    const FuncShape *shape = store->store.func;
    FuncKnowledge *state = walk_state(walk, shape->name);
    if (!state->memory || !state->compute) {
        origin_of_write(walk,
                        obligation_add(walk, CLAUSE_ORDER, store, shape->name,
                                       expr_bool(walk->pool, false), NULL),
                        0);
        return;
    }
    for (int k = 0; k < shape->dimensions; k++) {
        Obligation *obligation = obligation_add(
            walk, CLAUSE_WRITE, store, shape->name,
            interval_holds(walk->pool, state->memory[k], store->store.indices[k]), NULL);
        origin_of_write(walk, obligation, k);
    }
    for (int k = 0; k < shape->dimensions; k++)
        read_clauses(walk, store, store->store.indices[k], true, NULL);
    const ContextFact *in_compute = write_hits(walk, store, state);
    for (int i = 0; i < shape->components; i++)
        read_clauses(walk, store, stmt_stored_value(walk->pool, walk->arena, store, i), false,
                     in_compute);
}

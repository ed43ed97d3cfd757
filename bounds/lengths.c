/* lengths.c -- vectorized and unrolled loops run a constant number of iterations.
 *
 * The consumers of a func decide how long its loops are.  So when the regions are known, the length
 * of such a loop is a constant, or is at most a constant:
 *
 *     for f.s0.x in (m, n) unrolled do            for f.s0.x_u in (0, 4) unrolled do
 *       s                                   ->      let f.s0.x in (m, n) = m + f.s0.x_u in
 *                                                     if f.s0.x < m + n then s        -- role guard
 *
 * That is the inner loop of a split by 4 whose outer loop has one iteration.  Lanes run no producer
 * (schedule/levels.c), so the guard of a vectorized loop sinks below the loops of the nest, as a
 * split's does.  If no constant is known, the loop is refused.
 */
#include "bounds/inference.h"

static const LengthRequest *request_of(const BoundsInference *bounds, const LoopName *loop) {
    const BoundRequests *requests = bounds->requests;
    for (size_t i = 0; i < requests->lengths.length; i++) {
        const LengthRequest *request = &requests->lengths.data[i];
        if (request->loop.func == loop->func && request->loop.stage == loop->stage &&
            request->loop.specialization == loop->specialization &&
            request->loop.variable == loop->variable)
            return request;
    }
    return NULL;
}

static bool find_length(void *data, Stmt *stmt) {
    BoundsInference *bounds = data;
    const LengthRequest *request =
        stmt->kind == STMT_FOR && (stmt->loop.traversal == TRAVERSE_VECTORIZED ||
                                   stmt->loop.traversal == TRAVERSE_UNROLLED)
            ? request_of(bounds, &stmt->loop.name)
            : NULL;
    Expr length = request ? inference_resolve(bounds, stmt->loop.interval.length) : NULL, most;
    if (!request || expr_is_constant(length))
        return true;
    int64_t limit =
        limit_constant(bounds, stmt, stmt->loop.interval.length, request->longest, &most);
    if (limit) {
        vec_push(bounds->arena, &bounds->limited, (LimitedLoop){stmt, limit});
        return true;
    }
    bounds->failed = true;
    diag(bounds->context, DIAG_TRAVERSE_LENGTH, request->place,
         loop_symbol(bounds->context, &stmt->loop.name)->text,
         traversal_text(stmt->loop.traversal));
    return true;
}

void find_lengths(BoundsInference *bounds) {
    if (bounds->requests->lengths.length)
        block_visit(&bounds->program->body, &(StmtVisitor){bounds, find_length, NULL});
}

/* ---- putting them ---- */

/* `x_u` of `x`: no other loop or let of the stage has this name. */
static LoopName lane_name(BoundsInference *bounds, const LoopName *loop, Traversal traversal) {
    const char *ending = traversal == TRAVERSE_VECTORIZED ? "v" : "u";
    SymbolTable *symbols = &bounds->context->symbols;
    LoopName name = *loop;
    name.variable = symbol_format(symbols, "%s_%s", loop->variable->text, ending);
    for (int n = 1; map_get(&bounds->binders, loop_symbol(bounds->context, &name)); n++)
        name.variable = symbol_format(symbols, "%s_%s%d", loop->variable->text, ending, n);
    return name;
}

/* Puts `outer`, a let or an if, around all of the block. */
static void wrap(Block *block, Stmt *outer) {
    block_move_all(stmt_body(outer), block);
    block_append(block, outer);
}

static Block *guarded_block(Stmt *loop) {
    Stmt *innermost = loop;
    while (loop->loop.traversal == TRAVERSE_VECTORIZED && innermost->loop.body.last &&
           innermost->loop.body.last->kind == STMT_FOR)
        innermost = innermost->loop.body.last;
    return &innermost->loop.body;
}

static void put_limit(BoundsInference *bounds, Stmt *loop, int64_t limit) {
    Pool *pool = bounds->pool;
    Extent whole = loop->loop.interval;
    Symbol binder = loop->loop.binder;
    Stmt *guard = stmt_create(bounds->program, STMT_IF, loop->place),
         *let = stmt_create(bounds->program, STMT_LET, loop->place);
    guard->branch.role = IF_GUARD;
    guard->branch.condition = expr_lt(pool, expr_variable(pool, binder, INDEX),
                                      expr_add(pool, whole.minimum, whole.length));
    wrap(guarded_block(loop), guard);
    loop->loop.name = lane_name(bounds, &loop->loop.name, loop->loop.traversal);
    loop->loop.binder = loop_symbol(bounds->context, &loop->loop.name);
    loop->loop.interval = (Extent){expr_index(pool, 0), expr_index(pool, limit)};
    map_put(&bounds->binders, loop->loop.binder, loop);
    let->let.binder = binder;
    let->let.value = expr_add(pool, whole.minimum, expr_variable(pool, loop->loop.binder, INDEX));
    let->let.tail = TAIL_INSIDE;
    let->let.domain = whole;
    wrap(&loop->loop.body, let);
}

void put_lengths(BoundsInference *bounds) {
    for (size_t i = 0; i < bounds->limited.length; i++)
        put_limit(bounds, bounds->limited.data[i].loop, bounds->limited.data[i].limit);
}

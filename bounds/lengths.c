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
 * split's does.  The regions of producers inside an unrolled loop are formulas of its own variable,
 * along which they may slide.  If no constant is known, the loop is refused.
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

/* What slides along the loop slides along the new one. */
static void rename_slides(BoundsInference *bounds, Symbol from, Symbol to) {
    for (size_t i = 0; i < bounds->slides.length; i++)
        if (bounds->slides.data[i].loop == from)
            bounds->slides.data[i].loop = to;
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
        LoopName name = lane_name(bounds, &stmt->loop.name, stmt->loop.traversal);
        Symbol binder = loop_symbol(bounds->context, &name);
        vec_push(bounds->arena, &bounds->limited, (LimitedLoop){stmt, limit, name});
        map_put(&bounds->binders, binder, stmt);
        rename_slides(bounds, stmt->loop.binder, binder);
        return true;
    }
    bounds->failed = true;
    diag(bounds->context, DIAG_TRAVERSE_LENGTH, request->place,
         loop_symbol(bounds->context, &stmt->loop.name)->text, traversal_text(request->asked));
    return true;
}

void find_lengths(BoundsInference *bounds) {
    if (bounds->requests->lengths.length)
        block_visit(&bounds->program->body, &(StmtVisitor){bounds, find_length, NULL});
}

/* ---- putting them ---- */

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

typedef struct LoopRenaming {
    BoundsInference *bounds;
    Symbol binder; /* of the loop before */
    Expr variable; /* of the loop now */
    Expr value;    /* of the variable before */
} LoopRenaming;

static Expr rename_expr(void *data, Expr expr) {
    const LoopRenaming *renaming = data;
    return expr_substitute(renaming->bounds->pool, renaming->bounds->arena, expr, renaming->binder,
                           renaming->value);
}

/* Stores keep the variable, which a let binds. */
static bool rename_statement(void *data, Stmt *stmt) {
    const LoopRenaming *renaming = data;
    for (int i = 0; stmt->kind == STMT_COMPUTE && i < stmt->compute.slide_count; i++)
        if (stmt->compute.slides[i].loop->name == renaming->binder)
            stmt->compute.slides[i].loop = renaming->variable;
    if (stmt->kind != STMT_STORE)
        stmt_map_own_exprs(stmt, rename_expr, data);
    return true;
}

static void put_limit(BoundsInference *bounds, const LimitedLoop *limited) {
    Pool *pool = bounds->pool;
    Stmt *loop = limited->loop, *guard = stmt_create(bounds->program, STMT_IF, loop->place),
         *let = stmt_create(bounds->program, STMT_LET, loop->place);
    Extent whole = loop->loop.interval;
    Symbol binder = loop->loop.binder;
    loop->loop.name = limited->name;
    loop->loop.binder = loop_symbol(bounds->context, &limited->name);
    loop->loop.interval = (Extent){expr_index(pool, 0), expr_index(pool, limited->limit)};
    Expr variable = expr_variable(pool, loop->loop.binder, INDEX);
    LoopRenaming renaming = {bounds, binder, variable, expr_add(pool, whole.minimum, variable)};
    block_visit(&loop->loop.body, &(StmtVisitor){&renaming, rename_statement, NULL});
    guard->branch.role = IF_GUARD;
    guard->branch.condition = expr_lt(pool, expr_variable(pool, binder, INDEX),
                                      expr_add(pool, whole.minimum, whole.length));
    wrap(guarded_block(loop), guard);
    let->let.binder = binder;
    let->let.value = renaming.value;
    let->let.tail = TAIL_INSIDE;
    let->let.domain = whole;
    wrap(&loop->loop.body, let);
}

void put_lengths(BoundsInference *bounds) {
    for (size_t i = 0; i < bounds->limited.length; i++)
        put_limit(bounds, &bounds->limited.data[i]);
}

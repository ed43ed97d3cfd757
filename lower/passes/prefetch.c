/* prefetch.c -- PASS_PREFETCH: makes a statement of each prefetch that the schedule asks for.
 *
 *     for out.s0.y in (0, n) prefetching input by 2 do
 *       for out.s0.x in (0, w) do
 *         out[out.s0.x, out.s0.y] <- input[out.s0.x + 1, out.s0.y]
 *
 *     for out.s0.y in (0, n) do
 *       prefetch input [(1, w), (out.s0.y + 2, 1)]
 *       for out.s0.x in (0, w) do ..
 *
 * Afterwards no loop has such a mark.  The box is the hull of all reads of the func or image in the
 * loop's body, moved on by the distance.  Variables bound inside are eliminated (bounds/region.h).
 * At the loop's last iterations the box may reach beyond what exists.  Nothing is read then: a
 * processor ignores what it cannot fetch, and neither interpreter nor certificate takes notice.  So
 * there is nothing to prove.
 *
 * Lanes that read far apart, each along its own stretch, have a box each.  This applies to
 * vectorized and unrolled loops inside if the boxes of their iterations cannot share a cache line.
 * Their iterations stay apart, and the statement stands in loops of its own.
 *
 *     for out.s1.r in (0, n) prefetching a by 8 do
 *       for out.s1.v in (0, 16) vectorized do .. a[out.s1.v*4104 + out.s1.r] ..
 *
 *     for out.s1.r in (0, n) do
 *       for out.s1.v'2 in (0, 16) unrolled do
 *         prefetch a [(out.s1.v'2*4104 + out.s1.r + 8, 1)]
 *       for out.s1.v in (0, 16) vectorized do ..
 *
 * After folding, a ring would be fetched as a whole, but it is in the cache already.  Only funcs
 * and images outside the loop that are not folded are worth fetching.
 */
#include "lower/passes/prefetch.h"

#include "lower/passes/lets.h"

#include <string.h>

/* Elements this far apart are not in one cache line, whatever their type. */
enum { APART = 64 };

typedef struct Fetching {
    Program *program;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier; /* null before the first prefetch */
    bool sound;
    /* of the prefetch under construction */
    const Prefetch *prefetch;
    Ranges ranges;
    Lets lets; /* the lets inside */
    Hull lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
    int dimensions;          /* 0: no read was found */
    bool is_open;            /* a read was found that nothing bounds */
    bool begins;             /* its memory begins inside */
    Vec(const Stmt *) lanes; /* loops whose iterations have a box each, outermost first */
    Map together;            /* loop inside -> itself: one box for all iterations */
} Fetching;

/* ---- the reads of the body ---- */

static Interval range_of(Fetching *fetching, Expr expr) {
    return ranges_of(&fetching->ranges, lets_expand(&fetching->lets, expr));
}

static void see_access(Fetching *fetching, Expr access) {
    fetching->dimensions = access->arity;
    for (int d = 0; d < access->arity; d++) {
        Interval range = range_of(fetching, access->arguments[d]);
        fetching->is_open |= !range.lower || !range.upper;
        if (fetching->is_open)
            return;
        hull_add(&fetching->lower[d], &fetching->ranges, range.lower);
        hull_add(&fetching->upper[d], &fetching->ranges, range.upper);
    }
}

static void see_expr(void *data, Expr expr) {
    Fetching *fetching = data;
    Exprs accesses = {0};
    expr_accesses(fetching->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (accesses.data[i]->name == fetching->prefetch->name)
            see_access(fetching, accesses.data[i]);
}

static bool may_be_lanes(const Fetching *fetching, const Stmt *loop) {
    int64_t number;
    return (loop->loop.traversal == TRAVERSE_VECTORIZED ||
            loop->loop.traversal == TRAVERSE_UNROLLED) &&
           expr_constant_integer(loop->loop.interval.minimum, &number) &&
           expr_constant_integer(loop->loop.interval.length, &number) &&
           !map_get(&fetching->together, loop);
}

static bool see_statement(void *data, Stmt *stmt) {
    Fetching *fetching = data;
    stmt_each_expr(stmt, see_expr, fetching);
    if (stmt->kind == STMT_LET)
        lets_bind(&fetching->lets, stmt->let.binder, stmt->let.value);
    if (stmt->kind == STMT_FOR && may_be_lanes(fetching, stmt)) {
        vec_push(fetching->arena, &fetching->lanes, stmt);
    } else if (stmt->kind == STMT_FOR) {
        lets_bind_range(&fetching->ranges, stmt->loop.binder,
                        lets_expand_interval(&fetching->lets, stmt->loop.interval));
    }
    if (stmt->kind == STMT_ALLOCATE)
        fetching->begins |= stmt->allocate.func->name == fetching->prefetch->name;
    return true;
}

static void search_body(Fetching *fetching, Stmt *loop) {
    fetching->ranges = ranges_create(fetching->pool, fetching->arena, fetching->simplifier);
    fetching->lets = lets_create(fetching->pool, fetching->arena);
    fetching->dimensions = 0;
    fetching->is_open = fetching->begins = false;
    fetching->lanes.length = 0;
    for (int d = 0; d < MAX_DIMENSIONS; d++) {
        fetching->lower[d] = (Hull){.is_lower = true};
        fetching->upper[d] = (Hull){.is_lower = false};
    }
    StmtVisitor visitor = {.data = fetching, .enter = see_statement};
    block_visit(&loop->loop.body, &visitor);
}

static Extent interval_of(Fetching *fetching, int d) {
    Pool *pool = fetching->pool;
    Expr least = hull_end(&fetching->lower[d], &fetching->ranges).expr;
    Expr most = hull_end(&fetching->upper[d], &fetching->ranges).expr;
    return (Extent){least, expr_add(pool, expr_sub(pool, most, least), expr_index(pool, 1))};
}

static Expr moved_on(Fetching *fetching, Expr expr, Symbol binder, int by) {
    Pool *pool = fetching->pool;
    Substitution later = substitution_create(fetching->arena);
    substitution_add(&later, binder,
                     expr_add(pool, expr_variable(pool, binder, INDEX), expr_index(pool, by)));
    return substitution_apply(pool, &later, expr);
}

/* Are the boxes of this loop's iterations free of common cache lines? */
static bool is_apart(Fetching *fetching, const Stmt *lanes) {
    for (int d = 0; d < fetching->dimensions; d++) {
        Extent box = interval_of(fetching, d);
        Expr next = moved_on(fetching, box.minimum, lanes->loop.binder, 1);
        Expr shift = simplify(fetching->simplifier, expr_sub(fetching->pool, next, box.minimum));
        int64_t by, length;
        if (expr_constant_integer(shift, &by) &&
            expr_constant_integer(simplify(fetching->simplifier, box.length), &length) &&
            length >= 0 && length <= INT32_MAX && (by >= length + APART || -by >= length + APART))
            return true;
    }
    return false;
}

/* Searches until no loop leaves the lanes; each search has fewer. */
static void search(Fetching *fetching, Stmt *loop) {
    if (!fetching->simplifier)
        fetching->simplifier = simplifier_create(fetching->pool, fetching->arena);
    fetching->together = map_create(fetching->arena);
    for (bool is_final = false; !is_final;) {
        search_body(fetching, loop);
        is_final = true;
        for (size_t i = 0; i < fetching->lanes.length && !fetching->is_open; i++)
            if (!is_apart(fetching, fetching->lanes.data[i])) {
                map_put(&fetching->together, fetching->lanes.data[i],
                        (void *)fetching->lanes.data[i]);
                is_final = false;
            }
    }
}

/* ---- the statement ---- */

/* Returns the block for the statement: loops over the lanes, at the start of the body. */
static Block *make_loops(Fetching *fetching, Stmt *loop, Substitution *renamed) {
    Pool *pool = fetching->pool;
    Block *block = &loop->loop.body;
    for (size_t i = 0; i < fetching->lanes.length; i++) {
        const Stmt *lanes = fetching->lanes.data[i];
        Stmt *own = stmt_create(fetching->program, STMT_FOR, fetching->prefetch->place);
        const char *text = lanes->loop.binder->text;
        own->loop.name = lanes->loop.name;
        own->loop.binder = symbol_fresh(&pool->context->symbols,
                                        arena_text(fetching->arena, text, strcspn(text, "'")));
        own->loop.interval = lanes->loop.interval;
        own->loop.traversal = TRAVERSE_UNROLLED;
        own->loop.pure = true;
        substitution_add(renamed, lanes->loop.binder, expr_variable(pool, own->loop.binder, INDEX));
        block_prepend(block, own);
        block = &own->loop.body;
    }
    return block;
}

static void insert(Fetching *fetching, Stmt *loop) {
    Pool *pool = fetching->pool;
    Stmt *stmt = stmt_create(fetching->program, STMT_PREFETCH, fetching->prefetch->place);
    Substitution renamed = substitution_create(fetching->arena);
    Block *block = make_loops(fetching, loop, &renamed);
    stmt->prefetch.name = fetching->prefetch->name;
    stmt->prefetch.dimensions = fetching->dimensions;
    stmt->prefetch.intervals = arena_array(fetching->program->arena, Extent, fetching->dimensions);
    for (int d = 0; d < fetching->dimensions; d++) {
        Extent box = interval_of(fetching, d);
        Expr *ends[] = {&box.minimum, &box.length};
        for (int end = 0; end < 2; end++) {
            Expr later =
                moved_on(fetching, *ends[end], loop->loop.binder, fetching->prefetch->distance);
            *ends[end] = simplify(fetching->simplifier, substitution_apply(pool, &renamed, later));
        }
        stmt->prefetch.intervals[d] = box;
    }
    block_prepend(block, stmt);
}

static bool is_vectorized(const Stmt *loop) {
    for (; loop; loop = stmt_parent(loop))
        if (loop->kind == STMT_FOR && loop->loop.traversal == TRAVERSE_VECTORIZED)
            return true;
    return false;
}

/* Returns the reason against the prefetch; null: there is none. */
static const char *find_objection(const Fetching *fetching, const Stmt *loop) {
    return is_vectorized(loop)     ? "it is vectorized, or stands inside a loop that is"
           : fetching->begins      ? "its memory begins anew in each iteration"
           : !fetching->dimensions ? "nothing in the loop reads it"
           : fetching->is_open     ? "nothing bounds where it is read"
                                   : NULL;
}

static void make(Fetching *fetching, Stmt *loop, const Prefetch *prefetch) {
    fetching->prefetch = prefetch;
    search(fetching, loop);
    const char *objection = find_objection(fetching, loop);
    if (!objection) {
        insert(fetching, loop);
        return;
    }
    fetching->sound = false;
    diag(fetching->pool->context, DIAG_PREFETCH, prefetch->place, prefetch->name->text,
         loop_symbol(fetching->pool->context, &loop->loop.name)->text, objection);
}

/* Inner loops come first; their prefetch statements read nothing. */
static void leave(void *data, Stmt *stmt) {
    if (stmt->kind != STMT_FOR)
        return;
    for (const Prefetch *p = stmt->loop.prefetches; p; p = p->next)
        make(data, stmt, p);
    stmt->loop.prefetches = NULL;
}

static bool enter(void *data, Stmt *stmt) {
    (void)data, (void)stmt;
    return true;
}

bool lower_prefetch(Program *program, Arena *arena) {
    Fetching fetching = {.program = program, .pool = program->pool, .arena = arena, .sound = true};
    StmtVisitor visitor = {.data = &fetching, .enter = enter, .leave = leave};
    block_visit(&program->body, &visitor);
    return fetching.sound;
}

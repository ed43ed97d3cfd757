/* prefetch.c -- PASS_PREFETCH: what a schedule wants fetched ahead is a statement.
 *
 *     for out.s0.y in (0, n) prefetching input by 2 do
 *       for out.s0.x in (0, w) do
 *         out[out.s0.x, out.s0.y] <- input[out.s0.x + 1, out.s0.y]
 *
 *     for out.s0.y in (0, n) do
 *       prefetch input [(1, w), (out.s0.y + 2, 1)]
 *       for out.s0.x in (0, w) do ..
 *
 * Afterwards no loop has such a wish.  The box is the hull of all that the loop's body reads of the
 * func or image, with what is bound inside eliminated (bounds/region.h), moved on by the distance.
 * It may reach beyond what there is, at the loop's last iterations: nothing is read, a processor
 * ignores what it cannot fetch, and neither interpreter nor certificate takes notice.  So there is
 * nothing to prove.
 *
 * After folding, a ring is fetched as a whole, which is in the cache already: of use is what lies
 * outside of the loop and is not folded.
 */
#include "lower/prefetch.h"

#include "bounds/region.h"
#include "ir/walk.h"

typedef struct Fetching {
    Program *program;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier; /* null before the first of them */
    bool sound;
    /* of the prefetch that is being made */
    const Prefetch *prefetch;
    Ranges ranges;
    Map lets; /* Symbol of a let inside -> its value, without lets */
    ExprMemo memo;
    Hull lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
    int dimensions; /* 0: no read was met */
    bool is_open;   /* one was that nothing bounds */
    bool begins;    /* its memory begins inside */
} Fetching;

/* ---- what the body reads ---- */

static Expr replace_let(void *data, Pool *pool, Expr node) {
    const Fetching *fetching = data;
    (void)pool;
    Expr value = node->op == OP_VARIABLE ? map_get(&fetching->lets, node->name) : NULL;
    return value ? value : node;
}

static Range range_of(Fetching *fetching, Expr expr) {
    expr = expr_rewrite(fetching->pool, &fetching->memo, expr, replace_let, fetching);
    return ranges_of(&fetching->ranges, expr);
}

static void see_access(Fetching *fetching, Expr access) {
    fetching->dimensions = access->arity;
    for (int d = 0; d < access->arity; d++) {
        Range range = range_of(fetching, access->arguments[d]);
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

static bool see_statement(void *data, Stmt *stmt) {
    Fetching *fetching = data;
    Pool *pool = fetching->pool;
    stmt_each_expr(stmt, see_expr, fetching);
    if (stmt->kind == STMT_LET)
        map_put(
            &fetching->lets, stmt->let.binder,
            (void *)expr_rewrite(pool, &fetching->memo, stmt->let.value, replace_let, fetching));
    if (stmt->kind == STMT_FOR) {
        Expr first = stmt->loop.interval.minimum;
        Expr last =
            expr_sub(pool, expr_add(pool, first, stmt->loop.interval.length), expr_index(pool, 1));
        Range range = {.lower = range_of(fetching, first).lower,
                       .upper = range_of(fetching, last).upper,
                       .culprit = stmt->loop.interval.length};
        ranges_bind(&fetching->ranges, stmt->loop.binder, range);
    }
    if (stmt->kind == STMT_ALLOCATE)
        fetching->begins |= stmt->allocate.func->name == fetching->prefetch->name;
    return true;
}

static void search(Fetching *fetching, Stmt *loop) {
    if (!fetching->simplifier)
        fetching->simplifier = simplifier_create(fetching->pool, fetching->arena);
    fetching->ranges = ranges_create(fetching->pool, fetching->arena, fetching->simplifier);
    fetching->lets = map_create(fetching->arena);
    fetching->memo = expr_memo(fetching->arena);
    fetching->dimensions = 0;
    fetching->is_open = fetching->begins = false;
    for (int d = 0; d < MAX_DIMENSIONS; d++) {
        fetching->lower[d] = (Hull){.is_lower = true};
        fetching->upper[d] = (Hull){.is_lower = false};
    }
    StmtVisitor visitor = {.data = fetching, .enter = see_statement};
    block_visit(&loop->loop.body, &visitor);
}

/* ---- the statement ---- */

static void insert(Fetching *fetching, Stmt *loop) {
    Pool *pool = fetching->pool;
    Stmt *stmt = stmt_create(fetching->program, STMT_PREFETCH, fetching->prefetch->place);
    Substitution later = substitution_create(fetching->arena);
    Expr variable = expr_variable(pool, loop->loop.binder, INDEX);
    substitution_add(&later, loop->loop.binder,
                     expr_add(pool, variable, expr_index(pool, fetching->prefetch->distance)));
    stmt->prefetch.name = fetching->prefetch->name;
    stmt->prefetch.dimensions = fetching->dimensions;
    stmt->prefetch.intervals =
        arena_array(fetching->program->arena, Interval, fetching->dimensions);
    for (int d = 0; d < fetching->dimensions; d++) {
        Expr least = hull_end(&fetching->lower[d], &fetching->ranges).expr;
        Expr most = hull_end(&fetching->upper[d], &fetching->ranges).expr;
        Expr length = expr_add(pool, expr_sub(pool, most, least), expr_index(pool, 1));
        stmt->prefetch.intervals[d] =
            (Interval){simplify(fetching->simplifier, substitution_apply(pool, &later, least)),
                       simplify(fetching->simplifier, substitution_apply(pool, &later, length))};
    }
    block_prepend(&loop->loop.body, stmt);
}

static bool is_vectorized(const Stmt *loop) {
    for (; loop; loop = stmt_parent(loop))
        if (loop->kind == STMT_FOR && loop->loop.traversal == TRAVERSE_VECTORIZED)
            return true;
    return false;
}

/* What speaks against it; null: nothing does. */
static const char *find_objection(const Fetching *fetching, const Stmt *loop) {
    return is_vectorized(loop)     ? "its iterations are run side by side"
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

/* Inner loops first, whose statements are none that read. */
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

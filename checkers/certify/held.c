/* held.c -- the clause on the region that a slid compute statement holds (bounds/slide.c).
 *
 * At the statement, each held point is computed now, or was held in an earlier iteration.  There is
 * one such iteration for each loop that a dimension slides along:
 *
 *     compute f on [(m < y ? y + 2 : m, ..)] holding [(y, 3)] sliding y along y
 *
 *     y <= p <= y + 2   =>   p is computed now,  or  m < y and y - 1 <= p <= y + 1
 *
 * That iteration ran the statement and its stages: the loops between run there, too, and conditions
 * hold, also the `if` around the stages (bounds/arms.c), which holds now.  Its
 * values are still there for two reasons.  Each write of the func lies in the part computed now, in
 * the sliding dimensions and in those in which iterations hold different coordinates.  No other
 * write stands in the loops that it slides along.
 */
#include "checkers/certify/internal.h"

/* The most loops that one dimension slides along; with more, the clause is not proved. */
enum { MAX_SLIDES = 16 };

/* ---- the iteration before ---- */

/* Maps each expression to its value in the iteration before. */
typedef struct Before {
    CertifyWalk *walk;
    Map replaced; /* Expr -> Expr */
} Before;

static Expr there(Before *before, Expr expr) {
    CertifyWalk *walk = before->walk;
    return lift_replace(walk->pool, walk->arena, &before->replaced, walk_expand(walk, expr));
}

static Extent interval_there(Before *before, Extent interval) {
    return (Extent){there(before, interval.minimum), there(before, interval.length)};
}

static const Stmt *loop_of(const CertifyWalk *walk, const Slide *slide) {
    const Stmt *loop =
        slide->loop->op == OP_VARIABLE ? map_get(&walk->binders, slide->loop->name) : NULL;
    return loop && loop->kind == STMT_FOR ? loop : NULL;
}

/* The condition under which the compute statement runs its stages: that of the ifs around all of them. */
static Expr runs_stages(CertifyWalk *walk, const Stmt *compute) {
    Pool *pool = walk->pool;
    Expr result = expr_bool(pool, true);
    const Stmt *stmt = compute->compute.body.first;
    while (stmt && !stmt->next &&
           (stmt->kind == STMT_LET || (stmt->kind == STMT_IF && !stmt->branch.otherwise.first)))
        stmt = stmt_body((Stmt *)stmt)->first;
    for (stmt = stmt ? stmt_parent(stmt) : compute; stmt != compute; stmt = stmt_parent(stmt))
        result = stmt->kind == STMT_LET
                     ? expr_substitute(pool, walk->arena, result, stmt->let.binder, stmt->let.value)
                     : goal_both(pool, result, stmt->branch.condition);
    return result;
}

/* Did that iteration run the compute statement?  All between it and `outermost` is as it was. */
static Expr ran(Before *before, const Stmt *compute, const Stmt *outermost) {
    Pool *pool = before->walk->pool;
    Expr goal = there(before, runs_stages(before->walk, compute));
    const Stmt *inner = compute;
    for (const Stmt *stmt = stmt_parent(compute); inner != outermost;
         inner = stmt, stmt = stmt_parent(stmt)) {
        hlc_assert(stmt, "a loop that a statement slides along stands around it");
        if (stmt->kind == STMT_FOR) {
            Expr variable = expr_variable(pool, stmt->loop.binder, INDEX);
            goal = goal_both(pool, goal,
                             interval_holds(pool, interval_there(before, stmt->loop.interval),
                                            there(before, variable)));
        } else if (stmt->kind == STMT_IF) {
            Expr condition = there(before, stmt->branch.condition);
            bool taken = inner->block == &stmt->branch.body;
            goal = goal_both(pool, goal, taken ? condition : expr_not(pool, condition));
        }
    }
    return goal;
}

/* ---- the clause ---- */

static Expr in_box(Pool *pool, const Extent *box, const Expr *point, int dimensions) {
    Expr inside = expr_bool(pool, true);
    for (int k = 0; k < dimensions; k++)
        inside = goal_both(pool, inside, interval_holds(pool, box[k], point[k]));
    return inside;
}

/* Goes to the iteration before along slide number `index`.  Its loop is one back.  The inner loops
 * that the same dimension slides along are at their last iteration there; now they are at their
 * first: `*valid`.  False if a loop is gone. */
static bool go_back(Before *before, const Stmt *compute, int index, Expr *valid) {
    CertifyWalk *walk = before->walk;
    Pool *pool = walk->pool;
    const Slide *slides = compute->compute.slides;
    Expr variables[MAX_SLIDES], values[MAX_SLIDES], one = expr_index(pool, 1);
    int count = 0;
    *valid = expr_bool(pool, true);
    for (int i = index; i >= 0; i--) {
        if (slides[i].dimension != slides[index].dimension)
            continue;
        const Stmt *loop = loop_of(walk, &slides[i]);
        if (!loop || count == MAX_SLIDES)
            return false;
        Expr variable = slides[i].loop, first = walk_expand(walk, loop->loop.interval.minimum);
        bool is_moved = i == index;
        Expr last = expr_sub(pool, expr_add(pool, first, loop->loop.interval.length), one);
        *valid =
            goal_both(pool, *valid,
                      is_moved ? expr_lt(pool, first, variable) : expr_eq(pool, variable, first));
        values[count] = is_moved ? expr_sub(pool, variable, one) : there(before, last);
        variables[count++] = variable;
        before->replaced = map_create(walk->arena); /* the old map remembers older values */
        for (int k = 0; k < count; k++)
            map_put(&before->replaced, variables[k], values[k]);
    }
    return true;
}

/* Was the point held in the iteration before, along slide number `index`? */
static Expr was_held(CertifyWalk *walk, const Stmt *compute, int index, const Expr *point) {
    Pool *pool = walk->pool;
    Before before = {walk, map_create(walk->arena)};
    Expr valid;
    if (!go_back(&before, compute, index, &valid))
        return expr_bool(pool, false);
    valid = goal_both(pool, valid,
                      ran(&before, compute, loop_of(walk, &compute->compute.slides[index])));
    int dimensions = compute->compute.func->dimensions;
    Extent held[MAX_DIMENSIONS];
    for (int k = 0; k < dimensions; k++)
        held[k] = interval_there(&before, compute->compute.held[k]);
    return goal_both(pool, valid, in_box(pool, held, point, dimensions));
}

/* Is the func written inside the loop by another statement?  Blocks that never run in the same
 * iteration as this statement do not count. */
typedef struct OtherWrites {
    const Stmt *compute;
    Map excluded; /* Block -> itself */
    bool found;
} OtherWrites;

/* Does the condition have one value in all iterations of all loops? */
static bool is_of_startup(CertifyWalk *walk, Expr condition) {
    condition = walk_expand(walk, condition);
    Exprs variables = expr_variables_of(walk->arena, condition);
    for (size_t i = 0; i < variables.length; i++)
        if (map_get(&walk->binders, variables.data[i]->name))
            return false;
    return !expr_has_access(condition);
}

/* Returns the other branches of ifs that choose once and for all, as specializations do. */
static Map excluded_blocks(CertifyWalk *walk, const Stmt *compute, const Stmt *loop) {
    Map excluded = map_create(walk->arena);
    const Stmt *inner = compute;
    for (const Stmt *stmt = stmt_parent(compute); inner != loop;
         inner = stmt, stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_IF && is_of_startup(walk, stmt->branch.condition)) {
            const Block *other =
                inner->block == &stmt->branch.body ? &stmt->branch.otherwise : &stmt->branch.body;
            map_put(&excluded, other, (void *)other);
        }
    return excluded;
}

static bool find_write(void *data, Stmt *stmt) {
    OtherWrites *others = data;
    if (map_get(&others->excluded, stmt->block))
        return false;
    if (stmt->kind == STMT_STORE && stmt->store.func == others->compute->compute.func)
        others->found = true;
    return stmt != others->compute;
}

static void ask_others(CertifyWalk *walk, Stmt *compute, const Slide *slide) {
    const Stmt *loop = loop_of(walk, slide);
    OtherWrites others = {.compute = compute};
    if (loop) {
        others.excluded = excluded_blocks(walk, compute, loop);
        block_visit((Block *)&loop->loop.body,
                    &(StmtVisitor){.data = &others, .enter = find_write});
    }
    const char *func = compute->compute.func->name->text;
    Obligation *obligation =
        obligation_add(walk, CLAUSE_HELD, compute, compute->compute.func->name, NULL,
                       arena_format(walk->arena, "what %s holds along %s", func,
                                    loop ? loop->loop.binder->text : "a loop that is gone"));
    bool has_order = loop && loop->loop.traversal != TRAVERSE_PARALLEL &&
                     loop->loop.traversal != TRAVERSE_VECTORIZED;
    if (has_order && others.found) { /* it may write other points, as the pieces of a loop do */
        obligation->finding = FINDING_OPEN;
        obligation->reason = "another statement in the loop writes the func";
    } else
        obligation_settle(obligation, has_order,
                          has_order
                              ? "the loop runs in order, and nothing else in it writes the func"
                              : "the loop has no order");
    origin_of_level(walk, obligation, compute->compute.func->name);
}

void held_clauses(CertifyWalk *walk, Stmt *compute) {
    const FuncShape *shape = compute->compute.func;
    Pool *pool = walk->pool;
    const ContextFact *context = walk->context;
    Expr point[MAX_DIMENSIONS];
    for (int k = 0; k < shape->dimensions; k++)
        point[k] = expr_variable(
            pool, symbol_fresh(&pool->context->symbols, origin_dimension(shape, k)), INDEX);
    for (int k = 0; k < shape->dimensions; k++)
        context = fact_add(walk, context, interval_holds(pool, compute->compute.held[k], point[k]));
    context = fact_add(walk, context, runs_stages(walk, compute));
    Expr goal = in_box(pool, compute->compute.intervals, point, shape->dimensions);
    for (int i = 0; i < compute->compute.slide_count; i++)
        goal = expr_or(pool, goal, was_held(walk, compute, i, point));
    Obligation *obligation =
        obligation_add(walk, CLAUSE_HELD, compute, shape->name, goal,
                       arena_format(walk->arena, "each point that %s holds", shape->name->text));
    obligation->context = context;
    obligation->is_exact = false;
    origin_of_level(walk, obligation, shape->name);
    for (int i = 0; i < compute->compute.slide_count; i++)
        ask_others(walk, compute, &compute->compute.slides[i]);
}

bool held_depends(CertifyWalk *walk, const Stmt *compute, int k, const Stmt *loop) {
    const Extent *held = &compute->compute.held[k];
    Symbol variable = loop->loop.binder;
    return expr_mentions(walk->arena, walk_expand(walk, held->minimum), variable) ||
           expr_mentions(walk->arena, walk_expand(walk, held->length), variable);
}

/* Does the held region in the dimension differ in some iterations of the loops between the memory
 * and the compute statement? */
static bool is_moving(CertifyWalk *walk, const FuncKnowledge *state, int k) {
    const Stmt *stmt = state->computing;
    while (stmt->block != state->allocate->block) {
        stmt = stmt_parent(stmt);
        hlc_assert(stmt, "the allocation dominates the compute statement (Lemma 6.2)");
        if (stmt->kind == STMT_FOR && held_depends(walk, state->computing, k, stmt))
            return true;
    }
    return false;
}

void held_at_store(CertifyWalk *walk, Stmt *store) {
    const FuncKnowledge *state = walk_state(walk, store->store.func->name);
    const Stmt *compute = state->computing;
    if (!compute || !compute->compute.slide_count)
        return;
    for (int k = 0; k < state->shape->dimensions; k++) {
        bool slides = false;
        for (int i = 0; i < compute->compute.slide_count; i++)
            slides |= compute->compute.slides[i].dimension == k;
        if (!slides && !is_moving(walk, state, k))
            continue;
        Obligation *obligation = obligation_add(
            walk, CLAUSE_HELD, store, state->shape->name,
            interval_holds(walk->pool, compute->compute.intervals[k], store->store.indices[k]),
            NULL);
        origin_of_write(walk, obligation, k);
    }
}

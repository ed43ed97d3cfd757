/* likely.c -- the likely outcome of a test, and the iterations of a loop in which it is certain.
 *
 * A test is a min, max, select or % of indices, or the condition of an `if`.  Its likely outcome is
 * the outcome in the middle of a typical run (typical.h).  For a clamp this is the middle, and for
 * a guard "true".  For the select of a boundary condition it is the inside, and for the size of a
 * tile the whole tile.  The outcome is a guess: a wrong guess makes slow code, not wrong code.
 *
 * A test stays if it may err in the formal reading (a division by what may be 0), or if it reads
 * memory.
 *
 * The test belongs to the innermost loop that may be split for it and on which the condition
 * depends, also through lets and through the first iteration of a loop inside.  Loops over reduction
 * domains give way to pure loops outside them.  The condition must hold for all values of the
 * variables bound inside that loop, which are eliminated innermost first.  The solver's inner
 * interval [a, b] of a variable w over (m, n) turns it into `a <= m && m + n - 1 <= b`.  The test
 * surely has its outcome in the inner interval of the loop's variable:
 *
 *     xo*16 + xi < n, xi over (0, 16)   ->   xi <= n - 1 - xo*16   ->   15 <= n - 1 - xo*16
 *                                       ->   xo <= (n - 16)/16
 *
 * Tests are examined bottom-up, so the tests inside are already replaced: in max(min(x, 9), 0) the
 * second test is 0 <= x.  By induction over this order, each replaced test has its outcome in every
 * state that reaches it in the steady states of all loops around it.  The solver may use the facts
 * at the place of the test, because only such states reach it.  But the limits of several tests are
 * combined outside the loop (partition.c), which uses only the facts there.
 */
#include "lower/passes/conditions.h"
#include "lower/passes/partition.h"

#include "simplify/solve.h"

/* ---- conditions over the variables around ---- */

/* Replaces a let's variable by its value; null if the value reads memory. */
static Expr without_let(Partitioner *p, Expr condition, const Stmt *let) {
    if (expr_has_access(let->let.value))
        return NULL;
    return expr_substitute(p->program->pool, p->arena, condition, let->let.binder, let->let.value);
}

static Symbol binder_of(const Stmt *stmt) {
    return stmt->kind == STMT_LET ? stmt->let.binder : stmt->loop.binder;
}

/* Returns `condition` and a <= b; a null operand stands for no condition. */
static Expr and_le(Partitioner *p, Expr condition, Expr a, Expr b) {
    Pool *pool = p->program->pool;
    if (!a || !b)
        return condition;
    Expr le = expr_le(pool, a, b);
    return condition ? expr_and(pool, condition, le) : le;
}

static Expr last_of(Partitioner *p, Extent interval) {
    Pool *pool = p->program->pool;
    Expr end = expr_add(pool, interval.minimum, interval.length);
    return expr_sub(pool, end, expr_index(pool, 1));
}

typedef struct Solved {
    Symbol variable;
    SolvedIntervals intervals;
    struct Solved *next; /* of the same condition for another variable */
} Solved;

/* Solves each condition once a statement for each variable. */
static const SolvedIntervals *solve(Partitioner *p, Expr condition, Symbol variable) {
    Solved *known = map_get(&p->solved, condition), *solved = known;
    while (solved && solved->variable != variable)
        solved = solved->next;
    if (!solved) {
        solved = arena_new(p->arena, Solved);
        *solved = (Solved){
            variable,
            simplify_solve_interval(knowledge_simplifier(&p->knowledge), condition, variable),
            known};
        map_put(&p->solved, condition, solved);
    }
    return &solved->intervals;
}

/* Does the condition hold for all iterations, or (`any`) may it hold for one?  Returns a condition
 * without the loop's variable that implies the first, or that the second implies; null if there is
 * none. */
static Expr over_iterations(Partitioner *p, Expr condition, const Stmt *loop, bool any) {
    const SolvedIntervals *solved = solve(p, condition, loop->loop.binder);
    SolvedInterval part = any ? solved->outer : solved->inner;
    Expr first = loop->loop.interval.minimum, last = last_of(p, loop->loop.interval);
    if (part.is_empty)
        return NULL;
    Expr result = and_le(p, NULL, part.minimum, any ? last : first);
    result = and_le(p, result, any ? first : last, part.maximum);
    return result ? result : expr_bool(p->program->pool, true);
}

/* Eliminates all variables bound inside the loop at `depth`; null if that is impossible. */
static Expr eliminate(Partitioner *p, Expr condition, size_t depth, bool any) {
    for (size_t i = p->around.length; condition && i-- > depth + 1;) {
        const Stmt *stmt = p->around.data[i];
        if (!expr_mentions(p->arena, condition, binder_of(stmt)))
            continue;
        condition = stmt->kind == STMT_LET ? without_let(p, condition, stmt)
                                           : over_iterations(p, condition, stmt, any);
    }
    return condition;
}

/* ---- the loop a test belongs to ---- */

static Partition *partition_of(const Partitioner *p, const Stmt *loop) {
    return map_get(&p->partitions, loop);
}

/* Returns the depth at which loops begin: no value bound above depends on a loop. */
static size_t outermost_loop(const Partitioner *p) {
    size_t depth = 0;
    while (depth < p->around.length && p->around.data[depth]->kind == STMT_LET)
        depth++;
    return depth;
}

/* Returns the condition in the loop's first iteration.  The rows that a loop computes for the row of a
 * loop around begin where that row says: so the condition on a row depends on both loops. */
static Expr at_first_iteration(Partitioner *p, Expr condition, const Stmt *loop) {
    Expr first = loop->loop.interval.minimum;
    if (expr_has_access(first))
        return condition;
    return expr_substitute(p->program->pool, p->arena, condition, loop->loop.binder, first);
}

enum { LARGEST = 1 << 12 }; /* nodes, counted as a tree, of a condition that is examined */

/* Returns the loop that the condition belongs to; null if there is none, or if the condition is
 * too large to tell. */
static Partition *find_partition(Partitioner *p, Expr condition) {
    Partition *found = NULL, *last = NULL;
    bool has_lanes = false, has_copies = false, has_inner = !p->is_clamp;
    for (size_t i = p->around.length, end = outermost_loop(p); condition && i-- > end;) {
        const Stmt *stmt = p->around.data[i];
        if (condition->tree_size > LARGEST)
            return NULL;
        if (!expr_mentions(p->arena, condition, binder_of(stmt)))
            continue;
        if (stmt->kind == STMT_LET) {
            condition = without_let(p, condition, stmt);
            continue;
        }
        Partition *partition = partition_of(p, stmt);
        has_lanes |= stmt->loop.traversal == TRAVERSE_VECTORIZED;
        has_copies |= stmt->loop.traversal == TRAVERSE_UNROLLED;
        /* Better a loop around it; else this one. */
        if (partition && partition->is_short && !has_lanes &&
            partition->splits_for == SPLITS_FOR_ALL) {
            has_lanes = true;
            last = partition;
            continue;
        }
        if (has_lanes && !last && partition && partition->splits_for == SPLITS_LAST)
            last = partition;
        bool is_outer = (has_lanes || has_copies) && !found;
        SplitsFor wanted = is_outer    ? SPLITS_FOR_LANES
                           : has_inner ? SPLITS_FOR_INNER
                                       : SPLITS_FOR_ALL;
        has_inner |= stmt->loop.traversal == TRAVERSE_SERIAL;
        if (!partition || partition->splits_for < wanted) {
            condition = at_first_iteration(p, condition, stmt);
            continue;
        }
        if (stmt->loop.pure)
            return partition;
        found = found ? found : partition;
    }
    return found ? found : last;
}

/* ---- limits ---- */

typedef struct BoundReach {
    Partitioner *partitioner;
    size_t depth;
    bool is_known;
} BoundReach;

/* Checks that a limit can be computed before the loop, in 64 bits: it holds no variable from
 * inside, and nothing that may leave 64 bits. */
static void check_node(void *data, Expr node) {
    static const int64_t FARTHEST = (int64_t)1 << 62;
    BoundReach *reach = data;
    Partitioner *p = reach->partitioner;
    const size_t *depth = node->op == OP_VARIABLE ? map_get(&p->depths, node->name) : NULL;
    if ((depth && *depth >= reach->depth) || node->op == OP_ACCESS)
        reach->is_known = false;
    if (!type_is_index(node->type))
        return;
    ConstantInterval interval = simplify_interval(p->ranges, node);
    reach->is_known &= interval.has_minimum && interval.has_maximum &&
                       interval.minimum >= -FARTHEST && interval.maximum <= FARTHEST;
}

static bool is_known_before(Partitioner *p, Expr limit, size_t depth) {
    BoundReach reach = {p, depth, true};
    if (limit)
        expr_visit(p->arena, limit, check_node, &reach);
    return reach.is_known;
}

static void add_limit(Partitioner *p, Exprs *limits, Expr limit) {
    for (size_t i = 0; i < limits->length; i++)
        if (limits->data[i] == limit)
            return;
    if (limit)
        vec_push(p->arena, limits, limit);
}

static void add_limits(Partitioner *p, Within *limits, SolvedInterval interval) {
    add_limit(p, &limits->least, interval.minimum);
    add_limit(p, &limits->most, interval.maximum);
}

/* Narrows the steady state, if at least half of a typical run's iterations stay in it. */
static bool limit_steady(Partitioner *p, Partition *partition, SolvedInterval interval) {
    int64_t from, to, length;
    if (interval.is_empty || !is_known_before(p, interval.minimum, partition->depth) ||
        !is_known_before(p, interval.maximum, partition->depth) ||
        !typical_value(&p->typical, partition->loop->loop.interval.length, &length))
        return false;
    if (!interval.minimum || !typical_value(&p->typical, interval.minimum, &from) ||
        from < partition->from)
        from = partition->from;
    if (!interval.maximum || !typical_value(&p->typical, interval.maximum, &to) ||
        to > partition->to)
        to = partition->to;
    if (to - from + 1 < length / 2)
        return false;
    partition->from = from;
    partition->to = to;
    add_limits(p, &partition->steady, interval);
    return true;
}

/* Can a loop be limited to the iterations in which the condition holds? */
static bool limit(Partitioner *p, Expr condition) {
    if (condition_may_err(&p->knowledge, condition))
        return false;
    condition = knowledge_simplify(&p->knowledge, condition_in_indices(&p->knowledge, condition));
    if (expr_is_constant(condition))
        return expr_is_true(condition);
    Partition *partition = expr_has_access(condition) ? NULL : find_partition(p, condition);
    if (!partition)
        return false;
    condition = eliminate(p, condition, partition->depth, false);
    if (!condition)
        return false;
    SolvedIntervals solved = simplify_solve_interval(knowledge_simplifier(&p->knowledge), condition,
                                                     partition->loop->loop.binder);
    return limit_steady(p, partition, solved.inner);
}

static bool choose(Partitioner *p, Expr condition);

/* For `a || b` one part is enough; then the loops between its variables do not matter. */
static bool choose_parts(Partitioner *p, Expr condition) {
    const Expr *of = condition->arguments;
    if (condition_may_err(&p->knowledge, condition))
        return false;
    return condition->op == OP_OR ? choose(p, of[0]) || choose(p, of[1])
                                  : choose(p, of[0]) && choose(p, of[1]);
}

/* The parts of `a && b` may belong to different loops, such as that over tiles and that over a
 * tile's rows.  As a whole it would belong to the innermost one. */
static bool choose_one(Partitioner *p, Expr condition) {
    if (condition->op == OP_AND)
        return choose_parts(p, condition) || limit(p, condition);
    return limit(p, condition) || (condition->op == OP_OR && choose_parts(p, condition));
}

static bool choose(Partitioner *p, Expr condition) {
    static const bool outcomes[2] = {false, true};
    const bool *known = map_get(&p->outcomes, condition);
    if (!known) {
        known = &outcomes[choose_one(p, condition)];
        map_put(&p->outcomes, condition, known);
    }
    return *known;
}

/* ---- tests ---- */

static bool usually(Partitioner *p, Expr condition, bool *holds) {
    int64_t value;
    bool is_known = typical_value(&p->typical, condition, &value);
    *holds = is_known && value;
    return is_known;
}

/* Returns `yes` if the first condition is likely, `no` if the second one is, or the node.  The node
 * equals `yes` under the first condition and `no` under the second. */
static Expr decide(Partitioner *p, Expr node, Expr if_yes, Expr yes, Expr if_no, Expr no) {
    bool holds;
    if (!usually(p, if_yes, &holds) || !choose(p, holds ? if_yes : if_no))
        return node;
    return holds ? yes : no;
}

/* Replaces the parts of a likely `a && b` that can be made certain by `true`. */
static Expr without_certain(Partitioner *p, Expr condition) {
    Pool *pool = p->program->pool;
    const Expr *of = condition->arguments;
    if (condition->op == OP_AND)
        return expr_and(pool, without_certain(p, of[0]), without_certain(p, of[1]));
    return choose(p, condition) ? expr_bool(pool, true) : condition;
}

/* A select whose condition cannot be made certain loses the parts that can: a test on columns is a
 * mask, one on rows is the same in all lanes. */
static Expr decide_select(Partitioner *p, Pool *pool, Expr node) {
    const Expr *of = node->arguments;
    Expr decided = decide(p, node, of[0], of[1], expr_not(pool, of[0]), of[2]);
    bool holds;
    if (decided != node || of[0]->op != OP_AND || !usually(p, of[0], &holds) || !holds)
        return decided;
    Expr condition = without_certain(p, of[0]);
    return condition == of[0] ? node : expr_select(pool, condition, of[1], of[2]);
}

/* Returns x - q*n for x % n in the period q of a typical run: q*n <= x < (q + 1)*n.  A constant n
 * shorter than a few vectors leaves no steady state that is worth a copy of the loop. */
static Expr decide_remainder(Partitioner *p, Pool *pool, Expr node) {
    enum { SHORTEST_PERIOD = 64 };
    static const int64_t FARTHEST = (int64_t)1 << 61;
    Expr x = node->arguments[0], n = node->arguments[1], first = expr_index(pool, 0);
    int64_t value, period;
    if (expr_constant_integer(n, &period)) {
        if (period < SHORTEST_PERIOD || period > FARTHEST ||
            !typical_value(&p->typical, x, &value) || value < -FARTHEST || value > FARTHEST)
            return node;
        int64_t phase = value % period;
        first = expr_index(pool, value - (phase < 0 ? phase + period : phase));
    }
    Expr in_period =
        expr_and(pool, expr_le(pool, first, x), expr_lt(pool, x, expr_add(pool, first, n)));
    return decide(p, node, in_period, expr_sub(pool, x, first), expr_bool(pool, false), node);
}

static Expr decide_node(void *data, Pool *pool, Expr node) {
    Partitioner *p = data;
    const Expr *of = node->arguments;
    p->is_clamp = false;
    if (node->op == OP_SELECT)
        return decide_select(p, pool, node);
    if (node->arity != 2 || !type_is_index(node->type))
        return node;
    p->is_clamp = (node->op == OP_MIN || node->op == OP_MAX) && !p->is_length;
    switch ((int)node->op) {
    case OP_MIN:
        return decide(p, node, expr_le(pool, of[0], of[1]), of[0], expr_le(pool, of[1], of[0]),
                      of[1]);
    case OP_MAX:
        return decide(p, node, expr_le(pool, of[1], of[0]), of[0], expr_le(pool, of[0], of[1]),
                      of[1]);
    case OP_MOD:
        return decide_remainder(p, pool, node);
    default:
        return node;
    }
}

Expr partition_likely(Partitioner *p, Expr expr) {
    if (!expr_holds(expr, HOLDS_CHOICE | HOLDS_DIVISION))
        return expr;
    Expr likely = expr_rewrite_alone(p->program->pool, p->arena, expr, decide_node, p);
    return likely == expr ? expr : knowledge_simplify(&p->knowledge, likely);
}

Expr partition_likely_condition(Partitioner *p, Expr condition) {
    Pool *pool = p->program->pool;
    condition = partition_likely(p, condition);
    p->is_clamp = false;
    return decide(p, condition, condition, expr_bool(pool, true), expr_not(pool, condition),
                  expr_bool(pool, false));
}

/* ---- trimming ---- */

static bool stands_alone(const Stmt *stmt) {
    return !stmt->previous && !stmt->next;
}

static bool depends(Partitioner *p, Expr condition, const Partition *partition) {
    Expr some = eliminate(p, condition, partition->depth, true);
    return some && expr_mentions(p->arena, some, partition->loop->loop.binder);
}

/* Returns the innermost loop that may be trimmed.  The `if`, with the statements around it, must be
 * all that the loop holds. */
static Partition *find_trimmed(Partitioner *p, const Stmt *branch, Expr condition) {
    for (const Stmt *stmt = branch; stmt && stands_alone(stmt); stmt = stmt_parent(stmt)) {
        Partition *partition = stmt_parent(stmt) ? partition_of(p, stmt_parent(stmt)) : NULL;
        if (partition && depends(p, condition, partition))
            return partition;
    }
    return NULL;
}

static bool same(SolvedInterval a, SolvedInterval b) {
    return !a.is_empty && a.minimum == b.minimum && a.maximum == b.maximum;
}

bool partition_trim(Partitioner *p, const Stmt *branch) {
    Expr condition = condition_in_indices(&p->knowledge, branch->branch.condition);
    if (branch->branch.otherwise.first || expr_has_access(condition) ||
        condition_may_err(&p->knowledge, branch->branch.condition))
        return false;
    Partition *partition = find_trimmed(p, branch, condition);
    if (!partition)
        return false;
    Symbol variable = partition->loop->loop.binder;
    Expr some = eliminate(p, condition, partition->depth, true);
    Expr all = eliminate(p, condition, partition->depth, false);
    SolvedInterval may = solve(p, some, variable)->outer;
    if (may.is_empty || !is_known_before(p, may.minimum, partition->depth) ||
        !is_known_before(p, may.maximum, partition->depth))
        return false;
    add_limits(p, &partition->alive, may);
    if (branch->branch.role == IF_PREDICATE && partition->loop->loop.name.stage > 0)
        add_limits(p, &partition->predicate, may);
    return all && same(solve(p, all, variable)->inner, may);
}

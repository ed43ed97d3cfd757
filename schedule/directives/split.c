/* split.c -- split(l, vo, vi, k, tail): makes a loop over blocks and a loop of the block's length.
 *
 *     for v in (m, n) do s
 *
 * becomes, with the tail `guard`,
 *
 *     for vo in (0, (n + (k - 1)) / k) do for vi in (0, k) do
 *       [the other loops of the nest]
 *         let v = m + vo*k + vi in        -- inside (m, n)
 *           if v < m + n then s           -- role guard
 *
 * The new let and guard sink below all loops of the nest.  They stand above the lets and guards
 * already there, which may mention v.  `round-up` has no guard: the let's variable may go beyond
 * (m, n).  `shift-inwards` has v = min(m + vo*k, m + n - k) + vi.  This covers the interval
 * [min(m, m + n - k), m + n), which is the let's domain.
 *
 * `predicate` is `guard`, but if the inner loop is vectorized, code generation runs the last
 * iterations under a mask.
 *
 * `round-up-and-blend` and `shift-inwards-and-blend` have the lets of those two.  In updates, their
 * stores write back the old value at points that are not this block's (or not any block's):
 *
 *     f[e..] <- select(v < m + n, value, f[e..])             round-up
 *     f[e..] <- select(vo*k + m <= v, value, f[e..])         shift-inwards
 * In serial loops that changes nothing.  Blocks side by side would undo each other's updates, so
 * split_judge checks two rules.  First, no loop that determines the block's number is parallel or
 * vectorized.  Second, a shifted block overlaps the one before it, and a common point has a
 * different place in each.  So if blocks run one after another inside a loop that determines the
 * place, that loop is neither parallel nor vectorized.
 *
 *
 * The indices and the condition of such an update may not read another func: beyond the loop, its
 * points were never computed.
 *
 * Where a tail without a guard would be unsound, it is a guard, and a warning says so.  Extra points
 * must hold nothing that anyone relies on:
 *   - pure stages only: a stage that reads its own func would apply its update twice.  (A tail that
 *     blends is for updates.)
 *   - only a loop that is a dimension of the func as lowered.  Beyond the end of an inner piece lie
 *     points of the *next* block, for which this block's producers were not computed.  They would
 *     overwrite points of a later or parallel block.  Also, a let further down, from a fuse or an
 *     outer split, states an interval that extra iterations would leave.
 * If the length is constant and the factor divides it (or the last block can be shifted), there are
 * no extra points, and the tail stays.
 *
 * Such points may not outlive the run, either: a func with such a tail slides less (slide.c).
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

static Tail tail_of(const Directive *directive) {
    const DirectiveArgument *argument = directive_find(directive, ARGUMENT_TAIL);
    return argument ? argument->tail : TAILS_GUARD;
}

static bool check_names(const Resolver *resolver, const Directive *directive, LoopNest **nest,
                        size_t *position) {
    const DirectiveArgument *outer = directive_argument(directive, 1),
                            *inner = directive_argument(directive, 2);
    return resolve_nest(resolver, directive_argument(directive, 0), nest, position) &&
           nest_has_room(resolver, *nest, directive->place) &&
           nest_accepts_name(resolver, *nest, outer, NULL) &&
           nest_accepts_name(resolver, *nest, inner, outer);
}

bool split_follow(const Resolver *resolver, const Directive *directive) {
    LoopNest *nest;
    size_t position;
    if (!check_names(resolver, directive, &nest, &position))
        return false;
    const NestLoop *loop = &nest->loops.data[position];
    NestLoop loops[] = {{directive_argument(directive, 1)->name, loop->pure,
                         origin_part(resolver->arena, loop->origin, ORIGIN_OUTER)},
                        {directive_argument(directive, 2)->name, loop->pure,
                         origin_part(resolver->arena, loop->origin, ORIGIN_INNER)}};
    nest_replace(resolver, nest, position, 1, loops, 2);
    return true;
}

static bool shifts(Tail tail) {
    return tail == TAILS_SHIFT_INWARDS || tail == TAILS_SHIFT_INWARDS_AND_BLEND;
}

static bool is_as_lowered(const Stmt *loop) {
    return loop->loop.interval.minimum->op == OP_HOLE && loop->loop.interval.length->op == OP_HOLE;
}

/* Does no iteration lie outside the loop, whatever the tail?  True if length and factor are
 * constants for which this holds.  The length may be fixed by a `bound`, and may come through a
 * chain of splits.  A run of no iterations has no block, either. */
static bool covers_exactly(const Scheduler *scheduler, const Stmt *loop, Expr factor, Tail tail) {
    int64_t length, k;
    if (!loop_has_exact_length(scheduler, loop->loop.interval.length, &length) ||
        !expr_constant_integer(factor, &k) || length < 0)
        return false;
    return length % k == 0 || (tail == TAILS_SHIFT_INWARDS && length >= k);
}

static bool is_of_windows(const Scheduler *scheduler) {
    return scheduler->resolver.pipeline->signature.windows;
}

/* Returns the tail that the loop gets: the one asked for, or a guard where that would be unsound.
 * In the window form a window must run where the whole runs.  A tail that computes more than what is
 * needed would ask more of a window than of the whole, so it is a guard. */
static Tail tail_in_effect(const Scheduler *scheduler, const Directive *directive,
                           const Stmt *loop) {
    Tail tail = tail_of(directive);
    bool is_for_stage = tail_blends(tail) || loop->loop.name.stage == 0;
    bool is_sound = is_as_lowered(loop) && is_for_stage && !is_of_windows(scheduler);
    Expr factor = directive_argument(directive, 3)->expr;
    return is_sound || covers_exactly(scheduler, loop, factor, tail) ? tail : TAILS_GUARD;
}

typedef struct Deciding {
    const Scheduler *scheduler;
    Symbol read; /* a func that the stage's indices or condition read; or null */
} Deciding;

static void look_for_funcs(Deciding *deciding, Expr expr) {
    Exprs accesses = {0};
    expr_accesses(deciding->scheduler->resolver.arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (program_func(deciding->scheduler->program, accesses.data[i]->name))
            deciding->read = accesses.data[i]->name;
}

static bool find_deciding(void *data, Stmt *stmt) {
    Deciding *deciding = data;
    if (stmt->kind == STMT_IF)
        look_for_funcs(deciding, stmt->branch.condition);
    for (int d = 0; stmt->kind == STMT_STORE && d < stmt->store.func->dimensions; d++)
        look_for_funcs(deciding, stmt->store.indices[d]);
    return stmt->kind != STMT_COMPUTE;
}

/* A producer's value is undefined at a point beyond the loop.  As a stored value it is harmless,
 * because a blend drops it.  As a condition or an index it is not. */
static bool check_blend(const Scheduler *scheduler, const Stmt *loop, Place place,
                        const char *tail) {
    const Resolver *resolver = &scheduler->resolver;
    const char *func = loop->loop.name.func->text;
    if (loop->loop.name.stage == 0)
        return refuse(resolver, DIAG_BLEND_STAGE, place, tail, func);
    Deciding deciding = {.scheduler = scheduler};
    block_visit(&((Stmt *)loop)->loop.body,
                &(StmtVisitor){.data = &deciding, .enter = find_deciding});
    return !deciding.read ||
           refuse(resolver, DIAG_BLEND_READ, place, tail, func, deciding.read->text);
}

/* Loops of reductions take no tail but a guard, and updates no shifted one: such a schedule asks for
 * another value. */
static bool check_tail(const Scheduler *scheduler, const Directive *directive, const Stmt *loop) {
    const Resolver *resolver = &scheduler->resolver;
    Tail tail = tail_of(directive);
    if (tail_guards(tail))
        return true;
    Place place = directive_find(directive, ARGUMENT_TAIL)->place;
    if (tail_blends(tail) && !check_blend(scheduler, loop, place, tail_text(tail)))
        return false;
    bool repeats = tail == TAILS_SHIFT_INWARDS && loop->loop.name.stage != 0;
    return (loop->loop.pure && !repeats) ||
           refuse_tail(resolver, directive, loop_text(resolver, &loop->loop.name));
}

bool split_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    LoopNest *nest;
    size_t position;
    if (!check_names(resolver, directive, &nest, &position) ||
        !check_split_factor(resolver, directive_argument(directive, 3)))
        return false;
    const Stmt *loop = loop_of_argument(scheduler, directive, 0);
    return loop_check_serial(scheduler, loop, directive_argument(directive, 0)->place) &&
           check_tail(scheduler, directive, loop);
}

/* Returns the value of v, and in `*domain` the interval that it covers. */
static Expr split_value(Pool *pool, Tail tail, Expr outer, Expr inner, Expr k, Extent *domain) {
    Expr minimum = domain->minimum, length = domain->length;
    Expr block = plus(pool, minimum, expr_mul(pool, outer, k));
    if (shifts(tail)) {
        Expr last = expr_sub(pool, plus(pool, minimum, length), k);
        block = expr_min(pool, block, last);
        domain->minimum = expr_min(pool, minimum, last);
        domain->length = expr_max(pool, length, k);
    }
    return plus(pool, block, inner);
}

static void assert_factor(Scheduler *scheduler, const Directive *directive, const char *subject) {
    Pool *pool = scheduler->pool;
    const DirectiveArgument *factor = directive_argument(directive, 3);
    if (expr_is_constant(factor->expr))
        return;
    Expr condition = expr_and(pool, expr_le(pool, expr_index(pool, 1), factor->expr),
                              expr_le(pool, factor->expr, expr_index(pool, LARGEST_SPLIT_FACTOR)));
    scheduler_assert(scheduler, condition, HLC_ERROR_SPLIT_FACTOR, subject, &factor->expr, 1,
                     factor->place);
}

/* ---- blending ---- */

typedef struct Blending {
    Scheduler *scheduler;
    Expr own; /* does the point belong to this block? */
} Blending;

static bool blend_store(void *data, Stmt *stmt) {
    const Blending *blending = data;
    if (stmt->kind != STMT_STORE)
        return stmt->kind != STMT_COMPUTE;
    const FuncShape *func = stmt->store.func;
    Pool *pool = blending->scheduler->pool;
    Expr *values = arena_array(blending->scheduler->program->arena, Expr, func->components);
    for (int c = 0; c < func->components; c++) {
        Expr held =
            expr_access(pool, func->name, c, func->types[c], stmt->store.indices, func->dimensions);
        values[c] = expr_select(pool, blending->own, stmt->store.values[c], held);
    }
    stmt->store.values = values;
    return false;
}

/* A first stage may skip points that an update writes without reading (needed.c).  Now the update
 * reads them, so the first stage writes all points. */
static void write_all_first(Scheduler *scheduler, const LoopName *name) {
    const FuncPlan *plan = scheduler_plan(scheduler, name->func);
    Stmt *compute = compute_of(scheduler, plan->func, name->specialization);
    Stmt *stmt = stage_innermost(compute, 0)->loop.body.first;
    while (stmt->kind == STMT_LET || (stmt->kind == STMT_IF && stmt->branch.role != IF_PREDICATE))
        stmt = stmt_body(stmt)->first;
    if (stmt->kind != STMT_IF)
        return;
    Stmt *store = stmt->branch.body.first;
    stmt_unlink(store);
    stmt_insert_before(stmt, store);
    stmt_unlink(stmt);
}

/* Makes the stores inside write back the old value if v is not in [first, end of the interval). */
static void blend_stores(Scheduler *scheduler, const Directive *directive, Stmt *innermost,
                         Symbol binder, Extent interval, Expr first) {
    Pool *pool = scheduler->pool;
    Expr v = expr_variable(pool, binder, INDEX);
    bool shifted = shifts(tail_of(directive));
    Expr own = shifted ? expr_le(pool, first, v) : expr_lt(pool, v, end_of(pool, interval));
    Blending blending = {scheduler, own};
    block_visit(&innermost->loop.body, &(StmtVisitor){.data = &blending, .enter = blend_store});
    vec_push(scheduler->resolver.arena, &scheduler->blended, directive);
}

/* Adds the variables in the let's value as sources, if the let's variable is a source. */
static void follow_let(Arena *arena, const Stmt *let, Map *sources) {
    Exprs variables = {0};
    if (map_get(sources, let->let.binder))
        expr_variables(arena, let->let.value, &variables);
    for (size_t i = 0; i < variables.length; i++)
        map_put(sources, variables.data[i]->name, let->let.binder);
}

/* Walks from the innermost loop outward.  `blocks` are the variables that determine a block's
 * number, `places` those that determine the place inside it. */
static bool judge_blocks(Scheduler *scheduler, const Directive *directive, Stmt *innermost,
                         Symbol outer, Symbol inner) {
    Arena *arena = scheduler->resolver.arena;
    Map blocks = map_create(arena), places = map_create(arena);
    bool in_turn = false; /* blocks run one after another inside */
    Stmt *stmt = innermost->loop.body.first;
    while (stmt && (stmt->kind == STMT_LET || stmt->kind == STMT_IF))
        stmt = stmt_body(stmt)->first;
    map_put(&blocks, outer, outer);
    map_put(&places, inner, inner);
    for (stmt = stmt_parent(stmt); stmt && stmt->kind != STMT_COMPUTE; stmt = stmt_parent(stmt)) {
        if (stmt->kind == STMT_LET) {
            follow_let(arena, stmt, &blocks);
            follow_let(arena, stmt, &places);
        }
        if (stmt->kind != STMT_FOR)
            continue;
        Traversal traversal = stmt->loop.traversal;
        bool is_block = map_get(&blocks, stmt->loop.binder);
        bool overlaps = in_turn && map_get(&places, stmt->loop.binder);
        if ((is_block || overlaps) && runs_side_by_side(traversal))
            return refuse(&scheduler->resolver, DIAG_BLEND_RACE, directive->place,
                          stmt->loop.binder->text, traversal_text(traversal),
                          tail_text(tail_of(directive)));
        in_turn |= is_block && shifts(tail_of(directive));
    }
    return true;
}

bool split_judge(Scheduler *scheduler) {
    bool sound = true;
    for (size_t i = 0; i < scheduler->blended.length; i++) {
        const Directive *directive = scheduler->blended.data[i];
        const LoopReference *split = &directive_argument(directive, 0)->loop;
        const FuncPlan *plan = scheduler_plan(scheduler, split->func);
        LoopName outer = {split->func, split->specialization, split->stage,
                          directive_argument(directive, 1)->name};
        LoopName inner = {split->func, split->specialization, split->stage,
                          directive_argument(directive, 2)->name};
        Stmt *compute = compute_of(scheduler, plan->func, split->specialization);
        sound &= judge_blocks(scheduler, directive, stage_innermost(compute, split->stage),
                              loop_symbol(scheduler->resolver.context, &outer),
                              loop_symbol(scheduler->resolver.context, &inner));
    }
    return sound;
}

void split_apply(Scheduler *scheduler, const Directive *directive) {
    Pool *pool = scheduler->pool;
    LoopName name;
    resolve_loop(&scheduler->resolver, directive_argument(directive, 0), &name);
    Stmt *loop = loop_named(scheduler, &name);
    Expr k = directive_argument(directive, 3)->expr;
    Tail tail = tail_in_effect(scheduler, directive, loop);
    if (tail != tail_of(directive) && !is_of_windows(scheduler))
        vec_push(scheduler->resolver.arena, &scheduler->guarded, directive);
    bool exact = covers_exactly(scheduler, loop, k, tail);
    Extent interval = loop->loop.interval, domain = interval;
    Symbol binder = loop->loop.binder;
    assert_factor(scheduler, directive, binder->text);

    LoopName outer_name = name, inner_name = name;
    outer_name.variable = directive_argument(directive, 1)->name;
    inner_name.variable = directive_argument(directive, 2)->name;
    Expr above = plus(pool, interval.length, expr_sub(pool, k, expr_index(pool, 1)));
    Extent outer_interval = {expr_index(pool, 0), expr_div(pool, above, k)};
    Stmt *outer =
        loop_create(scheduler, &outer_name, outer_interval, loop->loop.pure, directive->place);
    outer->loop.origin = origin_part(scheduler->resolver.arena, loop->loop.origin, ORIGIN_OUTER);
    loop->loop.origin = origin_part(scheduler->resolver.arena, loop->loop.origin, ORIGIN_INNER);
    /* The loop itself becomes the inner one: its body stays where it is. */
    stmt_insert_before(loop, outer);
    stmt_unlink(loop);
    block_append(&outer->loop.body, loop);
    loop->loop.name = inner_name;
    loop->loop.binder = loop_symbol(scheduler->resolver.context, &inner_name);
    loop->loop.interval = (Extent){expr_index(pool, 0), k};
    loop->place = directive->place;

    Expr value = split_value(pool, tail, expr_variable(pool, outer->loop.binder, INDEX),
                             expr_variable(pool, loop->loop.binder, INDEX), k, &domain);
    Stmt *innermost = loop_innermost(loop);
    if (tail_blends(tail) && !exact) {
        blend_stores(scheduler, directive, innermost, binder, interval,
                     plus(pool, interval.minimum,
                          expr_mul(pool, expr_variable(pool, outer->loop.binder, INDEX), k)));
        write_all_first(scheduler, &name);
    }
    if (tail_guards(tail) && !exact)
        sink_guard(scheduler, &innermost->loop.body,
                   expr_lt(pool, expr_variable(pool, binder, INDEX), end_of(pool, domain)),
                   directive->place);
    bool goes_beyond = !tail_guards(tail) && !shifts(tail) && !exact;
    LetTail let_tail = goes_beyond ? TAIL_BEYOND : TAIL_INSIDE;
    sink_let(scheduler, &innermost->loop.body, binder, value, domain, let_tail, directive->place);
}

void split_warn(const Scheduler *scheduler) {
    for (size_t i = 0; i < scheduler->guarded.length; i++) {
        const Directive *directive = scheduler->guarded.data[i];
        const DirectiveArgument *tail = directive_find(directive, ARGUMENT_TAIL);
        const LoopReference *loop = &directive_argument(directive, 0)->loop;
        diag(scheduler->resolver.context, DIAG_TAIL_GUARDS, tail->place, tail_text(tail->tail),
             loop_reference_text(scheduler->resolver.arena, loop),
             loop->stage > 0 && !tail_blends(tail->tail)
                 ? "an update runs on the points of its own loop only"
                 : "beyond its end lie points of other iterations");
    }
}

/* ---- candidates ---- */

Directive *split_candidate(const LegalSearch *search, const LoopNest *nest, size_t position,
                           Symbol outer, Symbol inner, const NumberChoice *factor, int tail) {
    Directive *directive =
        candidate_of_kind(search, DIRECTIVE_SPLIT, argument_of_nest(nest, position),
                          argument_name(outer), argument_name(inner), argument_number(factor));
    bool is_legal =
        candidate_put_tail(search, directive, tail) && split_check(search->scheduler, directive);
    return is_legal ? directive : NULL;
}

void split_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    Symbol outer = candidate_loop_name(search, nest, position, "_o"),
           inner = candidate_loop_name(search, nest, position, "_i");
    const NumberChoices *factors = &search->choices->factors;
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < CANDIDATE_TAIL_WAYS; tail++) {
            Directive *split =
                split_candidate(search, nest, position, outer, inner, &factors->data[i], tail);
            if (split)
                candidate_accept(search, split);
        }
}

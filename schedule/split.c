/* split.c -- split(l, vo, vi, k, tail): a loop becomes one over blocks and one of the block's
 * length.
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
 * The new let and guard sink below all loops of the nest and stand above the lets and guards
 * already there, which may mention v.  `round-up` has no guard: the let's variable may go beyond
 * (m, n). `shift-inwards` has v = min(m + vo*k, m + n - k) + vi, which covers [min(m, m + n - k), m
 * + n): that interval is the let's domain.
 *
 * Why those two are so narrow here.  Their extra points must hold nothing that anyone relies on:
 *   - pure stages only: a stage that reads its own func would apply its update twice;
 *   - only on a loop that is a dimension of the func as lowered.  Beyond the end of an inner piece
 *     lie points of the *next* block, for which this block's producers were not computed: a later
 *     or parallel block would be overwritten with them; and a let further down, from a fuse or an
 *     outer split, states an interval that extra iterations would leave.  Where the length is
 *     constant and the factor divides it (or the last block can be shifted) nothing is extra, so
 * any loop will do;
 *   - not where the storage outlives the run (levels_judge).
 */
#include "schedule/scheduler.h"

enum { LARGEST_FACTOR = INT32_MAX };

static Tail tail_of(const Directive *directive) {
    const DirectiveArgument *argument = directive_find(directive, ARGUMENT_TAIL);
    return argument ? argument->tail : TAILS_GUARD;
}

bool split_check_names(const Resolver *resolver, const Directive *directive, Nest **nest,
                       size_t *position) {
    const DirectiveArgument *outer = directive_argument(directive, 1),
                            *inner = directive_argument(directive, 2);
    LoopName name;
    if (!resolve_loop(resolver, directive_argument(directive, 0), &name))
        return false;
    *nest = nest_of(resolver, &name, position);
    return nest_has_room(resolver, *nest, directive->place) &&
           nest_accepts_name(resolver, *nest, outer, NULL) &&
           nest_accepts_name(resolver, *nest, inner, outer);
}

void split_follow(const Resolver *resolver, const Directive *directive) {
    LoopName name;
    size_t position;
    resolve_loop(resolver, directive_argument(directive, 0), &name);
    Nest *nest = nest_of(resolver, &name, &position);
    bool pure = nest->loops.data[position].pure;
    NestLoop loops[] = {{directive_argument(directive, 1)->name, pure},
                        {directive_argument(directive, 2)->name, pure}};
    nest_replace(resolver, nest, position, 1, loops, 2);
}

static bool check_factor(const Resolver *resolver, const Directive *directive) {
    const DirectiveArgument *factor = directive_argument(directive, 3);
    int64_t constant;
    if (expr_constant_integer(factor->expr, &constant) &&
        (constant < 1 || constant > LARGEST_FACTOR))
        return refuse(resolver, DIAG_SPLIT_FACTOR, factor->place,
                      arena_format(resolver->arena, "%lld", (long long)constant));
    return check_startup(resolver, factor);
}

/* Does no iteration lie outside the loop, whatever the tail?  True where length and factor are
 * constants that say so. */
static bool covers_exactly(const Stmt *loop, Expr factor, Tail tail) {
    int64_t length, k;
    if (!expr_constant_integer(loop->loop.interval.length, &length) ||
        !expr_constant_integer(factor, &k) || length < 0)
        return false;
    return length % k == 0 || (tail == TAILS_SHIFT_INWARDS && length >= k);
}

static bool is_as_lowered(const Stmt *loop) {
    return loop->loop.interval.minimum->op == OP_HOLE && loop->loop.interval.length->op == OP_HOLE;
}

static bool check_tail(const Scheduler *scheduler, const Directive *directive, const Stmt *loop) {
    const Resolver *resolver = &scheduler->resolver;
    Tail tail = tail_of(directive);
    if (tail == TAILS_GUARD)
        return true;
    Place place = directive_find(directive, ARGUMENT_TAIL)->place;
    const char *text = tail_text(tail),
               *loop_text = loop_symbol(resolver->context, &loop->loop.name)->text;
    if (loop->loop.name.stage != 0 || !loop->loop.pure)
        return refuse(resolver, DIAG_TAIL_STAGE, place, text, loop_text);
    Expr factor = directive_argument(directive, 3)->expr;
    if (!is_as_lowered(loop) && !covers_exactly(loop, factor, tail))
        return refuse(resolver, DIAG_TAIL_LOOP, place, text, loop_text);
    return true;
}

bool split_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    Nest *nest;
    size_t position;
    if (!split_check_names(resolver, directive, &nest, &position) ||
        !check_factor(resolver, directive))
        return false;
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    const Stmt *loop = loop_named(scheduler, &name);
    return loop_check_serial(scheduler, loop, directive_argument(directive, 0)->place) &&
           check_tail(scheduler, directive, loop);
}

/* The value of v, and in `*domain` what interval it covers. */
static Expr split_value(Pool *pool, Tail tail, Expr outer, Expr inner, Expr k, Interval *domain) {
    Expr minimum = domain->minimum, length = domain->length;
    Expr block = plus(pool, minimum, expr_mul(pool, outer, k));
    if (tail == TAILS_SHIFT_INWARDS) {
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
                              expr_le(pool, factor->expr, expr_index(pool, LARGEST_FACTOR)));
    scheduler_assert(scheduler, condition, HLC_ERROR_SPLIT_FACTOR, subject, &factor->expr, 1,
                     factor->place);
}

static void put_guard(Scheduler *scheduler, Stmt *innermost, Symbol binder, Interval domain,
                      Place place) {
    Pool *pool = scheduler->pool;
    Stmt *guard = stmt_create(scheduler->program, STMT_IF, place);
    guard->branch.role = IF_GUARD;
    guard->branch.condition = expr_lt(pool, expr_variable(pool, binder, INDEX),
                                      plus(pool, domain.minimum, domain.length));
    sink_around(innermost, guard);
}

void split_apply(Scheduler *scheduler, const Directive *directive) {
    Pool *pool = scheduler->pool;
    LoopName name;
    resolve_loop(&scheduler->resolver, directive_argument(directive, 0), &name);
    Stmt *loop = loop_named(scheduler, &name);
    Expr k = directive_argument(directive, 3)->expr;
    Tail tail = tail_of(directive);
    bool exact = covers_exactly(loop, k, tail);
    Interval interval = loop->loop.interval, domain = interval;
    Symbol binder = loop->loop.binder;
    assert_factor(scheduler, directive, binder->text);

    LoopName outer_name = name, inner_name = name;
    outer_name.variable = directive_argument(directive, 1)->name;
    inner_name.variable = directive_argument(directive, 2)->name;
    Expr above = plus(pool, interval.length, expr_sub(pool, k, expr_index(pool, 1)));
    Interval outer_interval = {expr_index(pool, 0), expr_div(pool, above, k)};
    Stmt *outer =
        loop_create(scheduler, &outer_name, outer_interval, loop->loop.pure, directive->place);
    /* The loop itself becomes the inner one: its body stays where it is. */
    stmt_insert_before(loop, outer);
    stmt_unlink(loop);
    block_append(&outer->loop.body, loop);
    loop->loop.name = inner_name;
    loop->loop.binder = loop_symbol(scheduler->resolver.context, &inner_name);
    loop->loop.interval = (Interval){expr_index(pool, 0), k};
    loop->place = directive->place;

    Expr value = split_value(pool, tail, expr_variable(pool, outer->loop.binder, INDEX),
                             expr_variable(pool, loop->loop.binder, INDEX), k, &domain);
    Stmt *innermost = loop_innermost(loop);
    if (tail == TAILS_GUARD && !exact)
        put_guard(scheduler, innermost, binder, domain, directive->place);
    LetTail let_tail = tail == TAILS_ROUND_UP && !exact ? TAIL_BEYOND : TAIL_INSIDE;
    sink_around(innermost,
                let_create(scheduler, binder, value, domain, let_tail, directive->place));
}

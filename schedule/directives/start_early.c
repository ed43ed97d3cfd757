/* start_early.c -- start-early(l, v, k): starts a loop k iterations early, and does its own work in
 * its own iterations only.
 *
 *     for y in (m, n) do s
 *
 * becomes
 *
 *     for v in (m - k, n + k) do
 *       [the other loops of the nest]
 *         let y = v in                  -- inside (m, n)
 *           if m <= y then s            -- role guard
 *
 * The let and the guard sink as in split.  Funcs computed in the loop and stored outside slide
 * along v.  Without start-early, the first iteration computes a whole window of each.  Its
 * producers compute a window each too, every one larger than the last, and their rings must hold
 * them.  With it, each iteration before m computes a row of each, as the later iterations do: of
 * y's window, clipped to what y needs, only the part beyond its first coordinate.  The computed
 * points of a func are the same either way.
 */
#include "schedule/directive_record.h"

enum { MOST_EARLY = 1 << 20 };

static bool check_names(const Resolver *resolver, const Directive *directive, LoopNest **nest,
                        size_t *position) {
    return resolve_nest(resolver, directive_argument(directive, 0), nest, position) &&
           nest_accepts_name(resolver, *nest, directive_argument(directive, 1), NULL);
}

bool start_early_follow(const Resolver *resolver, const Directive *directive) {
    LoopNest *nest;
    size_t position;
    if (!check_names(resolver, directive, &nest, &position))
        return false;
    NestLoop loop = nest->loops.data[position];
    loop.variable = directive_argument(directive, 1)->name;
    nest_replace(resolver, nest, position, 1, &loop, 1);
    return true;
}

bool start_early_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    LoopNest *nest;
    size_t position;
    if (!check_names(resolver, directive, &nest, &position) ||
        !check_constant(resolver, directive_argument(directive, 2), "the number of iterations",
                        MOST_EARLY))
        return false;
    return loop_check_serial(scheduler, loop_of_argument(scheduler, directive, 0),
                             directive_argument(directive, 0)->place);
}

void start_early_apply(Scheduler *scheduler, const Directive *directive) {
    Pool *pool = scheduler->pool;
    Stmt *loop = loop_of_argument(scheduler, directive, 0), *innermost = loop_innermost(loop);
    Expr k = directive_argument(directive, 2)->expr;
    Extent domain = loop->loop.interval;
    Symbol binder = loop->loop.binder;

    loop->loop.name.variable = directive_argument(directive, 1)->name;
    loop->loop.binder = loop_symbol(scheduler->resolver.context, &loop->loop.name);
    loop->loop.interval = (Extent){expr_sub(pool, domain.minimum, k), plus(pool, domain.length, k)};
    loop->place = directive->place;

    Block *body = &innermost->loop.body;
    sink_guard(scheduler, body, expr_le(pool, domain.minimum, expr_variable(pool, binder, INDEX)),
               directive->place);
    sink_let(scheduler, body, binder, expr_variable(pool, loop->loop.binder, INDEX), domain,
             TAIL_INSIDE, directive->place);
}

void start_early_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    Symbol name = candidate_loop_name(search, nest, position, "_e");
    for (size_t i = 0; i < search->choices->factors.length; i++)
        candidate_offer(search,
                        candidate(search, argument_of_nest(nest, position), argument_name(name),
                                  argument_number(&search->choices->factors.data[i])));
}

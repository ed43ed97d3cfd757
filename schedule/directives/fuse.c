/* fuse.c -- fuse(l, v): a loop and the one directly inside it become one.
 *
 *     for a in (m1, n1) do for b in (m2, n2) do s
 *
 * becomes
 *
 *     for v in (0, n1 * n2) do
 *       [the other loops of the nest]
 *         let a = m1 + v / n2 in let b = m2 + v % n2 in s
 *
 * in index arithmetic; the lets sink as in split.  The fused loop keeps their order, so any two loops
 * may be fused.  It is pure if both are (Def 8.3).  If one is a reduction loop, it is one: iterations
 * of equal value of the pure variable keep their order.  Others touch different points, so for
 * dependences it is a loop of that reduction.  Two negative lengths could make a positive product.
 * They do not occur: rdom lengths are asserted at the top, and pure loops have no negative length.
 */
#include "schedule/directive_record.h"

static bool check_names(const Resolver *resolver, const Directive *directive, LoopNest **nest,
                        size_t *outer) {
    const DirectiveArgument *loop = directive_argument(directive, 0);
    if (!resolve_pair(resolver, loop, nest, outer))
        return false;
    return nest_has_room(resolver, *nest, directive->place) &&
           nest_accepts_name(resolver, *nest, directive_argument(directive, 1), NULL);
}

bool fuse_follow(const Resolver *resolver, const Directive *directive) {
    LoopNest *nest;
    size_t outer;
    if (!check_names(resolver, directive, &nest, &outer))
        return false;
    const NestLoop *a = &nest->loops.data[outer], *b = a + 1;
    NestLoop fused = {directive_argument(directive, 1)->name, a->pure && b->pure,
                      origin_fused(resolver->arena, a->origin, b->origin)};
    nest_replace(resolver, nest, outer, 2, &fused, 1);
    return true;
}

bool fuse_check(Scheduler *scheduler, const Directive *directive) {
    LoopNest *nest;
    size_t outer;
    if (!check_names(&scheduler->resolver, directive, &nest, &outer))
        return false;
    const Stmt *loop = loop_of_argument(scheduler, directive, 0);
    Place place = directive_argument(directive, 0)->place;
    return loop_check_serial(scheduler, loop, place) &&
           loop_check_serial(scheduler, loop_inside(loop), place);
}

void fuse_apply(Scheduler *scheduler, const Directive *directive) {
    Pool *pool = scheduler->pool;
    Stmt *outer = loop_of_argument(scheduler, directive, 0), *inner = loop_inside(outer);
    Extent a = outer->loop.interval, b = inner->loop.interval;
    Symbol a_binder = outer->loop.binder, b_binder = inner->loop.binder;

    /* The outer loop becomes the fused one and takes the inner one's body. */
    stmt_unlink(inner);
    block_move_all(&outer->loop.body, &inner->loop.body);
    outer->loop.name.variable = directive_argument(directive, 1)->name;
    outer->loop.binder = loop_symbol(scheduler->resolver.context, &outer->loop.name);
    outer->loop.interval = (Extent){expr_index(pool, 0), expr_mul(pool, a.length, b.length)};
    outer->loop.origin =
        origin_fused(scheduler->resolver.arena, outer->loop.origin, inner->loop.origin);
    outer->loop.pure = outer->loop.pure && inner->loop.pure;
    outer->place = directive->place;

    Expr v = expr_variable(pool, outer->loop.binder, INDEX);
    Expr a_value = plus(pool, a.minimum, expr_div(pool, v, b.length));
    Expr b_value = plus(pool, b.minimum, expr_mod(pool, v, b.length));
    Block *body = &loop_innermost(outer)->loop.body;
    sink_let(scheduler, body, b_binder, b_value, b, TAIL_INSIDE, directive->place);
    sink_let(scheduler, body, a_binder, a_value, a, TAIL_INSIDE, directive->place);
}

void fuse_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    if (position + 1 == nest->loops.length)
        return;
    const char *ending =
        arena_format(search->arena, "_%s", nest->loops.data[position + 1].variable->text);
    candidate_offer(search,
                    candidate(search, argument_of_nest(nest, position),
                              argument_name(candidate_loop_name(search, nest, position, ending))));
}

/* swap.c -- swap(l): a loop and the one directly inside it change places.
 *
 *     for y in I do for x in J do s    becomes    for x in J do for y in I do s
 *
 * Two reduction loops only where the updates may come in any order (reorder_reduction.h), where
 * the distances of their iterations stay positive, or where their iterations touch different
 * elements (dependence.h).  Any other pair may, because
 * iterations of a pure loop touch disjoint points of their func (Def 4.2), and because nests are
 * rectangular: no loop's bounds mention another loop of the same func.
 */
#include "schedule/dependence.h"
#include "schedule/directive_record.h"
#include "schedule/meeting.h"
#include "schedule/reorder_reduction.h"

static bool check_names(const Resolver *resolver, const Directive *directive, LoopNest **nest,
                        size_t *outer) {
    const DirectiveArgument *loop = directive_argument(directive, 0);
    if (!resolve_pair(resolver, loop, nest, outer))
        return false;
    const NestLoop *a = &(*nest)->loops.data[*outer], *b = a + 1;
    if (a->pure || b->pure || dependences_allow_swap(resolver, *nest, *outer))
        return true;
    const ReductionOrder *order = reduction_order(resolver, (*nest)->func, (*nest)->stage);
    if (order->is_free)
        return true;
    const char *a_text = nest_loop_text(resolver, *nest, a->variable),
               *b_text = nest_loop_text(resolver, *nest, b->variable);
    if (dependences_known(*nest))
        return refuse(resolver, DIAG_SWAP_DEPENDENT, loop->place, a_text, b_text,
                      (*nest)->func->shape->name->text);
    const Func *func = (*nest)->func;
    const char *reason = meeting_reason(resolver, func, (*nest)->stage, a->variable, order->reason);
    if (reason == order->reason)
        reason = meeting_reason(resolver, func, (*nest)->stage, b->variable, reason);
    return refuse(resolver, DIAG_SWAP_REDUCTIONS, loop->place, a_text, b_text, reason);
}

bool swap_follow(const Resolver *resolver, const Directive *directive) {
    LoopNest *nest;
    size_t outer;
    if (!check_names(resolver, directive, &nest, &outer))
        return false;
    NestLoop *loops = nest->loops.data + outer, kept = loops[0];
    loops[0] = loops[1];
    loops[1] = kept;
    return true;
}

bool swap_check(Scheduler *scheduler, const Directive *directive) {
    LoopNest *nest;
    size_t outer;
    return check_names(&scheduler->resolver, directive, &nest, &outer);
}

/* Do the two loops change the order of a float reduction? */
static bool reorders_floats(const Scheduler *scheduler, const Stmt *outer, const Stmt *inner) {
    const LoopName *name = &outer->loop.name;
    const Func *func = pipeline_func(scheduler->resolver.pipeline, name->func);
    size_t position;
    if (outer->loop.pure || inner->loop.pure)
        return false;
    const LoopNest *nest = nest_of(&scheduler->resolver, name, &position);
    return !dependences_allow_swap(&scheduler->resolver, nest, position) &&
           !reduction_order(&scheduler->resolver, func, name->stage)->is_exact;
}

void swap_apply(Scheduler *scheduler, const Directive *directive) {
    Stmt *outer = loop_of_argument(scheduler, directive, 0), *inner = loop_inside(outer);
    scheduler->program->reorders_floats |= reorders_floats(scheduler, outer, inner);
    stmt_unlink(inner);
    block_move_all(&outer->loop.body, &inner->loop.body);
    stmt_insert_before(outer, inner);
    stmt_unlink(outer);
    block_append(&inner->loop.body, outer);
}

void swap_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    candidate_offer(search, candidate(search, argument_of_nest(nest, position)));
}

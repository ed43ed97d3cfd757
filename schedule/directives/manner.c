/* manner.c -- vectorize(v, k), unroll(v, k) and parallel(v, k).
 *
 *   vectorize(v, k)   split(v, v_o, v_v, k); traverse(v_v, vectorized)
 *   unroll(v, k)      split(v, v_o, v_u, k); traverse(v_u, unrolled)
 *   parallel(v, k)    split(v, v_p, v_i, k); traverse(v_p, parallel)
 *                     each without k: the traverse alone
 */
#include "schedule/directive_record.h"

#include "schedule/directives/atomic.h"
#include "schedule/dependence.h"
#include "schedule/reduction_loops.h"

bool manner_expand(SugarExpansion *expansion, const Directive *directive) {
    const Resolver *resolver = expansion->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 0),
                            *factor = directive_find(directive, ARGUMENT_EXPR),
                            *tail = directive_find(directive, ARGUMENT_TAIL);
    LoopName loop;
    if (!resolve_loop(resolver, argument, &loop))
        return false;
    if (tail && !factor)
        return refuse(resolver, DIAG_TAIL_WITHOUT_FACTOR, tail->place,
                      directive_info(directive->kind)->text, loop_text(resolver, &loop));
    MannerSplit split;
    if (sugar_manner_split(resolver, directive, &split)) {
        if (!sugar_split(expansion, &loop, argument->place,
                         argument_at(argument_name(split.outer), argument->place),
                         argument_at(argument_name(split.inner), argument->place), factor, tail))
            return false;
        loop.variable = split.chosen;
    }
    return sugar_traverse(expansion, &loop, sugar_manner(directive->kind)->traversal,
                          argument->place);
}

/* ---- candidates ---- */

/* Offers a reduction loop: the directive means an rfactor of the whole loop or a part. */
static void offer_of_reduction(const LegalSearch *search, const LoopNest *nest, size_t position,
                               const NumberChoices *factors) {
    for (size_t i = 0; i <= factors->length; i++) {
        Directive *sugar = candidate(search, argument_of_nest(nest, position));
        if (i > 0)
            candidate_put(search, sugar, argument_number(&factors->data[i - 1]));
        if (reduction_loop_check(&search->scheduler->resolver, sugar))
            candidate_accept(search, sugar);
    }
}

static void offer_parts(const LegalSearch *search, const LoopNest *nest, size_t position,
                        const NumberChoices *factors) {
    Symbol outer = candidate_loop_name(search, nest, position, "_o"),
           inner = candidate_loop_name(search, nest, position, "_i");
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < CANDIDATE_TAIL_WAYS; tail++) {
            if (!split_candidate(search, nest, position, outer, inner, &factors->data[i], tail))
                continue;
            Directive *sugar = candidate(search, argument_of_nest(nest, position),
                                         argument_number(&factors->data[i]));
            candidate_put_tail(search, sugar, tail);
            candidate_accept(search, sugar);
        }
}

/* Offers the traverse alone, and after a split.  Only the first primitive is checked here.  The
 * rest is known when the sugar is expanded and applied (lower/moves.c). */
void manner_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    Traversal traversal = sugar_manner(search->kind)->traversal;
    const NumberChoices *factors =
        traversal == TRAVERSE_VECTORIZED ? &search->choices->widths : &search->choices->factors;
    const Resolver *resolver = &search->scheduler->resolver;
    if (runs_side_by_side(traversal) && !nest->loops.data[position].pure &&
        !atomic_is_said(resolver, nest->func->shape->name, nest->stage) &&
        !dependences_known(nest) && !dependences_allow_together(resolver, nest, position)) {
        offer_of_reduction(search, nest, position, factors);
        return;
    }
    const Directive *alone = traverse_candidate(search, nest, position, traversal);
    if (alone && traverse_check(search->scheduler, alone))
        candidate_accept(search, candidate(search, argument_of_nest(nest, position)));
    offer_parts(search, nest, position, factors);
}

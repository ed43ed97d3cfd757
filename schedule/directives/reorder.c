/* reorder.c -- reorder(a, b, c): swaps the named loops into the places that these loops have now, a
 * innermost.  Other loops of the nest keep their places.
 */
#include "schedule/directive_record.h"

#include "schedule/dependence.h"
#include "schedule/reorder_reduction.h"

bool reorder_expand(SugarExpansion *expansion, const Directive *directive) {
    SugarOrder order = {.place = directive->place};
    LoopName loop;
    for (size_t i = 0; i < directive->arguments.length; i++)
        if (!sugar_order_add(expansion->resolver, &order, &directive->arguments.data[i], &loop))
            return false;
    return sugar_reorder(expansion, &order);
}

/* Offers the exchange of the loop with each loop inside it. */
void reorder_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    const Resolver *resolver = &search->scheduler->resolver;
    for (size_t inner = position + 1; inner < nest->loops.length; inner++) {
        bool keeps_updates =
            nest->loops.data[position].pure || nest->loops.data[inner].pure ||
            (inner == position + 1 && dependences_allow_swap(resolver, nest, position)) ||
            reduction_order(resolver, nest->func, nest->stage)->is_free;
        if (keeps_updates)
            candidate_accept(search, candidate(search, argument_of_nest(nest, position),
                                               argument_of_nest(nest, inner)));
    }
}

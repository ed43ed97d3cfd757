/* reorder_reduction.c -- when the updates of a stage may come in any order.
 *
 * Let the update be f(e..) <- f(e..) op injected if p, with an operator that is proved associative
 * and commutative (associative/associative.h).  Neither e nor p nor injected reads f (a condition
 * that reads f is part of op).  So the contribution of an iteration, and its point, do not depend
 * on the order.  For two consecutive iterations, at each point
 *
 *     (x op a) op b = x op (a op b) = x op (b op a) = (x op b) op a
 *
 * So they may change places, and any order is a sequence of such changes.  No identity is needed:
 * no partial result starts anew.  Floats count as reals if the pipeline grants reassociation, else
 * as floats.
 */
#include "schedule/reorder_reduction.h"

#include "associative/associative.h"

static ReductionOrder find_order(const Resolver *resolver, const Func *func, int stage) {
    Arena *scratch = arena_create(&resolver->context->memory);
    Associativity operator= associative_stage(resolver->pipeline, scratch, func, stage);
    bool is_free = operator.verdict == ASSOCIATIVE_YES && operator.is_commutative;
    const char *remedy = associative_remedy(scratch, &operator);
    const char *reason = operator.verdict == ASSOCIATIVE_YES
                             ? arena_format(scratch,
                                            "its operator is associative, and not proved "
                                            "commutative%s%s",
                                            remedy ? "; " : "", remedy ? remedy : "")
                             :
                             operator.reason;
    ReductionOrder order = {is_free, operator.is_exact,
                            is_free ? NULL : arena_format(resolver->arena, "%s", reason)};
    arena_destroy(scratch);
    return order;
}

const ReductionOrder *reduction_order(const Resolver *resolver, const Func *func, int stage) {
    const Stage *key = func->stages.data[stage];
    ReductionOrder *order = map_get(resolver->orders, key);
    if (!order) {
        order = arena_new(resolver->arena, ReductionOrder);
        *order = find_order(resolver, func, stage);
        map_put(resolver->orders, key, order);
    }
    return order;
}

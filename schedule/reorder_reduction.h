/* reorder_reduction.h -- may the iterations of a stage's reduction loops run in any order?
 *
 * Every directive that changes the order of updates asks this one question here.
 */
#ifndef HLC_SCHEDULE_REORDER_REDUCTION_H
#define HLC_SCHEDULE_REORDER_REDUCTION_H

#include "schedule/loop.h"

typedef struct ReductionOrder {
    bool is_free;       /* any order gives the same values as the algorithm's order */
    bool is_exact;      /* the same to the last bit; false if floats are treated as reals */
    const char *reason; /* why it is not free: a clause without a full stop; else null */
} ReductionOrder;

/* Answers for an update (stage > 0).  The answer is computed once a resolver and lives as long. */
const ReductionOrder *reduction_order(const Resolver *resolver, const Func *func, int stage);

#endif

/* reorder_reduction.h -- may iterations of a stage's reduction loops run in any order?
 *
 * The one answer that every directive asks for which changes the order of updates.
 */
#ifndef HLC_SCHEDULE_REORDER_REDUCTION_H
#define HLC_SCHEDULE_REORDER_REDUCTION_H

#include "schedule/loop.h"

typedef struct ReductionOrder {
    bool is_free;       /* any order gives what the order of the algorithm gives */
    bool is_exact;      /* .. to the last bit; false where floats are taken for reals */
    const char *reason; /* why it is not free: a clause without a full stop; else null */
} ReductionOrder;

/* Of an update, stage > 0.  It is found once a resolver; lives as long as that. */
const ReductionOrder *reduction_order(const Resolver *resolver, const Func *func, int stage);

#endif

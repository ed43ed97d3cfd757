/* interval.h -- constant intervals, and what operators make of them. */
#ifndef HLC_SIMPLIFY_INTERVAL_H
#define HLC_SIMPLIFY_INTERVAL_H

#include "ir/ops.h"
#include "simplify/simplify.h"

#define EVERYTHING ((ConstantInterval){false, false, 0, 0})
ConstantInterval interval_point(int64_t value);
ConstantInterval interval_of_type(Type type);
ConstantInterval interval_intersect(ConstantInterval a, ConstantInterval b);
/* The least interval that holds both. */
ConstantInterval interval_join(ConstantInterval a, ConstantInterval b);
ConstantInterval interval_scale(ConstantInterval a, int64_t factor);
ConstantInterval interval_add(ConstantInterval a, ConstantInterval b);
/* Of `op` with result type `type` over operands known to lie in these intervals. */
ConstantInterval interval_apply(Op op, Type type, const ConstantInterval *arguments);
static inline bool interval_is_point(ConstantInterval a) {
    return a.has_minimum && a.has_maximum && a.minimum == a.maximum;
}
/* Is every value of the interval one of the type's? */
bool interval_fits(ConstantInterval a, Type type);

#endif

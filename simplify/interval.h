/* interval.h -- constant intervals, and the operators on them. */
#ifndef HLC_SIMPLIFY_INTERVAL_H
#define HLC_SIMPLIFY_INTERVAL_H

#include "ir/ops.h"
#include "simplify/simplify.h"

#define EVERYTHING ((ConstantInterval){false, false, 0, 0})
ConstantInterval interval_point(int64_t value);
ConstantInterval interval_of_type(Type type);
ConstantInterval interval_intersect(ConstantInterval a, ConstantInterval b);
/* Returns the least interval that contains both. */
ConstantInterval interval_join(ConstantInterval a, ConstantInterval b);
ConstantInterval interval_scale(ConstantInterval a, int64_t factor);
ConstantInterval interval_add(ConstantInterval a, ConstantInterval b);
/* Returns the interval of `op`, with result type `type`, over operands in these intervals. */
ConstantInterval interval_apply(Op op, Type type, const ConstantInterval *arguments);
static inline bool interval_is_point(ConstantInterval a) {
    return a.has_minimum && a.has_maximum && a.minimum == a.maximum;
}
/* Does the type hold every value of the interval? */
bool interval_fits(ConstantInterval a, Type type);

#endif

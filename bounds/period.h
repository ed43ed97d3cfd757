/* period.h -- closer ranges of folded coordinates (period.c). Unknown ends where the node is none. */
#ifndef HLC_BOUNDS_PERIOD_H
#define HLC_BOUNDS_PERIOD_H

#include "bounds/region.h"

/* Of `e % P`, from the ranges of its operands. */
Interval period_of_remainder(Ranges *ranges, Expr node, const Interval *operands);
/* Of `min(s + e % P, s + K - e % P)`; the node is a minimum. */
Interval period_of_mirror(Ranges *ranges, Expr node);

#endif

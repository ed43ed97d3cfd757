/* trial.h -- one set of random arguments of `check`: sizes and values near the edges. */
#ifndef HLC_LIBRARY_CHECK_TRIAL_H
#define HLC_LIBRARY_CHECK_TRIAL_H

#include "library/compiler.h"

/* The demands of one schedule (null: the empty one): the oracle's regions of the images, and its
 * directives on the windows. */
typedef struct Demand {
    const Schedule *schedule;
    const BoundsResult *bounds;
} Demand;
typedef Vec(Demand) Demands;

/* Numbers near which sizes are drawn: the factors of splits. */
typedef Vec(int64_t) Factors;

/* Puts random values, windows and images into `a`, except those that `fixed` (null: none) binds.
 * Most windows satisfy the schedules' directives `bound` and `bound-extent`. An image has exactly
 * the size that one schedule, or all of them, require, or is a little larger. False if the drawn
 * sizes are impossible: draw again. */
bool trial_draw(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                const Factors *factors, uint64_t *state);

#endif

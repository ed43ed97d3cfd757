/* trial.h -- one set of random arguments of `check`: sizes and values near the edges. */
#ifndef HLC_LIBRARY_TRIAL_H
#define HLC_LIBRARY_TRIAL_H

#include "library/compiler.h"

/* What one schedule (null: the empty one) demands: of the images, as the oracle found; of the
 * windows by its directives. */
typedef struct Demand {
    const Schedule *schedule;
    const BoundsResult *bounds;
} Demand;
typedef Vec(Demand) Demands;

/* Numbers that sizes should lie around: the factors of splits. */
typedef Vec(int64_t) Factors;

/* Puts random values, windows and images into `a`, except what `fixed` (null: nothing) binds.
 * Windows mostly lie where the schedules' directives `bound` and `bound-extent` let them.  Images
 * are exactly as large as one schedule asks, or all of them, or a little larger.  False where the
 * sizes drawn cannot be had: draw again. */
bool trial_draw(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                const Factors *factors, uint64_t *state);

#endif

/* trial.h -- one set of random arguments of `check`: sizes and values near the edges. */
#ifndef HLC_LIBRARY_CHECK_TRIAL_H
#define HLC_LIBRARY_CHECK_TRIAL_H

#include "library/check/demand.h"

/* Numbers near which sizes are drawn: the factors of splits. */
typedef Vec(int64_t) Factors;

/* How arguments are drawn. The entry of each schedule accepts them, if nothing else is said. */
typedef enum TrialManner {
    TRIAL_ONE,   /* that of one schedule; images are exactly as large as it requires */
    TRIAL_EMPTY, /* a window has no points */
    TRIAL_ANY,   /* anything */
    TRIAL_MET,
    TRIAL_SMALL,  /* windows of few points near 0 */
    TRIAL_IN_TURN /* of as many schedules as possible, from a random one on */
} TrialManner;

/* Puts random values, windows and images into `a`, except those that `fixed` (null: none) binds. An
 * image is as large as all schedules require, or a little larger. `may_be_slow`: also if a schedule
 * may compute very many points on them. False if the drawn sizes are impossible: draw again. */
bool trial_draw(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                const Factors *factors, TrialManner manner, bool may_be_slow, uint64_t *state);

#endif

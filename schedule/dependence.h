/* dependence.h -- what loops over a recurrence's domain may do, as the distances of its iterations
 * say (Stage.distances); and what loops of other updates may do, where iterations are proved to
 * touch different elements (disjoint.h).
 *
 * The loops are the reduction loops of a nest after any splits and fuses.  Pure loops of the nest
 * do not count: in their variables all distances are zero.
 */
#ifndef HLC_SCHEDULE_DEPENDENCE_H
#define HLC_SCHEDULE_DEPENDENCE_H

#include "schedule/loop.h"

/* Are the distances of the nest's stage known? */
bool dependences_known(const LoopNest *nest);
/* May the loop and the one directly inside change places? */
bool dependences_allow_swap(const Resolver *resolver, const LoopNest *nest, size_t outer);
/* May the iterations of the loop run side by side, those of loops outside of it in order? */
bool dependences_allow_together(const Resolver *resolver, const LoopNest *nest, size_t position);
/* Which loops carry the stage's distance of that number: `carriers[i]`, by loop, is set where in
 * some case the first sign that is not zero is loop i's.  So iterations of all loops that are
 * inside of each of them, or have no part in it, may run in any order.  False where too much was
 * split to tell. */
bool dependence_carriers(const LoopNest *nest, size_t distance, bool *carriers);

#endif

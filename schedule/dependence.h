/* dependence.h -- the legal orders of a recurrence's loops, decided by the distances of its
 * iterations (Stage.distances).
 *
 * The loops are the reduction loops of a nest after any splits and fuses.  Pure loops of the nest
 * do not count: in their variables all distances are zero.
 */
#ifndef HLC_SCHEDULE_DEPENDENCE_H
#define HLC_SCHEDULE_DEPENDENCE_H

#include "schedule/loop.h"

/* Are the distances of the nest's stage known? */
bool dependences_known(const LoopNest *nest);
/* May the loop and the loop directly inside it change places? */
bool dependences_allow_swap(const LoopNest *nest, size_t outer);
/* May the iterations of the loop run side by side while the loops outside it run in order? */
bool dependences_allow_together(const LoopNest *nest, size_t position);
/* Finds the loops that carry distance number `distance` of the stage.  `carriers[i]` is set if loop
 * i can have the first sign that is not zero.  Loops inside all carriers, and loops without a part
 * in the distance, may run their iterations in any order.  False if too many splits hide the
 * answer. */
bool dependence_carriers(const LoopNest *nest, size_t distance, bool *carriers);

#endif

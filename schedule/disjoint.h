/* disjoint.h -- reduction variables whose iterations touch different elements. */
#ifndef HLC_SCHEDULE_DISJOINT_H
#define HLC_SCHEDULE_DISJOINT_H

#include "schedule/loop.h"

/* Does an element that one iteration of the update writes, and that another one writes or reads,
 * show that both have the same value of the reduction variable number `variable`?  It is asked of
 * iterations that have the same values of the variables in `equal`, bit r: number r.  False where
 * that is not proved.  It is found once a resolver. */
bool iterations_are_disjoint(const Resolver *resolver, const Func *func, int stage, size_t variable,
                             uint64_t equal);

#endif

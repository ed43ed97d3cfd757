/* atomic.h -- the updates that a schedule declares atomic. */
#ifndef HLC_SCHEDULE_DIRECTIVES_ATOMIC_H
#define HLC_SCHEDULE_DIRECTIVES_ATOMIC_H

#include "schedule/loop.h"

/* Records all `atomic` directives for later questions, wherever they stand in the list. */
void atomic_collect(Resolver *resolver, const Directives *directives);
/* Does the schedule declare this update atomic? */
bool atomic_is_said(const Resolver *resolver, Symbol func, int stage);
/* Does the schedule declare the update of a written loop atomic?  For phase 0, where the loop may
 * not exist yet.  If the loop's stage is not written, any atomic update of its func counts. */
bool atomic_is_said_of(const Resolver *resolver, const DirectiveArgument *loop);

#endif

/* atomic.h -- which updates a schedule says to be atomic. */
#ifndef HLC_SCHEDULE_ATOMIC_H
#define HLC_SCHEDULE_ATOMIC_H

#include "schedule/loop.h"

/* Notes what the directives say, for all who ask afterwards, wherever it stands among them. */
void atomic_collect(Resolver *resolver, const Directives *directives);
/* Is the update said to be atomic? */
bool atomic_is_said(const Resolver *resolver, Symbol func, int stage);
/* Is the one that a written loop is of?  In phase 0, where the loop may not have been made yet:
 * then one whose stage is not said counts where any update of its func is said to be. */
bool atomic_is_said_of(const Resolver *resolver, const DirectiveArgument *loop);

#endif

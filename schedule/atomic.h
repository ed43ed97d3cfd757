/* atomic.h -- which updates a schedule says to be atomic. */
#ifndef HLC_SCHEDULE_ATOMIC_H
#define HLC_SCHEDULE_ATOMIC_H

#include "schedule/loop.h"

/* Notes what the directives say, for all who ask afterwards, wherever it stands among them. */
void atomic_collect(Resolver *resolver, const Directives *directives);
/* Is the update said to be atomic? */
bool atomic_is_said(const Resolver *resolver, Symbol func, int stage);
/* Is the one that a written loop is of, of which the stage may not be said? */
bool atomic_is_said_of(const Resolver *resolver, const LoopReference *loop);

#endif

/* meeting.h -- two iterations of an update that touch one element, as values. */
#ifndef HLC_SCHEDULE_MEETING_H
#define HLC_SCHEDULE_MEETING_H

#include "schedule/loop.h"

/* Appends to the reason why iterations of this reduction variable do not run side by side two of
 * them that touch one element: "; the iterations r = 1 and r = 2 both touch f(2)". Returns the
 * reason alone if the places do not depend on the variable, or if no example is found. */
const char *meeting_reason(const Resolver *resolver, const Func *func, int stage, Symbol variable,
                           const char *reason);

#endif

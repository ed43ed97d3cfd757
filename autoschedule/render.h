/* render.h -- writes decisions as the directives that people write, with the reason of each. */
#ifndef HLC_AUTOSCHEDULE_RENDER_H
#define HLC_AUTOSCHEDULE_RENDER_H

#include "autoschedule/decision.h"
#include "schedule/schedule.h"

typedef struct Rendered {
    Schedule *schedule;
    Vec(const char *) reasons; /* of each directive */
} Rendered;

/* Renders the choices of all funcs. `estimate` (null: not yet known) gives the numbers of the
 * reasons, `empty` those of the empty schedule. */
Rendered *render(const Decisions *decisions, const FuncChoice *choices, Symbol name,
                 const Estimate *estimate, const Estimate *empty, Arena *arena);

#endif

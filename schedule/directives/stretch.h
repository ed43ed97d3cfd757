/* stretch.h -- stretches of a reduction whose operator has no identity (see stretch.c). */
#ifndef HLC_SCHEDULE_DIRECTIVES_STRETCH_H
#define HLC_SCHEDULE_DIRECTIVES_STRETCH_H

#include "schedule/loop.h"

/* The iterations of a stage in which the kept variables have the same values. */
typedef struct Stretch {
    const Stage *stage;
    const bool *kept; /* by reduction variable */
} Stretch;

/* Says why no stretch has a first iteration that writes each point, as a clause: where the stage
 * writes depends on the iteration.  Null if it does not. */
const char *stretch_place_obstacle(const Resolver *resolver, const Func *func, const Stage *stage);
/* Says why a stretch may lack a first iteration, as a clause; null if every stretch has one.  With
 * `has_condition`, the contribution of an iteration already includes the stage's condition. */
const char *stretch_obstacle(const Resolver *resolver, const Func *func, const Stretch *stretch,
                             bool has_condition);
/* Returns the stage's expression in the first iteration, over the kept variables. */
Expr stretch_first(Pool *pool, Arena *arena, const Stretch *stretch, Expr expr);
/* Returns the condition that an iteration is not the first one of its stretch. */
Expr stretch_rest(Pool *pool, const Stretch *stretch);

#endif

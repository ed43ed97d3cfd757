/* stretch.h -- stretches of a reduction whose operator has no identity: see stretch.c. */
#ifndef HLC_SCHEDULE_STRETCH_H
#define HLC_SCHEDULE_STRETCH_H

#include "schedule/loop.h"

/* The iterations of a stage in which the kept variables have the same values. */
typedef struct Stretch {
    const Stage *stage;
    const bool *kept; /* by reduction variable */
} Stretch;

/* Why a stretch may lack a first iteration: a clause; null where none does.  Where `has_condition`,
 * what an iteration contributes says what the stage's condition does. */
const char *stretch_obstacle(const Resolver *resolver, const Func *func, const Stretch *stretch,
                             bool has_condition);
/* The expression of the stage in the first iteration, over the kept variables. */
Expr stretch_first(Pool *pool, Arena *arena, const Stretch *stretch, Expr expr);
/* Is it a later one? */
Expr stretch_rest(Pool *pool, const Stretch *stretch);

#endif

/* recurrence.h -- the validity rules for the equations of a recurrence, beyond their syntax, one
 * function a rule. Each reports the first violation. All funcs of the recurrence are defined, and
 * read each other at constant distances. `pipeline` finds them by name. */
#ifndef HLC_FRONTEND_RECURRENCE_H
#define HLC_FRONTEND_RECURRENCE_H

#include "ir/algorithm.h"
#include "ir/walk.h"

/* initial_value.c: each func has a value that does not depend on itself. */
bool initial_values_exist(Context *context, Arena *scratch, const Pipeline *pipeline,
                          const Recurrence *recurrence);
/* inside.c: each read of one of its funcs that is reached lies in the domain. */
bool reads_stay_inside(Context *context, Arena *scratch, const Pipeline *pipeline,
                       const Recurrence *recurrence);
/* Returns the conjuncts of the condition (null: true). */
Exprs condition_conjuncts(Pool *pool, Arena *arena, Expr condition);

#endif

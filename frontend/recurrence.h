/* recurrence.h -- the validity rules for the equations of a recurrence, beyond their syntax: one
 * function for each rule. Each reports the first violation. The rules require that all funcs of the
 * recurrence are defined, and read each other at constant distances. `pipeline` finds the funcs by
 * name. */
#ifndef HLC_FRONTEND_RECURRENCE_H
#define HLC_FRONTEND_RECURRENCE_H

#include "ir/algorithm.h"
#include "ir/walk.h"

/* Checks that each func has a value that does not depend on itself (initial_value.c). */
bool initial_values_exist(Context *context, Arena *scratch, const Pipeline *pipeline,
                          const Recurrence *recurrence);
/* Checks that each reachable read of one of its funcs lies in the domain (inside.c). */
bool reads_stay_inside(Context *context, Arena *scratch, const Pipeline *pipeline,
                       const Recurrence *recurrence);
/* Returns the conjuncts of the condition (null: true). */
Exprs condition_conjuncts(Pool *pool, Arena *arena, Expr condition);

#endif

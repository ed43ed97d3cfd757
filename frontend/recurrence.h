/* recurrence.h -- rules for the equations of a recurrence beyond their form, one function a rule.
 * Each reports the first offence.  All funcs of the recurrence must be defined, and read each other
 * at constant distances; `pipeline` finds them by name. */
#ifndef HLC_FRONTEND_RECURRENCE_H
#define HLC_FRONTEND_RECURRENCE_H

#include "ir/algorithm.h"
#include "ir/walk.h"

/* initial_value.c: each func has a value that does not need itself. */
bool initial_values_exist(Context *context, Arena *scratch, const Pipeline *pipeline,
                          const Recurrence *recurrence);
/* inside.c: each read of one of its funcs lies in the domain, wherever it is reached. */
bool reads_stay_inside(Context *context, Arena *scratch, const Pipeline *pipeline,
                       const Recurrence *recurrence);
/* The parts that must hold together for the condition (null: true) to hold. */
Exprs condition_conjuncts(Pool *pool, Arena *arena, Expr condition);

#endif

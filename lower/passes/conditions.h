/* conditions.h -- conditions that a pass wants to decide. */
#ifndef HLC_LOWER_PASSES_CONDITIONS_H
#define HLC_LOWER_PASSES_CONDITIONS_H

#include "lower/passes/knowledge.h"

/* Turns comparisons of values into comparisons of equal indices, which the solver can solve. */
Expr condition_in_indices(Knowledge *knowledge, Expr condition);
/* May the condition err in the formal reading?  Then the error must occur, and the condition stays.
 */
bool condition_may_err(Knowledge *knowledge, Expr condition);

#endif

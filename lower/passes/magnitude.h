/* magnitude.h -- how large may an index be, over all iterations?
 *
 * A magnitude is an f64 expression of startup variables.  It is at least the absolute value of the
 * index in every iteration, but for the rounding of f64.
 */
#ifndef HLC_LOWER_PASSES_MAGNITUDE_H
#define HLC_LOWER_PASSES_MAGNITUDE_H

#include "ir/stmt.h"

typedef struct Magnitudes Magnitudes;

Magnitudes *magnitudes_create(Pool *pool, Arena *arena);
/* The variable of a loop or let lies in the interval; if it is `narrow`, in i32, too. */
void magnitude_bind_interval(Magnitudes *magnitudes, Symbol variable, Extent interval, bool narrow);
/* The variable of a let has this value. */
void magnitude_bind_value(Magnitudes *magnitudes, Symbol variable, Expr value);
/* Returns the magnitude of an index operation; null if no call would find it at most 2^62, as for
 * products of values that are read. */
Expr magnitude_of(Magnitudes *magnitudes, Expr node);

#endif

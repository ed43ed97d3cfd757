/* values.h -- which values the points of a func can have.
 *
 *     fun f(x) = clamp(g(x), 10, p);        f in [10, max(p, 10)]
 *
 * A func's range holds the values of all its points in all its stages, by its definition: it says
 * nothing of memory that was not computed.  The ends are startup expressions, as those of an
 * Interval (region.h); a float's range holds all values but NaN.
 *
 * The range of the pure stage is that of its expressions, over all coordinates.  An update may read
 * the func.  Its range then holds the values so far, and all that the update makes of values in it.
 */
#ifndef HLC_BOUNDS_VALUES_H
#define HLC_BOUNDS_VALUES_H

#include "bounds/region.h"

typedef struct FuncValues {
    Simplifier *simplifier; /* knows what the entry ensures */
    Map ranges;             /* Symbol -> const Interval *, one a component */
} FuncValues;

/* The values of the funcs whose names are in `wanted`, and of those that they read. */
FuncValues values_of_funcs(const Pipeline *pipeline, const Map *wanted, Arena *arena);
/* Returns the ranges of a func's components; null: nothing is known. */
const Interval *values_of(const FuncValues *values, Symbol func);

#endif

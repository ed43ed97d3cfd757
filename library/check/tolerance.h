/* tolerance.h -- how far two orders of a reduction of floats may be apart: funcs that add up the
 * magnitudes of its terms, and the additions (reassociated.h says why these are enough).
 */
#ifndef HLC_LIBRARY_TOLERANCE_H
#define HLC_LIBRARY_TOLERANCE_H

#include "ir/algorithm.h"

typedef enum ElementKind {
    ELEMENT_ADDS,    /* a sum of terms that do not read the func, as floats */
    ELEMENT_CHOOSES, /* made of integers, and of floats of which it takes one as it is */
    ELEMENT_OTHER    /* of which nothing is known */
} ElementKind;

typedef enum Measure { MEASURE_MAGNITUDE, MEASURE_ADDITIONS } Measure;

/* `f.magnitude` or `f.additions`, with the elements, stages and types of f.  What each element of f
 * is goes to `kinds` (both measures say the same); where it is ELEMENT_ADDS, that element of the
 * new func is the measure. */
Func *measure_create(Pool *pool, Arena *arena, const Func *func, Measure measure,
                     ElementKind *kinds);

/* How far apart two sums of this float type may be; negative where nothing can be said: too many
 * additions, or magnitudes that are no number. */
double measure_allowed(Type type, double magnitude, double additions);

#endif

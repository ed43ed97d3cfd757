/* tolerance.h -- the tolerance between two orders of a float reduction. It makes funcs that sum the
 * magnitudes of the terms, and count the additions (reassociated.h gives the proof).
 */
#ifndef HLC_LIBRARY_CHECK_TOLERANCE_H
#define HLC_LIBRARY_CHECK_TOLERANCE_H

#include "ir/algorithm.h"

typedef enum ElementKind {
    ELEMENT_ADDS,    /* a sum of terms that do not read the func, as floats */
    ELEMENT_CHOOSES, /* made of integers, and of floats of which it takes one unchanged */
    ELEMENT_OTHER    /* unknown */
} ElementKind;

typedef enum Measure { MEASURE_MAGNITUDE, MEASURE_ADDITIONS } Measure;

/* Makes `f.magnitude` or `f.additions`, with the components, stages and types of f. `kinds` gets
 * the kind of each component of f; both measures give the same kinds. For ELEMENT_ADDS, that
 * component of the new func is the measure. For ELEMENT_CHOOSES, the magnitude of a float component
 * is NaN if it was compared with a NaN. */
Func *measure_create(Pool *pool, Arena *arena, const Func *func, Measure measure,
                     ElementKind *kinds);

/* Returns the tolerance between two sums of this float type. Negative if there is none: too many
 * additions, or magnitudes that are not numbers. */
double measure_allowed(Type type, double magnitude, double additions);

#endif

/* reassociated.h -- sums of floats that a schedule computes in another order, which the pipeline
 * grants (`reassociation`): what they are compared with, and how far they may be off.
 *
 * Nothing is given away for the order.  What code computes is compared, bit for bit, with the
 * reference of the algorithm that the schedule's rfactors make (`exact`): that says which sums are
 * made of which terms, and in what order.  Where such an algorithm cannot be evaluated by the
 * reference, it is compared with the target program before anything was simplified.
 *
 * That this algorithm is the one that was written is asked apart, of each reduction that was
 * factored and with nothing else factored.  Let it add n terms t.  Each order of adding them is at
 * most g*(|t1| + |t2| + ..) from their exact sum, g = n*u/(1 - n*u), u half the distance from 1 to
 * the next number of the type (Higham, Accuracy and Stability of Numerical Algorithms, section
 * 4.2); so two orders are at most twice that apart.  The sum of magnitudes and the number of
 * additions are computed by the reference at the point that is compared: funcs made of the
 * reduction, in which each term t has become |t|, or 1.  Elements that only choose (minima, places)
 * must be the same.  Of others (products) no bound is known, and they are not compared so.
 */
#ifndef HLC_LIBRARY_REASSOCIATED_H
#define HLC_LIBRARY_REASSOCIATED_H

#include "library/compiler.h"

/* A reduction of floats that a schedule has factored. */
typedef struct ReassociatedFunc {
    Symbol name;
    const char *obstacle;       /* why there is no bound; null: there is */
    int64_t points;             /* that were compared, elements counted apart */
    double difference, allowed; /* at the point where they came closest to each other */
} ReassociatedFunc;

typedef struct Reassociation {
    /* The algorithm with the schedule's rfactors; null: compared with the target program. */
    const Pipeline *exact;
    struct FuncComparison *comparisons; /* as many as funcs */
    Vec(ReassociatedFunc) funcs;
} Reassociation;

/* Null where the schedule changes the order of no sum of floats.  Lives in the arena. */
Reassociation *reassociation_find(Arena *arena, const Pipeline *pipeline, const Lowered *lowered);

/* Compares some points of each func under these arguments, of which the pipeline takes all.
 * Null, or (in the arena) which point is further off than it may be. */
const char *reassociation_judge(Reassociation *reassociation, Arena *arena, const hlc_arguments *a,
                                const BoundsResult *bounds, uint64_t *state);

#endif

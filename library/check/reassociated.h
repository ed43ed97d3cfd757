/* reassociated.h -- sums of floats that a schedule reorders, as the pipeline permits
 * (`reassociation`): how they are checked, and their tolerance.
 *
 * The order itself gets no tolerance. Compiled code is compared, bit for bit, with the reference on
 * the algorithm that the schedule's rfactors make (`exact`). That algorithm fixes the terms of each
 * sum and their order. If the reference cannot evaluate it, the code is compared with the
 * unsimplified target program.
 *
 * A separate check shows that this algorithm equals the written one, for each factored reduction,
 * with nothing else factored. Let the reduction add n terms t. Let u be half the distance from 1 to
 * the next number of the type, and g = n*u/(1 - n*u). Each order of the additions is at most
 * g*(|t1| + |t2| + ..) from the exact sum (Higham, Accuracy and Stability of Numerical Algorithms,
 * section 4.2). So two orders differ by at most twice that. The reference computes the sum of
 * magnitudes and the number of additions at the compared point. They are funcs made from the
 * reduction, with each term t replaced by |t|, or by 1. Components that only choose (minima,
 * positions) must be equal. Others (products) have no known bound, and are not compared so.
 */
#ifndef HLC_LIBRARY_CHECK_REASSOCIATED_H
#define HLC_LIBRARY_CHECK_REASSOCIATED_H

#include "library/compiler.h"

/* A reduction of floats that a schedule has factored. */
typedef struct ReassociatedFunc {
    Symbol name;
    const char *obstacle;       /* why there is no bound; null: there is */
    int64_t points;             /* points compared, each component counted */
    double difference, allowed; /* at the point where the difference came closest to `allowed` */
} ReassociatedFunc;

typedef struct Reassociation {
    /* The algorithm with the schedule's rfactors; null: compared with the target program. */
    const Pipeline *exact;
    struct FuncComparison *comparisons; /* as many as funcs */
    Vec(ReassociatedFunc) funcs;
} Reassociation;

/* Returns null if the schedule reorders no float sum. Lives in the arena. */
Reassociation *reassociation_find(Arena *arena, const Pipeline *pipeline, const Lowered *lowered);

/* Compares some points of each func under these arguments, which must be complete. Returns null, or
 * (in the arena) a description of a point beyond its tolerance. */
const char *reassociation_judge(Reassociation *reassociation, Arena *arena, const hlc_arguments *a,
                                const BoundsResult *bounds, uint64_t *state);

#endif

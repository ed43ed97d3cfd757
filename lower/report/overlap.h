/* overlap.h -- the points of a func that are recomputed from one iteration of a loop to the next.
 *
 * A func that is computed inside a loop is computed on a box in each iteration.  Seen from an outer
 * loop, that box is the hull over the loops between it and the compute statement.  The common
 * points of the boxes of two consecutive iterations are computed twice.
 */
#ifndef HLC_LOWER_REPORT_OVERLAP_H
#define HLC_LOWER_REPORT_OVERLAP_H

#include "ir/stmt.h"
#include "lower/report/tails.h"
#include "simplify/simplify.h"

typedef enum OverlapKind {
    OVERLAP_NONE,  /* no two iterations share a point */
    OVERLAP_SOME,  /* consecutive iterations share `rows`, in the dimensions that have it */
    OVERLAP_WHOLE, /* each iteration computes the same points again */
    OVERLAP_UNKNOWN
} OverlapKind;

typedef struct Overlap {
    OverlapKind kind;
    Expr rows[MAX_DIMENSIONS]; /* null if the box does not move with the loop; may be negative
                                  for a gap that is not proven to be one */
} Overlap;

/* Computes the overlap of the func of `compute` between the iterations of `loop`, which stands
 * around it.  Its tails (null: none) compute more than is needed.  The simplifier knows what holds
 * at `compute`.  The program has no holes. */
Overlap overlap_along(Pool *pool, Arena *arena, Simplifier *simplifier, const Stmt *compute,
                      const Tails *tails, const Stmt *loop);

#endif

/* tails.h -- the points that the loops of a pure stage compute beside the needed ones: those of a
 * partial last block, if the tail has no guard.
 *
 * `round-up` computes whole blocks, up to beyond the end.  `shift-inwards` computes whole blocks,
 * too.  Its last block overlaps the one before it and recomputes the common points.
 */
#ifndef HLC_LOWER_REPORT_TAILS_H
#define HLC_LOWER_REPORT_TAILS_H

#include "lower/lower.h"

typedef struct DimensionTail {
    Expr factor; /* null if nothing but needed points is computed */
    bool shifts;
} DimensionTail;

/* The tails of the pure stage of one compute statement. */
typedef struct Tails {
    DimensionTail of[MAX_DIMENSIONS];
    bool is_uncounted; /* a piece of a dimension is shifted, too; the number is not known */
    Symbol shifted;    /* a loop whose tail is shifted, or null */
} Tails;

/* Puts values of startup variables into a factor. */
typedef struct TailValues {
    Expr (*put)(void *data, Expr factor);
    void *data;
} TailValues;

/* Returns Stmt (compute) -> Tails, without statements that have no such tails.  `values` may be
 * null. */
Map tails_of_program(const Lowered *lowered, Arena *arena, const TailValues *values);

/* Returns the coordinates that the loops compute in a dimension if `asked` is needed. */
Extent tails_interval(Pool *pool, const DimensionTail *tail, Extent asked);

#endif

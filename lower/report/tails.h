/* tails.h -- which points the loops of a pure stage compute beside those that are asked for: those
 * of a last block that is not full, where a tail has no guard.
 *
 * `round-up` computes whole blocks, up to beyond the end.  `shift-inwards` computes whole blocks,
 * too; the last one lies on the one before it, whose points it computes again.
 */
#ifndef HLC_LOWER_TAILS_H
#define HLC_LOWER_TAILS_H

#include "lower/lower.h"

typedef struct DimensionTail {
    Expr factor; /* null where nothing is computed that is not asked for */
    bool shifts;
} DimensionTail;

/* Of the pure stage of one compute statement. */
typedef struct Tails {
    DimensionTail of[MAX_DIMENSIONS];
    bool is_uncounted; /* a piece of a dimension is shifted, too: how often is not known */
    Symbol shifted;    /* a loop whose tail is shifted, or null */
} Tails;

/* Puts values of startup variables into a factor. */
typedef struct TailValues {
    Expr (*put)(void *data, Expr factor);
    void *data;
} TailValues;

/* A Stmt (compute) -> Tails; statements without such tails are not in it.  `values` may be null. */
Map tails_of_program(const Lowered *lowered, Arena *arena, const TailValues *values);

/* The coordinates that the loops compute in a dimension of which `asked` are asked for. */
Extent tails_interval(Pool *pool, const DimensionTail *tail, Extent asked);

#endif

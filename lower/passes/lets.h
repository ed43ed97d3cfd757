/* lets.h -- expressions with the values of lets put in, and the loops around them eliminated. */
#ifndef HLC_LOWER_LETS_H
#define HLC_LOWER_LETS_H

#include "bounds/region.h"
#include "ir/walk.h"

typedef struct Lets {
    Pool *pool;
    Map values; /* Symbol -> Expr, which mentions no let of these */
    ExprMemo memo;
} Lets;

Lets lets_create(Pool *pool, Arena *arena);
void lets_bind(Lets *lets, Symbol name, Expr value);
Expr lets_expand(Lets *lets, Expr expr);
Extent lets_expand_interval(Lets *lets, Extent interval);

/* The variable runs over the interval, each end as far as it goes in the loops of `ranges`. */
void lets_bind_range(Ranges *ranges, Symbol variable, Extent interval);

#endif

/* lets.h -- expands lets in expressions, and eliminates the loops around them. */
#ifndef HLC_LOWER_PASSES_LETS_H
#define HLC_LOWER_PASSES_LETS_H

#include "bounds/region.h"
#include "ir/walk.h"

typedef struct Lets {
    Pool *pool;
    Map values; /* Symbol -> Expr, which mentions none of these lets */
    ExprMemo memo;
} Lets;

Lets lets_create(Pool *pool, Arena *arena);
void lets_bind(Lets *lets, Symbol name, Expr value);
Expr lets_expand(Lets *lets, Expr expr);
Extent lets_expand_interval(Lets *lets, Extent interval);

/* Binds the variable to the interval; each end covers its whole range in the loops of `ranges`. */
void lets_bind_range(Ranges *ranges, Symbol variable, Extent interval);

#endif

/* lets.c -- see lets.h. */
#include "lower/passes/lets.h"

Lets lets_create(Pool *pool, Arena *arena) {
    return (Lets){.pool = pool, .values = map_create(arena), .memo = expr_memo(arena)};
}

static Expr replace_let(void *data, Pool *pool, Expr node) {
    (void)pool;
    Expr value = node->op == OP_VARIABLE ? map_get(&((Lets *)data)->values, node->name) : NULL;
    return value ? value : node;
}

Expr lets_expand(Lets *lets, Expr expr) {
    return expr_rewrite(lets->pool, &lets->memo, expr, replace_let, lets);
}

Extent lets_expand_interval(Lets *lets, Extent interval) {
    Expr minimum = lets_expand(lets, interval.minimum), length = lets_expand(lets, interval.length);
    return (Extent){minimum, length};
}

void lets_bind(Lets *lets, Symbol name, Expr value) {
    map_put(&lets->values, name, (void *)lets_expand(lets, value));
}

void lets_bind_range(Ranges *ranges, Symbol variable, Extent interval) {
    Pool *pool = ranges->pool;
    Expr end = expr_add(pool, interval.minimum, interval.length);
    Expr last = expr_sub(pool, end, expr_index(pool, 1));
    ranges_bind(ranges, variable,
                (Interval){.lower = ranges_of(ranges, interval.minimum).lower,
                           .upper = ranges_of(ranges, last).upper,
                           .culprit = interval.length});
}

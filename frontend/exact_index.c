/* exact_index.c -- turns an i32 into a coordinate if none of its sums can wrap.
 *
 *     i32(a.extent.0) - 1         becomes    a.extent.0 - 1
 *     index(n + 1), n any i32     stays
 *
 * Then a proof about coordinates covers the i32 too, for instance a proof that a point is the last
 * one of a domain. Lengths of images lie in 0..2^31-1, as the entry checks. All other fields and
 * i32s lie in the range of their type.
 */
#include "frontend/elaborate.h"
#include "frontend/recurrence.h"

enum { LARGEST = 100 }; /* greatest tree size of an expression that is analysed */

typedef struct Exact {
    Expr expr;                /* of sort index; null if unknown */
    int64_t minimum, maximum; /* bounds of its value */
} Exact;

static Exact whole(Pool *pool, Expr value) {
    return (Exact){expr_cast(pool, INDEX, value), INT32_MIN, INT32_MAX};
}

/* Analyses i32(coordinate): it equals the coordinate if that is known to fit i32. */
static Exact of_coordinate(const Elaborator *e, Expr coordinate) {
    Symbol buffer;
    BufferField field;
    int dimension;
    if (coordinate->op == OP_VARIABLE &&
        buffer_field_parse(e->context, coordinate->name, &buffer, &field, &dimension) &&
        field_is_extent(field))
        return (Exact){coordinate, 0, INT32_MAX};
    return (Exact){0};
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Returns an unknown result if the operation might wrap. */
static Exact combine(Pool *pool, Op op, Exact a, Exact b) {
    Exact result;
    if (op == OP_ADD)
        result = (Exact){NULL, a.minimum + b.minimum, a.maximum + b.maximum};
    else if (op == OP_SUB)
        result = (Exact){NULL, a.minimum - b.maximum, a.maximum - b.minimum};
    else if (op == OP_MIN)
        result = (Exact){NULL, least(a.minimum, b.minimum), least(a.maximum, b.maximum)};
    else
        result = (Exact){NULL, greatest(a.minimum, b.minimum), greatest(a.maximum, b.maximum)};
    if (result.minimum >= INT32_MIN && result.maximum <= INT32_MAX)
        result.expr = expr_binary(pool, op, a.expr, b.expr);
    return result;
}

/* Recurses; LARGEST bounds the depth. */
static Exact exact(const Elaborator *e, Expr value) {
    Exact result = {0};
    Op op = (Op)value->op;
    int64_t constant;
    if (expr_constant_integer(value, &constant))
        return (Exact){expr_index(e->pool, constant), constant, constant};
    if (op == OP_CAST && type_is_index(value->arguments[0]->type))
        result = of_coordinate(e, value->arguments[0]);
    else if (op == OP_ADD || op == OP_SUB || op == OP_MIN || op == OP_MAX)
        result = combine(e->pool, op, exact(e, value->arguments[0]), exact(e, value->arguments[1]));
    return result.expr ? result : whole(e->pool, value);
}

Expr exact_index(const Elaborator *e, Expr value) {
    return value->tree_size > LARGEST ? whole(e->pool, value).expr : exact(e, value).expr;
}

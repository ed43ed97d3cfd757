/* magnitude.c -- see magnitude.h.
 *
 *     for xo in (0, (n + 3)/4):   |xo*4 + m|  is at most  ((|n| + 3)/4 + 1)*4 + |m|
 *
 * A sum is at most the sum of the magnitudes, a product their product, a min or max the larger of
 * them.  A variable's magnitude is that of its interval, or of its value.
 */
#include "lower/passes/magnitude.h"

#include "ir/walk.h"

/* Variables of variables of variables. */
enum { DEEPEST_VARIABLE = 32 };
/* No entry accepts more. */
#define LARGEST_INDEX 0x1p62

typedef struct Bound {
    Extent interval;
    Expr value; /* null: it lies in the interval */
    bool narrow;
} Bound;

typedef struct Size {
    Expr magnitude; /* null: nothing limits it */
} Size;

struct Magnitudes {
    Pool *pool;
    Arena *arena;
    Map bounds; /* Symbol -> Bound */
    Map known;  /* Expr -> its Size */
    int depth;
};

Magnitudes *magnitudes_create(Pool *pool, Arena *arena) {
    Magnitudes *magnitudes = arena_new(arena, Magnitudes);
    *magnitudes = (Magnitudes){
        .pool = pool, .arena = arena, .bounds = map_create(arena), .known = map_create(arena)};
    return magnitudes;
}

static void bind(Magnitudes *magnitudes, Symbol variable, Bound bound) {
    Bound *kept = arena_new(magnitudes->arena, Bound);
    *kept = bound;
    map_put(&magnitudes->bounds, variable, kept);
}

void magnitude_bind_interval(Magnitudes *magnitudes, Symbol variable, Extent interval,
                             bool narrow) {
    bind(magnitudes, variable, (Bound){interval, NULL, narrow});
}

void magnitude_bind_value(Magnitudes *magnitudes, Symbol variable, Expr value) {
    bind(magnitudes, variable, (Bound){.value = value});
}

static Expr number(const Magnitudes *magnitudes, double value) {
    return expr_float(magnitudes->pool, F64, value);
}

static Expr combine(const Magnitudes *magnitudes, Op op, Expr a, Expr b) {
    return a && b ? expr_binary(magnitudes->pool, op, a, b) : NULL;
}

static Expr size_of(const Magnitudes *magnitudes, Expr number) {
    Pool *pool = magnitudes->pool;
    return expr_unary(pool, OP_ABS, expr_cast(pool, F64, number));
}

static bool is_known(void *data, Expr node) {
    return map_get(&((Magnitudes *)data)->known, node);
}

static void visit(void *data, Expr node);

static Expr known_size(const Magnitudes *magnitudes, Expr node) {
    const Size *size = map_get(&magnitudes->known, node);
    return size ? size->magnitude : NULL;
}

static Expr of(Magnitudes *magnitudes, Expr expr) {
    if (magnitudes->depth == DEEPEST_VARIABLE)
        return NULL;
    magnitudes->depth++;
    expr_visit_rest(magnitudes->arena, expr, is_known, visit, magnitudes);
    magnitudes->depth--;
    return known_size(magnitudes, expr);
}

static Expr of_variable(Magnitudes *magnitudes, Expr variable) {
    const Bound *bound = map_get(&magnitudes->bounds, variable->name);
    if (!bound)
        return size_of(magnitudes, variable);
    if (bound->value)
        return type_is_index(bound->value->type) ? of(magnitudes, bound->value) : NULL;
    Expr size = combine(magnitudes, OP_ADD, of(magnitudes, bound->interval.minimum),
                        of(magnitudes, bound->interval.length));
    Expr narrow = bound->narrow ? number(magnitudes, 0x1p31) : NULL;
    return size && narrow ? combine(magnitudes, OP_MIN, size, narrow) : size ? size : narrow;
}

/* A machine integer; it may be read from memory. */
static Expr of_type(const Magnitudes *magnitudes, Type type) {
    if (type_is_bool(type))
        return number(magnitudes, 1);
    return type_is_machine_integer(type) && type.bits <= 32
               ? number(magnitudes, type_is_signed(type) ? -(double)type_minimum(type)
                                                         : (double)type_maximum(type))
               : NULL;
}

static Expr of_cast(const Magnitudes *magnitudes, Expr node) {
    Expr operand = node->arguments[0];
    bool is_startup = operand->op == OP_VARIABLE && !map_get(&magnitudes->bounds, operand->name);
    return is_startup ? size_of(magnitudes, operand) : of_type(magnitudes, operand->type);
}

/* A clamp to constants is no larger than these. */
static Expr of_choice(const Magnitudes *magnitudes, Expr node, Expr a, Expr b) {
    Expr inner = node->arguments[0];
    bool clamps =
        (node->op == OP_MAX && inner->op == OP_MIN) || (node->op == OP_MIN && inner->op == OP_MAX);
    int64_t limit, other;
    if (clamps && expr_constant_integer(node->arguments[1], &limit) &&
        expr_constant_integer(inner->arguments[1], &other))
        return combine(magnitudes, OP_MAX, size_of(magnitudes, node->arguments[1]),
                       size_of(magnitudes, inner->arguments[1]));
    return combine(magnitudes, OP_MAX, a, b);
}

static Expr of_quotient(const Magnitudes *magnitudes, Expr node, Expr a) {
    Expr one = number(magnitudes, 1);
    int64_t divisor;
    if (expr_constant_integer(node->arguments[1], &divisor) && divisor != 0)
        a = combine(magnitudes, OP_DIV, a, size_of(magnitudes, node->arguments[1]));
    return combine(magnitudes, OP_ADD, a, one);
}

static Expr of_operator(Magnitudes *magnitudes, Expr node) {
    Expr a[OP_MAX_ARITY] = {NULL};
    for (int i = 0; i < node->arity; i++)
        a[i] = known_size(magnitudes, node->arguments[i]);
    switch ((int)node->op) {
    case OP_ADD:
    case OP_SUB:
        return combine(magnitudes, OP_ADD, a[0], a[1]);
    case OP_MUL:
        return combine(magnitudes, OP_MUL, a[0], a[1]);
    case OP_DIV:
        return of_quotient(magnitudes, node, a[0]);
    case OP_MOD:
        return a[1];
    case OP_NEG:
    case OP_ABS:
        return a[0];
    case OP_MIN:
    case OP_MAX:
        return of_choice(magnitudes, node, a[0], a[1]);
    case OP_SELECT:
        return combine(magnitudes, OP_MAX, a[1], a[2]);
    case OP_CAST:
        return of_cast(magnitudes, node);
    default:
        return NULL;
    }
}

/* The operands are known. */
static void visit(void *data, Expr node) {
    Magnitudes *magnitudes = data;
    Size *size = arena_new(magnitudes->arena, Size);
    if (type_is_index(node->type) && node->op == OP_CONSTANT)
        size->magnitude = size_of(magnitudes, node);
    else if (type_is_index(node->type) && node->op == OP_VARIABLE)
        size->magnitude = of_variable(magnitudes, node);
    else if (type_is_index(node->type) && node->op < OP_COUNT)
        size->magnitude = of_operator(magnitudes, node);
    map_put(&magnitudes->known, node, size);
}

/* A number that is not known before the call is at least 1, or the index does not matter. */
static Expr least_size(void *data, Pool *pool, Expr node) {
    (void)data;
    return node->op == OP_ABS ? expr_float(pool, F64, 1) : node;
}

Expr magnitude_of(Magnitudes *magnitudes, Expr node) {
    Expr size = of(magnitudes, node);
    ExprMemo memo = expr_memo(magnitudes->arena);
    Expr least = size ? expr_rewrite(magnitudes->pool, &memo, size, least_size, magnitudes) : NULL;
    bool is_hopeless =
        least && expr_is_constant(least) && bits_to_double(F64, least->bits) >= LARGEST_INDEX;
    return is_hopeless ? NULL : size;
}

/* narrow.c -- PASS_NARROW: computes indices from data in 32 bits, in vectors.
 *
 *     in[max(min(index(i) + 1, n) - 1, m)]   =>   in[index(max(min(i, i32(n - 1)), i32(m)))]
 *
 * Here i is a number of at most 32 bits, from memory or computed, such as the place of a pixel that a
 * lens maps to (x, y).  An index has 64 bits, so a register holds half as many, and processors
 * without AVX-512 have no minimum of 64 bits, and no product.
 *
 * Which expressions: indices of loads and stores in vectorized loops, that hold a number
 * which differs between lanes, and are not just that number.  `narrow` makes the number max(min(t + offset, 2^31 - 1), -2^31) of an
 * index t.  Constants go inward to its leaves.  Minima and maxima of bounded numbers are bounded
 * minima and maxima.  A leaf that has the same value in all lanes is bounded as an index, once.  A
 * number of 32 bits is bounded before an offset, or another number, is added to it.
 *
 * Why it is sound.  The whole index is known to lie in 32 bits, so bounding it changes nothing.  No
 * operation overflows.
 *
 * The pass is the last one: simplification takes conversions out of comparisons, and would undo it. */
#include "lower/lower.h"

#include "decide/decide.h"
#include "ir/walk.h"
#include "lower/passes/knowledge.h"

typedef struct IndexNarrowing {
    Program *program;
    Pool *pool;
    Arena *arena;
    Knowledge knowledge;
    int vectorized;         /* loops around */
    Map varying;            /* Symbol -> itself: what differs between lanes */
    Vec(const Stmt *) lets; /* around */
    Map narrowed;           /* Expr, an index in the current statement -> Expr */
} IndexNarrowing;

/* ---- what is known of an index ---- */

/* Returns the let of a coordinate that lies in its domain in all iterations that run; else null. */
static const Stmt *find_coordinate(const IndexNarrowing *n, Expr t) {
    for (size_t i = n->lets.length; t->op == OP_VARIABLE && i-- > 0;)
        if (n->lets.data[i]->let.binder == t->name)
            return n->lets.data[i]->let.tail == TAIL_INSIDE ? n->lets.data[i] : NULL;
    return NULL;
}

static Expr end_of(IndexNarrowing *n, Extent domain, bool is_least) {
    Expr sum = expr_add(n->pool, domain.minimum, domain.length);
    return is_least ? domain.minimum : expr_sub(n->pool, sum, expr_index(n->pool, 1));
}

/* Is `t` at most `end`, or, if `is_least`, at least? */
static bool is_within(IndexNarrowing *n, Expr t, int64_t end, bool is_least) {
    const Expr *of = t->arguments;
    int64_t number;
    if (t->op == OP_MIN || t->op == OP_MAX) {
        bool both = (t->op == OP_MIN) == is_least;
        bool first = is_within(n, of[0], end, is_least);
        return both ? first && is_within(n, of[1], end, is_least)
                    : first || is_within(n, of[1], end, is_least);
    }
    if (t->op == OP_SELECT)
        return is_within(n, of[1], end, is_least) && is_within(n, of[2], end, is_least);
    if (t->op == OP_ADD && expr_constant_integer(of[1], &number) && number > INT32_MIN &&
        number < INT32_MAX)
        return is_within(n, of[0], end - number, is_least);
    Simplifier *simplifier = knowledge_simplifier(&n->knowledge);
    ConstantInterval range = simplify_interval(simplifier, t);
    if (is_least ? range.has_minimum && range.minimum >= end
                 : range.has_maximum && range.maximum <= end)
        return true;
    const Stmt *coordinate = find_coordinate(n, t);
    if (coordinate)
        t = knowledge_simplify(&n->knowledge, end_of(n, coordinate->let.domain, is_least));
    Expr limit = expr_index(n->pool, end);
    return is_least ? decide_proves_le(simplifier, limit, t)
                    : decide_proves_le(simplifier, t, limit);
}

static bool fits(IndexNarrowing *n, Expr t, int64_t offset) {
    return is_within(n, t, INT32_MAX - offset, false) && is_within(n, t, INT32_MIN - offset, true);
}

typedef struct VaryingSearch {
    const IndexNarrowing *narrowing;
    bool varies, is_scattered;
} VaryingSearch;

static void search_variable(void *data, Expr node) {
    VaryingSearch *search = data;
    search->varies |= node->op == OP_VARIABLE && map_get(&search->narrowing->varying, node->name);
}

static bool varies(const IndexNarrowing *n, Expr expr) {
    VaryingSearch search = {.narrowing = n};
    expr_visit(n->arena, expr, search_variable, &search);
    return search.varies;
}

static void search_number(void *data, Expr node) {
    VaryingSearch *search = data;
    search->is_scattered |= node->op == OP_CAST && type_is_index(node->type) &&
                            varies(search->narrowing, node->arguments[0]);
}

/* Does it take a number, from memory or computed, that differs between lanes?  Other indices, such as
 * x + in[y], may be even (codegen/base/affine_lanes.c), and must stay so. */
static bool is_scattered(const IndexNarrowing *n, Expr expr) {
    VaryingSearch search = {.narrowing = n};
    expr_visit(n->arena, expr, search_number, &search);
    return search.is_scattered;
}

/* ---- the number of 32 bits ---- */

static Expr number(const IndexNarrowing *n, int64_t value) {
    return expr_constant(n->pool, I32, value);
}

/* A number of at most 32 bits, and an offset that is added to it. */
static Expr narrow_number(IndexNarrowing *n, Expr leaf, int64_t offset) {
    Pool *pool = n->pool;
    Expr x = type_equal(leaf->type, I32) ? leaf : expr_cast(pool, I32, leaf);
    if (offset == 0)
        return x;
    Expr as_index = expr_cast(pool, INDEX, leaf);
    if (offset > 0 && !is_within(n, as_index, INT32_MAX - offset, false))
        x = expr_min(pool, x, number(n, INT32_MAX - offset));
    if (offset < 0 && !is_within(n, as_index, INT32_MIN - offset, true))
        x = expr_max(pool, x, number(n, INT32_MIN - offset));
    return expr_add(pool, x, number(n, offset));
}

/* An index that is even, or the same in all lanes. */
static Expr narrow_place(IndexNarrowing *n, Expr t, int64_t offset) {
    Pool *pool = n->pool;
    Expr sum = knowledge_simplify(&n->knowledge, expr_add(pool, t, expr_index(pool, offset)));
    bool is_varying = varies(n, t);
    bool is_low = !is_within(n, sum, INT32_MIN, true),
         is_high = !is_within(n, sum, INT32_MAX, false);
    if (is_varying && (is_low || is_high))
        return NULL;
    if (is_high)
        sum = expr_min(pool, sum, expr_index(pool, INT32_MAX));
    if (is_low)
        sum = expr_max(pool, sum, expr_index(pool, INT32_MIN));
    return expr_cast(pool, I32, sum);
}

static bool is_narrow_number(Expr t) {
    if (t->op != OP_CAST)
        return false;
    Type type = t->arguments[0]->type;
    return type_is_machine_integer(type) &&
           (type.bits < 32 || (type.bits == 32 && type_is_signed(type)));
}

static Expr narrow(IndexNarrowing *n, Expr t, int64_t offset);

static Expr narrow_both(IndexNarrowing *n, Expr t, int64_t offset) {
    Expr a = narrow(n, t->arguments[0], offset);
    Expr b = a ? narrow(n, t->arguments[1], offset) : NULL;
    return b ? expr_binary(n->pool, (Op)t->op, a, b) : NULL;
}

/* The sum a + b of two numbers, bounded: a <= 2^31 - 1 - b where b is positive, and a >= -2^31 - b
 * where b is negative. */
static Expr bounded_sum(IndexNarrowing *n, Expr a, Expr b, bool may_rise, bool may_fall) {
    Pool *pool = n->pool;
    Expr zero = number(n, 0);
    if (may_rise) {
        Expr rise = may_fall ? expr_max(pool, b, zero) : b;
        a = expr_min(pool, a, expr_sub(pool, number(n, INT32_MAX), rise));
    }
    if (may_fall) {
        Expr fall = may_rise ? expr_min(pool, b, zero) : b;
        a = expr_max(pool, a, expr_sub(pool, number(n, INT32_MIN), fall));
    }
    return expr_add(pool, a, b);
}

static Expr narrow_sum(IndexNarrowing *n, Expr t, int64_t offset) {
    const Expr *of = t->arguments;
    int64_t constant;
    if (expr_constant_integer(of[1], &constant) && constant > INT32_MIN && constant < INT32_MAX &&
        constant + offset > INT32_MIN && constant + offset < INT32_MAX)
        return narrow(n, of[0], offset + constant);
    if (!fits(n, of[0], offset) || !fits(n, of[1], 0))
        return NULL;
    Expr a = narrow(n, of[0], offset), b = a ? narrow(n, of[1], 0) : NULL;
    if (!b)
        return NULL;
    if (fits(n, t, offset))
        return expr_add(n->pool, a, b);
    if (offset == 0 && is_within(n, of[0], 0, true)) /* its sign is known */
        return bounded_sum(n, b, a, true, false);
    return bounded_sum(n, a, b, !is_within(n, of[1], 0, false), !is_within(n, of[1], 0, true));
}

/* Null if there is no such number. Indices are small trees, so the depth of this recursion is
 * bounded. */
static Expr narrow(IndexNarrowing *n, Expr t, int64_t offset) {
    if (is_narrow_number(t))
        return narrow_number(n, t->arguments[0], offset);
    if (!is_scattered(n, t))
        return narrow_place(n, t, offset);
    switch ((int)t->op) {
    case OP_MIN:
    case OP_MAX:
        return narrow_both(n, t, offset);
    case OP_ADD:
        return narrow_sum(n, t, offset);
    default:
        return NULL;
    }
}

/* ---- the walk ---- */

static Expr narrow_index(IndexNarrowing *n, Expr index) {
    enum { LARGEST = 200 }; /* nodes, as a tree */
    if (!type_is_index(index->type) || index->op == OP_CAST || index->tree_size > LARGEST ||
        !is_scattered(n, index))
        return index;
    Expr known = map_get(&n->narrowed, index);
    if (known)
        return known;
    Expr made = fits(n, index, 0) ? narrow(n, index, 0) : NULL;
    made = made ? expr_cast(n->pool, INDEX, made) : index;
    map_put(&n->narrowed, index, made);
    return made;
}

static Expr narrow_access(void *data, Pool *pool, Expr node) {
    IndexNarrowing *n = data;
    if (node->op != OP_ACCESS)
        return node;
    Expr *indices = arena_array(n->arena, Expr, node->arity + 1);
    bool is_changed = false;
    for (int d = 0; d < node->arity; d++) {
        indices[d] = narrow_index(n, node->arguments[d]);
        is_changed |= indices[d] != node->arguments[d];
    }
    return is_changed ? expr_with_arguments(pool, node, indices) : node;
}

static Expr narrow_expr(void *data, Expr expr) {
    IndexNarrowing *n = data;
    if (expr_has_access(expr))
        expr = expr_rewrite_alone(n->pool, n->arena, expr, narrow_access, n);
    return narrow_index(n, expr); /* of a store */
}

static bool enter(void *data, Stmt *stmt) {
    IndexNarrowing *n = data;
    knowledge_enter(&n->knowledge, stmt);
    if (stmt->kind == STMT_STORE && n->vectorized) {
        n->narrowed = map_create(n->arena);
        stmt_map_own_exprs(stmt, narrow_expr, n);
    }
    knowledge_learn_statement(&n->knowledge, stmt);
    bool is_vectorized = stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED;
    n->vectorized += is_vectorized;
    if (is_vectorized)
        map_put(&n->varying, stmt->loop.binder, stmt->loop.binder);
    if (stmt->kind != STMT_LET)
        return true;
    vec_push(n->arena, &n->lets, stmt);
    if (n->vectorized && varies(n, stmt->let.value))
        map_put(&n->varying, stmt->let.binder, stmt->let.binder);
    return true;
}

static void leave(void *data, Stmt *stmt) {
    IndexNarrowing *n = data;
    knowledge_leave(&n->knowledge, stmt);
    n->vectorized -= stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED;
    n->lets.length -= stmt->kind == STMT_LET;
}

void lower_narrow(Program *program, Arena *arena) {
    IndexNarrowing n = {.program = program,
                        .pool = program->pool,
                        .arena = arena,
                        .knowledge = knowledge_create(program, arena),
                        .varying = map_create(arena)};
    StmtVisitor visitor = {.data = &n, .enter = enter, .leave = leave};
    block_visit(&program->body, &visitor);
}

/* scan.c -- whether an update is a scan, and along which dimensions.
 *
 * An update is a scan along dimension d if iteration r of a reduction variable writes at the coordinate
 * r + c or c - r of d, and reads its func there at constant distances from it:
 *
 *     rdom(i = (1, w - 1); j = (1, h - 1)) in (i, j) <- f(i - 1, j) + f(i, j - 1)
 *
 * is one along both dimensions. Its array is computed in tiles: each from the last coordinates before it,
 * its *faces*. The variables of a scan are the outermost ones. All iterations that write a coordinate
 * follow one another, so a read finds there the final value, or the one before the update, as the sign
 * of the distance says. A tile must tell them apart by the place alone: what lies before the tile in some
 * dimension is final. So no distance has both signs.
 *
 * The equations of a recurrence write each point once and read it afterwards, so their variables need
 * not be the outermost ones: all those will do in which no two distances have different signs. */
#include "library/split/splitting.h"

#include "ir/walk.h"

enum { LONGEST_REACH = 1024, MOST_TERMS = 64 };

/* ---- constant differences ---- */

/* A sum of expressions times numbers. */
typedef struct IndexSum {
    Expr terms[MOST_TERMS];
    int64_t factors[MOST_TERMS], constant;
    int count;
    bool is_unknown;
} IndexSum;

static void add_term(IndexSum *sum, Expr term, int64_t factor) {
    int t = 0;
    while (t < sum->count && sum->terms[t] != term)
        t++;
    if (t == MOST_TERMS) {
        sum->is_unknown = true;
        return;
    }
    if (t == sum->count) {
        sum->terms[sum->count++] = term;
        sum->factors[t] = 0;
    }
    sum->is_unknown |= __builtin_add_overflow(sum->factors[t], factor, &sum->factors[t]);
}

/* The depth of the recursion is that of an index. */
static void add_linear(IndexSum *sum, Expr expr, int64_t factor) {
    int64_t number;
    if (expr_constant_integer(expr, &number)) {
        sum->is_unknown |= __builtin_mul_overflow(number, factor, &number) ||
                           __builtin_add_overflow(sum->constant, number, &sum->constant);
    } else if (expr->op == OP_ADD || expr->op == OP_SUB) {
        add_linear(sum, expr->arguments[0], factor);
        add_linear(sum, expr->arguments[1], expr->op == OP_SUB ? -factor : factor);
    } else if (expr->op == OP_NEG) {
        add_linear(sum, expr->arguments[0], -factor);
    } else if (expr->op == OP_MUL && expr_constant_integer(expr->arguments[1], &number) &&
               number > -LONGEST_REACH && number < LONGEST_REACH &&
               !__builtin_mul_overflow(number, factor, &number) && number != INT64_MIN) {
        add_linear(sum, expr->arguments[0], number);
    } else {
        add_term(sum, expr, factor);
    }
}

static int64_t factor_of(const IndexSum *sum, Symbol variable) {
    for (int t = 0; t < sum->count; t++)
        if (sum->terms[t]->op == OP_VARIABLE && sum->terms[t]->name == variable)
            return sum->factors[t];
    return 0;
}

/* Is a - b constant? */
static bool constant_difference(Expr a, Expr b, int64_t *difference) {
    IndexSum sum = {.count = 0};
    add_linear(&sum, a, 1);
    add_linear(&sum, b, -1);
    for (int t = 0; t < sum.count; t++)
        if (sum.factors[t])
            return false;
    *difference = sum.constant;
    return !sum.is_unknown;
}

/* ---- one dimension ---- */

typedef struct ScanSearch {
    Splitting *splitting;
    const Func *func;
    const Stage *stage;
    Exprs own; /* the accesses of the func */
} ScanSearch;

/* Is it known at startup? */
static bool is_startup(const ScanSearch *search, Expr expr) {
    if (expr_has_access(expr))
        return false;
    Exprs variables = expr_variables_of(search->splitting->arena, expr);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        for (int k = 0; k < search->func->shape->dimensions; k++)
            if (search->func->shape->variables[k] == name)
                return false;
        for (size_t r = 0; r < search->stage->reduction.length; r++)
            if (search->stage->reduction.data[r].variable == name)
                return false;
    }
    return true;
}

/* Is the index offset + r, or offset - r? */
static bool index_offset(const ScanSearch *search, Expr index, Symbol r, bool *is_turned,
                         Expr *offset) {
    IndexSum sum = {.count = 0};
    add_linear(&sum, index, 1);
    int64_t factor = factor_of(&sum, r);
    if (sum.is_unknown || (factor != 1 && factor != -1))
        return false;
    Substitution zero = substitution_create(search->splitting->arena);
    substitution_add(&zero, r, expr_index(search->splitting->pool, 0));
    *is_turned = factor < 0;
    *offset = substitution_apply(search->splitting->pool, &zero, index);
    return is_startup(search, *offset);
}

/* The accesses of the func in an update. */
static Exprs own_accesses(Arena *arena, const Func *func, const Stage *stage) {
    Exprs all = {0}, own = {0};
    for (int k = 0; k < func->shape->dimensions; k++)
        expr_accesses(arena, stage->indices[k], &all);
    for (int c = 0; c < func->shape->components; c++)
        expr_accesses(arena, stage->values[c], &all);
    if (stage->predicate)
        expr_accesses(arena, stage->predicate, &all);
    for (size_t i = 0; i < all.length; i++)
        if (all.data[i]->name == func->shape->name)
            vec_push(arena, &own, all.data[i]);
    return own;
}

/* Iterations between a write and the read of it, by access; null if they are not constant. */
static int64_t *distances_along(const ScanSearch *search, const ScanAlong *along, Symbol r) {
    int64_t *distances = arena_array(search->splitting->arena, int64_t, search->own.length + 1);
    for (size_t i = 0; i < search->own.length; i++) {
        Expr offset;
        bool is_turned;
        int64_t back;
        if (!index_offset(search, search->own.data[i]->arguments[along->dimension], r, &is_turned,
                          &offset) ||
            is_turned != along->is_turned || !constant_difference(along->offset, offset, &back) ||
            back < -LONGEST_REACH || back > LONGEST_REACH)
            return NULL;
        distances[i] = along->is_turned ? -back : back;
    }
    return distances;
}

/* Does the variable run along this dimension? Then gives the distances. */
static int64_t *runs_along(const ScanSearch *search, int dimension, size_t variable,
                           ScanAlong *along) {
    Symbol r = search->stage->reduction.data[variable].variable;
    *along = (ScanAlong){.dimension = dimension, .variable = variable};
    if (!index_offset(search, search->stage->indices[dimension], r, &along->is_turned,
                      &along->offset))
        return NULL;
    along->is_lower = along->is_turned;
    return distances_along(search, along, r);
}

/* ---- updates ---- */

static bool has_dimension(const ScanOrder *order, int dimension) {
    for (int k = 0; k < order->count; k++)
        if (order->along[k].dimension == dimension)
            return true;
    return false;
}

/* The signs of an access's distances so far. */
typedef struct DistanceSigns {
    bool is_back, is_ahead;
} DistanceSigns;

/* Adds the variable to the order. False if it is no variable of a scan, or two signs meet. */
static bool add_variable(const ScanSearch *search, size_t variable, DistanceSigns *signs,
                         ScanOrder *order) {
    ScanAlong along;
    for (int d = 0; d < search->func->shape->dimensions; d++) {
        if (has_dimension(order, d))
            continue;
        const int64_t *distances = runs_along(search, d, variable, &along);
        bool good = distances != NULL;
        for (size_t i = 0; i < search->own.length && good; i++)
            good =
                !(distances[i] > 0 && signs[i].is_ahead) && !(distances[i] < 0 && signs[i].is_back);
        if (!good)
            continue;
        for (size_t i = 0; i < search->own.length; i++) {
            signs[i].is_back |= distances[i] > 0;
            signs[i].is_ahead |= distances[i] < 0;
            along.reach = along.reach > distances[i] ? along.reach : distances[i];
        }
        order->along[order->count++] = along;
        return true;
    }
    return false;
}

/* ---- equations ---- */

static void add_equation_variables(const ScanSearch *search, ScanOrder *order) {
    const Stage *stage = search->stage;
    for (size_t v = stage->reduction.length; v-- > 0;) {
        ScanAlong along;
        int d = 0;
        while (stage->indices[d]->name != stage->reduction.data[v].variable)
            d++;
        if (!runs_along(search, d, v, &along))
            continue;
        int64_t least = 0, greatest = 0;
        for (size_t i = 0; i < stage->distances.length; i++) {
            int64_t distance = stage->distances.data[i][v];
            least = least < distance ? least : distance;
            greatest = greatest > distance ? greatest : distance;
        }
        if (least < 0 && greatest > 0)
            continue;
        along.is_lower = least < 0;
        along.reach = greatest - least;
        order->along[order->count++] = along;
    }
}

ScanOrder scan_order(Splitting *splitting, const Func *func, const Stage *stage) {
    ScanOrder order = {.count = 0};
    ScanSearch search = {splitting, func, stage, own_accesses(splitting->arena, func, stage)};
    if (stage->writes > 1)
        return order;
    if (stage->has_distances) {
        add_equation_variables(&search, &order);
        return order;
    }
    DistanceSigns *signs = arena_array(splitting->arena, DistanceSigns, search.own.length + 1);
    for (size_t v = stage->reduction.length; v-- > 0;)
        if (order.count == MAX_IMAGE_DIMENSIONS || !add_variable(&search, v, signs, &order))
            break;
    return order;
}

/* ---- coordinates and iterations ---- */

static bool is_zero(Expr offset) {
    int64_t number;
    return expr_constant_integer(offset, &number) && number == 0;
}

Extent scan_written(Pool *pool, const ScanAlong *along, Extent iterations) {
    Extent written = iterations;
    Expr end = expr_add(pool, iterations.minimum, iterations.length);
    if (along->is_turned)
        written.minimum = expr_add(pool, expr_sub(pool, along->offset, end), expr_index(pool, 1));
    else if (!is_zero(along->offset))
        written.minimum = expr_add(pool, iterations.minimum, along->offset);
    return written;
}

void scan_iterations(Pool *pool, const ScanAlong *along, Expr *first, Expr *end) {
    Expr low = *first, high = *end, one = expr_index(pool, 1);
    if (along->is_turned) {
        *first = expr_add(pool, expr_sub(pool, along->offset, high), one);
        *end = expr_add(pool, expr_sub(pool, along->offset, low), one);
    } else if (!is_zero(along->offset)) {
        *first = expr_sub(pool, low, along->offset);
        *end = expr_sub(pool, high, along->offset);
    }
}

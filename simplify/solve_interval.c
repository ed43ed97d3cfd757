/* solve_interval.c -- the values of a variable that certainly satisfy a condition, and those that
 * may satisfy it.
 *
 * The condition is solved, and read bottom-up. A limit is its half-line, for both intervals. &&
 * intersects; || joins; a select takes each end from its arm. A condition free of the variable
 * makes the inner interval empty if it does not hold: [a, select(c, b, a - 1)].
 *
 * The solver leaves some conditions, because solving would duplicate the variable, or because no
 * limit is equivalent. They are split here, solved again, and read. An equality and an absolute
 * value become two conditions. A sum with terms of constant bounds, x + x%4 <= y, becomes two
 * conditions: one for the worst values, x + 3 <= y, for the inner interval, and one for the best
 * values, x <= y, for the outer.
 *
 * If a union is not an interval, the inner one keeps the half known to be larger. A condition of
 * none of these forms may hold everywhere, and certainly holds nowhere.
 */
#include "simplify/solver.h"

typedef struct IntervalReading {
    EquationSolver *solver;
    Map of;    /* Expr -> SolvedIntervals */
    int depth; /* of conditions that were taken apart */
} IntervalReading;

static const SolvedInterval empty = {.is_empty = true}, everything;

/* Returns the tighter of two ends; null is infinite. */
static Expr tighter(EquationSolver *s, Op op, Expr a, Expr b) {
    if (!a || !b)
        return a ? a : b;
    return solver_small(s, expr_binary(s->pool, op, a, b));
}

static Expr wider(EquationSolver *s, Op op, Expr a, Expr b) {
    return a && b ? solver_small(s, expr_binary(s->pool, op, a, b)) : NULL;
}

static SolvedInterval intersect(EquationSolver *s, SolvedInterval a, SolvedInterval b) {
    if (a.is_empty || b.is_empty)
        return empty;
    SolvedInterval result = {false, tighter(s, OP_MAX, a.minimum, b.minimum),
                             tighter(s, OP_MIN, a.maximum, b.maximum)};
    if (result.minimum && result.maximum &&
        simplify_prove(s->simplifier, expr_le(s->pool, result.minimum, result.maximum)) ==
            PROOF_REFUTED)
        return empty;
    return result;
}

static SolvedInterval hull(EquationSolver *s, SolvedInterval a, SolvedInterval b) {
    if (a.is_empty || b.is_empty)
        return a.is_empty ? b : a;
    return (SolvedInterval){false, wider(s, OP_MIN, a.minimum, b.minimum),
                            wider(s, OP_MAX, a.maximum, b.maximum)};
}

/* Does `b` begin at most one after the end of `a`? If both reach each other, the hull is the union,
 * even if one of them is empty. */
static bool reaches(EquationSolver *s, SolvedInterval a, SolvedInterval b) {
    if (!a.maximum || !b.minimum)
        return true;
    Expr next = expr_add(s->pool, a.maximum, expr_index(s->pool, 1));
    return simplify_proves_le(s->simplifier, b.minimum, next);
}

static int ends(SolvedInterval a) {
    return (a.minimum != NULL) + (a.maximum != NULL);
}

static SolvedInterval unite(EquationSolver *s, SolvedInterval a, SolvedInterval b) {
    if (a.is_empty || b.is_empty)
        return a.is_empty ? b : a;
    if (reaches(s, a, b) && reaches(s, b, a))
        return hull(s, a, b);
    return ends(b) < ends(a) ? b : a;
}

/* Returns the interval if `condition` holds, and an empty one otherwise. An infinite end becomes
 * FARTHEST, which no loop reaches. */
static SolvedInterval where(EquationSolver *s, Expr condition, SolvedInterval a) {
    static const int64_t FARTHEST = (int64_t)1 << 48;
    Pool *pool = s->pool;
    if (a.is_empty)
        return empty;
    if (!a.minimum && a.maximum) {
        Expr above = expr_add(pool, a.maximum, expr_index(pool, 1));
        Expr least = expr_index(pool, -FARTHEST);
        a.minimum = solver_small(s, expr_select(pool, condition, least, above));
        return a;
    }
    a.minimum = a.minimum ? a.minimum : expr_index(pool, -FARTHEST);
    Expr most = a.maximum ? a.maximum : expr_index(pool, FARTHEST);
    Expr below = expr_sub(pool, a.minimum, expr_index(pool, 1));
    a.maximum = solver_small(s, expr_select(pool, condition, most, below));
    return a;
}

static SolvedInterval choose(EquationSolver *s, Expr condition, SolvedInterval a,
                             SolvedInterval b) {
    return (SolvedInterval){
        false,
        a.minimum == b.minimum
            ? a.minimum
            : solver_small(s, expr_select(s->pool, condition, a.minimum, b.minimum)),
        a.maximum == b.maximum
            ? a.maximum
            : solver_small(s, expr_select(s->pool, condition, a.maximum, b.maximum))};
}

/* Compares the two arms: one may have an end where the other is infinite, or be empty. */
static bool same_ends(SolvedInterval a, SolvedInterval b) {
    return !a.is_empty && !b.is_empty && !a.minimum == !b.minimum && !a.maximum == !b.maximum;
}

/* Returns the intervals of an argument; arguments are read before their users. */
static const SolvedIntervals *read_before(const IntervalReading *reading, Expr node) {
    return map_get(&reading->of, node);
}

static SolvedIntervals read_select(IntervalReading *reading, Expr node) {
    EquationSolver *s = reading->solver;
    Expr condition = node->arguments[0];
    SolvedIntervals yes = *read_before(reading, node->arguments[1]),
                    no = *read_before(reading, node->arguments[2]), result;
    bool fixed = !solver_mentions(s, condition);
    Expr otherwise = expr_not(s->pool, condition);
    result.inner = fixed && same_ends(yes.inner, no.inner)
                       ? choose(s, condition, yes.inner, no.inner)
                       : intersect(s, yes.inner, no.inner);
    if (fixed && yes.inner.is_empty != no.inner.is_empty)
        result.inner =
            yes.inner.is_empty ? where(s, otherwise, no.inner) : where(s, condition, yes.inner);
    result.outer = fixed && same_ends(yes.outer, no.outer)
                       ? choose(s, condition, yes.outer, no.outer)
                       : hull(s, yes.outer, no.outer);
    return result;
}

static SolvedIntervals read_limit(EquationSolver *s, SolverSide side, Expr limit) {
    switch (side) {
    case SIDE_AT_MOST:
        return (SolvedIntervals){{.maximum = limit}, {.maximum = limit}};
    case SIDE_AT_LEAST:
        return (SolvedIntervals){{.minimum = limit}, {.minimum = limit}};
    case SIDE_EQUAL:
        return (SolvedIntervals){{false, limit, limit}, {false, limit, limit}};
    case SIDE_UNEQUAL:
        limit = simplify(s->simplifier, expr_add(s->pool, limit, expr_index(s->pool, 1)));
        return (SolvedIntervals){{.minimum = limit}, everything};
    case SIDE_NONE:
        break;
    }
    return (SolvedIntervals){empty, everything};
}

static SolvedIntervals both(EquationSolver *s, SolvedIntervals a, SolvedIntervals b) {
    return (SolvedIntervals){intersect(s, a.inner, b.inner), intersect(s, a.outer, b.outer)};
}

static SolvedIntervals either(EquationSolver *s, SolvedIntervals a, SolvedIntervals b) {
    return (SolvedIntervals){unite(s, a.inner, b.inner), hull(s, a.outer, b.outer)};
}

static SolvedIntervals read_chain(IntervalReading *reading, Expr node) {
    EquationSolver *s = reading->solver;
    Expr left = node->arguments[0], right = node->arguments[1];
    SolvedIntervals a = *read_before(reading, left), b = *read_before(reading, right);
    if (node->op == OP_OR)
        return either(s, a, b);
    SolvedIntervals result = both(s, a, b);
    if (!solver_mentions(s, right))
        result.inner = where(s, right, a.inner);
    else if (!solver_mentions(s, left))
        result.inner = where(s, left, b.inner);
    return result;
}

/* Splits a comparison in which the variable is not alone into a chain of two; null if there is
 * none. */
static Expr take_apart(EquationSolver *s, Expr node) {
    Pool *pool = s->pool;
    Expr a = node->arguments[0], b = node->arguments[1], one = expr_index(pool, 1);
    if (node->op == OP_EQ)
        return expr_and(pool, expr_le(pool, a, b), expr_le(pool, b, a));
    if (node->op == OP_NE)
        return expr_or(pool, expr_le(pool, expr_add(pool, a, one), b),
                       expr_le(pool, expr_add(pool, b, one), a));
    if (node->op == OP_LE && a->op == OP_ABS && solver_mentions(s, a)) {
        Expr inside = a->arguments[0];
        return expr_and(pool, expr_le(pool, inside, b),
                        expr_le(pool, expr_unary(pool, OP_NEG, inside), b));
    }
    if (node->op == OP_LE && b->op == OP_ABS && solver_mentions(s, b)) {
        Expr inside = b->arguments[0];
        return expr_or(pool, expr_le(pool, a, inside),
                       expr_le(pool, a, expr_unary(pool, OP_NEG, inside)));
    }
    return NULL;
}

static SolvedIntervals read_solved(EquationSolver *s, Expr solved, int depth);

/* Reads sum <= 0 after solving it; unbounded if nothing is known. */
static SolvedIntervals read_relaxed(IntervalReading *reading, LinearSum *sum) {
    EquationSolver *s = reading->solver;
    sum_sort(sum);
    Expr value = sum_build(s->pool, sum);
    if (sum->failed || !solver_mentions(s, value))
        return (SolvedIntervals){empty, everything};
    Expr condition = expr_le(s->pool, value, expr_index(s->pool, 0));
    return read_solved(s, s->condition(s, condition), reading->depth + 1);
}

/* Replaces each term of sum <= 0 that has the variable and a constant bound by its largest value,
 * or its smallest one. False if there is none. */
static bool relax(EquationSolver *s, const LinearSum *sum, bool largest, LinearSum *relaxed) {
    bool any = false;
    *relaxed = (LinearSum){.constant = sum->constant};
    for (int i = 0; i < sum->count; i++) {
        SumTerm term = sum->terms[i];
        ConstantInterval bounds =
            interval_scale(simplify_interval(s->simplifier, term.atom), term.coefficient);
        bool has_bound = largest ? bounds.has_maximum : bounds.has_minimum;
        if (!has_bound || !solver_mentions(s, term.atom)) {
            sum_add_term(relaxed, term.atom, term.coefficient);
            continue;
        }
        any = true;
        sum_add_constant(relaxed, largest ? bounds.maximum : bounds.minimum, 1);
    }
    return any;
}

static SolvedIntervals read_bounded(IntervalReading *reading, Expr node) {
    SolvedIntervals result = {empty, everything};
    LinearSum sum = {0}, worst, best;
    compare_sum(&sum, node);
    if (sum.failed)
        return result;
    if (relax(reading->solver, &sum, true, &worst))
        result.inner = read_relaxed(reading, &worst).inner;
    if (relax(reading->solver, &sum, false, &best))
        result.outer = read_relaxed(reading, &best).outer;
    return result;
}

static SolvedIntervals read_apart(IntervalReading *reading, Expr node) {
    enum { MOST_DEPTH = 6 };
    EquationSolver *s = reading->solver;
    bool compares = node->arity == 2 && type_is_index(node->arguments[0]->type);
    if (!compares || reading->depth >= MOST_DEPTH)
        return (SolvedIntervals){empty, everything};
    Expr parts = take_apart(s, node);
    if (!parts)
        return read_bounded(reading, node);
    SolvedIntervals halves[2];
    for (int i = 0; i < 2; i++) {
        Expr half = s->condition(s, parts->arguments[i]);
        halves[i] = read_solved(s, half, reading->depth + 1);
    }
    return (parts->op == OP_AND ? both : either)(s, halves[0], halves[1]);
}

static SolvedIntervals read_node(IntervalReading *reading, Expr node) {
    EquationSolver *s = reading->solver;
    Expr limit = NULL;
    if (!type_is_bool(node->type) || !type_is_index(s->target->type))
        return (SolvedIntervals){empty, everything};
    if (expr_is_true(node))
        return (SolvedIntervals){everything, everything};
    if (expr_is_false(node))
        return (SolvedIntervals){empty, empty};
    if (node->op == OP_SELECT)
        return read_select(reading, node);
    if (node->op == OP_AND || node->op == OP_OR)
        return read_chain(reading, node);
    SolverSide side = solver_side(s, node, &limit);
    return side == SIDE_NONE && solver_mentions(s, node) ? read_apart(reading, node)
                                                         : read_limit(s, side, limit);
}

static void read_into(void *data, Expr node) {
    IntervalReading *reading = data;
    SolvedIntervals *intervals = arena_new(reading->solver->arena, SolvedIntervals);
    *intervals = read_node(reading, node);
    map_put(&reading->of, node, intervals);
}

static SolvedIntervals read_solved(EquationSolver *s, Expr solved, int depth) {
    IntervalReading reading = {.solver = s, .of = map_create(s->arena), .depth = depth};
    expr_visit(s->arena, solved, read_into, &reading);
    return *read_before(&reading, solved);
}

SolvedIntervals simplify_solve_interval(Simplifier *simplifier, Expr condition, Symbol variable) {
    hlc_assert(type_is_bool(condition->type), "a condition is a bool");
    Expr solved = simplify(simplifier, condition);
    EquationSolver s = solver_create(simplifier, solved, variable);
    if (!s.target) {
        bool never = expr_is_false(solved);
        return (SolvedIntervals){expr_is_true(solved) ? everything : empty,
                                 never ? empty : everything};
    }
    return read_solved(&s, solver_condition(&s, solved), 0);
}

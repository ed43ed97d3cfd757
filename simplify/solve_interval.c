/* solve_interval.c -- the values of a variable that satisfy a condition for sure, and those that
 * might.
 *
 * The condition is solved, equalities and absolute values taken apart, and read bottom-up: a limit
 * is its half-line, both ways; && intersects; || joins; a select takes each end from its arm.
 * Where a union is no interval, the inner one keeps the larger half that is known; what has no form
 * of these might hold everywhere and holds nowhere for sure.
 */
#include "simplify/solver.h"

typedef struct Reading {
    Solver *solver;
    SolvedIntervals *of; /* by node number */
} Reading;

static const SolvedInterval empty = {.is_empty = true}, everything;

/* Of two ends; null is infinite. */
static Expr tighter(Solver *s, Op op, Expr a, Expr b) {
    if (!a || !b)
        return a ? a : b;
    return solver_small(s, expr_binary(s->pool, op, a, b));
}

static Expr wider(Solver *s, Op op, Expr a, Expr b) {
    return a && b ? solver_small(s, expr_binary(s->pool, op, a, b)) : NULL;
}

static SolvedInterval intersect(Solver *s, SolvedInterval a, SolvedInterval b) {
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

static SolvedInterval hull(Solver *s, SolvedInterval a, SolvedInterval b) {
    if (a.is_empty || b.is_empty)
        return a.is_empty ? b : a;
    return (SolvedInterval){false, wider(s, OP_MIN, a.minimum, b.minimum),
                            wider(s, OP_MAX, a.maximum, b.maximum)};
}

/* Does `b` begin at most one behind where `a` ends?  Where both ask this of one another, the hull
 * is the union, also where one of them is empty. */
static bool reaches(Solver *s, SolvedInterval a, SolvedInterval b) {
    if (!a.maximum || !b.minimum)
        return true;
    Expr next = expr_add(s->pool, a.maximum, expr_index(s->pool, 1));
    return simplify_proves_le(s->simplifier, b.minimum, next);
}

static int ends(SolvedInterval a) {
    return (a.minimum != NULL) + (a.maximum != NULL);
}

static SolvedInterval unite(Solver *s, SolvedInterval a, SolvedInterval b) {
    if (a.is_empty || b.is_empty)
        return a.is_empty ? b : a;
    if (reaches(s, a, b) && reaches(s, b, a))
        return hull(s, a, b);
    return ends(b) < ends(a) ? b : a;
}

static SolvedInterval choose(Solver *s, Expr condition, SolvedInterval a, SolvedInterval b) {
    return (SolvedInterval){
        false,
        a.minimum == b.minimum
            ? a.minimum
            : solver_small(s, expr_select(s->pool, condition, a.minimum, b.minimum)),
        a.maximum == b.maximum
            ? a.maximum
            : solver_small(s, expr_select(s->pool, condition, a.maximum, b.maximum))};
}

/* Under either arm: one of them has an end where the other is infinite, or is empty. */
static bool same_ends(SolvedInterval a, SolvedInterval b) {
    return !a.is_empty && !b.is_empty && !a.minimum == !b.minimum && !a.maximum == !b.maximum;
}

static SolvedIntervals read_select(Reading *reading, Expr node) {
    Solver *s = reading->solver;
    Expr condition = node->arguments[0];
    SolvedIntervals yes = reading->of[node->arguments[1]->number],
                    no = reading->of[node->arguments[2]->number], result;
    bool fixed = !solver_mentions(s, condition);
    result.inner = fixed && same_ends(yes.inner, no.inner)
                       ? choose(s, condition, yes.inner, no.inner)
                       : intersect(s, yes.inner, no.inner);
    result.outer = fixed && same_ends(yes.outer, no.outer)
                       ? choose(s, condition, yes.outer, no.outer)
                       : hull(s, yes.outer, no.outer);
    return result;
}

static SolvedIntervals read_limit(Solver *s, Side side, Expr limit) {
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

static SolvedIntervals read_node(Reading *reading, Expr node) {
    Solver *s = reading->solver;
    Expr limit = NULL;
    if (!type_is_bool(node->type) || !type_is_index(s->target->type))
        return (SolvedIntervals){empty, everything};
    if (expr_is_true(node))
        return (SolvedIntervals){everything, everything};
    if (expr_is_false(node))
        return (SolvedIntervals){empty, empty};
    if (node->op == OP_SELECT)
        return read_select(reading, node);
    if (node->op == OP_AND || node->op == OP_OR) {
        SolvedIntervals a = reading->of[node->arguments[0]->number],
                        b = reading->of[node->arguments[1]->number];
        if (node->op == OP_AND)
            return (SolvedIntervals){intersect(s, a.inner, b.inner),
                                     intersect(s, a.outer, b.outer)};
        return (SolvedIntervals){unite(s, a.inner, b.inner), hull(s, a.outer, b.outer)};
    }
    Side side = solver_side(s, node, &limit);
    return read_limit(s, side, limit);
}

static void read_into(void *data, Expr node) {
    Reading *reading = data;
    reading->of[node->number] = read_node(reading, node);
}

SolvedIntervals simplify_solve_interval(Simplifier *simplifier, Expr condition, Symbol variable) {
    hlc_assert(type_is_bool(condition->type), "a condition is a bool");
    Expr solved = simplify(simplifier, condition);
    Solver s = solver_create(simplifier, solved, variable);
    s.apart = true;
    if (!s.target) {
        bool never = expr_is_false(solved);
        return (SolvedIntervals){expr_is_true(solved) ? everything : empty,
                                 never ? empty : everything};
    }
    solved = solver_condition(&s, solved);
    /* Arguments are numbered before their users. */
    size_t size = (solved->number + 1) * sizeof(SolvedIntervals);
    Reading reading = {.solver = &s, .of = arena_allocate(s.arena, size)};
    expr_visit(s.arena, solved, read_into, &reading);
    return reading.of[solved->number];
}

/* overlap.c -- compares the boxes of consecutive iterations, end by end.
 *
 * Let lower(v) and upper(v) be the inclusive ends of the box in iteration v.  Boxes that move
 * upward share upper(v) - lower(v + 1) + 1 points of a dimension; boxes that move downward share
 * upper(v + 1) - lower(v) + 1.  The direction must be proven; otherwise the overlap is unknown.  In
 * one direction, if consecutive boxes are disjoint, all boxes are.
 */
#include "lower/report/overlap.h"

#include "decide/decide.h"

#include "lower/passes/lets.h"

/* A larger formula tells a reader nothing. */
enum { LARGEST_END = 200 };

typedef struct Boxes {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    const Stmt *compute, *loop;
    const Tails *tails; /* null: none */
    Ranges ranges;      /* eliminates the loops between the two */
    Expr variable, next;
} Boxes;

/* Expands the lets between loop and compute, innermost first; the result mentions loops. */
static Expr expand_lets(const Boxes *boxes, const Stmt *from, Expr expr) {
    for (const Stmt *at = stmt_parent(from); at && at != boxes->loop; at = stmt_parent(at))
        if (at->kind == STMT_LET)
            expr = expr_substitute(boxes->pool, boxes->arena, expr, at->let.binder, at->let.value);
    return expr;
}

/* Binds the loops between, outermost first.  Each runs over its range in one iteration of the
 * loop. */
static void bind_between(Boxes *boxes) {
    Vec(const Stmt *) between = {0};
    for (const Stmt *at = stmt_parent(boxes->compute); at != boxes->loop; at = stmt_parent(at))
        if (at->kind == STMT_FOR)
            vec_push(boxes->arena, &between, at);
    for (size_t i = between.length; i-- > 0;) {
        const Stmt *inner = between.data[i];
        Expr minimum = expand_lets(boxes, inner, inner->loop.interval.minimum);
        Expr length = expand_lets(boxes, inner, inner->loop.interval.length);
        lets_bind_range(&boxes->ranges, inner->loop.binder, (Extent){minimum, length});
    }
}

/* Returns the length of a nonempty box: an iteration that computes nothing shares nothing. */
static Expr length_of_some(Expr length) {
    int64_t otherwise;
    bool is_emptied = length->op == OP_SELECT &&
                      expr_constant_integer(length->arguments[2], &otherwise) && otherwise == 0;
    return is_emptied ? length->arguments[1] : length;
}

/* Returns the box's ends in dimension `d` in an iteration; unknown ends are null. */
static Interval box_ends(Boxes *boxes, int d) {
    Pool *pool = boxes->pool;
    Extent interval = boxes->compute->compute.intervals[d];
    interval.length = length_of_some(interval.length);
    if (boxes->tails)
        interval = tails_interval(pool, &boxes->tails->of[d], interval);
    Expr lower = expand_lets(boxes, boxes->compute, interval.minimum);
    Expr length = expand_lets(boxes, boxes->compute, interval.length);
    Expr upper = expr_sub(pool, expr_add(pool, lower, length), expr_index(pool, 1));
    upper = simplify(boxes->simplifier, upper); /* so canceling terms do not count twice */
    Interval first = ranges_of(&boxes->ranges, lower), last = ranges_of(&boxes->ranges, upper);
    return (Interval){.lower = first.lower, .upper = last.upper};
}

static Expr in_next(const Boxes *boxes, Expr end) {
    return expr_substitute(boxes->pool, boxes->arena, end, boxes->variable->name, boxes->next);
}

static Expr shared(const Boxes *boxes, Expr upper, Expr lower) {
    Expr count =
        expr_add(boxes->pool, expr_sub(boxes->pool, upper, lower), expr_index(boxes->pool, 1));
    return simplify(boxes->simplifier, count);
}

static OverlapKind compare(Boxes *boxes, Interval ends, Expr *rows) {
    Simplifier *simplifier = boxes->simplifier;
    *rows = NULL;
    if (!ends.lower || !ends.upper || ends.lower->tree_size > LARGEST_END ||
        ends.upper->tree_size > LARGEST_END)
        return OVERLAP_UNKNOWN;
    Expr lower = in_next(boxes, ends.lower), upper = in_next(boxes, ends.upper);
    if (lower == ends.lower && upper == ends.upper)
        return OVERLAP_WHOLE;
    if (decide_proves_le(simplifier, ends.lower, lower) &&
        decide_proves_le(simplifier, ends.upper, upper))
        *rows = shared(boxes, ends.upper, lower);
    else if (decide_proves_le(simplifier, lower, ends.lower) &&
             decide_proves_le(simplifier, upper, ends.upper))
        *rows = shared(boxes, upper, ends.lower);
    else
        return OVERLAP_UNKNOWN;
    return decide_proves_le(simplifier, *rows, expr_index(boxes->pool, 0)) ? OVERLAP_NONE
                                                                           : OVERLAP_SOME;
}

/* Boxes that are disjoint in one dimension are disjoint.  One unknown dimension makes the rest
 * useless. */
static Overlap overlap_of(Boxes *boxes, const Interval *ends) {
    Overlap overlap = {.kind = OVERLAP_WHOLE};
    for (int d = 0; d < boxes->compute->compute.func->dimensions; d++) {
        OverlapKind kind = compare(boxes, ends[d], &overlap.rows[d]);
        if (kind == OVERLAP_NONE)
            return (Overlap){.kind = OVERLAP_NONE};
        if (kind == OVERLAP_UNKNOWN || (kind == OVERLAP_SOME && overlap.kind == OVERLAP_WHOLE))
            overlap.kind = kind;
    }
    return overlap;
}

/* Learns that there is a next iteration.  For a loop over n/k blocks, the simplifier also learns
 * k*(next + 1) <= n. */
static void learn_next(const Boxes *boxes) {
    Pool *pool = boxes->pool;
    const Extent *interval = &boxes->loop->loop.interval;
    Expr end = expr_add(pool, interval->minimum, interval->length), one = expr_index(pool, 1);
    simplifier_learn(boxes->simplifier, expr_lt(pool, boxes->next, end));
    Expr length = interval->length, divisor = length->op == OP_DIV ? length->arguments[1] : NULL;
    int64_t factor;
    if (!divisor || !expr_constant_integer(divisor, &factor) || factor <= 0)
        return;
    Expr done = expr_add(pool, expr_sub(pool, boxes->next, interval->minimum), one);
    Expr least = simplify(boxes->simplifier, expr_mul(pool, done, divisor));
    simplifier_learn(boxes->simplifier, expr_le(pool, least, length->arguments[0]));
}

Overlap overlap_along(Pool *pool, Arena *arena, Simplifier *simplifier, const Stmt *compute,
                      const Tails *tails, const Stmt *loop) {
    hlc_assert(loop->kind == STMT_FOR && stmt_is_inside(compute, loop),
               "a func is computed again only in a loop around it");
    int64_t length;
    if (expr_constant_integer(loop->loop.interval.length, &length) && length <= 1)
        return (Overlap){.kind = OVERLAP_NONE};
    Boxes boxes = {pool, arena, simplifier, compute, loop, tails, .variable = NULL};
    boxes.variable = expr_variable(pool, loop->loop.binder, INDEX);
    boxes.next = expr_add(pool, boxes.variable, expr_index(pool, 1));
    boxes.ranges = ranges_create(pool, arena, simplifier);
    bind_between(&boxes);
    Interval ends[MAX_DIMENSIONS]; /* of any iteration, so found before the next one is assumed */
    for (int d = 0; d < compute->compute.func->dimensions; d++)
        ends[d] = box_ends(&boxes, d);
    FactMark mark = simplifier_mark(simplifier);
    learn_next(&boxes);
    Overlap overlap = overlap_of(&boxes, ends);
    simplifier_release(simplifier, mark);
    return overlap;
}

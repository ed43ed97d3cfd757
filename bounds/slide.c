/* slide.c -- sliding windows: values that an earlier iteration computed, and that are still there,
 * are not recomputed.
 *
 * Let a func be stored outside a serial loop v in which it is computed, and let its region N(v)
 * move with v in one dimension.  Then an iteration computes only what that of v - 1 did not hold:
 *
 *     for y in (m, n) do                 for y in (m, n) do
 *       compute f on [.., (y, 3)]   ->     compute f on [.., (m < y ? y + 2 : m, m < y ? 1 : 3)]
 *         ..                                 holding [.., (y, 3)] sliding y along y
 *                                            ..
 *
 * The decision is made while holes are filled, from the consumers to the producers.  So producers
 * computed inside are bounded by the part that is left to compute.  Regions seen from further out,
 * and so memory, are those of N, as if nothing slid.
 *
 * Why it is sound.  Claim: after the compute statement, all of N(v) is right in memory.  The part
 * beyond the end of N(v - 1) is computed now.  The rest of N(v) lies in N(v - 1), for two reasons:
 * N's near end does not go back (proved here), and in the other dimensions the region does not
 * depend on v.  It was right at v - 1, and nothing has written it since.  The func's only writes in
 * the loop are this statement's: no second realization of the same memory stands in the loop.  In
 * the sliding dimension, which is pure in every stage, they lie in the part computed now.
 * Iteration v - 1 did run this statement.  The loops between v and it do not depend on v, or are
 * proved to have run (those that the dimension already slides along).  No condition stands there
 * but choices made at startup, and those that are the same in all iterations of v and of the loops
 * inside (arms.c: nothing of the func is read where a choice takes the other arm).  In v's first iteration all of N is computed, also when a loop
 * around begins v again.
 *
 * Several loops.  The dimensions slide one by one, along the loops from the inside out, each along
 * its own loop.  A dimension that slid along v may slide on along a loop o around it, as after a
 * split of y.  In a later iteration of o, the iteration before v's first one was v's last one in
 * o - 1.  The same proof is made for those two.
 *
 * Tails may write beyond the computed part, and updates may write anywhere in a dimension.  In such
 * a dimension nothing slides.  Other dimensions may slide if the region held in the dimension with
 * the tail is the same in all iterations: then nobody needs the writes beyond it.  (Otherwise an
 * iteration of a loop between would update once more what another iteration has computed and
 * holds.)
 *
 * Mirrored: if N's far end does not go forward, the near part is computed.
 */
#include "bounds/inference.h"

#include "decide/decide.h"

#include <stdarg.h>
#include <stdio.h>

/* Larger regions, in nodes, do not slide: proofs about them would be slow. */
enum { LARGEST_REGION = 4000 };

/* One loop that a dimension slides along.  If `later` holds, an iteration came before. */
typedef struct SlideStep {
    Stmt *loop;
    Expr later; /* true: the loop starts early, which is as good as an earlier iteration */
    Expr end;   /* the computed part begins (downward: ends) here */
    Expr length;
} SlideStep;

/* The state of one dimension. */
typedef struct Track {
    Interval held;    /* N, in loop variables and startup variables; lets expanded */
    Interval current; /* the computed part */
    bool downward;
    bool is_early; /* the one step's loop starts early: its first iteration is like the others */
    Vec(SlideStep) steps; /* innermost loop first */
} Track;

typedef struct Sliding {
    BoundsInference *bounds;
    Realization *realization;
    const Func *func;
    Vec(Stmt *) loops; /* between the memory and the compute statement, innermost first */
    Track tracks[MAX_DIMENSIONS];
} Sliding;

/* ---- refusing ---- */

static const char *loop_text(const Stmt *loop) {
    return loop->loop.binder->text;
}

static const char *dimension_text(const Sliding *sliding, int k) {
    return sliding->realization->shape->variables[k]->text;
}

static void tell(const Sliding *sliding, const Stmt *loop, bool slides, const char *text) {
    vec_push(sliding->bounds->arena, &sliding->bounds->slides,
             (SlideNote){.func = sliding->realization->shape->name,
                         .copy = sliding->realization->copy,
                         .loop = loop->loop.binder,
                         .slides = slides,
                         .text = text});
}

/* Notes the reason.  Always returns false. */
static bool refuse(const Sliding *sliding, const Stmt *loop, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(const Sliding *sliding, const Stmt *loop, const char *format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(sliding, loop, false, arena_format(sliding->bounds->arena, "%s", text));
    return false;
}

/* ---- expressions ---- */

static Expr expand(const Sliding *sliding, Expr expr) {
    return inference_expand(sliding->bounds, inference_resolve(sliding->bounds, expr));
}

static Expr at(const Sliding *sliding, Expr expr, const Stmt *loop, Expr value) {
    BoundsInference *bounds = sliding->bounds;
    return expr_substitute(bounds->pool, bounds->arena, expr, loop->loop.binder, value);
}

static bool mentions(const Sliding *sliding, Interval range, const Stmt *loop) {
    Arena *arena = sliding->bounds->arena;
    return expr_mentions(arena, range.lower, loop->loop.binder) ||
           expr_mentions(arena, range.upper, loop->loop.binder);
}

static Expr variable_of(const Sliding *sliding, const Stmt *loop) {
    return expr_variable(sliding->bounds->pool, loop->loop.binder, INDEX);
}

static Expr first_of(const Sliding *sliding, const Stmt *loop) {
    return simplify(sliding->bounds->simplifier, expand(sliding, loop->loop.interval.minimum));
}

static Expr last_of(const Sliding *sliding, const Stmt *loop) {
    Pool *pool = sliding->bounds->pool;
    Expr length = expand(sliding, loop->loop.interval.length);
    return simplify(
        sliding->bounds->simplifier,
        expr_sub(pool, expr_add(pool, first_of(sliding, loop), length), expr_index(pool, 1)));
}

static Expr plus_one(const Sliding *sliding, Expr expr) {
    return expr_add(sliding->bounds->pool, expr, expr_index(sliding->bounds->pool, 1));
}

static Expr minus_one(const Sliding *sliding, Expr expr) {
    return expr_sub(sliding->bounds->pool, expr, expr_index(sliding->bounds->pool, 1));
}

static bool proves_le(const Sliding *sliding, Expr a, Expr b) {
    return decide_proves_le(sliding->bounds->simplifier, a, b);
}

/* ---- conditions for sliding ---- */

/* Lists the loops.  False if a statement among them may run in some iterations only. */
static bool collect_loops(Sliding *sliding) {
    const Block *block = sliding->realization->allocate->block;
    for (Stmt *stmt = sliding->realization->root; stmt->block != block;) {
        stmt = stmt_parent(stmt);
        hlc_assert(stmt, "the allocation dominates the compute statement (Lemma 6.2)");
        if (stmt->kind == STMT_FOR)
            vec_push(sliding->bounds->arena, &sliding->loops, stmt);
        bool is_startup = stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE;
        bool is_plain =
            stmt->kind == STMT_FOR || stmt->kind == STMT_COMPUTE || stmt->kind == STMT_LABEL;
        if (!is_startup && !is_plain)
            return false;
    }
    return sliding->loops.length > 0;
}

static bool is_shared(const Sliding *sliding, const Stmt *loop) {
    const Realization *realization = sliding->realization;
    const FuncSolution *solution = map_get(&sliding->bounds->by_func, realization->shape->name);
    for (size_t i = 0; i < solution->realizations.length; i++) {
        const Realization *other = solution->realizations.data[i];
        if (other != realization && other->allocate == realization->allocate &&
            stmt_is_inside(other->root, loop))
            return true;
    }
    return false;
}

/* Do the func's updates read it only at the coordinate that they write? */
static bool reads_own_row(const Sliding *sliding, int k) {
    const Uses *own = &sliding->realization->own;
    for (size_t i = 0; i < own->length; i++) {
        const AccessUse *use = &own->data[i];
        if (use->stmt->kind != STMT_STORE ||
            use->stmt->store.indices[k] != use->access->arguments[k])
            return false;
    }
    return true;
}

static bool is_requested(const Sliding *sliding, int k) {
    const BoundRequests *requests = sliding->bounds->requests;
    for (size_t i = 0; i < requests->requests.length; i++)
        if (requests->requests.data[i].func == sliding->realization->shape->name &&
            requests->requests.data[i].dimension == k)
            return true;
    return false;
}

/* Returns the let of that name between the statement and the realization's root; null if there is
 * none. */
static const Stmt *let_around(const Sliding *sliding, const Stmt *stmt, Symbol name) {
    for (; stmt != sliding->realization->root; stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_LET && stmt->let.binder == name)
            return stmt;
    return NULL;
}

static void find_minimum(void *data, Expr node) {
    *(bool *)data |= node->op == OP_MIN;
}

/* Has the expression a minimum, as the value of a split that shifts inwards? */
static bool has_minimum(Arena *arena, Expr expr) {
    bool found = false;
    expr_visit(arena, expr, find_minimum, &found);
    return found;
}

/* Does the index run beyond the computed part?  It does if it is, or is made of, the variable of a
 * split that rounds up or shifts inwards. */
static bool runs_beyond(const Sliding *sliding, const Stmt *store, Expr index) {
    Arena *arena = sliding->bounds->arena;
    Exprs left = expr_variables_of(arena, index);
    while (left.length) {
        Symbol name = left.data[--left.length]->name;
        const Stmt *let = let_around(sliding, store, name);
        if (!let)
            continue;
        if (let->let.tail == TAIL_BEYOND || has_minimum(arena, let->let.value))
            return true;
        expr_variables(arena, let->let.value, &left);
    }
    return false;
}

static bool has_tail(const Sliding *sliding, int k) {
    for (size_t i = 0; i < sliding->realization->stores.length; i++) {
        const Stmt *store = sliding->realization->stores.data[i];
        if (runs_beyond(sliding, store, store->store.indices[k]))
            return true;
    }
    return false;
}

/* Is the held region in dimension k the same in all iterations of the loops? */
static bool is_still(const Sliding *sliding, int k) {
    for (size_t i = 0; i < sliding->loops.length; i++)
        if (mentions(sliding, sliding->tracks[k].held, sliding->loops.data[i]))
            return false;
    return true;
}

/* Is the func needed nowhere that it is written beyond the computed part? */
static bool writes_allow(const Sliding *sliding, const Stmt *loop, int k) {
    const char *func = sliding->realization->shape->name->text;
    for (int e = 0; e < sliding->realization->shape->dimensions; e++) {
        if (e != k && !func_is_pure(sliding->func, e) && !is_still(sliding, e))
            return refuse(
                sliding, loop,
                "an update of %s may write anywhere in %s, where other iterations hold it", func,
                dimension_text(sliding, e));
        if (!has_tail(sliding, e))
            continue;
        if (e == k)
            return refuse(sliding, loop, "a tail of %s writes beyond what is computed in %s", func,
                          dimension_text(sliding, k));
        if (!is_still(sliding, e))
            return refuse(sliding, loop, "a tail of %s in %s writes where other iterations hold it",
                          func, dimension_text(sliding, e));
    }
    return true;
}

static bool may_slide(const Sliding *sliding, const Stmt *loop, int k) {
    const char *func = sliding->realization->shape->name->text, *x = dimension_text(sliding, k);
    if (is_requested(sliding, k))
        return refuse(sliding, loop, "a directive fixes the region of %s in %s", func, x);
    if (!func_is_pure(sliding->func, k))
        return refuse(sliding, loop, "an update of %s may write anywhere in %s", func, x);
    if (!reads_own_row(sliding, k))
        return refuse(sliding, loop, "an update of %s reads %s at another %s", func, func, x);
    return writes_allow(sliding, loop, k);
}

/* ---- one step ---- */

/* Returns the only dimension in which the region moves with the loop.  -1, after noting the reason,
 * if there is not exactly one. */
static int moving_dimension(const Sliding *sliding, const Stmt *loop) {
    int moving = -1;
    const char *func = sliding->realization->shape->name->text;
    for (int k = 0; k < sliding->realization->shape->dimensions; k++) {
        if (!mentions(sliding, sliding->tracks[k].current, loop) &&
            !mentions(sliding, sliding->tracks[k].held, loop))
            continue;
        if (moving >= 0) {
            refuse(sliding, loop, "the window of %s moves in %s and in %s at once", func,
                   dimension_text(sliding, moving), dimension_text(sliding, k));
            return -1;
        }
        moving = k;
    }
    if (moving < 0)
        refuse(sliding, loop, "the window of %s does not move with it: all of it is computed again",
               func);
    return moving;
}

static Interval ends_of(const Sliding *sliding, const Stmt *loop) {
    return (Interval){expand(sliding, loop->loop.interval.minimum),
                      expand(sliding, loop->loop.interval.length), NULL};
}

static bool slides_along(const Track *track, const Stmt *loop) {
    for (size_t i = 0; i < track->steps.length; i++)
        if (track->steps.data[i].loop == loop)
            return true;
    return false;
}

/* Do the loops inside `loop` run alike in all its iterations?  Loops that the dimension slides
 * along need not (ran_before). */
static bool is_regular(const Sliding *sliding, const Stmt *loop, const Track *track, size_t index) {
    for (size_t i = 0; i < index; i++) {
        const Stmt *inner = sliding->loops.data[i];
        if (!slides_along(track, inner) && mentions(sliding, ends_of(sliding, inner), loop))
            return refuse(sliding, loop, "the loop %s inside runs differently from one to the next",
                          loop_text(inner));
    }
    return true;
}

/* Returns the region that the previous iteration of `loop` held, with the loops that the dimension
 * already slides along at their last iteration. */
static Interval before(const Sliding *sliding, const Track *track, const Stmt *loop) {
    Interval range = track->held;
    Expr *const ends[] = {&range.lower, &range.upper};
    for (int i = 0; i < 2; i++) {
        for (size_t s = 0; s < track->steps.length; s++) {
            const Stmt *inner = track->steps.data[s].loop;
            *ends[i] = at(sliding, *ends[i], inner, last_of(sliding, inner));
        }
        Expr previous = minus_one(sliding, variable_of(sliding, loop));
        *ends[i] = simplify(sliding->bounds->simplifier, at(sliding, *ends[i], loop, previous));
    }
    return range;
}

/* Returns the region held in an iteration of `loop`, with the inner loops that the dimension slides
 * along at their first iteration. */
static Interval beginning(const Sliding *sliding, const Track *track) {
    Interval range = track->held;
    Expr *const ends[] = {&range.lower, &range.upper};
    for (int i = 0; i < 2; i++) {
        for (size_t s = 0; s < track->steps.length; s++) {
            const Stmt *inner = track->steps.data[s].loop;
            *ends[i] = at(sliding, *ends[i], inner, first_of(sliding, inner));
        }
        *ends[i] = simplify(sliding->bounds->simplifier, *ends[i]);
    }
    return range;
}

/* Did the loops that the dimension already slides along have an iteration in the previous iteration
 * of `loop`, as they have now?  (Such as a row of a slid consumer that a guard cuts off at the
 * end.) */
static bool ran_before(const Sliding *sliding, const Track *track, const Stmt *loop) {
    BoundsInference *bounds = sliding->bounds;
    Expr one = expr_index(bounds->pool, 1);
    Expr previous = minus_one(sliding, variable_of(sliding, loop));
    for (size_t i = 0; i < track->steps.length; i++) {
        Expr length = ends_of(sliding, track->steps.data[i].loop).upper;
        if (!mentions(sliding, ends_of(sliding, track->steps.data[i].loop), loop))
            continue;
        simplifier_learn(bounds->simplifier, expr_le(bounds->pool, one, length));
        for (size_t outer = i + 1; outer < track->steps.length; outer++) {
            const Stmt *other = track->steps.data[outer].loop;
            length = at(sliding, length, other, last_of(sliding, other));
        }
        length = simplify(bounds->simplifier, at(sliding, length, loop, previous));
        if (!proves_le(sliding, one, length))
            return false;
    }
    return true;
}

/* Finds the end from which `now` must be computed if `old` was held; null if it is the beginning of
 * `now`.  False if the windows do not move that way.
 *
 * A window without points, such as one of iterations that a guard cuts off, needs nothing.  It may
 * be computed from anywhere past its end.  `direction` is the direction of the end that must not go
 * back, if it is seen. */
static bool moved_end(const Sliding *sliding, Interval now, Interval old, int direction,
                      bool downward, Expr *end) {
    BoundsInference *bounds = sliding->bounds;
    if (downward) {
        Expr next = minus_one(sliding, old.lower);
        if (!(direction & NEVER_RISES) && !proves_le(sliding, now.upper, old.upper))
            return false;
        Expr far = expr_max(bounds->pool, now.upper, minus_one(sliding, now.lower));
        *end = proves_le(sliding, now.upper, next) ? NULL
               : proves_le(sliding, next, far)     ? next
                                                   : expr_min(bounds->pool, now.upper, next);
    } else {
        Expr next = plus_one(sliding, old.upper);
        if (!(direction & NEVER_FALLS) && !proves_le(sliding, old.lower, now.lower))
            return false;
        Expr near = expr_min(bounds->pool, now.lower, plus_one(sliding, now.upper));
        *end = proves_le(sliding, next, now.lower) ? NULL
               : proves_le(sliding, near, next)    ? next
                                                   : expr_max(bounds->pool, now.lower, next);
    }
    if (*end)
        *end = simplify(bounds->simplifier, *end);
    return true;
}

/* For the first iteration of a loop that starts early enough (start-early).  What an iteration
 * before it would have held ends before the window begins.  So the first iteration needs no case of
 * its own: from past that end, or from its beginning, all of the window is computed.  Null if that
 * is not proved. */
static Expr end_of_all(const Sliding *sliding, const Stmt *loop, Interval now, Interval old) {
    BoundsInference *bounds = sliding->bounds;
    Expr next = plus_one(sliding, old.upper), first = first_of(sliding, loop);
    Expr gap =
        expr_sub(bounds->pool, at(sliding, now.lower, loop, first), at(sliding, next, loop, first));
    ConstantInterval known =
        simplify_interval(bounds->simplifier, simplify(bounds->simplifier, gap));
    if (!known.has_minimum || known.minimum < 0)
        return NULL;
    return simplify(bounds->simplifier, expr_max(bounds->pool, now.lower, next));
}

static bool add_step(Sliding *sliding, Stmt *loop, int k) {
    BoundsInference *bounds = sliding->bounds;
    Track *track = &sliding->tracks[k];
    Expr first = first_of(sliding, loop), end = NULL;
    Expr later = expr_lt(bounds->pool, first, variable_of(sliding, loop));
    Interval now = beginning(sliding, track), old = before(sliding, track, loop);
    Expr always = track->steps.length ? NULL : end_of_all(sliding, loop, now, old);
    FactMark mark = simplifier_mark(bounds->simplifier);
    simplifier_learn(bounds->simplifier, later);
    bool is_first = track->steps.length == 0, moves;
    if (is_first) {
        track->downward = false;
        int lower = direction_of(bounds, track->held.lower, loop->loop.binder),
            upper = direction_of(bounds, track->held.upper, loop->loop.binder);
        moves = moved_end(sliding, now, old, lower, false, &end);
        if (!moves || !end) {
            Expr other = NULL;
            bool moves_down = moved_end(sliding, now, old, upper, true, &other);
            track->downward = moves_down && other;
            moves |= moves_down;
            end = track->downward ? other : end;
        }
    } else {
        moves = ran_before(sliding, track, loop) &&
                moved_end(sliding, now, old, 0, track->downward, &end);
    }
    if (end) {
        Interval left =
            track->downward ? (Interval){now.lower, end, NULL} : (Interval){end, now.upper, NULL};
        SlideStep step = {loop, later, end, range_length(bounds, left)};
        vec_push(bounds->arena, &track->steps, step);
    }
    simplifier_release(bounds->simplifier, mark);
    if (end && always && !track->downward) {
        SlideStep *step = &track->steps.data[0];
        step->later = expr_bool(bounds->pool, true);
        step->end = always;
        step->length = range_length(bounds, (Interval){always, now.upper, NULL});
        track->is_early = true;
    }
    if (!moves)
        return refuse(sliding, loop,
                      "it could not be proved that the window of %s moves one way in %s",
                      sliding->realization->shape->name->text, dimension_text(sliding, k));
    if (!end)
        return refuse(sliding, loop, "the windows of %s do not overlap in %s",
                      sliding->realization->shape->name->text, dimension_text(sliding, k));
    return true;
}

/* Sets the computed part to `later ? a step's : ..`, from the innermost loop out.  At the first
 * iteration of all of them, it is the whole held region. */
static void set_current(Sliding *sliding, int k) {
    BoundsInference *bounds = sliding->bounds;
    Track *track = &sliding->tracks[k];
    Interval first = beginning(sliding, track);
    Expr end = track->downward ? first.upper : first.lower;
    for (size_t i = track->steps.length; i-- > 0;) {
        const SlideStep *step = &track->steps.data[i];
        end = expr_select(bounds->pool, step->later, step->end, end);
    }
    end = simplify(bounds->simplifier, end);
    *(track->downward ? &track->current.upper : &track->current.lower) = end;
}

static void slide_along(Sliding *sliding, size_t index) {
    Stmt *loop = sliding->loops.data[index];
    if (is_shared(sliding, loop)) {
        refuse(sliding, loop, "%s is computed at several places in it",
               sliding->realization->shape->name->text);
        return;
    }
    if (!required_region_is_steady(sliding->bounds, sliding->realization, loop)) {
        refuse(sliding, loop, "in some iterations a choice leaves out %s, or what reads it",
               sliding->realization->shape->name->text);
        return;
    }
    int k = moving_dimension(sliding, loop);
    if (k >= 0 && sliding->tracks[k].is_early) {
        refuse(sliding, loop, "along %s, which starts early, it begins anew",
               loop_text(sliding->tracks[k].steps.data[0].loop));
        return;
    }
    if (k < 0 || !may_slide(sliding, loop, k) ||
        !is_regular(sliding, loop, &sliding->tracks[k], index) || !add_step(sliding, loop, k))
        return;
    set_current(sliding, k);
    tell(sliding, loop, true, dimension_text(sliding, k));
}

/* ---- the result ---- */

static Expr length_of(const Sliding *sliding, const Track *track) {
    BoundsInference *bounds = sliding->bounds;
    Expr length = range_length(bounds, beginning(sliding, track));
    for (size_t i = track->steps.length; i-- > 0;) {
        const SlideStep *step = &track->steps.data[i];
        length = expr_select(bounds->pool, step->later, step->length, length);
    }
    return simplify(bounds->simplifier, length);
}

static void keep(Sliding *sliding, int k) {
    BoundsInference *bounds = sliding->bounds;
    Realization *realization = sliding->realization;
    Track *track = &sliding->tracks[k];
    const Block *base = realization_block(realization);
    const char *stem = arena_format(bounds->arena, "%s.%s", realization->shape->name->text,
                                    dimension_text(sliding, k));
    Interval range = required_region_at(bounds, realization, base)->compute[k];
    *(track->downward ? &range.upper : &range.lower) =
        inference_name(bounds, base, track->downward ? track->current.upper : track->current.lower,
                       arena_format(bounds->arena, "%s.new", stem));
    realization->slid[k] = range;
    realization->compute[k].minimum = range.lower;
    realization->compute[k].length = inference_name(
        bounds, base, length_of(sliding, track), arena_format(bounds->arena, "%s.new.len", stem));
    for (size_t i = 0; i < track->steps.length; i++)
        vec_push(bounds->arena, &realization->slides,
                 (Slide){.dimension = k,
                         .downward = track->downward,
                         .loop = variable_of(sliding, track->steps.data[i].loop)});
}

void slide_realization(BoundsInference *bounds, Realization *realization) {
    Sliding sliding = {.bounds = bounds,
                       .realization = realization,
                       .func = pipeline_func(bounds->pipeline, realization->shape->name)};
    int dimensions = realization->shape->dimensions;
    if (!collect_loops(&sliding))
        return;
    const RequiredRegion *required =
        required_region_at(bounds, realization, realization_block(realization));
    inference_enter(bounds, realization_block(realization));
    for (int k = 0; k < dimensions; k++) {
        Track *track = &sliding.tracks[k];
        track->held = (Interval){expand(&sliding, required->compute[k].lower),
                                 expand(&sliding, required->compute[k].upper), NULL};
        track->current = track->held;
        if (track->held.lower->tree_size + track->held.upper->tree_size > LARGEST_REGION) {
            refuse(&sliding, sliding.loops.data[0], "the formula of its region in %s is too large",
                   dimension_text(&sliding, k));
            return;
        }
    }
    for (size_t i = 0; i < sliding.loops.length; i++)
        slide_along(&sliding, i);
    Extent *held = arena_array(bounds->arena, Extent, dimensions + 1);
    for (int k = 0; k < dimensions; k++) {
        held[k] = realization->compute[k];
        realization->slid[k] = required->compute[k];
        if (sliding.tracks[k].steps.length)
            keep(&sliding, k);
    }
    if (realization->slides.length)
        realization->held = held;
}

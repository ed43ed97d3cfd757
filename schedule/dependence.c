/* dependence.c -- distances of iterations, as loops see them.
 *
 * A distance has a number for each reduction variable of the stage.  A loop over a part of a
 * variable sees only a sign of that number.  Let v run in blocks of k, as (outer, inner).  A
 * distance d > 0 of v leads from a place in a block to
 *
 *     a later place of the same block   (0, +)    the same place of a later block     (+, 0)
 *     a later place of a later block    (+, +)    an earlier place of a later block   (+, -)
 *
 * and nowhere else.  For d < 0 the signs turn; for d = 0 the case is (0, 0).  For two fused loops
 * the outer loop's sign counts; if it is zero, the inner loop's sign counts.
 *
 * Other updates have no distances.  Where an element that two iterations touch, and one writes,
 * shows that both have the same value of a variable (disjoint.c), so does it for each part of it:
 * a guarded split gives each value one place of a block, and a fused loop each pair one number.
 *
 * The loops' order is right where for each distance, in each of these cases, the first sign that is
 * not zero is +.  A loop's iterations may run side by side where that + belongs to a loop outside
 * of it, or its own sign is zero.
 */
#include "schedule/dependence.h"

#include "schedule/disjoint.h"

enum { MOST_SPLITS = 5, CASES = 4 }; /* of one nest: beyond, nothing is allowed */

typedef struct Signs {
    const LoopNest *nest;
    const Stage *stage;
    Distance distance;
    const LoopOrigin *splits[MOST_SPLITS]; /* the variables that were split */
    int cases[MOST_SPLITS];
    size_t split_count;
    bool too_many;
} Signs;

static const int sign_cases[CASES][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};

/* Collects all splits in the loop's origin, through nested splits and fuses. */
static void find_splits(Signs *signs, const LoopOrigin *origin) {
    if (origin->kind == ORIGIN_VARIABLE)
        return;
    find_splits(signs, origin->of);
    if (origin->kind == ORIGIN_FUSED) {
        find_splits(signs, origin->inner);
        return;
    }
    for (size_t i = 0; i < signs->split_count; i++)
        if (signs->splits[i] == origin->of)
            return;
    signs->too_many = signs->too_many || signs->split_count == MOST_SPLITS;
    if (!signs->too_many)
        signs->splits[signs->split_count++] = origin->of;
}

static int sign_of(const Signs *signs, const LoopOrigin *origin) {
    if (origin->kind == ORIGIN_VARIABLE) {
        int64_t distance = signs->distance[origin->variable];
        return (distance > 0) - (distance < 0);
    }
    int sign = sign_of(signs, origin->of);
    if (origin->kind == ORIGIN_FUSED)
        return sign ? sign : sign_of(signs, origin->inner);
    size_t split = 0;
    while (signs->splits[split] != origin->of)
        split++;
    return sign * sign_cases[signs->cases[split]][origin->kind == ORIGIN_INNER];
}

static int loop_sign(const Signs *signs, size_t position) {
    const LoopOrigin *origin = signs->nest->loops.data[position].origin;
    return origin ? sign_of(signs, origin) : 0;
}

/* Is the first nonzero sign +?  The loop at `exchanged` and the next one change places (SIZE_MAX:
 * none do).  With `together`: does a loop outside that one have the +, or is its own sign zero? */
static bool is_right(const Signs *signs, size_t exchanged, size_t together) {
    const LoopNest *nest = signs->nest;
    int sign = 0;
    for (size_t i = 0; sign == 0; i++) {
        hlc_assert(i < nest->loops.length, "each distance goes somewhere in some loop");
        size_t at = i == exchanged ? i + 1 : i && i - 1 == exchanged ? i - 1 : i;
        sign = loop_sign(signs, at);
        if (i == together)
            return sign == 0;
    }
    return sign > 0;
}

/* Returns the number of ways to choose a case for each split. */
static size_t case_count(const Signs *signs) {
    size_t count = 1;
    for (size_t i = 0; i < signs->split_count; i++)
        count *= CASES;
    return count;
}

static void choose_case(Signs *signs, size_t number) {
    for (size_t i = 0; i < signs->split_count; i++, number /= CASES)
        signs->cases[i] = (int)(number % CASES);
}

/* Is it right in all cases of all splits? */
static bool is_right_always(Signs *signs, size_t exchanged, size_t together) {
    for (size_t number = 0; number < case_count(signs); number++) {
        choose_case(signs, number);
        if (!is_right(signs, exchanged, together))
            return false;
    }
    return true;
}

static bool allow(const LoopNest *nest, size_t exchanged, size_t together) {
    const Stage *stage = nest->func->stages.data[nest->stage];
    Signs signs = {.nest = nest, .stage = stage};
    for (size_t i = 0; i < nest->loops.length; i++)
        if (nest->loops.data[i].origin)
            find_splits(&signs, nest->loops.data[i].origin);
    for (size_t i = 0; i < stage->distances.length && !signs.too_many; i++) {
        signs.distance = stage->distances.data[i];
        if (!is_right_always(&signs, exchanged, together))
            return false;
    }
    return !signs.too_many;
}

bool dependence_carriers(const LoopNest *nest, size_t distance, bool *carriers) {
    const Stage *stage = nest->func->stages.data[nest->stage];
    Signs signs = {.nest = nest, .stage = stage, .distance = stage->distances.data[distance]};
    for (size_t i = 0; i < nest->loops.length; i++) {
        carriers[i] = false;
        if (nest->loops.data[i].origin)
            find_splits(&signs, nest->loops.data[i].origin);
    }
    for (size_t number = 0; number < case_count(&signs) && !signs.too_many; number++) {
        choose_case(&signs, number);
        size_t carrier = 0;
        for (; loop_sign(&signs, carrier) == 0; carrier++)
            hlc_assert(carrier + 1 < nest->loops.length,
                       "each distance goes somewhere in some loop");
        carriers[carrier] = true;
    }
    return !signs.too_many;
}

bool dependences_known(const LoopNest *nest) {
    return nest->func->stages.data[nest->stage]->has_distances;
}

/* ---- updates without distances ---- */

/* The variables of which the loop is a part, bit r: number r. */
static uint64_t variables_of(const LoopOrigin *origin) {
    if (!origin)
        return 0;
    if (origin->kind == ORIGIN_VARIABLE)
        return origin->variable < 64 ? (uint64_t)1 << origin->variable : 0;
    return variables_of(origin->of) |
           (origin->kind == ORIGIN_FUSED ? variables_of(origin->inner) : 0);
}

/* Do iterations in which the loops outside of `around` are the same, and the one at `position`
 * differs, touch different elements? */
static bool is_disjoint(const Resolver *resolver, const LoopNest *nest, size_t around,
                        size_t position) {
    size_t count = nest->func->stages.data[nest->stage]->reduction.length;
    uint64_t own = variables_of(nest->loops.data[position].origin), varying = 0;
    if (nest->stage == 0 || count > 64 || !own)
        return false;
    for (size_t i = around; i < nest->loops.length; i++)
        varying |= variables_of(nest->loops.data[i].origin);
    uint64_t equal = (count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1) & ~varying;
    for (size_t r = 0; r < count; r++)
        if ((own >> r & 1) && !iterations_are_disjoint(resolver, nest->func, nest->stage, r, equal))
            return false;
    return true;
}

bool dependences_allow_swap(const Resolver *resolver, const LoopNest *nest, size_t outer) {
    if (dependences_known(nest))
        return allow(nest, outer, SIZE_MAX);
    return is_disjoint(resolver, nest, outer, outer) ||
           is_disjoint(resolver, nest, outer, outer + 1);
}

bool dependences_allow_together(const Resolver *resolver, const LoopNest *nest, size_t position) {
    if (dependences_known(nest))
        return allow(nest, SIZE_MAX, position);
    return is_disjoint(resolver, nest, position, position);
}

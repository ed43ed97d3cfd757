/* request.c -- phase 2: `bound`, `bound-extent` and `align-bounds` fix or grow the compute region.
 *
 * The entry asserts that the fixed region holds what is needed (lower/passes/checks.c, from
 * Region.needed).
 */
#include "bounds/gather.h"

enum { MOST_LANES = 256 };

static Expr last_of(BoundsInference *bounds, Expr minimum, Expr length) {
    Expr end = expr_add(bounds->pool, minimum, length);
    return simplify(bounds->simplifier, expr_sub(bounds->pool, end, expr_index(bounds->pool, 1)));
}

/* min' = min - (min - r) mod m; the last coordinate grows until the next one is r modulo m. */
static Interval aligned(BoundsInference *bounds, Interval needed, const BoundRequest *request) {
    Pool *pool = bounds->pool;
    Expr m = request->modulus, r = request->remainder;
    Expr below = expr_mod(pool, expr_sub(pool, needed.lower, r), m);
    Expr beyond = expr_mod(pool, expr_sub(pool, needed.upper, r), m);
    Expr lower = expr_sub(pool, needed.lower, below);
    Expr upper = expr_add(pool, expr_sub(pool, needed.upper, beyond),
                          expr_sub(pool, m, expr_index(pool, 1)));
    return (Interval){simplify(bounds->simplifier, lower), simplify(bounds->simplifier, upper),
                      NULL};
}

/* Reports a func whose region cannot be bounded from further out because compute-with shares its
 * loops. */
void request_report_shared(BoundsInference *bounds, const FuncShape *shape) {
    bounds->failed = true;
    diag(bounds->context, DIAG_UNBOUNDED_RUNS, pipeline_func(bounds->pipeline, shape->name)->place,
         shape->name->text);
}

/* A run that is cut to what is needed begins no earlier than that. If all runs begin before it, they
 * begin there. */
static Interval lifted(BoundsInference *bounds, Interval first) {
    first.upper = simplify(bounds->simplifier, expr_max(bounds->pool, first.lower, first.upper));
    return first;
}

/* Fixes the length; the minimum stays as needed (and aligned).  Seen from further out, the region
 * is the hull of the regions of all runs: from the least minimum to the end of the greatest one.
 */
static Interval fixed_length(const Gathering *gathering, int k, Interval needed, Expr length,
                             const BoundRequest *align) {
    BoundsInference *bounds = gathering->bounds;
    Interval first = {needed.lower, needed.lower, NULL};
    if (gathering->base != realization_block(gathering->realization)) {
        Gathering here = gathering->reads_from(bounds, gathering->realization,
                                               realization_block(gathering->realization));
        View *view = view_from(bounds, gathering->base, false);
        bool may_skip = gathering_may_skip(&here);
        if (!gathering_is_empty(&here)) {
            Interval run = gathering_range(&here, k);
            run = align ? aligned(bounds, run, align) : run;
            first = view_range(view, gathering->realization->root, run.lower);
            if (may_skip && !range_is_unknown(first))
                first = lifted(bounds, range_meet(&here.ranges, first, needed));
        }
        inference_enter(bounds, gathering->base);
    }
    if (range_is_unknown(first)) {
        request_report_shared(bounds, gathering->realization->shape);
        return needed;
    }
    return (Interval){first.lower, last_of(bounds, first.upper, length), NULL};
}

/* Returns both ends; false if they are no constants of 32 bits, or nothing is needed. */
static bool constant_range(Interval range, int64_t *lower, int64_t *upper) {
    return expr_constant_integer(range.lower, lower) && expr_constant_integer(range.upper, upper) &&
           INT32_MIN <= *lower && *lower <= *upper && *upper <= INT32_MAX;
}

/* Returns the hull of the interval and of the region that all runs need together, if that is
 * constant.  So the loop's extent stays constant.  If the hull is too long for lanes, the interval
 * stays. */
static Interval at_least(const Gathering *gathering, int k, Interval interval) {
    BoundsInference *bounds = gathering->bounds;
    int64_t lower, upper, first, last;
    Gathering all = gathering->reads_from(bounds, gathering->realization, &bounds->program->body);
    bool is_known = !gathering_is_empty(&all) &&
                    constant_range(gathering_range(&all, k), &first, &last) &&
                    constant_range(interval, &lower, &upper);
    inference_enter(bounds, gathering->base);
    if (!is_known)
        return interval;
    first = first < lower ? first : lower;
    last = last > upper ? last : upper;
    if (last - first >= MOST_LANES && last - first > upper - lower)
        return interval;
    return (Interval){expr_index(bounds->pool, first), expr_index(bounds->pool, last), NULL};
}

static bool has_constant_length(BoundsInference *bounds, Interval range) {
    int64_t length;
    return range.lower && range.upper && !range_is_unknown(range) &&
           expr_constant_integer(
               simplify(bounds->simplifier, expr_sub(bounds->pool, range.upper, range.lower)),
               &length);
}

/* Returns the request that fixes the interval for `needed`; null if there is none.  The compiler
 * inserts a request (`is_least`) to give a loop a constant extent.  Such a request does not count
 * if the needed extent is constant already, as for a variable that an rfactor kept. */
static const BoundRequest *interval_request(const Gathering *gathering, int k, Interval needed) {
    const BoundRequest *request =
        request_find(gathering->bounds, gathering->realization, k, BOUND_INTERVAL);
    return request && request->is_least && has_constant_length(gathering->bounds, needed) ? NULL
                                                                                          : request;
}

Interval request_apply(const Gathering *gathering, int k, Interval needed) {
    BoundsInference *bounds = gathering->bounds;
    const BoundRequest *interval = interval_request(gathering, k, needed);
    const BoundRequest *length = request_find(bounds, gathering->realization, k, BOUND_LENGTH);
    const BoundRequest *align = request_find(bounds, gathering->realization, k, BOUND_ALIGN);
    Interval range = needed;
    if (interval)
        range = (Interval){simplify(bounds->simplifier, interval->minimum),
                           last_of(bounds, interval->minimum, interval->length), NULL};
    if (interval && interval->is_least)
        range = at_least(gathering, k, range);
    if (align)
        range = aligned(bounds, range, align);
    if (length)
        range = fixed_length(gathering, k, range, length->length, align);
    return range;
}

Interval request_hold(const Gathering *gathering, int k, Interval needed) {
    BoundsInference *bounds = gathering->bounds;
    const BoundRequest *interval = interval_request(gathering, k, needed);
    Interval range = request_apply(gathering, k, needed), own = gathering->own[k];
    if (!interval || !interval->is_of_nest || !own.lower)
        return range;
    return (Interval){simplify(bounds->simplifier, expr_min(bounds->pool, range.lower, own.lower)),
                      simplify(bounds->simplifier, expr_max(bounds->pool, range.upper, own.upper)),
                      NULL};
}

void request_credit(const Gathering *gathering, int k, Interval needed, RegionEnd *end,
                    bool upper) {
    BoundsInference *bounds = gathering->bounds;
    const BoundRequest *interval = interval_request(gathering, k, needed);
    const BoundRequest *length = request_find(bounds, gathering->realization, k, BOUND_LENGTH);
    const BoundRequest *align = request_find(bounds, gathering->realization, k, BOUND_ALIGN);
    end->is_fixed = interval != NULL;
    if (interval)
        end->provenance = (Provenance){interval->place, "fixed by bound", NULL};
    if (length && upper)
        end->provenance = (Provenance){length->place, "the length is fixed by bound-extent", NULL};
    if (align && bounds->explains) {
        const char *rule = arena_format(bounds->arena, "grown by align-bounds, %s",
                                        origin_place(bounds, align->place));
        end->provenance.rule =
            end->provenance.rule ? arena_format(bounds->arena, "%s; %s", end->provenance.rule, rule)
                                 : rule;
    }
}

/* request.c -- phase 2: `bound`, `bound-extent` and `align-bounds` fix or grow the compute region.
 *
 * Whether what they fix holds what is needed is asserted at entry (lower/checks.c), from
 * Region.needed.
 */
#include "bounds/gather.h"

enum { MOST_LANES = 256 };

static const BoundRequest *find_request(const BoundsInference *solver, const ComputeSite *site,
                                        int k, BoundKind kind) {
    for (size_t i = 0; i < solver->requests->requests.length; i++) {
        const BoundRequest *request = &solver->requests->requests.data[i];
        if (request->kind == kind && request->func == site->shape->name && request->dimension == k)
            return request;
    }
    return NULL;
}

static Expr last_of(BoundsInference *solver, Expr minimum, Expr length) {
    Expr end = expr_add(solver->pool, minimum, length);
    return simplify(solver->simplifier, expr_sub(solver->pool, end, expr_index(solver->pool, 1)));
}

bool request_is_made(const BoundsInference *solver, const ComputeSite *site, int k) {
    return find_request(solver, site, k, BOUND_INTERVAL) ||
           find_request(solver, site, k, BOUND_LENGTH) ||
           find_request(solver, site, k, BOUND_ALIGN);
}

bool request_fixes_length(const BoundsInference *solver, const ComputeSite *site, int k) {
    return find_request(solver, site, k, BOUND_LENGTH) != NULL;
}

/* min' = min - (min - r) mod m; the last coordinate grows until the next one is r modulo m. */
static Interval aligned(BoundsInference *solver, Interval needed, const BoundRequest *request) {
    Pool *pool = solver->pool;
    Expr m = request->modulus, r = request->remainder;
    Expr below = expr_mod(pool, expr_sub(pool, needed.lower, r), m);
    Expr beyond = expr_mod(pool, expr_sub(pool, needed.upper, r), m);
    Expr lower = expr_sub(pool, needed.lower, below);
    Expr upper = expr_add(pool, expr_sub(pool, needed.upper, beyond),
                          expr_sub(pool, m, expr_index(pool, 1)));
    return (Interval){simplify(solver->simplifier, lower), simplify(solver->simplifier, upper),
                      NULL};
}

/* The ends of loops that compute-with shares are such that nothing bounds them from further out. */
void request_report_shared(BoundsInference *solver, const FuncShape *shape) {
    solver->failed = true;
    diag(solver->context, DIAG_UNBOUNDED_RUNS, pipeline_func(solver->pipeline, shape->name)->place,
         shape->name->text);
}

/* The minimum is what is needed (and aligned), the length is fixed.  Seen from further out, the
 * region is the hull of the regions of all runs: from the least minimum to the greatest one's end.
 */
static Interval fixed_length(const Gathering *gathering, int k, Interval needed, Expr length,
                             const BoundRequest *align) {
    BoundsInference *solver = gathering->solver;
    Interval first = {needed.lower, needed.lower, NULL};
    if (gathering->base != site_block(gathering->site)) {
        Gathering here =
            gathering->reads_from(solver, gathering->site, site_block(gathering->site));
        View *view = view_from(solver, gathering->base, false);
        if (!gathering_is_empty(&here)) {
            Interval run = gathering_range(&here, k);
            run = align ? aligned(solver, run, align) : run;
            first = view_range(view, gathering->site->root, run.lower);
        }
        inference_enter(solver, gathering->base);
    }
    if (range_is_unknown(first)) {
        request_report_shared(solver, gathering->site->shape);
        return needed;
    }
    return (Interval){first.lower, last_of(solver, first.upper, length), NULL};
}

/* Both ends; false where they are no constants of 32 bits, or nothing is needed. */
static bool constant_range(Interval range, int64_t *lower, int64_t *upper) {
    return expr_constant_integer(range.lower, lower) && expr_constant_integer(range.upper, upper) &&
           INT32_MIN <= *lower && *lower <= *upper && *upper <= INT32_MAX;
}

/* The hull of the interval and of what all runs together need, where that is known in numbers: a
 * loop over it then has a constant length still.  A hull too long for lanes is none. */
static Interval at_least(const Gathering *gathering, int k, Interval interval) {
    BoundsInference *solver = gathering->solver;
    int64_t lower, upper, first, last;
    Gathering all = gathering->reads_from(solver, gathering->site, &solver->program->body);
    bool is_known = !gathering_is_empty(&all) &&
                    constant_range(gathering_range(&all, k), &first, &last) &&
                    constant_range(interval, &lower, &upper);
    inference_enter(solver, gathering->base);
    if (!is_known)
        return interval;
    first = first < lower ? first : lower;
    last = last > upper ? last : upper;
    if (last - first >= MOST_LANES && last - first > upper - lower)
        return interval;
    return (Interval){expr_index(solver->pool, first), expr_index(solver->pool, last), NULL};
}

static bool has_constant_length(BoundsInference *solver, Interval range) {
    int64_t length;
    return range.lower && range.upper && !range_is_unknown(range) &&
           expr_constant_integer(
               simplify(solver->simplifier, expr_sub(solver->pool, range.upper, range.lower)),
               &length);
}

/* The interval that is to be computed where `needed` is needed; null where none is asked for.  One
 * that nobody wrote is there so that a loop has a constant length: where what is needed has one, as
 * in a loop over the variable that an rfactor kept, no more is computed. */
static const BoundRequest *interval_request(const Gathering *gathering, int k, Interval needed) {
    const BoundRequest *request =
        find_request(gathering->solver, gathering->site, k, BOUND_INTERVAL);
    return request && request->is_least && has_constant_length(gathering->solver, needed) ? NULL
                                                                                          : request;
}

Interval request_apply(const Gathering *gathering, int k, Interval needed) {
    BoundsInference *solver = gathering->solver;
    const BoundRequest *interval = interval_request(gathering, k, needed);
    const BoundRequest *length = find_request(solver, gathering->site, k, BOUND_LENGTH);
    const BoundRequest *align = find_request(solver, gathering->site, k, BOUND_ALIGN);
    Interval range = needed;
    if (interval)
        range = (Interval){simplify(solver->simplifier, interval->minimum),
                           last_of(solver, interval->minimum, interval->length), NULL};
    if (interval && interval->is_least)
        range = at_least(gathering, k, range);
    if (align)
        range = aligned(solver, range, align);
    if (length)
        range = fixed_length(gathering, k, range, length->length, align);
    return range;
}

Interval request_hold(const Gathering *gathering, int k, Interval needed) {
    BoundsInference *solver = gathering->solver;
    const BoundRequest *interval = interval_request(gathering, k, needed);
    Interval range = request_apply(gathering, k, needed), own = gathering->own[k];
    if (!interval || !interval->is_of_nest || !own.lower)
        return range;
    return (Interval){simplify(solver->simplifier, expr_min(solver->pool, range.lower, own.lower)),
                      simplify(solver->simplifier, expr_max(solver->pool, range.upper, own.upper)),
                      NULL};
}

void request_credit(const Gathering *gathering, int k, Interval needed, RegionEnd *end,
                    bool upper) {
    BoundsInference *solver = gathering->solver;
    const BoundRequest *interval = interval_request(gathering, k, needed);
    const BoundRequest *length = find_request(solver, gathering->site, k, BOUND_LENGTH);
    const BoundRequest *align = find_request(solver, gathering->site, k, BOUND_ALIGN);
    end->is_fixed = interval != NULL;
    if (interval)
        end->provenance = (Provenance){interval->place, "fixed by bound", NULL};
    if (length && upper)
        end->provenance = (Provenance){length->place, "the length is fixed by bound-extent", NULL};
    if (align && solver->explains) {
        const char *rule = arena_format(solver->arena, "grown by align-bounds, %s",
                                        origin_place(solver, align->place));
        end->provenance.rule =
            end->provenance.rule ? arena_format(solver->arena, "%s; %s", end->provenance.rule, rule)
                                 : rule;
    }
}

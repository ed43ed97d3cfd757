/* required_region.c -- the regions that must be computed, stored and read: hulls of accesses as
 * seen from a base.
 *
 * A func's compute region at a base is the hull of
 *   - the output's window;
 *   - the reads that follow in its scope, in iterations whose write may hit the reader's own
 *     compute region: all but those that a round-up tail adds;
 *   - the reads of its own updates (own_reads.c).
 *
 * One box serves all stages.  Reductions are not restricted to the iterations whose write lies in
 * the region, and predicates and selects are no guards.  The region may thus be larger than needed,
 * never smaller.
 *
 * Where bound-extent fixes a length, a run in which nothing is needed is skipped: a split's guard
 * may mask it.  The lower end of any other run lies in what all runs need, by construction: what is
 * needed in the run is met with that, and the run is skipped if the meet is empty (is_skipped).
 *
 * A region is asked at the block where the func is computed, which gives the cpu holes, and again
 * at each block around it from which it is seen: its allocation, the startup scope, a producer
 * further out.  Each time the accesses themselves are looked at, since eliminating loops from the
 * first result would be less tight: a tile's ends clip and round.  But interval arithmetic is not
 * monotone: of `x % 7` it knows more where x runs from 1 to 1 than where x lies in a tile.  So a
 * region inside loops is met with the one at the top, unless it provably lies inside: both are
 * large enough, and what the entry checks promise is what is computed.  At levels between, it is the
 * outer region that is made to hold the runs' instead.  So it is at the top where the nest is deep,
 * and where the func's own reads ask more of a short run than of all runs together: the block of a
 * shifted tail begins the earlier, the earlier the run ends.
 */
#include "bounds/gather.h"
#include "bounds/own_reads.h"

#include "decide/decide.h"

Expr range_length(BoundsInference *bounds, Interval range) {
    Pool *pool = bounds->pool;
    Expr zero = expr_index(pool, 0);
    Expr length =
        simplify(bounds->simplifier,
                 expr_add(pool, expr_sub(pool, range.upper, range.lower), expr_index(pool, 1)));
    if (decide_proves_le(bounds->simplifier, zero, length))
        return length;
    return simplify(bounds->simplifier, expr_max(pool, length, zero));
}

Interval range_include(BoundsInference *bounds, Interval range, Interval other) {
    Simplifier *simplifier = bounds->simplifier;
    if (!decide_proves_le(simplifier, range.lower, other.lower))
        range.lower = simplify(simplifier, expr_min(bounds->pool, range.lower, other.lower));
    if (!decide_proves_le(simplifier, other.upper, range.upper))
        range.upper = simplify(simplifier, expr_max(bounds->pool, range.upper, other.upper));
    return range;
}

/* Returns a range in place of one that has been reported as unknown. */
static Interval nowhere(BoundsInference *bounds) {
    return (Interval){expr_index(bounds->pool, 0), expr_index(bounds->pool, 0), NULL};
}

/* ---- reads ---- */

/* May the func slide?  It may if it is stored outside a loop that it is computed in.  Then a masked
 * iteration may compute what the next ones need: that is how a window begins to slide. */
static bool may_slide(const Realization *realization) {
    return realization && realization->allocate->block != realization_block(realization);
}

static void add_reads(Gathering *gathering, View *view, const Uses *uses) {
    BoundsInference *bounds = gathering->bounds;
    for (size_t i = 0; i < uses->length; i++) {
        const AccessUse *use = &uses->data[i];
        Interval ranges[MAX_DIMENSIONS];
        for (int k = 0; k < gathering->dimensions; k++) {
            ranges[k] = view_range(view, use->stmt, use->access->arguments[k]);
            if (range_is_unknown(ranges[k])) {
                origin_report_unbounded(bounds, use, k, ranges[k].culprit);
                ranges[k] = nowhere(bounds);
            }
        }
        if (!gathering->dimensions)
            continue;
        Expr condition = view_condition(view, use, !may_slide(gathering->realization));
        GatheringPart *part = gathering_part(gathering, use->needed_by, condition);
        for (int k = 0; k < gathering->dimensions; k++)
            gathering_add(gathering, part, k, ranges[k], (Source){.use = use, .view = view});
    }
}

static Interval window_range(BoundsInference *bounds, Symbol output, int k) {
    Pool *pool = bounds->pool;
    Expr minimum = expr_buffer_field(pool, output, FIELD_MINIMUM, k);
    Expr extent = expr_buffer_field(pool, output, FIELD_EXTENT, k);
    Expr last = expr_sub(pool, expr_add(pool, minimum, extent), expr_index(pool, 1));
    return (Interval){minimum, simplify(bounds->simplifier, last), NULL};
}

static void add_window(Gathering *gathering) {
    BoundsInference *bounds = gathering->bounds;
    const FuncShape *shape = gathering->realization->shape;
    if (!shape->is_output)
        return;
    Source source = {.place = pipeline_func(bounds->pipeline, shape->name)->place,
                     .reason = arena_format(bounds->arena, "the window of %s", shape->name->text)};
    for (int k = 0; k < gathering->dimensions; k++)
        gathering_add(gathering, gathering_part(gathering, output_set(bounds, shape->name), NULL),
                      k, window_range(bounds, shape->name, k), source);
}

/* ---- the compute region ---- */

/* Returns the end that the accesses need in dimension k; without accesses, 0 and -1. */
static RegionEnd end_of(const Gathering *gathering, int k, bool upper) {
    if (!gathering_is_empty(gathering))
        return gathering_end(gathering, k, upper);
    return (RegionEnd){.expr = expr_index(gathering->bounds->pool, upper ? -1 : 0),
                       .provenance = {NOWHERE, OWN_READS_UNREAD, NULL}};
}

/* Sets the region that the accesses need, inside the region around. */
static void set_needed(Gathering *gathering, const RequiredRegion *around,
                       RequiredRegion *required) {
    BoundsInference *bounds = gathering->bounds;
    for (int k = 0; k < gathering->dimensions; k++) {
        required->lower[k] = end_of(gathering, k, false);
        required->upper[k] = end_of(gathering, k, true);
    }
    for (int k = 0; k < gathering->dimensions; k++) {
        required->needed[k] = (Interval){required->lower[k].expr, required->upper[k].expr, NULL};
        if (around && !gathering_is_empty(gathering) &&
            (required->is_skipped || !request_fixes_length(bounds, gathering->realization, k)))
            required->needed[k] =
                range_meet(&gathering->ranges, required->needed[k], around->needed[k]);
    }
}

/* Is the region at the top enlarged to hold that of each run, instead of met with it? */
static bool is_enlarged(BoundsInference *bounds, Realization *realization) {
    if (realization_loops(realization) > DEEP_LOOPS)
        return true;
    if (!realization->own.length || realization_block(realization) == &bounds->program->body)
        return false;
    if (!realization->enlarged_is_known) {
        realization->enlarged_is_known = true;
        realization->is_enlarged = !own_reads_hold_runs(bounds, realization);
    }
    return realization->is_enlarged;
}

/* Returns the region at the top, in which the region at `base` must lie.  Null at the top itself,
 * and if instead the region at the top is enlarged to hold that of each run. */
static const RequiredRegion *required_around(BoundsInference *bounds, Realization *realization,
                                             const Block *base) {
    const Block *top = &bounds->program->body;
    return base == top || is_enlarged(bounds, realization)
               ? NULL
               : required_region_at(bounds, realization, top);
}

/* Enlarges a region between the run and the top (at an allocation, or a producer further out): it
 * must hold that of every run.  If that is not proved, the hull of the runs is added. */
static Interval include_runs(const Gathering *gathering, int k, Interval range) {
    BoundsInference *bounds = gathering->bounds;
    Realization *realization = gathering->realization;
    bool is_top = gathering->base == &bounds->program->body;
    if (gathering->base == realization_block(realization) ||
        (is_top && !is_enlarged(bounds, realization)))
        return range;
    const RequiredRegion *run =
        required_region_at(bounds, realization, realization_block(realization));
    View *view = view_from(bounds, gathering->base, false);
    Interval lower = view_range(view, realization->root, run->compute[k].lower);
    Interval upper = view_range(view, realization->root, run->compute[k].upper);
    if (!lower.lower || !upper.upper) {
        request_report_shared(bounds, realization->shape);
        return range;
    }
    return range_include(bounds, range, (Interval){lower.lower, upper.upper, NULL});
}

static void finish_required(Gathering *gathering, const RequiredRegion *around,
                            RequiredRegion *required) {
    BoundsInference *bounds = gathering->bounds;
    const FuncShape *shape = gathering->realization->shape;
    set_needed(gathering, around, required);
    for (int k = 0; k < gathering->dimensions; k++) {
        Interval range =
            include_runs(gathering, k, request_hold(gathering, k, required->needed[k]));
        required->lower[k].expr = range.lower;
        required->upper[k].expr = range.upper;
        request_credit(gathering, k, required->needed[k], &required->lower[k], false);
        request_credit(gathering, k, required->needed[k], &required->upper[k], true);
        const char *stem =
            arena_format(bounds->arena, "%s.%s", shape->name->text, shape->variables[k]->text);
        range.lower = inference_name(bounds, gathering->base, range.lower,
                                     arena_format(bounds->arena, "%s.min", stem));
        range.upper = inference_name(bounds, gathering->base, range.upper,
                                     arena_format(bounds->arena, "%s.max", stem));
        required->compute[k] = range;
    }
}

static Gathering gather_reads(BoundsInference *bounds, Realization *realization,
                              const Block *base) {
    inference_enter(bounds, base);
    Gathering gathering =
        gathering_create(bounds, realization, base, realization->shape->dimensions);
    gathering.reads_from = gather_reads;
    add_window(&gathering);
    add_reads(&gathering, view_from(bounds, base, false), &realization->reads);
    if (gathering.dimensions)
        own_reads_add(&gathering);
    return gathering;
}

const RequiredRegion *required_region_at(BoundsInference *bounds, Realization *realization,
                                         const Block *base) {
    for (size_t i = 0; i < realization->required_regions.length; i++)
        if (realization->required_regions.data[i]->base == base)
            return realization->required_regions.data[i];
    const RequiredRegion *around = required_around(bounds, realization, base);
    Gathering gathering = gather_reads(bounds, realization, base);
    RequiredRegion *required = arena_new(bounds->arena, RequiredRegion);
    required->base = base;
    required->is_skipped = base == realization_block(realization) && gathering_may_skip(&gathering);
    finish_required(&gathering, around, required);
    if (required->is_skipped)
        required->condition = gathering_nonempty(&gathering, required->needed);
    else if (!may_slide(realization) && own_reads_emptied_dimension(bounds, realization) >= 0)
        required->condition = gathering_condition(&gathering);
    vec_push(bounds->arena, &realization->required_regions, required);
    return required;
}

/* Returns the condition that one of the reads by others happens, guards counted; null: always. */
static Expr reads_condition(BoundsInference *bounds, const Realization *realization) {
    View *view = view_from(bounds, realization_block(realization), false);
    Expr some = NULL;
    for (size_t i = 0; i < realization->reads.length && !realization->shape->is_output; i++) {
        Expr condition = view_condition(view, &realization->reads.data[i], true);
        if (!condition)
            return NULL;
        some = !some || some == condition ? condition : expr_or(bounds->pool, some, condition);
    }
    return some;
}

/* Do the ends make the region empty whenever the condition fails, in a dimension that stops all
 * stages? */
static bool is_empty_without(BoundsInference *bounds, const Realization *realization,
                             const RequiredRegion *required, Expr condition) {
    Simplifier *simplifier = bounds->simplifier;
    FactMark mark = simplifier_mark(simplifier);
    bool is_empty = false;
    simplifier_learn(simplifier, simplify(simplifier, expr_not(bounds->pool, condition)));
    for (int k = 0; k < realization->shape->dimensions && !is_empty; k++)
        is_empty = own_reads_stop_all(bounds, realization, k) &&
                   decide_proves(simplifier, expr_lt(bounds->pool, required->compute[k].upper,
                                                     required->compute[k].lower));
    simplifier_release(simplifier, mark);
    return is_empty;
}

static RequiredRegion *required_here(const Realization *realization) {
    size_t i = 0;
    while (realization->required_regions.data[i]->base != realization_block(realization))
        i++;
    return realization->required_regions.data[i];
}

Expr required_region_condition(BoundsInference *bounds, Realization *realization) {
    Expr some = required_here(realization)->condition, arms = arms_condition(bounds, realization);
    if (!some || !arms)
        return some ? some : arms;
    inference_enter(bounds, realization_block(realization));
    return simplify(bounds->simplifier, expr_and(bounds->pool, some, arms));
}

static void add_condition(BoundsInference *bounds, Exprs *conditions, Realization *realization) {
    Expr condition = required_region_condition(bounds, realization);
    if (condition)
        exprs_add(bounds->arena, conditions,
                  inference_expand(bounds, inference_resolve(bounds, condition)));
}

bool required_region_is_steady(BoundsInference *bounds, Realization *realization,
                               const Stmt *loop) {
    Exprs conditions = {0};
    const Stmt *stmt = realization->root;
    add_condition(bounds, &conditions, realization);
    while (stmt != loop) {
        stmt = stmt_parent(stmt);
        if (stmt->kind == STMT_COMPUTE && !stmt_is_inside(stmt, realization->root))
            add_condition(bounds, &conditions, realization_of_compute(bounds, stmt));
        for (size_t i = 0; stmt->kind == STMT_FOR && i < conditions.length; i++)
            if (expr_mentions(bounds->arena, conditions.data[i], stmt->loop.binder))
                return false;
    }
    return true;
}

Expr required_region_skipping(BoundsInference *bounds, Realization *realization) {
    const RequiredRegion *required = required_here(realization);
    bool is_emptied = own_reads_emptied_dimension(bounds, realization) >= 0;
    if (required->is_skipped && !is_emptied)
        return required_region_condition(bounds, realization);
    return is_emptied && !realization->held ? NULL : arms_condition(bounds, realization);
}

int required_region_emptied_dimension(BoundsInference *bounds, Realization *realization) {
    const Block *base = realization_block(realization);
    RequiredRegion *required = required_here(realization);
    int k = own_reads_emptied_dimension(bounds, realization);
    inference_enter(bounds, base);
    if (k >= 0 && may_slide(realization))
        required->condition = reads_condition(bounds, realization);
    Expr condition = required_region_condition(bounds, realization);
    return condition && !is_empty_without(bounds, realization, required, condition) ? k : -1;
}

/* ---- memory ---- */

static void add_stores(Gathering *gathering, View *view) {
    BoundsInference *bounds = gathering->bounds;
    const Realization *realization = gathering->realization;
    OutputSet needed_by = output_needs(bounds, realization->shape->name);
    Source source = {
        .reason = arena_format(bounds->arena, "writes of %s", realization->shape->name->text)};
    for (size_t i = 0; i < realization->stores.length; i++) {
        Stmt *store = realization->stores.data[i];
        source.place = store->place;
        Expr condition = view_branches(view, store);
        for (int k = 0; k < gathering->dimensions; k++) {
            Interval range = view_range(view, store, store->store.indices[k]);
            if (range_is_unknown(range)) {
                origin_report_unbounded(bounds, &(AccessUse){.stmt = store}, k, range.culprit);
                range = nowhere(bounds);
            }
            gathering_add(gathering, gathering_part(gathering, needed_by, condition), k, range,
                          source);
        }
    }
}

static void add_realization_memory(Gathering *gathering, Realization *realization) {
    BoundsInference *bounds = gathering->bounds;
    gathering->realization = realization;
    const RequiredRegion *required = required_region_at(bounds, realization, gathering->base);
    OutputSet needed_by = output_needs(bounds, realization->shape->name);
    for (int k = 0; k < gathering->dimensions; k++)
        gathering_add(
            gathering, gathering_part(gathering, needed_by, NULL), k, required->compute[k],
            (Source){.place = required->lower[k].provenance.place, .reason = "the compute region"});
    View *view = view_from(bounds, gathering->base, true);
    if (bounds->has_beyond) {
        add_reads(gathering, view, &realization->reads);
        add_reads(gathering, view, &realization->own);
    }
    add_stores(gathering, view);
}

void memory_at(BoundsInference *bounds, const Stmt *allocate, const Block *base, Interval *memory) {
    const FuncShape *shape = allocate->allocate.func;
    const FuncSolution *solution = map_get(&bounds->by_func, shape->name);
    Gathering gathering = gathering_create(bounds, NULL, base, shape->dimensions);
    for (size_t i = 0; i < solution->realizations.length; i++)
        if (solution->realizations.data[i]->allocate == allocate)
            add_realization_memory(&gathering, solution->realizations.data[i]);
    inference_enter(bounds, base);
    for (int k = 0; k < gathering.dimensions; k++)
        memory[k] =
            !gathering_is_empty(&gathering)
                ? gathering_range(&gathering, k)
                : (Interval){expr_index(bounds->pool, 0), expr_index(bounds->pool, -1), NULL};
}

/* ---- images ---- */

BoundsRegion *image_region(BoundsInference *bounds, size_t index) {
    const ImageParameter *image = &bounds->pipeline->signature.images.data[index];
    const Block *base = &bounds->program->body;
    BoundsRegion *region = arena_new(bounds->arena, BoundsRegion);
    region->func = image->name;
    region->dimensions = image->dimensions;
    inference_enter(bounds, base);
    Gathering gathering = gathering_create(bounds, NULL, base, image->dimensions);
    add_reads(&gathering, view_of_images(bounds, base), bounds->image_uses.data[index]);
    OutputSet needed_by = 0;
    for (size_t i = 0; i < gathering.parts.length; i++)
        needed_by |= gathering.parts.data[i]->needed_by;
    for (int k = 0; k < image->dimensions; k++) {
        region->lower[k] = end_of(&gathering, k, false);
        region->upper[k] = end_of(&gathering, k, true);
    }
    Expr arms = arms_condition_of_uses(bounds, bounds->image_uses.data[index], base);
    Expr condition = gathering_condition(&gathering);
    condition = condition && arms
                    ? simplify(bounds->simplifier, expr_and(bounds->pool, condition, arms))
                : condition ? condition
                            : arms;
    region->condition = condition;
    for (int k = 0; k < image->dimensions; k++) {
        if (gathering_is_empty(&gathering)) {
            region->whole[k] = region->asserted[k] =
                (Extent){signature_domain_field(&bounds->pipeline->signature, bounds->pool,
                                                image->name, FIELD_MINIMUM, k),
                         expr_index(bounds->pool, 0)};
            continue;
        }
        Interval range = {region->lower[k].expr, region->upper[k].expr, NULL};
        Expr length = range_length(bounds, range);
        if (condition)
            length = simplify(bounds->simplifier, expr_select(bounds->pool, condition, length,
                                                              expr_index(bounds->pool, 0)));
        Extent read = {range.lower, output_length(bounds, needed_by, length)};
        region->whole[k] = inference_expand_interval(bounds, read, false);
        region->asserted[k] = inference_expand_interval(bounds, read, true);
    }
    return region;
}

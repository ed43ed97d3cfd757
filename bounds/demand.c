/* demand.c -- what must be computed, stored and read: hulls of accesses as seen from a base.
 *
 * A func's compute region at a base is the hull of
 *   - the output's window;
 *   - the reads that follow in its scope, in iterations whose write may hit the reader's own
 *     compute region: all but those that a round-up tail adds;
 *   - the reads of its own updates.  Where an update reads at the very index that it writes (a
 *     histogram, a scan), B asks nothing: such a read lies in the region whenever its write does.
 *     But the reference runs a reduction over its whole domain, and an input that is too small for
 *     that must be refused by both; so such a read counts, unless the stages before took no input.
 *     Ranges that depend on the region itself (f(x, x + r) with x pure) are put in terms of
 *     variables for its ends, and added until nothing grows; what lies within the region whatever
 *     its ends are, as a recurrence's reads do, asks for nothing.
 *
 * One box serves all stages.  Reductions are not restricted to the iterations whose write lies in
 * the region, and predicates and selects are no guards: the region is then larger than need be,
 * never smaller.
 *
 * A region is asked at the block where the func is computed, which gives the cpu holes, and again
 * at each block around it from which it is seen: its allocation, the startup scope, a producer
 * further out.  Each time the accesses themselves are looked at, since eliminating loops from the
 * first result would be less tight: a tile's ends clip and round.  But interval arithmetic is not
 * monotone: of `x % 7` it knows more where x runs from 1 to 1 than where x lies in a tile.  So a
 * region inside loops is met with the one at the top, unless it provably lies inside: both are
 * large enough, and what the entry checks promise is what is computed.  At levels between, and at
 * the top where the nest is deep, it is the outer region that is made to hold the runs' instead.
 */
#include "bounds/gather.h"

#include "decide/decide.h"

Expr range_length(BoundsInference *solver, Interval range) {
    Pool *pool = solver->pool;
    Expr zero = expr_index(pool, 0);
    Expr length =
        simplify(solver->simplifier,
                 expr_add(pool, expr_sub(pool, range.upper, range.lower), expr_index(pool, 1)));
    if (decide_proves_le(solver->simplifier, zero, length))
        return length;
    return simplify(solver->simplifier, expr_max(pool, length, zero));
}

/* Stands in for a range that has been reported as unknown. */
static Interval nowhere(BoundsInference *solver) {
    return (Interval){expr_index(solver->pool, 0), expr_index(solver->pool, 0), NULL};
}

/* ---- reads ---- */

/* Of what is stored outside of a loop that it is computed in, an iteration that is masked may
 * compute what the next ones need: that is how a window begins to slide. */
static bool may_slide(const ComputeSite *site) {
    return site && site->allocate->block != site_block(site);
}

static void add_reads(Gathering *gathering, View *view, const Uses *uses) {
    BoundsInference *solver = gathering->solver;
    for (size_t i = 0; i < uses->length; i++) {
        const AccessUse *use = &uses->data[i];
        Interval ranges[MAX_DIMENSIONS];
        for (int k = 0; k < gathering->dimensions; k++) {
            ranges[k] = view_range(view, use->stmt, use->access->arguments[k]);
            if (range_is_unknown(ranges[k])) {
                origin_report_unbounded(solver, use, k, ranges[k].culprit);
                ranges[k] = nowhere(solver);
            }
        }
        if (!gathering->dimensions)
            continue;
        Expr condition = view_condition(view, use, !may_slide(gathering->site));
        GatheringPart *part = gathering_part(gathering, use->needed_by, condition);
        for (int k = 0; k < gathering->dimensions; k++)
            gathering_add(gathering, part, k, ranges[k], (Source){.use = use, .view = view});
    }
}

static Interval window_range(BoundsInference *solver, Symbol output, int k) {
    Pool *pool = solver->pool;
    Expr minimum = expr_buffer_field(pool, output, FIELD_MINIMUM, k);
    Expr extent = expr_buffer_field(pool, output, FIELD_EXTENT, k);
    Expr last = expr_sub(pool, expr_add(pool, minimum, extent), expr_index(pool, 1));
    return (Interval){minimum, simplify(solver->simplifier, last), NULL};
}

static void add_window(Gathering *gathering) {
    BoundsInference *solver = gathering->solver;
    const FuncShape *shape = gathering->site->shape;
    if (!shape->is_output)
        return;
    Source source = {.place = pipeline_func(solver->pipeline, shape->name)->place,
                     .reason = arena_format(solver->arena, "the window of %s", shape->name->text)};
    for (int k = 0; k < gathering->dimensions; k++)
        gathering_add(gathering, gathering_part(gathering, output_set(solver, shape->name), NULL),
                      k, window_range(solver, shape->name, k), source);
}

/* ---- reads by the func's own updates ---- */

/* A range in one dimension, in terms of symbolic ends. */
typedef struct OwnRange {
    int dimension;
    Interval range;
    bool within_lower, within_upper; /* (find_within) */
    const AccessUse *use;
    const View *view;
} OwnRange;

typedef struct OwnRanges {
    Vec(OwnRange) list;
    Expr condition; /* that one of the reads is made, likewise; null where `always` */
    bool always;
} OwnRanges;

static void own_allow(OwnRanges *own, Pool *pool, Expr condition) {
    own->always |= !condition;
    if (condition && own->condition != condition)
        own->condition = own->condition ? expr_or(pool, own->condition, condition) : condition;
    if (own->always)
        own->condition = NULL;
}

static bool is_written_index(const AccessUse *use, int k) {
    return use->stmt->kind == STMT_STORE &&
           use->stmt->store.indices[k] == use->access->arguments[k];
}

/* The stage that a store belongs to. */
static const Stage *stage_of(const Func *func, const Stmt *store) {
    for (size_t i = 0; i < func->stages.length; i++)
        if (func->stages.data[i]->number == store->store.stage)
            return func->stages.data[i];
    hlc_assert(false, "a store belongs to a stage of its func");
    return NULL;
}

/* Do the stages before this one read anything but the func itself? */
static bool has_inputs_before(const Func *func, const Stage *stage) {
    for (size_t i = 0; i < func->stages.length && func->stages.data[i] != stage; i++)
        for (size_t k = 0; k < func->stages.data[i]->sites.length; k++)
            if (func->stages.data[i]->sites.data[k].access->name != func->shape->name)
                return true;
    return false;
}

/* A read at the index that is written asks nothing in a pure dimension, which runs over the region,
 * nor where what was there before took no input. */
static bool asks_nothing(const Gathering *gathering, const AccessUse *use, int k) {
    if (!is_written_index(use, k))
        return false;
    const Func *func = pipeline_func(gathering->solver->pipeline, gathering->site->shape->name);
    const Stage *stage = stage_of(func, use->stmt);
    return stage->pure[k] || (!use->unconditional && !has_inputs_before(func, stage));
}

static void symbolic_ends(BoundsInference *solver, const ComputeSite *site, Interval *ends) {
    SymbolTable *symbols = &solver->context->symbols;
    for (int k = 0; k < site->shape->dimensions; k++) {
        const char *func = site->shape->name->text, *variable = site->shape->variables[k]->text;
        Symbol lower = symbol_format(symbols, "?%s.%s.lower", func, variable),
               upper = symbol_format(symbols, "?%s.%s.upper", func, variable);
        ends[k] = (Interval){expr_variable(solver->pool, lower, INDEX),
                             expr_variable(solver->pool, upper, INDEX), NULL};
    }
}

/* Where the read is made, which `condition` says (null: always), does its range lie within the
 * region's ends, whatever these are?  Such an end asks for nothing. */
static void find_within(BoundsInference *solver, Interval region, Expr condition, OwnRange *read) {
    FactMark mark = simplifier_mark(solver->simplifier);
    if (condition)
        simplifier_learn(solver->simplifier, condition);
    read->within_lower = decide_proves_le(solver->simplifier, region.lower, read->range.lower);
    read->within_upper = decide_proves_le(solver->simplifier, read->range.upper, region.upper);
    simplifier_release(solver->simplifier, mark);
}

static void collect_own_ranges(Gathering *gathering, const Interval *symbolic, OwnRanges *own) {
    BoundsInference *solver = gathering->solver;
    View *view = NULL;
    for (size_t i = 0; i < gathering->site->own.length; i++) {
        const AccessUse *use = &gathering->site->own.data[i];
        for (int k = 0; k < gathering->dimensions; k++) {
            if (asks_nothing(gathering, use, k))
                continue;
            if (!view)
                view = view_of_self(solver, gathering->base, gathering->site, symbolic);
            Interval range = view_range(view, use->stmt, use->access->arguments[k]);
            if (range_is_unknown(range)) {
                if (!is_written_index(use, k)) /* else the write is reported */
                    origin_report_unbounded(solver, use, k, range.culprit);
                continue;
            }
            Expr condition = view_condition(view, use, true);
            OwnRange read = {.dimension = k, .range = range, .use = use, .view = view};
            find_within(solver, symbolic[k], condition, &read);
            vec_push(solver->arena, &own->list, read);
            own_allow(own, solver->pool, condition);
        }
    }
}

/* What the symbolic ends stand for: the region as gathered so far. */
static Map current_ends(Gathering *gathering, const Interval *symbolic) {
    Map ends = map_create(gathering->solver->arena);
    for (int k = 0; k < gathering->dimensions; k++) {
        Interval range = request_apply(gathering, k, gathering_range(gathering, k));
        map_put(&ends, symbolic[k].lower, range.lower);
        map_put(&ends, symbolic[k].upper, range.upper);
    }
    return ends;
}

static void add_own_range(Gathering *gathering, int k, Interval range) {
    BoundsInference *solver = gathering->solver;
    Interval *own = &gathering->own[k];
    if (own->lower) {
        range.lower = simplify(solver->simplifier, expr_min(solver->pool, own->lower, range.lower));
        range.upper = simplify(solver->simplifier, expr_max(solver->pool, own->upper, range.upper));
    }
    *own = range;
}

/* True if the region grew; the dimension of the last growth in `*grown`. */
static bool add_own_round(Gathering *gathering, GatheringPart *part, const Interval *symbolic,
                          const OwnRanges *own, int *grown) {
    BoundsInference *solver = gathering->solver;
    Map ends = current_ends(gathering, symbolic);
    bool widened = false;
    for (size_t i = 0; i < own->list.length; i++) {
        const OwnRange *read = &own->list.data[i];
        Expr lower = inference_replace(solver, &ends, read->range.lower);
        Expr upper = inference_replace(solver, &ends, read->range.upper);
        Interval range = {simplify(solver->simplifier, lower), simplify(solver->simplifier, upper),
                          NULL};
        add_own_range(gathering, read->dimension, range);
        range.lower = read->within_lower ? NULL : range.lower;
        range.upper = read->within_upper ? NULL : range.upper;
        if (gathering_add(gathering, part, read->dimension, range,
                          (Source){.use = read->use, .view = read->view})) {
            widened = true;
            *grown = read->dimension;
        }
    }
    return widened;
}

/* Does an empty region in dimension k keep all stages from running, as each loops over it, and is
 * an empty one left as it is by what phase 2 asked? */
static bool stops_all_stages(const BoundsInference *solver, const ComputeSite *site, int k) {
    const Func *func = pipeline_func(solver->pipeline, site->shape->name);
    bool all_loop = !request_is_made(solver, site, k);
    for (size_t i = 1; i < func->stages.length; i++)
        all_loop = all_loop && func->stages.data[i]->pure[k];
    return all_loop;
}

/* Such a dimension; mostly that of the loop that stands outermost.  -1: there is none. */
static int emptied_dimension(const BoundsInference *solver, const ComputeSite *site) {
    int k = site->shape->dimensions - 1;
    while (k >= 0 && !stops_all_stages(solver, site, k))
        k--;
    return k;
}

/* When the own reads count, with what the others need; null: in any case.  Where no loop around
 * them has an iteration with what the others need alone, they add nothing, so that is what is
 * computed; and where one has, it has still when the region has grown.  So the condition is that
 * one has now. */
static Expr own_condition(Gathering *gathering, const Interval *symbolic, const OwnRanges *own) {
    BoundsInference *solver = gathering->solver;
    if (!own->condition)
        return NULL;
    Map ends = current_ends(gathering, symbolic);
    /* A region without points ends where it begins: a loop that ends with it may have iterations.
     */
    for (int k = 0; k < gathering->dimensions; k++) {
        Expr lower = map_get(&ends, symbolic[k].lower), upper = map_get(&ends, symbolic[k].upper);
        Expr before = expr_sub(solver->pool, lower, expr_index(solver->pool, 1));
        map_put(&ends, symbolic[k].upper, expr_max(solver->pool, upper, before));
    }
    Expr condition = simplify(solver->simplifier, inference_replace(solver, &ends, own->condition));
    return expr_is_true(condition) || condition->tree_size > LARGEST_CONDITION ? NULL : condition;
}

/* Adds rounds until nothing grows. */
static void grow(Gathering *gathering, GatheringPart *part, const Interval *symbolic,
                 const OwnRanges *own) {
    BoundsInference *solver = gathering->solver;
    const FuncShape *shape = gathering->site->shape;
    int grown = 0;
    /* Each round carries growth one dimension further. */
    for (int round = 0; round <= gathering->dimensions + 1; round++)
        if (!add_own_round(gathering, part, symbolic, own, &grown))
            return;
    solver->failed = true;
    diag(solver->context, DIAG_REGION_GROWS, pipeline_func(solver->pipeline, shape->name)->place,
         shape->name->text, shape->variables[grown]->text);
}

static void add_own_reads(Gathering *gathering) {
    BoundsInference *solver = gathering->solver;
    Interval symbolic[MAX_DIMENSIONS];
    OwnRanges own = {0};
    symbolic_ends(solver, gathering->site, symbolic);
    collect_own_ranges(gathering, symbolic, &own);
    if (!own.list.length || gathering_is_empty(gathering))
        return;
    OutputSet needed_by = own.list.data[0].use->needed_by;
    GatheringPart *others =
        gathering_unify(gathering, needed_by, emptied_dimension(solver, gathering->site) < 0);
    Expr condition = own_condition(gathering, symbolic, &own);
    if (!condition) {
        grow(gathering, others, symbolic, &own);
        return;
    }
    /* What grows is the region where both count. */
    Expr outer = others->condition;
    GatheringPart *part = gathering_separate(gathering, needed_by);
    others->condition = NULL;
    grow(gathering, part, symbolic, &own);
    others->condition = outer;
    part->condition = outer ? expr_and(solver->pool, outer, condition) : condition;
}

/* ---- the compute region ---- */

static RegionEnd nothing_reads_it(BoundsInference *solver, int64_t value) {
    return (RegionEnd){.expr = expr_index(solver->pool, value),
                       .provenance = {NOWHERE, "nothing reads it", NULL}};
}

/* What the accesses ask in dimension k. */
static void set_ends(Gathering *gathering, SiteDemand *demand, int k) {
    BoundsInference *solver = gathering->solver;
    bool is_empty = gathering_is_empty(gathering);
    demand->lower[k] = is_empty ? nothing_reads_it(solver, 0) : gathering_end(gathering, k, false);
    demand->upper[k] = is_empty ? nothing_reads_it(solver, -1) : gathering_end(gathering, k, true);
}

/* What the accesses ask, inside what is asked around. */
static void set_needed(Gathering *gathering, const SiteDemand *around, SiteDemand *demand) {
    BoundsInference *solver = gathering->solver;
    for (int k = 0; k < gathering->dimensions; k++)
        set_ends(gathering, demand, k);
    for (int k = 0; k < gathering->dimensions; k++) {
        demand->needed[k] = (Interval){demand->lower[k].expr, demand->upper[k].expr, NULL};
        if (around && !gathering_is_empty(gathering) &&
            !request_fixes_length(solver, gathering->site, k))
            demand->needed[k] =
                range_meet(&gathering->ranges, demand->needed[k], around->needed[k]);
    }
}

/* So many loops around a site that their facts would make each proof slow. */
#define DEEP_LOOPS 12

static bool is_deep(const ComputeSite *site) {
    int loops = 0;
    for (const Stmt *stmt = site->root; stmt; stmt = stmt_parent(stmt))
        loops += stmt->kind == STMT_FOR;
    return loops > DEEP_LOOPS;
}

/* The region at the top, in which that at `base` is to lie; null at the top itself and where the
 * region at the top is made to hold that of each run instead. */
static const SiteDemand *demand_around(BoundsInference *solver, ComputeSite *site,
                                       const Block *base) {
    const Block *top = &solver->program->body;
    return base == top || is_deep(site) ? NULL : demand_at(solver, site, top);
}

/* Between the run and the top (an allocation, a producer further out): the region must hold that of
 * every run.  Where that cannot be proved, the hull of the runs is added. */
static Interval include_runs(const Gathering *gathering, int k, Interval range) {
    BoundsInference *solver = gathering->solver;
    Pool *pool = solver->pool;
    ComputeSite *site = gathering->site;
    bool is_top = gathering->base == &solver->program->body;
    if (gathering->base == site_block(site) || (is_top && !is_deep(site)))
        return range;
    const SiteDemand *run = demand_at(solver, site, site_block(site));
    View *view = view_from(solver, gathering->base, false);
    Interval lower = view_range(view, site->root, run->compute[k].lower);
    Interval upper = view_range(view, site->root, run->compute[k].upper);
    if (!lower.lower || !upper.upper) {
        request_report_shared(solver, site->shape);
        return range;
    }
    if (!decide_proves_le(solver->simplifier, range.lower, lower.lower))
        range.lower = simplify(solver->simplifier, expr_min(pool, range.lower, lower.lower));
    if (!decide_proves_le(solver->simplifier, upper.upper, range.upper))
        range.upper = simplify(solver->simplifier, expr_max(pool, range.upper, upper.upper));
    return range;
}

static void finish_demand(Gathering *gathering, const SiteDemand *around, SiteDemand *demand) {
    BoundsInference *solver = gathering->solver;
    const FuncShape *shape = gathering->site->shape;
    set_needed(gathering, around, demand);
    for (int k = 0; k < gathering->dimensions; k++) {
        Interval range = include_runs(gathering, k, request_hold(gathering, k, demand->needed[k]));
        demand->lower[k].expr = range.lower;
        demand->upper[k].expr = range.upper;
        request_credit(gathering, k, demand->needed[k], &demand->lower[k], false);
        request_credit(gathering, k, demand->needed[k], &demand->upper[k], true);
        const char *stem =
            arena_format(solver->arena, "%s.%s", shape->name->text, shape->variables[k]->text);
        range.lower = inference_name(solver, gathering->base, range.lower,
                                     arena_format(solver->arena, "%s.min", stem));
        range.upper = inference_name(solver, gathering->base, range.upper,
                                     arena_format(solver->arena, "%s.max", stem));
        demand->compute[k] = range;
    }
}

static Gathering gather_reads(BoundsInference *solver, ComputeSite *site, const Block *base) {
    inference_enter(solver, base);
    Gathering gathering = gathering_create(solver, site, base, site->shape->dimensions);
    gathering.reads_from = gather_reads;
    add_window(&gathering);
    add_reads(&gathering, view_from(solver, base, false), &site->reads);
    if (gathering.dimensions)
        add_own_reads(&gathering);
    return gathering;
}

const SiteDemand *demand_at(BoundsInference *solver, ComputeSite *site, const Block *base) {
    for (size_t i = 0; i < site->demands.length; i++)
        if (site->demands.data[i]->base == base)
            return site->demands.data[i];
    const SiteDemand *around = demand_around(solver, site, base);
    Gathering gathering = gather_reads(solver, site, base);
    SiteDemand *demand = arena_new(solver->arena, SiteDemand);
    demand->base = base;
    if (!may_slide(site) && emptied_dimension(solver, site) >= 0)
        demand->condition = gathering_condition(&gathering);
    finish_demand(&gathering, around, demand);
    vec_push(solver->arena, &site->demands, demand);
    return demand;
}

/* That one of the reads by others is made, guards counted; null: that is so. */
static Expr reads_condition(BoundsInference *solver, const ComputeSite *site) {
    View *view = view_from(solver, site_block(site), false);
    Expr some = NULL;
    for (size_t i = 0; i < site->reads.length && !site->shape->is_output; i++) {
        Expr condition = view_condition(view, &site->reads.data[i], true);
        if (!condition)
            return NULL;
        some = !some || some == condition ? condition : expr_or(solver->pool, some, condition);
    }
    return some;
}

/* Are the ends such that the region is empty where the condition does not hold, in a dimension that
 * stops all stages? */
static bool is_empty_without(BoundsInference *solver, const ComputeSite *site,
                             const SiteDemand *demand) {
    Simplifier *simplifier = solver->simplifier;
    FactMark mark = simplifier_mark(simplifier);
    bool is_empty = false;
    simplifier_learn(simplifier, simplify(simplifier, expr_not(solver->pool, demand->condition)));
    for (int k = 0; k < site->shape->dimensions && !is_empty; k++)
        is_empty = stops_all_stages(solver, site, k) &&
                   decide_proves(simplifier, expr_lt(solver->pool, demand->compute[k].upper,
                                                     demand->compute[k].lower));
    simplifier_release(simplifier, mark);
    return is_empty;
}

int demand_emptied_dimension(BoundsInference *solver, ComputeSite *site) {
    const Block *base = site_block(site);
    size_t i = 0;
    while (site->demands.data[i]->base != base)
        i++;
    SiteDemand *demand = site->demands.data[i];
    int k = emptied_dimension(solver, site);
    inference_enter(solver, base);
    if (k >= 0 && may_slide(site))
        demand->condition = reads_condition(solver, site);
    return demand->condition && !is_empty_without(solver, site, demand) ? k : -1;
}

/* ---- memory ---- */

static void add_stores(Gathering *gathering, View *view) {
    BoundsInference *solver = gathering->solver;
    const ComputeSite *site = gathering->site;
    OutputSet needed_by = output_needs(solver, site->shape->name);
    Source source = {.reason =
                         arena_format(solver->arena, "writes of %s", site->shape->name->text)};
    for (size_t i = 0; i < site->stores.length; i++) {
        Stmt *store = site->stores.data[i];
        source.place = store->place;
        for (int k = 0; k < gathering->dimensions; k++) {
            Interval range = view_range(view, store, store->store.indices[k]);
            if (range_is_unknown(range)) {
                origin_report_unbounded(solver, &(AccessUse){.stmt = store}, k, range.culprit);
                range = nowhere(solver);
            }
            gathering_add(gathering, gathering_part(gathering, needed_by, NULL), k, range, source);
        }
    }
}

static void add_site_memory(Gathering *gathering, ComputeSite *site) {
    BoundsInference *solver = gathering->solver;
    gathering->site = site;
    const SiteDemand *demand = demand_at(solver, site, gathering->base);
    OutputSet needed_by = output_needs(solver, site->shape->name);
    for (int k = 0; k < gathering->dimensions; k++)
        gathering_add(
            gathering, gathering_part(gathering, needed_by, NULL), k, demand->compute[k],
            (Source){.place = demand->lower[k].provenance.place, .reason = "the compute region"});
    View *view = view_from(solver, gathering->base, true);
    if (solver->has_beyond) {
        add_reads(gathering, view, &site->reads);
        add_reads(gathering, view, &site->own);
    }
    add_stores(gathering, view);
}

void memory_at(BoundsInference *solver, const Stmt *allocate, const Block *base, Interval *memory) {
    const FuncShape *shape = allocate->allocate.func;
    const FuncSolution *solution = map_get(&solver->by_func, shape->name);
    Gathering gathering = gathering_create(solver, NULL, base, shape->dimensions);
    for (size_t i = 0; i < solution->sites.length; i++)
        if (solution->sites.data[i]->allocate == allocate)
            add_site_memory(&gathering, solution->sites.data[i]);
    inference_enter(solver, base);
    for (int k = 0; k < gathering.dimensions; k++)
        memory[k] =
            !gathering_is_empty(&gathering)
                ? gathering_range(&gathering, k)
                : (Interval){expr_index(solver->pool, 0), expr_index(solver->pool, -1), NULL};
}

/* ---- images ---- */

Region *image_region(BoundsInference *solver, size_t index) {
    const ImageParameter *image = &solver->pipeline->signature.images.data[index];
    const Block *base = &solver->program->body;
    Region *region = arena_new(solver->arena, Region);
    region->func = image->name;
    region->dimensions = image->dimensions;
    inference_enter(solver, base);
    Gathering gathering = gathering_create(solver, NULL, base, image->dimensions);
    add_reads(&gathering, view_from(solver, base, true), solver->image_uses.data[index]);
    OutputSet needed_by = 0;
    for (size_t i = 0; i < gathering.parts.length; i++)
        needed_by |= gathering.parts.data[i]->needed_by;
    for (int k = 0; k < image->dimensions; k++) {
        bool is_empty = gathering_is_empty(&gathering);
        region->lower[k] =
            is_empty ? nothing_reads_it(solver, 0) : gathering_end(&gathering, k, false);
        region->upper[k] =
            is_empty ? nothing_reads_it(solver, -1) : gathering_end(&gathering, k, true);
    }
    Expr condition = region->condition = gathering_condition(&gathering);
    for (int k = 0; k < image->dimensions; k++) {
        if (gathering_is_empty(&gathering)) {
            region->whole[k] =
                (Extent){expr_buffer_field(solver->pool, image->name, FIELD_MINIMUM, k),
                         expr_index(solver->pool, 0)};
            continue;
        }
        Interval range = {region->lower[k].expr, region->upper[k].expr, NULL};
        Expr length = range_length(solver, range);
        if (condition)
            length = simplify(solver->simplifier, expr_select(solver->pool, condition, length,
                                                              expr_index(solver->pool, 0)));
        length = output_length(solver, needed_by, length);
        region->whole[k] =
            (Extent){inference_expand(solver, range.lower), inference_expand(solver, length)};
    }
    return region;
}

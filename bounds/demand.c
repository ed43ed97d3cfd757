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
 *     placeholders for its ends, and added until nothing grows.
 *
 * One box serves all stages.  Reductions are not restricted to the iterations whose write lies in
 * the region, and predicates and selects are no guards: the region is then larger than need be,
 * never smaller.
 *
 * A region is asked at the block where the func is computed, which gives the cpu holes, and again
 * at each block around it from which it is seen: its allocation, the startup scope, a producer
 * further out.  Each time the accesses themselves are looked at, since eliminating loops from the
 * first result would be less tight: a tile's ends clip and round.
 */
#include "bounds/solver.h"

typedef struct Gathering {
    Solver *solver;
    Site *site; /* null for an image */
    const Block *base;
    const Ranges *ranges; /* for proofs and memory only */
    int dimensions;
    Hull lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
} Gathering;

static Gathering gathering_create(Solver *solver, Site *site, const Block *base, int dimensions) {
    Gathering gathering = {.solver = solver, .site = site, .base = base, .dimensions = dimensions};
    Ranges *ranges = arena_new(solver->arena, Ranges);
    *ranges =
        (Ranges){.pool = solver->pool, .arena = solver->arena, .simplifier = solver->simplifier};
    gathering.ranges = ranges;
    for (int k = 0; k < dimensions; k++)
        gathering.lower[k].is_lower = true;
    return gathering;
}

/* Where a range comes from: a use in a view, or a text of its own. */
typedef struct Source {
    const Use *use;
    const View *view;
    Place place;
    const char *reason;
} Source;

static void set_provenance(const Gathering *gathering, RegionEnd *end, const Source *source,
                           int k) {
    if (!end)
        return;
    end->provenance = (Provenance){.place = source->place, .reason = source->reason};
    if (source->use)
        end->provenance = origin_of(gathering->solver, source->use, k, source->view);
}

/* True if the region grew. */
static bool add_range(Gathering *gathering, int k, Range range, Source source) {
    RegionEnd *lower = hull_add(&gathering->lower[k], gathering->ranges, range.lower);
    set_provenance(gathering, lower, &source, k);
    RegionEnd *upper = hull_add(&gathering->upper[k], gathering->ranges, range.upper);
    set_provenance(gathering, upper, &source, k);
    return lower || upper;
}

static bool is_unknown(Range range) {
    return !range.lower || !range.upper;
}

static Range hull_range(const Gathering *gathering, int k) {
    return (Range){hull_end(&gathering->lower[k], gathering->ranges).expr,
                   hull_end(&gathering->upper[k], gathering->ranges).expr, NULL};
}

Expr range_length(Solver *solver, Range range) {
    Pool *pool = solver->pool;
    Expr zero = expr_index(pool, 0);
    Expr length =
        simplify(solver->simplifier,
                 expr_add(pool, expr_sub(pool, range.upper, range.lower), expr_index(pool, 1)));
    if (simplify_proves_le(solver->simplifier, zero, length))
        return length;
    return simplify(solver->simplifier, expr_max(pool, length, zero));
}

/* ---- reads ---- */

static void add_reads(Gathering *gathering, View *view, const Uses *uses) {
    Solver *solver = gathering->solver;
    for (size_t i = 0; i < uses->length; i++) {
        const Use *use = &uses->data[i];
        for (int k = 0; k < gathering->dimensions; k++) {
            Range range = view_range(view, use->stmt, use->access->arguments[k]);
            if (is_unknown(range)) {
                origin_report_unbounded(solver, use, k, range.culprit);
                continue;
            }
            add_range(gathering, k, range, (Source){.use = use, .view = view});
        }
    }
}

static Range window_range(Solver *solver, Symbol output, int k) {
    Pool *pool = solver->pool;
    Expr minimum = expr_buffer_field(pool, output, FIELD_MINIMUM, k);
    Expr extent = expr_buffer_field(pool, output, FIELD_EXTENT, k);
    Expr last = expr_sub(pool, expr_add(pool, minimum, extent), expr_index(pool, 1));
    return (Range){minimum, simplify(solver->simplifier, last), NULL};
}

static void add_window(Gathering *gathering) {
    Solver *solver = gathering->solver;
    const FuncShape *shape = gathering->site->shape;
    if (!shape->is_output)
        return;
    Source source = {.place = pipeline_func(solver->pipeline, shape->name)->place,
                     .reason = arena_format(solver->arena, "the window of %s", shape->name->text)};
    for (int k = 0; k < gathering->dimensions; k++)
        add_range(gathering, k, window_range(solver, shape->name, k), source);
}

/* ---- what phase 5 asked ---- */

static const BoundRequest *find_request(const Solver *solver, const Site *site, int k,
                                        BoundKind kind) {
    for (size_t i = 0; i < solver->requests->requests.length; i++) {
        const BoundRequest *request = &solver->requests->requests.data[i];
        if (request->kind == kind && request->func == site->shape->name && request->dimension == k)
            return request;
    }
    return NULL;
}

static Expr last_of(Solver *solver, Expr minimum, Expr length) {
    Expr end = expr_add(solver->pool, minimum, length);
    return simplify(solver->simplifier, expr_sub(solver->pool, end, expr_index(solver->pool, 1)));
}

/* The minimum is what is needed, the length is fixed.  Seen from further out, the region is the
 * hull of the regions of all runs: from the least minimum to the greatest one's end. */
static Range fixed_length(const Gathering *gathering, int k, Range needed, Expr length) {
    Solver *solver = gathering->solver;
    Range first = {needed.lower, needed.lower, NULL};
    if (gathering->base != site_block(gathering->site)) {
        const Demand *here = demand_at(solver, gathering->site, site_block(gathering->site));
        View *view = view_from(solver, gathering->base, false);
        first = view_range(view, gathering->site->root, here->compute[k].lower);
    }
    if (is_unknown(first))
        first.upper = needed.upper; /* cannot be: its loops are bounded */
    return (Range){first.lower, last_of(solver, first.upper, length), NULL};
}

/* min' = min - (min - r) mod m; the last coordinate grows until the next one is r modulo m. */
static Range aligned(Solver *solver, Range needed, const BoundRequest *request) {
    Pool *pool = solver->pool;
    Expr m = request->modulus, r = request->remainder;
    Expr below = expr_mod(pool, expr_sub(pool, needed.lower, r), m);
    Expr beyond = expr_mod(pool, expr_sub(pool, needed.upper, r), m);
    Expr lower = expr_sub(pool, needed.lower, below);
    Expr upper = expr_add(pool, expr_sub(pool, needed.upper, beyond),
                          expr_sub(pool, m, expr_index(pool, 1)));
    return (Range){simplify(solver->simplifier, lower), simplify(solver->simplifier, upper), NULL};
}

static Range requested(const Gathering *gathering, int k, Range needed) {
    Solver *solver = gathering->solver;
    const BoundRequest *interval = find_request(solver, gathering->site, k, BOUND_INTERVAL);
    const BoundRequest *length = find_request(solver, gathering->site, k, BOUND_LENGTH);
    const BoundRequest *align = find_request(solver, gathering->site, k, BOUND_ALIGN);
    Range range = needed;
    if (interval)
        range = (Range){simplify(solver->simplifier, interval->minimum),
                        last_of(solver, interval->minimum, interval->length), NULL};
    if (length)
        range = fixed_length(gathering, k, range, length->length);
    if (align)
        range = aligned(solver, range, align);
    return range;
}

/* The provenance of an end that a directive has the last word on. */
static void credit_request(const Gathering *gathering, int k, RegionEnd *end, bool upper) {
    Solver *solver = gathering->solver;
    const BoundRequest *interval = find_request(solver, gathering->site, k, BOUND_INTERVAL);
    const BoundRequest *length = find_request(solver, gathering->site, k, BOUND_LENGTH);
    const BoundRequest *align = find_request(solver, gathering->site, k, BOUND_ALIGN);
    if (interval)
        end->provenance = (Provenance){interval->place, "fixed by bound", NULL};
    if (length && upper)
        end->provenance = (Provenance){length->place, "the length is fixed by bound-extent", NULL};
    if (align) {
        const char *rule = arena_format(solver->arena, "grown by align-bounds, %s",
                                        origin_place(solver, align->place));
        end->provenance.rule =
            end->provenance.rule ? arena_format(solver->arena, "%s; %s", end->provenance.rule, rule)
                                 : rule;
    }
}

/* ---- reads by the func's own updates ---- */

/* A range in one dimension, in terms of the placeholders. */
typedef struct OwnRange {
    int dimension;
    Range range;
    const Use *use;
    const View *view;
} OwnRange;
typedef Vec(OwnRange) OwnRanges;

static bool is_written_index(const Use *use, int k) {
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
static bool asks_nothing(const Gathering *gathering, const Use *use, int k) {
    if (!is_written_index(use, k))
        return false;
    const Func *func = pipeline_func(gathering->solver->pipeline, gathering->site->shape->name);
    const Stage *stage = stage_of(func, use->stmt);
    return stage->pure[k] || (!use->unconditional && !has_inputs_before(func, stage));
}

static void placeholder_ends(Solver *solver, const Site *site, Range *ends) {
    SymbolTable *symbols = &solver->context->symbols;
    for (int k = 0; k < site->shape->dimensions; k++) {
        const char *func = site->shape->name->text, *variable = site->shape->variables[k]->text;
        Symbol lower = symbol_format(symbols, "?%s.%s.lower", func, variable),
               upper = symbol_format(symbols, "?%s.%s.upper", func, variable);
        ends[k] = (Range){expr_variable(solver->pool, lower, INDEX),
                          expr_variable(solver->pool, upper, INDEX), NULL};
    }
}

static void collect_own_ranges(Gathering *gathering, const Range *placeholders, OwnRanges *own) {
    Solver *solver = gathering->solver;
    View *view = NULL;
    for (size_t i = 0; i < gathering->site->own.length; i++) {
        const Use *use = &gathering->site->own.data[i];
        for (int k = 0; k < gathering->dimensions; k++) {
            if (asks_nothing(gathering, use, k))
                continue;
            if (!view)
                view = view_of_self(solver, gathering->base, gathering->site, placeholders);
            Range range = view_range(view, use->stmt, use->access->arguments[k]);
            if (!is_unknown(range))
                vec_push(solver->arena, own, (OwnRange){k, range, use, view});
            else if (!is_written_index(use, k)) /* else the write is reported */
                origin_report_unbounded(solver, use, k, range.culprit);
        }
    }
}

/* The placeholders stand for the region as gathered so far. */
static Map current_ends(Gathering *gathering, const Range *placeholders) {
    Map ends = map_create(gathering->solver->arena);
    for (int k = 0; k < gathering->dimensions; k++) {
        Range range = requested(gathering, k, hull_range(gathering, k));
        map_put(&ends, placeholders[k].lower, range.lower);
        map_put(&ends, placeholders[k].upper, range.upper);
    }
    return ends;
}

/* True if the region grew; the dimension of the last growth in `*grown`. */
static bool add_own_round(Gathering *gathering, const Range *placeholders, const OwnRanges *own,
                          int *grown) {
    Solver *solver = gathering->solver;
    Map ends = current_ends(gathering, placeholders);
    bool widened = false;
    for (size_t i = 0; i < own->length; i++) {
        const OwnRange *read = &own->data[i];
        Expr lower = solver_replace(solver, &ends, read->range.lower);
        Expr upper = solver_replace(solver, &ends, read->range.upper);
        Range range = {simplify(solver->simplifier, lower), simplify(solver->simplifier, upper),
                       NULL};
        if (add_range(gathering, read->dimension, range,
                      (Source){.use = read->use, .view = read->view})) {
            widened = true;
            *grown = read->dimension;
        }
    }
    return widened;
}

static void add_own_reads(Gathering *gathering) {
    Solver *solver = gathering->solver;
    Range placeholders[MAX_DIMENSIONS];
    OwnRanges own = {0};
    int grown = 0;
    placeholder_ends(solver, gathering->site, placeholders);
    collect_own_ranges(gathering, placeholders, &own);
    if (!own.length || !gathering->lower[0].ends.length)
        return;
    /* Each round carries growth one dimension further. */
    for (int round = 0; round <= gathering->dimensions + 1; round++)
        if (!add_own_round(gathering, placeholders, &own, &grown))
            return;
    const FuncShape *shape = gathering->site->shape;
    solver->failed = true;
    diag(solver->context, DIAG_REGION_GROWS, pipeline_func(solver->pipeline, shape->name)->place,
         shape->name->text, shape->variables[grown]->text);
}

/* ---- the compute region ---- */

static RegionEnd nothing_reads_it(Solver *solver, int64_t value) {
    return (RegionEnd){expr_index(solver->pool, value), {NOWHERE, "nothing reads it", NULL}};
}

static void finish_demand(Gathering *gathering, Demand *demand) {
    Solver *solver = gathering->solver;
    const FuncShape *shape = gathering->site->shape;
    for (int k = 0; k < gathering->dimensions; k++) {
        bool read = gathering->lower[k].ends.length;
        demand->lower[k] =
            read ? hull_end(&gathering->lower[k], gathering->ranges) : nothing_reads_it(solver, 0);
        demand->upper[k] =
            read ? hull_end(&gathering->upper[k], gathering->ranges) : nothing_reads_it(solver, -1);
        demand->needed[k] = (Range){demand->lower[k].expr, demand->upper[k].expr, NULL};
        Range range = requested(gathering, k, demand->needed[k]);
        demand->lower[k].expr = range.lower;
        demand->upper[k].expr = range.upper;
        credit_request(gathering, k, &demand->lower[k], false);
        credit_request(gathering, k, &demand->upper[k], true);
        const char *stem =
            arena_format(solver->arena, "%s.%s", shape->name->text, shape->variables[k]->text);
        range.lower = solver_name(solver, gathering->base, range.lower,
                                  arena_format(solver->arena, "%s.min", stem));
        range.upper = solver_name(solver, gathering->base, range.upper,
                                  arena_format(solver->arena, "%s.max", stem));
        demand->compute[k] = range;
    }
}

const Demand *demand_at(Solver *solver, Site *site, const Block *base) {
    for (size_t i = 0; i < site->demands.length; i++)
        if (site->demands.data[i]->base == base)
            return site->demands.data[i];
    solver_enter(solver, base);
    Gathering gathering = gathering_create(solver, site, base, site->shape->dimensions);
    add_window(&gathering);
    add_reads(&gathering, view_from(solver, base, false), &site->reads);
    if (gathering.dimensions)
        add_own_reads(&gathering);
    Demand *demand = arena_new(solver->arena, Demand);
    demand->base = base;
    finish_demand(&gathering, demand);
    vec_push(solver->arena, &site->demands, demand);
    return demand;
}

/* ---- memory ---- */

static void add_stores(Gathering *gathering, View *view) {
    Solver *solver = gathering->solver;
    const Site *site = gathering->site;
    Source source = {.reason =
                         arena_format(solver->arena, "writes of %s", site->shape->name->text)};
    for (size_t i = 0; i < site->stores.length; i++) {
        Stmt *store = site->stores.data[i];
        source.place = store->place;
        for (int k = 0; k < gathering->dimensions; k++) {
            Range range = view_range(view, store, store->store.indices[k]);
            if (is_unknown(range))
                origin_report_unbounded(solver, &(Use){store, NULL, true}, k, range.culprit);
            else
                add_range(gathering, k, range, source);
        }
    }
}

static void add_site_memory(Gathering *gathering, Site *site) {
    Solver *solver = gathering->solver;
    gathering->site = site;
    const Demand *demand = demand_at(solver, site, gathering->base);
    for (int k = 0; k < gathering->dimensions; k++)
        add_range(
            gathering, k, demand->compute[k],
            (Source){.place = demand->lower[k].provenance.place, .reason = "the compute region"});
    View *view = view_from(solver, gathering->base, true);
    if (solver->has_beyond) {
        add_reads(gathering, view, &site->reads);
        add_reads(gathering, view, &site->own);
    }
    add_stores(gathering, view);
}

void memory_at(Solver *solver, const Stmt *allocate, const Block *base, Range *memory) {
    const FuncShape *shape = allocate->allocate.func;
    const FuncSolution *solution = map_get(&solver->by_func, shape->name);
    Gathering gathering = gathering_create(solver, NULL, base, shape->dimensions);
    for (size_t i = 0; i < solution->sites.length; i++)
        if (solution->sites.data[i]->allocate == allocate)
            add_site_memory(&gathering, solution->sites.data[i]);
    solver_enter(solver, base);
    for (int k = 0; k < gathering.dimensions; k++)
        memory[k] = gathering.lower[k].ends.length
                        ? hull_range(&gathering, k)
                        : (Range){expr_index(solver->pool, 0), expr_index(solver->pool, -1), NULL};
}

/* ---- images ---- */

Region *image_region(Solver *solver, size_t index) {
    const ImageParameter *image = &solver->pipeline->signature.images.data[index];
    const Block *base = &solver->program->body;
    Region *region = arena_new(solver->arena, Region);
    region->func = image->name;
    region->dimensions = image->dimensions;
    solver_enter(solver, base);
    Gathering gathering = gathering_create(solver, NULL, base, image->dimensions);
    add_reads(&gathering, view_from(solver, base, true), solver->image_uses.data[index]);
    for (int k = 0; k < image->dimensions; k++) {
        if (!gathering.lower[k].ends.length) {
            region->whole[k] =
                (Interval){expr_buffer_field(solver->pool, image->name, FIELD_MINIMUM, k),
                           expr_index(solver->pool, 0)};
            region->lower[k] = nothing_reads_it(solver, 0);
            region->upper[k] = nothing_reads_it(solver, -1);
            continue;
        }
        region->lower[k] = hull_end(&gathering.lower[k], gathering.ranges);
        region->upper[k] = hull_end(&gathering.upper[k], gathering.ranges);
        Range range = {region->lower[k].expr, region->upper[k].expr, NULL};
        region->whole[k] = (Interval){fill_expand(solver, range.lower),
                                      fill_expand(solver, range_length(solver, range))};
    }
    return region;
}

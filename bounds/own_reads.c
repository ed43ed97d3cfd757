/* own_reads.c -- what the updates of a func ask of the func itself.
 *
 * An update may read at the very index that it writes (a histogram, a scan).  Then it asks nothing:
 * the read lies in the region whenever its write does.  But the reference runs a reduction over its
 * whole domain, and both must refuse an input that is too small for that.  So the read counts, unless
 * the stages before it took no input.
 *
 * A range may depend on the region itself (f(x, x + r) with x pure).  It is then written over
 * variables for the region's ends, and added until nothing grows.  A range that lies within the
 * region for all values of the ends, as a recurrence's reads do, asks for nothing.
 */
#include "bounds/own_reads.h"

#include "decide/decide.h"

/* A range in one dimension, over the symbolic ends. */
typedef struct OwnRange {
    int dimension;
    Interval range;
    bool within_lower, within_upper; /* (find_within) */
    const AccessUse *use;
    const View *view;
} OwnRange;

typedef struct OwnRanges {
    Vec(OwnRange) list;
    Expr condition; /* of one of the reads, over the symbolic ends; null if `always` */
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

/* Do the stages before this one read anything but the func itself? */
static bool has_inputs_before(const Func *func, const Stage *stage) {
    for (size_t i = 0; i < func->stages.length && func->stages.data[i] != stage; i++)
        for (size_t k = 0; k < func->stages.data[i]->sites.length; k++)
            if (func->stages.data[i]->sites.data[k].access->name != func->shape->name)
                return true;
    return false;
}

/* A read at the written index asks nothing in a pure dimension, which runs over the region.  It
 * also asks nothing if the stages before took no input. */
static bool asks_nothing(const Gathering *gathering, const AccessUse *use, int k) {
    if (!is_written_index(use, k))
        return false;
    const Func *func =
        pipeline_func(gathering->bounds->pipeline, gathering->realization->shape->name);
    const Stage *stage = func_stage(func, use->stmt->store.stage);
    return stage->pure[k] || (!use->unconditional && !has_inputs_before(func, stage));
}

static void symbolic_ends(BoundsInference *bounds, const Realization *realization, Interval *ends) {
    SymbolTable *symbols = &bounds->context->symbols;
    for (int k = 0; k < realization->shape->dimensions; k++) {
        const char *func = realization->shape->name->text,
                   *variable = realization->shape->variables[k]->text;
        Symbol lower = symbol_format(symbols, "?%s.%s.lower", func, variable),
               upper = symbol_format(symbols, "?%s.%s.upper", func, variable);
        ends[k] = (Interval){expr_variable(bounds->pool, lower, INDEX),
                             expr_variable(bounds->pool, upper, INDEX), NULL};
    }
}

/* Under the read's `condition` (null: always), does its range lie within the region's ends for all
 * values of the ends?  Such an end asks for nothing. */
static void find_within(BoundsInference *bounds, Interval region, Expr condition, OwnRange *read) {
    FactMark mark = simplifier_mark(bounds->simplifier);
    if (condition)
        simplifier_learn(bounds->simplifier, condition);
    read->within_lower = decide_proves_le(bounds->simplifier, region.lower, read->range.lower);
    read->within_upper = decide_proves_le(bounds->simplifier, read->range.upper, region.upper);
    simplifier_release(bounds->simplifier, mark);
}

static void collect_own_ranges(Gathering *gathering, const Interval *symbolic, OwnRanges *own) {
    BoundsInference *bounds = gathering->bounds;
    View *view = NULL;
    for (size_t i = 0; i < gathering->realization->own.length; i++) {
        const AccessUse *use = &gathering->realization->own.data[i];
        for (int k = 0; k < gathering->dimensions; k++) {
            if (asks_nothing(gathering, use, k))
                continue;
            if (!view)
                view = view_of_self(bounds, gathering->base, gathering->realization, symbolic);
            Interval range = view_range(view, use->stmt, use->access->arguments[k]);
            if (range_is_unknown(range)) {
                if (!is_written_index(use, k)) /* else the write is reported */
                    origin_report_unbounded(bounds, use, k, range.culprit);
                continue;
            }
            Expr condition = view_condition(view, use, true);
            OwnRange read = {.dimension = k, .range = range, .use = use, .view = view};
            find_within(bounds, symbolic[k], condition, &read);
            vec_push(bounds->arena, &own->list, read);
            own_allow(own, bounds->pool, condition);
        }
    }
}

/* Maps the symbolic ends to the region as gathered so far. */
static Map current_ends(Gathering *gathering, const Interval *symbolic) {
    Map ends = map_create(gathering->bounds->arena);
    for (int k = 0; k < gathering->dimensions; k++) {
        Interval range = request_apply(gathering, k, gathering_range(gathering, k));
        map_put(&ends, symbolic[k].lower, range.lower);
        map_put(&ends, symbolic[k].upper, range.upper);
    }
    return ends;
}

static void add_own_range(Gathering *gathering, int k, Interval range) {
    BoundsInference *bounds = gathering->bounds;
    Interval *own = &gathering->own[k];
    if (own->lower) {
        range.lower = simplify(bounds->simplifier, expr_min(bounds->pool, own->lower, range.lower));
        range.upper = simplify(bounds->simplifier, expr_max(bounds->pool, own->upper, range.upper));
    }
    *own = range;
}

/* Returns true if the region grew; `*grown` is the dimension of the last growth. */
static bool add_own_round(Gathering *gathering, GatheringPart *part, const Interval *symbolic,
                          const OwnRanges *own, int *grown) {
    BoundsInference *bounds = gathering->bounds;
    Map ends = current_ends(gathering, symbolic);
    bool widened = false;
    for (size_t i = 0; i < own->list.length; i++) {
        const OwnRange *read = &own->list.data[i];
        Expr lower = inference_replace(bounds, &ends, read->range.lower);
        Expr upper = inference_replace(bounds, &ends, read->range.upper);
        Interval range = {simplify(bounds->simplifier, lower), simplify(bounds->simplifier, upper),
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

/* Does an empty region in dimension k keep all stages from running?  It does if each stage loops
 * over k, and the requests of phase 2 leave an empty region empty. */
bool own_reads_stop_all(const BoundsInference *bounds, const Realization *realization, int k) {
    const Func *func = pipeline_func(bounds->pipeline, realization->shape->name);
    bool all_loop = !request_is_made(bounds, realization, k);
    for (size_t i = 1; i < func->stages.length; i++)
        all_loop = all_loop && func->stages.data[i]->pure[k];
    return all_loop;
}

/* Returns such a dimension, mostly that of the outermost loop; -1: there is none. */
int own_reads_emptied_dimension(const BoundsInference *bounds, const Realization *realization) {
    int k = realization->shape->dimensions - 1;
    while (k >= 0 && !own_reads_stop_all(bounds, realization, k))
        k--;
    return k;
}

/* Returns the condition under which the func's own reads count beside the others; null: always.
 * The condition is that a loop around the own reads has an iteration with what the others need.  If
 * none has, the own reads add nothing, so exactly that is computed.  If one has, it still has one
 * when the region has grown. */
static Expr own_condition(Gathering *gathering, const Interval *symbolic, const OwnRanges *own) {
    BoundsInference *bounds = gathering->bounds;
    if (!own->condition)
        return NULL;
    Map ends = current_ends(gathering, symbolic);
    /* A region without points ends before it begins: a loop that ends with it may have
     * iterations. */
    for (int k = 0; k < gathering->dimensions; k++) {
        Expr lower = map_get(&ends, symbolic[k].lower), upper = map_get(&ends, symbolic[k].upper);
        Expr before = expr_sub(bounds->pool, lower, expr_index(bounds->pool, 1));
        map_put(&ends, symbolic[k].upper, expr_max(bounds->pool, upper, before));
    }
    Expr condition = simplify(bounds->simplifier, inference_replace(bounds, &ends, own->condition));
    return expr_is_true(condition) || condition->tree_size > LARGEST_CONDITION ? NULL : condition;
}

/* Adds rounds until nothing grows. */
static void grow(Gathering *gathering, GatheringPart *part, const Interval *symbolic,
                 const OwnRanges *own) {
    BoundsInference *bounds = gathering->bounds;
    const FuncShape *shape = gathering->realization->shape;
    int grown = 0;
    /* Each round carries growth one dimension further. */
    for (int round = 0; round <= gathering->dimensions + 1; round++)
        if (!add_own_round(gathering, part, symbolic, own, &grown))
            return;
    bounds->failed = true;
    if (!bounds->growing.func)
        bounds->growing = (GrowingFunc){shape->name, shape->variables[grown]};
}

void growing_report(const Pipeline *pipeline, const GrowingFunc *growing) {
    diag(pipeline->pool->context, DIAG_REGION_GROWS, pipeline_func(pipeline, growing->func)->place,
         growing->func->text, growing->variable->text);
}

/* Adds the region without points that is needed if nothing reads the func. */
static void add_nothing(Gathering *gathering, OutputSet needed_by) {
    GatheringPart *part = gathering_part(gathering, needed_by, NULL);
    Interval nothing = {expr_index(gathering->bounds->pool, 0),
                        expr_index(gathering->bounds->pool, -1), NULL};
    for (int k = 0; k < gathering->dimensions; k++)
        gathering_add(gathering, part, k, nothing,
                      (Source){.place = NOWHERE, .reason = OWN_READS_UNREAD});
}

void own_reads_add(Gathering *gathering) {
    BoundsInference *bounds = gathering->bounds;
    Interval symbolic[MAX_DIMENSIONS];
    OwnRanges own = {0};
    symbolic_ends(bounds, gathering->realization, symbolic);
    collect_own_ranges(gathering, symbolic, &own);
    bool runs_always = own_reads_emptied_dimension(bounds, gathering->realization) < 0;
    if (!own.list.length || (gathering_is_empty(gathering) && !runs_always))
        return;
    OutputSet needed_by = own.list.data[0].use->needed_by;
    if (gathering_is_empty(gathering))
        add_nothing(gathering, needed_by);
    GatheringPart *others = gathering_unify(gathering, needed_by, runs_always);
    Expr condition = own_condition(gathering, symbolic, &own);
    if (!condition) {
        grow(gathering, others, symbolic, &own);
        return;
    }
    /* The region under both conditions grows. */
    Expr outer = others->condition;
    GatheringPart *part = gathering_separate(gathering, needed_by);
    others->condition = NULL;
    grow(gathering, part, symbolic, &own);
    others->condition = outer;
    part->condition = outer ? expr_and(bounds->pool, outer, condition) : condition;
}

/* ---- one run, and the hull of all ---- */

/* Does what an own read asks stay inside where the ends of the region move inwards?  Then what it asks
 * of the hull of all runs holds what it asks of each. */
static bool shrinks_with(BoundsInference *bounds, const OwnRange *read, Interval ends) {
    Symbol lower = ends.lower->name, upper = ends.upper->name;
    bool holds_lower = (direction_of(bounds, read->range.lower, lower) & NEVER_FALLS) &&
                       (direction_of(bounds, read->range.lower, upper) & NEVER_RISES);
    bool holds_upper = (direction_of(bounds, read->range.upper, lower) & NEVER_RISES) &&
                       (direction_of(bounds, read->range.upper, upper) & NEVER_FALLS);
    return (read->within_lower || holds_lower) && (read->within_upper || holds_upper);
}

/* Is what the own reads need of the hull of all runs enough for each run?  It is not where a tail
 * is shifted: of a short run, the shifted block begins before that of the hull. */
bool own_reads_hold_runs(BoundsInference *bounds, Realization *realization) {
    const Block *top = &bounds->program->body;
    Interval symbolic[MAX_DIMENSIONS];
    OwnRanges own = {0};
    inference_enter(bounds, top);
    Gathering gathering =
        gathering_create(bounds, realization, top, realization->shape->dimensions);
    symbolic_ends(bounds, realization, symbolic);
    collect_own_ranges(&gathering, symbolic, &own);
    for (size_t i = 0; i < own.list.length; i++)
        for (int k = 0; k < gathering.dimensions; k++)
            if (!shrinks_with(bounds, &own.list.data[i], symbolic[k]))
                return false;
    return true;
}

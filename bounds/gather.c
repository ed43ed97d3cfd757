/* gather.c -- regions under construction (gather.h).
 *
 * Each part has a hull for each side of each dimension.  The end of the region is built from the
 * parts in order.  With conditions c1 and c2 of two parts and lower ends a and b it is
 *
 *     select(c1, select(c2, min(a, b), a), b)
 *
 * So it is the farther end if both parts count, and else the end of the part that counts.  If
 * neither counts, nothing is needed, and the value does not matter. */
#include "bounds/gather.h"

Gathering gathering_create(BoundsInference *bounds, Realization *realization, const Block *base,
                           int dimensions) {
    return (Gathering){
        .bounds = bounds,
        .realization = realization,
        .base = base,
        .ranges = {.pool = bounds->pool, .arena = bounds->arena, .simplifier = bounds->simplifier},
        .dimensions = dimensions};
}

/* With more conditions than this, they are united into one: formulas must stay small. */
enum { MOST_CONDITIONS = 32 };

static Expr either(Pool *pool, Expr a, Expr b) {
    return !a || !b ? NULL : a == b ? a : expr_or(pool, a, b);
}

GatheringPart *gathering_separate(Gathering *gathering, OutputSet needed_by) {
    GatheringPart *part = arena_new(gathering->bounds->arena, GatheringPart);
    part->needed_by = needed_by;
    for (int k = 0; k < gathering->dimensions; k++)
        part->lower[k].is_lower = true;
    vec_push(gathering->bounds->arena, &gathering->parts, part);
    return part;
}

GatheringPart *gathering_part(Gathering *gathering, OutputSet needed_by, Expr condition) {
    GatheringPart *last = NULL;
    int conditions = 0;
    for (size_t i = 0; i < gathering->parts.length; i++) {
        GatheringPart *part = gathering->parts.data[i];
        if (part->needed_by != needed_by)
            continue;
        if (part->condition == condition)
            return part;
        last = part;
        conditions++;
    }
    if (conditions == MOST_CONDITIONS) {
        last->condition = either(gathering->bounds->pool, last->condition, condition);
        return last;
    }
    GatheringPart *part = gathering_separate(gathering, needed_by);
    part->condition = condition;
    return part;
}

static void set_provenance(const Gathering *gathering, RegionEnd *end, const Source *source,
                           int k) {
    if (!end)
        return;
    end->provenance = (Provenance){.place = source->place, .reason = source->reason};
    if (source->use && gathering->bounds->explains)
        end->provenance = origin_of(gathering->bounds, source->use, k, source->view);
    else if (source->use)
        end->provenance.place = origin_of_use(gathering->bounds, source->use);
}

bool gathering_add(Gathering *gathering, GatheringPart *part, int dimension, Interval range,
                   Source source) {
    RegionEnd *lower = NULL, *upper = NULL;
    if (range.lower)
        lower = hull_add(&part->lower[dimension], &gathering->ranges, range.lower);
    set_provenance(gathering, lower, &source, dimension);
    if (range.upper)
        upper = hull_add(&part->upper[dimension], &gathering->ranges, range.upper);
    set_provenance(gathering, upper, &source, dimension);
    return lower || upper;
}

Expr gathering_condition(const Gathering *gathering) {
    Expr some = gathering->parts.length ? gathering->parts.data[0]->condition : NULL;
    for (size_t i = 1; i < gathering->parts.length; i++)
        some = either(gathering->bounds->pool, some, gathering->parts.data[i]->condition);
    some = some ? simplify(gathering->bounds->simplifier, some) : NULL;
    return some && expr_is_true(some) ? NULL : some;
}

static void move_hull(const Gathering *gathering, Hull *to, const Hull *from) {
    for (size_t i = 0; i < from->ends.length; i++) {
        RegionEnd *added = hull_add(to, &gathering->ranges, from->ends.data[i].expr);
        if (added)
            added->provenance = from->ends.data[i].provenance;
    }
}

GatheringPart *gathering_unify(Gathering *gathering, OutputSet needed_by, bool always) {
    Gathering unified = *gathering;
    unified.parts.data = NULL;
    unified.parts.length = unified.parts.capacity = 0;
    GatheringPart *to =
        gathering_part(&unified, needed_by, always ? NULL : gathering_condition(gathering));
    for (size_t i = 0; i < gathering->parts.length; i++)
        for (int k = 0; k < gathering->dimensions; k++) {
            move_hull(gathering, &to->lower[k], &gathering->parts.data[i]->lower[k]);
            move_hull(gathering, &to->upper[k], &gathering->parts.data[i]->upper[k]);
        }
    *gathering = unified;
    return to;
}

static bool may_skip(const Gathering *gathering) {
    const Realization *realization = gathering->realization;
    bool is_inside = gathering->base != &gathering->bounds->program->body &&
                     realization->allocate->block == gathering->base;
    return is_inside && !realization->shape->is_output && !realization->shares &&
           realization_loops(realization) <= DEEP_LOOPS &&
           request_leaves_minimum(gathering->bounds, realization) &&
           gathering_condition(gathering) != NULL;
}

/* What is proved depends on the facts of the moment: the first answer stands. */
bool gathering_may_skip(const Gathering *gathering) {
    Realization *realization = gathering->realization;
    if (!realization->skip_is_decided) {
        realization->may_skip = may_skip(gathering);
        realization->skip_is_decided = true;
    }
    return realization->may_skip;
}

Expr gathering_nonempty(const Gathering *gathering, const Interval *needed) {
    BoundsInference *bounds = gathering->bounds;
    Expr some = gathering_condition(gathering);
    some = some ? some : expr_bool(bounds->pool, true);
    for (int k = 0; k < gathering->dimensions; k++)
        if (request_fixes_length(bounds, gathering->realization, k))
            some = expr_and(bounds->pool, some,
                            expr_le(bounds->pool, needed[k].lower, needed[k].upper));
    some = simplify(bounds->simplifier, some);
    return expr_is_true(some) ? NULL : some;
}

bool gathering_is_empty(const Gathering *gathering) {
    return !gathering->parts.length;
}

/* Returns the condition under which a part counts; null: always. */
static Expr part_counts(const Gathering *gathering, const GatheringPart *part) {
    Expr windows = output_condition(gathering->bounds, part->needed_by);
    return !windows           ? part->condition
           : !part->condition ? windows
                              : expr_and(gathering->bounds->pool, windows, part->condition);
}

/* Returns the condition under which one of the first parts counts. */
static Expr some_count(const Gathering *gathering, size_t count) {
    OutputSet needed_by = 0;
    Expr some = part_counts(gathering, gathering->parts.data[0]);
    bool has_conditions = false;
    for (size_t i = 0; i < count; i++) {
        const GatheringPart *part = gathering->parts.data[i];
        needed_by |= part->needed_by;
        has_conditions |= part->condition != NULL;
        some = either(gathering->bounds->pool, some, part_counts(gathering, part));
    }
    return has_conditions ? some : output_condition(gathering->bounds, needed_by);
}

/* Adds the end of a part to the end of the earlier parts, of which one counts if `end_counts`.  If
 * both count, the result is the farther end, else the end that counts. */
static Expr add_part(const Gathering *gathering, Expr end, Expr end_counts, Expr other,
                     Expr other_counts, bool upper) {
    Pool *pool = gathering->bounds->pool;
    Expr farther = expr_binary(pool, upper ? OP_MAX : OP_MIN, end, other);
    Expr result = other_counts ? expr_select(pool, other_counts, farther, end) : farther;
    return end_counts ? expr_select(pool, end_counts, result, other) : result;
}

/* A part in which only some of a func's own reads count may have no range in a dimension. */
static const Hull *part_hull(const GatheringPart *part, int k, bool upper) {
    const Hull *hull = upper ? &part->upper[k] : &part->lower[k];
    return hull->ends.length ? hull : NULL;
}

RegionEnd gathering_end(const Gathering *gathering, int dimension, bool upper) {
    hlc_assert(gathering->parts.length, "a region has ends");
    Arena *arena = gathering->bounds->arena;
    const GatheringPart *first = gathering->parts.data[0];
    RegionEnd end = hull_end(part_hull(first, dimension, upper), &gathering->ranges);
    for (size_t i = 1; i < gathering->parts.length; i++) {
        const GatheringPart *part = gathering->parts.data[i];
        const Hull *hull = part_hull(part, dimension, upper);
        if (!hull)
            continue;
        RegionEnd other = hull_end(hull, &gathering->ranges);
        end.expr = add_part(gathering, end.expr, some_count(gathering, i), other.expr,
                            part_counts(gathering, part), upper);
        if (gathering->bounds->explains)
            end.provenance.reason = arena_format(arena, "%s; where it is needed: %s",
                                                 end.provenance.reason, other.provenance.reason);
    }
    end.expr = simplify(gathering->bounds->simplifier, end.expr);
    return end;
}

Interval gathering_range(const Gathering *gathering, int dimension) {
    return (Interval){gathering_end(gathering, dimension, false).expr,
                      gathering_end(gathering, dimension, true).expr, NULL};
}

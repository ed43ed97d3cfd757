/* gather.c -- regions under construction. */
#include "bounds/gather.h"

Gathering gathering_create(Solver *solver, Site *site, const Block *base, int dimensions) {
    return (Gathering){
        .solver = solver,
        .site = site,
        .base = base,
        .ranges = {.pool = solver->pool, .arena = solver->arena, .simplifier = solver->simplifier},
        .dimensions = dimensions};
}

static Part *part_for(Gathering *gathering, OutputSet needed_by) {
    for (size_t i = 0; i < gathering->parts.length; i++)
        if (gathering->parts.data[i]->needed_by == needed_by)
            return gathering->parts.data[i];
    Part *part = arena_new(gathering->solver->arena, Part);
    part->needed_by = needed_by;
    for (int k = 0; k < gathering->dimensions; k++)
        part->lower[k].is_lower = true;
    vec_push(gathering->solver->arena, &gathering->parts, part);
    return part;
}

static void set_provenance(const Gathering *gathering, RegionEnd *end, const Source *source,
                           int k) {
    if (!end)
        return;
    end->provenance = (Provenance){.place = source->place, .reason = source->reason};
    if (source->use && gathering->solver->explains)
        end->provenance = origin_of(gathering->solver, source->use, k, source->view);
    else if (source->use)
        end->provenance.place = origin_of_use(gathering->solver, source->use);
}

bool gathering_add(Gathering *gathering, OutputSet needed_by, int dimension, Range range,
                   Source source) {
    Part *part = part_for(gathering, needed_by);
    RegionEnd *lower = hull_add(&part->lower[dimension], &gathering->ranges, range.lower);
    set_provenance(gathering, lower, &source, dimension);
    RegionEnd *upper = hull_add(&part->upper[dimension], &gathering->ranges, range.upper);
    set_provenance(gathering, upper, &source, dimension);
    return lower || upper;
}

void gathering_allow(Gathering *gathering, Expr condition) {
    gathering->always |= !condition;
    if (condition && gathering->condition != condition)
        gathering->condition =
            gathering->condition ? expr_or(gathering->solver->pool, gathering->condition, condition)
                                 : condition;
}

Expr gathering_condition(const Gathering *gathering) {
    return gathering->always ? NULL : gathering->condition;
}

static void move_hull(const Gathering *gathering, Hull *to, const Hull *from) {
    for (size_t i = 0; i < from->ends.length; i++) {
        RegionEnd *added = hull_add(to, &gathering->ranges, from->ends.data[i].expr);
        if (added)
            added->provenance = from->ends.data[i].provenance;
    }
}

void gathering_unify(Gathering *gathering, OutputSet needed_by) {
    Gathering unified = *gathering;
    unified.parts.data = NULL;
    unified.parts.length = unified.parts.capacity = 0;
    for (size_t i = 0; i < gathering->parts.length; i++) {
        Part *to = part_for(&unified, needed_by);
        for (int k = 0; k < gathering->dimensions; k++) {
            move_hull(gathering, &to->lower[k], &gathering->parts.data[i]->lower[k]);
            move_hull(gathering, &to->upper[k], &gathering->parts.data[i]->upper[k]);
        }
    }
    *gathering = unified;
}

bool gathering_is_empty(const Gathering *gathering) {
    return !gathering->parts.length;
}

/* Adds a part's end to that of the parts before it, of which one counts if `before` has points: the
 * farther of the two where both count, else the one that does. */
static Expr add_part(const Gathering *gathering, Expr end, OutputSet before, Expr other,
                     OutputSet needed_by, bool upper) {
    Solver *solver = gathering->solver;
    Expr farther = expr_binary(solver->pool, upper ? OP_MAX : OP_MIN, end, other);
    Expr other_counts = output_condition(solver, needed_by),
         end_counts = output_condition(solver, before);
    Expr result = other_counts ? expr_select(solver->pool, other_counts, farther, end) : farther;
    return end_counts ? expr_select(solver->pool, end_counts, result, other) : result;
}

static RegionEnd part_end(const Gathering *gathering, const Part *part, int k, bool upper) {
    return hull_end(upper ? &part->upper[k] : &part->lower[k], &gathering->ranges);
}

RegionEnd gathering_end(const Gathering *gathering, int dimension, bool upper) {
    hlc_assert(gathering->parts.length, "a region has ends");
    Arena *arena = gathering->solver->arena;
    const Part *first = gathering->parts.data[0];
    RegionEnd end = part_end(gathering, first, dimension, upper);
    OutputSet before = first->needed_by;
    for (size_t i = 1; i < gathering->parts.length; i++) {
        const Part *part = gathering->parts.data[i];
        RegionEnd other = part_end(gathering, part, dimension, upper);
        end.expr = add_part(gathering, end.expr, before, other.expr, part->needed_by, upper);
        if (gathering->solver->explains)
            end.provenance.reason = arena_format(arena, "%s; where it is needed: %s",
                                                 end.provenance.reason, other.provenance.reason);
        before |= part->needed_by;
    }
    end.expr = simplify(gathering->solver->simplifier, end.expr);
    return end;
}

Range gathering_range(const Gathering *gathering, int dimension) {
    return (Range){gathering_end(gathering, dimension, false).expr,
                   gathering_end(gathering, dimension, true).expr, NULL};
}

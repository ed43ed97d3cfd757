/* values.c -- ranges of funcs' values (values.h).
 *
 * One pass over the funcs in definition order.  The equations of a recurrence may read later ones,
 * of which nothing is known yet; outside of its domain an equation is zero.  An eager func has the
 * values of its definition. */
#include "bounds/values.h"

#include "bounds/startup.h"
#include "decide/decide.h"

/* A larger end is no end: chains of funcs would nest their formulas. */
enum { LARGEST_END = 40 };

typedef struct ValueSolving {
    const Pipeline *pipeline;
    FuncValues *values;
    Pool *pool;
    Arena *arena;
} ValueSolving;

/* ---- the values that a stage writes ---- */

static void bind_unknown(Ranges *ranges, Symbol variable) {
    Interval any = {NULL, NULL, expr_variable(ranges->pool, variable, INDEX)};
    ranges_bind(ranges, variable, any);
}

static void bind_extent(Ranges *ranges, Symbol variable, Extent extent) {
    Expr end = expr_add(ranges->pool, extent.minimum, extent.length);
    ranges_bind(
        ranges, variable,
        (Interval){extent.minimum, expr_sub(ranges->pool, end, expr_index(ranges->pool, 1)), NULL});
}

static Interval small_ends(Interval range) {
    if (range.lower && range.lower->tree_size > LARGEST_END)
        range.lower = NULL;
    if (range.upper && range.upper->tree_size > LARGEST_END)
        range.upper = NULL;
    return range;
}

static bool has_range(Type type) {
    return type_is_machine_integer(type) || type_is_float(type);
}

static void solve_stage(const ValueSolving *solving, const Func *func, const Stage *stage,
                        Interval *written) {
    Ranges ranges = ranges_create(solving->pool, solving->arena, solving->values->simplifier);
    ranges.calls = &solving->values->ranges;
    for (int k = 0; k < func->shape->dimensions; k++)
        bind_unknown(&ranges, func->shape->variables[k]);
    for (size_t i = 0; i < stage->reduction.length; i++)
        bind_extent(&ranges, stage->reduction.data[i].variable, stage->reduction.data[i].interval);
    for (size_t i = 0; i < stage->splits.length; i++)
        bind_extent(&ranges, stage->splits.data[i].variable, stage->splits.data[i].domain);
    for (int c = 0; c < func->shape->components; c++)
        written[c] = has_range(func->shape->types[c])
                         ? small_ends(ranges_of(&ranges, stage->values[c]))
                         : range_whole_type(solving->pool, func->shape->types[c], NULL);
}

/* ---- one func ---- */

/* Is the second end proved to lie no further out than the first?  Null is infinitely far. */
static bool reaches(const ValueSolving *solving, Expr outer, Expr inner, bool lower) {
    Simplifier *simplifier = solving->values->simplifier;
    if (!outer || outer == inner)
        return true;
    if (!inner)
        return false;
    if (type_is_float(outer->type)) {
        FloatInterval a = simplify_float_interval(simplifier, outer),
                      b = simplify_float_interval(simplifier, inner);
        return lower ? a.high <= b.low : b.high <= a.low;
    }
    return lower ? decide_proves_le(simplifier, outer, inner)
                 : decide_proves_le(simplifier, inner, outer);
}

static Expr farther(const ValueSolving *solving, Expr a, Expr b, bool lower) {
    if (!a || !b || a == b)
        return a && b ? a : NULL;
    return simplify(solving->values->simplifier,
                    expr_binary(solving->pool, lower ? OP_MIN : OP_MAX, a, b));
}

/* Makes the ranges of the components hold others too.  Returns whether one grew. */
static bool hold(const ValueSolving *solving, Interval *ranges, const Interval *others, int count) {
    bool grew = false;
    for (int c = 0; c < count; c++) {
        if (!reaches(solving, ranges[c].lower, others[c].lower, true)) {
            ranges[c].lower = farther(solving, ranges[c].lower, others[c].lower, true);
            grew = true;
        }
        if (!reaches(solving, ranges[c].upper, others[c].upper, false)) {
            ranges[c].upper = farther(solving, ranges[c].upper, others[c].upper, false);
            grew = true;
        }
        ranges[c] = small_ends(ranges[c]);
    }
    return grew;
}

/* The values that the update writes where it may read any values of the func. */
static const Interval *written_from_any(const ValueSolving *solving, const Func *func,
                                        const Stage *stage) {
    const FuncShape *shape = func->shape;
    Interval *any = arena_array(solving->arena, Interval, shape->components),
             *written = arena_array(solving->arena, Interval, shape->components);
    const Interval *known = values_of(solving->values, shape->name);
    for (int c = 0; c < shape->components; c++)
        any[c] = range_whole_type(solving->pool, shape->types[c], NULL);
    map_put(&solving->values->ranges, shape->name, any);
    solve_stage(solving, func, stage, written);
    map_put(&solving->values->ranges, shape->name, known);
    return written;
}

/* Moves the ends that `written` exceeds out to those of `most`. */
static void widen(const ValueSolving *solving, Interval *ranges, const Interval *written,
                  const Interval *most, int count) {
    for (int c = 0; c < count; c++) {
        if (!reaches(solving, ranges[c].lower, written[c].lower, true))
            ranges[c].lower = farther(solving, ranges[c].lower, most[c].lower, true);
        if (!reaches(solving, ranges[c].upper, written[c].upper, false))
            ranges[c].upper = farther(solving, ranges[c].upper, most[c].upper, false);
        ranges[c] = small_ends(ranges[c]);
    }
}

/* The func's values lie in `ranges` before the update.  If those that it writes do, too, wherever
 * it reads such values, then all do afterwards.  `min(f(r - 1) + 1, 9)` writes values up to 1 more
 * than the greatest, but never more than 9. */
static void solve_update(const ValueSolving *solving, const Func *func, const Stage *stage,
                         Interval *ranges) {
    int count = func->shape->components;
    Interval *written = arena_array(solving->arena, Interval, count);
    solve_stage(solving, func, stage, written);
    if (!hold(solving, ranges, written, count))
        return;
    solve_stage(solving, func, stage, written);
    const Interval *most = written_from_any(solving, func, stage);
    widen(solving, ranges, written, most, count);
    solve_stage(solving, func, stage, written);
    if (hold(solving, ranges, written, count))
        hold(solving, ranges, most, count);
}

/* Outside of the domain of a recurrence its equations are zero. */
static void hold_zero(const ValueSolving *solving, const FuncShape *shape, Interval *ranges) {
    Interval *zero = arena_array(solving->arena, Interval, shape->components);
    for (int c = 0; c < shape->components; c++) {
        Expr constant = type_is_float(shape->types[c])
                            ? expr_float(solving->pool, shape->types[c], 0)
                            : expr_index(solving->pool, 0);
        zero[c] = (Interval){constant, constant, NULL};
    }
    hold(solving, ranges, zero, shape->components);
}

static void solve_func(const ValueSolving *solving, const Func *func) {
    Interval *ranges = arena_array(solving->arena, Interval, func->shape->components);
    solve_stage(solving, func, func->stages.data[0], ranges);
    if (func->recurrence)
        hold_zero(solving, func->shape, ranges);
    map_put(&solving->values->ranges, func->shape->name, ranges);
    for (size_t j = 1; j < func->stages.length; j++)
        solve_update(solving, func, func->stages.data[j], ranges);
}

/* ---- all funcs ---- */

/* Adds the funcs that the func's values are computed from. */
static void want_reads(const Func *func, Map *wanted, Arena *arena) {
    for (size_t j = 0; j < func->stages.length; j++)
        for (int c = 0; c < func->shape->components; c++) {
            Exprs accesses = expr_accesses_of(arena, func->stages.data[j]->values[c]);
            for (size_t i = 0; i < accesses.length; i++)
                map_put(wanted, accesses.data[i]->name, accesses.data[i]);
        }
}

static void solve_funcs(const ValueSolving *solving, const Map *wanted);

static void solve_eager(const ValueSolving *solving, const Func *func) {
    FuncValues defined = {solving->values->simplifier, map_create(solving->arena)};
    ValueSolving definition = *solving;
    definition.pipeline = func->definition;
    definition.values = &defined;
    Map wanted = map_create(solving->arena);
    map_put(&wanted, func->shape->name, func);
    solve_funcs(&definition, &wanted);
    map_put(&solving->values->ranges, func->shape->name, values_of(&defined, func->shape->name));
}

static void solve_funcs(const ValueSolving *solving, const Map *wanted) {
    const Pipeline *pipeline = solving->pipeline;
    Map all = map_create(solving->arena);
    for (size_t i = pipeline->funcs.length; i-- > 0;) {
        const Func *func = pipeline->funcs.data[i];
        Symbol name = func->shape->name;
        if (!map_get(wanted, name) && !map_get(&all, name))
            continue;
        map_put(&all, name, func);
        if (!func->definition)
            want_reads(func, &all, solving->arena);
    }
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        if (map_get(&all, func->shape->name) && func->definition)
            solve_eager(solving, func);
        else if (map_get(&all, func->shape->name))
            solve_func(solving, func);
    }
}

FuncValues values_of_funcs(const Pipeline *pipeline, const Map *wanted, Arena *arena) {
    FuncValues values = {simplifier_create(pipeline->pool, arena), map_create(arena)};
    startup_learn(values.simplifier, pipeline->pool, pipeline);
    solve_funcs(&(ValueSolving){pipeline, &values, pipeline->pool, arena}, wanted);
    return values;
}

const Interval *values_of(const FuncValues *values, Symbol func) {
    return map_get(&values->ranges, func);
}

/* region.c -- the range of an expression's graph, with one visit for each node; hulls of ranges.
 *
 * A node without bound variables and memory is fixed: it is its own range.  A bound variable has
 * the range that it was bound to; memory has the range of its type.  For every other node the rule
 * of its operator (region_rules.c) makes a range of the ranges of its operands.
 *
 * A hull keeps several ends, none of which provably reaches as far as another.  It drops an end
 * only with a proof: a region may be too large, never too small. */
#include "bounds/region.h"

#include "decide/decide.h"

#include <string.h>

/* The memo's knowledge of a node.  `fixed`: it mentions no bound variable and no memory, so it is
 * its own range. */
typedef struct KnownRange {
    bool fixed;
    Interval range;
} KnownRange;

Ranges ranges_create(Pool *pool, Arena *arena, Simplifier *simplifier) {
    return (Ranges){.pool = pool,
                    .arena = arena,
                    .simplifier = simplifier,
                    .variables = map_create(arena),
                    .memo = map_create(arena)};
}

void ranges_bind(Ranges *ranges, Symbol variable, Interval range) {
    Interval *kept = arena_new(ranges->arena, Interval);
    *kept = range;
    map_put(&ranges->variables, variable, kept);
}

/* Returns a fixed node as the number that it stands for, in sort index. */
static Interval fixed_range(Pool *pool, Expr node) {
    Interval range = {node, node, NULL};
    if (type_is_index(node->type))
        return range;
    if (type_is_bool(node->type) || type_is_float(node->type) || type_equal(node->type, U64))
        return range_whole_type(pool, node->type, node);
    range.lower = range.upper = expr_cast(pool, INDEX, node);
    return range;
}

static bool is_counted(Type type) {
    return type_is_index(type) || type_is_machine_integer(type);
}

static KnownRange know_leaf(const Ranges *ranges, Expr node) {
    if (node->op == OP_VARIABLE) {
        const Interval *bound = map_get(&ranges->variables, node->name);
        if (bound)
            return (KnownRange){false, *bound};
    }
    if (node->op == OP_ACCESS)
        return (KnownRange){false, range_whole_type(ranges->pool, node->type, node)};
    return (KnownRange){true, fixed_range(ranges->pool, node)};
}

static bool is_known(void *data, Expr node) {
    return map_get(&((Ranges *)data)->memo, node);
}

/* Runs in post-order, so the arguments are known. */
static void know(void *data, Expr node) {
    Ranges *ranges = data;
    KnownRange *known = arena_new(ranges->arena, KnownRange);
    if (node->op >= OP_CONSTANT) {
        hlc_assert(node->op != OP_HOLE, "holes are resolved before ranges are asked");
        *known = know_leaf(ranges, node);
    } else {
        Interval operands[OP_MAX_ARITY];
        known->fixed = true;
        for (int i = 0; i < node->arity; i++) {
            const KnownRange *operand = map_get(&ranges->memo, node->arguments[i]);
            known->fixed &= operand->fixed;
            operands[i] = operand->range;
        }
        if (known->fixed)
            known->range = fixed_range(ranges->pool, node);
        else if (is_counted(node->type))
            known->range = range_rule(ranges, node, operands);
        else
            known->range = range_whole_type(ranges->pool, node->type, node);
    }
    map_put(&ranges->memo, node, known);
}

static const KnownRange *knowledge_of(Ranges *ranges, Expr expr) {
    expr_visit_rest(ranges->arena, expr, is_known, know, ranges);
    return map_get(&ranges->memo, expr);
}

bool ranges_is_fixed(Ranges *ranges, Expr expr) {
    return knowledge_of(ranges, expr)->fixed;
}

Interval ranges_of(Ranges *ranges, Expr expr) {
    Interval range = knowledge_of(ranges, expr)->range;
    if (range.lower)
        range.lower = simplify(ranges->simplifier, range.lower);
    if (range.upper)
        range.upper = simplify(ranges->simplifier, range.upper);
    if (range.lower && range.upper)
        range.culprit = NULL;
    return range;
}

/* Returns the tighter of two valid ends: the greater lower end or the lesser upper end. */
static Expr tighter(const Ranges *ranges, Expr a, Expr b, bool lower) {
    if (!a || !b)
        return a ? a : b;
    if (decide_proves_le(ranges->simplifier, a, b))
        return lower ? b : a;
    if (decide_proves_le(ranges->simplifier, b, a))
        return lower ? a : b;
    return simplify(ranges->simplifier, expr_binary(ranges->pool, lower ? OP_MAX : OP_MIN, a, b));
}

Interval range_meet(Ranges *ranges, Interval a, Interval b) {
    Interval meet = {tighter(ranges, a.lower, b.lower, true),
                     tighter(ranges, a.upper, b.upper, false), a.culprit ? a.culprit : b.culprit};
    if (meet.lower && meet.upper)
        meet.culprit = NULL;
    return meet;
}

/* ---- hulls ---- */

/* With more ends than this, all are joined into one min or max: pairwise proofs must not grow
 * without limit. */
#define HULL_ENDS 8
/* Larger ends are not compared with others.  Each comparison walks both ends, so a hull of n ends
 * would cost n times its own size. */
#define LARGEST_COMPARED 48

/* Does `outer` reach at least as far as `inner`? */
static bool reaches(const Hull *hull, const Ranges *ranges, Expr outer, Expr inner) {
    if (outer->tree_size > LARGEST_COMPARED || inner->tree_size > LARGEST_COMPARED)
        return outer == inner;
    return hull->is_lower ? decide_proves_le(ranges->simplifier, outer, inner)
                          : decide_proves_le(ranges->simplifier, inner, outer);
}

/* Returns `a; b`, with each text once. */
static const char *join_texts(Arena *arena, const char *a, const char *b) {
    if (!a || !b)
        return a ? a : b;
    return strstr(a, b) ? a : arena_format(arena, "%s; %s", a, b);
}

/* Joins several ends into one; its provenance names each. */
static RegionEnd join(const Hull *hull, const Ranges *ranges) {
    RegionEnd joined = hull->ends.data[0];
    for (size_t i = 1; i < hull->ends.length; i++) {
        const RegionEnd *end = &hull->ends.data[i];
        Provenance *provenance = &joined.provenance;
        joined.expr =
            expr_binary(ranges->pool, hull->is_lower ? OP_MIN : OP_MAX, joined.expr, end->expr);
        if (i < HULL_ENDS) {
            provenance->reason =
                join_texts(ranges->arena, provenance->reason, end->provenance.reason);
            provenance->rule = join_texts(ranges->arena, provenance->rule, end->provenance.rule);
        }
    }
    joined.expr = simplify(ranges->simplifier, joined.expr);
    return joined;
}

RegionEnd *hull_add(Hull *hull, const Ranges *ranges, Expr end) {
    hlc_assert(end, "an end of a region is known");
    size_t kept = 0;
    for (size_t i = 0; i < hull->ends.length; i++)
        if (reaches(hull, ranges, hull->ends.data[i].expr, end))
            return NULL;
    for (size_t i = 0; i < hull->ends.length; i++)
        if (!reaches(hull, ranges, end, hull->ends.data[i].expr))
            hull->ends.data[kept++] = hull->ends.data[i];
    hull->ends.length = kept;
    if (hull->ends.length == HULL_ENDS) {
        RegionEnd joined = join(hull, ranges);
        hull->ends.length = 0;
        vec_push(ranges->arena, &hull->ends, joined);
    }
    vec_push(ranges->arena, &hull->ends, (RegionEnd){.expr = end});
    return &hull->ends.data[hull->ends.length - 1];
}

RegionEnd hull_end(const Hull *hull, const Ranges *ranges) {
    hlc_assert(hull->ends.length, "a hull has an end");
    return join(hull, ranges);
}

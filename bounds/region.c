/* region.c -- the range of an expression's graph, with one visit for each node; hulls of ranges.
 *
 * A node without bound variables and memory is fixed: it is its own range.  A bound variable has
 * the range that it was bound to; memory has the range of its type.  For every other node the rule
 * of its operator (region_rules.c) makes a range of the ranges of its operands.
 *
 * A hull keeps several ends, none of which provably reaches as far as another.  It drops an end
 * only with a proof: a region may be too large, never too small. */
#include "bounds/region.h"

#include "bounds/choice.h"
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

/* Returns a fixed node as the number that it stands for: in sort index, or a float. */
static Interval fixed_range(const Ranges *ranges, Expr node) {
    Pool *pool = ranges->pool;
    Interval range = {node, node, NULL};
    if (type_is_index(node->type))
        return range;
    if (type_is_float(node->type))
        return range_fixed_float(ranges, node);
    if (type_is_bool(node->type) || type_equal(node->type, U64))
        return range_whole_type(pool, node->type, node);
    range.lower = range.upper = expr_cast(pool, INDEX, node);
    return range;
}

static bool is_number(Type type) {
    return type_is_index(type) || type_is_machine_integer(type) || type_is_float(type);
}

static KnownRange know_leaf(const Ranges *ranges, Expr node) {
    if (node->op == OP_VARIABLE) {
        const Interval *bound = map_get(&ranges->variables, node->name);
        if (bound)
            return (KnownRange){false, *bound};
    }
    const Interval *called =
        node->op == OP_ACCESS && ranges->calls ? map_get(ranges->calls, node->name) : NULL;
    if (called)
        return (KnownRange){false, called[node->component]};
    if (node->op == OP_ACCESS || node->op == OP_EXTERN)
        return (KnownRange){false, range_whole_type(ranges->pool, node->type, node)};
    return (KnownRange){true, fixed_range(ranges, node)};
}

static KnownRange know_node(Ranges *ranges, Expr node);

static bool is_known(void *data, Expr node) {
    return map_get(&((Ranges *)data)->memo, node);
}

/* Runs in post-order, so the arguments are known. */
static void know(void *data, Expr node) {
    Ranges *ranges = data;
    KnownRange *known = arena_new(ranges->arena, KnownRange);
    *known = know_node(ranges, node);
    map_put(&ranges->memo, node, known);
}

static const KnownRange *knowledge_of(Ranges *ranges, Expr expr) {
    expr_visit_rest(ranges->arena, expr, is_known, know, ranges);
    return map_get(&ranges->memo, expr);
}

/* ---- selects ---- */

/* A select in a select in a select: each condition takes its arms apart anew. */
enum { MOST_CHOICES = 3, LARGEST_ARM = 64 };

/* The bound variable that the node is, or that it is as a coordinate in i32; null for others. */
static Expr bound_variable(const Ranges *ranges, Expr node) {
    Expr variable = range_is_checked_coordinate(node) ? node->arguments[0] : node;
    return variable->op == OP_VARIABLE && map_get(&ranges->variables, variable->name) ? variable
                                                                                      : NULL;
}

/* Makes `arm` know that the variable has no value beyond the limit. */
static void learn_limit(Ranges *ranges, Ranges *arm, const ChoiceLimit *limit) {
    Expr variable = bound_variable(ranges, limit->limited);
    if (!variable)
        return;
    Interval other = knowledge_of(ranges, limit->other)->range;
    Expr end = limit->is_upper ? other.upper : other.lower;
    if (!end)
        return;
    end = simplify(ranges->simplifier,
                   expr_add(ranges->pool, end, expr_index(ranges->pool, limit->offset)));
    KnownRange *known = arena_new(ranges->arena, KnownRange);
    Interval allowed = {limit->is_upper ? NULL : end, limit->is_upper ? end : NULL, NULL};
    known->range = range_meet(ranges, knowledge_of(arm, variable)->range, allowed);
    map_put(&arm->memo, variable, known);
}

/* The range of one arm, where the select chooses it. */
static Interval arm_range(Ranges *ranges, Expr select, int arm) {
    Expr expr = select->arguments[arm];
    ChoiceLimit limits[MOST_CHOICE_LIMITS];
    int count = 0;
    if (ranges->choices < MOST_CHOICES && expr->tree_size <= LARGEST_ARM)
        count = choice_limits(select->arguments[0], arm == 1, limits);
    if (!count)
        return knowledge_of(ranges, expr)->range;
    Ranges narrowed = *ranges;
    narrowed.memo = map_create(ranges->arena);
    narrowed.choices++;
    for (int i = 0; i < count; i++)
        learn_limit(ranges, &narrowed, &limits[i]);
    return knowledge_of(&narrowed, expr)->range;
}

/* Of a sum with a select: `select(x < 8, 0, -8) + x` is `select(x < 8, 0 + x, -8 + x)`, in which the
 * condition narrows both terms.  Null for other nodes. */
static Expr choose_sum(const Ranges *ranges, Expr node) {
    ChoiceLimit limits[MOST_CHOICE_LIMITS];
    if ((node->op != OP_ADD && node->op != OP_SUB) || !type_is_index(node->type) ||
        node->tree_size > LARGEST_ARM || ranges->choices >= MOST_CHOICES)
        return NULL;
    int select = node->arguments[0]->op == OP_SELECT ? 0 : 1;
    Expr choice = node->arguments[select];
    if (choice->op != OP_SELECT || (!choice_limits(choice->arguments[0], true, limits) &&
                                    !choice_limits(choice->arguments[0], false, limits)))
        return NULL;
    Expr sums[2];
    for (int arm = 0; arm < 2; arm++) {
        Expr terms[2] = {node->arguments[0], node->arguments[1]};
        terms[select] = choice->arguments[arm + 1];
        sums[arm] = expr_with_arguments(ranges->pool, node, terms);
    }
    return expr_select(ranges->pool, choice->arguments[0], sums[0], sums[1]);
}

/* ---- coordinates that a boundary condition folds into an interval ----
 *
 *     t = e % P                   repeat_image
 *     s + min(t, K - t)           mirror_image: P = 2n, K = 2n - 1;  mirror_interior: P = K = 2n - 2
 *
 * The rules of the operators give the whole interval, unless `e` provably stays in one period. Here
 * the ends ask for that at run time:
 *
 *     e in [a, b]     first == last           first != last        where first = a / P, last = b / P
 *     t               [a % P, b % P]          [0, P - 1]
 *
 * The mirrored coordinate is a triangular wave. It has its least value 0 where t is 0, and its
 * greatest, K / 2, where t is K - K / 2. Between such points it rises or falls. So its least value
 * in [a, b] is 0 if a multiple of P lies in (a, b], and else that of an end; likewise the greatest.
 *
 * Inlining simplifies the coordinate. Then the minimum with the last point of the interval lies
 * between: `min(min((t - P)*-1, n) - 1, t)` is the minimum of K - t, n - 1 and t.
 *
 * These ranges cost divisions, and proofs about them are hard. They serve for the boxes of images in
 * the window form, where the whole interval may be larger than memory.
 */

/* Returns the expression without `term`, of which `sign` times it is a part; null if it keeps bound
 * variables. */
static Expr rest_of(Ranges *ranges, Expr expr, Expr term, int sign) {
    Pool *pool = ranges->pool;
    Expr rest = simplify(ranges->simplifier,
                         sign > 0 ? expr_sub(pool, expr, term) : expr_add(pool, expr, term));
    return ranges_is_fixed(ranges, rest) ? rest : NULL;
}

/* Is the divisor P one that goes with K? */
static bool is_period(const Ranges *ranges, Expr divisor, Expr k) {
    Pool *pool = ranges->pool;
    Expr beyond = simplify(ranges->simplifier, expr_sub(pool, divisor, k));
    Expr one = expr_index(pool, 1);
    int64_t difference;
    if (expr_constant_integer(beyond, &difference))
        return difference == 0 || difference == 1;
    Expr least_one = simplify(ranges->simplifier, expr_sub(pool, divisor, expr_max(pool, k, one)));
    return expr_constant_integer(least_one, &difference) && difference == 0;
}

enum { MOST_NODES = 16, MOST_TERMS = 6 };

/* Finds the remainder in a minimum of s + t and u - t; null if there is none. */
static Expr find_remainder(Expr expr) {
    Expr nodes[MOST_NODES] = {expr};
    int count = 1;
    for (int i = 0; i < count; i++) {
        Expr node = nodes[i];
        if (node->op == OP_MOD && type_is_index(node->type))
            return node;
        bool is_term =
            node->op == OP_ADD || node->op == OP_SUB || node->op == OP_MUL || node->op == OP_MIN;
        for (int a = 0; is_term && a < 2 && count < MOST_NODES; a++)
            nodes[count++] = node->arguments[a];
    }
    return NULL;
}

/* Writes what the node is the minimum of: `min(a, b) - 1` is that of a - 1 and b - 1. Returns how many
 * there are, 0 if there are too many. */
static int terms_of_minimum(const Ranges *ranges, Expr node, Expr terms[MOST_TERMS]) {
    Pool *pool = ranges->pool;
    int count = 1;
    terms[0] = node;
    for (int i = 0; i < count;) {
        Expr term = terms[i];
        bool is_sum = term->op == OP_ADD || term->op == OP_SUB;
        int at = is_sum && term->arguments[0]->op != OP_MIN && term->op == OP_ADD;
        Expr least = is_sum ? term->arguments[at] : term;
        if (least->op != OP_MIN) {
            i++;
            continue;
        }
        if (count == MOST_TERMS)
            return 0;
        Expr parts[2] = {least->arguments[0], least->arguments[1]};
        for (int part = 0; is_sum && part < 2; part++) {
            Expr sum[2] = {term->arguments[0], term->arguments[1]};
            sum[at] = parts[part];
            parts[part] = expr_with_arguments(pool, term, sum);
        }
        terms[i] = parts[0];
        terms[count++] = parts[1];
    }
    return count;
}

/* Are both divided by P into the same whole number? */
static Expr same_quotient(const Ranges *ranges, Expr a, Expr b, Expr p) {
    return expr_eq(ranges->pool, expr_div(ranges->pool, a, p), expr_div(ranges->pool, b, p));
}

static bool has_both_ends(const Interval *range) {
    return range->lower && range->upper;
}

static Interval period_of_remainder(Ranges *ranges, Expr node, const Interval *operands) {
    Pool *pool = ranges->pool;
    Interval e = operands[0];
    Expr p = operands[1].lower, one = expr_index(pool, 1);
    if (!has_both_ends(&e) || !p || p != operands[1].upper || node->op != OP_MOD ||
        !decide_proves_le(ranges->simplifier, one, p))
        return (Interval){NULL, NULL, NULL};
    Expr same = same_quotient(ranges, e.lower, e.upper, p);
    return (Interval){expr_select(pool, same, expr_mod(pool, e.lower, p), expr_index(pool, 0)),
                      expr_select(pool, same, expr_mod(pool, e.upper, p), expr_sub(pool, p, one)),
                      NULL};
}

/* The wave at a point. */
static Expr wave(Pool *pool, Expr e, Expr p, Expr k) {
    Expr t = expr_mod(pool, e, p);
    return expr_min(pool, t, expr_sub(pool, k, t));
}

/* The range of s + min(t, K - t). */
static Interval range_of_wave(Ranges *ranges, Expr t, Expr s, Expr k) {
    Interval unknown = {NULL, NULL, NULL};
    Pool *pool = ranges->pool;
    Expr p = t->arguments[1], two = expr_index(pool, 2);
    Interval e = ranges_of(ranges, t->arguments[0]);
    if (!has_both_ends(&e) || !is_period(ranges, p, k) ||
        !decide_proves_le(ranges->simplifier, expr_index(pool, 1), p))
        return unknown;
    Expr top = expr_div(pool, k, two), at = expr_sub(pool, k, top);
    Expr first = wave(pool, e.lower, p, k), last = wave(pool, e.upper, p, k);
    Expr no_bottom = same_quotient(ranges, e.lower, e.upper, p),
         no_top =
             same_quotient(ranges, expr_sub(pool, e.lower, at), expr_sub(pool, e.upper, at), p);
    Expr least = expr_select(pool, no_bottom, expr_min(pool, first, last), expr_index(pool, 0));
    Expr greatest = expr_select(pool, no_top, expr_max(pool, first, last), top);
    return (Interval){expr_add(pool, s, least), expr_add(pool, s, greatest), NULL};
}

static Interval period_of_mirror(Ranges *ranges, Expr node) {
    Interval unknown = {NULL, NULL, NULL};
    Pool *pool = ranges->pool;
    Expr t = find_remainder(node), terms[MOST_TERMS], limit = NULL, s = NULL, u = NULL;
    if (!t || !ranges_is_fixed(ranges, t->arguments[1]))
        return unknown;
    int count = terms_of_minimum(ranges, node, terms);
    for (int i = 0; i < count; i++) {
        if (ranges_is_fixed(ranges, terms[i])) {
            limit = limit ? expr_min(pool, limit, terms[i]) : terms[i];
            continue;
        }
        Expr rising = rest_of(ranges, terms[i], t, 1);
        Expr falling = rising ? NULL : rest_of(ranges, terms[i], t, -1);
        if ((rising && s) || (falling && u) || (!rising && !falling))
            return unknown;
        s = rising ? rising : s;
        u = falling ? falling : u;
    }
    if (!s || !u)
        return unknown;
    Interval range =
        range_of_wave(ranges, t, s, simplify(ranges->simplifier, expr_sub(pool, u, s)));
    if (range.lower && limit)
        range = (Interval){expr_min(pool, range.lower, limit), expr_min(pool, range.upper, limit),
                           NULL};
    return range;
}

/* ---- nodes ---- */

static Interval folded_range(Ranges *ranges, Expr node, const Interval *operands) {
    return node->op == OP_MOD   ? period_of_remainder(ranges, node, operands)
           : node->op == OP_MIN ? period_of_mirror(ranges, node)
                                : (Interval){NULL, NULL, NULL};
}

/* The arguments are known. */
static KnownRange know_node(Ranges *ranges, Expr node) {
    if (node->op >= OP_CONSTANT) {
        hlc_assert(node->op != OP_HOLE, "holes are resolved before ranges are asked");
        return know_leaf(ranges, node);
    }
    Interval operands[OP_MAX_ARITY];
    KnownRange known = {.fixed = true};
    for (int i = 0; i < node->arity; i++) {
        const KnownRange *operand = map_get(&ranges->memo, node->arguments[i]);
        known.fixed &= operand->fixed;
        operands[i] = operand->range;
    }
    if (known.fixed) {
        known.range = fixed_range(ranges, node);
    } else if (is_number(node->type)) {
        for (int arm = 1; node->op == OP_SELECT && arm <= 2; arm++)
            operands[arm] = arm_range(ranges, node, arm);
        known.range = range_rule(ranges, node, operands);
        Expr choice = choose_sum(ranges, node);
        if (choice)
            known.range = range_meet(ranges, knowledge_of(ranges, choice)->range, known.range);
        if (ranges->folds_exactly && type_is_index(node->type)) {
            Interval folded = folded_range(ranges, node, operands);
            if (folded.lower)
                known.range = folded;
        }
    } else {
        known.range = range_whole_type(ranges->pool, node->type, node);
    }
    return known;
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

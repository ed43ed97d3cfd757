/* needed.c -- the part of a nest of equations that is computed.
 *
 * The region that a recurrence needs is the least one that holds two sets.  The first are the
 * points that its readers need.  The second are, with each point, those at its distances in the
 * domain.
 *
 * Along a *free* variable all distances are zero, so the needed part is what readers need.  The
 * variable is a pure dimension of the nest's func.  The func may be computed on more than the
 * domain:
 *
 *     (x, ..) <- v       where x_inside = x lies in the domain; elsewhere the func stays zero
 *
 * The value v is written with x_inside, so that no more is asked of others than in the domain.
 *
 * Along a variable in which no distance is negative (positive), the region begins (ends) with the
 * domain, and ends (begins) with what readers need.  So does the loop.  If distances have both
 * signs, the loop runs over the domain.  Some loops that could stop early run whole: a ring has no
 * coordinates to compare with, fronts mix the coordinates of two variables, and loops over a domain
 * of constant length can be unrolled.
 *
 * The first stage need not write zero where the update writes, since readers come after the update.
 * Nobody needs the points that the loops over the domain leave out.  So in each computed region the
 * update writes all points in the domain.  The first stage writes zero outside it (hlc certify:
 * covered):
 *
 *     0    where not (x lies in its domain and y in its)
 *
 * The first stage writes zero everywhere in three cases.  In a ring, an iteration of the first
 * round may read a place before it is written.  Under blending tails, stores write back the old
 * value (split.c).  After a split of the reduction, distances are unknown (split_reduction.c).
 */
#include "schedule/recurrence/equations.h"

/* Returns the coordinate of the dimension inside the domain, under a new variable name. */
static Expr inside_domain(const Recurrences *recurrences, const EquationSystem *equations,
                          Symbol variable) {
    SymbolTable *symbols = &recurrences->resolver->context->symbols;
    Symbol name = symbol_format(symbols, "%s_inside", variable->text);
    while (equations_have_variable(recurrences, equations, name))
        name = symbol_format(symbols, "%s_", name->text);
    return expr_variable(recurrences->pool, name, INDEX);
}

typedef struct Narrowing {
    const Recurrences *recurrences;
    const EquationNest *nest;
    Substitution inside; /* free variables -> their coordinates inside the domain */
    ExprMemo memo;
} Narrowing;

/* Reads of the nest itself keep their coordinates. */
static Expr narrow_node(void *data, Pool *pool, Expr node) {
    Narrowing *narrowing = data;
    const EquationNest *nest = narrowing->nest;
    const EquationSystem *equations = nest->equations.data[0]->of;
    if (node->op == OP_VARIABLE)
        return substitution_apply(pool, &narrowing->inside, node);
    if (node->op != OP_ACCESS || node->name != nest->name)
        return node;
    Expr places[MAX_DIMENSIONS];
    for (int k = 0; k < equations->dimensions; k++)
        places[k] = nest_position(nest, k) < 0 ? equations->variables[k] : node->arguments[k];
    return expr_access(pool, node->name, node->component, node->type, places, node->arity);
}

static Expr narrow(Narrowing *narrowing, Expr expr) {
    return expr_rewrite(narrowing->recurrences->pool, &narrowing->memo, expr, narrow_node,
                        narrowing);
}

void nest_narrow_stage(const Recurrences *recurrences, const EquationNest *nest, Stage *stage) {
    Arena *arena = recurrences->arena;
    Narrowing narrowing = {recurrences, nest, substitution_create(arena), expr_memo(arena)};
    for (size_t i = 0; i < nest->free.length; i++) {
        const ReductionVariable *variable = &nest->free.data[i];
        Expr inside = inside_domain(recurrences, nest->equations.data[0]->of, variable->variable);
        ReductionSplit split = {.variable = inside->name,
                                .value =
                                    expr_variable(recurrences->pool, variable->variable, INDEX),
                                .domain = variable->interval,
                                .goes_below = true,
                                .is_predicate = true,
                                .place = variable->place};
        vec_push(arena, &stage->splits, split);
        substitution_add(&narrowing.inside, variable->variable, inside);
    }
    for (int c = 0; c < nest->components; c++)
        stage->values[c] = narrow(&narrowing, stage->values[c]);
    for (size_t i = 0; i < stage->sites.length; i++)
        stage->sites.data[i].access = narrow(&narrowing, stage->sites.data[i].access);
}

Expr nest_zeroed(const Recurrences *recurrences, const EquationNest *nest) {
    Pool *pool = recurrences->pool;
    const EquationSystem *equations = nest->equations.data[0]->of;
    Expr outside = expr_bool(pool, false);
    for (size_t i = 0; i < equations->recurrence->domain.length; i++) {
        const ReductionVariable *variable = &equations->recurrence->domain.data[i];
        Extent domain = variable->interval;
        Expr at = expr_variable(pool, variable->variable, INDEX);
        Expr is_outside = expr_or(pool, expr_lt(pool, at, domain.minimum),
                                  expr_le(pool, expr_add(pool, domain.minimum, domain.length), at));
        outside = i ? expr_or(pool, outside, is_outside) : is_outside;
    }
    /* A wavefront replaced this variable by others, and later wavefronts may have replaced
     * those. */
    for (size_t s = 0; s < equations->splits.length; s++) {
        Substitution replaced = substitution_create(recurrences->arena);
        substitution_add(&replaced, equations->splits.data[s].variable,
                         equations->splits.data[s].value);
        outside = substitution_apply(pool, &replaced, outside);
    }
    return nest->ring ? NULL : outside;
}

void nest_find_extents(const EquationNest *nest, Stage *stage) {
    const EquationSystem *equations = nest->equations.data[0]->of;
    for (int k = 0; k < equations->dimensions && !equations->skews.length; k++) {
        int position = nest_position(nest, k);
        bool forward = true, backward = true;
        int64_t length;
        if (position < 0 || (nest->ring && position + 1 == (int)nest->domain.length) ||
            expr_constant_integer(stage->reduction.data[position].interval.length, &length))
            continue;
        for (size_t i = 0; i < stage->distances.length; i++) {
            forward = forward && stage->distances.data[i][position] >= 0;
            backward = backward && stage->distances.data[i][position] <= 0;
        }
        stage->reduction.data[position].dimension = k;
        stage->reduction.data[position].extent = forward    ? ENDS_AS_NEEDED
                                                 : backward ? BEGINS_AS_NEEDED
                                                            : RUNS_WHOLE;
    }
}

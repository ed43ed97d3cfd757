/* needed.c -- how much of a nest of equations is computed.
 *
 * The region that a recurrence needs is the least one that holds what its readers need, and with
 * each point those at its distances, within the domain.
 *
 * Along a *free* variable all distances are zero, so that is what readers need.  It is a pure
 * dimension of the nest's func, over whatever is computed there; of that, the domain is a part:
 *
 *     (x, ..) <- v       where x_inside = x lies in the domain; elsewhere the func stays zero
 *
 * and v is written with x_inside, so that no more is asked of others than in the domain.
 *
 * Along a variable in which no distance is negative (positive), the region begins (ends) with the
 * domain, and ends (begins) with what readers need: so does the loop.  Where distances of both
 * signs are, it is the domain.  Some that could stop early run whole: a ring has no coordinates to
 * compare with, fronts mix those of two variables, and loops over a domain of constant length can
 * be unrolled.
 *
 * What the update writes, the first stage need not make zero: who reads it reads it afterwards.
 * Whatever the loops over the domain leave out, of that nobody needs anything, so of each region
 * that is computed the update writes all that lies in the domain.  The first stage makes zero what
 * lies outside (hlc certify: covered):
 *
 *     0    where not (x lies in its domain and y in its)
 *
 * But not in a ring, where an iteration of the first round may read a place before it is written,
 * not where tails blend, which write back what was there (split.c), and not where a reduction is
 * split, after which distances are not known (split_reduction.c).
 */
#include "schedule/recurrence/equations.h"

/* The coordinate of the dimension inside of the domain, under a name that no variable has. */
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
    Substitution inside; /* free variables -> their coordinates inside of the domain */
    ExprMemo memo;
} Narrowing;

/* What the nest reads of itself stays where it writes. */
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
    /* A variable that a wavefront replaced is made of others, which later ones may have replaced.
     */
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

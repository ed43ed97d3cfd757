/* wavefront.c -- wavefront(A, i, j, t): runs the iterations of A's recurrence by t = i + j, then j.
 *
 *     rdom(i = (m, n); j = (o, p)) in (i, j) <- e(i, j)
 *
 * becomes
 *
 *     rdom(j = (o, p); t = (m + o, n + p - 1)) in (t, j) <- e(t - j, j)
 *                                                        where m <= t - j < m + n
 *
 * A(i, j) is now kept at (i + j, j), and a distance (a, b) becomes (a + b, b).  If all distances
 * have a + b > 0, as in a dynamic program, iterations of equal t are independent.  They may run
 * side by side, as vectors or in parallel, dense in memory along j, and few fronts need be kept
 * (ring.c).  The change is sound because (i, j) -> (i + j, j) is one to one.
 */
#include "schedule/directive_record.h"

#include "decide/decide.h"

/* Fronts of fronts grow as Fibonacci's numbers.  Distances and loops grow with them, and ever fewer
 * of the iterations are points of the domain. */
enum { MOST_ITERATIONS = 16 }; /* for one point */

/* Returns the dimension whose current variable has that name, if it is of the domain; -1 after
 * refusing. */
static int find_dimension(const Recurrences *recurrences, const EquationSystem *equations,
                          const RecurrenceEquation *equation, const DirectiveArgument *argument) {
    for (int k = 0; k < equations->dimensions; k++)
        for (size_t i = 0; i < equations->domain.length; i++)
            if (equations->variables[k]->name == argument->name &&
                equations->domain.data[i].variable == argument->name)
                return k;
    refuse(recurrences->resolver, DIAG_WAVEFRONT_VARIABLE, argument->place, argument->name->text,
           equation->func->shape->name->text);
    return -1;
}

static size_t position_of(const EquationSystem *equations, Expr variable) {
    size_t position = 0;
    while (equations->domain.data[position].variable != variable->name)
        position++;
    return position;
}

/* Is the name of t new?  It must differ from all variables, also from replaced ones. */
static bool accepts_name(const Recurrences *recurrences, const EquationSystem *equations,
                         const DirectiveArgument *argument) {
    return !equations_have_variable(recurrences, equations, argument->name) ||
           refuse(recurrences->resolver, DIAG_WAVEFRONT_NAME, argument->place,
                  argument->name->text);
}

/* Is the length known to be at least 1 from the entry's checks? */
static bool has_points(const Recurrences *recurrences, Expr length) {
    Arena *scratch = arena_create(&recurrences->resolver->context->memory);
    Simplifier *simplifier = simplifier_create(recurrences->pool, scratch);
    Exprs facts = {0};
    pipeline_startup_facts(recurrences->resolver->pipeline, scratch, &facts);
    for (size_t i = 0; i < facts.length; i++)
        simplifier_learn(simplifier, facts.data[i]);
    bool has = decide_proves_le(simplifier, expr_index(recurrences->pool, 1), length);
    arena_destroy(scratch);
    return has;
}

/* Returns the number of sums of a number in `a` and one in `b`.  If both may be empty, returns one
 * more, so the length is not negative. */
static Expr front_length(const Recurrences *recurrences, Extent a, Extent b) {
    Pool *pool = recurrences->pool;
    Expr length = expr_add(pool, a.length, b.length);
    return has_points(recurrences, a.length) || has_points(recurrences, b.length)
               ? expr_sub(pool, length, expr_index(pool, 1))
               : length;
}

static void skew(Recurrences *recurrences, EquationSystem *equations, int dimension, int by,
                 Symbol name, Place place) {
    Arena *arena = recurrences->arena;
    Pool *pool = recurrences->pool;
    Expr old = equations->variables[dimension], other = equations->variables[by];
    size_t position = position_of(equations, old);
    Extent a = equations->domain.data[position].interval,
           b = equations->domain.data[position_of(equations, other)].interval;
    Expr front = expr_variable(pool, name, INDEX);
    ReductionVariable variable = {
        .variable = name,
        .interval = {expr_add(pool, a.minimum, b.minimum), front_length(recurrences, a, b)},
        .place = place};
    ReductionSplit split = {.variable = old->name,
                            .value = expr_sub(pool, front, other),
                            .domain = a,
                            .goes_below = true,
                            .place = place};
    for (; position + 1 < equations->domain.length; position++)
        equations->domain.data[position] = equations->domain.data[position + 1];
    equations->domain.data[position] = variable;
    vec_push(arena, &equations->splits, split);
    vec_push(arena, &equations->skews, ((Skew){dimension, by}));
    equations->variables[dimension] = front;
}

/* Returns how many iterations the loops have for a point of the domain if one more front is made.
 * All variables count with the same length; a front that adds up k of them is k times as long. */
static int iterations_for_a_point(const EquationSystem *equations, int dimension, int by) {
    int lengths[MAX_DIMENSIONS], iterations = 1;
    for (int k = 0; k < equations->dimensions; k++)
        lengths[k] = 1;
    for (size_t i = 0; i < equations->skews.length; i++)
        lengths[equations->skews.data[i].dimension] += lengths[equations->skews.data[i].by];
    lengths[dimension] += lengths[by];
    for (int k = 0; k < equations->dimensions; k++)
        iterations *= lengths[k];
    return iterations;
}

bool wavefront_realise(Recurrences *recurrences, const Directive *directive) {
    const Resolver *resolver = recurrences->resolver;
    const DirectiveArgument *func = directive_argument(directive, 0),
                            *along = directive_argument(directive, 1),
                            *by = directive_argument(directive, 2),
                            *name = directive_argument(directive, 3);
    const RecurrenceEquation *equation = equation_named(recurrences, func, NULL);
    if (!equation)
        return false;
    EquationSystem *equations = equation->of;
    int first = find_dimension(recurrences, equations, equation, along);
    int second = first < 0 ? -1 : find_dimension(recurrences, equations, equation, by);
    if (second < 0)
        return false;
    if (first == second)
        return refuse(resolver, DIAG_WAVEFRONT_VARIABLE, by->place, by->name->text,
                      func->name->text);
    if (!accepts_name(recurrences, equations, name))
        return false;
    int iterations = iterations_for_a_point(equations, first, second);
    if (iterations > MOST_ITERATIONS)
        return refuse(resolver, DIAG_FRONTS_TOO_LONG, directive->place, func->name->text,
                      number_text(resolver, iterations), number_text(resolver, MOST_ITERATIONS));
    skew(recurrences, equations, first, second, name->name, directive->place);
    return true;
}

/* ---- candidates ---- */

static bool is_taken(const LegalSearch *search, const Stage *stage, Symbol name) {
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (stage->reduction.data[r].variable == name)
            return true;
    for (size_t i = 0; i < stage->splits.length; i++)
        if (stage->splits.data[i].variable == name)
            return true;
    for (int k = 0; k < MAX_DIMENSIONS; k++)
        if (stage->pure[k] && stage->indices[k]->name == name)
            return true;
    return signature_parameter(&search->scheduler->resolver.pipeline->signature, name) != NULL;
}

static Symbol fresh_front(const LegalSearch *search, const Stage *stage) {
    SymbolTable *symbols = &search->scheduler->resolver.context->symbols;
    Symbol name = symbol_format(symbols, "front");
    for (int n = 2; is_taken(search, stage, name); n++)
        name = symbol_format(symbols, "front%d", n);
    return name;
}

/* Offers each pair of variables of the domain, also free ones (needed.c). */
void wavefront_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const Func *func = plan->func;
    Vec(Symbol) variables = {0};
    if (!func->realised)
        return;
    const Stage *stage = func->stages.data[1];
    for (size_t r = 0; r < stage->reduction.length; r++)
        vec_push(search->arena, &variables, stage->reduction.data[r].variable);
    for (size_t i = 0; i < stage->splits.length; i++)
        if (stage->splits.data[i].is_predicate)
            vec_push(search->arena, &variables, stage->splits.data[i].value->name);
    for (size_t i = 0; i < variables.length; i++)
        for (size_t j = 0; j < variables.length; j++) {
            const Directive *directive =
                candidate(search, argument_func_named(func->equations.data[0]),
                          argument_name(variables.data[i]), argument_name(variables.data[j]),
                          argument_name(fresh_front(search, stage)));
            if (i != j)
                candidate_offer(search, directive);
        }
}

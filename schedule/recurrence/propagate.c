/* propagate.c -- removes equations that hand on a value unchanged.
 *
 *     fun A(i, j, k): f32 = select(j == 0, a(i, k), A(i, j - 1, k))        with j = (0, n)
 *
 * A is a(i, k) everywhere, by induction over j, because a(i, k) does not mention j.  In an array of
 * processors the value would travel.  In one memory its copies would cost the time and space of the
 * whole domain.  So readers of A at distance zero read a(i, k) itself.  Equations that nobody reads
 * then, and that are no outputs, are removed.
 */
#include "schedule/recurrence/equations.h"

#include "ir/walk.h"

/* Is the value the access of `func`, the same component, one step back in `dimension`? */
static bool steps_back(const RecurrenceEquation *equation, int component, Expr value,
                       int dimension) {
    int64_t distance[MAX_DIMENSIONS];
    if (value->op != OP_ACCESS || value->name != equation->func->shape->name ||
        value->component != component || !recurrence_distance(equation->func, value, distance))
        return false;
    for (int k = 0; k < equation->of->dimensions; k++)
        if (distance[k] != (k == dimension))
            return false;
    return true;
}

/* Is the condition `v == the first coordinate of v`, as a value? */
static bool is_first(const RecurrenceEquation *equation, Expr condition, int dimension) {
    if (condition->op != OP_EQ)
        return false;
    const Recurrence *recurrence = equation->of->recurrence;
    Expr variable = equation->func->variables[dimension], value = condition->arguments[0];
    int64_t constant, minimum;
    if (value->op == OP_CAST)
        value = value->arguments[0];
    size_t at = 0;
    for (; recurrence->domain.data[at].variable != variable->name; at++)
        hlc_assert(at + 1 < recurrence->domain.length, "a step back is one of the domain");
    return value == variable && expr_constant_integer(condition->arguments[1], &constant) &&
           expr_constant_integer(recurrence->domain.data[at].interval.minimum, &minimum) &&
           constant == minimum;
}

/* Returns the value of the component in the whole domain; null if it is not handed on. */
static Expr handed_on(const Recurrences *recurrences, const RecurrenceEquation *equation,
                      int component) {
    Expr value = equation->values[component];
    if (value->op != OP_SELECT)
        return NULL;
    Expr source = value->arguments[1];
    Exprs accesses = {0};
    expr_accesses(recurrences->arena, source, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (equation_read(recurrences, equation, accesses.data[i]))
            return NULL;
    for (int k = 0; k < equation->of->dimensions; k++)
        if (steps_back(equation, component, value->arguments[2], k) &&
            is_first(equation, value->arguments[0], k) &&
            !expr_mentions(recurrences->arena, source, equation->func->variables[k]->name))
            return source;
    return NULL;
}

typedef struct Propagation {
    const Recurrences *recurrences;
    const RecurrenceEquation *equation;
    Map sources; /* Symbol -> array of Exprs, by component */
    ExprMemo memo;
} Propagation;

static Expr replace(void *data, Pool *pool, Expr node) {
    (void)pool;
    Propagation *replacing = data;
    int64_t distance[MAX_DIMENSIONS];
    Expr *const *sources = node->op == OP_ACCESS ? map_get(&replacing->sources, node->name) : NULL;
    Expr source = sources ? (*sources)[node->component] : NULL;
    if (!source || !recurrence_distance(replacing->equation->func, node, distance))
        return node;
    for (int k = 0; k < replacing->equation->of->dimensions; k++)
        if (distance[k])
            return node;
    return source;
}

void equations_propagate(Recurrences *recurrences, EquationSystem *equations) {
    Arena *arena = recurrences->arena;
    Map found = map_create(arena);
    for (size_t i = 0; i < equations->list.length; i++) {
        RecurrenceEquation *equation = equations->list.data[i];
        Expr **sources = arena_new(arena, Expr *);
        *sources = arena_array(arena, Expr, equation->func->shape->components);
        bool any = false;
        for (int c = 0; c < equation->func->shape->components; c++) {
            (*sources)[c] = handed_on(recurrences, equation, c);
            any = any || (*sources)[c];
        }
        if (any)
            map_put(&found, equation->func->shape->name, sources);
    }
    for (size_t i = 0; i < equations->list.length; i++) {
        RecurrenceEquation *equation = equations->list.data[i];
        Expr *const *own = map_get(&found, equation->func->shape->name);
        Propagation replacing = {recurrences, equation, found, expr_memo(arena)};
        for (int c = 0; c < equation->func->shape->components; c++)
            equation->values[c] = own && (*own)[c]
                                      ? (*own)[c]
                                      : expr_rewrite(recurrences->pool, &replacing.memo,
                                                     equation->values[c], replace, &replacing);
    }
}

/* ---- live equations ---- */

typedef Vec(RecurrenceEquation *) Worklist;

static void need(Recurrences *recurrences, Worklist *worklist, Expr access) {
    RecurrenceEquation *equation = equation_of(recurrences, access->name);
    if (!equation || equation->is_live)
        return;
    equation->is_live = true;
    vec_push(recurrences->arena, worklist, equation);
}

static void need_outside(Recurrences *recurrences, Worklist *worklist, const Func *func) {
    for (size_t j = 0; j < func->stages.length; j++)
        for (size_t s = 0; s < func->stages.data[j]->sites.length; s++)
            need(recurrences, worklist, func->stages.data[j]->sites.data[s].access);
}

void recurrences_find_live(Recurrences *recurrences) {
    const Pipeline *pipeline = recurrences->resolver->pipeline;
    Worklist worklist = {0};
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        RecurrenceEquation *equation = equation_of(recurrences, func->shape->name);
        if (!equation) {
            need_outside(recurrences, &worklist, func);
        } else if (func->shape->is_output && !equation->is_live) {
            equation->is_live = true;
            vec_push(recurrences->arena, &worklist, equation);
        }
    }
    while (worklist.length) {
        const RecurrenceEquation *equation = worklist.data[--worklist.length];
        Exprs accesses = {0};
        equation_accesses(equation, recurrences->arena, &accesses);
        for (size_t i = 0; i < accesses.length; i++)
            need(recurrences, &worklist, accesses.data[i]);
    }
}

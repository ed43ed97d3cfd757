/* equations.c -- finds equations by name, and the distances between their iterations.
 *
 * A read of A(i - a, j - b) at (i, j) has the distance (a, b).  Each wavefront so far has replaced
 * a coordinate by a sum, so it adds the distances of both (Skew).  The nest's distance keeps only
 * the variables of its domain: in free variables all distances are zero. */
#include "schedule/recurrence/equations.h"

RecurrenceEquation *equation_of(const Recurrences *recurrences, Symbol func) {
    return map_get(&recurrences->by_func, func);
}

RecurrenceEquation *equation_read(const Recurrences *recurrences, const RecurrenceEquation *reader,
                                  Expr access) {
    RecurrenceEquation *read = equation_of(recurrences, access->name);
    return read && read->of == reader->of ? read : NULL;
}

void equation_distance(const RecurrenceEquation *reader, Expr access, int64_t *distance) {
    bool is_constant = recurrence_distance(reader->func, access, distance);
    hlc_assert(is_constant, "equations read each other at constant distances");
    for (size_t i = 0; i < reader->of->skews.length; i++) {
        const Skew *skew = &reader->of->skews.data[i];
        distance[skew->dimension] += distance[skew->by];
    }
}

bool equations_have_variable(const Recurrences *recurrences, const EquationSystem *equations,
                             Symbol name) {
    bool is_there = signature_parameter(&recurrences->resolver->pipeline->signature, name);
    for (int k = 0; k < equations->dimensions; k++)
        is_there = is_there || equations->variables[k]->name == name;
    for (size_t i = 0; i < equations->splits.length; i++)
        is_there = is_there || equations->splits.data[i].variable == name;
    return is_there;
}

int nest_position(const EquationNest *nest, int dimension) {
    const EquationSystem *equations = nest->equations.data[0]->of;
    for (size_t i = 0; i < nest->domain.length; i++)
        if (nest->domain.data[i].variable == equations->variables[dimension]->name)
            return (int)i;
    return -1;
}

Distance nest_distance(const EquationNest *nest, Arena *arena, const int64_t *distance) {
    Distance result = arena_array(arena, int64_t, nest->domain.length);
    for (int k = 0; k < nest->equations.data[0]->of->dimensions; k++) {
        int position = nest_position(nest, k);
        if (position >= 0)
            result[position] = distance[k];
    }
    return result;
}

void equation_accesses(const RecurrenceEquation *equation, Arena *arena, Exprs *accesses) {
    for (int c = 0; c < equation->func->shape->components; c++)
        expr_accesses(arena, equation->values[c], accesses);
}

static const char *equation_names(Arena *arena, const Recurrence *recurrence) {
    const char *text = "";
    for (size_t i = 0; i < recurrence->funcs.length; i++)
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "",
                            recurrence->funcs.data[i]->shape->name->text);
    return text;
}

RecurrenceEquation *equation_named(const Recurrences *recurrences,
                                   const DirectiveArgument *argument,
                                   const RecurrenceEquation *with) {
    const Resolver *resolver = recurrences->resolver;
    Arena *arena = recurrences->arena;
    const Func *func = resolve_func(resolver, argument);
    RecurrenceEquation *equation = func ? equation_of(recurrences, func->shape->name) : NULL;
    if (!func || (equation && (!with || equation->of == with->of)))
        return equation;
    const char *fault = "no equation of a recurrence",
               *remedy = "take out this directive: the pipeline has no recurrence";
    if (equation)
        fault = arena_format(arena, "no equation of the recurrence that %s is of",
                             with->func->shape->name->text);
    else if (func->extends)
        fault = "an extended equation: an ordinary func behind the recurrence";
    const Recurrence *meant = with                      ? with->of->recurrence
                              : func->extends           ? func->extends
                              : recurrences->all.length ? recurrences->all.data[0]->recurrence
                                                        : NULL;
    if (meant)
        remedy =
            arena_format(arena, "%sname equations of one recurrence block, e.g. %s",
                         func->extends ? "leave it out, its loops are an ordinary func's; " : "",
                         equation_names(arena, meant));
    refuse(resolver, DIAG_MERGE_NO_EQUATION, argument->place, func->shape->name->text, fault,
           remedy);
    return NULL;
}

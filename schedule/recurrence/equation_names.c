/* equation_names.c -- directives about an equation apply to its nest.
 *
 * Equations that share a nest are one func, with the name of one of them (recurrence.c).  A
 * directive may name any of them: `vectorize(B.s1.j, 8)` means the loop `A.s1.j` in which B is
 * computed.  An output that is copied from its nest is a func of its own, and its name means that
 * func.  Directives about recurrences run before nests exist, so they name equations.
 */
#include "schedule/recurrence/equations.h"

typedef struct EquationNaming {
    const Resolver *resolver; /* its pipeline has the nests */
    const Pipeline *written;
    Map nests; /* Symbol of an equation that is no func -> the name of its nest's func */
} EquationNaming;

static void list_nests(EquationNaming *naming) {
    const Pipeline *pipeline = naming->resolver->pipeline;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *nest = pipeline->funcs.data[i];
        for (size_t e = 0; e < nest->equations.length; e++)
            if (!pipeline_func(pipeline, nest->equations.data[e]))
                map_put(&naming->nests, nest->equations.data[e], nest->shape->name);
    }
}

/* Returns the nest that contains one of the merged equations; null if it is gone. */
static Symbol nest_of_merge(const EquationNaming *naming, const Directive *merge) {
    for (size_t i = 0; i < merge->arguments.length; i++) {
        Symbol name = merge->arguments.data[i].name, nest = map_get(&naming->nests, name);
        const Func *func = pipeline_func(naming->resolver->pipeline, name);
        if (nest || (func && func->equations.length))
            return nest ? nest : name;
    }
    return NULL;
}

/* Lists equations that were merged into a nest and then only hand on values. */
static void list_merged(EquationNaming *naming, const Directive *merge) {
    Symbol nest = nest_of_merge(naming, merge);
    for (size_t i = 0; nest && i < merge->arguments.length; i++)
        if (!pipeline_func(naming->resolver->pipeline, merge->arguments.data[i].name))
            map_put(&naming->nests, merge->arguments.data[i].name, nest);
}

/* Renames one name.  False after refusing an equation of which nothing is computed. */
static bool follow(const EquationNaming *naming, Symbol *name, Place place) {
    Symbol nest = map_get(&naming->nests, *name);
    const Func *written = pipeline_func(naming->written, *name);
    if (nest)
        *name = nest;
    else if (written && written->recurrence && !pipeline_func(naming->resolver->pipeline, *name))
        return refuse(naming->resolver, DIAG_EQUATION_NOT_COMPUTED, place, (*name)->text);
    return true;
}

static bool follow_directive(const EquationNaming *naming, Directive *directive) {
    for (size_t i = 0; i < directive->arguments.length; i++) {
        DirectiveArgument *argument = &directive->arguments.data[i];
        bool is_of_loop = argument->kind == ARGUMENT_LOOP || argument->kind == ARGUMENT_STAGE;
        if ((is_of_loop && !follow(naming, &argument->loop.func, argument->place)) ||
            (argument->kind == ARGUMENT_FUNC && !follow(naming, &argument->name, argument->place)))
            return false;
    }
    return true;
}

const Schedule *equations_follow_names(const Resolver *resolver, const Pipeline *written,
                                       const Schedule *schedule) {
    EquationNaming naming = {resolver, written, map_create(resolver->arena)};
    if (!written->recurrences.length)
        return schedule;
    list_nests(&naming);
    for (size_t i = 0; i < schedule->directives.length; i++)
        if (schedule->directives.data[i].kind == DIRECTIVE_MERGE_URES)
            list_merged(&naming, &schedule->directives.data[i]);
    Schedule *followed = arena_new(resolver->arena, Schedule);
    *followed = *schedule;
    followed->directives = (Directives){0};
    for (size_t i = 0; i < schedule->directives.length; i++) {
        Directive directive = directive_copy(resolver->arena, &schedule->directives.data[i]);
        if (!directive_is_of_recurrences(directive.kind) && !follow_directive(&naming, &directive))
            return NULL;
        vec_push(resolver->arena, &followed->directives, directive);
    }
    return followed;
}

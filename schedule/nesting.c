/* nesting.c -- which equations of a recurrence share a nest, and in what order its loops run.
 *
 * Equations that need each other, in whatever number of steps, must share one: the strongly
 * connected parts of who reads whom.  `merge-ures` makes one nest of several parts.  In a nest an
 * equation stands behind those that it reads at distance zero.
 *
 * The domain's variables keep their written order, the last-named outermost, where that makes all
 * distances of the nests positive.  Where it does not, the order begins with the last-named
 * variable in which no distance is negative; distances that are positive there are done with; and
 * so on.  If any order will do, this one finds one: a variable that may be outermost now may be so
 * later, too.
 */
#include "schedule/equations.h"

#include <string.h>

/* ---- strongly connected parts (Tarjan) ---- */

typedef struct Search {
    Recurrences *recurrences;
    Equations *equations;
    size_t *index, *low; /* by equation; index 0: not seen */
    bool *on_stack;
    Vec(Equation *) stack;
    size_t count;
} Search;

static void close_part(Search *search, Equation *root) {
    Arena *arena = search->recurrences->arena;
    EquationNest *nest = arena_new(arena, EquationNest);
    Equation *last;
    do {
        last = search->stack.data[--search->stack.length];
        search->on_stack[last->number] = false;
        last->nest = nest;
    } while (last != root);
    vec_push(arena, &search->equations->nests, nest);
}

/* As deep as there are equations. */
static void visit(Search *search, Equation *equation) {
    Arena *arena = search->recurrences->arena;
    Exprs accesses = {0};
    size_t own = equation->number;
    search->index[own] = search->low[own] = ++search->count;
    search->on_stack[own] = true;
    vec_push(arena, &search->stack, equation);
    equation_accesses(equation, arena, &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Equation *read = equation_read(search->recurrences, equation, accesses.data[i]);
        if (!read)
            continue;
        if (!search->index[read->number])
            visit(search, read);
        if (search->on_stack[read->number] && search->low[read->number] < search->low[own])
            search->low[own] = search->low[read->number];
    }
    if (search->low[own] == search->index[own])
        close_part(search, equation);
}

static void find_parts(Recurrences *recurrences, Equations *equations) {
    Arena *arena = recurrences->arena;
    size_t count = equations->list.length;
    Search search = {.recurrences = recurrences,
                     .equations = equations,
                     .index = arena_array(arena, size_t, count),
                     .low = arena_array(arena, size_t, count),
                     .on_stack = arena_array(arena, bool, count)};
    for (size_t i = 0; i < count; i++)
        if (!search.index[i])
            visit(&search, equations->list.data[i]);
}

/* ---- the order in a nest ---- */

static bool is_zero(const Equation *reader, Expr access) {
    int64_t distance[MAX_DIMENSIONS];
    equation_distance(reader, access, distance);
    for (int k = 0; k < reader->of->dimensions; k++)
        if (distance[k])
            return false;
    return true;
}

/* Behind what it reads at distance zero; the front end has refused circles of those.  A merged
 * nest has the order that was given. */
static void place(Recurrences *recurrences, Equation *equation, bool *placed) {
    Arena *arena = recurrences->arena;
    Exprs accesses = {0};
    if (placed[equation->number])
        return;
    placed[equation->number] = true;
    equation_accesses(equation, arena, &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Equation *read = equation_read(recurrences, equation, accesses.data[i]);
        if (read && read->nest == equation->nest && is_zero(equation, accesses.data[i]))
            place(recurrences, read, placed);
    }
    if (!equation->nest->merge && equation->is_live)
        vec_push(arena, &equation->nest->equations, equation);
}

static void order_nests(Recurrences *recurrences, Equations *equations) {
    bool *placed = arena_array(recurrences->arena, bool, equations->list.length);
    for (size_t i = 0; i < equations->list.length; i++)
        place(recurrences, equations->list.data[i], placed);
}

/* ---- merge-ures ---- */

/* Without equations that nobody needs, and nests that have none left. */
static void compact(Equations *equations) {
    for (size_t i = 0; i < equations->nests.length; i++) {
        EquationNest *nest = equations->nests.data[i];
        size_t live = 0;
        for (size_t j = 0; j < nest->equations.length; j++)
            if (nest->equations.data[j]->is_live)
                nest->equations.data[live++] = nest->equations.data[j];
        nest->equations.length = live;
    }
    size_t kept = 0;
    for (size_t i = 0; i < equations->nests.length; i++)
        if (equations->nests.data[i]->equations.length)
            equations->nests.data[kept++] = equations->nests.data[i];
    equations->nests.length = kept;
}

bool merge_ures_apply(Recurrences *recurrences, const Directive *directive) {
    const Resolver *resolver = recurrences->resolver;
    EquationNest *nest = arena_new(recurrences->arena, EquationNest);
    nest->merge = directive;
    const Equations *of = NULL;
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = directive_argument(directive, i);
        if (!resolve_func(resolver, argument))
            return false;
        Equation *equation = equation_of(recurrences, argument->name);
        if (!equation || (of && equation->of != of))
            return refuse(resolver, DIAG_MERGE_NO_EQUATION, argument->place, argument->name->text,
                          of ? directive_argument(directive, 0)->name->text : "any func");
        if (equation->nest)
            return refuse(resolver, DIAG_MERGE_TWICE, argument->place, argument->name->text);
        of = equation->of;
        equation->nest = nest;
        vec_push(recurrences->arena, &nest->equations, equation);
    }
    return true;
}

/* The first of `list` that is not in the nest, though an equation of the nest needs it, and it one.
 */
static bool check_merged(const Recurrences *recurrences, const EquationNest *nest,
                         EquationNest *const *parts, const Equations *equations) {
    const Resolver *resolver = recurrences->resolver;
    for (size_t i = 0; i < equations->list.length; i++) {
        const Equation *other = equations->list.data[i];
        for (size_t m = 0; m < nest->equations.length && other->nest != nest; m++)
            if (parts[nest->equations.data[m]->number] == parts[other->number])
                return refuse(resolver, DIAG_MERGE_PART, nest->merge->place,
                              nest->equations.data[m]->func->shape->name->text,
                              other->func->shape->name->text);
    }
    return true;
}

/* In the order that was given, each reads at distance zero only what stands before it. */
static bool check_order(const Recurrences *recurrences, const EquationNest *nest) {
    bool *before = arena_array(recurrences->arena, bool, nest->equations.data[0]->of->list.length);
    for (size_t i = 0; i < nest->equations.length; i++) {
        const Equation *equation = nest->equations.data[i];
        Exprs accesses = {0};
        equation_accesses(equation, recurrences->arena, &accesses);
        for (size_t a = 0; a < accesses.length; a++) {
            const Equation *read = equation_read(recurrences, equation, accesses.data[a]);
            if (read && read->nest == nest && !before[read->number] &&
                is_zero(equation, accesses.data[a]))
                return refuse(recurrences->resolver, DIAG_MERGE_ORDER, nest->merge->place,
                              equation->func->shape->name->text, read->func->shape->name->text);
        }
        before[equation->number] = true;
    }
    return true;
}

/* A nest that is merged stands where the last of its parts would; what it reads must stand before.
 */
static bool merge_parts(Recurrences *recurrences, Equations *equations, EquationNest **merged) {
    Arena *arena = recurrences->arena;
    size_t count = equations->list.length;
    EquationNest **parts = arena_array(arena, EquationNest *, count);
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        Equation *equation = equations->list.data[i];
        parts[i] = equation->nest;
        equation->nest = merged[i] ? merged[i] : parts[i];
    }
    for (size_t i = 0; i < count; i++) {
        EquationNest *nest = equations->list.data[i]->nest;
        if (nest->merge && nest->equations.data[0] == equations->list.data[i]) {
            sound &=
                check_merged(recurrences, nest, parts, equations) && check_order(recurrences, nest);
            vec_push(arena, &equations->nests, nest);
        }
    }
    return sound;
}

/* Do the nests need each other in a circle, now that some are merged?  As deep as there are nests.
 */
typedef struct Walk {
    const Recurrences *recurrences;
    Map state; /* EquationNest -> itself: open; -> the walk: done */
} Walk;

static bool needs_itself(Walk *walk, const EquationNest *nest) {
    const void *state = map_get(&walk->state, nest);
    if (state)
        return state == nest;
    map_put(&walk->state, nest, nest);
    for (size_t i = 0; i < nest->equations.length; i++) {
        const Equation *equation = nest->equations.data[i];
        Exprs accesses = {0};
        equation_accesses(equation, walk->recurrences->arena, &accesses);
        for (size_t a = 0; a < accesses.length; a++) {
            const Equation *read = equation_read(walk->recurrences, equation, accesses.data[a]);
            if (read && read->nest != nest && needs_itself(walk, read->nest))
                return true;
        }
    }
    map_put(&walk->state, nest, walk);
    return false;
}

static bool check_circles(const Recurrences *recurrences, const Equations *equations) {
    Walk walk = {recurrences, map_create(recurrences->arena)};
    for (size_t i = 0; i < equations->nests.length; i++) {
        const EquationNest *nest = equations->nests.data[i];
        if (nest->merge && needs_itself(&walk, nest))
            return refuse(recurrences->resolver, DIAG_MERGE_CIRCLE, nest->merge->place,
                          nest->equations.data[0]->func->shape->name->text);
    }
    return true;
}

/* ---- the order of the loops ---- */

void nest_collect_reads(const Recurrences *recurrences, const EquationNest *nest,
                        NestReads *reads) {
    Arena *arena = recurrences->arena;
    for (size_t i = 0; i < nest->equations.length; i++) {
        const Equation *equation = nest->equations.data[i];
        Exprs accesses = {0};
        equation_accesses(equation, arena, &accesses);
        for (size_t a = 0; a < accesses.length; a++) {
            const Equation *read = equation_read(recurrences, equation, accesses.data[a]);
            int64_t distance[MAX_DIMENSIONS];
            if (!read || read->nest != nest || is_zero(equation, accesses.data[a]))
                continue;
            equation_distance(equation, accesses.data[a], distance);
            vec_push(arena, &reads->distances, nest_distance(nest, arena, distance));
            vec_push(arena, &reads->readers, equation);
            vec_push(arena, &reads->accesses, accesses.data[a]);
        }
    }
}

/* May the variable be outermost of those that are left?  Only `open` distances count. */
static bool may_be_outermost(const NestReads *reads, const bool *open, size_t variable) {
    for (size_t i = 0; i < reads->distances.length; i++)
        if (open[i] && reads->distances.data[i][variable] < 0)
            return false;
    return true;
}

/* The positions of the nest's variables, the outermost first; fewer than there are where no order
 * will do: then a distance stays open. */
static size_t choose_order(Arena *arena, const EquationNest *nest, const NestReads *reads,
                           bool *open, size_t *order) {
    size_t count = nest->domain.length;
    bool *taken = arena_array(arena, bool, count);
    for (size_t length = 0; length < count; length++) {
        size_t variable = count;
        while (variable && (taken[variable - 1] || !may_be_outermost(reads, open, variable - 1)))
            variable--;
        if (!variable)
            return length;
        order[length] = --variable;
        taken[variable] = true;
        for (size_t i = 0; i < reads->distances.length; i++)
            open[i] = open[i] && reads->distances.data[i][variable] == 0;
    }
    return count;
}

/* In such a variable all reads have distance zero, and no wavefront mixes it with others. */
static bool is_free(const Equations *equations, const NestReads *reads, size_t variable) {
    for (size_t i = 0; i < reads->distances.length; i++)
        if (reads->distances.data[i][variable])
            return false;
    Symbol name = equations->domain.data[variable].variable;
    for (size_t i = 0; i < equations->skews.length; i++) {
        const Skew *skew = &equations->skews.data[i];
        if (equations->variables[skew->dimension]->name == name ||
            equations->variables[skew->by]->name == name)
            return false;
    }
    return true;
}

/* Free variables become pure dimensions: of these only what is needed is computed, and they loop
 * where the order has them all the same. */
static void share_domain(Arena *arena, EquationNest *nest, const NestReads *reads,
                         const size_t *order) {
    const Equations *equations = nest->equations.data[0]->of;
    size_t count = equations->domain.length;
    for (int k = equations->dimensions - 1; k >= 0; k--)
        if (nest_position(nest, k) < 0)
            vec_push(arena, &nest->order, equations->variables[k]->name);
    nest->domain.length = 0;
    for (size_t i = count; i-- > 0;) {
        const ReductionVariable *variable = &equations->domain.data[order[i]];
        if (is_free(equations, reads, order[i]))
            vec_push(arena, &nest->free, *variable);
        else
            vec_push(arena, &nest->domain, *variable);
    }
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &nest->order, equations->domain.data[order[i]].variable);
}

static bool order_loops(const Recurrences *recurrences, EquationNest *nest) {
    Arena *arena = recurrences->arena;
    const Equations *equations = nest->equations.data[0]->of;
    size_t count = equations->domain.length;
    NestReads reads = {0};
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &nest->domain, equations->domain.data[i]);
    nest_collect_reads(recurrences, nest, &reads);
    bool *open = arena_array(arena, bool, reads.distances.length + 1);
    size_t *order = arena_array(arena, size_t, count);
    memset(open, true, reads.distances.length);
    choose_order(arena, nest, &reads, open, order);
    for (size_t i = 0; i < reads.distances.length; i++)
        if (open[i])
            return refuse(recurrences->resolver, DIAG_RECURRENCE_NO_ORDER,
                          nest->merge ? nest->merge->place : reads.readers.data[i]->func->place,
                          reads.readers.data[i]->func->shape->name->text,
                          reads.accesses.data[i]->name->text);
    share_domain(arena, nest, &reads, order);
    return true;
}

bool equations_nest(Recurrences *recurrences, Equations *equations) {
    EquationNest **merged = arena_array(recurrences->arena, EquationNest *, equations->list.length);
    for (size_t i = 0; i < equations->list.length; i++)
        merged[i] = equations->list.data[i]->nest;
    find_parts(recurrences, equations);
    if (!merge_parts(recurrences, equations, merged))
        return false;
    order_nests(recurrences, equations);
    compact(equations);
    if (!check_circles(recurrences, equations))
        return false;
    for (size_t i = 0; i < equations->nests.length; i++)
        if (!order_loops(recurrences, equations->nests.data[i]))
            return false;
    return true;
}

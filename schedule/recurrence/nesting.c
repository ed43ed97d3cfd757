/* nesting.c -- groups the equations of a recurrence into nests, and orders their loops.
 *
 * Equations that need each other, in any number of steps, must share a nest.  These are the
 * strongly connected components of the graph of reads.  `merge-ures` makes one nest of several
 * components.  In a nest, an equation stands after those that it reads at distance zero.
 *
 * The variables of the domain keep their written order, the last-named outermost, if that makes all
 * distances of the nests positive.  Otherwise the order begins with the last-named variable in
 * which no distance is negative.  Distances that are positive there are satisfied.  The next
 * variable is chosen for the rest, and so on (loop_order of ir/dependence.h).
 */
#include "schedule/directive_record.h"

#include "base/graph.h"
#include "ir/dependence.h"

/* ---- the graph of reads ---- */

/* One equation of a recurrence reads another, or itself. */
typedef struct Read {
    const RecurrenceEquation *reader, *read;
    Expr access;
    int64_t distance[MAX_DIMENSIONS];
    bool is_zero;
} Read;
typedef Vec(Read) ReadList;

static void list_reads(const Recurrences *recurrences, RecurrenceEquation *const *readers,
                       size_t count, ReadList *list) {
    Arena *arena = recurrences->arena;
    for (size_t i = 0; i < count; i++) {
        Exprs accesses = {0};
        equation_accesses(readers[i], arena, &accesses);
        for (size_t a = 0; a < accesses.length; a++) {
            Read read = {.reader = readers[i],
                         .read = equation_read(recurrences, readers[i], accesses.data[a]),
                         .access = accesses.data[a],
                         .is_zero = true};
            if (!read.read)
                continue;
            equation_distance(read.reader, read.access, read.distance);
            for (int k = 0; k < read.reader->of->dimensions; k++)
                read.is_zero = read.is_zero && read.distance[k] == 0;
            vec_push(arena, list, read);
        }
    }
}

/* Which edges of the graph of equations to follow. */
typedef enum CountedReads { ALL_READS, ZERO_READS_IN_NESTS, READS_BETWEEN_NESTS } CountedReads;

static bool counts(const Read *read, CountedReads reads) {
    switch (reads) {
    case ALL_READS:
        return true;
    case ZERO_READS_IN_NESTS:
        return read->reader->nest == read->read->nest && read->is_zero;
    case READS_BETWEEN_NESTS:
        break;
    }
    /* Nests hold live equations only. */
    return read->reader->is_live && read->reader->nest != read->read->nest;
}

/* Edges go from the reader's number to that of the equation that it reads; or from nest to nest. */
static GraphEdges edges_of(const Recurrences *recurrences, const EquationSystem *equations,
                           CountedReads reads) {
    ReadList list = {0};
    GraphEdges edges = {0};
    list_reads(recurrences, equations->list.data, equations->list.length, &list);
    for (size_t i = 0; i < list.length; i++) {
        const RecurrenceEquation *reader = list.data[i].reader, *read = list.data[i].read;
        bool between = reads == READS_BETWEEN_NESTS;
        if (counts(&list.data[i], reads))
            vec_push(recurrences->arena, &edges,
                     ((GraphEdge){between ? reader->nest->number : reader->number,
                                  between ? read->nest->number : read->number}));
    }
    return edges;
}

static void find_parts(Recurrences *recurrences, EquationSystem *equations) {
    Arena *arena = recurrences->arena;
    GraphEdges edges = edges_of(recurrences, equations, ALL_READS);
    GraphParts parts = graph_parts(arena, equations->list.length, &edges);
    for (size_t p = 0; p < parts.length; p++) {
        EquationNest *nest = arena_new(arena, EquationNest);
        for (size_t i = 0; i < parts.data[p].length; i++)
            equations->list.data[parts.data[p].data[i]]->nest = nest;
        vec_push(arena, &equations->nests, nest);
    }
}

/* ---- the order in a nest ---- */

/* Sorts each equation after those that it reads at distance zero.  The front end has refused cycles
 * of such reads.  A merged nest keeps its given order. */
static void order_nests(Recurrences *recurrences, EquationSystem *equations) {
    Arena *arena = recurrences->arena;
    GraphEdges edges = edges_of(recurrences, equations, ZERO_READS_IN_NESTS);
    GraphParts order = graph_parts(arena, equations->list.length, &edges);
    for (size_t p = 0; p < order.length; p++) {
        RecurrenceEquation *equation = equations->list.data[order.data[p].data[0]];
        hlc_assert(order.data[p].length == 1, "no equation needs itself at distance zero");
        if (!equation->nest->merge && equation->is_live)
            vec_push(arena, &equation->nest->equations, equation);
    }
}

/* ---- merge-ures ---- */

/* Removes equations that nobody needs, and nests without equations. */
static void compact(EquationSystem *equations) {
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

bool merge_ures_realise(Recurrences *recurrences, const Directive *directive) {
    const Resolver *resolver = recurrences->resolver;
    EquationNest *nest = arena_new(recurrences->arena, EquationNest);
    nest->merge = directive;
    const RecurrenceEquation *first = NULL;
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = directive_argument(directive, i);
        RecurrenceEquation *equation = equation_named(recurrences, argument, first);
        if (!equation)
            return false;
        if (equation->nest)
            return refuse(resolver, DIAG_MERGE_TWICE, argument->place, argument->name->text);
        first = first ? first : equation;
        equation->nest = nest;
        vec_push(recurrences->arena, &nest->equations, equation);
    }
    return true;
}

/* Refuses an equation outside the nest that needs an equation in it and is needed by one in
 * turn. */
static bool check_merged(const Recurrences *recurrences, const EquationNest *nest,
                         EquationNest *const *parts, const EquationSystem *equations) {
    const Resolver *resolver = recurrences->resolver;
    for (size_t i = 0; i < equations->list.length; i++) {
        const RecurrenceEquation *other = equations->list.data[i];
        for (size_t m = 0; m < nest->equations.length && other->nest != nest; m++)
            if (parts[nest->equations.data[m]->number] == parts[other->number])
                return refuse(resolver, DIAG_MERGE_PART, nest->merge->place,
                              nest->equations.data[m]->func->shape->name->text,
                              other->func->shape->name->text);
    }
    return true;
}

/* Checks the given order: each equation reads at distance zero only those before it. */
static bool check_order(const Recurrences *recurrences, const EquationNest *nest) {
    bool *is_before =
        arena_array(recurrences->arena, bool, nest->equations.data[0]->of->list.length);
    for (size_t i = 0; i < nest->equations.length; i++) {
        const RecurrenceEquation *equation = nest->equations.data[i];
        ReadList list = {0};
        list_reads(recurrences, &nest->equations.data[i], 1, &list);
        for (size_t r = 0; r < list.length; r++) {
            const RecurrenceEquation *read = list.data[r].read;
            if (read->nest == nest && list.data[r].is_zero && !is_before[read->number])
                return refuse(recurrences->resolver, DIAG_MERGE_ORDER, nest->merge->place,
                              equation->func->shape->name->text, read->func->shape->name->text);
        }
        is_before[equation->number] = true;
    }
    return true;
}

/* Merges nests.  A merged nest takes the place of its last part; all that it reads must come
 * before. */
static bool merge_parts(Recurrences *recurrences, EquationSystem *equations,
                        EquationNest **merged) {
    Arena *arena = recurrences->arena;
    size_t count = equations->list.length;
    EquationNest **parts = arena_array(arena, EquationNest *, count);
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        RecurrenceEquation *equation = equations->list.data[i];
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

/* Do the nests, after merging, need each other in a cycle? */
static bool check_circles(const Recurrences *recurrences, const EquationSystem *equations) {
    for (size_t i = 0; i < equations->nests.length; i++)
        equations->nests.data[i]->number = i;
    GraphEdges edges = edges_of(recurrences, equations, READS_BETWEEN_NESTS);
    GraphParts parts = graph_parts(recurrences->arena, equations->nests.length, &edges);
    for (size_t p = 0; p < parts.length; p++)
        for (size_t i = 0; i < parts.data[p].length && parts.data[p].length > 1; i++) {
            const EquationNest *nest = equations->nests.data[parts.data[p].data[i]];
            if (nest->merge)
                return refuse(recurrences->resolver, DIAG_MERGE_CIRCLE, nest->merge->place,
                              nest->equations.data[0]->func->shape->name->text);
        }
    return true;
}

/* ---- the order of the loops ---- */

void nest_collect_reads(const Recurrences *recurrences, const EquationNest *nest,
                        NestReads *reads) {
    Arena *arena = recurrences->arena;
    ReadList list = {0};
    list_reads(recurrences, nest->equations.data, nest->equations.length, &list);
    for (size_t i = 0; i < list.length; i++) {
        const Read *read = &list.data[i];
        if (read->read->nest != nest || read->is_zero)
            continue;
        vec_push(arena, &reads->distances, nest_distance(nest, arena, read->distance));
        vec_push(arena, &reads->readers, read->reader);
        vec_push(arena, &reads->accesses, read->access);
    }
}

/* Do all reads have distance zero in the variable, and does no wavefront mix it with others? */
static bool is_free(const EquationSystem *equations, const NestReads *reads, size_t variable) {
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

/* Free variables become pure dimensions, of which only the needed part is computed.  Their loops
 * keep their place in the order. */
static void share_domain(Arena *arena, EquationNest *nest, const NestReads *reads,
                         const size_t *order) {
    const EquationSystem *equations = nest->equations.data[0]->of;
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

/* Returns the place to blame if there is no order: a merge, a wavefront, or the equation itself. */
static Place place_of_order(const EquationNest *nest, const RecurrenceEquation *reader) {
    const EquationSystem *equations = reader->of;
    if (nest->merge)
        return nest->merge->place;
    return equations->splits.length ? equations->splits.data[equations->splits.length - 1].place
                                    : reader->func->place;
}

static bool order_loops(const Recurrences *recurrences, EquationNest *nest) {
    Arena *arena = recurrences->arena;
    const EquationSystem *equations = nest->equations.data[0]->of;
    size_t count = equations->domain.length;
    NestReads reads = {0};
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &nest->domain, equations->domain.data[i]);
    nest_collect_reads(recurrences, nest, &reads);
    LoopOrder order = loop_order(arena, reads.distances.data, reads.distances.length, count);
    for (size_t i = 0; i < reads.distances.length; i++)
        if (order.carriers[i] < 0)
            return refuse(recurrences->resolver, DIAG_RECURRENCE_NO_ORDER,
                          place_of_order(nest, reads.readers.data[i]),
                          reads.readers.data[i]->func->shape->name->text,
                          reads.accesses.data[i]->name->text);
    share_domain(arena, nest, &reads, order.variables);
    return true;
}

bool equations_nest(Recurrences *recurrences, EquationSystem *equations) {
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

/* When legal directives are searched, equations are already funcs that know their equations.
 * Offers the nest with each later nest of the same recurrence.  Two conditions are checked only
 * when the longer schedule is applied (lower/moves.c): the loops still have an order, and the nests
 * have no cycle. */
void merge_ures_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const Func *func = plan->func;
    for (size_t n = plan->order + 1; func->realised && n < search->scheduler->plans.length; n++) {
        const Func *other = search->scheduler->plans.data[n]->func;
        Directive *directive = candidate_(search, DIRECTIVE_MERGE_URES, NULL, 0);
        if (other->realised != func->realised)
            continue;
        for (size_t i = 0; i < func->equations.length; i++)
            candidate_put(search, directive, argument_func_named(func->equations.data[i]));
        for (size_t i = 0; i < other->equations.length; i++)
            candidate_put(search, directive, argument_func_named(other->equations.data[i]));
        candidate_offer(search, directive);
    }
}

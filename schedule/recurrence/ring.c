/* ring.c -- keeps only the last few coordinates of a nest's outermost variable, if nobody reads
 * others.
 *
 * With R coordinates kept, coordinate t lies at t mod R.  The iteration at t + R overwrites what
 * the one at t wrote.  So all readers of t must be over.  They lie at a distance d after it, so
 * (.., R) - d is one more distance of the nest.  Like the others it must be positive in the order
 * of the loops; it may also be zero, because an iteration reads before it writes.  R is the least
 * number for which that holds in the nest's first order.  recurrence.c adds these distances, so no
 * directive reorders the loops against them.
 *
 * `unfold-storage(A)` keeps all points of A's nest.  Then no such distance forbids an order in
 * which a later coordinate is computed before an earlier one is finished, as in blocks.
 *
 * After the nest, only the last R coordinates of the domain exist.
 */
#include "schedule/directive_record.h"

#include "simplify/simplify.h"

enum { LONGEST_RING = 64 };

typedef struct RingSearch {
    Recurrences *recurrences;
    Simplifier *simplifier;
    Map depths; /* EquationNest -> how far before the end of its domain it is read, plus 1, as
                   int64_t */
} RingSearch;

static int64_t *depth_of(RingSearch *shrinking, const EquationNest *nest) {
    int64_t *depth = map_get(&shrinking->depths, nest);
    if (!depth) {
        depth = arena_array(shrinking->recurrences->arena, int64_t, 1);
        map_put(&shrinking->depths, nest, depth);
    }
    return depth;
}

/* Returns how far before the last coordinate of the outermost variable an outside access lies, plus
 * 1.  Returns too large a number if that is no constant. */
static int64_t depth_of_access(const RingSearch *shrinking, const RecurrenceEquation *read,
                               Expr access) {
    Pool *pool = shrinking->recurrences->pool;
    const EquationNest *nest = read->nest;
    if (!nest->domain.length)
        return LONGEST_RING + 1;
    const ReductionVariable *outermost = &nest->domain.data[nest->domain.length - 1];
    int dimension = 0;
    while (read->of->variables[dimension]->name != outermost->variable)
        dimension++;
    Expr index = access->arguments[dimension];
    for (size_t i = 0; i < read->of->skews.length; i++)
        if (read->of->skews.data[i].dimension == dimension)
            index = expr_add(pool, index, access->arguments[read->of->skews.data[i].by]);
    Extent interval = outermost->interval;
    Expr behind = expr_sub(pool, expr_add(pool, interval.minimum, interval.length), index);
    int64_t depth;
    bool is_known = expr_constant_integer(simplify(shrinking->simplifier, behind), &depth);
    return is_known && depth >= 1 && depth <= LONGEST_RING ? depth : LONGEST_RING + 1;
}

static void note_access(RingSearch *shrinking, const RecurrenceEquation *reader, Expr access) {
    const RecurrenceEquation *read = equation_of(shrinking->recurrences, access->name);
    if (!read || (reader && reader->nest == read->nest))
        return;
    int64_t *depth = depth_of(shrinking, read->nest);
    int64_t own = reader && reader->of == read->of ? LONGEST_RING + 1
                                                   : depth_of_access(shrinking, read, access);
    *depth = own > *depth ? own : *depth;
}

static void note_func(RingSearch *shrinking, const Func *func) {
    Arena *arena = shrinking->recurrences->arena;
    const RecurrenceEquation *reader = equation_of(shrinking->recurrences, func->shape->name);
    Exprs accesses = {0};
    if (reader && !reader->is_live)
        return;
    for (size_t j = 0; j < func->stages.length; j++) {
        const Stage *stage = func->stages.data[j];
        for (int k = 0; k < func->shape->dimensions; k++)
            expr_accesses(arena, stage->indices[k], &accesses);
        for (int c = 0; c < func->shape->components; c++)
            expr_accesses(arena, reader ? reader->values[c] : stage->values[c], &accesses);
        if (stage->predicate)
            expr_accesses(arena, stage->predicate, &accesses);
    }
    for (size_t i = 0; i < accesses.length; i++)
        note_access(shrinking, reader, accesses.data[i]);
    if (reader && (func->shape->is_output || reader->is_unfolded))
        *depth_of(shrinking, reader->nest) = LONGEST_RING + 1;
}

/* Is (.., ring) - distance zero or positive, with the last variable outermost? */
static bool is_over(Distance distance, size_t count, int64_t ring) {
    for (size_t r = count; r-- > 0;) {
        int64_t left = (r + 1 == count ? ring : 0) - distance[r];
        if (left)
            return left > 0;
    }
    return true;
}

static int64_t least_ring(const Recurrences *recurrences, const EquationNest *nest, int64_t ring) {
    NestReads reads = {0};
    nest_collect_reads(recurrences, nest, &reads);
    for (size_t i = 0; i < reads.distances.length; i++)
        while (ring <= LONGEST_RING && !is_over(reads.distances.data[i], nest->domain.length, ring))
            ring++;
    return ring;
}

bool unfold_storage_realise(Recurrences *recurrences, const Directive *directive) {
    const DirectiveArgument *func = directive_argument(directive, 0);
    RecurrenceEquation *equation = equation_named(recurrences, func, NULL);
    if (!equation)
        return false;
    equation->is_unfolded = true;
    return true;
}

void unfold_storage_candidates(const LegalSearch *search, const FuncPlan *plan) {
    if (plan->func->realised)
        candidate_offer(search,
                        candidate(search, argument_func_named(plan->func->equations.data[0])));
}

void recurrences_shrink(Recurrences *recurrences) {
    const Pipeline *pipeline = recurrences->resolver->pipeline;
    RingSearch shrinking = {.recurrences = recurrences,
                            .simplifier = simplifier_create(recurrences->pool, recurrences->arena),
                            .depths = map_create(recurrences->arena)};
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        note_func(&shrinking, pipeline->funcs.data[i]);
    for (size_t e = 0; e < recurrences->all.length; e++)
        for (size_t i = 0; i < recurrences->all.data[e]->nests.length; i++) {
            EquationNest *nest = recurrences->all.data[e]->nests.data[i];
            int64_t depth = *depth_of(&shrinking, nest);
            if (nest->domain.length && depth && depth <= LONGEST_RING)
                nest->ring = least_ring(recurrences, nest, depth);
            if (nest->ring > LONGEST_RING)
                nest->ring = 0;
        }
}

/* distance.c -- may a func read another one in whose company it is computed (compute_with.c)?
 *
 * The host g reads the guest f while their loops run. In each iteration f's part comes first, so
 * what g reads is there if it was computed in this iteration or an earlier one:
 *
 *     for y ..                               f(x, y - 1)   distance 1: an earlier iteration
 *       label f: f[.., y] <- ..              f(x + 3, y)   distance 0: the row is there as a whole
 *       g[.., y] <- .. f[..] ..              f(x, y + 1)   distance -1: a later one, refused
 *
 * The distances in the common loops, outermost first, are zero until one is positive (in a loop
 * that runs in order), or all zero.  They must be constants, of dimensions of f that are loops as
 * lowered, and iterations must be counted by their values.  Intervals that lie apart are brought
 * together: then all of f comes first, since where g reads back, what is computed of f begins no
 * later than what is computed of g.
 *
 * What a stage of g behind reads is complete if f's stage is its last; what one before reads is not
 * there yet.
 */
#include "schedule/pairing.h"

#include "ir/print.h"
#include "ir/recurrence.h"

typedef struct Reading {
    const Scheduler *scheduler;
    const Directive *directive;
    const Pairing *pairing;
    const Nest *guest, *host;
    size_t depth; /* of the innermost common loop */
} Reading;

static bool refuse_read(const Reading *reading, Expr access, const char *reason) {
    const Resolver *resolver = &reading->scheduler->resolver;
    return refuse(resolver, DIAG_COMPUTE_WITH_READS, reading->directive->place,
                  reading->pairing->guest_loop.func->text, reading->pairing->host_loop.func->text,
                  arena_format(resolver->arena, "%s reads %s, %s",
                               reading->pairing->host_loop.func->text,
                               expr_text(resolver->arena, access), reason));
}

/* The dimension over which the guest's common loop runs; -1 where it is none, as lowered. */
static int dimension_of(const Reading *reading, size_t level) {
    const NestLoop *loop = &reading->guest->loops.data[level];
    const FuncShape *shape = reading->guest->func->shape;
    for (int k = 0; loop->pure && k < shape->dimensions; k++)
        if (shape->variables[k] == loop->variable)
            return k;
    return -1;
}

/* Is the host's loop one that its algorithm has? */
static bool is_as_lowered(const Reading *reading, size_t level) {
    const Nest *host = reading->host;
    Symbol variable = host->loops.data[level].variable;
    const Stage *stage = host->func->stages.data[host->stage];
    for (int k = 0; k < host->func->shape->dimensions; k++)
        if (host->func->shape->variables[k] == variable)
            return true;
    for (size_t i = 0; i < stage->reduction.length; i++)
        if (stage->reduction.data[i].variable == variable)
            return true;
    return false;
}

static bool runs_in_order(const Reading *reading, size_t level) {
    LoopName name = nest_loop_name(reading->host, reading->host->loops.data[level].variable);
    Traversal traversal = loop_named(reading->scheduler, &name)->loop.traversal;
    return traversal == TRAVERSE_SERIAL || traversal == TRAVERSE_UNROLLED;
}

/* Outermost first, until one decides. */
static bool check_distances(const Reading *reading, Expr access) {
    Pool *pool = reading->scheduler->pool;
    if (reading->pairing->alignment != ALIGN_VALUES)
        return refuse_read(reading, access,
                           "and an alignment says nothing of how far apart iterations are");
    for (size_t level = 0; level <= reading->depth; level++) {
        int k = dimension_of(reading, level);
        Symbol variable = reading->host->loops.data[level].variable;
        int64_t distance;
        if (k < 0 || !is_as_lowered(reading, level) ||
            !recurrence_offset(expr_variable(pool, variable, INDEX), access->arguments[k],
                               &distance))
            return refuse_read(reading, access,
                               "at no constant distance in the loops that become one");
        if (distance < 0)
            return refuse_read(reading, access, "which a later iteration computes");
        if (distance > 0)
            return runs_in_order(reading, level) ||
                   refuse_read(reading, access,
                               "which another iteration of a parallel or vectorized loop computes");
    }
    return true;
}

static bool check_stage(const Reading *reading, const Stage *stage, Expr access) {
    const Func *guest = reading->guest->func;
    bool is_last = reading->guest->stage + 1 == (int)guest->stages.length;
    if (stage->number < reading->host->stage)
        return refuse_read(reading, access, "in a stage before the one that shares the loops");
    if (!is_last)
        return refuse_read(reading, access,
                           "which is complete only after the stages behind the one that shares "
                           "the loops");
    return stage->number > reading->host->stage || check_distances(reading, access);
}

bool pairing_check_reads(const Scheduler *scheduler, const Directive *directive,
                         const Pairing *pairing) {
    const Resolver *resolver = &scheduler->resolver;
    Reading reading = {scheduler, directive, pairing, NULL, NULL, 0};
    reading.guest = nest_of(resolver, &pairing->guest_loop, &reading.depth);
    reading.host = nest_of(resolver, &pairing->host_loop, &reading.depth);
    for (size_t j = 0; j < reading.host->func->stages.length; j++) {
        const Stage *stage = reading.host->func->stages.data[j];
        Exprs accesses = {0};
        stage_accesses(resolver->arena, reading.host->func, stage, &accesses);
        for (size_t i = 0; i < accesses.length; i++)
            if (accesses.data[i]->name == reading.guest->func->shape->name &&
                !check_stage(&reading, stage, accesses.data[i]))
                return false;
    }
    return true;
}

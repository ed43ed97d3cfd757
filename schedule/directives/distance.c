/* distance.c -- may a func read another func that is computed in the same loops (compute_with.c)?
 *
 * The host g reads the guest f in their common loops.  In each iteration f's part comes first.  So
 * a point that g reads is there if this iteration or an earlier one computed it:
 *
 *     for y ..                               f(x, y - 1)   distance 1: an earlier iteration
 *       label f: f[.., y] <- ..              f(x + 3, y)   distance 0: the row is there as a whole
 *       g[.., y] <- .. f[..] ..              f(x, y + 1)   distance -1: a later one, refused
 *
 * The distances in the common loops, outermost first, must be zero until one is positive (in a loop
 * that runs in order), or all zero.  They must be constants in dimensions of f over which a loop as
 * lowered writes, and iterations must be counted by their values.  In an update, this loop may be a
 * reduction loop whose variable is an index of the write: `rdom(r = ..) in (x, r) <- ..`.  Points
 * that no r reaches are complete before the loop.
 *
 * Disjoint intervals are brought together.  If f's lies below g's, it runs first.  If it lies
 * above, g reads back, so it needs nothing of it.
 *
 * Later stages of g may read f if f's stage is its last one.  Earlier stages of g must not read f:
 * its values are not there yet.
 */
#include "schedule/directives/pairing.h"

#include "ir/print.h"
#include "ir/recurrence.h"

typedef struct GuestRead {
    const Scheduler *scheduler;
    const Directive *directive;
    const Pairing *pairing;
    const LoopNest *guest, *host;
    size_t depth; /* of the innermost common loop */
} GuestRead;

static bool refuse_read(const GuestRead *reading, Expr access, const char *reason) {
    const Resolver *resolver = &reading->scheduler->resolver;
    return refuse(resolver, DIAG_COMPUTE_WITH_READS, reading->directive->place,
                  reading->pairing->guest_loop.func->text, reading->pairing->host_loop.func->text,
                  arena_format(resolver->arena, "%s reads %s, %s",
                               reading->pairing->host_loop.func->text,
                               expr_text(resolver->arena, access), reason));
}

/* The place where an iteration of the guest's common loop, as lowered, writes: in one dimension,
 * the loop's variable minus a constant. */
typedef struct Written {
    int dimension;
    int64_t behind;
} Written;

/* Finds the dimension that the loop writes.  Pure loops have one; a reduction loop has one if its
 * variable is an index of the write.  False if there is none. */
static bool find_written(const GuestRead *reading, size_t level, Written *written) {
    const NestLoop *loop = &reading->guest->loops.data[level];
    const FuncShape *shape = reading->guest->func->shape;
    const Stage *stage = reading->guest->func->stages.data[reading->guest->stage];
    Expr variable = expr_variable(reading->scheduler->pool, loop->variable, INDEX);
    bool is_lowered = loop->pure;
    for (size_t r = 0; r < stage->reduction.length; r++)
        is_lowered |= stage->reduction.data[r].variable == loop->variable;
    for (int k = 0; is_lowered && k < shape->dimensions; k++) {
        *written = (Written){.dimension = k};
        if (loop->pure ? shape->variables[k] == loop->variable
                       : recurrence_offset(variable, stage->indices[k], &written->behind))
            return true;
    }
    return false;
}

/* Is the host's loop a loop of its algorithm? */
static bool is_as_lowered(const GuestRead *reading, size_t level) {
    const LoopNest *host = reading->host;
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

static bool runs_in_order(const GuestRead *reading, size_t level) {
    LoopName name = nest_loop_name(reading->host, reading->host->loops.data[level].variable);
    Traversal traversal = loop_named(reading->scheduler, &name)->loop.traversal;
    return traversal == TRAVERSE_SERIAL || traversal == TRAVERSE_UNROLLED;
}

/* Checks the distances, outermost loop first, until one decides. */
static bool check_distances(const GuestRead *reading, Expr access) {
    Pool *pool = reading->scheduler->pool;
    if (reading->pairing->alignment != ALIGN_VALUES)
        return refuse_read(reading, access,
                           "and an alignment says nothing of how far apart iterations are");
    for (size_t level = 0; level <= reading->depth; level++) {
        Expr variable = expr_variable(pool, reading->host->loops.data[level].variable, INDEX);
        Written written;
        int64_t distance;
        if (!find_written(reading, level, &written) || !is_as_lowered(reading, level) ||
            !recurrence_offset(variable, access->arguments[written.dimension], &distance) ||
            __builtin_sub_overflow(distance, written.behind, &distance))
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

static bool check_stage(const GuestRead *reading, const Stage *stage, Expr access) {
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
    GuestRead reading = {scheduler, directive, pairing, NULL, NULL, 0};
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

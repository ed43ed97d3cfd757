/* dependence.h -- the dependences between equations of a recurrence, their distances, and the
 * orders of loops that satisfy them.
 *
 * An equation at one point needs another at the point that is the distance back (recurrence.h).
 * Equations that need each other, directly or not, form a *part*.  Parts can be computed one after
 * the other, each in loops of its own.  An order of loops is right for a part if each distance,
 * read from the outermost loop in, is positive at its first number that is not zero.  A distance of
 * zeros is right if it closes no cycle of such distances.
 */
#ifndef HLC_IR_DEPENDENCE_H
#define HLC_IR_DEPENDENCE_H

#include "ir/recurrence.h"

/* One read.  `distance` has a number for each variable of the domain; in other dimensions it is
 * zero. */
typedef struct Dependence {
    size_t reader, read; /* in Recurrence.funcs */
    const AccessSite *site;
    int64_t distance[MAX_DIMENSIONS];
    int carrier; /* in the order of the part: the domain's variable at which it is positive; -1:
                    none (a zero distance) */
} Dependence;

/* `order`: the domain's variables, the outermost first. */
typedef struct DependencePart {
    Vec(size_t) funcs;       /* ascending */
    Vec(Dependence *) inner; /* between them */
    bool is_cyclic;          /* one func that does not read itself is not */
    int order[MAX_DIMENSIONS];
    /* If no order is right: for each variable, a dependence that forbids it outermost. Otherwise
     * null. */
    const Dependence *against[MAX_DIMENSIONS];
    bool has_order;
} DependencePart;

typedef struct Dependences {
    const Recurrence *recurrence;
    Vec(Dependence) all;           /* by reader, in the order of the text */
    size_t *part_of;               /* by func */
    Vec(DependencePart) parts;     /* each after the parts that it needs */
    Vec(const Dependence *) cycle; /* a cycle of reads at distance zero: the func read by each reads
                                      next, the last one closes it; empty: none */
} Dependences;

/* An order of loops in which distances are positive at their first number that is not zero. */
typedef struct LoopOrder {
    size_t *variables; /* `length` of them, the outermost first */
    size_t length;     /* smaller than the number of variables if no order is right */
    int *carriers;     /* by distance: the variable at which it is positive; -1: none */
    size_t *against;   /* if no order is right, by variable: the index of a distance that forbids it
                          outermost of the remaining ones; else `count` */
} LoopOrder;
/* Chooses variables from the outermost loop in.  Each is one along which no remaining distance goes
 * forward: if some order is right, it stays right with such a variable moved outside.  Of several
 * the last-named is taken, which keeps the declared order where it can. */
LoopOrder loop_order(Arena *arena, const Distance *distances, size_t count, size_t variables);

/* All accesses have constant distances. */
Dependences *dependences_create(const Pipeline *pipeline, Arena *arena,
                                const Recurrence *recurrence);
#endif

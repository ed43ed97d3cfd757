/* dependence.h -- the dependences between equations of a recurrence, their distances, and the legal
 * orders of loops.
 *
 * An equation at one point reads another at the point that lies the distance back (recurrence.h).
 * Equations that read each other, directly or indirectly, form a *part*. Parts can be computed one
 * after the other, each in loops of its own. An order of loops is legal for a part if the first
 * nonzero number of each distance, read from the outermost loop in, is positive. A zero distance is
 * legal unless it closes a cycle of zero distances.
 */
#ifndef HLC_IR_DEPENDENCE_H
#define HLC_IR_DEPENDENCE_H

#include "ir/recurrence.h"

/* One read. `distance` has a number for each variable of the domain. The distance in other
 * dimensions is zero. */
typedef struct Dependence {
    size_t reader, read; /* in Recurrence.funcs */
    const AccessSite *site;
    int64_t distance[MAX_DIMENSIONS];
    int carrier; /* the variable of the domain whose loop carries the distance in the part's order;
                    -1 for a zero distance */
} Dependence;

/* `order` lists the domain's variables, outermost first. */
typedef struct DependencePart {
    Vec(size_t) funcs;       /* ascending */
    Vec(Dependence *) inner; /* the reads between funcs of the part */
    bool is_cyclic;          /* false for one func that does not read itself */
    int order[MAX_DIMENSIONS];
    /* If no order is legal: for each variable, a dependence that forbids it as the outermost loop.
     * Null otherwise. */
    const Dependence *against[MAX_DIMENSIONS];
    bool has_order;
} DependencePart;

typedef struct Dependences {
    const Recurrence *recurrence;
    Vec(Dependence) all;           /* by reader, in source order */
    size_t *part_of;               /* by func */
    Vec(DependencePart) parts;     /* each after the parts that it needs */
    Vec(const Dependence *) cycle; /* a cycle of reads at distance zero: each entry's `read` is the
                                      next entry's `reader`, and the last closes the cycle; empty if
                                      there is none */
} Dependences;

/* An order of loops in which the first nonzero number of each distance is positive. */
typedef struct LoopOrder {
    size_t *variables; /* `length` variables, outermost first */
    size_t length;     /* less than the number of variables if no order is legal */
    int *carriers;     /* by distance: the variable whose loop carries it; -1: none */
    size_t *against;   /* if no order is legal, by variable: the index of a distance that forbids it
                          as the outermost of the remaining loops; else `count` */
} LoopOrder;
/* Chooses loop variables from the outermost in. A variable qualifies if no remaining distance is
 * negative along it: moving such a variable outward keeps a legal order legal. Among several, the
 * function takes the last-named, which keeps the declared order if possible. */
LoopOrder loop_order(Arena *arena, const Distance *distances, size_t count, size_t variables);

/* Requires constant distances of all accesses. */
Dependences *dependences_create(const Pipeline *pipeline, Arena *arena,
                                const Recurrence *recurrence);
#endif

/* demand.h -- the demands of the compared schedules on the arguments of a run. */
#ifndef HLC_LIBRARY_CHECK_DEMAND_H
#define HLC_LIBRARY_CHECK_DEMAND_H

#include "library/compiler.h"

enum { MOST_ELEMENTS = 1 << 22 }; /* of all images that are drawn */

/* The demands of one schedule (null: the empty one): the oracle's regions of the images, its
 * directives on the windows, and the conditions that its entry asserts. */
typedef struct Demand {
    const Schedule *schedule;
    const BoundsResult *bounds;
    bool runs; /* the program runs; else only the reference does */
    Vec(struct DemandClause *) clauses;
} Demand;
typedef Vec(Demand) Demands;

/* Adds the demand of a program that has been through all passes. */
void demand_add(Demands *demands, Arena *arena, const Schedule *schedule, const Lowered *lowered,
                bool runs);

/* A box of an image, [first, end) in each dimension; unknown if it depends on other values. */
typedef struct DemandBox {
    bool known;
    int64_t first[MAX_IMAGE_DIMENSIONS], end[MAX_IMAGE_DIMENSIONS];
} DemandBox;

/* Returns the region of an image that schedule `which` (negative: any) reads, under the values. */
DemandBox demand_of_image(hlc_arguments *a, Substitution *known, const Demands *demands, int which,
                          Symbol image);

/* Moves the parameters, windows and boxes of images that `fixed` (null: none) does not bind, until
 * the entry of schedule `which` (negative: of each) accepts them. False if no such values are found.
 */
bool demand_meet(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands, int which,
                 uint64_t *state);
/* The same for schedules that contradict each other. The empty schedule's demand is met. The others
 * follow from a random one on, except those that cannot be met together with those before. */
bool demand_meet_in_turn(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                         uint64_t *state);

#endif

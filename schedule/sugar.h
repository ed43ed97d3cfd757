/* sugar.h -- expands sugar into primitives. */
#ifndef HLC_SCHEDULE_SUGAR_H
#define HLC_SCHEDULE_SUGAR_H

#include "schedule/loop.h"

typedef struct SugarExpansion {
    const Resolver *resolver; /* its nests are symbolic */
    Place place;              /* of the sugar: errors in its primitives are reported there */
    Directives *primitives;
} SugarExpansion;

/* Each appends a primitive and follows it in the nests.  False after refusing. */
bool sugar_split(SugarExpansion *expansion, const LoopName *loop, Place place,
                 DirectiveArgument outer, DirectiveArgument inner, const DirectiveArgument *factor,
                 const DirectiveArgument *tail);
bool sugar_traverse(SugarExpansion *expansion, const LoopName *loop, Traversal traversal,
                    Place place);

/* The loops that a reorder names, innermost first, all of one nest. */
typedef struct SugarOrder {
    LoopName like; /* any loop of the stage */
    Vec(Symbol) variables;
    Place place;
} SugarOrder;

/* Swaps the loops into that order.  Other loops of the nest keep their places. */
bool sugar_reorder(SugarExpansion *expansion, const SugarOrder *order);
/* Adds the loop that an argument names to the order.  Refuses a loop of another stage, and a loop
 * that the order already has; false then. */
bool sugar_order_add(const Resolver *resolver, SugarOrder *order, const DirectiveArgument *argument,
                     LoopName *loop);

/* ---- traversals by vectorize, unroll and parallel (manner_split.c) ---- */

typedef struct SugarManner {
    DirectiveKind kind;
    Traversal traversal;
    const char *outer, *inner; /* endings of the new loops' names */
    bool is_outer;             /* the outer loop gets the traversal */
} SugarManner;

/* Null if the kind is none of the three. */
const SugarManner *sugar_manner(DirectiveKind kind);

/* The split that such a directive with a number begins with. */
typedef struct MannerSplit {
    Symbol outer, inner; /* the two new loops */
    Symbol chosen;       /* the one that gets the traversal */
    Traversal traversal;
} MannerSplit;

/* False if the directive is none of the three, or has no number. */
bool sugar_manner_split(const Resolver *resolver, const Directive *directive, MannerSplit *split);

#endif

/* sugar.h -- sugar on its way to primitives. */
#ifndef HLC_SCHEDULE_SUGAR_H
#define HLC_SCHEDULE_SUGAR_H

#include "schedule/loop.h"

typedef struct SugarExpansion {
    const Resolver *resolver; /* looks at symbolic nests */
    Place place;              /* of the sugar: its primitives are reported there */
    Directives *primitives;
} SugarExpansion;

/* Each appends a primitive and follows it in the nests.  False after refusing. */
bool sugar_split(SugarExpansion *expansion, const LoopName *loop, Place place,
                 DirectiveArgument outer, DirectiveArgument inner, const DirectiveArgument *factor,
                 const DirectiveArgument *tail);
bool sugar_traverse(SugarExpansion *expansion, const LoopName *loop, Traversal traversal,
                    Place place);

/* The loops of a reorder, innermost first, all of one nest. */
typedef struct SugarOrder {
    LoopName like; /* the stage */
    Vec(Symbol) variables;
    Place place;
} SugarOrder;

/* Swaps the loops into that order; other loops of the nest stay where they are. */
bool sugar_reorder(SugarExpansion *expansion, const SugarOrder *order);
/* Adds a loop that a directive names to those that it orders.  False after refusing one that is of
 * another stage, or there already. */
bool sugar_order_add(const Resolver *resolver, SugarOrder *order, const DirectiveArgument *argument,
                     LoopName *loop);

/* ---- the manner that vectorize, unroll and parallel say (manner_split.c) ---- */

typedef struct SugarManner {
    DirectiveKind kind;
    Traversal traversal;
    const char *outer, *inner; /* what the new loops' names end with */
    bool is_outer;             /* which of the two the traversal is for */
} SugarManner;

/* Null where the kind is none of the three. */
const SugarManner *sugar_manner(DirectiveKind kind);

/* The split that one of them with a number begins with. */
typedef struct MannerSplit {
    Symbol outer, inner; /* its parts */
    Symbol chosen;       /* the one of them that .. */
    Traversal traversal; /* .. runs so */
} MannerSplit;

/* False where the directive is none of the three, or has no number. */
bool sugar_manner_split(const Resolver *resolver, const Directive *directive, MannerSplit *split);

#endif

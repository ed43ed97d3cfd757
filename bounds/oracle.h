/* oracle.h -- the bounds oracle (section 7 of the report): fills every hole of a program.
 *
 * Works from the consumers to the producers.  For each compute statement it takes the box of all
 * accesses that it must serve (region.h), eliminates the loop variables that are not in scope there
 * by symbolic interval arithmetic, unites the boxes, applies what phase 2 asked, simplifies, and
 * puts the result for the holes; an expression that stays large is bound to a let at the place of
 * the hole instead of being repeated.  Every end of every region remembers where it comes from.
 */
#ifndef HLC_BOUNDS_ORACLE_H
#define HLC_BOUNDS_ORACLE_H

#include "ir/algorithm.h"
#include "schedule/schedule.h"
#include "simplify/simplify.h"

/* Why an end of a region is what it is: the access (or window, bound, alignment) it comes from. */
typedef struct Provenance {
    Place place;
    const char *reason; /* e.g. "read f(x + r, y) in g, update 1"; "the window of out" */
    const char *rule;   /* how the loops in it were eliminated, and what directives had a part; may
                         * be null: "r over its domain; x over one iteration of h.s1.xo, .." */
} Provenance;

typedef struct RegionEnd {
    Expr expr; /* with its variables in scope at the compute statement; inclusive */
    Provenance provenance;
    bool is_fixed; /* by `bound`, or by an interval that the compiler inserted (is_least) */
} RegionEnd;

/* The region of one func at one of its compute statements; of an image, what is read of it. */
typedef struct BoundsRegion {
    Symbol func;
    int specialization, copy;
    int dimensions;
    Extent compute[MAX_DIMENSIONS]; /* cpu holes' values, in scope at compute */
    Extent memory[MAX_DIMENSIONS];  /* mem holes' values, in scope at allocate */
    /* The hull of the memory over all surrounding loops, in startup variables: what entry checks
     * look at.  For an image: the region that is read. */
    Extent whole[MAX_DIMENSIONS];
    /* What the consumers, the window and the func's own updates ask, before `bound`, `bound-extent`
     * and `align-bounds`: its hull over all surrounding loops, and, where bound-extent fixes its
     * length, the greatest that it has in one run of the compute statement; in startup variables.
     */
    Extent needed[MAX_DIMENSIONS];
    Expr longest[MAX_DIMENSIONS];
    RegionEnd lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
    Expr condition; /* of a func: where it does not hold, nothing of it is read or computed; of an
                       image: read.  Null: there is none */
    /* The compute statement (or the specializations' if) before filling; null: image. */
    const Stmt *computing;
} BoundsRegion;

/* A value that was too large to repeat: formulas mention it by name. */
typedef struct BoundLet {
    Symbol name;
    Expr value;
} BoundLet;

/* Of a func that is stored outside a loop that it is computed in: whether its window slides along
 * the loop. */
typedef struct SlideNote {
    Symbol func;
    int copy;
    Symbol loop; /* its variable */
    bool slides;
    const char *text; /* in which dimension; or why not */
} SlideNote;

/* The entry must check that fold-storage's factor is enough. */
typedef struct FoldCheck {
    Symbol func;
    int dimension;
    Expr factor, most; /* `most` coordinates are needed at a time; in startup variables */
    Place place;
} FoldCheck;

typedef struct BoundsResult {
    Vec(BoundsRegion *) funcs; /* in definition order, copies after one another */
    Vec(BoundsRegion *)
        images;         /* in the signature's order; only `whole`, `lower`, `upper` are set */
    Vec(BoundLet) lets; /* each mentions only those before it */
    Vec(SlideNote) slides;
    Vec(FoldCheck) folds;
    bool is_narrowed; /* a specialization left out reads that the algorithm makes (narrow.c) */
} BoundsResult;

/* Fills all holes of `program` in place.  `slide`: what an earlier iteration computed is not
 * computed again (slide.c).  With `explains` each end of a region tells in words where it comes
 * from, which bounds_print needs and nothing else; its place is always there.  Null after reporting
 * (an index that cannot be bounded, ..). */
BoundsResult *bounds_fill(Program *program, const Pipeline *pipeline, const BoundRequests *requests,
                          bool slide, bool explains, Arena *arena);

/* What `hlc bounds` prints: for each func (and image) the region as a formula, one line a
 * dimension, and under it from which access, window or directive each end comes. */
void bounds_print(FILE *out, Context *context, const Pipeline *pipeline,
                  const BoundsResult *result);

#endif

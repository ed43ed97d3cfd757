/* oracle.h -- the bounds oracle (section 7 of the report): fills every hole of a program.
 *
 * The oracle works from the consumers to the producers.  For each compute statement it does five
 * steps.  It takes the box of each access that the statement must serve (region.h).  It eliminates
 * the loop variables that are not in scope there by symbolic interval arithmetic.  It takes the
 * hull of the boxes.  It applies the requests of phase 2 and simplifies.  It replaces the holes by
 * the result; a large expression becomes a let at the hole instead of being repeated.  Every end of
 * every region remembers its origin.
 */
#ifndef HLC_BOUNDS_ORACLE_H
#define HLC_BOUNDS_ORACLE_H

#include "ir/algorithm.h"
#include "schedule/schedule.h"
#include "simplify/simplify.h"

/* The origin of a region's end: an access, a window, a bound or an alignment. */
typedef struct Provenance {
    Place place;
    const char *reason; /* e.g. "read f(x + r, y) in g, update 1"; "the window of out" */
    const char *rule;   /* how its loops were eliminated, and which directives took part; may be
                         * null: "r over its domain; x over one iteration of h.s1.xo, .." */
} Provenance;

typedef struct RegionEnd {
    Expr expr; /* its variables are in scope at the compute statement; inclusive */
    Provenance provenance;
    bool is_fixed; /* by `bound`, or by an interval that the compiler inserted (is_least) */
} RegionEnd;

/* The region of a func at one of its compute statements; for an image, the region that is read. */
typedef struct BoundsRegion {
    Symbol func;
    int specialization, copy;
    int dimensions;
    Extent compute[MAX_DIMENSIONS]; /* cpu holes' values, in scope at compute */
    Extent memory[MAX_DIMENSIONS];  /* mem holes' values, in scope at allocate */
    /* The hull of the memory over all surrounding loops, in startup variables.  For an image: the
     * region that is read. */
    Extent whole[MAX_DIMENSIONS];
    /* The same for the entry checks: with the names of large lets at the top of the program.  So the
     * checks of a chain of funcs grow no faster than the chain. */
    Extent asserted[MAX_DIMENSIONS];
    /* The region that consumers, the window and the func's own updates need, before `bound`,
     * `bound-extent` and `align-bounds`, in startup variables.  It is the hull over all surrounding
     * loops.  If bound-extent fixes the length, it is the greatest one in a run of the compute
     * statement.
     */
    Extent needed[MAX_DIMENSIONS];
    Expr longest[MAX_DIMENSIONS];
    RegionEnd lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
    Expr condition; /* for a func: if it does not hold, nothing of it is read or computed; for an
                       image: nothing is read.  Null: none */
    /* The compute statement (or the specializations' if) before filling; null: image. */
    const Stmt *computing;
    Symbol around; /* the func in whose loops it is computed; null: root, or an image */
} BoundsRegion;

/* A value that was too large to repeat.  Formulas mention it by name. */
typedef struct BoundLet {
    Symbol name;
    Expr value;
} BoundLet;

/* For a func stored outside a loop in which it is computed: does its window slide along the
 * loop? */
typedef struct SlideNote {
    Symbol func;
    int copy;
    Symbol loop; /* its variable */
    bool slides;
    const char *text; /* the dimension; or why not */
} SlideNote;

/* The entry must check that the factor of fold-storage is enough. */
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

/* A func whose updates read ever more of it: no finite region serves all its stages. */
typedef struct GrowingFunc {
    Symbol func, variable; /* null: there is none */
} GrowingFunc;
void growing_report(const Pipeline *pipeline, const GrowingFunc *growing);

/* Fills all holes of `program` in place.  With `slide`, what an earlier iteration computed is not
 * computed again (slide.c).  With `explains`, each end of a region says in words where it comes
 * from; only bounds_print needs that.  Its place is always there.  Null after reporting (an index
 * that cannot be bounded, ..).  A growing func is not reported, but is set. */
BoundsResult *bounds_fill(Program *program, const Pipeline *pipeline, const BoundRequests *requests,
                          bool slide, bool explains, Arena *arena, GrowingFunc *growing);

/* Prints the output of `hlc bounds`.  For each func (and image): the region as formulas, one line a
 * dimension, and under it the access, window or directive of each end. */
void bounds_print(FILE *out, Context *context, const Pipeline *pipeline,
                  const BoundsResult *result);

#endif

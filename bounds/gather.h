/* gather.h -- a region under construction, seen from a base (private to bounds/).
 *
 * The ends of a region are gathered in parts.  There is one part for each set of outputs that need
 * something, under each condition.  A part counts if one of its windows has points: a pipeline may
 * have several outputs, and an empty window asks for nothing.  A part also counts only if its
 * condition holds: a read in a loop without iterations, or masked by a split's guard, does not
 * happen.  Mostly there is one part, with one output and no condition.
 */
#ifndef HLC_BOUNDS_GATHER_H
#define HLC_BOUNDS_GATHER_H

#include "bounds/inference.h"

typedef struct GatheringPart {
    OutputSet needed_by;
    Expr condition; /* holds if one of the part's reads happens; null: always */
    Hull lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
} GatheringPart;

/* Gathers the reads of the realization's func as seen from `base`, and its window.  The result has
 * no requests applied, and is not yet intersected with what is asked around it.
 * (required_region.c) */
typedef struct Gathering GatherReads(BoundsInference *bounds, Realization *realization,
                                     const Block *base);

typedef struct Gathering {
    BoundsInference *bounds;
    Realization *realization; /* null for an image */
    const Block *base;
    GatherReads *reads_from; /* gathers the same from another block; null for images and memory */
    Ranges ranges;           /* for proofs and memory only */
    int dimensions;
    Vec(GatheringPart *) parts;
    Interval own[MAX_DIMENSIONS]; /* the range of the func's own reads; unknown if there are none */
} Gathering;

/* The origin of a range: a use in a view, or a text. */
typedef struct Source {
    const AccessUse *use;
    const View *view;
    Place place;
    const char *reason;
} Source;

Gathering gathering_create(BoundsInference *bounds, Realization *realization, const Block *base,
                           int dimensions);
/* Returns the part of these outputs and this condition (null: none), a result of view_condition. */
GatheringPart *gathering_part(Gathering *gathering, OutputSet needed_by, Expr condition);
/* Makes a new part without a condition, beside the existing ones. */
GatheringPart *gathering_separate(Gathering *gathering, OutputSet needed_by);
/* Adds a range with known ends to one of its parts.  True if the region grew. */
bool gathering_add(Gathering *gathering, GatheringPart *part, int dimension, Interval range,
                   Source source);
/* Returns the condition that one of the reads happens; null: always, or there are no reads. */
Expr gathering_condition(const Gathering *gathering);
/* Unites all parts into one.  Its condition is gathering_condition; with `always`, null. */
GatheringPart *gathering_unify(Gathering *gathering, OutputSet needed_by, bool always);
/* Of the reads of a func at its own block: may there be runs in which nothing is read, so that
 * nothing needs to be computed although bound-extent fixes a length? */
bool gathering_may_skip(const Gathering *gathering);
/* The condition of such a run that is not skipped: something is needed, in the dimensions of a fixed
 * length also of `needed`, what is needed met with what all runs need.  So the run begins inside of
 * the latter.  Null: always. */
Expr gathering_nonempty(const Gathering *gathering, const Interval *needed);
bool gathering_is_empty(const Gathering *gathering);
/* Returns one side of a region that is not empty. */
RegionEnd gathering_end(const Gathering *gathering, int dimension, bool upper);
Interval gathering_range(const Gathering *gathering, int dimension);

/* ---- request.c: requests of phase 2 ---- */
/* Returns the region of one dimension after bound, bound-extent and align-bounds. */
Interval request_apply(const Gathering *gathering, int dimension, Interval needed);
/* The same for the computed region.  In a nest of equations, `bound` limits what others read.  The
 * nest's own reads beyond it, which are zero, are included too. */
Interval request_hold(const Gathering *gathering, int dimension, Interval needed);
/* Adds the directives that decided an end of `needed` to its provenance. */
void request_credit(const Gathering *gathering, int dimension, Interval needed, RegionEnd *end,
                    bool upper);

#endif

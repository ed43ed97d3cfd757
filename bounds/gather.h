/* gather.h -- a region under construction, seen from a base (private to bounds/).
 *
 * Ends are gathered in parts: one for each set of outputs on whose account something is asked, and
 * each condition under which it is.  Where a pipeline has several outputs, some windows may be
 * empty, and what only those need is not asked for: a part counts if one of its windows has points.
 * And a read that stands in a loop without iterations, or that a split's guard masks, is not made:
 * a part counts if its condition holds.  Mostly there is one part, with one output and no
 * condition.
 */
#ifndef HLC_BOUNDS_GATHER_H
#define HLC_BOUNDS_GATHER_H

#include "bounds/inference.h"

typedef struct GatheringPart {
    OutputSet needed_by;
    Expr condition; /* that one of its reads is made; null: that is so */
    Hull lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
} GatheringPart;

/* The reads of the realization's func as seen from `base`, and its window: without requests, and
 * not yet met with what is asked around.  (required_region.c) */
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
    Interval own[MAX_DIMENSIONS]; /* what the func's own reads ask; unknown where there are none */
} Gathering;

/* Where a range comes from: a use in a view, or a text of its own. */
typedef struct Source {
    const AccessUse *use;
    const View *view;
    Place place;
    const char *reason;
} Source;

Gathering gathering_create(BoundsInference *bounds, Realization *realization, const Block *base,
                           int dimensions);
/* The part of these outputs and this condition (null: none), one of view_condition. */
GatheringPart *gathering_part(Gathering *gathering, OutputSet needed_by, Expr condition);
/* A new part without a condition, beside those that are there. */
GatheringPart *gathering_separate(Gathering *gathering, OutputSet needed_by);
/* Adds a range with known ends to one of its parts.  True if the region grew. */
bool gathering_add(Gathering *gathering, GatheringPart *part, int dimension, Interval range,
                   Source source);
/* That one of the reads is made; null: that is always so, or there is none. */
Expr gathering_condition(const Gathering *gathering);
/* All that was gathered as one part, whose condition is gathering_condition or, with `always`,
 * null.
 */
GatheringPart *gathering_unify(Gathering *gathering, OutputSet needed_by, bool always);
/* Of the reads of a func at its own block: may there be runs in which nothing is read, so that
 * nothing needs to be computed although bound-extent fixes a length? */
bool gathering_may_skip(const Gathering *gathering);
/* The condition of such a run that is not skipped: something is needed, in the dimensions of a fixed
 * length also of `needed`, what is needed met with what all runs need.  So the run begins inside of
 * the latter.  Null: always. */
Expr gathering_nonempty(const Gathering *gathering, const Interval *needed);
bool gathering_is_empty(const Gathering *gathering);
/* One side of a region that is not empty. */
RegionEnd gathering_end(const Gathering *gathering, int dimension, bool upper);
Interval gathering_range(const Gathering *gathering, int dimension);

/* ---- request.c: what phase 2 asked ---- */
/* The region of one dimension after bound, bound-extent and align-bounds. */
Interval request_apply(const Gathering *gathering, int dimension, Interval needed);
/* The same for what is computed: of a nest of equations, `bound` speaks of what others read; what
 * its own reads ask beside it, which is zero, is held, too. */
Interval request_hold(const Gathering *gathering, int dimension, Interval needed);
/* Puts directives that have the last word on an end of `needed` into its provenance. */
void request_credit(const Gathering *gathering, int dimension, Interval needed, RegionEnd *end,
                    bool upper);

#endif

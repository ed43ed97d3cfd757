/* inference.h -- what the parts of the oracle share (private to bounds/).
 *
 *   oracle.c           the order of work: realizations, facts, the results
 *   collect.c          one walk over the program: realizations, and which reads each of them serves
 *   narrow.c           a specialization leaves out the arms of selects that it decides
 *   output.c           which outputs need a func: an empty window asks nothing
 *   inference.c        values of solved holes, lets around blocks, facts that hold at a block
 *   view.c             ranges of expressions as seen from a block, inner loops and lets eliminated
 *   gather.c           a region under construction
 *   asked.c            which bound, bound-extent and align-bounds there are
 *   request.c          what bound, bound-extent and align-bounds make of it
 *   required_region.c  what a realization must compute, at its own block or one around it; memory;
 *                      images
 *   direction.c        which way an expression goes with a variable
 *   greatest.c         greatest values of lengths
 *   slide.c            what a realization need not compute again
 *   fold.c             which of its coordinates may share memory
 *   origin.c           an access as its author wrote it, for provenance and messages
 *   fill.c             puts the results for the holes, and the lets where they are used
 *
 * Two words.  A *realization* is one place where a func is computed: its compute statement, or the
 * if-tree of its specializations, which share their cpu holes; copies are realizations of their
 * own.  A *base* is a block of the program, standing for its scope: what is asked "at a base" may
 * mention the loop variables and lets around the block, and none bound inside it.
 */
#ifndef HLC_BOUNDS_INFERENCE_H
#define HLC_BOUNDS_INFERENCE_H

#include "bounds/region.h"

/* Outputs by number; a pipeline of more than 64 is treated as if each func were needed by all. */
typedef uint64_t OutputSet;

/* One access in one statement.  `unconditional`: it stands in a write index, a predicate, a guard
 * or a loop bound, so that it must be right whether or not the write hits the compute bounds (5d).
 */
typedef struct AccessUse {
    Stmt *stmt;
    Expr access;
    bool unconditional;
    Symbol reader;       /* the func in whose compute statement it stands */
    OutputSet needed_by; /* the outputs that need the reader */
} AccessUse;
typedef Vec(AccessUse) Uses;

/* What a realization must compute, seen from a base. */
typedef struct RequiredRegion {
    const Block *base;
    Interval needed[MAX_DIMENSIONS];  /* before bound, bound-extent, align-bounds */
    Interval compute[MAX_DIMENSIONS]; /* after them; named by lets where large */
    RegionEnd lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS];
    Expr condition;  /* that anything is read, else nothing is computed; null: it is, or it is not
                       known when */
    bool is_skipped; /* bound-extent fixes a length, and an `if` keeps the stages from running where
                        the condition does not hold */
} RequiredRegion;

typedef struct Realization {
    FuncShape *shape;
    int copy;
    Stmt *root; /* the compute statement, or the outermost if that chooses a specialization */
    Stmt *allocate;
    Uses reads;         /* by other funcs */
    Uses own;           /* by the func's own updates */
    Vec(Stmt *) stores; /* to the func, inside `root` */
    Vec(RequiredRegion *) required_regions;
    Extent compute[MAX_DIMENSIONS]; /* the cpu holes' values, once `solved` */
    bool solved;
    /* Some of its loops are another func's, too (schedule/directives/compute_with.c). */
    bool shares;
    bool may_skip, skip_is_decided; /* (gather.c) */
    Extent *held; /* where it slides: the region, of which `compute` is what is left to compute */
    Interval slid[MAX_DIMENSIONS]; /* likewise: `compute` as ranges */
    Vec(Slide) slides;
} Realization;

/* Values that were too large to repeat, bound around all of a block, in order. */
typedef struct LetBinding {
    Symbol name;
    Expr value;
    bool used;
} LetBinding;

typedef struct BlockLets {
    Block *block;
    Vec(LetBinding *) lets;
    Vec(Expr) facts; /* what is known of them, in scope at the block */
} BlockLets;

typedef struct View View;

typedef struct FuncSolution {
    FuncShape *shape;
    Vec(Realization *) realizations; /* in program order */
    OutputSet needed_by;
} FuncSolution;

/* When one of the outputs has points: a variable that is bound at the top. */
typedef struct OutputCondition {
    OutputSet outputs;
    Expr condition;
} OutputCondition;

typedef struct BoundsInference BoundsInference;
/* What the realization must compute, at its own block or one around it (required_region.c). */
typedef const RequiredRegion *RequiredRegionAt(BoundsInference *bounds, Realization *realization,
                                               const Block *base);

struct BoundsInference {
    Program *program;
    const Pipeline *pipeline;
    const BoundRequests *requests;
    Pool *pool;
    Arena *arena;
    Context *context;
    Simplifier *simplifier;
    Vec(FuncSolution *) funcs; /* in definition order */
    Map by_func;               /* Symbol -> FuncSolution */
    Vec(Uses *) image_uses;    /* in the signature's order */
    Map image_index;           /* Symbol -> Uses */
    Map binders;               /* Symbol of a for or let of the program -> Stmt */
    Map lets_by_block;         /* Block -> BlockLets */
    Map lets_by_name;          /* Symbol -> LetBinding */
    Vec(BlockLets *) blocks;   /* in the order of first use */
    Vec(LetBinding *) lets;    /* in the order of making: a value mentions earlier ones only */
    RequiredRegionAt
        *required_region_at; /* a hole's range asks for a required region, which asks for ranges */
    Map views;               /* Block -> the views from it */
    Map resolved;            /* Expr -> Expr without holes */
    Map expanded;            /* Symbol of a let -> its value without lets (inference.c) */
    size_t expanded_count;
    ExprMemo expansion;
    const Block *facts_at; /* the base whose facts are learned; null before the first */
    FactMark startup;      /* facts before this mark hold everywhere */
    bool is_sliding;       /* realizations slide */
    Vec(FoldCheck) folds;
    Vec(SlideNote) slides; /* by realization, in the order of solving */
    bool explains;         /* ends get their provenance */
    bool has_beyond;       /* some split rounds up: what memory and compute require differs */
    bool failed;
    Map narrowed; /* Stmt, the if of a specialization that left out an arm of a select -> itself */
    Map written;  /* Expr -> Expr with the author's names (origin.c) */
    Map needed;   /* Symbol of an output -> the variable `out.needed` (output.c) */
    Vec(OutputCondition) conditions;
    Map hole_realizations; /* hole's Expr -> ComputeSite */
};

/* ---- collect.c ---- */
/* Fills `funcs`, the uses and the binders. */
void collect_program(BoundsInference *bounds);
/* The realization whose cpu holes (and for holes) this one is among. */
Realization *realization_of_hole(BoundsInference *bounds, Expr hole);
/* The block that the realization stands in: the base of its cpu holes. */
static inline Block *realization_block(const Realization *realization) {
    return realization->root->block;
}

/* So many loops around a realization that their facts would make each proof slow. */
enum { DEEP_LOOPS = 12 };
/* How many loops stand around it. */
static inline int realization_loops(const Realization *realization) {
    int loops = 0;
    for (const Stmt *stmt = realization->root; stmt; stmt = stmt_parent(stmt))
        loops += stmt->kind == STMT_FOR;
    return loops;
}

/* ---- inference.c ---- */
/* The number of the dimension that `variable` counts. */
int shape_dimension(const FuncShape *shape, Symbol variable);
/* Hole-free: the holes of solved realizations replaced by their values. */
Expr inference_resolve(BoundsInference *bounds, Expr expr);
/* The same with the nodes that are keys of `replacements` replaced by their values; the map
 * remembers what else was met. */
Expr inference_replace(BoundsInference *bounds, Map *replacements, Expr expr);
/* Hole-free, the holes of `self` replaced by its two `symbolic` ends in each dimension. */
Expr inference_resolve_symbolic(BoundsInference *bounds, const Realization *self,
                                const Interval *symbolic, Map *memo, Expr expr);
/* Learns what is known in the scope of `base`, forgetting what was known at another. */
void inference_enter(BoundsInference *bounds, const Block *base);
/* A variable that a let around `base` binds to `expr`. */
Expr inference_bind(BoundsInference *bounds, const Block *base, Expr expr, const char *stem);
/* `expr`, or, if it is large, a variable that a let around `base` binds to it. */
Expr inference_name(BoundsInference *bounds, const Block *base, Expr expr, const char *stem);
/* The expression in startup variables: lets at the top of the program expanded. */
Expr inference_expand(BoundsInference *bounds, Expr expr);

/* What the if of a specialization says in `block`, one of its two. */
Expr inference_branch(BoundsInference *bounds, const Stmt *branch, const Block *block);

/* ---- narrow.c ---- */
/* Takes the arms of selects that a specialization decides out of its branch of the program. */
void narrow_specializations(BoundsInference *bounds);

/* ---- output.c ---- */
/* Fills `needed_by` everywhere. */
void output_collect(BoundsInference *bounds);
/* The output `func` alone; empty where it is none. */
OutputSet output_set(const BoundsInference *bounds, Symbol func);
/* The outputs that need `func`, itself included. */
OutputSet output_needs(const BoundsInference *bounds, Symbol func);
/* Does one of their windows have points?  Null where that always holds when the program runs. */
Expr output_condition(BoundsInference *bounds, OutputSet outputs);
/* Where funcs share loops, and not all outputs need this one: the condition under which it has a
 * region, since no if can stand around the loops.  Null for others. */
Expr output_condition_of(BoundsInference *bounds, const Realization *realization);
/* `length` where one of the windows has points, else 0. */
Expr output_length(BoundsInference *bounds, OutputSet outputs, Expr length);

/* ---- view.c ---- */
/* The view from a base.  `beyond`: iterations that a round-up tail adds count too. */
View *view_from(BoundsInference *bounds, const Block *base, bool beyond);
/* A view in which the holes of `realization` are variables: `symbolic`, its two ends in each
 * dimension. */
View *view_of_self(BoundsInference *bounds, const Block *base, Realization *realization,
                   const Interval *symbolic);
/* The range of an expression (holes allowed) that stands in `stmt`, inside the base. */
Interval view_range(View *view, Stmt *stmt, Expr expr);
/* The condition that a recurrence has an iteration, or part of a domain a value, is taken for true
 * where it is larger than this, which makes regions no smaller: chains of recurrences would put one
 * into the other. */
enum { LARGEST_CONDITION = 24 };
/* The condition under which something is read at the use; null if that is always so.  A split's
 * guard may mask all iterations between the base and the use.  A reduction there that runs as far
 * as something is needed may have no iteration.  And the reader, where it is computed at the base
 * itself, may not be needed.  The use's range has been asked.  Without `with_guards` guards do not
 * count. */
Expr view_condition(View *view, const AccessUse *use, bool with_guards);
/* At least all values of a length (region.h). */
Expr view_greatest(View *view, Stmt *stmt, Expr expr);
/* How the view eliminated the variables of an expression whose range it has given: "r over its
 * domain; x over one iteration of h.s1.xo, split at blur.hl:9:5, clipped to the whole loop".  Null
 * for none. */
const char *view_explain(const View *view, Expr expr);

/* ---- required_region.c ---- */
RequiredRegionAt required_region_at;
/* The dimension in which the region of a realization that does not slide must be made empty where
 * nothing is read, by the condition of its required region; -1: none, as there is no condition, or
 * the ends do it. */
int required_region_emptied_dimension(BoundsInference *bounds, Realization *realization);
/* The condition of an `if` around the stages; null: there is none. */
Expr required_region_skipping(BoundsInference *bounds, const Realization *realization);
/* The hull of all that is computed, read and written of the func at the realizations of one
 * allocation. */
void memory_at(BoundsInference *bounds, const Stmt *allocate, const Block *base, Interval *memory);
/* The region that is read of image number `index`. */
BoundsRegion *image_region(BoundsInference *bounds, size_t index);
/* max(upper - lower + 1, 0), simplified. */
Expr range_length(BoundsInference *bounds, Interval range);
/* The range made to hold another, where it is not proved to. */
Interval range_include(BoundsInference *bounds, Interval range, Interval other);

/* ---- asked.c ---- */
/* Null where there is none of the kind. */
const BoundRequest *request_find(const BoundsInference *bounds, const Realization *realization,
                                 int dimension, BoundKind kind);
/* Does bound-extent fix this length?  Then the region seen from further out is made from this one,
 * and holds it. */
bool request_fixes_length(const BoundsInference *bounds, const Realization *realization,
                          int dimension);
/* Does bound-extent fix a length, and nothing the minimum with it? */
bool request_leaves_minimum(const BoundsInference *bounds, const Realization *realization);
/* Does phase 2 ask anything of this dimension, so that it may be longer than what is needed? */
bool request_is_made(const BoundsInference *bounds, const Realization *realization, int dimension);

/* ---- request.c ---- */
/* Refuses: what is needed of the func in all runs of a loop that compute-with shares is not known.
 */
void request_report_shared(BoundsInference *bounds, const FuncShape *shape);

/* ---- direction.c ---- */
enum { NEVER_FALLS = 1, NEVER_RISES = 2 };
/* Which of these is seen of an expression as the variable rises: one, both (it does not depend on
 * it), or none. */
int direction_of(BoundsInference *bounds, Expr expr, Symbol variable);

/* ---- slide.c ---- */
/* Takes from what a solved realization computes what earlier iterations hold. */
void slide_realization(BoundsInference *bounds, Realization *realization);

/* ---- fold.c ---- */
/* Folds the memory of a solved realization, as asked or as proved. */
void fold_realization(BoundsInference *bounds, const Realization *realization);

/* ---- origin.c ---- */
/* Where the access was written, "read f(x + 1, y) in g, update 1", and how the loops in its index
 * `dimension` were eliminated in the view. */
Provenance origin_of(BoundsInference *bounds, const AccessUse *use, int dimension,
                     const View *view);
/* Where the access was written. */
Place origin_of_use(BoundsInference *bounds, const AccessUse *use);
/* "blur.hl:9:5" */
static inline const char *origin_place(BoundsInference *bounds, Place place) {
    return arena_format(bounds->arena, "%s:%u:%u", bounds->context->files.data[place.file].path,
                        place.line, place.column);
}
/* "f(x + 1, y)" with the author's names. */
const char *origin_text(BoundsInference *bounds, const Stmt *stmt, Expr expr);
/* Reports that index `dimension` of the use (or of the store, access null) has no known range. */
void origin_report_unbounded(BoundsInference *bounds, const AccessUse *use, int dimension,
                             Expr culprit);

/* ---- fill.c ---- */
void fill_holes(BoundsInference *bounds);

#endif

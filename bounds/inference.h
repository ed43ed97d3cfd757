/* inference.h -- shared by the parts of the oracle (private to bounds/).
 *
 *   oracle.c           the order of work: realizations, facts, the results
 *   collect.c          one walk over the program: realizations, and which reads each of them serves
 *   narrow.c           a specialization leaves out the arms of selects that it decides
 *   arms.c             what only one arm of a choice needs is left out where it takes the other
 *   output.c           which outputs need a func: an empty window asks nothing
 *   inference.c        values of solved holes, lets around blocks, facts that hold at a block
 *   view.c             ranges of expressions as seen from a block, inner loops and lets eliminated
 *   gather.c           a region under construction
 *   asked.c            which bound, bound-extent and align-bounds there are
 *   request.c          what bound, bound-extent and align-bounds make of it
 *   own_reads.c        what a func's updates ask of the func itself
 *   required_region.c  what a realization must compute, at its own block or one around it; memory;
 *                      images
 *   direction.c        which way an expression goes with a variable
 *   greatest.c         greatest values of lengths
 *   slide.c            the part of a region that earlier iterations have already computed
 *   fold.c             coordinates of a region that may share memory
 *   limit.c            the least constant that a length never exceeds
 *   lengths.c          vectorized and unrolled loops get a constant length
 *   origin.c           an access as its author wrote it, for provenance and messages
 *   fill.c             replaces the holes by the results, and puts lets where they are used
 *
 * Two terms.  A *realization* is one place where a func is computed: its compute statement, or the
 * if-tree of its specializations, which share their cpu holes.  Copies are realizations of their
 * own.  A *base* is a block of the program, and stands for its scope.  A region "at a base" may
 * mention the loop variables and lets around the block, and none that is bound inside it.
 */
#ifndef HLC_BOUNDS_INFERENCE_H
#define HLC_BOUNDS_INFERENCE_H

#include "bounds/region.h"

/* A set of outputs by number.  With more than 64 outputs, each func counts as needed by all. */
typedef uint64_t OutputSet;

/* One access in one statement.  `unconditional`: it stands in a write index, a predicate, a guard
 * or a loop bound.  So it must be right even if the write misses the compute bounds (5d).
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
    Interval compute[MAX_DIMENSIONS]; /* after them; a large end is named by a let */
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
    bool may_skip, skip_is_decided;      /* (gather.c) */
    bool is_enlarged, enlarged_is_known; /* (required_region.c) */
    Expr read_where;                     /* (arms_condition) */
    bool read_where_is_known;
    Extent *held; /* where it slides: the region, of which `compute` is what is left to compute */
    Interval slid[MAX_DIMENSIONS]; /* likewise: `compute` as ranges */
    Vec(Slide) slides;
} Realization;

/* Values that were too large to repeat.  They are bound around all of a block, in order. */
typedef struct LetBinding {
    Symbol name;
    Expr value;
    bool used;
} LetBinding;

typedef struct BlockLets {
    Block *block;
    Vec(LetBinding *) lets;
    Vec(Expr) facts; /* facts about the values, in scope at the block */
} BlockLets;

typedef struct View View;

typedef struct FuncSolution {
    FuncShape *shape;
    Vec(Realization *) realizations; /* in program order */
    OutputSet needed_by;
} FuncSolution;

/* A variable bound at the top: true if one of the outputs has points. */
typedef struct OutputCondition {
    OutputSet outputs;
    Expr condition;
} OutputCondition;

/* A vectorized or unrolled loop that has at most `limit` iterations (lengths.c). */
typedef struct LimitedLoop {
    Stmt *loop;
    int64_t limit;
    LoopName name; /* of the loop that counts them */
} LimitedLoop;

typedef struct BoundsInference BoundsInference;
/* Returns the required region of the realization, at its own block or one around it
 * (required_region.c). */
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
    Vec(LetBinding *) lets;    /* in the order of creation: a value mentions earlier ones only */
    RequiredRegionAt
        *required_region_at; /* a hole's range asks for a required region, which asks for ranges */
    Map views;               /* Block -> the views from it */
    Map resolved;            /* Expr -> Expr without holes */
    Map expanded;            /* Symbol of a let -> its value without lets (inference.c) */
    size_t expanded_count;
    ExprMemo expansion, shortening; /* of inference_expand; the same that keeps large lets */
    const Block *facts_at;          /* the base whose facts are learned; null before the first */
    FactMark startup;               /* facts before this mark hold everywhere */
    bool is_sliding;                /* realizations slide */
    Vec(FoldCheck) folds;
    Vec(LimitedLoop) limited;
    Vec(SlideNote) slides; /* by realization, in the order of solving */
    bool explains;         /* ends get their provenance */
    bool has_beyond;       /* some split rounds up: memory and compute require different regions */
    bool leaves_out;       /* some read does not count everywhere (arms.c) */
    bool failed;
    GrowingFunc growing; /* the first one */
    Map narrowed; /* Stmt, the if of a specialization that left out an arm of a select -> itself */
    Map parted;   /* Stmt, the if that arms.c put around a store -> itself */
    Map written;  /* Expr -> Expr with the author's names (origin.c) */
    Map needed;   /* Symbol of an output -> the variable `out.needed` (output.c) */
    Vec(OutputCondition) conditions;
    Map hole_realizations; /* hole's Expr -> ComputeSite */
};

/* ---- collect.c ---- */
/* Fills `funcs`. */
void collect_program(BoundsInference *bounds);
/* Fills the uses and the binders. */
void collect_accesses(BoundsInference *bounds);
/* Returns the realization that has this cpu hole (or for hole). */
Realization *realization_of_hole(BoundsInference *bounds, Expr hole);
/* Returns the block of the realization: the base of its cpu holes. */
static inline Block *realization_block(const Realization *realization) {
    return realization->root->block;
}

/* Returns the realization that computes what `stmt` reads of the func; null if none stands around. */
/* Returns the realization that a compute statement belongs to. */
Realization *realization_of_compute(const BoundsInference *bounds, const Stmt *compute);
Realization *serving_realization(const FuncSolution *solution, const Stmt *stmt);

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
/* Returns the number of the dimension of `variable`. */
int shape_dimension(const FuncShape *shape, Symbol variable);
/* Replaces the holes of solved realizations by their values.  The result has no holes. */
Expr inference_resolve(BoundsInference *bounds, Expr expr);
/* The same, and replaces each node that is a key of `replacements` by its value.  The map also
 * remembers the other nodes that it met. */
Expr inference_replace(BoundsInference *bounds, Map *replacements, Expr expr);
/* The same, but replaces the holes of `self` by its two `symbolic` ends in each dimension. */
Expr inference_resolve_symbolic(BoundsInference *bounds, const Realization *self,
                                const Interval *symbolic, Map *memo, Expr expr);
/* Learns the facts in the scope of `base`, and forgets those of another base. */
void inference_enter(BoundsInference *bounds, const Block *base);
/* Returns a variable that a let around `base` binds to `expr`. */
Expr inference_bind(BoundsInference *bounds, const Block *base, Expr expr, const char *stem);
/* Returns `expr`, or, if it is large, a variable that a let around `base` binds to it. */
Expr inference_name(BoundsInference *bounds, const Block *base, Expr expr, const char *stem);
/* Returns the expression over startup variables: expands the lets at the top of the program. */
Expr inference_expand(BoundsInference *bounds, Expr expr);
/* The same of an interval.  With `keep_large`, lets of large values keep their names. */
Extent inference_expand_interval(BoundsInference *bounds, Extent interval, bool keep_large);

/* What the if of a specialization says in `block`, one of its two. */
Expr inference_branch(BoundsInference *bounds, const Stmt *branch, const Block *block);

/* ---- narrow.c ---- */
/* Takes the arms of selects that a specialization decides out of its branch of the program. */
void narrow_specializations(BoundsInference *bounds);

/* ---- arms.c ---- */
/* Makes branches of stores that choose among funcs. */
void arms_part(BoundsInference *bounds);
/* Returns the condition, in scope at `base`, under which the choices and the readers around the
 * uses let one of them happen; null: always, or it is not known there. */
Expr arms_condition_of_uses(BoundsInference *bounds, const Uses *uses, const Block *base);
/* Returns the same of all reads of the realization, at its own block.  Where it fails, nothing of
 * the realization is computed.  Null: always. */
Expr arms_condition(BoundsInference *bounds, Realization *realization);
/* Returns the same of all realizations in the memory, in scope at the allocation.  Where it fails,
 * the memory holds nothing. */
Expr arms_condition_of_memory(BoundsInference *bounds, const Stmt *allocate);
/* ---- output.c ---- */
/* Fills `needed_by` everywhere. */
void output_collect(BoundsInference *bounds);
/* Returns the set of the output `func` alone; empty if it is no output. */
OutputSet output_set(const BoundsInference *bounds, Symbol func);
/* Returns the outputs that need `func`, itself included. */
OutputSet output_needs(const BoundsInference *bounds, Symbol func);
/* Returns the condition that one of their windows has points.  Null if it always holds. */
Expr output_condition(BoundsInference *bounds, OutputSet outputs);
/* For a func in shared loops that not all outputs need: the condition under which it has a region,
 * as no `if` can stand around the loops.  Null for others. */
Expr output_condition_of(BoundsInference *bounds, const Realization *realization);
/* Returns `length` if one of the windows has points, else 0. */
Expr output_length(BoundsInference *bounds, OutputSet outputs, Expr length);

/* ---- view.c ---- */
/* Returns the view from a base.  `beyond`: iterations that a round-up tail adds count too. */
View *view_from(BoundsInference *bounds, const Block *base, bool beyond);
/* Returns a view for reads of images. In the window form it knows folded coordinates closely. */
View *view_of_images(BoundsInference *bounds, const Block *base);
/* Returns a view in which the holes of `realization` are the variables `symbolic`, two ends in each
 * dimension. */
View *view_of_self(BoundsInference *bounds, const Block *base, Realization *realization,
                   const Interval *symbolic);
/* Returns the range of an expression (holes allowed) that stands in `stmt`, inside the base. In a narrowed
 * branch (narrow.c) it is the range where the branch is taken; elsewhere the value does not matter. */
Interval view_range(View *view, Stmt *stmt, Expr expr);
/* A larger condition than this counts as true: the condition that a recurrence has an iteration, or
 * part of a domain a value.  That makes regions no smaller.  Without the limit, chains of
 * recurrences would nest their conditions. */
enum { LARGEST_CONDITION = 24 };
/* Returns the condition under which something is read at the use; null if that is always so.  There
 * are three reasons for a condition.  A split's guard may mask all iterations between the base and
 * the use.  A reduction there that ends where nothing more is needed may have no iteration.  A
 * reader that is computed at the base itself may not be needed.
 *
 * The caller has asked for the use's range before.  Without `with_guards` guards do not count. */
Expr view_condition(View *view, const AccessUse *use, bool with_guards);
/* Returns what the narrowed branches (narrow.c) between the base and the statement say; null: nothing. */
Expr view_branches(View *view, const Stmt *stmt);
/* Returns a number that is at least all values of a length (region.h). */
Expr view_greatest(View *view, Stmt *stmt, Expr expr);
/* Says how the view eliminated the variables of an expression whose range it has given: "r over its
 * domain; x over one iteration of h.s1.xo, split at blur.hl:9:5, clipped to the whole loop".  Null
 * if there were none. */
const char *view_explain(const View *view, Expr expr);

/* ---- required_region.c ---- */
RequiredRegionAt required_region_at;
/* Returns the dimension in which a region that does not slide must be made empty if nothing is
 * read.  The condition is that of the required region.  -1: there is no condition, or the ends
 * already make the region empty. */
int required_region_emptied_dimension(BoundsInference *bounds, Realization *realization);
/* The condition that anything is read at a solved realization's own block, arms included; null:
 * always, or it is not known. */
Expr required_region_condition(BoundsInference *bounds, Realization *realization);
/* Do the stages run in all iterations of the loop around, or in none?  Asks the conditions of this
 * realization, and of those around it inside of the loop. */
bool required_region_is_steady(BoundsInference *bounds, Realization *realization, const Stmt *loop);
/* The condition of an `if` around the stages; null: there is none. */
Expr required_region_skipping(BoundsInference *bounds, Realization *realization);
/* The hull of all that is computed, read and written of the func at the realizations of one
 * allocation. */
void memory_at(BoundsInference *bounds, const Stmt *allocate, const Block *base, Interval *memory);
/* Returns the region that is read of image number `index`. */
BoundsRegion *image_region(BoundsInference *bounds, size_t index);
/* max(upper - lower + 1, 0), simplified. */
Expr range_length(BoundsInference *bounds, Interval range);
/* Returns the range, enlarged to hold another unless it is proved to hold it. */
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
/* How does the expression change as the variable rises?  Returns one of the two, both (it does not
 * depend on the variable), or neither. */
int direction_of(BoundsInference *bounds, Expr expr, Symbol variable);

/* ---- limit.c ---- */
/* Returns the least constant, from 1 to `largest`, that the length in `stmt` (holes allowed) is known
 * never to exceed; 0 where none is known.  `most` gets the greatest value in startup variables, or
 * null. */
int64_t limit_constant(BoundsInference *bounds, Stmt *stmt, Expr length, int64_t largest,
                       Expr *most);

/* ---- lengths.c ---- */
/* Finds the limits of the loops whose length was left to the oracle, or refuses. */
void find_lengths(BoundsInference *bounds);
/* Gives these loops a constant length, and a guard.  The holes are filled. */
void put_lengths(BoundsInference *bounds);

/* ---- slide.c ---- */
/* Removes from the computed region of a solved realization what earlier iterations hold. */
void slide_realization(BoundsInference *bounds, Realization *realization);

/* ---- fold.c ---- */
/* Folds the memory of a solved func, as asked or as proved. */
void fold_func(BoundsInference *bounds, const FuncSolution *solution);

/* ---- origin.c ---- */
/* Returns the place of the access, "read f(x + 1, y) in g, update 1", and how the view eliminated
 * the loops in its index `dimension`. */
Provenance origin_of(BoundsInference *bounds, const AccessUse *use, int dimension,
                     const View *view);
/* Returns the place where the access was written. */
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
void fill_holes(BoundsInference *bounds, const BoundsResult *result);

#endif

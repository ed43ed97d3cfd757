/* splitting.h -- what the files share that make a plan (plan.h lists them). */
#ifndef HLC_LIBRARY_SPLIT_SPLITTING_H
#define HLC_LIBRARY_SPLIT_SPLITTING_H

#include "base/context.h"
#include "library/split/plan.h"

enum { MOST_CUT = 16 }; /* components of a func that is cut */

/* A func that is cut: later parts read its components as images of these names. A func of 0
 * dimensions becomes one of 1. */
typedef struct CutFunc {
    const Func *func; /* with one dimension at least */
    Symbol images[MOST_CUT];
    const struct CutFunc *system; /* of an equation: that of all equations of its recurrence */
} CutFunc;

typedef struct Splitting {
    Context *context;
    Arena *arena;
    const Pipeline *pipeline; /* the whole */
    Pool *pool;
    const SplitOptions *options;
    SplitPlan *plan;
    Map cut;      /* Symbol -> CutFunc */
    Map taken;    /* Symbol of an array's name -> itself */
    size_t parts; /* made so far: they are numbered */
    bool *kept;   /* by directive of the schedule: some part has it */
} Splitting;

/* A part that is being made. */
typedef struct PartPlan {
    Vec(const Func *) goals;    /* its outputs, in terms of the whole's funcs */
    Vec(ImageParameter) images; /* beside those of the whole and of cut funcs */
    Vec(Parameter) parameters;  /* likewise */
    bool is_whole;              /* nothing is cut */
    bool keeps_schedule;
    const Extent *size; /* of the only output; null: those of the whole's outputs */
} PartPlan;

/* ---- part.c ---- */

/* Makes the algorithm, its text, and reads the text. Ports of images of the whole and of cut funcs
 * are filled in; the caller adds those of outputs. False after reporting. */
bool part_create(Splitting *splitting, const PartPlan *plan, PlanPart *part);
/* Returns a func of at least one dimension: itself, or with a dimension [0, 1). */
const Func *func_widened(Splitting *splitting, const Func *func);
/* Returns a name that the pipeline does not have: `stem`, `stem_2`, .. */
Symbol split_name(Splitting *splitting, const char *stem);
/* The name as an identifier. */
const char *split_identifier(Splitting *splitting, Symbol name);

/* ---- need.c ---- */

/* What the readers' windows need of a func, in a small whole and in a large one. */
typedef struct NeedWindow {
    Image boxes[2];
} NeedWindow;
typedef struct NeedWindows {
    Map by_func, by_image; /* Symbol -> NeedWindow */
} NeedWindows;

/* Finds the windows of all funcs, each of which is cut in `alone`. False after reporting. */
bool need_windows(Splitting *alone, NeedWindows *windows);
/* Does such a window of the part's outputs need more of an image, the larger the whole is? Returns
 * the first such image's name; null: none, or it is not known. */
const char *part_grows(Splitting *splitting, const NeedWindows *windows, const PlanPart *part);
/* Has the range more iterations in one of its orders, the larger the whole is? */
bool range_grows(Splitting *splitting, const PlanPart *range);

/* ---- scan.c ---- */

/* A dimension along which an update is a scan: iteration r of the reduction variable writes at the
 * coordinate offset + r, or offset - r if it is `turned`. */
typedef struct ScanAlong {
    int dimension;
    size_t variable;
    bool is_turned;
    bool is_lower; /* what is read lies at higher coordinates */
    Expr offset;
    int64_t reach; /* how many coordinates back is read */
} ScanAlong;

typedef struct ScanOrder {
    ScanAlong along[MAX_IMAGE_DIMENSIONS];
    int count; /* 0: it is no scan */
} ScanOrder;

/* Finds the dimensions along which the update is a scan. */
ScanOrder scan_order(Splitting *splitting, const Func *func, const Stage *stage);
/* The coordinates in the dimension that the update writes. */
Extent scan_written(Pool *pool, const ScanAlong *along, Extent iterations);
/* The iterations that write the coordinates [first, end). */
void scan_iterations(Pool *pool, const ScanAlong *along, Expr *first, Expr *end);

/* ---- equations.c ---- */

/* Returns the equations of a recurrence as one func: a tuple of all their values, zero, with one update.
 * Null with a fault, a clause that says why there is none. */
const Func *equations_as_update(Splitting *splitting, const Recurrence *recurrence,
                                const char **fault);

/* ---- update.c ---- */

/* Do blocks of update `number` bound what one of them computes, however large the whole is? 1: yes, 0: no,
 * -1 after reporting. */
int blocks_bound(Splitting *splitting, const CutFunc *cut, int number);
/* Makes the step of update `number` of the cut func: a scan, else a chain. `before` are the arrays of
 * the stages before (null for a scan from the pure stage alone, which computes it itself). False after
 * reporting. */
bool blocked_step(Splitting *splitting, const CutFunc *cut, int number, const PlanNames *before,
                  const PlanNames *after);

/* ---- merge.c ---- */

/* Fills in the merge of a chain; null if the operator is not proved exactly associative. False after
 * reporting. */
bool merge_create(Splitting *splitting, const CutFunc *cut, int number, const PlanNames *arrays,
                  const PlanMerge **merge);

/* ---- directives.c ---- */

/* Returns the text of a schedule `s` for the part, of the directives of the whole's schedule that it
 * accepts, which are marked; null: of none. */
const char *part_schedule(Splitting *splitting, const char *text, const char *name, bool *kept);

#endif

/* running.h -- what the files share that run a plan (plan.h).
 *
 *   plan_part.c    the arrays; one part on one window
 *   plan_boxes.c   the boxes of arrays, from the last step to the first
 *   plan_run.c     the steps, in random windows and blocks
 */
#ifndef HLC_LIBRARY_SPLIT_RUNNING_H
#define HLC_LIBRARY_SPLIT_RUNNING_H

#include "ir/stmt.h"
#include "library/split/plan.h"

enum { MOST_ELEMENTS = 1 << 18 }; /* of all arrays */

typedef struct RunArray {
    const char *name;
    Image image; /* its box and, once it is computed, its elements */
    bool has_box;
} RunArray;

typedef struct PlanRun {
    const SplitPlan *plan;
    Arena *arena;
    const Arguments *whole;
    Vec(RunArray) arrays; /* images of the whole, then those of steps */
    uint64_t state;
    Outcome outcome;
    const char *at; /* the pipeline of the part at work */
} PlanRun;

typedef struct RunBox {
    int64_t minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS];
} RunBox;

typedef struct RunRange {
    int64_t minimum, length;
} RunRange;

/* One part, ready to run. */
typedef struct PartRun {
    PlanRun *run;
    const PlanPart *part;
    const PlanStep *step; /* null: no step's main part */
    const Program *program;
    Arguments arguments;
    int output_count, dimensions;
} PartRun;

/* Where `before` comes from and the results go to, in place of the arrays: for the parts of a
 * merge. Null: the arrays. */
typedef struct RunRedirection {
    const Image *before, *left, *right, *results;
} RunRedirection;

/* ---- plan_part.c ---- */

/* Reports the first failure. Returns false. */
bool run_fail(PlanRun *run, int error, const char *message);
uint64_t run_draw(PlanRun *run);
RunArray *run_array(PlanRun *run, const char *name);
/* Lists the images of the whole and the arrays of steps. */
void run_list_arrays(PlanRun *run);
bool image_is_empty(const Image *image);
/* Grows the array's box by a box that something needs of it. */
void run_include(RunArray *array, const int64_t *minimum, const int64_t *extent);
void image_set_domain(Image *image, const Image *whole);
/* Copies the elements of a window to an image that holds it. */
void image_put_window(const Image *window, const Image *to);

/* `lowers`: it will be asked or run. */
PartRun part_run_create(PlanRun *run, const PlanPart *part, const PlanStep *step, bool lowers);
/* Is image `i` of the part one of `before`? */
bool part_run_is_before(const PartRun *runner, size_t i);
RunArray *part_run_image(const PartRun *runner, size_t i);
RunArray *part_run_output(const PartRun *runner, int i);
/* Sets the parameters of one of the step's orders. */
void part_run_set_block(PartRun *runner, int order, int64_t first, int64_t end);
/* Sets those of all orders of a scan to a window. */
void part_run_set_window(PartRun *runner, const int64_t *minimum, const int64_t *extent);
/* Finds what the windows of the outputs need of the images. */
bool part_run_ask(PartRun *runner);
/* Computes one window; `boxes` are those of the outputs. */
bool part_run_window(PartRun *runner, const RunBox *boxes, const RunRedirection *to,
                     const PlanMerge *merge);

/* ---- plan_boxes.c ---- */

/* Finds the iterations of a chain, or the coordinates that a scan writes, by order. */
bool run_find_ranges(PlanRun *run, const PlanStep *step, RunRange *ranges);
/* Finds the boxes of all arrays, from those of the outputs. */
bool run_find_boxes(PlanRun *run);

#endif

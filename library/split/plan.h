/* plan.h -- a pipeline cut into parts that can be computed in windows, and how to run them
 * (docs/large-split.md).
 *
 *   cut.c          which funcs are cut, and into which steps
 *   update.c       the step of one update: a chain or a scan
 *   scan.c         whether an update is a scan, and along which dimensions
 *   equations.c    the equations of a recurrence as one func with one update, which is a scan
 *   merge.c        the merge of blocks, where the operator is proved associative
 *   part.c         one part: its algorithm, its text, the text read back
 *   directives.c   which directives go along with a part
 *   need.c         whether a window needs more, the larger the whole is
 *   plan_print.c   for people, and as JSON
 *   plan_run.c     runs a plan by the target interpreter
 *   plan_check.c   compares it with the whole
 *   split.c        the entries of the library
 */
#ifndef HLC_LIBRARY_SPLIT_PLAN_H
#define HLC_LIBRARY_SPLIT_PLAN_H

#include "ir/algorithm.h"
#include "ir/argument.h"
#include "schedule/schedule.h"

/* An image or output of a part, and the array that it is a window of. */
typedef struct PlanPort {
    const char *name, *array;
} PlanPort;
typedef Vec(PlanPort) PlanPorts;
typedef Vec(const char *) PlanNames;

typedef struct PlanPart {
    const char *name; /* of its pipeline */
    const char *text;
    const char *schedule;     /* of a schedule in the text; "": the empty one */
    const Pipeline *pipeline; /* what the text was read as, in the window form */
    PlanPorts images, outputs;
    PlanNames domains;    /* images whose domain the part reads: a window lies in it */
    PlanNames parameters; /* those of the whole */
} PlanPart;

typedef enum PlanKind { PLAN_MAP, PLAN_CHAIN, PLAN_SCAN } PlanKind;

/* Blocks may be computed apart, from the identity, and merged. */
typedef struct PlanMerge {
    PlanPart part, identity;
    PlanNames left, right; /* images of `part`, by component; the left is the earlier */
    bool is_commutative;
} PlanMerge;

/* An order of blocks: of a chain's iterations, or of a scan's windows along a dimension. */
typedef struct PlanOrder {
    PlanPorts before;        /* images of the part, by component: the accumulator; of a scan the
                                `reach` coordinates before a window, none if that is 0 */
    const char *first, *end; /* i32 parameters of the part */
    int dimension;           /* of a scan */
    bool is_lower;           /* windows run toward lower coordinates */
    int reach;
} PlanOrder;

typedef struct PlanStep {
    PlanKind kind;
    PlanPart part;
    int dimensions;
    bool windows[MAX_IMAGE_DIMENSIONS]; /* may the dimension be cut? */
    /* Of a chain (one order) and a scan: */
    PlanOrder orders[MAX_IMAGE_DIMENSIONS];
    int order_count;
    PlanPart range; /* its output proposes, by order, the iterations of the reduction variable; of a
                       scan, the coordinates that these write */
    const PlanMerge *merge; /* of a chain; or null */
    bool is_of_equations;   /* of a recurrence */
} PlanStep;

/* What a step makes. */
typedef struct PlanArray {
    const char *name;
    Type type;
    int dimensions;
    size_t step;
} PlanArray;

/* A component of an output of the whole. */
typedef struct PlanOutput {
    const char *name, *array;
    Type type;
    int dimensions; /* of the output; an array has one at least */
} PlanOutput;

typedef struct SplitPlan {
    const Pipeline *whole; /* as it was loaded */
    PlanPart whole_part;
    Vec(PlanOutput) outputs;
    Vec(PlanArray) arrays;
    Vec(PlanStep) steps;
    PlanNames notes;
} SplitPlan;

typedef Vec(Symbol) PlanFuncs;

typedef struct SplitOptions {
    const Schedule *schedule; /* whose directives go along; null: none */
    PlanFuncs at;             /* the funcs to cut */
    bool everywhere;          /* cut what needs the whole, besides */
    bool each_update; /* chains and scans also where no window needs the whole: to test them */
} SplitOptions;

/* Makes a plan. Null after reporting. */
SplitPlan *split_plan_create(Context *context, Arena *arena, const Pipeline *pipeline,
                             const SplitOptions *options);

/* What the part `range` of a step proposes for one of its orders, for these arguments of the part: the
 * whole's boxes. False if it cannot be computed. (need.c) */
bool range_evaluate(const PlanPart *range, int order, Arena *arena, const Arguments *arguments,
                    int64_t *minimum, int64_t *length);

/* ---- running (plan_run.c) ---- */

/* Runs the plan on these arguments of the whole, in random windows and blocks, each part by the
 * target interpreter. The outputs have memory. On failure the outcome says which part, and why;
 * `is_refused`: the whole is refused in the window form, or it is too large for this. */
Outcome split_plan_run(const SplitPlan *plan, Arena *arena, const Arguments *arguments,
                       uint64_t *state, bool *is_refused);

/* ---- printing (plan_print.c) ---- */

void split_plan_print(const SplitPlan *plan, FILE *out);
/* Writes in which dimensions a scan's windows have an order, and what they read. */
void split_plan_print_orders(const PlanStep *step, const char *what, FILE *out);
void split_plan_print_json(const SplitPlan *plan, FILE *out);

#endif

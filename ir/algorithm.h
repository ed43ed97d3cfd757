/* algorithm.h -- the algorithm language (Figure 5): funcs made of a pure stage and updates.
 *
 * The front end has expanded lets, helpers, constants, boundary conditions and inline reductions.
 * Every index has sort index. Every access names an image, an earlier func, or (in updates) the
 * func itself. Only the equations of a recurrence may read themselves and later equations. Funcs
 * are in definition order. Lowering takes them in groups, one func each.
 */
#ifndef HLC_IR_ALGORITHM_H
#define HLC_IR_ALGORITHM_H

#include "ir/signature.h"
#include "ir/walk.h"

/* Tells how the loop of an update from a recurrence may skip unneeded iterations. ENDS_AS_NEEDED:
 * each iteration needs only earlier ones, so the loop ends after the last needed one.
 * BEGINS_AS_NEEDED: each needs only later ones, so the loop begins at the first needed one. */
typedef enum ReductionExtent { RUNS_WHOLE, ENDS_AS_NEEDED, BEGINS_AS_NEEDED } ReductionExtent;

/* `variable = (minimum, length)`, both startup expressions of sort index. */
typedef struct ReductionVariable {
    Symbol variable;
    Extent interval;
    Place place;
    ReductionExtent extent;
    int dimension; /* RUNS_WHOLE: none */
} ReductionVariable;

/* The schedule split reduction variable `variable` into two others
 * (schedule/directives/split_reduction.c). Now `variable = value`, and only iterations whose value
 * lies in `domain` run. */
typedef struct ReductionSplit {
    Symbol variable;
    Expr value;
    Expr factor; /* the length of each part: a startup expression, asserted to lie in 1..2^31-1;
                    null if it is constant, or if the variable does not come from a split */
    Extent domain;
    bool is_exact;   /* the value lies in the domain in all iterations */
    bool goes_below; /* the value may lie below the domain: a part of it is a dimension of the func,
                        whose region a schedule may have enlarged */
    bool is_predicate; /* the variable is a dimension of the func; the guard of its domain counts as
                          the stage's predicate (IF_PREDICATE) */
    Place place;
} ReductionSplit;

/* The distance back from an iteration to one that must finish before it: one number for each
 * reduction variable of the stage. */
typedef int64_t *Distance;

/* The source place of an access, for provenance and messages. */
typedef struct AccessSite {
    Expr access;
    Place place;
} AccessSite;

/* Stage 0 is `U0 = e`: its indices are the pure variables.  Stage j > 0 is
 * `rdom(r1 = I1; ..; rk = Ik) in (e1..ed) <- e if p`.  The last-named reduction variable is
 * outermost.
 *
 * An iteration of an update may write several points at once, `(e1..ed) <- e, (e1'..ed') <- e'`:
 * all values are computed before any is written, and the last-named write of a point wins.  Then the
 * variable `write`, of sort index, is the number of the write, and indices and values choose by it:
 *
 *     indices[0] = select(write == 0, i, n - 1 - i)
 *     values[0]  = select(write == 0, f(n - 1 - i), f(i))
 *
 * So they mention all that the stage mentions. Lowering takes the writes apart (stage_of_write). */
typedef struct Stage {
    int number;
    Vec(ReductionVariable) reduction;
    Vec(ReductionSplit) splits; /* each may mention the variables of later ones */
    /* For an update from a recurrence: iterations are independent unless they are one of these
     * distances apart. Other updates give no distances. */
    bool has_distances;
    Vec(Distance) distances;
    Vec(Symbol) order; /* the loop variables, outermost first; empty for the usual order
                          (stage_loops) */
    Expr *indices;     /* one per dimension, sort index */
    Expr *values;      /* one per component */
    Expr predicate;    /* bool, or null */
    int writes;        /* of one iteration, if there are several; 0: one */
    Symbol write;      /* the variable in 0 .. writes - 1; null: one write */
    /* Def 4.3: dimension k is pure if its variable occurs in this stage. */
    bool pure[MAX_DIMENSIONS];
    Vec(AccessSite) sites;
    Place place;
} Stage;

/* A loop of a lowered stage runs over a dimension or, if `dimension` is -1, over a reduction
 * variable. */
typedef struct StageLoop {
    Symbol variable;
    int dimension;
    size_t reduction;
} StageLoop;
typedef Vec(StageLoop) StageLoops;

/* Equations over a declared domain (semantics.md, "Recurrences"; "Design of Merge Ures"). Each
 * equation is a func with one pure stage. All have the same variables, and read themselves and each
 * other at constant distances. Inside the domain, a func's value is that of its equation; outside,
 * it is zero (false). Variables outside the domain are pure and unbounded.
 *
 * An extended equation lacks variables of the domain. It is an ordinary func outside the
 * recurrence: the front end turns it into an update. Schedules turn the other equations into
 * updates (schedule/recurrence/recurrence.c). Lowering and later steps never see a recurrence.
 */
typedef struct Recurrence {
    Vec(ReductionVariable) domain; /* the last-named is outermost */
    Vec(struct Func *) funcs;      /* in definition order */
    Place place;
} Recurrence;

typedef struct Func {
    FuncShape *shape; /* in the signature */
    Expr variables[MAX_DIMENSIONS];
    Vec(Stage *) stages;
    Place place;
    /* For an eager func (schedule/directives/eager.c): the pipeline that defines it. Its stage here
     * is a stand-in. Null for other funcs. */
    const struct Pipeline *definition;
    /* If the pure stage is an equation: its recurrence. Null otherwise. */
    const Recurrence *recurrence;
    const Recurrence *extends; /* for an extended equation: its recurrence; else null */
    /* For a func made from equations (schedule/recurrence/recurrence.c): the recurrence, and the
     * names of the equations. */
    const Recurrence *realised;
    Vec(Symbol) equations;
} Func;

/* Funcs that are lowered into one loop nest. */
typedef struct Group {
    Vec(Func *) funcs;
} Group;

/* `require(condition, "message")`: a startup expression of type bool. */
typedef struct Requirement {
    Expr condition;
    const char *message;
    Place place;
} Requirement;

/* A boundary condition folds coordinates into dimension `dimension` of `image`. So the entry
 * refuses an image where this dimension is empty (HLC_ERROR_EMPTY_IMAGE). */
typedef struct BoundaryUse {
    Symbol image;
    int dimension;
    Place place;
} BoundaryUse;

typedef struct Pipeline {
    Pool *pool;
    Signature signature;
    Vec(Func *) funcs; /* in definition order */
    Map by_name;       /* Symbol -> Func; pipeline_add_func keeps it */
    Vec(Group) groups;
    Vec(Recurrence *) recurrences; /* in definition order */
    Vec(Requirement) requirements;
    Vec(BoundaryUse) boundaries;     /* only for funcs that the outputs reach; each pair once */
    bool contraction, reassociation; /* options */
} Pipeline;

/* Lists the loops of a stage, outermost first. The loops over pure dimensions come first, the last
 * dimension outermost. Then come those over reduction variables, the last-named outermost. A stage
 * with an order of its own overrides this order. */
StageLoops stage_loops(Arena *arena, const Func *func, const Stage *stage);
/* Returns the iterations that run when `region` of the func is computed, one interval for each
 * dimension. */
Extent reduction_iterations(Pool *pool, const ReductionVariable *variable, const Extent *region);
/* Appends the func and its shape, registers its name, and gives it a group of its own. */
void pipeline_add_func(Pipeline *pipeline, Arena *arena, Func *func);
Func *pipeline_func(const Pipeline *pipeline, Symbol name);
/* Returns the func's stage with this number, or null. */
const Stage *func_stage(const Func *func, int number);
/* Does a C function compute it (ir/extern.h)? */
static inline bool func_is_extern(const Func *func) {
    return func->stages.data[0]->values[0]->op == OP_EXTERN;
}
/* Is the node `select(write == number, a, b)` of a stage with several writes? */
bool stage_picks_write(const Stage *stage, Expr node);
/* Returns the expression, an index or a value of a stage with several writes, as it is in the write
 * of this number. */
Expr stage_of_write(Pool *pool, Arena *scratch, const Stage *stage, Expr expr, int number);
/* Is the dimension pure in all stages of the func? */
bool func_is_pure(const Func *func, int dimension);
/* Returns the place where the author wrote this access in the stage; null if there is none. */
const AccessSite *stage_site(const Stage *stage, Expr access);
/* Appends the conditions that the entry checks: ranges of parameters, extents of images,
 * requirements. */
void pipeline_startup_facts(const Pipeline *pipeline, Arena *arena, Exprs *facts);
/* Adds to `reached` (Symbol -> itself) the name, and all funcs and images that this func reads,
 * directly or indirectly. */
void pipeline_reach(const Pipeline *pipeline, Symbol name, Map *reached, Arena *scratch);
/* Does the same for all outputs. */
void pipeline_reach_outputs(const Pipeline *pipeline, Map *reached, Arena *scratch);
/* Marks the shapes of all funcs whose memory an extern stage reads or writes (is_shared). */
void pipeline_mark_shared(const Pipeline *pipeline, Arena *scratch);
/* Returns a copy of the pipeline without funcs. The caller adds the remaining ones
 * by pipeline_add_func. */
Pipeline *pipeline_without_funcs(const Pipeline *pipeline, Arena *arena);

#endif

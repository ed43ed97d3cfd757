/* algorithm.h -- the algorithm language (Figure 5): funcs made of a pure stage and updates.
 *
 * The front end has expanded lets, helpers, constants, boundary conditions and inline reductions.
 * Every index has sort index. Every access names an image, an earlier func, or (in updates) the
 * func itself. Only the equations of a recurrence may read themselves and later equations.  Funcs
 * are in definition order, in groups: lowering takes a list of groups, each of one func.
 */
#ifndef HLC_IR_ALGORITHM_H
#define HLC_IR_ALGORITHM_H

#include "ir/signature.h"
#include "ir/walk.h"

/* For an update made from a recurrence: how its loop may omit unneeded iterations. ENDS_AS_NEEDED:
 * each iteration needs only earlier ones, so those after the last needed one are omitted.
 * BEGINS_AS_NEEDED: each needs only later ones, so those before the first needed one are omitted.
 */
typedef enum ReductionExtent { RUNS_WHOLE, ENDS_AS_NEEDED, BEGINS_AS_NEEDED } ReductionExtent;

/* `variable = (minimum, length)`, both startup expressions of sort index. */
typedef struct ReductionVariable {
    Symbol variable;
    Extent interval;
    Place place;
    ReductionExtent extent;
    int dimension; /* RUNS_WHOLE: none */
} ReductionVariable;

/* A reduction variable that the schedule split into two others
 * (schedule/directives/split_reduction.c): `variable = value`, for the iterations in which the
 * value lies in `domain`. */
typedef struct ReductionSplit {
    Symbol variable;
    Expr value;
    Expr factor; /* the length of its parts, a startup expression, asserted to lie in 1..2^31-1;
                    null if it is constant, or if the variable does not come from a split */
    Extent domain;
    bool is_exact;   /* it lies in the domain in all iterations */
    bool goes_below; /* it may lie before its domain: a part of it is a dimension of the func, and a
                        schedule may have enlarged that region */
    bool is_predicate; /* it is a dimension of the func; the guard of its domain counts as the
                          stage's predicate (IF_PREDICATE) */
    Place place;
} ReductionSplit;

/* The distance from an iteration back to one that must finish before it: a number for each
 * reduction variable of the stage. */
typedef int64_t *Distance;

/* The source place of an access, for provenance and messages. */
typedef struct AccessSite {
    Expr access;
    Place place;
} AccessSite;

/* Stage 0 is `U0 = e`: its indices are the pure variables.  Stage j > 0 is
 * `rdom(r1 = I1; ..; rk = Ik) in (e1..ed) <- e if p`.  The last-named reduction variable is
 * outermost. */
typedef struct Stage {
    int number;
    Vec(ReductionVariable) reduction;
    Vec(ReductionSplit) splits; /* each may mention the variables of later ones */
    /* For an update made from a recurrence: iterations at other distances than these are
     * independent. Other updates give no distances. */
    bool has_distances;
    Vec(Distance) distances;
    Vec(Symbol) order; /* the variables of its loops, outermost first; empty: */
    Expr *indices;     /* one a dimension, sort index */
    Expr *values;      /* one a component */
    Expr predicate;    /* bool, or null */
    /* Def 4.3: is dimension k pure in this stage?  (Its variable occurs in it.) */
    bool pure[MAX_DIMENSIONS];
    Vec(AccessSite) sites;
    Place place;
} Stage;

/* A loop of a stage as lowered: over a dimension, or (`dimension` -1) a reduction variable. */
typedef struct StageLoop {
    Symbol variable;
    int dimension;
    size_t reduction;
} StageLoop;
typedef Vec(StageLoop) StageLoops;

/* Equations over a declared domain (semantics.md, "Recurrences"; "Design of Merge Ures"). They are
 * funcs of one pure stage each, with the same variables, that read themselves and each other at
 * constant distances. Inside the domain a func's value is its equation's; outside it is zero
 * (false). Variables outside the domain are pure and unbounded.
 *
 * An equation that lacks variables of the domain (an extended equation) is not a func of the
 * recurrence but an ordinary func: the front end turns it into an update. Schedules turn the others
 * into updates, too (schedule/recurrence/recurrence.c). Lowering and later steps never see a
 * recurrence. */
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
    /* The recurrence of which its pure stage is an equation; else null. */
    const Recurrence *recurrence;
    const Recurrence *extends; /* of an extended equation: its recurrence, else null */
    /* For a func made from equations (schedule/recurrence/recurrence.c): their recurrence, and
     * their names. */
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

/* A boundary condition folds coordinates into dimension `dimension` of `image`, so this dimension
 * may not be empty (HLC_ERROR_EMPTY_IMAGE at entry). */
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
    Vec(BoundaryUse) boundaries;     /* of the funcs that the outputs reach; each pair once */
    bool contraction, reassociation; /* options */
} Pipeline;

/* The loops of a stage, outermost first: those over pure dimensions, the last one outermost, and in
 * them those over reduction variables, the last-named outermost; or in the stage's own order. */
StageLoops stage_loops(Arena *arena, const Func *func, const Stage *stage);
/* Returns the iterations that run if `region`, an interval a dimension, is computed of the func. */
Extent reduction_iterations(Pool *pool, const ReductionVariable *variable, const Extent *region);
/* Appends the func and its shape; makes it findable by name, and a group of its own. */
void pipeline_add_func(Pipeline *pipeline, Arena *arena, Func *func);
Func *pipeline_func(const Pipeline *pipeline, Symbol name);
/* The func's stage with this number, or null. */
const Stage *func_stage(const Func *func, int number);
/* Is the dimension pure in all stages of the func? */
bool func_is_pure(const Func *func, int dimension);
/* Returns the site of this access in the stage, as its author wrote it; null if there is none. */
const AccessSite *stage_site(const Stage *stage, Expr access);
/* Appends the conditions that the entry checks: parameters' ranges, places of images, requirements.
 */
void pipeline_startup_facts(const Pipeline *pipeline, Arena *arena, Exprs *facts);
/* Adds to `reached` (Symbol -> itself) the name, and all funcs and images that this func reads,
 * directly or through others. */
void pipeline_reach(const Pipeline *pipeline, Symbol name, Map *reached, Arena *scratch);
/* Adds the same for all outputs. */
void pipeline_reach_outputs(const Pipeline *pipeline, Map *reached, Arena *scratch);
/* Returns the pipeline without its funcs; pipeline_add_func then adds the funcs that stay. */
Pipeline *pipeline_without_funcs(const Pipeline *pipeline, Arena *arena);

#endif

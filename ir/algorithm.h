/* algorithm.h -- the algorithm language (Figure 5): funcs made of a pure stage and updates.
 *
 * The front end has expanded lets, helpers, constants, boundary conditions and inline reductions.
 * Every index has sort index.  Every access names an image, a func defined before, or (in updates)
 * the func itself.  Only the equations of a recurrence may read themselves and funcs defined behind
 * them.  Funcs stand in definition order, in groups: lowering takes a list of groups, each of one
 * func.
 */
#ifndef HLC_IR_ALGORITHM_H
#define HLC_IR_ALGORITHM_H

#include "ir/signature.h"
#include "ir/walk.h"

/* Of what a recurrence became: iterations that no point needs are left out.  Where each needs such
 * as lie before it (behind it), those behind (before) all that is needed of a dimension are. */
typedef enum ReductionExtent { RUNS_WHOLE, ENDS_AS_NEEDED, BEGINS_AS_NEEDED } ReductionExtent;

/* `variable = (minimum, length)`, both startup expressions of sort index. */
typedef struct ReductionVariable {
    Symbol variable;
    Extent interval;
    Place place;
    ReductionExtent extent;
    int dimension; /* RUNS_WHOLE: none */
} ReductionVariable;

/* A reduction variable that the schedule has split into two others (schedule/directives/split_reduction.c):
 * `variable = value`, of the iterations in which that lies in `domain`. */
typedef struct ReductionSplit {
    Symbol variable;
    Expr value;
    Expr factor; /* how long its parts are, a startup expression, asserted to lie in 1..2^31-1; null
                    where it is a constant, or what the variable stands for is no split's */
    Extent domain;
    bool is_exact;   /* it lies there in all iterations */
    bool goes_below; /* it may lie before its domain: a part of it is a dimension of the func, whose
                        region a schedule may have grown */
    bool is_predicate; /* it is a dimension of the func; that it lies in its domain is what the
                          stage's predicate would say */
    Place place;
} ReductionSplit;

/* The distance from an iteration back to one that must finish before it: a number for each
 * reduction variable of the stage. */
typedef int64_t *Distance;

/* Where an access was written: for provenance and messages. */
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
    Vec(ReductionSplit) splits; /* each may mention the variables of those behind it */
    /* Of an update that a recurrence became: iterations at other distances than these have nothing
     * to do with each other.  Others say nothing of theirs. */
    bool has_distances;
    Vec(Distance) distances;
    Vec(Symbol) order; /* what its loops run over, outermost first; empty: as stage_loops says */
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

/* Equations over a declared domain (semantics.md, "Recurrences"; "Design of Merge Ures"): funcs of
 * one pure stage each and the same variables, that read themselves and each other at constant
 * distances.  Inside of the domain a func's value is its equation's, outside of it zero (false);
 * variables that the domain does not have are pure, and unbounded.
 *
 * An equation that lacks variables of the domain (an extended one) is no func of the recurrence but
 * an ordinary one: the front end has made an update of it.  Schedules make updates of the others,
 * too (schedule/recurrence/recurrence.c): lowering, and what comes behind it, never sees a recurrence. */
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
    /* Of a func that is evaluated when the program is compiled (schedule/directives/eager.c): the pipeline
     * that defines it, where its stage here is a stand-in; else null. */
    const struct Pipeline *definition;
    /* Whose equation its pure stage is; null for others. */
    const Recurrence *recurrence;
    const Recurrence *extends; /* of an extended equation: behind whose equations it stands */
    /* Of a func that equations became (schedule/recurrence/recurrence.c): whose they were, and their names. */
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

/* A boundary condition folds coordinates into dimension `dimension` of `image`, so that dimension
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
/* The iterations that run where `region` is computed of the func, an interval a dimension. */
Extent reduction_iterations(Pool *pool, const ReductionVariable *variable, const Extent *region);
/* Appends the func and its shape; makes it findable by name, and a group of its own. */
void pipeline_add_func(Pipeline *pipeline, Arena *arena, Func *func);
Func *pipeline_func(const Pipeline *pipeline, Symbol name);
/* The func's stage with this number, or null. */
const Stage *func_stage(const Func *func, int number);
/* Is the dimension pure in all stages of the func? */
bool func_is_pure(const Func *func, int dimension);
/* Where the stage makes this access, as its author wrote it; null where it does not. */
const AccessSite *stage_site(const Stage *stage, Expr access);
/* Appends what entry checks of parameters' ranges, of where images lie and of requirements, as
 * conditions. */
void pipeline_startup_facts(const Pipeline *pipeline, Arena *arena, Exprs *facts);
/* Adds to `reached` (Symbol -> itself) the name, and all funcs and images that the func of that name
 * reads, also through others. */
void pipeline_reach(const Pipeline *pipeline, Symbol name, Map *reached, Arena *scratch);
/* The same of all outputs. */
void pipeline_reach_outputs(const Pipeline *pipeline, Map *reached, Arena *scratch);
/* The pipeline with none of its funcs: pipeline_add_func puts in those that stay. */
Pipeline *pipeline_without_funcs(const Pipeline *pipeline, Arena *arena);

#endif

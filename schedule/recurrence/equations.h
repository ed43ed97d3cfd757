/* equations.h -- turns recurrences into updates, before the rest of phase 0.
 *
 * A recurrence (ir/algorithm.h) is a list of equations over one domain.  Two directives apply to
 * it: `wavefront` changes the iterations, `merge-ures` puts equations into one nest.  Equations
 * that need each other always share a *nest*.  Then each nest becomes one func whose value is a
 * tuple (schedule/recurrence/recurrence.c):
 *
 *     fun A(i, j) = {0, 0;  rdom(i = I; j = J) in (i, j) <- {a, b}}
 *
 * The update records the distances between iterations that need each other.  No phase after phase 0
 * sees a recurrence.
 */
#ifndef HLC_SCHEDULE_RECURRENCE_EQUATIONS_H
#define HLC_SCHEDULE_RECURRENCE_EQUATIONS_H

#include "ir/recurrence.h"
#include "ir/walk.h"
#include "schedule/redefine.h"

typedef struct EquationNest EquationNest;
typedef struct EquationSystem EquationSystem;

typedef struct RecurrenceEquation {
    EquationSystem *of;
    const Func *func;
    Expr *values; /* one a component, over the variables as written */
    size_t number;
    EquationNest *nest;
    int offset;       /* of its first component among the nest's */
    bool is_unfolded; /* all of its points are kept */
    bool is_live;     /* something reads it after values are propagated */
} RecurrenceEquation;

/* Equations that one loop nest computes, in this order. */
struct EquationNest {
    Vec(RecurrenceEquation *) equations;
    const Directive *merge;        /* null: no directive asked for the nest */
    Vec(ReductionVariable) domain; /* the equations' variables that are no pure dimensions; the
                                      last one outermost */
    Vec(ReductionVariable) free;   /* the pure dimensions: all reads have distance zero in them */
    Vec(Symbol) order;             /* of all its loops, the outermost first */
    size_t number;                 /* in the complete list of nests */
    Symbol name;                   /* of the func that it becomes */
    int components;
    int64_t ring; /* how many coordinates of the outermost variable are kept; 0: all */
    Func *func;
};

/* The new coordinate `dimension` is the old one plus coordinate `by`. */
typedef struct Skew {
    int dimension, by;
} Skew;

struct EquationSystem {
    const Recurrence *recurrence;
    Vec(RecurrenceEquation *) list; /* in definition order */
    int dimensions;
    Expr variables[MAX_DIMENSIONS]; /* by dimension, as they are now */
    Vec(ReductionVariable) domain;  /* the last one outermost */
    Vec(ReductionSplit) splits;
    Vec(Skew) skews;
    Vec(EquationNest *) nests;
};

/* All recurrences of a pipeline. */
typedef struct Recurrences {
    Resolver *resolver;
    Arena *arena;
    Pool *pool;
    Vec(EquationSystem *) all;
    Map by_func; /* Symbol -> RecurrenceEquation */
} Recurrences;

/* Lists the equations of a recurrence, as written. */
EquationSystem *equations_read(Recurrences *recurrences, const Recurrence *recurrence);
/* Returns the equation of that func; null if the func is no equation. */
RecurrenceEquation *equation_of(const Recurrences *recurrences, Symbol func);
/* Returns the equation that an argument names.  It must belong to the recurrence of `with`, or to
 * any if `with` is null.  Null after refusing. */
RecurrenceEquation *equation_named(const Recurrences *recurrences,
                                   const DirectiveArgument *argument,
                                   const RecurrenceEquation *with);
/* Returns the equation that the access reads, if it belongs to the same recurrence; else null. */
RecurrenceEquation *equation_read(const Recurrences *recurrences, const RecurrenceEquation *reader,
                                  Expr access);
/* Computes how far back the reader reads, by dimension as it is now. */
void equation_distance(const RecurrenceEquation *reader, Expr access, int64_t *distance);
/* Is it a variable of the equations (also one that a wavefront replaced), or a parameter? */
bool equations_have_variable(const Recurrences *recurrences, const EquationSystem *equations,
                             Symbol name);
/* Returns the position of the dimension's variable in the nest's domain; -1 if it is not there. */
int nest_position(const EquationNest *nest, int dimension);
/* Returns the distance of iterations, by the nest's domain. */
Distance nest_distance(const EquationNest *nest, Arena *arena, const int64_t *distance);
/* The reads between a nest's equations at distances that are not zero. */
typedef struct NestReads {
    Vec(Distance) distances; /* by the nest's domain as it is now */
    Vec(const RecurrenceEquation *) readers;
    Vec(Expr) accesses;
} NestReads;
void nest_collect_reads(const Recurrences *recurrences, const EquationNest *nest, NestReads *reads);
/* Appends the accesses in the equation's values. */
void equation_accesses(const RecurrenceEquation *equation, Arena *arena, Exprs *accesses);

/* ---- changes of equations ---- */

/* Limits coordinates of reads of images and other funcs that stand under a condition.  Where the
 * condition holds, they do not change (guarded_reads.c). */
void equations_guard_reads(Recurrences *recurrences, EquationSystem *equations);
/* Replaces each equation that only hands on a value by that value (propagate.c). */
void equations_propagate(Recurrences *recurrences, EquationSystem *equations);
/* Marks the equations that are needed: those that outputs and other funcs read, and those that they
 * read in turn. */
void recurrences_find_live(Recurrences *recurrences);
/* Makes the nests that must exist, and orders the variables of the domain.  False after
 * refusing. */
bool equations_nest(Recurrences *recurrences, EquationSystem *equations);
/* Finds the nests that need to keep only a few coordinates (ring.c). */
void recurrences_shrink(Recurrences *recurrences);

/* ---- equations become updates (recurrence.c) ---- */

/* Limits the loops of the nest's update to its needed part (needed.c).  The loops over the
 * variables of its domain end where nothing more is needed.  The values are coordinates inside the
 * domain. */
void nest_find_extents(const EquationNest *nest, Stage *stage);
void nest_narrow_stage(const Recurrences *recurrences, const EquationNest *nest, Stage *stage);
/* Returns the condition under which the first stage writes its zero, over the nest's variables;
 * null: everywhere. */
Expr nest_zeroed(const Recurrences *recurrences, const EquationNest *nest);

/* Does the directive change recurrences?  Such directives come before the rest of phase 0. */
static inline bool directive_is_of_recurrences(DirectiveKind kind) {
    return directive_info(kind)->phase == PHASE_RECURRENCE;
}
/* Returns the resolver's pipeline without recurrences.  Applies at most `limit` of the schedule's
 * directives about recurrences and appends them to `primitives`.  Null after reporting. */
const Pipeline *recurrences_realise(Resolver *resolver, const Schedule *schedule, size_t limit,
                                    Directives *primitives);
/* Returns the schedule with the names of nests in place of the names of their equations
 * (equation_names.c).  `written` is the author's pipeline; the resolver's pipeline realises it.
 * Null after refusing. */
const Schedule *equations_follow_names(const Resolver *resolver, const Pipeline *written,
                                       const Schedule *schedule);

#endif

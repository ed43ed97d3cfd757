/* equations.h -- recurrences on their way to updates, before all else of phase 0.
 *
 * A recurrence (ir/algorithm.h) is a list of equations over one domain.  Directives change what the
 * iterations are (`wavefront`) and which equations share a nest (`merge-ures`).  Then each *nest*
 * of equations, those that need each other at least, becomes one func of a tuple
 * (schedule/recurrence/recurrence.c):
 *
 *     fun A(i, j) = {0, 0;  rdom(i = I; j = J) in (i, j) <- {a, b}}
 *
 * whose update has the distances at which its iterations need each other.  What is behind phase 0
 * never sees a recurrence.
 */
#ifndef HLC_SCHEDULE_EQUATIONS_H
#define HLC_SCHEDULE_EQUATIONS_H

#include "ir/recurrence.h"
#include "ir/walk.h"
#include "schedule/redefine.h"

typedef struct EquationNest EquationNest;
typedef struct EquationSystem EquationSystem;

typedef struct RecurrenceEquation {
    EquationSystem *of;
    const Func *func;
    Expr *values; /* one a component, of the variables that were written */
    size_t number;
    EquationNest *nest;
    int offset;       /* of its components in the nest's */
    bool is_unfolded; /* all of its points are kept */
    bool is_live;     /* somebody needs it, once values are propagated */
} RecurrenceEquation;

/* Equations that are realised in one loop nest, in this order. */
struct EquationNest {
    Vec(RecurrenceEquation *) equations;
    const Directive *merge;        /* null: nobody asked for it */
    Vec(ReductionVariable) domain; /* the equations', of those that are no pure dimensions; the last
                                      one outermost */
    Vec(ReductionVariable) free;   /* those that are: all reads have distance zero in them */
    Vec(Symbol) order;             /* of all its loops, the outermost first */
    size_t number;                 /* in the list of nests, once it is complete */
    Symbol name;                   /* of the func that it becomes */
    int components;
    int64_t ring; /* how many coordinates of the outermost variable are kept; 0: all */
    Func *func;
};

/* Coordinate `dimension` is now what it was plus coordinate `by`. */
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

/* The equation of that func; null where it is none. */
RecurrenceEquation *equation_of(const Recurrences *recurrences, Symbol func);
/* The equation that an argument names, of the recurrence that `with` (null: any) is of; null after
 * refusing. */
RecurrenceEquation *equation_named(const Recurrences *recurrences,
                                   const DirectiveArgument *argument,
                                   const RecurrenceEquation *with);
/* The equation that the access reads, if it is one of the same recurrence; else null. */
RecurrenceEquation *equation_read(const Recurrences *recurrences, const RecurrenceEquation *reader,
                                  Expr access);
/* How far back the reader reads, by dimension as it is now. */
void equation_distance(const RecurrenceEquation *reader, Expr access, int64_t *distance);
/* Is it a variable of theirs, also one that a wavefront replaced, or a parameter? */
bool equations_have_variable(const Recurrences *recurrences, const EquationSystem *equations,
                             Symbol name);
/* The position in the nest's domain of the dimension's variable; -1 where it is not there. */
int nest_position(const EquationNest *nest, int dimension);
/* The distance of iterations, by the nest's domain. */
Distance nest_distance(const EquationNest *nest, Arena *arena, const int64_t *distance);
/* What a nest's equations read of each other at distances that are not zero. */
typedef struct NestReads {
    Vec(Distance) distances; /* by the nest's domain as it is now */
    Vec(const RecurrenceEquation *) readers;
    Vec(Expr) accesses;
} NestReads;
void nest_collect_reads(const Recurrences *recurrences, const EquationNest *nest, NestReads *reads);
/* The accesses of the equation's values. */
void equation_accesses(const RecurrenceEquation *equation, Arena *arena, Exprs *accesses);

/* ---- what changes them ---- */

/* Reads of images and other funcs where a condition must hold get coordinates that they have where
 * it does (guarded_reads.c). */
void equations_guard_reads(Recurrences *recurrences, EquationSystem *equations);
/* Equations that hand a value on unchanged are replaced by the value (propagate.c). */
void equations_propagate(Recurrences *recurrences, EquationSystem *equations);
/* Sets which equations are needed: what outputs and other funcs read, and what those read. */
void recurrences_find_live(Recurrences *recurrences);
/* Makes the nests that there must be, and orders the domain's variables.  False after refusing. */
bool equations_nest(Recurrences *recurrences, EquationSystem *equations);
/* Which nests need keep a few coordinates only (ring.c). */
void recurrences_shrink(Recurrences *recurrences);

/* ---- what they become (recurrence.c) ---- */

/* How much of the nest its update computes (needed.c): the loops over the variables of its domain
 * end where nothing more is needed; values are those of coordinates inside of the domain. */
void nest_find_extents(const EquationNest *nest, Stage *stage);
void nest_narrow_stage(const Recurrences *recurrences, const EquationNest *nest, Stage *stage);
/* Where the first stage writes its zero, of the nest's variables; null: everywhere. */
Expr nest_zeroed(const Recurrences *recurrences, const EquationNest *nest);

/* Those come before the rest of phase 0. */
static inline bool directive_is_of_recurrences(DirectiveKind kind) {
    return directive_info(kind)->phase == PHASE_RECURRENCE;
}
/* The resolver's pipeline without recurrences: the directives of the schedule about them, at most
 * `limit`, are applied and appended to `primitives`.  Null after reporting. */
const Pipeline *recurrences_realise(Resolver *resolver, const Schedule *schedule, size_t limit,
                                    Directives *primitives);
/* The schedule with the names of nests for those of their equations (equation_names.c): the
 * resolver's pipeline is what that of the author, `written`, was realised as.  Null after refusing.
 */
const Schedule *equations_follow_names(const Resolver *resolver, const Pipeline *written,
                                       const Schedule *schedule);

#endif

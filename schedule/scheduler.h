/* scheduler.h -- shared by the transformations that apply directives to a program.
 *
 * Each directive has two functions.  The check refuses, and reports unless the resolver is silent;
 * it changes nothing.  The apply transforms the program and cannot fail.  schedule.c calls them in
 * order.
 */
#ifndef HLC_SCHEDULE_SCHEDULER_H
#define HLC_SCHEDULE_SCHEDULER_H

#include "schedule/loop.h"

typedef struct FuncPlan FuncPlan;
typedef Vec(Stmt *) LoopStmts;

/* A stage that reads a func. */
typedef struct Consumer {
    FuncPlan *plan;
    const Stage *stage;
    Expr access; /* the first one */
} Consumer;

/* The directives about a func so far. */
struct FuncPlan {
    const Func *func;
    FuncSites *sites;
    size_t order; /* in definition order */
    /* Each stage of another func that reads this one, once. */
    Vec(Consumer) consumers;
    const Directive *specialize, *compute, *store, *hoist; /* null unless given */
};

typedef struct Scheduler {
    Resolver resolver;
    Program *program;
    Pool *pool;
    Vec(FuncPlan *) plans; /* in definition order */
    Map by_name;           /* Symbol -> FuncPlan */
    size_t copies;         /* compute statements made by copying */
    Stmt *last_check;      /* the last assertion put at the top; null before the first */
    Vec(const Directive *) vectorized;  /* traverse directives with `vectorized` */
    Vec(const Directive *) independent; /* traverse directives of reduction loops side by side */
    Vec(const Directive *) blended;     /* split directives whose tails blend */
    Vec(const Directive *) guarded;     /* split directives whose other tail is a guard */
    Map shared; /* Stmt of a loop that several funcs share (compute_with.c) -> itself */
    BoundRequests *bounds;
} Scheduler;

FuncPlan *scheduler_plan(const Scheduler *scheduler, Symbol name);
/* Returns the plan of the func that a checked directive names first. */
FuncPlan *plan_of_directive(const Scheduler *scheduler, const Directive *directive);
/* Returns the func whose memory a directive of phase 5 sets.  The func is no output.  Null after
 * refusing. */
FuncPlan *plan_of_storage(const Scheduler *scheduler, const Directive *directive);
/* Returns the func of a directive that may name a level, and the level.  Outputs have no level.
 * Null after refusing. */
const FuncPlan *plan_of_level(const Scheduler *scheduler, const Directive *directive,
                              LoopName *level);

/* Returns the compute statement of the func's specialization. */
Stmt *compute_of(const Scheduler *scheduler, const Func *func, int specialization);
/* Reads the nest of one stage off the program. */
LoopNest *nest_read(const Scheduler *scheduler, Stmt *compute, const Func *func, int stage);
/* Returns the loop in this compute statement; null if it has none. */
Stmt *loop_in(Stmt *compute, int stage, Symbol variable);
Stmt *loop_named(const Scheduler *scheduler, const LoopName *name);
/* Returns the loop that an argument of a checked directive names. */
Stmt *loop_of_argument(const Scheduler *scheduler, const Directive *directive, size_t argument);
/* Returns the outermost loop of a stage that has a loop. */
Stmt *loop_outermost(Stmt *compute, int stage);
/* Is the loop's length a constant, or bound to be a constant?  Applies to a dimension whose length
 * is fixed, and to the loops that it was split into. */
bool loop_has_constant_length(const Scheduler *scheduler, Expr length, int64_t *value);
/* The same, if each run of the loop that has iterations has exactly so many. */
bool loop_has_exact_length(const Scheduler *scheduler, Expr length, int64_t *value);
/* Returns the loop directly inside; null if there is none. */
Stmt *loop_inside(const Stmt *loop);
/* Returns the innermost loop of a stage's nest, or the stage's label if it has no loop. */
Stmt *stage_innermost(Stmt *compute, int stage);
/* Returns the innermost loop of the nest that starts at `loop`. */
Stmt *loop_innermost(Stmt *loop);
/* Is the loop serial?  Only serial loops are split and fused: the result for a parallel or unrolled
 * loop is not defined.  False after refusing. */
bool loop_check_serial(const Scheduler *scheduler, const Stmt *loop, Place place);
/* The loop stands between the allocation of a func and its compute statement, so its iterations
 * share the memory.  Do they run one after another?  False after refusing. */
bool loop_check_memory(const Scheduler *scheduler, const Stmt *loop, const Func *func, Place place);
/* Checks that the blocks of a blending split do not run side by side (end of phase 3). */
bool split_judge(Scheduler *scheduler);
/* If an rfactor keeps a variable of constant interval, bounds the new func by that interval.  So
 * its loops have a constant length.  A bound in the schedule wins. */
void bound_partial_results(Scheduler *scheduler, const Directives *primitives);
/* May a loop of an update that is declared atomic run so?  False after refusing. */
bool atomic_allows(const Scheduler *scheduler, const Stmt *loop, Traversal traversal, Place place);
/* Marks the stores of an atomic update in the loop, whose traversal changes. */
void atomic_mark(Stmt *loop);
/* Is `loop` the loop (func, any specialization, stage, variable), or a copy of it? */
bool loop_is(const Stmt *loop, const LoopName *name);
/* Each wraps the whole block, the body of a nest's innermost loop, in a guard or a let. */
void sink_guard(Scheduler *scheduler, Block *body, Expr condition, Place place);
void sink_let(Scheduler *scheduler, Block *body, Symbol binder, Expr value, Extent domain,
              LetTail tail, Place place);

Stmt *loop_create(Scheduler *scheduler, const LoopName *name, Extent interval, bool pure,
                  Place place);

/* Returns a + b; if one is the constant 0, returns the other. */
Expr plus(Pool *pool, Expr a, Expr b);
/* Returns the first number after the interval. */
Expr end_of(Pool *pool, Extent interval);

/* Adds `assert condition else error(subject, operands)` to the checks at the top. */
void scheduler_assert(Scheduler *scheduler, Expr condition, hlc_error error, const char *subject,
                      const Expr *operands, int count, Place place);

/* Gives copy number `copy` to all holes of the statement, which has holes of `func` only. */
void renumber_holes(Scheduler *scheduler, Stmt *stmt, Symbol func, int copy);

/* ---- shared with compute_with.c ---- */
/* Does every read of the func stand inside the level?  False after refusing. */
bool compute_at_dominates(const Scheduler *scheduler, const Directive *directive,
                          const FuncPlan *plan, const LoopName *level);
/* Does the limit allow this many compute statements of the func?  False after refusing. */
bool compute_at_has_room(const Scheduler *scheduler, const Directive *directive,
                         const FuncPlan *plan, size_t targets);
/* The func's compute statement (or if-tree) and its allocate statement, `count` times.  The first
 * are the originals; the others are copies with holes of their own.  All are detached. */
typedef struct MovedFunc {
    Stmt *compute, *allocate;
} MovedFunc;
MovedFunc *compute_at_take(Scheduler *scheduler, const FuncPlan *plan, size_t count);

/* Returns the loops around every read of the func, as text: the legal levels of compute-at. */
char *levels_around_reads(const Scheduler *scheduler, const FuncPlan *plan);
/* Returns the loops around every compute statement of the func: the legal levels of store-at. */
char *levels_around_computes(const Scheduler *scheduler, const FuncPlan *plan);

/* Warns once of specializations that stay serial while z0 is vectorized. */
void specialize_warn(Context *context, const Directives *primitives);

/* Warns once of each tail that is a guard because the one asked for would be unsound. */
void split_warn(const Scheduler *scheduler);

/* Check the rules that need finished nests (end of phase 3) or finished levels (end of phase 5). */
bool traverse_judge(Scheduler *scheduler);
bool atomic_judge(const Scheduler *scheduler);
bool levels_judge(Scheduler *scheduler);
/* Unrolls vectorized loops in which a func is computed (end of phase 4). */
void levels_unroll(Scheduler *scheduler);
/* Unrolls a vectorized loop. */
void loop_unroll(Stmt *loop);
/* Checks a func with a hoist-storage, and marks its allocate statement. */
bool hoist_storage_judge(Scheduler *scheduler, const FuncPlan *plan);

#endif

/* scheduler.h -- what the transformations share while directives are applied to a program.
 *
 * Each directive has a check, which refuses (and reports, unless the resolver is silent) and
 * changes nothing, and an apply, which transforms and cannot fail.  schedule.c calls them in order.
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

/* What the schedule has said of a func so far. */
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
    Vec(const Directive *) vectorized;  /* traverse directives that said so */
    Vec(const Directive *) independent; /* those of reduction loops that run side by side */
    Vec(const Directive *) blended;     /* split directives whose tails blend */
    Map shared; /* Stmt of a loop that several funcs share (compute_with.c) -> itself */
    BoundRequests *bounds;
} Scheduler;

FuncPlan *scheduler_plan(const Scheduler *scheduler, Symbol name);
/* Of the func that a checked directive names first. */
FuncPlan *plan_of_directive(const Scheduler *scheduler, const Directive *directive);
/* The func whose memory a directive of phase 5 is about, which is no output.  Null after refusing.
 */
FuncPlan *plan_of_storage(const Scheduler *scheduler, const Directive *directive);
/* The func of a directive that may name a level, which no output has; and the level.  Null after
 * refusing. */
const FuncPlan *plan_of_level(const Scheduler *scheduler, const Directive *directive,
                              LoopName *level);

/* The statements of a nest. */
Stmt *compute_of(const Scheduler *scheduler, const Func *func, int specialization);
/* The nest of one stage as it stands in the program. */
LoopNest *nest_read(const Scheduler *scheduler, Stmt *compute, const Func *func, int stage);
/* The loop in this compute statement; null where it has none. */
Stmt *loop_in(Stmt *compute, int stage, Symbol variable);
Stmt *loop_named(const Scheduler *scheduler, const LoopName *name);
/* The loop that an argument of a checked directive names. */
Stmt *loop_of_argument(const Scheduler *scheduler, const Directive *directive, size_t argument);
/* The outermost loop of a stage, which has one. */
Stmt *loop_outermost(Stmt *compute, int stage);
/* Is the loop's length a constant, or bound to be one? */
bool loop_has_constant_length(const Scheduler *scheduler, Expr length, int64_t *value);
/* The loop directly inside; null where there is none. */
Stmt *loop_inside(const Stmt *loop);
/* The innermost statement of a stage's nest that is a loop, or its label where it has no loop. */
Stmt *stage_innermost(Stmt *compute, int stage);
/* The loop of the nest that has no loop inside. */
Stmt *loop_innermost(Stmt *loop);
/* Only serial loops are split and fused: what a parallel or unrolled one would become is not said.
 * False after refusing. */
bool loop_check_serial(const Scheduler *scheduler, const Stmt *loop, Place place);
/* The loop stands between a func's memory and its computing: do its iterations take turns, which
 * share the memory?  False after refusing. */
bool loop_check_memory(const Scheduler *scheduler, const Stmt *loop, const Func *func, Place place);
/* A blending split's own blocks do not run side by side (end of phase 3). */
bool split_judge(Scheduler *scheduler);
/* Where an rfactor keeps a variable of constant interval, the new func has it as a bound, so that
 * its loops have a constant length; unless the schedule bounds the dimension itself. */
void bound_partial_results(Scheduler *scheduler, const Directives *primitives);
/* May a loop of an update that is said to be atomic run so?  False after refusing. */
bool atomic_allows(const Scheduler *scheduler, const Stmt *loop, Traversal traversal, Place place);
/* The stores of such an update in the loop, which is to run otherwise now. */
void atomic_mark(Stmt *loop);
/* Is `loop` the loop (func, any specialization, stage, variable), or a copy of it? */
bool loop_is(const Stmt *loop, const LoopName *name);
/* Each puts a guard or a let around everything in a block: the body of a nest's innermost loop. */
void sink_guard(Scheduler *scheduler, Block *body, Expr condition, Place place);
void sink_let(Scheduler *scheduler, Block *body, Symbol binder, Expr value, Extent domain,
              LetTail tail, Place place);

Stmt *loop_create(Scheduler *scheduler, const LoopName *name, Extent interval, bool pure,
                  Place place);

/* a + b; where one is the constant 0, the other. */
Expr plus(Pool *pool, Expr a, Expr b);
/* The first number behind the interval. */
Expr end_of(Pool *pool, Extent interval);

/* Adds `assert condition else error(subject, operands)` to the checks at the top. */
void scheduler_assert(Scheduler *scheduler, Expr condition, hlc_error error, const char *subject,
                      const Expr *operands, int count, Place place);

/* Gives the statement, in which only holes of `func` occur, the copy number `copy`. */
void renumber_holes(Scheduler *scheduler, Stmt *stmt, Symbol func, int copy);

/* ---- shared with compute_with.c ---- */
/* Does every read of the func stand inside the level?  False after refusing. */
bool compute_at_dominates(const Scheduler *scheduler, const Directive *directive,
                          const FuncPlan *plan, const LoopName *level);
/* May so many compute statements be made of the func's?  False after refusing. */
bool compute_at_has_room(const Scheduler *scheduler, const Directive *directive,
                         const FuncPlan *plan, size_t targets);
/* The func's compute statement (or if-tree) and its allocate statement, `count` times: the first as
 * they were, the others copies with holes of their own.  None stands anywhere. */
typedef struct MovedFunc {
    Stmt *compute, *allocate;
} MovedFunc;
MovedFunc *compute_at_take(Scheduler *scheduler, const FuncPlan *plan, size_t count);

/* The loops around every read of the func, as text: what compute-at could name. */
char *levels_around_reads(const Scheduler *scheduler, const FuncPlan *plan);
/* The loops around every compute statement of the func, as text: what store-at could name. */
char *levels_around_computes(const Scheduler *scheduler, const FuncPlan *plan);

/* Warns of specializations that are left as they are while z0 is vectorized; once. */
void specialize_warn(Context *context, const Directives *primitives);

/* The rules that only the finished nests (end of phase 3) and levels (end of phase 5) can break. */
bool traverse_judge(Scheduler *scheduler);
bool atomic_judge(const Scheduler *scheduler);
bool levels_judge(Scheduler *scheduler);
/* Of a func with a hoist-storage; marks its allocate statement. */
bool hoist_storage_judge(Scheduler *scheduler, const FuncPlan *plan);

#endif

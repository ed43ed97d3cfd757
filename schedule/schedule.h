/* schedule.h -- schedules: directives as written, sorted into phases, and applied one by one.
 *
 * The front end makes a Schedule.  Its directives hold the written arguments, with places.  A
 * loop's name is resolved only when its directive is applied, because earlier directives make
 * loops.  Each directive is one transformation of the program (directives.def; Figures 11 and 12),
 * in a file of its own.
 */
#ifndef HLC_SCHEDULE_SCHEDULE_H
#define HLC_SCHEDULE_SCHEDULE_H

#include "ir/algorithm.h"
#include "ir/stmt.h"

typedef enum DirectiveKind {
#define DIRECTIVE(NAME, ...) DIRECTIVE_##NAME,
#include "schedule/directives.def"
#undef DIRECTIVE
    DIRECTIVE_COUNT
} DirectiveKind;

typedef enum Phase {
    PHASE_RECURRENCE,
    PHASE_ALGORITHM,
    PHASE_SPECIALIZE,
    PHASE_BOUNDS,
    PHASE_LOOPS,
    PHASE_COMPUTE,
    PHASE_STORAGE,
    PHASE_SUGAR
} Phase;

typedef struct DirectiveInfo {
    const char *name, *text;
    Phase phase;
    const char *arguments, *sentence;
} DirectiveInfo;

const DirectiveInfo *directive_info(DirectiveKind kind);

typedef enum Tail {
    TAILS_GUARD,
    TAILS_PREDICATE, /* in programs the same as guard */
    TAILS_ROUND_UP,
    TAILS_SHIFT_INWARDS,
    TAILS_ROUND_UP_AND_BLEND,
    TAILS_SHIFT_INWARDS_AND_BLEND,
    TAILS_COUNT
} Tail;

/* How compute-with pairs the iterations of two loops that become one. */
typedef enum Alignment {
    ALIGN_VALUES, /* iterations with equal values of the loop variables */
    ALIGN_START,  /* the first iterations, the second ones, and so on */
    ALIGN_END,    /* the last iterations, the last but one, and so on */
    ALIGNMENT_COUNT
} Alignment;

/* A loop as written: `h.x` (stage < 0: the only stage with this loop), `h.s1.x`, `h.z2.s1.x`,
 * `<h, z0, s1, x>`.  `specialization` is 0 unless written. */
typedef struct LoopReference {
    Symbol func, variable;
    int specialization, stage;
} LoopReference;

typedef enum DirectiveArgumentKind {
    ARGUMENT_FUNC,
    ARGUMENT_LOOP,
    ARGUMENT_NAME,
    ARGUMENT_EXPR, /* sort index; for specialize, type bool */
    ARGUMENT_TRAVERSAL,
    ARGUMENT_TAIL,
    ARGUMENT_MEMORY,
    ARGUMENT_ALIGNMENT,
    ARGUMENT_STAGE /* `loop` without a variable */
} DirectiveArgumentKind;

typedef struct DirectiveArgument {
    DirectiveArgumentKind kind;
    Place place;
    union {
        Symbol name;        /* FUNC, NAME */
        LoopReference loop; /* LOOP, STAGE */
        Expr expr;
        Traversal traversal;
        Tail tail;
        MemoryKind memory;
        Alignment alignment;
    };
    const char *text; /* of an EXPR that was never parsed: its text in the schedule; else null */
} DirectiveArgument;

typedef struct Directive {
    DirectiveKind kind;
    Place place;
    Vec(DirectiveArgument) arguments;
} Directive;

typedef Vec(Directive) Directives;

typedef struct Schedule {
    Symbol name, pipeline;
    Directives directives;
    Place place;
} Schedule;

/* Returns the primitives of a schedule (null: the empty schedule) in the order of application, at
 * most `limit`.  Sugar is expanded, and the directives are sorted by phase.  `reorder` and `tile`
 * need the current loops, so expansion follows the nests symbolically.
 *
 * The directives of phase 0 are applied to the algorithm.  The result is the new algorithm, in the
 * same pool, or the pipeline itself if phase 0 is empty.  Null after reporting. */
const Pipeline *schedule_expand(const Pipeline *pipeline, const Schedule *schedule, size_t limit,
                                Arena *arena, Directives *primitives);

/* Writes the algorithm of schedule_expand in the algorithm language alone.  A split-reduction keeps
 * data beside a stage; this function writes that data into the stage.  The reference can evaluate
 * the result, unless a func has a `definition` (eager). */
Pipeline *pipeline_unsplit(const Pipeline *pipeline, Arena *arena);

/* Computes the last update of the func apart from the stages before it, which become another func.
 * Directives that name its loops by their stage move along.  Null if the func has fewer than two
 * updates or is no ordinary func, or if a directive names no stage. */
const Pipeline *stages_apart(const Pipeline *pipeline, const Schedule **schedule, Symbol func,
                             Arena *arena);

/* Applies the first `count` primitives of phases 1 to 5 (SIZE_MAX: all) to a lowered program.
 * Records phase 2 in `bounds` for the oracle.  False after reporting. */
struct BoundRequests;
bool schedule_apply(Program *program, const Pipeline *pipeline, const Directives *primitives,
                    size_t count, struct BoundRequests *bounds);

/* Returns the func of an argument; null if it has none. */
static inline Symbol argument_func(const DirectiveArgument *argument) {
    bool is_of_loop = argument->kind == ARGUMENT_LOOP || argument->kind == ARGUMENT_STAGE;
    return is_of_loop                        ? argument->loop.func
           : argument->kind == ARGUMENT_FUNC ? argument->name
                                             : NULL;
}

/* Returns the directive as text, e.g. `split(h.s1.x, xo, xi, 256)`. */
char *directive_text(Arena *arena, const Directive *directive);
/* Returns the loop as written: `h.s1.x`, `h.z2.x`. */
const char *loop_reference_text(Arena *arena, const LoopReference *loop);
/* Return the words of schedules: `parallel`, `round-up`. */
const char *traversal_text(Traversal traversal);
const char *tail_text(Tail tail);
/* Null for ALIGN_VALUES, which has no word. */
const char *alignment_text(Alignment alignment);
/* Does the tail guard or predicate?  Then no iteration beyond the loop's end does anything. */
static inline bool tail_guards(Tail tail) {
    return tail == TAILS_GUARD || tail == TAILS_PREDICATE;
}

/* Does the tail blend?  Then iterations beyond the loop, or repeated ones, write back the old
 * value.  For updates. */
static inline bool tail_blends(Tail tail) {
    return tail == TAILS_ROUND_UP_AND_BLEND || tail == TAILS_SHIFT_INWARDS_AND_BLEND;
}

/* Requests of phase 2: at most one of each kind a (func, dimension). */
typedef enum BoundKind { BOUND_INTERVAL, BOUND_LENGTH, BOUND_ALIGN } BoundKind;
typedef struct BoundRequest {
    BoundKind kind;
    Symbol func;
    int dimension;
    Expr minimum, length;    /* BOUND_INTERVAL; BOUND_LENGTH has length only */
    Expr modulus, remainder; /* BOUND_ALIGN */
    bool is_of_nest;         /* BOUND_INTERVAL of equations: their own reads may go beyond it */
    bool is_least; /* BOUND_INTERVAL of constants that the compiler inserted: if a larger constant
                    * interval is needed, more is computed */
    Place place;
} BoundRequest;
/* A request of phase 5 about memory: the length of this dimension is a multiple of `number`, or is
 * `number`. */
typedef struct StorageRequest {
    Symbol func;
    int dimension;
    bool is_alignment;
    int64_t number;
    Place place;
} StorageRequest;
/* fold-storage(f, x, factor) */
typedef struct FoldRequest {
    Symbol func;
    int dimension;
    Expr factor;
    Place place;
} FoldRequest;
/* A loop whose length the oracle finds, at most `longest` iterations: it was `asked` to be vectorized
 * or unrolled. */
typedef struct LengthRequest {
    LoopName loop;
    int64_t longest;
    Traversal asked;
    Place place;
} LengthRequest;
typedef struct BoundRequests {
    Vec(BoundRequest) requests;
    Vec(FoldRequest) folds;
    Vec(LengthRequest) lengths;
    Vec(StorageRequest) storage; /* at most one of each kind a (func, dimension) */
} BoundRequests;

#endif

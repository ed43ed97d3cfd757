/* schedule.h -- schedules: directives as written, sorted into phases, applied to a program one by
 * one.
 *
 * The front end makes a Schedule whose directives hold what was written, with places; names of
 * loops are resolved only when a directive is applied, because earlier directives make loops.  Each
 * directive is one transformation of the program (directives.def; Figures 11 and 12), in a file of
 * its own.
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

/* Which of their iterations loops have in common that become one (compute-with). */
typedef enum Alignment {
    ALIGN_VALUES, /* those of equal numbers */
    ALIGN_START,  /* the first, and so on */
    ALIGN_END,    /* the last, and so on */
    ALIGNMENT_COUNT
} Alignment;

/* A loop as written: `h.x` (stage < 0: the only stage that has it), `h.s1.x`, `h.z2.s1.x`,
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
    const char *text; /* of an EXPR that was never parsed: as a schedule has it; else null */
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

/* The primitives that a schedule (null: the empty one) means, in the order of application, at most
 * `limit` of them: sugar expanded, sorted by phase.  `reorder` and `tile` need the loops as they
 * are, so expansion follows the nests symbolically.  Those of phase 0 are applied: the result is
 * the algorithm with them, in the same pool (the pipeline itself where there are none).  Null after
 * reporting. */
const Pipeline *schedule_expand(const Pipeline *pipeline, const Schedule *schedule, size_t limit,
                                Arena *arena, Directives *primitives);

/* The algorithm that schedule_expand gave, in the algorithm language alone: what a split-reduction
 * keeps beside a stage is written into it.  So the reference can evaluate it, unless a func has a
 * `definition` (eager). */
Pipeline *pipeline_unsplit(const Pipeline *pipeline, Arena *arena);

/* Applies the first `count` primitives of phases 1 to 5 (SIZE_MAX: all) to a lowered program. Phase
 * 2 is recorded in `bounds` for the oracle.  False after reporting. */
struct BoundRequests;
bool schedule_apply(Program *program, const Pipeline *pipeline, const Directives *primitives,
                    size_t count, struct BoundRequests *bounds);

/* The func that an argument is about; null where it is about none. */
static inline Symbol argument_func(const DirectiveArgument *argument) {
    bool is_of_loop = argument->kind == ARGUMENT_LOOP || argument->kind == ARGUMENT_STAGE;
    return is_of_loop                        ? argument->loop.func
           : argument->kind == ARGUMENT_FUNC ? argument->name
                                             : NULL;
}

/* The directive as text, e.g. `split(h.s1.x, xo, xi, 256)`. */
char *directive_text(Arena *arena, const Directive *directive);
/* `h.s1.x`, `h.z2.x`: as much as was written. */
const char *loop_reference_text(Arena *arena, const LoopReference *loop);
/* The words of schedules: `parallel`, `round-up`. */
const char *traversal_text(Traversal traversal);
const char *tail_text(Tail tail);
/* Null for ALIGN_VALUES, which has no word. */
const char *alignment_text(Alignment alignment);
/* Guard or predicate: no iteration beyond the loop's end does anything. */
static inline bool tail_guards(Tail tail) {
    return tail == TAILS_GUARD || tail == TAILS_PREDICATE;
}

/* What it computes beyond the loop, or twice, it writes back as it is: for updates. */
static inline bool tail_blends(Tail tail) {
    return tail == TAILS_ROUND_UP_AND_BLEND || tail == TAILS_SHIFT_INWARDS_AND_BLEND;
}

/* What phase 2 asked: at most one of each kind a (func, dimension). */
typedef enum BoundKind { BOUND_INTERVAL, BOUND_LENGTH, BOUND_ALIGN } BoundKind;
typedef struct BoundRequest {
    BoundKind kind;
    Symbol func;
    int dimension;
    Expr minimum, length;    /* BOUND_INTERVAL; BOUND_LENGTH has length only */
    Expr modulus, remainder; /* BOUND_ALIGN */
    bool is_of_nest;         /* of equations: of BOUND_INTERVAL, their own reads may go beyond it */
    bool is_least; /* BOUND_INTERVAL of constants that nobody wrote: more is computed where a
                    * constant interval that reaches further is needed */
    Place place;
} BoundRequest;
/* What phase 5 asked of memory: in this dimension it has a length that is a multiple of `number`,
 * or is `number`. */
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
typedef struct BoundRequests {
    Vec(BoundRequest) requests;
    Vec(FoldRequest) folds;
    Vec(StorageRequest) storage; /* at most one of each kind a (func, dimension) */
} BoundRequests;

#endif

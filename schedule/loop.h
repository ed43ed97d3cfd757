/* loop.h -- loop nests by name, and how a written loop is resolved.
 *
 * Sugar is expanded before a program exists.  Primitives are checked against a program.  Both see a
 * nest as a list of named loops (LoopNest).  Sugar follows the nest symbolically (nests.c);
 * primitives read it off the statements (loop.c).  So each rule about names is written once.
 */
#ifndef HLC_SCHEDULE_LOOP_H
#define HLC_SCHEDULE_LOOP_H

#include "ir/walk.h"
#include "schedule/schedule.h"

typedef struct NestLoop {
    Symbol variable;
    bool pure;                /* Def 8.3 */
    const LoopOrigin *origin; /* null for pure loops */
} NestLoop;

/* The nest of one stage of one specialization. */
typedef struct LoopNest {
    const Func *func;
    int specialization, stage;
    Vec(NestLoop) loops; /* outermost first */
    Vec(Symbol) taken;   /* symbols (loop_symbol) of all loops and lets, past and present */
} LoopNest;

/* The source of nests, and the way to refuse.  A `silent` resolver reports no refusal: the caller
 * only wants to know whether a directive would be legal. */
typedef struct Resolver {
    Context *context;
    Arena *arena;
    const Pipeline *pipeline;
    bool silent;
    Map inlined;               /* Symbol -> Directive: funcs that phase 0 removes */
    const Schedule *rewriting; /* as written, in phase 0, before loops exist; else null */
    Map *orders;               /* Stage -> ReductionOrder (reorder_reduction.h) */
    Map *disjoint;             /* Stage -> DisjointAnswers (disjoint.h) */
    Map atomic; /* `f` and `f.s1` -> Directive: updates that are said to be so (atomic.h) */
    void *data;
    /* Returns how many specializations beside z0 the func has. */
    int (*specializations)(void *data, const Func *func);
    /* Returns the nest of an existing specialization and stage. */
    LoopNest *(*nest)(void *data, const Func *func, int specialization, int stage);
} Resolver;

/* Reports unless silent.  Always returns false, so that a check can say `return refuse(..)`. */
#define refuse(resolver, code, place, ...)                                                         \
    refuse_((resolver), (code), (place), (const char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
bool refuse_(const Resolver *resolver, DiagCode code, Place place, const char *const *arguments);

/* Do the iterations run in parallel or as lanes? */
static inline bool runs_side_by_side(Traversal traversal) {
    return traversal == TRAVERSE_PARALLEL || traversal == TRAVERSE_VECTORIZED;
}

/* Makes a resolver that knows nothing yet and has no nests. */
Resolver resolver_create(Arena *arena, const Pipeline *pipeline);
/* Returns a copy of the resolver that reports nothing. */
static inline Resolver resolver_silent(const Resolver *resolver) {
    Resolver silent = *resolver;
    silent.silent = true;
    return silent;
}

/* Refuses the tail of a split because a loop of this kind cannot have it. */
bool refuse_tail(const Resolver *resolver, const Directive *split, const char *loop);

/* Returns the nest of equations whose values the output `func` copies; null for other funcs. */
const Func *nest_copied(const Pipeline *pipeline, Symbol func);

/* Returns the func that an argument names; null after refusing. */
const Func *resolve_func(const Resolver *resolver, const DirectiveArgument *argument);
/* Returns the dimension of the func that an argument names; -1 after refusing. */
int resolve_dimension(const Resolver *resolver, const Func *func,
                      const DirectiveArgument *argument);
/* Finds the loop that an argument names (exactly one, Lemma 6.1) and fills in its stage.  If it
 * refuses, the message lists the loops that the argument could name, and the result is false. */
bool resolve_loop(const Resolver *resolver, const DirectiveArgument *argument, LoopName *name);
/* Returns the nest of a resolved name, and the loop's position in it. */
LoopNest *nest_of(const Resolver *resolver, const LoopName *name, size_t *position);

/* `h.s1.x`. */
const char *loop_text(const Resolver *resolver, const LoopName *name);
const char *nest_loop_text(const Resolver *resolver, const LoopNest *nest, Symbol variable);
/* The name of another loop of the same stage. */
LoopName nest_loop_name(const LoopNest *nest, Symbol variable);
/* Returns `h.s1.y, h.s1.x`: the loops from the outermost to the innermost; `none` if there is
 * none. */
char *nest_text(const Resolver *resolver, const LoopNest *nest);
/* May a new loop of the nest have the argument's name?  `other` is the directive's other new name,
 * or null; the two must differ.  False after refusing. */
bool nest_accepts_name(const Resolver *resolver, const LoopNest *nest,
                       const DirectiveArgument *argument, const DirectiveArgument *other);
/* Does the limit on loops allow more in the nest?  False after refusing. */
bool nest_has_room(const Resolver *resolver, const LoopNest *nest, Place place);
/* Replaces `removed` loops at `position` by `count` loops. */
void nest_replace(const Resolver *resolver, LoopNest *nest, size_t position, size_t removed,
                  const NestLoop *loops, size_t count);
/* Makes the nest of Figure 9. */
LoopNest *nest_initial(Context *context, Arena *arena, const Func *func, int specialization,
                       int stage);

/* Finds the nest of the loop that an argument names, and its position.  False after refusing. */
bool resolve_nest(const Resolver *resolver, const DirectiveArgument *argument, LoopNest **nest,
                  size_t *position);
/* Finds the loop that an argument names and the loop directly inside.  False after refusing: there
 * is no loop inside. */
bool resolve_pair(const Resolver *resolver, const DirectiveArgument *argument, LoopNest **nest,
                  size_t *outer);

/* Does a func, image or parameter have that name, or did an inlined func have it? */
bool pipeline_name_is_taken(const Resolver *resolver, Symbol name);

/* `17`. */
const char *number_text(const Resolver *resolver, int64_t number);
/* Is the number, called `what` in messages, a constant in 1..most?  False after refusing. */
bool check_constant(const Resolver *resolver, const DirectiveArgument *argument, const char *what,
                    int64_t most);
/* Is the number at least `least`, if it is a constant?  False after refusing. */
bool check_least(const Resolver *resolver, const DirectiveArgument *argument, int64_t least,
                 const char *what);
enum { LARGEST_SPLIT_FACTOR = INT32_MAX };
/* Is it a legal factor to split a loop or a reduction variable by?  False after refusing. */
bool check_split_factor(const Resolver *resolver, const DirectiveArgument *factor);
/* Is it a startup expression (Def 4.4)?  It has no access and no hole, and every variable is a
 * parameter or a field of a buffer.  False after refusing. */
bool check_startup(const Resolver *resolver, const DirectiveArgument *argument);

/* Copies the directive.  The caller may change the copy's arguments. */
Directive directive_copy(Arena *arena, const Directive *directive);
/* Returns the n-th argument; null if the directive has fewer. */
const DirectiveArgument *directive_argument(const Directive *directive, size_t n);
/* Returns the first argument of a kind; null if there is none. */
const DirectiveArgument *directive_find(const Directive *directive, DirectiveArgumentKind kind);

/* Returns the func whose compute or storage level a directive of phases 4 and 5 sets. */
DirectiveArgument directive_subject(const Directive *directive);

/* Appends the accesses in the stage's indices, values and predicate. */
void stage_accesses(Arena *arena, const Func *func, const Stage *stage, Exprs *accesses);

/* ---- funcs that share loops (group.c) ---- */

/* Sorts the funcs of the resolver's pipeline so that funcs joined by compute-with are neighbours.
 * Such a group stands after all funcs that one of them reads, and before all funcs that read one of
 * them.  Returns the pipeline itself if no directive is a compute-with.  Null after refusing. */
const Pipeline *group_sort(const Resolver *resolver, const Directives *directives);

/* ---- symbolic nests (nests.c) ---- */

/* The nests of all funcs.  Each is made on the first question about it. */
typedef struct Nests {
    Context *context;
    Arena *arena;
    Map by_func; /* Symbol -> the func's nests */
} Nests;

/* Makes `resolver` look at `nests`. */
void nests_resolve_with(Nests *nests, Resolver *resolver);
/* Gives the func that many specializations beside z0, each with the nests of Figure 9. */
void nests_specialize(const Resolver *resolver, const Func *func, int specializations);

/* ---- the algorithm (algorithm.c) ---- */

typedef struct ReductionLoops ReductionLoops;

/* Phase 0: applies at most `limit` directives to the resolver's pipeline, in written order.
 * Appends them to `primitives`, and the directives of other phases to `later`.  The resolver then
 * knows which funcs were inlined.  Returns the new pipeline; null after reporting. */
const Pipeline *algorithm_rewrite(Resolver *resolver, const Schedule *schedule, size_t limit,
                                  Directives *primitives, ReductionLoops *loops, Schedule *later);

#endif

/* loop.h -- loop nests by name, and what a written loop refers to.
 *
 * Sugar is expanded before there is a program, primitives are checked against one.  Both look at a
 * nest in the same way: as a list of named loops (LoopNest), which either is followed symbolically
 * (nests.c) or read off the statements (loop.c).  So a rule about names stands once.
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
    Vec(Symbol) taken;   /* symbols (loop_symbol) of all loops and lets that are or have been */
} LoopNest;

/* Whom to ask for nests, and how to refuse.  `silent` refusals report nothing: for those who want
 * to know whether a directive is legal before they write it. */
typedef struct Resolver {
    Context *context;
    Arena *arena;
    const Pipeline *pipeline;
    bool silent;
    Map inlined;               /* Symbol -> Directive: funcs that phase 0 removes */
    const Schedule *rewriting; /* as written, in phase 0, where loops are not made yet; else null */
    Map *orders;               /* Stage -> ReductionOrder (reorder_reduction.h) */
    Map *disjoint;             /* Stage -> DisjointAnswers (disjoint.h) */
    Map atomic; /* `f` and `f.s1` -> Directive: updates that are said to be so (atomic.h) */
    void *data;
    /* How many specializations beside z0 the func has. */
    int (*specializations)(void *data, const Func *func);
    /* The nest of an existing specialization and stage. */
    LoopNest *(*nest)(void *data, const Func *func, int specialization, int stage);
} Resolver;

/* Reports unless silent; always false, so that a check can say `return refuse(..)`. */
#define refuse(resolver, code, place, ...)                                                         \
    refuse_((resolver), (code), (place), (const char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
bool refuse_(const Resolver *resolver, DiagCode code, Place place, const char *const *arguments);

/* Are iterations parallel, or lanes? */
static inline bool runs_side_by_side(Traversal traversal) {
    return traversal == TRAVERSE_PARALLEL || traversal == TRAVERSE_VECTORIZED;
}

/* Nothing is known yet, and there are no nests. */
Resolver resolver_create(Arena *arena, const Pipeline *pipeline);
/* The resolver, reporting nothing. */
static inline Resolver resolver_silent(const Resolver *resolver) {
    Resolver silent = *resolver;
    silent.silent = true;
    return silent;
}

/* Refuses the tail of a split: the loop is of a kind that it is not for. */
bool refuse_tail(const Resolver *resolver, const Directive *split, const char *loop);

/* The nest of equations that computes what the func, an output, only copies; null for others. */
const Func *nest_copied(const Pipeline *pipeline, Symbol func);

/* The func that an argument names; null after refusing. */
const Func *resolve_func(const Resolver *resolver, const DirectiveArgument *argument);
/* The dimension of the func that an argument names; -1 after refusing. */
int resolve_dimension(const Resolver *resolver, const Func *func,
                      const DirectiveArgument *argument);
/* The loop that an argument names (exactly one, Lemma 6.1), with its stage filled in.  False after
 * refusing with the loops that could have been named. */
bool resolve_loop(const Resolver *resolver, const DirectiveArgument *argument, LoopName *name);
/* The nest that a resolved name belongs to, and the loop's position in it. */
LoopNest *nest_of(const Resolver *resolver, const LoopName *name, size_t *position);

/* `h.s1.x`. */
const char *loop_text(const Resolver *resolver, const LoopName *name);
const char *nest_loop_text(const Resolver *resolver, const LoopNest *nest, Symbol variable);
/* The name of another loop of the same stage. */
LoopName nest_loop_name(const LoopNest *nest, Symbol variable);
/* `h.s1.y, h.s1.x`: the loops from the outermost to the innermost; `none` where there is none. */
char *nest_text(const Resolver *resolver, const LoopNest *nest);
/* May the argument's name be given to a new loop of the nest?  Also not twice among the directive's
 * own: `other` is the directive's other new name, or null.  False after refusing. */
bool nest_accepts_name(const Resolver *resolver, const LoopNest *nest,
                       const DirectiveArgument *argument, const DirectiveArgument *other);
/* May more loops be made in the nest?  False after refusing. */
bool nest_has_room(const Resolver *resolver, const LoopNest *nest, Place place);
/* Puts `count` loops in the place of `removed` ones at `position`. */
void nest_replace(const Resolver *resolver, LoopNest *nest, size_t position, size_t removed,
                  const NestLoop *loops, size_t count);
/* A nest as Figure 9 makes it. */
LoopNest *nest_initial(Context *context, Arena *arena, const Func *func, int specialization,
                       int stage);

/* The nest of the loop that an argument names, and its position.  False after refusing. */
bool resolve_nest(const Resolver *resolver, const DirectiveArgument *argument, LoopNest **nest,
                  size_t *position);
/* The loops that an argument names and directly inside.  False after refusing: there is none. */
bool resolve_pair(const Resolver *resolver, const DirectiveArgument *argument, LoopNest **nest,
                  size_t *outer);

/* Has a func, image or parameter that name, or did one that is inlined? */
bool pipeline_name_is_taken(const Resolver *resolver, Symbol name);

/* `17`. */
const char *number_text(const Resolver *resolver, int64_t number);
/* Is the number `what` a constant in 1..most?  False after refusing. */
bool check_constant(const Resolver *resolver, const DirectiveArgument *argument, const char *what,
                    int64_t most);
/* If it is a constant, is it at least `least`?  False after refusing. */
bool check_least(const Resolver *resolver, const DirectiveArgument *argument, int64_t least,
                 const char *what);
enum { LARGEST_SPLIT_FACTOR = INT32_MAX };
/* May a loop or a reduction variable be split by it?  False after refusing. */
bool check_split_factor(const Resolver *resolver, const DirectiveArgument *factor);
/* Def 4.4: no access, no hole; every variable a parameter or a field of a buffer.  False after
 * refusing. */
bool check_startup(const Resolver *resolver, const DirectiveArgument *argument);

/* A copy whose arguments may be changed. */
Directive directive_copy(Arena *arena, const Directive *directive);
/* The n-th argument; null where the directive has fewer. */
const DirectiveArgument *directive_argument(const Directive *directive, size_t n);
/* The first argument of a kind; null where there is none. */
const DirectiveArgument *directive_find(const Directive *directive, DirectiveArgumentKind kind);

/* The func whose place of computing or storing a directive of phases 4 and 5 is about. */
DirectiveArgument directive_subject(const Directive *directive);

/* Appends the accesses in the stage's indices, values and predicate. */
void stage_accesses(Arena *arena, const Func *func, const Stage *stage, Exprs *accesses);

/* ---- funcs that share loops (group.c) ---- */

/* The resolver's pipeline with its funcs sorted so that those which a compute-with joins stand next
 * to each other, after all that one of them reads and before all that reads them.  Itself where no
 * directive is one.  Null after refusing. */
const Pipeline *group_sort(const Resolver *resolver, const Directives *directives);

/* ---- symbolic nests (nests.c) ---- */

/* The nests of all funcs, made when they are first asked for. */
typedef struct Nests {
    Context *context;
    Arena *arena;
    Map by_func; /* Symbol -> the func's nests */
} Nests;

/* Makes `resolver` look at `nests`. */
void nests_resolve_with(Nests *nests, Resolver *resolver);
/* Gives the func so many specializations beside z0, each with the nests of Figure 9. */
void nests_specialize(const Resolver *resolver, const Func *func, int specializations);

/* ---- the algorithm (algorithm.c) ---- */

typedef struct ReductionLoops ReductionLoops;

/* Phase 0: the resolver's pipeline with the directives applied as written, at most `limit` of them;
 * they are appended to `primitives`, what is left for other phases to `later`, and the resolver
 * knows what was inlined.  Null after reporting. */
const Pipeline *algorithm_rewrite(Resolver *resolver, const Schedule *schedule, size_t limit,
                                  Directives *primitives, ReductionLoops *loops, Schedule *later);

#endif

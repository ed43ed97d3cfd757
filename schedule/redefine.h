/* redefine.h -- an algorithm in which funcs are replaced, and new ones put next to others.
 *
 * Directives of phase 0 in a row work on one copy of the pipeline, in which funcs are found by
 * name; `funcs`, which has an order, is made at the end.  So a directive costs what it changes.
 */
#ifndef HLC_SCHEDULE_REDEFINE_H
#define HLC_SCHEDULE_REDEFINE_H

#include "schedule/loop.h"

typedef struct Redefinition Redefinition;

/* What finds its funcs by name; in `funcs` they stand only when it has ended. */
Pipeline *redefine_pipeline(const Redefinition *redefinition);
/* May a new func have the argument's name?  False after refusing. */
bool redefine_accepts_name(const Redefinition *redefinition, const Resolver *resolver,
                           const DirectiveArgument *argument);
/* In the place of the func of that name. */
void redefine_replace(Redefinition *redefinition, Func *func);
/* The func with another stage of that number. */
void redefine_stage(Redefinition *redefinition, const Func *func, Stage *stage);
/* A new func, directly before or behind the func (or image: behind) of that name. */
void redefine_add_before(Redefinition *redefinition, Symbol name, Func *func);
void redefine_add_behind(Redefinition *redefinition, Symbol name, Func *func);
void redefine_end(Redefinition *redefinition);

/* A copy of the func that has no stages yet. */
Func *func_without_stages(Arena *arena, const Func *func);
/* A copy of the func with each expression of its stages replaced by `map(data, expr)`. */
Func *func_map(Arena *arena, const Func *func, ExprMap *map, void *data);
/* The first stage of a func, which writes each of its points; its values are open. */
Stage *stage_of_all_points(Arena *arena, const Func *func, Place place);
/* A copy of the stage with each of its expressions replaced by `map(data, expr)`. */
Stage *stage_map(Arena *arena, const FuncShape *shape, const Stage *stage, ExprMap *map,
                 void *data);
/* Lists the accesses of the stage's indices and values that are not listed yet, as written at
 * `place`: of one that has no predicate. */
void stage_add_sites(Arena *arena, const FuncShape *shape, Stage *stage, Place place);

/* ---- directives in a row ---- */

typedef struct Wrapping Wrapping;

/* Directives of phase 0 that are applied together (algorithm.c).  What they need is begun by the
 * first and ended behind the last. */
typedef struct AlgorithmRun {
    Resolver *resolver;         /* its pipeline is the redefinition's, if there is one */
    Redefinition *redefinition; /* null until one asks for it */
    Wrapping *wrapping;         /* of wraps (wrap.c) */
    bool has_inlined;           /* the resolver knows which funcs */
} AlgorithmRun;

/* The run's redefinition, in which its directives find and change funcs. */
Redefinition *run_redefinition(AlgorithmRun *run);

/* The resolver's pipeline without the funcs that it knows as inlined.  Null after reporting. */
Pipeline *inline_funcs(const Resolver *resolver);
/* Why the update cannot be factored, whatever its order: a clause; null where it can. */
const char *rfactor_obstacle(const Resolver *resolver, Func *func, const Stage *stage);
/* Does the directive, a split, name a reduction variable of the algorithm as it is now? */
bool split_reduction_is_meant(const Resolver *resolver, const Directive *split);
/* An argument that names the reduction variable. */
DirectiveArgument argument_reduction(const Func *func, const Stage *stage, size_t variable);
/* The stage of the algorithm, and the reduction variable in it, that a loop names; null after
 * refusing. */
const Stage *resolve_reduction(const Resolver *resolver, const DirectiveArgument *argument,
                               size_t *variable);

#endif

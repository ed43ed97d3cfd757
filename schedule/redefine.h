/* redefine.h -- edits an algorithm: replaces funcs and adds new ones next to others.
 *
 * Consecutive directives of phase 0 work on one copy of the pipeline.  They find funcs in it by
 * name; the ordered list `funcs` is made once, at the end.  So a directive costs what it changes.
 */
#ifndef HLC_SCHEDULE_REDEFINE_H
#define HLC_SCHEDULE_REDEFINE_H

#include "schedule/loop.h"

typedef struct Redefinition Redefinition;

/* Returns the pipeline being edited.  It finds funcs by name; `funcs` is filled at the end only. */
Pipeline *redefine_pipeline(const Redefinition *redefinition);
/* May a new func have the argument's name?  False after refusing. */
bool redefine_accepts_name(const Redefinition *redefinition, const Resolver *resolver,
                           const DirectiveArgument *argument);
/* Replaces the func of the same name. */
void redefine_replace(Redefinition *redefinition, Func *func);
/* Replaces the stage of that number in the func. */
void redefine_stage(Redefinition *redefinition, const Func *func, Stage *stage);
/* Each adds a new func directly before or after the func of that name (for an image: after). */
void redefine_add_before(Redefinition *redefinition, Symbol name, Func *func);
void redefine_add_behind(Redefinition *redefinition, Symbol name, Func *func);
void redefine_end(Redefinition *redefinition);

/* Copies the func without its stages. */
Func *func_without_stages(Arena *arena, const Func *func);
/* Copies the func and replaces each expression of its stages by `map(data, expr)`. */
Func *func_map(Arena *arena, const Func *func, ExprMap *map, void *data);
/* Makes a first stage that writes each point of a func; its values are open. */
Stage *stage_of_all_points(Arena *arena, const Func *func, Place place);
/* Copies the stage and replaces each of its expressions by `map(data, expr)`. */
Stage *stage_map(Arena *arena, const FuncShape *shape, const Stage *stage, ExprMap *map,
                 void *data);
/* Writes the splits of a stage's reduction variables into its expressions (unsplit.c).  Returns the
 * stage itself if there are none. */
Stage *stage_unsplit(const Pipeline *pipeline, Arena *arena, const FuncShape *shape, Stage *stage);
/* Lists the accesses in the indices and values of a stage without a predicate, as written at
 * `place`.  Accesses that are already listed are skipped. */
void stage_add_sites(Arena *arena, const FuncShape *shape, Stage *stage, Place place);

/* ---- consecutive directives ---- */

typedef struct Wrapping Wrapping;

/* Consecutive directives of phase 0 (algorithm.c).  The first one that needs shared state starts
 * it; the end of the run finishes it. */
typedef struct AlgorithmRun {
    Resolver *resolver;         /* its pipeline is the redefinition's, if there is one */
    Redefinition *redefinition; /* null until a directive asks for it */
    Wrapping *wrapping;         /* of wraps (wrap.c) */
    bool has_inlined;           /* the resolver holds the inlined funcs of the run */
} AlgorithmRun;

/* Returns the run's redefinition, in which its directives find and change funcs. */
Redefinition *run_redefinition(AlgorithmRun *run);

/* Puts `created` behind the func or image, and lets the consumers that the directive names (none:
 * all) read it instead.  Its last argument is the new name.  False after refusing.  (wrap.c) */
bool wrap_consumers(AlgorithmRun *run, const Directive *directive, Symbol wrapped, Func *created);
/* Returns the resolver's pipeline without its inlined funcs.  Null after reporting. */
Pipeline *inline_funcs(const Resolver *resolver);
/* Says why the update cannot be factored in any order, as a clause; null if it can. */
const char *rfactor_obstacle(const Resolver *resolver, Func *func, const Stage *stage);
/* Does the directive, a split, name a reduction variable of the current algorithm? */
bool split_reduction_is_meant(const Resolver *resolver, const Directive *split);
/* Makes an argument that names the reduction variable. */
DirectiveArgument argument_reduction(const Func *func, const Stage *stage, size_t variable);
/* Finds the stage of the algorithm and its reduction variable that a loop names; null after
 * refusing. */
const Stage *resolve_reduction(const Resolver *resolver, const DirectiveArgument *argument,
                               size_t *variable);

#endif

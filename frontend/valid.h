/* valid.h -- the validity of algorithms: Defs 4.2 to 4.5 of the report, one function for each
 * definition. */
#ifndef HLC_FRONTEND_VALID_H
#define HLC_FRONTEND_VALID_H

#include "frontend/ast.h"
#include "ir/algorithm.h"

/* Def 4.2, the syntactic separation restriction. A pure variable that occurs in a stage must have
 * its own position in every access of the stage to its func, also in the written one. The test sees
 * the expansion of lets, helpers and inline reductions before any simplification (the constructors
 * drop no variable). It needs Stage.pure. `index_places` has one place for each written index. */
bool valid_separation(Context *context, const Func *func, const Stage *stage,
                      const Place *index_places);

/* The output `func` may share the memory of the image `name`: its first stage copies the image, and
 * no func of `reached` (Symbol -> Func) reads the image besides. Nothing else is needed: then a call
 * with shared memory leaves the first stage out, and reads no element of the image. */
bool valid_shared_image(Context *context, const Pipeline *pipeline, const Func *func,
                        const NameSyntax *name, const Map *reached);

/* Def 4.3: sets Stage.pure. */
void valid_pure_dimensions(Arena *scratch, const Func *func, Stage *stage);

typedef enum StartupUse { STARTUP_ALGORITHM, STARTUP_REQUIREMENT, STARTUP_SCHEDULE } StartupUse;

/* Def 4.4: a startup expression contains only parameters and buffer fields of images. In
 * requirements and schedules it may also contain fields of outputs. `what` names the expression in
 * the message. */
bool valid_startup(Context *context, Arena *scratch, const Signature *signature, Expr expr,
                   StartupUse use, const char *what, Place place);

/* Def 4.5, for names. The pure variables of a func are distinct. The reduction variables of a stage
 * are distinct, and differ from the pure ones. All differ from the parameters, which they would
 * hide. (The lookup of names checks unique func names, self-references in first stages, and arity.)
 */
bool valid_variables(Context *context, const Signature *signature, const FunSyntax *fun);

#endif

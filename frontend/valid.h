/* valid.h -- what makes an algorithm valid: Defs 4.2 to 4.5 of the report, one function a
 * definition. */
#ifndef HLC_FRONTEND_VALID_H
#define HLC_FRONTEND_VALID_H

#include "frontend/ast.h"
#include "ir/algorithm.h"

/* Def 4.2, the syntactic separation restriction: where a pure variable occurs in a stage, every
 * access of the stage to its own func, the written one included, has it at its place.  Tested on
 * what lets, helpers and inline reductions expand to, before any simplification (the constructors
 * drop no variable).  Needs Stage.pure.  `index_places`: one a written index. */
bool valid_separation(Context *context, const Func *func, const Stage *stage,
                      const Place *index_places);

/* Def 4.3: sets Stage.pure. */
void valid_pure_dimensions(Arena *scratch, const Func *func, Stage *stage);

/* Def 4.4: parameters and the buffer fields of images only.  `windows`: the fields of outputs too
 * (in schedules).  `what` names the expression in the message. */
bool valid_startup(Context *context, Arena *scratch, const Signature *signature, Expr expr,
                   bool windows, const char *what, Place place);

/* Def 4.5, as far as names go: the pure variables of a func differ from each other, the reduction
 * variables of a stage from each other and from the pure ones, and all from the parameters, whose
 * values they would hide.  (Unique func names, self-references in first stages and arity are seen
 * where names are looked up.) */
bool valid_variables(Context *context, const Signature *signature, const FunSyntax *fun);

#endif

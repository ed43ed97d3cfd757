/* directive_build.h -- makes directives that no user wrote. */
#ifndef HLC_SCHEDULE_DIRECTIVE_BUILD_H
#define HLC_SCHEDULE_DIRECTIVE_BUILD_H

#include "schedule/legal_directives.h"
#include "schedule/loop.h"

/* Make arguments without a place. */
DirectiveArgument argument_func_named(Symbol func);
DirectiveArgument argument_name(Symbol name);
DirectiveArgument argument_loop(const LoopName *loop);
DirectiveArgument argument_of_nest(const LoopNest *nest, size_t position);
DirectiveArgument argument_number(const NumberChoice *number);
DirectiveArgument argument_traversal(Traversal traversal);

/* Returns the argument as if written at `place`. */
DirectiveArgument argument_at(DirectiveArgument argument, Place place);

#endif

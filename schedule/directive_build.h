/* directive_build.h -- makes directives that nobody wrote. */
#ifndef HLC_SCHEDULE_DIRECTIVE_BUILD_H
#define HLC_SCHEDULE_DIRECTIVE_BUILD_H

#include "schedule/schedule.h"

/* Arguments, without a place. */
DirectiveArgument argument_func_named(Symbol func);
DirectiveArgument argument_name(Symbol name);
DirectiveArgument argument_loop(const LoopName *loop);
DirectiveArgument argument_traversal(Traversal traversal);

/* The argument as written at `place`. */
DirectiveArgument argument_at(DirectiveArgument argument, Place place);

#endif

/* prefetch.h -- PASS_PREFETCH. */
#ifndef HLC_LOWER_PASSES_PREFETCH_H
#define HLC_LOWER_PASSES_PREFETCH_H

#include "ir/stmt.h"

/* False after reporting that there is nothing to fetch. */
bool lower_prefetch(Program *program, Arena *arena);

#endif

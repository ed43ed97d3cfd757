/* moves.h -- the directives that may be appended to a schedule: moves.c lists them, best_moves.c ranks
 * them. */
#ifndef HLC_LIBRARY_SHOW_MOVES_H
#define HLC_LIBRARY_SHOW_MOVES_H

#include "library/compiler.h"

/* Appends all moves, in the order of their phases. False after reporting: the schedule is refused. */
bool moves_list(hlc *h, const Pipeline *pipeline, const char *schedule, Directives *moves);

#endif

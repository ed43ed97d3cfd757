/* moves.h -- which directives may be appended to a schedule (schedule/legal_directives.h), judged by
 * applying the longer schedule as a whole: sugar expanded, the algorithm rewritten, all phases, all
 * judgements.
 */
#ifndef HLC_LOWER_MOVES_H
#define HLC_LOWER_MOVES_H

#include "lower/lower.h"
#include "schedule/legal_directives.h"

/* The last pass that may refuse one of its directives. */
PassId lower_judges(const Schedule *schedule);
/* Is the schedule accepted with this directive at its end? */
bool lower_accepts_move(const Pipeline *pipeline, const Schedule *schedule, const Directive *move);

/* Appends to `moves`, which live in `arena`, what could come next; not yet judged as a whole:
 * lower_accepts_move does.  False, with nothing reported, where the schedule itself is refused. */
bool lower_propose(const Pipeline *pipeline, const Schedule *schedule,
                   const DirectiveChoices *choices, Arena *arena, Directives *moves);

#endif

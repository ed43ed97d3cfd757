/* moves.h -- which directives may be appended to a schedule (schedule/legal_directives.h).
 *
 * The answer applies the longer schedule as a whole: it expands sugar, rewrites the algorithm, and
 * runs all phases and all checks of finished nests and levels.
 */
#ifndef HLC_LOWER_MOVES_H
#define HLC_LOWER_MOVES_H

#include "lower/lower.h"
#include "schedule/legal_directives.h"

/* Returns the last pass that may refuse one of the schedule's directives. */
PassId lower_judges(const Schedule *schedule);
/* Is the schedule accepted with this directive at its end? */
bool lower_accepts_move(const Pipeline *pipeline, const Schedule *schedule, const Directive *move);

/* Appends candidates for the next directive to `moves`, which live in `arena`.  They are not yet
 * judged as a whole: lower_accepts_move does that.  Returns false, without a report, if the
 * schedule itself is refused. */
bool lower_propose(const Pipeline *pipeline, const Schedule *schedule,
                   const DirectiveChoices *choices, Arena *arena, Directives *moves);

#endif

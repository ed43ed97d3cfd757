/* moves.h -- the directives that may be appended to a schedule: moves.c lists them, best_moves.c ranks
 * them, inline_moves.c adds some that replace others, measured_moves.c measures the best. */
#ifndef HLC_LIBRARY_SHOW_MOVES_H
#define HLC_LIBRARY_SHOW_MOVES_H

#include "library/compiler.h"

#include "autoschedule/model.h"

/* Appends candidates for moves, in the order of their phases. lower_accepts_move says which of them are
 * moves. False after reporting: the schedule is refused. */
bool moves_propose(hlc *h, const Pipeline *pipeline, const char *schedule, Directives *proposed);

/* One directive, or several that are appended together. */
typedef struct RankedMove {
    Directives directives;
    double weight; /* cycles of its func, as they are now; negative: it is left out */
    double cycles; /* of the whole, with it; negative: not estimated */
    double time;   /* measured, over the time without it; negative: not measured, or far slower */
    size_t number; /* in the list of candidates */
    bool replaces; /* all directives about the same funcs */
} RankedMove;
typedef Vec(RankedMove) RankedMoves;

/* Adds `inline` of funcs that have directives, which it replaces. `now` is of the schedule as it is. */
void moves_add_inlines(const Pipeline *pipeline, const Schedule *schedule, const Estimate *now,
                       Arena *arena, RankedMoves *moves);
/* Does the move replace this directive? */
bool moves_drops(const RankedMove *move, const Directive *directive);

/* The schedule (null: the empty one) with the move at its end, without what the move replaces. */
Schedule *moves_append(hlc *h, const Pipeline *pipeline, const Schedule *schedule,
                       const RankedMove *move, Arena *arena);

/* Sets the times of the moves, by runs with so many threads on the bound arguments for so many seconds. The schedule is the
 * one of this name. Returns another status than HLC_YES after reporting: it does not run on them. */
hlc_status moves_measure(hlc *h, const Schedule *schedule, const char *name, hlc_arguments *a,
                         int threads, double seconds, RankedMove *const *moves, size_t count);

#endif

/* moves.h -- the directives that could come next: what the scheduler's own checks let through.
 *
 * A move is a directive that may be appended to a schedule.  It is looked for where it would be
 * applied: the schedule's primitives are applied up to its phase (and, for levels, its func), each
 * directive that the choices allow is made and handed to its own check, and what the check lets
 * through is proposed.  What the directives behind it say to it, and what only finished nests and
 * levels show, is known when the longer schedule is applied as a whole: lower/moves.h does that.
 */
#ifndef HLC_SCHEDULE_MOVES_H
#define HLC_SCHEDULE_MOVES_H

#include "schedule/schedule.h"

/* An argument that is open: the expression, and how it is written in a schedule. */
typedef struct MoveNumber {
    const char *text;
    Expr expr;
} MoveNumber;
typedef Vec(MoveNumber) MoveNumbers;

/* What is put in the place of open arguments, and which moves are wanted. */
typedef struct MoveChoices {
    uint64_t kinds;      /* bit k: DirectiveKind k */
    unsigned tails;      /* bit t: Tail t is written out; a split without a word is always tried */
    MoveNumbers factors; /* of split, tile, unroll, parallel and fold-storage */
    MoveNumbers widths;  /* of vectorize */
    MoveNumbers conditions;                          /* of specialize, each alone */
    MoveNumbers minima, lengths, moduli, remainders; /* of bound, bound-extent, align-bounds */
} MoveChoices;

#define MOVES_ALL (((uint64_t)1 << DIRECTIVE_COUNT) - 1)

/* Applies the primitives to a program as schedule_apply does, and appends to `moves` what could be
 * applied on the way.  False after reporting where a primitive is refused. */
bool schedule_propose(Program *program, const Pipeline *pipeline, const Directives *primitives,
                      BoundRequests *bounds, const MoveChoices *choices, Directives *moves);

#endif

/* legal_directives.h -- lists the directives that could come next: those that the scheduler's own
 * checks accept.
 *
 * A legal directive may be appended to a schedule.  The search stands where the directive would be
 * applied: it applies the schedule's primitives up to the directive's phase (and, for levels, up to
 * its func).  It then makes each directive that the choices allow, runs the directive's own check,
 * and lists what the check accepts.
 *
 * Two kinds of refusal are found only when the longer schedule is applied as a whole: those by
 * later directives, and those that need finished nests and levels.  lower/moves.h applies it.
 */
#ifndef HLC_SCHEDULE_LEGAL_DIRECTIVES_H
#define HLC_SCHEDULE_LEGAL_DIRECTIVES_H

#include "schedule/schedule.h"

/* A value for an open argument: the expression, and its text in a schedule. */
typedef struct NumberChoice {
    const char *text;
    Expr expr;
} NumberChoice;
typedef Vec(NumberChoice) NumberChoices;

/* The values for open arguments, and the kinds of directives that are wanted. */
typedef struct DirectiveChoices {
    uint64_t kinds; /* bit k: DirectiveKind k */
    unsigned tails; /* bit t: write tail t; a split without a tail is always tried */
    /* Lists vectorized and unrolled loops whose length only the oracle may find, too. */
    bool open_lengths;
    NumberChoices factors;    /* of split, tile, unroll, parallel and fold-storage */
    NumberChoices widths;     /* of vectorize */
    NumberChoices conditions; /* of specialize, one condition a directive */
    NumberChoices minima, lengths, moduli, remainders; /* of bound, bound-extent, align-bounds */
} DirectiveChoices;

#define ALL_DIRECTIVES (((uint64_t)1 << DIRECTIVE_COUNT) - 1)

/* Applies the primitives to a program as schedule_apply does.  On the way, appends to `legal` each
 * directive that could be applied.  False after reporting that a primitive is refused. */
bool schedule_list_legal(Program *program, const Pipeline *pipeline, const Directives *primitives,
                         BoundRequests *bounds, const DirectiveChoices *choices, Directives *legal);

#endif

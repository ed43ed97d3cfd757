/* legal_directives.h -- the directives that could come next: what the scheduler's own checks let
 * through.
 *
 * A legal directive may be appended to a schedule.  It is looked for where it would be applied: the
 * schedule's primitives are applied up to its phase (and, for levels, its func), each directive
 * that the choices allow is made and handed to its own check, and what the check lets through is
 * listed.  What the directives behind it say to it, and what only finished nests and levels show,
 * is known when the longer schedule is applied as a whole: lower/moves.h does that.
 */
#ifndef HLC_SCHEDULE_LEGAL_DIRECTIVES_H
#define HLC_SCHEDULE_LEGAL_DIRECTIVES_H

#include "schedule/schedule.h"

/* An argument that is open: the expression, and how it is written in a schedule. */
typedef struct NumberChoice {
    const char *text;
    Expr expr;
} NumberChoice;
typedef Vec(NumberChoice) NumberChoices;

/* What is put in the place of open arguments, and which directives are wanted. */
typedef struct DirectiveChoices {
    uint64_t kinds; /* bit k: DirectiveKind k */
    unsigned tails; /* bit t: Tail t is written out; a split without a word is always tried */
    NumberChoices factors;    /* of split, tile, unroll, parallel and fold-storage */
    NumberChoices widths;     /* of vectorize */
    NumberChoices conditions; /* of specialize, each alone */
    NumberChoices minima, lengths, moduli, remainders; /* of bound, bound-extent, align-bounds */
} DirectiveChoices;

#define ALL_DIRECTIVES (((uint64_t)1 << DIRECTIVE_COUNT) - 1)

/* Applies the primitives to a program as schedule_apply does, and appends to `legal` what could be
 * applied on the way.  False after reporting where a primitive is refused. */
bool schedule_list_legal(Program *program, const Pipeline *pipeline, const Directives *primitives,
                         BoundRequests *bounds, const DirectiveChoices *choices, Directives *legal);

#endif

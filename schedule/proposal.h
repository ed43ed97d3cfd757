/* proposal.h -- directives in the making: what the files that propose moves share (moves.h).
 *
 * One function a kind (or two alike) fills in the arguments: loops from the nests as they are,
 * names that are new, numbers from the choices.
 */
#ifndef HLC_SCHEDULE_PROPOSAL_H
#define HLC_SCHEDULE_PROPOSAL_H

#include "schedule/moves.h"
#include "schedule/scheduler.h"

/* What proposes a kind of directive: for each func, or for each loop of each nest. */
typedef struct Proposer {
    void (*of_func)(const Proposing *, const FuncPlan *);
    void (*of_loop)(const Proposing *, const Nest *, size_t);
} Proposer;

/* By kind; where a table has nothing, another one does. */
extern const Proposer loop_proposers[DIRECTIVE_COUNT]; /* move_loops.c */
extern const Proposer func_proposers[DIRECTIVE_COUNT]; /* move_funcs.c */

/* A directive without arguments, in the arena of the search. */
Directive *proposal_begin(const Proposing *p, DirectiveKind kind);
/* Each appends an argument. */
void proposal_put(const Proposing *p, Directive *directive, DirectiveArgument argument);
void proposal_put_func(const Proposing *p, Directive *directive, Symbol func);
void proposal_put_name(const Proposing *p, Directive *directive, Symbol name);
void proposal_put_loop(const Proposing *p, Directive *directive, const Nest *nest, size_t position);
void proposal_put_number(const Proposing *p, Directive *directive, const MoveNumber *number);
/* `which` counts the ways to end: 0 is nothing, t + 1 the tail t.  False where it is not wanted. */
bool proposal_put_tail(const Proposing *p, Directive *directive, int which);
enum { PROPOSAL_TAIL_WAYS = TAILS_COUNT + 1 };

/* Appends the directive to the moves if the check (null: none is asked) lets it through. */
typedef bool ProposalCheck(Scheduler *scheduler, const Directive *directive);
void proposal_offer(const Proposing *p, const Directive *directive, ProposalCheck *check);

/* A name that the nest accepts: the loop's with an ending, and where that is taken, a number. */
Symbol proposal_fresh_name(const Proposing *p, const Nest *nest, size_t position,
                           const char *ending);

#endif

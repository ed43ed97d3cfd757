/* candidates.h -- builds directives that could be legal (legal_directives.h).
 *
 * Each kind of directive has a function that fills in the arguments; a few kinds share one.  It
 * takes loops from the nests as they are, makes new names, and takes numbers from the choices.  The
 * function stands in the file of its directive.
 */
#ifndef HLC_SCHEDULE_CANDIDATES_H
#define HLC_SCHEDULE_CANDIDATES_H

#include "schedule/directive_build.h"
#include "schedule/legal_directives.h"
#include "schedule/scheduler.h"

/* A search for the legal directives of one kind. */
typedef struct LegalSearch {
    Scheduler *scheduler;
    Arena *arena;
    const DirectiveChoices *choices;
    Directives *legal;
    Vec(LoopNest *) nests;
    DirectiveKind kind;
    /* The check of this kind.  Null if there is none to ask: before loops exist, and for sugar. */
    bool (*check)(Scheduler *scheduler, const Directive *directive);
} LegalSearch;

/* Makes a directive of the search's kind with these arguments, in the search's arena. */
#define candidate(search, ...) candidate_of_kind((search), (search)->kind, __VA_ARGS__)
#define candidate_of_kind(search, kind, ...)                                                       \
    candidate_((search), (kind), (DirectiveArgument[]){__VA_ARGS__},                               \
               sizeof(DirectiveArgument[]){__VA_ARGS__} / sizeof(DirectiveArgument))
Directive *candidate_(const LegalSearch *search, DirectiveKind kind,
                      const DirectiveArgument *arguments, size_t count);
/* Appends an argument to the directive. */
void candidate_put(const LegalSearch *search, Directive *directive, DirectiveArgument argument);
/* Appends a tail.  `which` counts the ways to write one: 0 is no tail, t + 1 is tail t.  Returns
 * false if the choices do not want this tail. */
bool candidate_put_tail(const LegalSearch *search, Directive *directive, int which);
enum { CANDIDATE_TAIL_WAYS = TAILS_COUNT + 1 };

/* Lists the directive as legal. */
void candidate_accept(const LegalSearch *search, const Directive *directive);
/* Lists the directive as legal if the check of its kind accepts it. */
void candidate_offer(const LegalSearch *search, const Directive *directive);

/* Lists the legal directives of a phase after the given directives have been applied.  For a level,
 * lists those of the func `only`, whose turn it is (legal_directives.c). */
void legal_list_phase(LegalSearch *search, Phase phase, const FuncPlan *only);

/* Makes a name that the nest accepts: the loop's name with an ending, and a number if it is
 * taken. */
Symbol candidate_loop_name(const LegalSearch *search, const LoopNest *nest, size_t position,
                           const char *ending);
/* Makes a name that is new in the pipeline: the func's name with an ending, and a number if
 * needed. */
Symbol candidate_func_name(const LegalSearch *search, Symbol func, const char *ending);

/* Makes the split of a loop, as a user writes it or as sugar begins with it.  Null if the split is
 * refused or its tail is not wanted (split.c). */
Directive *split_candidate(const LegalSearch *search, const LoopNest *nest, size_t position,
                           Symbol outer, Symbol inner, const NumberChoice *factor, int tail);
/* Makes the traversal of a loop, unchecked.  Null if the loop already runs so (traverse.c). */
Directive *traverse_candidate(const LegalSearch *search, const LoopNest *nest, size_t position,
                              Traversal traversal);

/* Offers (func, dimension, number).  If there is a second list, also offers (func, dimension,
 * number, number); if `needs_second`, only these. */
void candidates_of_dimensions(const LegalSearch *search, const FuncPlan *plan,
                              const NumberChoices *first, const NumberChoices *second,
                              bool needs_second);

#endif

/* candidates.h -- directives that could be legal, in the making (legal_directives.h).
 *
 * One function a kind, or a few alike, fills in the arguments: loops from the nests as they are,
 * names that are new, numbers from the choices.  It stands in the file of its directive.
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
    /* Of the kind; null where none is asked: before there are loops, and of sugar. */
    bool (*check)(Scheduler *scheduler, const Directive *directive);
} LegalSearch;

/* A directive of the search's kind with these arguments, in its arena. */
#define candidate(search, ...) candidate_of_kind((search), (search)->kind, __VA_ARGS__)
#define candidate_of_kind(search, kind, ...)                                                       \
    candidate_((search), (kind), (DirectiveArgument[]){__VA_ARGS__},                               \
               sizeof(DirectiveArgument[]){__VA_ARGS__} / sizeof(DirectiveArgument))
Directive *candidate_(const LegalSearch *search, DirectiveKind kind,
                      const DirectiveArgument *arguments, size_t count);
/* Appends an argument. */
void candidate_put(const LegalSearch *search, Directive *directive, DirectiveArgument argument);
/* `which` counts the ways to end: 0 is nothing, t + 1 the tail t.  False where it is not wanted. */
bool candidate_put_tail(const LegalSearch *search, Directive *directive, int which);
enum { CANDIDATE_TAIL_WAYS = TAILS_COUNT + 1 };

/* Lists the directive as legal. */
void candidate_accept(const LegalSearch *search, const Directive *directive);
/* The same if the check of its kind lets it through. */
void candidate_offer(const LegalSearch *search, const Directive *directive);

/* Lists what is legal of a phase's directives, when those that are given have been applied; of a
 * level, for the func `only`, whose turn it is (legal_directives.c). */
void legal_list_phase(LegalSearch *search, Phase phase, const FuncPlan *only);

/* A name that the nest accepts: the loop's with an ending, and where that is taken, a number. */
Symbol candidate_loop_name(const LegalSearch *search, const LoopNest *nest, size_t position,
                           const char *ending);
/* A name that nothing in the pipeline has: the func's with an ending, and a number if need be. */
Symbol candidate_func_name(const LegalSearch *search, Symbol func, const char *ending);

/* The split of a loop, as written or as sugar begins with; null where it is refused, or its tail is
 * not wanted (split.c). */
Directive *split_candidate(const LegalSearch *search, const LoopNest *nest, size_t position,
                           Symbol outer, Symbol inner, const NumberChoice *factor, int tail);
/* The traversal of a loop, unchecked; null where it runs so already (traverse.c). */
Directive *traverse_candidate(const LegalSearch *search, const LoopNest *nest, size_t position,
                              Traversal traversal);

/* Offers (func, dimension, number), and where there is a second list also (.., number, number): if
 * `needs_second`, only these. */
void candidates_of_dimensions(const LegalSearch *search, const FuncPlan *plan,
                              const NumberChoices *first, const NumberChoices *second,
                              bool needs_second);

#endif

/* search.h -- the state of a search, which its files share.
 *
 *     candidate.c   renders, lowers and scores choices; holds them against the contract
 *     steps.c       the starting points, and the changes of one func's choice
 *     search.c      the model's choice
 *     tune.c        goes on from there by measuring
 */
#ifndef HLC_AUTOSCHEDULE_SEARCH_H
#define HLC_AUTOSCHEDULE_SEARCH_H

#include "autoschedule/autoschedule.h"
#include "lower/lower.h"

/* Choices for all funcs, and the time that the model predicts. */
typedef struct ScheduleCandidate {
    FuncChoice *choices;
    double cycles;
} ScheduleCandidate;

typedef struct ScheduleSearch ScheduleSearch;
/* What becomes of `trying`, which has this predicted time?  True if it is the best now. */
typedef bool Consider(ScheduleSearch *search, double cycles);

struct ScheduleSearch {
    const Pipeline *pipeline;
    const AutoscheduleRequest *request;
    const Machine *machine;
    Decisions *decisions;
    const Estimate *empty, **scaled; /* at the sizes, and at each scale of the request */
    Arena *arena, *trial_arena;
    FuncChoice *best, *trying;
    double best_cycles;
    Consider *consider;
    Vec(ScheduleCandidate) list; /* the model's choice: each better than those before it */
    Map seen;                    /* hashes of choices */
    int left, candidates, refused;
    int64_t work_left;           /* units of memory_work; the search ends at 0 */
    bool is_cut;                 /* by that */
    const char *refusal;         /* the last one's message; null: none */
    int dropped;                 /* finalists that are not acceptable */
    int large, partial, unknown; /* candidates that take too much, miss points, have no time */
};

/* candidate.c */

size_t choices_size(const ScheduleSearch *search);
FuncChoice *choices_copy(const ScheduleSearch *search, const FuncChoice *choices);
/* Ends the trial of the pool and begins another, if it holds much or `is_forced`. */
void candidate_renew_trial(ScheduleSearch *search, bool is_forced);
/* Lowers in an arena of its own, and drops the reports. Null if the schedule is refused. */
Lowered *candidate_lower(ScheduleSearch *search, const Schedule *schedule, PassId last,
                         Arena *arena);
/* Says why no candidate has a predicted time. */
const char *candidate_obstacles(const ScheduleSearch *search);
/* Scores `trying`, unless it has been before, and asks `consider`. */
bool candidate_try(ScheduleSearch *search);
/* Does it pass all passes, and keep the contract of the empty schedule?  Else `*why` says why not. */
bool candidate_is_acceptable(ScheduleSearch *search, const FuncChoice *choices, const char **why);

/* steps.c */

typedef enum Start {
    START_ROOT,
    START_CHEAP,  /* cheap funcs inlined */
    START_BLOCKS, /* and the others in blocks */
    START_SLIDING,
    START_INLINED, /* all that can be */
    START_ROWS,
    STARTS
} Start;

/* Tries the templates for the whole pipeline. */
void steps_start(ScheduleSearch *search);
/* Tries each change of the func's choice in the best ones. */
void steps_of_func(ScheduleSearch *search, int f);

/* search.c */

/* Finds the model's choice: the list's last candidate that is acceptable. Null, and why, if none is. */
const ScheduleCandidate *search_by_model(ScheduleSearch *search, const char **why);

/* tune.c */

/* Measures the candidates of the list, and others around the best of them. Returns the fastest; null if
 * that is the empty schedule. */
const ScheduleCandidate *
search_by_measuring(ScheduleSearch *search, const ScheduleCandidate *chosen, Autoscheduled *result);

#endif

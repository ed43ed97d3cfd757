/* search.c -- searches for the choices with the least predicted time.
 *
 * The best of several starting points is improved func by func, from the last one to the first: each
 * change is kept if the model predicts a gain. The search ends when a round over all funcs changes
 * nothing, or when its budget is used up. The budget counts candidates, and the work of lowering them:
 * the same program has the same budget on each machine.
 *
 * The best candidates are then held against the contract of the empty schedule, the best first. */
#include "autoschedule/search.h"

#include <math.h>
#include <string.h>

enum {
    MOST_CANDIDATES = 900,  /* of a small pipeline */
    LEAST_CANDIDATES = 150, /* of a large one */
    CANDIDATE_FUNCS = 6000, /* candidates times funcs, in between */
    MOST_FINALISTS = 12,
    SWEEPS = 3
};
/* In units of memory_work, some 2 million a second: of the search, and of the contracts of finalists. */
static const int64_t SEARCH_WORK = 10 << 20, FINAL_WORK = 6 << 20;

#define LEAST_GAIN 0.995

/* Does the candidate need more of the sizes? A func that is no output may need memory that the windows do
 * not give, where its last block moves back. Of an output, the conditions of its copies may be too
 * complicated to prove. All further candidates would inherit that, so such a one is held against the contract
 * at once. */
static bool is_doubtful(const ScheduleSearch *search) {
    for (int f = 0; f < search->decisions->count; f++)
        if (search->trying[f].whole &&
            !(search->decisions->subjects[f].is_output && search->best[f].whole))
            return true;
    return false;
}

static bool keep_if_better(ScheduleSearch *search, double cycles) {
    const char *why;
    if (!(cycles < LEAST_GAIN * search->best_cycles) ||
        (is_doubtful(search) && !candidate_is_acceptable(search, search->trying, &why)))
        return false;
    search->best_cycles = cycles;
    memcpy(search->best, search->trying, choices_size(search));
    ScheduleCandidate candidate = {choices_copy(search, search->best), cycles};
    vec_push(search->arena, &search->list, candidate);
    return true;
}

static bool has_budget(const ScheduleSearch *search) {
    return search->left > 0 && search->work_left > 0;
}

static void improve(ScheduleSearch *search) {
    for (int sweep = 0; sweep < SWEEPS && has_budget(search); sweep++) {
        double before = search->best_cycles;
        for (int f = search->decisions->count; f-- > 0 && has_budget(search);)
            steps_of_func(search, f);
        if (search->best_cycles == before)
            return;
    }
}

static void set_budget(ScheduleSearch *search) {
    int budget = CANDIDATE_FUNCS / (search->decisions->count + 1);
    search->left = budget > MOST_CANDIDATES    ? MOST_CANDIDATES
                   : budget < LEAST_CANDIDATES ? LEAST_CANDIDATES
                                               : budget;
    if (search->request->candidates > 0)
        search->left = search->request->candidates;
    search->work_left = search->request->work > 0 ? search->request->work : SEARCH_WORK;
}

const ScheduleCandidate *search_by_model(ScheduleSearch *search, const char **why) {
    search->consider = keep_if_better;
    search->best_cycles = INFINITY;
    set_budget(search);
    for (int f = 0; f < search->decisions->count; f++)
        search->best[f] = decisions_plain(search->decisions, f);
    steps_start(search);
    improve(search);
    search->is_cut = search->work_left <= 0;
    search->work_left = FINAL_WORK;
    size_t tried = 0;
    for (size_t i = search->list.length; i-- > 0 && tried < MOST_FINALISTS; tried++)
        if (tried > 0 && search->work_left <= 0)
            break;
        else if (candidate_is_acceptable(search, search->list.data[i].choices, why))
            return &search->list.data[i];
        else
            search->dropped++;
    if (search->list.length == 0)
        *why = candidate_obstacles(search);
    return NULL;
}

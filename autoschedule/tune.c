/* tune.c -- goes on from the model's choice by measuring.
 *
 * A contender is a candidate that has been compiled. Two contenders race: they run in turn, so that other
 * load on the machine meets both, and the median of the pairs' ratios decides. A contender that is clearly
 * slower leaves after a run.
 *
 * The search descends from the fastest of the model's best candidates, then from the templates for the
 * whole pipeline in the order of their predicted times, while there is time: the changes of one func's
 * choice race in the order of their predicted times. A winner must keep the contract.
 *
 * At the end the last winners, the model's choice and the empty schedule are measured afresh. Only these
 * times are reported, so the result is not slower than any of them. */
#include "autoschedule/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODEL_BEST = 6, /* of the model's candidates */
    MOST_NEAR = 10, /* changes of a func that are measured */
    MOST_STEPS = 4, /* of a func, before the next one */
    LEAST_PAIRS = 3,
    MOST_PAIRS = 9,
    FINALISTS = 5,
    LEAST_ROUNDS = 5,
    MOST_ROUNDS = 31,
    MOST_RUNS = 10000
};
static const double SEARCH_SHARE = 0.85, FAR = 2 /* times the predicted time */, SAMPLE = 300e-6,
                    RACE = 0.25 /* seconds, if it is close */, GAIN = 0.98, LOSS = 1.06,
                    HOPELESS = 1.5, SLACK = 0.01 /* seconds, of a first run */;

typedef struct Contender {
    const ScheduleCandidate *candidate; /* null: the empty schedule */
    void *code;
    double time; /* of the fastest run */
    double samples[MOST_ROUNDS];
} Contender;

typedef struct Tuner {
    ScheduleSearch *search;
    const Tuning *host;
    double begin, empty_time;
    int measured;
    bool is_over;
    Contender *leader;
    Vec(Contender *) winners;
} Tuner;

static bool goes_on(Tuner *t) {
    double done = (t->host->now(t->host->data) - t->begin) / t->host->seconds;
    double ratio = t->leader ? t->leader->time / t->empty_time : 1;
    if (!t->is_over)
        t->is_over = !t->host->tell(t->host->data, done, t->measured, ratio);
    return !t->is_over && done < SEARCH_SHARE;
}

/* ---- contenders ---- */

/* Compiles; null if it is refused. */
static Contender *contend(Tuner *t, const ScheduleCandidate *candidate) {
    ScheduleSearch *search = t->search;
    candidate_renew_trial(search, false);
    Arena *arena = arena_create(&search->pipeline->pool->context->memory);
    const Rendered *rendered = candidate ? render(search->decisions, candidate->choices,
                                                  search->request->name, NULL, search->empty, arena)
                                         : NULL;
    const Lowered *lowered =
        candidate_lower(search, rendered ? rendered->schedule : search->request->base,
                        (PassId)(PASS_COUNT - 1), arena);
    void *code = lowered ? t->host->compile(t->host->data, lowered->program) : NULL;
    arena_destroy(arena);
    if (!code)
        return NULL;
    Contender *contender = arena_new(search->arena, Contender);
    *contender = (Contender){.candidate = candidate, .code = code, .time = INFINITY};
    return contender;
}

static double run(const Tuner *t, Contender *contender, int runs, double limit) {
    double time = t->host->run(t->host->data, contender->code, runs, limit);
    if (time >= 0 && time < contender->time)
        contender->time = time;
    return time < 0 ? INFINITY : time;
}

static void release(const Tuner *t, Contender *contender) {
    if (contender && contender->code)
        t->host->release(t->host->data, contender->code);
    if (contender)
        contender->code = NULL;
}

static int runs_of_sample(double time) {
    double runs = SAMPLE / fmax(time, 1e-9) + 1;
    return runs < MOST_RUNS ? (int)runs : MOST_RUNS;
}

static int compare_numbers(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double median(const double *numbers, int count) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, numbers, sizeof *sorted * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    return sorted[count / 2];
}

/* Is the contender faster than the incumbent? */
static bool wins(Tuner *t, Contender *contender, Contender *incumbent) {
    double first = run(t, contender, 1, 3 * incumbent->time + SLACK), ratios[MOST_PAIRS];
    t->measured++;
    if (isinf(first))
        return false;
    /* The first run may have met cold memory. */
    int runs = runs_of_sample(contender->time);
    if (run(t, contender, runs, 3 * incumbent->time + SLACK) > HOPELESS * incumbent->time)
        return false;
    double end = t->host->now(t->host->data) + RACE;
    int pairs = 0;
    while (pairs < MOST_PAIRS && (pairs < LEAST_PAIRS || t->host->now(t->host->data) < end)) {
        double other = run(t, incumbent, runs, INFINITY);
        ratios[pairs++] = run(t, contender, runs, INFINITY) / other;
        if (pairs >= LEAST_PAIRS && median(ratios, pairs) > LOSS)
            return false;
    }
    return median(ratios, pairs) < GAIN;
}

static bool is_acceptable(Tuner *t, const Contender *contender) {
    const char *why;
    return candidate_is_acceptable(t->search, contender->candidate->choices, &why);
}

/* Races a candidate with the incumbent. The winner stays, with its code. */
static bool challenge(Tuner *t, const ScheduleCandidate *candidate, Contender **incumbent) {
    Contender *contender = contend(t, candidate);
    if (!contender)
        return false;
    if (!wins(t, contender, *incumbent) || !is_acceptable(t, contender)) {
        release(t, contender);
        return false;
    }
    if (*incumbent != t->leader)
        release(t, *incumbent);
    *incumbent = contender;
    return true;
}

static void lead(Tuner *t, Contender *contender) {
    t->leader = contender;
    vec_push(t->search->arena, &t->winners, contender);
}

/* ---- descent ---- */

static bool collect(ScheduleSearch *search, double cycles) {
    ScheduleCandidate candidate = {choices_copy(search, search->trying), cycles};
    if (!isinf(cycles))
        vec_push(search->arena, &search->list, candidate);
    return false;
}

static int compare_candidates(const void *a, const void *b) {
    return compare_numbers(&((const ScheduleCandidate *)a)->cycles,
                           &((const ScheduleCandidate *)b)->cycles);
}

/* Sorts the candidates collected since `first` and copies them, because the list moves as it grows. */
static ScheduleCandidate *take_collected(ScheduleSearch *search, size_t first, int *count) {
    *count = (int)(search->list.length - first);
    ScheduleCandidate *taken = arena_array(search->arena, ScheduleCandidate, *count + 1);
    for (int i = 0; i < *count; i++)
        taken[i] = search->list.data[first + (size_t)i];
    search->list.length = first;
    qsort(taken, (size_t)*count, sizeof *taken, compare_candidates);
    return taken;
}

/* Tries changes of a func's choice; true if one is faster. */
static bool step(Tuner *t, Contender **current, int f) {
    ScheduleSearch *search = t->search;
    size_t first = search->list.length;
    int count;
    memcpy(search->best, (*current)->candidate->choices, choices_size(search));
    steps_of_func(search, f);
    const ScheduleCandidate *near = take_collected(search, first, &count);
    double most = FAR * (*current)->candidate->cycles;
    for (int i = 0; i < count && i < MOST_NEAR && near[i].cycles <= most && goes_on(t); i++)
        if (challenge(t, &near[i], current))
            return true;
    return false;
}

static void descend(Tuner *t, Contender *current) {
    bool leads = current == t->leader;
    for (bool is_changed = true; is_changed && goes_on(t);) {
        is_changed = false;
        for (int f = t->search->decisions->count; f-- > 0 && goes_on(t);)
            for (int n = 0; n < MOST_STEPS && step(t, &current, f); n++) {
                is_changed = true;
                if (leads)
                    lead(t, current);
            }
    }
    if (leads)
        return;
    if (current->code && wins(t, current, t->leader) && is_acceptable(t, current))
        lead(t, current);
    else
        release(t, current);
}

static void descend_from_templates(Tuner *t) {
    ScheduleSearch *search = t->search;
    size_t first = search->list.length;
    int count;
    steps_start(search);
    const ScheduleCandidate *starts = take_collected(search, first, &count);
    for (int i = 0; i < count && goes_on(t); i++) {
        Contender *start = contend(t, &starts[i]);
        if (start && !isinf(run(t, start, 1, 10 * t->leader->time + SLACK)))
            descend(t, start);
        else
            release(t, start);
    }
}

/* ---- the end ---- */

/* Measures the finalists in turn; returns the fastest. A finalist that is far behind keeps its
 * earlier time. */
static Contender *measure_afresh(Tuner *t, Contender **finalists, int count) {
    double limit = FAR * t->leader->time;
    int rounds = 0;
    for (bool is_enough = false; !is_enough; rounds++) {
        for (int i = 0; i < count; i++) {
            Contender *contender = finalists[rounds % 2 ? count - 1 - i : i];
            contender->samples[rounds] =
                contender->time > limit
                    ? contender->time
                    : run(t, contender, runs_of_sample(contender->time), INFINITY);
        }
        double done = (t->host->now(t->host->data) - t->begin) / t->host->seconds;
        is_enough = rounds + 1 >= LEAST_ROUNDS && (rounds + 1 == MOST_ROUNDS || done >= 1 ||
                                                   !t->host->tell(t->host->data, done, t->measured,
                                                                  t->leader->time / t->empty_time));
    }
    Contender *best = finalists[0];
    for (int i = 0; i < count; i++) {
        finalists[i]->time = median(finalists[i]->samples, rounds);
        if (finalists[i]->time < best->time)
            best = finalists[i];
    }
    return best;
}

/* A run that is refused for these sizes has no time: then nothing is tuned. */
static bool begin(Tuner *t, Contender *empty, Contender *chosen) {
    if (!empty || !chosen || isinf(run(t, empty, 1, INFINITY)) ||
        isinf(run(t, chosen, 1, INFINITY)))
        return false;
    t->empty_time = run(t, empty, 1, INFINITY);
    run(t, chosen, runs_of_sample(chosen->time), INFINITY);
    lead(t, chosen);
    return true;
}

const ScheduleCandidate *search_by_measuring(ScheduleSearch *search,
                                             const ScheduleCandidate *chosen,
                                             Autoscheduled *result) {
    const Tuning *host = search->request->tuning;
    Tuner *t = arena_new(search->arena, Tuner);
    *t = (Tuner){.search = search, .host = host, .begin = host->now(host->data)};
    Contender *empty = contend(t, NULL), *predicted = contend(t, chosen);
    if (!begin(t, empty, predicted))
        return chosen->cycles < search->empty->cycles ? chosen : NULL;
    search->consider = collect;
    search->left = INT32_MAX;
    search->work_left = INT64_MAX;
    search->seen = map_create(search->arena);
    size_t known = search->list.length;
    const ScheduleCandidate *list = search->list.data;
    for (size_t i = known, n = 0; i-- > 0 && n < MODEL_BEST && goes_on(t); n++)
        if (list[i].choices != chosen->choices && challenge(t, &list[i], &t->leader))
            lead(t, t->leader);
    descend(t, t->leader);
    descend_from_templates(t);
    Contender *finalists[FINALISTS + 2] = {empty, predicted};
    int count = 2;
    for (size_t i = t->winners.length; i-- > 0 && count < FINALISTS + 2;)
        if (t->winners.data[i] != predicted && t->winners.data[i]->code)
            finalists[count++] = t->winners.data[i];
    Contender *best = measure_afresh(t, finalists, count);
    result->measured = t->measured;
    result->time = best->time;
    result->empty_time = empty->time;
    result->predicted_time = predicted->time;
    for (int i = 0; i < count; i++)
        release(t, finalists[i]);
    return best->candidate;
}

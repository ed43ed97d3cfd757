/* candidate.c -- renders, lowers and scores the choices that a search tries. All expressions of a
 * candidate live in a trial of the pool, which is given back from time to time. */
#include "autoschedule/search.h"

#include "autoschedule/contract_gate.h"
#include "autoschedule/sizes.h"

#include <math.h>
#include <string.h>

enum {
    LARGE_TRIAL = 24 << 20, /* bytes of expressions */
    MOST_CODE = 5000,       /* vector instructions of one body */
    LONGEST_CLAUSE = 150,   /* characters */
    MOST_INLINED = 30000    /* nodes of inlined funcs, in all bodies */
};
#define SPARE_BYTES  (64 << 20)
#define LEAST_POINTS 0.3

static void note_refusal(ScheduleSearch *search, const Context *context) {
    if (context->reports.length == 0)
        return;
    const Report *report = &context->reports.data[context->reports.length - 1];
    search->refusal =
        arena_format(search->arena, "%s, %s", diag_info(report->code)->code, report->message);
}

Lowered *candidate_lower(ScheduleSearch *search, const Schedule *schedule, PassId last,
                         Arena *arena) {
    Context *context = search->pipeline->pool->context;
    DiagMark before = diag_mark(context);
    LowerOptions options = {.last = last, .directives = SIZE_MAX};
    Lowered *lowered = lower(search->pipeline, schedule, arena, &options);
    if (!lowered)
        note_refusal(search, context);
    diag_drop(context, before);
    return lowered;
}

void candidate_renew_trial(ScheduleSearch *search, bool is_forced) {
    if (!is_forced && arena_used(search->trial_arena) < LARGE_TRIAL)
        return;
    pool_trial_end(search->request->trial);
    arena_destroy(search->trial_arena);
    search->trial_arena = arena_create(&search->pipeline->pool->context->memory);
    pool_trial_begin(search->request->trial, search->pipeline->pool, search->trial_arena);
}

/* What the pool already holds changes the work a little. So the work is rounded up to a power of two:
 * then hardly a choice depends on what was lowered before. */
static void charge(ScheduleSearch *search, uint64_t begin) {
    uint64_t work = memory_work(&search->pipeline->pool->context->memory) - begin, units = 1;
    while (units < work)
        units *= 2;
    search->work_left -= (int64_t)units;
}

size_t choices_size(const ScheduleSearch *search) {
    return sizeof(FuncChoice) * (size_t)search->decisions->count;
}

/* Vectors that are longer than a column of blocks would compute masked lanes only. */
static void settle_vectors(FuncChoice *choice) {
    if (choice->columns == 0 || choice->registers)
        return;
    while (choice->lanes > choice->columns)
        choice->lanes /= 2;
    while (choice->vectors > 1 && choice->lanes * choice->vectors > choice->columns)
        choice->vectors /= 2;
}

/* A func that has no host is computed at root. */
static void settle(const ScheduleSearch *search, FuncChoice *choices) {
    Reader host;
    for (int f = search->decisions->count; f-- > 0;) {
        Placement placement = choices[f].placement;
        settle_vectors(&choices[f]);
        if (choices[f].whole && !subject_can_be_whole(&search->decisions->subjects[f], &choices[f]))
            choices[f].whole = false;
        if (placement == PLACE_ROOT || placement == PLACE_INLINE)
            continue;
        if (!decisions_host(search->decisions, choices, f, &host))
            choices[f].placement = PLACE_ROOT;
        else if (placement == PLACE_TILE && !choice_has_tiles(&choices[host.func]))
            choices[f].placement = PLACE_BLOCK;
    }
}

FuncChoice *choices_copy(const ScheduleSearch *search, const FuncChoice *choices) {
    FuncChoice *copy = arena_array(search->arena, FuncChoice, search->decisions->count);
    memcpy(copy, choices, choices_size(search));
    return copy;
}

/* Has the candidate been tried?  Remembers it. */
static bool is_seen(ScheduleSearch *search, const FuncChoice *choices) {
    uint64_t hash = 1469598103934665603u;
    const int *words = (const int *)choices;
    for (size_t i = 0; i < choices_size(search) / sizeof *words; i++)
        hash = (hash ^ (uint64_t)words[i]) * 1099511628211u;
    const void *key = (const void *)(uintptr_t)(hash | 1);
    if (map_get(&search->seen, key))
        return true;
    map_put(&search->seen, key, search);
    return false;
}

/* Does the estimate miss points? The empty schedule computes each once, so a func with a part of them
 * only has a typical iteration that is none: it does nothing, or next to nothing. */
static bool misses_points(const Estimate *empty, const Estimate *estimate) {
    for (size_t i = 0; i < estimate->funcs.length; i++) {
        const FuncEstimate *before = estimate_of(empty, estimate->funcs.data[i]->func);
        if (before && estimate->funcs.data[i]->points < LEAST_POINTS * before->points)
            return true;
    }
    return false;
}

/* What is wrong with a candidate whose program is legal, and its time. */
typedef struct CandidateJudgement {
    bool is_large, is_wrong;
    double ratio; /* of the times over those of the empty schedule, multiplied */
    int sizes;
} CandidateJudgement;

static void judge(CandidateJudgement *judgement, const Estimate *empty, const Estimate *predicted) {
    judgement->is_large |=
        predicted->bytes > 2 * empty->bytes + SPARE_BYTES || predicted->code > MOST_CODE;
    judgement->is_wrong |= misses_points(empty, predicted);
    judgement->ratio *= predicted->cycles / empty->cycles;
    judgement->sizes++;
}

/* The predicted time, in the mean over the sizes; INFINITY if it is not acceptable. */
static double time_of(ScheduleSearch *search, const Program *program, Arena *arena) {
    CandidateJudgement judgement = {.ratio = 1};
    Estimate *predicted = model_estimate(program, search->machine, search->request->threads,
                                         search->request->startup, search->request->data, arena);
    double cycles = predicted->cycles;
    judge(&judgement, search->empty, predicted);
    for (int i = 0; i < search->request->scale_count; i++)
        judge(&judgement, search->scaled[i], sizes_estimate(search, program, i, arena));
    if (judgement.sizes > 1)
        cycles = search->empty->cycles * pow(judgement.ratio, 1.0 / judgement.sizes);
    bool is_wrong = !judgement.is_large && judgement.is_wrong;
    search->large += judgement.is_large;
    search->partial += is_wrong;
    search->unknown += !judgement.is_large && !is_wrong && !isfinite(cycles);
    return judgement.is_large || is_wrong || isnan(cycles) ? INFINITY : cycles;
}

static double score(ScheduleSearch *search, const FuncChoice *choices) {
    candidate_renew_trial(search, false);
    uint64_t begin = memory_work(&search->pipeline->pool->context->memory);
    Arena *arena = arena_create(&search->pipeline->pool->context->memory);
    if (decisions_inlined_nodes(search->decisions, choices, arena) > MOST_INLINED) {
        arena_destroy(arena);
        search->large++;
        return INFINITY;
    }
    Rendered *rendered =
        render(search->decisions, choices, search->request->name, NULL, search->empty, arena);
    Lowered *lowered = candidate_lower(search, rendered->schedule, PASS_SLIDE, arena);
    double cycles = lowered ? time_of(search, lowered->program, arena) : INFINITY;
    arena_destroy(arena);
    charge(search, begin);
    search->candidates++;
    search->refused += !lowered;
    search->left--;
    return cycles;
}

const char *candidate_obstacles(const ScheduleSearch *search) {
    const char *text =
        arena_format(search->arena, "no candidate is accepted: of %d", search->candidates);
    if (search->refused)
        text = arena_format(search->arena, "%s, %d are refused (%s)", text, search->refused,
                            search->refusal ? search->refusal : "");
    if (search->large)
        text =
            arena_format(search->arena, "%s, %d take too much memory or code", text, search->large);
    if (search->partial)
        text = arena_format(search->arena, "%s, %d are not understood by the model", text,
                            search->partial);
    if (search->unknown)
        text = arena_format(search->arena, "%s, %d have no predicted time", text, search->unknown);
    return text;
}

bool candidate_try(ScheduleSearch *search) {
    settle(search, search->trying);
    return search->left > 0 && search->work_left > 0 && !is_seen(search, search->trying) &&
           search->consider(search, score(search, search->trying));
}

bool candidate_is_acceptable(ScheduleSearch *search, const FuncChoice *choices, const char **why) {
    candidate_renew_trial(search, true);
    uint64_t begin = memory_work(&search->pipeline->pool->context->memory);
    Arena *arena = arena_create(&search->pipeline->pool->context->memory);
    Rendered *rendered =
        render(search->decisions, choices, search->request->name, NULL, search->empty, arena);
    Lowered *empty = candidate_lower(search, search->request->base, PASS_CHECKS, arena);
    Lowered *checked = candidate_lower(search, rendered->schedule, PASS_CHECKS, arena);
    const char *clause = "";
    bool is_kept =
        empty && checked && contract_is_kept(empty->program, checked->program, arena, &clause);
    if (!is_kept)
        *why = arena_format(search->arena, "the best schedules need more of the sizes: %.*s%s",
                            LONGEST_CLAUSE, clause, strlen(clause) > LONGEST_CLAUSE ? " .." : "");
    bool is_accepted =
        is_kept && candidate_lower(search, rendered->schedule, (PassId)(PASS_COUNT - 1), arena);
    if (is_kept && !is_accepted)
        *why = "the best schedules are refused when regions are known";
    arena_destroy(arena);
    charge(search, begin);
    return is_accepted;
}

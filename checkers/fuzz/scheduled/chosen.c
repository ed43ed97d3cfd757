/* chosen.c -- see chosen.h. */
#include "checkers/fuzz/scheduled/chosen.h"

#include "autoschedule/autoschedule.h"
#include "checkers/fuzz/drawing.h"
#include "ir/interpret/evaluate.h"
#include "lower/report/contract.h"
#include "lower/report/footprint.h"

#include <string.h>
#include <time.h>

enum { SPARE_BYTES = 64 << 20 };

/* ---- the choice ---- */

typedef struct ChosenSizes {
    const Signature *signature;
    int64_t size, threads;
} ChosenSizes;

/* All images and windows are alike, parameters as small as they may be. */
static bool value_of_size(void *data, Symbol name, Bits *bits) {
    const ChosenSizes *sizes = data;
    const Parameter *parameter = signature_parameter(sizes->signature, name);
    *bits = parameter                           ? parameter->has_range ? parameter->lower : 0
            : strstr(name->text, "extent.")     ? sizes->size
            : strstr(name->text, ".stride.0")   ? 1
            : strncmp(name->text, "threads", 7) ? 0
                                                : sizes->threads;
    return true;
}

void chosen_generate(Arena *arena, RandomSource *random, Case *c, const Pipeline *pipeline) {
    static const int SIZES[] = {3, 17, 64, 200, 1000, 3000};
    Context *context = pipeline->pool->context;
    c->choice.size = SIZES[random_below(random, sizeof SIZES / sizeof *SIZES)];
    c->choice.threads = random_between(random, 1, CASE_THREADS);
    ChosenSizes sizes = {&pipeline->signature, c->choice.size, c->choice.threads};
    PoolTrial trial = {NULL};
    AutoscheduleRequest request = {.name = context_symbol(context, "s"),
                                   .threads = c->choice.threads,
                                   .candidates = random_between(random, 6, 60),
                                   .startup = value_of_size,
                                   .data = &sizes,
                                   .trial = &trial};
    clock_t start = clock();
    const Autoscheduled *made = autoschedule(pipeline, &request, context->arena);
    c->choice.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    c->choice.peak = context->memory.peak;
    for (size_t i = 0; made->schedule && i < made->schedule->directives.length; i++)
        vec_push(arena, &c->directives, directive_text(arena, &made->schedule->directives.data[i]));
    c->choice.directives = c->directives.length;
    c->choice.obstacle = made->obstacle ? arena_format(arena, "%s", made->obstacle) : NULL;
}

bool chosen_stands(const Case *c) {
    return c->choice.directives > 0 && c->choice.directives == c->directives.length;
}

void chosen_note(const Case *c, ChoiceResult *choice) {
    choice->is_chosen = c->scheduled;
    choice->seconds = c->choice.seconds;
    choice->peak = c->choice.peak;
    snprintf(choice->obstacle, sizeof choice->obstacle, "%s",
             c->choice.obstacle ? c->choice.obstacle : "");
}

/* ---- what was promised ---- */

static Lowered *lower_folded(const CaseTrial *trial, const Schedule *schedule, Arena *arena) {
    DiagMark before = diag_mark(trial->context);
    LowerOptions options = {.last = PASS_FOLD, .directives = SIZE_MAX};
    Lowered *lowered = lower(trial->pipeline, schedule, arena, &options);
    diag_drop(trial->context, before);
    return lowered;
}

Lowered *chosen_empty(const CaseTrial *trial, Arena *arena) {
    return lower_folded(trial, NULL, arena);
}

/* The first clause that is known to be false; null if there is none. `*are_known`: all have values. */
static const ContractClause *find_broken(CaseTrial *trial, const Contract *contract, Arena *arena,
                                         bool *are_known) {
    *are_known = true;
    for (size_t i = 0; i < contract->clauses.length; i++) {
        const ContractClause *clause = &contract->clauses.data[i];
        Bits asked = 1, holds = 1;
        if (clause->asked && !expr_evaluate(arena, clause->asked, trial_value, trial, &asked))
            *are_known = false;
        else if (asked && !expr_evaluate(arena, clause->condition, trial_value, trial, &holds))
            *are_known = false;
        else if (asked && !holds)
            return clause;
    }
    return NULL;
}

static void judge_sizes(CaseTrial *trial, const Contract *empty, const Contract *chosen,
                        Arena *arena) {
    bool are_known, is_known;
    if (find_broken(trial, empty, arena, &are_known) || !are_known)
        return;
    trial_begin(trial);
    const ContractClause *broken = find_broken(trial, chosen, arena, &is_known);
    if (broken)
        trial_conclude(trial, VERDICT_DIFFERS, "",
                       "the chosen schedule asks for more of the sizes: %s",
                       clause_text(arena, broken));
    trial->of_program->choice.judged++;
}

/* Bytes, or a negative number if they are not known. */
static double memory_of(const CaseTrial *trial, const Program *program, Arena *arena) {
    Footprint footprint = footprint_of(program, arena);
    ChosenSizes sizes = {&trial->pipeline->signature, trial->c->choice.size, 1};
    Bits bytes;
    bool is_known =
        footprint.bytes && expr_evaluate(arena, footprint.bytes, value_of_size, &sizes, &bytes);
    return is_known ? (double)bytes : -1;
}

static void judge_memory(CaseTrial *trial, const Lowered *empty, const Lowered *chosen,
                         Arena *arena) {
    double before = memory_of(trial, empty->program, arena);
    double after = memory_of(trial, chosen->program, arena);
    if (before < 0 || after < 0)
        return;
    double most = 2 * before + SPARE_BYTES;
    trial->of_program->choice.memory = after / most;
    if (after > most)
        trial_conclude(trial, VERDICT_DIFFERS, "",
                       "at size %d the chosen schedule takes %.0f bytes, the empty one %.0f",
                       trial->c->choice.size, after, before);
}

void chosen_judge(CaseTrial *const *trials, int count, const Lowered *empty, Arena *arena) {
    if (count == 0 || !chosen_stands(trials[0]->c))
        return;
    const Lowered *chosen = lower_folded(trials[0], trials[0]->schedule, arena);
    if (!chosen)
        return; /* what is refused is reported elsewhere */
    judge_memory(trials[0], empty, chosen, arena);
    Contract before = contract_asserted(empty->program, arena);
    Contract after = contract_asserted(chosen->program, arena);
    for (int i = 0; i < count; i++)
        judge_sizes(trials[i], &before, &after, arena);
}

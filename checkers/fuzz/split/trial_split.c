/* trial_split.c -- cuts the program at random funcs, runs the plan in random windows and blocks, and
 * compares with the reference's answer (library/split/plan.h).
 *
 * Mostly each update with a reduction becomes a chain or a scan, whether a window needs the whole or
 * not. Funcs that cannot be cut stay whole. */
#include "checkers/fuzz/trial.h"

#include "schedule/loop.h"
#include "library/split/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_cuttable(const Func *func) {
    return !func_is_extern(func) && func->shape->dimensions <= MAX_IMAGE_DIMENSIONS;
}

static bool has_extern(const Pipeline *pipeline) {
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (func_is_extern(pipeline->funcs.data[i]))
            return true;
    return false;
}

static SplitOptions draw_options(CaseTrial *trial, RandomSource *random) {
    const Pipeline *pipeline = trial->pipeline;
    SplitOptions options = {.each_update = random_chance(random, 75),
                            .everywhere = random_chance(random, 25)};
    Map reached = map_create(trial->arena);
    pipeline_reach_outputs(pipeline, &reached, trial->arena);
    if (random_chance(random, 20))
        options.schedule = trial->schedule;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        if (is_cuttable(func) && map_get(&reached, func->shape->name) &&
            random_chance(random, func->stages.length > 1 ? 70 : 25))
            vec_push(trial->arena, &options.at, func->shape->name);
    }
    return options;
}

static void count(CaseTrial *trial, const SplitPlan *plan) {
    SplitCounts *counts = &trial->of_program->splits;
    counts->plans++;
    for (size_t s = 0; s < plan->steps.length; s++) {
        const PlanStep *step = &plan->steps.data[s];
        counts->maps += step->kind == PLAN_MAP;
        counts->chains += step->kind == PLAN_CHAIN;
        counts->merges += step->kind == PLAN_CHAIN && step->merge;
        int ordered = 0;
        for (int k = 0; k < step->order_count; k++) {
            ordered += step->orders[k].reach > 0;
            counts->lower += step->kind == PLAN_SCAN && step->orders[k].is_lower;
        }
        counts->scans += step->kind == PLAN_SCAN;
        counts->tiles += step->kind == PLAN_SCAN && ordered > 1;
        counts->systems += step->kind != PLAN_MAP && step->is_of_equations;
    }
}

static Outcome run(CaseTrial *trial, const SplitPlan *plan, RandomSource *random,
                   bool *is_refused) {
    Arena *arena = arena_create(&trial->context->memory);
    uint64_t state = random_bits(random);
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    Outcome outcome = split_plan_run(plan, arena, &trial->arguments, &state, is_refused);
    arena_destroy(arena);
    return outcome;
}

/* A plan for this program; null: it is refused with a reason, or after concluding. */
static const SplitPlan *make(CaseTrial *trial, RandomSource *random) {
    SplitOptions options = draw_options(trial, random);
    DiagMark before = diag_mark(trial->context);
    const SplitPlan *plan =
        split_plan_create(trial->context, trial->arena, trial->pipeline, &options);
    if (!plan && !has_extern(trial->pipeline)) {
        const Reports *reports = &trial->context->reports;
        const Report *report = reports->length ? &reports->data[reports->length - 1] : NULL;
        bool is_fair =
            report && (report->code == DIAG_SPLIT_ORDER || report->code == DIAG_SPLIT_FUNC ||
                       strstr(report->message, "cannot be compiled"));
        if (!is_fair)
            trial_conclude(trial, VERDICT_DIFFERS, "", "split: %s",
                           report ? report->message : "refused without a reason");
    }
    diag_drop(trial->context, before);
    return plan;
}

/* Is something read at a place that depends on data? Of a func that is cut, the values' range is not
 * known: then a part may need more of an image than the whole does (docs/large-split.md, limits). */
static bool reads_by_data(const CaseTrial *trial) {
    const Pipeline *pipeline = trial->pipeline;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        for (size_t s = 0; s < func->stages.length; s++) {
            Exprs accesses = {0};
            stage_accesses(trial->arena, func, func->stages.data[s], &accesses);
            for (size_t a = 0; a < accesses.length; a++)
                for (int k = 0; k < accesses.data[a]->arity; k++)
                    if (expr_has_access(accesses.data[a]->arguments[k]))
                        return true;
        }
    }
    return false;
}

/* Are equations cut? They ask for a point of what they read where a window has no iterations. */
static bool cuts_equations(const SplitPlan *plan) {
    for (size_t s = 0; s < plan->steps.length; s++)
        if (plan->steps.data[s].is_of_equations)
            return true;
    return false;
}

void trial_split(CaseTrial *trial) {
    RandomSource random = {trial->c->seed * 7919 + (uint64_t)trial->c->input};
    trial_begin(trial);
    if (trial->reference.error || trial->answer != trial->pipeline || trial->c->far)
        return;
    const SplitPlan *plan = make(trial, &random);
    if (!plan)
        return;
    bool is_refused;
    Outcome outcome = run(trial, plan, &random, &is_refused);
    if (is_refused)
        return;
    count(trial, plan);
    if (outcome.error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS &&
        (reads_by_data(trial) || cuts_equations(plan))) {
        trial_conclude(trial, VERDICT_REFUSED, "a part needs more", "%s", outcome.message);
        return;
    }
    if (outcome.error) {
        trial_conclude(trial, VERDICT_DIFFERS, "", "split: the plan fails: %s", outcome.message);
        return;
    }
    trial_compare(trial, &trial->arguments, &outcome, false, "split, ");
}

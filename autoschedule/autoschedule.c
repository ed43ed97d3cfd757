/* autoschedule.c -- the entries: the choice of a schedule, and the model's estimate of one. */
#include "autoschedule/autoschedule.h"

#include "autoschedule/sizes.h"

#include <math.h>

enum { MOST_FUNCS = 400 }; /* of a pipeline that is searched */

/* Renders the schedule in the pool and the arena of the caller, with its reasons. */
static void finish(ScheduleSearch *search, const ScheduleCandidate *chosen, Autoscheduled *result,
                   Arena *arena) {
    candidate_renew_trial(search, true);
    Arena *scratch = arena_create(&search->pipeline->pool->context->memory);
    Rendered *rendered = render(search->decisions, chosen->choices, search->request->name, NULL,
                                search->empty, scratch);
    const Lowered *lowered = candidate_lower(search, rendered->schedule, PASS_SLIDE, scratch);
    Estimate *predicted =
        model_estimate(lowered->program, search->machine, search->request->threads,
                       search->request->startup, search->request->data, scratch);
    result->cycles = predicted->cycles;
    result->bytes = predicted->bytes;
    result->ratio_count = search->request->scale_count;
    for (int i = 0; i < result->ratio_count; i++) {
        result->scales[i] = search->request->scales[i];
        result->ratios[i] = sizes_estimate(search, lowered->program, i, scratch)->cycles /
                            fmax(1, search->scaled[i]->cycles);
    }
    pool_trial_end(search->request->trial);
    rendered = render(search->decisions, chosen->choices, search->request->name, predicted,
                      search->empty, arena);
    result->schedule = rendered->schedule;
    for (size_t i = 0; i < rendered->reasons.length; i++)
        vec_push(arena, &result->reasons, rendered->reasons.data[i]);
    arena_destroy(scratch);
}

/* The base under the new name. */
static Schedule *as_it_was(const AutoscheduleRequest *request, Autoscheduled *result,
                           Arena *arena) {
    Schedule *schedule = arena_new(arena, Schedule);
    schedule->name = request->name;
    schedule->pipeline = request->base->pipeline;
    for (size_t i = 0; i < request->base->directives.length; i++) {
        vec_push(arena, &schedule->directives, request->base->directives.data[i]);
        vec_push(arena, &result->reasons, "");
    }
    return schedule;
}

static const Machine *machine_of(const AutoscheduleRequest *request) {
    return request->machine ? request->machine : machine_typical();
}

Estimate *autoschedule_estimate(const Pipeline *pipeline, const Schedule *schedule,
                                const AutoscheduleRequest *request, Arena *arena) {
    LowerOptions options = {.last = PASS_SLIDE, .directives = SIZE_MAX};
    const Lowered *lowered = lower(pipeline, schedule, arena, &options);
    return lowered ? model_estimate(lowered->program, machine_of(request), request->threads,
                                    request->startup, request->data, arena)
                   : NULL;
}

/* The pipeline whose funcs are decided on: loop nests stand for the recurrences, as under the empty schedule.
 * A base may say otherwise of them; then they stay as they are. Null if the empty schedule is refused. */
static const Pipeline *with_nests(const Pipeline *pipeline, const AutoscheduleRequest *request,
                                  Arena *arena) {
    if (request->base || pipeline->recurrences.length == 0)
        return pipeline;
    Context *context = pipeline->pool->context;
    DiagMark before = diag_mark(context);
    Directives primitives = {0};
    const Pipeline *expanded = schedule_expand(pipeline, NULL, SIZE_MAX, arena, &primitives);
    diag_drop(context, before);
    return expanded;
}

Autoscheduled *autoschedule(const Pipeline *pipeline, const AutoscheduleRequest *request,
                            Arena *arena) {
    Memory *memory = &pipeline->pool->context->memory;
    Autoscheduled *result = arena_new(arena, Autoscheduled);
    result->extends = request->base ? request->base_text : NULL;
    result->kept = request->base ? request->base->directives.length : 0;
    result->base =
        request->base ? arena_format(arena, "schedule %s", result->extends) : "the empty schedule";
    const Pipeline *decided = with_nests(pipeline, request, arena);
    ScheduleSearch *search = arena_new(arena, ScheduleSearch);
    *search = (ScheduleSearch){.pipeline = pipeline,
                               .request = request,
                               .machine = machine_of(request),
                               .arena = arena_create(memory),
                               .trial_arena = arena_create(memory)};
    pool_trial_begin(request->trial, pipeline->pool, search->trial_arena);
    search->seen = map_create(search->arena);
    const Lowered *empty = candidate_lower(search, request->base, PASS_SLIDE, search->arena);
    if (empty) {
        search->empty = model_estimate(empty->program, search->machine, request->threads,
                                       request->startup, request->data, search->arena);
        sizes_begin(search, empty->program);
    }
    const char *why = NULL;
    const ScheduleCandidate *chosen = NULL;
    if (!search->empty || !decided) {
        why = arena_format(arena, "%s is refused", result->base);
    } else if (decided->funcs.length > MOST_FUNCS) {
        why = "the pipeline has more funcs than are searched";
    } else {
        result->empty_cycles = result->cycles = search->empty->cycles;
        result->empty_bytes = result->bytes = search->empty->bytes;
        search->decisions = decisions_create(decided, request->base, search->machine,
                                             request->threads, search->empty, search->arena);
        search->best = arena_array(search->arena, FuncChoice, search->decisions->count);
        search->trying = arena_array(search->arena, FuncChoice, search->decisions->count);
        chosen = search_by_model(search, &why);
    }
    bool is_tuned = chosen && request->tuning;
    if (is_tuned)
        chosen = search_by_measuring(search, chosen, result);
    if (chosen && (is_tuned || chosen->cycles < search->empty->cycles)) {
        finish(search, chosen, result, arena);
    } else {
        result->schedule = request->base ? as_it_was(request, result, arena) : NULL;
        result->obstacle = is_tuned ? "nothing that was measured is faster"
                           : chosen ? "no candidate is predicted to be faster"
                                    : arena_format(arena, "%s", why);
    }
    pool_trial_end(request->trial);
    result->candidates = search->candidates;
    result->refused = search->refused;
    result->is_cut = search->is_cut;
    result->dropped = search->dropped;
    result->dropped_why = search->dropped && why ? arena_format(arena, "%s", why) : NULL;
    arena_destroy(search->arena);
    arena_destroy(search->trial_arena);
    return result;
}

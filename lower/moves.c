/* moves.c -- applies schedules to see whether they are legal, and which directives could come next.
 *
 * Everything is made in a scratch arena, and the diagnostics are dropped.  A schedule is applied up
 * to the last pass that may refuse one of its directives.  Mostly this is PASS_SCHEDULE, which is
 * cheap.  Some directives of memory, and loops whose length the oracle must find, are refused only
 * when regions are known: then the passes up to that point run, too. */
#include "lower/moves.h"

#include "lower/lower.h"
#include "lower/passes/in_place.h"
#include "lower/passes/reach.h"

/* Applies the schedule.  With `choices`, appends the legal directives to `moves`. */
static bool apply(const Pipeline *pipeline, const Schedule *schedule, Arena *arena,
                  const DirectiveChoices *choices, Directives *moves, BoundRequests *requests) {
    Directives primitives = {0};
    const Pipeline *rewritten = schedule_expand(pipeline, schedule, SIZE_MAX, arena, &primitives);
    if (!rewritten)
        return false;
    rewritten = reach_outputs(rewritten, &primitives, arena);
    Program *program = lower_initial(rewritten, arena);
    if (choices)
        return schedule_list_legal(program, rewritten, &primitives, requests, choices, moves);
    return schedule_apply(program, rewritten, &primitives, SIZE_MAX, requests) &&
           lower_in_place(program, arena);
}

/* The same without diagnostics. */
static bool try(const Pipeline *pipeline, const Schedule *schedule, Arena *arena,
                const DirectiveChoices *choices, Directives *moves, BoundRequests *requests) {
    Context *context = pipeline->pool->context;
    DiagMark before = diag_mark(context);
    bool is_accepted = apply(pipeline, schedule, arena, choices, moves, requests);
    diag_drop(context, before);
    return is_accepted;
}

/* Returns the last pass that may refuse the directive. */
static PassId pass_that_judges(const Directive *directive) {
    if (directive->kind == DIRECTIVE_BOUND_STORAGE)
        return PASS_CHECKS;
    if (directive->kind == DIRECTIVE_FOLD_STORAGE)
        return PASS_SLIDE;
    if (directive->kind == DIRECTIVE_EAGER)
        return PASS_EAGER;
    if (directive->kind == DIRECTIVE_PREFETCH)
        return PASS_PREFETCH;
    bool may_be_too_large =
        directive->kind == DIRECTIVE_STORE_IN && directive->arguments.data[1].memory != MEMORY_HEAP;
    return may_be_too_large ? PASS_FOLD : PASS_SCHEDULE;
}

PassId lower_judges(const Schedule *schedule) {
    PassId last = PASS_SCHEDULE;
    for (size_t i = 0; schedule && i < schedule->directives.length; i++) {
        PassId pass = pass_that_judges(&schedule->directives.data[i]);
        last = pass > last ? pass : last;
    }
    return last;
}

static bool lower_to(PassId last, const Pipeline *pipeline, const Schedule *schedule,
                     Arena *arena) {
    Context *context = pipeline->pool->context;
    DiagMark before = diag_mark(context);
    LowerOptions options = {.last = last, .directives = SIZE_MAX};
    bool is_accepted = lower(pipeline, schedule, arena, &options);
    diag_drop(context, before);
    return is_accepted;
}

bool lower_accepts_move(const Pipeline *pipeline, const Schedule *schedule, const Directive *move) {
    Arena *scratch = arena_create(&pipeline->pool->context->memory);
    Schedule longer = {.pipeline = pipeline->signature.name};
    for (size_t i = 0; schedule && i < schedule->directives.length; i++)
        vec_push(scratch, &longer.directives, schedule->directives.data[i]);
    vec_push(scratch, &longer.directives, *move);
    PassId last = lower_judges(&longer);
    BoundRequests requests = {0};
    bool is_accepted =
        last > PASS_SCHEDULE || try(pipeline, &longer, scratch, NULL, NULL, &requests);
    /* The oracle may find no length for a loop (E0518). */
    if (requests.lengths.length)
        last = PASS_SLIDE;
    if (last > PASS_SCHEDULE)
        is_accepted = is_accepted && lower_to(last, pipeline, &longer, scratch);
    arena_destroy(scratch);
    return is_accepted;
}

bool lower_propose(const Pipeline *pipeline, const Schedule *schedule,
                   const DirectiveChoices *choices, Arena *arena, Directives *moves) {
    Arena *scratch = arena_create(&pipeline->pool->context->memory);
    Directives proposed = {0};
    BoundRequests requests = {0};
    bool is_accepted = try(pipeline, schedule, scratch, choices, &proposed, &requests);
    for (size_t i = 0; i < proposed.length; i++) {
        Directive copy = proposed.data[i];
        copy.arguments = (typeof(copy.arguments)){0};
        for (size_t k = 0; k < proposed.data[i].arguments.length; k++)
            vec_push(arena, &copy.arguments, proposed.data[i].arguments.data[k]);
        vec_push(arena, moves, copy);
    }
    arena_destroy(scratch);
    return is_accepted;
}

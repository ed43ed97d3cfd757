/* lower.c -- runs the passes in the order of passes.def, and the verifier after each.
 *
 *     schedule_expand   phase 0 on the algorithm; sugar becomes primitives
 *     reach_outputs     funcs that no output needs are removed, with their directives
 *     clamp_indices     funcs' values in indices are clamped to the ranges that they lie in
 *     PASS_INITIAL ..   each row of passes.def, up to the pass that the options name
 *
 * A pass that fails has reported, and ends the lowering.  PASS_BOUNDS also does the work of
 * PASS_SLIDE.  After each pass atomic_settle updates the marks of atomic stores (ir/atomic.h).  A
 * caller may stop after any pass from PASS_CHECKS on, look at the program, and go on (lower_rest). */
#include "lower/lower.h"

#include "ir/atomic.h"
#include "ir/verify.h"
#include "lower/passes/clamp_indices.h"
#include "lower/passes/eager.h"
#include "lower/passes/in_place.h"
#include "lower/passes/prefetch.h"
#include "lower/passes/reach.h"
#include "lower/passes/storage.h"
#include "lower/report/warn.h"

#include <string.h>

static const PassInfo passes[] = {
#define PASS(NAME, TEXT, SENTENCE) {TEXT, SENTENCE},
#include "lower/passes.def"
#undef PASS
};

const PassInfo *pass_info(PassId pass) {
    hlc_assert(pass < PASS_COUNT, "a pass is a row of passes.def");
    return &passes[pass];
}

bool pass_from_text(const char *text, PassId *pass) {
    for (int i = 0; i < PASS_COUNT; i++)
        if (strcmp(text, passes[i].text) == 0) {
            *pass = (PassId)i;
            return true;
        }
    return false;
}

typedef struct Lowering {
    Lowered *lowered;
    Directives primitives; /* those about the funcs that are lowered */
    BoundRequests requests;
    GrowingFunc growing; /* set by PASS_BOUNDS */
    Arena *arena;
    const LowerOptions *options;
} Lowering;

static bool run_pass(Lowering *lowering, PassId pass) {
    Lowered *lowered = lowering->lowered;
    Arena *arena = lowering->arena;
    switch (pass) {
    case PASS_INITIAL:
        lowered->program = lower_initial(lowered->pipeline, arena);
        return true;
    case PASS_SCHEDULE:
        return schedule_apply(lowered->program, lowered->pipeline, &lowering->primitives, SIZE_MAX,
                              &lowering->requests) &&
               lower_in_place(lowered->program, arena);
    case PASS_BOUNDS:
        /* Slides, too, unless the program before sliding is asked for (passes.def). */
        lowered->bounds = bounds_fill(lowered->program, lowered->pipeline, &lowering->requests,
                                      lowering->options->last >= PASS_SLIDE,
                                      lowering->options->explains, arena, &lowering->growing);
        return lowered->bounds != NULL;
    case PASS_SLIDE:
        return true; /* done by PASS_BOUNDS */
    case PASS_CHECKS:
        return lower_checks(lowered->program, lowered->pipeline, lowered->bounds,
                            &lowering->requests, arena);
    case PASS_EXTERN:
        lower_extern(lowered->program, arena);
        return true;
    case PASS_SIMPLIFY:
        lower_simplify(lowered->program, arena);
        return true;
    case PASS_FOLD:
        if (lowering->options->traces)
            lower_unfold(lowered->program);
        else
            lower_fold(lowered->program, arena);
        return storage_keeps_promises(lowered->program, arena);
    case PASS_TABLES:
        lower_tables(lowered->program, arena);
        return true;
    case PASS_PREFETCH:
        return lower_prefetch(lowered->program, arena);
    case PASS_UNSWITCH:
        lower_unswitch(lowered->program, arena);
        return true;
    case PASS_UNROLL:
        lower_unroll(lowered->program, arena);
        return true;
    case PASS_PARTITION:
        lowered->partition = lower_partition(lowered->program, arena);
        return true;
    case PASS_SHORT:
        lower_short(lowered->program, arena);
        return true;
    case PASS_SUMS:
        lower_sums(lowered->program, arena);
        return true;
    case PASS_LICM:
        lower_licm(lowered->program, arena);
        return true;
    case PASS_NARROW:
        lower_narrow(lowered->program, arena);
        return true;
    case PASS_EAGER:
        return lower_eager(lowered->program, lowered->pipeline, arena,
                           &lowered->eager_instructions);
    case PASS_COUNT:
        break;
    }
    hlc_assert(false, "a pass is a row of passes.def");
    return false;
}

static void verify(const Lowered *lowered, PassId pass, Arena *arena) {
    timing_begin(lowered->program->pool->context, "verify");
    const char *fault = program_verify(arena, lowered->program, pass < PASS_BOUNDS);
    if (fault)
        diag_broken_invariant(__FILE__, __LINE__,
                              arena_format(arena, "after pass %s, %s", passes[pass].text, fault));
    timing_end(lowered->program->pool->context);
}

/* Applies the directives that change the algorithm, phase 0, and prepares it for lowering. */
static bool rewrite(Lowering *lowering, const Pipeline *pipeline, const Schedule *schedule,
                    size_t limit) {
    Lowered *lowered = lowering->lowered;
    lowered->pipeline =
        schedule_expand(pipeline, schedule, limit, lowering->arena, &lowered->primitives);
    lowering->primitives = lowered->primitives;
    if (lowered->pipeline)
        lowered->pipeline =
            clamp_indices(reach_outputs(lowered->pipeline, &lowering->primitives, lowering->arena),
                          lowering->arena);
    return lowered->pipeline != NULL;
}

static bool run_passes(Lowering *lowering) {
    Lowered *lowered = lowering->lowered;
    const LowerOptions *options = lowering->options;
    bool is_done = true;
    while (is_done && lowered->passes <= (int)options->last && lowered->passes < PASS_COUNT) {
        PassId pass = (PassId)lowered->passes++;
        Context *context = lowered->pipeline->pool->context;
        context->at = lowered->pipeline->signature.place;
        timing_begin(context, passes[pass].text);
        is_done = run_pass(lowering, pass);
        timing_end(context);
        if (is_done)
            atomic_settle(lowered->program, lowering->arena);
        if (is_done && pass == PASS_SIMPLIFY && context->asks_warnings)
            lower_warn(lowered, lowering->arena);
        if (is_done && options->verify)
            verify(lowered, pass, lowering->arena);
    }
    return is_done;
}

/* If no region serves all stages of a func, its last update is computed apart, and lowering begins
 * anew. Each time a func has one stage less. The primitives stay those of the algorithm as it is
 * written. */
Lowered *lower(const Pipeline *pipeline, const Schedule *schedule, Arena *arena,
               const LowerOptions *options) {
    Context *context = pipeline->pool->context;
    const Directives *written = NULL;
    context->at = schedule ? schedule->place : pipeline->signature.place;
    for (;;) {
        Lowering lowering = {
            .lowered = arena_new(arena, Lowered), .arena = arena, .options = options};
        timing_begin(context, "rewrite");
        bool is_done = rewrite(&lowering, pipeline, schedule, options->directives);
        timing_end(context);
        is_done = is_done && run_passes(&lowering);
        if (written)
            lowering.lowered->primitives = *written;
        if (is_done)
            return lowering.lowered;
        written = &lowering.lowered->primitives;
        const GrowingFunc *growing = &lowering.growing;
        if (!growing->func)
            return NULL;
        pipeline = stages_apart(pipeline, &schedule, growing->func, arena);
        if (!pipeline) {
            growing_report(lowering.lowered->pipeline, growing);
            return NULL;
        }
    }
}

bool lower_rest(Lowered *lowered, Arena *arena, const LowerOptions *options) {
    Lowering lowering = {.lowered = lowered, .arena = arena, .options = options};
    hlc_assert(lowered->passes > PASS_CHECKS, "the rest is what follows the checks");
    return run_passes(&lowering);
}

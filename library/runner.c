/* runner.c -- one run of a pipeline by one of the machines, on arguments that are ready. */
#include "library/compiler.h"

#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"
#include "checkers/reference/semantics.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <string.h>

bool runner_create(hlc *h, const hlc_arguments *a, const char *schedule, hlc_machine machine,
                   Runner *runner) {
    *runner = (Runner){.machine = machine, .schedule = schedule};
    if (machine == HLC_REFERENCE || machine == HLC_SEMANTICS) {
        if (!a->pipeline)
            diag(h->context, DIAG_NO_ALGORITHM, NOWHERE, "the reference interpreter");
        return a->pipeline && externs_ready(h, a->pipeline, NULL);
    }
    h->traces = machine == HLC_COMPILED && h->code.trace;
    runner->program = compiler_program(h, a->pipeline, schedule);
    if (!runner->program || !externs_ready_of_program(h, runner->program))
        return false;
    if (machine == HLC_TARGET)
        return true;
    runner->jit = compiler_jit(h, runner->program, &h->code, NULL);
    return runner->jit != NULL;
}

static void reference_progress(void *data, double done) {
    const hlc *h = data;
    h->progress(h->progress_data, "reference", done);
}

static Outcome run_reference(hlc *h, const hlc_arguments *a, Arena *arena, ErrorPoint *error) {
    const hlc_interpreter *wanted = &h->interpreter;
    ReferenceOptions options = {.formal = wanted->formal,
                                .strict = wanted->strict,
                                .progress = h->progress ? reference_progress : NULL,
                                .progress_data = h};
    bool formal = wanted->formal || wanted->strict;
    return reference_realize(a->pipeline, arena, &a->values, &options, formal ? error : NULL);
}

static Outcome run_semantics(const hlc *h, const hlc_arguments *a, Arena *arena,
                             ErrorPoint *error) {
    SemanticsOptions options = {.formal = h->interpreter.formal, .strict = h->interpreter.strict};
    return semantics_realize(a->pipeline, arena, &a->values, &options, error);
}

static Outcome run_target(const hlc *h, const Runner *runner, const hlc_arguments *a, Arena *arena,
                          ErrorPoint *error) {
    const hlc_interpreter *wanted = &h->interpreter;
    static const RunOrder orders[] = {[HLC_ORDER_FORWARD] = RUN_FORWARD,
                                      [HLC_ORDER_BACKWARD] = RUN_BACKWARD,
                                      [HLC_ORDER_INTERLEAVED] = RUN_INTERLEAVED};
    RunOptions options = {.seed = wanted->seed,
                          .order = orders[wanted->order],
                          .reading = wanted->strict   ? RUN_STRICT
                                     : wanted->formal ? RUN_FORMAL
                                                      : RUN_TOTAL,
                          .first_error = error};
    return run_program(runner->program, arena, &a->values, &options);
}

/* "out.1(3, 4)"; or a requirement. */
static const char *error_point_text(const hlc_arguments *a, Arena *arena, const ErrorPoint *error) {
    if (error->requirement)
        return arena_format(arena, "the condition of the requirement `%s`", error->requirement);
    const FuncShape *shape = signature_func(a->signature, error->func);
    const char *text = shape->name->text;
    if (shape->components > 1)
        text = arena_format(arena, "%s.%d", text, error->component);
    if (shape->dimensions == 0)
        return text;
    return arena_format(arena, "%s(%s)", text, text_point(arena, error->point, shape->dimensions));
}

Outcome runner_run(hlc *h, const Runner *runner, const hlc_arguments *given, Arena *arena) {
    ErrorPoint error = {.error = ERROR_NONE};
    Outcome outcome = {0};
    hlc_arguments apart = *given;
    const hlc_arguments *a = &apart;
    if (runner->machine != HLC_COMPILED)
        apart.values.images = (Image *)bind_images_apart(given, arena);
    h->context->at = a->signature->place;
    switch (runner->machine) {
    case HLC_COMPILED:
        timing_begin(h->context, "run");
        outcome = jit_call(runner->jit, &a->values);
        break;
    case HLC_REFERENCE:
        timing_begin(h->context, "reference interpreter");
        outcome = run_reference(h, a, arena, &error);
        break;
    case HLC_SEMANTICS:
        timing_begin(h->context, "semantics");
        outcome = run_semantics(h, a, arena, &error);
        break;
    case HLC_TARGET:
        timing_begin(h->context, "target interpreter");
        outcome = run_target(h, runner, a, arena, &error);
        break;
    }
    timing_end(h->context);
    if (outcome.error == HLC_SUCCESS && error.error)
        diag(h->context, DIAG_VALUE_IS_ERROR, NOWHERE, error_point_text(a, h->scratch, &error),
             error_text((ErrorValue)error.error));
    return outcome;
}

static const char *refusal_remedy(hlc *h, int error, const Refusal *refusal) {
    if (error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS && refusal->is_of_schedule)
        return arena_format(
            h->scratch,
            "it is the schedule that reads so far, by a tail or a fixed size: without "
            "it this runs. Use the tail `guard`, or larger sizes (`hlc contract` says "
            "which)%s%s",
            *refusal->needed ? ":" : "", refusal->needed);
    if (error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS)
        return arena_format(h->scratch,
                            "read the image through a boundary condition such as repeat_edge, "
                            "give a larger one%s%s, or ask for a smaller window: OUTPUT=SIZE",
                            *refusal->needed ? ":" : "", refusal->needed);
    return "";
}

hlc_status runner_report(hlc *h, const Outcome *outcome, const Refusal *refusal) {
    static const Refusal NOTHING = {.needed = "", .values = ""};
    if (!refusal)
        refusal = &NOTHING;
    if (outcome->error == HLC_SUCCESS)
        return HLC_YES;
    if (outcome->error == HLC_ERROR_STOPPED)
        return compiler_report_exit(h, MEMORY_STOPPED);
    const char *name = hlc_error_name(outcome->error);
    bool broken = outcome->error == HLC_ERROR_INTERNAL || outcome->error == HLC_ERROR_GENERIC;
    if (broken && h->program) { /* its text is the user's */
        static const char ours[] = "internal error: ";
        bool marked = strncmp(outcome->message, ours, strlen(ours)) == 0;
        diag(h->context, DIAG_PROGRAM_WRONG, NOWHERE,
             outcome->message + (marked ? strlen(ours) : 0));
        return HLC_USER;
    }
    if (broken) {
        diag(h->context, DIAG_RUN_BROKEN, NOWHERE, name ? name : "unknown", outcome->message);
        return HLC_FAULT;
    }
    if (!name) /* a C function's own */
        name = arena_format(h->scratch, "error %d", outcome->error);
    diag(h->context, DIAG_RUN_REFUSED, refusal->place, name,
         arena_format(h->scratch, "%s%s", outcome->message, refusal->values),
         refusal_remedy(h, outcome->error, refusal));
    return outcome->error == HLC_ERROR_OUT_OF_MEMORY ? HLC_WORLD : HLC_USER;
}

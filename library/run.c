/* run.c -- runs a pipeline by each of the machines, and evaluates single points. */
#include "library/show/contract.h"

#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"
#include "checkers/reference/semantics.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <string.h>

/* Does a run keep the limit of its memory?  False after reporting. */
static bool keeps_memory(hlc *h, const Runner *runner, hlc_arguments *a) {
    int64_t bytes;
    if (!h->run_memory || runner->machine != HLC_COMPILED)
        return true;
    bool is_known = runner->program && contract_peak(h, runner->program, a, &bytes);
    double all = is_known ? (double)bytes + arguments_bytes(a) : 0;
    if (is_known && all <= (double)h->run_memory)
        return true;
    diag(h->context, DIAG_RUN_MEMORY, a->signature->place,
         is_known ? arena_format(h->scratch, "the run takes up to %.0f bytes of memory", all)
                  : "it is not known how much memory the run takes",
         arena_format(h->scratch, "%zu", h->run_memory >> 20));
    return false;
}

hlc_status runner_finish(hlc *h, const Runner *runner, hlc_arguments *a) {
    Outcome outcome = {0};
    hlc_status fits = pseudo_fit(h, runner, a);
    if (fits != HLC_YES)
        return fits;
    if (!keeps_memory(h, runner, a))
        return HLC_USER;
    if (runner->machine != HLC_COMPILED)
        outcome = bind_check_lent(a, h->scratch);
    if (h->program && runner->machine == HLC_COMPILED) { /* a text may say anything: first look */
        outcome = bind_check_lent(a, h->scratch);
        if (outcome.error == HLC_SUCCESS)
            outcome = run_program(runner->program, h->scratch, &a->values,
                                  &(RunOptions){.seed = 1, .is_first_look = true});
    }
    if (outcome.error == HLC_SUCCESS)
        outcome = runner_run(h, runner, a, h->scratch);
    if (outcome.error == HLC_SUCCESS)
        arguments_publish(a);
    if (outcome.error == HLC_SUCCESS)
        return HLC_YES;
    Refusal refusal = refusal_explain(h, runner, a, &outcome);
    return runner_report(h, &outcome, &refusal);
}

typedef struct Run {
    hlc_arguments *a;
    const char *schedule, *point;
    hlc_machine machine;
    const hlc_eval_options *evaluation;
    FILE *out;
} Run;

static hlc_status run(hlc *h, void *data) {
    const Run *request = data;
    Runner runner;
    hlc_status ready = arguments_ready(request->a, true);
    if (ready != HLC_YES)
        return ready;
    if (!runner_create(h, request->a, request->schedule, request->machine, &runner))
        return HLC_USER;
    return runner_finish(h, &runner, request->a);
}

hlc_status hlc_run(hlc_arguments *a, const char *schedule, hlc_machine machine) {
    if (!a)
        return HLC_USER;
    if ((unsigned)machine > HLC_SEMANTICS)
        return compiler_bad_argument(a->h, "machine", "is none that there is");
    Run request = {.a = a, .schedule = schedule, .machine = machine};
    return compiler_enter(a->h, run, &request);
}

static hlc_status query(hlc *h, void *data) {
    const Run *request = data;
    Runner runner;
    hlc_status ready = arguments_ready(request->a, true);
    if (ready != HLC_YES)
        return ready;
    if (!runner_create(h, request->a, request->schedule, HLC_TARGET, &runner))
        return HLC_USER;
    return pseudo_print(h, &runner, request->a, request->out);
}

hlc_status hlc_query(hlc_arguments *a, const char *schedule, FILE *out) {
    if (!a)
        return HLC_USER;
    if (!out)
        return compiler_null(a->h, "out");
    Run request = {.a = a, .schedule = schedule, .out = out};
    return compiler_enter(a->h, query, &request);
}

/* ---- one point ---- */

static void print_value(Type type, Value value, FILE *out) {
    char text[48];
    value_print(type, value.bits, text, sizeof text);
    fputs(value.error == ERROR_NONE ? text : error_text((ErrorValue)value.error), out);
}

static void print_values(const FuncShape *shape, const Value *values, FILE *out) {
    fputs(shape->components > 1 ? "{" : "", out);
    for (int c = 0; c < shape->components; c++) {
        fputs(c ? ", " : "", out);
        print_value(shape->types[c], values[c], out);
    }
    fputs(shape->components > 1 ? "}\n" : "\n", out);
}

static void print_reads(const hlc_arguments *a, const ReferenceReads *reads, FILE *out) {
    for (size_t i = 0; i < reads->length; i++) {
        const ReferenceRead *read = &reads->data[i];
        fprintf(out, "  %s(", read->name->text);
        for (int d = 0; d < read->dimensions; d++)
            fprintf(out, "%s%" PRId64, d ? ", " : "", read->point[d]);
        fputc(')', out);
        const FuncShape *shape = read->is_image ? NULL : signature_func(a->signature, read->name);
        if (shape && shape->components > 1)
            fprintf(out, ".%d", read->component);
        fputs(" = ", out);
        print_value(read->type, read->value, out);
        fputc('\n', out);
    }
}

static hlc_status eval(hlc *h, void *data) {
    const Run *request = data;
    hlc_arguments *a = request->a;
    Symbol func;
    int64_t point[MAX_DIMENSIONS] = {0};
    int dimensions;
    if (!a->pipeline) {
        diag(h->context, DIAG_NO_ALGORITHM, NOWHERE, "the reference interpreter");
        return HLC_USER;
    }
    uint32_t file = context_add_file(h->context, "point", request->point, strlen(request->point));
    if (!frontend_point(h->module, a->pipeline, file, &func, point, &dimensions))
        return HLC_USER;
    h->context->at = a->signature->place;
    hlc_status ready = arguments_ready(a, false);
    if (ready != HLC_YES)
        return ready;
    if (!externs_ready(h, a->pipeline, func))
        return HLC_USER;
    const FuncShape *shape = signature_func(a->signature, func);
    const hlc_eval_options *wanted = request->evaluation;
    ReferenceOptions options = {.formal = wanted && wanted->formal,
                                .strict = wanted && wanted->strict};
    Value *values = arena_array(h->scratch, Value, shape->components);
    ReferenceReads reads = {0};
    bool why = wanted && wanted->why;
    SemanticsOptions rules = {.formal = options.formal, .strict = options.strict};
    Outcome outcome =
        wanted && wanted->semantics
            ? semantics_point(a->pipeline, h->scratch, &a->values, &rules, func, point, values)
            : reference_point(a->pipeline, h->scratch, &a->values, &options, func, point, values,
                              why ? &reads : NULL);
    if (outcome.error == HLC_SUCCESS) {
        print_values(shape, values, request->out);
        print_reads(a, &reads, request->out);
    }
    return runner_report(h, &outcome, NULL);
}

hlc_status hlc_eval(hlc_arguments *a, const char *point, const hlc_eval_options *options,
                    FILE *out) {
    if (!a)
        return HLC_USER;
    if (!point)
        return compiler_null(a->h, "point");
    if (!out)
        return compiler_null(a->h, "out");
    Run request = {.a = a, .point = point, .evaluation = options, .out = out};
    return compiler_enter(a->h, eval, &request);
}

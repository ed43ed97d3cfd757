/* function.c -- compiled pipelines as objects: compiled once, called many times.
 *
 * An hlc_function lives in its Jit's arena and refers to nothing else. So taking it from its handle
 * only moves the account of its memory. A call writes nothing of it: several threads may call it at
 * once.
 */
#include "library/compiler.h"

#include "runtime/hlc_runtime.h"

#include <stdatomic.h>
#include <time.h>

typedef struct Make {
    const char *pipeline, *schedule;
    const hlc_compile_options *options;
    hlc_function *made;
} Make;

static hlc_status make(hlc *h, void *data) {
    Make *request = data;
    if (request->options && !compiler_has_options(h, request->options))
        return HLC_USER;
    hlc_code code = h->code;
    FILE *assembly = request->options ? request->options->assembly : NULL;
    if (request->options) {
        code.optimize = request->options->optimize;
        code.debug = request->options->debug;
        code.stoppable = request->options->stoppable;
        code.trace = request->options->trace;
        code.profile = request->options->profile;
    }
    h->traces = code.trace;
    const Program *program = compiler_find_program(h, request->pipeline, request->schedule);
    Jit *jit = program ? compiler_jit(h, program, &code, assembly) : NULL;
    if (!jit)
        return HLC_USER;
    hlc_function *function = arena_new(jit_arena(jit), hlc_function);
    *function = (hlc_function){.next = h->functions,
                               .h = h,
                               .program = h->program,
                               .jit = jit,
                               .has_profile = code.profile};
    compiler_keep_jit(h);
    request->made = h->functions = function;
    return HLC_YES;
}

hlc_function *hlc_compile_function(hlc *h, const char *pipeline, const char *schedule,
                                   const hlc_compile_options *options) {
    Make request = {.pipeline = pipeline, .schedule = schedule, .options = options};
    return compiler_enter(h, make, &request) == HLC_YES ? request.made : NULL;
}

hlc_function *hlc_take_function(hlc_function *function) {
    if (!function)
        return NULL;
    if (function->program)
        return NULL;
    if (!function->h)
        return function;
    function_unlink(function);
    jit_detach(function->jit, &function->memory);
    return function;
}

/* ---- calling ---- */

typedef struct Call {
    const hlc_function *function;
    hlc_arguments *a;
    int samples, runs;
    int64_t *nanoseconds;
} Call;

static hlc_status call(hlc *h, void *data) {
    const Call *request = data;
    const hlc_function *function = request->function;
    if (!jit_fits(function->jit, request->a->signature)) {
        diag(h->context, DIAG_FUNCTION_MISMATCH, NOWHERE, request->a->signature->name->text);
        return HLC_USER;
    }
    Runner runner = {.machine = HLC_COMPILED, .program = function->program, .jit = function->jit};
    hlc_status ready = arguments_ready(request->a, true);
    return ready == HLC_YES ? runner_finish(h, &runner, request->a) : ready;
}

hlc_status hlc_function_run(const hlc_function *function, hlc_arguments *a) {
    if (!a)
        return HLC_USER;
    if (!function)
        return compiler_null(a->h, "function");
    Call request = {.function = function, .a = a};
    return compiler_enter(a->h, call, &request);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The first run has prepared the arguments, and was not refused. */
static hlc_status time_calls(hlc *h, void *data) {
    const Call *request = data;
    hlc_status status = call(h, data);
    for (int i = 0; i < request->samples && status == HLC_YES; i++) {
        Outcome outcome = {0};
        int64_t begin = now();
        for (int n = 0; n < request->runs && outcome.error == HLC_SUCCESS; n++)
            outcome = jit_call(request->function->jit, &request->a->values);
        request->nanoseconds[i] = now() - begin;
        status = runner_report(h, &outcome, NULL);
    }
    return status;
}

hlc_status hlc_function_time(const hlc_function *function, hlc_arguments *a, int samples, int runs,
                             int64_t *nanoseconds) {
    if (!a)
        return HLC_USER;
    if (!function)
        return compiler_null(a->h, "function");
    if (samples > 0 && !nanoseconds)
        return compiler_null(a->h, "nanoseconds");
    Call request = {function, a, samples, runs, nanoseconds};
    return compiler_enter(a->h, time_calls, &request);
}

static int is_set(void *flag) {
    return atomic_load_explicit((_Atomic int32_t *)flag, memory_order_relaxed);
}

int hlc_function_call(const hlc_function *function, const int32_t *cancel, hlc_report *report,
                      void *const *arguments) {
    if (!function || !arguments)
        return hlc_fail(report, HLC_ERROR_BUFFER_IS_NULL, function ? "arguments" : "function", NULL,
                        0);
    hlc_stopper stopper = {is_set, (void *)cancel};
    const hlc_stopper *before = hlc_set_stopper(cancel ? &stopper : NULL);
    int error = jit_call_raw(function->jit, report, arguments);
    hlc_set_stopper(before);
    return error;
}

int hlc_function_call_with(const hlc_function *function, const hlc_call *call, hlc_report *report,
                           void *const *arguments) {
    if (!function || !arguments)
        return hlc_fail(report, HLC_ERROR_BUFFER_IS_NULL, function ? "arguments" : "function", NULL,
                        0);
    return jit_call_with(function->jit, call, report, arguments);
}

void (*hlc_function_pointer(const hlc_function *function))(void) {
    return function ? jit_function(function->jit, "") : NULL;
}

int (*hlc_function_argv(const hlc_function *function))(void **) {
    return function ? (int (*)(void **))jit_function(function->jit, "_argv") : NULL;
}

struct hlc_profile *hlc_function_profile(const hlc_function *function) {
    if (!function || !function->has_profile)
        return NULL;
    return ((hlc_profile * (*)(void)) jit_function(function->jit, "_profile"))();
}

/* tune.c -- measures candidates for autoschedule/tune.c: compiles them as functions are compiled, runs
 * them on the bound arguments, and compares what they compute with what the empty schedule computes.
 *
 * The code polls for the end of the entry, so a run that takes too long can be stopped. All candidates
 * are compiled so. */
#include "library/schedule/tune.h"

#include "runtime/hlc_runtime.h"

#include <string.h>
#include <time.h>

struct Measurer {
    hlc *h;
    hlc_arguments *a;
    int (*finish)(void *data); /* null: none */
    void *finish_data;
    double end_of_run; /* by now_in_seconds */
    unsigned char *
        *expected; /* of each component of the outputs that is ours; null: not compared */
    int measured;  /* as last told */
    const char *told;
};

static double now_in_seconds(void *data) {
    struct timespec time;
    (void)data;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- code ---- */

/* What is refused here is no candidate, and no concern of the user. */
static void *compile(void *data, const Program *program) {
    Measurer *measurer = data;
    hlc *h = measurer->h;
    DiagMark before = diag_mark(h->context);
    hlc_code code = h->code;
    code.stoppable = true;
    Jit *jit = compiler_jit(h, program, &code, NULL);
    diag_drop(h->context, before);
    return jit;
}

static void release(void *data, void *code) {
    Measurer *measurer = data;
    hlc *h = measurer->h;
    for (size_t i = 0; i < h->jits.length; i++)
        if (h->jits.data[i] == code) {
            h->jits.data[i] = h->jits.data[--h->jits.length];
            jit_free(code);
            return;
        }
}

/* ---- runs ---- */

static int is_late(void *data) {
    const Measurer *measurer = data;
    return compiler_is_stopped(&measurer->h->stop) || now_in_seconds(NULL) > measurer->end_of_run;
}

static bool is_equal(Type type, const unsigned char *a, const unsigned char *b, size_t bytes) {
    if (memcmp(a, b, bytes) == 0)
        return true;
    size_t size = type_bytes(type);
    for (size_t at = 0; at < bytes; at += size)
        if (!bits_same(type, bits_load(type, a + at), bits_load(type, b + at)))
            return false;
    return true;
}

static size_t bytes_of(const Image *image) {
    return (size_t)image_count(image) * type_bytes(image->type);
}

static void keep_results(Measurer *measurer) {
    const hlc_arguments *a = measurer->a;
    for (size_t i = 0; i < a->output_count; i++)
        if (!a->output_lent[i] && measurer->expected[i])
            memcpy(measurer->expected[i], a->values.outputs[i].data,
                   bytes_of(&a->values.outputs[i]));
}

static void compare_results(const Measurer *measurer) {
    const hlc_arguments *a = measurer->a;
    for (size_t i = 0; i < a->output_count; i++) {
        const Image *image = &a->values.outputs[i];
        bool same = a->output_lent[i] || !measurer->expected[i] ||
                    is_equal(image->type, image->data, measurer->expected[i], bytes_of(image));
        hlc_assert(same, "a schedule does not change a value");
    }
}

static double run(void *data, void *code, int runs, double limit) {
    Measurer *measurer = data;
    Outcome outcome = {0};
    hlc_stopper stopper = {is_late, measurer};
    measurer->end_of_run = now_in_seconds(NULL) + limit * runs;
    const hlc_stopper *before = hlc_set_stopper(&stopper);
    double begin = now_in_seconds(NULL);
    for (int n = 0; n < runs && outcome.error == HLC_SUCCESS; n++)
        outcome = jit_call(code, &measurer->a->values);
    double time = now_in_seconds(NULL) - begin;
    hlc_set_stopper(before);
    if (outcome.error != HLC_SUCCESS)
        return -1;
    compare_results(measurer);
    return time / runs;
}

static bool tell(void *data, double done, int measured, double ratio) {
    Measurer *measurer = data;
    hlc *h = measurer->h;
    if (measured != measurer->measured || !measurer->told) {
        measurer->measured = measured;
        measurer->told = arena_format(
            h->scratch, "schedule: %d measured, %.3g of the empty one's time", measured, ratio);
    }
    if (h->progress)
        h->progress(h->progress_data, measurer->told, done < 0.99 ? done : 0.99);
    return !measurer->finish || !measurer->finish(measurer->finish_data);
}

/* ---- the whole ---- */

/* The first run, under the schedule that is extended, which reports what is wrong with the arguments. */
static hlc_status run_first(hlc *h, hlc_arguments *a, const char *extended) {
    Runner runner;
    if (!runner_create(h, a, extended, HLC_COMPILED, &runner))
        return HLC_USER;
    return runner_finish(h, &runner, a);
}

hlc_status tuning_create(hlc *h, hlc_arguments *a, const hlc_schedule_options *options,
                         Tuning *tuning) {
    Measurer *measurer = arena_new(h->scratch, Measurer);
    hlc_status status = arguments_ready(a, true);
    if (status == HLC_YES)
        status = run_first(h, a, options->extend);
    if (status != HLC_YES)
        return status;
    *measurer =
        (Measurer){.h = h, .a = a, .finish = options->finish, .finish_data = options->finish_data};
    measurer->expected = arena_array(h->scratch, unsigned char *, a->output_count + 1);
    for (size_t i = 0; i < a->output_count && !a->pipeline->reassociation; i++)
        measurer->expected[i] = arena_allocate(h->scratch, bytes_of(&a->values.outputs[i]) + 1);
    keep_results(measurer);
    *tuning = (Tuning){.data = measurer,
                       .seconds = options->seconds,
                       .now = now_in_seconds,
                       .compile = compile,
                       .run = run,
                       .release = release,
                       .tell = tell};
    return HLC_YES;
}

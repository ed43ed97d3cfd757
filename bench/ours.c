/* ours.c -- our side of the benchmark: compiles a kernel into this process, and runs it.
 *
 * The lowering time is that of `hlc_lower` on the same file: reading, scheduling, bounds, checks,
 * the simplifier, and printing. The total time is reading, and compiling into a function. Both
 * start with a fresh handle. With BENCH_CHOSEN in the environment, the kernel has the schedule that
 * `hlc schedule` chooses for its sizes; then the lowering time is that of choosing it. With BENCH_PERF in the environment, the profiler perf gets the names
 * of the code.
 */
#include "bench/kernel.h"
#include "include/hlc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    hlc *handle;
    int (*function)(void **);
} made;

static hlc *load(const Kernel *kernel) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", BENCH_FOLDER, kernel->file);
    hlc *h = hlc_create();
    hlc_code code = {.optimize = 2, .perf_map = getenv("BENCH_PERF")};
    if (h && hlc_set_code(h, &code) == HLC_YES && hlc_load(h, path) == HLC_YES)
        return h;
    if (h)
        hlc_print_diagnostics(h, stderr);
    hlc_destroy(h);
    return NULL;
}

static bool lower(const Kernel *kernel) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    hlc *h = load(kernel);
    bool done = h && out && hlc_lower(h, kernel->pipeline, kernel->schedule, NULL, out) == HLC_YES;
    if (h && !done)
        hlc_print_diagnostics(h, stderr);
    hlc_destroy(h);
    if (out)
        fclose(out);
    free(text);
    return done;
}

/* ---- the schedule that is chosen ---- */

#define CHOSEN "chosen"

static size_t pipeline_of(const hlc *h, const Kernel *kernel) {
    for (size_t i = 0; kernel->pipeline && i < hlc_pipeline_count(h); i++)
        if (!strcmp(hlc_pipeline_name(h, i), kernel->pipeline))
            return i;
    return 0;
}

/* Chooses it for the kernel's images, parameters and threads, by the model alone. */
static bool choose(hlc *h, const Kernel *kernel) {
    hlc_arguments *a = hlc_arguments_create(h, kernel->pipeline);
    halide_buffer_t **buffers = kernel_buffers(kernel);
    size_t pipeline = pipeline_of(h, kernel);
    int images = 0, parameters = 0;
    bool done = a;
    for (size_t i = 0; done && i < hlc_input_count(h, pipeline); i++) {
        hlc_input input = hlc_input_at(h, pipeline, i);
        hlc_status set =
            input.is_image
                ? hlc_arguments_set_buffer(a, input.name, buffers[images++])
                : hlc_arguments_set_value(a, input.name, hlc_int(kernel->values[parameters++]));
        done = set == HLC_YES;
    }
    const char *threads = getenv("HLC_NUM_THREADS");
    hlc_schedule_options options = {
        .pipeline = kernel->pipeline, .name = CHOSEN, .threads = threads ? atoi(threads) : 1};
    return done &&
           hlc_arguments_set_buffer(a, hlc_output_at(h, pipeline, 0).func,
                                    buffers[kernel->inputs]) == HLC_YES &&
           hlc_schedule(h, &options, a, NULL) == HLC_YES;
}

static bool compile(const Kernel *kernel, double *lower_ms, double *all_ms) {
    hlc_destroy(made.handle);
    made.handle = NULL;
    bool is_chosen = getenv("BENCH_CHOSEN");
    kernel_buffers(kernel);
    double start = kernel_processor_ms();
    if (is_chosen)
        made.handle = load(kernel);
    bool is_ready = is_chosen ? made.handle && choose(made.handle, kernel) : lower(kernel);
    double middle = kernel_processor_ms();
    if (is_ready && !is_chosen)
        made.handle = load(kernel);
    const char *schedule = is_chosen ? CHOSEN : kernel->schedule;
    hlc_function *function =
        is_ready && made.handle
            ? hlc_compile_function(made.handle, kernel->pipeline, schedule, NULL)
            : NULL;
    *lower_ms = middle - start;
    *all_ms = kernel_processor_ms() - middle;
    if (made.handle && !function)
        hlc_print_diagnostics(made.handle, stderr);
    made.function = function ? hlc_function_argv(function) : NULL;
    return function;
}

static bool run(const Kernel *kernel, halide_buffer_t **buffers) {
    void *arguments[KERNEL_IMAGES + KERNEL_PARAMETERS];
    int32_t values[KERNEL_PARAMETERS];
    int count = 0;
    for (int i = 0; i < kernel->inputs; i++)
        arguments[count++] = buffers[i];
    for (int i = 0; i < kernel->parameters; i++) {
        values[i] = kernel->values[i];
        arguments[count++] = &values[i];
    }
    arguments[count] = buffers[kernel->inputs];
    hlc_set_dispatch_work(kernel->spreads ? 0 : -1);
    return made.function(arguments) == 0;
}

int main(int argc, char **argv) {
    int code = kernel_serve(argc, argv, &(Side){compile, run});
    hlc_destroy(made.handle);
    return code;
}

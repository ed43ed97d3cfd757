/* ours.c -- our side of the benchmark: compiles a kernel into this process, and runs it.
 *
 * The lowering time is that of `hlc_lower` on the same file: reading, scheduling, bounds, checks,
 * the simplifier, and printing. The total time is reading, and compiling into a function. Both
 * start with a fresh handle. With BENCH_PERF in the environment, the profiler perf gets the names
 * of the code.
 */
#include "bench/kernel.h"
#include "include/hlc.h"

#include <stdio.h>
#include <stdlib.h>

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

static bool compile(const Kernel *kernel, double *lower_ms, double *all_ms) {
    hlc_destroy(made.handle);
    made.handle = NULL;
    double start = kernel_processor_ms();
    if (!lower(kernel))
        return false;
    double middle = kernel_processor_ms();
    made.handle = load(kernel);
    hlc_function *function =
        made.handle ? hlc_compile_function(made.handle, kernel->pipeline, kernel->schedule, NULL)
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

/* calibrate.c -- hlc_calibrate: measures the figures of this machine that the model of schedules
 * computes with (autoschedule/machine.def).
 *
 * Sizes of caches are the system's. All else is measured with pipelines that this compiler compiles, so
 * that the figures are those of generated code: operators on eight vectors in registers (probes.def), sums
 * over memory of several sizes, a parallel loop of nothing. The least time of many runs counts, because
 * other work only makes a run longer. A chain of operators of one cycle each gives the clock. Each figure
 * is rounded to a power of 1.05, and stays within a factor of the target's default.
 */
#include "library/schedule/machine.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    VECTORS = 8,
    STEPS = 4096,     /* of a probe in one run */
    ROW_BYTES = 256,  /* that a step of the sum over memory reads */
    LONG_LOOP = 8192, /* tasks */
    MOST_STREAM = 256 << 20,
    LEAST_STREAM = 64 << 20
};
static const double BUDGET = 0.15 /* seconds, of one measurement */, LONGEST = 7 /* of all */,
                    LARGEST_CHANGE = 4, LARGEST_FACTOR = 2 /* of operators */;

typedef struct Calibration {
    hlc *h; /* the caller's */
    hlc *probes;
    Machine machine;
    double cycle; /* in seconds */
    double end;   /* of measuring, by now() */
    int done, all;
    int threads; /* as they were */
} Calibration;

/* ---- programs ---- */

static const char *probe_text(const Calibration *c, const char *name, const char *type,
                              const char *element, const char *update, int vectors) {
    int lanes = (int)c->machine.vector_bytes / 4;
    return arena_format(c->h->scratch,
                        "pipeline %s(a: image<%s, 1>, n: i32) -> out(%d) {\n"
                        "    fun out(x) = { %s(x); rdom(r = (0, n)) in (x) <- %s; }\n"
                        "}\n"
                        "schedule probe for %s { bound(out, x, 0, %d); vectorize(out.s1.x, %d); "
                        "unroll(out.s1.x_o); reorder(out.s1.x_v, out.s1.x_o, out.s1.r); }\n",
                        name, element, lanes * vectors, type, update, name, lanes * vectors, lanes);
}

static const char OTHERS[] =
    "pipeline chain(a: image<u32, 1>, n: i32) -> out(1) {\n"
    "    fun out(x) = { u32(x); rdom(r = (0, n)) in (x) <- (out(x) ^ a(r)) + 12345; }\n"
    "}\n"
    "schedule probe for chain { bound(out, x, 0, 1); }\n"
    "pipeline tasks(n: i32) -> out(n) { fun out(x) = i32(x); }\n"
    "schedule probe for tasks { parallel(out.x); }\n";

static const char *stream_text(const Calibration *c) {
    int lanes = (int)c->machine.vector_bytes / 4, row = ROW_BYTES / 4;
    return arena_format(
        c->h->scratch,
        "pipeline stream(a: image<f32, 3>) -> out(%d, a.extent(2)) {\n"
        "    fun out(x, t) = {\n"
        "        0.0;\n"
        "        rdom(r = (0, a.height)) in (x, t) <- out(x, t) + a(x, r, t);\n"
        "    }\n"
        "}\n"
        "schedule probe for stream { bound(out, x, 0, %d); vectorize(out.s1.x, %d); "
        "unroll(out.s1.x_o); reorder(out.s1.x_v, out.s1.x_o, out.s1.r); parallel(out.s1.t); }\n",
        row, row, lanes);
}

static hlc_status load_probes(const Calibration *c) {
    const char *text = arena_format(c->h->scratch, "%s%s", OTHERS, stream_text(c));
#define PROBE(NAME, TYPE, ELEMENT, UPDATE, FIGURE, CYCLES)                                         \
    text = arena_format(c->h->scratch, "%s%s", text,                                               \
                        probe_text(c, #NAME, (TYPE), (ELEMENT), (UPDATE), VECTORS));
#include "library/schedule/probes.def"
#undef PROBE
    text = arena_format(c->h->scratch, "%s%s%s", text,
                        probe_text(c, "wait", "f32", "f32", "out(x) + a(r)", 1),
                        probe_text(c, "gather", "i32", "i32", "a(out(x) & 1023)", VECTORS));
    return hlc_load_text(c->probes, "machine.hl", text, strlen(text), NULL, NULL);
}

/* ---- measuring ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The least time of a run, in seconds; negative if it fails. On a busy machine the later figures get a
 * few runs only. */
static double least_time(const Calibration *c, const hlc_function *function, hlc_arguments *a) {
    double least = INFINITY, end = fmin(now() + BUDGET, c->end);
    int64_t samples[4];
    int runs = 1;
    do {
        if (hlc_function_time(function, a, 4, runs, samples) != HLC_YES)
            return -1;
        for (int i = 0; i < 4; i++)
            least = fmin(least, (double)samples[i] * 1e-9 / runs);
        if (least * runs < 20e-6)
            runs *= 2;
    } while (now() < end);
    return least;
}

/* Binds `image` to a and `n` to n, where they are not null, and measures. */
static double measure(Calibration *c, const char *pipeline, const char *image, const char *n) {
    hlc *h = c->probes;
    if (c->h->progress)
        c->h->progress(c->h->progress_data, "machine", (double)c->done / c->all);
    c->done++;
    hlc_function *function = hlc_compile_function(h, pipeline, "probe", NULL);
    hlc_arguments *a = function ? hlc_arguments_create(h, pipeline) : NULL;
    double time = -1;
    if (a && (!image || hlc_arguments_set(a, "a", image) == HLC_YES) &&
        (!n || hlc_arguments_set(a, "n", n) == HLC_YES))
        time = least_time(c, function, a);
    if (a)
        hlc_arguments_destroy(a);
    hlc_function_destroy(function);
    return time;
}

/* Sets a figure that was measured; not if that failed. */
static void set(double *figure, double value, double factor) {
    if (value > 0 && isfinite(value))
        *figure = machine_rounded(fmin(fmax(value, *figure / factor), *figure * factor));
}

static const char *number(const Calibration *c, int value) {
    return arena_format(c->h->scratch, "%d", value);
}

/* ---- figures ---- */

static void find_clock(Calibration *c) {
    double time = measure(c, "chain", "constant:7:4096", number(c, STEPS));
    c->cycle = time > 0 ? time / (2.0 * STEPS) : 0;
}

static void find_operators(Calibration *c) {
    const char *steps = number(c, STEPS);
    double time;
#define PROBE(NAME, TYPE, ELEMENT, UPDATE, FIGURE, CYCLES)                                         \
    time = measure(c, #NAME, "constant:3:4096", steps);                                            \
    set(&c->machine.FIGURE, time / c->cycle / STEPS / VECTORS / (CYCLES), LARGEST_FACTOR);
#include "library/schedule/probes.def"
#undef PROBE
    time = measure(c, "wait", "constant:3:4096", steps);
    set(&c->machine.float_latency, time / c->cycle / STEPS, LARGEST_CHANGE);
    time = measure(c, "gather", "random:1:4096", steps);
    set(&c->machine.gather_cycles,
        time / c->cycle / STEPS / VECTORS / (c->machine.vector_bytes / 4), LARGEST_CHANGE);
    c->machine.operators[CLASS_FUNCTION][0] = c->machine.operators[CLASS_FUNCTION][1];
}

/* A number of the system's description of a cache, with `K` or `M` behind it, or the processors in a
 * list such as 0-3,8; 0: unknown. */
static double cache_number(int index, const char *what, bool is_list) {
    char path[128], text[256] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *file = fopen(path, "r");
    bool is_read = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    if (!is_read)
        return 0;
    double sum = 0;
    for (char *at = text, *end; is_list; at = end + 1) {
        double first = strtod(at, &end), last = first;
        if (*end == '-')
            last = strtod(end + 1, &end);
        sum += last - first + 1;
        if (*end != ',')
            return sum;
    }
    char *end;
    double value = strtod(text, &end);
    return *end == 'K' ? value * 1024 : *end == 'M' ? value * 1048576 : value;
}

static void find_caches(Calibration *c) {
    for (int index = 0; index < 8; index++) {
        int level = (int)cache_number(index, "level", false);
        char path[128], type[32] = "";
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
        FILE *file = fopen(path, "r");
        bool is_data = file && fgets(type, sizeof type, file) && type[0] != 'I';
        if (file)
            fclose(file);
        double bytes = cache_number(index, "size", false);
        double sharers = cache_number(index, "shared_cpu_list", true);
        if (!is_data || level < 1 || level > CACHE_LEVELS || bytes < 4096)
            continue;
        c->machine.cache_bytes[level - 1] = bytes / fmax(1, sharers);
        double line = cache_number(index, "coherency_line_size", false);
        if (line >= 16)
            c->machine.line_bytes = line;
    }
    for (int level = 1; level < CACHE_LEVELS; level++)
        c->machine.cache_bytes[level] =
            fmax(c->machine.cache_bytes[level], c->machine.cache_bytes[level - 1]);
}

/* The time of a sum over so many bytes, in as many parts as there are threads. */
static double stream(Calibration *c, double bytes, int parts) {
    double rows = fmax(1, floor(bytes / ROW_BYTES / parts));
    return measure(c, "stream",
                   arena_format(c->h->scratch, "constant:1:%dx%.0fx%d", ROW_BYTES / 4, rows, parts),
                   NULL);
}

static void find_bandwidth(Calibration *c) {
    const double *cache = c->machine.cache_bytes;
    int threads = c->threads;
    hlc_set_thread_count(1);
    for (int level = 0; level + 1 < CACHE_LEVELS; level++) {
        double bytes = cache[level + 1] / 2;
        if (bytes < 2 * cache[level])
            continue;
        double time = stream(c, bytes, 1);
        set(&c->machine.bytes_per_cycle[level], bytes / time * c->cycle, LARGEST_CHANGE);
    }
    double bytes = fmin(fmax(4 * cache[CACHE_LEVELS - 1] * threads, LEAST_STREAM), MOST_STREAM);
    double one = stream(c, bytes, threads);
    set(&c->machine.bytes_per_cycle[CACHE_LEVELS - 1], bytes / one * c->cycle, LARGEST_CHANGE);
    hlc_set_thread_count(threads);
    double all = stream(c, bytes, threads);
    if (one > 0 && all > 0 && threads > 1)
        c->machine.memory_sharing = machine_rounded(fmin(fmax(one / all, 1), threads));
}

static void find_tasks(Calibration *c) {
    int threads = c->threads;
    if (threads < 2)
        return;
    hlc_set_thread_count(1);
    double serial = measure(c, "tasks", NULL, "2");
    hlc_set_thread_count(threads);
    double two = measure(c, "tasks", NULL, "2");
    double many = measure(c, "tasks", NULL, number(c, LONG_LOOP));
    set(&c->machine.dispatch_cycles, (two - serial) / c->cycle, LARGEST_CHANGE);
    set(&c->machine.task_cycles, (many - two) / c->cycle / ((double)LONG_LOOP / threads),
        LARGEST_CHANGE);
}

/* ---- the whole ---- */

static hlc_status calibrate(hlc *h, void *data) {
    FILE *out = data;
    Calibration *c = arena_new(h->scratch, Calibration);
    char text[200];
    hlc_describe(text, sizeof text);
    const char *host = strstr(text, "host ");
    *c = (Calibration){.h = h,
                       .probes = hlc_create(),
                       .machine = machine_of_targets(host ? host + 5 : NULL),
                       .all = 18,
                       .end = now() + LONGEST,
                       .threads = hlc_thread_count()};
    hlc_status status = c->probes ? load_probes(c) : HLC_WORLD;
    if (status == HLC_YES) {
        find_clock(c);
        status = c->cycle > 0 ? HLC_YES : HLC_WORLD;
    }
    if (status == HLC_YES) {
        find_caches(c);
        find_operators(c);
        find_bandwidth(c);
        find_tasks(c);
        hlc_set_thread_count(c->threads);
    } else {
        diag(h->context, DIAG_MACHINE_UNMEASURED, NOWHERE,
             c->probes && hlc_diagnostic_count(c->probes) ? hlc_diagnostic_at(c->probes, 0).message
                                                          : "there is not enough memory");
    }
    if (c->probes)
        hlc_destroy(c->probes);
    if (status != HLC_YES)
        return HLC_WORLD;
    Machine *kept = arena_new(h->arena, Machine);
    *kept = c->machine;
    h->machine = kept;
    if (out)
        machine_print(kept, out);
    return HLC_YES;
}

hlc_status hlc_calibrate(hlc *h, FILE *out) {
    return compiler_enter(h, calibrate, out);
}

/* serve.c -- a child of bench.py: the images of a kernel, and the commands of kernel.h. */
#include "bench/kernel.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_RUNS = 3, MOST_RUNS = 4096 };

const Kernel *kernel_find(const char *name) {
    for (int i = 0; i < kernel_count; i++)
        if (!strcmp(kernels[i].name, name))
            return &kernels[i];
    return NULL;
}

static double milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

double kernel_processor_ms(void) {
    return milliseconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- images ---- */

static size_t elements(const KernelImage *image) {
    size_t count = 1;
    for (int i = 0; i < image->dimensions; i++)
        count *= (size_t)image->extent[i];
    return count;
}

static void put(const KernelImage *image, void *data, size_t i, double value) {
    if (image->code == 2)
        ((float *)data)[i] = (float)value;
    else if (image->bits == 8)
        ((uint8_t *)data)[i] = (uint8_t)value;
    else if (image->bits == 16)
        ((uint16_t *)data)[i] = (uint16_t)value;
    else
        ((int32_t *)data)[i] = (int32_t)value;
}

static void fill(const KernelImage *image, void *data) {
    uint64_t random = 88172645463325252u;
    size_t width = (size_t)image->extent[0], height = (size_t)image->extent[1];
    for (size_t i = 0, n = elements(image); i < n; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t x = i % width, y = i / width % (height ? height : 1),
               c = height ? i / width / height : 0;
        switch (image->fill) {
        case FILL_NONE:
            break;
        case FILL_RANDOM: {
            uint64_t range = (uint64_t)(image->high - image->low + 1);
            put(image, data, i, (image->low + (int)((random >> 20) % range)) * image->scale);
            break;
        }
        case FILL_ODD: {
            int64_t range = image->high - image->low + 1;
            int64_t value = image->low + (int64_t)(random >> 20) % range;
            put(image, data, i, (double)((value & ~(int64_t)1) + (i % 9 % 4 == 0)));
            break;
        }
        case FILL_WAVES: {
            double wave = sin((double)x * 0.01 + (double)c) * cos((double)y * 0.013);
            put(image, data, i, 0.5 + 0.4 * wave + (double)((random >> 20) % 1000) * 1e-4);
            break;
        }
        case FILL_BELL:
            put(image, data, i,
                (double)(((random >> 24 & 255) + (random >> 48 & 255) + x / 16 % 256) / 3));
            break;
        }
    }
}

static uint8_t *make(const KernelImage *image, size_t bytes) {
    uint8_t *data = aligned_alloc(4096, bytes);
    if (!data)
        abort();
    memset(data, 0, bytes);
    fill(image, data);
    return data;
}

/* Returns null if the file does not exist. */
static uint8_t *map(const char *path, size_t bytes) {
    int file = open(path, O_RDONLY);
    if (file < 0)
        return NULL;
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    return data == MAP_FAILED ? NULL : data;
}

/* Writes the file under another name first, so it appears complete or not at all. */
static bool keep(const char *path, const uint8_t *data, size_t bytes) {
    char other[1100];
    snprintf(other, sizeof other, "%s.%d", path, (int)getpid());
    FILE *file = fopen(other, "wb");
    bool done = file && fwrite(data, 1, bytes, file) == bytes;
    done &= file && !fclose(file);
    if (!done || rename(other, path) != 0) {
        remove(other);
        return false;
    }
    return true;
}

/* Maps the image's memory, `bytes` of it, from a file whose name encodes all its parameters. */
static uint8_t *shared(const KernelImage *image, size_t bytes) {
    const char *folder = getenv("BENCH_IMAGES");
    if (!folder || image->fill == FILL_NONE)
        return make(image, bytes);
    char path[1024];
    const int *extent = image->extent;
    snprintf(path, sizeof path, "%s/%d_%d_%dx%dx%dx%d_%d_%d_%d_%g", folder, image->code,
             image->bits, extent[0], extent[1], extent[2], extent[3], (int)image->fill, image->low,
             image->high, image->scale);
    uint8_t *data = map(path, bytes);
    if (data)
        return data;
    data = make(image, bytes);
    uint8_t *mapped = keep(path, data, bytes) ? map(path, bytes) : NULL;
    if (!mapped)
        return data;
    free(data);
    return mapped;
}

halide_buffer_t **kernel_buffers(const Kernel *kernel) {
    static halide_buffer_t buffers[KERNEL_IMAGES];
    static halide_dimension_t dimensions[KERNEL_IMAGES][KERNEL_DIMENSIONS];
    static halide_buffer_t *pointers[KERNEL_IMAGES];
    if (pointers[0])
        return pointers;
    for (int i = 0; i <= kernel->inputs; i++) {
        const KernelImage *image = &kernel->images[i];
        size_t bytes = elements(image) * image->bits / 8, rounded = (bytes + 4095) / 4096 * 4096;
        uint8_t *data = shared(image, rounded);
        int stride = 1;
        for (int d = 0; d < image->dimensions; d++) {
            dimensions[i][d] = (halide_dimension_t){image->minimum[d], image->extent[d], stride, 0};
            stride *= image->extent[d];
        }
        buffers[i] = (halide_buffer_t){.host = data,
                                       .type = {image->code, image->bits, 1},
                                       .dimensions = image->dimensions,
                                       .dim = dimensions[i]};
        pointers[i] = &buffers[i];
    }
    return pointers;
}

/* ---- commands ---- */

static bool answer_compile(const Kernel *kernel, const Side *side) {
    double lower = 0, all = 0;
    if (!side->compile(kernel, &lower, &all))
        return false;
    printf("{\"lower_ms\": %.3f, \"all_ms\": %.3f}\n", lower, all);
    return true;
}

static bool answer_run(const Kernel *kernel, const Side *side, double budget) {
    const char *threads = getenv("HLC_NUM_THREADS");
    clockid_t clock = threads && !strcmp(threads, "1") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    halide_buffer_t **buffers = kernel_buffers(kernel);
    if (!side->run(kernel, buffers))
        return false;
    double start = milliseconds(CLOCK_MONOTONIC);
    printf("{\"run_ms\": [");
    for (int i = 0; i < MOST_RUNS; i++) {
        if (i >= LEAST_RUNS && milliseconds(CLOCK_MONOTONIC) - start >= budget)
            break;
        double before = milliseconds(clock);
        if (!side->run(kernel, buffers))
            return false;
        printf("%s%.5f", i ? ", " : "", milliseconds(clock) - before);
    }
    printf("]}\n");
    return true;
}

static bool answer_write(const Kernel *kernel, const char *path) {
    const KernelImage *image = &kernel->images[kernel->inputs];
    size_t bytes = elements(image) * image->bits / 8;
    FILE *file = fopen(path, "wb");
    bool done =
        file && fwrite(kernel_buffers(kernel)[kernel->inputs]->host, 1, bytes, file) == bytes;
    done &= file && !fclose(file);
    printf("{\"written\": %s}\n", done ? "true" : "false");
    return done;
}

static double element(const KernelImage *image, const void *data, size_t i) {
    if (image->code == 2)
        return (double)((const float *)data)[i];
    if (image->bits == 8)
        return ((const uint8_t *)data)[i];
    if (image->bits == 16)
        return ((const uint16_t *)data)[i];
    return ((const int32_t *)data)[i];
}

static bool answer_compare(const Kernel *kernel, const char *path) {
    const KernelImage *image = &kernel->images[kernel->inputs];
    size_t count = elements(image), bytes = count * image->bits / 8;
    const void *ours = kernel_buffers(kernel)[kernel->inputs]->host;
    void *theirs = malloc(bytes);
    FILE *file = fopen(path, "rb");
    bool done = theirs && file && fread(theirs, 1, bytes, file) == bytes;
    double worst = 0;
    size_t points = 0;
    for (size_t i = 0; done && i < count; i++) {
        double difference = fabs(element(image, ours, i) - element(image, theirs, i));
        if (!(difference == 0)) /* a NaN differs */
            points++, worst = difference > worst || isnan(difference) ? difference : worst;
    }
    if (done)
        printf("{\"worst\": %g, \"points\": %zu}\n", isnan(worst) ? 1e300 : worst, points);
    if (file)
        fclose(file);
    free(theirs);
    return done;
}

static bool answer(const Kernel *kernel, const Side *side, char *line) {
    char *word = strtok(line, " \n"), *operand = word ? strtok(NULL, " \n") : NULL;
    if (word && !strcmp(word, "compile"))
        return answer_compile(kernel, side);
    if (operand && !strcmp(word, "run"))
        return answer_run(kernel, side, atof(operand));
    if (operand && !strcmp(word, "write"))
        return answer_write(kernel, operand);
    if (operand && !strcmp(word, "compare"))
        return answer_compare(kernel, operand);
    if (word && !strcmp(word, "memory")) {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("{\"memory_mb\": %.1f}\n", (double)usage.ru_maxrss / 1024);
        return true;
    }
    return false;
}

/* The table, a JSON object a line, for bench.py. */
static int list(void) {
    for (const Kernel *k = kernels; k < kernels + kernel_count; k++)
        printf("{\"kernel\": \"%s\", \"file\": \"%s\", \"schedule\": \"%s\", \"size\": \"%s\", "
               "\"task\": \"%s\", \"peer\": %s, \"brief\": %s, \"same_schedule\": %s, "
               "\"bytes\": %g, "
               "\"operations\": %g, \"tolerance\": %g, \"limit\": \"%s\", "
               "\"limit_computes\": %s, \"beside\": \"%s\"}\n",
               k->name, k->file ? k->file : "", k->schedule ? k->schedule : "", k->size,
               k->task ? k->task : k->name, k->alone || k->brief ? "false" : "true",
               k->brief ? "true" : "false",
               k->file && (!k->halide || !strcmp(k->halide, k->name)) && !k->spreads ? "true"
                                                                                     : "false",
               k->bytes, k->operations, k->tolerance, k->limit ? k->limit : "",
               k->limit_computes ? "true" : "false", k->beside ? k->beside : "");
    return 0;
}

int kernel_serve(int argc, char **argv, const Side *side) {
    if (argc == 1)
        return list();
    const Kernel *kernel = argc == 2 ? kernel_find(argv[1]) : NULL;
    if (!kernel) {
        fprintf(stderr,
                "usage: %s KERNEL (a row of bench/kernels.c), with commands on standard input\n",
                argv[0]);
        return 2;
    }
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        if (!answer(kernel, side, line)) {
            fprintf(stderr, "%s %s: a command failed\n", argv[0], kernel->name);
            return 1;
        }
        fflush(stdout);
    }
    return 0;
}

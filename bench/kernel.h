/* kernel.h -- the measured kernels, and the code shared by the child processes of bench.py.
 *
 * A kernel is a row of kernels.c: our pipeline and schedule, the images of both sides, and the
 * quantities to count. A side (ours.c, limits.c, halide/main.cpp) is a program started for one
 * kernel and one number of threads. It reads commands, one a line:
 *
 *     compile        compiles afresh; {"lower_ms": .., "all_ms": ..}; the first is the time
 *                    before LLVM
 *     run MS         runs a warm-up, then for about MS milliseconds; {"run_ms": [..]}
 *     write PATH     writes the output's elements in memory order
 *     compare PATH   {"worst": .., "points": ..}: the largest difference from such a file, and the
 *                    number of points that differ
 *     memory         {"memory_mb": ..}: the peak memory of this process
 *
 * BENCH_IMAGES in the environment names a folder for images. The first process that needs an image
 * makes its file there; all processes map it.
 *
 * The answers are JSON, one a line. With HLC_NUM_THREADS above one, times are wall-clock times;
 * otherwise they are processor times, which other load on the machine disturbs less.
 */
#ifndef HLC_BENCH_KERNEL_H
#define HLC_BENCH_KERNEL_H

#include "runtime/hlc_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_IMAGES = 5, KERNEL_PARAMETERS = 2, KERNEL_DIMENSIONS = 4 };

typedef enum KernelFill {
    FILL_NONE,   /* an output */
    FILL_RANDOM, /* low to high, integers, times scale */
    FILL_ODD,    /* the same, but even, except for the diagonals of 3 by 3 matrices, which are odd:
                    so their products are odd, and never reach 0 */
    FILL_WAVES,  /* a smooth picture in [0, 1] with some noise */
    FILL_BELL    /* u8, bell-shaped and locally smooth */
} KernelFill;

/* Dense, dimension 0 innermost.  `bits` and `code` as in halide_type_t. */
typedef struct KernelImage {
    uint8_t code, bits;
    int dimensions;
    int extent[KERNEL_DIMENSIONS], minimum[KERNEL_DIMENSIONS];
    KernelFill fill;
    int low, high;
    double scale;
} KernelImage;

typedef struct Kernel {
    const char *name, *file, *pipeline, *schedule;
    const char *halide; /* the peer's name; null: the same name */
    bool alone;         /* Halide cannot express it */
    bool brief;         /* accompanies another row: a few runs, without Halide */
    const char *task;   /* the common task of several rows; null: the name */
    const char *size;
    int inputs; /* the images before the one output */
    KernelImage images[KERNEL_IMAGES];
    int parameters; /* i32, written behind the images */
    int32_t values[KERNEL_PARAMETERS];
    double bytes, operations; /* at least moved; done */
    double tolerance;         /* the largest difference allowed between both outputs */
    bool spreads;             /* distribute it even if it is little work (hlc_set_dispatch_work) */
    const char *limit;        /* the measurement of limits.c beside it; null: none */
    bool limit_computes;      /* limits.c also computes the output, which is compared */
    const char *beside;       /* another row of ours with the same result on the same images */
} Kernel;

extern const Kernel kernels[];
extern const int kernel_count;
/* Returns null if there is none. */
const Kernel *kernel_find(const char *name);

/* Returns the kernel's images, aligned to 64 bytes. The first call makes and fills them. */
halide_buffer_t **kernel_buffers(const Kernel *kernel);

/* The operations of a side. `compile` keeps its result for `run`. Both return whether they
 * succeeded. */
typedef struct Side {
    bool (*compile)(const Kernel *kernel, double *lower_ms, double *all_ms);
    bool (*run)(const Kernel *kernel, halide_buffer_t **buffers);
} Side;

double kernel_processor_ms(void);
/* The side's `main`: serves standard input until its end.  Arguments: the kernel's name. */
int kernel_serve(int argc, char **argv, const Side *side);

#ifdef __cplusplus
}
#endif

#endif

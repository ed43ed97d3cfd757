/* kernel.h -- the kernels that are measured, and what the children of bench.py have in common.
 *
 * A kernel is a row of kernels.c: the pipeline and schedule of ours, the images that both sides
 * get, and what there is to be counted.  A side (ours.c, limits.c, halide/main.cpp) is a program
 * that is started for one kernel and one number of threads, and then does what it is told, line by
 * line:
 *
 *     compile        compiles afresh; {"lower_ms": .., "all_ms": ..}, of which the first is all
 *                    before LLVM
 *     run MS         runs once uncounted, then for about MS milliseconds; {"run_ms": [..]}
 *     write PATH     writes the output's elements, as they lie in memory
 *     compare PATH   {"worst": .., "points": ..}: the largest difference from such a file, and how
 *                    many differ
 *     memory         {"memory_mb": ..}: the most memory that this process has held
 *
 * With BENCH_IMAGES in the environment, a folder, each image that is read is made once, by the
 * first process that asks for it, as a file there; all map it.
 *
 * The answers are JSON, one a line.  Times are of the wall where HLC_NUM_THREADS says more than one
 * thread, and else the processor's, so that what else the machine does disturbs them less.
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
    FILL_ODD,    /* the same, of which the diagonals of matrices of 3 by 3 are odd and all else is
                    even: so their products are, and do not come to 0 */
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
    const char *halide; /* the peer that is compared with; null: that of the same name */
    bool alone;         /* Halide cannot say it */
    bool brief;         /* it stands beside another row: a few runs, without Halide */
    const char *task;   /* what several rows do, in several ways; null: the name */
    const char *size;
    int inputs; /* the images before the one output */
    KernelImage images[KERNEL_IMAGES];
    int parameters; /* i32, written behind the images */
    int32_t values[KERNEL_PARAMETERS];
    double bytes, operations; /* at least moved; done */
    double tolerance;         /* the most that outputs of both sides may differ */
    bool spreads;             /* by us also where it is too little work (hlc_set_dispatch_work) */
    const char *limit;        /* what limits.c measures beside it; null: nothing */
    bool limit_computes;      /* the output, too, which is compared */
    const char *beside;       /* another row, of ours, that computes the same of the same images */
} Kernel;

extern const Kernel kernels[];
extern const int kernel_count;
/* Null where there is none. */
const Kernel *kernel_find(const char *name);

/* The kernel's images: memory aligned to 64 bytes, made and filled by the first call. */
halide_buffer_t **kernel_buffers(const Kernel *kernel);

/* What a side does; `compile` leaves what the last one made to be run.  Both answer whether they
 * could. */
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

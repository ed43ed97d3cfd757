/* machine.h -- the figures of a machine that the model computes with.
 *
 * Those of the typical machine are a common x86 server core's with 32-byte vectors (Zen 2 and later,
 * Haswell and later). A schedule is chosen by their ratios, so rough figures suffice. Each target of
 * code generation has defaults, which differ from the typical machine's where its vectors do. The text
 * of a machine names figures that differ further: `hlc machine` measures them. The choice depends on
 * that text alone. Times are in cycles of one core.
 */
#ifndef HLC_AUTOSCHEDULE_MACHINE_H
#define HLC_AUTOSCHEDULE_MACHINE_H

#include "base/memory.h"

#include <stdio.h>

/* The caches, the nearest first. Behind the last one is memory. */
enum { CACHE_LEVELS = 3 };

/* What operators have in common: the ports that they need. */
typedef enum OperatorClass {
    CLASS_ADDITION,
    CLASS_MULTIPLICATION,
    CLASS_DIVISION,
    CLASS_CONVERSION,
    CLASS_FUNCTION,
    OPERATOR_CLASSES
} OperatorClass;

typedef struct Machine {
    double vector_bytes;
    double registers;                 /* vector registers that accumulators may take */
    double cache_bytes[CACHE_LEVELS]; /* one thread's share */
    double line_bytes;
    double bytes_per_cycle[CACHE_LEVELS]; /* into each cache, from the one behind it, one thread */
    double memory_sharing; /* how many threads it takes to use all of memory's bandwidth */
    double usable;         /* the share of a cache that a working set may fill */
    double issue;          /* instructions a cycle */
    double loop_cycles;    /* of one iteration of a loop: counter and jump */
    double row_cycles;     /* of a row of vectors, beside its vectors */
    double masked,
        masked_small;    /* of a lane of the last vector, of elements of at least 4 bytes or less */
    double guard_cycles; /* of a guard in the copies of an unrolled loop, for each vector */
    double dispatch_cycles;   /* of a parallel loop: waking the threads, and waiting for them */
    double task_cycles;       /* of each iteration of a parallel loop */
    double allocation_cycles; /* of memory from the run-time library */
    double integer_latency, float_latency; /* of an addition */
    double memory_latency;                 /* of a value from its store to the load that needs it */
    double gather_cycles;                  /* of one lane of a read at unrelated places */
    double scatter_cycles;                 /* of one lane of a write at unrelated places */
    double operators[OPERATOR_CLASSES][2]; /* factors of cycles.def, on integers and on floats */
} Machine;

const Machine *machine_typical(void);
/* The defaults for code that is made for these targets, names with commas between: those of the target
 * that needs most. Of an unknown name, "host" or null: the typical machine's. */
Machine machine_of_targets(const char *targets);
/* Reads lines `NAME FIGURE`; `#` begins a comment. What the text does not name stays as it is. Returns
 * null, or else what is wrong, in the arena, and sets `*line`. */
const char *machine_from_text(const char *text, Machine *machine, int *line, Arena *arena);
/* Prints text that can be read back, or JSON. */
void machine_print(const Machine *machine, FILE *out);
void machine_print_json(const Machine *machine, FILE *out);
/* The nearest power of 1.05, in four digits, so that small changes of a measured figure change nothing. */
double machine_rounded(double figure);

#endif

/* machine.h -- the figures of a machine that the model computes with.
 *
 * They are those of a common x86 server core with 32-byte vectors (Zen 2 and later, Haswell and
 * later).  A schedule is chosen by their ratios, so rough figures suffice; the choice depends on
 * nothing that is measured, and is the same everywhere.  Times are in cycles of one core.
 */
#ifndef HLC_AUTOSCHEDULE_MACHINE_H
#define HLC_AUTOSCHEDULE_MACHINE_H

/* The caches, the nearest first. Behind the last one is memory. */
enum { CACHE_LEVELS = 3 };

typedef struct Machine {
    int vector_bytes;
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
} Machine;

const Machine *machine_typical(void);

#endif

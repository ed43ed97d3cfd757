/* machine.c -- the typical machine. */
#include "autoschedule/machine.h"

static const Machine TYPICAL = {
    .vector_bytes = 32,
    .registers = 14,
    .cache_bytes = {32 << 10, 512 << 10, 8 << 20},
    .line_bytes = 64,
    .bytes_per_cycle = {32, 14, 4},
    .memory_sharing = 1.6,
    .usable = 0.7,
    .issue = 4,
    .loop_cycles = 1,
    .row_cycles = 60,
    .masked = 1,
    .masked_small = 4,
    .guard_cycles = 3,
    .dispatch_cycles = 9000,
    .task_cycles = 300,
    .allocation_cycles = 120,
    .integer_latency = 1,
    .float_latency = 4,
    .memory_latency = 5,
    .gather_cycles = 1.6,
    .scatter_cycles = 2,
};

const Machine *machine_typical(void) {
    return &TYPICAL;
}

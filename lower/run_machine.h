/* run_machine.h -- the state of the target interpreter (private to run*.c).
 *
 *   run.c         the machine: instructions, operators, loops, failures
 *   run_memory.c  what funcs hold: allocating, reading, writing, races, the output's window
 */
#ifndef HLC_LOWER_RUN_MACHINE_H
#define HLC_LOWER_RUN_MACHINE_H

#include "lower/run.h"
#include "lower/run_code.h"

/* A func's memory while its allocate statement is in scope. */
typedef struct FuncMemory {
    const FuncShape *shape;
    bool live;
    int64_t minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], stride[MAX_DIMENSIONS];
    bool computing; /* inside its compute statement, whose bounds are */
    int64_t compute_minimum[MAX_DIMENSIONS], compute_length[MAX_DIMENSIONS];
    size_t cells, capacity; /* of each component */
    Bits *bits;             /* components one after another, `cells` apart */
    uint8_t *shadows;       /* likewise */
    uint32_t *writers;      /* likewise: the iteration of `Machine.iteration` */
    int first_output;       /* its first image among the outputs, or -1 */
} FuncMemory;

typedef struct LoopState {
    int64_t minimum, length, done;
    const Stmt *stmt;
    uint32_t first_iteration; /* of an outermost parallel loop: the number of its first */
} LoopState;

typedef struct Machine {
    const Signature *signature;
    Arena *arena;
    const RunProgram *code;
    const Arguments *arguments;
    RunOptions options;
    Bits *bits;       /* by register */
    uint8_t *shadows; /* by register */
    FuncMemory *funcs;
    LoopState *loops;
    LoopState *parallel; /* the outermost parallel or vectorized loop that runs; null: none */
    uint32_t iteration;  /* of it: numbered through the whole run from 1; 0 outside */
    uint32_t iterations; /* numbers given out */
    uint64_t random, steps;
    Outcome outcome;
} Machine;

/* ---- run.c ---- */

/* The run ends with this error.  Always false. */
bool machine_fail(Machine *machine, int error, const char *subject, const int64_t *numbers,
                  int count);
/* The run ends with an internal error: what must never happen, in words, in the statement. */
bool machine_broken(Machine *machine, const Stmt *stmt, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Is no argument of the first `count` shadowed?  `what` says what would depend on unwritten memory.
 */
bool machine_written(Machine *machine, const Instruction *instruction, int count, const char *what);

static inline int argument_register(const Machine *machine, const Instruction *instruction, int i) {
    return machine->code->arguments.data[instruction->first + i];
}

static inline Bits argument(const Machine *machine, const Instruction *instruction, int i) {
    return machine->bits[argument_register(machine, instruction, i)];
}

/* ---- run_memory.c: each executes one instruction; false at an error ---- */

bool cells_allocate(Machine *machine, const Instruction *instruction);
bool cells_release(Machine *machine, const Instruction *instruction);
bool cells_set_bounds(Machine *machine, const Instruction *instruction);
bool cells_read(Machine *machine, const Instruction *instruction);
bool cells_read_image(Machine *machine, const Instruction *instruction);
bool cells_store(Machine *machine, const Instruction *instruction);

#endif

/* run_machine.h -- the state of the target interpreter (private to run*.c).
 *
 *   run.c         the machine: instructions, operators, loops, failures
 *   run_memory.c  what funcs hold: allocating, reading, writing, the output's window
 *   run_thread.c  iterations that run side by side, and which of them goes on
 *   run_race.c    which accesses have no order between them
 */
#ifndef HLC_LOWER_RUN_MACHINE_H
#define HLC_LOWER_RUN_MACHINE_H

#include "ir/value.h"
#include "lower/run.h"
#include "lower/run_code.h"

/* ---- iterations, as races see them --------------------------------------------------------------
 *
 * A task is one iteration of an unordered loop, or (number 0) what runs outside of all of them.
 * Tasks form a tree.  Numbers are given out in order and not twice. */

typedef struct Task {
    uint32_t parent; /* 0 at the top */
    uint32_t depth;  /* 1 at the top */
    uint32_t fork;   /* the run of its loop, by number */
    const Stmt *loop;
    int64_t variable;
} Task;

/* Of those tasks that read (or wrote) a cell and that a later access can race with, two that part
 * as far outside as any: where it races with one of them all, it races with one of these. */
typedef struct Accesses {
    uint32_t task[2]; /* 0: none */
    uint32_t where[2];
} Accesses;

/* ---- memory ---- */

/* Each array has one element a cell, the components' cells one after another. */
typedef struct FuncMemory {
    int64_t minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], stride[MAX_DIMENSIONS];
    size_t cells, capacity; /* of each component; of the arrays */
    Bits *bits;
    uint8_t *shadows, *errors;   /* errors: null in the total reading */
    Accesses *writers, *readers; /* of tasks inside the owner; null where no loop is unordered */
    Accesses *updaters;          /* likewise: those of atomic stores; null where there are none */
    uint8_t *varied;             /* likewise: how deep in the tree they wrote several values */
    uint32_t owner;              /* the task that allocated it: its own accesses have an order */
    const uint8_t *table; /* null, or what the cells were filled with: nothing writes there */
} FuncMemory;

/* A func as a thread sees it. */
typedef struct FuncView {
    FuncMemory *memory; /* null outside the scope of its allocate statement */
    FuncMemory own;     /* what this thread allocated last */
    bool computing;     /* inside its compute statement, whose bounds are */
    int64_t compute_minimum[MAX_DIMENSIONS], compute_length[MAX_DIMENSIONS];
} FuncView;

/* ---- threads ---- */

typedef struct LoopState {
    int64_t minimum, length, done;
    uint32_t fork; /* of an unordered loop: this run of it */
    uint32_t task; /* the one that it runs in */
} LoopState;

typedef struct Thread Thread;

/* An unordered loop that runs some of its iterations at a time. */
typedef struct Fork {
    const Instruction *loop;
    LoopState state;
    uint64_t first, stride;  /* iteration k of those started is (first + k*stride) % length */
    uint64_t started, alive; /* iterations */
    Thread *parent;          /* waits for all of them */
} Fork;

struct Thread {
    size_t pc;
    Bits *bits;                /* by register */
    uint8_t *shadows, *errors; /* by register */
    FuncView *funcs;
    LoopState *loops;
    uint32_t task;
    Fork *fork; /* whose iteration it runs; null: the program */
    Fork waits; /* the one that it waits for, if it cannot run */
    Thread *next_free;
};

typedef struct Machine {
    const Signature *signature;
    Context *context;
    Arena *arena;
    const RunProgram *code;
    const Arguments *arguments;
    RunOptions options;
    FuncShape *const *shapes; /* of the funcs, by number */
    int *first_outputs;       /* likewise: the func's first image among the outputs, or -1 */
    bool *served;             /* likewise: has its window been copied out? */
    Thread *thread;           /* the one that runs */
    Vec(Thread *) runnable;   /* it and those that could run instead */
    Thread *free_threads;
    bool yields;     /* another thread's turn */
    Vec(Task) tasks; /* the first stands for number `past`, which is before all others */
    uint32_t past, forks;
    uint64_t random, choices, steps;
    Outcome outcome;
} Machine;

/* ---- run.c ---- */

/* The run ends with this error.  Always false. */
bool machine_fail(Machine *machine, int error, const char *subject, const int64_t *numbers,
                  int count);
/* The run ends with an internal error: what must never happen, in words, in the statement. */
bool machine_broken(Machine *machine, const Stmt *stmt, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "the store to g in stage 1 (line 12)" */
const char *machine_describe(Machine *machine, const Stmt *stmt);
/* Is no argument of the first `count` shadowed or an error?  `what` says what would depend on it.
 */
bool machine_settled(Machine *machine, const Instruction *instruction, int count, const char *what);
/* Is none shadowed? */
bool machine_written(Machine *machine, const Instruction *instruction, int count, const char *what);
/* The greatest error among the first `count` arguments. */
uint8_t machine_error(const Machine *machine, const Instruction *instruction, int count);
/* Sets the thread's registers to what they hold at the start. */
void machine_start_registers(Machine *machine, Thread *thread);
/* splitmix64 */
uint64_t machine_random(uint64_t *state);

static inline int argument_register(const Machine *machine, const Instruction *instruction, int i) {
    return machine->code->arguments.data[instruction->first + i];
}

static inline Bits argument(const Machine *machine, const Instruction *instruction, int i) {
    return machine->thread->bits[argument_register(machine, instruction, i)];
}

/* ---- run_memory.c: each executes one instruction; false at an error ---- */

bool cells_allocate(Machine *machine, const Instruction *instruction);
bool cells_release(Machine *machine, const Instruction *instruction);
bool cells_set_bounds(Machine *machine, const Instruction *instruction);
/* At the program's end: an output that was never allocated has a window without points. */
bool cells_end(Machine *machine);
bool cells_read(Machine *machine, const Instruction *instruction);
bool cells_read_image(Machine *machine, const Instruction *instruction);
bool cells_store(Machine *machine, const Instruction *instruction);

/* ---- run_thread.c ---- */

/* A thread that can run, with the registers' start values. */
Thread *thread_create(Machine *machine);
/* The thread that runs waits until all iterations of the loop, of which there are several, have
 * run.  False at an error. */
bool thread_fork(Machine *machine, const Instruction *loop, const LoopState *state);
/* The thread that runs is at the end of its iteration. */
bool thread_finish(Machine *machine);
/* Another thread's turn: sets `machine->thread`.  How many instructions it may run. */
uint64_t thread_choose(Machine *machine);
/* Is it amid an atomic store, and may not be stopped? */
bool thread_is_held(const Machine *machine);

/* ---- run_race.c ---- */

/* The number of a new iteration of the loop; false, after failing, where none is left. */
bool task_create(Machine *machine, const Stmt *loop, const LoopState *state, int64_t variable,
                 uint32_t *task);
/* What `task` waited for is done: at the top, all tasks are before whatever comes. */
void task_join(Machine *machine, uint32_t task);
/* Has an iteration written the cell that has no order with the one that runs? */
bool race_is_open(const Machine *machine, const FuncMemory *memory, size_t cell);
/* The thread that runs reads the cell, or writes to it what is (or is not) the value that it has.
 * False after failing. */
bool race_read(Machine *machine, const Instruction *instruction, FuncMemory *memory, size_t cell);
bool race_write(Machine *machine, const Instruction *instruction, FuncMemory *memory, size_t cell,
                bool changes);
/* It reads the cell and writes it, in one step. */
bool race_update(Machine *machine, const Instruction *instruction, FuncMemory *memory, size_t cell);

#endif

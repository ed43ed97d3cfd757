/* machine.h -- the state of the target interpreter (private to it and to run*.c).
 *
 *   machine.c   instructions, operators, loops
 *   memory.c    the memory of funcs: allocating, reading, writing, the output's window
 *   failure.c   how a run ends early
 *   poison.c    what unwritten memory may decide, before compiled code runs
 */
#ifndef HLC_IR_INTERPRET_MACHINE_H
#define HLC_IR_INTERPRET_MACHINE_H

#include "ir/value.h"
#include "ir/interpret/interpret.h"

/* ---- memory ---- */

/* Each array has one element a cell, the components' cells one after another. */
typedef struct FuncMemory {
    int64_t minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], stride[MAX_DIMENSIONS];
    size_t cells, capacity; /* of each component; of the arrays */
    Bits *bits;
    uint8_t *shadows, *errors;   /* errors: null in the total reading */
    struct CellHistory *history; /* of the cells, if there are RunChecks; else null */
    const uint8_t *table; /* null, or the constant contents of the cells, which are never written */
} FuncMemory;

/* A func from the view of one thread. */
typedef struct FuncView {
    FuncMemory *memory; /* null outside the scope of its allocate statement */
    FuncMemory own;     /* this thread's last allocation */
    bool computing;     /* inside its compute statement, whose bounds are */
    int64_t compute_minimum[MAX_DIMENSIONS], compute_length[MAX_DIMENSIONS];
} FuncView;

/* ---- threads ---- */

typedef struct LoopState {
    int64_t minimum, length, done;
    uint32_t fork; /* of an unordered loop under RunChecks: the number of this run */
    uint32_t task; /* likewise: the task in which it runs */
} LoopState;

typedef struct RunThread {
    size_t pc;
    Bits *bits;                /* by register */
    uint8_t *shadows, *errors; /* by register */
    FuncView *funcs;
    LoopState *loops;
} RunThread;

typedef struct RunMachine {
    const Signature *signature;
    Context *context;
    Arena *arena;
    const RunProgram *code;
    const struct RunChecks *checks; /* null: none */
    const Arguments *arguments;
    RunOptions options;
    FuncShape *const *shapes; /* of the funcs, by number */
    int *first_outputs;       /* likewise: the func's first image among the outputs, or -1 */
    bool *served;             /* likewise: has its window been copied out? */
    RunThread *thread;        /* the one that runs */
    bool yields;              /* another thread's turn */
    const size_t *producers;  /* by register: the instruction that sets it; null: no first look */
    uint64_t random, steps, instructions;
    Outcome outcome;
} RunMachine;

/* The hooks of a checker for iterations of unordered loops (parallel and vectorized ones), and for
 * accesses from them. Each function returns false after failing. */
typedef struct RunChecks {
    /* A loop with iterations starts; `pc` is at its body. */
    bool (*start_loop)(RunMachine *machine, const RunInstruction *loop, LoopState *state);
    /* An iteration has ended; `pc` is at RUN_NEXT. */
    bool (*next_iteration)(RunMachine *machine, const RunInstruction *next, LoopState *state);
    /* The current thread has allocated the memory, and cleared `fresh` cells of it. */
    void (*allocate)(const RunMachine *machine, FuncMemory *memory, size_t fresh);
    /* Has an iteration that is unordered with the current one written the cell? */
    bool (*is_open)(const RunMachine *machine, const FuncMemory *memory, size_t cell);
    /* The current thread reads the cell, or writes a value to it, which may equal the old one. */
    bool (*read)(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                 size_t cell);
    bool (*write)(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                  size_t cell, bool changes);
} RunChecks;

/* The most bytes that a checker remembers of one cell: they count against the memory limit in each
 * run, so the limit does not depend on the caller. */
enum { MOST_HISTORY_BYTES = 33 };

/* ---- machine.c ---- */

/* A machine without a thread that runs. */
void machine_create(RunMachine *machine, const Program *program, Arena *arena,
                    const Arguments *arguments, const RunOptions *options);
/* A thread's registers, with what they hold at the start. */
void machine_create_thread(const RunMachine *machine, RunThread *thread);
/* Runs the thread for so many instructions, or until it yields.  False at an error, and at the end
 * of the program. */
bool machine_run(RunMachine *machine, uint64_t turn);

/* ---- failure.c ---- */

/* The run ends with this error.  Always false. */
bool machine_fail(RunMachine *machine, int error, const char *subject, const int64_t *numbers,
                  int count);
/* The run ends with an internal error: what must never happen, in words, in the statement. */
bool machine_broken(RunMachine *machine, const Stmt *stmt, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "the store to g in stage 1 (line 12)" */
const char *machine_describe(RunMachine *machine, const Stmt *stmt);
/* Is none of the first `count` arguments shadowed or an error?  `what` would depend on them. */
bool machine_settled(RunMachine *machine, const RunInstruction *instruction, int count,
                     const char *what);
/* Is none shadowed? */
bool machine_written(RunMachine *machine, const RunInstruction *instruction, int count,
                     const char *what);
/* The greatest error among the first `count` arguments. */
uint8_t machine_error(const RunMachine *machine, const RunInstruction *instruction, int count);
static inline int argument_register(const RunMachine *machine, const RunInstruction *instruction,
                                    int i) {
    return machine->code->arguments.data[instruction->first + i];
}

static inline Bits argument(const RunMachine *machine, const RunInstruction *instruction, int i) {
    return machine->thread->bits[argument_register(machine, instruction, i)];
}

/* ---- poison.c: of a first look ---- */

/* By register: the instruction that sets it; of a loop's variable, any. */
const size_t *poison_producers(const RunProgram *code, Arena *arena);
/* Index k of the access depends on memory never written.  Does it lie in the interval all the same,
 * whatever the memory holds?  False after failing. */
bool poison_index(RunMachine *machine, const RunInstruction *access, const char *name, int k,
                  int64_t minimum, int64_t length);

/* ---- memory.c: each executes one instruction; false at an error ---- */

bool cells_allocate(RunMachine *machine, const RunInstruction *instruction);
bool cells_release(RunMachine *machine, const RunInstruction *instruction);
bool cells_set_bounds(RunMachine *machine, const RunInstruction *instruction);
/* At the program's end: an output that was never allocated has a window without points. */
bool cells_end(RunMachine *machine);
bool cells_read(RunMachine *machine, const RunInstruction *instruction);
bool cells_read_image(RunMachine *machine, const RunInstruction *instruction);
bool cells_store(RunMachine *machine, const RunInstruction *instruction);
/* splitmix64: the contents of fresh memory. */
uint64_t machine_random(uint64_t *state);

#endif

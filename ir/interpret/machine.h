/* machine.h -- the state of the target interpreter (private to it and to run*.c).
 *
 *   machine.c   instructions, operators, loops
 *   extern.c    calls of C functions
 *   memory.c    the memory of funcs: allocating, reading, writing, the output's window
 *   failure.c   how a run ends early
 *   poison.c    which decisions may depend on unwritten memory, before compiled code runs
 */
#ifndef HLC_IR_INTERPRET_MACHINE_H
#define HLC_IR_INTERPRET_MACHINE_H

#include "ir/value.h"
#include "ir/interpret/interpret.h"

/* ---- memory ---- */

/* Each array has one element for each cell. The components' cells follow one another. */
typedef struct FuncMemory {
    int64_t minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], stride[MAX_DIMENSIONS];
    size_t cells, capacity; /* `cells`: of each component; `capacity`: of each array */
    Bits *bits;
    uint8_t *shadows, *errors;   /* errors: null in the total reading */
    struct CellHistory *history; /* of each cell, under RunChecks; else null */
    const uint8_t *table;        /* constant contents, which are never written; or null */
} FuncMemory;

/* One thread's view of a func. */
typedef struct FuncView {
    FuncMemory *memory; /* null outside the scope of its allocation */
    FuncMemory own;     /* this thread's last allocation of the func */
    bool computing;     /* true inside its compute statement; then its bounds are */
    int64_t compute_minimum[MAX_DIMENSIONS], compute_length[MAX_DIMENSIONS];
} FuncView;

/* ---- threads ---- */

typedef struct LoopState {
    int64_t minimum, length, done;
    uint32_t fork; /* for an unordered loop under RunChecks: the number of this run */
    uint32_t task; /* likewise: the task that runs the loop */
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
    const struct RunChecks *checks; /* may be null */
    const Arguments *arguments;
    RunOptions options;
    FuncShape *const *shapes; /* of the funcs, by number */
    int *first_outputs;       /* likewise: the func's first image among the outputs, or -1 */
    bool *served;             /* likewise: has its window been copied to the caller? */
    RunThread *thread;        /* the current thread */
    bool yields;              /* set to let another thread run */
    const size_t *producers;  /* by register: the instruction that sets it; null unless
                                 is_first_look */
    uint64_t random, steps, instructions;
    Outcome outcome;
} RunMachine;

/* The hooks of a checker: they observe iterations of unordered loops (parallel and vectorized ones)
 * and accesses. Each bool hook returns false after failing, except is_open. */
typedef struct RunChecks {
    /* A loop with at least one iteration starts. `pc` is at its body. */
    bool (*start_loop)(RunMachine *machine, const RunInstruction *loop, LoopState *state);
    /* An iteration has ended. `pc` is at RUN_NEXT. */
    bool (*next_iteration)(RunMachine *machine, const RunInstruction *next, LoopState *state);
    /* The current thread has allocated the memory. `fresh` of its cells have new contents. */
    void (*allocate)(const RunMachine *machine, FuncMemory *memory, size_t fresh);
    /* Has an iteration that is unordered with the current one written the cell? */
    bool (*is_open)(const RunMachine *machine, const FuncMemory *memory, size_t cell);
    /* The current thread reads the cell, or writes it. `changes` is false if the write stores the
     * old value. */
    bool (*read)(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                 size_t cell);
    bool (*write)(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                  size_t cell, bool changes);
} RunChecks;

/* The most bytes that a checker remembers for one cell. Every run counts them against the memory
 * limit, so the limit does not depend on the caller. */
enum { MOST_HISTORY_BYTES = 33 };

/* ---- machine.c ---- */

/* Creates a machine without a current thread. */
void machine_create(RunMachine *machine, const Program *program, Arena *arena,
                    const Arguments *arguments, const RunOptions *options);
/* Creates a thread's registers, with their start values. */
void machine_create_thread(const RunMachine *machine, RunThread *thread);
/* Runs the current thread for `turn` instructions, or until it yields. Returns false at an error
 * and at the end of the program. */
bool machine_run(RunMachine *machine, uint64_t turn);

/* ---- failure.c ---- */

/* Ends the run with this error. Always returns false. */
bool machine_fail(RunMachine *machine, int error, const char *subject, const int64_t *numbers,
                  int count);
/* Ends the run with an internal error. The format describes the event that must never happen. */
bool machine_broken(RunMachine *machine, const Stmt *stmt, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Describes the statement: "the store to g in stage 1 (line 12)". */
const char *machine_describe(RunMachine *machine, const Stmt *stmt);
/* Are the first `count` arguments free of shadows and errors? If not, fails: `what` would depend on
 * them. */
bool machine_settled(RunMachine *machine, const RunInstruction *instruction, int count,
                     const char *what);
/* Are the first `count` arguments free of shadows? Fails if not. */
bool machine_written(RunMachine *machine, const RunInstruction *instruction, int count,
                     const char *what);
/* Returns the greatest error among the first `count` arguments. */
uint8_t machine_error(const RunMachine *machine, const RunInstruction *instruction, int count);
static inline int argument_register(const RunMachine *machine, const RunInstruction *instruction,
                                    int i) {
    return machine->code->arguments.data[instruction->first + i];
}

static inline Bits argument(const RunMachine *machine, const RunInstruction *instruction, int i) {
    return machine->thread->bits[argument_register(machine, instruction, i)];
}

/* ---- poison.c: for a first look ---- */

/* By register: an instruction that sets it. A loop's variable has several. */
const size_t *poison_producers(const RunProgram *code, Arena *arena);
/* Index k of the access is shadowed. Does it lie in the interval for all contents of unwritten
 * memory? Returns false after failing. */
bool poison_index(RunMachine *machine, const RunInstruction *access, const char *name, int k,
                  int64_t minimum, int64_t length);

/* ---- memory.c: each function executes one instruction, and returns false at an error ---- */

bool cells_allocate(RunMachine *machine, const RunInstruction *instruction);
bool cells_release(RunMachine *machine, const RunInstruction *instruction);
bool cells_set_bounds(RunMachine *machine, const RunInstruction *instruction);
/* Checks, at the program's end, that an output without an allocation has an empty window. */
bool cells_end(RunMachine *machine);
bool cells_read(RunMachine *machine, const RunInstruction *instruction);
bool cells_read_image(RunMachine *machine, const RunInstruction *instruction);
bool cells_store(RunMachine *machine, const RunInstruction *instruction);
/* extern.c: likewise */
bool machine_extern(RunMachine *machine, const RunInstruction *instruction);
/* Generates the contents of fresh memory (splitmix64). */
uint64_t machine_random(uint64_t *state);

#endif

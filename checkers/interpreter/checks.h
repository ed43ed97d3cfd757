/* run_checks.h -- what the target interpreter as a checker knows beside its core
 * (interpreter_machine.h): threads, and tasks (private to run*.c).
 *
 *   run.c         the table of checks, and turns
 *   run_thread.c  iterations that run side by side, and which of them goes on
 *   run_race.c    which accesses have no order between them
 */
#ifndef HLC_LOWER_RUN_CHECKS_H
#define HLC_LOWER_RUN_CHECKS_H

#include "ir/interpret/machine.h"
#include "checkers/interpreter/run.h"

/* A task is one iteration of an unordered loop, or (number 0) what runs outside of all of them.
 * Tasks form a tree.  Numbers are given out in order and not twice. */
typedef struct IterationTask {
    uint32_t parent; /* 0 at the top */
    uint32_t depth;  /* 1 at the top */
    uint32_t fork;   /* the run of its loop, by number */
    const Stmt *loop;
    int64_t variable;
} IterationTask;

typedef struct CheckedThread CheckedThread;

/* An unordered loop that runs some of its iterations at a time. */
typedef struct Fork {
    const RunInstruction *loop;
    LoopState state;
    uint64_t first, stride;  /* iteration k of those started is (first + k*stride) % length */
    uint64_t started, alive; /* iterations */
    CheckedThread *parent;   /* waits for all of them */
} Fork;

struct CheckedThread {
    RunThread thread; /* first: the core has pointers to it */
    uint32_t task;
    Fork *fork; /* whose iteration it runs; null: the program */
    Fork waits; /* the one that it waits for, if it cannot run */
    CheckedThread *next_free;
};

typedef struct CheckedRun {
    RunMachine machine;            /* first: the core has pointers to it */
    Vec(CheckedThread *) runnable; /* the one that runs and those that could run instead */
    CheckedThread *free_threads;
    Vec(IterationTask) tasks; /* the first stands for number `past`, which is before all others */
    uint32_t past, forks;
    uint64_t choices; /* the state of the draws */
} CheckedRun;

static inline CheckedThread *running_thread(const CheckedRun *run) {
    return (CheckedThread *)run->machine.thread;
}

/* ---- run_thread.c ---- */

/* A thread that can run, with the registers' start values. */
CheckedThread *thread_create(CheckedRun *run);
/* Another thread's turn: sets `machine.thread`.  How many instructions it may run. */
uint64_t thread_choose(CheckedRun *run);
/* Is it amid an atomic store, and may not be stopped? */
bool thread_is_held(const CheckedRun *run);
/* RunChecks. */
bool thread_start_loop(RunMachine *machine, const RunInstruction *instruction, LoopState *loop);
bool thread_next_iteration(RunMachine *machine, const RunInstruction *instruction, LoopState *loop);

/* ---- run_race.c ---- */

/* The number of a new iteration of the loop; false, after failing, where none is left. */
bool task_create(CheckedRun *run, const Stmt *loop, const LoopState *state, int64_t variable,
                 uint32_t *task);
/* What `task` waited for is done: at the top, all tasks are before whatever comes. */
void task_join(CheckedRun *run, uint32_t task);
/* RunChecks. */
void race_allocate(const RunMachine *machine, FuncMemory *memory, size_t fresh);
bool race_is_open(const RunMachine *machine, const FuncMemory *memory, size_t cell);
bool race_read(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
               size_t cell);
bool race_write(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                size_t cell, bool changes);

#endif

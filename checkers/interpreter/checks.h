/* checks.h -- the state of the target interpreter as a checker, beside its core
 * (ir/interpret/machine.h): threads and tasks (private to checkers/interpreter/).
 *
 *   run.c     the table of checks, and turns
 *   thread.c  iterations that run side by side, and the choice of the next one
 *   race.c    accesses without an order between them
 */
#ifndef HLC_CHECKERS_INTERPRETER_CHECKS_H
#define HLC_CHECKERS_INTERPRETER_CHECKS_H

#include "ir/interpret/machine.h"
#include "checkers/interpreter/run.h"

/* A task is one iteration of an unordered loop, or (number 0) everything outside such loops.  Tasks
 * form a tree.  Numbers are given out in order, and each only once. */
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
    Fork *fork; /* the fork whose iteration it runs; null: the program */
    Fork waits; /* the fork that it waits for, if it cannot run */
    CheckedThread *next_free;
};

typedef struct CheckedRun {
    RunMachine machine;            /* first: the core has pointers to it */
    Vec(CheckedThread *) runnable; /* the running one and those that could run instead */
    CheckedThread *free_threads;
    Vec(IterationTask) tasks; /* the first one is number `past`, which is before all others */
    uint32_t past, forks;
    uint64_t choices; /* the state of the draws */
} CheckedRun;

static inline CheckedThread *running_thread(const CheckedRun *run) {
    return (CheckedThread *)run->machine.thread;
}

/* ---- thread.c ---- */

/* Makes a thread that can run, with the registers' start values. */
CheckedThread *thread_create(CheckedRun *run);
/* Gives the turn to another thread: sets `machine.thread`.  Returns the number of instructions that
 * it may run. */
uint64_t thread_choose(CheckedRun *run);
/* Is the thread in the middle of an atomic store, where it may not be stopped? */
bool thread_is_held(const CheckedRun *run);
/* For RunChecks. */
bool thread_start_loop(RunMachine *machine, const RunInstruction *instruction, LoopState *loop);
bool thread_next_iteration(RunMachine *machine, const RunInstruction *instruction, LoopState *loop);

/* ---- race.c ---- */

/* Returns the number of a new iteration of the loop; false, after failing, if no number is left. */
bool task_create(CheckedRun *run, const Stmt *loop, const LoopState *state, int64_t variable,
                 uint32_t *task);
/* Records that the wait of `task` is over.  At the top, all tasks come before later statements. */
void task_join(CheckedRun *run, uint32_t task);
/* For RunChecks. */
void race_allocate(const RunMachine *machine, FuncMemory *memory, size_t fresh);
bool race_is_open(const RunMachine *machine, const FuncMemory *memory, size_t cell);
bool race_read(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
               size_t cell);
bool race_write(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                size_t cell, bool changes);

#endif

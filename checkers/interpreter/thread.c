/* thread.c -- iterations of parallel and vectorized loops that run side by side.
 *
 * In the order RUN_INTERLEAVED such a loop forks: its iterations become threads, and the thread
 * that runs it waits until all have ended.  Forks nest.  A few iterations of a fork are alive at a
 * time (between 2 and MOST_ALIVE, drawn at each fork).  When one ends, another starts, in an order
 * that is drawn, too.  Each turn draws the next thread and the number of its instructions.  An
 * instruction is a node of an expression or a statement.  So a thread may stop between the reads of
 * a store and its write, unless the store is atomic.  All draws come from the seed.
 *
 * A thread has all registers and a view of each func.  It copies from its parent what the body uses
 * (RunLoop): values of registers, and the places of funcs' memory.  Its own allocations are visible
 * to no other thread.
 */
#include "checkers/interpreter/checks.h"

enum { MOST_ALIVE = 8, MANY_THREADS = 64, MOST_INSTRUCTIONS = 12 };

/* Draws a number from 0 to `end` - 1. */
static uint64_t draw(CheckedRun *run, uint64_t end) {
    return machine_random(&run->choices) % end;
}

CheckedThread *thread_create(CheckedRun *run) {
    CheckedThread *thread = run->free_threads;
    if (thread) {
        run->free_threads = thread->next_free;
    } else {
        thread = arena_new(run->machine.arena, CheckedThread);
        machine_create_thread(&run->machine, &thread->thread);
    }
    vec_push(run->machine.arena, &run->runnable, thread);
    return thread;
}

/* The running thread cannot run any longer. */
static void stop_running(CheckedRun *run) {
    size_t at = 0;
    while (run->runnable.data[at] != running_thread(run))
        at++;
    run->runnable.data[at] = run->runnable.data[--run->runnable.length];
    run->machine.yields = true;
}

static bool begin_iteration(CheckedRun *run, CheckedThread *thread, const RunInstruction *loop,
                            const LoopState *state, uint64_t offset) {
    int64_t variable = (int64_t)((uint64_t)state->minimum + offset);
    thread->thread.bits[loop->target] = variable;
    return task_create(run, loop->stmt, state, variable, &thread->task);
}

/* Starts the next iteration of the fork in this thread, which has copied what it needs. */
static bool start_forked(CheckedRun *run, CheckedThread *thread) {
    Fork *fork = thread->fork;
    uint64_t length = (uint64_t)fork->state.length;
    uint64_t offset =
        (uint64_t)((fork->first + (unsigned __int128)fork->stride * fork->started) % length);
    int target = fork->loop->target;
    fork->started++;
    thread->thread.pc = (size_t)(fork->loop - run->machine.code->instructions.data) + 1;
    thread->thread.shadows[target] = thread->thread.errors[target] = 0;
    return begin_iteration(run, thread, fork->loop, &fork->state, offset);
}

static void take_over(const RunLoop *loop, RunThread *thread, const RunThread *parent) {
    for (size_t i = 0; i < loop->registers.length; i++) {
        int reg = loop->registers.data[i];
        thread->bits[reg] = parent->bits[reg];
        thread->shadows[reg] = parent->shadows[reg];
        thread->errors[reg] = parent->errors[reg];
    }
    for (size_t i = 0; i < loop->funcs.length; i++) {
        const FuncView *from = &parent->funcs[loop->funcs.data[i]];
        FuncView *to = &thread->funcs[loop->funcs.data[i]];
        FuncMemory own = to->own;
        *to = *from;
        to->own = own;
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Makes the running thread wait until all iterations of the loop, of which there are several, have
 * run.  False at an error. */
static bool fork_loop(CheckedRun *run, const RunInstruction *loop, const LoopState *state) {
    uint64_t length = (uint64_t)state->length;
    CheckedThread *parent = running_thread(run);
    Fork *fork = &parent->waits;
    *fork = (Fork){.loop = loop, .state = *state, .first = draw(run, length), .parent = parent};
    do
        fork->stride = 1 + draw(run, length);
    while (common_divisor(fork->stride, length) != 1);
    uint64_t alive = run->runnable.length > MANY_THREADS ? 2 : 2 + draw(run, MOST_ALIVE - 1);
    stop_running(run);
    for (fork->alive = 0; fork->alive < alive && fork->alive < length; fork->alive++) {
        CheckedThread *thread = thread_create(run);
        thread->fork = fork;
        take_over(&run->machine.code->loops.data[loop->object], &thread->thread, &parent->thread);
        if (!start_forked(run, thread))
            return false;
    }
    return true;
}

/* The running thread is at the end of its iteration. */
static bool finish_forked(CheckedRun *run) {
    CheckedThread *thread = running_thread(run);
    Fork *fork = thread->fork;
    run->machine.yields = true;
    if (fork->started < (uint64_t)fork->state.length)
        return start_forked(run, thread);
    stop_running(run);
    thread->next_free = run->free_threads;
    run->free_threads = thread;
    if (--fork->alive > 0)
        return true;
    fork->parent->thread.pc = fork->loop->jump;
    vec_push(run->machine.arena, &run->runnable, fork->parent);
    task_join(run, fork->parent->task);
    return true;
}

/* Starts the next iteration in the running thread. */
static bool start_iteration(CheckedRun *run, const RunInstruction *instruction,
                            const LoopState *loop) {
    int64_t offset =
        run->machine.options.order == RUN_BACKWARD ? loop->length - 1 - loop->done : loop->done;
    return begin_iteration(run, running_thread(run), instruction, loop, (uint64_t)offset);
}

bool thread_start_loop(RunMachine *machine, const RunInstruction *instruction, LoopState *loop) {
    CheckedRun *run = (CheckedRun *)machine;
    loop->task = running_thread(run)->task;
    loop->fork = ++run->forks;
    return loop->length > 1 && machine->options.order == RUN_INTERLEAVED
               ? fork_loop(run, instruction, loop)
               : start_iteration(run, instruction, loop);
}

bool thread_next_iteration(RunMachine *machine, const RunInstruction *instruction,
                           LoopState *loop) {
    CheckedRun *run = (CheckedRun *)machine;
    CheckedThread *thread = running_thread(run);
    if (thread->fork && thread->fork->loop->object == instruction->object)
        return finish_forked(run);
    if (++loop->done < loop->length) {
        thread->thread.pc = instruction->jump;
        return start_iteration(run, instruction, loop);
    }
    thread->thread.pc++;
    thread->task = loop->task;
    task_join(run, loop->task);
    return true;
}

uint64_t thread_choose(CheckedRun *run) {
    size_t count = run->runnable.length;
    hlc_assert(count > 0, "whoever waits, waits for a thread that runs");
    run->machine.thread = &run->runnable.data[count > 1 ? draw(run, count) : 0]->thread;
    return count > 1 ? 1 + draw(run, MOST_INSTRUCTIONS) : UINT64_MAX;
}

/* Within a statement, one instruction follows the other. */
bool thread_is_held(const CheckedRun *run) {
    size_t pc = run->machine.thread->pc;
    const RunInstruction *next = &run->machine.code->instructions.data[pc];
    const Stmt *stmt = next->stmt;
    return pc > 0 && stmt && stmt->kind == STMT_STORE && stmt->store.is_atomic &&
           next[-1].stmt == stmt;
}

/* run_thread.c -- iterations of parallel and vectorized loops that run side by side.
 *
 * Where the order asked for is RUN_INTERLEAVED, such a loop forks: its iterations become threads,
 * and whoever runs it waits until all have ended.  Forks nest.  A few iterations of a fork are
 * alive at a time (between 2 and MOST_ALIVE, drawn at each fork); one that ends makes way for
 * another, in an order that is drawn, too.  Which thread goes on, and for how many instructions, is
 * drawn each time; an instruction is a node of an expression or a statement, so that a thread may
 * be stopped between the reads of a store and its write, unless that is atomic.  All draws come
 * from the seed.
 *
 * A thread has all registers and a view of each func.  It takes over from whoever forked it what
 * the body uses (RunLoop): values of registers, and where the memory of funcs is.  What it
 * allocates itself, nobody else sees.
 */
#include "lower/run_machine.h"

enum { MOST_ALIVE = 8, MANY_THREADS = 64, MOST_INSTRUCTIONS = 12 };

/* From 0 to `end` - 1. */
static uint64_t draw(Machine *machine, uint64_t end) {
    return machine_random(&machine->choices) % end;
}

Thread *thread_create(Machine *machine) {
    Thread *thread = machine->free_threads;
    if (thread) {
        machine->free_threads = thread->next_free;
    } else {
        size_t registers = machine->code->registers.length;
        Arena *arena = machine->arena;
        thread = arena_new(arena, Thread);
        thread->bits = arena_array(arena, Bits, registers);
        thread->shadows = arena_array(arena, uint8_t, registers);
        thread->errors = arena_array(arena, uint8_t, registers);
        thread->funcs = arena_array(arena, FuncView, machine->signature->funcs.length);
        thread->loops = arena_array(arena, LoopState, machine->code->loops.length);
        machine_start_registers(machine, thread);
    }
    vec_push(machine->arena, &machine->runnable, thread);
    return thread;
}

/* The thread that runs can run no longer. */
static void stop_running(Machine *machine) {
    size_t at = 0;
    while (machine->runnable.data[at] != machine->thread)
        at++;
    machine->runnable.data[at] = machine->runnable.data[--machine->runnable.length];
    machine->yields = true;
}

/* The next iteration of the fork, in this thread, which has taken over what it needs. */
static bool start_iteration(Machine *machine, Thread *thread) {
    Fork *fork = thread->fork;
    const LoopState *state = &fork->state;
    uint64_t length = (uint64_t)state->length;
    uint64_t offset =
        (uint64_t)((fork->first + (unsigned __int128)fork->stride * fork->started) % length);
    int64_t variable = (int64_t)((uint64_t)state->minimum + offset);
    int target = fork->loop->target;
    fork->started++;
    thread->pc = (size_t)(fork->loop - machine->code->instructions.data) + 1;
    thread->bits[target] = variable;
    thread->shadows[target] = thread->errors[target] = 0;
    return task_create(machine, fork->loop->stmt, state, variable, &thread->task);
}

static void take_over(const RunLoop *loop, Thread *thread, const Thread *parent) {
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

bool thread_fork(Machine *machine, const Instruction *loop, const LoopState *state) {
    uint64_t length = (uint64_t)state->length;
    Thread *parent = machine->thread;
    Fork *fork = &parent->waits;
    *fork = (Fork){.loop = loop, .state = *state, .first = draw(machine, length), .parent = parent};
    do
        fork->stride = 1 + draw(machine, length);
    while (common_divisor(fork->stride, length) != 1);
    uint64_t alive =
        machine->runnable.length > MANY_THREADS ? 2 : 2 + draw(machine, MOST_ALIVE - 1);
    stop_running(machine);
    for (fork->alive = 0; fork->alive < alive && fork->alive < length; fork->alive++) {
        Thread *thread = thread_create(machine);
        thread->fork = fork;
        take_over(&machine->code->loops.data[loop->object], thread, parent);
        if (!start_iteration(machine, thread))
            return false;
    }
    return true;
}

bool thread_finish(Machine *machine) {
    Thread *thread = machine->thread;
    Fork *fork = thread->fork;
    machine->yields = true;
    if (fork->started < (uint64_t)fork->state.length)
        return start_iteration(machine, thread);
    stop_running(machine);
    thread->next_free = machine->free_threads;
    machine->free_threads = thread;
    if (--fork->alive > 0)
        return true;
    fork->parent->pc = fork->loop->jump;
    vec_push(machine->arena, &machine->runnable, fork->parent);
    task_join(machine, fork->parent->task);
    return true;
}

uint64_t thread_choose(Machine *machine) {
    size_t count = machine->runnable.length;
    hlc_assert(count > 0, "whoever waits, waits for a thread that runs");
    machine->thread = machine->runnable.data[count > 1 ? draw(machine, count) : 0];
    return count > 1 ? 1 + draw(machine, MOST_INSTRUCTIONS) : UINT64_MAX;
}

/* Within a statement, one instruction follows the other. */
bool thread_is_held(const Machine *machine) {
    size_t pc = machine->thread->pc;
    const Instruction *next = &machine->code->instructions.data[pc];
    const Stmt *stmt = next->stmt;
    return pc > 0 && stmt && stmt->kind == STMT_STORE && stmt->store.is_atomic &&
           next[-1].stmt == stmt;
}

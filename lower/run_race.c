/* run_race.c -- accesses between which there is no order.
 *
 * Two iterations of one run of a parallel or vectorized loop may write one cell with equal values
 * only, and one may not read what another writes (semantics.md, section 3).  Anything else is a
 * race, whichever comes first in this run: each access is compared with those before it, not with
 * what they left behind.
 *
 * Tasks (run_machine.h) form a tree, as the loops nest.  Two tasks have no order where they are
 * inside different iterations of one run of a loop; otherwise one is inside the other, or they are
 * inside two runs of loops of which one has ended before the other began.
 *
 * Of all readers of a cell (and of all writers) only two are kept.  Let t come after a reader a
 * that it has an order with: whatever is going to race with a is going to race with t, so t takes
 * a's place.  Of three without any order, the two are kept that part outermost.  Say a and b part
 * in loop L.  All other readers share the iterations outside of L.  What races with one of them,
 * and parts with it in L or outside of it, parts there with a or with b, too; what parts with it
 * inside of L shares its iteration of L, in which at most one of a and b is.
 *
 * That writes with equal values are no race takes a little more: of an iteration that writes one
 * value and then another, both count.  `varied` says how deep in the tree those who wrote have
 * written several, one after another: a newcomer that parts with them outside of that races, though
 * it writes what is there.
 *
 * Atomic stores are remembered by themselves.  One races with no other of its stage, and with any
 * plain access: as the reads and the writes are kept apart, too, whichever comes last of two that
 * race meets the other, or one that stands for it.  (In a loop all of a func are of one stage, as
 * the verifier has seen.)
 *
 * When a loop at the top ends, its tasks are before all that follows, and are forgotten.
 */
#include "ir/atomic.h"
#include "lower/run_machine.h"

#include <inttypes.h>

/* ---- tasks ---- */

bool task_create(Machine *machine, const Stmt *loop, const LoopState *state, int64_t variable,
                 uint32_t *task) {
    if (machine->past + machine->tasks.length > UINT32_MAX)
        return machine_fail(machine, HLC_ERROR_BUDGET, machine->signature->name->text,
                            (int64_t[]){(int64_t)machine->steps}, 1);
    uint32_t parent = state->task;
    Task made = {.parent = parent, .fork = state->fork, .loop = loop, .variable = variable};
    made.depth = machine->tasks.data[parent ? parent - machine->past : 0].depth + 1;
    *task = machine->past + (uint32_t)machine->tasks.length;
    vec_push(machine->arena, &machine->tasks, made);
    return true;
}

void task_join(Machine *machine, uint32_t task) {
    if (task != 0)
        return;
    machine->past += (uint32_t)machine->tasks.length - 1;
    machine->tasks.length = 1;
}

/* How two tasks stand to each other. */
typedef struct Meeting {
    const Task *one,
        *other;      /* the different iterations that they are in; null: they are in order */
    uint32_t shared; /* how many loops' iterations they share */
} Meeting;

static const Task *task_at(const Machine *machine, uint32_t number) {
    return &machine->tasks.data[number > machine->past ? number - machine->past : 0];
}

static Meeting meet(const Machine *machine, uint32_t one, uint32_t other) {
    const Task *a = task_at(machine, one), *b = task_at(machine, other);
    const Task *below_a = NULL, *below_b = NULL;
    while (a != b) {
        const Task **deeper = a->depth >= b->depth ? &a : &b;
        const Task **below = a->depth >= b->depth ? &below_a : &below_b;
        *below = *deeper;
        *deeper = task_at(machine, (*deeper)->parent);
    }
    Meeting meeting = {.shared = a->depth};
    if (below_a && below_b && below_a->fork == below_b->fork)
        meeting = (Meeting){below_a, below_b, a->depth};
    return meeting;
}

/* ---- accesses ---- */

/* The task has accessed the cell; it has no part in a race with those that did before. */
static void remember(const Machine *machine, Accesses *accesses, uint32_t task, uint32_t where) {
    uint32_t kept[2], places[2];
    int count = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t known = accesses->task[k];
        if (known > machine->past && meet(machine, known, task).one) {
            kept[count] = known;
            places[count++] = accesses->where[k];
        }
    }
    /* Of three, the two that part innermost are as far from the third each. */
    if (count == 2 && meet(machine, kept[0], task).shared >= meet(machine, kept[0], kept[1]).shared)
        return;
    Accesses now = {{task, count ? kept[0] : 0}, {where, count ? places[0] : 0}};
    *accesses = now;
}

static const char *point_text(Machine *machine, const Instruction *instruction) {
    const char *text = "";
    for (int k = 0; k < machine->shapes[instruction->object]->dimensions; k++)
        text = arena_format(machine->arena, "%s%s%" PRId64, text, k ? ", " : "",
                            argument(machine, instruction, k));
    return text;
}

/* The first of `accesses` that has no order with the task that runs, and parts with it outside of
 * `depth`, is reported.  Is there none? */
static bool find_race(Machine *machine, const Instruction *instruction, const Accesses *accesses,
                      uint32_t depth, const char *verb, const char *other_verb) {
    for (int k = 0; k < 2; k++) {
        uint32_t task = accesses->task[k];
        if (task <= machine->past)
            continue;
        Meeting meeting = meet(machine, machine->thread->task, task);
        if (!meeting.one || meeting.shared >= depth)
            continue;
        const Stmt *other = machine->code->instructions.data[accesses->where[k]].stmt;
        if (atomic_is_same_update(instruction->stmt, other))
            continue;
        const char *loop = meeting.one->loop->loop.binder->text;
        return machine_broken(machine, instruction->stmt,
                              "%s(%s) is %s in iteration %" PRId64
                              " of %s, and %s in iteration %" PRId64 " by %s: a race",
                              machine->shapes[instruction->object]->name->text,
                              point_text(machine, instruction), verb, meeting.one->variable, loop,
                              other_verb, meeting.other->variable,
                              machine_describe(machine, other));
    }
    return true;
}

bool race_is_open(const Machine *machine, const FuncMemory *memory, size_t cell) {
    uint32_t task = machine->thread->task;
    if (!memory->writers || task == memory->owner)
        return false;
    for (int k = 0; k < 2; k++) {
        uint32_t writer = memory->writers[cell].task[k];
        if (writer > machine->past && meet(machine, task, writer).one)
            return true;
    }
    return false;
}

/* The same of atomic stores. */
static bool find_update_race(Machine *machine, const Instruction *instruction,
                             const FuncMemory *memory, size_t cell, const char *verb) {
    return !memory->updaters || find_race(machine, instruction, &memory->updaters[cell], UINT32_MAX,
                                          verb, "updated atomically");
}

/* Does an atomic store read the element that it is going to write? */
static bool is_own_read(const Machine *machine, const Instruction *instruction) {
    const Stmt *stmt = instruction->stmt;
    return stmt->kind == STMT_STORE && stmt->store.is_atomic &&
           stmt->store.func == machine->shapes[instruction->object];
}

static uint32_t place_of(const Machine *machine, const Instruction *instruction) {
    return (uint32_t)(instruction - machine->code->instructions.data);
}

bool race_read(Machine *machine, const Instruction *instruction, FuncMemory *memory, size_t cell) {
    uint32_t task = machine->thread->task;
    if (!memory->readers || task == memory->owner)
        return true;
    if (is_own_read(machine, instruction)) /* part of the step that race_update sees */
        return true;
    if (!find_race(machine, instruction, &memory->writers[cell], UINT32_MAX, "read", "written") ||
        !find_update_race(machine, instruction, memory, cell, "read"))
        return false;
    remember(machine, &memory->readers[cell], task, place_of(machine, instruction));
    return true;
}

/* How deep the iterations are in which this write and those before have written several values. */
static uint32_t find_varied(const Machine *machine, const FuncMemory *memory, size_t cell,
                            bool changes) {
    uint32_t varied = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t writer = memory->writers[cell].task[k];
        if (writer <= machine->past)
            continue;
        uint32_t shared = meet(machine, writer, machine->thread->task).shared;
        uint32_t known = memory->varied[cell];
        uint32_t depth = changes || shared < known ? shared : known;
        varied = depth > varied ? depth : varied;
    }
    return varied < UINT8_MAX ? varied : UINT8_MAX;
}

bool race_write(Machine *machine, const Instruction *instruction, FuncMemory *memory, size_t cell,
                bool changes) {
    uint32_t task = machine->thread->task;
    if (!memory->writers || task == memory->owner)
        return true;
    Accesses *writers = &memory->writers[cell];
    if (!find_race(machine, instruction, &memory->readers[cell], UINT32_MAX, "written", "read") ||
        !find_race(machine, instruction, writers, changes ? UINT32_MAX : memory->varied[cell],
                   "written", "written otherwise") ||
        !find_update_race(machine, instruction, memory, cell, "written"))
        return false;
    memory->varied[cell] = (uint8_t)find_varied(machine, memory, cell, changes);
    remember(machine, writers, task, place_of(machine, instruction));
    return true;
}

bool race_update(Machine *machine, const Instruction *instruction, FuncMemory *memory,
                 size_t cell) {
    static const char *const verb = "updated atomically";
    uint32_t task = machine->thread->task;
    if (!memory->updaters || !memory->writers || task == memory->owner)
        return true;
    if (!find_race(machine, instruction, &memory->readers[cell], UINT32_MAX, verb, "read") ||
        !find_race(machine, instruction, &memory->writers[cell], UINT32_MAX, verb, "written") ||
        !find_update_race(machine, instruction, memory, cell, verb))
        return false;
    remember(machine, &memory->updaters[cell], task, place_of(machine, instruction));
    return true;
}

/* race.c -- accesses without an order between them.
 *
 * Two iterations of one run of a parallel or vectorized loop may write one cell only with equal
 * values.  One may not read a cell that the other writes (semantics.md, section 3).  Anything else
 * is a race, whichever comes first in this run.  So each access is compared with the earlier
 * accesses, not with the values that they left.
 *
 * Tasks (checks.h) form a tree, as the loops nest.  Two tasks have no order if they are inside
 * different iterations of one run of a loop.  Otherwise one is inside the other, or they are inside
 * two runs of loops of which one ended before the other began.
 *
 * Of all readers of a cell (and of all writers) only two are kept.  Let t come after a reader a,
 * with an order between them.  Whatever will race with a will also race with t, so t takes a's
 * place.  Of three readers without any order, the two that part outermost are kept.  Say a and b
 * part in loop L.  All other readers share the iterations outside L.  Let an access race with one
 * of them.  If they part in L or outside it, the access parts there with a or with b, too.  If they
 * part inside L, the access shares that reader's iteration of L, and at most one of a and b is in
 * that iteration.
 *
 * Writes with equal values are no race, but an iteration may write one value and then another: then
 * both count.  `varied` is the depth in the tree of the iterations that have written several values
 * in turn.  A new writer that parts with them outside that depth races, even if it writes the
 * present value.
 *
 * Atomic stores are kept apart.  An atomic store races with no other of its stage, and with any
 * plain access.  Reads and writes are kept apart, too, so the later one of two racing accesses
 * meets the other, or one that stands for it.  (The verifier has checked that in a loop all atomic
 * stores of a func are of one stage.)
 *
 * When a loop at the top ends, its tasks are before all that follows, and are forgotten.
 */
#include "ir/atomic.h"
#include "checkers/interpreter/checks.h"

#include <inttypes.h>
#include <string.h>

/* Two of the tasks that read (or wrote) a cell and may race with a later access: two that part as
 * far outside as any.  An access that races with one of all these tasks races with one of the
 * two. */
typedef struct CellAccesses {
    uint32_t task[2]; /* 0: none */
    uint32_t where[2];
} CellAccesses;

/* The accesses to a func's cells.  Each array has one element a cell. */
typedef struct CellHistory {
    size_t capacity;
    CellAccesses *writers, *readers; /* of tasks inside the owner */
    CellAccesses *updaters;          /* tasks of atomic stores; null if there are none */
    uint8_t *varied;                 /* depth in the tree of those that wrote several values */
    uint32_t owner; /* the task that allocated the memory: its own accesses have an order */
} CellHistory;

_Static_assert(MOST_HISTORY_BYTES == 2 * sizeof(CellAccesses) + 1, "of one cell, without updaters");

/* ---- tasks ---- */

bool task_create(CheckedRun *run, const Stmt *loop, const LoopState *state, int64_t variable,
                 uint32_t *task) {
    RunMachine *machine = &run->machine;
    if (run->past + run->tasks.length > UINT32_MAX)
        return machine_fail(machine, HLC_ERROR_BUDGET, machine->signature->name->text,
                            (int64_t[]){(int64_t)machine->steps}, 1);
    uint32_t parent = state->task;
    IterationTask made = {
        .parent = parent, .fork = state->fork, .loop = loop, .variable = variable};
    made.depth = run->tasks.data[parent ? parent - run->past : 0].depth + 1;
    *task = run->past + (uint32_t)run->tasks.length;
    vec_push(machine->arena, &run->tasks, made);
    return true;
}

void task_join(CheckedRun *run, uint32_t task) {
    if (task != 0)
        return;
    run->past += (uint32_t)run->tasks.length - 1;
    run->tasks.length = 1;
}

/* The relation of two tasks. */
typedef struct Meeting {
    const IterationTask *one,
        *other;      /* the different iterations that they are in; null: they are in order */
    uint32_t shared; /* number of loops whose iterations they share */
} Meeting;

static const IterationTask *task_at(const CheckedRun *run, uint32_t number) {
    return &run->tasks.data[number > run->past ? number - run->past : 0];
}

static Meeting meet(const CheckedRun *run, uint32_t one, uint32_t other) {
    const IterationTask *a = task_at(run, one), *b = task_at(run, other);
    const IterationTask *below_a = NULL, *below_b = NULL;
    while (a != b) {
        const IterationTask **deeper = a->depth >= b->depth ? &a : &b;
        const IterationTask **below = a->depth >= b->depth ? &below_a : &below_b;
        *below = *deeper;
        *deeper = task_at(run, (*deeper)->parent);
    }
    Meeting meeting = {.shared = a->depth};
    if (below_a && below_b && below_a->fork == below_b->fork)
        meeting = (Meeting){below_a, below_b, a->depth};
    return meeting;
}

/* ---- memory ---- */

void race_allocate(const RunMachine *machine, FuncMemory *memory, size_t fresh) {
    Arena *arena = machine->arena;
    if (!memory->history)
        memory->history = arena_new(arena, CellHistory);
    CellHistory *history = memory->history;
    if (history->capacity < fresh) {
        history->capacity = memory->capacity;
        history->writers = arena_array(arena, CellAccesses, history->capacity);
        history->readers = arena_array(arena, CellAccesses, history->capacity);
        history->varied = arena_array(arena, uint8_t, history->capacity);
        if (machine->code->updates)
            history->updaters = arena_array(arena, CellAccesses, history->capacity);
    }
    if (fresh) {
        memset(history->writers, 0, fresh * sizeof *history->writers);
        memset(history->readers, 0, fresh * sizeof *history->readers);
        memset(history->varied, 0, fresh * sizeof *history->varied);
        if (history->updaters)
            memset(history->updaters, 0, fresh * sizeof *history->updaters);
    }
    history->owner = running_thread((const CheckedRun *)machine)->task;
}

/* ---- accesses ---- */

/* An access of the running task. */
typedef struct TaskAccess {
    CheckedRun *run;
    const RunInstruction *instruction;
    CellHistory *history;
    size_t cell;
    uint32_t task;
    const char *verb;
} TaskAccess;

static TaskAccess access_of(RunMachine *machine, const RunInstruction *instruction,
                            const FuncMemory *memory, size_t cell, const char *verb) {
    CheckedRun *run = (CheckedRun *)machine;
    return (TaskAccess){run, instruction, memory->history, cell, running_thread(run)->task, verb};
}

/* Records the task's access to the cell; it does not race with the earlier ones. */
static void remember(const TaskAccess *access, CellAccesses *accesses) {
    const CheckedRun *run = access->run;
    uint32_t task = access->task, kept[2], places[2];
    uint32_t where = (uint32_t)(access->instruction - run->machine.code->instructions.data);
    int count = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t known = accesses->task[k];
        if (known > run->past && meet(run, known, task).one) {
            kept[count] = known;
            places[count++] = accesses->where[k];
        }
    }
    /* Of three, the two that part innermost are equally far from the third. */
    if (count == 2 && meet(run, kept[0], task).shared >= meet(run, kept[0], kept[1]).shared)
        return;
    *accesses = (CellAccesses){{task, count ? kept[0] : 0}, {where, count ? places[0] : 0}};
}

static const char *point_text(const RunMachine *machine, const RunInstruction *instruction) {
    const char *text = "";
    for (int k = 0; k < machine->shapes[instruction->object]->dimensions; k++)
        text = arena_format(machine->arena, "%s%s%" PRId64, text, k ? ", " : "",
                            argument(machine, instruction, k));
    return text;
}

/* Reports the first of `accesses` that has no order with the running task and parts with it outside
 * `depth`.  Returns true if there is none. */
static bool find_race(const TaskAccess *access, const CellAccesses *accesses, uint32_t depth,
                      const char *other_verb) {
    const RunInstruction *instruction = access->instruction;
    RunMachine *machine = &access->run->machine;
    for (int k = 0; k < 2; k++) {
        uint32_t task = accesses->task[k];
        if (task <= access->run->past)
            continue;
        Meeting meeting = meet(access->run, access->task, task);
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
                              point_text(machine, instruction), access->verb, meeting.one->variable,
                              loop, other_verb, meeting.other->variable,
                              machine_describe(machine, other));
    }
    return true;
}

/* The same for each earlier access of a kind; writers count outside `depth` only. */
static bool find_read_race(const TaskAccess *access) {
    return find_race(access, &access->history->readers[access->cell], UINT32_MAX, "read");
}

static bool find_write_race(const TaskAccess *access, uint32_t depth, const char *other_verb) {
    return find_race(access, &access->history->writers[access->cell], depth, other_verb);
}

static bool find_update_race(const TaskAccess *access) {
    return !access->history->updaters || find_race(access, &access->history->updaters[access->cell],
                                                   UINT32_MAX, "updated atomically");
}

bool race_is_open(const RunMachine *machine, const FuncMemory *memory, size_t cell) {
    const CheckedRun *run = (const CheckedRun *)machine;
    uint32_t task = running_thread(run)->task;
    if (task == memory->history->owner)
        return false;
    for (int k = 0; k < 2; k++) {
        uint32_t writer = memory->history->writers[cell].task[k];
        if (writer > run->past && meet(run, task, writer).one)
            return true;
    }
    return false;
}

/* Does an atomic store read the element that it is going to write? */
static bool is_own_read(const RunMachine *machine, const RunInstruction *instruction) {
    const Stmt *stmt = instruction->stmt;
    return stmt->kind == STMT_STORE && stmt->store.is_atomic &&
           stmt->store.func == machine->shapes[instruction->object];
}

bool race_read(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
               size_t cell) {
    TaskAccess access = access_of(machine, instruction, memory, cell, "read");
    if (access.task == access.history->owner)
        return true;
    if (is_own_read(machine, instruction)) /* `update` handles it with the write */
        return true;
    if (!find_write_race(&access, UINT32_MAX, "written") || !find_update_race(&access))
        return false;
    remember(&access, &access.history->readers[cell]);
    return true;
}

/* Returns the depth of the iterations in which this write and earlier ones wrote several values. */
static uint8_t find_varied(const TaskAccess *access, bool changes) {
    uint32_t varied = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t writer = access->history->writers[access->cell].task[k];
        if (writer <= access->run->past)
            continue;
        uint32_t shared = meet(access->run, writer, access->task).shared;
        uint32_t known = access->history->varied[access->cell];
        uint32_t depth = changes || shared < known ? shared : known;
        varied = depth > varied ? depth : varied;
    }
    return (uint8_t)(varied < UINT8_MAX ? varied : UINT8_MAX);
}

/* The thread reads and writes the cell in one step. */
static bool update(TaskAccess *access) {
    access->verb = "updated atomically";
    if (!find_read_race(access) || !find_write_race(access, UINT32_MAX, "written") ||
        !find_update_race(access))
        return false;
    remember(access, &access->history->updaters[access->cell]);
    return true;
}

bool race_write(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                size_t cell, bool changes) {
    TaskAccess access = access_of(machine, instruction, memory, cell, "written");
    CellHistory *history = access.history;
    if (access.task == history->owner)
        return true;
    if (instruction->stmt->store.is_atomic)
        return update(&access);
    if (!find_read_race(&access) ||
        !find_write_race(&access, changes ? UINT32_MAX : history->varied[cell],
                         "written otherwise") ||
        !find_update_race(&access))
        return false;
    history->varied[cell] = find_varied(&access, changes);
    remember(&access, &history->writers[cell]);
    return true;
}

/* extern.c -- executes the store of an extern stage: reads the boxes, calls the C function, writes
 * its values.
 *
 * Each element is read and written by an ordinary instruction of its own (RunExtern), whose
 * registers hold the point. So all checks see the accesses. A value depends on all that the call
 * read: one element that was never written makes all values arbitrary, and the greatest error is
 * theirs.
 */
#include "ir/interpret/machine.h"

typedef struct ExternCalling {
    RunMachine *machine;
    const RunExtern *call;
    uint8_t shadow, error; /* of all that was read */
} ExternCalling;

static void set_point(const RunMachine *machine, const RunInstruction *access, int dimensions,
                      const int64_t *point) {
    RunThread *thread = machine->thread;
    for (int d = 0; d < dimensions; d++) {
        int reg = argument_register(machine, access, d);
        thread->bits[reg] = point[d];
        thread->shadows[reg] = thread->errors[reg] = 0;
    }
}

static void note(ExternCalling *calling, int reg) {
    const RunThread *thread = calling->machine->thread;
    calling->shadow |= thread->shadows[reg];
    if (thread->errors[reg] > calling->error)
        calling->error = thread->errors[reg];
}

static bool read_element(void *data, size_t part, const int64_t *point, Bits *bits) {
    ExternCalling *calling = data;
    RunMachine *machine = calling->machine;
    machine->steps++;
    const RunInstruction *read = &calling->call->reads[part];
    set_point(machine, read, read->count, point);
    if (!(read->code == RUN_IMAGE ? cells_read_image(machine, read) : cells_read(machine, read)))
        return false;
    note(calling, read->target);
    *bits = machine->thread->bits[read->target];
    return true;
}

static bool write_element(void *data, const int64_t *point, const Bits *values) {
    const ExternCalling *calling = data;
    RunMachine *machine = calling->machine;
    machine->steps++;
    const RunInstruction *store = &calling->call->store;
    const FuncShape *func = calling->call->stmt->store.func;
    set_point(machine, store, func->dimensions, point);
    for (int c = 0; c < func->components; c++) {
        int reg = argument_register(machine, store, func->dimensions + c);
        machine->thread->bits[reg] = values[c];
        machine->thread->shadows[reg] = calling->shadow;
        machine->thread->errors[reg] = calling->error;
    }
    return cells_store(machine, store);
}

/* Takes the two corners of a box from the arguments; returns the next argument. */
static int take_box(const RunMachine *machine, const RunInstruction *instruction, int at,
                    int dimensions, int64_t box[2][MAX_DIMENSIONS]) {
    for (int end = 0; end < 2; end++)
        for (int d = 0; d < dimensions; d++)
            box[end][d] = argument(machine, instruction, at++);
    return at;
}

bool machine_extern(RunMachine *machine, const RunInstruction *instruction) {
    const RunExtern *call = &machine->code->externs.data[instruction->object];
    const FuncShape *func = call->stmt->store.func;
    size_t count = call->parts.length;
    ExternCalling calling = {machine, call, 0, ERROR_NONE};
    Bits scalars[count + 1];
    int64_t boxes[count + 1][2][MAX_DIMENSIONS];
    hlc_report report = {0};
    int at = 0;
    if (!machine_settled(machine, instruction, instruction->count, "an argument of a C function"))
        return false;
    for (size_t i = 0; i < count; i++) {
        const ExternPart *part = &call->parts.data[i];
        if (part->scalar)
            scalars[i] = argument(machine, instruction, at++);
        else
            at = take_box(machine, instruction, at, part->first->arity, boxes[i]);
    }
    take_box(machine, instruction, at, func->dimensions, boxes[count]);
    for (int d = 0; d < func->dimensions; d++)
        if (boxes[count][1][d] < boxes[count][0][d])
            return true;
    ExternRun run = {.context = machine->context,
                     .function = call->stmt->store.values[0]->name,
                     .func = func,
                     .parts = &call->parts,
                     .rules = call->rules,
                     .scalars = scalars,
                     .boxes = (const int64_t(*)[2][MAX_DIMENSIONS])boxes,
                     .read = read_element,
                     .write = write_element,
                     .data = &calling};
    int error = extern_run(&run, &report);
    if (error && error != EXTERN_LEFT)
        machine->outcome = outcome_of_report(&report);
    return !error;
}

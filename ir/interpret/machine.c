/* machine.c -- the target interpreter: the small-step semantics of Figure 8 (semantics.md, section
 * 3) on the flat code of code.h.
 *
 * A register holds a value's canonical bits and a shadow bit. The bits drive control. The shadow
 * bit means that the value depends on memory that was never written, whose contents are arbitrary.
 * A shadowed operand makes the result shadowed. B(S) promises that some values depend on written
 * memory only. If such a value is shadowed, the run ends: in an `if`, an assertion, a bound, a
 * write index, a write inside the compute bounds, the output's window. A shadowed *read* index is
 * legal at over-computed points (semantics.md, section 5 (e)): it reads inside the memory whatever
 * its bits, and the result is shadowed. Compiled code finds other contents in fresh memory. So
 * before it runs, such an index must lie inside the memory for all contents (poison.c).
 *
 * In the total reading operators have their total results. For an access outside an allocation,
 * Figure 8 stores err_mem and continues. Here the run ends at once with an internal error: by
 * Theorem 3.4 such an access never happens, so the first one is the one to look at. In the formal
 * readings a register also has an error value, and the run continues as in the figure. The bits
 * beside an error are those of the total reading; beside err_mem they are arbitrary.
 *
 * Index arithmetic beyond 64 bits is a refusal (HLC_ERROR_INDEX_RANGE) in each reading. After
 * PASS_CHECKS it cannot happen.
 *
 * The iterations of each loop run forward, one by one. A caller that interleaves them, or looks for
 * races between them, passes its own functions (RunChecks).
 */
#include "ir/interpret/machine.h"

#include <inttypes.h>

/* ---- operators ---- */

static bool leaves_range(RunMachine *machine, const RunInstruction *instruction) {
    return machine_fail(machine, HLC_ERROR_INDEX_RANGE,
                        machine_describe(machine, instruction->stmt), NULL, 0);
}

/* No register has an error in the total reading. */
static bool apply(RunMachine *machine, const RunInstruction *instruction) {
    RunThread *thread = machine->thread;
    const int *from = &machine->code->arguments.data[instruction->first];
    const Bits *bits = thread->bits;
    const Bits *in[OP_MAX_ARITY] = {&bits[from[0]], &bits[from[1]], &bits[from[2]]};
    const uint8_t *shadows = thread->shadows;
    thread->shadows[instruction->target] = shadows[from[0]] | shadows[from[1]] | shadows[from[2]];
    return operation_apply_total(&instruction->operation, in, &thread->bits[instruction->target]) ||
           leaves_range(machine, instruction);
}

static bool apply_formally(RunMachine *machine, const RunInstruction *instruction) {
    RunThread *thread = machine->thread;
    const int *registers = &machine->code->arguments.data[instruction->first];
    Bits arguments[OP_MAX_ARITY] = {0};
    uint8_t errors[OP_MAX_ARITY], shadow = 0;
    for (int i = 0; i < instruction->count; i++) {
        arguments[i] = thread->bits[registers[i]];
        errors[i] = thread->errors[registers[i]];
        shadow |= thread->shadows[registers[i]];
    }
    Value value = operation_apply(&instruction->operation, arguments, errors);
    if (value.error == ERROR_INDEX)
        return leaves_range(machine, instruction);
    if (machine->options.reading == RUN_STRICT && instruction->op == OP_SELECT)
        value.error = machine_error(machine, instruction, instruction->count);
    thread->bits[instruction->target] = value.bits;
    thread->shadows[instruction->target] = shadow;
    thread->errors[instruction->target] = value.error;
    return true;
}

static void copy(RunMachine *machine, const RunInstruction *instruction) {
    RunThread *thread = machine->thread;
    int from = argument_register(machine, instruction, 0);
    thread->bits[instruction->target] = thread->bits[from];
    thread->shadows[instruction->target] = thread->shadows[from];
    thread->errors[instruction->target] = thread->errors[from];
}

/* ---- loops ---- */

/* Returns the checks that observe the loop's iterations; null if they run forward, unobserved. */
static const RunChecks *checks_of(const RunMachine *machine, const RunInstruction *loop) {
    return machine->code->loops.data[loop->object].unordered ? machine->checks : NULL;
}

/* Starts a loop and sets the next instruction. */
static bool start_loop(RunMachine *machine, const RunInstruction *instruction) {
    RunThread *thread = machine->thread;
    LoopState *loop = &thread->loops[instruction->object];
    if (!machine_settled(machine, instruction, 2, "a bound"))
        return false;
    const Stmt *stmt = instruction->stmt;
    *loop = (LoopState){.minimum = argument(machine, instruction, 0),
                        .length = argument(machine, instruction, 1)};
    if (loop->length < 0 && !stmt->loop.pure)
        return machine_fail(machine, HLC_ERROR_RDOM_LENGTH, stmt->loop.binder->text, &loop->length,
                            1);
    if (loop->length < 0)
        return machine_broken(machine, stmt, "the length is %" PRId64, loop->length);
    thread->bits[instruction->target] = loop->minimum;
    thread->shadows[instruction->target] = thread->errors[instruction->target] = 0;
    thread->pc = loop->length ? thread->pc + 1 : instruction->jump;
    const RunChecks *checks = loop->length ? checks_of(machine, instruction) : NULL;
    return !checks || checks->start_loop(machine, instruction, loop);
}

static bool next_iteration(RunMachine *machine, const RunInstruction *instruction) {
    RunThread *thread = machine->thread;
    LoopState *loop = &thread->loops[instruction->object];
    const RunChecks *checks = checks_of(machine, instruction);
    if (checks)
        return checks->next_iteration(machine, instruction, loop);
    bool more = ++loop->done < loop->length;
    if (more)
        thread->bits[instruction->target] =
            (int64_t)((uint64_t)loop->minimum + (uint64_t)loop->done);
    thread->pc = more ? instruction->jump : thread->pc + 1;
    return true;
}

static bool refuse(RunMachine *machine, const RunInstruction *instruction) {
    int64_t numbers[10] = {0};
    for (int i = 0; i < instruction->count && i < 10; i++)
        numbers[i] = argument(machine, instruction, i);
    const Stmt *stmt = instruction->stmt;
    return machine_fail(machine, stmt->assertion.error, stmt->assertion.subject, numbers,
                        instruction->count);
}

/* ---- the machine ---- */

static bool count_step(RunMachine *machine) {
    enum { POLL_PERIOD = 1024 };
    if (++machine->steps % POLL_PERIOD == 0)
        arena_poll(machine->arena);
    if (machine->options.budget && machine->steps > machine->options.budget)
        return machine_fail(machine, HLC_ERROR_BUDGET, machine->signature->name->text,
                            (int64_t[]){(int64_t)machine->options.budget}, 1);
    return true;
}

/* Executes an if or an assertion: goes to the next instruction, or jumps. */
static bool branch(RunMachine *machine, const RunInstruction *instruction, bool jumps) {
    RunThread *thread = machine->thread;
    thread->pc = jumps ? instruction->jump : thread->pc + 1;
    return count_step(machine) && machine_settled(machine, instruction, 1, "the condition");
}

/* Executes one instruction of the current thread. Returns false at an error and at the end. */
static bool step(RunMachine *machine) {
    RunThread *thread = machine->thread;
    const RunInstruction *instruction = &machine->code->instructions.data[thread->pc];
    switch (instruction->code) {
    case RUN_APPLY:
        thread->pc++;
        return machine->options.reading == RUN_TOTAL ? apply(machine, instruction)
                                                     : apply_formally(machine, instruction);
    case RUN_READ:
        thread->pc++;
        return cells_read(machine, instruction);
    case RUN_IMAGE:
        thread->pc++;
        return cells_read_image(machine, instruction);
    case RUN_COPY:
        thread->pc++;
        copy(machine, instruction);
        return true;
    case RUN_STORE:
        thread->pc++;
        return count_step(machine) && cells_store(machine, instruction);
    case RUN_EXTERN:
        thread->pc++;
        return count_step(machine) && machine_extern(machine, instruction);
    case RUN_ALLOCATE:
        thread->pc++;
        return count_step(machine) && cells_allocate(machine, instruction);
    case RUN_RELEASE:
        thread->pc++;
        return cells_release(machine, instruction);
    case RUN_COMPUTE:
        thread->pc++;
        return cells_set_bounds(machine, instruction);
    case RUN_UNLESS:
        return branch(machine, instruction, !argument(machine, instruction, 0));
    case RUN_JUMP:
        thread->pc = instruction->jump;
        return true;
    case RUN_LOOP:
        return count_step(machine) && start_loop(machine, instruction);
    case RUN_NEXT:
        return count_step(machine) && next_iteration(machine, instruction);
    case RUN_ASSERT:
        return branch(machine, instruction, argument(machine, instruction, 0));
    case RUN_REFUSE:
        return refuse(machine, instruction);
    case RUN_END:
        cells_end(machine);
        break;
    }
    return false;
}

/* ---- the run ---- */

static int *find_first_outputs(const Signature *signature, Arena *arena) {
    int *first = arena_array(arena, int, signature->funcs.length);
    int image = 0;
    for (size_t f = 0; f < signature->funcs.length; f++)
        first[f] = -1;
    for (size_t i = 0; i < signature->outputs.length; i++)
        for (size_t f = 0; f < signature->funcs.length; f++)
            if (signature->funcs.data[f]->name == signature->outputs.data[i].func) {
                first[f] = image;
                image += signature->funcs.data[f]->components;
            }
    return first;
}

void machine_create(RunMachine *machine, const Program *program, Arena *arena,
                    const Arguments *arguments, const RunOptions *options) {
    const Signature *signature = program->signature;
    *machine = (RunMachine){.signature = signature,
                            .context = program->pool->context,
                            .arena = arena,
                            .code = options->code ? options->code : run_compile(program, arena),
                            .arguments = arguments,
                            .options = *options,
                            .shapes = signature->funcs.data,
                            .first_outputs = find_first_outputs(signature, arena),
                            .served = arena_array(arena, bool, signature->funcs.length),
                            .random = options->seed,
                            .outcome = {.error = HLC_SUCCESS}};
    if (options->is_first_look)
        machine->producers = poison_producers(machine->code, arena);
    if (options->first_error)
        *options->first_error = (ErrorPoint){.error = ERROR_NONE};
}

void machine_create_thread(const RunMachine *machine, RunThread *thread) {
    const RunProgram *code = machine->code;
    size_t registers = code->registers.length;
    thread->bits = arena_array(machine->arena, Bits, registers);
    thread->shadows = arena_array(machine->arena, uint8_t, registers);
    thread->errors = arena_array(machine->arena, uint8_t, registers);
    thread->funcs = arena_array(machine->arena, FuncView, machine->signature->funcs.length);
    thread->loops = arena_array(machine->arena, LoopState, code->loops.length);
    for (size_t i = 0; i < code->starts.length; i++) {
        RegisterStart start = code->starts.data[i];
        if (start.variable && !argument_variable(machine->signature, machine->arguments,
                                                 machine->context, start.variable, &start.bits))
            hlc_assert(false, "a free variable of a program is a startup variable");
        thread->bits[start.target] = start.bits;
    }
}

/* noinline: `step` then has one caller, and becomes part of this loop. */
__attribute__((noinline)) bool machine_run(RunMachine *machine, uint64_t turn) {
    bool runs;
    uint64_t left = turn;
    machine->yields = false;
    do {
        runs = step(machine);
        left--;
    } while (runs && !machine->yields && left > 0);
    machine->instructions += turn - left;
    return runs;
}

Outcome interpret_program(const Program *program, Arena *arena, const Arguments *arguments,
                          const RunOptions *options) {
    RunMachine machine;
    RunThread thread = {0};
    machine_create(&machine, program, arena, arguments, options);
    machine_create_thread(&machine, &thread);
    machine.thread = &thread;
    machine_run(&machine, UINT64_MAX);
    if (options->instructions)
        *options->instructions = machine.instructions;
    return machine.outcome;
}

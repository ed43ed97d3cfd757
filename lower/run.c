/* run.c -- the target interpreter: the small-step semantics of Figure 8 (semantics.md, section 3)
 * on the flat code of run_code.h.
 *
 * A register holds a value's canonical bits and a shadow bit.  The bits drive control; the shadow
 * says that the value depends on memory that was never written, whose contents are arbitrary.  Any
 * operation with a shadowed operand is shadowed.  Where B(S) promises that a value depends on
 * written memory only, a shadow ends the run: in an `if`, an assertion, a bound, a write index, a
 * write inside the compute bounds, the output's window.  A shadowed *read* index is legal at
 * over-computed points (semantics.md, section 5 (e)): it reads inside the memory whatever its bits,
 * and what it reads is shadowed.
 *
 * In the total reading operators have their total results, and where Figure 8 stores err_mem on an
 * access outside an allocation and goes on, the run ends at once with an internal error: by Theorem
 * 3.4 it never happens, and the first such access is the one that one wants to see.  In the formal
 * readings a register has an error value too, and all goes on as the figure has it; the bits beside
 * an error are those of the total reading, and arbitrary for err_mem.
 *
 * Index arithmetic that leaves 64 bits is a refusal (HLC_ERROR_INDEX_RANGE) in each reading, though
 * after PASS_CHECKS it cannot come to that.
 */
#include "lower/run_machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- failures ---- */

bool machine_fail(Machine *machine, int error, const char *subject, const int64_t *numbers,
                  int count) {
    machine->outcome.error = error;
    hlc_error_message(machine->outcome.message, (int)sizeof machine->outcome.message, error,
                      subject, numbers, count);
    return false;
}

const char *machine_describe(Machine *machine, const Stmt *stmt) {
    Arena *arena = machine->arena;
    const char *text = "a statement";
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    case STMT_ASSERT:
        text = "an assertion";
        break;
    case STMT_ALLOCATE:
        text = arena_format(arena, "allocate %s", stmt->allocate.func->name->text);
        break;
    case STMT_COMPUTE:
        text = arena_format(arena, "compute %s", stmt->compute.func->name->text);
        break;
    case STMT_STORE:
        text = arena_format(arena, "the store to %s in stage %d", stmt->store.func->name->text,
                            stmt->store.stage);
        break;
    case STMT_IF:
        text = "an if";
        break;
    case STMT_FOR:
        text = arena_format(arena, "loop %s", stmt->loop.binder->text);
        break;
    case STMT_LET:
        text = arena_format(arena, "let %s", stmt->let.binder->text);
        break;
    }
    return stmt->place.line ? arena_format(arena, "%s (line %u)", text, stmt->place.line) : text;
}

/* What must never happen, in words, with the statement. */
bool machine_broken(Machine *machine, const Stmt *stmt, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *subject =
        stmt ? arena_format(machine->arena, "%s, in %s", text, machine_describe(machine, stmt))
             : text;
    return machine_fail(machine, HLC_ERROR_INTERNAL, subject, NULL, 0);
}

bool machine_written(Machine *machine, const Instruction *instruction, int count,
                     const char *what) {
    for (int i = 0; i < count; i++)
        if (machine->thread->shadows[argument_register(machine, instruction, i)])
            return machine_broken(machine, instruction->stmt, "%s depends on memory never written",
                                  what);
    return true;
}

uint8_t machine_error(const Machine *machine, const Instruction *instruction, int count) {
    uint8_t error = ERROR_NONE;
    for (int i = 0; i < count; i++) {
        uint8_t other = machine->thread->errors[argument_register(machine, instruction, i)];
        error = other > error ? other : error;
    }
    return error;
}

bool machine_settled(Machine *machine, const Instruction *instruction, int count,
                     const char *what) {
    uint8_t error = machine_error(machine, instruction, count);
    if (error) {
        const char *subject =
            arena_format(machine->arena, "%s is %s, in %s", what, error_text((ErrorValue)error),
                         machine_describe(machine, instruction->stmt));
        return machine_fail(machine, HLC_ERROR_ERROR_VALUE, subject, NULL, 0);
    }
    return machine_written(machine, instruction, count, what);
}

/* ---- operators ---- */

static bool leaves_range(Machine *machine, const Instruction *instruction) {
    return machine_fail(machine, HLC_ERROR_INDEX_RANGE,
                        machine_describe(machine, instruction->stmt), NULL, 0);
}

/* In the total reading no register has an error. */
static bool apply(Machine *machine, const Instruction *instruction) {
    Thread *thread = machine->thread;
    const int *from = &machine->code->arguments.data[instruction->first];
    const Bits *bits = thread->bits;
    const Bits *in[OP_MAX_ARITY] = {&bits[from[0]], &bits[from[1]], &bits[from[2]]};
    const uint8_t *shadows = thread->shadows;
    thread->shadows[instruction->target] = shadows[from[0]] | shadows[from[1]] | shadows[from[2]];
    return operation_apply_total(&instruction->operation, in, &thread->bits[instruction->target]) ||
           leaves_range(machine, instruction);
}

static bool apply_formally(Machine *machine, const Instruction *instruction) {
    Thread *thread = machine->thread;
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

static void copy(Machine *machine, const Instruction *instruction) {
    Thread *thread = machine->thread;
    int from = argument_register(machine, instruction, 0);
    thread->bits[instruction->target] = thread->bits[from];
    thread->shadows[instruction->target] = thread->shadows[from];
    thread->errors[instruction->target] = thread->errors[from];
}

/* ---- loops ---- */

static bool is_unordered(const Machine *machine, const Instruction *loop) {
    return machine->code->loops.data[loop->object].unordered;
}

/* The next iteration, in this thread. */
static bool start_iteration(Machine *machine, const Instruction *instruction, LoopState *loop) {
    Thread *thread = machine->thread;
    bool unordered = is_unordered(machine, instruction);
    int64_t done = unordered && machine->options.order == RUN_BACKWARD
                       ? loop->length - 1 - loop->done
                       : loop->done;
    int64_t variable = (int64_t)((uint64_t)loop->minimum + (uint64_t)done);
    thread->bits[instruction->target] = variable;
    return !unordered || task_create(machine, instruction->stmt, loop, variable, &thread->task);
}

/* Starts a loop, and moves on to where to go on. */
static bool start_loop(Machine *machine, const Instruction *instruction) {
    Thread *thread = machine->thread;
    LoopState *loop = &thread->loops[instruction->object];
    if (!machine_settled(machine, instruction, 2, "a bound"))
        return false;
    const Stmt *stmt = instruction->stmt;
    *loop = (LoopState){.minimum = argument(machine, instruction, 0),
                        .length = argument(machine, instruction, 1),
                        .task = thread->task};
    if (loop->length < 0 && !stmt->loop.pure)
        return machine_fail(machine, HLC_ERROR_RDOM_LENGTH, stmt->loop.binder->text, &loop->length,
                            1);
    if (loop->length < 0)
        return machine_broken(machine, stmt, "the length is %" PRId64, loop->length);
    thread->shadows[instruction->target] = thread->errors[instruction->target] = 0;
    thread->pc = loop->length ? thread->pc + 1 : instruction->jump;
    if (loop->length == 0)
        return true;
    bool unordered = is_unordered(machine, instruction);
    if (unordered)
        loop->fork = ++machine->forks;
    if (unordered && loop->length > 1 && machine->options.order == RUN_INTERLEAVED)
        return thread_fork(machine, instruction, loop);
    return start_iteration(machine, instruction, loop);
}

static bool next_iteration(Machine *machine, const Instruction *instruction) {
    Thread *thread = machine->thread;
    LoopState *loop = &thread->loops[instruction->object];
    if (thread->fork && thread->fork->loop->object == instruction->object)
        return thread_finish(machine);
    if (++loop->done < loop->length) {
        thread->pc = instruction->jump;
        return start_iteration(machine, instruction, loop);
    }
    thread->pc++;
    if (is_unordered(machine, instruction)) {
        thread->task = loop->task;
        task_join(machine, loop->task);
    }
    return true;
}

static bool refuse(Machine *machine, const Instruction *instruction) {
    int64_t numbers[10] = {0};
    for (int i = 0; i < instruction->count && i < 10; i++)
        numbers[i] = argument(machine, instruction, i);
    const Stmt *stmt = instruction->stmt;
    return machine_fail(machine, stmt->assertion.error, stmt->assertion.subject, numbers,
                        instruction->count);
}

/* ---- the machine ---- */

static bool count_step(Machine *machine) {
    machine->steps++;
    if (machine->options.budget && machine->steps > machine->options.budget)
        return machine_fail(machine, HLC_ERROR_BUDGET, machine->signature->name->text,
                            (int64_t[]){(int64_t)machine->options.budget}, 1);
    return true;
}

/* An if or an assertion: the next instruction, or a jump. */
static bool branch(Machine *machine, const Instruction *instruction, bool jumps) {
    Thread *thread = machine->thread;
    thread->pc = jumps ? instruction->jump : thread->pc + 1;
    return count_step(machine) && machine_settled(machine, instruction, 1, "the condition");
}

/* One instruction of the thread that runs.  False at an error, and at the end. */
static bool step(Machine *machine) {
    Thread *thread = machine->thread;
    const Instruction *instruction = &machine->code->instructions.data[thread->pc];
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

void machine_start_registers(Machine *machine, Thread *thread) {
    const RunProgram *code = machine->code;
    for (size_t i = 0; i < code->starts.length; i++) {
        RegisterStart start = code->starts.data[i];
        if (start.variable && !argument_variable(machine->signature, machine->arguments,
                                                 machine->context, start.variable, &start.bits))
            hlc_assert(false, "a free variable of a program is a startup variable");
        thread->bits[start.target] = start.bits;
    }
}

uint64_t machine_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

Outcome run_program(const Program *program, Arena *arena, const Arguments *arguments,
                    const RunOptions *options) {
    const Signature *signature = program->signature;
    Machine machine = {.signature = signature,
                       .context = program->pool->context,
                       .arena = arena,
                       .code = options->code ? options->code : run_compile(program, arena),
                       .arguments = arguments,
                       .options = *options,
                       .shapes = signature->funcs.data,
                       .first_outputs = find_first_outputs(signature, arena),
                       .served = arena_array(arena, bool, signature->funcs.length),
                       .random = options->seed,
                       .choices = options->seed,
                       .outcome = {.error = HLC_SUCCESS}};
    if (options->first_error)
        *options->first_error = (ErrorPoint){.error = ERROR_NONE};
    vec_push(arena, &machine.tasks, (Task){.parent = 0});
    thread_create(&machine);
    uint64_t instructions = 0;
    for (bool runs = true; runs;) {
        uint64_t turn = thread_choose(&machine);
        machine.yields = false;
        do {
            runs = step(&machine);
            instructions++;
        } while (runs && !machine.yields && (--turn > 0 || (turn = thread_is_held(&machine))));
    }
    if (options->instructions)
        *options->instructions = instructions;
    return machine.outcome;
}

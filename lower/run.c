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
 * Figure 8 stores err_mem on an access outside an allocation and goes on; here the run ends at once
 * with an internal error, since by Theorem 3.4 it never happens, and the first such access is the
 * one that one wants to see.
 *
 * Operators are in their total reading.  Index arithmetic that leaves 64 bits is a refusal
 * (HLC_ERROR_INDEX_RANGE), though after PASS_CHECKS it cannot come to that.
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

/* "the store to g in stage 1 (line 12)" */
static const char *describe(Machine *machine, const Stmt *stmt) {
    Arena *arena = machine->arena;
    const char *text = "a statement";
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
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
        stmt ? arena_format(machine->arena, "%s, in %s", text, describe(machine, stmt)) : text;
    return machine_fail(machine, HLC_ERROR_INTERNAL, subject, NULL, 0);
}

/* Is no argument shadowed?  `what` says what would depend on unwritten memory. */
bool machine_written(Machine *machine, const Instruction *instruction, int count,
                     const char *what) {
    const int *registers = &machine->code->arguments.data[instruction->first];
    for (int i = 0; i < count; i++)
        if (machine->shadows[registers[i]])
            return machine_broken(machine, instruction->stmt, "%s depends on memory never written",
                                  what);
    return true;
}

/* ---- operators ---- */

static bool apply(Machine *machine, const Instruction *instruction) {
    Bits arguments[OP_MAX_ARITY];
    Type operands[OP_MAX_ARITY];
    uint8_t shadow = 0;
    for (int i = 0; i < instruction->count; i++) {
        int reg = argument_register(machine, instruction, i);
        arguments[i] = machine->bits[reg];
        operands[i] = machine->code->registers.data[reg];
        shadow |= machine->shadows[reg];
    }
    Value value = value_apply((Op)instruction->op, instruction->type, operands, arguments, NULL);
    if (value.error == ERROR_INDEX)
        return machine_fail(machine, HLC_ERROR_INDEX_RANGE, describe(machine, instruction->stmt),
                            NULL, 0);
    machine->bits[instruction->target] = value.bits;
    machine->shadows[instruction->target] = shadow;
    return true;
}

/* ---- loops ---- */

/* Such loops may run their iterations in any order, and side by side. */
static bool is_unordered(const Stmt *loop) {
    return loop->loop.traversal == TRAVERSE_PARALLEL || loop->loop.traversal == TRAVERSE_VECTORIZED;
}

/* The loop variable after `done` iterations, in the order that the options ask for. */
static int64_t loop_variable(const Machine *machine, const LoopState *loop) {
    uint64_t done = (uint64_t)loop->done, length = (uint64_t)loop->length;
    if (is_unordered(loop->stmt))
        switch (machine->options.order) {
        case RUN_FORWARD:
            break;
        case RUN_BACKWARD:
            done = length - 1 - done;
            break;
        case RUN_INTERLEAVED: { /* 0, 2, 4, .., 1, 3, 5, .. */
            uint64_t evens = (length + 1) / 2;
            done = done < evens ? 2 * done : 2 * (done - evens) + 1;
            break;
        }
        }
    return (int64_t)((uint64_t)loop->minimum + done);
}

static void start_iteration(Machine *machine, const Instruction *instruction, LoopState *loop) {
    machine->bits[instruction->target] = loop_variable(machine, loop);
    if (machine->parallel == loop)
        machine->iteration = ++machine->iterations;
}

/* Starts a loop; `*pc` is where to go on. */
static bool start_loop(Machine *machine, const Instruction *instruction, size_t *pc) {
    LoopState *loop = &machine->loops[instruction->object];
    if (!machine_written(machine, instruction, 2, "a bound"))
        return false;
    const Stmt *stmt = instruction->stmt;
    *loop = (LoopState){.minimum = argument(machine, instruction, 0),
                        .length = argument(machine, instruction, 1),
                        .stmt = stmt,
                        .first_iteration = machine->iterations + 1};
    if (loop->length < 0 && !stmt->loop.pure)
        return machine_fail(machine, HLC_ERROR_RDOM_LENGTH, stmt->loop.binder->text, &loop->length,
                            1);
    if (loop->length < 0)
        return machine_broken(machine, stmt, "the length is %" PRId64, loop->length);
    machine->shadows[instruction->target] = 0;
    if (loop->length == 0) {
        *pc = instruction->jump;
        return true;
    }
    if (!machine->parallel && is_unordered(stmt))
        machine->parallel = loop;
    start_iteration(machine, instruction, loop);
    ++*pc;
    return true;
}

static void next_iteration(Machine *machine, const Instruction *instruction, size_t *pc) {
    LoopState *loop = &machine->loops[instruction->object];
    if (++loop->done < loop->length) {
        start_iteration(machine, instruction, loop);
        *pc = instruction->jump;
        return;
    }
    if (machine->parallel == loop) {
        machine->parallel = NULL;
        machine->iteration = 0;
    }
    ++*pc;
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

/* One instruction; moves `*pc` on.  False at an error. */
static bool step(Machine *machine, size_t *pc) {
    const Instruction *instruction = &machine->code->instructions.data[*pc];
    switch (instruction->code) {
    case RUN_APPLY:
        ++*pc;
        return apply(machine, instruction);
    case RUN_READ:
        ++*pc;
        return cells_read(machine, instruction);
    case RUN_IMAGE:
        ++*pc;
        return cells_read_image(machine, instruction);
    case RUN_COPY: {
        int from = argument_register(machine, instruction, 0);
        machine->bits[instruction->target] = machine->bits[from];
        machine->shadows[instruction->target] = machine->shadows[from];
        ++*pc;
        return true;
    }
    case RUN_STORE:
        ++*pc;
        return count_step(machine) && cells_store(machine, instruction);
    case RUN_ALLOCATE:
        ++*pc;
        return count_step(machine) && cells_allocate(machine, instruction);
    case RUN_RELEASE:
        ++*pc;
        return cells_release(machine, instruction);
    case RUN_COMPUTE:
        ++*pc;
        return cells_set_bounds(machine, instruction);
    case RUN_UNLESS:
        *pc = argument(machine, instruction, 0) ? *pc + 1 : instruction->jump;
        return count_step(machine) && machine_written(machine, instruction, 1, "the condition");
    case RUN_JUMP:
        *pc = instruction->jump;
        return true;
    case RUN_LOOP:
        return count_step(machine) && start_loop(machine, instruction, pc);
    case RUN_NEXT:
        next_iteration(machine, instruction, pc);
        return count_step(machine);
    case RUN_ASSERT:
        *pc = argument(machine, instruction, 0) ? instruction->jump : *pc + 1;
        return count_step(machine) && machine_written(machine, instruction, 1, "the condition");
    case RUN_REFUSE:
        return refuse(machine, instruction);
    case RUN_END:
        break;
    }
    return false;
}

static void start_funcs(Machine *machine) {
    const Signature *signature = machine->signature;
    machine->funcs = arena_array(machine->arena, FuncMemory, signature->funcs.length);
    for (size_t i = 0; i < signature->funcs.length; i++) {
        machine->funcs[i].shape = signature->funcs.data[i];
        machine->funcs[i].first_output = -1;
    }
    int image = 0;
    for (size_t i = 0; i < signature->outputs.length; i++)
        for (size_t f = 0; f < signature->funcs.length; f++)
            if (signature->funcs.data[f]->name == signature->outputs.data[i].func) {
                machine->funcs[f].first_output = image;
                image += signature->funcs.data[f]->components;
            }
}

static void start_registers(Machine *machine, Context *context) {
    const RunProgram *code = machine->code;
    machine->bits = arena_array(machine->arena, Bits, code->registers.length);
    machine->shadows = arena_array(machine->arena, uint8_t, code->registers.length);
    for (size_t i = 0; i < code->starts.length; i++) {
        RegisterStart start = code->starts.data[i];
        if (start.variable && !argument_variable(machine->signature, machine->arguments, context,
                                                 start.variable, &start.bits))
            hlc_assert(false, "a free variable of a program is a startup variable");
        machine->bits[start.target] = start.bits;
    }
}

Outcome run_program(const Program *program, Arena *arena, const Arguments *arguments,
                    const RunOptions *options) {
    Machine machine = {.signature = program->signature,
                       .arena = arena,
                       .code = run_compile(program, arena),
                       .arguments = arguments,
                       .options = *options,
                       .random = options->seed,
                       .outcome = {.error = HLC_SUCCESS}};
    start_funcs(&machine);
    start_registers(&machine, program->pool->context);
    machine.loops = arena_array(arena, LoopState, machine.code->loops);
    for (size_t pc = 0; step(&machine, &pc);)
        ;
    return machine.outcome;
}

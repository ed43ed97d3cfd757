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
#include "lower/run.h"

#include "lower/run_code.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define MEMORY_LIMIT ((size_t)8 << 30) /* bytes of one func, without an option */
#define CELL_BYTES   (sizeof(Bits) + 1)

/* A func's memory while its allocate statement is in scope. */
typedef struct FuncMemory {
    const FuncShape *shape;
    bool live;
    int64_t minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], stride[MAX_DIMENSIONS];
    bool computing; /* inside its compute statement, whose bounds are */
    int64_t compute_minimum[MAX_DIMENSIONS], compute_length[MAX_DIMENSIONS];
    size_t cells, capacity; /* of each component */
    Bits *bits;             /* components one after another, `cells` apart */
    uint8_t *shadows;       /* likewise */
    int first_output;       /* its first image among the outputs, or -1 */
} FuncMemory;

typedef struct LoopState {
    int64_t minimum, length, done;
} LoopState;

typedef struct Machine {
    const Signature *signature;
    Arena *arena;
    const RunProgram *code;
    const Arguments *arguments;
    RunOptions options;
    Bits *bits;       /* by register */
    uint8_t *shadows; /* by register */
    FuncMemory *funcs;
    LoopState *loops;
    uint64_t random, steps;
    Outcome outcome;
} Machine;

/* ---- failures ---- */

static bool fail(Machine *machine, int error, const char *subject, const int64_t *numbers,
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
__attribute__((format(printf, 3, 4))) static bool broken(Machine *machine, const Stmt *stmt,
                                                         const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *subject =
        stmt ? arena_format(machine->arena, "%s, in %s", text, describe(machine, stmt)) : text;
    return fail(machine, HLC_ERROR_INTERNAL, subject, NULL, 0);
}

/* Is no argument shadowed?  `what` says what would depend on unwritten memory. */
static bool all_written(Machine *machine, const Instruction *instruction, int count,
                        const char *what) {
    const int *registers = &machine->code->arguments.data[instruction->first];
    for (int i = 0; i < count; i++)
        if (machine->shadows[registers[i]])
            return broken(machine, instruction->stmt, "%s depends on memory never written", what);
    return true;
}

static inline Bits argument(const Machine *machine, const Instruction *instruction, int i) {
    return machine->bits[machine->code->arguments.data[instruction->first + i]];
}

/* ---- memory ---- */

/* splitmix64 */
static uint64_t next_random(Machine *machine) {
    uint64_t z = machine->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Takes the intervals, says how many cells that is.  False on a negative length or too many. */
static bool set_extent(Machine *machine, const Instruction *instruction, FuncMemory *memory) {
    const FuncShape *shape = memory->shape;
    int64_t cells = 1;
    bool fits = true;
    for (int k = 0; k < shape->dimensions; k++) {
        memory->minimum[k] = argument(machine, instruction, 2 * k);
        memory->length[k] = argument(machine, instruction, 2 * k + 1);
        memory->stride[k] = cells;
        if (memory->length[k] < 0)
            return broken(machine, instruction->stmt, "the length of dimension %d is %" PRId64, k,
                          memory->length[k]);
        if (memory->length[k] == 0)
            fits = true, cells = 0;
        else if (cells && __builtin_mul_overflow(cells, memory->length[k], &cells))
            fits = false, cells = 1;
    }
    size_t limit = machine->options.memory_limit ? machine->options.memory_limit : MEMORY_LIMIT;
    size_t cell = CELL_BYTES * (size_t)shape->components;
    if (!fits || (uint64_t)cells > limit / cell)
        return fail(machine, HLC_ERROR_OUT_OF_MEMORY, shape->name->text,
                    &(int64_t){fits && cells < INT64_MAX / (int64_t)cell ? cells * (int64_t)cell
                                                                         : INT64_MAX},
                    1);
    memory->cells = (size_t)cells;
    return true;
}

/* (arbitrary contents, those intervals) */
static bool allocate(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    if (!all_written(machine, instruction, instruction->count, "a bound") ||
        !set_extent(machine, instruction, memory))
        return false;
    const FuncShape *shape = memory->shape;
    size_t total = memory->cells * (size_t)shape->components;
    if (total > memory->capacity) {
        memory->capacity = total > 2 * memory->capacity ? total : 2 * memory->capacity;
        memory->bits = arena_array(machine->arena, Bits, memory->capacity);
        memory->shadows = arena_array(machine->arena, uint8_t, memory->capacity);
    }
    for (int c = 0; c < shape->components; c++)
        for (size_t i = 0; i < memory->cells; i++)
            memory->bits[(size_t)c * memory->cells + i] =
                bits_wrap(shape->types[c], (int64_t)next_random(machine));
    if (total)
        memset(memory->shadows, 1, total);
    memory->live = true;
    memory->computing = false;
    return true;
}

/* The cell of a point, or SIZE_MAX outside. */
static size_t cell_at(const FuncMemory *memory, const int64_t *point, int *outside) {
    size_t cell = 0;
    for (int k = 0; k < memory->shape->dimensions; k++) {
        uint64_t offset = (uint64_t)point[k] - (uint64_t)memory->minimum[k];
        if (offset >= (uint64_t)memory->length[k]) {
            *outside = k;
            return SIZE_MAX;
        }
        cell += offset * (uint64_t)memory->stride[k];
    }
    return cell;
}

/* The cell that the first arguments name; reports an access outside the memory. */
static size_t access_cell(Machine *machine, const Instruction *instruction,
                          const FuncMemory *memory, const char *verb) {
    int64_t point[MAX_DIMENSIONS];
    int outside = 0;
    const char *name = memory->shape->name->text;
    for (int k = 0; k < memory->shape->dimensions; k++)
        point[k] = argument(machine, instruction, k);
    if (!memory->live) {
        broken(machine, instruction->stmt, "%s is %s outside the scope of its memory", name, verb);
        return SIZE_MAX;
    }
    size_t cell = cell_at(memory, point, &outside);
    if (cell == SIZE_MAX)
        broken(machine, instruction->stmt,
               "%s is %s at %" PRId64 " in dimension %d, outside its memory (%" PRId64 ", %" PRId64
               ")",
               name, verb, point[outside], outside, memory->minimum[outside],
               memory->length[outside]);
    return cell;
}

static bool read_func(Machine *machine, const Instruction *instruction) {
    const FuncMemory *memory = &machine->funcs[instruction->object];
    size_t cell = access_cell(machine, instruction, memory, "read");
    if (cell == SIZE_MAX)
        return false;
    cell += instruction->component * memory->cells;
    uint8_t shadow = memory->shadows[cell];
    for (int i = 0; i < instruction->count; i++)
        shadow |= machine->shadows[machine->code->arguments.data[instruction->first + i]];
    machine->bits[instruction->target] = memory->bits[cell];
    machine->shadows[instruction->target] = shadow;
    return true;
}

static bool read_image(Machine *machine, const Instruction *instruction) {
    const Image *image = &machine->arguments->images[instruction->object];
    const ImageParameter *parameter = &machine->signature->images.data[instruction->object];
    int64_t point[MAX_IMAGE_DIMENSIONS];
    uint8_t shadow = 0;
    for (int k = 0; k < instruction->count; k++) {
        point[k] = argument(machine, instruction, k);
        shadow |= machine->shadows[machine->code->arguments.data[instruction->first + k]];
        uint64_t offset = (uint64_t)point[k] - (uint64_t)image->minimum[k];
        if (image->extent[k] < 0 || offset >= (uint64_t)image->extent[k])
            return broken(machine, instruction->stmt,
                          "%s is read at %" PRId64 " in dimension %d, outside its extent (%" PRId64
                          ", %" PRId64 ")",
                          parameter->name->text, point[k], k, image->minimum[k], image->extent[k]);
    }
    machine->bits[instruction->target] = bits_load(parameter->type, image_at(image, point));
    machine->shadows[instruction->target] = shadow;
    return true;
}

static bool inside_compute_bounds(const FuncMemory *memory, const Machine *machine,
                                  const Instruction *instruction) {
    if (!memory->computing)
        return false;
    for (int k = 0; k < memory->shape->dimensions; k++) {
        uint64_t offset =
            (uint64_t)argument(machine, instruction, k) - (uint64_t)memory->compute_minimum[k];
        if (offset >= (uint64_t)memory->compute_length[k])
            return false;
    }
    return true;
}

static bool store(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    int dimensions = memory->shape->dimensions;
    if (!all_written(machine, instruction, dimensions, "a write index"))
        return false;
    if (inside_compute_bounds(memory, machine, instruction) &&
        !all_written(machine, instruction, instruction->count,
                     "a value written inside the compute bounds"))
        return false;
    size_t cell = access_cell(machine, instruction, memory, "written");
    if (cell == SIZE_MAX)
        return false;
    for (int c = 0; c < memory->shape->components; c++, cell += memory->cells) {
        int reg = machine->code->arguments.data[instruction->first + dimensions + c];
        memory->bits[cell] = machine->bits[reg];
        memory->shadows[cell] = machine->shadows[reg];
    }
    return true;
}

static bool set_compute_bounds(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    if (!all_written(machine, instruction, instruction->count, "a bound"))
        return false;
    for (int k = 0; k < memory->shape->dimensions; k++) {
        memory->compute_minimum[k] = argument(machine, instruction, 2 * k);
        memory->compute_length[k] = argument(machine, instruction, 2 * k + 1);
        if (memory->compute_length[k] < 0)
            return broken(machine, instruction->stmt, "the length of dimension %d is %" PRId64, k,
                          memory->compute_length[k]);
    }
    memory->computing = true;
    return true;
}

/* ---- the output's window ---- */

/* The next point of the window, first dimension fastest; false after the last. */
static bool next_point(const Image *window, int64_t *point) {
    for (int k = 0; k < window->dimensions; k++) {
        if (++point[k] - window->minimum[k] < window->extent[k])
            return true;
        point[k] = window->minimum[k];
    }
    return false;
}

/* "(3, -1)" */
static const char *point_text(Machine *machine, const int64_t *point, int dimensions) {
    const char *text = "(";
    for (int k = 0; k < dimensions; k++)
        text = arena_format(machine->arena, "%s%s%" PRId64, text, k ? ", " : "", point[k]);
    return arena_format(machine->arena, "%s)", text);
}

static bool copy_window(Machine *machine, const Instruction *instruction, const FuncMemory *memory,
                        int component) {
    const Image *window = &machine->arguments->outputs[memory->first_output + component];
    int64_t point[MAX_DIMENSIONS] = {0};
    int outside = 0;
    if (image_count(window) == 0)
        return true;
    memcpy(point, window->minimum, sizeof window->minimum[0] * (size_t)window->dimensions);
    do {
        size_t cell = cell_at(memory, point, &outside);
        if (cell == SIZE_MAX)
            return broken(machine, instruction->stmt,
                          "the window reaches %" PRId64
                          " in dimension %d, outside the memory of %s",
                          point[outside], outside, memory->shape->name->text);
        cell += (size_t)component * memory->cells;
        if (memory->shadows[cell])
            return broken(machine, instruction->stmt, "%s%s of the window was never written",
                          memory->shape->name->text,
                          point_text(machine, point, window->dimensions));
        bits_store(window->type, image_at(window, point), memory->bits[cell]);
    } while (next_point(window, point));
    return true;
}

static bool release(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    if (memory->first_output >= 0)
        for (int c = 0; c < memory->shape->components; c++)
            if (!copy_window(machine, instruction, memory, c))
                return false;
    memory->live = false;
    return true;
}

/* ---- operators ---- */

static bool apply(Machine *machine, const Instruction *instruction) {
    Bits arguments[OP_MAX_ARITY];
    Type operands[OP_MAX_ARITY];
    uint8_t shadow = 0;
    for (int i = 0; i < instruction->count; i++) {
        int reg = machine->code->arguments.data[instruction->first + i];
        arguments[i] = machine->bits[reg];
        operands[i] = machine->code->registers.data[reg];
        shadow |= machine->shadows[reg];
    }
    Value value = value_apply((Op)instruction->op, instruction->type, operands, arguments, NULL);
    if (value.error == ERROR_INDEX)
        return fail(machine, HLC_ERROR_INDEX_RANGE, describe(machine, instruction->stmt), NULL, 0);
    machine->bits[instruction->target] = value.bits;
    machine->shadows[instruction->target] = shadow;
    return true;
}

/* ---- loops ---- */

/* The loop variable after `done` iterations, in the order that the options ask for. */
static int64_t iteration(const Machine *machine, const Instruction *instruction,
                         const LoopState *loop) {
    uint64_t done = (uint64_t)loop->done, length = (uint64_t)loop->length;
    if (instruction->stmt->loop.traversal == TRAVERSE_PARALLEL)
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

/* Starts a loop; `*pc` is where to go on. */
static bool start_loop(Machine *machine, const Instruction *instruction, size_t *pc) {
    LoopState *loop = &machine->loops[instruction->object];
    if (!all_written(machine, instruction, 2, "a bound"))
        return false;
    loop->minimum = argument(machine, instruction, 0);
    loop->length = argument(machine, instruction, 1);
    loop->done = 0;
    const Stmt *stmt = instruction->stmt;
    if (loop->length < 0 && !stmt->loop.pure)
        return fail(machine, HLC_ERROR_RDOM_LENGTH, stmt->loop.binder->text, &loop->length, 1);
    if (loop->length < 0)
        return broken(machine, stmt, "the length is %" PRId64, loop->length);
    machine->shadows[instruction->target] = 0;
    machine->bits[instruction->target] = iteration(machine, instruction, loop);
    *pc = loop->length == 0 ? instruction->jump : *pc + 1;
    return true;
}

static void next_iteration(Machine *machine, const Instruction *instruction, size_t *pc) {
    LoopState *loop = &machine->loops[instruction->object];
    if (++loop->done >= loop->length) {
        *pc += 1;
        return;
    }
    machine->bits[instruction->target] = iteration(machine, instruction, loop);
    *pc = instruction->jump;
}

static bool refuse(Machine *machine, const Instruction *instruction) {
    int64_t numbers[10] = {0};
    for (int i = 0; i < instruction->count && i < 10; i++)
        numbers[i] = argument(machine, instruction, i);
    const Stmt *stmt = instruction->stmt;
    return fail(machine, stmt->assertion.error, stmt->assertion.subject, numbers,
                instruction->count);
}

/* ---- the machine ---- */

static bool count_step(Machine *machine) {
    machine->steps++;
    if (machine->options.budget && machine->steps > machine->options.budget)
        return fail(machine, HLC_ERROR_BUDGET, machine->signature->name->text,
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
        return read_func(machine, instruction);
    case RUN_IMAGE:
        ++*pc;
        return read_image(machine, instruction);
    case RUN_COPY: {
        int from = machine->code->arguments.data[instruction->first];
        machine->bits[instruction->target] = machine->bits[from];
        machine->shadows[instruction->target] = machine->shadows[from];
        ++*pc;
        return true;
    }
    case RUN_STORE:
        ++*pc;
        return count_step(machine) && store(machine, instruction);
    case RUN_ALLOCATE:
        ++*pc;
        return count_step(machine) && allocate(machine, instruction);
    case RUN_RELEASE:
        ++*pc;
        return release(machine, instruction);
    case RUN_COMPUTE:
        ++*pc;
        return set_compute_bounds(machine, instruction);
    case RUN_UNLESS:
        *pc = argument(machine, instruction, 0) ? *pc + 1 : instruction->jump;
        return count_step(machine) &&
               all_written(machine, instruction, 1, "the condition");
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
        return count_step(machine) &&
               all_written(machine, instruction, 1, "the condition");
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

/* memory.c -- the memory of funcs in a run of the target interpreter.
 *
 * A cell has its bits, a shadow bit and, in the formal readings, an error value (machine.c). A
 * checker remembers who accessed it (RunChecks).
 */
#include "ir/interpret/machine.h"

#include <inttypes.h>
#include <string.h>

#define MEMORY_LIMIT ((size_t)8 << 30) /* bytes for one func, if the options set no limit */
#define CELL_BYTES   (sizeof(Bits) + 2 + MOST_HISTORY_BYTES) /* over all arrays */

/* ---- allocating ---- */

static const FuncShape *shape_of(const RunMachine *machine, const RunInstruction *instruction) {
    return machine->shapes[instruction->object];
}

/* Sets the box of the memory from the intervals, and counts its cells. Returns false for a negative
 * length or too many cells. */
static bool set_extent(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory) {
    const FuncShape *shape = shape_of(machine, instruction);
    int64_t cells = 1;
    bool fits = true;
    for (int k = 0; k < shape->dimensions; k++) {
        memory->minimum[k] = argument(machine, instruction, 2 * k);
        memory->length[k] = argument(machine, instruction, 2 * k + 1);
        memory->stride[k] = cells;
        if (memory->length[k] < 0)
            return machine_broken(machine, instruction->stmt,
                                  "the length of dimension %d is %" PRId64, k, memory->length[k]);
        if (memory->length[k] == 0)
            fits = true, cells = 0;
        else if (cells && __builtin_mul_overflow(cells, memory->length[k], &cells))
            fits = false, cells = 1;
    }
    size_t limit = machine->options.memory_limit ? machine->options.memory_limit : MEMORY_LIMIT;
    size_t cell = CELL_BYTES * (size_t)shape->components;
    if (!fits || (uint64_t)cells > limit / cell)
        return machine_fail(machine, HLC_ERROR_OUT_OF_MEMORY, shape->name->text,
                            &(int64_t){fits && cells < INT64_MAX / (int64_t)cell
                                           ? cells * (int64_t)cell
                                           : INT64_MAX},
                            1);
    memory->cells = (size_t)cells;
    return true;
}

/* Reserves room for the cells of all components. */
static void reserve(RunMachine *machine, FuncMemory *memory, size_t total) {
    Arena *arena = machine->arena;
    if (total <= memory->capacity)
        return;
    memory->capacity = total > 2 * memory->capacity ? total : 2 * memory->capacity;
    memory->bits = arena_array(arena, Bits, memory->capacity);
    memory->shadows = arena_array(arena, uint8_t, memory->capacity);
    if (machine->options.reading != RUN_TOTAL)
        memory->errors = arena_array(arena, uint8_t, memory->capacity);
}

uint64_t machine_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Fills the memory with arbitrary contents, marked as never written. */
static void clear(RunMachine *machine, FuncMemory *memory, const FuncShape *shape, size_t total) {
    for (int c = 0; c < shape->components; c++)
        for (size_t i = 0; i < memory->cells; i++)
            memory->bits[(size_t)c * memory->cells + i] =
                bits_wrap(shape->types[c], (int64_t)machine_random(&machine->random));
    memset(memory->shadows, 1, total);
    if (memory->errors)
        memset(memory->errors, ERROR_NONE, total);
}

/* Fills the memory with arbitrary contents, or with the table. Returns the number of new cells.
 * Skips a table that is already there, because a loop may allocate a large one in each iteration.
 */
static size_t fill(RunMachine *machine, FuncMemory *memory, const FuncShape *shape, size_t total,
                   const uint8_t *table) {
    if (total == 0 || (table && table == memory->table))
        return 0;
    memory->table = table;
    clear(machine, memory, shape, total);
    for (int c = 0; table && c < shape->components; c++)
        for (size_t i = 0; i < memory->cells; i++) {
            size_t cell = (size_t)c * memory->cells + i;
            memory->bits[cell] = bits_load(shape->types[c], table);
            memory->shadows[cell] = 0;
            table += type_bytes(shape->types[c]);
        }
    return total;
}

bool cells_allocate(RunMachine *machine, const RunInstruction *instruction) {
    FuncView *view = &machine->thread->funcs[instruction->object];
    FuncMemory *memory = &view->own;
    if (!machine_settled(machine, instruction, instruction->count, "a bound") ||
        !set_extent(machine, instruction, memory))
        return false;
    const FuncShape *shape = shape_of(machine, instruction);
    size_t total = memory->cells * (size_t)shape->components;
    reserve(machine, memory, total);
    size_t fresh = fill(machine, memory, shape, total, instruction->stmt->allocate.storage->table);
    if (machine->checks)
        machine->checks->allocate(machine, memory, fresh);
    view->memory = memory;
    view->computing = false;
    return true;
}

/* ---- accesses ---- */

/* Returns the cell of a point; SIZE_MAX if the point lies outside. */
static size_t cell_at(const FuncMemory *memory, int dimensions, const int64_t *point,
                      int *outside) {
    size_t cell = 0;
    for (int k = 0; k < dimensions; k++) {
        uint64_t offset = (uint64_t)point[k] - (uint64_t)memory->minimum[k];
        if (offset >= (uint64_t)memory->length[k]) {
            *outside = k;
            return SIZE_MAX;
        }
        cell += offset * (uint64_t)memory->stride[k];
    }
    return cell;
}

/* Returns the cell that the first arguments name; SIZE_MAX outside the memory, after reporting in
 * the total reading. */
static size_t access_cell(RunMachine *machine, const RunInstruction *instruction,
                          const FuncMemory *memory, const char *verb) {
    int64_t point[MAX_DIMENSIONS];
    int outside = 0;
    const FuncShape *shape = shape_of(machine, instruction);
    for (int k = 0; k < shape->dimensions; k++)
        point[k] = argument(machine, instruction, k);
    size_t cell = cell_at(memory, shape->dimensions, point, &outside);
    if (cell == SIZE_MAX && machine->options.reading == RUN_TOTAL)
        machine_broken(machine, instruction->stmt,
                       "%s is %s at %" PRId64 " in dimension %d, outside its memory (%" PRId64
                       ", %" PRId64 ")",
                       shape->name->text, verb, point[outside], outside, memory->minimum[outside],
                       memory->length[outside]);
    return cell;
}

/* Returns the memory in scope; null after failing. */
static FuncMemory *live_memory(RunMachine *machine, const RunInstruction *instruction,
                               const char *verb) {
    FuncMemory *memory = machine->thread->funcs[instruction->object].memory;
    if (!memory)
        machine_broken(machine, instruction->stmt, "%s is %s outside the scope of its memory",
                       shape_of(machine, instruction)->name->text, verb);
    return memory;
}

/* Passes the access to the observer. Register `reg` has the value. */
static void tell_access(RunMachine *machine, const RunInstruction *instruction, Symbol name,
                        int dimensions, int component, Type type, int reg) {
    const RunThread *thread = machine->thread;
    RunAccess access = {.stmt = instruction->stmt,
                        .name = name,
                        .is_write = instruction->code == RUN_STORE,
                        .is_known = !thread->shadows[reg],
                        .component = component,
                        .dimensions = dimensions,
                        .type = type,
                        .bits = thread->bits[reg]};
    for (int k = 0; k < dimensions; k++)
        access.point[k] = argument(machine, instruction, k);
    machine->options.watch(machine->options.watch_data, &access);
}

/* Sets the result of a read: the greatest error among the indices, or else the value read. */
static void set_read(RunMachine *machine, const RunInstruction *instruction, Bits bits,
                     uint8_t shadow, uint8_t error) {
    RunThread *thread = machine->thread;
    uint8_t indices = machine_error(machine, instruction, instruction->count);
    for (int i = 0; i < instruction->count; i++)
        shadow |= thread->shadows[argument_register(machine, instruction, i)];
    thread->bits[instruction->target] = bits;
    thread->shadows[instruction->target] = shadow;
    thread->errors[instruction->target] = indices ? indices : error;
    if (!machine->options.watch)
        return;
    Symbol name = instruction->code == RUN_IMAGE
                      ? machine->signature->images.data[instruction->object].name
                      : shape_of(machine, instruction)->name;
    tell_access(machine, instruction, name, instruction->count, instruction->component,
                instruction->type, instruction->target);
}

/* Reads err_mem with arbitrary bits. Returns false in the total reading, which has reported the
 * access. */
static bool read_outside(RunMachine *machine, const RunInstruction *instruction) {
    Bits bits = bits_wrap(instruction->type, (int64_t)machine_random(&machine->random));
    set_read(machine, instruction, bits, 0, ERROR_MEM);
    return machine->options.reading != RUN_TOTAL;
}

/* Does each index lie in its interval for all contents of unwritten memory? Checked only if
 * compiled code runs next. Returns false after failing. */
static bool is_inside_always(RunMachine *machine, const RunInstruction *instruction,
                             const char *name, const int64_t *minima, const int64_t *lengths) {
    if (!machine->producers)
        return true;
    for (int k = 0; k < instruction->count; k++)
        if (machine->thread->shadows[argument_register(machine, instruction, k)] &&
            !poison_index(machine, instruction, name, k, minima[k], lengths[k]))
            return false;
    return true;
}

bool cells_read(RunMachine *machine, const RunInstruction *instruction) {
    FuncMemory *memory = live_memory(machine, instruction, "read");
    if (!memory ||
        !is_inside_always(machine, instruction, shape_of(machine, instruction)->name->text,
                          memory->minimum, memory->length))
        return false;
    size_t cell = access_cell(machine, instruction, memory, "read");
    if (cell == SIZE_MAX)
        return read_outside(machine, instruction);
    cell += instruction->component * memory->cells;
    set_read(machine, instruction, memory->bits[cell], memory->shadows[cell],
             memory->errors ? memory->errors[cell] : ERROR_NONE);
    return !machine->checks || machine->checks->read(machine, instruction, memory, cell);
}

bool cells_read_image(RunMachine *machine, const RunInstruction *instruction) {
    const Image *image = &machine->arguments->images[instruction->object];
    const ImageParameter *parameter = &machine->signature->images.data[instruction->object];
    int64_t point[MAX_IMAGE_DIMENSIONS];
    if (!is_inside_always(machine, instruction, parameter->name->text, image->minimum,
                          image->extent))
        return false;
    for (int k = 0; k < instruction->count; k++) {
        point[k] = argument(machine, instruction, k);
        uint64_t offset = (uint64_t)point[k] - (uint64_t)image->minimum[k];
        if (image->extent[k] >= 0 && offset < (uint64_t)image->extent[k])
            continue;
        if (machine->options.reading == RUN_TOTAL)
            machine_broken(machine, instruction->stmt,
                           "%s is read at %" PRId64 " in dimension %d, outside its extent (%" PRId64
                           ", %" PRId64 ")",
                           parameter->name->text, point[k], k, image->minimum[k], image->extent[k]);
        return read_outside(machine, instruction);
    }
    set_read(machine, instruction, bits_load(parameter->type, image_at(image, point)), 0,
             ERROR_NONE);
    return true;
}

static bool inside_compute_bounds(const RunMachine *machine, const RunInstruction *instruction) {
    const FuncView *view = &machine->thread->funcs[instruction->object];
    if (!view->computing)
        return false;
    for (int k = 0; k < shape_of(machine, instruction)->dimensions; k++) {
        uint64_t offset =
            (uint64_t)argument(machine, instruction, k) - (uint64_t)view->compute_minimum[k];
        if (offset >= (uint64_t)view->compute_length[k])
            return false;
    }
    return true;
}

/* Handles a write outside the memory, or at an index that is an error: makes each point err_mem. */
static bool spoil(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory) {
    size_t total = memory->cells * (size_t)shape_of(machine, instruction)->components;
    if (machine->options.reading == RUN_TOTAL)
        return false;
    if (total) {
        memset(memory->errors, ERROR_MEM, total);
        memset(memory->shadows, 0, total);
    }
    return true;
}

static bool write_cell(RunMachine *machine, const RunInstruction *instruction, FuncMemory *memory,
                       size_t cell, int component) {
    const FuncShape *shape = shape_of(machine, instruction);
    const RunThread *thread = machine->thread;
    int reg = argument_register(machine, instruction, shape->dimensions + component);
    uint8_t shadow = thread->shadows[reg];
    /* A write of an arbitrary value over an arbitrary value is no change. A tail's extra points may
     * be arbitrary in one iteration and known in another, which finds more written data. No
     * consumer needs these points, so the cell stays arbitrary if either value is. */
    bool arbitrary = (shadow || memory->shadows[cell]) &&
                     !inside_compute_bounds(machine, instruction) && machine->checks &&
                     machine->checks->is_open(machine, memory, cell);
    if (arbitrary)
        shadow = memory->shadows[cell] | shadow;
    bool changes =
        !arbitrary &&
        (shadow != memory->shadows[cell] ||
         (!shadow && !bits_same(shape->types[component], memory->bits[cell], thread->bits[reg])) ||
         (memory->errors && memory->errors[cell] != thread->errors[reg]));
    memory->bits[cell] = thread->bits[reg];
    memory->shadows[cell] = shadow;
    if (memory->errors)
        memory->errors[cell] = thread->errors[reg];
    if (machine->options.watch)
        tell_access(machine, instruction, shape->name, shape->dimensions, component,
                    shape->types[component], reg);
    return !machine->checks || machine->checks->write(machine, instruction, memory, cell, changes);
}

bool cells_store(RunMachine *machine, const RunInstruction *instruction) {
    const FuncShape *shape = shape_of(machine, instruction);
    FuncMemory *memory = live_memory(machine, instruction, "written");
    if (!memory || !machine_written(machine, instruction, shape->dimensions, "a write index"))
        return false;
    if (inside_compute_bounds(machine, instruction) &&
        !machine_written(machine, instruction, instruction->count,
                         "a value written inside the compute bounds"))
        return false;
    size_t cell = SIZE_MAX;
    if (!machine_error(machine, instruction, shape->dimensions))
        cell = access_cell(machine, instruction, memory, "written");
    if (cell == SIZE_MAX)
        return spoil(machine, instruction, memory);
    for (int c = 0; c < shape->components; c++, cell += memory->cells)
        if (!write_cell(machine, instruction, memory, cell, c))
            return false;
    return true;
}

bool cells_set_bounds(RunMachine *machine, const RunInstruction *instruction) {
    FuncView *view = &machine->thread->funcs[instruction->object];
    if (!machine_settled(machine, instruction, instruction->count, "a bound"))
        return false;
    for (int k = 0; k < shape_of(machine, instruction)->dimensions; k++) {
        view->compute_minimum[k] = argument(machine, instruction, 2 * k);
        view->compute_length[k] = argument(machine, instruction, 2 * k + 1);
        if (view->compute_length[k] < 0)
            return machine_broken(machine, instruction->stmt,
                                  "the length of dimension %d is %" PRId64, k,
                                  view->compute_length[k]);
    }
    view->computing = true;
    return true;
}

/* ---- the output's window ---- */

/* Moves to the next point of the window, first dimension fastest. Returns false after the last. */
static bool next_point(const Image *window, int64_t *point) {
    for (int k = 0; k < window->dimensions; k++) {
        if (++point[k] - window->minimum[k] < window->extent[k])
            return true;
        point[k] = window->minimum[k];
    }
    return false;
}

/* Prints a point: "(3, -1)". */
static const char *point_text(RunMachine *machine, const int64_t *point, int dimensions) {
    const char *text = "(";
    for (int k = 0; k < dimensions; k++)
        text = arena_format(machine->arena, "%s%s%" PRId64, text, k ? ", " : "", point[k]);
    return arena_format(machine->arena, "%s)", text);
}

static void note_error(RunMachine *machine, const RunInstruction *instruction, int component,
                       uint8_t error, const int64_t *point) {
    ErrorPoint *first = machine->options.first_error;
    const FuncShape *shape = shape_of(machine, instruction);
    if (!error || !first || first->error)
        return;
    *first = (ErrorPoint){.error = error, .func = shape->name, .component = component};
    memcpy(first->point, point, sizeof *point * (size_t)shape->dimensions);
}

/* Copies one point of the window. */
static bool copy_point(RunMachine *machine, const RunInstruction *instruction,
                       const FuncMemory *memory, int component, const int64_t *point) {
    const FuncShape *shape = shape_of(machine, instruction);
    const Image *window =
        &machine->arguments->outputs[machine->first_outputs[instruction->object] + component];
    int outside = 0;
    size_t cell = cell_at(memory, shape->dimensions, point, &outside);
    if (cell == SIZE_MAX && machine->options.reading == RUN_TOTAL)
        return machine_broken(machine, instruction->stmt,
                              "the window reaches %" PRId64
                              " in dimension %d, outside the memory of %s",
                              point[outside], outside, shape->name->text);
    if (cell == SIZE_MAX) {
        note_error(machine, instruction, component, ERROR_MEM, point);
        return true;
    }
    cell += (size_t)component * memory->cells;
    if (memory->shadows[cell])
        return machine_broken(machine, instruction->stmt, "%s%s of the window was never written",
                              shape->name->text, point_text(machine, point, window->dimensions));
    bits_store(window->type, image_at(window, point), memory->bits[cell]);
    if (memory->errors)
        note_error(machine, instruction, component, memory->errors[cell], point);
    return true;
}

static bool copy_window(RunMachine *machine, const RunInstruction *instruction,
                        const FuncMemory *memory, int component) {
    const Image *window =
        &machine->arguments->outputs[machine->first_outputs[instruction->object] + component];
    int64_t point[MAX_DIMENSIONS] = {0};
    if (image_count(window) == 0)
        return true;
    memcpy(point, window->minimum, sizeof window->minimum[0] * (size_t)window->dimensions);
    do
        if (!copy_point(machine, instruction, memory, component, point))
            return false;
    while (next_point(window, point));
    return true;
}

bool cells_release(RunMachine *machine, const RunInstruction *instruction) {
    FuncView *view = &machine->thread->funcs[instruction->object];
    const FuncShape *shape = shape_of(machine, instruction);
    if (machine->first_outputs[instruction->object] >= 0)
        for (int c = 0; c < shape->components; c++)
            if (!copy_window(machine, instruction, view->memory, c))
                return false;
    machine->served[instruction->object] = true;
    view->memory = NULL;
    return true;
}

bool cells_end(RunMachine *machine) {
    for (size_t f = 0; f < machine->signature->funcs.length; f++) {
        int image = machine->first_outputs[f];
        if (image >= 0 && !machine->served[f] && image_count(&machine->arguments->outputs[image]))
            return machine_broken(machine, NULL, "the window of %s was never written",
                                  machine->shapes[f]->name->text);
    }
    return true;
}

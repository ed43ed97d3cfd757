/* run_memory.c -- what funcs hold in a run of the target interpreter.
 *
 * A cell has its bits, a shadow bit (run.c), and the iteration that wrote it last, by number: that
 * of the outermost parallel or vectorized loop around the store.  Two iterations of one such loop
 * may write a cell with equal values only, and one may not read what another wrote (semantics.md,
 * section 3): anything else is a race, and ends the run.  A read that comes before the other
 * iteration's write in one order comes after it in another, so running backward too finds those.
 */
#include "lower/run_machine.h"

#include <inttypes.h>
#include <string.h>

#define MEMORY_LIMIT ((size_t)8 << 30) /* bytes of one func, without an option */
#define CELL_BYTES   (sizeof(Bits) + 1 + sizeof(uint32_t))

/* ---- allocating ---- */

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

/* (arbitrary contents, those intervals) */
bool cells_allocate(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    if (!machine_written(machine, instruction, instruction->count, "a bound") ||
        !set_extent(machine, instruction, memory))
        return false;
    const FuncShape *shape = memory->shape;
    size_t total = memory->cells * (size_t)shape->components;
    if (total > memory->capacity) {
        memory->capacity = total > 2 * memory->capacity ? total : 2 * memory->capacity;
        memory->bits = arena_array(machine->arena, Bits, memory->capacity);
        memory->shadows = arena_array(machine->arena, uint8_t, memory->capacity);
        memory->writers = arena_array(machine->arena, uint32_t, memory->capacity);
    }
    for (int c = 0; c < shape->components; c++)
        for (size_t i = 0; i < memory->cells; i++)
            memory->bits[(size_t)c * memory->cells + i] =
                bits_wrap(shape->types[c], (int64_t)next_random(machine));
    if (total) {
        memset(memory->shadows, 1, total);
        memset(memory->writers, 0, total * sizeof *memory->writers);
    }
    memory->live = true;
    memory->computing = false;
    return true;
}

/* ---- accesses ---- */

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
        machine_broken(machine, instruction->stmt, "%s is %s outside the scope of its memory", name,
                       verb);
        return SIZE_MAX;
    }
    size_t cell = cell_at(memory, point, &outside);
    if (cell == SIZE_MAX)
        machine_broken(machine, instruction->stmt,
                       "%s is %s at %" PRId64 " in dimension %d, outside its memory (%" PRId64
                       ", %" PRId64 ")",
                       name, verb, point[outside], outside, memory->minimum[outside],
                       memory->length[outside]);
    return cell;
}

/* Was the cell written by another iteration of the parallel loop that runs? */
static bool is_anothers(const Machine *machine, const FuncMemory *memory, size_t cell) {
    uint32_t writer = memory->writers[cell];
    return machine->parallel && writer != machine->iteration &&
           writer >= machine->parallel->first_iteration;
}

static bool race(Machine *machine, const Instruction *instruction, const FuncMemory *memory,
                 const char *verb) {
    return machine_broken(
        machine, instruction->stmt, "%s is %s where another iteration of %s wrote it",
        memory->shape->name->text, verb, machine->parallel->stmt->loop.binder->text);
}

bool cells_read(Machine *machine, const Instruction *instruction) {
    const FuncMemory *memory = &machine->funcs[instruction->object];
    size_t cell = access_cell(machine, instruction, memory, "read");
    if (cell == SIZE_MAX)
        return false;
    cell += instruction->component * memory->cells;
    if (is_anothers(machine, memory, cell))
        return race(machine, instruction, memory, "read");
    uint8_t shadow = memory->shadows[cell];
    for (int i = 0; i < instruction->count; i++)
        shadow |= machine->shadows[argument_register(machine, instruction, i)];
    machine->bits[instruction->target] = memory->bits[cell];
    machine->shadows[instruction->target] = shadow;
    return true;
}

bool cells_read_image(Machine *machine, const Instruction *instruction) {
    const Image *image = &machine->arguments->images[instruction->object];
    const ImageParameter *parameter = &machine->signature->images.data[instruction->object];
    int64_t point[MAX_IMAGE_DIMENSIONS];
    uint8_t shadow = 0;
    for (int k = 0; k < instruction->count; k++) {
        point[k] = argument(machine, instruction, k);
        shadow |= machine->shadows[argument_register(machine, instruction, k)];
        uint64_t offset = (uint64_t)point[k] - (uint64_t)image->minimum[k];
        if (image->extent[k] < 0 || offset >= (uint64_t)image->extent[k])
            return machine_broken(machine, instruction->stmt,
                                  "%s is read at %" PRId64
                                  " in dimension %d, outside its extent (%" PRId64 ", %" PRId64 ")",
                                  parameter->name->text, point[k], k, image->minimum[k],
                                  image->extent[k]);
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

bool cells_store(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    int dimensions = memory->shape->dimensions;
    if (!machine_written(machine, instruction, dimensions, "a write index"))
        return false;
    if (inside_compute_bounds(memory, machine, instruction) &&
        !machine_written(machine, instruction, instruction->count,
                         "a value written inside the compute bounds"))
        return false;
    size_t cell = access_cell(machine, instruction, memory, "written");
    if (cell == SIZE_MAX)
        return false;
    for (int c = 0; c < memory->shape->components; c++, cell += memory->cells) {
        int reg = argument_register(machine, instruction, dimensions + c);
        if (is_anothers(machine, memory, cell) &&
            !bits_same(memory->shape->types[c], memory->bits[cell], machine->bits[reg]))
            return race(machine, instruction, memory, "written otherwise");
        memory->writers[cell] = machine->iteration;
        memory->bits[cell] = machine->bits[reg];
        memory->shadows[cell] = machine->shadows[reg];
    }
    return true;
}

bool cells_set_bounds(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    if (!machine_written(machine, instruction, instruction->count, "a bound"))
        return false;
    for (int k = 0; k < memory->shape->dimensions; k++) {
        memory->compute_minimum[k] = argument(machine, instruction, 2 * k);
        memory->compute_length[k] = argument(machine, instruction, 2 * k + 1);
        if (memory->compute_length[k] < 0)
            return machine_broken(machine, instruction->stmt,
                                  "the length of dimension %d is %" PRId64, k,
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
            return machine_broken(machine, instruction->stmt,
                                  "the window reaches %" PRId64
                                  " in dimension %d, outside the memory of %s",
                                  point[outside], outside, memory->shape->name->text);
        cell += (size_t)component * memory->cells;
        if (memory->shadows[cell])
            return machine_broken(machine, instruction->stmt,
                                  "%s%s of the window was never written", memory->shape->name->text,
                                  point_text(machine, point, window->dimensions));
        bits_store(window->type, image_at(window, point), memory->bits[cell]);
    } while (next_point(window, point));
    return true;
}

bool cells_release(Machine *machine, const Instruction *instruction) {
    FuncMemory *memory = &machine->funcs[instruction->object];
    if (memory->first_output >= 0)
        for (int c = 0; c < memory->shape->components; c++)
            if (!copy_window(machine, instruction, memory, c))
                return false;
    memory->live = false;
    return true;
}

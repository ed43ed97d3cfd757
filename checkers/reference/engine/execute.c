/* execute.c -- runs a code's instructions over the lanes of a frame's batch.
 *
 * Each instruction works on all lanes before the next one starts. A register is a vector. It is
 * taken from a pool at its first write, and returned after its last use. Execution may stop at a
 * DEMAND and resume later: the program counter and the registers stay in the frame. In the formal
 * reading each register has an error byte per lane (Def 4.1: the greatest error of the operands).
 */
#include "checkers/reference/engine/engine.h"

#include <string.h>

/* ---- the registers of the code in progress --------------------------------------------------- */

void execute_begin(Engine *engine, EngineFrame *frame, const BatchCode *code,
                   Vector *const *variables) {
    size_t count = (size_t)code->register_count;
    if (frame->register_capacity < count) {
        frame->registers = arena_array(engine->arena, Vector *, count * 2);
        frame->register_capacity = count * 2;
    }
    if (count > 0)
        memcpy(frame->registers, code->initial, count * sizeof *frame->registers);
    for (int v = 0; v < code->variable_count; v++)
        frame->registers[v] = variables[v];
    frame->code = code;
    frame->pc = 0;
    frame->in_narrow = false;
}

void execute_end(Engine *engine, EngineFrame *frame) {
    const BatchCode *code = frame->code;
    if (!code)
        return;
    for (int r = code->variable_count; r < code->register_count; r++)
        if (!code->initial[r])
            vector_give(engine, &frame->registers[r]);
    frame->code = NULL;
}

static Vector *result_of(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction) {
    Vector **slot = &frame->registers[instruction->result];
    if (!*slot)
        *slot = vector_take(engine);
    return *slot;
}

/* ---- points ---------------------------------------------------------------------------------- */

Bits execute_locate(Engine *engine, EngineFrame *frame, Version *target, const int32_t *point) {
    uint32_t offset;
    PointBlock *block = table_find(&target->table, point, &offset);
    pins_add(&frame->pins, block);
    if (!bitmap_has(block->asked, offset)) {
        bitmap_set(block->asked, offset);
        for (int d = 0; d < target->func->shape->dimensions; d++)
            vec_push(engine->arena, &target->asked.coordinates, point[d]);
        target->asked.count++;
    }
    return block_location(block, offset);
}

/* The arguments of an instruction. */
typedef struct Operands {
    const Bits *bits[MAX_DIMENSIONS];
    const uint8_t *errors[MAX_DIMENSIONS];
} Operands;

static Operands fetch(const EngineFrame *frame, const BatchInstruction *instruction,
                      size_t wide_offset) {
    Operands operands;
    for (int i = 0; i < instruction->argument_count; i++) {
        int number = instruction->arguments[i];
        size_t offset = frame->code->is_wide[number] ? wide_offset : 0;
        operands.bits[i] = frame->registers[number]->bits + offset;
        operands.errors[i] = frame->registers[number]->errors + offset;
    }
    return operands;
}

/* Sets `result` to the greatest of the arguments' errors. */
static void spread_errors(const Operands *operands, int arguments, size_t count, uint8_t *result) {
    memset(result, 0, count);
    for (int i = 0; i < arguments; i++)
        for (size_t l = 0; l < count; l++)
            if (operands->errors[i][l] > result[l])
                result[l] = operands->errors[i][l];
}

/* Reads the arguments at lane `lane` as a point. Refuses coordinates outside i32. */
static Status read_point(Engine *engine, const Version *target, const Operands *operands,
                         size_t lane, int32_t *point) {
    for (int d = 0; d < target->func->shape->dimensions; d++) {
        int64_t coordinate = operands->bits[d][lane];
        if (coordinate != (int32_t)coordinate)
            return refuse(engine, HLC_ERROR_COORDINATE_RANGE, target->func->shape->name->text,
                          coordinate, coordinate, d);
        point[d] = (int32_t)coordinate;
    }
    return STATUS_DONE;
}

/* Locates points of another version and requests them, or locates points with values in the own
 * table. */
static Status run_locate(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction,
                         const Operands *operands, size_t count) {
    Vector *result = result_of(engine, frame, instruction);
    bool is_self = instruction->kind == CODE_LOCATE_SELF;
    Version *target = instruction->target;
    int32_t point[MAX_DIMENSIONS];
    for (size_t l = 0; l < count; l++) {
        if (read_point(engine, target, operands, l, point))
            return STATUS_REFUSED;
        result->bits[l] = is_self ? table_location(&target->table, point)
                                  : execute_locate(engine, frame, target, point);
    }
    if (engine->options.formal)
        spread_errors(operands, instruction->argument_count, count, result->errors);
    return is_self ? execute_fill(engine, frame, result->bits, count) : STATUS_DONE;
}

static Status run_demand(Engine *engine, const BatchInstruction *instruction) {
    for (size_t t = 0; t < instruction->target_count; t++)
        if (instruction->targets[t]->asked.count > 0)
            return engine_push(engine, instruction->targets[t]);
    return STATUS_DONE;
}

/* ---- values ---------------------------------------------------------------------------------- */

void execute_record(Engine *engine, const PointTable *table, int component, Bits location,
                    Value value) {
    ReferenceRead read = {.name = table->shape->name,
                          .component = component,
                          .dimensions = table->shape->dimensions,
                          .type = table->shape->types[component],
                          .value = value};
    table_point(table, location, read.point);
    record_read(engine->recording, &read);
}

void execute_record_image(Engine *engine, size_t image, const int64_t *coordinates, Value value) {
    const ImageParameter *parameter = &engine->pipeline->signature.images.data[image];
    ReferenceRead read = {.name = parameter->name,
                          .is_image = true,
                          .dimensions = parameter->dimensions,
                          .type = parameter->type,
                          .value = value};
    memcpy(read.point, coordinates, sizeof *coordinates * (size_t)parameter->dimensions);
    record_read(engine->recording, &read);
}

static bool is_recorded(const Engine *engine, const EngineFrame *frame) {
    return engine->recording && engine->recording->func == frame->version->func->shape->name;
}

static Value lane_value(const Engine *engine, const Vector *vector, size_t lane) {
    return (Value){vector->bits[lane],
                   engine->options.formal ? vector->errors[lane] : (uint8_t)ERROR_NONE};
}

static void run_load(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction,
                     const Operands *operands, size_t count) {
    Vector *result = result_of(engine, frame, instruction);
    bool formal = engine->options.formal;
    table_load(&instruction->target->table, instruction->component, operands->bits[0], count,
               result->bits, formal ? result->errors : NULL);
    for (size_t l = 0; formal && l < count; l++)
        if (operands->errors[0][l] > result->errors[l])
            result->errors[l] = operands->errors[0][l];
    for (size_t l = 0; is_recorded(engine, frame) && l < count; l++)
        execute_record(engine, &instruction->target->table, instruction->component,
                       operands->bits[0][l], lane_value(engine, result, l));
}

Status execute_image(Engine *engine, size_t number, const int64_t *coordinates, Bits *bits) {
    const Image *image = &engine->arguments->images[number];
    int64_t element = 0;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t first = image->minimum[d], coordinate = coordinates[d];
        if (coordinate < first || coordinate - first >= image->extent[d])
            return refuse(engine, HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
                          engine->pipeline->signature.images.data[number].name->text, coordinate,
                          coordinate, d, first, first + image->extent[d] - 1);
        element += (coordinate - first) * image->stride[d];
    }
    *bits = bits_load(image->type, image->data + element * type_bytes(image->type));
    return STATUS_DONE;
}

static Status run_image(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction,
                        const Operands *operands, size_t count) {
    Vector *result = result_of(engine, frame, instruction);
    bool formal = engine->options.formal, recorded = is_recorded(engine, frame);
    if (formal)
        spread_errors(operands, instruction->argument_count, count, result->errors);
    for (size_t l = 0; l < count; l++) {
        int64_t coordinates[MAX_DIMENSIONS];
        for (int d = 0; d < instruction->argument_count; d++)
            coordinates[d] = operands->bits[d][l];
        if (execute_image(engine, instruction->image, coordinates, &result->bits[l]))
            return STATUS_REFUSED;
        if (recorded)
            execute_record_image(engine, instruction->image, coordinates,
                                 lane_value(engine, result, l));
    }
    return STATUS_DONE;
}

static void run_self(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction,
                     size_t wide_offset, size_t count) {
    Vector *result = result_of(engine, frame, instruction);
    const Vector *current = frame->current[instruction->component];
    const uint16_t *tuple = frame->tuple + wide_offset;
    for (size_t l = 0; l < count; l++)
        result->bits[l] = current->bits[tuple[l]];
    for (size_t l = 0; engine->options.formal && l < count; l++)
        result->errors[l] = current->errors[tuple[l]];
}

static Status run_operate(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction,
                          const Operands *operands, size_t count) {
    Vector *result = result_of(engine, frame, instruction);
    bool formal = engine->options.formal;
    ErrorValue left = value_apply_batch(
        (Op)instruction->op, instruction->type, instruction->operands, count, result->bits,
        operands->bits, formal ? result->errors : NULL, formal ? operands->errors : NULL);
    if (left == ERROR_INDEX)
        return refuse(engine, HLC_ERROR_INDEX_RANGE, frame->version->func->shape->name->text, 0);
    if (engine->options.strict && instruction->op == OP_SELECT && !instruction->picks_write)
        spread_errors(operands, instruction->argument_count, count, result->errors);
    return STATUS_DONE;
}

static Status run_one(Engine *engine, EngineFrame *frame, const BatchInstruction *instruction,
                      size_t wide_offset, size_t count) {
    Operands operands = fetch(frame, instruction, wide_offset);
    switch (instruction->kind) {
    case CODE_OPERATE:
        return run_operate(engine, frame, instruction, &operands, count);
    case CODE_LOCATE:
    case CODE_LOCATE_SELF:
        return run_locate(engine, frame, instruction, &operands, count);
    case CODE_DEMAND:
        return run_demand(engine, instruction);
    case CODE_LOAD:
        run_load(engine, frame, instruction, &operands, count);
        return STATUS_DONE;
    case CODE_IMAGE:
        return run_image(engine, frame, instruction, &operands, count);
    case CODE_SELF:
        run_self(engine, frame, instruction, wide_offset, count);
        return STATUS_DONE;
    }
    hlc_assert(false, "an instruction has a kind");
    return STATUS_REFUSED;
}

Status execute(Engine *engine, EngineFrame *frame, bool narrow, size_t offset, size_t count) {
    if (frame->in_narrow != narrow) {
        frame->in_narrow = narrow;
        frame->pc = 0;
    }
    const BatchInstructions *list = narrow ? &frame->code->narrow : &frame->code->wide;
    for (; frame->pc < list->length && count > 0; frame->pc++) {
        const BatchInstruction *instruction = &list->data[frame->pc];
        Status status = run_one(engine, frame, instruction, offset, count);
        if (status != STATUS_DONE)
            return status;
        for (int a = 0; a < instruction->argument_count; a++)
            if (instruction->release >> a & 1)
                vector_give(engine, &frame->registers[instruction->arguments[a]]);
    }
    frame->pc = 0; /* the narrow code runs again for the next step */
    return STATUS_DONE;
}

/* ---- values of the version before ------------------------------------------------------------ */

/* Finds the point of a location. */
static void point_at(const Version *version, Bits location, int32_t *point) {
    int64_t wide[MAX_DIMENSIONS];
    table_point(&version->table, location, wide);
    for (int d = 0; d < version->func->shape->dimensions; d++)
        point[d] = (int32_t)wide[d];
}

/* Returns the error of all unwritten points of a location's slice. */
static uint8_t slice_error(Version *version, Bits location) {
    int32_t point[MAX_DIMENSIONS], tuple[MAX_DIMENSIONS];
    uint32_t offset;
    point_at(version, location, point);
    version_slice(version, point, tuple);
    PointBlock *block = table_find(&version->slices, tuple, &offset);
    return block_values(&version->slices, block, 0)[offset];
}

Status execute_fill(Engine *engine, EngineFrame *frame, const Bits *locations, size_t count) {
    Version *version = frame->version, *previous = version->previous;
    PointStore *store = engine->store;
    Bits own[LANES], theirs[LANES];
    size_t missing = 0;
    for (size_t l = 0; l < count; l++) {
        int32_t point[MAX_DIMENSIONS];
        if (bitmap_has(store_block(store, locations[l])->known, location_offset(locations[l])))
            continue;
        point_at(version, locations[l], point);
        own[missing] = locations[l];
        theirs[missing++] = execute_locate(engine, frame, previous, point);
    }
    if (previous->asked.count > 0)
        return engine_push(engine, previous);
    if (missing == 0)
        return STATUS_DONE;
    Vector *values = vector_take(engine), *poison = vector_take(engine);
    for (int c = 0; c < version->func->shape->components; c++) {
        bool formal = engine->options.formal;
        table_load(&previous->table, c, theirs, missing, values->bits,
                   formal ? values->errors : NULL);
        if (formal) /* an update may have set an error for this point before its request */
            table_load(&version->table, c, own, missing, poison->bits, poison->errors);
        for (size_t l = 0; formal && l < missing; l++) {
            uint8_t slice = slice_error(version, own[l]);
            uint8_t error = poison->errors[l] > slice ? poison->errors[l] : slice;
            if (error > values->errors[l])
                values->errors[l] = error;
        }
        table_store(&version->table, c, own, missing, values->bits, formal ? values->errors : NULL);
    }
    for (size_t l = 0; l < missing; l++)
        bitmap_set(store_block(store, own[l])->known, location_offset(own[l]));
    vector_give(engine, &values);
    vector_give(engine, &poison);
    return STATUS_DONE;
}

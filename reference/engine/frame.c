/* frame.c -- what a frame does from the points that it was asked for to their values. */
#include "reference/engine/machine.h"

#include <string.h>

Status machine_push(Machine *machine, Version *version) {
    Arena *arena = machine->arena;
    if (machine->depth == machine->frames.length) {
        Frame *fresh = arena_new(arena, Frame);
        fresh->current = arena_array(arena, Vector *, machine->most_components);
        fresh->variables = arena_array(arena, Vector *, machine->most_variables);
        fresh->at = arena_array(arena, int64_t, machine->most_reductions);
        fresh->chunk_at = arena_array(arena, int64_t, machine->most_reductions);
        vec_push(arena, &machine->frames, fresh);
    }
    Frame *frame = machine->frames.data[machine->depth++];
    frame->version = version;
    Points empty = frame->points;
    empty.count = 0;
    empty.coordinates.length = 0;
    frame->points = version->asked;
    version->asked = empty;
    frame->next = 0;
    frame->step = version->scatter ? STEP_COLLECT : STEP_BATCH;
    return STATUS_WAITING;
}

static const int32_t *point_at(const Points *points, int dimensions, size_t i) {
    return points->coordinates.data + i * (size_t)dimensions;
}

/* ---- pointwise versions -------------------------------------------------------------------------
 */

/* Lanes from the points; false when none are left. */
static bool take_batch(Machine *machine, Frame *frame) {
    int dimensions = frame->version->func->shape->dimensions;
    pins_release(&frame->pins);
    size_t left = frame->points.count - frame->next;
    if (left == 0)
        return false;
    frame->lanes = left < LANES ? left : LANES;
    for (int d = 0; d < dimensions; d++) {
        Vector *vector = frame->coordinates[d] = vector_take(machine);
        for (size_t l = 0; l < frame->lanes; l++)
            vector->bits[l] = point_at(&frame->points, dimensions, frame->next + l)[d];
        if (machine->options.formal)
            memset(vector->errors, 0, frame->lanes);
    }
    for (int c = 0; c < frame->version->func->shape->components; c++)
        frame->current[c] = vector_take(machine);
    frame->next += frame->lanes;
    return true;
}

static void give_batch(Machine *machine, Frame *frame) {
    for (int d = 0; d < MAX_DIMENSIONS; d++)
        vector_give(machine, &frame->coordinates[d]);
    for (int c = 0; c < frame->version->func->shape->components; c++)
        vector_give(machine, &frame->current[c]);
}

static Status run_pure_stage(Machine *machine, Frame *frame) {
    const Code *code = &frame->version->stages[0].value;
    if (!frame->code)
        execute_begin(machine, frame, code, frame->coordinates);
    Status status = execute(machine, frame, false, 0, frame->lanes);
    if (status != STATUS_DONE)
        return status;
    for (int c = 0; c < code->root_count; c++) {
        const Vector *root = frame->registers[code->roots[c]];
        memcpy(frame->current[c]->bits, root->bits, frame->lanes * sizeof(Bits));
        if (machine->options.formal)
            memcpy(frame->current[c]->errors, root->errors, frame->lanes);
    }
    execute_end(machine, frame);
    return STATUS_DONE;
}

/* The lanes' values from the version before. */
static Status load_previous(Machine *machine, Frame *frame) {
    Version *previous = frame->version->previous;
    const FuncShape *shape = previous->func->shape;
    Bits locations[LANES];
    for (size_t l = 0; l < frame->lanes; l++) {
        int32_t point[MAX_DIMENSIONS];
        for (int d = 0; d < shape->dimensions; d++)
            point[d] = (int32_t)frame->coordinates[d]->bits[l];
        locations[l] = execute_locate(machine, frame, previous, point);
    }
    if (previous->asked.count > 0)
        return machine_push(machine, previous);
    for (int c = 0; c < shape->components; c++)
        table_load(&previous->table, c, locations, frame->lanes, frame->current[c]->bits,
                   machine->options.formal ? frame->current[c]->errors : NULL);
    return STATUS_DONE;
}

static void keep_values(Machine *machine, Frame *frame) {
    Version *version = frame->version;
    const FuncShape *shape = version->func->shape;
    Bits locations[LANES];
    for (size_t l = 0; l < frame->lanes; l++) {
        uint32_t offset;
        const Block *block = table_find(
            &version->table,
            point_at(&frame->points, shape->dimensions, frame->next - frame->lanes + l), &offset);
        locations[l] = block_location(block, offset);
    }
    for (int c = 0; c < shape->components; c++)
        table_store(&version->table, c, locations, frame->lanes, frame->current[c]->bits,
                    machine->options.formal ? frame->current[c]->errors : NULL);
    give_batch(machine, frame);
}

static Status step_pointwise(Machine *machine, Frame *frame) {
    const Version *version = frame->version;
    Status status;
    switch (frame->step) {
    case STEP_BATCH:
        if (!take_batch(machine, frame))
            return STATUS_DONE;
        frame->step = STEP_PURE;
        return STATUS_WAITING;
    case STEP_PURE:
        status = version->previous ? load_previous(machine, frame) : run_pure_stage(machine, frame);
        if (status != STATUS_DONE)
            return status;
        frame->stage = version->previous ? 0 : 1;
        break;
    case STEP_KEEP:
        keep_values(machine, frame);
        frame->step = STEP_BATCH;
        return STATUS_WAITING;
    case STEP_COLLECT:
    case STEP_FILL:
        hlc_assert(false, "a pointwise version has no slices");
        return STATUS_REFUSED;
    case STEP_CHUNK:
    case STEP_TARGET:
    case STEP_VALUE:
    case STEP_WRITE:
        status = update_step(machine, frame);
        if (status != STATUS_DONE)
            return status;
        frame->stage++;
        break;
    }
    if (frame->stage < version->stage_count)
        update_begin(frame, frame->stage);
    else
        frame->step = STEP_KEEP;
    return STATUS_WAITING;
}

/* ---- scatter versions ---------------------------------------------------------------------------
 */

/* The slices of the points that have not run become the tuples. */
static void collect_slices(Machine *machine, Frame *frame) {
    Version *version = frame->version;
    int dimensions = version->func->shape->dimensions;
    frame->tuples.count = 0;
    frame->tuples.coordinates.length = 0;
    for (size_t i = 0; i < frame->points.count; i++) {
        const int32_t *point = point_at(&frame->points, dimensions, i);
        int32_t tuple[MAX_DIMENSIONS];
        int pure = 0;
        for (int d = 0; d < dimensions; d++)
            if (version->pure[d])
                tuple[pure++] = point[d];
        uint32_t offset;
        Block *block = table_find(&version->slices, tuple, &offset);
        if (bitmap_has(block->asked, offset))
            continue;
        bitmap_set(block->asked, offset);
        for (int p = 0; p < pure; p++)
            vec_push(machine->arena, &frame->tuples.coordinates, tuple[p]);
        frame->tuples.count++;
    }
    frame->next = 0;
}

static bool take_slices(Machine *machine, Frame *frame) {
    const Version *version = frame->version;
    size_t left = frame->tuples.count - frame->next;
    if (left == 0)
        return false;
    frame->lanes = left < LANES ? left : LANES;
    int pure = 0;
    for (int d = 0; d < version->func->shape->dimensions; d++) {
        if (!version->pure[d])
            continue;
        Vector *vector = frame->coordinates[d] = vector_take(machine);
        for (size_t l = 0; l < frame->lanes; l++)
            vector->bits[l] =
                point_at(&frame->tuples, version->slice_shape.dimensions, frame->next + l)[pure];
        if (machine->options.formal)
            memset(vector->errors, 0, frame->lanes);
        pure++;
    }
    frame->next += frame->lanes;
    return true;
}

/* Points that no update wrote get the value of the version before, a batch at a time. */
static Status fill_points(Machine *machine, Frame *frame) {
    Version *version = frame->version;
    int dimensions = version->func->shape->dimensions;
    while (frame->next < frame->points.count) {
        size_t left = frame->points.count - frame->next, count = left < LANES ? left : LANES;
        Bits locations[LANES];
        for (size_t l = 0; l < count; l++) {
            uint32_t offset;
            const Block *block = table_find(
                &version->table, point_at(&frame->points, dimensions, frame->next + l), &offset);
            locations[l] = block_location(block, offset);
        }
        Status status = execute_fill(machine, frame, locations, count);
        if (status != STATUS_DONE)
            return status;
        pins_release(&frame->pins);
        frame->next += count;
    }
    return STATUS_DONE;
}

static Status step_scatter(Machine *machine, Frame *frame) {
    Status status;
    switch (frame->step) {
    case STEP_COLLECT:
        collect_slices(machine, frame);
        frame->step = STEP_BATCH;
        return STATUS_WAITING;
    case STEP_BATCH:
        if (take_slices(machine, frame)) {
            update_begin(frame, 0);
        } else {
            frame->next = 0;
            frame->step = STEP_FILL;
        }
        return STATUS_WAITING;
    case STEP_CHUNK:
    case STEP_TARGET:
    case STEP_VALUE:
    case STEP_WRITE:
        status = update_step(machine, frame);
        if (status != STATUS_DONE)
            return status;
        for (int d = 0; d < MAX_DIMENSIONS; d++)
            vector_give(machine, &frame->coordinates[d]);
        frame->step = STEP_BATCH;
        return STATUS_WAITING;
    case STEP_FILL:
        return fill_points(machine, frame);
    case STEP_PURE:
    case STEP_KEEP:
        break;
    }
    hlc_assert(false, "a scatter version has no pure stage");
    return STATUS_REFUSED;
}

Status machine_run(Machine *machine, Version *version) {
    if (version->asked.count == 0)
        return STATUS_DONE;
    machine_push(machine, version);
    while (machine->depth > 0) {
        Frame *frame = machine->frames.data[machine->depth - 1];
        Status status = frame->version->recursion ? recursion_step(machine, frame)
                        : frame->version->scatter ? step_scatter(machine, frame)
                                                  : step_pointwise(machine, frame);
        if (status == STATUS_REFUSED)
            return status;
        if (status == STATUS_DONE)
            machine->depth--;
    }
    return STATUS_DONE;
}

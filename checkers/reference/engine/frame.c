/* frame.c -- the steps of a frame, from the requested points to their values.
 *
 *   pointwise   BATCH -> PURE -> (CHUNK, TARGET, VALUE, WRITE for each update) -> KEEP -> BATCH ..
 *   scatter     COLLECT -> BATCH -> (CHUNK, TARGET, VALUE, WRITE) -> BATCH .. -> FILL
 *
 * A batch has at most `engine->lanes` points (pointwise) or slices (scatter). A step that needs points of
 * another version pushes that version's frame, returns STATUS_WAITING, and runs again later. So a
 * step must be safe to repeat: it keeps its progress in the frame.
 */
#include "checkers/reference/engine/engine.h"

#include <string.h>

static const int32_t *point_at(const PointList *points, int dimensions, size_t i) {
    return points->coordinates.data + i * (size_t)dimensions;
}

/* Returns the locations of the next points in the version's own table. */
static void locate_points(const EngineFrame *frame, size_t first, size_t count, Bits *locations) {
    PointTable *table = &frame->version->table;
    for (size_t l = 0; l < count; l++)
        locations[l] =
            table_location(table, point_at(&frame->points, table->shape->dimensions, first + l));
}

/* Takes lanes from the next points of the list. The points have a coordinate for each dimension
 * that is not reduced. Returns false if no points are left. */
static bool take_lanes(Engine *engine, EngineFrame *frame, const PointList *list) {
    const Version *version = frame->version;
    const FuncShape *shape = version->scatter ? &version->slice_shape : version->func->shape;
    size_t left = list->count - frame->next;
    if (left == 0)
        return false;
    int writes = version->scatter ? version->stages[0].stage->writes : 0;
    size_t most = engine->lanes / (size_t)(writes ? writes : 1); /* a step has all writes' lanes */
    frame->lanes = left < most ? left : most;
    for (int d = 0, k = 0; d < version->func->shape->dimensions; d++) {
        if (version->scatter && !version->pure[d])
            continue;
        Vector *vector = frame->coordinates[d] = vector_take(engine);
        for (size_t l = 0; l < frame->lanes; l++)
            vector->bits[l] = point_at(list, shape->dimensions, frame->next + l)[k];
        if (engine->options.formal)
            memset(vector->errors, 0, frame->lanes);
        k++;
    }
    frame->next += frame->lanes;
    return true;
}

/* ---- pointwise versions ---------------------------------------------------------------------- */

/* Takes lanes from the next points. Returns false if none are left. */
static bool take_batch(Engine *engine, EngineFrame *frame) {
    pins_release(&frame->pins);
    if (!take_lanes(engine, frame, &frame->points))
        return false;
    for (int c = 0; c < frame->version->func->shape->components; c++)
        frame->current[c] = vector_take(engine);
    return true;
}

static void give_batch(Engine *engine, EngineFrame *frame) {
    for (int d = 0; d < MAX_DIMENSIONS; d++)
        vector_give(engine, &frame->coordinates[d]);
    for (int c = 0; c < frame->version->func->shape->components; c++)
        vector_give(engine, &frame->current[c]);
}

static Status run_pure_stage(Engine *engine, EngineFrame *frame) {
    const BatchCode *code = &frame->version->stages[0].value;
    if (!frame->code)
        execute_begin(engine, frame, code, frame->coordinates);
    Status status = execute(engine, frame, false, 0, frame->lanes);
    if (status != STATUS_DONE)
        return status;
    for (int c = 0; c < code->root_count; c++) {
        const Vector *root = frame->registers[code->roots[c]];
        memcpy(frame->current[c]->bits, root->bits, frame->lanes * sizeof(Bits));
        if (engine->options.formal)
            memcpy(frame->current[c]->errors, root->errors, frame->lanes);
    }
    execute_end(engine, frame);
    return STATUS_DONE;
}

/* Loads the lanes' values from the version before. */
static Status load_previous(Engine *engine, EngineFrame *frame) {
    Version *previous = frame->version->previous;
    const FuncShape *shape = previous->func->shape;
    Bits locations[LANES];
    for (size_t l = 0; l < frame->lanes; l++) {
        int32_t point[MAX_DIMENSIONS];
        for (int d = 0; d < shape->dimensions; d++)
            point[d] = (int32_t)frame->coordinates[d]->bits[l];
        locations[l] = execute_locate(engine, frame, previous, point);
    }
    if (previous->asked.count > 0)
        return engine_push(engine, previous);
    for (int c = 0; c < shape->components; c++)
        table_load(&previous->table, c, locations, frame->lanes, frame->current[c]->bits,
                   engine->options.formal ? frame->current[c]->errors : NULL);
    return STATUS_DONE;
}

static void keep_values(Engine *engine, EngineFrame *frame) {
    Version *version = frame->version;
    const FuncShape *shape = version->func->shape;
    Bits locations[LANES];
    locate_points(frame, frame->next - frame->lanes, frame->lanes, locations);
    for (int c = 0; c < shape->components; c++)
        table_store(&version->table, c, locations, frame->lanes, frame->current[c]->bits,
                    engine->options.formal ? frame->current[c]->errors : NULL);
    give_batch(engine, frame);
}

/* ---- scatter versions ------------------------------------------------------------------------ */

/* Collects the tuples of requested slices that have not run. */
static void collect_slices(Engine *engine, EngineFrame *frame) {
    Version *version = frame->version;
    int dimensions = version->func->shape->dimensions;
    frame->tuples.count = 0;
    frame->tuples.coordinates.length = 0;
    for (size_t i = 0; i < frame->points.count; i++) {
        const int32_t *point = point_at(&frame->points, dimensions, i);
        int32_t tuple[MAX_DIMENSIONS];
        int pure = version_slice(version, point, tuple);
        uint32_t offset;
        PointBlock *block = table_find(&version->slices, tuple, &offset);
        if (bitmap_has(block->asked, offset))
            continue;
        bitmap_set(block->asked, offset);
        for (int p = 0; p < pure; p++)
            vec_push(engine->arena, &frame->tuples.coordinates, tuple[p]);
        frame->tuples.count++;
    }
    frame->next = 0;
}

/* Gives each point that no update wrote the value of the version before, in batches. */
static Status fill_points(Engine *engine, EngineFrame *frame) {
    while (frame->next < frame->points.count) {
        size_t left = frame->points.count - frame->next,
               count = left < engine->lanes ? left : engine->lanes;
        Bits locations[LANES];
        locate_points(frame, frame->next, count, locations);
        Status status = execute_fill(engine, frame, locations, count);
        if (status != STATUS_DONE)
            return status;
        pins_release(&frame->pins);
        frame->next += count;
    }
    return STATUS_DONE;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static Status begin_batch(Engine *engine, EngineFrame *frame) {
    if (!frame->version->scatter) {
        frame->step = STEP_PURE;
        return take_batch(engine, frame) ? STATUS_WAITING : STATUS_DONE;
    }
    if (take_lanes(engine, frame, &frame->tuples)) {
        update_begin(frame, 0);
    } else {
        frame->next = 0;
        frame->step = STEP_FILL;
    }
    return STATUS_WAITING;
}

/* Begins the next stage after a stage of the batch is done. */
static void begin_stage(Engine *engine, EngineFrame *frame, size_t stage) {
    frame->step = frame->version->scatter ? STEP_BATCH : STEP_KEEP;
    if (frame->version->scatter)
        for (int d = 0; d < MAX_DIMENSIONS; d++)
            vector_give(engine, &frame->coordinates[d]);
    else if (stage < frame->version->stage_count)
        update_begin(frame, stage);
}

static Status run_step(Engine *engine, EngineFrame *frame) {
    Version *previous = frame->version->previous;
    Status status = STATUS_DONE;
    switch (frame->step) {
    case STEP_COLLECT:
        collect_slices(engine, frame);
        frame->step = STEP_BATCH;
        return STATUS_WAITING;
    case STEP_BATCH:
        return begin_batch(engine, frame);
    case STEP_PURE:
        status = previous                             ? load_previous(engine, frame)
                 : frame->version->stages[0].external ? extern_step(engine, frame)
                                                      : run_pure_stage(engine, frame);
        if (status == STATUS_DONE)
            begin_stage(engine, frame, previous ? 0 : 1);
        return status == STATUS_DONE ? STATUS_WAITING : status;
    case STEP_CHUNK:
    case STEP_TARGET:
    case STEP_VALUE:
    case STEP_WRITE:
        status = update_step(engine, frame);
        if (status == STATUS_DONE)
            begin_stage(engine, frame, frame->stage + 1);
        return status == STATUS_DONE ? STATUS_WAITING : status;
    case STEP_KEEP:
        keep_values(engine, frame);
        frame->step = STEP_BATCH;
        return STATUS_WAITING;
    case STEP_FILL:
        return fill_points(engine, frame);
    }
    hlc_assert(false, "a frame is in one of its steps");
    return STATUS_REFUSED;
}

Status engine_run(Engine *engine, Version *version) {
    if (version->asked.count == 0)
        return STATUS_DONE;
    engine_push(engine, version);
    while (engine->depth > 0) {
        EngineFrame *frame = engine->frames.data[engine->depth - 1];
        arena_poll(engine->arena);
        Status status =
            frame->version->recursion ? recursion_step(engine, frame) : run_step(engine, frame);
        if (status == STATUS_REFUSED)
            return status;
        if (status == STATUS_DONE)
            engine->depth--;
    }
    return STATUS_DONE;
}

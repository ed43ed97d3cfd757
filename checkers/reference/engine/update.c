/* update.c -- runs the rdom of one update forward over the lanes of a batch (RDom-Eval,
 * Update-Eval).
 *
 * The steps of the rdom are taken in chunks. So everything that does not depend on the func's own
 * values is computed for `steps * lanes` lanes at once. First come the written points and the
 * predicate of each step (`target`). Then, for the lanes that do write, comes the wide part of the
 * values (`value`). Then each step computes the narrow part of its values, and writes. If the
 * target depends on the func itself, a chunk is one step.
 *
 * The formal reading only adds error bytes to the same computation. An error in an index makes the
 * equality test of Update-Eval an error at every point of the slice. An error in the predicate
 * makes it one at the point that the update names.  Of several writes, a later one may write a point
 * that an earlier one gave an error: so these errors wait until all values of the step are computed,
 * and come before the write that they belong to.
 */
#include "checkers/reference/engine/engine.h"

#include <string.h>

void update_begin(EngineFrame *frame, size_t stage) {
    frame->stage = stage;
    frame->begun = false;
    frame->one_step = frame->version->stages[stage].sequential;
    frame->step = STEP_CHUNK;
}

static const StageCode *stage_of(const EngineFrame *frame) {
    return &frame->version->stages[frame->stage];
}

static int dimensions_of(const EngineFrame *frame) {
    return frame->version->func->shape->dimensions;
}

/* Is dimension d's coordinate that of the lane? */
static bool is_pure(const EngineFrame *frame, int d) {
    return !frame->version->scatter || frame->version->pure[d];
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Advances to the next step of the rdom, the first-named variable fastest. */
static void advance(EngineFrame *frame) {
    const StageCode *stage = stage_of(frame);
    size_t r = 0, count = stage->stage->reduction.length;
    for (; r < count; r++) {
        if (++frame->at[r] < stage->minimum[r] + stage->length[r])
            return;
        frame->at[r] = stage->minimum[r];
    }
    frame->exhausted = true;
}

/* The pure variables, the reduction variables, and the number of the write. */
static size_t variable_count(const EngineFrame *frame) {
    const Stage *stage = stage_of(frame)->stage;
    return (size_t)dimensions_of(frame) + stage->reduction.length + (stage->writes > 0);
}

/* Adds the lanes of one write of the step. All writes of a step are one segment: their values are
 * computed before the first is stored, and stored in their order. */
static void add_write(EngineFrame *frame, int write) {
    size_t base = frame->wide_lanes;
    int dimensions = dimensions_of(frame);
    for (size_t l = 0; l < frame->lanes; l++)
        frame->tuple[base + l] = (uint16_t)l;
    for (int d = 0; d < dimensions; d++)
        if (frame->coordinates[d])
            memcpy(frame->variables[d]->bits + base, frame->coordinates[d]->bits,
                   frame->lanes * sizeof(Bits));
    for (size_t r = 0; r < stage_of(frame)->stage->reduction.length; r++)
        for (size_t l = 0; l < frame->lanes; l++)
            frame->variables[(size_t)dimensions + r]->bits[base + l] = frame->at[r];
    for (size_t l = 0; stage_of(frame)->stage->writes && l < frame->lanes; l++)
        frame->variables[variable_count(frame) - 1]->bits[base + l] = write;
    frame->wide_lanes += frame->lanes;
}

static int writes_of(const EngineFrame *frame) {
    int writes = stage_of(frame)->stage->writes;
    return writes ? writes : 1;
}

static void add_step(EngineFrame *frame) {
    for (int write = 0; write < writes_of(frame); write++)
        add_write(frame, write);
    frame->segments[++frame->steps] = (uint16_t)frame->wide_lanes;
}

/* Returns false when the rdom is exhausted. */
static bool begin_chunk(Engine *engine, EngineFrame *frame) {
    const StageCode *stage = stage_of(frame);
    size_t reductions = stage->stage->reduction.length;
    if (!frame->begun) {
        frame->begun = true;
        frame->exhausted = stage->empty;
        if (reductions > 0)
            memcpy(frame->at, stage->minimum, reductions * sizeof *frame->at);
    }
    if (frame->exhausted)
        return false;
    if (!frame->tuple) {
        frame->tuple = arena_array(engine->arena, uint16_t, engine->lanes);
        frame->segments = arena_array(engine->arena, uint16_t, engine->lanes + 1);
    }
    for (size_t v = 0; v < variable_count(frame); v++)
        if (v >= (size_t)dimensions_of(frame) || frame->coordinates[v]) {
            frame->variables[v] = vector_take(engine);
            if (engine->options.formal)
                memset(frame->variables[v]->errors, 0, engine->lanes);
        }
    if (reductions > 0)
        memcpy(frame->chunk_at, frame->at, reductions * sizeof *frame->at);
    frame->steps = frame->wide_lanes = 0;
    frame->segments[0] = 0;
    size_t most = frame->one_step ? 1 : engine->lanes / (frame->lanes * (size_t)writes_of(frame));
    while (frame->steps < most && !frame->exhausted) {
        add_step(frame);
        advance(frame);
    }
    return true;
}

static void end_chunk(Engine *engine, EngineFrame *frame) {
    execute_end(engine, frame);
    for (size_t v = 0; v < engine->most_variables; v++)
        vector_give(engine, &frame->variables[v]);
    for (int d = 0; d < MAX_DIMENSIONS; d++)
        vector_give(engine, &frame->targets[d]);
    vector_give(engine, &frame->guard);
    pins_release(&frame->pins);
    frame->step = STEP_CHUNK;
}

/* ---- targets --------------------------------------------------------------------------------- */

static const Vector *target_root(const EngineFrame *frame, int root) {
    return frame->registers[frame->code->roots[root]];
}

static bool has_target_error(const EngineFrame *frame) {
    for (int r = 0; r < frame->code->root_count; r++)
        for (size_t l = 0; l < frame->wide_lanes; l++)
            if (target_root(frame, r)->errors[l])
                return true;
    return false;
}

/* Returns to the chunk's first step, and continues one step at a time. */
static void restart_chunk(Engine *engine, EngineFrame *frame) {
    memcpy(frame->at, frame->chunk_at,
           stage_of(frame)->stage->reduction.length * sizeof *frame->at);
    frame->exhausted = false;
    frame->one_step = true;
    end_chunk(engine, frame);
}

static void raise_error(uint8_t *error, uint8_t by) {
    *error = by > *error ? by : *error;
}

/* Returns the coordinate in dimension d of the point that the lane writes. */
static int64_t written_at(const EngineFrame *frame, int d, size_t wide_lane) {
    return (is_pure(frame, d) ? frame->variables[d] : frame->targets[d])->bits[wide_lane];
}

static void poison_point(const EngineFrame *frame, const int64_t *at, uint8_t error) {
    Version *version = frame->version;
    int32_t point[MAX_DIMENSIONS];
    for (int d = 0; d < dimensions_of(frame); d++) {
        if (at[d] != (int32_t)at[d])
            return; /* it was never requested */
        point[d] = (int32_t)at[d];
    }
    uint32_t offset;
    PointBlock *block = table_find(&version->table, point, &offset);
    for (int c = 0; c < version->func->shape->components; c++)
        raise_error(&block_errors(&version->table, block, c)[offset], error);
}

static bool in_slice(const Version *version, const int64_t *point, const int32_t *tuple) {
    int pure = 0;
    for (int d = 0; d < version->func->shape->dimensions; d++)
        if (version->pure[d] && point[d] != tuple[pure++])
            return false;
    return true;
}

static void poison_block(Version *version, PointBlock *block, const int32_t *tuple, uint8_t error) {
    for (uint32_t offset = 0; offset < BLOCK_POINTS; offset++) {
        int64_t point[MAX_DIMENSIONS];
        if (!bitmap_has(block->known, offset))
            continue;
        table_point(&version->table, block_location(block, offset), point);
        for (int c = 0; in_slice(version, point, tuple) && c < version->func->shape->components;
             c++)
            raise_error(&block_errors(&version->table, block, c)[offset], error);
    }
}

/* Formal reading: makes the values of the lane's slice errors; of its point, in a pointwise
 * version. */
static void poison_lane(EngineFrame *frame, size_t lane, uint8_t error) {
    Version *version = frame->version;
    if (!version->scatter) {
        for (int c = 0; c < version->func->shape->components; c++)
            raise_error(&frame->current[c]->errors[lane], error);
        return;
    }
    int32_t tuple[MAX_DIMENSIONS];
    int pure = 0;
    for (int d = 0; d < dimensions_of(frame); d++)
        if (version->pure[d])
            tuple[pure++] = (int32_t)frame->coordinates[d]->bits[lane];
    uint32_t offset;
    PointBlock *slice = table_find(&version->slices, tuple, &offset);
    raise_error(&block_values(&version->slices, slice, 0)[offset], error);
    for (size_t slot = 0; slot < version->table.capacity; slot++)
        for (PointBlock *block = version->table.slots[slot]; block; block = block->chain)
            poison_block(version, block, tuple, error);
}

/* The number of the write that the lane of a step belongs to. */
static int write_of(const EngineFrame *frame, size_t wide_lane) {
    const Stage *stage = stage_of(frame)->stage;
    return stage->writes ? (int)frame->variables[variable_count(frame) - 1]->bits[wide_lane] : 0;
}

static void note_poison(Engine *engine, EngineFrame *frame, size_t wide_lane, bool is_point,
                        uint8_t error) {
    Poison poison = {.lane = frame->tuple[wide_lane],
                     .write = write_of(frame, wide_lane),
                     .error = error,
                     .is_point = is_point};
    for (int d = 0; is_point && d < dimensions_of(frame); d++)
        poison.point[d] = written_at(frame, d, wide_lane);
    vec_push(engine->arena, &frame->poisons, poison);
}

static void apply_poisons(EngineFrame *frame, int write) {
    for (size_t i = 0; i < frame->poisons.length; i++) {
        const Poison *poison = &frame->poisons.data[i];
        if (poison->write != write)
            continue;
        if (poison->is_point)
            poison_point(frame, poison->point, poison->error);
        else
            poison_lane(frame, poison->lane, poison->error);
    }
}

/* Formal reading, one step: notes the errors of indices and of false predicates. A predicate that is
 * false without an error drops the errors of indices, because nothing is written. */
static void note_targets(Engine *engine, EngineFrame *frame, int indices, const Vector *predicate) {
    frame->poisons.length = 0;
    for (size_t l = 0; l < frame->wide_lanes; l++) {
        uint8_t error = 0;
        bool writes = !predicate || predicate->bits[l] || predicate->errors[l];
        for (int i = 0; writes && i < indices; i++)
            raise_error(&error, target_root(frame, i)->errors[l]);
        if (error)
            note_poison(engine, frame, l, false, error);
        frame->guard->errors[l] = error;
        if (!predicate || !predicate->errors[l])
            continue;
        raise_error(&frame->guard->errors[l], predicate->errors[l]);
        if (predicate->bits[l])
            continue;
        note_poison(engine, frame, l, frame->version->scatter, predicate->errors[l]);
    }
}

static void keep_lane(EngineFrame *frame, size_t variables, size_t to, size_t from) {
    frame->tuple[to] = frame->tuple[from];
    for (size_t v = 0; v < variables; v++)
        if (frame->variables[v])
            frame->variables[v]->bits[to] = frame->variables[v]->bits[from];
    for (int d = 0; d < dimensions_of(frame); d++)
        if (frame->targets[d])
            frame->targets[d]->bits[to] = frame->targets[d]->bits[from];
    if (frame->guard)
        frame->guard->errors[to] = frame->guard->errors[from];
}

/* Keeps only the lanes whose predicate holds. */
static void keep_chosen(EngineFrame *frame, const Vector *predicate) {
    size_t kept = 0;
    size_t variables = variable_count(frame);
    for (size_t s = 0, l = 0; s < frame->steps; s++) {
        for (size_t end = frame->segments[s + 1]; l < end; l++)
            if (predicate->bits[l])
                keep_lane(frame, variables, kept++, l);
        frame->segments[s + 1] = (uint16_t)kept;
    }
    frame->wide_lanes = kept;
}

static Status run_target(Engine *engine, EngineFrame *frame) {
    const StageCode *stage = stage_of(frame);
    Status status = STATUS_DONE;
    if (!frame->in_narrow)
        status = execute(engine, frame, false, 0, frame->wide_lanes);
    if (status == STATUS_DONE && stage->sequential)
        status = execute(engine, frame, true, 0, frame->wide_lanes);
    if (status != STATUS_DONE)
        return status;
    bool formal = engine->options.formal;
    if (formal && frame->steps > 1 && has_target_error(frame)) {
        restart_chunk(engine, frame);
        return STATUS_WAITING;
    }
    int indices = 0;
    for (int d = 0; d < dimensions_of(frame); d++)
        if (!is_pure(frame, d)) {
            frame->targets[d] = vector_take(engine);
            memcpy(frame->targets[d]->bits, target_root(frame, indices++)->bits,
                   frame->wide_lanes * sizeof(Bits));
        }
    const Vector *predicate = stage->stage->predicate ? target_root(frame, indices) : NULL;
    if (formal) {
        frame->guard = vector_take(engine);
        note_targets(engine, frame, indices, predicate);
    }
    if (predicate)
        keep_chosen(frame, predicate);
    execute_end(engine, frame);
    return STATUS_DONE;
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* Returns the value of component c for the step that begins at wide lane `offset`. Sets `offset` to
 * 0 for a narrow register. */
static const Vector *value_root(const EngineFrame *frame, int c, size_t *offset) {
    int root = frame->code->roots[c];
    if (!frame->code->is_wide[root])
        *offset = 0;
    return frame->registers[root];
}

static void write_current(Engine *engine, EngineFrame *frame, size_t step, size_t offset,
                          size_t count) {
    const uint16_t *tuple = frame->tuple + offset;
    for (int c = 0; c < frame->version->func->shape->components; c++) {
        size_t from = step;
        const Vector *value = value_root(frame, c, &from);
        from += offset - step;
        Vector *current = frame->current[c];
        for (size_t l = 0; l < count; l++)
            current->bits[tuple[l]] = value->bits[from + l];
        for (size_t l = 0; engine->options.formal && l < count; l++) {
            current->errors[tuple[l]] = value->errors[from + l];
            raise_error(&current->errors[tuple[l]], frame->guard->errors[offset + l]);
        }
    }
}

static Status write_table(Engine *engine, EngineFrame *frame, size_t step, size_t offset,
                          size_t count) {
    Version *version = frame->version;
    const FuncShape *shape = version->func->shape;
    Bits locations[LANES];
    for (size_t l = 0; l < count; l++) {
        int32_t point[MAX_DIMENSIONS];
        for (int d = 0; d < shape->dimensions; d++) {
            int64_t c = written_at(frame, d, offset + l);
            if (c != (int32_t)c)
                return refuse(engine, HLC_ERROR_COORDINATE_RANGE, shape->name->text, c, c, d);
            point[d] = (int32_t)c;
        }
        uint32_t place;
        PointBlock *block = table_find(&version->table, point, &place);
        bitmap_set(block->known, place);
        locations[l] = block_location(block, place);
    }
    for (int c = 0; c < shape->components; c++) {
        size_t from = step;
        const Vector *value = value_root(frame, c, &from);
        from += offset - step;
        uint8_t errors[LANES];
        for (size_t l = 0; engine->options.formal && l < count; l++) {
            errors[l] = value->errors[from + l];
            raise_error(&errors[l], frame->guard->errors[offset + l]);
        }
        table_store(&version->table, c, locations, count, value->bits + from,
                    engine->options.formal ? errors : NULL);
    }
    return STATUS_DONE;
}

/* Stores `count` values from wide lane `offset` on, of the step that begins at lane `step`. */
static Status store(Engine *engine, EngineFrame *frame, size_t step, size_t offset, size_t count) {
    if (frame->version->scatter)
        return write_table(engine, frame, step, offset, count);
    write_current(engine, frame, step, offset, count);
    return STATUS_DONE;
}

static Status store_step(Engine *engine, EngineFrame *frame, size_t step, size_t count) {
    if (!frame->poisons.length)
        return store(engine, frame, step, step, count);
    size_t at = step;
    for (int write = 0; write < writes_of(frame); write++) {
        size_t first = at;
        apply_poisons(frame, write);
        while (at < step + count && write_of(frame, at) == write)
            at++;
        if (at > first && store(engine, frame, step, first, at - first) != STATUS_DONE)
            return STATUS_REFUSED;
    }
    return STATUS_DONE;
}

static Status run_writes(Engine *engine, EngineFrame *frame) {
    for (; frame->current_step < frame->steps; frame->current_step++) {
        size_t offset = frame->segments[frame->current_step];
        size_t count = frame->segments[frame->current_step + 1] - offset;
        Status status = count ? execute(engine, frame, true, offset, count) : STATUS_DONE;
        if (status != STATUS_DONE)
            return status;
        if (store_step(engine, frame, offset, count) != STATUS_DONE)
            return STATUS_REFUSED;
    }
    return STATUS_DONE;
}

Status update_step(Engine *engine, EngineFrame *frame) {
    const StageCode *stage = stage_of(frame);
    Status status;
    switch (frame->step) {
    case STEP_CHUNK:
        if (!begin_chunk(engine, frame)) {
            for (size_t l = 0; stage->bounds_err && l < frame->lanes; l++)
                poison_lane(frame, l, ERROR_RDOM);
            return STATUS_DONE;
        }
        execute_begin(engine, frame, &stage->target, frame->variables);
        frame->step = STEP_TARGET;
        return STATUS_WAITING;
    case STEP_TARGET:
        status = run_target(engine, frame);
        if (status != STATUS_DONE)
            return status;
        execute_begin(engine, frame, &stage->value, frame->variables);
        frame->step = STEP_VALUE;
        return STATUS_WAITING;
    case STEP_VALUE:
        status = execute(engine, frame, false, 0, frame->wide_lanes);
        if (status != STATUS_DONE)
            return status;
        frame->current_step = 0;
        frame->step = STEP_WRITE;
        return STATUS_WAITING;
    case STEP_WRITE:
        status = run_writes(engine, frame);
        if (status != STATUS_DONE)
            return status;
        end_chunk(engine, frame);
        return STATUS_WAITING;
    case STEP_COLLECT:
    case STEP_BATCH:
    case STEP_PURE:
    case STEP_KEEP:
    case STEP_FILL:
        break;
    }
    hlc_assert(false, "an update is in one of its four steps");
    return STATUS_REFUSED;
}

/* recursion.c -- evaluates the points of a recurrence on demand, in an order found at run time.
 *
 * The engine takes the frame's points in chunks. It first evaluates each point of a chunk once, so
 * all points that these need from other funcs are requested together. Then it pushes the points
 * onto a stack one by one, and evaluates the point on top. If the point is known, it is popped;
 * else the points that it lacks are pushed above it. A point that is needed while it waits on the
 * stack is a cycle: the engine refuses it and names the points of the cycle. Outside the domain a
 * point is zero.
 */
#include "checkers/reference/engine/recursion.h"

#include "base/context.h"

#include <string.h>

#define PAGE  4096  /* points per page of the stack */
#define CHUNK 4096  /* points evaluated together */
#define MANY  65536 /* approximate number of points requested from other funcs at a time */

/* ---- the stack ------------------------------------------------------------------------------- */

static RecursionPoint *stack_at(const Recursion *recursion, size_t i) {
    return &recursion->pages.data[i / PAGE][i % PAGE];
}

static void stack_push(Engine *engine, Recursion *recursion, RecursionPoint point) {
    if (recursion->depth == recursion->pages.length * PAGE)
        vec_push(engine->arena, &recursion->pages,
                 arena_array(engine->arena, RecursionPoint, PAGE));
    *stack_at(recursion, recursion->depth++) = point;
}

/* A point of a recurrence has two bits in its block: `known` and `asked`. `asked` is set when the
 * point starts to wait for its operands, and stays set. */
static bool is_known(const Engine *engine, RecursionPoint point) {
    return bitmap_has(store_block(engine->store, point.location)->known,
                      location_offset(point.location));
}

static bool is_entered(const Engine *engine, RecursionPoint point) {
    return bitmap_has(store_block(engine->store, point.location)->asked,
                      location_offset(point.location));
}

static void enter(const Engine *engine, RecursionPoint point) {
    bitmap_set(store_block(engine->store, point.location)->asked, location_offset(point.location));
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static int print_point(char *text, int size, RecursionPoint point) {
    int64_t at[MAX_DIMENSIONS];
    const PointTable *table = &point.version->table;
    const FuncShape *shape = point.version->func->shape;
    table_point(table, point.location, at);
    int length = snprintf(text, (size_t)size, "%s(", shape->name->text);
    for (int d = 0; d < shape->dimensions && length < size; d++)
        length += snprintf(text + length, (size_t)(size - length), "%s%lld", d ? ", " : "",
                           (long long)at[d]);
    if (length < size)
        length += snprintf(text + length, (size_t)(size - length), ")");
    return length < size ? length : size;
}

/* Refuses a cycle: `again` already waits on the stack, and each point above it needs the next. */
static Status refuse_cycle(Engine *engine, const Recursion *recursion, RecursionPoint again) {
    char text[400];
    int size = (int)sizeof text - 64, length = 0;
    size_t at = recursion->depth;
    for (bool found = false; !found && at-- > 0;) {
        RecursionPoint point = *stack_at(recursion, at);
        found = point.version == again.version && point.location == again.location &&
                is_entered(engine, point);
    }
    for (; at < recursion->depth && length < size; at++) {
        RecursionPoint point = *stack_at(recursion, at);
        if (!is_entered(engine, point) || is_known(engine, point))
            continue;
        length += print_point(text + length, size - length, point);
        if (length < size)
            length += snprintf(text + length, (size_t)(size - length), " needs ");
    }
    if (length < size)
        print_point(text + length, (int)sizeof text - length, again);
    else
        memcpy(text + size - 4, "...", 4);
    return refuse(engine, HLC_ERROR_RECURRENCE_CYCLE, text, 0);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Stores one component of a point. */
static void store(const Engine *engine, RecursionPoint point, int component, Bits bits,
                  uint8_t error) {
    table_store(&point.version->table, component, &point.location, 1, &bits,
                engine->options.formal ? &error : NULL);
}

static void mark_known(const Engine *engine, RecursionPoint point) {
    bitmap_set(store_block(engine->store, point.location)->known, location_offset(point.location));
    enter(engine, point);
}

static bool is_inside(const Recursion *recursion, const Version *version, const int64_t *point) {
    for (int d = 0; d < version->func->shape->dimensions; d++)
        if (point[d] < recursion->first[d] || point[d] > recursion->last[d])
            return false;
    return true;
}

static bool is_recorded(const Engine *engine, const Version *version, const int64_t *point) {
    const Recording *recording = engine->recording;
    return recording && recording->func == version->func->shape->name &&
           !memcmp(recording->point, point,
                   sizeof *point * (size_t)version->func->shape->dimensions);
}

/* Evaluates a point that is not known. It stays unknown if it lacks points of the recurrence
 * (`missing`) or points of other funcs, which are then requested. */
static Status evaluate(Engine *engine, EngineFrame *frame, RecursionPoint point) {
    Version *version = point.version;
    Recursion *recursion = version->recursion;
    LazyCode *code = version->lazy;
    int components = version->func->shape->components;
    recursion->missing.length = 0;
    table_point(&version->table, point.location, code->bits);
    if (recursion->bounds_err || !is_inside(recursion, version, code->bits)) {
        for (int c = 0; c < components; c++)
            store(engine, point, c, 0, recursion->bounds_err ? ERROR_RDOM : ERROR_NONE);
        mark_known(engine, point);
        return STATUS_DONE;
    }
    if (lazy_run(engine, frame, version, is_recorded(engine, version, code->bits)) != STATUS_DONE)
        return STATUS_REFUSED;
    for (int c = 0; c < components; c++)
        if (code->states[code->roots[c]] == STATE_UNKNOWN)
            return STATUS_DONE;
    for (int c = 0; c < components; c++)
        store(engine, point, c, code->bits[code->roots[c]], code->states[code->roots[c]]);
    mark_known(engine, point);
    return STATUS_DONE;
}

/* Evaluates the point on top. Pops it if it is known; else pushes the points that it lacks. */
static Status step_top(Engine *engine, EngineFrame *frame, Recursion *recursion) {
    RecursionPoint point = *stack_at(recursion, recursion->depth - 1);
    if (is_known(engine, point)) {
        recursion->depth--;
        return STATUS_DONE;
    }
    enter(engine, point);
    if (evaluate(engine, frame, point) != STATUS_DONE)
        return STATUS_REFUSED;
    if (is_known(engine, point)) {
        recursion->depth--;
        return STATUS_DONE;
    }
    for (size_t m = recursion->missing.length; m-- > 0;) {
        RecursionPoint missing = recursion->missing.data[m];
        if (is_entered(engine, missing))
            return refuse_cycle(engine, recursion, missing);
        stack_push(engine, recursion, missing);
    }
    recursion->demanding = recursion->missing.length == 0 || recursion->asked >= MANY;
    return STATUS_DONE;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static RecursionPoint point_of(Version *version, const PointList *points, size_t i) {
    size_t dimensions = (size_t)version->func->shape->dimensions;
    const int32_t *point = points->coordinates.data + i * dimensions;
    return (RecursionPoint){version, table_location(&version->table, point)};
}

static RecursionPoint frame_point(const EngineFrame *frame, size_t i) {
    return point_of(frame->version, &frame->points, i);
}

/* Clears the `asked` bits of requested points that are not known, because they do not wait on the
 * stack yet. */
static void leave_all(Engine *engine, Version *version, const PointList *points) {
    for (size_t i = 0; i < points->count; i++) {
        RecursionPoint point = point_of(version, points, i);
        uint32_t offset = location_offset(point.location);
        if (!is_known(engine, point))
            store_block(engine->store, point.location)->asked[offset >> 6] &=
                ~((uint64_t)1 << (offset & 63));
    }
}

static void begin(Engine *engine, EngineFrame *frame, Recursion *recursion) {
    leave_all(engine, frame->version, &frame->points);
    for (size_t i = 0; i < recursion->versions.length; i++)
        leave_all(engine, recursion->versions.data[i], &recursion->versions.data[i]->asked);
    recursion->chunk_end = 0;
    recursion->demanding = false;
}

/* Evaluates the next points without the stack, to request all points of other funcs together. */
static Status look(Engine *engine, EngineFrame *frame, Recursion *recursion) {
    recursion->chunk = recursion->chunk_end;
    recursion->chunk_end += CHUNK;
    if (recursion->chunk_end > frame->points.count)
        recursion->chunk_end = frame->points.count;
    frame->next = recursion->chunk;
    for (size_t i = recursion->chunk; recursion->others.length > 0 && i < recursion->chunk_end;
         i++) {
        RecursionPoint point = frame_point(frame, i);
        if (!is_known(engine, point) && evaluate(engine, frame, point) != STATUS_DONE)
            return STATUS_REFUSED;
    }
    recursion->demanding = recursion->asked > 0;
    return STATUS_DONE;
}

/* Waits for the points requested from other funcs. */
static Status demand(Engine *engine, Recursion *recursion) {
    for (size_t i = 0; i < recursion->others.length; i++)
        if (recursion->others.data[i]->asked.count > 0)
            return engine_push(engine, recursion->others.data[i]);
    recursion->demanding = false;
    recursion->asked = 0;
    return STATUS_DONE;
}

Status recursion_step(Engine *engine, EngineFrame *frame) {
    Recursion *recursion = frame->version->recursion;
    if (frame->step == STEP_BATCH) {
        begin(engine, frame, recursion);
        frame->step = STEP_PURE;
    }
    for (;;) {
        Status status = STATUS_DONE;
        arena_poll(engine->arena);
        if (recursion->demanding)
            status = demand(engine, recursion);
        else if (recursion->depth > 0)
            status = step_top(engine, frame, recursion);
        else if (frame->next < recursion->chunk_end)
            stack_push(engine, recursion, frame_point(frame, frame->next++));
        else {
            pins_release(&frame->pins);
            if (recursion->chunk_end == frame->points.count)
                return STATUS_DONE;
            status = look(engine, frame, recursion);
        }
        if (status != STATUS_DONE)
            return status;
    }
}

/* ---- creation -------------------------------------------------------------------------------- */

static void read_domain(Engine *engine, Recursion *recursion, const FuncShape *shape) {
    for (int k = 0; k < shape->dimensions; k++) {
        recursion->first[k] = INT32_MIN;
        recursion->last[k] = INT32_MAX;
        for (size_t d = 0; d < recursion->recurrence->domain.length; d++) {
            const ReductionVariable *variable = &recursion->recurrence->domain.data[d];
            if (variable->variable != shape->variables[k])
                continue;
            Value minimum = startup_value(engine, variable->interval.minimum)->value;
            Value length = startup_value(engine, variable->interval.length)->value;
            recursion->first[k] = minimum.bits;
            recursion->last[k] = minimum.bits + length.bits - 1;
            recursion->bounds_err = recursion->bounds_err || minimum.error || length.error;
        }
    }
}

static void add_others(const Engine *engine, Recursion *recursion, Map *seen,
                       const LazyCode *code) {
    for (size_t i = 0; i < code->nodes.length; i++) {
        const LazyNode *node = &code->nodes.data[i];
        if (node->kind != LAZY_OTHER || map_get(seen, node->version))
            continue;
        map_put(seen, node->version, recursion);
        vec_push(engine->arena, &recursion->others, node->version);
    }
}

void recursion_create(Engine *engine, const Recurrence *recurrence) {
    Recursion *recursion = arena_new(engine->arena, Recursion);
    recursion->recurrence = recurrence;
    for (size_t i = 0; i < recurrence->funcs.length; i++) {
        Version *version = map_get(&engine->last_version, recurrence->funcs.data[i]->shape->name);
        if (!version)
            continue;
        version->recursion = recursion;
        vec_push(engine->arena, &recursion->versions, version);
    }
    read_domain(engine, recursion, recursion->versions.data[0]->func->shape);
    Map seen = map_create(engine->arena);
    for (size_t i = 0; i < recursion->versions.length; i++) {
        Version *version = recursion->versions.data[i];
        version->lazy = lazy_compile(engine, version);
        add_others(engine, recursion, &seen, version->lazy);
    }
}

/* extern.c -- computes points of a func whose values a C function computes.
 *
 * The code of the stage computes the corners of the boxes and the scalars (extern_roots), and reads
 * nothing. A step requests all points of the boxes, and waits for them. Then it calls the function:
 * once for neighbours along the first dimension with the same boxes, otherwise for one point. (The
 * rules of semantics.c call it for one point each.)
 */
#include "checkers/reference/engine/engine.h"

#include <string.h>

/* The roots of the code: by part the scalar, or the indices of the first and of the last point. */
void extern_compile(Engine *engine, const Version *version, StageCode *code,
                    const Symbol *variables, int variable_count) {
    Arena *arena = engine->arena;
    Exprs roots = {0};
    ExternStage *stage = arena_new(arena, ExternStage);
    Expr call = code->stage->values[0];
    stage->parts = extern_parts(arena, call);
    stage->rules = extern_rules(arena, &stage->parts, version->func->shape);
    stage->targets = arena_array(arena, Version *, stage->parts.length + 1);
    for (size_t i = 0; i < stage->parts.length; i++) {
        const ExternPart *part = &stage->parts.data[i];
        if (part->scalar) {
            vec_push(arena, &roots, part->scalar);
            continue;
        }
        stage->targets[i] = map_get(&engine->last_version, part->first->name);
        for (int end = 0; end < 2; end++)
            for (int d = 0; d < part->first->arity; d++)
                vec_push(arena, &roots, (end ? part->last : part->first)->arguments[d]);
    }
    code->external = stage;
    code_compile(engine, &code->value, NULL, code->stage, variables, variable_count, roots.data,
                 (int)roots.length);
}

typedef int64_t Corners[2][MAX_DIMENSIONS];

/* The arguments of one call. */
typedef struct Calling {
    Engine *engine;
    EngineFrame *frame;
    const ExternStage *stage;
    Bits *scalars;    /* by part */
    Corners *corners; /* by part, then of the func */
    uint8_t error;    /* the greatest of all that is read */
    size_t lane;      /* of the first point */
} Calling;

static const ExternStage *stage_of(const EngineFrame *frame) {
    return frame->version->stages[0].external;
}

/* Takes the arguments of a lane. */
static void take_lane(Calling *calling, size_t lane) {
    const EngineFrame *frame = calling->frame;
    const ExternStage *stage = calling->stage;
    const BatchCode *code = frame->code;
    const FuncShape *func = frame->version->func->shape;
    int root = 0;
    calling->lane = lane;
    calling->error = ERROR_NONE;
    for (int r = 0; calling->engine->options.formal && r < code->root_count; r++) {
        uint8_t error = frame->registers[code->roots[r]]->errors[lane];
        calling->error = error > calling->error ? error : calling->error;
    }
    for (size_t i = 0; i < stage->parts.length; i++) {
        const ExternPart *part = &stage->parts.data[i];
        int count = part->scalar ? 1 : 2 * part->first->arity;
        for (int k = 0; k < count; k++) {
            Bits bits = frame->registers[code->roots[root++]]->bits[lane];
            if (part->scalar)
                calling->scalars[i] = bits;
            else
                calling->corners[i][k / part->first->arity][k % part->first->arity] = bits;
        }
    }
    for (int d = 0; d < func->dimensions; d++)
        for (int end = 0; end < 2; end++)
            calling->corners[stage->parts.length][end][d] = frame->coordinates[d]->bits[lane];
}

static bool same_boxes(const Calling *a, const Calling *b) {
    for (size_t i = 0; i < a->stage->parts.length; i++) {
        const ExternPart *part = &a->stage->parts.data[i];
        size_t bytes = part->scalar ? 0 : sizeof(int64_t) * (size_t)part->first->arity;
        for (int end = 0; end < 2; end++)
            if (bytes && memcmp(a->corners[i][end], b->corners[i][end], bytes))
                return false;
    }
    return a->error == b->error;
}

/* Is the point of `next` the neighbour of the last point of `calling`? */
static bool follows(const Calling *calling, const Calling *next) {
    const FuncShape *func = calling->frame->version->func->shape;
    size_t own = calling->stage->parts.length;
    for (int d = 0; d < func->dimensions; d++)
        if (calling->corners[own][1][d] + (d == 0) != next->corners[own][0][d])
            return false;
    return func->dimensions > 0;
}

/* ---- requests ---- */

/* Requests the points of a box of another version. */
static Status request_box(Calling *calling, Version *target, int64_t (*corners)[MAX_DIMENSIONS]) {
    const FuncShape *func = target->func->shape;
    int32_t point[MAX_DIMENSIONS] = {0};
    for (int d = 0; d < func->dimensions; d++)
        if (corners[1][d] < corners[0][d])
            return STATUS_DONE;
    for (int d = 0; d < func->dimensions; d++) {
        if (corners[0][d] != (int32_t)corners[0][d] || corners[1][d] != (int32_t)corners[1][d])
            return refuse(calling->engine, HLC_ERROR_COORDINATE_RANGE, func->name->text,
                          corners[0][d], corners[1][d], d);
        point[d] = (int32_t)corners[0][d];
    }
    for (int d = 0; d >= 0;) {
        execute_locate(calling->engine, calling->frame, target, point);
        for (d = 0; d < func->dimensions && point[d] == corners[1][d]; d++)
            point[d] = (int32_t)corners[0][d];
        if (d == func->dimensions)
            return STATUS_DONE;
        point[d]++;
    }
    return STATUS_DONE;
}

static Status request(Calling *calling) {
    for (size_t i = 0; i < calling->stage->parts.length; i++) {
        Version *target = calling->stage->targets[i];
        if (target && request_box(calling, target, calling->corners[i]))
            return STATUS_REFUSED;
    }
    return STATUS_DONE;
}

/* Waits for the version of the least number that has requests. */
static Status demand(const Calling *calling) {
    Version *least = NULL;
    for (size_t i = 0; i < calling->stage->parts.length; i++) {
        Version *target = calling->stage->targets[i];
        if (target && target->asked.count > 0 && (!least || target->number < least->number))
            least = target;
    }
    return least ? engine_push(calling->engine, least) : STATUS_DONE;
}

/* ---- the call ---- */

static bool read_element(void *data, size_t part, const int64_t *point, Bits *bits) {
    Calling *calling = data;
    Engine *engine = calling->engine;
    Version *target = calling->stage->targets[part];
    Expr access = calling->stage->parts.data[part].first;
    bool recorded =
        engine->recording && engine->recording->func == calling->frame->version->func->shape->name;
    uint8_t error = ERROR_NONE;
    if (!target) {
        size_t image = engine_image(engine, access->name);
        if (execute_image(engine, image, point, bits))
            return false;
        if (recorded)
            execute_record_image(engine, image, point, (Value){*bits, ERROR_NONE});
        return true;
    }
    int32_t narrow[MAX_DIMENSIONS];
    for (int d = 0; d < access->arity; d++)
        narrow[d] = (int32_t)point[d];
    Bits location = table_location(&target->table, narrow);
    table_load(&target->table, access->component, &location, 1, bits,
               engine->options.formal ? &error : NULL);
    if (error > calling->error)
        calling->error = error;
    if (recorded)
        execute_record(engine, &target->table, access->component, location, (Value){*bits, error});
    return true;
}

static bool write_element(void *data, const int64_t *point, const Bits *values) {
    const Calling *calling = data;
    const FuncShape *func = calling->frame->version->func->shape;
    size_t lane = calling->lane;
    if (func->dimensions > 0)
        lane += (size_t)(point[0] - calling->corners[calling->stage->parts.length][0][0]);
    for (int c = 0; c < func->components; c++) {
        calling->frame->current[c]->bits[lane] = values[c];
        calling->frame->current[c]->errors[lane] = calling->error;
    }
    return true;
}

static Status call(Calling *calling) {
    const Version *version = calling->frame->version;
    hlc_report report = {0};
    ExternRun run = {.context = calling->engine->pipeline->pool->context,
                     .function = version->stages[0].stage->values[0]->name,
                     .func = version->func->shape,
                     .parts = &calling->stage->parts,
                     .rules = calling->stage->rules,
                     .scalars = calling->scalars,
                     .boxes = (const int64_t(*)[2][MAX_DIMENSIONS])calling->corners,
                     .read = read_element,
                     .write = write_element,
                     .data = calling};
    int error = extern_run(&run, &report);
    if (error && error != EXTERN_LEFT && !calling->engine->outcome.error)
        calling->engine->outcome = outcome_of_report(&report);
    return error ? STATUS_REFUSED : STATUS_DONE;
}

static Calling begin(Engine *engine, EngineFrame *frame) {
    const ExternStage *stage = stage_of(frame);
    size_t parts = stage->parts.length;
    return (Calling){.engine = engine,
                     .frame = frame,
                     .stage = stage,
                     .scalars = arena_array(engine->arena, Bits, parts + 1),
                     .corners = arena_array(engine->arena, Corners, parts + 1)};
}

Status extern_step(Engine *engine, EngineFrame *frame) {
    if (!frame->code)
        execute_begin(engine, frame, &frame->version->stages[0].value, frame->coordinates);
    Status status = execute(engine, frame, false, 0, frame->lanes);
    Calling one = begin(engine, frame), next = begin(engine, frame);
    size_t own = one.stage->parts.length;
    for (size_t l = 0; status == STATUS_DONE && l < frame->lanes; l++) {
        take_lane(&next, l);
        if (l == 0 || !same_boxes(&one, &next))
            status = request(&next);
        take_lane(&one, l);
    }
    if (status == STATUS_DONE)
        status = demand(&one);
    for (size_t l = 0, end; status == STATUS_DONE && l < frame->lanes; l = end) {
        take_lane(&one, l);
        for (end = l + 1; end < frame->lanes; end++) {
            take_lane(&next, end);
            if (!same_boxes(&one, &next) || !follows(&one, &next))
                break;
            one.corners[own][1][0]++;
        }
        arena_poll(engine->arena);
        status = call(&one);
    }
    if (status == STATUS_DONE)
        execute_end(engine, frame);
    return status;
}

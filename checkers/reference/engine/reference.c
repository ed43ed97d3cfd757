/* reference.c -- the two entry points of the reference interpreter: all points of the outputs, or
 * one point.
 *
 * The points of a window are requested tile by tile. A tile is as large as a block of the table. So
 * each request is one portion for the engine, and inner points need little memory.
 */
#include "checkers/reference/engine/engine.h"

#include <string.h>
#include <time.h>

#define DEFAULT_MEMORY ((size_t)1 << 30)

/* The writes of an iteration run together. */
static void choose_lanes(Engine *engine) {
    size_t wanted = engine->options.lanes;
    engine->lanes = wanted && wanted < LANES ? wanted : LANES;
    for (size_t i = 0; i < engine->reached.length; i++) {
        const Func *func = engine->reached.data[i];
        for (size_t s = 0; s < func->stages.length; s++)
            if (engine->lanes < (size_t)func->stages.data[s]->writes)
                engine->lanes = LANES;
    }
}

/* If `func` is null, the engine serves the outputs. */
static Engine *create(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                      const ReferenceOptions *options, Symbol func) {
    Engine *engine = arena_new(arena, Engine);
    engine->pipeline = pipeline;
    engine->arguments = arguments;
    if (options)
        engine->options = *options;
    engine->options.formal = engine->options.formal || engine->options.strict;
    engine->arena = arena;
    engine->last_version = map_create(arena);
    engine->uniforms = map_create(arena);
    size_t limit = engine->options.memory_limit ? engine->options.memory_limit : DEFAULT_MEMORY;
    engine->store = store_create(arena, engine->options.formal, limit);
    startup_reach(engine, func);
    choose_lanes(engine);
    if (startup_check(engine) == STATUS_DONE)
        versions_create(engine);
    return engine;
}

/* ---- realization ----------------------------------------------------------------------------- */

/* A walk over a box of coordinates, both ends inclusive, dimension 0 fastest. */
typedef struct OutputWalk {
    int dimensions;
    int64_t first[MAX_DIMENSIONS], last[MAX_DIMENSIONS], at[MAX_DIMENSIONS];
} OutputWalk;

static bool walk_next(OutputWalk *walk) {
    for (int d = 0; d < walk->dimensions; d++) {
        if (++walk->at[d] <= walk->last[d])
            return true;
        walk->at[d] = walk->first[d];
    }
    return false;
}

static OutputWalk window_tiles(const Image *window, const PointTable *table) {
    OutputWalk walk = {.dimensions = window->dimensions};
    for (int d = 0; d < window->dimensions; d++) {
        walk.at[d] = walk.first[d] = window->minimum[d] >> table->side_bits[d];
        walk.last[d] = (window->minimum[d] + window->extent[d] - 1) >> table->side_bits[d];
    }
    return walk;
}

/* Returns the part of a tile that lies in the window. */
static OutputWalk tile_points(const Image *window, const PointTable *table,
                              const OutputWalk *tiles) {
    OutputWalk walk = {.dimensions = window->dimensions};
    for (int d = 0; d < window->dimensions; d++) {
        int64_t side = (int64_t)1 << table->side_bits[d], first = tiles->at[d] * side;
        int64_t minimum = window->minimum[d], end = minimum + window->extent[d];
        walk.at[d] = walk.first[d] = first > minimum ? first : minimum;
        walk.last[d] = (first + side < end ? first + side : end) - 1;
    }
    return walk;
}

static bool same_window(const Image *a, const Image *b) {
    size_t bytes = sizeof a->minimum[0] * (size_t)a->dimensions;
    return memcmp(a->minimum, b->minimum, bytes) == 0 && memcmp(a->extent, b->extent, bytes) == 0;
}

/* One output func, the images of its components, and the progress so far. */
typedef struct OutputRun {
    Engine *engine;
    Version *version;
    Image *images;
    int components;
    ErrorPoint *first_error; /* null in the total reading */
    bool error_here;         /* the first error belongs to this func */
} OutputRun;

/* Does point a precede b, dimension 0 fastest? */
static bool before(const int64_t *a, const int64_t *b, int dimensions) {
    for (int d = dimensions; d-- > 0;)
        if (a[d] != b[d])
            return a[d] < b[d];
    return false;
}

static void note_error(OutputRun *run, int component, const int64_t *point, uint8_t error) {
    ErrorPoint *first = run->first_error;
    int dimensions = run->version->func->shape->dimensions;
    if (!error || !first || (first->error && !run->error_here))
        return;
    if (first->error && !before(point, first->point, dimensions))
        return;
    run->error_here = true;
    first->error = error;
    first->func = run->version->func->shape->name;
    first->component = component;
    memcpy(first->point, point, sizeof first->point[0] * (size_t)dimensions);
}

static void copy_points(OutputRun *run, int component, OutputWalk points, const Bits *locations) {
    const PointTable *table = &run->version->table;
    const Image *image = &run->images[component];
    bool formal = run->engine->options.formal;
    size_t i = 0;
    do {
        Bits bits;
        uint8_t error = 0;
        table_load(table, component, &locations[i++], 1, &bits, formal ? &error : NULL);
        bits_store(image->type, image_at(image, points.at), bits);
        note_error(run, component, points.at, error);
    } while (walk_next(&points));
}

static Status run_tile(OutputRun *run, int component, const OutputWalk *tiles) {
    Engine *engine = run->engine;
    Version *version = run->version;
    const Image *window = &run->images[component];
    OutputWalk points = tile_points(window, &version->table, tiles), walk = points;
    Bits locations[BLOCK_POINTS];
    size_t count = 0;
    do {
        int32_t point[MAX_DIMENSIONS] = {0};
        for (int d = 0; d < walk.dimensions; d++)
            point[d] = (int32_t)walk.at[d];
        locations[count++] = execute_locate(engine, &engine->root, version, point);
    } while (walk_next(&walk));
    if (engine_run(engine, version) != STATUS_DONE)
        return STATUS_REFUSED;
    for (int c = component; c < run->components; c++)
        if (same_window(window, &run->images[c]))
            copy_points(run, c, points, locations);
    pins_release(&engine->root.pins);
    return STATUS_DONE;
}

/* Reports the finished fraction to the user, a few times a second. */
static void report_progress(const Engine *engine, int64_t done, int64_t all, clock_t *last) {
    clock_t now = engine->options.progress ? clock() : *last;
    if (now - *last < CLOCKS_PER_SEC / 4)
        return;
    *last = now;
    engine->options.progress(engine->options.progress_data, (double)done / (double)all);
}

static Status run_output(OutputRun *run, int64_t *done, int64_t all, clock_t *last) {
    for (int c = 0; c < run->components; c++) {
        const Image *window = &run->images[c];
        int64_t count = image_count(window);
        bool copied = count == 0;
        for (int other = 0; other < c; other++)
            copied = copied || same_window(window, &run->images[other]);
        *done += copied ? count : 0;
        if (copied)
            continue;
        OutputWalk tiles = window_tiles(window, &run->version->table);
        int64_t before_this = *done, tile_count = 1, tile = 0;
        for (int d = 0; d < tiles.dimensions; d++)
            tile_count *= tiles.last[d] - tiles.first[d] + 1;
        do {
            if (run_tile(run, c, &tiles) != STATUS_DONE)
                return STATUS_REFUSED;
            *done = before_this + (int64_t)((double)count * (double)++tile / (double)tile_count);
            report_progress(run->engine, *done, all, last);
        } while (walk_next(&tiles));
        *done = before_this + count;
    }
    return STATUS_DONE;
}

Outcome reference_realize(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                          const ReferenceOptions *options, ErrorPoint *first_error) {
    Engine *engine = create(pipeline, arena, arguments, options, NULL);
    if (first_error)
        *first_error = (ErrorPoint){.error = ERROR_NONE};
    const Requirement *erring = engine->erring;
    if (first_error && erring)
        *first_error = (ErrorPoint){.error = startup_value(engine, erring->condition)->value.error,
                                    .requirement = erring->message};
    const Signature *signature = &pipeline->signature;
    int64_t all = 0, done = 0;
    size_t flat = 0;
    for (size_t i = 0; i < signature->outputs.length; i++)
        for (int c = 0; c < signature_func(signature, signature->outputs.data[i].func)->components;
             c++)
            all += image_count(&arguments->outputs[flat++]);
    flat = 0;
    clock_t last = clock();
    for (size_t i = 0; i < signature->outputs.length && !engine->outcome.error; i++) {
        Symbol func = signature->outputs.data[i].func;
        OutputRun run = {.engine = engine,
                         .version = map_get(&engine->last_version, func),
                         .images = arguments->outputs + flat,
                         .components = signature_func(signature, func)->components,
                         .first_error = engine->options.formal ? first_error : NULL};
        if (run_output(&run, &done, all, &last) != STATUS_DONE)
            break;
        flat += (size_t)run.components;
    }
    return engine->outcome;
}

/* ---- one point ------------------------------------------------------------------------------- */

Outcome reference_point(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                        const ReferenceOptions *options, Symbol func, const int64_t *point,
                        Value *values, ReferenceReads *reads) {
    Engine *engine = create(pipeline, arena, arguments, options, func);
    if (engine->outcome.error)
        return engine->outcome;
    Recording recording = {.func = func, .point = point, .reads = reads, .arena = arena};
    engine->recording = reads ? &recording : NULL;
    Version *version = map_get(&engine->last_version, func);
    hlc_assert(version, "the point is one of a func of the pipeline");
    const FuncShape *shape = version->func->shape;
    int32_t narrow[MAX_DIMENSIONS];
    for (int d = 0; d < shape->dimensions; d++) {
        narrow[d] = (int32_t)point[d];
        if (narrow[d] != point[d]) {
            refuse(engine, HLC_ERROR_COORDINATE_RANGE, func->text, point[d], point[d], d);
            return engine->outcome;
        }
    }
    Bits location = execute_locate(engine, &engine->root, version, narrow);
    if (engine_run(engine, version) != STATUS_DONE)
        return engine->outcome;
    for (int c = 0; c < shape->components; c++) {
        values[c] = (Value){0, ERROR_NONE};
        table_load(&version->table, c, &location, 1, &values[c].bits,
                   engine->options.formal ? &values[c].error : NULL);
    }
    return engine->outcome;
}

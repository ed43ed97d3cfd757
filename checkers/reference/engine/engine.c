/* engine.c -- state that all parts of the engine share: refusals, registers, the stack of frames.
 */
#include "checkers/reference/engine/engine.h"

Status engine_refuse(Engine *engine, int error, const char *subject, const int64_t *numbers,
                     int count) {
    if (engine->outcome.error == HLC_SUCCESS) {
        engine->outcome.error = error;
        hlc_error_message(engine->outcome.message, (int)sizeof engine->outcome.message, error,
                          subject, numbers, count);
    }
    return STATUS_REFUSED;
}

Vector *vector_create(const Engine *engine) {
    size_t bytes = engine->lanes * sizeof(Bits);
    Vector *vector = arena_allocate(engine->arena, sizeof *vector + bytes + engine->lanes);
    vector->errors = (uint8_t *)vector->bits + bytes;
    return vector;
}

Vector *vector_take(Engine *engine) {
    if (engine->free_vectors.length > 0)
        return engine->free_vectors.data[--engine->free_vectors.length];
    return vector_create(engine);
}

void vector_give(Engine *engine, Vector **vector) {
    if (*vector)
        vec_push(engine->arena, &engine->free_vectors, *vector);
    *vector = NULL;
}

Status engine_push(Engine *engine, Version *version) {
    Arena *arena = engine->arena;
    if (engine->depth == engine->frames.length) {
        EngineFrame *fresh = arena_new(arena, EngineFrame);
        fresh->current = arena_array(arena, Vector *, engine->most_components);
        fresh->variables = arena_array(arena, Vector *, engine->most_variables);
        fresh->at = arena_array(arena, int64_t, engine->most_reductions);
        fresh->chunk_at = arena_array(arena, int64_t, engine->most_reductions);
        vec_push(arena, &engine->frames, fresh);
    }
    EngineFrame *frame = engine->frames.data[engine->depth++];
    frame->version = version;
    PointList empty = frame->points;
    empty.count = 0;
    empty.coordinates.length = 0;
    frame->points = version->asked;
    version->asked = empty;
    frame->next = 0;
    frame->step = version->scatter ? STEP_COLLECT : STEP_BATCH;
    return STATUS_WAITING;
}

size_t engine_image(const Engine *engine, Symbol name) {
    const ImageParameters *images = &engine->pipeline->signature.images;
    size_t image = 0;
    while (image < images->length && images->data[image].name != name)
        image++;
    hlc_assert(image < images->length, "an access names a func or an image");
    return image;
}

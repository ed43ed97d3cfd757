/* object.c -- code in memory as an object. Each has its own arena, so taking it from its handle
 * only moves the account of its memory. */
#include "library/compiler.h"

#include <string.h>

hlc_object *object_keep(hlc *h, const Object *code) {
    Arena *arena = arena_create(&h->context->memory);
    hlc_object *object = arena_new(arena, hlc_object);
    unsigned char *bytes = arena_allocate(arena, code->length + 1); /* text ends in a zero */
    memcpy(bytes, code->bytes, code->length);
    *object = (hlc_object){
        .next = h->objects, .h = h, .arena = arena, .length = code->length, .bytes = bytes};
    return h->objects = object;
}

const void *hlc_object_bytes(const hlc_object *object) {
    return object ? object->bytes : NULL;
}

size_t hlc_object_length(const hlc_object *object) {
    return object ? object->length : 0;
}

static void unlink_object(hlc_object *object) {
    hlc_object **link = &object->h->objects;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    object->h = NULL;
}

hlc_object *hlc_take_object(hlc_object *object) {
    if (!object)
        return NULL;
    if (object->h) {
        unlink_object(object);
        arena_move(object->arena, &object->memory);
    }
    return object;
}

void hlc_object_destroy(hlc_object *object) {
    if (!object)
        return;
    if (object->h)
        unlink_object(object);
    arena_destroy(object->arena);
}

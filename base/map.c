#include "base/map.h"

#include <string.h>

Map map_create(Arena *arena) {
    return (Map){.arena = arena};
}

static size_t slot_of(const Map *map, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    size_t slot = (hash >> 20) & (map->capacity - 1);
    while (map->keys[slot] && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

void *map_get(const Map *map, const void *key) {
    if (!map->count)
        return NULL;
    size_t slot = slot_of(map, key);
    return map->keys[slot] ? map->values[slot] : NULL;
}

static void grow(Map *map) {
    Map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : 16;
    map->keys = arena_array(map->arena, const void *, map->capacity);
    map->values = arena_array(map->arena, void *, map->capacity);
    for (size_t i = 0; i < old.capacity; i++) {
        if (!old.keys[i])
            continue;
        size_t slot = slot_of(map, old.keys[i]);
        map->keys[slot] = old.keys[i];
        map->values[slot] = old.values[i];
    }
}

void map_put(Map *map, const void *key, const void *value) {
    if (map->count * 2 >= map->capacity)
        grow(map);
    size_t slot = slot_of(map, key);
    if (!map->keys[slot]) {
        map->keys[slot] = key;
        map->count++;
    }
    map->values[slot] = (void *)value;
}

void map_clear(Map *map) {
    if (map->capacity) {
        memset(map->keys, 0, map->capacity * sizeof *map->keys);
        memset(map->values, 0, map->capacity * sizeof *map->values);
    }
    map->count = 0;
}

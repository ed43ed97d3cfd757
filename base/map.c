#include "base/map.h"

#include <string.h>

struct MapTable {
    Arena *arena;
    const void **keys;
    void **values;
    size_t capacity, count;
};

Map map_create(Arena *arena) {
    struct MapTable *table = arena_array(arena, struct MapTable, 1);
    table->arena = arena;
    return (Map){table};
}

static size_t slot_of(const struct MapTable *table, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    size_t slot = (hash >> 20) & (table->capacity - 1);
    while (table->keys[slot] && table->keys[slot] != key)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

size_t map_count(const Map *map) {
    return map->table ? map->table->count : 0;
}

Arena *map_arena(const Map *map) {
    return map->table->arena;
}

void *map_get(const Map *map, const void *key) {
    if (!map_count(map))
        return NULL;
    size_t slot = slot_of(map->table, key);
    return map->table->keys[slot] ? map->table->values[slot] : NULL;
}

static void grow(struct MapTable *table) {
    struct MapTable old = *table;
    table->capacity = old.capacity ? old.capacity * 2 : 16;
    table->keys = arena_array(table->arena, const void *, table->capacity);
    table->values = arena_array(table->arena, void *, table->capacity);
    for (size_t i = 0; i < old.capacity; i++) {
        if (!old.keys[i])
            continue;
        size_t slot = slot_of(table, old.keys[i]);
        table->keys[slot] = old.keys[i];
        table->values[slot] = old.values[i];
    }
}

void map_put(Map *map, const void *key, const void *value) {
    struct MapTable *table = map->table;
    if (table->count * 2 >= table->capacity)
        grow(table);
    size_t slot = slot_of(table, key);
    if (!table->keys[slot]) {
        table->keys[slot] = key;
        table->count++;
    }
    table->values[slot] = (void *)value;
}

void map_clear(Map *map) {
    struct MapTable *table = map->table;
    if (table->capacity) {
        memset(table->keys, 0, table->capacity * sizeof *table->keys);
        memset(table->values, 0, table->capacity * sizeof *table->values);
    }
    table->count = 0;
}

/* map.h -- a hash map from pointers to pointers, for memo tables and side tables whose keys are
 * interned (symbols, expressions, holes, statements).
 *
 * Slots depend on addresses, so nothing iterates over a map.  Code that needs an order keeps a
 * vector beside the map.
 */
#ifndef HLC_BASE_MAP_H
#define HLC_BASE_MAP_H

#include "base/memory.h"

typedef struct Map {
    Arena *arena;
    const void **keys;
    void **values;
    size_t capacity, count;
} Map;

Map map_create(Arena *arena);
/* Null where the key is absent. */
void *map_get(const Map *map, const void *key);
/* Adds or replaces.  `key` is not null. */
void map_put(Map *map, const void *key, const void *value);
/* Forgets all entries. */
void map_clear(Map *map);

#endif

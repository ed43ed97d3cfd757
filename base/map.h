/* map.h -- a hash map from pointers to pointers, for memo tables and side tables whose keys are
 * interned (symbols, expressions, holes, statements).
 *
 * Slots depend on addresses, so nothing iterates over a map.  Code that needs an order keeps a
 * vector beside the map.
 *
 * A `Map` is a handle.  Its copy is the same map: what is put into one is in the other.
 */
#ifndef HLC_BASE_MAP_H
#define HLC_BASE_MAP_H

#include "base/memory.h"

typedef struct Map {
    struct MapTable *table;
} Map;

Map map_create(Arena *arena);
/* Null where the key is absent, and in a zeroed `Map`. */
void *map_get(const Map *map, const void *key);
/* How many keys it has; 0 for a zeroed `Map`. */
size_t map_count(const Map *map);
Arena *map_arena(const Map *map);
/* Adds or replaces.  `key` is not null. */
void map_put(Map *map, const void *key, const void *value);
/* Forgets all entries. */
void map_clear(Map *map);

#endif

/* table.c -- blocks of memoised points (table.h).
 *
 * A table is a chained hash table of blocks. Blocks that may be released are in a list ordered by
 * last use. At the limit, the least recently used blocks without pins are released until there is
 * room. Free blocks are kept in lists by size.
 */
#include "checkers/reference/engine/table.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Sides of a block by number of dimensions, in bits; they add up to BLOCK_BITS. The first two
 * dimensions have equal sides, because stencils reach in both. The others are small: they are often
 * colour channels. */
static const uint8_t SIDES[MAX_DIMENSIONS + 1][MAX_DIMENSIONS] = {
    {0},
    {12},
    {6, 6},
    {5, 5, 2},
    {4, 4, 2, 2},
    {4, 4, 2, 1, 1},
    {4, 4, 1, 1, 1, 1},
    {3, 3, 2, 1, 1, 1, 1},
    {3, 3, 1, 1, 1, 1, 1, 1},
};

PointStore *store_create(Arena *arena, bool formal, size_t limit) {
    PointStore *store = arena_new(arena, PointStore);
    store->arena = arena;
    store->formal = formal;
    store->limit = limit;
    vec_push(arena, &store->blocks, NULL); /* no block has number 0 */
    return store;
}

void table_init(PointTable *table, PointStore *store, const FuncShape *shape, bool releasable) {
    *table = (PointTable){.store = store, .shape = shape, .releasable = releasable};
    for (int d = 0; d < shape->dimensions; d++)
        table->side_bits[d] = SIDES[shape->dimensions][d];
    table->planes = arena_array(store->arena, size_t, shape->components);
    table->widths = arena_array(store->arena, int, shape->components);
    size_t bytes = 0;
    for (int c = 0; c < shape->components; c++) {
        Type type = shape->types[c];
        table->planes[c] = bytes;
        table->widths[c] = type_bytes(type) * (type.kind == TYPE_INT ? -1 : 1);
        bytes += (size_t)type_bytes(type) * BLOCK_POINTS;
    }
    table->errors = bytes;
    if (store->formal)
        bytes += (size_t)shape->components * BLOCK_POINTS;
    table->block_bytes = sizeof(PointBlock) + bytes;
    table->capacity = 16;
    table->slots = arena_array(store->arena, PointBlock *, table->capacity);
}

static size_t slot_of(const PointTable *table, const int32_t *key) {
    uint64_t hash = 1;
    for (int d = 0; d < table->shape->dimensions; d++)
        hash = hash_mix(hash, (uint32_t)key[d]);
    return hash & (table->capacity - 1);
}

static void grow(PointTable *table) {
    PointBlock **old = table->slots;
    size_t count = table->capacity;
    table->capacity *= 2;
    table->slots = arena_array(table->store->arena, PointBlock *, table->capacity);
    for (size_t i = 0; i < count; i++)
        for (PointBlock *block = old[i], *next; block; block = next) {
            next = block->chain;
            size_t slot = slot_of(table, block->key);
            block->chain = table->slots[slot];
            table->slots[slot] = block;
        }
}

static void unlink_use(PointStore *store, PointBlock *block) {
    *(block->newer ? &block->newer->older : &store->newest) = block->older;
    *(block->older ? &block->older->newer : &store->oldest) = block->newer;
    block->newer = block->older = NULL;
}

static void link_newest(PointStore *store, PointBlock *block) {
    block->older = store->newest;
    block->newer = NULL;
    *(store->newest ? &store->newest->newer : &store->oldest) = block;
    store->newest = block;
}

static void release(PointStore *store, PointBlock *block) {
    PointTable *table = block->table;
    PointBlock **link = &table->slots[slot_of(table, block->key)];
    while (*link != block)
        link = &(*link)->chain;
    *link = block->chain;
    table->count--;
    table->last = NULL;
    unlink_use(store, block);
    store->blocks.data[block->number] = NULL;
    vec_push(store->arena, &store->free_numbers, block->number);
    store->in_use -= block->bytes;
    size_t i = 0;
    while (i < store->free_blocks.length && store->free_blocks.data[i]->bytes != block->bytes)
        i++;
    if (i < store->free_blocks.length) {
        block->chain = store->free_blocks.data[i]->chain;
        store->free_blocks.data[i]->chain = block;
    } else {
        PointBlock *head =
            arena_new(store->arena, PointBlock); /* a list head for this size, not a block */
        head->bytes = block->bytes;
        head->chain = block;
        block->chain = NULL;
        vec_push(store->arena, &store->free_blocks, head);
    }
}

/* Releases the least recently used blocks until `wanted` bytes fit well below the limit. */
static void make_room(PointStore *store, size_t wanted) {
    if (store->in_use + wanted <= store->limit)
        return;
    size_t target = store->limit - store->limit / 8;
    PointBlock *newer;
    for (PointBlock *block = store->oldest; block && store->in_use + wanted > target;
         block = newer) {
        newer = block->newer;
        if (block->pins == 0)
            release(store, block);
    }
}

static PointBlock *take_free(PointStore *store, size_t bytes) {
    for (size_t i = 0; i < store->free_blocks.length; i++) {
        PointBlock *head = store->free_blocks.data[i], *block = head->chain;
        if (head->bytes == bytes && block) {
            head->chain = block->chain;
            memset(block, 0, bytes);
            return block;
        }
    }
    return NULL;
}

static PointBlock *create_block(PointTable *table, const int32_t *key) {
    PointStore *store = table->store;
    make_room(store, table->block_bytes);
    PointBlock *block = take_free(store, table->block_bytes);
    if (!block)
        block = arena_allocate(store->arena, table->block_bytes);
    block->bytes = table->block_bytes;
    block->table = table;
    store->in_use += block->bytes;
    if (store->free_numbers.length > 0) {
        block->number = store->free_numbers.data[--store->free_numbers.length];
        store->blocks.data[block->number] = block;
    } else {
        block->number = (uint32_t)store->blocks.length;
        vec_push(store->arena, &store->blocks, block);
    }
    memcpy(block->key, key, sizeof(int32_t) * (size_t)table->shape->dimensions);
    if (table->count >= table->capacity)
        grow(table);
    size_t slot = slot_of(table, key);
    block->chain = table->slots[slot];
    table->slots[slot] = block;
    table->count++;
    if (table->releasable)
        link_newest(store, block);
    return block;
}

PointBlock *table_block(PointTable *table, const int32_t *key) {
    size_t bytes = sizeof(int32_t) * (size_t)table->shape->dimensions;
    PointBlock *block = table->slots[slot_of(table, key)];
    while (block && memcmp(block->key, key, bytes) != 0)
        block = block->chain;
    if (!block) {
        block = create_block(table, key);
    } else if (table->releasable && block != table->store->newest) {
        unlink_use(table->store, block);
        link_newest(table->store, block);
    }
    table->last = block;
    return block;
}

void table_point(const PointTable *table, Bits location, int64_t *point) {
    const PointBlock *block = store_block(table->store, location);
    uint32_t offset = location_offset(location);
    for (int d = 0; d < table->shape->dimensions; d++) {
        int bits = table->side_bits[d];
        point[d] = (int64_t)block->key[d] * (1 << bits) + (offset & ((1u << bits) - 1));
        offset >>= bits;
    }
}

/* Each width has its own loop, because all memory accesses go through these two functions. */
#define EACH_LANE(T, STATEMENT)                                                                    \
    for (size_t i = 0; i < count; i++) {                                                           \
        T *value = (T *)block_values(table, store_block(table->store, locations[i]), component) +  \
                   location_offset(locations[i]);                                                  \
        STATEMENT;                                                                                 \
    }

void table_load(const PointTable *table, int component, const Bits *locations, size_t count,
                Bits *bits, uint8_t *errors) {
    int width = table->widths[component];
    if (width == -1)
        EACH_LANE(int8_t, bits[i] = *value)
    else if (width == 1)
        EACH_LANE(uint8_t, bits[i] = *value)
    else if (width == -2)
        EACH_LANE(int16_t, bits[i] = *value)
    else if (width == 2)
        EACH_LANE(uint16_t, bits[i] = *value)
    else if (width == -4)
        EACH_LANE(int32_t, bits[i] = *value)
    else if (width == 4)
        EACH_LANE(uint32_t, bits[i] = *value)
    else
        EACH_LANE(int64_t, bits[i] = *value)
    if (errors)
        for (size_t i = 0; i < count; i++)
            errors[i] = block_errors(table, store_block(table->store, locations[i]),
                                     component)[location_offset(locations[i])];
}

void table_store(const PointTable *table, int component, const Bits *locations, size_t count,
                 const Bits *bits, const uint8_t *errors) {
    int width = abs(table->widths[component]);
    if (width == 1)
        EACH_LANE(uint8_t, *value = (uint8_t)bits[i])
    else if (width == 2)
        EACH_LANE(uint16_t, *value = (uint16_t)bits[i])
    else if (width == 4)
        EACH_LANE(uint32_t, *value = (uint32_t)bits[i])
    else
        EACH_LANE(int64_t, *value = bits[i])
    if (errors)
        for (size_t i = 0; i < count; i++)
            block_errors(table, store_block(table->store, locations[i]),
                         component)[location_offset(locations[i])] = errors[i];
}

void pins_add(Pins *pins, PointBlock *block) {
    size_t length = pins->blocks.length;
    if (length > 0 && pins->blocks.data[length - 1] == block)
        return;
    block->pins++;
    vec_push(block->table->store->arena, &pins->blocks, block);
}

void pins_release(Pins *pins) {
    for (size_t i = 0; i < pins->blocks.length; i++)
        pins->blocks.data[i]->pins--;
    pins->blocks.length = 0;
}

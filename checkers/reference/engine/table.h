/* table.h -- the memory of the reference: sparse tables of points, in blocks of 4096.
 *
 * A block is a box of points of one table. A hash of its coordinates, divided by the box's sides,
 * finds it. It holds every component in its natural width, and two bits per point: "requested" and
 * "known". A point's *location* is (block number << 12 | offset in the block): 64 bits that fit a
 * register.
 *
 * At the memory limit, the least recently used blocks of tables that can be recomputed are
 * released. Pinned blocks are never released, so the limit is soft. Released blocks are reused by
 * size; all memory comes from one arena.
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_TABLE_H
#define HLC_CHECKERS_REFERENCE_ENGINE_TABLE_H

#include "ir/signature.h"
#include "ir/value.h"

#define BLOCK_BITS   12
#define BLOCK_POINTS (1 << BLOCK_BITS)

typedef struct PointBlock {
    struct PointBlock *chain;         /* next in the hash slot, or in the list of free blocks */
    struct PointBlock *newer, *older; /* by last use; only for blocks that may be released */
    struct PointTable *table;
    size_t bytes;
    uint32_t number, pins;
    int32_t key[MAX_DIMENSIONS]; /* coordinate >> side bits */
    uint64_t asked[BLOCK_POINTS / 64], known[BLOCK_POINTS / 64];
    unsigned char data[]; /* component planes; then error planes in the formal reading */
} PointBlock;

/* All tables of one realization share a store. */
typedef struct PointStore {
    Arena *arena;
    bool formal;              /* blocks have error planes */
    size_t limit, in_use;     /* bytes in blocks */
    Vec(PointBlock *) blocks; /* by number; null if free */
    Vec(uint32_t) free_numbers;
    Vec(PointBlock *) free_blocks; /* one chained list for each size */
    PointBlock *newest, *oldest;
} PointStore;

typedef struct PointTable {
    PointStore *store;
    const FuncShape *shape;
    bool releasable;
    int side_bits[MAX_DIMENSIONS];
    size_t *planes; /* offset of each component in PointBlock.data */
    int *widths;    /* bytes of each component; negative if signed */
    size_t errors;  /* offset of the first error plane */
    size_t block_bytes;
    PointBlock **slots;
    size_t capacity, count;
    PointBlock *last; /* the block found last; null after a release */
} PointTable;

PointStore *store_create(Arena *arena, bool formal, size_t limit);

void table_init(PointTable *table, PointStore *store, const FuncShape *shape, bool releasable);

/* Returns the block with this key; creates it if there is none. */
PointBlock *table_block(PointTable *table, const int32_t *key);

static inline PointBlock *store_block(const PointStore *store, Bits location) {
    return store->blocks.data[location >> BLOCK_BITS];
}
static inline uint32_t location_offset(Bits location) {
    return (uint32_t)location & (BLOCK_POINTS - 1);
}
static inline Bits block_location(const PointBlock *block, uint32_t offset) {
    return (Bits)block->number << BLOCK_BITS | offset;
}
static inline bool bitmap_has(const uint64_t *bitmap, uint32_t offset) {
    return bitmap[offset >> 6] >> (offset & 63) & 1;
}
static inline void bitmap_set(uint64_t *bitmap, uint32_t offset) {
    bitmap[offset >> 6] |= (uint64_t)1 << (offset & 63);
}

/* Returns the block of a point whose coordinates lie in i32, and its offset there. */
static inline PointBlock *table_find(PointTable *table, const int32_t *point, uint32_t *offset) {
    int dimensions = table->shape->dimensions, shift = 0;
    int32_t key[MAX_DIMENSIONS];
    uint32_t inside = 0;
    const PointBlock *last = table->last;
    bool same = last != NULL;
    for (int d = 0; d < dimensions; d++) {
        int bits = table->side_bits[d];
        key[d] = point[d] >> bits;
        inside |= ((uint32_t)point[d] & ((1u << bits) - 1)) << shift;
        shift += bits;
        same = same && last->key[d] == key[d];
    }
    *offset = inside;
    return same ? table->last : table_block(table, key);
}
static inline Bits table_location(PointTable *table, const int32_t *point) {
    uint32_t offset;
    const PointBlock *block = table_find(table, point, &offset);
    return block_location(block, offset);
}

/* Returns the coordinates of a location of this table. */
void table_point(const PointTable *table, Bits location, int64_t *point);

static inline unsigned char *block_values(const PointTable *table, PointBlock *block,
                                          int component) {
    return block->data + table->planes[component];
}
static inline uint8_t *block_errors(const PointTable *table, PointBlock *block, int component) {
    return block->data + table->errors + (size_t)component * BLOCK_POINTS;
}

/* Read and write one component of points; errors only in the formal reading. */
void table_load(const PointTable *table, int component, const Bits *locations, size_t count,
                Bits *bits, uint8_t *errors);
void table_store(const PointTable *table, int component, const Bits *locations, size_t count,
                 const Bits *bits, const uint8_t *errors);

/* Blocks that must not be released for some time. */
typedef struct Pins {
    Vec(PointBlock *) blocks;
} Pins;
void pins_add(Pins *pins, PointBlock *block);
void pins_release(Pins *pins);

#endif

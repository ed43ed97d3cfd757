/* blocks.h -- a cache of memory blocks for pipelines, above the C library. */
#ifndef HLC_RUNTIME_BLOCKS_H
#define HLC_RUNTIME_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns at least `size` bytes, aligned to 64; null if memory runs out. */
void *blocks_take(size_t size);
/* Frees a block of blocks_take. */
void blocks_give(void *block);
/* Does a sanitizer watch uses after free? Then nothing is kept. */
bool blocks_are_watched(void);

#endif

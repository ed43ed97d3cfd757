/* blocks.h -- memory of the C library for pipelines, kept from one use to the next. */
#ifndef HLC_RUNTIME_BLOCKS_H
#define HLC_RUNTIME_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* At least `size` bytes, aligned to 64; null when there are none. */
void *blocks_take(size_t size);
/* Back with what blocks_take gave. */
void blocks_give(void *block);
/* A sanitizer watches what is used after it was given back: nothing is kept. */
bool blocks_are_watched(void);

#endif

#include "base/vec.h"

#include <string.h>

void vec_reserve_(Arena *arena, void **data, size_t *capacity, size_t wanted, size_t element) {
    if (wanted <= *capacity)
        return;
    size_t grown = *capacity ? *capacity * 2 : 4;
    if (grown < wanted)
        grown = wanted;
    void *block = arena_allocate(arena, grown * element);
    if (*capacity)
        memcpy(block, *data, *capacity * element);
    *data = block;
    *capacity = grown;
}

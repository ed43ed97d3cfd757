/* vec.h -- growable arrays in an arena.
 *
 * `typedef Vec(int) Ints;` declares one; a zeroed one is empty.  Growing copies into the arena and
 * abandons the old block, so a pointer into `data` does not survive a push.
 */
#ifndef HLC_BASE_VEC_H
#define HLC_BASE_VEC_H

#include "base/memory.h"

#define Vec(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        size_t length, capacity;                                                                   \
    }

/* Appends `...` (one value) to the vector `*v`. */
#define vec_push(arena, v, ...)                                                                    \
    ((void)((v)->length < (v)->capacity ||                                                         \
            (vec_reserve_((arena), (void **)&(v)->data, &(v)->capacity, (v)->length + 1,           \
                          sizeof *(v)->data),                                                      \
             0)),                                                                                  \
     (void)((v)->data[(v)->length++] = (__VA_ARGS__)))

#define vec_reserve(arena, v, count)                                                               \
    vec_reserve_((arena), (void **)&(v)->data, &(v)->capacity, (count), sizeof *(v)->data)

void vec_reserve_(Arena *arena, void **data, size_t *capacity, size_t wanted, size_t element);

#endif

/* record.c -- records the reads of a point's definition: each once, in order of first occurrence.
 */
#include "checkers/reference/engine/engine.h"

#include "base/hash.h"

#include <string.h>

static uint64_t hash_read(const ReferenceRead *read) {
    uint64_t hash = hash_mix(read->name->hash, (uint64_t)read->component);
    for (int d = 0; d < read->dimensions; d++)
        hash = hash_mix(hash, (uint64_t)read->point[d]);
    return hash;
}

static bool same_read(const ReferenceRead *a, const ReferenceRead *b) {
    return a->name == b->name && a->component == b->component &&
           memcmp(a->point, b->point, sizeof a->point[0] * (size_t)a->dimensions) == 0;
}

static size_t *slot_for(const Recording *recording, const ReferenceRead *read) {
    size_t slot = hash_read(read) & (recording->capacity - 1);
    while (recording->slots[slot] &&
           !same_read(&recording->reads->data[recording->slots[slot] - 1], read))
        slot = (slot + 1) & (recording->capacity - 1);
    return &recording->slots[slot];
}

void record_read(Recording *recording, const ReferenceRead *read) {
    ReferenceReads *reads = recording->reads;
    if (2 * (reads->length + 1) > recording->capacity) {
        recording->capacity = recording->capacity ? recording->capacity * 2 : 64;
        recording->slots = arena_array(recording->arena, size_t, recording->capacity);
        for (size_t i = 0; i < reads->length; i++)
            *slot_for(recording, &reads->data[i]) = i + 1;
    }
    size_t *slot = slot_for(recording, read);
    if (*slot)
        return;
    vec_push(recording->arena, reads, *read);
    *slot = reads->length;
}

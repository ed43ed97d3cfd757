/* hash.h -- hashing of content, the same on every machine and in every run. */
#ifndef HLC_BASE_HASH_H
#define HLC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SEED 0x9e3779b97f4a7c15u

static inline uint64_t hash_mix(uint64_t hash, uint64_t value) {
    hash ^= value + HASH_SEED + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 33);
}

uint64_t hash_bytes(const void *bytes, size_t length);

#endif

#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    uint64_t hash = hash_mix(HASH_SEED, length);
    for (; length >= 8; p += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = hash_mix(hash, word);
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < length; i++)
        rest |= (uint64_t)p[i] << (8 * i);
    return hash_mix(hash, rest);
}

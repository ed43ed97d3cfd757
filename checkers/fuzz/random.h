/* random.h -- the fuzzer's random numbers: a seed gives the same sequence on every machine. */
#ifndef HLC_CHECKERS_FUZZ_RANDOM_H
#define HLC_CHECKERS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct RandomSource {
    uint64_t state;
} RandomSource;

/* splitmix64: one addition and a mixing of the bits. */
static inline uint64_t random_bits(RandomSource *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number from 0 to count - 1. */
static inline int random_below(RandomSource *random, int count) {
    return (int)(random_bits(random) % (uint64_t)count);
}

/* A number from `lower` to `upper`, both included. */
static inline int random_between(RandomSource *random, int lower, int upper) {
    return lower + random_below(random, upper - lower + 1);
}

/* True in `percent` of 100 cases. */
static inline bool random_chance(RandomSource *random, int percent) {
    return random_below(random, 100) < percent;
}

#define random_pick(random, array)                                                                 \
    ((array)[random_below((random), (int)(sizeof(array) / sizeof *(array)))])

#endif

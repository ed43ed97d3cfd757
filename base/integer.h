/* integer.h -- arithmetic on integers for which C has no operator. */
#ifndef HLC_BASE_INTEGER_H
#define HLC_BASE_INTEGER_H

#include <stdint.h>

/* The greatest common divisor, not negative; 1 where it is 2^63. */
int64_t gcd64(int64_t a, int64_t b);

/* a / b rounded down, and what is left, for b > 0. */
static inline int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}
static inline int64_t floor_modulo(int64_t a, int64_t b) {
    int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

/* The next of a sequence of numbers that look drawn, the same from the same state (splitmix64). */
uint64_t next_drawn(uint64_t *state);

#endif

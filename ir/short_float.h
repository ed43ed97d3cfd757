/* short_float.h -- inside the evaluator: f16 and bf16 from f32 and back.
 *
 * Widening is exact. Narrowing rounds once, to nearest even. A wider source first becomes an f32
 * that is rounded to odd: the inexact result is the neighbour whose last bit is 1. Rounding it again
 * gives what one rounding gives, because f32 has at least two bits more than both types, at all
 * magnitudes (Boldo, Melquiond: When double rounding is odd, 2005).
 */
#ifndef HLC_IR_SHORT_FLOAT_H
#define HLC_IR_SHORT_FLOAT_H

#include "ir/value.h"

#include <string.h>

static inline uint32_t word_of(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline float float_of(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* 2^112 turns the exponent's bias from 15 to 127, of subnormals too. */
static inline float load_f16(Bits bits) {
    uint32_t magnitude = (uint32_t)bits & 0x7fff;
    uint32_t word = word_of(float_of(magnitude << 13) * 0x1p112f);
    word |= magnitude >= 0x7c00 ? 0x7f800000 : 0;
    return float_of(word | ((uint32_t)bits & 0x8000) << 16);
}

static inline Bits store_f16(float value) {
    uint32_t word = word_of(value), magnitude = word & 0x7fffffff;
    uint32_t normal = (magnitude - (112 << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* The last bit of 0.5 + x is that of f16's subnormals. */
    uint32_t subnormal = word_of(float_of(magnitude) + 0.5f) - 0x3f000000;
    uint32_t result = magnitude < 0x38800000    ? subnormal
                      : magnitude < 0x477ff000  ? normal
                      : magnitude <= 0x7f800000 ? 0x7c00
                                                : 0x7e00;
    return (Bits)(result | (word >> 16 & 0x8000));
}

static inline float load_bf16(Bits bits) {
    return float_of((uint32_t)bits << 16);
}

static inline Bits store_bf16(float value) {
    uint32_t word = word_of(value);
    return (Bits)(value != value ? 0x7fc0 : (word + 0x7fff + (word >> 16 & 1)) >> 16);
}

/* Rounds to odd. */
static inline float odd_from_f64(double value) {
    float nearest = (float)value;
    uint32_t word = word_of(nearest);
    word -= __builtin_fabs((double)nearest) > __builtin_fabs(value); /* toward zero */
    word |= (double)nearest < value || (double)nearest > value;
    return float_of(word);
}

/* Rounds to odd: the twelve low bits of a large number matter only as zero or not. */
static inline double odd_from_u64(uint64_t number) {
    uint64_t kept = (number & ~(uint64_t)0xfff) | ((number & 0xfff) != 0 ? 0x800 : 0);
    return (double)(number >> 53 ? kept : number);
}

static inline double odd_from_i64(int64_t number) {
    double magnitude = odd_from_u64(number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    return number < 0 ? -magnitude : magnitude;
}

#endif

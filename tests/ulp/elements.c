/* elements.c -- numbers of each format in memory. */
#include "tests/ulp/ulp.h"

#include <math.h>
#include <string.h>

/* Little-endian machines only, as the compiler's targets are. */
uint64_t element_get(const uint8_t *elements, Format format, size_t i) {
    uint16_t half;
    uint32_t word;
    uint64_t bits;
    switch (formats[format].bits) {
    case 16:
        return memcpy(&half, elements + i * sizeof half, sizeof half), half;
    case 32:
        return memcpy(&word, elements + i * sizeof word, sizeof word), word;
    default:
        return memcpy(&bits, elements + i * sizeof bits, sizeof bits), bits;
    }
}

void element_put(uint8_t *elements, Format format, size_t i, uint64_t bits) {
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    switch (formats[format].bits) {
    case 16:
        memcpy(elements + i * sizeof half, &half, sizeof half);
        break;
    case 32:
        memcpy(elements + i * sizeof word, &word, sizeof word);
        break;
    default:
        memcpy(elements + i * sizeof bits, &bits, sizeof bits);
    }
}

double element_value(Format f, uint64_t bits) {
    if (f == F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (f == F32 || f == BF16) {
        uint32_t word = (uint32_t)bits << (f == BF16 ? 16 : 0);
        float value;
        memcpy(&value, &word, sizeof value);
        return (double)value;
    }
    enum { MANTISSA = 10, BIAS = 15, SPECIAL = 31 };
    int exponent = (int)(bits >> MANTISSA) & SPECIAL;
    double fraction = (double)(bits & ((1 << MANTISSA) - 1)), value;
    if (exponent == SPECIAL)
        value = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - BIAS - MANTISSA);
    else
        value = ldexp(fraction + (1 << MANTISSA), exponent - BIAS - MANTISSA);
    return bits >> 15 ? -value : value;
}

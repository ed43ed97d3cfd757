/* power.h -- `pow` of f32, computed in f64 and rounded once.
 *
 *     |x| = m * 2^e, m in [sqrt 1/2, sqrt 2);  s = (m - 1)/(m + 1)
 *     log2 |x| = e + s*P(s*s);  t = y * log2 |x|;  |x|^y = 2^round(t) * Q(t - round(t))
 *
 * P is the minimax polynomial of 2*atanh(s)/(s*ln 2), within 2^-37.7 of it; Q, with Q(0) = 1, that of
 * 2^f, within 2^-34.3.  |t| is at most 150 where the result is a number, so the f64 lies within
 * 2^-30.9 of the value: 0.008 units of an f32.  Any order of these operations would give other bits:
 * codegen/base/power.c emits the same ones.
 */
#ifndef HLC_IR_KERNEL_POWER_H
#define HLC_IR_KERNEL_POWER_H

#include "ir/short_float.h"

#include <math.h>

enum {
    POWER_MANTISSA = 23,
    POWER_BIAS = 127,
    POWER_UNSCALED = 24,         /* subnormal |x| is multiplied by 2^24 */
    POWER_FRACTION = 0x7fffff,   /* the bits of the mantissa */
    POWER_ROOT_HALF = 0x3f3504f3 /* the bits of the f32 sqrt(1/2) */
};
#define POWER_LEAST_NORMAL 0x1p-126
#define POWER_BEYOND       200.0    /* 2^t is infinite there, and 0 at -t */
#define POWER_ROUNDING     0x1.8p52 /* t + this has round(t) in its last bits */

/* The highest coefficients first. */
enum { POWER_LOGARITHM = 5, POWER_EXPONENTIAL = 8 };
static const double power_logarithm[POWER_LOGARITHM] = {0x1.5ce7cdd4b2604p-2, 0x1.a58d8fbd49dd0p-2,
                                                        0x1.27777fda6d467p-1, 0x1.ec709d12e14e1p-1,
                                                        0x1.71547652bede5p+1};
static const double power_exponential[POWER_EXPONENTIAL] = {
    0x1.fde6003fff63ep-17, 0x1.445c840322a0ap-13, 0x1.5d8a85fce312bp-10, 0x1.3b29f39d4e8f2p-7,
    0x1.c6b08ac06d6f2p-5,  0x1.ebfbe07787255p-3,  0x1.62e42ff0e1915p-1,  1};

static inline double power_log2(float magnitude) {
    int is_small = magnitude < (float)POWER_LEAST_NORMAL;
    uint32_t word = word_of(is_small ? magnitude * 0x1p24f : magnitude) +
                    ((POWER_BIAS << POWER_MANTISSA) - POWER_ROOT_HALF);
    float e =
        (float)((int32_t)(word >> POWER_MANTISSA) - POWER_BIAS - (is_small ? POWER_UNSCALED : 0));
    float m = float_of((word & POWER_FRACTION) + POWER_ROOT_HALF);
    e = magnitude < INFINITY ? e : magnitude;
    e = magnitude == 0 ? -INFINITY : e;
    double s = ((double)m - 1) / ((double)m + 1), p = power_logarithm[0];
    for (int i = 1; i < POWER_LOGARITHM; i++)
        p = fma(p, s * s, power_logarithm[i]);
    return fma(p, s, (double)e);
}

/* 2^t as f32; a NaN stays one. */
static inline float power_exp2(double t) {
    t = t < -POWER_BEYOND ? -POWER_BEYOND : t;
    t = t > POWER_BEYOND ? POWER_BEYOND : t;
    double shifted = t + POWER_ROUNDING, f = t - (shifted - POWER_ROUNDING);
    double q = power_exponential[0];
    for (int i = 1; i < POWER_EXPONENTIAL; i++)
        q = fma(q, f, power_exponential[i]);
    uint64_t bits, exponent;
    memcpy(&bits, &q, sizeof bits), memcpy(&exponent, &shifted, sizeof exponent);
    bits += exponent << 52;
    memcpy(&q, &bits, sizeof q);
    return (float)q;
}

static inline float power_f32(float x, float y) {
    float magnitude = fabsf(x), half = y * 0.5F;
    float result = power_exp2((double)y * power_log2(magnitude));
    result = magnitude == 1 || y == 0 ? 1 : result;
    int is_whole = truncf(y) == y, is_odd = is_whole && truncf(half) != half;
    if (x < 0 && x > -INFINITY && !is_whole)
        result = NAN;
    return is_odd ? float_of(word_of(result) | (word_of(x) & 0x80000000)) : result;
}

#endif

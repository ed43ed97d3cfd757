/* kernel_float.c -- the float kernels: kernel_float.def expanded for f32 and f64. */
#include "ir/kernel.h"

#include <math.h>
#include <string.h>

/* SLEEF's header declares these functions only if the including code is compiled for FMA. */
#define DECLARE(NAME)                                                                              \
    float Sleef_finz_##NAME##f1_u10purecfma(float);                                                \
    double Sleef_finz_##NAME##d1_u10purecfma(double);
#define DECLARE2(NAME)                                                                             \
    float Sleef_finz_##NAME##f1_u10purecfma(float, float);                                         \
    double Sleef_finz_##NAME##d1_u10purecfma(double, double);
/* clang-format off */
DECLARE(sin) DECLARE(cos) DECLARE(tan) DECLARE(asin) DECLARE(acos) DECLARE(atan) DECLARE2(atan2)
DECLARE(sinh) DECLARE(cosh) DECLARE(tanh)
DECLARE(atanh) DECLARE(exp) DECLARE(exp2) DECLARE(expm1) DECLARE(cbrt) DECLARE(erf)
DECLARE(log) DECLARE(log2) DECLARE(log10) DECLARE2(pow)
    /* clang-format on */

    static inline float load_f32(Bits bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline Bits store_f32(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double load_f64(Bits bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline Bits store_f64(double value) {
    Bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define SUFFIX     f32
#define T          float
#define M(name)    name##f
#define FINZ(name) Sleef_finz_##name##f1_u10purecfma
#include "ir/kernel_float.inc"

#define SUFFIX     f64
#define T          double
#define M(name)    name
#define FINZ(name) Sleef_finz_##name##d1_u10purecfma
#include "ir/kernel_float.inc"

ValueKernel *kernel_float(Op op, int is_f64) {
    return is_f64 ? table_f64[op] : table_f32[op];
}

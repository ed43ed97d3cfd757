/* kernel_float.c -- the float kernels: kernel_float.def expanded for each float type.
 * f16 and bf16 are loaded as f32, and rounded once when they are stored. */
#include "ir/kernel/kernel.h"
#include "ir/kernel/power.h"
#include "ir/short_float.h"

#include <math.h>

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
    return float_of((uint32_t)bits);
}

static inline Bits store_f32(float value) {
    return word_of(value);
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

#define SUFFIX     f16
#define T          float
#define M(name)    name##f
#define FINZ(name) Sleef_finz_##name##f1_u10purecfma
#define POWER      power_f32
#include "ir/kernel/kernel_float.inc"

#define SUFFIX     bf16
#define T          float
#define M(name)    name##f
#define FINZ(name) Sleef_finz_##name##f1_u10purecfma
#define POWER      power_f32
#include "ir/kernel/kernel_float.inc"

#define SUFFIX     f32
#define T          float
#define M(name)    name##f
#define FINZ(name) Sleef_finz_##name##f1_u10purecfma
#define POWER      power_f32
#include "ir/kernel/kernel_float.inc"

#define SUFFIX     f64
#define T          double
#define M(name)    name
#define FINZ(name) Sleef_finz_##name##d1_u10purecfma
#define POWER      FINZ(pow)
#include "ir/kernel/kernel_float.inc"

ValueKernel *kernel_float(Op op, Type type) {
    if (type_is_short_float(type))
        return type.kind == TYPE_BFLOAT ? table_bf16[op] : table_f16[op];
    return type.bits == 64 ? table_f64[op] : table_f32[op];
}

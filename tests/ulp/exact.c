/* exact.c -- errors against the C library's functions of doubles, and against MPFR. */
#include "tests/ulp/ulp.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

const FormatInfo formats[FORMATS] = {{"f16", 16, 11, -14, 15},
                                     {"bf16", 16, 8, -126, 127},
                                     {"f32", 32, 24, -126, 127},
                                     {"f64", 64, 53, -1022, 1023}};

/* Functions of one argument, and MPFR's, with the parameters of those of two. */
#define APPROXIMATE_1(NAME)                                                                        \
    static double approximate_##NAME(double a, double b) {                                         \
        (void)b;                                                                                   \
        return NAME(a);                                                                            \
    }                                                                                              \
    static long double long_##NAME(double a, double b) {                                           \
        (void)b;                                                                                   \
        return NAME##l((long double)a);                                                            \
    }                                                                                              \
    static void exact_##NAME(mpfr_t to, mpfr_t a, mpfr_t b) {                                      \
        (void)b;                                                                                   \
        mpfr_##NAME(to, a, MPFR_RNDN);                                                             \
    }
#define APPROXIMATE_2(NAME)                                                                        \
    static double approximate_##NAME(double a, double b) {                                         \
        return NAME(a, b);                                                                         \
    }                                                                                              \
    static long double long_##NAME(double a, double b) {                                           \
        return NAME##l((long double)a, (long double)b);                                            \
    }                                                                                              \
    static void exact_##NAME(mpfr_t to, mpfr_t a, mpfr_t b) {                                      \
        mpfr_##NAME(to, a, b, MPFR_RNDN);                                                          \
    }
#define FUNCTION(NAME, TEXT, ARITY_, INFINITE, ...) APPROXIMATE_##ARITY_(NAME)
#include "tests/ulp/functions.def"
#undef FUNCTION

typedef void Exact(mpfr_t to, mpfr_t a, mpfr_t b);
static Exact *const exact[] = {
#define FUNCTION(NAME, ...) exact_##NAME,
#include "tests/ulp/functions.def"
#undef FUNCTION
};

typedef long double Long(double a, double b);
static Long *const longs[] = {
#define FUNCTION(NAME, ...) long_##NAME,
#include "tests/ulp/functions.def"
#undef FUNCTION
};

const Function functions[] = {
#define FUNCTION(NAME, TEXT, ARITY_, INFINITE, ...)                                                \
    {#NAME, TEXT, ARITY_, INFINITE, {__VA_ARGS__}, approximate_##NAME},
#include "tests/ulp/functions.def"
#undef FUNCTION
};
const size_t function_count = sizeof functions / sizeof *functions;

static const double NOT_SPECIAL = -2;

/* The cases that both references share, or NOT_SPECIAL. `exponent` is that of the value, |value| = 1.xx*2^exponent. */
static double special_error(const FormatInfo *format, double result, bool is_nan, bool is_zero,
                            bool is_negative, bool is_infinite, long exponent) {
    if (is_nan || isnan(result))
        return is_nan && isnan(result) ? 0 : INFINITY;
    if (is_zero)
        return result != 0 || signbit(result) != is_negative ? INFINITY : 0;
    if (isinf(result) && signbit(result) != is_negative)
        return INFINITY;
    bool is_beyond = is_infinite || exponent > format->greatest;
    if (isinf(result) && !is_beyond && exponent < format->greatest)
        return INFINITY;
    if (isinf(result) && is_beyond)
        return 0;
    return is_infinite ? INFINITY : NOT_SPECIAL;
}

static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The exponent of the last place of a value. */
static int unit_of(const FormatInfo *format, long exponent) {
    long within = exponent < format->least      ? format->least
                  : exponent > format->greatest ? format->greatest
                                                : exponent;
    return (int)within - (format->precision - 1);
}

double approximate_error(Format f, double result, double value) {
    const FormatInfo *format = &formats[f];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (!isfinite(result) || !isfinite(value) || value == 0) {
        double special = special_error(format, result, isnan(value), value == 0, signbit(value),
                                       isinf(value), exponent);
        if (special != NOT_SPECIAL)
            return special;
    }
    double finite = isinf(result) ? copysign(power_of_two(format->greatest + 1), result) : result;
    double error = fabs(finite - value) * power_of_two(-unit_of(format, exponent));
    return isinf(result) && error > 0.5 ? TOO_SOON : error;
}

bool is_surely_below(size_t function, const double *arguments, double result, double threshold) {
    static const double MARGIN = 0.02; /* 40 units in the last place of a long double of 64 bits */
    long double value = longs[function](arguments[0], arguments[1]);
    if (LDBL_MANT_DIG < 64 || !isfinite(result) || !isfinite(value) || value == 0)
        return false;
    int unit = unit_of(&formats[F64], ilogbl(value));
    return ldexpl(fabsl((long double)result - value), -unit) < (long double)(threshold - MARGIN);
}

double exact_error(size_t function, Format f, const double *arguments, double result) {
    enum { PRECISION = 120 };
    const FormatInfo *format = &formats[f];
    mpfr_t a, b, value, difference;
    mpfr_inits2(PRECISION, a, b, value, difference, (mpfr_ptr)0);
    mpfr_set_d(a, arguments[0], MPFR_RNDN), mpfr_set_d(b, arguments[1], MPFR_RNDN);
    exact[function](value, a, b);
    long exponent = mpfr_regular_p(value) ? mpfr_get_exp(value) - 1 : 0;
    double error = special_error(format, result, mpfr_nan_p(value), mpfr_zero_p(value),
                                 mpfr_signbit(value), mpfr_inf_p(value), exponent);
    if (error == NOT_SPECIAL) {
        if (isinf(result))
            mpfr_set_si_2exp(difference, result < 0 ? -1 : 1, format->greatest + 1, MPFR_RNDN);
        else
            mpfr_set_d(difference, result, MPFR_RNDN);
        mpfr_sub(difference, difference, value, MPFR_RNDN);
        mpfr_mul_2si(difference, difference, -unit_of(format, exponent), MPFR_RNDN);
        error = fabs(mpfr_get_d(difference, MPFR_RNDA));
        if (isinf(result) && error > 0.5)
            error = TOO_SOON;
    }
    mpfr_clears(a, b, value, difference, (mpfr_ptr)0);
    return error;
}

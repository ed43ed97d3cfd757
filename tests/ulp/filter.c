/* filter.c -- which results of f32 need a closer look: a reference four lanes at a time.
 *
 * The C library's vector functions of doubles (libmvec, of x86-64) are wrong by at most 4 units in their last place, by its
 * manual: 2^-27 of those of f32. So an error that they find is right to within MARGIN. Results whose error is below a
 * threshold by more are passed; ulp.c looks at the others. It also compares the vector functions with the scalar ones on a
 * sample: 8 units in the last place of a double apart would still be far from MARGIN.
 */
#include "tests/ulp/ulp.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MARGIN = 1e-6;

#ifdef __x86_64__

typedef double Four __attribute__((vector_size(32)));

/* The name of such a function, as the vector ABI has it. */
#define VECTOR_NAME "_ZGVdN4v_"
enum { LANES = 4 };

__attribute__((target("avx2"))) static Four root(Four x) {
    return __builtin_ia32_sqrtpd256(x);
}

FilterFunction *filter_function(size_t function) {
    char name[64];
    void *library = dlopen("libmvec.so.1", RTLD_NOW);
    if (!library || !__builtin_cpu_supports("avx2") || functions[function].arity != 1)
        return NULL;
    snprintf(name, sizeof name, VECTOR_NAME "%s", functions[function].name);
    if (strcmp(functions[function].name, "sqrt") == 0)
        return (FilterFunction *)root;
    return (FilterFunction *)dlsym(library, name);
}

/* Are all of a group's results right to within the threshold, a NaN for a NaN, an infinity or a zero of the same sign? */
__attribute__((target("avx2"))) static bool pass(const double *results, const double *values,
                                                 double threshold) {
    const FormatInfo *format = &formats[F32];
    const int64_t least = format->least + 1023, greatest = format->greatest + 1023;
    int64_t failures = 0;
    for (int i = 0; i < FILTER_GROUP; i++) {
        double result = results[i], value = values[i], scale;
        int64_t result_bits, bits;
        memcpy(&result_bits, &result, sizeof result);
        memcpy(&bits, &value, sizeof value);
        int64_t exponent = (int64_t)((uint64_t)bits << 1 >> 53);
        exponent = exponent < least ? least : exponent;
        exponent = exponent > greatest ? greatest : exponent;
        int64_t unit = (2046 + format->precision - 1 - exponent)
                       << 52; /* 1 / unit in the last place */
        memcpy(&scale, &unit, sizeof scale);
        double error = fabs(result - value) * scale;
        int64_t is_near = error < threshold, is_zero = value == 0, is_same = result_bits == bits;
        int64_t are_nans = (value != value) & (result != result);
        failures += !((is_near & !is_zero) | is_same | are_nans);
    }
    return failures == 0;
}

__attribute__((target("avx2"))) static void evaluate(FilterFunction *function,
                                                     const double *arguments, double *values) {
    Four (*vector)(Four) = (Four(*)(Four))function;
    for (int i = 0; i < FILTER_GROUP; i += LANES) {
        Four four;
        memcpy(&four, arguments + i, sizeof four);
        four = vector(four);
        memcpy(values + i, &four, sizeof four);
    }
}

__attribute__((target("avx2"))) static void widen(const float *from, double *to) {
    for (int i = 0; i < FILTER_GROUP; i++)
        to[i] = (double)from[i];
}

bool filter_pass(FilterFunction *function, const Block *block, size_t first, double threshold) {
    double arguments[FILTER_GROUP], results[FILTER_GROUP], values[FILTER_GROUP];
    widen((const float *)block->arguments[0] + first, arguments);
    widen((const float *)block->result + first, results);
    evaluate(function, arguments, values);
    return pass(results, values, threshold - MARGIN);
}

bool filter_agrees(FilterFunction *vector, size_t function, const Block *block, size_t first) {
    double arguments[FILTER_GROUP], values[FILTER_GROUP];
    widen((const float *)block->arguments[0] + first, arguments);
    evaluate(vector, arguments, values);
    for (int i = 0; i < FILTER_GROUP; i++) {
        double value = functions[function].approximate(arguments[i], 0);
        if (!(isnan(value) && isnan(values[i])) && value != values[i] &&
            !(fabs(value - values[i]) <= fabs(value) * 0x1p-49 + 0x1p-1000))
            return false;
    }
    return true;
}

#else

FilterFunction *filter_function(size_t function) {
    return (void)function, NULL;
}

bool filter_pass(FilterFunction *function, const Block *block, size_t first, double threshold) {
    return (void)function, (void)block, (void)first, (void)threshold, false;
}

bool filter_agrees(FilterFunction *vector, size_t function, const Block *block, size_t first) {
    return (void)vector, (void)function, (void)block, (void)first, true;
}

#endif

/* ulp.h -- the parts of the program `ulp`, which measures the errors of the mathematical functions (ulp.c). */
#ifndef TESTS_ULP_ULP_H
#define TESTS_ULP_ULP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Format { F16, BF16, F32, F64, FORMATS } Format;

typedef struct FormatInfo {
    const char *name;
    int bits;
    int precision;       /* bits of a normal number, the leading one included */
    int least, greatest; /* exponents of the normal numbers */
} FormatInfo;

typedef struct Function {
    const char *name, *text;
    int arity;
    bool may_be_infinite;
    double stated[FORMATS]; /* in units in the last place; 0: no statement */
    double (*approximate)(double, double);
} Function;

extern const FormatInfo formats[FORMATS];
extern const Function functions[];
extern const size_t function_count;

enum { BLOCK = 8192, ARITY = 2 };

/* Arguments and results as bits of the format, in elements of its size. */
typedef struct Block {
    _Alignas(64) uint8_t arguments[ARITY][BLOCK * 8];
    _Alignas(64) uint8_t result[BLOCK * 8];
    _Alignas(64) uint8_t other[BLOCK * 8]; /* of another variant */
} Block;

uint64_t element_get(const uint8_t *elements, Format format, size_t i);
void element_put(uint8_t *elements, Format format, size_t i, uint64_t bits);
/* Exact. */
double element_value(Format format, uint64_t bits);

/* A result that is infinite though the rounded value is finite, if the value is at least half of the greatest
 * number: no error where the function may do so. */
static const double TOO_SOON = -1;

/* The distance of a result from the value in units in the last place of the value; infinite for a NaN, an infinity or a
 * zero of the wrong sign. Infinity counts as the number after the greatest. Or TOO_SOON. `value` has an error itself,
 * of some 2^-53: not for f64. */
double approximate_error(Format format, double result, double value);
/* Is the error of an f64 below the threshold by the C library's functions of long doubles, whose own errors are far smaller?
 * False: it may be. */
bool is_surely_below(size_t function, const double *arguments, double result, double threshold);
/* The same as approximate_error, against MPFR at 120 bits, whatever the format. */
double exact_error(size_t function, Format format, const double *arguments, double result);

/* A faster reference for f32 of one argument (filter.c); null where there is none. */
enum { FILTER_GROUP = 64 };
typedef void FilterFunction(void); /* as the vector ABI has it */
FilterFunction *filter_function(size_t function);
/* Are all errors of the group, at `first` of the block, below the threshold? False: they may be. */
bool filter_pass(FilterFunction *function, const Block *block, size_t first, double threshold);
/* Are the values of the group those of the scalar function, to a few units in the last place of a double? */
bool filter_agrees(FilterFunction *vector, size_t function, const Block *block, size_t first);

/* The code of a function: one variant for each target of this machine and number of lanes. The first is the scalar one. */
typedef struct Variants Variants;
/* Null after a message on stderr. */
Variants *variants_create(size_t function, Format format);
void variants_destroy(Variants *variants);
size_t variants_count(const Variants *variants);
/* Computes the block's results by the first variant, and by all others; or, unless `all`, by the one of most lanes. False if
 * their bits differ (NaNs are one value); then `difference` says where. Several threads may call it, each with its own block. */
bool variants_run(const Variants *variants, Block *block, bool all, char *difference, size_t size);
/* The targets, "x86-64-v3", of all variants, in memory of the variants. */
const char *variants_targets(const Variants *variants);

#endif

/* kernel.h -- inside the evaluator (value.c): one loop for each operator at each operand type.
 *
 * A kernel computes `count` points. Argument i of point k is in[i][k], in canonical bits. The
 * result goes to out[k]; `out` may be the array of an argument. Kernels compute the total reading;
 * value.c finds the errors. kernel_integer.def and kernel_float.def say what each operator
 * computes, one row for each operator. This header makes the loops around the rows, so the compiler
 * can vectorise them.
 */
#ifndef HLC_IR_KERNEL_H
#define HLC_IR_KERNEL_H

#include "ir/value.h"

typedef void ValueKernel(size_t count, Bits *out, const Bits *const *in);

/* Returns the kernel for a type from i8 to u64, given by its type_number; null if the operator is
 * not defined on it. */
ValueKernel *kernel_integer(Op op, int type_number);
/* Returns the kernel for a float type. */
ValueKernel *kernel_float(Op op, Type type);
/* Returns the kernel of OP_CAST or OP_SATURATING_CAST. */
ValueKernel *kernel_cast(Op op, int from_number, int to_number);

/* One entry of a kernel table. It is null if the operator is not defined on the types `ON`, and for
 * conversions and select, which are the same on all types. */
#define KERNEL_OF(TYPES, TRAITS, ON, FUNCTION)                                                     \
    (((TRAITS) & (ON)) && TYPES_##TYPES != TYPES_CONVERT && TYPES_##TYPES != TYPES_CHOOSE          \
         ? FUNCTION                                                                                \
         : NULL)

/* The operator table declares the kernels named in its rows. Files with other kernels make them
 * static. */
#ifndef KERNEL_LINKAGE
#define KERNEL_LINKAGE
#endif

/* Loops over all points. ivdep is sound: `out` is one of the arguments or overlaps none. */
#define KERNEL(FUNCTION, STATEMENT)                                                                \
    KERNEL_LINKAGE void FUNCTION(size_t count, Bits *out, const Bits *const *in) {                 \
        const Bits *x = in[0];                                                                     \
        _Pragma("GCC ivdep") for (size_t k = 0; k < count; k++) {                                  \
            STATEMENT;                                                                             \
        }                                                                                          \
    }
#define KERNEL2(FUNCTION, STATEMENT)                                                               \
    KERNEL_LINKAGE void FUNCTION(size_t count, Bits *out, const Bits *const *in) {                 \
        const Bits *x = in[0], *y = in[1];                                                         \
        _Pragma("GCC ivdep") for (size_t k = 0; k < count; k++) {                                  \
            STATEMENT;                                                                             \
        }                                                                                          \
    }
#define KERNEL3(FUNCTION, STATEMENT)                                                               \
    KERNEL_LINKAGE void FUNCTION(size_t count, Bits *out, const Bits *const *in) {                 \
        const Bits *x = in[0], *y = in[1], *z = in[2];                                             \
        _Pragma("GCC ivdep") for (size_t k = 0; k < count; k++) {                                  \
            STATEMENT;                                                                             \
        }                                                                                          \
    }

/* Euclidean division, total. For nonzero b, 0 <= a % b < |b| and a == (a / b)*b + a % b. For zero,
 * a / 0 = 0 and a % 0 = 0. The least value divided by -1 wraps. */
static inline int64_t divide_signed(int64_t a, int64_t b) {
    if (b == 0)
        return 0;
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    int64_t quotient = a / b;
    return a % b >= 0 ? quotient : b > 0 ? quotient - 1 : quotient + 1;
}

static inline int64_t modulo_signed(int64_t a, int64_t b) {
    if (b == 0 || b == -1)
        return 0;
    int64_t rest = a % b;
    return rest >= 0 ? rest : b > 0 ? rest + b : rest - b;
}

static inline uint64_t divide_unsigned(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b;
}
static inline uint64_t modulo_unsigned(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a % b;
}

#endif

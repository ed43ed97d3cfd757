/* value.h -- values, and the one evaluator of every operator.
 *
 * Constant folding, both interpreters and the tests of generated code use this evaluator. Nothing
 * else defines what an operator computes. A scalar of any type is 64 canonical bits (`Bits`):
 *
 *   signed integers, index   sign-extended
 *   unsigned integers        zero-extended
 *   bool                     0 or 1
 *   f16, bf16, f32           its 16 or 32 bits, zero-extended
 *   f64                      its bits
 *
 * There are two readings (semantics.md, section 1). The total reading gives every operation one
 * defined result. The formal reading adds the error values of Def 4.1. If an operator's row has
 * ERRS and the operands are bad, the result's error is ERROR_ARITH. Errors spread, and the greatest
 * wins; `select` drops the error of the arm it does not choose. Arithmetic on `index` that leaves
 * 64 bits is ERROR_INDEX in both readings: a refusal.
 */
#ifndef HLC_IR_VALUE_H
#define HLC_IR_VALUE_H

#include "ir/ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t Bits;

/* Def 4.1: err_arith < err_rdom < err_mem; ERROR_INDEX is ours. */
typedef enum ErrorValue { ERROR_NONE, ERROR_ARITH, ERROR_RDOM, ERROR_MEM, ERROR_INDEX } ErrorValue;

/* Returns "err_arith" or similar; "" for none and for ERROR_INDEX. */
const char *error_text(ErrorValue error);

typedef struct Value {
    Bits bits;
    uint8_t error; /* ErrorValue */
} Value;

/* Truncates `bits` to `type`, in canonical form. */
Bits bits_wrap(Type type, int64_t bits);
Bits bits_from_double(Type type, double value);
/* Return the bits of a float type's sign, of its infinity, and of its one NaN. */
int64_t type_sign(Type type);
int64_t type_infinity(Type type);
int64_t type_nan(Type type);
/* Returns the number that canonical bits of a float type represent. */
double bits_to_double(Type type, Bits bits);
/* Reads the float at the beginning of the text as strtod does, rounded once, in the C locale. */
Bits bits_from_text(Type type, const char *text, char **end);
/* Load and store the value at `address`: `type_bytes` bytes in native order, bool as one byte. */
Bits bits_load(Type type, const void *address);
void bits_store(Type type, void *address, Bits bits);
/* Are the two results equal bit for bit? All NaNs count as one value. */
bool bits_same(Type type, Bits a, Bits b);

/* Applies one operation. `operands` are the operand types, `arguments` their canonical bits. For
 * the formal reading, pass the operands' errors, or null for none. For the total reading, ignore
 * ERROR_ARITH in the result. `bits` always is the total reading's value. */
Value value_apply(Op op, Type result, const Type *operands, const Bits *arguments,
                  const uint8_t *errors);

/* An operator on operands of known types, looked up once and applied many times. */
typedef struct Operation {
    Op op;
    bool errs; /* some operands give err_arith in the formal reading */
    Type result, operand;
    void (*kernel)(size_t count, Bits *out, const Bits *const *in); /* null for reinterpret */
    bool (*leaves)(size_t count, const Bits *const *in);            /* null if it never gives
                                                                       ERROR_INDEX */
} Operation;
Operation operation_of(Op op, Type result, const Type *operands);
/* Computes what value_apply does. */
Value operation_apply(const Operation *operation, const Bits *arguments, const uint8_t *errors);
/* Applies the operation in the total reading to operands at any addresses. `in` has three entries;
 * the operator may use fewer. Returns false if the result leaves the index range. */
bool operation_apply_total(const Operation *operation, const Bits *const *in, Bits *out);

/* Applies the operator to `count` points at once: argument i of point k is arguments[i][k]. `out`
 * may be one of the arguments. `errors` has the operands' error bytes (null in the total reading);
 * `out_errors` receives the results'. Returns ERROR_INDEX if any point left the index range, else
 * ERROR_NONE. */
ErrorValue value_apply_batch(Op op, Type result, const Type *operands, size_t count, Bits *out,
                             const Bits *const *arguments, uint8_t *out_errors,
                             const uint8_t *const *errors);

/* Prints only the value: "255", "-1.5", "nan", "true". A float gets enough digits to identify it.
 * Returns the length, at most 40. */
int value_print(Type type, Bits bits, char *buffer, size_t size);

#endif

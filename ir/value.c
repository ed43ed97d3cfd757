/* value.c -- the one evaluator: finds the kernel of an operator, and the errors of its results.
 *
 * kernel_integer.def, kernel_float.def and kernel_cast.c define what operators compute. This file
 * defines the operators on bool and index, and the error values.
 *
 * The formal reading's ERROR_ARITH (rows of ops.def with ERRS), and the total reading's result:
 *   x / 0, x % 0                  not on floats          0
 *   x << n, x >> n                n outside 0..bits-1    shifted out entirely: 0, or the sign
 *   rounding_shift_left, .._right n outside 0..bits-1    0
 *   mul_shift_right, rounding_..  n outside 0..2*bits-1  the exact result all the same
 * ERROR_INDEX: `+ - * /`, unary `-` and `abs` on index that leave 64 bits, and u64 values above
 * 2^63 - 1 cast to index. The bits are then the wrapped ones.
 */
#include "base/diag.h"
#include "ir/kernel/kernel.h"

#include <string.h>

/* ---- bits ---- */

int64_t type_sign(Type type) {
    return (int64_t)((uint64_t)1 << (type.bits - 1));
}

int64_t type_infinity(Type type) {
    int fraction = type_precision(type) - 1;
    return (((int64_t)1 << (type.bits - 1 - fraction)) - 1) << fraction;
}

int64_t type_nan(Type type) {
    return type_infinity(type) | (int64_t)1 << (type_precision(type) - 2);
}

/* Replaces each float NaN by one canonical NaN, which constants use and reinterpret shows. */
static Bits wrap_float(Type type, uint64_t bits) {
    uint64_t sign = (uint64_t)type_sign(type);
    bits &= sign | (sign - 1);
    return (bits & (sign - 1)) > (uint64_t)type_infinity(type) ? type_nan(type) : (Bits)bits;
}

Bits bits_wrap(Type type, int64_t bits) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return bits & 1;
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
        return wrap_float(type, (uint64_t)bits);
    case TYPE_INT:
    case TYPE_INDEX:
        return (int64_t)((uint64_t)bits << (64 - type.bits)) >> (64 - type.bits);
    case TYPE_UINT:
        return (int64_t)((uint64_t)bits << (64 - type.bits) >> (64 - type.bits));
    }
    return 0;
}

Bits bits_from_double(Type type, double value) {
    Bits bits;
    memcpy(&bits, &value, sizeof bits);
    const Bits *argument = &bits;
    kernel_cast(OP_CAST, type_number(F64), type_number(type))(1, &bits, &argument);
    return bits_wrap(type, bits);
}

double bits_to_double(Type type, Bits bits) {
    const Bits *argument = &bits;
    kernel_cast(OP_CAST, type_number(type), type_number(F64))(1, &bits, &argument);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

Bits bits_load(Type type, const void *address) {
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t all;
    switch (type_bytes(type)) {
    case 1:
        memcpy(&byte, address, 1);
        all = byte;
        break;
    case 2:
        memcpy(&half, address, 2);
        all = half;
        break;
    case 4:
        memcpy(&word, address, 4);
        all = word;
        break;
    default:
        memcpy(&all, address, 8);
    }
    return type_is_float(type) ? (Bits)all : bits_wrap(type, (int64_t)all);
}

void bits_store(Type type, void *address, Bits bits) {
    uint8_t byte = (uint8_t)bits;
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    switch (type_bytes(type)) {
    case 1:
        memcpy(address, &byte, 1);
        return;
    case 2:
        memcpy(address, &half, 2);
        return;
    case 4:
        memcpy(address, &word, 4);
        return;
    default:
        memcpy(address, &bits, 8);
    }
}

bool bits_same(Type type, Bits a, Bits b) {
    return bits_wrap(type, a) == bits_wrap(type, b);
}

/* ---- bool and index ---- */

#define OP(NAME, ...) ValueKernel kernel_##NAME##_bool;
#include "ir/ops.def"
#undef OP

KERNEL2(kernel_AND_bool, out[k] = x[k] & y[k])
KERNEL2(kernel_OR_bool, out[k] = x[k] | y[k])
KERNEL(kernel_NOT_bool, out[k] = !x[k])
KERNEL2(kernel_EQ_bool, out[k] = x[k] == y[k])
KERNEL2(kernel_NE_bool, out[k] = x[k] != y[k])
static ValueKernel select_any;
KERNEL3(select_any, out[k] = x[k] ? y[k] : z[k])

static ValueKernel *kernel_bool(Op op) {
    static ValueKernel *const kernels[OP_COUNT] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, ...)                                \
    [OP_##NAME] = KERNEL_OF(TYPES, TRAITS, ON_BOOL, kernel_##NAME##_bool),
#include "ir/ops.def"
#undef OP
    };
    return kernels[op];
}

/* Operators on index compute like those on i64, but report results that leave 64 bits. */
#define LEAVES(FUNCTION, STATEMENT)                                                                \
    static bool FUNCTION(size_t count, const Bits *const *in) {                                    \
        const Bits *x = in[0], *y = in[1];                                                         \
        (void)y;                                                                                   \
        uint64_t leaves = 0;                                                                       \
        for (size_t k = 0; k < count; k++) {                                                       \
            uint64_t a = (uint64_t)x[k];                                                           \
            STATEMENT;                                                                             \
        }                                                                                          \
        return leaves >> 63;                                                                       \
    }
#define SIGN_BIT ((uint64_t)1 << 63)

/* A sum overflows if its sign differs from those of both operands. A difference is similar. */
LEAVES(add_leaves, uint64_t b = (uint64_t)y[k]; leaves |= (a ^ (a + b)) & (b ^ (a + b)))
LEAVES(sub_leaves, uint64_t b = (uint64_t)y[k]; leaves |= (a ^ b) & (a ^ (a - b)))
LEAVES(mul_leaves, int64_t product;
       leaves |= __builtin_mul_overflow(x[k], y[k], &product) ? SIGN_BIT : 0; (void)a)
LEAVES(div_leaves, leaves |= a == SIGN_BIT && y[k] == -1 ? SIGN_BIT : 0)
LEAVES(neg_leaves, leaves |= a == SIGN_BIT ? SIGN_BIT : 0)
LEAVES(cast_u64_leaves, leaves |= a)

typedef bool Leaves(size_t count, const Bits *const *in);

/* Returns null if no operands can leave the index range. */
static Leaves *find_leaves(Op op, Type result, Type operand) {
    if (!type_is_index(result))
        return NULL;
    switch ((int)op) {
    case OP_ADD:
        return add_leaves;
    case OP_SUB:
        return sub_leaves;
    case OP_MUL:
        return mul_leaves;
    case OP_DIV:
        return div_leaves;
    case OP_NEG:
    case OP_ABS:
        return neg_leaves;
    case OP_CAST:
        return type_equal(operand, U64) ? cast_u64_leaves : NULL;
    }
    return NULL;
}

/* ---- applying ---- */

/* Copies the bits, with NaNs made canonical on both sides. */
static void reinterpret(Type result, Type operand, size_t count, Bits *out, const Bits *x) {
    for (size_t k = 0; k < count; k++)
        out[k] = bits_wrap(result, bits_wrap(operand, x[k]));
}

static ValueKernel *find_kernel(Op op, Type result, const Type *operands) {
    Type type = operands[0];
    if (op == OP_SELECT)
        return select_any;
    if (op == OP_CAST || op == OP_SATURATING_CAST)
        return kernel_cast(op, type_number(type), type_number(result));
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return kernel_bool(op);
    case TYPE_INT:
    case TYPE_UINT:
        return kernel_integer(op, type_number(type));
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
        return kernel_float(op, type);
    case TYPE_INDEX:
        return kernel_integer(op, type_number(I64));
    }
    return NULL;
}

Operation operation_of(Op op, Type result, const Type *operands) {
    Operation operation = {.op = op,
                           .errs = op_info(op)->traits & ERRS,
                           .result = result,
                           .operand = operands[0],
                           .leaves = find_leaves(op, result, operands[0])};
    if (op != OP_REINTERPRET) {
        operation.kernel = find_kernel(op, result, operands);
        hlc_assert(operation.kernel, "an operator has a kernel for every type it is defined on");
    }
    return operation;
}

static inline void compute(const Operation *operation, size_t count, Bits *out,
                           const Bits *const *in) {
    if (operation->kernel)
        operation->kernel(count, out, in);
    else
        reinterpret(operation->result, operation->operand, count, out, in[0]);
}

/* Do the operands give err_arith in the formal reading? See the head of this file. */
static bool is_bad(Op op, Type type, Bits second, Bits third) {
    switch ((int)op) {
    case OP_DIV:
    case OP_MOD:
        return second == 0 && !type_is_float(type);
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
    case OP_ROUNDING_SHIFT_LEFT:
    case OP_ROUNDING_SHIFT_RIGHT:
        return (uint64_t)second >= type.bits;
    case OP_MUL_SHIFT_RIGHT:
    case OP_ROUNDING_MUL_SHIFT_RIGHT:
        return (uint64_t)third >= 2 * (uint64_t)type.bits;
    }
    diag_broken_invariant(__FILE__, __LINE__, "is_bad knows every operator with ERRS");
}

static uint8_t greater(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

/* Def 4.1, except that a select drops the error of the arm it does not choose. */
static uint8_t spread(Op op, int arity, const uint8_t *errors, Bits condition) {
    if (op == OP_SELECT)
        return greater(errors[0], condition ? errors[1] : errors[2]);
    uint8_t error = ERROR_NONE;
    for (int i = 0; i < arity; i++)
        error = greater(error, errors[i]);
    return error;
}

Value operation_apply(const Operation *operation, const Bits *arguments, const uint8_t *errors) {
    int arity = op_info(operation->op)->arity;
    const Bits *in[OP_MAX_ARITY] = {arguments, arguments, arguments};
    for (int i = 1; i < arity; i++)
        in[i] = arguments + i;
    Value value = {0, ERROR_NONE};
    compute(operation, 1, &value.bits, in);
    if (errors)
        value.error = spread(operation->op, arity, errors, arguments[0]);
    if (operation->errs && is_bad(operation->op, operation->operand, *in[1], *in[2]))
        value.error = greater(value.error, ERROR_ARITH);
    if (operation->leaves && operation->leaves(1, in))
        value.error = ERROR_INDEX;
    return value;
}

bool operation_apply_total(const Operation *operation, const Bits *const *in, Bits *out) {
    if (operation->leaves && operation->leaves(1, in))
        return false;
    compute(operation, 1, out, in);
    return true;
}

Value value_apply(Op op, Type result, const Type *operands, const Bits *arguments,
                  const uint8_t *errors) {
    Operation operation = operation_of(op, result, operands);
    return operation_apply(&operation, arguments, errors);
}

/* Computes the formal reading's errors point by point, before `out` overwrites an argument. */
static void batch_errors(Op op, const Type *operands, Leaves *leaves, size_t count,
                         const Bits *const *in, uint8_t *out_errors, const uint8_t *const *errors) {
    int arity = op_info(op)->arity;
    bool errs = op_info(op)->traits & ERRS;
    for (size_t k = 0; k < count; k++) {
        uint8_t here[OP_MAX_ARITY] = {0};
        for (int i = 0; i < arity && errors; i++)
            here[i] = errors[i] ? errors[i][k] : 0;
        uint8_t error = spread(op, arity, here, in[0][k]);
        if (errs && is_bad(op, operands[0], in[1][k], arity > 2 ? in[2][k] : 0))
            error = greater(error, ERROR_ARITH);
        const Bits *point[OP_MAX_ARITY];
        for (int i = 0; i < OP_MAX_ARITY; i++)
            point[i] = in[i] + k;
        if (leaves && leaves(1, point))
            error = ERROR_INDEX;
        out_errors[k] = error;
    }
}

ErrorValue value_apply_batch(Op op, Type result, const Type *operands, size_t count, Bits *out,
                             const Bits *const *arguments, uint8_t *out_errors,
                             const uint8_t *const *errors) {
    const Bits *in[OP_MAX_ARITY] = {arguments[0], arguments[0], arguments[0]};
    for (int i = 1; i < op_info(op)->arity; i++)
        in[i] = arguments[i];
    Operation operation = operation_of(op, result, operands);
    bool left = operation.leaves && operation.leaves(count, in);
    if (out_errors)
        batch_errors(op, operands, operation.leaves, count, in, out_errors, errors);
    compute(&operation, count, out, in);
    return left ? ERROR_INDEX : ERROR_NONE;
}

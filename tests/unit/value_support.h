/* value_support.h -- operands, and all their combinations, for the tests of the evaluator against a
 * slow oracle that shares nothing with it: edge values of each type, and an operator run over all
 * pairs and triples of them, one by one and in batches. */
#ifndef TESTS_UNIT_VALUE_SUPPORT_H
#define TESTS_UNIT_VALUE_SUPPORT_H

#include "ir/value.h"

#include "suite.h"

#include <stdlib.h>
#include <string.h>

typedef __int128 Wide;
typedef unsigned __int128 UnsignedWide;

static uint64_t random_state = 12345;
static inline uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* ---- numbers ---- */

static inline Wide number(Type type, Bits bits) {
    return type.kind == TYPE_UINT ? (Wide)(uint64_t)bits : (Wide)bits;
}

static inline Wide least(Type type) {
    return type_is_signed(type) ? -((Wide)1 << (type.bits - 1)) : 0;
}

static inline Wide greatest(Type type) {
    return ((Wide)1 << (type.bits - type_is_signed(type))) - 1;
}

static inline Wide floor_divide(Wide a, Wide b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The number's canonical bits, modulo 2^bits. */
static inline Bits wrap(Type type, Wide n) {
    Wide size = (Wide)1 << type.bits;
    n -= floor_divide(n, size) * size;
    if (n > greatest(type))
        n -= size;
    return (Bits)(uint64_t)(UnsignedWide)n;
}

static inline Bits saturate(Type type, Wide n) {
    return wrap(type, n < least(type) ? least(type) : n > greatest(type) ? greatest(type) : n);
}

static inline Wide power_of_two(Wide exponent) {
    return (Wide)1 << exponent;
}

/* ---- operands ---- */

#define MAX_VALUES 300
typedef struct Values {
    Bits data[MAX_VALUES];
    int count;
} Values;

static inline void add(Values *values, Type type, int64_t bits) {
    bits = bits_wrap(type, bits);
    for (int i = 0; i < values->count; i++)
        if (values->data[i] == bits)
            return;
    if (values->count == MAX_VALUES)
        ck_abort_msg("room for the edge values");
    values->data[values->count++] = bits;
}

static inline void add_floats(Values *values, Type type) {
    static const double edges[] = {0,
                                   0.25,
                                   0.5,
                                   0.75,
                                   1,
                                   1.5,
                                   2,
                                   2.5,
                                   3,
                                   3.5,
                                   10,
                                   100.3,
                                   127.5,
                                   128,
                                   255.5,
                                   1e-3,
                                   1e5,
                                   32767.5,
                                   65536,
                                   1e9,
                                   0x1p31,
                                   0x1p32,
                                   0x1p52,
                                   0x1p53,
                                   0x1p63,
                                   0x1p64,
                                   1e20,
                                   1e38,
                                   1e300,
                                   1e-38,
                                   1e-45,
                                   5e-324,
                                   3e-310,
                                   M_PI,
                                   0.1,
                                   0x1.fffffep127,
                                   0x1.fffffffffffffp1023,
                                   0x1.fffffep62,
                                   INFINITY,
                                   0x1.000002p0,
                                   0x1.0000000000001p0,
                                   0x1.fffffep-1,
                                   8388607.5};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        add(values, type, bits_from_double(type, edges[i]));
        add(values, type, bits_from_double(type, -edges[i]));
    }
    add(values, type, bits_from_double(type, NAN));
    for (int i = 0; i < 10; i++)
        add(values, type, (int64_t)random_word());
}

static inline void add_integers(Values *values, Type type) {
    if (type.bits == 8) {
        for (int i = 0; i < 256; i++)
            add(values, type, i);
        return;
    }
    for (int i = -3; i <= 3; i++) {
        add(values, type, i);
        add(values, type, type_minimum(type) + (i < 0 ? -i : i));
        add(values, type, (int64_t)((uint64_t)type_maximum(type) - (uint64_t)(i < 0 ? -i : i)));
        add(values, type, type.bits + i);
        add(values, type, 2 * type.bits + i);
        add(values, type, type_maximum(type) / 2 + i);
    }
    for (int i = 0; i < 10; i++)
        add(values, type, (int64_t)(random_word() >> (random_word() % 64)));
}

static inline Values values_of(Type type) {
    Values values = {.count = 0};
    if (type_is_bool(type)) {
        add(&values, type, 0);
        add(&values, type, 1);
    } else if (type_is_float(type)) {
        add_floats(&values, type);
    } else {
        add_integers(&values, type);
    }
    return values;
}

/* ---- running an operator over all combinations ---- */

typedef bool Oracle(Op op, Type result, const Type *operands, const Bits *arguments, Bits *bits,
                    int *error);

static inline void complain(Op op, Type result, const Type *operands, const Bits *arguments,
                            Value got, Bits bits, int error) {
    char text[3][64], values[2][64];
    for (int i = 0; i < op_info(op)->arity; i++)
        value_print(operands[i], arguments[i], text[i], sizeof text[i]);
    for (int i = op_info(op)->arity; i < 3; i++)
        text[i][0] = '\0';
    value_print(result, got.bits, values[0], sizeof values[0]);
    value_print(result, bits, values[1], sizeof values[1]);
    ck_abort_msg("%s on %s: (%s, %s, %s) gives %s error %d, not %s error %d", op_info(op)->text,
                 type_name(operands[op == OP_SELECT]), text[0], text[1], text[2], values[0],
                 got.error, values[1], error);
}

static inline void check_point(Op op, Type result, const Type *operands, const Bits *arguments,
                               Value got, Oracle *oracle) {
    Bits bits;
    int error;
    if (!oracle(op, result, operands, arguments, &bits, &error))
        ck_abort_msg("the oracle does not know %s", op_info(op)->name);
    if (!bits_same(result, got.bits, bits) || got.error != error)
        complain(op, result, operands, arguments, got, bits, error);
}

/* All tuples of the operands' values, by rows of the last operand: batches, and the batch of one.
 */
static inline void check_all(Op op, Type result, const Type *operands, Oracle *oracle) {
    int arity = op_info(op)->arity;
    Values values[3] = {{.count = 1}, {.count = 1}, {.count = 1}};
    for (int i = 0; i < arity; i++)
        values[3 - arity + i] = values_of(operands[i]);
    if (op_info(op)->types == TYPES_SHIFTED) { /* amounts far beyond the bits are all alike */
        values[2].count = 0;
        for (int i = -2; i<2 * operands[0].bits + 3; i += i> 24 && i < operands[0].bits ? 3 : 1)
            add(&values[2], operands[2], i);
    }
    static Bits columns[3][MAX_VALUES], out[MAX_VALUES];
    static uint8_t errors[MAX_VALUES];
    size_t count = (size_t)values[2].count;
    for (int i = 0; i < values[0].count; i++) {
        for (int j = 0; j < values[1].count; j++) {
            bool any_left = false;
            for (size_t k = 0; k < count; k++) {
                columns[0][k] = values[0].data[i];
                columns[1][k] = values[1].data[j];
                columns[2][k] = values[2].data[k];
            }
            const Bits *in[3] = {columns[0], columns[1], columns[2]};
            const Bits *const *arguments = in + (3 - arity);
            ErrorValue left =
                value_apply_batch(op, result, operands, count, out, arguments, errors, NULL);
            for (size_t k = 0; k < count; k++) {
                Bits point[3];
                for (int p = 0; p < arity; p++)
                    point[p] = arguments[p][k];
                Value one = value_apply(op, result, operands, point, NULL);
                check_point(op, result, operands, point, one, oracle);
                Value batch = {out[k], errors[k]};
                if (!bits_same(result, batch.bits, one.bits) || batch.error != one.error)
                    complain(op, result, operands, point, batch, one.bits, one.error);
                any_left |= one.error == ERROR_INDEX;
            }
            if (left != (any_left ? ERROR_INDEX : ERROR_NONE))
                ck_abort_msg("%s tells whether any point left the range", op_info(op)->name);
            /* In place: the result overwrites the last operand. */
            value_apply_batch(op, result, operands, count, columns[2], arguments, NULL, NULL);
            for (size_t k = 0; k < count; k++)
                if (!bits_same(result, columns[2][k], out[k]))
                    ck_abort_msg("%s in place", op_info(op)->name);
        }
    }
}

/* Calls `check_all` for every operand type tuple of the operator whose deciding type is `type`. */
static inline int check_operator(Op op, Type type, Oracle *oracle) {
    const OpInfo *info = op_info(op);
    Type operands[3] = {type, type, type}, result;
    if (info->types == TYPES_CHOOSE)
        operands[0] = BOOL;
    if (info->types == TYPES_CONVERT)
        return 0;
    if ((info->types == TYPES_WEIGHT || info->types == TYPES_SHIFTED) && type.kind == TYPE_INT)
        operands[2].kind = TYPE_UINT;
    if (!op_result_type(op, operands, &result))
        return 0;
    check_all(op, result, operands, oracle);
    if (info->types == TYPES_SHIFT) { /* the amount may be of the other sign */
        operands[1].kind = type.kind == TYPE_INT ? TYPE_UINT : TYPE_INT;
        ck_assert(op_result_type(op, operands, &result));
        check_all(op, result, operands, oracle);
    }
    return 1;
}

#endif

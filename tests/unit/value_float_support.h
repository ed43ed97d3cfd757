/* value_float_support.h -- the slow oracle of the evaluator's floats and conversions: quadruple
 * precision for what is rounded once, definitions where those are simpler. */
#ifndef TESTS_UNIT_VALUE_FLOAT_SUPPORT_H
#define TESTS_UNIT_VALUE_FLOAT_SUPPORT_H

#include "value_support.h"

#include <math.h>

typedef __float128 Quad;

static const Type FLOATS[] = {F16, BF16, F32, F64};
enum { FLOAT_TYPES = sizeof FLOATS / sizeof *FLOATS };

/* ---- floats ---- */

/* ---- f16 and bf16, by their definition ---- */

static inline int largest_exponent(Type type) {
    return (1 << (type.bits - type_precision(type) - 1)) - 1;
}

/* The number that the bits of an f16 or bf16 mean. */
static inline double meaning(Type type, Bits bits) {
    int digits = type_precision(type), most = largest_exponent(type);
    int exponent = (int)(bits & 0x7fff) >> (digits - 1),
        part = (int)bits & ((1 << (digits - 1)) - 1);
    double value = exponent == 2 * most + 1 ? (part ? NAN : INFINITY)
                   : exponent == 0
                       ? ldexp(part, 1 - most - (digits - 1))
                       : ldexp(part + (1 << (digits - 1)), exponent - most - (digits - 1));
    return bits & 0x8000 ? -value : value;
}

static inline bool is_negative(Quad value) {
    UnsignedWide word;
    memcpy(&word, &value, sizeof word);
    return word >> 127;
}

/* The exponent of the number in quadruple precision; of zero and of its denormal numbers, the least. */
static inline int exponent_of(Quad value) {
    UnsignedWide word;
    memcpy(&word, &value, sizeof word);
    return (int)(word >> 112 & 0x7fff) - 0x3fff;
}

/* 2^exponent, of a normal number. */
static inline Quad quad_power(int exponent) {
    UnsignedWide word = (UnsignedWide)(exponent + 0x3fff) << 112;
    Quad value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* The bits of the f16 or bf16 nearest to the value, of two the even one. */
static inline Bits nearest_short(Type type, Quad value) {
    int digits = type_precision(type), most = largest_exponent(type), exponent = exponent_of(value);
    Bits sign = is_negative(value) ? 0x8000 : 0, infinity = (Bits)(2 * most + 1) << (digits - 1);
    if (value != value)
        return infinity + 1;
    if (exponent > most)
        return sign | infinity;
    if (exponent < 1 - most)
        exponent = 1 - most;
    /* The power of two makes no error. */
    Quad units = (sign ? -value : value) * quad_power(digits - 1 - exponent);
    Bits whole = (Bits)units;
    Quad rest = units - (Quad)whole;
    whole += rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    /* The leading digit of a normal number, or a carry, counts up the exponent. */
    return sign | (((Bits)(exponent + most - 1) << (digits - 1)) + whole);
}

/* Rounds once to the type: quadruple precision is wide enough that `+ - * /` computed there and
 * rounded again are rounded right (113 >= 2*53 + 2). */
static inline Bits rounded(Type type, Quad value) {
    if (type.bits == 64)
        return bits_from_double(type, (double)value);
    if (type.bits == 16)
        return nearest_short(type, value);
    float narrow = (float)value;
    return bits_from_double(type, (double)narrow);
}

/* a + b rounded to odd: rounding the result again to fewer bits is then right too. */
static inline Quad add_to_odd(Quad a, Quad b) {
    Quad sum = a + b;
    if (sum - sum != 0 || (double)sum - (double)sum != 0)
        return sum;
    Quad virtual_b = sum - a, rest = (a - (sum - virtual_b)) + (b - virtual_b);
    UnsignedWide word;
    memcpy(&word, &sum, sizeof word);
    if (rest != 0 && !(word & 1)) {
        word += (rest > 0) == (sum > 0) ? 1 : -(UnsignedWide)1;
        memcpy(&sum, &word, sizeof word);
    }
    return sum;
}

static inline double truncated(double x) {
    if (!(fabs(x) < 0x1p52))
        return x;
    return copysign((double)(int64_t)fabs(x), x);
}

static inline double floored(double x) {
    double t = truncated(x);
    return t > x ? t - 1 : t;
}

static inline double half_even(double x) {
    if (!(fabs(x) < 0x1p52))
        return x;
    double low = floored(fabs(x)), rest = fabs(x) - low;
    bool up = rest > 0.5 || (rest == 0.5 && fmod(low, 2) == 1);
    return copysign(low + up, x);
}

/* The root by bisection on the bits: the largest r with r*r <= x, then the nearer neighbour. */
static inline double root(Type type, double x) {
    if (x == 0 || x != x || x == INFINITY)
        return x;
    if (x < 0)
        return NAN;
    Bits low = 0, high = bits_from_double(type, INFINITY);
    while (high - low > 1) {
        Bits middle = low + (high - low) / 2;
        Quad r = bits_to_double(type, middle);
        *(r * r <= (Quad)x ? &low : &high) = middle;
    }
    Quad half = ((Quad)bits_to_double(type, low) + bits_to_double(type, high)) / 2;
    return bits_to_double(type, half * half < (Quad)x ? high : low);
}

static inline bool floats(Op op, Type result, const Type *operands, const Bits *arguments,
                          Bits *bits, int *error) {
    Type type = operands[op == OP_SELECT];
    int arity = op_info(op)->arity;
    double a = bits_to_double(operands[0], arguments[0]);
    double b = arity > 1 ? bits_to_double(operands[1], arguments[1]) : 0;
    double c = arity > 2 ? bits_to_double(operands[2], arguments[2]) : 0;
    *error = ERROR_NONE;
    if (type_is_bool(result)) {
        switch ((int)op) {
        case OP_EQ:
            *bits = !(a < b) && !(a > b) && !isunordered(a, b);
            return true;
        case OP_NE:
            *bits = a < b || a > b || isunordered(a, b);
            return true;
        case OP_LT:
            *bits = isless(a, b);
            return true;
        case OP_LE:
            *bits = islessequal(a, b);
            return true;
        case OP_GT:
            *bits = isgreater(a, b);
            return true;
        case OP_GE:
            *bits = isgreaterequal(a, b);
            return true;
        case OP_IS_NAN:
            *bits = isnan(a);
            return true;
        case OP_IS_INF:
            *bits = isinf(a) != 0;
            return true;
        case OP_IS_FINITE:
            *bits = isfinite(a);
            return true;
        }
        return false;
    }
    Bits sign = (Bits)((uint64_t)1 << (type.bits - 1));
    bool is_short = type.bits == 16;
    Type computed = is_short ? F32 : type; /* f16 and bf16 are computed in f32, and rounded once */
    switch ((int)op) {
    case OP_ADD:
        *bits = rounded(type, (Quad)a + b);
        return true;
    case OP_SUB:
        *bits = rounded(type, (Quad)a - b);
        return true;
    case OP_MUL:
        *bits = rounded(type, (Quad)a * b);
        return true;
    case OP_DIV:
        *bits = rounded(type, (Quad)a / b);
        return true;
    case OP_NEG:
        *bits = arguments[0] ^ sign;
        return true;
    case OP_ABS:
        *bits = arguments[0] & ~sign;
        return true;
    case OP_ABSD:
        *bits = rounded(type, (Quad)a - b) & ~sign;
        return true;
    case OP_MIN:
        *bits = isless(b, a) ? arguments[1] : arguments[0];
        return true;
    case OP_MAX:
        *bits = isless(a, b) ? arguments[1] : arguments[0];
        return true;
    case OP_SELECT:
        *bits = arguments[arguments[0] ? 1 : 2];
        return true;
    case OP_LERP: {
        double rest = bits_to_double(computed, rounded(computed, (Quad)1 - c));
        double left = bits_to_double(computed, rounded(computed, (Quad)a * rest));
        double right = bits_to_double(computed, rounded(computed, (Quad)b * c));
        double sum = bits_to_double(computed, rounded(computed, (Quad)left + right));
        *bits = rounded(type, sum);
        return true;
    }
    case OP_FMA:
        *bits = rounded(computed, add_to_odd((Quad)a * b, c));
        if (is_short)
            *bits = rounded(type, bits_to_double(computed, *bits));
        return true;
    case OP_SQRT:
        *bits = bits_from_double(type, root(type, a));
        return true;
    case OP_FLOOR:
        *bits = bits_from_double(type, a == 0 || a != a ? a : copysign(floored(a), a));
        return true;
    case OP_CEIL:
        *bits = bits_from_double(type, a == 0 || a != a ? a : copysign(-floored(-a), a));
        return true;
    case OP_TRUNC:
        *bits = bits_from_double(type, truncated(a));
        return true;
    case OP_ROUND:
        *bits = bits_from_double(type, half_even(a));
        return true;
    }
    return false;
}

/* ---- conversions ---- */

static inline bool casts(Op op, Type result, const Type *operands, const Bits *arguments,
                         Bits *bits, int *error) {
    Type type = operands[0];
    *error = ERROR_NONE;
    if (type_is_float(type)) {
        double x = bits_to_double(type, arguments[0]);
        if (type_is_bool(result)) {
            *bits = !(x == 0);
        } else if (type_is_float(result)) {
            *bits = rounded(result, (Quad)x);
        } else {
            Wide n = isnan(x)       ? 0
                     : x > 0x1p100  ? (Wide)1 << 100
                     : x < -0x1p100 ? -((Wide)1 << 100)
                                    : (Wide)x;
            *bits = saturate(result, n);
        }
        return true;
    }
    Wide n = number(type, arguments[0]);
    if (type_is_bool(result))
        *bits = n != 0;
    else if (type_is_float(result))
        *bits = rounded(result, (Quad)n);
    else
        *bits = op == OP_SATURATING_CAST ? saturate(result, n) : wrap(result, n);
    if (type_is_index(result) && n > greatest(INDEX))
        *error = ERROR_INDEX;
    return true;
}

#endif

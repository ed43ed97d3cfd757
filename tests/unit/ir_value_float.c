/* The evaluator's floats, math functions and conversions against a slow oracle: quadruple precision
 * for what is rounded once, 80 bits for math functions, definitions where those are simpler. */
#include "value_support.h"

#include <math.h>

typedef __float128 Quad;

/* ---- floats ---- */

/* Rounds once to the type: quadruple precision is wide enough that `+ - * /` computed there and
 * rounded again are rounded right (113 >= 2*53 + 2). */
static Bits rounded(Type type, Quad value) {
    if (type.bits == 64)
        return bits_from_double(type, (double)value);
    float narrow = (float)value;
    return bits_from_double(type, (double)narrow);
}

/* a + b rounded to odd: rounding the result again to fewer bits is then right too. */
static Quad add_to_odd(Quad a, Quad b) {
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

static double truncated(double x) {
    if (!(fabs(x) < 0x1p52))
        return x;
    return copysign((double)(int64_t)fabs(x), x);
}

static double floored(double x) {
    double t = truncated(x);
    return t > x ? t - 1 : t;
}

static double half_even(double x) {
    if (!(fabs(x) < 0x1p52))
        return x;
    double low = floored(fabs(x)), rest = fabs(x) - low;
    bool up = rest > 0.5 || (rest == 0.5 && fmod(low, 2) == 1);
    return copysign(low + up, x);
}

/* The root by bisection on the bits: the largest r with r*r <= x, then the nearer neighbour. */
static double root(Type type, double x) {
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

static bool floats(Op op, Type result, const Type *operands, const Bits *arguments, Bits *bits,
                   int *error) {
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
        double rest = bits_to_double(type, rounded(type, (Quad)1 - c));
        double left = bits_to_double(type, rounded(type, (Quad)a * rest));
        double right = bits_to_double(type, rounded(type, (Quad)b * c));
        *bits = rounded(type, (Quad)left + right);
        return true;
    }
    case OP_FMA:
        *bits = rounded(type, add_to_odd((Quad)a * b, c));
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

START_TEST(float_operators) {
    Type type = _i ? F64 : F32;
    int checked = 0;
    for (int op = 0; op < OP_COUNT; op++)
        if (!(op_info((Op)op)->traits & FINZ))
            checked += check_operator((Op)op, type, floats);
    ck_assert_int_eq(checked, 26);
}
END_TEST

/* ---- math functions: within one unit in the last place of the C library's in 80 bits ---- */

static long double exact_math(Op op, long double a, long double b) {
    switch ((int)op) {
    case OP_SIN:
        return sinl(a);
    case OP_COS:
        return cosl(a);
    case OP_TAN:
        return tanl(a);
    case OP_ASIN:
        return asinl(a);
    case OP_ACOS:
        return acosl(a);
    case OP_ATAN:
        return atanl(a);
    case OP_ATAN2:
        return atan2l(a, b);
    case OP_SINH:
        return sinhl(a);
    case OP_COSH:
        return coshl(a);
    case OP_TANH:
        return tanhl(a);
    case OP_ATANH:
        return atanhl(a);
    case OP_EXPM1:
        return expm1l(a);
    case OP_CBRT:
        return cbrtl(a);
    case OP_ERF:
        return erfl(a);
    case OP_EXP:
        return expl(a);
    case OP_EXP2:
        return exp2l(a);
    case OP_LOG:
        return logl(a);
    case OP_LOG2:
        return log2l(a);
    case OP_LOG10:
        return log10l(a);
    case OP_POW: /* powl takes -2^63 for an odd number */
        return isinf(a) && fabsl(b) > 0x1p60L ? powl(a, b / 8) : powl(a, b);
    }
    ck_abort_msg("the oracle knows %s", op_info(op)->name);
}

/* Half of the distance to the next float, or half of the least subnormal. */
static long double unit(Type type, long double x) {
    int digits = type.bits == 32 ? 24 : 53, bottom = type.bits == 32 ? -149 : -1074, exponent;
    frexpl(x, &exponent);
    return ldexpl(1, exponent - digits > bottom ? exponent - digits : bottom);
}

static void check_math(Op op, Type type, Bits x, Bits y) {
    Type operands[] = {type, type};
    Bits arguments[] = {x, y};
    Value value = value_apply(op, type, operands, arguments, NULL);
    double a = bits_to_double(type, x), b = bits_to_double(type, y);
    long double wanted = exact_math(op, a, b), got = bits_to_double(type, value.bits);
    long double once = type.bits == 32 ? (long double)(float)wanted : (long double)(double)wanted;
    /* The family's results become infinite a little early: from an eighth of the greatest float. */
    bool near_infinity = fabsl(wanted) > (type.bits == 32 ? 0x1p125L : 0x1p1021L);
    bool fine = isnan(wanted)                             ? isnan(got)
                : near_infinity && !isfinite((double)got) ? (got < 0) == (wanted < 0) && isinf(got)
                : isinf(once) ? fabsl(got) > (type.bits == 32 ? 0x1p127L : 0x1p1023L)
                              : fabsl(got - wanted) <= 1.01L * unit(type, wanted);
    if (fine)
        return;
    ck_abort_msg("%s(%a, %a) on %s gives %La, not %La", op_info(op)->text, a, b, type_name(type),
                 got, wanted);
}

START_TEST(math_functions) {
    Type type = _i ? F64 : F32;
    Values values = values_of(type);
    int checked = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!(op_info((Op)op)->traits & FINZ))
            continue;
        checked++;
        for (int i = 0; i < values.count; i++)
            for (int j = 0; j < (op_info((Op)op)->arity > 1 ? values.count : 1); j++)
                check_math((Op)op, type, values.data[i], values.data[j]);
        for (int i = 0; i < 2000; i++) {
            double a = ((double)random_word() / 0x1p64 - 0.5) * (i % 2 ? 2 : 200);
            double b = ((double)random_word() / 0x1p64 - 0.5) * 20;
            check_math((Op)op, type, bits_from_double(type, a), bits_from_double(type, b));
        }
    }
    ck_assert_int_eq(checked, 20);
}
END_TEST

/* ---- conversions ---- */

static bool casts(Op op, Type result, const Type *operands, const Bits *arguments, Bits *bits,
                  int *error) {
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

START_TEST(conversions) {
    for (int to = 0; to < TYPE_COUNT; to++) {
        for (int op = OP_CAST; op <= OP_SATURATING_CAST; op++) {
            Type from = type_by_number(_i), result = type_by_number(to);
            if (!op_result_type((Op)op, &from, &result))
                continue;
            check_all((Op)op, result, &from, casts);
        }
    }
}
END_TEST

START_TEST(one_rounding_to_float) {
    /* Through f64 the first two would round twice, to the other neighbour. */
    static const struct {
        Type from;
        int64_t bits;
        double f32;
    } rows[] = {{I64, 0x8000008000000001 & INT64_MAX, 0},
                {U64, (int64_t)0x8000008000000001, 0x1.000002p63},
                {I64, 0x4000004000000001, 0x1.000002p62},
                {U64, -1, 0x1p64}};
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++) {
        Value value = value_apply(OP_CAST, F32, &rows[i].from, &rows[i].bits, NULL);
        ck_assert_double_eq(bits_to_double(F32, value.bits), rows[i].f32);
    }
}
END_TEST

START_TEST(reinterpreting) {
    for (int from = 1; from < TYPE_COUNT; from++) {
        for (int to = 1; to < TYPE_COUNT; to++) {
            Type type = type_by_number(from), result = type_by_number(to);
            if (!op_result_type(OP_REINTERPRET, &type, &result))
                continue;
            Values values = values_of(type);
            for (int i = 0; i < values.count; i++) {
                Value value = value_apply(OP_REINTERPRET, result, &type, &values.data[i], NULL);
                unsigned char memory[2][8] = {{0}};
                bits_store(type, memory[0], values.data[i]);
                bits_store(result, memory[1], value.bits);
                if (!type_is_float(result) || !isnan(bits_to_double(result, value.bits)))
                    ck_assert_mem_eq(memory[0], memory[1], 8);
            }
        }
    }
    Bits negative_nan = (Bits)0xffc12345;
    Type type = F32;
    ck_assert_int_eq(value_apply(OP_REINTERPRET, U32, &type, &negative_nan, NULL).bits, 0x7fc00000);
    type = F64;
    negative_nan = -1;
    ck_assert_int_eq(value_apply(OP_REINTERPRET, I64, &type, &negative_nan, NULL).bits,
                     0x7ff8000000000000);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("value");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, float_operators, 0, 2);
    tcase_add_loop_test(cases, math_functions, 0, 2);
    tcase_add_loop_test(cases, conversions, 0, TYPE_COUNT);
    tcase_add_test(cases, one_rounding_to_float);
    tcase_add_test(cases, reinterpreting);
    return run_suite("value_float", cases);
}

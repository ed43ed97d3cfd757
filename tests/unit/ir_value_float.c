/* The evaluator's floats, math functions and conversions against a slow oracle: quadruple precision
 * for what is rounded once, 80 bits for math functions, definitions where those are simpler. */
#include "value_float_support.h"

START_TEST(float_operators) {
    Type type = FLOATS[_i];
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
    tcase_add_loop_test(cases, float_operators, 0, FLOAT_TYPES);
    tcase_add_loop_test(cases, math_functions, 0, 2);
    tcase_add_loop_test(cases, conversions, 0, TYPE_COUNT);
    tcase_add_test(cases, one_rounding_to_float);
    tcase_add_test(cases, reinterpreting);
    return run_suite("value_float", cases);
}

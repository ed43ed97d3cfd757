/* f16 and bf16 in the evaluator: all values, a million pairs of each operator, numbers halfway
 * between two values, and texts, against the definition of both types. */
#include "share.h"
#include "value_float_support.h"

#include <stdio.h>

static void check_one(Op op, Type result, const Type *operands, const Bits *arguments,
                      Oracle *oracle) {
    Value value = value_apply(op, result, operands, arguments, NULL);
    check_point(op, result, operands, arguments, value, oracle);
}

START_TEST(all_short_floats) {
    Type type = FLOATS[_i];
    int checked = 0;
    for (Bits bits = 0; bits < 0x10000; bits++) {
        double number = bits_to_double(type, bits), wanted = meaning(type, bits);
        ck_assert(memcmp(&number, &wanted, sizeof number) == 0 || (isnan(number) && isnan(wanted)));
        ck_assert(bits_same(type, bits_from_double(type, wanted), bits));
        for (int to = 0; to < TYPE_COUNT; to++)
            check_one(OP_CAST, type_by_number(to), &type, &bits, casts);
    }
    for (int op = 0; op < OP_COUNT; op++) {
        Type result;
        const OpInfo *info = op_info((Op)op);
        if (info->arity != 1 || info->types == TYPES_CONVERT || (info->traits & FINZ) ||
            !op_result_type((Op)op, &type, &result))
            continue;
        checked++;
        for (Bits bits = 0; bits < 0x10000; bits++)
            check_one((Op)op, result, &type, &bits, floats);
    }
    ck_assert_int_eq(checked, 10);
}
END_TEST

START_TEST(pairs_of_short_floats) {
    Type type = FLOATS[_i], operands[] = {type, type, type};
    int checked = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        Type result;
        const OpInfo *info = op_info((Op)op);
        if (info->arity == 1 || op == OP_SELECT || (info->traits & FINZ) ||
            !op_result_type((Op)op, operands, &result))
            continue;
        checked++;
        for (int i = 0; i < 1000000 / share(); i++) {
            uint64_t word = random_word();
            Bits arguments[] = {(Bits)(word & 0xffff), (Bits)(word >> 16 & 0xffff),
                                (Bits)(word >> 32 & 0xffff)};
            if (word >> 63) { /* exponents side by side */
                arguments[1] = (arguments[0] ^ (arguments[1] & 0x83ff)) & 0xffff;
                arguments[2] = (arguments[0] ^ (arguments[2] & 0x81ff)) & 0xffff;
            }
            check_one((Op)op, result, operands, arguments, floats);
        }
    }
    ck_assert_int_eq(checked, 15);
}
END_TEST

/* Numbers halfway between two neighbours, and their own neighbours in the wider type: there two
 * roundings differ from one. */
START_TEST(one_rounding_to_short_floats) {
    Type type = FLOATS[_i], wide[] = {F64, F32}, whole[] = {I64, U64, I32, U32};
    for (Bits bits = 0; bits < type_infinity(type); bits++) {
        double next = bits + 1 == type_infinity(type) ? ldexp(1, largest_exponent(type) + 1)
                                                      : meaning(type, bits + 1);
        double halfway = (meaning(type, bits) + next) / 2;
        for (int i = 0; i < 2; i++)
            for (Bits sign = 0; sign < 2; sign++)
                for (int step = -1; step <= 1; step++) {
                    Bits argument = bits_from_double(wide[i], sign ? -halfway : halfway) + step;
                    check_one(OP_CAST, type, &wide[i], &argument, casts);
                }
        for (int i = 0; i < 4 && halfway >= 1 && halfway < 0x1p62; i++)
            for (Bits sign = 0; sign < 2; sign++)
                for (int step = -1; step <= 1; step++) {
                    Bits integer = (Bits)halfway + step;
                    Bits argument = bits_wrap(whole[i], sign ? -integer : integer);
                    check_one(OP_CAST, type, &whole[i], &argument, casts);
                }
    }
    for (int i = 0; i < 200000 / share(); i++)
        for (int from = 1; from < TYPE_COUNT; from++) {
            Type operand = type_by_number(from);
            Bits argument = bits_wrap(operand, (int64_t)(random_word() >> random_word() % 64));
            if (i % 2) /* near halfway for most magnitudes */
                argument = bits_wrap(operand, (argument & ~(Bits)0xff) + i % 3 - 1);
            check_one(OP_CAST, type, &operand, &argument, casts);
        }
}
END_TEST

START_TEST(math_of_short_floats) {
    Type type = FLOATS[_i], types[] = {type, type}, wide[] = {F32, F32};
    for (int op = 0; op < OP_COUNT; op++) {
        if (!(op_info((Op)op)->traits & FINZ))
            continue;
        for (Bits bits = 0; bits < 0x10000; bits++) {
            Bits arguments[] = {bits, (Bits)(random_word() & 0xffff)}, widened[2];
            for (int k = 0; k < 2; k++)
                widened[k] = bits_from_double(F32, meaning(type, arguments[k]));
            Bits got = value_apply((Op)op, type, types, arguments, NULL).bits;
            Bits once = value_apply((Op)op, F32, wide, widened, NULL).bits;
            if (!bits_same(type, got, nearest_short(type, bits_to_double(F32, once))))
                ck_abort_msg("%s of %s %x", op_info((Op)op)->text, type_name(type), (unsigned)bits);
        }
    }
}
END_TEST

START_TEST(texts_of_short_floats) {
    Type type = FLOATS[_i];
    char text[64], longer[2000];
    for (Bits bits = 0; bits < type_infinity(type); bits++) {
        value_print(type, bits, text, sizeof text);
        ck_assert_int_eq(bits_from_text(type, text, NULL), bits);
        /* Exactly halfway to the next, just above, and just below: no f64 tells them apart. */
        double next = bits + 1 == type_infinity(type) ? ldexp(1, largest_exponent(type) + 1)
                                                      : meaning(type, bits + 1);
        double halfway = (meaning(type, bits) + next) / 2;
        if (bits % 16 != 0 && bits < type_infinity(type) - 16 && bits > 16)
            continue;
        snprintf(longer, sizeof longer, "%.200f", halfway);
        ck_assert_int_eq(bits_from_text(type, longer, NULL), bits + bits % 2);
        strcat(longer, "0000000001");
        ck_assert_int_eq(bits_from_text(type, longer, NULL), bits + 1);
        snprintf(longer, sizeof longer, "%.200f", halfway);
        char *last = longer + strlen(longer) - 1;
        while (*last == '0' || *last == '.')
            last--;
        (*last)--;
        strcat(longer, "9999999999");
        if (last > strchr(longer, '.'))
            ck_assert_int_eq(bits_from_text(type, longer, NULL), bits);
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("value");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, all_short_floats, 0, 2);
    tcase_add_loop_test(cases, pairs_of_short_floats, 0, 2);
    tcase_add_loop_test(cases, one_rounding_to_short_floats, 0, 2);
    tcase_add_loop_test(cases, math_of_short_floats, 0, 2);
    tcase_add_loop_test(cases, texts_of_short_floats, 0, 2);
    return run_suite("value_short_float", cases);
}

/* The evaluator against a slow oracle that shares nothing with it: exact numbers in 128 bits for
 * the integers, definitions where those are simpler.  Integers of 8 bits exhaustively, all other
 * types at all pairs and triples of edge values.  Floats: ir_value_float.c. */
#include "value_support.h"

#include <locale.h>

/* floor(a*b / 2^amount [+ 1/2]) by halving |a*b| again and again. */
static Wide shifted_product(Wide a, Wide b, uint64_t amount, bool rounding) {
    bool negative = (a < 0) != (b < 0);
    UnsignedWide product = (UnsignedWide)(a < 0 ? -a : a) * (UnsignedWide)(b < 0 ? -b : b);
    bool last = false, earlier = false; /* bits shifted out */
    for (uint64_t i = 0; i < amount && i < 200; i++) {
        earlier |= last;
        last = product & 1;
        product >>= 1;
    }
    Wide whole = product > (UnsignedWide)1 << 126 ? (Wide)1 << 126 : (Wide)product;
    if (rounding)
        return negative ? -whole - (last && earlier) : whole + last;
    return negative ? -whole - (last || earlier) : whole;
}

static Wide euclidean_modulo(Wide a, Wide b) {
    Wide size = b < 0 ? -b : b;
    return b == 0 ? 0 : a - floor_divide(a, size) * size;
}

static int count_ones(Type type, Wide n) {
    int count = 0;
    for (int i = 0; i < type.bits; i++)
        count += n >> i & 1;
    return count;
}

static int zeros_from(Type type, Wide n, bool top) {
    int count = 0;
    while (count < type.bits && !(n >> (top ? type.bits - 1 - count : count) & 1))
        count++;
    return count;
}

/* The operator on integers and index: expected canonical bits; `*error` the formal reading's. */
static bool integer_oracle(Op op, Type type, Type result, const Type *operands,
                           const Bits *arguments, Bits *bits, int *error) {
    int arity = op_info(op)->arity;
    Wide a = number(operands[0], arguments[0]), exact = 0;
    Wide b = arity > 1 ? number(operands[1], arguments[1]) : 0;
    Wide c = arity > 2 ? number(operands[2], arguments[2]) : 0;
    bool in_range = b >= 0 && b < type.bits;
    *error = ERROR_NONE;
    switch ((int)op) {
    case OP_ADD:
        exact = a + b;
        break;
    case OP_SUB:
        exact = a - b;
        break;
    case OP_MUL:
        /* u64: the part of a*b that is a multiple of 2^64 is left out, as it may not fit. */
        exact = type_equal(type, U64)
                    ? a * (b & UINT32_MAX) +
                          ((a & UINT32_MAX) * (b >> 32) % power_of_two(32)) * power_of_two(32)
                    : a * b;
        break;
    case OP_DIV:
        exact = b == 0 ? 0 : (a - euclidean_modulo(a, b)) / b;
        *error = b == 0 ? ERROR_ARITH : ERROR_NONE;
        break;
    case OP_MOD:
        exact = euclidean_modulo(a, b);
        *error = b == 0 ? ERROR_ARITH : ERROR_NONE;
        break;
    case OP_NEG:
        exact = -a;
        break;
    case OP_ABS:
        exact = a < 0 ? -a : a;
        break;
    case OP_ABSD:
        exact = a < b ? b - a : a - b;
        break;
    case OP_EQ:
        exact = a == b;
        break;
    case OP_NE:
        exact = a != b;
        break;
    case OP_LT:
        exact = a < b;
        break;
    case OP_LE:
        exact = a <= b;
        break;
    case OP_GT:
        exact = a > b;
        break;
    case OP_GE:
        exact = a >= b;
        break;
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR:
        for (int i = 0; i < type.bits; i++) {
            int p = a >> i & 1, q = b >> i & 1;
            if (op == OP_BIT_AND ? p && q : op == OP_BIT_OR ? p || q : p != q)
                exact += power_of_two(i);
        }
        break;
    case OP_BIT_NOT:
        exact = -1 - a;
        break;
    case OP_SHIFT_LEFT:
    case OP_ROUNDING_SHIFT_LEFT:
        exact = in_range ? wrap(type, a % power_of_two(type.bits - b)) * power_of_two(b) : 0;
        *error = in_range ? ERROR_NONE : ERROR_ARITH;
        break;
    case OP_SHIFT_RIGHT:
        exact = in_range ? floor_divide(a, power_of_two(b)) : a < 0 ? -1 : 0;
        *error = in_range ? ERROR_NONE : ERROR_ARITH;
        break;
    case OP_ROUNDING_SHIFT_RIGHT:
        exact = !in_range ? 0 : floor_divide(2 * a + power_of_two(b), power_of_two(b + 1));
        *error = in_range ? ERROR_NONE : ERROR_ARITH;
        break;
    case OP_MIN:
        exact = a < b ? a : b;
        break;
    case OP_MAX:
        exact = a > b ? a : b;
        break;
    case OP_SELECT:
        exact = number(result, arguments[arguments[0] ? 1 : 2]);
        break;
    case OP_LERP: {
        Wide origin = least(type), most = greatest(operands[2]);
        UnsignedWide n = (UnsignedWide)(a - origin) * (UnsignedWide)(most - c) +
                         (UnsignedWide)(b - origin) * (UnsignedWide)c + (UnsignedWide)(most / 2);
        exact = origin + (Wide)(n / (UnsignedWide)most);
        break;
    }
    case OP_SATURATING_ADD:
        exact = number(type, saturate(type, a + b));
        break;
    case OP_SATURATING_SUB:
        exact = number(type, saturate(type, a - b));
        break;
    case OP_HALVING_ADD:
        exact = floor_divide(a + b, 2);
        break;
    case OP_HALVING_SUB:
        exact = floor_divide(a - b, 2);
        break;
    case OP_ROUNDING_HALVING_ADD:
        exact = floor_divide(a + b + 1, 2);
        break;
    case OP_WIDENING_ADD:
        exact = a + b;
        break;
    case OP_WIDENING_SUB:
        exact = a - b;
        break;
    case OP_WIDENING_MUL:
        exact = a * b;
        break;
    case OP_MUL_SHIFT_RIGHT:
    case OP_ROUNDING_MUL_SHIFT_RIGHT:
        exact = shifted_product(a, b, (uint64_t)c, op == OP_ROUNDING_MUL_SHIFT_RIGHT);
        exact = number(type, saturate(type, exact));
        *error = c < 2 * type.bits ? ERROR_NONE : ERROR_ARITH;
        break;
    case OP_POPCOUNT:
        exact = count_ones(type, a);
        break;
    case OP_CLZ:
        exact = zeros_from(type, a, true);
        break;
    case OP_CTZ:
        exact = zeros_from(type, a, false);
        break;
    default:
        return false;
    }
    *bits = wrap(result, exact);
    if (type_is_index(result) && (exact < least(INDEX) || exact > greatest(INDEX)))
        *error = ERROR_INDEX;
    return true;
}

/* ---- integers ---- */

static bool integers(Op op, Type result, const Type *operands, const Bits *arguments, Bits *bits,
                     int *error) {
    return integer_oracle(op, operands[op == OP_SELECT], result, operands, arguments, bits, error);
}

START_TEST(integer_operators) {
    static const int numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 13};
    Type type = type_by_number(numbers[_i]);
    int checked = 0;
    for (int op = 0; op < OP_COUNT; op++)
        checked += check_operator((Op)op, type, integers);
    ck_assert_int_ge(checked, type_is_index(type) ? 15 : type.bits == 64 ? 33 : 36);
}
END_TEST

/* ---- bool ---- */

static bool booleans(Op op, Type result, const Type *operands, const Bits *arguments, Bits *bits,
                     int *error) {
    (void)result;
    (void)operands;
    int index = (int)(arguments[0] * 2 + (op_info(op)->arity > 1 ? arguments[1] : 0));
    *error = ERROR_NONE;
    static const struct {
        Op op;
        const char *table;
    } tables[] = {
        {OP_AND, "0001"}, {OP_OR, "0111"}, {OP_EQ, "1001"}, {OP_NE, "0110"}, {OP_NOT, "1.0."}};
    if (op == OP_SELECT) {
        *bits = arguments[0] ? arguments[1] : arguments[2];
        return true;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (tables[i].op == op) {
            *bits = tables[i].table[index] == '1';
            return true;
        }
    }
    return false;
}

START_TEST(bool_operators) {
    int checked = 0;
    for (int op = 0; op < OP_COUNT; op++)
        checked += check_operator((Op)op, BOOL, booleans);
    ck_assert_int_eq(checked, 6);
}
END_TEST

/* ---- errors ---- */

START_TEST(errors_spread) {
    Type types[] = {I32, I32, I32};
    Bits arguments[] = {1, 0, 5};
    uint8_t errors[] = {ERROR_RDOM, ERROR_ARITH, ERROR_NONE};
    ck_assert_int_eq(value_apply(OP_ADD, I32, types, arguments, errors).error, ERROR_RDOM);
    errors[1] = ERROR_MEM;
    ck_assert_int_eq(value_apply(OP_DIV, I32, types, arguments, errors).error, ERROR_MEM);
    errors[0] = errors[1] = ERROR_NONE;
    ck_assert_int_eq(value_apply(OP_DIV, I32, types, arguments, errors).error, ERROR_ARITH);
    /* select: the condition's error, and that of the arm chosen. */
    types[0] = BOOL;
    errors[1] = ERROR_MEM;
    ck_assert_int_eq(value_apply(OP_SELECT, I32, types, arguments, errors).error, ERROR_MEM);
    arguments[0] = 0;
    ck_assert_int_eq(value_apply(OP_SELECT, I32, types, arguments, errors).error, ERROR_NONE);
    errors[0] = ERROR_ARITH;
    ck_assert_int_eq(value_apply(OP_SELECT, I32, types, arguments, errors).error, ERROR_ARITH);
    /* The same in a batch, an operand without errors given as null. */
    Bits conditions[] = {0, 1}, arms[] = {7, 8}, out[2];
    uint8_t arm_errors[] = {ERROR_MEM, ERROR_MEM}, out_errors[2];
    value_apply_batch(OP_SELECT, I32, types, 2, out, (const Bits *[]){conditions, arms, arms},
                      out_errors, (const uint8_t *[]){NULL, arm_errors, NULL});
    ck_assert_int_eq(out_errors[0], ERROR_NONE);
    ck_assert_int_eq(out_errors[1], ERROR_MEM);
}
END_TEST

/* ---- text and memory ---- */

START_TEST(printing) {
    static const struct {
        Type type;
        double value;
        const char *text;
    } rows[] = {{F32, 1, "1.0"},
                {F32, 0.1, "0.1"},
                {F64, 0.1, "0.1"},
                {F32, -0.0, "-0.0"},
                {F32, 1e20, "1e+20"},
                {F32, NAN, "nan"},
                {F16, 0.1, "0.1"},
                {F16, 65504, "6.55e+04"},
                {F16, 0x1p-24, "6e-08"},
                {F16, INFINITY, "inf"},
                {BF16, 0.1, "0.1"},
                {BF16, 256, "256.0"},
                {BF16, -3e38, "-3e+38"},
                {F64, -INFINITY, "-inf"},
                {F32, 16777216, "16777216.0"},
                {F64, 1.5e300, "1.5e+300"},
                {U8, 255, "255"},
                {I8, -128, "-128"},
                {BOOL, 1, "true"},
                {BOOL, 0, "false"}};
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed, a comma for the point */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[41];
        int length = value_print(rows[i].type, bits_from_double(rows[i].type, rows[i].value), text,
                                 sizeof text);
        ck_assert_str_eq(text, rows[i].text);
        ck_assert_int_eq(length, (int)strlen(text));
    }
    setlocale(LC_ALL, "C");
    for (int number = 9; number <= 12; number++) {
        Type type = type_by_number(number);
        Values values = values_of(type);
        for (int i = 0; i < values.count; i++) {
            char text[41];
            ck_assert_int_le(value_print(type, values.data[i], text, sizeof text), 40);
            double back = type.bits == 64 ? strtod(text, NULL) : (double)strtof(text, NULL);
            ck_assert(bits_same(type, bits_from_double(type, back), values.data[i]));
        }
    }
    char text[41];
    value_print(U64, -1, text, sizeof text);
    ck_assert_str_eq(text, "18446744073709551615");
}
END_TEST

START_TEST(loads_and_stores) {
    for (int number = 0; number < TYPE_COUNT; number++) {
        Type type = type_by_number(number);
        Values values = values_of(type);
        for (int i = 0; i < values.count; i++) {
            unsigned char memory[10];
            memset(memory, 0xaa, sizeof memory);
            bits_store(type, memory + 1, values.data[i]);
            ck_assert(bits_load(type, memory + 1) == values.data[i]);
            ck_assert_uint_eq(memory[0], 0xaa);
            ck_assert_uint_eq(memory[1 + type_bytes(type)], 0xaa);
        }
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("value");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, integer_operators, 0, 9);
    tcase_add_test(cases, bool_operators);
    tcase_add_test(cases, errors_spread);
    tcase_add_test(cases, printing);
    tcase_add_test(cases, loads_and_stores);
    return run_suite("value", cases);
}

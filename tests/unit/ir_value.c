/* The evaluator against a slow oracle that shares nothing with it: exact numbers in 128 bits for
 * the integers, quadruple precision for the floats, definitions where those are simpler.  Integers
 * of 8 bits exhaustively, all other types at all pairs and triples of edge values. */
#include "ir/value.h"

#include "suite.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 Wide;
typedef unsigned __int128 UnsignedWide;
typedef __float128 Quad;

static uint64_t random_state = 12345;
static uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* ---- numbers ---- */

static Wide number(Type type, Bits bits) {
    return type.kind == TYPE_UINT ? (Wide)(uint64_t)bits : (Wide)bits;
}

static Wide least(Type type) {
    return type_is_signed(type) ? -((Wide)1 << (type.bits - 1)) : 0;
}

static Wide greatest(Type type) {
    return ((Wide)1 << (type.bits - type_is_signed(type))) - 1;
}

static Wide floor_divide(Wide a, Wide b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The number's canonical bits, modulo 2^bits. */
static Bits wrap(Type type, Wide n) {
    Wide size = (Wide)1 << type.bits;
    n -= floor_divide(n, size) * size;
    if (n > greatest(type))
        n -= size;
    return (Bits)(uint64_t)(UnsignedWide)n;
}

static Bits saturate(Type type, Wide n) {
    return wrap(type, n < least(type) ? least(type) : n > greatest(type) ? greatest(type) : n);
}

static Wide power_of_two(Wide exponent) {
    return (Wide)1 << exponent;
}

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

/* ---- operands ---- */

#define MAX_VALUES 300
typedef struct Values {
    Bits data[MAX_VALUES];
    int count;
} Values;

static void add(Values *values, Type type, int64_t bits) {
    bits = bits_wrap(type, bits);
    for (int i = 0; i < values->count; i++)
        if (values->data[i] == bits)
            return;
    if (values->count == MAX_VALUES)
        ck_abort_msg("room for the edge values");
    values->data[values->count++] = bits;
}

static void add_floats(Values *values, Type type) {
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

static void add_integers(Values *values, Type type) {
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

static Values values_of(Type type) {
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

static void complain(Op op, Type result, const Type *operands, const Bits *arguments, Value got,
                     Bits bits, int error) {
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

static void check_point(Op op, Type result, const Type *operands, const Bits *arguments, Value got,
                        Oracle *oracle) {
    Bits bits;
    int error;
    if (!oracle(op, result, operands, arguments, &bits, &error))
        ck_abort_msg("the oracle does not know %s", op_info(op)->name);
    if (!bits_same(result, got.bits, bits) || got.error != error)
        complain(op, result, operands, arguments, got, bits, error);
}

/* All tuples of the operands' values, by rows of the last operand: batches, and the batch of one.
 */
static void check_all(Op op, Type result, const Type *operands, Oracle *oracle) {
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
static int check_operator(Op op, Type type, Oracle *oracle) {
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

/* ---- integers ---- */

static bool integers(Op op, Type result, const Type *operands, const Bits *arguments, Bits *bits,
                     int *error) {
    return integer_oracle(op, operands[op == OP_SELECT], result, operands, arguments, bits, error);
}

START_TEST(integer_operators) {
    static const int numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 11};
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
    ck_assert_int_eq(checked, 16);
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
    for (int number = 9; number <= 10; number++) {
        Type type = type_by_number(number);
        Values values = values_of(type);
        for (int i = 0; i < values.count; i++) {
            char text[41];
            ck_assert_int_le(value_print(type, values.data[i], text, sizeof text), 40);
            double back = type.bits == 32 ? (double)strtof(text, NULL) : strtod(text, NULL);
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
    tcase_add_loop_test(cases, float_operators, 0, 2);
    tcase_add_loop_test(cases, math_functions, 0, 2);
    tcase_add_loop_test(cases, conversions, 0, TYPE_COUNT);
    tcase_add_test(cases, one_rounding_to_float);
    tcase_add_test(cases, reinterpreting);
    tcase_add_test(cases, errors_spread);
    tcase_add_test(cases, printing);
    tcase_add_test(cases, loads_and_stores);
    return run_suite("value", cases);
}

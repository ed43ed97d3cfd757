/* codegen_divide.c -- division of vectors by a number that is the same in all lanes: every divisor
 * of interest against every dividend of at most 16 bits, and edges, multiples and their neighbours,
 * and random ones of 32 bits. */
#include "compiled.h"
#include "tests/unit/share.h"

static const Type types[] = {I8, U8, I16, U16, I32, U32};
enum { TYPES = sizeof types / sizeof *types, LANES = 16 };

static Compiled compile_division(Type type, int optimize) {
    char text[1024];
    const char *name = type_name(type);
    snprintf(text, sizeof text,
             "pipeline p(a: image<%s, 1>, d: %s) -> (q, r)\n"
             "  func q(x): %s\n"
             "  func r(x): %s\n"
             "  allocate q: %s [(0, q.extent.0)]\n"
             "  compute q on [(0, q.extent.0)]\n"
             "    for q.s0.xo in (0, q.extent.0/%d) do\n"
             "      for q.s0.xi in (0, %d) vectorized do\n"
             "        q[q.s0.xo*%d + q.s0.xi] <- a[q.s0.xo*%d + q.s0.xi]/d\n"
             "  allocate r: %s [(0, r.extent.0)]\n"
             "  compute r on [(0, r.extent.0)]\n"
             "    for r.s0.xo in (0, r.extent.0/%d) do\n"
             "      for r.s0.xi in (0, %d) vectorized do\n"
             "        r[r.s0.xo*%d + r.s0.xi] <- a[r.s0.xo*%d + r.s0.xi] %% d\n",
             name, name, name, name, name, LANES, LANES, LANES, LANES, name, LANES, LANES, LANES,
             LANES);
    return compile(text, optimize);
}

static uint32_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static int64_t dividend_count(Type type) {
    return type.bits == 32 ? 1 << 14 : 1 << type.bits;
}

/* All of 8 and 16 bits; of 32 edges, multiples of the divisor and their neighbours, random ones. */
static void fill_dividends(const Image *image, Bits divisor) {
    uint64_t state = 12345;
    for (int64_t i = 0; i < image->extent[0]; i++) {
        int64_t number = i;
        if (image->type.bits == 32) {
            uint32_t word = next(&state) >> (i & 31);
            number = i < 64     ? (int64_t)(1u << (i & 31)) - (i >> 5)
                     : i < 256  ? (i & 1 ? INT32_MAX : INT32_MIN) + ((i - 160) >> 1)
                     : i & 1    ? word
                     : !divisor ? -(int64_t)word
                                : (int64_t)(word / (uint32_t)divisor) * divisor + i % 3 - 1;
        }
        put(image, i, 0, bits_wrap(image->type, number));
    }
}

static void check_divisor(const Compiled *c, Image *a, Image *out, Bits d) {
    Type type = a->type;
    succeed(c, &(Arguments){&d, a, out});
    for (int64_t i = 0; i < a->extent[0]; i++) {
        Bits operands[] = {at(a, i, 0), d};
        for (int k = 0; k < 2; k++) {
            Bits wanted =
                value_apply(k ? OP_MOD : OP_DIV, type, (Type[]){type, type}, operands, NULL).bits;
            ck_assert_msg(at(&out[k], i, 0) == wanted, "%lld %s %lld of %s: %lld, not %lld",
                          (long long)operands[0], k ? "%" : "/", (long long)d, type_name(type),
                          (long long)at(&out[k], i, 0), (long long)wanted);
        }
    }
}

START_TEST(by_one_number) {
    Type type = types[_i];
    static const int64_t divisors[] = {
        0,     1,     2,      3,       7,      9,      10,    25,         121,        127,
        128,   255,   -1,     -2,      -3,     -7,     -10,   -128,       641,        32767,
        32768, 65535, -32768, 1000003, 0x8001, 0xffff, 65537, 2147483647, 2147483648, 4294967295};
    Compiled c = compile_division(type, 2);
    int64_t count = dividend_count(type);
    Image a = line(type, 0, count), out[] = {line(type, 0, count), line(type, 0, count)};
    for (size_t i = (size_t)(_i % share()); i < sizeof divisors / sizeof *divisors;
         i += (size_t)share()) {
        Bits d = bits_wrap(type, divisors[i]);
        fill_dividends(&a, d);
        check_divisor(&c, &a, out, d);
    }
    guarded_free(&a), guarded_free(&out[0]), guarded_free(&out[1]);
    discard(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("divide");
    tcase_add_loop_test(cases, by_one_number, 0, TYPES);
    return run_suite("codegen_divide", cases);
}

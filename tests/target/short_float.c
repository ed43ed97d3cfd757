/* short_float.c -- calls the pipelines of short_float.sh, and compares each result with the
 * definition of f16 and bf16:  host LIBRARY.so ..
 *
 * What is right is computed once for all libraries, from tables and by integers, since emulated floating point is slow.
 *
 * The definition stands here once more, in f64: a number of either type, a sum, product, quotient or
 * root of two, rounded to f64 and then to the type, is what one rounding gives.
 */
#include "runtime/hlc_runtime.h"
#include "tests/unit/share.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A type of 16 bits. */
typedef struct Format {
    const char *name;
    int digits, most; /* of the significand; the greatest exponent */
    halide_type_t type;
} Format;

static const Format FORMATS[] = {{"f16", 11, 15, {halide_type_float, 16, 1}},
                                 {"bf16", 8, 127, {halide_type_bfloat, 16, 1}}};

enum { MOST_OUTPUTS = 16, MOST_LIBRARIES = 4 };

static double meanings[2][0x10000]; /* of all bits of both types */

static double define_meaning(const Format *f, uint16_t bits) {
    int fraction = f->digits - 1, exponent = (bits & 0x7fff) >> fraction;
    int part = bits & ((1 << fraction) - 1);
    double value = exponent == 2 * f->most + 1 ? (part ? NAN : INFINITY)
                   : exponent == 0             ? ldexp(part, 1 - f->most - fraction)
                                   : ldexp(part + (1 << fraction), exponent - f->most - fraction);
    return bits & 0x8000 ? -value : value;
}

static double meaning(const Format *f, uint16_t bits) {
    return meanings[f - FORMATS][bits];
}

/* The number nearest to magnitude * 2^scale, of two the even one; `leading` is the magnitude's leading digit. */
static uint16_t round_scaled(const Format *f, bool negative, uint64_t magnitude, int leading,
                             int scale) {
    uint16_t sign = negative ? 0x8000 : 0,
             infinity = (uint16_t)((2 * f->most + 1) << (f->digits - 1));
    int exponent = leading + scale;
    if (exponent > f->most)
        return sign | infinity;
    if (exponent < 1 - f->most)
        exponent = 1 - f->most;
    int dropped = exponent - (f->digits - 1) - scale; /* digits below the unit in the last place */
    uint64_t whole = dropped > 63 ? 0 : dropped > 0 ? magnitude >> dropped : magnitude << -dropped;
    if (dropped > 0 && dropped <= 63) {
        uint64_t rest = magnitude & ((UINT64_C(1) << dropped) - 1), half = UINT64_C(1)
                                                                           << (dropped - 1);
        whole += rest > half || (rest == half && whole % 2 == 1);
    }
    /* The leading digit of a normal number, or a carry, counts up the exponent. */
    return (uint16_t)(sign | (((uint64_t)(exponent + f->most - 1) << (f->digits - 1)) + whole));
}

static uint16_t nearest(const Format *f, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    int exponent = (int)(word >> 52 & 0x7ff);
    uint64_t part = word & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7ff && part != 0)
        return (uint16_t)(((2 * f->most + 1) << (f->digits - 1)) + 1);
    return exponent == 0
               ? (uint16_t)(word >> 63 << 15) /* far below the least number */
               : round_scaled(f, word >> 63, part | UINT64_C(1) << 52, 52, exponent - 1075);
}

static uint16_t nearest_whole(const Format *f, bool negative, uint64_t magnitude) {
    return magnitude == 0
               ? 0
               : round_scaled(f, negative, magnitude, 63 - __builtin_clzll(magnitude), 0);
}

static uint16_t from_signed(const Format *f, int64_t n) {
    return nearest_whole(f, n < 0, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

static int64_t to_signed(double x, int bits) {
    double beyond = ldexp(1, bits - 1);
    int64_t most = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    return isnan(x) ? 0 : x >= beyond ? most : x <= -beyond ? -most - 1 : (int64_t)x;
}

static uint64_t to_unsigned(double x, int bits) {
    uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return isnan(x) || x <= 0 ? 0 : x >= ldexp(1, bits) ? most : (uint64_t)x;
}

/* ---- calls ---- */

typedef struct Buffer {
    halide_buffer_t buffer;
    halide_dimension_t dimension;
} Buffer;

static void make(Buffer *b, halide_type_t type, int count, const void *contents) {
    size_t bytes = type.bits == 1 ? 1 : type.bits / 8u;
    b->dimension = (halide_dimension_t){0, count, 1, 0};
    b->buffer = (halide_buffer_t){
        .host = calloc((size_t)count, bytes), .type = type, .dimensions = 1, .dim = &b->dimension};
    if (!b->buffer.host)
        exit(1);
    if (contents)
        memcpy(b->buffer.host, contents, (size_t)count * bytes);
}

static void *libraries[MOST_LIBRARIES];
static int library_count;
static Buffer inputs[2], outputs[MOST_LIBRARIES][MOST_OUTPUTS];
static int failures, pairs_drawn = 1000000;

/* Calls KIND_TYPE of each library. `codes` has a letter for each output: s for the type itself, o for the
 * other one, b bool, i u f with the bytes behind: "1248". */
static void call(const char *kind, const Format *f, int input_count, const char *codes) {
    char name[64];
    void *arguments[2 + MOST_OUTPUTS];
    snprintf(name, sizeof name, "%s_%s_argv", kind, f->name);
    for (int k = 0; k < library_count; k++) {
        int count = 0;
        for (; count < input_count; count++)
            arguments[count] = &inputs[count].buffer;
        const char *code = codes;
        for (int i = 0; *code; i++) {
            halide_type_t type = *code == 's'   ? f->type
                                 : *code == 'o' ? FORMATS[f == FORMATS].type
                                                : (halide_type_t){halide_type_uint, 1, 1};
            if (strchr("iuf", *code)) {
                type.code = *code == 'i'   ? halide_type_int
                            : *code == 'u' ? halide_type_uint
                                           : halide_type_float;
                type.bits = (uint8_t)(8 * (*++code - '0'));
            }
            code++;
            make(&outputs[k][i], type, inputs[0].dimension.extent, NULL);
            arguments[count++] = &outputs[k][i].buffer;
        }
        int (*function)(void **) = (int (*)(void **))dlsym(libraries[k], name);
        if (!function || function(arguments) != 0) {
            printf("%s does not run\n", name);
            exit(1);
        }
    }
}

static void release(int input_count) {
    for (int i = 0; i < input_count; i++)
        free(inputs[i].buffer.host);
    for (int k = 0; k < library_count; k++)
        for (int i = 0; i < MOST_OUTPUTS; i++) {
            free(outputs[k][i].buffer.host);
            outputs[k][i] = (Buffer){0};
        }
}

static void differs(const Format *f, const char *what, int at, int library, int output,
                    uint64_t got, uint64_t wanted) {
    if (failures++ < 20)
        printf("%s, %s, library %d, output %d, element %d: %" PRIx64 ", not %" PRIx64 "\n", f->name,
               what, library, output, at, got, wanted);
}

/* A float of 16 bits. All NaNs are one value. */
static void check(const Format *f, const Format *of, const char *what, int at, int output,
                  uint16_t wanted) {
    for (int k = 0; k < library_count; k++) {
        uint16_t got = ((const uint16_t *)outputs[k][output].buffer.host)[at];
        if (got != wanted && !(isnan(meaning(of, got)) && isnan(meaning(of, wanted))))
            differs(f, what, at, k, output, got, wanted);
    }
}

static void check_bits(const Format *f, const char *what, int at, int output, uint64_t wanted) {
    int bits = outputs[0][output].buffer.type.bits;
    size_t size = bits == 1 ? 1 : (size_t)bits / 8;
    if (bits < 64 && bits > 1)
        wanted &= (UINT64_C(1) << bits) - 1;
    for (int k = 0; k < library_count; k++) {
        uint64_t got = 0;
        memcpy(&got, outputs[k][output].buffer.host + (size_t)at * size, size);
        if (got != wanted)
            differs(f, what, at, k, output, got, wanted);
    }
}

/* An f32 (output 0) and an f64 (output 1). */
static void check_wider(const Format *f, int at, double wanted) {
    float narrow = (float)wanted;
    for (int k = 0; k < library_count; k++) {
        float got;
        double wide;
        memcpy(&got, outputs[k][0].buffer.host + 4 * at, sizeof got);
        memcpy(&wide, outputs[k][1].buffer.host + 8 * at, sizeof wide);
        if (memcmp(&got, &narrow, sizeof got) != 0 && !(isnan(got) && isnan(wanted)))
            differs(f, "casts", at, k, 0, 0, 0);
        if (memcmp(&wide, &wanted, sizeof wide) != 0 && !(isnan(wide) && isnan(wanted)))
            differs(f, "casts", at, k, 1, 0, 0);
    }
}

/* ---- all values ---- */

static void unary(const Format *f) {
    uint16_t all[0x10000];
    const Format *other = &FORMATS[f == FORMATS];
    for (int i = 0; i < 0x10000; i++)
        all[i] = (uint16_t)i;
    make(&inputs[0], f->type, 0x10000, all);
    call("unary", f, 1, "sssssssobbbbu2");
    for (int i = 0; i < 0x10000; i++) {
        double x = meaning(f, all[i]);
        check(f, f, "unary", i, 0, nearest(f, sqrt(x)));
        check(f, f, "unary", i, 1, nearest(f, floor(x)));
        check(f, f, "unary", i, 2, nearest(f, ceil(x)));
        check(f, f, "unary", i, 3, nearest(f, trunc(x)));
        check(f, f, "unary", i, 4, nearest(f, rint(x)));
        check(f, f, "unary", i, 5, all[i] ^ 0x8000);
        check(f, f, "unary", i, 6, all[i] & 0x7fff);
        check(f, other, "unary", i, 7, nearest(other, x));
        check_bits(f, "unary", i, 8, isnan(x));
        check_bits(f, "unary", i, 9, isinf(x) != 0);
        check_bits(f, "unary", i, 10, isfinite(x) != 0);
        check_bits(f, "unary", i, 11, x != 0);
        check_bits(f, "unary", i, 12,
                   isnan(x)
                       ? ((2u * (unsigned)f->most + 1) << (f->digits - 1)) + (1u << (f->digits - 2))
                       : all[i]);
    }
    release(0);
    call("casts", f, 1, "f4f8i1u1i2u2i4u4i8u8");
    for (int i = 0; i < 0x10000; i++) {
        double x = meaning(f, all[i]);
        check_wider(f, i, x);
        for (int k = 0; k < 4; k++) {
            check_bits(f, "casts", i, 2 + 2 * k, (uint64_t)to_signed(x, 8 << k));
            check_bits(f, "casts", i, 3 + 2 * k, to_unsigned(x, 8 << k));
        }
    }
    release(1);
}

/* ---- pairs ---- */

static uint64_t state = 12345;
static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void binary(const Format *f) {
    uint16_t *pairs[2] = {calloc((size_t)pairs_drawn, 2), calloc((size_t)pairs_drawn, 2)};
    if (!pairs[0] || !pairs[1])
        exit(1);
    for (int i = 0; i < pairs_drawn; i++) {
        uint64_t word = draw();
        pairs[0][i] = (uint16_t)word;
        pairs[1][i] = (uint16_t)(word >> 63 ? word ^ (word >> 16 & 0x83ff) : word >> 16);
    }
    for (int k = 0; k < 2; k++)
        make(&inputs[k], f->type, pairs_drawn, pairs[k]);
    call("binary", f, 2, "sssssssss");
    for (int i = 0; i < pairs_drawn; i++) {
        uint16_t p = pairs[0][i], q = pairs[1][i];
        double a = meaning(f, p), b = meaning(f, q);
        uint16_t product = nearest(f, a * b);
        check(f, f, "binary", i, 0, nearest(f, a + b));
        check(f, f, "binary", i, 1, nearest(f, a - b));
        check(f, f, "binary", i, 2, product);
        check(f, f, "binary", i, 3, nearest(f, a / b));
        check(f, f, "binary", i, 4, nearest(f, fabs(a - b)));
        check(f, f, "binary", i, 5, b < a ? q : p);
        check(f, f, "binary", i, 6, a < b ? q : p);
        check(f, f, "binary", i, 7, a < b ? p : q);
        check(f, f, "binary", i, 8, nearest(f, meaning(f, product) + a)); /* not contracted */
    }
    release(0);
    call("orders", f, 2, "bbbbb");
    for (int i = 0; i < pairs_drawn; i++) {
        double a = meaning(f, pairs[0][i]), b = meaning(f, pairs[1][i]);
        check_bits(f, "orders", i, 0, a < b);
        check_bits(f, "orders", i, 1, a <= b);
        check_bits(f, "orders", i, 2, a == b);
        check_bits(f, "orders", i, 3, a != b);
        check_bits(f, "orders", i, 4, a < 1);
    }
    release(2);
    free(pairs[0]);
    free(pairs[1]);
}

/* ---- from wider types ---- */

/* Numbers halfway between two values, and their neighbours in f64, in f32 and among the integers. */
static int fill(const Format *f, double *floats, int64_t *wholes) {
    int count = 0;
    for (int bits = 0; bits < (2 * f->most + 1) << (f->digits - 1); bits++) {
        double low = meaning(f, (uint16_t)bits), high = meaning(f, (uint16_t)(bits + 1));
        double halfway = isinf(high) ? ldexp(2 - ldexp(1, -f->digits), f->most) : (low + high) / 2;
        for (int step = -1; step <= 1; step++)
            for (int sign = -1; sign <= 1; sign += 2, count++) {
                int wide = bits % 2;
                floats[count] = step == 0 ? halfway
                                : wide    ? nextafter(halfway, step * INFINITY)
                                       : (double)nextafterf((float)halfway, (float)step * INFINITY);
                floats[count] *= sign;
                bool is_whole = halfway >= 1 && halfway < 0x1p62;
                wholes[count] = sign * (is_whole ? (int64_t)halfway + step
                                                 : (int64_t)(draw() >> (draw() % 63 + 1)));
            }
    }
    for (int i = 0; i < 10000; i++, count++) {
        uint64_t word = draw();
        memcpy(&floats[count], &word, sizeof word);
        wholes[count] = (int64_t)(draw() >> draw() % 64);
    }
    return count;
}

static void from(const Format *f) {
    enum { MOST = 0x10000 * 3 + 10000 };
    double *floats = calloc(MOST, sizeof *floats);
    int64_t *wholes = calloc(MOST, sizeof *wholes);
    if (!floats || !wholes)
        exit(1);
    int count = fill(f, floats, wholes);
    make(&inputs[0], (halide_type_t){halide_type_float, 64, 1}, count, floats);
    make(&inputs[1], (halide_type_t){halide_type_int, 64, 1}, count, wholes);
    call("from", f, 2, "sssssssssss");
    for (int i = 0; i < count; i++) {
        int64_t n = wholes[i];
        check(f, f, "from", i, 0, nearest(f, floats[i]));
        check(f, f, "from", i, 1, nearest(f, (float)floats[i]));
        check(f, f, "from", i, 2, from_signed(f, n));
        check(f, f, "from", i, 3, nearest_whole(f, false, (uint64_t)n));
        check(f, f, "from", i, 4, from_signed(f, (int32_t)n));
        check(f, f, "from", i, 5, from_signed(f, (uint32_t)n));
        check(f, f, "from", i, 6, from_signed(f, (int16_t)n));
        check(f, f, "from", i, 7, from_signed(f, (uint16_t)n));
        check(f, f, "from", i, 8, from_signed(f, (int8_t)n));
        check(f, f, "from", i, 9, from_signed(f, (uint8_t)n));
        check(f, f, "from", i, 10, from_signed(f, n < 0));
    }
    release(2);
    free(floats);
    free(wholes);
}

int main(int argc, char **argv) {
    for (; library_count + 1 < argc && library_count < MOST_LIBRARIES; library_count++)
        if (!(libraries[library_count] = dlopen(argv[library_count + 1], RTLD_NOW | RTLD_LOCAL))) {
            printf("no library: %s\n", dlerror());
            return 1;
        }
    pairs_drawn /= share();
    for (int i = 0; i < 2; i++)
        for (int bits = 0; bits < 0x10000; bits++)
            meanings[i][bits] = define_meaning(&FORMATS[i], (uint16_t)bits);
    for (int i = 0; i < 2; i++) {
        unary(&FORMATS[i]);
        binary(&FORMATS[i]);
        from(&FORMATS[i]);
    }
    printf("%d libraries: %d results differ\n", library_count, failures);
    return failures != 0 || library_count == 0;
}

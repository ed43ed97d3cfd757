/* codegen_math.c -- the functions of SLEEF for vectors give the bits of the scalar ones, which are
 * the evaluator's: at edges and at random floats of all magnitudes, for every function, both types,
 * and numbers of lanes that are the library's own, split and padded. */
#include "compiled.h"
#include "tests/unit/share.h"

#include <math.h>

enum { RANDOM_POINTS = 20000 };

static const struct {
    Op op;
    const char *name;
} functions[] = {
#define FINZ(OP, NAME)                                                                             \
    {                                                                                              \
        OP_##OP                                                                                    \
        , #NAME                                                                                    \
    }                                                                                              \
    ,
#include "codegen/math.def"
#undef FINZ
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const double edges[] = {0.0,        1.0,         0.5,         2.0,
                               3.0,        0x1p-126,    0x1p-127,    0x1p-149,
                               0x1p-150,   0x1p-1022,   0x1p-1074,   0x1.8p-1040,
                               0x1p24,     0x1p31,      0x1p53,      0x1.fffffep127,
                               88.72283,   88.72284,    -103.97,     -87.33655,
                               709.782712, 709.782713,  -745.13,     -708.39,
                               127.5,      128.0,       -149.5,      1023.5,
                               1024.0,     -1074.5,     1.5707963,   3.1415927,
                               39000.0,    125.0,       0.999999999, 1.000000001,
                               0x1p-12,    1.79769e308, INFINITY,    NAN};
enum { EDGES = 2 * sizeof edges / sizeof *edges };

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

/* Any bits; every other number of ordinary size. */
static Bits random_float(Type type, uint64_t *state) {
    uint64_t word = next(state);
    if (word & 1)
        return bits_from_double(type, ((double)(int64_t)next(state) / 0x1p63) * 100.0);
    return bits_wrap(type.bits == 32 ? U32 : U64, (Bits)(word >> 1 ^ word << 40));
}

/* All pairs of edges, then the random points. */
static size_t fill_points(Type type, const Image *a, const Image *b) {
    uint64_t state = 0x9e3779b97f4a7c15;
    size_t count = 0;
    for (int i = 0; i < EDGES; i++)
        for (int k = 0; k < EDGES; k++, count++) {
            double x = edges[i / 2], y = edges[k / 2];
            put(a, (int64_t)count, 0, bits_from_double(type, i & 1 ? -x : x));
            put(b, (int64_t)count, 0, bits_from_double(type, k & 1 ? -y : y));
        }
    for (int i = 0; i < RANDOM_POINTS; i++, count++) {
        put(a, (int64_t)count, 0, random_float(type, &state));
        put(b, (int64_t)count, 0, random_float(type, &state));
    }
    return count;
}

static Compiled compile_all(Type type, int width) {
    const char *name = type_name(type);
    char text[16384], *to = text;
    to += sprintf(to, "pipeline p(a: image<%s, 1>, b: image<%s, 1>) -> (", name, name);
    for (int f = 0; f < FUNCTIONS; f++)
        to += sprintf(to, "%so%d", f ? ", " : "", f);
    to += sprintf(to, ")\n");
    for (int f = 0; f < FUNCTIONS; f++)
        to += sprintf(to, "  func o%d(x): %s\n", f, name);
    for (int f = 0; f < FUNCTIONS; f++) {
        bool is_binary = op_info(functions[f].op)->arity == 2;
        to += sprintf(to,
                      "  allocate o%d: %s [(0, o%d.extent.0)]\n"
                      "  compute o%d on [(0, o%d.extent.0)]\n"
                      "    for o%d.s0.xo in (0, o%d.extent.0/%d) do\n"
                      "      for o%d.s0.xi in (0, %d) vectorized do\n"
                      "        let o%d.s0.x = o%d.s0.xo*%d + o%d.s0.xi in\n"
                      "          o%d[o%d.s0.x] <- %s(a[o%d.s0.x]%s",
                      f, name, f, f, f, f, f, width, f, width, f, f, width, f, f, f,
                      functions[f].name, f, is_binary ? "" : ")\n");
        if (is_binary)
            to += sprintf(to, ", b[o%d.s0.x])\n", f);
    }
    return compile(text, 1);
}

static void compare(int function, Type type, int width, const Image *a, const Image *b,
                    const Image *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int64_t x = (int64_t)i;
        Bits arguments[] = {at(a, x, 0), at(b, x, 0)}, got = at(out, x, 0);
        Bits wanted =
            value_apply(functions[function].op, type, (Type[]){type, type}, arguments, NULL).bits;
        ck_assert_msg(bits_same(type, got, wanted), "%s of %s, %d lanes, at %a, %a: %a, not %a",
                      functions[function].name, type_name(type), width,
                      bits_to_double(type, arguments[0]), bits_to_double(type, arguments[1]),
                      bits_to_double(type, got), bits_to_double(type, wanted));
    }
}

static const int widths[] = {2, 3, 4, 8, 13, 16, 20};
enum { WIDTHS = sizeof widths / sizeof *widths, MOST = EDGES * EDGES + RANDOM_POINTS };

START_TEST(vector_functions_give_the_scalar_bits) {
    Type type = _i & 1 ? F64 : F32;
    int width = widths[_i / 2];
    Image images[] = {line(type, 0, MOST), line(type, 0, MOST)}, outputs[FUNCTIONS];
    size_t count = fill_points(type, &images[0], &images[1]) / (size_t)width * (size_t)width;
    for (int f = 0; f < FUNCTIONS; f++)
        outputs[f] = line(type, 0, (int64_t)count);
    Compiled c = compile_all(type, width);
    succeed(&c, &(Arguments){NULL, images, outputs});
    for (int f = 0; f < FUNCTIONS; f++) {
        compare(f, type, width, &images[0], &images[1], &outputs[f], count);
        guarded_free(&outputs[f]);
    }
    guarded_free(&images[0]), guarded_free(&images[1]);
    discard(&c);
}
END_TEST

/* The widest function that is filled is called, then the narrowest that holds the rest. */
START_TEST(vectors_are_split_and_padded) {
    static const char text[] = "pipeline p(a: image<f32, 1>) -> (o)\n"
                               "  func o(x): f32\n"
                               "  allocate o: f32 [(0, 21)]\n"
                               "  compute o on [(0, 21)]\n"
                               "    for o.s0.x in (0, 21) vectorized do\n"
                               "      o[o.s0.x] <- sin(a[o.s0.x])\n";
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    Object object;
    CodegenOptions options = {.optimize = 1, .emit = "ll"};
    ck_assert(codegen_object(read_text(context, arena, text), arena, &options, &object));
    const char *code = (const char *)object.bytes;
#if defined(__x86_64__)
    bool is_wide = __builtin_cpu_supports("avx512f"), has_avx2 = __builtin_cpu_supports("avx2");
    ck_assert(!is_wide || strstr(code, "call <16 x float> @Sleef_finz_sinf16_u10avx512f"));
    ck_assert(!has_avx2 || strstr(code, "call <8 x float> @Sleef_finz_sinf8_u10avx2"));
    ck_assert(!has_avx2 || !strstr(code, "call float"));
#elif defined(__aarch64__)
    ck_assert(strstr(code, "call <4 x float> @Sleef_finz_sinf4_u10advsimd"));
    ck_assert(!strstr(code, "call float"));
#endif
    arena_destroy(arena);
    context_destroy(context);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("math");
    for (int i = 0; i < 2 * WIDTHS; i++)
        if ((i + i / 2) % share() == 0)
            tcase_add_loop_test(cases, vector_functions_give_the_scalar_bits, i, i + 1);
    tcase_add_test(cases, vectors_are_split_and_padded);
    return run_suite("codegen_math", cases);
}

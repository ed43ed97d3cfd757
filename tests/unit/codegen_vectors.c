/* codegen_vectors.c -- vectorized and unrolled loops: each form of access, masks, predicates, tails
 * of every length, nests.  Every buffer lies between two pages that may not be touched, at the end
 * of the one or at the beginning of the other, and holds exactly the elements that the program
 * needs: a lane that reads or writes beyond them kills the test. */
#include "fence.h"
#include "share.h"

/* ---- loads and stores of every form ---- */

/* `text` is an index with X for the variable, `map` what it means on the window [low, low + n). */
typedef struct Form {
    const char *text;
    int64_t (*map)(int64_t x, int64_t low, int64_t n);
} Form;

static int64_t same(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, x;
}
static int64_t shifted(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, x + 3;
}
static int64_t fixed(int64_t x, int64_t low, int64_t n) {
    return (void)x, (void)low, (void)n, 4;
}
static int64_t reversed(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 5 - x;
}
static int64_t twice(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 2 * x + 1;
}
static int64_t thrice(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 3 * x;
}
static int64_t fourfold(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 4 * x - 2;
}
static int64_t fivefold(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 5 * x;
}
static int64_t twice_back(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 7 - 2 * x;
}
static int64_t thrice_back(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, 7 - 3 * x;
}
static int64_t clamped(int64_t x, int64_t low, int64_t n) {
    int64_t high = low + n - 4, moved = x - 3;
    moved = moved < high ? moved : high;
    return moved > low ? moved : low;
}
static int64_t clamped_back(int64_t x, int64_t low, int64_t n) {
    return -clamped(x, low, n);
}
static int64_t clamped_twice(int64_t x, int64_t low, int64_t n) {
    int64_t high = low + 2 * n - 9, moved = 2 * x - low - 5;
    moved = moved < high ? moved : high;
    return moved > low ? moved : low;
}
static int64_t halved(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, x >> 1;
}
static int64_t halved_pairs(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, (x >> 1) - 1 + 2 * (x & 1);
}
static int64_t third(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, (2 * x + 301) / 3 - 100;
}
static int64_t three_halves(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, (3 * x) >> 1;
}
static int64_t tiled(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, x & 3;
}
static int64_t tiled_back(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, -((x + 30) % 3);
}
static int64_t halved_back(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, (7 - x) >> 1;
}
static int64_t clamped_halves(int64_t x, int64_t low, int64_t n) {
    int64_t half = (x >> 1) + 1, high = low + n / 2 - 2;
    half = half < high ? half : high;
    return half > low ? half : low;
}
static int64_t clamped_halves_back(int64_t x, int64_t low, int64_t n) {
    return 5 - clamped_halves(x, low, n) * 2;
}
static int64_t far_apart(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, (x >> 3) + 2 * (x & 7);
}
static int64_t wrapped(int64_t x, int64_t low, int64_t n) {
    return (void)low, (void)n, ((x * 5) % 11 + 11) % 11;
}

static const Form loads[] = {
    {"X", same},
    {"X + 3", shifted},
    {"4", fixed},
    {"5 - X", reversed},
    {"X*2 + 1", twice},
    {"X*3", thrice},
    {"X*4 - 2", fourfold},
    {"X*5", fivefold},
    {"7 - X*2", twice_back},
    {"7 - X*3", thrice_back},
    {"max(min(X - 3, out.min.0 + out.extent.0 - 4), out.min.0)", clamped},
    {"-max(min(X - 3, out.min.0 + out.extent.0 - 4), out.min.0)", clamped_back},
    {"max(min(X*2 - out.min.0 - 5, out.min.0 + out.extent.0*2 - 9), out.min.0)", clamped_twice},
    {"X/2", halved},
    {"X/2 - 1 + (X % 2)*2", halved_pairs},
    {"(X*2 + 301)/3 - 100", third},
    {"X*3/2", three_halves},
    {"X % 4", tiled},
    {"-((X + 30) % 3)", tiled_back},
    {"(7 - X)/2", halved_back},
    {"max(min(X/2 + 1, out.min.0 + out.extent.0/2 - 2), out.min.0)", clamped_halves},
    {"5 - max(min(X/2 + 1, out.min.0 + out.extent.0/2 - 2), out.min.0)*2", clamped_halves_back},
    {"X/8 + (X % 8)*2", far_apart},
    {"(X*5) % 11", wrapped},
};

static Compiled compile_load(const Form *form, Type type, int width, int optimize) {
    char index[256], text[2048];
    const char *name = type_name(type);
    spell(index, form->text);
    snprintf(text, sizeof text,
             "pipeline p(input: image<%s, 1>) -> (out)\n"
             "  func out(x): %s\n"
             "  allocate out: %s [(out.min.0, out.extent.0)]\n"
             "  compute out on [(out.min.0, out.extent.0)]\n"
             "    for out.s0.xo in (0, (out.extent.0 + %d)/%d) do\n"
             "      for out.s0.xi in (0, %d) vectorized do\n"
             "        let out.s0.x in (out.min.0, out.extent.0) = out.min.0 + out.s0.xo*%d + "
             "out.s0.xi in\n"
             "          if out.s0.x < out.min.0 + out.extent.0 then guard\n"
             "            out[out.s0.x] <- input[%s]\n",
             name, name, name, width - 1, width, width, width, index);
    return compile(text, optimize);
}

static void check_load(const Compiled *c, const Form *form, Type type, int64_t low, int64_t n,
                       bool at_end) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t x = low; x < low + n; x++) {
        int64_t index = form->map(x, low, n);
        least = index < least ? index : least;
        most = index > most ? index : most;
    }
    if (n == 0)
        least = most = 0;
    Fence input = fence(type, least, most - least + 1, at_end), out = fence(type, low, n, at_end);
    fill(&input);
    succeed(c, &(Arguments){NULL, &input.image, &out.image});
    for (int64_t x = low; x < low + n; x++)
        ck_assert_msg(at(&out.image, x, 0) == sample(type, form->map(x, low, n)),
                      "input[%s] of %s, window %lld+%lld, at %lld", form->text, type_name(type),
                      (long long)low, (long long)n, (long long)x);
    release(&input), release(&out);
}

static const int widths[] = {2, 5, 8, 16, 32, 67};
enum { FORMS = sizeof loads / sizeof *loads, WIDTHS = sizeof widths / sizeof *widths };

START_TEST(loads_of_every_form) {
    const Type types[] = {U8, I32, BOOL, F64, I16};
    const Form *form = &loads[_i];
    for (int w = _i % share(); w < WIDTHS; w += share()) {
        Type type = types[(w + _i) % 5];
        Compiled c = compile_load(form, type, widths[w], (w + _i) % 4);
        for (int64_t n = 0; n <= 2 * widths[w]; n++)
            for (int at_end = 0; at_end < 2; at_end++)
                check_load(&c, form, type, n % 3 - 1, n, at_end);
        discard(&c);
    }
}
END_TEST

/* Stores: even, backwards, spread out, permuted; what lies between is not written. */
static int64_t store_spread(int64_t x, int64_t n) {
    return (void)n, x * 2;
}
static int64_t store_far(int64_t x, int64_t n) {
    return (void)n, x * 6;
}
static int64_t store_back(int64_t x, int64_t n) {
    return n - 1 - x;
}
static int64_t store_permuted(int64_t x, int64_t n) {
    return x * 10007 % n;
}

static const struct {
    const char *text;
    int64_t (*map)(int64_t x, int64_t n);
    int spread;
} stores[] = {{"X*2", store_spread, 2},
              {"X*6", store_far, 6},
              {"index(n) - 1 - X", store_back, 1},
              {"(X*10007) % index(n)", store_permuted, 1}};
enum { STORES = sizeof stores / sizeof *stores };

START_TEST(stores_of_every_form) {
    const Type types[] = {I32, U8, F64, BOOL};
    for (int w = _i % share(); w < WIDTHS; w += share()) {
        char index[256], text[2048];
        Type type = types[(w + _i) % 4];
        const char *name = type_name(type);
        spell(index, stores[_i].text);
        snprintf(text, sizeof text,
                 "pipeline p(input: image<%s, 1>, n: i32) -> (out)\n"
                 "  func out(x): %s\n"
                 "  allocate out: %s [(out.min.0, out.extent.0)]\n"
                 "  compute out on [(out.min.0, out.extent.0)]\n"
                 "    for out.s0.xo in (0, (index(n) + %d)/%d) do\n"
                 "      for out.s0.xi in (0, %d) vectorized do\n"
                 "        let out.s0.x in (0, index(n)) = out.s0.xo*%d + out.s0.xi in\n"
                 "          if out.s0.x < index(n) then guard\n"
                 "            out[%s] <- input[out.s0.x]\n",
                 name, name, name, widths[w] - 1, widths[w], widths[w], widths[w], index);
        Compiled c = compile(text, (w + _i) % 4);
        for (int64_t n = 1; n <= 2 * widths[w]; n++) {
            Fence input = fence(type, 0, n, n & 1);
            Fence out = fence(type, 0, (n - 1) * stores[_i].spread + 1, n & 1);
            fill(&input);
            memset(out.image.data, 1, (size_t)(out.image.extent[0] * type_bytes(type)));
            Bits untouched = at(&out.image, 0, 0);
            succeed(&c, &(Arguments){&n, &input.image, &out.image});
            for (int64_t x = 0; x < n; x++)
                ck_assert_int_eq(at(&out.image, stores[_i].map(x, n), 0), sample(type, x));
            for (int64_t k = 0; k < out.image.extent[0]; k++)
                if (k % stores[_i].spread)
                    ck_assert_int_eq(at(&out.image, k, 0), untouched);
            release(&input), release(&out);
        }
        discard(&c);
    }
}
END_TEST

/* ---- predicates ---- */

/* Lanes that do not run read nothing: `table` has no element for them, and `pick` no more than n.
 */
START_TEST(lanes_that_do_not_run_touch_nothing) {
    for (int w = _i % share(); w < WIDTHS; w += share()) {
        char text[2048];
        snprintf(text, sizeof text,
                 "pipeline p(pick: image<u8, 1>, table: image<i32, 1>, on: bool) -> (out)\n"
                 "  func out(x): i32\n"
                 "  allocate out: i32 [(0, out.extent.0)]\n"
                 "  compute out on [(0, out.extent.0)]\n"
                 "    for out.s0.xo in (0, (out.extent.0 + %d)/%d) do\n"
                 "      for out.s0.xi in (0, %d) vectorized do\n"
                 "        let out.s0.x in (0, out.extent.0) = out.s0.xo*%d + out.s0.xi in\n"
                 "          if out.s0.x < out.extent.0 then guard\n"
                 "            out[out.s0.x] <- -1:i32\n"
                 "            if pick[out.s0.x] < 60:u8 then predicate\n"
                 "              if on then\n"
                 "                out[out.s0.x] <- table[index(pick[out.s0.x])] + table[59]\n"
                 "              else\n"
                 "                if pick[out.s0.x] < 30:u8 then\n"
                 "                  out[out.s0.x] <- table[index(pick[out.s0.x])*2]\n"
                 "                else\n"
                 "                  out[out.s0.x] <- table[index(pick[out.s0.x]) - 30]\n",
                 widths[w] - 1, widths[w], widths[w], widths[w]);
        Compiled c = compile(text, (w + _i) % 4);
        for (int64_t n = 1; n <= 2 * widths[w]; n++) {
            Fence images[] = {fence(U8, 0, n, true), fence(I32, 0, 60, n & 1)};
            Fence out = fence(I32, 0, n, true);
            fill(&images[0]), fill(&images[1]);
            Image inputs[] = {images[0].image, images[1].image};
            Bits on = n & 1;
            succeed(&c, &(Arguments){&on, inputs, &out.image});
            for (int64_t x = 0; x < n; x++) {
                int64_t k = sample(U8, x);
                Bits wanted = k >= 60  ? -1
                              : on     ? sample(I32, k) + sample(I32, 59)
                              : k < 30 ? sample(I32, 2 * k)
                                       : sample(I32, k - 30);
                ck_assert_int_eq(at(&out.image, x, 0), wanted);
            }
            release(&images[0]), release(&images[1]), release(&out);
        }
        discard(&c);
    }
}
END_TEST

/* ---- nests ---- */

/* A reduction inside a vectorized loop, the guard inside the reduction, a tuple of two types. */
START_TEST(reductions_inside) {
    for (int w = _i % share(); w < WIDTHS; w += share()) {
        char text[2048];
        snprintf(text, sizeof text,
                 "pipeline p(input: image<u8, 1>, k: i32) -> (out)\n"
                 "  func out(x): {i32, f32}\n"
                 "  allocate out: {i32, f32} [(out.min.0, out.extent.0)]\n"
                 "  compute out on [(out.min.0, out.extent.0)]\n"
                 "    for out.s0.x in (out.min.0, out.extent.0) do\n"
                 "      out[out.s0.x] <- {i32(out.s0.x), 0.0:f32}\n"
                 "    for out.s1.xo in (0, (out.extent.0 + %d)/%d) do\n"
                 "      for out.s1.xi in (0, %d) vectorized do\n"
                 "        for out.s1.r in (0, index(k)) reduction do\n"
                 "          let out.s1.x in (out.min.0, out.extent.0) = out.min.0 + out.s1.xo*%d + "
                 "out.s1.xi in\n"
                 "            if out.s1.x < out.min.0 + out.extent.0 then guard\n"
                 "              out[out.s1.x] <- {out[out.s1.x] + "
                 "i32(input[out.s1.x + out.s1.r])*i32(out.s1.r), out[out.s1.x].1 + "
                 "f32(out[out.s1.x])} stage 1\n",
                 widths[w] - 1, widths[w], widths[w], widths[w]);
        Compiled c = compile(text, (w + _i) % 4);
        for (int64_t n = 1; n <= 2 * widths[w]; n++) {
            Bits k = n % 5;
            Fence input = fence(U8, -2, k ? n + k - 1 : n, true);
            Fence sums[] = {fence(I32, -2, n, true), fence(F32, -2, n, false)};
            fill(&input);
            Image outputs[] = {sums[0].image, sums[1].image};
            succeed(&c, &(Arguments){&k, &input.image, outputs});
            for (int64_t x = -2; x < n - 2; x++) {
                int64_t sum = x;
                double other = 0;
                for (int64_t r = 0; r < k; r++)
                    other += (double)sum, sum += sample(U8, x + r) * r;
                ck_assert_int_eq(at(&outputs[0], x, 0), sum);
                ck_assert(bits_to_double(F32, at(&outputs[1], x, 0)) == other);
            }
            release(&input), release(&sums[0]), release(&sums[1]);
        }
        discard(&c);
    }
}
END_TEST

/* A clamped index that moves with the reduction, in a nest of two; lanes that vary in the
 * predicate. */
START_TEST(clamped_reads_in_reductions) {
    for (int w = _i % share(); w < WIDTHS; w += share()) {
        char text[2048];
        snprintf(text, sizeof text,
                 "pipeline p(input: image<u8, 1>) -> (out)\n"
                 "  func out(x): i32\n"
                 "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
                 "  compute out on [(out.min.0, out.extent.0)]\n"
                 "    for out.s0.x in (out.min.0, out.extent.0) do\n"
                 "      out[out.s0.x] <- 0:i32\n"
                 "    for out.s1.xo in (0, (out.extent.0 + %d)/%d) do\n"
                 "      for out.s1.xi in (0, %d) vectorized do\n"
                 "        for out.s1.q in (-3, 3) reduction do\n"
                 "          for out.s1.r in (-2, 5) reduction do\n"
                 "            let out.s1.x in (out.min.0, out.extent.0) = out.min.0 + "
                 "out.s1.xo*%d + out.s1.xi in\n"
                 "              if out.s1.x < out.min.0 + out.extent.0 then guard\n"
                 "                if out.s1.x != out.min.0 + out.s1.r then predicate\n"
                 "                  out[out.s1.x] <- out[out.s1.x]*3:i32 + i32(input[max(min("
                 "out.s1.x + out.s1.r*2 + out.s1.q, input.min.0 + input.extent.0 - 1), "
                 "input.min.0)]) stage 1\n",
                 widths[w] - 1, widths[w], widths[w], widths[w]);
        Compiled c = compile(text, (w + _i) % 4);
        for (int64_t n = 1; n <= 2 * widths[w] + 3; n++) {
            Fence input = fence(U8, 4, n, true), out = fence(I32, 4, n, n & 1);
            fill(&input);
            succeed(&c, &(Arguments){NULL, &input.image, &out.image});
            for (int64_t x = 4; x < n + 4; x++) {
                uint32_t sum = 0;
                for (int64_t q = -3; q < 0; q++)
                    for (int64_t r = -2; r < 3; r++) {
                        int64_t k = x + 2 * r + q;
                        k = k > n + 3 ? n + 3 : k < 4 ? 4 : k;
                        if (x != 4 + r)
                            sum = sum * 3 + (uint32_t)sample(U8, k);
                    }
                ck_assert_int_eq(at(&out.image, x, 0), (int32_t)sum);
            }
            release(&input), release(&out);
        }
        discard(&c);
    }
}
END_TEST

/* The stride of dimension 0 is known at run time only, and may be negative. */
START_TEST(strides_of_run_time) {
    Compiled c = compile("pipeline p(input: image<i16, 2, strided>) -> (out)\n"
                         "  func out(x, y): i16\n"
                         "  allocate out: i16 [(0, 16), (0, 3)]\n"
                         "  compute out on [(0, 16), (0, 3)]\n"
                         "    for out.s0.y in (0, 3) unrolled do\n"
                         "      for out.s0.x in (0, 16) vectorized do\n"
                         "        out[out.s0.x, out.s0.y] <- input[out.s0.x, out.s0.y] + "
                         "input[out.s0.y, out.s0.x]\n",
                         _i);
    static const int64_t strides[][2] = {{1, 16}, {16, 1}, {-1, 16}, {2, 32}, {-3, 48}};
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        int64_t dx = strides[s][0], dy = strides[s][1], low = dx < 0 ? 15 * -dx : 0;
        Fence input = fence(I16, 0, 15 * llabs(dx) + 15 * dy + 1, true);
        fill(&input);
        Image view = {I16, 2, {0, 0}, {16, 16}, {dx, dy}, .data = input.image.data + 2 * low};
        Image out = dense(I16, 2, (int64_t[]){0, 0}, (int64_t[]){16, 3});
        succeed(&c, &(Arguments){NULL, &view, &out});
        for (int64_t y = 0; y < 3; y++)
            for (int64_t x = 0; x < 16; x++)
                ck_assert_int_eq(at(&out, x, y), sample(I16, low + x * dx + y * dy) +
                                                     sample(I16, low + y * dx + x * dy));
        guarded_free(&out), release(&input);
    }
    discard(&c);
}
END_TEST

/* Unrolled nests, of which the outermost is too long for that, with an allocation in each
 * iteration. */
START_TEST(unrolled_loops) {
    Compiled c =
        compile("pipeline p(n: i32) -> (out)\n"
                "  func f(x): i32\n"
                "  func out(x, y, z): i32\n"
                "  allocate out: i32 [(0, 8), (0, 8), (0, 100)]\n"
                "  compute out on [(0, 8), (0, 8), (0, 100)]\n"
                "    for out.s0.z in (0, 100) unrolled do\n"
                "      for out.s0.y in (0, 8) unrolled do\n"
                "        allocate f: i32 [(out.s0.y, 8)]\n"
                "        compute f on [(out.s0.y, 8)]\n"
                "          for f.s0.x in (out.s0.y, 8) vectorized do\n"
                "            f[f.s0.x] <- i32(f.s0.x)*n\n"
                "        for out.s0.xo in (0, 4) parallel do\n"
                "          for out.s0.xi in (0, 2) unrolled do\n"
                "            let out.s0.x in (0, 8) = out.s0.xo*2 + out.s0.xi in\n"
                "              out[out.s0.x, out.s0.y, out.s0.z] <- f[out.s0.x + out.s0.y] + "
                "i32(out.s0.z)\n",
                _i);
    Image out = dense(I32, 3, (int64_t[]){0, 0, 0}, (int64_t[]){8, 8, 100});
    succeed(&c, &(Arguments){(Bits[]){7}, NULL, &out});
    for (int64_t z = 0; z < 100; z++)
        for (int64_t y = 0; y < 8; y++)
            for (int64_t x = 0; x < 8; x++)
                ck_assert_int_eq(bits_load(I32, image_at(&out, (int64_t[]){x, y, z, 0})),
                                 (x + y) * 7 + z);
    guarded_free(&out), discard(&c);
}
END_TEST

/* What the compiled program is: vectors where it can be, no loop where it is unrolled. */
static bool says(const char *text, const char *word) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    Object object;
    CodegenOptions options = {.optimize = 0, .emit = "ll"};
    ck_assert(codegen_object(read_text(context, arena, text), arena, &options, &object));
    bool found = strstr((const char *)object.bytes, word);
    arena_destroy(arena);
    context_destroy(context);
    return found;
}

START_TEST(the_code_is_of_vectors) {
    static const char plain[] = "pipeline p(input: image<i32, 1>) -> (out)\n"
                                "  func out(x): i32\n"
                                "  allocate out: i32 [(0, 8)]\n"
                                "  compute out on [(0, 8)]\n"
                                "    for out.s0.x in (0, 8) %s do\n"
                                "      out[out.s0.x] <- input[out.s0.x] + 1:i32\n";
    char text[512];
    snprintf(text, sizeof text, plain, "vectorized");
    ck_assert(says(text, "add <8 x i32>"));
    ck_assert(!says(text, "phi i64"));
    snprintf(text, sizeof text, plain, "unrolled");
    ck_assert(!says(text, "<8 x i32>"));
    ck_assert(!says(text, "phi i64"));
    snprintf(text, sizeof text, plain, "parallel");
    ck_assert(says(text, "phi i64"));
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("vectors");
    tcase_set_timeout(cases, 0);
    tcase_add_loop_test(cases, loads_of_every_form, 0, FORMS);
    tcase_add_loop_test(cases, stores_of_every_form, 0, STORES);
    tcase_add_loop_test(cases, lanes_that_do_not_run_touch_nothing, 0, 4);
    tcase_add_loop_test(cases, reductions_inside, 0, 4);
    tcase_add_loop_test(cases, clamped_reads_in_reductions, 0, 4);
    tcase_add_loop_test(cases, strides_of_run_time, 0, 4);
    tcase_add_loop_test(cases, unrolled_loops, 0, 4);
    tcase_add_test(cases, the_code_is_of_vectors);
    return run_suite("codegen_vectors", cases);
}

/* codegen_interleave.c -- accesses to elements that lie a little apart, in vectorized loops: every
 * mixture of loads and stores, whole groups and groups with gaps, tails, masks, both directions,
 * groups that later statements read or overwrite.  Compared with a plain loop; all buffers hold
 * exactly what the loop touches, between forbidden pages. */
#include "fence.h"
#include "share.h"
#include "suite.h"

/* The body of the loop over x in 0..n-1, in the text form with X for x, and in C.  `in` and `out`
 * have so many elements for each x, and `in` lacks the last `spare` of them. */
typedef struct Form {
    const char *body;
    void (*run)(int64_t x, int64_t n, const int64_t *in, int64_t *out);
    int in, spare, out;
    bool has_sums; /* not for bools */
} Form;

#define RUN(NAME)                                                                                  \
    static void NAME(int64_t x, int64_t n, const int64_t *in, int64_t *out) {                      \
        (void)n, (void)in, (void)out, (void)x;
#define END }

RUN(swap_pair)
out[2 * x] = in[2 * x + 1], out[2 * x + 1] = in[2 * x];
END RUN(pixels_of_three) for (int c = 0; c < 3;
                              c++) out[3 * x + c] = in[3 * x + c] + in[3 * x + 2 - c];
END RUN(pixels_of_four) for (int c = 0; c < 4; c++) out[4 * x + c] = in[4 * x + 3 - c];
END RUN(planes) out[x] = in[3 * x] + in[3 * x + 1] + in[3 * x + 2] + in[3 * x + 1];
END RUN(ends_of_three) out[x] = in[3 * x] + in[3 * x + 2];
END RUN(first_of_four) out[4 * x] = in[4 * x + 1];
END RUN(gaps) out[4 * x + 3] = in[2 * x], out[4 * x + 1] = in[2 * x + 1];
END RUN(overwritten) out[2 * x] = in[x], out[2 * x + 1] = in[x],
                             out[2 * x] = out[2 * x + 1] + out[2 * x];
out[2 * x + 1] = out[2 * x] + in[x];
END RUN(chain) out[3 * x] = in[x] + out[3 * x + 1];
out[3 * x + 1] = out[3 * x] + out[3 * x + 2];
out[3 * x + 2] = out[3 * x] + out[3 * x + 1];
END RUN(backward)
int64_t k = 2 * (n - 1 - x);
out[k + 1] = in[2 * x], out[k] = in[2 * x + 1];
END RUN(chosen) if (in[2 * x] < 40) out[2 * x] = in[2 * x + 1], out[2 * x + 1] = in[2 * x];
else if (in[2 * x + 1] < 80) out[2 * x + 1] = in[2 * x + 1];
END RUN(chosen_backward)
int64_t k = 3 * (n - 1 - x);
if (in[k + 1] < 64) {
    out[k + 2] = in[k], out[k] = in[k + 2];
    out[k + 1] = out[k] + out[k + 2];
}
END RUN(exchanged)
int64_t old = out[2 * x];
out[2 * x] = out[2 * x + 1] + in[x], out[2 * x + 1] = old;
out[2 * x + 1] = out[2 * x + 1] + out[2 * x];
out[2 * x] = out[2 * x] + in[x];
END RUN(two_rows) out[4 * x] = in[2 * x], out[4 * x + 2] = in[2 * x + 1],
                          out[4 * x + 1] = in[2 * x];
out[4 * x + 3] = out[4 * x] + out[4 * x + 2];
END RUN(summed) out[2 * x] = 0, out[2 * x + 1] = 1;
for (int r = 0; r < 3; r++)
    for (int c = 0; c < 2; c++)
        out[2 * x + c] = out[2 * x + c] + in[6 * x + 2 * r + c];
END

    static const Form forms[] = {
        {"out[X*2] <- in[X*2 + 1]\n"
         "out[X*2 + 1] <- in[X*2]\n",
         swap_pair, 2, 0, 2, false},
        {"for out.s0.c in (0, 3) unrolled do\n"
         "  out[X*3 + out.s0.c] <- in[X*3 + out.s0.c] + in[X*3 + 2 - out.s0.c]\n",
         pixels_of_three, 3, 0, 3, true},
        {"for out.s0.c in (0, 4) unrolled do\n"
         "  let out.s0.k = 3 - out.s0.c in\n"
         "    out[out.s0.c + X*4] <- in[X*4 + out.s0.k]\n",
         pixels_of_four, 4, 0, 4, false},
        {"out[X] <- in[X*3] + in[X*3 + 1] + in[X*3 + 2] + in[X*3 + 1]\n", planes, 3, 0, 1, true},
        {"out[X] <- in[X*3 + 2] + in[X*3]\n", ends_of_three, 3, 0, 1, true},
        {"out[X*4] <- in[X*4 + 1]\n", first_of_four, 4, 2, 4, false},
        {"out[X*4 + 3] <- in[X*2]\n"
         "out[X*4 + 1] <- in[X*2 + 1]\n",
         gaps, 2, 0, 4, false},
        {"out[X*2] <- in[X]\n"
         "out[X*2 + 1] <- in[X]\n"
         "out[X*2] <- out[X*2 + 1] + out[X*2]\n"
         "out[X*2 + 1] <- out[X*2] + in[X]\n",
         overwritten, 1, 0, 2, true},
        {"out[X*3] <- in[X] + out[X*3 + 1]\n"
         "out[X*3 + 1] <- out[X*3] + out[X*3 + 2]\n"
         "out[X*3 + 2] <- out[X*3] + out[X*3 + 1]\n",
         chain, 1, 0, 3, true},
        {"out[(index(n) - 1 - X)*2 + 1] <- in[X*2]\n"
         "out[(index(n) - 1 - X)*2] <- in[X*2 + 1]\n",
         backward, 2, 0, 2, false},
        {"if in[X*2] < T(40) then predicate\n"
         "  out[X*2] <- in[X*2 + 1]\n"
         "  out[X*2 + 1] <- in[X*2]\n"
         "else\n"
         "  if in[X*2 + 1] < T(80) then predicate\n"
         "    out[X*2 + 1] <- in[X*2 + 1]\n",
         chosen, 2, 0, 2, true},
        {"let out.s0.k = (index(n) - 1 - X)*3 in\n"
         "  if in[out.s0.k + 1] < T(64) then predicate\n"
         "    out[out.s0.k + 2] <- in[out.s0.k]\n"
         "    out[out.s0.k] <- in[out.s0.k + 2]\n"
         "    out[out.s0.k + 1] <- out[out.s0.k] + out[out.s0.k + 2]\n",
         chosen_backward, 3, 0, 3, true},
        {"let out.s0.old = out[X*2] in\n"
         "  out[X*2] <- out[X*2 + 1] + in[X]\n"
         "  out[X*2 + 1] <- out.s0.old\n"
         "  out[X*2 + 1] <- out[X*2 + 1] + out[X*2]\n"
         "  out[X*2] <- out[X*2] + in[X]\n",
         exchanged, 1, 0, 2, true},
        {"out[X*4] <- in[X*2]\n"
         "out[X*4 + 2] <- in[X*2 + 1]\n"
         "out[X*4 + 1] <- in[max(min(X, index(n) + 3), 0)*2]\n"
         "out[X*4 + 3] <- out[X*4] + out[X*4 + 2]\n",
         two_rows, 2, 0, 4, true},
        {"out[X*2] <- T(0)\n"
         "out[X*2 + 1] <- T(1)\n"
         "for out.s0.r in (0, 3) reduction do\n"
         "  for out.s0.c in (0, 2) unrolled do\n"
         "    out[X*2 + out.s0.c] <- out[X*2 + out.s0.c] + in[X*6 + out.s0.r*2 + out.s0.c]\n",
         summed, 6, 0, 2, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* The body's lines further in, with names for X, and constants of the type for T(..). */
static void write_body(char *to, const char *body, const char *type) {
    for (bool is_new = true; *body; body++) {
        if (is_new)
            to += sprintf(to, "            ");
        is_new = *body == '\n';
        if (*body == 'X')
            to += sprintf(to, "out.s0.x");
        else if (*body == 'T')
            to += sprintf(to, "%s", type);
        else
            *to++ = *body;
    }
    *to = '\0';
}

static Compiled compile_form(const Form *form, Type type, int width, int optimize) {
    char body[2048], text[4096];
    const char *name = type_name(type);
    write_body(body, form->body, name);
    snprintf(text, sizeof text,
             "pipeline p(in: image<%s, 1>, n: i32) -> (out)\n"
             "  func out(x): %s\n"
             "  allocate out: %s [(out.min.0, out.extent.0)]\n"
             "  compute out on [(out.min.0, out.extent.0)]\n"
             "    for out.s0.xo in (0, (index(n) + %d)/%d) do\n"
             "      for out.s0.xi in (0, %d) vectorized do\n"
             "        let out.s0.x in (0, index(n)) = out.s0.xo*%d + out.s0.xi in\n"
             "          if out.s0.x < index(n) then guard\n%s",
             name, name, name, width - 1, width, width, width, body);
    return compile(text, optimize);
}

enum { MOST = 8 * 160 };

static int64_t wrap(Type type, int64_t number) {
    return type_is_float(type) ? number : bits_wrap(type, number);
}

static Bits bits_of(Type type, int64_t number) {
    return type_is_float(type) ? bits_from_double(type, (double)number) : number;
}

static void check_form(const Compiled *c, const Form *form, Type type, int64_t n) {
    int64_t in[MOST] = {0}, out[MOST];
    int64_t in_count = n * form->in - (n ? form->spare : 0), out_count = n * form->out;
    Fence input = fence(type, 0, in_count, n & 1), output = fence(type, 0, out_count, !(n & 2));
    for (int64_t i = 0; i < in_count; i++) {
        in[i] = type_is_bool(type) ? (i ^ i >> 2) & 1 : (i * 37 + (i >> 3) * 11 + 5) & 127;
        put(&input.image, i, 0, bits_of(type, in[i]));
    }
    for (int64_t i = 0; i < out_count; i++) {
        out[i] = type_is_bool(type) ? i & 1 : i % 101;
        put(&output.image, i, 0, bits_of(type, out[i]));
    }
    for (int64_t x = 0; x < n; x++) {
        form->run(x, n, in, out);
        for (int64_t i = 0; i < out_count; i++)
            out[i] = wrap(type, out[i]);
    }
    succeed(c, &(Arguments){&n, &input.image, &output.image});
    for (int64_t i = 0; i < out_count; i++)
        ck_assert_msg(at(&output.image, i, 0) == bits_of(type, out[i]),
                      "%sof %s, n = %lld: out[%lld]", form->body, type_name(type), (long long)n,
                      (long long)i);
    release(&input), release(&output);
}

static const int widths[] = {2, 3, 5, 8, 16, 32, 67};
enum { WIDTHS = sizeof widths / sizeof *widths };

START_TEST(groups_of_every_form) {
    const Type types[] = {U8, I32, U16, F64, BOOL, F32};
    const Form *form = &forms[_i];
    for (int w = _i % share(); w < WIDTHS; w += share()) {
        Type type = types[(w + _i) % 6];
        if (form->has_sums && type_is_bool(type))
            type = I16;
        Compiled c = compile_form(form, type, widths[w], (w + _i) % 4);
        for (int64_t n = 0; n <= 2 * widths[w] + 1; n++)
            check_form(&c, form, type, n);
        discard(&c);
    }
}
END_TEST

/* ---- pixels: channels as a dimension ---- */

/* The distance of pixels is a constant where the image's extent is required to be, and where the
 * output's is fixed; the caller's buffer may have another one. */
START_TEST(pixels_with_gaps_between) {
    static const char text[] =
        "pipeline p(input: image<u8, 3, interleaved>) -> (out)\n"
        "  func out(c, x, y): u8\n"
        "  assert i32(input.extent.2) == 3:i32 else requirement_failed(\"pixels\")\n"
        "  allocate out: u8 [(0, 3), (0, out.extent.1), (0, out.extent.2)]\n"
        "  compute out on [(0, 3), (0, out.extent.1), (0, out.extent.2)]\n"
        "    for out.s0.y in (0, out.extent.2) do\n"
        "      for out.s0.xo in (0, (out.extent.1 + 15)/16) do\n"
        "        for out.s0.xi in (0, 16) vectorized do\n"
        "          let out.s0.x in (0, out.extent.1) = out.s0.xo*16 + out.s0.xi in\n"
        "            if out.s0.x < out.extent.1 then guard\n"
        "              for out.s0.c in (0, 3) unrolled do\n"
        "                out[out.s0.c, out.s0.x, out.s0.y] <- input[out.s0.x, out.s0.y, 2 - "
        "out.s0.c] + u8(out.s0.y)\n";
    Compiled c = compile(text, _i);
    for (int64_t pixel = 3; pixel <= 4; pixel++)
        for (int64_t n = 1; n < 40; n++) {
            int64_t row = n * pixel + 5;
            Fence input = fence(U8, 0, 2 * n * 3, true);
            Fence output = fence(U8, 0, row + (n - 1) * pixel + 3, n & 1);
            fill(&input);
            memset(output.image.data, 77, (size_t)output.image.extent[0]);
            Image in = {U8, 3, {0, 0, 0}, {n, 2, 3}, {3, 3 * n, 1}, .data = input.image.data};
            Image out = {U8, 3, {0, 0, 0}, {3, n, 2}, {1, pixel, row}, .data = output.image.data};
            succeed(&c, &(Arguments){NULL, &in, &out});
            unsigned char wanted[2 * 40 * 4 + 8];
            memset(wanted, 77, sizeof wanted);
            for (int64_t y = 0; y < 2; y++)
                for (int64_t x = 0; x < n; x++)
                    for (int64_t k = 0; k < 3; k++)
                        wanted[row * y + pixel * x + k] =
                            (unsigned char)(sample(U8, (y * n + x) * 3 + 2 - k) + y);
            ck_assert_mem_eq(output.image.data, wanted, (size_t)output.image.extent[0]);
            release(&input), release(&output);
        }
    discard(&c);
}
END_TEST

/* ---- what the code is ---- */

static bool says(const char *text, const char *word) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    Object object;
    CodegenOptions options = {.optimize = 2, .emit = "ll"};
    ck_assert(codegen_object(read_text(context, arena, text), arena, &options, &object));
    bool found = strstr((const char *)object.bytes, word);
    arena_destroy(arena);
    context_destroy(context);
    return found;
}

START_TEST(whole_groups_are_dense) {
    static const char text[] = "pipeline p(in: image<u16, 1>) -> (out)\n"
                               "  func out(x): u16\n"
                               "  allocate out: u16 [(0, 24)]\n"
                               "  compute out on [(0, 24)]\n"
                               "    for out.s0.x in (0, 8) vectorized do\n"
                               "      for out.s0.c in (0, 3) unrolled do\n"
                               "        out[out.s0.x*3 + out.s0.c] <- in[out.s0.x*3 + 2 - "
                               "out.s0.c]\n";
    ck_assert(says(text, "load <24 x i16>"));
    ck_assert(says(text, "store <24 x i16>"));
    ck_assert(!says(text, "store i16"));
    ck_assert(!says(text, "load i16"));
    ck_assert(!says(text, "load <8 x i16>"));
}
END_TEST

/* Each element twice: two dense vectors that are shuffled together. */
START_TEST(halves_are_dense) {
    static const char text[] = "pipeline p(in: image<u16, 1>) -> (out)\n"
                               "  func out(x): u16\n"
                               "  allocate out: u16 [(0, 16)]\n"
                               "  compute out on [(0, 16)]\n"
                               "    for out.s0.x in (0, 16) vectorized do\n"
                               "      out[out.s0.x] <- in[out.s0.x/2 + 1] + in[out.s0.x % 4]\n";
    ck_assert(says(text, "load <8 x i16>"));
    ck_assert(says(text, "store <16 x i16>"));
    ck_assert(!says(text, "gather"));
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("interleave");
    tcase_add_loop_test(cases, groups_of_every_form, 0, FORMS);
    tcase_add_loop_test(cases, pixels_with_gaps_between, 0, 4);
    tcase_add_test(cases, whole_groups_are_dense);
    tcase_add_test(cases, halves_are_dense);
    return run_suite("codegen_interleave", cases);
}

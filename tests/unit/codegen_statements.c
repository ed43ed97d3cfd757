/* codegen_statements.c -- compiled statements do what the target language says, at every level of
 * optimisation: each test's loop index is the level. */
#include "compiled.h"

/* A producer computed per row of its consumer, with a border; windows that do not begin at 0. */
START_TEST(nested_allocations_and_loops) {
    Compiled c =
        compile("pipeline p(input: image<u8, 2>, w: i32) -> (out)\n"
                "  func f(x, y): i32\n"
                "  func out(x, y): i32\n"
                "  allocate out: i32 [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                "  compute out on [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                "    for out.s0.y in (out.min.1, out.extent.1) parallel do\n"
                "      allocate f: i32 [(out.min.0 - 1, out.extent.0 + 2), (out.s0.y, 1)]\n"
                "      compute f on [(out.min.0 - 1, out.extent.0 + 2), (out.s0.y, 1)]\n"
                "        for f.s0.x in (out.min.0 - 1, out.extent.0 + 2) do\n"
                "          f[f.s0.x, out.s0.y] <- i32(input[f.s0.x, out.s0.y])*w\n"
                "      for out.s0.x in (out.min.0, out.extent.0) vectorized do\n"
                "        out[out.s0.x, out.s0.y] <- f[out.s0.x - 1, out.s0.y] + f[out.s0.x + 1, "
                "out.s0.y] + i32(out.s0.x)\n",
                _i);
    Image input = dense(U8, 2, (int64_t[]){-11, 4}, (int64_t[]){40, 9});
    Image out = dense(I32, 2, (int64_t[]){-10, 5}, (int64_t[]){38, 7});
    for (int64_t y = 4; y < 13; y++)
        for (int64_t x = -11; x < 29; x++)
            put(&input, x, y, (x * 7 + y * 31) & 255);
    succeed(&c, &(Arguments){(Bits[]){-3}, &input, &out});
    for (int64_t y = 5; y < 12; y++)
        for (int64_t x = -10; x < 28; x++)
            ck_assert_int_eq(at(&out, x, y),
                             -3 * (at(&input, x - 1, y) + at(&input, x + 1, y)) + x);
    out.extent[0] = 0; /* an empty window: no loop runs, nothing is read */
    succeed(&c, &(Arguments){(Bits[]){-3}, &input, &out});
    guarded_free(&input), guarded_free(&out), discard(&c);
}
END_TEST

/* All components are evaluated before one is written. */
START_TEST(tuples_are_written_together) {
    Compiled c = compile("pipeline p(n: i32) -> (t)\n"
                         "  func t(x): {i32, f32, bool}\n"
                         "  allocate t: {i32, f32, bool} [(t.min.0, t.extent.0)]\n"
                         "  compute t on [(t.min.0, t.extent.0)]\n"
                         "    for t.s0.x in (t.min.0, t.extent.0) do\n"
                         "      t[t.s0.x] <- {i32(t.s0.x), 0.5:f32, false}\n"
                         "    for t.s1.r in (0, index(n)) reduction do\n"
                         "      for t.s1.x in (t.min.0, t.extent.0) do\n"
                         "        t[t.s1.x] <- {i32(t[t.s1.x].1*2.0:f32), f32(t[t.s1.x]), "
                         "!t[t.s1.x].2} stage 1\n",
                         _i);
    Image outputs[] = {line(I32, -2, 5), line(F32, -2, 5), line(BOOL, -2, 5)};
    succeed(&c, &(Arguments){(Bits[]){1}, NULL, outputs});
    for (int64_t x = -2; x < 3; x++) {
        ck_assert_int_eq(at(&outputs[0], x, 0), 1);
        ck_assert(bits_to_double(F32, at(&outputs[1], x, 0)) == (double)x);
        ck_assert_int_eq(at(&outputs[2], x, 0), 1);
    }
    succeed(&c, &(Arguments){(Bits[]){3}, NULL, outputs});
    for (int64_t x = -2; x < 3; x++)
        ck_assert(bits_to_double(F32, at(&outputs[1], x, 0)) == (double)(2 * x));
    for (int i = 0; i < 3; i++)
        guarded_free(&outputs[i]);
    discard(&c);
}
END_TEST

/* A store's own reads come before it, and what is stored is read by the next statement. */
START_TEST(statements_see_what_is_written_before_them) {
    Compiled c = compile("pipeline p() -> (out)\n"
                         "  func out(x): i32\n"
                         "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
                         "  compute out on [(out.min.0, out.extent.0)]\n"
                         "    for out.s0.x in (out.min.0, out.extent.0) do\n"
                         "      out[out.s0.x] <- 1:i32\n"
                         "    for out.s1.r in (out.min.0 + 2, out.extent.0 - 2) reduction do\n"
                         "      out[out.s1.r] <- out[out.s1.r - 1] + out[out.s1.r - 2] stage 1\n"
                         "      out[out.s1.r] <- out[out.s1.r]*out[out.s1.r] stage 2\n"
                         "      out[out.s1.r] <- out[out.s1.r] % 1000:i32 stage 3\n",
                         _i);
    Image out = line(I32, 100, 20);
    succeed(&c, &(Arguments){NULL, NULL, &out});
    int64_t previous = 1, last = 1;
    for (int64_t x = 102; x < 120; x++) {
        int64_t next = (previous + last) * (previous + last) % 1000;
        previous = last, last = next;
        ck_assert_int_eq(at(&out, x, 0), next);
    }
    guarded_free(&out), discard(&c);
}
END_TEST

START_TEST(branches_and_lets) {
    Compiled c = compile("pipeline p(b: bool, k: u8) -> (out)\n"
                         "  func out(x): i32\n"
                         "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
                         "  compute out on [(out.min.0, out.extent.0)]\n"
                         "    for out.s0.xo in (0, (out.extent.0 + 3)/4) do\n"
                         "      for out.s0.xi in (0, 4) unrolled do\n"
                         "        let out.s0.x in (out.min.0, out.extent.0) = out.min.0 + "
                         "out.s0.xo*4 + out.s0.xi in\n"
                         "          if out.s0.x < out.min.0 + out.extent.0 then guard\n"
                         "            let limit = i32(k) + 1:i32 in\n"
                         "              if b && i32(out.s0.x) < limit then predicate\n"
                         "                out[out.s0.x] <- limit\n"
                         "              else\n"
                         "                if i32(out.s0.x) == limit then\n"
                         "                  nop\n"
                         "                  out[out.s0.x] <- -1:i32\n"
                         "                else\n"
                         "                  out[out.s0.x] <- -limit\n",
                         _i);
    Image out = line(I32, -3, 9);
    succeed(&c, &(Arguments){(Bits[]){1, 2}, NULL, &out});
    for (int64_t x = -3; x < 6; x++)
        ck_assert_int_eq(at(&out, x, 0), x < 3 ? 3 : x == 3 ? -1 : -3);
    succeed(&c, &(Arguments){(Bits[]){0, 255}, NULL, &out});
    for (int64_t x = -3; x < 6; x++)
        ck_assert_int_eq(at(&out, x, 0), -256);
    guarded_free(&out), discard(&c);
}
END_TEST

/* Every type passes as a parameter and lies in memory as it should. */
START_TEST(parameters_of_every_type) {
    Compiled c = compile(
        "pipeline p(a: bool, b: i8, c: i16, d: i32, e: i64, f: u8, g: u16, h: u32, i: u64, "
        "j: f16, k: bf16, l: f32, m: f64, image: image<bool, 1>) -> (out)\n"
        "  func out(): {bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64}\n"
        "  allocate out: {bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64} []\n"
        "  compute out on []\n"
        "    out[] <- {a && image[0], b, c, d, e, f, g, h, i, j, k, l, m}\n",
        _i);
    enum { TYPES = TYPE_COUNT - 1 };
    Bits values[TYPES] = {1,     -8,         -1600, INT32_MIN, INT64_MIN, 200,
                          60000, UINT32_MAX, -1,    0xc123,    0xfedc};
    values[11] = bits_from_double(F32, -0.1);
    values[12] = bits_from_double(F64, 1e-310);
    Image image = line(BOOL, 0, 1), outputs[TYPES];
    image.data[0] = 0xff; /* whatever the byte, a bool is its lowest bit */
    for (int i = 0; i < TYPES; i++)
        outputs[i] = dense(type_by_number(i), 0, NULL, NULL);
    succeed(&c, &(Arguments){values, &image, outputs});
    for (int i = 0; i < TYPES; i++)
        ck_assert_int_eq(at(&outputs[i], 0, 0), values[i]);
    ck_assert_int_eq(outputs[0].data[0], 1);
    image.data[0] = 0xfe;
    succeed(&c, &(Arguments){values, &image, outputs});
    ck_assert_int_eq(outputs[0].data[0], 0);
    for (int i = 0; i < TYPES; i++)
        guarded_free(&outputs[i]);
    guarded_free(&image), discard(&c);
}
END_TEST

START_TEST(images_of_every_layout) {
    Compiled c =
        compile("pipeline p(a: image<u8, 3, interleaved>, b: image<u8, 2, strided>) -> (out)\n"
                "  func out(x, y): i32\n"
                "  allocate out: i32 [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                "  compute out on [(out.min.0, out.extent.0), (out.min.1, out.extent.1)]\n"
                "    for out.s0.y in (out.min.1, out.extent.1) do\n"
                "      for out.s0.x in (out.min.0, out.extent.0) do\n"
                "        out[out.s0.x, out.s0.y] <- i32(a[out.s0.x, out.s0.y, 2])*256:i32 + "
                "i32(b[out.s0.x, out.s0.y]) + i32(a.extent.2)\n",
                _i);
    unsigned char bytes[7 * 5 * 3], other[7 * 5];
    for (int i = 0; i < 105; i++)
        bytes[i] = (unsigned char)(i * 11);
    for (int i = 0; i < 35; i++)
        other[i] = (unsigned char)(i * 17);
    Image images[] = {{U8, 3, {2, -1, 0}, {7, 5, 3}, {3, 21, 1}, .data = bytes},
                      {U8, 2, {2, -1}, {7, 5}, {-1, 7}, .data = other + 6}}; /* mirrored */
    Image out = dense(I32, 2, (int64_t[]){2, -1}, (int64_t[]){7, 5});
    succeed(&c, &(Arguments){NULL, images, &out});
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++)
            ck_assert_int_eq(at(&out, x + 2, y - 1),
                             bytes[y * 21 + x * 3 + 2] * 256 + other[y * 7 + 6 - x] + 3);
    guarded_free(&out), discard(&c);
}
END_TEST

/* An output that is computed beyond the window, or whose buffer is laid out otherwise, is staged.
 */
static const char staging[] =
    "pipeline p(m: i32) -> (t)\n"
    "  func t(x, y): {i32, u8}\n"
    "  allocate t: {i32, u8} [(t.min.0 - index(m), t.extent.0 + index(m)), (t.min.1, t.extent.1)]\n"
    "  compute t on [(t.min.0, t.extent.0), (t.min.1, t.extent.1)]\n"
    "    for t.s0.y in (t.min.1, t.extent.1) do\n"
    "      for t.s0.x in (t.min.0 - index(m), t.extent.0 + index(m)) do\n"
    "        t[t.s0.x, t.s0.y] <- {i32(t.s0.x)*100:i32 + i32(t.s0.y), u8(t.s0.x)}\n";

static void check_staged(const Image *outputs) {
    for (int64_t y = 0; y < 3; y++)
        for (int64_t x = 10; x < 14; x++) {
            ck_assert_int_eq(at(&outputs[0], x, y), x * 100 + y);
            ck_assert_int_eq(at(&outputs[1], x, y), x);
        }
}

START_TEST(outputs_are_staged_where_they_must_be) {
    Compiled c = compile(staging, _i);
    int32_t numbers[100];
    uint8_t bytes[100];
    for (Bits m = 0; m < 2; m++) {
        memset(numbers, 0x55, sizeof numbers);
        memset(bytes, 0x55, sizeof bytes);
        Image direct[] = {
            {I32, 2, {10, 0}, {4, 3}, {1, 4}, .data = (unsigned char *)(numbers + 20)},
            {U8, 2, {10, 0}, {4, 3}, {1, 4}, .data = bytes + 20}};
        succeed(&c, &(Arguments){&m, NULL, direct});
        check_staged(direct);
        for (int i = 0; i < 100; i++) {
            if (i < 20 || i >= 32) {
                ck_assert_int_eq(numbers[i], 0x55555555);
                ck_assert_int_eq(bytes[i], 0x55);
            }
        }
        memset(numbers, 0x55, sizeof numbers);
        memset(bytes, 0x55, sizeof bytes);
        /* Transposed and spread; mirrored.  Every other element is not ours. */
        Image strided[] = {
            {I32, 2, {10, 0}, {4, 3}, {6, 2}, .data = (unsigned char *)(numbers + 20)},
            {U8, 2, {10, 0}, {4, 3}, {-1, 10}, .data = bytes + 20}};
        succeed(&c, &(Arguments){&m, NULL, strided});
        check_staged(strided);
        int touched = 0;
        for (int i = 0; i < 100; i++)
            touched += (numbers[i] != 0x55555555) + (bytes[i] != 0x55);
        ck_assert_int_eq(touched, 24);
        strided[0].extent[0] = strided[1].extent[0] = 0; /* empty, but computed at m = 1 */
        memset(numbers, 0x55, sizeof numbers);
        succeed(&c, &(Arguments){&m, NULL, strided});
        for (int i = 0; i < 100; i++)
            ck_assert_int_eq(numbers[i], 0x55555555);
    }
    discard(&c);
}
END_TEST

/* Two outputs, of which one reads the other in place. */
START_TEST(an_output_may_be_read) {
    Compiled c = compile("pipeline p() -> (a, b)\n"
                         "  func a(x): i32\n"
                         "  func b(x): i32\n"
                         "  allocate a: i32 [(min(a.min.0, b.min.0), max(a.min.0 + a.extent.0, "
                         "b.min.0 + b.extent.0) - min(a.min.0, b.min.0))]\n"
                         "  compute a on [(a.min.0, a.extent.0)]\n"
                         "    for a.s0.x in (min(a.min.0, b.min.0), max(a.min.0 + a.extent.0, "
                         "b.min.0 + b.extent.0) - min(a.min.0, b.min.0)) do\n"
                         "      a[a.s0.x] <- i32(a.s0.x)*i32(a.s0.x)\n"
                         "  allocate b: i32 [(b.min.0, b.extent.0)]\n"
                         "  compute b on [(b.min.0, b.extent.0)]\n"
                         "    for b.s0.x in (b.min.0, b.extent.0) do\n"
                         "      b[b.s0.x] <- -a[b.s0.x]\n",
                         _i);
    static const int64_t windows[][4] = {{0, 5, 0, 5}, {2, 2, -3, 9}, {-3, 9, 2, 2}, {0, 3, 8, 2}};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        Image outputs[] = {line(I32, windows[w][0], windows[w][1]),
                           line(I32, windows[w][2], windows[w][3])};
        succeed(&c, &(Arguments){NULL, NULL, outputs});
        for (int o = 0; o < 2; o++) {
            for (int64_t x = outputs[o].minimum[0];
                 x < outputs[o].minimum[0] + outputs[o].extent[0]; x++)
                ck_assert_int_eq(at(&outputs[o], x, 0), o ? -x * x : x * x);
            guarded_free(&outputs[o]);
        }
    }
    discard(&c);
}
END_TEST

/* Memory that was never written may hold anything; nothing traps, whatever is done with it. */
START_TEST(uninitialised_memory_does_not_trap) {
    Compiled c = compile(
        "pipeline p(input: image<i32, 1>) -> (out)\n"
        "  func f(x): {i32, bool}\n"
        "  func out(x): i32\n"
        "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
        "  allocate f: {i32, bool} [(0, 1000)]\n"
        "  compute f on [(0, 1000)]\n"
        "    f[0] <- {0:i32, true}\n"
        "  compute out on [(out.min.0, out.extent.0)]\n"
        "    for out.s0.x in (out.min.0, out.extent.0) do\n"
        "      out[out.s0.x] <- select(out.s0.x == 0, input[0]/f[0], input[out.s0.x]/f[out.s0.x] + "
        "select(f[out.s0.x].1, input[0] % f[out.s0.x], 3:i32 << f[out.s0.x]))\n",
        _i);
    Image input = line(I32, 0, 1000), out = line(I32, 0, 1000);
    for (int64_t x = 0; x < 1000; x++)
        put(&input, x, 0, INT32_MIN);
    succeed(&c, &(Arguments){NULL, &input, &out});
    ck_assert_int_eq(at(&out, 0, 0), 0);
    guarded_free(&input), guarded_free(&out), discard(&c);
}
END_TEST

/* Compute statements at root level, nested, under a let and in both branches of a specialization;
 * each branch has its own `f`, and uses what is bound around it. */
START_TEST(computes_at_root_level_use_what_is_around_them) {
    Compiled c = compile("pipeline p(input: image<i32, 1>, b: bool, w: i32) -> (out)\n"
                         "  func f(x): i32\n"
                         "  func g(x): i32\n"
                         "  func out(x): i32\n"
                         "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
                         "  let twice = w*2:i32 in\n"
                         "    allocate g: i32 [(out.min.0, out.extent.0 + 1)]\n"
                         "    compute g on [(out.min.0, out.extent.0 + 1)]\n"
                         "      for g.s0.x in (out.min.0, out.extent.0 + 1) do\n"
                         "        g[g.s0.x] <- input[g.s0.x]*twice\n"
                         "    if b then specialize\n"
                         "      compute out z1 on [(out.min.0, out.extent.0)]\n"
                         "        allocate f: i32 [(out.min.0, out.extent.0)]\n"
                         "        compute f on [(out.min.0, out.extent.0)]\n"
                         "          for f.s0.x in (out.min.0, out.extent.0) do\n"
                         "            f[f.s0.x] <- g[f.s0.x + 1] - w\n"
                         "        for out.z1.s0.x in (out.min.0, out.extent.0) do\n"
                         "          out[out.z1.s0.x] <- f[out.z1.s0.x] + twice\n"
                         "    else\n"
                         "      compute out on [(out.min.0, out.extent.0)]\n"
                         "        let n = out.extent.0 in\n"
                         "          allocate f: i32 [(out.min.0, n)]\n"
                         "          compute f z0'2 on [(out.min.0, n)]\n"
                         "            for f.s0.x'2 in (out.min.0, n) do\n"
                         "              f[f.s0.x'2] <- g[f.s0.x'2] + w + i32(n)\n"
                         "          assert n != 3 else requirement_failed(\"not three\")\n"
                         "          for out.s0.x in (out.min.0, n) do\n"
                         "            out[out.s0.x] <- f[out.s0.x]\n",
                         _i);
    Image input = line(I32, 4, 9), out = line(I32, 4, 8);
    for (int64_t x = 4; x < 13; x++)
        put(&input, x, 0, x * x);
    succeed(&c, &(Arguments){(Bits[]){1, 5}, &input, &out});
    for (int64_t x = 4; x < 12; x++)
        ck_assert_int_eq(at(&out, x, 0), (x + 1) * (x + 1) * 10 - 5 + 10);
    succeed(&c, &(Arguments){(Bits[]){0, 5}, &input, &out});
    for (int64_t x = 4; x < 12; x++)
        ck_assert_int_eq(at(&out, x, 0), x * x * 10 + 5 + 8);
    out.extent[0] = 3;
    refuse(&c, &(Arguments){(Bits[]){0, 5}, &input, &out}, HLC_ERROR_REQUIREMENT_FAILED,
           "not three");
    guarded_free(&input), guarded_free(&out), discard(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("statements");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, nested_allocations_and_loops, 0, 4);
    tcase_add_loop_test(cases, tuples_are_written_together, 0, 4);
    tcase_add_loop_test(cases, statements_see_what_is_written_before_them, 0, 4);
    tcase_add_loop_test(cases, branches_and_lets, 0, 4);
    tcase_add_loop_test(cases, parameters_of_every_type, 0, 4);
    tcase_add_loop_test(cases, images_of_every_layout, 0, 4);
    tcase_add_loop_test(cases, outputs_are_staged_where_they_must_be, 0, 4);
    tcase_add_loop_test(cases, an_output_may_be_read, 0, 4);
    tcase_add_loop_test(cases, uninitialised_memory_does_not_trap, 0, 4);
    tcase_add_loop_test(cases, computes_at_root_level_use_what_is_around_them, 0, 4);
    return run_suite("codegen_statements", cases);
}

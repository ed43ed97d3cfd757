/* codegen_transpose.c -- loads of neighbouring elements in rows that lie far apart, in vectorized
 * loops: two to four neighbours in any order and with gaps, rows of distances that are constants
 * and that are not, backward ones, stores to the same memory in between.  Compared with a plain
 * loop; the image holds exactly what is read, between forbidden pages. */
#include "fence.h"

/* The elements of row x that the program reads, -1 ends them. */
static const int orders[][5] = {{0, 1, -1},       {0, 1, 2, 3, -1}, {3, 2, 1, 0, -1}, {0, 3, -1},
                                {2, 0, 1, -1},    {1, 2, 2, 1, -1}, {3, 0, 1, 2, -1}, {0, 2, -1},
                                {1, 0, 3, 2, -1}, {0, -1}};
enum { ORDERS = sizeof orders / sizeof *orders };

/* out[x + i*n] = in[orders[i] + x*w] + in[orders[i] + (n-1-x)*w]; w is `width`, or the parameter.
 */
static Compiled compile_order(const int *order, Type type, int width, int lanes, bool is_constant,
                              int optimize) {
    char text[4096], distance[32], *to = text;
    const char *name = type_name(type);
    snprintf(distance, sizeof distance, is_constant ? "%d" : "index(w)", width);
    to += sprintf(to,
                  "pipeline p(in: image<%s, 1>, n: i32, w: i32) -> (out)\n"
                  "  func out(x): %s\n"
                  "  allocate out: %s [(0, out.extent.0)]\n"
                  "  compute out on [(0, out.extent.0)]\n"
                  "    for out.s0.xo in (0, index(n)/%d) do\n"
                  "      for out.s0.xi in (0, %d) vectorized do\n"
                  "        let out.s0.x in (0, index(n)) = out.s0.xo*%d + out.s0.xi in\n",
                  name, name, name, lanes, lanes, lanes);
    for (int i = 0; order[i] >= 0; i++)
        to += sprintf(to,
                      "          out[out.s0.x + index(n)*%d] <- in[out.s0.x*%s + %d] + "
                      "in[(index(n) - 1 - out.s0.x)*%s + %d]\n",
                      i, distance, order[i], distance, order[i]);
    return compile(text, optimize);
}

START_TEST(neighbours) {
    static const Type types[] = {F32, I32, U32, U16, F64};
    static const int widths[] = {4, 7, 64}, lanes[] = {16, 8, 4, 32, 12};
    const int *order = orders[_i];
    int reads = 0, last = 0;
    for (; order[reads] >= 0; reads++)
        last = order[reads] > last ? order[reads] : last;
    for (int k = 0; k < 10; k++) {
        Type type = types[k % 5 ? (k + _i) % 3 : (k + _i) % 5];
        int width = widths[k % 3], count = lanes[(k + _i) % 5];
        Compiled c = compile_order(order, type, width, count, k & 1, k % 4);
        int64_t n = 2 * count, values[] = {n, width};
        int64_t size = (n - 1) * width + last + 1;
        Fence input = fence(type, 0, size, k & 2), output = fence(type, 0, n * reads, !(k & 2));
        for (int64_t i = 0; i < size; i++)
            put(&input.image, i, 0,
                type_is_float(type) ? bits_from_double(type, (double)i) : bits_wrap(type, i));
        succeed(&c, &(Arguments){values, &input.image, &output.image});
        for (int i = 0; i < reads; i++)
            for (int64_t x = 0; x < n; x++) {
                int64_t sum = 2 * order[i] + (n - 1) * width;
                Bits wanted = type_is_float(type) ? bits_from_double(type, (double)sum)
                                                  : bits_wrap(type, sum);
                ck_assert_msg(at(&output.image, x + i * n, 0) == wanted,
                              "%s, rows of %d, %d lanes, read %d: x = %lld", type_name(type), width,
                              count, i, (long long)x);
            }
        release(&input), release(&output);
        discard(&c);
    }
}
END_TEST

/* f[1 + 8*x] is read, all of row x is written, then f[8*x] and f[1 + 8*x] are read. */
START_TEST(stores_between) {
    static const char text[] = "pipeline p(n: i32) -> (out)\n"
                               "  func f(x): i32\n"
                               "  func out(x): i32\n"
                               "  allocate f: i32 [(0, 4096)]\n"
                               "  allocate out: i32 [(0, out.extent.0)]\n"
                               "  compute f on [(0, 4096)]\n"
                               "    for f.s0.x in (0, 4096) do\n"
                               "      f[f.s0.x] <- i32(f.s0.x)\n"
                               "  compute out on [(0, out.extent.0)]\n"
                               "    for out.s0.x in (0, 16) vectorized do\n"
                               "      out[out.s0.x] <- f[out.s0.x*8 + 1]\n"
                               "      out[out.s0.x*8 + 256] <- f[out.s0.x*8 + 2]\n"
                               "      out[out.s0.x*8 + 257] <- out[out.s0.x*8 + 256]*2:i32\n"
                               "      out[out.s0.x*8 + 256] <- 5:i32\n"
                               "      out[out.s0.x + 16] <- out[out.s0.x*8 + 257]\n"
                               "      out[out.s0.x + 32] <- out[out.s0.x*8 + 256]\n"
                               "      out[out.s0.x + 48] <- f[out.s0.x*8]\n";
    Compiled c = compile(text, _i);
    int64_t n = 0;
    Image out = line(I32, 0, 400);
    succeed(&c, &(Arguments){&n, NULL, &out});
    for (int64_t x = 0; x < 16; x++) {
        ck_assert_int_eq(at(&out, x, 0), 8 * x + 1);
        ck_assert_int_eq(at(&out, x + 16, 0), 2 * (8 * x + 2));
        ck_assert_int_eq(at(&out, x + 32, 0), 5);
        ck_assert_int_eq(at(&out, x + 48, 0), 8 * x);
    }
    guarded_free(&out);
    discard(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("transpose");
    tcase_add_loop_test(cases, neighbours, 0, ORDERS);
    tcase_add_loop_test(cases, stores_between, 0, 4);
    return run_suite("codegen_transpose", cases);
}

/* codegen_size.c -- the code of an unrolled loop is bounded, whatever a copy of its body comes to.
 */
#include "compiled.h"

/* `length` iterations one after the other of a loop of 61 lanes; the indices are clamped, so that
 * each statement has code for the borders, too. */
static const char program[] = "pipeline p(input: image<f64, 1>) -> (out)\n"
                              "  func out(x): f64\n"
                              "  allocate out: f64 [(0, out.extent.0)]\n"
                              "  compute out on [(0, out.extent.0)]\n"
                              "    for out.s0.xo in (0, out.extent.0/%d) do\n"
                              "      for out.s0.xu in (0, %d) unrolled do\n"
                              "        for out.s0.xw in (0, %d) unrolled do\n"
                              "          for out.s0.xv in (0, 61) vectorized do\n"
                              "            out[((out.s0.xo*%d + out.s0.xu)*%d + out.s0.xw)*61 "
                              "+ out.s0.xv] <- %s\n";

static const char light[] = "1.0:f64";
static const char heavy[] =
    "cosh(input[max(min(out.s0.xo + out.s0.xv, input.extent.0 - 1), 0)]) + "
    "sinh(input[max(min(out.s0.xo + 2*out.s0.xv, input.extent.0 - 1), 0)])*"
    "tan(input[max(min(out.s0.xo*out.s0.xu + out.s0.xv + 1, input.extent.0 - 1), 0)])";

static size_t code_length(const char *value, int outer, int inner) {
    char text[2048];
    snprintf(text, sizeof text, program, 61 * outer * inner, outer, inner, outer, inner, value);
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    Object object;
    CodegenOptions options = {.optimize = 1, .targets = "x86-64-v4"};
    bool is_made = codegen_object(read_text(context, arena, text), arena, &options, &object);
    ck_assert(is_made);
    arena_destroy(arena);
    context_destroy(context);
    return object.length;
}

START_TEST(large_bodies_stay_loops) {
    size_t once = code_length(heavy, 1, 1);
    ck_assert_uint_lt(code_length(heavy, 1, 40), 3 * once);
    ck_assert_uint_lt(code_length(heavy, 40, 1), 3 * once);
    ck_assert_uint_lt(code_length(heavy, 16, 16), 4 * once);
}
END_TEST

START_TEST(small_bodies_are_unrolled) {
    size_t once = code_length(light, 1, 1), many = code_length(light, 1, 40);
    ck_assert_uint_gt(many, once + 39 * 61 * 8 / 64 * 6); /* bytes of a store are 6 at least */
    ck_assert_uint_eq(many, code_length(light, 40, 1));
}
END_TEST

/* The first iteration and the others, in this order, and all of them. */
START_TEST(values_are_the_same) {
    char text[2048], value[1024];
    snprintf(value, sizeof value,
             "(%s)*0.0:f64 + f64(out.s0.xo*1000 + out.s0.xu*100 + out.s0.xw*10) + f64(out.s0.xv)",
             heavy);
    snprintf(text, sizeof text, program, 61 * 20, 5, 4, 5, 4, value);
    Compiled c = compile(text, _i);
    int64_t length = 3 * 61 * 20;
    Image input = line(F64, 0, 7), out = line(F64, 0, length);
    succeed(&c, &(Arguments){NULL, &input, &out});
    for (int64_t x = 0; x < length; x++) {
        int64_t inner = x / 61 % 4, middle = x / 244 % 5;
        double wanted = (double)(x / 1220 * 1000 + middle * 100 + inner * 10 + x % 61);
        ck_assert_double_eq(bits_to_double(F64, at(&out, x, 0)), wanted);
    }
    guarded_free(&input), guarded_free(&out), discard(&c);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("size");
    tcase_add_test(cases, large_bodies_stay_loops);
    tcase_add_test(cases, small_bodies_are_unrolled);
    tcase_add_loop_test(cases, values_are_the_same, 0, 3);
    return run_suite("codegen/size", cases);
}

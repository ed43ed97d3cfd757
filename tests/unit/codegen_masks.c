/* codegen_masks.c -- masks of which a part is known: a loop of two iterations in vectors of every
 * number of lanes, for every target that this machine can run.  LLVM 19 widens vectors whose number
 * of lanes is no power of two, and lost the mask of the lanes that it put in: 20 of f32 for
 * x86-64-v3 read 32 bytes from where nothing was to be read.  And it cuts vectors of several
 * registers: of two loads under one mask the second read a register's part that the mask left out.
 */
#include "fence.h"

static const char *const targets[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};
enum { TARGETS = sizeof targets / sizeof *targets };

static bool can_run(const char *target) {
    Context *context = context_create();
    bool can = codegen_runs_here(context, target);
    context_destroy(context);
    return can;
}

/* `sum`: of two elements side by side, so that there are two loads under one mask. */
static Compiled compile_pairs(const char *target, Type type, int lanes, bool sum) {
    char text[2048];
    const char *name = type_name(type);
    snprintf(text, sizeof text,
             "pipeline p(input: image<%s, 1>) -> (out)\n"
             "  func out(x): %s\n"
             "  allocate out: %s [(0, out.extent.0)]\n"
             "  compute out on [(0, out.extent.0)]\n"
             "    for out.s0.xo in (0, (out.extent.0 + 1)/2) do\n"
             "      for out.s0.v in (0, %d) vectorized do\n"
             "        let out.s0.xi in (0, 2) = out.s0.v in\n"
             "          if out.s0.xi < 2 then guard\n"
             "            let out.s0.x in (0, out.extent.0) = out.s0.xo*2 + out.s0.xi in\n"
             "              if out.s0.x < out.extent.0 then guard\n"
             "                out[out.s0.x] <- input[out.s0.x]%s\n",
             name, name, name, lanes, sum ? " + input[out.s0.x + 1]" : "");
    return compile_for(text, 2, target);
}

static void check_sums(const char *target, int lanes) {
    Compiled c = compile_pairs(target, I32, lanes, true);
    for (int64_t n = 1; n <= 4; n++)
        for (int at_end = 0; at_end < 2; at_end++) {
            Fence input = fence(I32, 0, n + 1, at_end), out = fence(I32, 0, n, at_end);
            fill(&input);
            succeed(&c, &(Arguments){NULL, &input.image, &out.image});
            for (int64_t x = 0; x < n; x++)
                ck_assert_int_eq(
                    (int32_t)at(&out.image, x, 0),
                    (int32_t)((uint32_t)sample(I32, x) + (uint32_t)sample(I32, x + 1)));
            release(&input);
            release(&out);
        }
    discard(&c);
}

static void check_pairs(const char *target, Type type, int lanes) {
    Compiled c = compile_pairs(target, type, lanes, false);
    for (int64_t n = 1; n <= 4; n++)
        for (int at_end = 0; at_end < 2; at_end++) {
            Fence input = fence(type, 0, n, at_end), out = fence(type, 0, n, at_end);
            fill(&input);
            succeed(&c, &(Arguments){NULL, &input.image, &out.image});
            for (int64_t x = 0; x < n; x++)
                ck_assert_int_eq(at(&out.image, x, 0), sample(type, x));
            release(&input);
            release(&out);
        }
    discard(&c);
}

START_TEST(pairs_in_vectors_of_every_width) {
    static const Type types[] = {F32, F64, I32, U8};
    if (!can_run(targets[_i]))
        return; /* some other is run */
    for (int lanes = 2; lanes <= 64; lanes += lanes < 34 ? 1 : 5)
        check_pairs(targets[_i], types[lanes % 4], lanes);
    for (int lanes = 17; lanes <= 20; lanes++)
        check_pairs(targets[_i], F32, lanes);
    for (int lanes = 8; lanes <= 64; lanes += lanes < 18 ? 1 : 7)
        check_sums(targets[_i], lanes);
}
END_TEST

START_TEST(some_target_is_run) {
    int count = 0;
    for (int i = 0; i < TARGETS; i++)
        count += can_run(targets[i]);
    ck_assert_int_gt(count, 0);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("masks");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, pairs_in_vectors_of_every_width, 0, TARGETS);
    tcase_add_test(tests, some_target_is_run);
    return run_suite("codegen masks", tests);
}

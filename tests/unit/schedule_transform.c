/* schedule_transform.c -- each directive's transformation, as the text of the program after it. */
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"

#include "schedules.h"
#include "suite.h"

#include <check.h>

/* The program after the schedule; the test fails where it is refused. */
static Program *scheduled(Bench *bench, const char *text, BoundRequests *bounds) {
    Directives primitives = {0};
    Program *program = NULL;
    const Pipeline *pipeline = schedule_expand(bench->pipeline, bench_schedule(bench, text),
                                               SIZE_MAX, bench->arena, &primitives);
    if (pipeline)
        program = lower_initial(pipeline, bench->arena);
    if (!program || !schedule_apply(program, pipeline, &primitives, SIZE_MAX, bounds)) {
        diag_print_all(bench->context, stderr);
        ck_abort_msg("the schedule is legal");
    }
    const char *fault = program_verify(bench->arena, program, true);
    ck_assert_msg(!fault, "after %s: %s", text, fault);
    return program;
}

/* `part` stands in the text of the program after the schedule. */
static void expect_part(Bench *bench, const char *schedule, const char *part) {
    BoundRequests bounds = {0};
    const char *text = program_text(bench->arena, scheduled(bench, schedule, &bounds));
    if (!strstr(text, part))
        ck_abort_msg("after %s expected\n%s\nin\n%s", schedule, part, text);
}

static void expect_in_chain(const char *schedule, const char *part) {
    Bench bench = bench_chain();
    expect_part(&bench, schedule, part);
    bench_destroy(&bench);
}

static void expect_in_blur(const char *schedule, const char *part) {
    Bench bench = bench_blur();
    expect_part(&bench, schedule, part);
    bench_destroy(&bench);
}

START_TEST(figure_1) {
    expect_in_blur(
        "split(h.s1.x, xo, xi, 256); split(h.s1.y, yo, yi, 32); swap(h.s1.yi);"
        "traverse(h.s1.yo, parallel); compute-at(g, h.s1.xo); store-at(g, h.s1.xo)",
        "      label s1\n"
        "        for h.s1.yo in (0, (?cpu.h.y.len + 31)/32) parallel do\n"
        "          for h.s1.xo in (0, (?cpu.h.x.len + 255)/256) do\n"
        "            allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "            compute g on [(?cpu.g.x.min, ?cpu.g.x.len), (?cpu.g.y.min, ?cpu.g.y.len)]\n"
        "              label g\n"
        "                label s0\n"
        "                  for g.s0.y in (?for.g.s0.y.min, ?for.g.s0.y.len) do\n"
        "                    for g.s0.x in (?for.g.s0.x.min, ?for.g.s0.x.len) do\n"
        "                      g[g.s0.x, g.s0.y] <- 0:i32\n"
        "                label s1\n"
        "                  for g.s1.y in (?cpu.g.y.min, ?cpu.g.y.len) do\n"
        "                    for g.s1.x in (?cpu.g.x.min, ?cpu.g.x.len) do\n"
        "                      for g.s1.r in (-index(w), index(w)*2 + 1) reduction do\n"
        "                        g[g.s1.x, g.s1.y] <- f[g.s1.r + g.s1.x, g.s1.y] + g[g.s1.x, "
        "g.s1.y]\n"
        "            for h.s1.yi in (0, 32) do\n"
        "              for h.s1.xi in (0, 256) do\n"
        "                for h.s1.r in (-index(w), index(w)*2 + 1) reduction do\n"
        "                  let h.s1.y in (?cpu.h.y.min, ?cpu.h.y.len) = h.s1.yo*32 + "
        "?cpu.h.y.min + h.s1.yi in\n"
        "                    if h.s1.y < ?cpu.h.y.min + ?cpu.h.y.len then guard\n"
        "                      let h.s1.x in (?cpu.h.x.min, ?cpu.h.x.len) = h.s1.xo*256 + "
        "?cpu.h.x.min + h.s1.xi in\n"
        "                        if h.s1.x < ?cpu.h.x.min + ?cpu.h.x.len then guard\n"
        "                          h[h.s1.x, h.s1.y] <- g[h.s1.x, h.s1.r + h.s1.y] + h[h.s1.x, "
        "h.s1.y]\n");
}
END_TEST

START_TEST(split_has_a_guard_by_default) {
    expect_in_chain(
        "split(h.x, xo, xi, 8)",
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          for h.s0.xo in (0, (?cpu.h.x.len + 7)/8) do\n"
        "            for h.s0.xi in (0, 8) do\n"
        "              let h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) = h.s0.xo*8 + ?cpu.h.x.min + "
        "h.s0.xi in\n"
        "                if h.s0.x < ?cpu.h.x.min + ?cpu.h.x.len then guard\n"
        "                  h[h.s0.x, h.s0.y] <- g[h.s0.x + 1, h.s0.y] + g[h.s0.x - 1, h.s0.y]");
}
END_TEST

START_TEST(split_by_a_divisor_of_a_constant_length_needs_no_tail) {
    expect_in_chain("split(h.x, xo, xi, 32); split(h.xi, a, b, 8)",
                    "            for h.s0.a in (0, 4) do\n"
                    "              for h.s0.b in (0, 8) do\n"
                    "                let h.s0.xi in (0, 32) = h.s0.a*8 + h.s0.b in\n"
                    "                  let h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) = h.s0.xo*32 + "
                    "?cpu.h.x.min + h.s0.xi in\n"
                    "                    if h.s0.x < ?cpu.h.x.min + ?cpu.h.x.len then guard\n");
}
END_TEST

START_TEST(split_of_a_constant_length_with_a_rest_is_guarded) {
    expect_in_chain("split(h.x, xo, xi, 10); split(h.xi, a, b, 8)",
                    "            for h.s0.a in (0, 2) do\n"
                    "              for h.s0.b in (0, 8) do\n"
                    "                let h.s0.xi in (0, 10) = h.s0.a*8 + h.s0.b in\n"
                    "                  if h.s0.xi < 10 then guard\n"
                    "                    let h.s0.x in");
}
END_TEST

START_TEST(split_sinks_below_reduction_loops) {
    expect_in_blur("split(h.s1.y, yo, yi, 8)",
                   "          for h.s1.yi in (0, 8) do\n"
                   "            for h.s1.x in (?cpu.h.x.min, ?cpu.h.x.len) do\n"
                   "              for h.s1.r in (-index(w), index(w)*2 + 1) reduction do\n"
                   "                let h.s1.y in (?cpu.h.y.min, ?cpu.h.y.len) = h.s1.yo*8 + "
                   "?cpu.h.y.min + h.s1.yi in\n"
                   "                  if h.s1.y < ?cpu.h.y.min + ?cpu.h.y.len then guard\n"
                   "                    h[h.s1.x, h.s1.y] <-");
}
END_TEST

START_TEST(split_of_a_reduction_loop_keeps_its_order) {
    expect_in_blur("split(h.s1.r, ro, ri, 4)",
                   "            for h.s1.ro in (0, (index(w)*2 + 1 + 3)/4) reduction do\n"
                   "              for h.s1.ri in (0, 4) reduction do\n"
                   "                let h.s1.r in (-index(w), index(w)*2 + 1) = h.s1.ro*4 + "
                   "-index(w) + h.s1.ri in\n"
                   "                  if h.s1.r < index(w)*2 + 1 + -index(w) then guard\n");
}
END_TEST

START_TEST(split_by_a_parameter_is_asserted) {
    expect_in_chain("split(h.x, xo, xi, w)", "  assert index(w) <= 2147483647 && 1 <= index(w) "
                                             "else split_factor(\"h.s0.x\", index(w))\n");
}
END_TEST

START_TEST(split_round_up) {
    expect_in_chain(
        "split(h.x, xo, xi, 8, round-up)",
        "            for h.s0.xi in (0, 8) do\n"
        "              let h.s0.x beyond (?cpu.h.x.min, ?cpu.h.x.len) = h.s0.xo*8 + ?cpu.h.x.min + "
        "h.s0.xi in\n"
        "                h[h.s0.x, h.s0.y] <- g[h.s0.x + 1, h.s0.y] + g[h.s0.x - 1, h.s0.y]");
}
END_TEST

START_TEST(split_shift_inwards) {
    expect_in_chain(
        "split(h.x, xo, xi, 8, shift-inwards)",
        "            for h.s0.xi in (0, 8) do\n"
        "              let h.s0.x in (min(?cpu.h.x.min + ?cpu.h.x.len - 8, ?cpu.h.x.min), "
        "max(?cpu.h.x.len, 8)) = min(h.s0.xo*8 + ?cpu.h.x.min, ?cpu.h.x.min + ?cpu.h.x.len - 8) + "
        "h.s0.xi in\n"
        "                h[h.s0.x, h.s0.y] <- g[h.s0.x + 1, h.s0.y] + g[h.s0.x - 1, h.s0.y]");
}
END_TEST

START_TEST(fuse_divides_in_index_arithmetic) {
    expect_in_chain(
        "fuse(h.y, t); traverse(h.t, parallel)",
        "        for h.s0.t in (0, ?cpu.h.x.len*?cpu.h.y.len) parallel do\n"
        "          let h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) = h.s0.t/?cpu.h.x.len + ?cpu.h.y.min "
        "in\n"
        "            let h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) = h.s0.t % ?cpu.h.x.len + "
        "?cpu.h.x.min in\n"
        "              h[h.s0.x, h.s0.y] <- g[h.s0.x + 1, h.s0.y] + g[h.s0.x - 1, h.s0.y]");
}
END_TEST

START_TEST(fuse_undoes_a_split) {
    expect_in_chain("split(h.x, xo, xi, 8); fuse(h.xo, v)",
                    "          for h.s0.v in (0, (?cpu.h.x.len + 7)/8*8) do\n"
                    "            let h.s0.xo in (0, (?cpu.h.x.len + 7)/8) = h.s0.v/8 in\n"
                    "              let h.s0.xi in (0, 8) = h.s0.v % 8 in\n"
                    "                let h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) = h.s0.xo*8 + "
                    "?cpu.h.x.min + h.s0.xi in\n"
                    "                  if h.s0.x < ?cpu.h.x.min + ?cpu.h.x.len then guard\n");
}
END_TEST

START_TEST(swap_a_reduction_loop_outward) {
    expect_in_blur(
        "swap(h.s1.x); swap(h.s1.y)",
        "        for h.s1.r in (-index(w), index(w)*2 + 1) reduction do\n"
        "          for h.s1.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "            for h.s1.x in (?cpu.h.x.min, ?cpu.h.x.len) do\n"
        "              h[h.s1.x, h.s1.y] <- g[h.s1.x, h.s1.r + h.s1.y] + h[h.s1.x, h.s1.y]\n");
}
END_TEST

START_TEST(traverse_says_how_a_loop_runs) {
    expect_in_chain("vectorize(h.x, 4); unroll(h.x_o, 2); parallel(h.y)",
                    "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) parallel do\n"
                    "          for h.s0.x_o_o in (0, ((?cpu.h.x.len + 3)/4 + 1)/2) do\n"
                    "            for h.s0.x_o_u in (0, 2) unrolled do\n"
                    "              for h.s0.x_v in (0, 4) vectorized do\n");
}
END_TEST

START_TEST(compute_at_takes_the_allocation_along) {
    expect_in_chain(
        "compute-at(g, h.y)",
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "          compute g on [(?cpu.g.x.min, ?cpu.g.x.len), (?cpu.g.y.min, ?cpu.g.y.len)]\n");
}
END_TEST

START_TEST(store_at_moves_the_allocation_out) {
    expect_in_chain(
        "store-at(g, h.y); compute-at(g, h.x)",
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "          for h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) do\n"
        "            compute g on [(?cpu.g.x.min, ?cpu.g.x.len), (?cpu.g.y.min, ?cpu.g.y.len)]\n");
}
END_TEST

START_TEST(store_root_moves_it_all_the_way) {
    expect_in_chain(
        "compute-at(g, h.x); store-root(g)",
        "  allocate h: i32 [(?mem.h.x.min, ?mem.h.x.len), (?mem.h.y.min, ?mem.h.y.len)]\n"
        "  allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "  compute h on [(?cpu.h.x.min, ?cpu.h.x.len), (?cpu.h.y.min, ?cpu.h.y.len)]\n"
        "    label h\n"
        "      label s0\n"
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          for h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) do\n"
        "            compute g on");
}
END_TEST

START_TEST(producers_stand_in_definition_order) {
    expect_in_chain(
        "compute-at(f, h.y); compute-at(g, h.y)",
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          allocate f: i32 [(?mem.f.x.min, ?mem.f.x.len), (?mem.f.y.min, ?mem.f.y.len)]\n"
        "          compute f on [(?cpu.f.x.min, ?cpu.f.x.len), (?cpu.f.y.min, ?cpu.f.y.len)]\n"
        "            label f\n"
        "              label s0\n"
        "                for f.s0.y in (?cpu.f.y.min, ?cpu.f.y.len) do\n"
        "                  for f.s0.x in (?cpu.f.x.min, ?cpu.f.x.len) do\n"
        "                    f[f.s0.x, f.s0.y] <- input[f.s0.x, f.s0.y]\n"
        "          allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "          compute g on");
}
END_TEST

START_TEST(specialize_shares_the_cpu_holes) {
    expect_in_blur(
        "specialize(h, w < 3)",
        "  if w < 3:i32 then specialize\n"
        "    compute h z1 on [(?cpu.h.x.min, ?cpu.h.x.len), (?cpu.h.y.min, ?cpu.h.y.len)]\n"
        "      label h\n"
        "        label s0\n"
        "          for h.z1.s0.y in (?for.h.z1.s0.y.min, ?for.h.z1.s0.y.len) do\n"
        "            for h.z1.s0.x in (?for.h.z1.s0.x.min, ?for.h.z1.s0.x.len) do\n"
        "              h[h.z1.s0.x, h.z1.s0.y] <- 0:i32\n"
        "        label s1\n"
        "          for h.z1.s1.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "            for h.z1.s1.x in (?cpu.h.x.min, ?cpu.h.x.len) do\n"
        "              for h.z1.s1.r in (-index(w), index(w)*2 + 1) reduction do\n"
        "                h[h.z1.s1.x, h.z1.s1.y] <- g[h.z1.s1.x, h.z1.s1.r + h.z1.s1.y] + "
        "h[h.z1.s1.x, h.z1.s1.y]\n"
        "  else\n"
        "    compute h on [(?cpu.h.x.min, ?cpu.h.x.len), (?cpu.h.y.min, ?cpu.h.y.len)]\n"
        "      label h\n"
        "        label s0\n"
        "          for h.s0.y in (?for.h.s0.y.min, ?for.h.s0.y.len) do\n");
}
END_TEST

START_TEST(compute_at_copies_into_every_branch) {
    expect_in_chain(
        "specialize(h, w < 3); split(h.z1.s0.x, xo, xi, 8); compute-at(g, h.y)",
        "          for h.z1.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "            allocate g: i32 [(?mem.g.x.min'1, ?mem.g.x.len'1), (?mem.g.y.min'1, "
        "?mem.g.y.len'1)]\n"
        "            compute g z0'1 on [(?cpu.g.x.min'1, ?cpu.g.x.len'1), (?cpu.g.y.min'1, "
        "?cpu.g.y.len'1)]\n"
        "              label g\n"
        "                label s0\n"
        "                  for g.s0.y'2 in (?cpu.g.y.min'1, ?cpu.g.y.len'1) do\n"
        "                    for g.s0.x'2 in (?cpu.g.x.min'1, ?cpu.g.x.len'1) do\n"
        "                      g[g.s0.x'2, g.s0.y'2] <- i32(g.s0.x'2) + f[g.s0.x'2 + 1, g.s0.y'2]\n"
        "            for h.z1.s0.xo in (0, (?cpu.h.x.len + 7)/8) do\n");
}
END_TEST

START_TEST(a_specialized_func_moves_as_one_statement) {
    expect_in_chain(
        "specialize(g, w < 3); compute-at(g, h.y)",
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "          if w < 3:i32 then specialize\n"
        "            compute g z1 on [(?cpu.g.x.min, ?cpu.g.x.len), (?cpu.g.y.min, "
        "?cpu.g.y.len)]\n");
}
END_TEST

START_TEST(one_allocation_serves_two_branches) {
    expect_in_chain(
        "specialize(g, w < 3); compute-at(g, h.y); compute-at(f, g.y); store-at(f, h.y)",
        "        for h.s0.y in (?cpu.h.y.min, ?cpu.h.y.len) do\n"
        "          allocate f: i32 [(?mem.f.x.min, ?mem.f.x.len), (?mem.f.y.min, ?mem.f.y.len)]\n"
        "          allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]\n"
        "          if w < 3:i32 then specialize\n");
}
END_TEST

START_TEST(inline_substitutes_the_arguments) {
    expect_in_chain("inline(g)", "            h[h.s0.x, h.s0.y] <- i32(h.s0.x + -1) + f[h.s0.x, "
                                 "h.s0.y] + (i32(h.s0.x + 1) + f[h.s0.x + 2, h.s0.y])\n");
}
END_TEST

START_TEST(inlined_funcs_are_gone) {
    expect_in_chain(
        "inline(f); inline(g)",
        "  func h(x, y): i32\n"
        "  allocate h: i32 [(?mem.h.x.min, ?mem.h.x.len), (?mem.h.y.min, ?mem.h.y.len)]\n");
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("transform");
    tcase_add_test(tests, figure_1);
    tcase_add_test(tests, split_has_a_guard_by_default);
    tcase_add_test(tests, split_by_a_divisor_of_a_constant_length_needs_no_tail);
    tcase_add_test(tests, split_of_a_constant_length_with_a_rest_is_guarded);
    tcase_add_test(tests, split_sinks_below_reduction_loops);
    tcase_add_test(tests, split_of_a_reduction_loop_keeps_its_order);
    tcase_add_test(tests, split_by_a_parameter_is_asserted);
    tcase_add_test(tests, split_round_up);
    tcase_add_test(tests, split_shift_inwards);
    tcase_add_test(tests, fuse_divides_in_index_arithmetic);
    tcase_add_test(tests, fuse_undoes_a_split);
    tcase_add_test(tests, swap_a_reduction_loop_outward);
    tcase_add_test(tests, traverse_says_how_a_loop_runs);
    tcase_add_test(tests, compute_at_takes_the_allocation_along);
    tcase_add_test(tests, store_at_moves_the_allocation_out);
    tcase_add_test(tests, store_root_moves_it_all_the_way);
    tcase_add_test(tests, producers_stand_in_definition_order);
    tcase_add_test(tests, specialize_shares_the_cpu_holes);
    tcase_add_test(tests, compute_at_copies_into_every_branch);
    tcase_add_test(tests, a_specialized_func_moves_as_one_statement);
    tcase_add_test(tests, one_allocation_serves_two_branches);
    tcase_add_test(tests, inline_substitutes_the_arguments);
    tcase_add_test(tests, inlined_funcs_are_gone);
    return run_suite("schedule_transform", tests);
}

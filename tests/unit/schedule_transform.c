/* schedule_transform.c -- each directive's transformation, as the text of the program after it. */
#include "ir/print.h"
#include "lower/lower.h"

#include "schedules.h"

#include <check.h>

/* The program after the schedule; the test fails where it is refused. */
static Program *scheduled(Bench *bench, const char *text, BoundRequests *bounds) {
    Directives primitives = {0};
    Pipeline *pipeline = NULL;
    Program *program = NULL;
    if (schedule_expand(bench->pipeline, bench_schedule(bench, text), bench->arena, &primitives))
        pipeline = schedule_rewrite_algorithm(bench->pipeline, &primitives, bench->arena);
    if (pipeline)
        program = lower_initial(pipeline, bench->arena);
    if (!program || !schedule_apply(program, pipeline, &primitives, SIZE_MAX, bounds)) {
        diag_print_all(bench->context, stderr);
        ck_abort_msg("the schedule is legal");
    }
    return program;
}

/* `part` stands in the text of the program after the schedule. */
static void expect_part(Bench *bench, const char *schedule, const char *part) {
    BoundRequests bounds = {0};
    const char *text = program_text(bench->arena, scheduled(bench, schedule, &bounds));
    if (!strstr(text, part))
        ck_abort_msg("after %s expected\n%s\nin\n%s", schedule, part, text);
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

int main(void) {
    Suite *suite = suite_create("schedule_transform");
    TCase *tests = tcase_create("transform");
    tcase_add_test(tests, figure_1);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

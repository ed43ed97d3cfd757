/* frontend_lowering.c -- whole programs through the passes: which index arithmetic is accepted,
 * which is checked at entry, which is refused; which funcs are lowered at all. */
#include "frontend/frontend.h"
#include "ir/print.h"
#include "lower/lower.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case {
    Context *context;
    Arena *arena;
    const char *text; /* of the program after the last pass asked for; null where it was refused */
} Case;

/* Lowers the only pipeline under the schedule `s`, if there is one. */
static Case lower_text(const char *source, PassId last) {
    Case result = {.context = context_create()};
    result.arena = arena_create(&result.context->memory);
    uint32_t file = context_add_file(result.context, "case.hl", source, strlen(source));
    Module *module = frontend_load(result.context, result.arena, file, NULL, NULL);
    if (!module)
        diag_print_all(result.context, stderr);
    ck_assert_msg(module != NULL, "the front end accepts %s", source);
    Pipeline *pipeline = module->pipelines.data[0];
    Schedule *schedule = module->schedules.length ? module_schedule(module, pipeline, "s") : NULL;
    LowerOptions options = {.last = last, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered = lower(pipeline, schedule, result.arena, &options);
    if (lowered)
        result.text = program_text(result.arena, lowered->program);
    return result;
}

static void case_destroy(Case *test) {
    arena_destroy(test->arena);
    context_destroy(test->context);
}

/* The program is accepted, and its text has `part` (or has not, with `!` before it). */
static void assert_text(const char *source, PassId last, const char *part) {
    Case test = lower_text(source, last);
    if (!test.text)
        diag_print_all(test.context, stderr);
    ck_assert_msg(test.text != NULL, "accepted: %s", source);
    bool absent = part[0] == '!';
    ck_assert_msg(!strstr(test.text, part + absent) == absent, "`%s` in\n%s", part, test.text);
    case_destroy(&test);
}

static void assert_refused(const char *source, DiagCode code) {
    Case test = lower_text(source, PASS_CHECKS);
    ck_assert_ptr_null(test.text);
    ck_assert_int_eq(test.context->reports.data[0].code, code);
    case_destroy(&test);
}

#define READS(PARAMETERS, INDEX)                                                                   \
    "pipeline p(input: image<i32, 1>" PARAMETERS ") -> out {\n"                                    \
    "    fun out(x) = input(clamp(" INDEX ", 0, 9));\n"                                            \
    "}\n"

START_TEST(arithmetic_that_fits_needs_no_check) {
    assert_text(READS(", w: i32", "x * w"), PASS_CHECKS, "!index_range");
    assert_text(READS(", w: u32", "x + w * 3 - 5"), PASS_CHECKS, "!index_range");
    assert_text(READS(", v: i32 in -9..9, w: i16", "x * w * v / 3 % 7"), PASS_CHECKS,
                "!index_range");
    assert_text(READS("", "x * u8(input(x)) * i16(input(x + 1))"), PASS_CHECKS, "!index_range");
}
END_TEST

START_TEST(arithmetic_that_need_not_fit_is_refused) {
    assert_refused(READS("", "x * input(x) * input(x + 1)"), DIAG_INDEX_ARITHMETIC);
}
END_TEST

START_TEST(startup_arithmetic_is_checked_at_entry) {
    /* 9 * 2^31 * 2^31 fits 64 bits no more. */
    assert_text(READS(", v: i32 in -9..9, w: i32", "x * w * v"), PASS_CHECKS, "index_range");
    assert_text(READS(", v: i32, w: i32", "x * w * v"), PASS_CHECKS, "index_range");
    assert_text(READS(", u: i32, v: i32, w: i32", "x + u * v * w"), PASS_CHECKS, "index_range");
    assert_text(READS(", v: i32, w: i32", "x + v * w"), PASS_CHECKS, "!index_range");
}
END_TEST

#define COPIES(DIRECTIVES)                                                                         \
    "pipeline p(input: image<i32, 3>, k: i32) -> out {\n"                                          \
    "    fun f(x, y, c) = input(x, y, c);\n"                                                       \
    "    fun out(x, y, c) = f(x, y, c) + 1;\n"                                                     \
    "}\n"                                                                                          \
    "schedule s for p { " DIRECTIVES " }\n"

START_TEST(split_and_fused_loops_fit) {
    assert_text(COPIES("split(out.x, xo, xi, k);"), PASS_CHECKS, "!index_range");
    assert_text(COPIES("split(out.x, xo, xi, k); split(out.xo, xoo, xoi, k);"), PASS_CHECKS,
                "!index_range");
    assert_text(COPIES("fuse(out.y, v);"), PASS_CHECKS, "!index_range");
    assert_text(COPIES("fuse(out.y, v); split(out.v, vo, vi, k); compute-at(f, out.vo); "
                       "fuse(f.y, v);"),
                PASS_CHECKS, "!index_range");
    /* A row of a fused loop, which a clamp keeps from going far: a quotient by an extent, which is
     * not negative, has its dividend's sign. */
    assert_text("pipeline p() -> out {\n"
                "    fun f(x, c) = i32(x);\n"
                "    fun out(x, y) = f(x, min(y, 0));\n"
                "}\n"
                "schedule s for p { fuse(out.y, v); split(out.v, vo, vi, 64); "
                "compute-at(f, out.vo); align-bounds(f, c, 4, 2); }\n",
                PASS_CHECKS, "!index_range");
    /* The row of a fused loop is less than there are rows. */
    assert_text("pipeline p() -> out {\n"
                "    fun f(x, y) = i32(x) + i32(y);\n"
                "    fun out(x, y) = f(3*y - 4, x);\n"
                "}\n"
                "schedule s for p { fuse(out.y, v); compute-at(f, out.v); store-root(f); }\n",
                PASS_CHECKS, "!index_range");
    /* Three extents below 2^31 can leave 64 bits. */
    assert_text(COPIES("fuse(out.y, v); fuse(out.c, u);"), PASS_CHECKS, "index_range");
}
END_TEST

START_TEST(what_no_output_reaches_is_not_lowered) {
    const char *source =
        "pipeline p(n: i32) -> out {\n"
        "    fun dead(x) = 1;\n"
        "    fun unused(x) = { 0; rdom(r = (0, n)) in (r) <- dead(r); }\n"
        "    fun out(x) = 7;\n"
        "}\n"
        "schedule s for p { split(unused.s0.x, xo, xi, n); parallel(unused.xo);\n"
        "                   compute-at(dead, unused.s1.r); vectorize(out.x, 4); }\n";
    assert_text(source, PASS_SCHEDULE, "!unused");
    assert_text(source, PASS_CHECKS, "!dead");
    assert_text(source, PASS_CHECKS, "!rdom_length");
    assert_text(source, PASS_CHECKS, "!split_factor");
    assert_text(source, PASS_SCHEDULE, "out.s0.x_v in (0, 4) vectorized");
}
END_TEST

#define TILES(CONDITION)                                                                           \
    "pipeline p(input: image<i32, 1>) -> out {\n"                                                  \
    "    require(" CONDITION ", \"whole blocks\");\n"                                              \
    "    fun f(x) = { 0; rdom(r = (0, input.extent(0))) in (r) <- input(r) if r >= 0; }\n"         \
    "    fun out(x) = f(x);\n"                                                                     \
    "}\n"                                                                                          \
    "schedule s for p { split(f.s1.r, ro, ri, 8); }\n"

START_TEST(known_multiples_need_no_guard) {
    assert_text(TILES("input.extent(0) % 8 == 0"), PASS_CHECKS, "then guard");
    assert_text(TILES("input.extent(0) % 8 == 0"), PASS_SIMPLIFY, "!then guard");
    assert_text(TILES("input.extent(0) % 16 == 0"), PASS_SIMPLIFY, "!then guard");
    assert_text(TILES("input.extent(0) % 16 == 8"), PASS_SIMPLIFY, "!then guard");
    assert_text(TILES("input.extent(0) % 8 == 1"), PASS_SIMPLIFY, "then guard");
    assert_text(TILES("input.extent(0) % 12 == 0"), PASS_SIMPLIFY, "then guard");
    assert_text(TILES("input.extent(0) % 8 == 0 || input.extent(0) > 9"), PASS_SIMPLIFY,
                "then guard");
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("lowering");
    tcase_add_test(tests, arithmetic_that_fits_needs_no_check);
    tcase_add_test(tests, arithmetic_that_need_not_fit_is_refused);
    tcase_add_test(tests, startup_arithmetic_is_checked_at_entry);
    tcase_add_test(tests, split_and_fused_loops_fit);
    tcase_add_test(tests, what_no_output_reaches_is_not_lowered);
    tcase_add_test(tests, known_multiples_need_no_guard);
    return run_suite("frontend_lowering", tests);
}

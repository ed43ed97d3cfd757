/* frontend_bounds.c -- what the oracle says to authors: why an index cannot be bounded, in their
 * words, and where each end of a region comes from.
 */
#include "frontend_support.h"

#include "lower/lower.h"

#define ITEMS(TEXT)                                                                                \
    "pipeline p(line: image<i32, 1>, real: image<f32, 1>) -> out {\n"                              \
    "    fun f(x) = line(clamp(x, 0, 9));\n"                                                       \
    "    " TEXT "\n"                                                                               \
    "}\n"

static Lowered *lower_text(const char *text) {
    Module *module = good(text);
    const Pipeline *pipeline = module->pipelines.data[0];
    LowerOptions options = {
        .last = PASS_CHECKS, .directives = SIZE_MAX, .verify = true, .explains = true};
    return lower(pipeline, module->schedules.length ? module->schedules.data[0] : NULL, arena,
                 &options);
}

/* What is printed of the only report has the sentence in it. */
static void check_message(const char *text, DiagCode code, const char *sentence) {
    ck_assert_ptr_null(lower_text(text));
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    diag_print_all(context, out);
    fclose(out);
    ck_assert_msg(context->error_count == 1 && context->reports.data[0].code == code &&
                      strstr(printed, sentence),
                  "%s in\n%s", sentence, printed);
    free(printed);
}

static char *bounds_text(const char *text) {
    Lowered *lowered = lower_text(text);
    if (!lowered)
        diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(lowered);
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    bounds_print(out, context, lowered->pipeline, lowered->bounds);
    fclose(out);
    char *copy = arena_format(arena, "%s", printed);
    free(printed);
    return copy;
}

static void check_bounds(const char *text, const char *part) {
    const char *printed = bounds_text(text);
    ck_assert_msg(strstr(printed, part) != NULL, "%s in\n%s", part, printed);
}

/* ---- refusals ---- */

typedef struct Message {
    DiagCode code;
    const char *text, *sentence;
} Message;

/* A sum of `line` at twelve places, too long to be quoted. */
#define LONG                                                                                       \
    "line(x) + line(x + 1) + line(x + 2) + line(x + 3) + line(x + 4) + line(x + 5) + line(x + 6) " \
    "+ line(x + 7) + line(x + 8) + line(x + 9) + line(x + 10) + line(x + 11)"

static const Message messages[] = {
    {DIAG_UNBOUNDED_READ, ITEMS("fun out(x) = f(line(x));"),
     "line(x) is read from memory and may be any i32"},
    {DIAG_UNBOUNDED_READ, ITEMS("fun out(x) = f(i32(real(x) * 1.5));"),
     "real(x) is read from memory and may be any f32"},
    {DIAG_UNBOUNDED_READ, ITEMS("fun out(x) = f(" LONG ");"), "clamp(it, lower, upper)"},
    {DIAG_UNBOUNDED_READ, ITEMS("fun out(x) = f(line(clamp(" LONG ", 0, 9)));"), "line(..)"},
    {DIAG_UNBOUNDED_READ,
     ITEMS("fun g(y) = { 0; rdom(r = (0, 9)) in (r) <- g(line(r)); } fun out(x) = g(x);"),
     "line(r) is read from memory"},
    {DIAG_UNBOUNDED_WRITE,
     ITEMS("fun g(y) = { 0; rdom(r = (0, 9)) in (line(r)) <- g(line(r)) + 1; }\n"
           "fun h(x) = g(x); fun out(x) = h(x);"),
     "line(r) is read from memory and may be any i32"},
    {DIAG_UNBOUNDED_READ, ITEMS("fun out(x) = f(max(x, 0) | 1);"),
     "max(i32(x), 0) | 1 may be any i32"},
};

START_TEST(unbounded_indices_are_explained) {
    check_message(messages[_i].text, messages[_i].code, messages[_i].sentence);
}
END_TEST

/* ---- provenance ---- */

/* Nine ends that nobody can compare are one. */
START_TEST(many_ends_are_joined) {
    const char *parameters = "", *reads = "0";
    for (int i = 0; i < 10; i++) {
        parameters = arena_format(arena, "%s, k%d: i32 in -9..9", parameters, i);
        reads = arena_format(arena, "%s + f(x + k%d)", reads, i);
    }
    check_bounds(arena_format(arena,
                              "pipeline p(line: image<i32, 1>%s) -> out {\n"
                              "    fun f(x) = line(clamp(x, 0, 9));\n    fun out(x) = %s;\n}\n",
                              parameters, reads),
                 "; read f(x + k8) in out; read f(x + k9) in out, test.hl:3:22");
}
END_TEST

START_TEST(saturated_values_are_bounded) {
    check_bounds(ITEMS("fun g(x) = x; fun out(x) = g(u8_sat(real(x)));"), "x: [0, 255]");
    check_bounds(ITEMS("fun g(x) = x; fun out(x) = g(i8_sat(line(x)));"), "x: [-128, 127]");
}
END_TEST

/* The access is told as the author wrote it; on several lines, as it is understood. */
START_TEST(accesses_are_told_as_written) {
    check_bounds(ITEMS("let g = f; fun out(x) = g(x + 1);"), "read g(x + 1), which is f, in out");
    check_bounds(ITEMS("fun out(x) = f(x\n + 1);"), "read f(x + 1) in out");
    check_bounds(ITEMS("fun g(x) = { 0; (x) <- f(x - 1); } fun out(x) = g(x);"),
                 "read f(x - 1) in g, update 1");
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("bounds");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, unbounded_indices_are_explained, 0,
                        (int)(sizeof messages / sizeof *messages));
    tcase_add_test(tests, many_ends_are_joined);
    tcase_add_test(tests, saturated_values_are_bounded);
    tcase_add_test(tests, accesses_are_told_as_written);
    return run_suite("frontend_bounds", tests);
}

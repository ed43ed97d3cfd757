/* library_moves.c -- what hlc_moves prints is accepted when it is appended, and what it does not
 * print is refused: over all directives that can be made from a program's funcs, loops and words.
 */
#include "library_support.h"

/* A chain with an update over two reduction loops, one with a free dimension, and two readers. */
static const char algorithm[] =
    "pipeline p(in0: image<u8, 2>, w: i32 = 2 in 1..4, flag: bool = true) -> out {\n"
    "    let src = repeat_edge(in0);\n"
    "    fun a(x, y) = u16(src(x, y)) + 1;\n"
    "    fun h(x, y) = { u16(0); rdom(r = (0, 4); q = (-w, 2*w)) in (x, y) <- h(x, y) + a(x + r, y "
    "+ q); }\n"
    "    fun g(x) = { u16(0); rdom(r = (0, 9)) in (x) <- g(x) + u16(src(x, r)); }\n"
    "    fun out(x, y) = h(x, y) + g(x);\n"
    "}\n";

/* Each is a schedule to start from. */
static const char *const starts[] = {
    "",
    "split(out.x, x_o, x_i, 8); swap(h.s0.y);",
    "specialize(h, flag); vectorize(h.z1.s0.x, 8); parallel(out.y);",
    "compute-at(h, out.y); compute-at(a, h.s1.y); store-at(a, out.y);",
    "bound(out, y, 0, 4); unroll(out.y); compute-at(g, out.x);",
    "vectorize(out.x, 4, round-up); compute-at(h, out.x_o); compute-at(a, h.s1.x);",
};
enum { STARTS = sizeof starts / sizeof *starts };

static char *source(const char *start, const char *more) {
    char *text;
    ck_assert_int_ge(asprintf(&text, "%sschedule s for p { %s %s }\n", algorithm, start, more), 0);
    return text;
}

static char *captured(hlc *h, hlc_status (*print)(hlc *, FILE *)) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    hlc_status status = print(h, out);
    fclose(out);
    if (status != HLC_YES)
        hlc_print_diagnostics(h, stderr);
    ck_assert_int_eq(status, HLC_YES);
    return text;
}

static hlc_status print_moves(hlc *h, FILE *out) {
    return hlc_moves(h, NULL, "s", false, out);
}

static char *moves_of(const char *start) {
    char *text = source(start, "");
    hlc *h = load_text(text);
    char *moves = captured(h, print_moves);
    hlc_destroy(h);
    free(text);
    return moves;
}

/* Does the compiler accept the schedule with this directive behind it? */
static bool is_accepted(const char *start, const char *directive) {
    char *text = source(start, directive);
    hlc *h = hlc_create();
    bool accepted = false;
    char *printed = NULL;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    hlc_lower_options options = {.after = "slide", .until = -1}; /* E0518 is found there */
    if (hlc_load_text(h, "m.hl", text, strlen(text), NULL, NULL) == HLC_YES)
        accepted = hlc_lower(h, NULL, "s", &options, out) == HLC_YES;
    fclose(out);
    free(printed);
    hlc_destroy(h);
    free(text);
    return accepted;
}

static bool is_line_of(const char *lines, const char *line) {
    size_t length = strlen(line);
    for (const char *at = lines; (at = strstr(at, line)); at++)
        if ((at == lines || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

START_TEST(what_is_printed_is_accepted) {
    char *moves = moves_of(starts[_i]);
    int count = 0;
    for (char *line = strtok(moves, "\n"); line; line = strtok(NULL, "\n"), count++)
        ck_assert_msg(is_accepted(starts[_i], line), "after `%s`, refused: %s", starts[_i], line);
    ck_assert_int_gt(count, 100);
    free(moves);
}
END_TEST

static const char *const funcs[] = {"a", "h", "g", "out"};
static const char *const loops[] = {
    "a.s0.x", "a.s0.y", "a.s0.x_o",    "h.s0.x",      "h.s0.y",     "h.s1.x",     "h.s1.y",
    "h.s1.r", "h.s1.q", "h.z1.s0.x_o", "h.z1.s0.x_v", "h.z1.s0.y",  "h.z1.s1.r",  "g.s0.x",
    "g.s1.x", "g.s1.r", "out.s0.x",    "out.s0.y",    "out.s0.x_o", "out.s0.x_i", "out.s0.x_v"};
enum { FUNCS = 4, LOOPS = sizeof loops / sizeof *loops };

/* Moves that would change nothing are not printed, but are no mistake. */
static bool changes_nothing(const char *start, const char *directive) {
    static const char *const serial = ", serial);";
    size_t length = strlen(directive), ending = strlen(serial);
    return (length > ending && strcmp(directive + length - ending, serial) == 0) ||
           (strstr(start, "parallel(out.y)") && strstr(directive, "(out.s0.y, parallel)")) ||
           (strstr(start, "parallel(out.y)") && strstr(directive, "parallel(out.s0.y)")) ||
           (strstr(start, "unroll(out.y)") && strstr(directive, "unroll")) ||
           strstr(directive, "x_v, vectorized)") || strstr(directive, "vectorize(out.s0.x_v)") ||
           strstr(directive, "vectorize(h.z1.s0.x_v)");
}

static void compare(const char *start, const char *moves, const char *directive) {
    bool printed = is_line_of(moves, directive), accepted = is_accepted(start, directive);
    if (printed || !changes_nothing(start, directive))
        ck_assert_msg(printed == accepted, "after `%s`, %s and %s: %s", start,
                      printed ? "printed" : "not printed", accepted ? "accepted" : "refused",
                      directive);
}

#define compare_format(start, moves, ...)                                                          \
    do {                                                                                           \
        char directive_[200];                                                                      \
        snprintf(directive_, sizeof directive_, __VA_ARGS__);                                      \
        compare((start), (moves), directive_);                                                     \
    } while (0)

/* Every directive of one func, of one loop, of a func and a loop, of two loops. */
START_TEST(what_is_not_printed_is_refused) {
    static const char *const of_funcs[] = {"inline", "compute-root", "store-root"};
    static const char *const of_loops[] = {"swap", "vectorize", "unroll", "parallel"};
    static const char *const traversals[] = {"serial", "parallel", "vectorized", "unrolled"};
    static const char *const levels[] = {"compute-at", "store-at"};
    static const char *const tails[] = {"", ", round-up", ", shift-inwards"};
    const char *start = starts[_i];
    char *moves = moves_of(start);
    for (int f = 0; f < FUNCS; f++) {
        for (int k = 0; k < 3; k++)
            compare_format(start, moves, "%s(%s);", of_funcs[k], funcs[f]);
        compare_format(start, moves, "specialize(%s, flag);", funcs[f]);
        compare_format(start, moves, "bound(%s, y, 0, 4);", funcs[f]);
        for (int l = 0; l < LOOPS; l++)
            for (int k = 0; k < 2; k++)
                compare_format(start, moves, "%s(%s, %s);", levels[k], funcs[f], loops[l]);
    }
    for (int l = 0; l < LOOPS; l++) {
        for (int k = 0; k < 4; k++) {
            compare_format(start, moves, "%s(%s);", of_loops[k], loops[l]);
            compare_format(start, moves, "traverse(%s, %s);", loops[l], traversals[k]);
        }
        for (int t = 0; t < 3; t++) {
            compare_format(start, moves, "parallel(%s, 4%s);", loops[l], tails[t]);
            compare_format(start, moves, "unroll(%s, 32%s);", loops[l], tails[t]);
            compare_format(start, moves, "vectorize(%s, 8%s);", loops[l], tails[t]);
        }
    }
    free(moves);
}
END_TEST

static hlc_status print_json(hlc *h, FILE *out) {
    return hlc_moves(h, NULL, "s", true, out);
}

START_TEST(json_says_the_same) {
    char *moves = moves_of(""), *text = source("", "");
    hlc *h = load_text(text);
    char *json = captured(h, print_json);
    int lines = 0, objects = 0;
    for (const char *at = moves; (at = strchr(at, '\n')); at++)
        lines++;
    for (const char *at = json; (at = strstr(at, "{\"directive\":\"")); at++)
        objects++;
    ck_assert_int_eq(lines, objects);
    ck_assert_ptr_nonnull(
        strstr(json, "\"kind\":\"split\",\"phase\":\"loops\",\"func\":\"out\"}\n"));
    hlc_destroy(h);
    free(json);
    free(text);
    free(moves);
}
END_TEST

START_TEST(a_schedule_that_is_refused_has_no_moves) {
    char *text = source("swap(out.x);", "");
    hlc *h = load_text(text);
    FILE *out = tmpfile();
    ck_assert_int_eq(hlc_moves(h, NULL, "s", false, out), HLC_USER);
    ck_assert_int_eq(ftell(out), 0);
    expect_diagnostic(h, "E0514");
    fclose(out);
    hlc_destroy(h);
    free(text);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("moves");
    tcase_add_loop_test(tests, what_is_printed_is_accepted, 0, STARTS);
    tcase_add_loop_test(tests, what_is_not_printed_is_refused, 0, STARTS);
    tcase_add_test(tests, json_says_the_same);
    tcase_add_test(tests, a_schedule_that_is_refused_has_no_moves);
    tcase_set_timeout(tests, 120);
    return run_suite("library moves", tests);
}

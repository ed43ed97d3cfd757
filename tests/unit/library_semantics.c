/* library_semantics.c -- where systems of this kind are known to break: a program each in
 * tests/semantics/, whose head says what a naive compiler gives.
 *
 * Each runs under all its schedules and the empty one, by the target interpreter in each order and
 * in both readings, and compiled with two levels of optimisation; all must give what the reference
 * gives.  Lines of a program's head:
 *
 *     //! n=3 f=5                   these arguments
 *     //! n=-3 f=5 => text          these are refused by everyone, and the refusal says `text`
 *     //= f(2) n=3 => 11, not 2     the reference's value of a point, and the naive one, which
 *                                   differs
 *     //- name E0604                (refused/) this schedule is refused with this code
 */
#include "tests/unit/library_support.h"
#include "tests/unit/share.h"

#include <glob.h>

enum { LONGEST_LINE = 512 };

/* One line of a program's head, without what it begins with. */
typedef struct Line {
    char kind; /* '!', '=', '-' */
    char text[LONGEST_LINE];
    char *wanted; /* behind the arrow, or null */
} Line;

static bool next_line(FILE *file, Line *line) {
    char text[LONGEST_LINE];
    while (fgets(text, sizeof text, file)) {
        if (strncmp(text, "//", 2) != 0)
            return false;
        if (!strchr("!=-", text[2]) || text[3] != ' ')
            continue;
        text[strcspn(text, "\n")] = 0;
        line->kind = text[2];
        snprintf(line->text, sizeof line->text, "%s", text + 4);
        line->wanted = strstr(line->text, " => ");
        if (line->wanted) {
            *line->wanted = 0;
            line->wanted += 4;
        }
        return true;
    }
    return false;
}

static hlc *load(const char *path) {
    hlc *h = hlc_create();
    ck_assert_ptr_nonnull(h);
    if (hlc_load(h, path) != HLC_YES) {
        hlc_print_diagnostics(h, stderr);
        ck_abort_msg("%s does not load", path);
    }
    return h;
}

/* `a=1 b=2` */
static hlc_arguments *bind(hlc *h, const char *text) {
    char copy[LONGEST_LINE], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_ptr_nonnull(a);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(word, '=');
        ck_assert_ptr_nonnull(equals);
        *equals = 0;
        ck_assert_msg(hlc_arguments_set(a, word, equals + 1) == HLC_YES, "%s: %s", word,
                      hlc_first_message(h));
    }
    return a;
}

/* ---- runs ---- */

/* One way of running a pipeline. */
typedef struct Way {
    const char *name;
    hlc_machine machine;
    hlc_interpreter interpreter;
} Way;

static const Way WAYS[] = {
    {"forward", HLC_TARGET, {HLC_ORDER_FORWARD, 1, false, false}},
    {"backward", HLC_TARGET, {HLC_ORDER_BACKWARD, 2, false, false}},
    {"interleaved", HLC_TARGET, {HLC_ORDER_INTERLEAVED, 3, false, false}},
    {"compiled", HLC_COMPILED, {HLC_ORDER_FORWARD, 1, false, false}},
};

typedef struct Case {
    const char *path;
    const Line *line;
    int runs;
} Case;

/* The outputs' elements one after another (images are dense after a run), or the first message of a
 * refusal. */
static char *run(const Case *c, const char *schedule, const Way *way, size_t *size) {
    hlc *h = load(c->path);
    hlc_code code = {.optimize = c->runs / 4 % 2 ? 2 : 0};
    ck_assert_int_eq(hlc_set_code(h, &code), HLC_YES);
    hlc_set_interpreter(h, &way->interpreter);
    hlc_arguments *a = bind(h, c->line->text);
    hlc_status status = hlc_run(a, schedule, way->machine);
    char *text;
    FILE *out = open_memstream(&text, size);
    for (size_t i = 0; status == HLC_YES && i < hlc_arguments_output_count(a); i++) {
        const hlc_image *image = hlc_arguments_output(a, i);
        size_t bytes = (size_t)(image->bits + 7) / 8;
        for (int d = 0; d < image->dimensions; d++)
            bytes *= (size_t)image->extent[d];
        if (bytes)
            fwrite(image->data, 1, bytes, out);
    }
    fputs(status == HLC_YES ? "" : hlc_first_message(h), out);
    fclose(out);
    ck_assert_msg(status == HLC_YES || status == HLC_USER, "%s %s, %s %s: a fault: %s", c->path,
                  c->line->text, schedule ? schedule : "", way->name, text);
    ck_assert_msg((status == HLC_YES) == !c->line->wanted, "%s %s, %s %s: %s", c->path,
                  c->line->text, schedule ? schedule : "", way->name,
                  status == HLC_YES ? "not refused" : text);
    hlc_destroy(h);
    return text;
}

static void expect_same(Case *c, const char *schedule, const Way *way, const char *expected,
                        size_t expected_size) {
    size_t size;
    char *got = run(c, schedule, way, &size);
    c->runs++;
    if (c->line->wanted)
        ck_assert_msg(strstr(got, c->line->wanted), "%s %s, %s %s: %s", c->path, c->line->text,
                      schedule ? schedule : "", way->name, got);
    else
        ck_assert_msg(size == expected_size && memcmp(got, expected, size) == 0,
                      "%s %s, %s %s: other points than the reference's", c->path, c->line->text,
                      schedule ? schedule : "", way->name);
    free(got);
}

static void run_everywhere(Case *c) {
    static const Way reference = {"reference", HLC_REFERENCE, {HLC_ORDER_FORWARD, 1, 0, 0}};
    hlc *h = load(c->path);
    size_t size;
    char *expected = run(c, NULL, &reference, &size);
    if (c->line->wanted)
        ck_assert_msg(strstr(expected, c->line->wanted), "%s %s: %s", c->path, c->line->text,
                      expected);
    for (size_t s = 0; s <= hlc_schedule_count(h); s++)
        for (size_t w = 0; w < sizeof WAYS / sizeof *WAYS; w++)
            expect_same(c, s ? hlc_schedule_name(h, s - 1) : NULL, &WAYS[w], expected, size);
    free(expected);
    hlc_destroy(h);
}

/* ---- values ---- */

static void expect_value(const char *path, Line *line) {
    char *naive = strstr(line->wanted, ", not ");
    ck_assert_msg(naive, "%s: a value comes with the naive one", path);
    *naive = 0;
    ck_assert_str_ne(line->wanted, naive + strlen(", not "));
    char *end = strchr(line->text, ')'), point[80];
    ck_assert_ptr_nonnull(end);
    int component = end[1] == '.' ? end[2] - '0' : -1;
    snprintf(point, sizeof point, "%.*s", (int)(end + 1 - line->text), line->text);
    hlc *h = load(path);
    hlc_arguments *a = bind(h, end + (component < 0 ? 1 : 3));
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    hlc_status status = hlc_eval(a, point, NULL, out);
    fclose(out);
    ck_assert_msg(status == HLC_YES, "%s %s: %s", path, point, hlc_first_message(h));
    char *value = text, *rest = text + (component >= 0);
    value[strcspn(value, "\n")] = 0;
    for (int c = 0; c <= component; c++)
        value = strtok_r(rest, ",}", &rest);
    value += component > 0;
    ck_assert_msg(strcmp(value, line->wanted) == 0, "%s %s: %s, not %s", path, point, value,
                  line->wanted);
    free(text);
    hlc_destroy(h);
}

/* ---- refusals ---- */

static void expect_refusal(const char *path, const Line *line) {
    char schedule[80], code[16];
    ck_assert_int_eq(sscanf(line->text, "%79s %15s", schedule, code), 2);
    hlc *h = load(path);
    FILE *out = tmpfile();
    ck_assert_int_eq(hlc_lower(h, NULL, schedule, NULL, out), HLC_USER);
    fclose(out);
    ck_assert_msg(strcmp(hlc_diagnostic_at(h, 0).code, code) == 0, "%s %s: %s, not %s", path,
                  schedule, hlc_diagnostic_at(h, 0).code, code);
    hlc_destroy(h);
}

/* ---- all programs ---- */

static int drawn; /* lines that might be run so far */

/* The lines of a program; how many runs were compared. */
static int look_at(const char *path, int *lines) {
    Line line;
    Case c = {.path = path, .line = &line};
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    for (*lines = 0; next_line(file, &line); ++*lines)
        if (line.kind == '=')
            expect_value(path, &line);
        else if (line.kind == '-')
            expect_refusal(path, &line);
        else if (drawn++ % share() == 0)
            run_everywhere(&c);
    fclose(file);
    return c.runs;
}

static int look_at_all(const char *pattern) {
    glob_t found;
    int runs = 0, with_lines = 0;
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int lines;
        runs += look_at(found.gl_pathv[i], &lines);
        with_lines += lines > 0;
    }
    globfree(&found);
    ck_assert_int_gt(with_lines, 3);
    return runs;
}

START_TEST(schedules_change_nothing_where_naive_ones_do) {
    ck_assert_int_gt(look_at_all(TEST_SOURCE_DIR "/semantics/*.hl"), 900 / share());
}
END_TEST

START_TEST(what_would_change_a_value_is_refused) {
    look_at_all(TEST_SOURCE_DIR "/semantics/refused/*.hl");
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("semantics");
    tcase_add_test(cases, schedules_change_nothing_where_naive_ones_do);
    tcase_add_test(cases, what_would_change_a_value_is_refused);
    tcase_set_timeout(cases, 600);
    return run_suite("library_semantics", cases);
}

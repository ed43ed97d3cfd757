/* frontend_refusals.c -- where a diagnostic has several occasions: each occasion with its code and
 * exact place.  (One program for each code is in tests/error/.)  `@` in a program is where the
 * report must point; it is not part of it.
 */
#include "frontend_support.h"

#include "lower/lower.h"

typedef struct Refusal {
    const char *code,
        *text; /* which may end with `// limit NAME VALUE`, a field of Context.limits */
} Refusal;

/* The items of a pipeline, the rest around them. */
#define ITEMS(TEXT)                                                                                \
    "pipeline p(input: image<u8, 2>, line: image<i32, 1>, k: i32 = 3, b: bool = true) -> out {\n"  \
    "    " TEXT "\n"                                                                               \
    "}\n"
/* What `out(x)` is. */
#define OUT(TEXT) ITEMS("fun out(x) = " TEXT ";")
/* A schedule's only directive. */
#define SCHEDULE(DIRECTIVE)                                                                        \
    ITEMS("fun f(x) = 1; fun out(x) = f(x);") "schedule s for p { " DIRECTIVE " }\n"

static void check_refusal(const Refusal *refusal) {
    const char *mark = strchr(refusal->text, '@');
    ck_assert_msg(mark && !strchr(mark + 1, '@'), "one place: %s", refusal->text);
    unsigned line = 1, column = 1;
    for (const char *at = refusal->text; at < mark; at++)
        *at == '\n' ? (line++, column = 1) : column++;
    const char *limit = strstr(mark, "// limit ");
    char name[32];
    size_t most;
    if (limit)
        ck_assert(sscanf(limit, "// limit %31s %zu", name, &most) == 2 &&
                  context_set_limit(context, name, most));
    Module *module =
        load(arena_format(arena, "%.*s%s", (int)(mark - refusal->text), refusal->text, mark + 1));
    if (module) {
        const Pipeline *pipeline = module->pipelines.data[0];
        LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX, .verify = true};
        lower(pipeline, module->schedules.length ? module->schedules.data[0] : NULL, arena,
              &options);
    }
    const Report *report = context->reports.data;
    if (context->error_count == 1 && !strcmp(diag_info(report->code)->code, refusal->code) &&
        report->place.line == line && report->place.column == column)
        return;
    diag_print_all(context, stderr);
    ck_abort_msg("%s at %u:%u, and nothing else: %s", refusal->code, line, column, refusal->text);
}

#define REFUSALS(NAME, ...)                                                                        \
    static const Refusal NAME##_rows[] = {__VA_ARGS__};                                            \
    START_TEST(NAME) {                                                                             \
        check_refusal(&NAME##_rows[_i]);                                                           \
    }                                                                                              \
    END_TEST

REFUSALS(calls, {"E0411", OUT("@line(x, x, x, x, x, x, x, x, x, x, x, x)")},
         {"E0324", OUT("@repeat_edge()(x)")}, {"E0324", OUT("@constant_exterior(line)(x)")},
         {"E0211", OUT("(1 @+ 2)(x)")}, {"E0211", OUT("@x(x)")},
         {"E0211", OUT("repeat_edge((@1))(x)")},
         {"E0310",
          ITEMS("let h(x) = line(x) * 2; fun out(x) = @repeat_edge(h, (0, 9), (0, 9))(x, x);")},
         {"E0301", OUT("@clamp(line(x), b, 3)")}, {"E0214", OUT("input.extent(@k)")},
         {"E0214", OUT("input.extent(@2)")}, {"E0214", OUT("@line.height")})

REFUSALS(tables, {"E0315", OUT("[1, 2][x][@0]")}, {"E0301", OUT("@[1, b][x]")},
         {"E0305", OUT("line(@b << 1)")})

REFUSALS(tuples, {"E0313", ITEMS("fun f(x) = @select(b, {1, 2}, {1, 2, 3}); fun out(x) = f(x).0;")},
         {"E0313", ITEMS("fun f(x): {i32, i32} = @1; fun out(x) = f(x).0;")},
         {"E0210", OUT("1 + @argmin(r in (0, 9)) line(r)")}, {"E0210", OUT("1 + @(0, 9)")},
         {"E0210", OUT("1 + @{1, 2}")})

/* The equations of a recurrence over i. */
#define EQUATIONS(TEXT) ITEMS("recurrence(i = (0, 5)) { " TEXT " } fun out(x) = line(x);")

REFUSALS(recurrences,
         {"E0424", EQUATIONS("fun @f(i): i32 = select(b, f(i - 1) + 1, f(i - 1) + f(i - 2));")},
         {"E0424", EQUATIONS("fun @f(i): i32 = select(b, f(i - 1) + 1, f(i - 2));")},
         {"E0424", EQUATIONS("fun @f(i): {i32, i32} = {1, f(i - 1).1};")})

REFUSALS(reductions, {"E0410", OUT("sum(r in (0, 9), @r in (0, 9)) line(r)")},
         {"E0950", OUT("sum(q in (0, 9), @r in (0, 9)) line(r)") "// limit loops 9"},
         {"E0314",
          OUT("(@argmin(q in (0, 9), r in (0, 9)) line(q + r)).0") "// limit tuple_elements 2"},
         {"E0908",
          OUT("(sum(r in (0, 9)) line(r)) + (@sum(r in (0, 9)) line(r + 1))") "// limit funcs 1"},
         {"E0910", ITEMS("fun f(a, c, d, e, g, h, i, j) = sum(r in (0, 9))\n"
                         "    (@sum(s in (0, 9)) (line(a + c + d + e + g + h + i + j + r + s)));\n"
                         "fun out(x) = f(x, x, x, x, x, x, x, x);")},
         {"E0307", OUT("@sum(r in (0, 9)) b")})

REFUSALS(syntax, {"E0102", ITEMS("fun out(x) = { 0; (x) <- 1 if @; }")},
         {"E0102", OUT("saturating_cast<u8> @x")},
         {"E0902", OUT("(b ? (1 + (@2)) : 2)") "// limit nesting 5"})

REFUSALS(names, {"E0205", "pipeline p(@clamp: i32) -> out { fun out(x) = 1; }"},
         {"E0204", "pipeline p(a: i32, @a: i32) -> out { fun out(x) = 1; }"})

REFUSALS(directives, {"E0210", SCHEDULE("split(out.x, xo, xi, @<out, s0, x>);")},
         {"E0552", SCHEDULE("vectorize(@<out, s0, x, y, z, w>, 4);")},
         {"E0552", SCHEDULE("vectorize((1 @+ 2), 4);")})

REFUSALS(
    schedules, {"E0502", SCHEDULE("inline(f); bound(@f, x, 0, 9);")},
    {"E0502", SCHEDULE("inline(f); specialize(@f, b);")},
    {"E0502", SCHEDULE("inline(f); store-at(@f, out.x);")}, {"E0529", SCHEDULE("inline(@out);")},
    {"E0503", SCHEDULE("store-at(f, @out.zz);")}, {"E0503", SCHEDULE("fuse(@out.zz, v);")},
    {"E0503", SCHEDULE("swap(@out.zz);")}, {"E0503", SCHEDULE("traverse(@out.zz, parallel);")},
    {"E0503", SCHEDULE("split(@out.zz, a, c, 4);")},
    {"E0205", SCHEDULE("split(out.x, @max, c, 4);")},
    {"E0205", SCHEDULE("split(out.x, a, @i32, 4);")}, {"E0205", SCHEDULE("wrap(f, out, @select);")},
    {"E0503", SCHEDULE("tile(@out.zz, out.x, a, c, d, e, 4, 4);")},
    {"E0503", SCHEDULE("tile(out.x, @out.zz, a, c, d, e, 4, 4);")},
    {"E0535", SCHEDULE("tile(out.x, @out.x, a, c, d, e, 4, 4);")},
    {"E0507", ITEMS("fun out(x, y) = x;") "schedule s for p { tile(out.x, out.y, a, c, @a, e, 4, "
                                          "4); }\n"},
    {"E0507",
     SCHEDULE("split(out.x, xo, xi, 8); split(out.xo, xi_p, q, 2); parallel(@out.xi, 4);")},
    {"E0503", ITEMS("fun f() = 1; fun out(x) = f();") "schedule s for p { vectorize(@f.x, 4); }\n"},
    {"E0952", ITEMS("fun g(y) = line(y) + line(y + 1) + line(y + 2) + line(y + 3);\n"
                    "fun out(y) = { 0; @rdom(r = (0, 9)) in (clamp(g(r) * g(r + 1), 0, 9)) <- 1; "
                    "};") "schedule s for p { inline(g); }\n// limit expression_nodes 18"})

REFUSALS(counts, {"E0913", OUT("1") "schedule s for p { }\nschedule @t for p { }\n"
                                    "// limit funcs 1"})

/* ---- more than a line ---- */

/* Each helper has two components; a chain of them is nesting that no line of the text has. */
START_TEST(chains_of_helpers_are_nesting) {
    const char *text = "let h0(x) = {x, x};\n";
    for (int i = 1; i < 40; i++)
        text = arena_format(arena, "%slet h%d(x) = h%d(x);\n", text, i, i - 1);
    text = arena_format(arena, "%sfun f(x) = h39(1); fun out(x) = f(x).0;", text);
    context_set_limit(context, "nesting", 10);
    check_refused(arena_format(arena, "pipeline p() -> out {\n%s}\n", text), "E0903");
    ck_assert_uint_eq(context->error_count, 1);
}
END_TEST

/* The same with boundary conditions. */
START_TEST(chains_of_boundaries_are_nesting) {
    const char *text = "let b0 = repeat_edge(input);\n";
    for (int i = 1; i < 40; i++)
        text = arena_format(arena, "%slet b%d = repeat_edge(b%d, (0, 9));\n", text, i, i - 1);
    context_set_limit(context, "nesting", 10);
    check_refused(
        arena_format(arena, "pipeline p(input: image<u8, 1>) -> out {\n%sfun out(x) = b39(x);}\n",
                     text),
        "E0903");
    ck_assert_uint_eq(context->error_count, 1);
}
END_TEST

START_TEST(a_boundary_may_stand_around_a_helper) {
    good(ITEMS("let h(x) = line(x) * 2; fun out(x) = repeat_edge(h, (0, 9))(x);"));
    check_stage(good(ITEMS("let h(x) = x * 2; fun out(x) = mirror_image(h, (0, 1))(x);")), "out", 0,
                "(x) <- i32(max(min(min(1 - (x - 0) % 2, (x - 0) % 2) + 0, 0), 0))*2:i32");
}
END_TEST

START_TEST(lets_of_a_func_may_have_parameters) {
    check_stage(good(OUT("{ let h(t) = t * 2; h(x) + h(k); }")), "out", 0,
                "(x) <- i32(x)*2:i32 + k*2:i32");
}
END_TEST

/* Equal sums are one func; those that differ in anything are not. */
START_TEST(equal_reductions_are_one_func) {
    static const struct {
        const char *text;
        size_t funcs; /* with out */
    } rows[] = {
        {OUT("(sum(r in (0, 9)) line(r + x)) + (sum(r in (0, 9)) line(r + x))"), 2},
        {OUT("(sum(r in (0, 9)) line(r + x)) + (maximum(r in (0, 9)) line(r + x))"), 3},
        {OUT("(sum(r in (0, 9)) line(r + x)) + (sum(r in (0, 8)) line(r + x))"), 3},
        {OUT("(sum(r in (0, 9)) line(r + x)) + (sum(r in (1, 9)) line(r + x))"), 3},
        {OUT("(sum(r in (0, 9)) line(x)) + (sum(s in (0, 9)) line(x))"), 3},
        {OUT("(sum(r in (0, 9)) line(r + x)) + (sum(r in (0, 9), s in (0, 9)) line(r + x))"), 3},
        {ITEMS("fun f(x, y) = sum(r in (0, 9)) input(r + x, y);\n"
               "fun g(y, x) = sum(r in (0, 9)) input(r + x, y);\n"
               "fun out(x) = f(x, x) + g(x, x);"),
         5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Module *module = good(rows[i].text);
        ck_assert_msg(module->pipelines.data[0]->funcs.length == rows[i].funcs, "%zu funcs: %s",
                      module->pipelines.data[0]->funcs.length, rows[i].text);
    }
}
END_TEST

START_TEST(a_pipeline_may_have_no_outputs) {
    ck_assert_uint_eq(good("pipeline p() -> () { }")->pipelines.data[0]->signature.outputs.length,
                      0);
}
END_TEST

/* In the head of a recurrence, and where an equation has it. */
START_TEST(a_domain_may_not_hide_a_parameter) {
    check_refused(
        "pipeline p(k: i32) -> f {\n"
        "    recurrence(k = (0, 5)) { fun f(k): i32 = select(k == 0, 1, f(k - 1)); }\n}\n",
        "E0406");
    ck_assert_uint_eq(context->error_count, 2);
    ck_assert_uint_eq(context->reports.data[0].place.line, 2);
    ck_assert_uint_eq(context->reports.data[0].place.column, 16);
}
END_TEST

static const char *read_other(void *data, Arena *into, const char *path, size_t *length) {
    (void)into;
    static const char text[] = "let two = 2;\n";
    *length = sizeof text - 1;
    return strcmp(path, data) == 0 ? text : NULL;
}

/* `.` and `..` are taken out of the paths of imports, and a file is read once. */
START_TEST(paths_of_imports_are_resolved) {
    static const struct {
        const char *from, *path, *wanted;
    } rows[] = {{"test.hl", "other.hl", "other.hl"},
                {"a/test.hl", "./other.hl", "a/other.hl"},
                {"a/test.hl", "b/../other.hl", "a/other.hl"},
                {"a/test.hl", "../other.hl", "other.hl"},
                {"a/test.hl", "../../other.hl", "../other.hl"},
                {"/a/test.hl", "../../other.hl", "/other.hl"},
                {"a/test.hl", "/b//./other.hl", "/b/other.hl"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = arena_format(arena,
                                        "import \"%s\";\nimport \"%s\";\n"
                                        "pipeline p() -> out { fun out(x) = two; }\n",
                                        rows[i].path, rows[i].path);
        uint32_t file = context_add_file(context, rows[i].from, text, strlen(text));
        if (!frontend_load(context, arena, file, read_other, (void *)rows[i].wanted)) {
            diag_print_all(context, stderr);
            ck_abort_msg("%s from %s is %s", rows[i].path, rows[i].from, rows[i].wanted);
        }
    }
}
END_TEST

#define ADD(TESTS, NAME)                                                                           \
    tcase_add_loop_test(TESTS, NAME, 0, (int)(sizeof NAME##_rows / sizeof *NAME##_rows))

int main(void) {
    TCase *tests = tcase_create("refusals");
    tcase_add_checked_fixture(tests, setup, teardown);
    ADD(tests, calls);
    ADD(tests, tables);
    ADD(tests, tuples);
    ADD(tests, recurrences);
    ADD(tests, reductions);
    ADD(tests, syntax);
    ADD(tests, names);
    ADD(tests, directives);
    ADD(tests, schedules);
    ADD(tests, counts);
    tcase_add_test(tests, chains_of_helpers_are_nesting);
    tcase_add_test(tests, chains_of_boundaries_are_nesting);
    tcase_add_test(tests, a_boundary_may_stand_around_a_helper);
    tcase_add_test(tests, lets_of_a_func_may_have_parameters);
    tcase_add_test(tests, equal_reductions_are_one_func);
    tcase_add_test(tests, a_pipeline_may_have_no_outputs);
    tcase_add_test(tests, a_domain_may_not_hide_a_parameter);
    tcase_add_test(tests, paths_of_imports_are_resolved);
    return run_suite("frontend_refusals", tests);
}

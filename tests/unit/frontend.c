/* Tests of frontend/: the program of docs/language.md, funcs and schedules as the algorithm has
 * them. */
#include "frontend/frontend.h"
#include "ir/print.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Arena *arena;

static void setup(void) {
    context = context_create();
    arena = arena_create(&context->memory);
}

static void teardown(void) {
    arena_destroy(arena);
    context_destroy(context);
}

static const char *read_file(void *data, Arena *into, const char *path, size_t *length) {
    (void)data;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    enum { MOST = 1 << 20 };
    char *text = arena_allocate(into, MOST);
    *length = fread(text, 1, MOST - 1, file);
    fclose(file);
    return text;
}

static Module *load(const char *text) {
    uint32_t file = context_add_file(context, "test.hl", text, strlen(text));
    return frontend_load(context, arena, file, read_file, NULL);
}

/* Loads what must be right. */
static Module *good(const char *text) {
    Module *module = load(text);
    if (!module)
        diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(module);
    return module;
}

/* Stage `number` of the func as text: `(indices) <- values if predicate`. */
static char *stage_text(const Module *module, const char *func_name, size_t number) {
    const Pipeline *pipeline = module->pipelines.data[0];
    const Func *func = pipeline_func(pipeline, context_symbol(context, func_name));
    ck_assert_ptr_nonnull(func);
    ck_assert_uint_lt(number, func->stages.length);
    const Stage *stage = func->stages.data[number];
    char *text = arena_format(arena, "(");
    for (int i = 0; i < func->shape->dimensions; i++)
        text =
            arena_format(arena, "%s%s%s", text, i ? ", " : "", expr_text(arena, stage->indices[i]));
    text = arena_format(arena, "%s) <-", text);
    for (int i = 0; i < func->shape->components; i++)
        text =
            arena_format(arena, "%s%s %s", text, i ? "," : "", expr_text(arena, stage->values[i]));
    if (stage->predicate)
        text = arena_format(arena, "%s if %s", text, expr_text(arena, stage->predicate));
    return text;
}

#define check_stage(module, func, number, text)                                                    \
    ck_assert_str_eq(stage_text((module), (func), (number)), (text))

START_TEST(program_of_the_language_page) {
    size_t length;
    const char *path = TEST_SOURCE_DIR "/../examples/blur.hl";
    const char *text = read_file(NULL, arena, path, &length);
    ck_assert_ptr_nonnull(text);
    Module *module = good(text);
    ck_assert_uint_eq(module->pipelines.length, 1);
    ck_assert_uint_eq(module->schedules.length, 2);
    check_stage(module, "g", 1, "(x, y) <- f[r + x, y] + g[x, y]");
    check_stage(module, "out", 0, "(x, y) <- u8(h[x, y]/((w*2:i32 + 1:i32)*(w*2:i32 + 1:i32)))");
    const Schedule *tiled = module_schedule(module, module->pipelines.data[0], "tiled");
    ck_assert_ptr_nonnull(tiled);
    ck_assert_uint_eq(tiled->directives.length, 6);
    static const char *const lines[] = {
        "split(h.s1.x, xo, xi, 256)",  "split(h.s1.y, yo, yi, 32)", "swap(h.s1.yi)",
        "traverse(h.s1.yo, parallel)", "compute-at(g, h.s1.xo)",    "store-at(g, h.s1.xo)"};
    for (size_t i = 0; i < 6; i++)
        ck_assert_str_eq(directive_text(arena, &tiled->directives.data[i]), lines[i]);
    ck_assert_uint_eq(module_schedule(module, module->pipelines.data[0], "fast")->directives.length,
                      8);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("frontend");
    TCase *tests = tcase_create("programs");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, program_of_the_language_page);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

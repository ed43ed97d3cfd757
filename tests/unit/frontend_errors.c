/* Runs tests/error/CODE.hl, and CODE.ir in the text form: each must be refused with exactly the
 * errors that its comments expect.
 *
 *   // expect E0401 at 4:13        one error, by code, line and column; all of them are listed
 *   // expect E0206 at 1:8 in other.hl    the same in an imported file
 *   // among others                there may be more errors than those listed
 *   // limit nesting 20            sets a field of Context.limits first
 *   // warnings                    asks for warnings, which are expected like errors
 *
 * A program without errors of its own is lowered under each of its schedules, and without any.
 * Every code has such a program, which `hlc explain CODE` shows.
 */
#include "frontend/frontend.h"
#include "ir/read.h"
#include "lower/lower.h"

#include "suite.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case {
    Context *context;
    Arena *arena;
    char folder[512];
} Case;

static const char *read_file(void *data, Arena *into, const char *path, size_t *length) {
    (void)data;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    enum { MOST = 1 << 18 };
    char *text = arena_allocate(into, MOST);
    *length = fread(text, 1, MOST - 1, file);
    fclose(file);
    return text;
}

/* Lowers under a schedule (null: the empty one), through all passes. */
static void apply(Case *test, const Pipeline *pipeline, const Schedule *schedule) {
    LowerOptions options = {.last = PASS_COUNT - 1, .directives = SIZE_MAX, .verify = true};
    lower(pipeline, schedule, test->arena, &options);
}

/* All that can be reported about the file. */
static void compile(Case *test, uint32_t file) {
    const char *ending = strrchr(test->context->files.data[file].path, '.');
    if (!strcmp(ending, ".ir")) {
        program_read(pool_create(test->context, test->arena), test->arena, file);
        return;
    }
    Module *module = frontend_load(test->context, test->arena, file, read_file, NULL);
    for (size_t p = 0; module && p < module->pipelines.length; p++) {
        const Pipeline *pipeline = module->pipelines.data[p];
        if (module->schedules.length == 0)
            apply(test, pipeline, NULL);
        for (size_t s = 0; s < module->schedules.length; s++)
            if (module->schedules.data[s]->pipeline == pipeline->signature.name)
                apply(test, pipeline, module->schedules.data[s]);
    }
}

/* Is `code` at the place among the reports?  E0901 is made when the reports are printed. */
static bool is_reported(Case *test, const char *code, unsigned line, unsigned column,
                        const char *path) {
    const Context *context = test->context;
    for (size_t i = 0; i < context->reports.length; i++) {
        const Report *report = &context->reports.data[i];
        if (!strcmp(diag_info(report->code)->code, code) && report->place.line == line &&
            report->place.column == column &&
            !strcmp(context->files.data[report->place.file].path, path))
            return true;
    }
    return !strcmp(code, "E0901") && context->error_count > context->reports.length;
}

static char *refusal(Case *test, const char *path, const char *what) {
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    diag_print_all(test->context, out);
    fclose(out);
    char *text = arena_format(test->arena, "%s: %s\n%s", path, what, printed);
    free(printed);
    return text;
}

static void set_limits(Case *test, const char *text) {
    test->context->asks_warnings = strstr(text, "// warnings\n");
    for (const char *at = strstr(text, "// limit "); at; at = strstr(at + 1, "// limit ")) {
        char name[32];
        size_t value;
        ck_assert_int_eq(sscanf(at, "// limit %31s %zu", name, &value), 2);
        ck_assert_msg(context_set_limit(test->context, name, value), "no limit is called %s", name);
    }
}

/* Warnings count where they are asked for. */
static size_t count_reports(const Context *context) {
    return context->error_count + (context->asks_warnings ? context->warning_count : 0);
}

/* Null if the file is refused as it expects. */
static char *check_file(Case *test, const char *path) {
    size_t length = 0, expected = 0;
    bool among_others = false;
    const char *text = read_file(NULL, test->arena, path, &length);
    set_limits(test, text);
    compile(test, context_add_file(test->context, path, text, length));
    for (const char *at = strstr(text, "// "); at; at = strstr(at + 1, "// ")) {
        char code[8], name[64];
        unsigned line, column;
        among_others |= !strncmp(at, "// among others", 15);
        int fields = sscanf(at, "// expect %7s at %u:%u in %63s", code, &line, &column, name);
        if (fields < 3)
            continue;
        expected++;
        const char *where =
            fields == 4 ? arena_format(test->arena, "%s/%s", test->folder, name) : path;
        if (!is_reported(test, code, line, column, where))
            return refusal(test, path,
                           arena_format(test->arena, "%s at %u:%u is missing", code, line, column));
    }
    if (expected == 0)
        return refusal(test, path, "expects nothing");
    if (!among_others && count_reports(test->context) != expected)
        return refusal(test, path, "other errors are reported");
    return NULL;
}

static bool is_case(const char *name) {
    const char *ending = strrchr(name, '.');
    return name[0] == 'E' && ending && (!strcmp(ending, ".hl") || !strcmp(ending, ".ir"));
}

/* Null if nothing is reported. */
static char *check_mended(Case *test, const char *path) {
    size_t length = 0;
    const char *text = read_file(NULL, test->arena, path, &length);
    set_limits(test, text);
    compile(test, context_add_file(test->context, path, text, length));
    return count_reports(test->context) ? refusal(test, path, "is mended, and refused") : NULL;
}

/* Runs `check` on each program of a folder; how many there are. */
static size_t check_folder(const char *folder, char *(*check)(Case *test, const char *path)) {
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    size_t count = 0, failures = 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!is_case(entry->d_name))
            continue;
        Case test = {.context = context_create()};
        test.arena = arena_create(&test.context->memory);
        snprintf(test.folder, sizeof test.folder, "%s", folder);
        char *fault = check(&test, arena_format(test.arena, "%s/%s", folder, entry->d_name));
        if (fault)
            fprintf(stderr, "%s\n", fault);
        failures += fault != NULL;
        count++;
        arena_destroy(test.arena);
        context_destroy(test.context);
    }
    closedir(entries);
    ck_assert_uint_eq(failures, 0);
    return count;
}

START_TEST(each_program_is_refused_as_it_expects) {
    ck_assert_uint_gt(check_folder(TEST_SOURCE_DIR "/error", check_file), 50);
}
END_TEST

START_TEST(each_mended_program_is_accepted) {
    ck_assert_uint_gt(check_folder(TEST_SOURCE_DIR "/error/mended", check_mended), 50);
}
END_TEST

/* ---- every code has its program, and its entry in the documentation ---- */

/* tests/error/CODE.hl, CODE.ir or CODE.cmd, or a line `CODE path` in tests/error/elsewhere.txt for
 * what no program can provoke: the file `path`, a test or the code itself, names the diagnostic or
 * its code. */
static bool has_case(Arena *arena, const DiagInfo *info, const char *elsewhere) {
    static const char *const endings[] = {"hl", "ir", "cmd"};
    size_t length = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (read_file(NULL, arena,
                      arena_format(arena, TEST_SOURCE_DIR "/error/%s.%s", info->code, endings[i]),
                      &length))
            return true;
    const char *line = strstr(elsewhere, info->code);
    char path[128];
    if (!line || sscanf(line + strlen(info->code), "%127s", path) != 1)
        return false;
    FILE *file = fopen(arena_format(arena, TEST_SOURCE_DIR "/../%s", path), "rb");
    char text[1024];
    bool found = false;
    while (file && fgets(text, sizeof text, file))
        found |=
            strstr(text, arena_format(arena, "DIAG_%s", info->name)) || strstr(text, info->code);
    if (file)
        fclose(file);
    return found;
}

/* A program that provokes the code comes with one that is mended; E0901 is about many faults. */
static bool is_mended(Arena *arena, const char *code) {
    static const char *const endings[] = {"hl", "ir"};
    size_t length = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *ending = endings[i];
        if (read_file(NULL, arena,
                      arena_format(arena, TEST_SOURCE_DIR "/error/%s.%s", code, ending), &length) &&
            !read_file(NULL, arena,
                       arena_format(arena, TEST_SOURCE_DIR "/error/mended/%s.%s", code, ending),
                       &length))
            return strcmp(code, "E0901") == 0;
    }
    return true;
}

START_TEST(each_code_has_a_program) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    size_t length = 0, missing = 0;
    const char *elsewhere = read_file(NULL, arena, TEST_SOURCE_DIR "/error/elsewhere.txt", &length);
    ck_assert_ptr_nonnull(elsewhere);
    for (int code = 0; code < DIAG_COUNT; code++) {
        const DiagInfo *info = diag_info((DiagCode)code);
        bool mended = is_mended(arena, info->code);
        if (has_case(arena, info, elsewhere) && mended)
            continue;
        fprintf(stderr, "%s (%s) has no %s in tests/error/\n", info->code, info->name,
                mended ? "program" : "mended program");
        missing++;
    }
    for (int a = 0; a < DIAG_COUNT; a++)
        for (int b = 0; b < a; b++)
            ck_assert_str_ne(diag_info((DiagCode)a)->code, diag_info((DiagCode)b)->code);
    ck_assert_uint_eq(missing, 0);
    arena_destroy(arena);
    context_destroy(context);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("programs");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, each_program_is_refused_as_it_expects);
    tcase_add_test(tests, each_mended_program_is_accepted);
    tcase_add_test(tests, each_code_has_a_program);
    return run_suite("frontend_errors", tests);
}

/* examplec.c -- makes of this folder the table of examples that `hlc explain CODE` shows:
 *
 *     examplec OUT.c FOLDER
 *
 *   CODE.hl, CODE.ir   a program that provokes the code, without its `// expect` lines; it is
 *                      compiled here, and what is reported is part of the table
 *   mended/CODE.hl     the same program, mended
 *   CODE.cmd           `$ a command line that provokes it`, what it prints, `$ one that is right`
 */
#include "frontend/frontend.h"
#include "ir/read.h"
#include "lower/lower.h"

#include <stdlib.h>
#include <string.h>

/* Longer programs tell a reader nothing. */
enum { LONGEST = 1500 };

typedef struct Maker {
    Arena *arena;
    const char *folder;
    FILE *out;
} Maker;

/* Null where there is no such file. */
static char *read_file(Arena *arena, const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    Vec(char) text = {0};
    if (!file)
        return NULL;
    for (int c; (c = getc(file)) != EOF;)
        vec_push(arena, &text, (char)c);
    vec_push(arena, &text, '\0');
    fclose(file);
    *length = text.length - 1;
    return text.data;
}

static const char *read_import(void *data, Arena *arena, const char *path, size_t *length) {
    (void)data;
    return read_file(arena, path, length);
}

/* Without the comments that are for the tests. */
static char *strip(Arena *arena, const char *text) {
    static const char *const FOR_TESTS[] = {"// expect ", "// limit ", "// among ", "// warnings"};
    char *stripped = arena_allocate(arena, strlen(text) + 1), *out = stripped;
    while (*text) {
        size_t line = strcspn(text, "\n");
        line += text[line] == '\n';
        bool kept = true;
        for (size_t i = 0; i < sizeof FOR_TESTS / sizeof *FOR_TESTS; i++)
            kept &= strncmp(text, FOR_TESTS[i], strlen(FOR_TESTS[i])) != 0;
        if (kept)
            out = (char *)memcpy(out, text, line) + line;
        text += line;
    }
    return stripped;
}

static void set_limits(Context *context, const char *text) {
    char name[32];
    size_t value;
    context->asks_warnings = strstr(text, "// warnings\n");
    for (const char *at = strstr(text, "// limit "); at; at = strstr(at + 1, "// limit "))
        if (sscanf(at, "// limit %31s %zu", name, &value) == 2)
            context_set_limit(context, name, value);
}

static void compile(Context *context, Arena *arena, const char *path, const char *text) {
    uint32_t file = context_add_file(context, path, text, strlen(text));
    LowerOptions options = {.last = (PassId)(PASS_COUNT - 1), .directives = SIZE_MAX};
    if (strcmp(strrchr(path, '.'), ".ir") == 0) {
        program_read(pool_create(context, arena), arena, file);
        return;
    }
    Module *module = frontend_load(context, arena, file, read_import, NULL);
    for (size_t s = 0; module && s < module->schedules.length; s++) {
        const Schedule *schedule = module->schedules.data[s];
        lower(module_pipeline(module, schedule->pipeline->text), schedule, arena, &options);
    }
    for (size_t p = 0; module && module->schedules.length == 0 && p < module->pipelines.length; p++)
        lower(module->pipelines.data[p], NULL, arena, &options);
}

/* What is reported with this code about the text; empty if nothing is. */
static const char *report(const Maker *maker, const char *code, const char *path, const char *text,
                          const char *limits) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    char *printed = NULL;
    size_t size;
    set_limits(context, limits);
    compile(context, arena, path, text);
    FILE *out = open_memstream(&printed, &size);
    for (size_t i = 0; i < context->reports.length; i++)
        if (strcmp(diag_info(context->reports.data[i].code)->code, code) == 0)
            diag_print(context, &context->reports.data[i], out);
    fclose(out);
    char *said = arena_allocate(maker->arena, size + 1), *to = said;
    size_t folder = strlen(maker->folder);
    for (const char *at = printed; *at;)
        if (strncmp(at, maker->folder, folder) == 0 && at[folder] == '/')
            at += folder + 1;
        else
            *to++ = *at++;
    free(printed);
    arena_destroy(arena);
    context_destroy(context);
    return said;
}

static void put_text(const char *text, FILE *out) {
    fputs("\n     \"", out);
    for (; *text; text++)
        if (*text == '\n')
            fprintf(out, "\\n\"%s", text[1] ? "\n     \"" : "");
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    fputs(text[-1] == '\n' ? "" : "\"", out);
}

static void put_row(const Maker *maker, const char *code, const char *wrong, const char *said,
                    const char *mended) {
    fprintf(maker->out, "    {\"%s\",", code);
    put_text(*wrong ? wrong : "\n", maker->out);
    fputc(',', maker->out);
    put_text(*said ? said : "\n", maker->out);
    fputc(',', maker->out);
    put_text(*mended ? mended : "\n", maker->out);
    fputs("},\n", maker->out);
}

static bool put_program(const Maker *maker, const char *code, const char *ending) {
    size_t length = 0, mended_length = 0;
    char *path = arena_format(maker->arena, "%s/%s.%s", maker->folder, code, ending);
    const char *whole = read_file(maker->arena, path, &length);
    if (!whole || length > LONGEST)
        return false;
    const char *text = strip(maker->arena, whole);
    const char *said = report(maker, code, path, text, whole);
    if (!*said) { /* its length matters */
        text = whole;
        said = report(maker, code, path, text, whole);
    }
    const char *mended = read_file(
        maker->arena, arena_format(maker->arena, "%s/mended/%s.%s", maker->folder, code, ending),
        &mended_length);
    put_row(maker, code, text, said, mended ? strip(maker->arena, mended) : "");
    return true;
}

static void put_command(const Maker *maker, const char *code) {
    size_t length = 0;
    char *text = read_file(maker->arena,
                           arena_format(maker->arena, "%s/%s.cmd", maker->folder, code), &length);
    char *said = text ? strchr(text, '\n') : NULL, *right = said ? strstr(said, "\n$ ") : NULL;
    if (!right)
        return;
    put_row(maker, code, arena_text(maker->arena, text, (size_t)(said + 1 - text)),
            arena_text(maker->arena, said + 1, (size_t)(right - said)), right + 1);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: examplec OUT.c FOLDER\n", stderr);
        return 2;
    }
    Memory memory = {.fail_after = -1};
    Maker maker = {.arena = arena_create(&memory), .folder = argv[2], .out = fopen(argv[1], "wb")};
    if (!maker.out) {
        perror(argv[1]);
        return 3;
    }
    fputs("/* Made by examplec; do not edit. */\n#include \"library/code_example.h\"\n\n"
          "const CodeExample CODE_EXAMPLES[] = {\n",
          maker.out);
    for (int i = 0; i < DIAG_COUNT; i++) {
        const char *code = diag_info((DiagCode)i)->code;
        if (!put_program(&maker, code, "hl") && !put_program(&maker, code, "ir"))
            put_command(&maker, code);
    }
    fputs("    {0, 0, 0, 0}};\n", maker.out);
    arena_destroy(maker.arena);
    return fclose(maker.out) == 0 ? 0 : 3;
}

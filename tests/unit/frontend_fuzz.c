/* Hostile input: programs mutated byte by byte and word by word, 20,000 of them.  Whatever the
 * text, the front end neither crashes nor runs away; it refuses with an error or gives a module
 * whose pipelines lower to well-formed programs, and its reports can be printed.  FUZZ_SEED=N
 * mutates otherwise; FUZZ_SHOW=FILE keeps the text that is being tried. */
#include "tests/unit/frontend_support.h"
#include "tests/unit/share.h"

#include "ir/verify.h"
#include "lower/lower.h"

#include <dirent.h>
#include <time.h>

enum { CASES = 20000, MOST_BYTES = 1 << 16 };

typedef struct Seeds {
    char *texts[512];
    size_t lengths[512], count;
} Seeds;

static void add_seed(Seeds *seeds, const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    char *text = malloc(MOST_BYTES);
    seeds->lengths[seeds->count] = fread(text, 1, MOST_BYTES / 2, file);
    seeds->texts[seeds->count++] = text;
    fclose(file);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The .hl files of a folder, in the order of their names. */
static void add_folder(Seeds *seeds, const char *folder) {
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    char *paths[512];
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) && count < 512;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".hl"))
            continue;
        paths[count] = malloc(1024);
        snprintf(paths[count++], 1024, "%s/%s", folder, entry->d_name);
    }
    closedir(entries);
    qsort(paths, count, sizeof *paths, by_text);
    for (size_t i = 0; i < count; i++) {
        if (seeds->count < 512)
            add_seed(seeds, paths[i]);
        free(paths[i]);
    }
}

static uint64_t state = 0x9e3779b97f4a7c15u;

static size_t below(size_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (size_t)(state % limit) : 0;
}

/* Puts `length` bytes at `at` instead of `removed` ones. */
static size_t replace(char *text, size_t size, size_t at, size_t removed, const char *with,
                      size_t length) {
    if (size - removed + length > MOST_BYTES)
        return size;
    char *copy = malloc(length + 1);
    memcpy(copy, with, length);
    memmove(text + at + length, text + at + removed, size - at - removed);
    memcpy(text + at, copy, length);
    free(copy);
    return size - removed + length;
}

static size_t mutate(char *text, size_t size, const Seeds *seeds) {
    static const char *const words[] = {"fun",
                                        "let",
                                        "const",
                                        "rdom",
                                        "in",
                                        "if",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ";",
                                        "<-",
                                        "->",
                                        "..",
                                        ".0",
                                        "sum(r in (0, 3)) ",
                                        "argmin(r in (0, x)) ",
                                        "repeat_edge(",
                                        "select(",
                                        "x",
                                        "y",
                                        "w",
                                        "input",
                                        "f",
                                        "out",
                                        "0",
                                        "1.5",
                                        "-",
                                        "1e999",
                                        "\"",
                                        "//",
                                        "/*",
                                        "u8(",
                                        "f64_sat(",
                                        "reinterpret<f32>(",
                                        "18446744073709551615",
                                        "schedule s for p {",
                                        "pipeline p(",
                                        "<h, z0, s1, x>",
                                        "compute-at(",
                                        "for k in 0..2 {",
                                        "if k == 1 {",
                                        "else {",
                                        "for k in 0..",
                                        "g[k]",
                                        "g[k - 1](x",
                                        "fun g[k](x, y) = ",
                                        "fun g[k] = t(",
                                        "template t(f(_, ..c)) {",
                                        "directive rows(f, n = 8) {",
                                        "extends s(n = 4) ",
                                        "const n = 3 in 1..5, ",
                                        "len(",
                                        "[x + k for k in 0..2]",
                                        "..[x, y]",
                                        "..c",
                                        " by 2",
                                        "[k]",
                                        "_sum",
                                        "?",
                                        ":",
                                        "%",
                                        "\xff\xfe",
                                        "",
                                        "99999999999999999999"};
    size_t at = below(size + 1), most = size - at < 40 ? size - at : 40;
    switch (below(6)) {
    case 0: /* delete */
        return replace(text, size, at, below(most + 1), "", 0);
    case 1: { /* duplicate, somewhere else */
        size_t length = below(most + 1), to = below(size + 1);
        return replace(text, size, to, 0, text + at, length);
    }
    case 2: { /* another byte */
        char byte = (char)below(256);
        return at < size ? replace(text, size, at, 1, &byte, 1) : size;
    }
    case 3: /* a word in between */
    case 4: {
        const char *word = words[below(sizeof words / sizeof *words)];
        return replace(text, size, at, below(2) ? below(most + 1) : 0, word, strlen(word));
    }
    default: { /* a piece of another program */
        size_t other = below(seeds->count), from = below(seeds->lengths[other]);
        size_t length = below(seeds->lengths[other] - from + 1);
        return replace(text, size, at, below(most + 1), seeds->texts[other] + from,
                       length < 200 ? length : 200);
    }
    }
}

static const char *no_files(void *data, Arena *into, const char *path, size_t *length) {
    (void)data, (void)into, (void)path, (void)length;
    return NULL;
}

static jmp_buf no_memory;

static bool load_and_lower(const char *text, size_t size) {
    setup();
    context->memory.on_failure = &no_memory;
    context->memory.limit = (size_t)1 << 30; /* a gigabyte */
    context->limits.expression_nodes = 1 << 14;
    uint32_t file = context_add_file(context, "fuzz.hl", text, size);
    Module *module = frontend_load(context, arena, file, no_files, NULL);
    ck_assert_int_eq(module != NULL, diag_error_count(context) == 0);
    char *printed;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    diag_print_all(context, out);
    fclose(out);
    ck_assert_int_eq(module == NULL, length > 0);
    free(printed);
    for (size_t i = 0; module && i < module->pipelines.length; i++) {
        Directives primitives = {0};
        const Pipeline *pipeline =
            schedule_expand(module->pipelines.data[i], NULL, SIZE_MAX, arena, &primitives);
        if (!pipeline)
            continue; /* it says why */
        Program *program = lower_initial(pipeline, arena);
        ck_assert_ptr_null(program_verify(arena, program, true));
    }
    bool accepted = module != NULL;
    teardown();
    return accepted;
}

/* True if the text was accepted. */
static bool try_text(const char *text, size_t size) {
    if (setjmp(no_memory))
        ck_abort_msg("a short text takes a gigabyte");
    return load_and_lower(text, size);
}

START_TEST(mutated_programs) {
    Seeds *seeds = calloc(1, sizeof *seeds);
    add_folder(seeds, TEST_SOURCE_DIR "/../examples");
    add_folder(seeds, TEST_SOURCE_DIR "/../examples/recurrences");
    add_folder(seeds, TEST_SOURCE_DIR "/static");
    size_t examples = seeds->count;
    add_folder(seeds, TEST_SOURCE_DIR "/error");
    char *text = malloc(MOST_BYTES);
    size_t accepted = 0;
    if (getenv("FUZZ_SEED"))
        state += strtoull(getenv("FUZZ_SEED"), NULL, 10);
    size_t cases = CASES / (size_t)share();
    for (size_t i = 0; i < cases; i++) {
        /* Half of them from the examples, which have more in them. */
        size_t seed = below(2) ? below(examples) : below(seeds->count), size = seeds->lengths[seed];
        memcpy(text, seeds->texts[seed], size);
        for (size_t n = 1 + below(4); n > 0; n--)
            size = mutate(text, size, seeds);
        if (getenv("FUZZ_SHOW")) {
            FILE *file = fopen(getenv("FUZZ_SHOW"), "wb");
            fwrite(text, 1, size, file);
            fclose(file);
        }
        accepted += try_text(text, size);
    }
    /* Both kinds occur, or the mutations are no test. */
    ck_assert_uint_gt(accepted, cases / 100);
    ck_assert_uint_lt(accepted, cases / 2);
    for (size_t i = 0; i < seeds->count; i++)
        free(seeds->texts[i]);
    free(seeds);
    free(text);
}
END_TEST

/* `count` times `piece`, between `before` and `after`. */
static char *repeated(const char *before, const char *piece, size_t count, const char *after) {
    size_t step = strlen(piece), start = strlen(before);
    char *text = malloc(start + step * count + strlen(after) + 1);
    strcpy(text, before);
    for (size_t i = 0; i < count; i++)
        memcpy(text + start + i * step, piece, step);
    strcpy(text + start + count * step, after);
    return text;
}

START_TEST(huge_and_deep_programs) {
    static const char begin[] = "pipeline p(w: i32) -> out { fun out(x) = ";
    static const struct {
        const char *before, *piece;
        size_t count;
        const char *after;
        bool accepted;
    } texts[] = {
        {begin, "(", 100000, "", false},
        {begin, "-", 1000000, "w; }", false},
        {begin, "f(", 100000, "", false},
        {begin, "w ? w : ", 100000, "w; }", false},
        {begin, "{", 1000000, "", false},
        {begin, "[", 1000000, "", false},
        {begin, "w + ", 5000, "w; }", true},
        {begin, "w + ", 1000000, "w; }", false},
        {begin, "sum(r in (0, 3)) ", 100000, "w; }", false},
        {begin, "w.a", 100000, "; }", false},
        {begin, "w", 3000000, "; }", false},
        {"", "}", 100000, "", false},
        {"", "fun ", 100000, "", false},
        {"", "pipeline p", 10000, "", false},
        {"", "import \"a\";", 1000, "", false},
        {"", "\xff", 1000000, "", false},
        {"/*", "*", 1000000, "", false},
        {"\"", "\\", 1000000, "", false},
        {"pipeline p(", "w: i32, ", 100000, ") -> out { }", false},
        {"pipeline p() -> out { fun out(x) = 1; }\nschedule s for p { ", "out.x.", 100000, "}",
         false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = repeated(texts[i].before, texts[i].piece, texts[i].count, texts[i].after);
        clock_t start = clock();
        ck_assert_msg(try_text(text, strlen(text)) == texts[i].accepted, "%.60s", text);
        ck_assert_msg(clock() - start < 20 * CLOCKS_PER_SEC, "%.60s", text);
        free(text);
    }
}
END_TEST

/* Short programs that expand to long ones. */
START_TEST(programs_that_expand) {
    char text[8192] = "let a0(v) = v + v;\n", line[128];
    for (int i = 1; i < 60; i++) {
        snprintf(line, sizeof line, "let a%d(v) = a%d(a%d(v));\n", i, i - 1, i - 1);
        strcat(text, line);
    }
    strcat(text, "pipeline p(w: i32) -> out { fun out(x) = a59(w); }");
    ck_assert(!try_text(text, strlen(text)));
    strcpy(text, "let a0 = 1;\n");
    for (int i = 1; i < 60; i++) {
        snprintf(line, sizeof line, "let a%d = a%d + a%d;\n", i, i - 1, i - 1);
        strcat(text, line);
    }
    strcat(text, "pipeline p(w: i32) -> out { fun out(x) = a59 + w; }");
    ck_assert(try_text(text, strlen(text)));
    static const char omega[] =
        "let f(g) = g(g);\npipeline p(w: i32) -> out { fun out(x) = f(f); }";
    ck_assert(!try_text(omega, strlen(omega)));
    static const char tables[] =
        "const t = [[1, 2, 3, 4], [1, 2, 3, 4]];\nlet u(i) = t[t[i][i]][t[i][i]];\n"
        "pipeline p(w: i32) -> out { fun out(x) = u(u(u(u(u(u(u(u(x)))))))); }";
    ck_assert(try_text(tables, strlen(tables))); /* shared parts are one node */
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("fuzz");
    tcase_set_timeout(tests, 900);
    tcase_add_test(tests, mutated_programs);
    tcase_add_test(tests, huge_and_deep_programs);
    tcase_add_test(tests, programs_that_expand);
    return run_suite("frontend_fuzz", tests);
}

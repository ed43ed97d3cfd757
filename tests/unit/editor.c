/* What editors ask of a text: each name of each example is known, and can be renamed; the letters of
 * arguments; completion, hover and outline of texts with faults.
 */
#include "editor/reading.h"

#include "frontend/elaborate.h"
#include "frontend/static/library.h"

#include "suite.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    enum { MOST = 1 << 18 };
    char *text = malloc(MOST);
    *length = fread(text, 1, MOST, file);
    fclose(file);
    return text;
}

static const char *import_file(void *data, const char *path, size_t *length) {
    char **kept = data;
    free(*kept);
    return *kept = read_whole(path, length);
}

static Editor *open_text(const char *path, const char *text, size_t length, char **kept) {
    Editor *editor = editor_create(path);
    hlc *h = hlc_create();
    ck_assert(editor && h);
    editor_read(editor, h, text, length, import_file, kept);
    return editor;
}

static Editor *open_string(const char *text, char **kept) {
    return open_text("/nowhere/text.hl", text, strlen(text), kept);
}

/* ---- the letters of arguments ---- */

START_TEST(letters_of_arguments) {
    static const struct {
        const char *pattern;
        size_t index;
        const char *letters;
    } cases[] = {{"lnne", 0, "l"},   {"lnne", 2, "n"},    {"lnne", 3, "e"},   {"lnne", 4, ""},
                 {"lnneT?", 4, "T"}, {"le?T?", 1, "eT"},  {"le?T?", 2, "T"},  {"(ln)+n", 0, "l"},
                 {"(ln)+n", 1, "n"}, {"(ln)+n", 2, "ln"}, {"(ln)+n", 3, "n"}, {"if*n", 1, "fn"},
                 {"if*n", 2, "fn"},  {"if*n", 900, "fn"}, {"ll+", 7, "l"},    {"", 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char letters[MOST_LETTERS];
        directive_letters(cases[i].pattern, cases[i].index, letters);
        ck_assert_msg(!strcmp(letters, cases[i].letters), "%s, argument %zu: %s, not %s",
                      cases[i].pattern, cases[i].index, letters, cases[i].letters);
    }
}
END_TEST

/* ---- names ---- */

/* Words of the language, of schedules, of headers; names of fields and stages. */
static bool is_word(const hlc *h, const Token *token, const char *word) {
    static const char *const words[] = {"pipeline",
                                        "schedule",
                                        "for",
                                        "fun",
                                        "let",
                                        "const",
                                        "rdom",
                                        "in",
                                        "if",
                                        "import",
                                        "require",
                                        "recurrence",
                                        "true",
                                        "false",
                                        "with",
                                        "image",
                                        "div",
                                        "mod",
                                        "template",
                                        "directive",
                                        "extends",
                                        "else",
                                        "by",
                                        "type",
                                        "planar",
                                        "interleaved",
                                        "strided",
                                        "contraction",
                                        "reassociation",
                                        "sum",
                                        "product",
                                        "minimum",
                                        "maximum",
                                        "argmin",
                                        "argmax",
                                        "stack",
                                        "heap",
                                        "register",
                                        "serial",
                                        "parallel",
                                        "vectorized",
                                        "unrolled",
                                        "guard",
                                        "predicate",
                                        "round",
                                        "up",
                                        "shift",
                                        "inwards",
                                        "and",
                                        "blend",
                                        "align",
                                        "start",
                                        "end",
                                        "extern",
                                        "len",
                                        "dims",
                                        "_"};
    Type type;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], word))
            return true;
    for (size_t i = 0; call_field(i); i++)
        if (!strcmp(call_field(i), word))
            return true;
    for (int i = 0; i < DIRECTIVE_COUNT; i++) /* `compute` of `compute-at` */
        for (const char *at = strstr(directive_info((DirectiveKind)i)->text, word); at; at = NULL)
            return true;
    bool is_stage = strchr("sz", word[0]) && word[1] && !word[1 + strspn(word + 1, "0123456789")];
    Symbol symbol = symbol_from(&h->context->symbols, word);
    return is_stage || type_from_name(word, &type) || scope_is_builtin(symbol) ||
           package_find(word) || token->kind != TOKEN_NAME;
}

static size_t check_names(const char *path, size_t *unknown) {
    size_t length, count = 0;
    char *text = read_whole(path, &length), *kept = NULL;
    Editor *editor = open_text(path, text, length, &kept);
    const Reading *now = editor->now;
    ck_assert_msg(now->names != NULL, "%s has no names", path);
    for (size_t i = 0; i < now->tokens.length; i++) {
        const Token *token = &now->tokens.data[i];
        char word[200];
        if (token->kind != TOKEN_NAME || token->length >= sizeof word)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)token->length, token->text);
        count++;
        if (names_at(now->names, now->h->file, editor_point(token->place)) ||
            is_word(now->h, token, word))
            continue;
        /* Members of instances are not followed. */
        bool is_member = i > 0 && token_is(&now->tokens.data[i - 1], ".");
        ck_assert_msg(is_member, "%s:%u:%u: what `%s` means is not known", path, token->place.line,
                      token->place.column, word);
        ++*unknown;
    }
    editor_destroy(editor);
    free(text);
    free(kept);
    return count;
}

START_TEST(names_of_examples) {
    static const char *const patterns[] = {
        "/../examples/*.hl",         "/../examples/recurrences/*.hl",
        "/../packages/*.hl",         "/packages/*.hl",
        "/../examples/lessons/*.hl", "/../examples/applications/*.hl",
        "/semantics/several_*.hl",   "/in_place/*.hl"};
    size_t count = 0, unknown = 0;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        char pattern[1000];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s", TEST_SOURCE_DIR, patterns[p]);
        ck_assert(glob(pattern, 0, NULL, &found) == 0);
        for (size_t i = 0; i < found.gl_pathc; i++)
            count += check_names(found.gl_pathv[i], &unknown);
        globfree(&found);
    }
    ck_assert_msg(count > 5000, "only %zu names", count);
    ck_assert_msg(unknown * 50 < count, "%zu of %zu names are members that are not known", unknown,
                  count);
}
END_TEST

/* Each definition of an example can be renamed to a new name. */
static size_t check_renames(const char *path) {
    size_t length, count = 0;
    char *text = read_whole(path, &length), *kept = NULL;
    Editor *editor = open_text(path, text, length, &kept);
    const TextNames *names = editor->now->names;
    for (size_t i = 0; i < names->mentions.length; i++) {
        const Mention *mention = &names->mentions.data[i];
        if (!mention->is_definition || mention->place.file != editor->now->h->file)
            continue;
        hlc *check = hlc_create();
        EditorRename rename = editor_rename(editor, editor_point(mention->place), "renamed", check,
                                            import_file, &kept);
        ck_assert_msg(!rename.refused, "%s:%u:%u: %s is not renamed: %s", path, mention->place.line,
                      mention->place.column, mention->definition->name->text, rename.refused);
        ck_assert(rename.places.count >= 1);
        hlc_destroy(check);
        count++;
    }
    editor_destroy(editor);
    free(text);
    free(kept);
    return count;
}

START_TEST(renames_in_examples) {
    static const char *const files[] = {"edges", "blur", "find", "histogram"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/../examples/%s.hl", TEST_SOURCE_DIR, files[i]);
        count += check_renames(path);
    }
    ck_assert_msg(count > 30, "only %zu renames", count);
}
END_TEST

/* ---- texts with faults ---- */

START_TEST(questions_about_faulty_texts) {
    static const char *const texts[] = {
        "",
        "pipeline",
        "pipeline p(",
        "pipeline p(a: image<u8, 2>) -> out { fun out(x",
        "pipeline p() -> out { fun out(x) = }",
        "schedule s for nowhere { split(",
        "pipeline p() -> out { fun out(x) = x; }\nschedule s for p { split(out.x, a, b, 4); vector",
        "let a = a;\nlet b(x) = b(x);",
        "template t(f(_, ..c), n = t) { fun g(x) = f(x, ..c); }",
        "import blur;\npipeline p() -> out { fun out = blur.",
        "directive d(f, g.x) { d(f); }"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *kept = NULL;
        Editor *editor = open_string(texts[i], &kept);
        EditorPoint at = {1, (unsigned)strlen(texts[i]) + 1};
        EditorRange word;
        hlc *other = hlc_create();
        editor_complete(editor, at, other, NULL, NULL);
        editor_hover(editor, at, &word);
        editor_definition(editor, at);
        editor_symbols(editor);
        editor_folds(editor);
        editor_colours(editor);
        editor_lenses(editor);
        editor_hints(editor, 1, 9);
        editor_actions(editor, 1, 9);
        hlc_destroy(other);
        editor_destroy(editor);
        free(kept);
    }
}
END_TEST

static bool completes(const char *before, const char *behind, const char *label) {
    char text[2000], *kept = NULL;
    snprintf(text, sizeof text, "%s%s", before, behind);
    Editor *editor = open_string(text, &kept);
    EditorPoint at = {1, 1};
    for (const char *letter = before; *letter; letter++) {
        at.line += *letter == '\n';
        at.column = *letter == '\n' ? 1 : at.column + 1;
    }
    hlc *mended = hlc_create();
    EditorItems items = editor_complete(editor, at, mended, NULL, NULL);
    bool is_found = false;
    for (size_t i = 0; i < items.count; i++)
        is_found |= !strcmp(items.data[i].label, label);
    hlc_destroy(mended);
    editor_destroy(editor);
    return is_found;
}

START_TEST(loops_at_a_point) {
    static const char PROGRAM[] = "pipeline p() -> out {\n    fun f(x, y) = x + y;\n"
                                  "    fun out(x, y) = f(x, y);\n}\nschedule s for p {\n";
    char head[1000];
    snprintf(head, sizeof head, "%s    tile(out.x, out.y, xo, yo, xi, yi, 8, 8);\n    ", PROGRAM);
    ck_assert(completes(head, "\n}\n", "compute-at"));
    strcat(head, "reorder(out.");
    ck_assert(completes(head, "\n}\n", "out.xo"));
    ck_assert(completes(head, "\n    inline(f);\n}\n", "out.yi"));
    ck_assert(!completes(head, "\n    inline(f);\n}\n", "f.x"));
    ck_assert(!completes(head, "\n}\n", "out.x"));
    /* A loop that a later line makes is none for a loop's directive, but it is a level. */
    snprintf(head, sizeof head, "%s    unroll(", PROGRAM);
    ck_assert(!completes(head, "\n    split(out.x, a, b, 4);\n}\n", "out.a"));
    snprintf(head, sizeof head, "%s    compute-at(f, ", PROGRAM);
    ck_assert(completes(head, "\n    split(out.x, a, b, 4);\n}\n", "out.a"));
    ck_assert(!completes(head, "\n    split(out.x, a, b, 4);\n}\n", "f.x"));
    snprintf(head, sizeof head, "%s    store-in(f, ", PROGRAM);
    ck_assert(completes(head, "\n}\n", "register"));
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("editor");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, letters_of_arguments);
    tcase_add_test(tests, names_of_examples);
    tcase_add_test(tests, renames_in_examples);
    tcase_add_test(tests, questions_about_faulty_texts);
    tcase_add_test(tests, loops_at_a_point);
    return run_suite("editor", tests);
}

/* pages.c -- what docs/scheduling.md and docs/language.md say of a word. The build puts the pages into
 * a table. */
#include "editor/reading.h"

#include <string.h>

static const char *page(const char *name) {
    for (const EditorPage *at = editor_pages; at->name; at++)
        if (!strcmp(at->name, name))
            return at->text;
    return "";
}

static bool is_word_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Does the word stand alone in the first `length` letters of the text? */
static bool says(const char *text, size_t length, const char *word) {
    size_t wanted = strlen(word);
    for (size_t i = 0; i + wanted <= length; i++) {
        bool is_alone = (i == 0 || !is_word_letter(text[i - 1])) &&
                        (i + wanted == length || !is_word_letter(text[i + wanted]));
        if (is_alone && !strncmp(text + i, word, wanted))
            return true;
    }
    return false;
}

/* The section up to its first part. */
const char *page_of_directive(Arena *arena, const char *directive) {
    static const char HEADING[] = "\n## ";
    for (const char *at = strstr(page("scheduling"), HEADING); at; at = strstr(at + 1, HEADING)) {
        const char *line = at + sizeof HEADING - 1, *end = strstr(line, "\n##");
        if (says(line, strcspn(line, "\n"), directive))
            return arena_format(arena, "%.*s", (int)(end ? (size_t)(end - line) : strlen(line)),
                                line);
    }
    return NULL;
}

/* Does a stretch of code in the line begin with the word? In "`mirror(f, size)`" that is `mirror`. */
static bool has_code(const char *line, size_t length, const char *word) {
    size_t wanted = strlen(word);
    bool is_code = false;
    for (size_t i = 0; i < length; i++) {
        if (line[i] != '`')
            continue;
        is_code = !is_code;
        const char *at = line + i + 1;
        if (is_code && i + 1 + wanted < length && !strncmp(at, word, wanted) &&
            !is_word_letter(at[wanted]))
            return true;
    }
    return false;
}

/* A line of a table that has the function in code: "| bits | `popcount`, `clz` |". */
const char *page_of_function(Arena *arena, const char *function) {
    for (const char *line = page("language"); *line;) {
        size_t length = strcspn(line, "\n");
        if (*line == '|' && has_code(line, length, function)) {
            const char *cell = line + 1;
            const char *behind = memchr(cell, '|', length - 1);
            bool is_titled = behind && !memchr(cell, '`', (size_t)(behind - cell));
            cell = is_titled ? behind + 1 : cell;
            size_t rest = (size_t)(line + length - cell);
            while (rest > 0 && (cell[rest - 1] == '|' || cell[rest - 1] == ' '))
                rest--;
            return arena_format(arena, "%.*s", (int)rest, cell);
        }
        line += length + (line[length] == '\n');
    }
    return NULL;
}
